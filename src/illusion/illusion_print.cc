// The table of `warpfuzz illusion` as text, as the page docs/measured/illusion.md, and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "illusion/illusion.h"
#include "peers/peer_plan.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;
using Lines = std::vector<std::vector<std::string>>;

std::string head_of(std::string_view oracle) {
  static constexpr std::pair<std::string_view, const char*> kHeads[] = {{"kernelbench", "KernelBench"},
                                                                        {"kernelbench-v0", "KB v0"},
                                                                        {"tritonbench", "TritonBench"},
                                                                        {"geak", "GEAK"},
                                                                        {"geak-runner", "GEAK runner"},
                                                                        {"robust-kbench", "robust-kbench"},
                                                                        {"flashinfer-bench", "FlashInfer"},
                                                                        {"backendbench", "BackendBench"},
                                                                        {"assert_close", "assert_close"},
                                                                        {"illusion-paper", "the paper"},
                                                                        {kOurs, "WarpFuzz"}};
  for (const auto& [name, head] : kHeads)
    if (name == oracle) return head;
  return std::string(oracle);
}

std::string markdown(const Lines& rows) {
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += fmt::format("| {} |\n", fmt::join(rows[i], " | "));
    if (i == 0) {
      out += "|";
      for (std::size_t k = 0; k < rows[0].size(); ++k) out += "---|";
      out += "\n";
    }
  }
  return out;
}

// Rows of one dtype, a kernel a line. What is wrong (a certified bug, a rejected correct kernel) stands out.
Lines verdict_table(const Illusion& i, const std::string& dtype, bool bold) {
  Lines lines{{"kernel"}};
  for (const auto& [oracle, head] : illusion_columns()) lines[0].push_back(head);
  std::string kernel, list;
  for (const IllusionRow& row : i.rows) {
    if (row.dtype != dtype) continue;
    if (row.kernel != kernel) {
      kernel = row.kernel;
      lines.push_back({kernel});
    }
    std::string cell = row.wrong()              ? fmt::format(fmt::runtime(bold ? "**{}**" : "{}!"), row.verdict)
                       : row.verdict == kNoRule ? "-"
                                                : row.verdict;
    if (row.oracle == kOurs && row.verdict == kFail) cell += fmt::format(" @{}", row.executions);
    lines.back().push_back(cell);
  }
  return lines;
}

std::string share(int part, int whole) { return whole ? fmt::format("{} of {}", part, whole) : "-"; }

// A line an oracle, a column a dtype.
template <class Cell>
Lines by_dtype(const Illusion& i, const char* head, Cell cell) {
  Lines lines{{head}};
  lines[0].insert(lines[0].end(), i.dtypes.begin(), i.dtypes.end());
  for (const auto& [oracle, name] : illusion_columns()) {
    lines.push_back({name});
    for (const std::string& dtype : i.dtypes) lines.back().push_back(cell(oracle, dtype));
  }
  return lines;
}

Lines summary_table(const Illusion& i) {
  return by_dtype(i, "oracle", [&](const std::string& oracle, const std::string& dtype) -> std::string {
    const IllusionCount n = i.count(oracle, dtype);
    if (n.planted + n.subtle + n.controls == 0) return "-";
    return fmt::format("{}; {}; {}", share(n.planted_certified, n.planted), share(n.subtle_certified, n.subtle),
                       share(n.controls_rejected, n.controls));
  });
}
constexpr const char* kSummaryCells = "planted bugs certified; subtle bugs certified; correct kernels rejected";

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

Lines alarm_table(const Illusion& i) {
  Lines lines = by_dtype(i, "tolerance", [&](const std::string& oracle, const std::string& dtype) -> std::string {
    const auto at = std::find_if(i.alarms.begin(), i.alarms.end(),
                                 [&](const AlarmRow& a) { return a.oracle == oracle && a.dtype == dtype; });
    if (at == i.alarms.end() || at->cases == 0) return "-";
    if (oracle == kOurs) return percent(at->flagged, at->cases);
    return fmt::format("{} ({})", percent(at->flagged, at->cases), percent(at->flagged_finite, at->cases));
  });
  std::erase_if(
      lines, [](const std::vector<std::string>& line) { return line[0] == head_of("tritonbench"); });  // no tolerance
  lines.push_back({"cases"});
  for (const std::string& dtype : i.dtypes) {
    std::uint64_t cases = 0;
    for (const AlarmRow& a : i.alarms)
      if (a.dtype == dtype && a.oracle == kOurs) cases += a.cases;
    lines.back().push_back(std::to_string(cases));
  }
  return lines;
}

