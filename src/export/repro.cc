// A target's answer to `tensors`, checked: sizes must fit shapes, or what is written from them would be nonsense.
#include "export/repro.h"

#include <fmt/format.h>

namespace warpfuzz::cli {
namespace {

std::string tensor_error(const CaseTensor& t) {
  std::uint64_t product = 1;
  for (const std::uint64_t n : t.shape) product *= n;
  if (t.shape.size() != t.strides.size() || product != t.elements)
    return "field 'shape': does not fit strides and elements";
  for (const auto* pair : {&t.poison, &t.padding})
    for (const Bytes& element : *pair)
      if (element.size() != dtype_size(t.dtype))
        return "field 'poison': expected an element's bytes, in `padding` as well";
  return "";
}

std::string size_error(const char* key, const Bytes& bytes, std::uint64_t expected) {
  return bytes.size() == expected ? ""
                                  : fmt::format("field '{}': expected {} bytes, got {}", key, expected, bytes.size());
}

std::string first_of(std::initializer_list<std::string> errors) {
  for (const std::string& e : errors)
    if (!e.empty()) return e;
  return "";
}

std::string input_error(const CaseTensors& c, const TensorInput& in) {
  if (in.tensor >= c.tensors.size()) return "field 'calls.inputs.tensor': is no index of a tensor";
  const CaseTensor& t = c.tensors[in.tensor];
  return size_error("calls.inputs.bits", in.bits, t.elements * dtype_size(t.dtype));
}

std::string output_error(const CaseTensors& c, const TensorOutput& o) {
  if (o.tensor >= c.tensors.size()) return "field 'calls.outputs.tensor': is no index of a tensor";
  const CaseTensor& t = c.tensors[o.tensor];
  const std::uint64_t size = t.elements * dtype_size(t.dtype);
  return first_of({size_error("calls.outputs.lo", o.lo, size), size_error("calls.outputs.hi", o.hi, size),
                   size_error("calls.outputs.rules", o.rules, t.elements),
                   size_error("calls.outputs.reference", o.reference, t.elements * 8),
                   o.got ? size_error("calls.outputs.got", *o.got, size) : ""});
}

}  // namespace

std::string check_tensors(const CaseTensors& c) {
  if (c.tensors.empty() || c.calls.empty()) return "no tensors or no calls";
  if (c.calls.size() > 2) return fmt::format("field 'calls': expected one or two, got {}", c.calls.size());
  for (std::size_t i = 0; i < c.tensors.size(); ++i)
    if (const std::string e = tensor_error(c.tensors[i]); !e.empty()) return fmt::format("tensor {}: {}", i, e);
  for (const TensorCall& call : c.calls) {
    for (const TensorInput& in : call.inputs)
      if (const std::string e = input_error(c, in); !e.empty()) return e;
    for (const TensorOutput& o : call.outputs)
      if (const std::string e = output_error(c, o); !e.empty()) return e;
  }
  return "";
}

}  // namespace warpfuzz::cli
