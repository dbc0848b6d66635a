// Finding <-> JSON header: two visitors of the lists in finding_fields.h. Short names and no default values: a small
// finding must stay below 2 KiB.
#include "findings/finding_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "findings/error_json.h"
#include "findings/finding_fields.h"

namespace warpfuzz {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxTensorEntries = 64, kMaxRank = 8, kMaxAttributes = 64;

class Writer {
 public:
  Writer(bool keep_inputs, bool keep_outputs) : keep_inputs_(keep_inputs), keep_outputs_(keep_outputs) {}

  void operator()(const char* key, const std::string& s) {
    if (!s.empty()) json_[key] = s;
  }
  void lines(const char* key, const std::string& s) { (*this)(key, s); }
  void operator()(const char* key, bool b) {
    if (b) json_[key] = true;
  }
  template <std::integral T>
  void operator()(const char* key, T n, T absent = 0) {
    if (n != absent) json_[key] = n;
  }
  void operator()(const char* key, double x) {
    if (!(x == 0) || std::signbit(x)) json_[key] = number_to_json(x);
  }
  void operator()(const char* key, FaultClass f) {
    if (f != FaultClass::none) json_[key] = fault_name(f);
  }
  void operator()(const char* key, DType t) { json_[key] = dtype_name(t); }
  template <class T, std::size_t N>
  void operator()(const char* key, const T (&a)[N]) {
    fixed(key, std::span<const T>(a));
  }
  template <class T, std::size_t N>
  void operator()(const char* key, const std::array<T, N>& a) {
    fixed(key, std::span<const T>(a));
  }
  template <class T>
  void operator()(const char* key, const std::vector<T>& list) {
    if (!list.empty()) json_[key] = list;
  }
  void operator()(const char* key, const std::map<std::string, std::string>& texts) {
    if (!texts.empty()) json_[key] = texts;
  }
  void operator()(const char* key, const ErrorRecord& r) {
    if (r.counts.elements) json_[key] = to_json(r);
  }
  template <class T>
    requires std::is_class_v<T>
  void operator()(const char* key, const T& part) {
    Writer inside(keep_inputs_, keep_outputs_);
    fields(inside, part);
    if (!inside.json_.empty()) json_[key] = std::move(inside.json_);
  }
  void hash(const char* key, std::uint64_t h) {
    if (h) json_[key] = fmt::format("{:016x}", h);
  }
  template <class Byte>
  void blob(const char* key, const std::vector<Byte>& bytes) {
    if (keep_blob_) (*this)(key, bytes.size());
  }
  void tensors(const char* key, const std::vector<TensorSnapshot>& list) {
    if (list.empty()) return;
    json& out = json_[key] = json::array();
    for (const TensorSnapshot& t : list) {
      Writer inside(keep_inputs_, keep_outputs_);
      inside.keep_blob_ = std::string_view(key) == "in" ? keep_inputs_ : keep_outputs_;
      fields(inside, t);
      out.push_back(std::move(inside.json_));
    }
  }

  json take() { return std::move(json_); }

 private:
  // Trailing zeros are implied.
  template <class T>
  void fixed(const char* key, std::span<const T> a) {
    while (!a.empty() && a.back() == 0) a = a.first(a.size() - 1);
    if (!a.empty()) json_[key] = std::vector<T>(a.begin(), a.end());
  }

  json json_ = json::object();
  bool keep_inputs_, keep_outputs_, keep_blob_ = true;
};

class Reader {
 public:
  // `lengths`: of the blobs, in the order in which they are met.
  Reader(const json& j, const std::string& name, std::string& error, std::vector<std::size_t>& lengths)
      : in_(j, name, error), error_(error), lengths_(lengths) {}

