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

#include "base/fields/json_reader.h"
#include "base/fields/json_writer.h"
#include "findings/finding.h"
#include "numeric/hash.h"
#include "protocol/messages.h"

namespace {

using namespace warpfuzz;
using nlohmann::json;

std::string g_mode;
int g_runs = 0;  // of this process

struct Case {
  int rows = 1, cols = 1;
};

template <class A>
void send(const A& answer) {
  std::cout << to_message(answer).dump() << std::endl;
}

// A request that cannot be answered.
struct Refused {
  std::string error;
};

Case decode(const Bytes& bytes) {
  const auto byte = [&](std::size_t i) { return i < bytes.size() ? int{bytes[i]} : 0; };
  return {std::max(byte(1), 1), std::max(byte(2), 1)};
}
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

RunResult run(const Case& c, const std::optional<std::string>& save = {}) {
  ++g_runs;
  if (g_mode == "hang") std::this_thread::sleep_for(std::chrono::hours(1));
  if (g_mode == "abort") std::abort();
  if (g_mode == "chatty") std::cerr << std::string(1 << 20, 'x') << std::endl;  // kernels print
  const Finding f = finding_of(c);
  const bool kills = f.fault == FaultClass::oob_read || f.fault == FaultClass::oob_write;
  std::string save_error;
  if (save && f.fault != FaultClass::none && g_mode != "oob") save_error = write_wfz(*save, f);
  if (kills) {
    send(FaultMessage{f.fault, bucket_key(f), f.message, f.summary, report(f, ""), f.place, {}, {}});
    std::cerr << "==1==ERROR: AddressSanitizer: heap-buffer-overflow" << std::endl;
    _exit(77);
  }
  RunResult r;
  r.fault = f.fault;
  r.message = f.message;
  r.summary = f.summary;
  r.attributes = f.attributes;
  r.wrong = 1;
  r.total = 3;
  r.output_hash = 1;
  if (!save_error.empty()) r.save_error = save_error;
  if (f.fault == FaultClass::none) return r;
  r.key = bucket_key(f);
  r.report = report(f, "");
  return r;
}

std::vector<Case> candidates(const Case& c) {
  std::vector<Case> list;
  if (c.rows > 1) list.push_back({c.rows / 2, c.cols}), list.push_back({c.rows - 1, c.cols});
  if (c.cols > 1) list.push_back({c.rows, c.cols / 2}), list.push_back({c.rows, c.cols - 1});
  return list;
}

ShrinkResult shrink(const ShrinkRequest& q) {
  Case c = decode(q.bytes.value());
  std::uint64_t attempts = 0;
  const FaultClass fault = fault_of(c);
  for (bool again = true; again;) {
    again = false;
    for (const Case& candidate : candidates(c)) {
      ++attempts;
      if (run(candidate).fault != fault) continue;
      c = candidate;
      again = true;
      break;
    }
  }
  return {run(c, q.save), encode(c), text_of(c), attempts, true};
}

Bytes file_at(const std::string& path) {
  Result<Bytes> file = read_file(path);
  if (!file) throw Refused{file.line()};
  return *std::move(file);
}

ReplayResult replay(const ReplayRequest& q) {
  const Bytes file = file_at(q.path);
  if (q.path.ends_with(".case")) {
    const bool value = std::string(file.begin(), file.end()).find("expect: value") != std::string::npos;
    return {run({1, 3}), encode({1, 3}), value ? "value" : "pass", {}, {}};
  }
  if (!is_wfz(file)) return {run(decode(file)), file, "", {}, {}};
  const Finding f = from_wfz(file).value();
  ReplayResult r{run(decode(f.bytes)), f.bytes, "", Recorded{}, {}};
  r.recorded->key = bucket_key(f);
  r.recorded->same_key = r.result.key == r.recorded->key;
  r.recorded->inputs_identical = r.recorded->from_tensors = true;
  r.recorded->different_outputs = 1;
  r.recorded->total_outputs = 3;
  return r;
}

// Of cases of one row: x and y, y allowed to be 1 everywhere.
CaseTensors tensors(const TensorsRequest& q) {
  const Bytes file = file_at(q.path.value());
  const Case c = decode(is_wfz(file) ? from_wfz(file)->bytes : file);
  const bool runs = q.run.value_or(true);
  const auto cols = static_cast<std::uint64_t>(c.cols);
  CaseTensors t;
  if (runs) t.result = run(c);
  t.op = "fake";
  t.summary = summary(c);
  t.text = text_of(c);
  t.dims = {{"cols", static_cast<std::uint32_t>(c.cols)}};
  for (const auto& [name, role] : {std::pair("x", Role::in), std::pair("y", Role::out)})
    t.tensors.push_back({name,
                         role,
                         DType::f32,
                         true,
                         {cols},
                         {1},
                         0,
                         cols,
                         cols,
                         {Bytes{0xd0, 0xff, 0xd0, 0xff}, Bytes{0xe8, 0x7f, 0xe8, 0x7f}},
                         {Bytes{0xd3, 0xff, 0xd3, 0xff}, Bytes{0x53, 0x7b, 0x53, 0x7b}}});
  Bytes ones, reference;
  for (int i = 0; i < c.cols; ++i) {
    ones.insert(ones.end(), {0, 0, 0x80, 0x3f});
    reference.insert(reference.end(), {0, 0, 0, 0, 0, 0, 0xf0, 0x3f});
  }
  TensorOutput out{1, ones, ones, Bytes(g_mode == "mixed" ? 0 : cols), reference, {}};
  if (runs) out.got = ones;
  t.calls = {{{{0, ones}}, {out}}};
  return t;
}

Encoded parse(const std::string& text) {
  Case c;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("rows: ")) c.rows = std::stoi(line.substr(6));
    else if (line.starts_with("cols: ")) c.cols = std::stoi(line.substr(6));
    else if (!line.starts_with("op: ") && !line.starts_with("dtype: ") && !line.starts_with("x: ") &&
             !line.starts_with("expect: "))
      throw Refused{"line " + std::to_string(number) + ": unknown key"};
  }
  return {encode(c), text.find("expect: value") == std::string::npos ? "pass" : "value"};
}

