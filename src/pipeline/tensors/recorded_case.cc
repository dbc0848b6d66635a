// What a finding records of a case's tensors, and a run of today beside it.
#include "pipeline/tensors/recorded_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "numeric/hash.h"
#include "numeric/round.h"
#include "pipeline/tensors/case_tensors.h"
#include "schema/role_names.h"

namespace warpfuzz {
namespace {

TensorSnapshot snapshot(const Target& target, const CaseResult& r, int tensor, int call, std::vector<std::byte> data) {
  const TensorLayout layout = tensor_layout(target.schema(), r.test_case, tensor);
  TensorSnapshot s;
  s.name = target.schema().tensors[static_cast<std::size_t>(tensor)].name;
  s.role = name_of(target.schema().tensors[static_cast<std::size_t>(tensor)].role);
  s.dtype = layout.dtype;
  s.shape = layout.shape;
  s.data = std::move(data);
  s.hash = hash_bytes(s.data.data(), s.data.size());
  s.tensor = tensor;
  s.call = call;
  return s;
}

}  // namespace

void snapshot_tensors(const Target& target, const CaseResult& r, Finding& f) {
  for (std::size_t call = 0; call < r.inputs.size(); ++call)
    for (std::size_t k = 0; k < r.inputs[call].values.size(); ++k) {
      const std::vector<float>& values = r.inputs[call].values[k];
      if (values.empty()) continue;
      const DType t = tensor_dtype(target.schema(), r.test_case, static_cast<int>(k));
      f.inputs.push_back(snapshot(target, r, static_cast<int>(k), static_cast<int>(call), bits_of_values(t, values)));
    }
  for (std::size_t call = 0; call < r.outputs.size(); ++call)
    for (std::size_t k = 0; k < r.outputs[call].tensors.size(); ++k)
      if (!r.outputs[call].tensors[k].empty() && target.schema().tensors[k].role != Role::workspace)
        f.outputs.push_back(
            snapshot(target, r, static_cast<int>(k), static_cast<int>(call), r.outputs[call].tensors[k]));
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
    calls[static_cast<std::size_t>(t.call)].values[static_cast<std::size_t>(k)] = values_of_bits(t.dtype, t.data);
  }
  for (std::size_t call = 0; call < calls.size(); ++call)
    for (std::size_t k = 0; k < s.tensors.size(); ++k) {
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
  snapshot_tensors(target, now, f);
  c.inputs_identical = f.inputs.size() == recorded.inputs.size();
  for (std::size_t i = 0; c.inputs_identical && i < f.inputs.size(); ++i)
    c.inputs_identical = f.inputs[i].hash == recorded.inputs[i].hash;
  for (std::size_t i = 0; i < std::min(f.outputs.size(), recorded.outputs.size()); ++i) {
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
    for (std::size_t k = 0; k < call.tensors.size(); ++k) {
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