std::string shape_text(const PeerFamily& family, const PeerPlan& p) {
  std::vector<std::string> shapes;
  for (const PeerShape& s : p.shapes)
    shapes.push_back(
        fmt::format("{}", fmt::join(s.begin(), s.begin() + static_cast<std::ptrdiff_t>(family.dims.size()), "x")));
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  return fmt::format("{}", fmt::join(shapes, ", "));
}

std::string draw_text(const PeerDraw& d) {
  switch (d.kind) {
    case PeerDraw::Kind::uniform: return fmt::format("uniform [{}, {})", d.low, d.high);
    case PeerDraw::Kind::normal: return "normal";
    case PeerDraw::Kind::constant: return fmt::format("{}", d.low);
    case PeerDraw::Kind::listed: return "the script's values";
    case PeerDraw::Kind::absent: return "none";
  }
  return "";
}

std::vector<std::string> plan_row(const PeerFamily& family, const PeerPlan& p) {
  std::string inputs = draw_text(p.input);
  if (p.gamma.kind != PeerDraw::Kind::absent) inputs += fmt::format("; weight {}", draw_text(p.gamma));
  if (p.beta.kind != PeerDraw::Kind::absent) inputs += fmt::format("; bias {}", draw_text(p.beta));
  return {head_of(p.oracle),
          std::string(family.name),
          std::string(p.original),
          shape_text(family, p),
          p.kept.empty() ? "the same" : std::string(p.kept),
          inputs,
          p.runs > 1 ? fmt::format("{}, run {} times each", p.trials, p.runs) : std::to_string(p.trials)};
}

std::vector<std::string> paper_row(const PeerFamily& family, const PaperSampling& s) {
  return {"the paper",
          s.algorithm.empty() ? std::string(family.name) : fmt::format("{} {}", s.algorithm, family.name),
          axes_text(s),
          "the same",
          family.dims[0] == "rows" ? "at most 128 rows"
          : family.dims[0] == "n"  ? "at most 32768 elements"
                                   : "all",
          "uniform [-10, 10)",
          fmt::format("{} cases", kPaperCases)};
}

Lines shape_table() {
  Lines lines{{"oracle", "op", "shapes there", "shapes here", "what they keep", "inputs", "trials a shape"}};
  for (const PeerOracle& oracle : peer_oracles())
    for (const PeerFamily* family : peer_families())
      if (const PeerPlan* p = family->plan_of(oracle.name)) lines.push_back(plan_row(*family, *p));
  for (const PeerFamily* family : peer_families())
    for (const PaperSampling& s : family->paper) lines.push_back(paper_row(*family, s));
  return lines;
}

std::string command_of(const IllusionOptions& o) {
  std::string s = "warpfuzz illusion";
  for (const std::string& t : o.targets) s += " " + t;
  if (!o.dtype.empty()) s += " --dtype " + o.dtype;
  return s + fmt::format(" --seed {} --runs {} --adversarial {}", o.seed, o.runs, o.adversarial);
}

// Correct kernels that an oracle rejects, with what it saw; the columns of ours say what every bug was found by.
Lines reject_table(const Illusion& i) {
  Lines lines{{"kernel", "dtype", "oracle", "what it rejects"}};
  for (const IllusionRow& row : i.rows)
    if (!row.bug() && row.wrong()) lines.push_back({row.kernel, row.dtype, head_of(row.oracle), row.detail});
  return lines;
}

constexpr const char* kIntroduction =
    "# The correctness illusion, measured\n"
    "\n"
    "What the usual checks of generated kernels certify: every kernel of this repository, judged by each of them and by a campaign of WarpFuzz.\n"
    "No verdict is written by hand; this page is printed by\n"
    "\n"
    "    {} --markdown\n"
    "\n"
    "A check runs by its own rule on its own shapes, inputs and number of trials (the last table says which shape stands for which). All of them\n"
    "compare with a reference of the same precision; ours is the fp64 reference rounded to the dtype, the best such a reference can be, so that a check\n"
    "never rejects because of its reference. TritonBench compares the text that two programs print, 4 digits a number: its reference is another kernel, and many\n"
    "of its scripts print nothing and then pass everything; here each result is printed. The paper's fp16 column serves bf16. WarpFuzz: one campaign from an empty corpus, at most {} executions;\n"
    "`fail @n` is a finding at execution n.\n";

}  // namespace