// Case i of a sweep has the ratio i / 1000; in mode "dies" case 700 ends the process.
WholeStats sweep(const StatsRequest& q) {
  ErrorTable t;
  std::uint64_t n = 0;
  const auto add = [&](double ratio, const char* fill) {
    ErrorStats& s = t.at({q.dtype.value_or("fp32"), fill});
    ++n, ++s.counts.runs, ++s.counts.elements;
    // What "low" is to "clean": a kernel of lower precision.
    s.counts.failed += g_mode == "low";
    s.ratios.add(ratio), s.ulps.add(1), s.absolute.add(ratio * 1e-6), s.relative.add(1e-7);
  };
  for (const std::string& path : q.paths.value_or(std::vector<std::string>{}))
    add(path.ends_with(".case") ? 0.5 : 0.25, "file");
  const std::uint64_t first = q.first.value_or(0);
  for (std::uint64_t i = first; i < first + q.cases.value_or(0); ++i) {
    if (g_mode == "dies" && i == 699) {
      send(FaultMessage{
          FaultClass::oob_read, "dies/oob-read/fake_kernel", "one element behind x", "", "", {}, i - first + 1, {}});
      _exit(77);
    }
    add(static_cast<double>(i) / 1000, i % 2 ? "normal" : "iota");
  }
  return {n, {}, labelled(t)};
}

CalibrationResult calibrate(const CalibrateRequest& q) {
  CalibrationResult r;
  r.stats = sweep({q.cases, q.seed, q.first, q.dtype, {}, true});
  const bool tight = q.c0 == 2 && q.lam == 0.5 && q.kap == 2;
  r.row.name = "fake." + q.dtype;
  r.row.table_version = tight ? 100 : 3;
  r.backend = "cpu";
  if (g_mode != "value") {
    r.evidence.emplace().max_ratio = g_mode == "old_row" ? 0.1 : 0.3;
    r.evidence->table_version = g_mode == "old_row" ? 2 : 3;
  }
  const double largest = static_cast<double>(q.first.value_or(0) + q.cases - 1) / 1000;
  r.worst = {7,
             largest,
             "fake fp32 rows=1 cols=3",
             "op: fake\n",
             {},
             true,
             CalibratedElement{"y", {0, 2}, 1.5, 1.0, 0.9, std::numeric_limits<double>::infinity()}};
  return r;
}

Description describe() {
  Description d;
  d.target = g_mode;
  d.op = "fake";
  d.backend = "cpu";
  d.compiler = "none";
  d.dialects = "fast";
  d.table_version = 1;
  d.narrowings = {"cols at most 64"};
  d.dtypes = {"fp32", "fp16"};
  d.dims = {{"rows", 1, 100, 1, false}, {"cols", 4, 64, 4, false}};
  d.tensors = {{"x", Role::in, false}, {"y", Role::out, false}};
  return d;
}

RandomTally random_cases() {
  if (g_mode == "oob") run({1, 3});
  RandomTally t;
  t.executions = t.first_finding = 17;
  t.keys = {{g_mode + "/value", 1}};
  t.unspecified = {{"overflow", 0.25}};
  t.drift = 2;
  t.max_ratio = 0.5;
  return t;
}

