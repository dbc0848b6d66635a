// A stand-in for a target binary: speaks the line protocol about cases of two numbers, which fail iff cols >= 3. What
// it does wrong beyond that follows from the name it is started under (fuzz_<mode>).
#include "fake_target.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "base/hex.h"
#include "findings/error_json.h"
#include "findings/finding.h"
#include "numeric/hash.h"

namespace {

using namespace warpfuzz;
using nlohmann::json;

std::string g_mode;
int g_runs = 0;  // of this process

struct Case {
  int rows = 1, cols = 1;
};

void send(const json& j) { std::cout << j.dump() << std::endl; }

Case decode(const Bytes& bytes) {
  const auto byte = [&](std::size_t i) { return i < bytes.size() ? static_cast<int>(bytes[i]) : 0; };
  return {std::max(byte(1), 1), std::max(byte(2), 1)};
}
Case decode(const std::string& hex) { return decode(from_hex(hex).value_or(Bytes())); }
Bytes encode(const Case& c) { return {1, static_cast<std::uint8_t>(c.rows), static_cast<std::uint8_t>(c.cols)}; }
std::string summary(const Case& c) {
  return "fake fp32 rows=" + std::to_string(c.rows) + " cols=" + std::to_string(c.cols);
}
std::string text_of(const Case& c) {
  return "op: fake\nrows: " + std::to_string(c.rows) + "\ncols: " + std::to_string(c.cols) + "\n";
}

FaultClass fault_of(const Case& c) {
  if (g_mode == "sticky" && g_runs > 1) return FaultClass::oob_read;  // damage done by an earlier case
  if (c.cols < 3 || g_mode == "clean") return FaultClass::none;
  if (g_mode == "mixed" && c.cols == 4) return FaultClass::oob_write;
  if (g_mode == "oob" || g_mode == "oobsave" || g_mode == "sticky") return FaultClass::oob_read;
  return FaultClass::value;
}

Finding finding_of(const Case& c) {
  Finding f;
  f.target = g_mode;
  f.op = "fake";
  f.backend = "cpu";
  f.fault = fault_of(c);
  if (fault_info(f.fault).has_place) f.place = {"fake_kernel", {0, 0, 0}, {3, 0, 0}, "fake.cu", 12};
  f.message = f.fault == FaultClass::value ? "" : "one element behind x";
  f.bytes = encode(c);
  f.text = text_of(c);
  f.summary = summary(c);
  f.attributes = {{"kind", "gross"}, {"dtype", "fp32"}};
  TensorSnapshot x;
  x.name = "x", x.role = "in", x.tensor = 0;
  x.shape = {static_cast<std::uint32_t>(c.rows), static_cast<std::uint32_t>(c.cols)};
  x.data.resize(static_cast<std::size_t>(4 * c.rows * c.cols));
  x.hash = hash_bytes(x.data.data(), x.data.size());
  f.inputs = {x};
  return f;
}

json run(const Case& c, const std::string& save) {
  ++g_runs;
  if (g_mode == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
  if (g_mode == "abort") std::abort();
  if (g_mode == "chatty") std::cerr << std::string(1 << 20, 'x') << std::endl;  // kernels print
  const Finding f = finding_of(c);
  const bool kills = f.fault == FaultClass::oob_read || f.fault == FaultClass::oob_write;
  std::string save_error;
  if (!save.empty() && f.fault != FaultClass::none && g_mode != "oob") save_error = write_wfz(save, f);
  if (kills) {
    send({{"event", "fault"},
          {"fault", fault_name(f.fault)},
          {"key", bucket_key(f)},
          {"message", f.message},
          {"report", report(f, "")},
          {"place",
           {{"kernel", f.place.kernel},
            {"block", {0, 0, 0}},
            {"thread", {3, 0, 0}},
            {"file", f.place.file},
            {"line", 12}}}});
    std::cerr << "==1==ERROR: AddressSanitizer: heap-buffer-overflow" << std::endl;
    _exit(77);
  }
  json j{{"fault", fault_name(f.fault)},
         {"key", f.fault == FaultClass::none ? "" : bucket_key(f)},
         {"message", f.message},
         {"summary", f.summary},
         {"attributes", f.attributes},
         {"wrong", 1},
         {"total", 3},
         {"drift", false},
         {"output_hash", "0000000000000001"}};
  if (f.fault != FaultClass::none) j["report"] = report(f, "");
  if (!save_error.empty()) j["save_error"] = save_error;
  return j;
}

std::vector<Case> candidates(const Case& c) {
  std::vector<Case> list;
  if (c.rows > 1) list.push_back({c.rows / 2, c.cols}), list.push_back({c.rows - 1, c.cols});
  if (c.cols > 1) list.push_back({c.rows, c.cols / 2}), list.push_back({c.rows, c.cols - 1});
  return list;
}

json shrink(Case c, const std::string& save) {
  int attempts = 0;
  const FaultClass fault = fault_of(c);
  for (bool again = true; again;) {
    again = false;
    for (const Case& candidate : candidates(c)) {
      ++attempts;
      if (run(candidate, "").at("fault") != fault_name(fault)) continue;
      c = candidate;
      again = true;
      break;
    }
  }
  json j = run(c, save);
  j["bytes"] = to_hex(encode(c));
  j["text"] = text_of(c);
  j["attempts"] = attempts;
  j["complete"] = true;
  return j;
}

json replay(const std::string& path) {
  const Result<Bytes> read = read_file(path);
  if (!read) return {{"error", read.line()}};
  const Bytes& file = *read;
  if (path.ends_with(".case")) {
    json j = run({1, 3}, "");
    j["expect"] = std::string(file.begin(), file.end()).find("expect: value") == std::string::npos ? "pass" : "value";
    return j;
  }
  if (!is_wfz(file)) return run(decode(file), "");
  const Finding f = from_wfz(file).value();
  json j = run(decode(f.bytes), "");
  j["recorded_key"] = bucket_key(f);
  j["same_key"] = j["key"] == j["recorded_key"];
  j["inputs_identical"] = true, j["from_tensors"] = true, j["same_compiler"] = false;
  j["different_outputs"] = 1, j["total_outputs"] = 3;
  return j;
}

// Of cases of one row: x and y, y allowed to be 1 everywhere.
json tensors(const json& q) {
  const Result<Bytes> file = read_file(q.at("path"));
  if (!file) return {{"error", file.line()}};
  const Case c = decode(is_wfz(*file) ? from_wfz(*file)->bytes : *file);
  json j = q.value("run", true) ? run(c, "") : json::object();
  std::string ones, rules, reference;
  for (int i = 0; i < c.cols; ++i) ones += "0000803f", rules += "00", reference += "000000000000f03f";
  const auto tensor = [&](const char* name, const char* role) {
    return json{{"name", name},
                {"role", role},
                {"dtype", "fp32"},
                {"present", true},
                {"shape", {c.cols}},
                {"strides", {1}},
                {"offset", 0},
                {"storage", c.cols},
                {"elements", c.cols},
                {"poison", {"d0ffd0ff", "e87fe87f"}},
                {"padding", {"d3ffd3ff", "537b537b"}}};
  };
  j.update({{"summary", summary(c)},
            {"text", text_of(c)},
            {"bound", "every order"},
            {"note", ""},
            {"in_dtype", "fp32"},
            {"out_dtype", "fp32"},
            {"dims", {{{"name", "cols"}, {"value", c.cols}}}},
            {"scalars", json::array()},
            {"flags", json::array()},
            {"tensors", {tensor("x", "in"), tensor("y", "out")}}});
  json out{
      {"tensor", 1}, {"lo", ones}, {"hi", ones}, {"rules", g_mode == "mixed" ? "" : rules}, {"reference", reference}};
  if (q.value("run", true)) out["got"] = ones;
  j["calls"] = {{{"inputs", {{{"tensor", 0}, {"bits", ones}}}}, {"outputs", {out}}}};
  return j;
}

json parse(const std::string& text) {
  Case c;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("rows: ")) c.rows = std::stoi(line.substr(6));
    else if (line.starts_with("cols: ")) c.cols = std::stoi(line.substr(6));
    else if (!line.starts_with("op: ") && !line.starts_with("dtype: ") && !line.starts_with("x: ") &&
             !line.starts_with("expect: "))
      return {{"error", "line " + std::to_string(number) + ": unknown key"}};
  }
  return {{"bytes", to_hex(encode(c))}, {"expect", text.find("expect: value") == std::string::npos ? "pass" : "value"}};
}

