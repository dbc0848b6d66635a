// The report for people: what is wrong in one line, then the evidence, then how to see it again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json_fields.h"
#include "findings/finding.h"
#include "findings/format.h"
#include "findings/variant.h"

namespace warpfuzz {
namespace {

bool has_element(const Finding& f) { return f.verdict.worst.tensor >= 0; }

// The output that the worst element lies in, of the call that failed; null where it was not stored.
const TensorSnapshot* worst_tensor(const Finding& f) {
  const auto run = f.attributes.find("run");
  const int call = run != f.attributes.end() && run->second == "second call" ? 1 : 0;
  for (const TensorSnapshot& t : f.outputs) {
    if (t.tensor == f.verdict.worst.tensor && t.call == call) return &t;
  }
  return f.outputs.size() == 1 ? &f.outputs[0] : nullptr;
}

// "softmax fp16 rows=1 cols=3 x=normal" -> " fp16 rows=1 cols=3": the op's name, fills and overrides are not for the headline.
std::string dtype_and_dims(const Finding& f) {
  std::string out;
  std::size_t begin = 0;
  for (int index = 0; begin < f.summary.size(); ++index) {
    const std::size_t end = std::min(f.summary.find(' ', begin), f.summary.size());
    const std::string word = f.summary.substr(begin, end - begin);
    const std::size_t equals = word.find('=');
    const bool number = equals != std::string::npos && word.find('[') == std::string::npos &&
                        word.find_first_not_of("0123456789", equals + 1) == std::string::npos;
    const bool dtype = index == 1 && equals == std::string::npos;  // behind the op's name
    if (dtype || number) out += " " + word;
    begin = end + 1;
  }
  return out;
}

std::string place_words(ErrorPlace p) {
  switch (p) {
    case ErrorPlace::none:
    case ErrorPlace::single: return "";
    case ErrorPlace::all: return " (all)";
    case ErrorPlace::first: return ", the first";
    case ErrorPlace::rows: return ", in whole rows";
    case ErrorPlace::cols: return ", in whole cols";
    case ErrorPlace::sparse: return ", scattered";
    case ErrorPlace::interior: return ", none at an edge";
    case ErrorPlace::last_row: return ", all in the last row";
    case ErrorPlace::last_col: return ", all in the last col";
    case ErrorPlace::tail_block: return ", all in the tail block";
  }
  return "";
}

std::string wrong_share(const Verdict& v) {
  return v.wrong ? fmt::format("; {} of {} outputs wrong{}", v.wrong, v.total, place_words(v.location)) : "";
}

// " (from shared memory that nobody wrote)" of a NaN that our poison left there.
std::string origin_of(const WrongElement& w) {
  if (w.carries.empty()) return "";
  return w.carries == "padding" ? " (from the padding between the elements of a tensor)"
                                : fmt::format(" (from {} that nobody wrote)", w.carries);
}

std::string real_values(DType t, const WrongElement& w) {
  std::string out =
      fmt::format(" = {}{}, reference {}", format_value(t, w.got), origin_of(w), format_real(w.reference));
  const bool interval = !std::isnan(w.lo) && !std::isnan(w.hi);
  if (std::isnan(w.reference)) out += ": NaN is required";
  else if (w.exact && interval) out += fmt::format(", allowed {} alone", format_value(t, w.lo));
  else if (interval) out += fmt::format(", allowed [{}, {}]", format_value(t, w.lo), format_value(t, w.hi));
  std::string off;
  if (std::isfinite(w.got) && w.ulps > 0 && w.ulps < (std::int64_t{1} << 62)) off = fmt::format("{} ulp", w.ulps);
  if (std::isfinite(w.ratio) && w.ratio > 0 && !w.exact)
    off += fmt::format("{}{:.3g}x the half-width", off.empty() ? "" : ", ", w.ratio);
  return off.empty() ? out : out + ": off by " + off;
}

std::string whole_numbers(DType t, const WrongElement& w) {
  const std::string off = std::isfinite(w.reference) && w.got != w.reference
                              ? ": off by " + format_value(t, std::fabs(w.got - w.reference))
                              : "";
  return fmt::format(" = {}, reference {}{}", format_value(t, w.got), format_value(t, w.reference), off);
}

std::string element_sentence(const Finding& f) {
  const WrongElement& w = f.verdict.worst;
  const TensorSnapshot* tensor = worst_tensor(f);
  const DType t = tensor ? tensor->dtype : DType::f64;
  std::string out =
      fmt::format("{}{}", tensor ? tensor->name : fmt::format("output {}", w.tensor), format_coordinates(w.at));
  if (tensor && tensor->call) out += fmt::format(" of call {}", tensor->call + 1);
  if (f.fault == FaultClass::unwritten || w.got_bits_are_poison) {
    return out + fmt::format(" was never written (it holds the poison), reference {}", format_real(w.reference)) +
           wrong_share(f.verdict);
  }
  out += info(t).floating ? real_values(t, w) : whole_numbers(t, w);
  return out + wrong_share(f.verdict);
}

std::string headline(const Finding& f) {
  std::string out = f.target + dtype_and_dims(f) + ": ";
  const bool output_fault = f.fault == FaultClass::value || f.fault == FaultClass::special ||
                            f.fault == FaultClass::unwritten || f.fault == FaultClass::index;
  if (!f.message.empty() && !(output_fault && has_element(f))) {
    out += f.message;
    if (has_element(f)) out += ": " + element_sentence(f);
  } else {
    out += has_element(f) ? element_sentence(f) : fault_info(f.fault).meaning;
  }
  out += ".";
  return out;
}

class Lines {
 public:
  void add(const char* label, const std::string& value) {
    if (!value.empty()) text_ += fmt::format("  {:<12} {}\n", label, value);
  }
  void block(const char* label, const std::vector<std::string>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) text_ += fmt::format("  {:<12} {}\n", i ? "" : label, lines[i]);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string attribute(const Finding& f, const char* name) {
  const auto it = f.attributes.find(name);
  return it == f.attributes.end() ? "" : it->second;
}

std::string kind_line(const Finding& f) {
  std::string out = attribute(f, "kind");
  if (const std::string ratio = attribute(f, "ratio"); !ratio.empty()) out += fmt::format(" (y/r = {})", ratio);
  if (const std::string l = attribute(f, "location"); !l.empty()) out += ", at: " + l;
  if (const std::string s = attribute(f, "severity"); !s.empty()) out += ", severity " + s;
  return out;
}

std::string table_line(const Finding& f) {
  std::string out = attribute(f, "row");
  if (!out.empty() && f.table_version) out += fmt::format(" (table version {})", f.table_version);
  return out;
}

std::string unspecified_line(const Finding& f) {
  const std::string reasons = attribute(f, "unspecified");
  if (!f.verdict.total) return "";
  if (reasons.empty()) return fmt::format("0 of {}", f.verdict.total);
  std::size_t sum = 0;
  for (const std::size_t n : f.verdict.unspecified) sum += n;
  return fmt::format("{} of {}: {}", sum, f.verdict.total, reasons);
}

// Names that have a line of their own.
bool shown_elsewhere(const std::string& name) {
  for (const char* known :
       {"kind", "ratio", "location", "severity", "row", "unspecified", "exact", "dialects", "shape", "dtype"}) {
    if (name == known) return true;
  }
  return false;
}

std::vector<std::string> all_tensor_lines(const Finding& f) {
  std::vector<std::string> lines;
  const TensorSnapshot* worst = has_element(f) ? worst_tensor(f) : nullptr;
  for (const std::vector<TensorSnapshot>* list : {&f.inputs, &f.outputs}) {
    for (const TensorSnapshot& t : *list) {
      std::vector<std::uint32_t> at;
      // An input axis of the same extent as the output's is taken for the same dim: the row that matters.
      for (std::size_t axis = 0; worst && axis < t.shape.size(); ++axis) {
        const bool same =
            axis < f.verdict.worst.at.size() && axis < worst->shape.size() && t.shape[axis] == worst->shape[axis];
        at.push_back(same ? f.verdict.worst.at[axis] : 0);
      }
      for (std::string& line : tensor_lines(t, at, &t == worst)) lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::string report(const Finding& f, const std::string& replay_command) {
  const std::string key = bucket_key(f);
  Lines out;
  out.add("key", key);
  out.add("fault", fmt::format("{}: {}", fault_name(f.fault), fault_info(f.fault).meaning));
  if (!f.place.kernel.empty()) out.add("place", describe(f.place));
  out.add("variant", variant_meaning(variant_of(f)));
  out.add("case", f.summary);
  out.add("kind", kind_line(f));
  out.add("shape class", attribute(f, "shape"));
  out.add("dialects", attribute(f, "dialects"));
  out.add("tolerance", table_line(f));
  out.add("allowance", f.allowance);
  if (f.errors.counts.elements) out.add("errors", describe(f.errors));
  out.add("unspecified", unspecified_line(f));
  if (const std::string exact = attribute(f, "exact"); !exact.empty())
    out.add("exact", "compared bit for bit: " + exact);
  for (const auto& [name, value] : f.attributes) {
    if (!shown_elsewhere(name)) out.add(name.c_str(), value);
  }
  out.block("tensors", all_tensor_lines(f));
  out.block("as text", split_lines(f.text));
  std::string origin = f.backend;
  for (const std::string& part : {f.device, f.compiler, f.created}) {
    if (!part.empty()) origin += (origin.empty() ? "" : ", ") + part;
  }
  if (f.executions) origin += fmt::format(", execution {}", f.executions);
  if (f.executions && f.seed) origin += fmt::format(" of seed {}", f.seed);  // 0: libFuzzer drew one
  out.add("found", origin);
  out.add("replay", replay_command);
  const std::string head = fmt::format("==WARPFUZZ== ERROR: {}: {}\n", fault_name(f.fault), headline(f));
  return printable(head + out.text() + fmt::format("SUMMARY: WarpFuzz: {}\n", key), true);
}

std::string with_replay(std::string report, const std::string& replay_command) {
  const std::string label = fmt::format("\n  {:<12} ", "replay");
  const std::size_t at = report.rfind(label);
  if (at == std::string::npos) return report;
  const std::size_t begin = at + label.size(), end = report.find('\n', begin);
  return report.replace(begin, end == std::string::npos ? end : end - begin, printable(replay_command, false));
}

}  // namespace warpfuzz