// The fake's op has one check that certifies everything and others that see what is wrong.
PeerResult peer(const PeerRequest& q) {
  const std::string dtype = q.dtype.value();
  if (g_mode == "oob" && q.oracle == "geak") run({1, 3});
  if (q.oracle == "robust-kbench" && dtype != "fp32")
    return {q.oracle, dtype, PeerVerdict::no_rule, 0, {}, "none in " + dtype};
  const bool wrong = q.oracle == "tritonbench" || (g_mode != "clean" && q.oracle != "kernelbench");
  return {q.oracle, dtype, wrong ? PeerVerdict::fail : PeerVerdict::pass,
          5,        0,     wrong ? "trial 1: y[0] = 1, reference 2" : ""};
}

Adversarial adversarial(const AdversarialRequest& q) {
  return {q.cases, 40, g_mode == "sticky" ? 1u : 0u, "", {{"illusion-paper", 40, 30, 10}}};
}

Candidates candidates_of(const CandidatesRequest& q) {
  Candidates list;
  for (const Case& c : candidates(decode(q.bytes))) list.candidates.push_back(encode(c));
  return list;
}

Profile profile(const ProfileRequest& q) {
  Profile p;
  for (const Bytes& bytes : q.cases)
    p.profile.push_back({summary(decode(bytes)), 1000, 2000, 10000, 3000, 500, 1500, 18000});
  return p;
}

// Of a kernel in two files; an input whose name ends in "ends" ends the process.
LinesReply lines(const LinesRequest& q) {
  if (g_mode == "untold") return {false, "this backend counts no lines", {}, {}};
  const std::vector<std::string>& paths = q.paths.value();
  for (std::size_t i = 0; i < paths.size(); ++i)
    if (paths[i].ends_with("ends")) {
      send(FaultMessage{FaultClass::oob_read, "k", "m", "", "", {}, i + 1, {}});
      _exit(77);
    }
  return {true,
          {},
          paths.size(),
          std::vector<FileLines>{{"/k/fake.cu", 28, 24, {{1, 56}}, {{57, 57}, {61, 63}}},
                                 {"/k/<b>.cuh", 15, 15, {{1, 15}}, {}}}};
}

// Reads the request of a command and writes what `handle` makes of it.
template <class Q, class F>
json handled(const json& request, F handle) {
  Q q;
  if (const std::string wrong = read_message(request, q); !wrong.empty()) throw Refused{wrong};
  return to_message(handle(q));
}

json answer(const json& q) {
  const std::string cmd = q.at("cmd");
  if (cmd == "describe") return to_message(describe());
  if (cmd == "encode") return handled<EncodeRequest>(q, [](const auto& r) { return parse(r.text); });
  if (cmd == "decode")
    return handled<DecodeRequest>(q, [](const auto& r) {
      const Case c = decode(r.bytes);
      return Decoded{encode(c), text_of(c), summary(c)};
    });
  if (cmd == "run") return handled<RunRequest>(q, [](const auto& r) { return run(decode(r.bytes), r.save); });
  if (cmd == "lines") return handled<LinesRequest>(q, lines);
  if (cmd == "replay") return handled<ReplayRequest>(q, replay);
  if (cmd == "tensors") return handled<TensorsRequest>(q, tensors);
  if (cmd == "shrink") return handled<ShrinkRequest>(q, shrink);
  if (cmd == "candidates") return handled<CandidatesRequest>(q, candidates_of);
  if (cmd == "random") return handled<RandomRequest>(q, [](const auto&) { return random_cases(); });
  if (cmd == "stats") return handled<StatsRequest>(q, sweep);
  if (cmd == "calibrate") return handled<CalibrateRequest>(q, calibrate);
  if (cmd == "profile") return handled<ProfileRequest>(q, profile);
  if (cmd == "adversarial") return handled<AdversarialRequest>(q, adversarial);
  if (cmd != "peer") throw Refused{"unknown cmd '" + cmd + "'"};
  json j = handled<PeerRequest>(q, peer);
  if (g_mode == "babble") j["verdict"] = "maybe";
  return j;
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
  send(Hello{g_mode == "old" ? 0 : kProtocol, g_mode, "fake", "cpu", "replay"});
  for (std::string line; std::getline(std::cin, line);) {
    const json q = json::parse(line);
    if (g_mode == "babble" && q.at("cmd") == "describe") std::cout << "not json" << std::endl;
    json reply;
    try {
      reply = answer(q);
    } catch (const Refused& r) { reply = to_message(RequestFailed{r.error}); }
    if (q.contains("id")) reply["id"] = q["id"];
    std::cout << reply.dump() << std::endl;
  }
}
