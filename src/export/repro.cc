// A target's answer to `tensors`, checked: sizes must fit shapes, or what is written from them would be nonsense.
#include "export/repro.h"

#include <fmt/format.h>

#include "base/hex.h"
#include "base/json_fields.h"

namespace warpfuzz::cli {
namespace {

using nlohmann::json;

constexpr std::size_t kMany = 1024;

class Reader {
 public:
  explicit Reader(std::string& error) : error_(error) {}

  // Hexadecimal text of `bytes` bytes.
  void bits(Fields& in, const char* key, std::uint64_t bytes, Bytes& out) {
    std::string text;
    in.text(key, text);
    std::optional<Bytes> read = from_hex(text);
    if (!read || read->size() != bytes)
      return in.fail(key, fmt::format("expected {} bytes as hexadecimal text", bytes));
    out = std::move(*read);
  }
  void dtype(Fields& in, const char* key, DType& out) {
    std::string name;
    in.text(key, name);
    const std::optional<DType> t = dtype_from_name(name);
    if (!t) return in.fail(key, "expected the name of an element type");
    out = *t;
  }
  void numbers(const json& answer, const char* key, std::vector<NamedNumber>& out) {
    Fields all(answer, "", error_);
    const json* list = all.array(key, kMany);
    if (!list) return;
    for (const json& item : *list) {
      NamedNumber n;
      Fields in(item, key, error_);
      in.text("name", n.name);
      if (in.has("value") && item["value"].is_boolean()) n.value = item["value"].get<bool>();
      else in.number("value", n.value);
      out.push_back(n);
    }
  }
  void tensor(const json& item, ReproTensor& t) {
    Fields in(item, "tensors", error_);
    in.text("name", t.name);
    in.text("role", t.role);
    dtype(in, "dtype", t.dtype);
    in.flag("present", t.present);
    in.integers("shape", t.shape, 16);
    std::vector<std::uint64_t> strides;
    in.integers("strides", strides, 16);
    t.strides.assign(strides.begin(), strides.end());
    in.integer("offset", t.offset);
    in.integer("storage", t.storage);
    in.integer("elements", t.elements);
    std::uint64_t product = 1;
    for (const std::uint64_t n : t.shape) product *= n;
    if (t.shape.size() != t.strides.size() || product != t.elements)
      in.fail("shape", "does not fit strides and elements");
    for (const auto& [key, to] : {std::pair("poison", t.poison), std::pair("padding", t.padding)}) {
      std::vector<std::string> texts;
      in.texts(key, texts, 2);
      for (std::size_t i = 0; i < 2; ++i) {
        const std::optional<Bytes> read = i < texts.size() ? from_hex(texts[i]) : std::nullopt;
        if (!read || read->size() != dtype_size(t.dtype))
          return in.fail(key, "expected two elements as hexadecimal text");
        to[i] = *read;
      }
    }
  }
  void call(const json& item, const Repro& r, ReproCall& call) {
    Fields in(item, "calls", error_);
    if (const json* list = in.array("inputs", kMany)) {
      for (const json& x : *list) {
        ReproInput input;
        Fields f(x, "calls.inputs", error_);
        if (!index(f, r, input.tensor)) return;
        const ReproTensor& t = r.tensors[input.tensor];
        bits(f, "bits", t.elements * dtype_size(t.dtype), input.bits);
        call.inputs.push_back(std::move(input));
      }
    }
    if (const json* list = in.array("outputs", kMany)) {
      for (const json& x : *list) {
        ReproOutput output;
        Fields f(x, "calls.outputs", error_);
        if (!index(f, r, output.tensor)) return;
        const ReproTensor& t = r.tensors[output.tensor];
        const std::uint64_t size = t.elements * dtype_size(t.dtype);
        bits(f, "lo", size, output.lo);
        bits(f, "hi", size, output.hi);
        bits(f, "rules", t.elements, output.rules);
        bits(f, "reference", t.elements * 8, output.reference);
        if (f.has("got")) bits(f, "got", size, output.got);
        call.outputs.push_back(std::move(output));
      }
    }
  }

 private:
  bool index(Fields& in, const Repro& r, std::size_t& tensor) {
    in.integer("tensor", tensor);
    if (tensor >= r.tensors.size()) in.fail("tensor", "is no index of a tensor");
    return tensor < r.tensors.size();
  }
  std::string& error_;
};

}  // namespace

std::string read_repro(const json& answer, Repro& out) {
  std::string error;
  Fields in(answer, "", error);
  Reader reader(error);
  in.text("summary", out.summary);
  in.text("text", out.text, true);
  in.text("bound", out.bound);
  in.text("step", out.step);
  reader.dtype(in, "in_dtype", out.in_dtype);
  reader.dtype(in, "out_dtype", out.out_dtype);
  reader.numbers(answer, "dims", out.dims);
  reader.numbers(answer, "scalars", out.scalars);
  reader.numbers(answer, "flags", out.flags);
  if (const json* list = in.array("tensors", kMany))
    for (const json& item : *list) reader.tensor(item, out.tensors.emplace_back());
  if (const json* list = in.array("calls", 2); list && error.empty())
    for (const json& item : *list) reader.call(item, out, out.calls.emplace_back());
  if (error.empty() && (out.tensors.empty() || out.calls.empty())) error = "no tensors or no calls";
  return error;
}

}  // namespace warpfuzz::cli
