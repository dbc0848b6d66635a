#include "pipeline/build_finding.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "findings/format.h"
#include "numeric/hash.h"
#include "numeric/round.h"

namespace warpfuzz {
namespace {

const char* role_name(Role r) {
  switch (r) {
    case Role::in: return "in";
    case Role::out: return "out";
    case Role::inout: return "inout";
    case Role::workspace: return "workspace";
  }
  return "?";
}

TensorSnapshot snapshot(const Target& target, const CaseResult& r, int tensor, int call, std::vector<std::byte> data) {
  const TensorLayout layout = tensor_layout(target.schema(), r.test_case, tensor);
  TensorSnapshot s;
  s.name = target.schema().tensors[static_cast<std::size_t>(tensor)].name;
  s.role = role_name(target.schema().tensors[static_cast<std::size_t>(tensor)].role);
  s.dtype = layout.dtype;
  s.shape = layout.shape;
  s.data = std::move(data);
  s.hash = hash_bytes(s.data.data(), s.data.size());
  s.tensor = tensor;
  s.call = call;
  return s;
}

std::vector<std::byte> stored(DType t, const std::vector<float>& values) {
  std::vector<std::byte> raw(values.size() * dtype_size(t));
  if (info(t).floating && dtype_size(t) <= 4) {
    store_floats(t, raw.data(), values.size(), values.data());
  } else {
    for (std::size_t i = 0; i < values.size(); i++) store_element(t, &raw[i * dtype_size(t)], values[i]);
  }
  return raw;
}

void add_tensors(const Target& target, const CaseResult& r, Finding& f) {
  for (std::size_t call = 0; call < r.inputs.size(); call++)
    for (std::size_t k = 0; k < r.inputs[call].values.size(); k++) {
      const std::vector<float>& values = r.inputs[call].values[k];
      if (values.empty()) continue;
      const DType t = tensor_dtype(target.schema(), r.test_case, static_cast<int>(k));
      f.inputs.push_back(snapshot(target, r, static_cast<int>(k), static_cast<int>(call), stored(t, values)));
    }
  for (std::size_t call = 0; call < r.outputs.size(); call++)
    for (std::size_t k = 0; k < r.outputs[call].tensors.size(); k++)
      if (!r.outputs[call].tensors[k].empty() && target.schema().tensors[k].role != Role::workspace)
        f.outputs.push_back(
            snapshot(target, r, static_cast<int>(k), static_cast<int>(call), r.outputs[call].tensors[k]));
}

// "accumulation 62 %, exp 30 %": the parts of the allowance of the worst element.
std::string allowance_of(const Target& target, const CaseResult& r) {
  const WrongElement& worst = r.verdict.worst;
  if (worst.tensor < 0 || static_cast<std::size_t>(r.failing_call) >= r.inputs.size()) return {};
  Explanation explanation{worst.tensor, worst.element, {}};
  run_reference(target, r.test_case, r.inputs[static_cast<std::size_t>(r.failing_call)], &explanation);
  double total = 0;
  for (const auto& part : explanation.parts) total += part.second;
  std::string text;
  for (const auto& [name, value] : explanation.parts) {
    if (!(total > 0) || !(value >= 0.005 * total)) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {:.0f} %", name, 100 * value / total);
  }
  return text;
}

std::vector<std::string> dim_names_of_tensor(const Target& target, int tensor) {
  std::vector<std::string> names;
  if (tensor < 0) return names;
  for (int d : target.schema().tensors[static_cast<std::size_t>(tensor)].shape)
    names.push_back(d < 0 ? fmt::format("{}", -d) : target.schema().dims[static_cast<std::size_t>(d)].name);
  return names;
}

bool judged(FaultClass f) {
  return f == FaultClass::value || f == FaultClass::special || f == FaultClass::unwritten || f == FaultClass::index;
}

}  // namespace

Finding build_finding(const Target& target, const Backend& backend, const CaseResult& r) {
  const Schema& s = target.schema();
  const DTypeCombo& combo = s.dtypes[r.test_case.dtype];
  Finding f;
  f.target = target.name;
  f.op = s.op;
  f.backend = backend.name();
  f.fault = r.fault;
  f.place = r.place;
  f.message = r.message;
  f.bytes = r.bytes;
  f.text = to_text(s, r.test_case, fault_name(r.fault));
  f.summary = summary(s, r.test_case);
  f.verdict = r.verdict;
  f.attributes = attributes_of(
      r.fault, r.verdict,
      {combo.name, describe(target.spec.dialects()), tolerance_row(s.op, combo.out, target.spec.dialects()).name,
       dim_names_of_tensor(target, r.verdict.worst.tensor)});
  f.attributes["run"] = step_name(r.step);
  if (r.status.leaked_bytes)
    f.attributes["leaked"] = fmt::format("{} bytes allocated by the launcher", r.status.leaked_bytes);
  if (judged(r.fault)) f.allowance = allowance_of(target, r);
  if (r.fault != FaultClass::none) f.errors = summarise(errors_of(target, r));
  add_tensors(target, r, f);
  f.table_version = tolerance_table_version();
  f.compiler = backend.compiler();
  f.device = backend.device();
  f.created = utc_now("%Y-%m-%dT%H:%M:%SZ");
  return f;
}

Finding build_finding(const Target& target, const Backend& backend, std::span<const std::uint8_t> bytes,
                      const ExecStatus& status) {
  CaseResult r;
  r.test_case = decode(target.schema(), bytes);
  r.bytes = encode(target.schema(), r.test_case);
  r.fault = status.fault;
  r.place = status.place;
  r.message = status.message;
  r.status = status;
  fill_inputs(target.schema(), r.test_case, r.inputs);  // of every call: a replay asks for all of them, whichever died
  return build_finding(target, backend, r);
}

std::vector<CallInput> inputs_of(const Target& target, const TestCase& c, const Finding& f, std::string& error) {
  const Schema& s = target.schema();
  if (f.inputs.empty()) {
    error = "the reproducer holds no tensors";
    return {};
  }
  std::vector<CallInput> calls(c.call_count());
  for (CallInput& call : calls) call.values.resize(s.tensors.size());
  for (const TensorSnapshot& t : f.inputs) {
    const int k = s.tensor_index(t.name);
    if (k < 0 || t.call < 0 || static_cast<std::size_t>(t.call) >= calls.size()) {
      error = fmt::format("the reproducer's tensor '{}' is not one of op {}", t.name, s.op);
      return {};
    }
    const TensorLayout layout = tensor_layout(s, c, k);
    if (layout.shape != t.shape || layout.dtype != t.dtype || t.data.size() != layout.elements * dtype_size(t.dtype)) {
      error =
          fmt::format("the reproducer's tensor '{}' has another shape or dtype than its case now decodes to", t.name);
      return {};
    }
    std::vector<float>& values = calls[static_cast<std::size_t>(t.call)].values[static_cast<std::size_t>(k)];
    values.resize(layout.elements);
    if (info(t.dtype).floating && dtype_size(t.dtype) <= 4) {
      load_floats(t.dtype, t.data.data(), values.size(), values.data());
    } else {
      for (std::size_t i = 0; i < values.size(); i++)
        values[i] = static_cast<float>(load_element(t.dtype, &t.data[i * dtype_size(t.dtype)]));
    }
  }
  for (std::size_t call = 0; call < calls.size(); call++)
    for (std::size_t k = 0; k < s.tensors.size(); k++) {
      const bool read = s.tensors[k].role == Role::in || s.tensors[k].role == Role::inout;
      if (!read || !c.tensors[k].present || !calls[call].values[k].empty() ||
          !tensor_layout(s, c, static_cast<int>(k)).elements)
        continue;
      error = fmt::format("the reproducer lacks tensor '{}' of call {}", s.tensors[k].name, call + 1);
      return {};
    }
  return calls;
}

Comparison compare_replay(const Target& target, const CaseResult& now, const Finding& recorded) {
  Comparison c;
  Finding f;
  add_tensors(target, now, f);
  c.inputs_identical = f.inputs.size() == recorded.inputs.size();
  for (std::size_t i = 0; c.inputs_identical && i < f.inputs.size(); i++)
    c.inputs_identical = f.inputs[i].hash == recorded.inputs[i].hash;
  for (std::size_t i = 0; i < std::min(f.outputs.size(), recorded.outputs.size()); i++) {
    const TensorSnapshot &a = f.outputs[i], &b = recorded.outputs[i];
    const std::size_t n = a.data.size() / dtype_size(a.dtype);
    c.total_outputs += n;
    if (b.data.size() != a.data.size()) {  // not kept, or of another shape: the hashes tell
      if (a.hash != b.hash) c.different_outputs += n;
      continue;
    }
    c.different_outputs += count_differences(a.dtype, a.data, b.data);
  }
  return c;
}

std::uint64_t output_hash(const Target& target, const CaseResult& r) {
  std::uint64_t h = 0;
  for (const CallOutput& call : r.outputs)
    for (std::size_t k = 0; k < call.tensors.size(); k++) {
      const std::vector<std::byte>& raw = call.tensors[k];
      if (raw.empty() || target.schema().tensors[k].role == Role::workspace) continue;
      const DType t = tensor_dtype(target.schema(), r.test_case, static_cast<int>(k));
      const std::size_t size = dtype_size(t);
      for (std::size_t i = 0; i < raw.size(); i += size) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &raw[i], size);
        if (info(t).floating && std::isnan(load_element(t, &raw[i]))) bits = 0x7ff8dead;
        h = hash_combine(h, bits);
      }
    }
  return h;
}

}  // namespace warpfuzz