// Case i of a sweep has the ratio i / 1000; in mode "dies" case 700 ends the process.
json sweep(const json& q) {
  ErrorTable t;
  std::uint64_t n = 0;
  double largest = 0;
  const auto add = [&](double ratio, const char* fill) {
    ErrorStats& s = t.at({q.value("dtype", "fp32"), fill});
    ++n, ++s.counts.runs, ++s.counts.elements;
    largest = std::max(largest, ratio);
    // What "low" is to "clean": a kernel of lower precision.
    s.counts.failed += g_mode == "low";
    s.ratios.add(ratio), s.ulps.add(1), s.absolute.add(ratio * 1e-6), s.relative.add(1e-7);
  };
  if (q.contains("paths")) {
    for (const json& path : q["paths"]) add(path.get<std::string>().ends_with(".case") ? 0.5 : 0.25, "file");
  } else {
    const std::uint64_t first = q.value("first", 0);
    for (std::uint64_t i = first; i < first + q.at("cases").get<std::uint64_t>(); ++i) {
      if (g_mode == "dies" && i == 699) {
        send({{"event", "fault"},
              {"fault", "oob-read"},
              {"key", "dies/oob-read/fake_kernel"},
              {"message", "one element behind x"},
              {"executions", i - first + 1}});
        _exit(77);
      }
      add(static_cast<double>(i) / 1000, i % 2 ? "normal" : "iota");
    }
  }
  json j{{"executions", n}, {"keys", json::object()}, {"records", to_json(t, true)}};
  if (q.at("cmd") != "calibrate") return j;
  const bool tight = q.contains("c0") && q["c0"] == 2 && q["lam"] == 0.5 && q["kap"] == 2;
  j["row"] = {{"name", "fake." + q.at("dtype").get<std::string>()}, {"c", 1.0}, {"table_version", tight ? 100 : 3}};
  if (g_mode != "value")
    j["evidence"] = {{"max_ratio", g_mode == "old_row" ? 0.1 : 0.3}, {"table_version", g_mode == "old_row" ? 2 : 3}};
  j["worst"] = {
      {"ratio", largest},
      {"case", 7},
      {"summary", "fake fp32 rows=1 cols=3"},
      {"text", "op: fake\n"},
      {"confirmed", true},
      {"element", {{"tensor", "y"}, {"at", {0, 2}}, {"got", 1.5}, {"reference", 1.0}, {"lo", 0.9}, {"hi", "inf"}}}};
  return j;
}

