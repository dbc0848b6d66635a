// `tensors`: everything about one case that a program without WarpFuzz needs to run and judge it.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/describe_messages.h"
#include "protocol/result_messages.h"

namespace warpfuzz {

template <class T>
struct NamedValue {
  std::string name;
  T value{};
};
template <class T>
inline constexpr bool is_named_value = false;
template <class T>
inline constexpr bool is_named_value<NamedValue<T>> = true;

template <class V, class N>
  requires is_named_value<std::remove_const_t<N>>
void fields(V& v, N& n) {
  v("name", n.name, "");
  v("value", n.value, "");
}

struct CaseTensor {
  std::string name;
  Role role = Role::in;
  DType dtype = DType::f32;
  bool present = true;
  std::vector<std::uint64_t> shape;
  std::vector<std::int64_t> strides;
  std::uint64_t offset = 0, storage = 0, elements = 0;
  std::array<Bytes, 2> poison, padding;
};
template <class V, MaybeConst<CaseTensor> T>
void fields(V& v, T& t) {
  v("name", t.name, "");
  v("role", t.role, "");
  v("dtype", t.dtype, "");
  v("present", t.present, "false: a null pointer in this case");
  v("shape", t.shape, "");
  v("strides", t.strides, "in elements");
  v("offset", t.offset, "elements before the first");
  v("storage", t.storage, "elements of the allocation");
  v("elements", t.elements, "elements of the tensor");
  v("poison", t.poison, "an element's bits that fill an output before a run, in two variants");
  v("padding", t.padding, "and what fills the gaps between rows");
}

struct TensorInput {
  std::size_t tensor = 0;
  Bytes bits;
};
template <class V, MaybeConst<TensorInput> I>
void fields(V& v, I& i) {
  v("tensor", i.tensor, "index among `tensors`");
  v("bits", i.bits, "contents: raw little-endian bits, row-major, as all that follow");
}

struct TensorOutput {
  std::size_t tensor = 0;
  Bytes lo, hi, rules, reference;
  std::optional<Bytes> got;
};
template <class V, MaybeConst<TensorOutput> O>
void fields(V& v, O& o) {
  v("tensor", o.tensor, "index among `tensors`");
  v("lo", o.lo, "smallest value allowed of each element");
  v("hi", o.hi, "largest value allowed");
  v("rules", o.rules, "a byte an element: rules beside the interval ([export](export.md))");
  v("reference", o.reference, "in fp64");
  v("got", o.got, "what the kernel wrote, where it ran");
}

struct TensorCall {
  std::vector<TensorInput> inputs;
  std::vector<TensorOutput> outputs;
};
template <class V, MaybeConst<TensorCall> C>
void fields(V& v, C& c) {
  v("inputs", c.inputs, "");
  v("outputs", c.outputs, "");
}

// Which bound an output is held against. The finding may lie between the two and be confirmed by permutations.
enum class BoundTier : std::uint8_t { tight, every_order };
inline constexpr NameTable<BoundTier, 2> kBoundTierNames{
    "bound", {{BoundTier::tight, "tight"}, {BoundTier::every_order, "every order"}}};
constexpr const auto& names_of(BoundTier) { return kBoundTierNames; }

struct CaseTensors {
  std::optional<RunResult> result;
  std::string op, text, summary;
  Bytes bytes;
  std::string dtype;
  DType in_dtype = DType::f32, out_dtype = DType::f32;
  BoundTier bound = BoundTier::every_order;
  std::string note, expect;
  std::vector<NamedValue<std::uint32_t>> dims;
  std::vector<NamedValue<double>> scalars;
  std::vector<NamedValue<bool>> flags;
  std::vector<CaseTensor> tensors;
  std::vector<TensorCall> calls;
};
template <class V, MaybeConst<CaseTensors> T>
void fields(V& v, T& t) {
  v.merged("fault", t.result);
  v("op", t.op, "the operator");
  v.lines("text", t.text, "the case as a `*.case`");
  v("summary", t.summary, "the case in one line");
  v("bytes", t.bytes, "the case, canonical");
  v("dtype", t.dtype, "dtype combination");
  v("in_dtype", t.in_dtype, "");
  v("out_dtype", t.out_dtype, "");
  v("bound", t.bound, "the bound that `lo` and `hi` come from: for every order of a sum, or the tight one");
  v("note", t.note, "why the tensors of a `.wfz` were not taken; else empty");
  v("expect", t.expect, "what the `expect:` line of a `*.case` says");
  v("dims", t.dims, "");
  v("scalars", t.scalars, "");
  v("flags", t.flags, "");
  v("tensors", t.tensors, "");
  v("calls", t.calls, "the kernel's calls, one or two");
}

struct TensorsRequest {
  static constexpr const char* kCommand = "tensors";
  using Answer = CaseTensors;
  std::optional<std::string> path;
  std::optional<Bytes> bytes;
  std::optional<bool> run;
};
template <class V, MaybeConst<TensorsRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v.path("path", q.path, "a `.wfz`, raw bytes or a `*.case`; either this or `bytes`");
  v("bytes", q.bytes, "a case");
  v("run", q.run, "whether to run it; true where absent");
}

}  // namespace warpfuzz