  void operator()(const char* key, std::string& s) { in_.text(key, s); }
  void lines(const char* key, std::string& s) { in_.text(key, s, true); }
  void operator()(const char* key, bool& b) { in_.flag(key, b); }
  template <std::integral T>
  void operator()(const char* key, T& n, T absent = 0) {
    n = absent;
    in_.integer(key, n);
  }
  void operator()(const char* key, double& x) { in_.number(key, x); }
  void operator()(const char* key, FaultClass& out) {
    std::string name;
    in_.text(key, name);
    if (name.empty()) return;
    const std::optional<FaultClass> fault = fault_from_name(name);
    if (!fault) return in_.fail(key, fmt::format("'{}' is no fault class that this build knows", name));
    out = *fault;
  }
  void operator()(const char* key, DType& out) {
    std::string name;
    in_.text(key, name);
    const std::optional<DType> known = dtype_from_name(name);
    if (!known) return in_.fail(key, fmt::format("'{}' is no element type", name));
    out = *known;
  }
  template <class T, std::size_t N>
  void operator()(const char* key, T (&a)[N]) {
    fixed(key, std::span<T>(a));
  }
  template <class T, std::size_t N>
  void operator()(const char* key, std::array<T, N>& a) {
    fixed(key, std::span<T>(a));
  }
  void operator()(const char* key, std::vector<std::uint32_t>& list) { in_.integers(key, list, kMaxRank); }
  void operator()(const char* key, std::vector<std::string>& list) { in_.texts(key, list, kMaxRank); }
  void operator()(const char* key, std::map<std::string, std::string>& out) {
    const json* j = in_.object(key);
    if (!j) return;
    if (j->size() > kMaxAttributes)
      return in_.fail(key, fmt::format("expected at most {} entries, got {}", kMaxAttributes, j->size()));
    Fields entries(*j, in_.path(key), error_);
    for (const auto& [name, value] : j->items()) entries.text(name.c_str(), out[printable(name, false)]);
  }
  void operator()(const char* key, ErrorRecord& r) {
    const json* j = in_.object(key);
    if (!j) return;
    if (const std::string wrong = from_json(*j, in_.path(key), r); error_.empty()) error_ = wrong;
  }
  template <class T>
    requires std::is_class_v<T>
  void operator()(const char* key, T& part) {
    const json* j = in_.object(key);
    if (!j) return;
    Reader inside(*j, in_.path(key), error_, lengths_);
    fields(inside, part);
  }
  void hash(const char* key, std::uint64_t& h) { in_.hash(key, h); }
  template <class Byte>
  void blob(const char* key, std::vector<Byte>&) {
    in_.integer(key, lengths_.emplace_back(0));
  }
  void tensors(const char* key, std::vector<TensorSnapshot>& out) {
    const json* list = in_.array(key, kMaxTensorEntries);
    if (!list) return;
    for (const json& item : *list) {
      if (!item.is_object()) return in_.fail(key, "expected a list of objects");
      Reader inside(item, fmt::format("{}[{}]", in_.path(key), out.size()), error_, lengths_);
      fields(inside, out.emplace_back());
      inside.check_size(out.back());
      if (!error_.empty()) return;
    }
  }

 private:
  template <class T>
  void fixed(const char* key, std::span<T> out) {
    std::vector<T> list;
    in_.integers(key, list, out.size());
    std::copy(list.begin(), list.end(), out.begin());
  }
  // The length that a tensor claims must be what its shape needs.
  void check_size(const TensorSnapshot& t) {
    if (!error_.empty()) return;
    std::uint64_t bytes = dtype_size(t.dtype);
    bool overflow = false;
    for (const std::uint32_t d : t.shape)
      overflow = overflow || __builtin_mul_overflow(bytes, std::uint64_t{d}, &bytes);
    if (overflow || bytes > (std::uint64_t{1} << 48))
      return in_.fail("s", "the shape has more elements than any tensor");
    const std::size_t length = lengths_.back();
    if (length && length != bytes)
      in_.fail("len", fmt::format("the shape needs {} bytes, the header claims {}", bytes, length));
  }

  Fields in_;
  std::string& error_;
  std::vector<std::size_t>& lengths_;
};

// Target names become file names: nothing in them may leave a folder.
bool plain_name(const std::string& s) {
  if (s.empty() || s.size() > 128 || s[0] == '.' || s[0] == '-') return false;
  for (const char c : s) {
    const bool ok =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    if (!ok) return false;
  }
  return true;
}

}  // namespace

json to_json(const Finding& f, bool keep_inputs, bool keep_outputs) {
  Writer writer(keep_inputs, keep_outputs);
  fields(writer, f);
  return writer.take();
}

std::string from_json(const json& header, Finding& f, BlobLengths& lengths) {
  if (!header.is_object()) return "the header is no JSON object";
  std::string error;
  std::vector<std::size_t> met;  // the case, then a length for each tensor
  Reader reader(header, "", error, met);
  fields(reader, f);
  if (!plain_name(f.target)) {
    Fields(header, "", error).fail("target", "expected the name of a target: letters, digits, '_', '-' and '.'");
  }
  if (!error.empty()) return error;
  const auto tensors = met.begin() + 1, outputs = tensors + static_cast<std::ptrdiff_t>(f.inputs.size());
  lengths.case_bytes = met.front();
  lengths.inputs.assign(tensors, outputs);
  lengths.outputs.assign(outputs, met.end());
  return "";
}

}  // namespace warpfuzz