// Of a kernel in two files; an input whose name ends in "ends" ends the process.
json lines(const json& q) {
  if (g_mode == "untold") return {{"measured", false}, {"why", "this backend counts no lines"}};
  const json& paths = q.at("paths");
  for (std::size_t i = 0; i < paths.size(); ++i)
    if (paths[i].get<std::string>().ends_with("ends")) {
      send({{"event", "fault"}, {"fault", "oob-read"}, {"key", "k"}, {"message", "m"}, {"executions", i + 1}});
      _exit(77);
    }
  return {{"measured", true},
          {"cases", paths.size()},
          {"files",
           {{{"file", "/k/fake.cu"},
             {"lines", 28},
             {"reached", 24},
             {"reached_lines", json::array({json::array({1, 56})})},
             {"not_reached", {{57, 57}, {61, 63}}}},
            {{"file", "/k/<b>.cuh"},
             {"lines", 15},
             {"reached", 15},
             {"reached_lines", json::array({json::array({1, 15})})},
             {"not_reached", json::array()}}}}};
}

json answer(const json& q) {
  const std::string cmd = q.at("cmd");
  const std::string bytes = q.value("bytes", "");
  if (cmd == "describe") {
    return {
        {"target", g_mode},
        {"op", "fake"},
        {"backend", "cpu"},
        {"compiler", "none"},
        {"table_version", 1},
        {"narrowings", {"cols at most 64"}},
        {"dialects", "fast"},
        {"dtypes", {"fp32", "fp16"}},
        {"dims",
         {{{"name", "rows"}, {"min", 1}, {"max", 100}, {"multiple_of", 1}, {"derived", false}},
          {{"name", "cols"}, {"min", 4}, {"max", 64}, {"multiple_of", 4}, {"derived", false}}}},
        {"tensors",
         {{{"name", "x"}, {"role", "in"}, {"optional", false}}, {{"name", "y"}, {"role", "out"}, {"optional", false}}}},
        {"scalars", json::array()},
        {"flags", json::array()}};
  }
  if (cmd == "encode") return parse(q.at("text"));
  if (cmd == "decode") {
    const Case c = decode(bytes);
    return {{"bytes", to_hex(encode(c))}, {"text", text_of(c)}, {"summary", summary(c)}};
  }
  if (cmd == "run") return run(decode(bytes), q.value("save", ""));
  if (cmd == "lines") return lines(q);
  if (cmd == "replay") return replay(q.at("path"));
  if (cmd == "tensors") return tensors(q);
  if (cmd == "shrink") return shrink(decode(bytes), q.value("save", ""));
  if (cmd == "candidates") {
    json list = json::array();
    for (const Case& c : candidates(decode(bytes))) list.push_back(to_hex(encode(c)));
    return {{"candidates", list}};
  }
  if (cmd == "random") {
    if (g_mode == "oob") return run({1, 3}, "");
    return {{"executions", 17},    {"keys", {{g_mode + "/value", 1}}},
            {"first_finding", 17}, {"unspecified", {{"overflow", 0.25}}},
            {"drift", 2},          {"max_ratio", 0.5}};
  }
  if (cmd == "stats" || cmd == "calibrate") return sweep(q);
  if (cmd == "profile") {
    json list = json::array();
    for (const json& item : q.at("cases")) {
      list.push_back({{"summary", summary(decode(item.get<std::string>()))},
                      {"decode", 1000},
                      {"fill", 2000},
                      {"kernel", 10000},
                      {"reference", 3000},
                      {"judge", 500},
                      {"rest", 1500},
                      {"total", 18000}});
    }
    return {{"profile", list}};
  }
  // The fake's op has one check that certifies everything and others that see what is wrong.
  if (cmd == "peer") {
    const std::string oracle = q.at("oracle"), dtype = q.at("dtype");
    if (g_mode == "oob" && oracle == "geak") return run({1, 3}, "");
    if (oracle == "robust-kbench" && dtype != "fp32") return {{"verdict", "no rule"}, {"detail", "none in " + dtype}};
    const bool wrong = oracle == "tritonbench" || (g_mode != "clean" && oracle != "kernelbench");
    return {{"oracle", oracle},
            {"verdict", g_mode == "babble" ? "maybe"
                        : wrong            ? "fail"
                                           : "pass"},
            {"trials", 5},
            {"narrowed", 0},
            {"detail", wrong ? "trial 1: y[0] = 1, reference 2" : ""}};
  }
  if (cmd == "adversarial") {
    return {{"cases", q.at("cases")},
            {"judged", 40},
            {"ours", g_mode == "sticky" ? 1 : 0},
            {"first", ""},
            {"oracles", {{{"oracle", "illusion-paper"}, {"judged", 40}, {"flagged", 30}, {"flagged_finite", 10}}}}};
  }
  return {{"error", "unknown cmd '" + cmd + "'"}};
}

}  // namespace

void save_finding(const std::string& path, int cols) { write_wfz(path, finding_of({1, cols})); }

int main(int argc, char** argv) {
  const std::string program = argv[0];
  g_mode = program.substr(program.rfind('/') + 1).substr(5);
  if (argc > 2) return fake_campaign(g_mode, argc, argv);
  if (g_mode == "refuses")
    return std::cerr << "fuzz_refuses: where(\"colls\"): softmax has no dim of that name" << std::endl, 83;
  if (g_mode == "garbage") return std::cout << "hello\x1b[31m\n" << std::endl, 0;
  if (g_mode == "silent") return 0;
  send({{"event", "hello"},
        {"protocol", g_mode == "old" ? 0 : 1},
        {"target", g_mode},
        {"op", "fake"},
        {"backend", "cpu"},
        {"engine", "replay"}});
  for (std::string line; std::getline(std::cin, line);) {
    const json q = json::parse(line);
    if (g_mode == "babble" && q.at("cmd") == "describe") std::cout << "not json" << std::endl;
    send(answer(q));
  }
}
