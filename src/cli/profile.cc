// `warpfuzz profile`: where the time of an execution goes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "base/text/counted.h"
#include "cli/parser/command.h"
#include "cli/parser/shared_options.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

struct Options {
  std::string target;
  std::vector<std::string> shapes;  // "rows=128,cols=1025"; default: a list by the number of dims
  std::string dtype;
  int repeat = 20;
};

void declare(CLI::App& a, Options& o) {
  a.add_option("TARGET", o.target)->required();
  a.add_option("--shapes", o.shapes,
               "Shapes: 128x1025 or rows=128,cols=1025 (default: a list from 1 element to 128x1025, or 65 cubed)");
  add_dtype(a, o.dtype, "Element type (default: the target's first)");
  a.add_option("--repeat", o.repeat, "Executions of each shape")->check(CLI::Range(1, 1000000));
}

std::vector<DescribedDim> dims_of(const Description& description) {
  std::vector<DescribedDim> dims;
  for (const DescribedDim& d : description.dims) {
    if (d.derived) continue;
    dims.push_back(d);
    dims.back().multiple_of = std::max(d.multiple_of, 1u);
  }
  return dims;
}

// The nearest value that the target takes.
std::uint32_t fit(const DescribedDim& d, std::uint32_t n) {
  n = std::clamp(n, d.min, std::max(d.min, d.max));
  const std::uint32_t down = n - n % d.multiple_of;
  return down >= std::max(d.min, 1u) ? down : std::min<std::uint64_t>(std::uint64_t{down} + d.multiple_of, d.max);
}

// From one element to the largest shapes of the time budget: 128 x 1025 elements, or a product of three dims of 65.
std::vector<std::vector<std::uint32_t>> default_shapes(const std::vector<DescribedDim>& dims) {
  std::vector<std::vector<std::uint32_t>> shapes;
  if (dims.size() <= 1) shapes = {{1}, {1000}, {16384}, {131200}};
  else if (dims.size() == 2) shapes = {{1, 1}, {8, 33}, {32, 257}, {128, 1025}};
  else
    for (const std::uint32_t n : {1u, 8u, 33u, 65u}) {
      shapes.emplace_back(dims.size(), n);
      for (std::size_t i = 3; i < dims.size(); ++i) shapes.back()[i - 3] = 1;  // batches
    }
  for (auto& shape : shapes) {
    shape.resize(dims.size());
    for (std::size_t i = 0; i < dims.size(); ++i) shape[i] = fit(dims[i], shape[i]);
  }
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  return shapes;
}

std::uint32_t parse_extent(const std::string& s, const std::string& shape) {
  std::uint32_t n = 0;
  const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), n);
  if (ec != std::errc() || end != s.data() + s.size())
    throw Failure(kExitUsage, fmt::format("--shapes: '{}': expected a whole number, got '{}'", shape, s));
  return n;
}

// "128x1025" or "rows=128,cols=1025".
std::vector<std::uint32_t> parse_shape(const std::string& text, const std::vector<DescribedDim>& dims) {
  std::vector<std::uint32_t> shape;
  for (const DescribedDim& d : dims) shape.push_back(fit(d, 1));
  const bool named = text.find('=') != std::string::npos;
  std::size_t index = 0;
  for (std::size_t begin = 0; begin <= text.size(); ++index) {
    const std::size_t end = std::min(text.find(named ? ',' : 'x', begin), text.size());
    std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    std::size_t at = index;
    if (named) {
      const std::size_t equals = std::min(part.find('='), part.size());
      const std::string name = part.substr(0, equals);
      at = static_cast<std::size_t>(
          std::find_if(dims.begin(), dims.end(), [&](const DescribedDim& d) { return d.name == name; }) - dims.begin());
      part = part.substr(std::min(equals + 1, part.size()));
    }
    if (at >= dims.size()) {
      std::vector<std::string> names;
      for (const DescribedDim& d : dims) names.push_back(d.name);
      throw Failure(kExitUsage, fmt::format("--shapes: '{}': the target has {}: {}", text, counted(dims.size(), "dim"),
                                            fmt::join(names, ", ")));
    }
    shape[at] = parse_extent(part, text);
  }
  if (!named && index != dims.size())
    throw Failure(kExitUsage, fmt::format("--shapes: '{}': expected {} extents, got {}", text, dims.size(), index));
  return shape;
}

