// Finding <-> JSON header. Short names and no default values: a small finding must stay below 2 KiB.
#include "findings/finding_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "findings/error_json.h"
#include "findings/json_fields.h"

namespace warpfuzz {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxTensorEntries = 64, kMaxRank = 8, kMaxAttributes = 64;

// ---- writing ----

void put(json& j, const char* key, const std::string& s) {
  if (!s.empty()) j[key] = s;
}
template <class T>
void put_integer(json& j, const char* key, T v) {
  if (v != T{}) j[key] = v;
}
void put_number(json& j, const char* key, double x) {
  if (!(x == 0) || std::signbit(x)) j[key] = number_to_json(x);
}
template <class Array>
void put_array(json& j, const char* key, const Array& a) {
  std::size_t used = std::size(a);
  while (used && a[used - 1] == 0) --used;  // trailing zeros are implied
  if (!used) return;
  json& list = j[key] = json::array();
  for (std::size_t i = 0; i < used; ++i) list.push_back(a[i]);
}

json place_to_json(const Place& p) {
  json j = json::object();
  put(j, "k", p.kernel);
  put_array(j, "b", p.block);
  put_array(j, "t", p.thread);
  put(j, "f", p.file);
  put_integer(j, "l", p.line);
  return j;
}

json worst_to_json(const WrongElement& w) {
  json j = json::object();
  j["t"] = w.tensor;
  put_integer(j, "e", w.element);
  if (!w.at.empty()) j["at"] = w.at;
  put_number(j, "y", w.got);
  put_number(j, "r", w.reference);
  put_number(j, "lo", w.lo);
  put_number(j, "hi", w.hi);
  put_number(j, "x", w.ratio);
  put_integer(j, "ulp", w.ulps);
  if (w.got_bits_are_poison) j["poison"] = true;
  return j;
}

json verdict_to_json(const Verdict& v) {
  json j = json::object();
  if (v.fault != FaultClass::none) j["f"] = fault_name(v.fault);
  if (v.suspect) j["suspect"] = true;
  put_integer(j, "n", v.total);
  put_integer(j, "bad", v.wrong);
  put_integer(j, "tight", v.beyond_tight);
  put_integer(j, "eq", v.exact);
  put_array(j, "any", v.unspecified);
  put_integer(j, "nr", v.nan_expected);
  put_integer(j, "ny", v.nan_got);
  put_integer(j, "ir", v.inf_expected);
  put_integer(j, "iy", v.inf_got);
  put_integer(j, "zero", v.zero);
  put_integer(j, "sub", v.subnormal);
  put_number(j, "x", v.max_ratio);
  if (v.worst.tensor >= 0) j["w"] = worst_to_json(v.worst);
  put(j, "kind", v.kind);
  put_number(j, "cr", v.const_ratio);
  put(j, "loc", v.location);
  if (!v.shape_class.empty()) j["sc"] = v.shape_class;
  return j;
}

json tensors_to_json(const std::vector<TensorSnapshot>& tensors, bool keep) {
  json list = json::array();
  for (const TensorSnapshot& t : tensors) {
    json j = json::object();
    put(j, "n", t.name);
    put(j, "r", t.role);
    j["d"] = dtype_name(t.dtype);
    if (!t.shape.empty()) j["s"] = t.shape;
    if (keep) put_integer(j, "len", t.data.size());
    if (t.hash) j["h"] = fmt::format("{:016x}", t.hash);
    if (t.tensor >= 0) j["i"] = t.tensor;
    put_integer(j, "c", t.call);
    list.push_back(std::move(j));
  }
  return list;
}

// ---- reading ----

void read_fault(Fields& in, const char* key, FaultClass& out) {
  std::string name;
  in.text(key, name);
  if (name.empty()) return;
  const std::optional<FaultClass> fault = fault_from_name(name);
  if (!fault) return in.fail(key, fmt::format("'{}' is no fault class that this build knows", name));
  out = *fault;
}

template <std::size_t N, class T>
void read_array(Fields& in, const char* key, T* out) {
  std::vector<T> list;
  in.integers(key, list, N);
  std::copy(list.begin(), list.end(), out);
}

void read_place(const json& j, std::string& error, Place& p) {
  Fields in(j, "place", error);
  in.text("k", p.kernel);
  read_array<3>(in, "b", p.block);
  read_array<3>(in, "t", p.thread);
  in.text("f", p.file);
  in.integer("l", p.line);
}

void read_worst(const json& j, std::string& error, WrongElement& w) {
  Fields in(j, "v.w", error);
  in.integer("t", w.tensor);
  in.integer("e", w.element);
  in.integers("at", w.at, kMaxRank);
  in.number("y", w.got);
  in.number("r", w.reference);
  in.number("lo", w.lo);
  in.number("hi", w.hi);
  in.number("x", w.ratio);
  in.integer("ulp", w.ulps);
  in.flag("poison", w.got_bits_are_poison);
  in.flag("eq", w.exact);
}

void read_verdict(const json& j, std::string& error, Verdict& v) {
  Fields in(j, "v", error);
  read_fault(in, "f", v.fault);
  in.flag("suspect", v.suspect);
  in.integer("n", v.total);
  in.integer("bad", v.wrong);
  in.integer("tight", v.beyond_tight);
  in.integer("eq", v.exact);
  read_array<kReasonCount>(in, "any", v.unspecified.data());
  in.integer("nr", v.nan_expected);
  in.integer("ny", v.nan_got);
  in.integer("ir", v.inf_expected);
  in.integer("iy", v.inf_got);
  in.integer("zero", v.zero);
  in.integer("sub", v.subnormal);
  in.number("x", v.max_ratio);
  if (const json* w = in.object("w")) read_worst(*w, error, v.worst);
  in.text("kind", v.kind);
  in.number("cr", v.const_ratio);
  in.text("loc", v.location);
  in.texts("sc", v.shape_class, kMaxRank);
}

void read_tensor(const json& j, const std::string& name, std::string& error, TensorSnapshot& t, std::size_t& length) {
  Fields in(j, name, error);
  in.text("n", t.name);
  in.text("r", t.role);
  std::string dtype;
  in.text("d", dtype);
  const std::optional<DType> known = dtype_from_name(dtype);
  if (!known) return in.fail("d", fmt::format("'{}' is no element type", dtype));
  t.dtype = *known;
  in.integers("s", t.shape, kMaxRank);
  in.integer("len", length);
  in.hash("h", t.hash);
  in.integer("i", t.tensor);
  in.integer("c", t.call);

  std::uint64_t bytes = dtype_size(t.dtype);
  bool overflow = false;
  for (const std::uint32_t d : t.shape) overflow = overflow || __builtin_mul_overflow(bytes, std::uint64_t{d}, &bytes);
  if (overflow || bytes > (std::uint64_t{1} << 48)) return in.fail("s", "the shape has more elements than any tensor");
  if (length && length != bytes) {
    in.fail("len", fmt::format("the shape needs {} bytes, the header claims {}", bytes, length));
  }
}

void read_tensors(Fields& in, const char* key, std::string& error, std::vector<TensorSnapshot>& out,
                  std::vector<std::size_t>& lengths) {
  const json* list = in.array(key, kMaxTensorEntries);
  if (!list) return;
  for (const json& item : *list) {
    const std::string name = fmt::format("{}[{}]", key, out.size());
    if (!item.is_object()) return in.fail(key, "expected a list of objects");
    read_tensor(item, name, error, out.emplace_back(), lengths.emplace_back(0));
    if (!error.empty()) return;
  }
}

void read_attributes(const json& j, std::string& error, std::map<std::string, std::string>& out) {
  Fields in(j, "attr", error);
  if (j.size() > kMaxAttributes) {
    if (error.empty())
      error = fmt::format("field 'attr': expected at most {} entries, got {}", kMaxAttributes, j.size());
    return;
  }
  for (const auto& [key, value] : j.items()) in.text(key.c_str(), out[printable(key, false)]);
}

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
  json j = json::object();
  put(j, "target", f.target);
  put(j, "op", f.op);
  put(j, "backend", f.backend);
  j["fault"] = fault_name(f.fault);
  if (json p = place_to_json(f.place); !p.empty()) j["place"] = std::move(p);
  put(j, "msg", f.message);
  put(j, "text", f.text);
  put(j, "sum", f.summary);
  if (json v = verdict_to_json(f.verdict); !v.empty()) j["v"] = std::move(v);
  if (!f.attributes.empty()) j["attr"] = f.attributes;
  put(j, "allow", f.allowance);
  if (f.errors.counts.elements) j["err"] = to_json(f.errors);
  put_integer(j, "tv", f.table_version);
  put(j, "cc", f.compiler);
  put(j, "dev", f.device);
  put(j, "at", f.created);
  put_integer(j, "runs", f.executions);
  put_integer(j, "seed", f.seed);
  put_integer(j, "case", f.bytes.size());
  if (!f.inputs.empty()) j["in"] = tensors_to_json(f.inputs, keep_inputs);
  if (!f.outputs.empty()) j["out"] = tensors_to_json(f.outputs, keep_outputs);
  return j;
}

