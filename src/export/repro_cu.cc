// The text of an exported .cu: header, kernel, launcher, the case as tables, and the fixed parts that run and compare.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "base/shell_text.h"
#include "client/context.h"
#include "export/declarations.h"
#include "export/repro.h"
#include "numeric/round.h"

namespace warpfuzz::cli {
namespace {

constexpr std::size_t kLineWidth = 110, kShownValues = 16, kManyRuns = 100;
constexpr int kHangSeconds = 10, kSlowSeconds = 60;

// Lines as comments: no line of a file may end a comment or continue it.
std::string commented(const std::string& text, const std::string& indent) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    while (!line.empty() && (line.back() == '\\' || line.back() == ' ')) line.pop_back();
    out += fmt::format("//{}{}\n", line.empty() ? "" : indent, line);
    at = end + 1;
  }
  return out;
}

std::uint64_t element(const Bytes& bits, std::size_t i, std::size_t size) {
  std::uint64_t v = 0;
  std::memcpy(&v, &bits[i * size], size);
  return v;
}

// "3f800000*3 40000000", as adjacent string literals where it is long.
std::string packed(const Bytes& bits, std::size_t size) {
  std::string out = "\"", line;
  const std::size_t n = bits.size() / size;
  for (std::size_t i = 0; i < n;) {
    std::size_t same = i + 1;
    const std::uint64_t v = element(bits, i, size);
    while (same < n && element(bits, same, size) == v) ++same;
    if (line.size() > kLineWidth) out += line + "\"\n     \"", line.clear();
    line += fmt::format("{}{:x}", i ? " " : "", v);
    if (same - i > 1) line += fmt::format("*{}", same - i);
    i = same;
  }
  return out + line + "\"";
}

std::string values_comment(const Bytes& bits, DType t) {
  const std::size_t size = dtype_size(t), n = bits.size() / size;
  std::string out;
  for (std::size_t i = 0; i < std::min(n, kShownValues); ++i)
    out += fmt::format(" {:.9g}", load_element(t, &bits[i * size]));
  return out + (n > kShownValues ? " ..." : "");
}

const char* dtype_word(DType t) {
  switch (t) {
    case DType::f32: return "f32";
    case DType::f16: return "f16";
    case DType::bf16: return "bf16";
    case DType::f64: return "f64";
    case DType::i32: return "i32";
    case DType::i64: return "i64";
    case DType::u8: return "u8";
  }
  return "?";
}
const char* cuda_type(DType t) { return t == DType::f16 ? "__half" : t == DType::bf16 ? "__nv_bfloat16" : "float"; }

// What else shows a fault that a plain run may not: GPUs forgive many accesses that are out of bounds.
std::string tool_of(FaultClass f) {
  const std::string_view tool = fault_info(f).tool;
  return tool.empty() ? std::string() : fmt::format("compute-sanitizer --tool {}", tool);
}

std::string title(const Repro& r) { return r.key.empty() ? r.target : r.key; }

std::string header(const Repro& r, const TargetSource& source, const std::string& file) {
  const bool finding = r.fault != FaultClass::none;
  std::string out = fmt::format("// {}: {}\n//\n", file,
                                finding ? "reproduces on a GPU what WarpFuzz found: " + r.key
                                        : "a case of WarpFuzz on which " + r.target + " is right");
  if (finding) out += commented(r.headline, "   finding  ");
  out += commented(r.contents.summary, "   case     ");
  if (finding)
    out += fmt::format("//   run      {}{}\n", step_name(r.step),
                       r.contents.calls.size() > 1 ? "; both calls are made, on the same buffers" : "");
  out += commented(build_command(file), "   build    ");
  if (const std::string tool = tool_of(r.fault); !tool.empty()) out += fmt::format("//   see also {} ./repro\n", tool);
  out +=
      "//\n//   exit code 0  every output is allowed\n"
      "//             1  wrong outputs: reproduced, the first of them are printed\n"
      "//             2  a CUDA error in the launch or the kernel, or a kernel that does not end: reproduced, where that is the finding\n"
      "//             3  no CUDA device, or none that this was built for\n//\n";
  out += fmt::format("// Each output has an interval that a correct kernel cannot leave ({}).\n",
                     r.contents.bound == BoundTier::tight
                         ? "the tight bound: the error is there for other arrangements of the same values too"
                         : "the bound holds for every order of summation");
  out +=
      "// The kernel and the call of it are those of " + source.source.substr(source.source.rfind('/') + 1) + ".\n//\n";
  return out + "// The case as text:\n" + commented(r.contents.text, "   ") + "\n";
}

std::string define_line(const std::string& d) {
  const std::size_t equals = d.find('=');
  return equals == std::string::npos ? fmt::format("#define {} 1\n", d)
                                     : fmt::format("#define {} {}\n", d.substr(0, equals), d.substr(equals + 1));
}

template <class T>
std::string named(const char* type, const char* name, const std::vector<NamedValue<T>>& list) {
  std::string out = fmt::format("const std::vector<Named<{}>> {} = {{", type, name);
  for (std::size_t i = 0; i < list.size(); ++i)
    out += fmt::format("{}{{\"{}\", {}}}", i ? ", " : "", list[i].name, list[i].value);
  return out + "};\n";
}