// The shape with normally distributed inputs, as bytes.
Bytes case_bytes(const Context& c, TargetClient& client, const Description& description,
                 const std::vector<DescribedDim>& dims, const std::vector<std::uint32_t>& shape,
                 const std::string& dtype) {
  std::string head = fmt::format("op: {}\n", description.op);
  if (!dtype.empty()) head += fmt::format("dtype: {}\n", dtype);
  for (std::size_t i = 0; i < dims.size(); ++i) head += fmt::format("{}: {}\n", dims[i].name, shape[i]);
  std::string fills;
  int seed = 0;
  for (const DescribedTensor& t : description.tensors)
    if (t.role == Role::in || t.role == Role::inout) fills += fmt::format("{}: normal seed={}\n", t.name, ++seed);
  Reply<Encoded> r = client.ask(EncodeRequest{head + fills}, c.limit(kQuickSeconds));
  // An index tensor has no normal fill: then everything keeps its simplest.
  if (r.exit_code == kExitTargetError) r = client.ask(EncodeRequest{head}, c.limit(kQuickSeconds));
  if (r.exit_code == kExitTargetError) throw Failure(kExitUsage, r.error);
  return must(std::move(r)).bytes;
}

struct Stage {
  const char* name;
  std::uint64_t CaseTimes::* time;
};
constexpr Stage kStages[] = {{"decode", &CaseTimes::decode}, {"fill", &CaseTimes::fill},
                             {"kernel", &CaseTimes::kernel}, {"reference", &CaseTimes::reference},
                             {"judge", &CaseTimes::judge},   {"rest", &CaseTimes::rest},
                             {"total", &CaseTimes::total}};

std::string microseconds(std::uint64_t ns) { return fmt::format("{:.1f}", static_cast<double>(ns) / 1000); }

int run(const Context& c, const Options& o) {
  const std::string target = plain_target(o.target);
  TargetClient client(target_binary(c, target));
  const Description description = must(client.ask(DescribeRequest{}, c.limit(kQuickSeconds)));
  check_dtype(description, o.dtype);
  const std::vector<DescribedDim> dims = dims_of(description);
  std::vector<std::vector<std::uint32_t>> shapes;
  for (const std::string& s : o.shapes) shapes.push_back(parse_shape(s, dims));
  if (shapes.empty()) shapes = default_shapes(dims);
  ProfileRequest request{{}, o.repeat};
  for (const auto& shape : shapes) request.cases.push_back(case_bytes(c, client, description, dims, shape, o.dtype));

  const Profile answer = must(client.ask(request, c.timeout));
  if (c.json) {
    json j = to_message(answer);
    j.update({{"target", target},
              {"backend", description.backend},
              {"compiler", description.compiler},
              {"repeat", o.repeat}});
    print_json(j);
    return kExitOk;
  }
  print(fmt::format("{}, {} backend, microseconds an execution (median of {}); extra runs aside\n", target,
                    description.backend, o.repeat));
  std::vector<std::vector<std::string>> rows{{"CASE"}};
  for (const Stage& stage : kStages) rows[0].push_back(stage.name);
  rows[0].push_back("total/kernel");
  for (const CaseTimes& row : answer.profile) {
    std::vector<std::string> cells{row.summary};
    for (const Stage& stage : kStages) cells.push_back(microseconds(row.*stage.time));
    cells.push_back(row.kernel ? fmt::format("{:.2f}", static_cast<double>(row.total) / static_cast<double>(row.kernel))
                               : "-");
    rows.push_back(std::move(cells));
  }
  print(table(rows, {false, true, true, true, true, true, true, true, true}));
  return kExitOk;
}

}  // namespace

extern const Command kProfile{"profile", "Where the time of an execution goes", declare, run};

}  // namespace warpfuzz::cli