std::vector<std::pair<std::string, std::string>> illusion_columns() {
  std::vector<std::pair<std::string, std::string>> columns;
  for (const PeerOracle& p : peer_oracles()) columns.emplace_back(p.name, head_of(p.name));
  columns.emplace_back(kOurs, head_of(kOurs));
  return columns;
}

std::string illusion_text(const Illusion& i) {
  std::string out = fmt::format("{}\n\n", command_of(i.options));
  for (const std::string& dtype : i.dtypes)
    out += fmt::format("{} (! = a certified bug, a rejected correct kernel)\n{}\n", dtype,
                       table(verdict_table(i, dtype, false)));
  out += fmt::format("{}\n{}", kSummaryCells, table(summary_table(i)));
  if (!i.alarms.empty())
    out += "\nFalse alarms on random cases of the value mix (by a finite element)\n" + table(alarm_table(i));
  for (const IllusionRow& row : i.rows)
    if (row.oracle == kOurs && row.wrong()) out += fmt::format("\nwrong: {} {}: {}", row.kernel, row.dtype, row.detail);
  return out + fmt::format("\nWarpFuzz: {}\n", i.good() ? "every bug found, no correct kernel rejected"
                                                        : "a bug was missed or a correct kernel was rejected");
}

std::string illusion_markdown(const Illusion& i) {
  std::string out = fmt::format(fmt::runtime(kIntroduction), command_of(i.options), i.options.runs);
  out += fmt::format("\n## How many bugs each check certifies\n\nIn each cell: {}.\n\n{}", kSummaryCells,
                     markdown(summary_table(i)));
  for (const std::string& dtype : i.dtypes)
    out += fmt::format(
        "\n## {}\n\nBold: a bug that is certified, a correct kernel that is rejected; `-`: the check has no rule.\n\n{}",
        dtype, markdown(verdict_table(i, dtype, true)));
  if (const Lines rejected = reject_table(i); rejected.size() > 1)
    out += "\n## Correct kernels that a check rejects\n\n" + markdown(rejected);
  if (!i.alarms.empty())
    out +=
        "\n## False alarms on adversarial inputs\n\n"
        "The tolerances on uniformly random cases of the value mix (docs/encoding.md), correct kernels only: a case is flagged when an element that has\n"
        "exactly one right value is not accepted; in brackets, by an element that is finite on both sides (most of these checks reject a NaN that the reference\n"
        "has too). WarpFuzz: the share of its findings.\n\n" +
        markdown(alarm_table(i));
  out +=
      "\n## Shapes, inputs and trials\n\n"
      "GEAK has one set of tests and two tolerances. An element of a tensor is independent of the rows that are left out. A shape beyond a kernel's declared\n"
      "limits is brought to the nearest that it takes; the op's own limits, which are a budget of time for campaigns, do not apply here. Causal masks are off.\n\n" +
      markdown(shape_table());
  return out;
}

json illusion_json(const Illusion& i) {
  json rows = json::array(), summary = json::array(), alarms = json::array();
  for (const IllusionRow& r : i.rows)
    rows.push_back({{"kernel", r.kernel},
                    {"list", r.list},
                    {"dtype", r.dtype},
                    {"oracle", r.oracle},
                    {"verdict", r.verdict},
                    {"detail", r.detail}});
  for (const auto& [oracle, head] : illusion_columns())
    for (const std::string& dtype : i.dtypes) {
      const IllusionCount n = i.count(oracle, dtype);
      summary.push_back({{"oracle", oracle},
                         {"dtype", dtype},
                         {"planted", n.planted},
                         {"planted_certified", n.planted_certified},
                         {"subtle", n.subtle},
                         {"subtle_certified", n.subtle_certified},
                         {"controls", n.controls},
                         {"controls_rejected", n.controls_rejected}});
    }
  for (const AlarmRow& a : i.alarms)
    alarms.push_back({{"oracle", a.oracle},
                      {"dtype", a.dtype},
                      {"cases", a.cases},
                      {"flagged", a.flagged},
                      {"flagged_finite", a.flagged_finite}});
  return {{"command", command_of(i.options)},
          {"seed", i.options.seed},
          {"runs", i.options.runs},
          {"rows", rows},
          {"summary", summary},
          {"adversarial", alarms},
          {"good", i.good()}};
}

}  // namespace warpfuzz::cli