std::string from_json(const json& header, Finding& f, BlobLengths& lengths) {
  if (!header.is_object()) return "the header is no JSON object";
  std::string error;
  Fields in(header, "", error);
  in.text("target", f.target);
  in.text("op", f.op);
  in.text("backend", f.backend);
  read_fault(in, "fault", f.fault);
  if (const json* p = in.object("place")) read_place(*p, error, f.place);
  in.text("msg", f.message);
  in.text("text", f.text, true);
  in.text("sum", f.summary);
  if (const json* v = in.object("v")) read_verdict(*v, error, f.verdict);
  if (const json* a = in.object("attr")) read_attributes(*a, error, f.attributes);
  in.text("allow", f.allowance);
  if (const json* e = in.object("err"))
    if (const std::string wrong = from_json(*e, "err", f.errors); error.empty()) error = wrong;
  in.integer("tv", f.table_version);
  in.text("cc", f.compiler);
  in.text("dev", f.device);
  in.text("at", f.created);
  in.integer("runs", f.executions);
  in.integer("seed", f.seed);
  in.integer("case", lengths.case_bytes);
  read_tensors(in, "in", error, f.inputs, lengths.inputs);
  read_tensors(in, "out", error, f.outputs, lengths.outputs);
  if (!plain_name(f.target)) in.fail("target", "expected the name of a target: letters, digits, '_', '-' and '.'");
  return error;
}

}  // namespace warpfuzz