std::string tensor_tables(const Repro& r) {
  std::string out =
      "// name, role, element type, shape, strides, offset, storage, present, poison, padding\nconst std::vector<Tensor> tensors = {\n";
  for (const CaseTensor& t : r.contents.tensors) {
    const std::size_t size = dtype_size(t.dtype);
    out += fmt::format(
        "    {{\"{}\", Role::{}, DType::{}, {{{}}}, {{{}}}, {}, {}, {}, {{0x{:x}, 0x{:x}}}, {{0x{:x}, 0x{:x}}}}},\n",
        t.name, names_of(t.role).name(t.role), dtype_word(t.dtype), fmt::join(t.shape, ", "),
        fmt::join(t.strides, ", "), t.offset, t.storage, t.present, element(t.poison[0], 0, size),
        element(t.poison[1], 0, size), element(t.padding[0], 0, size), element(t.padding[1], 0, size));
  }
  out += "};\n" + named("int", "dims", r.contents.dims) + named("double", "scalars", r.contents.scalars) +
         named("bool", "flags", r.contents.flags);
  out += "\n// call, tensor, elements as bits\nconst std::vector<Contents> inputs = {\n";
  for (std::size_t call = 0; call < r.contents.calls.size(); ++call)
    for (const TensorInput& in : r.contents.calls[call].inputs) {
      const CaseTensor& t = r.contents.tensors[in.tensor];
      out += fmt::format("    // {}:{}\n    {{{}, {}, {}}},\n", t.name, values_comment(in.bits, t.dtype), call,
                         in.tensor, packed(in.bits, dtype_size(t.dtype)));
    }
  out +=
      "};\n\n// call, tensor, smallest and largest allowed value, rules beside them (0: the interval alone)\nconst std::vector<Allowed> outputs = {\n";
  for (std::size_t call = 0; call < r.contents.calls.size(); ++call)
    for (const TensorOutput& o : r.contents.calls[call].outputs) {
      const CaseTensor& t = r.contents.tensors[o.tensor];
      const std::size_t size = dtype_size(t.dtype);
      out += fmt::format("    // {} from{}\n    // {} to  {}\n    {{{}, {},\n     {},\n     {},\n     {}}},\n", t.name,
                         values_comment(o.lo, t.dtype), t.name, values_comment(o.hi, t.dtype), call, o.tensor,
                         packed(o.lo, size), packed(o.hi, size), packed(o.rules, 1));
    }
  return out + "};\n";
}

}  // namespace

std::string build_command(const std::string& file) {
  return shell_line({"nvcc", "-std=c++20", "-arch=native", file, "-o", "repro"}) + " && ./repro";
}

std::string repro_cu(const Repro& r, const TargetSource& source, const std::string& file) {
  const bool order =
      r.fault == FaultClass::race || r.fault == FaultClass::nondeterministic || r.step == Step::other_order;
  std::string out = header(r, source, file);
  for (const std::string& d : source.defines) out += define_line(d);
  out += source.before;
  out += "\n// ---- for this program: the CUDA and C++ headers that it needs\n";
  for (const char* h : {"cuda_bf16.h", "cuda_fp16.h", "cuda_runtime.h", "algorithm", "chrono", "cmath", "cstdint",
                        "cstdio", "cstdlib", "cstring", "string", "string_view", "vector"})
    out += fmt::format("#include <{}>\n", h);
  out += fmt::format("\nnamespace repro {{\nusing In = {};   // element types of this case\nusing Out = {};\n}}\n",
                     cuda_type(r.contents.in_dtype), cuda_type(r.contents.out_dtype));
  out += kLaunchCuh;
  if (words_of(source.after + source.launcher).contains("warpfuzz"))
    out += "namespace warpfuzz {\nusing repro::DType;\nusing repro::Launch;\n}  // namespace warpfuzz\n";
  out += "\n" + source.after;
  out += fmt::format(
      "\n// ---- how {} is called\nnamespace repro {{\nconst auto launcher = {};\n}}  // namespace repro\n\n", r.target,
      source.launcher);
  out += "// ---- the case\nnamespace repro {\n" + tensor_tables(r) + "}  // namespace repro\n\n";
  out += kJudgeCuh;
  const std::string tool = tool_of(r.fault);
  out += fmt::format(
      "\n// ---- the run\nnamespace repro {{\nconstexpr int kCalls = {}, kRepetitions = {}, kSeconds = {};\n",
      r.contents.calls.size(), order ? kManyRuns : 1, r.fault == FaultClass::hang ? kHangSeconds : kSlowSeconds);
  out += fmt::format(
      "constexpr const char* kTitle = \"{}\";\nconstexpr const char* kHint = \"{}\";\n}}  // namespace repro\n",
      title(r), tool.empty() ? "" : "the GPU may have forgiven it: run this under " + tool);
  out += kRunCuh;
  return out;
}

}  // namespace warpfuzz::cli
