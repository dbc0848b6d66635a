// Bucket keys, attributes and file names of findings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findings/finding.h"
#include "findings/variant.h"
#include "numeric/hash.h"
#include "ops/op.h"

namespace warpfuzz {

std::string bucket_key(const std::string& target, FaultClass fault, const std::string& kernel) {
  std::string key = target + "/" + std::string(fault_name(fault));
  if (fault_info(fault).has_place && !kernel.empty()) key += "/" + kernel;
  return key;
}

namespace {

std::string shape_attribute(const Verdict& v, const std::vector<std::string>& dims) {
  std::string out;
  for (std::size_t i = 0; i < v.shape_class.size(); ++i) {
    if (i) out += ' ';
    if (i < dims.size()) out += dims[i] + "=";
    out += v.shape_class[i];
  }
  return out;
}

std::string unspecified_attribute(const Verdict& v) {
  std::string out;
  for (int i = 0; i < kReasonCount; ++i) {
    if (!v.unspecified[i]) continue;
    if (!out.empty()) out += ", ";
    out += fmt::format("{} {}", reason_name(static_cast<Reason>(i)), v.unspecified[i]);
  }
  return out;
}

// Log2 bucket of the worst ratio and the fraction wrong: what findings are ranked by.
std::string severity(const Verdict& v) {
  const double ratio = std::max(v.max_ratio, v.worst.ratio);
  std::string bucket = "inf";
  if (std::isfinite(ratio) && !std::isnan(v.worst.ratio)) {
    bucket = ratio > 0 ? fmt::format("2^{}", std::ilogb(ratio)) : "0";
  }
  const double share = v.total ? 100.0 * static_cast<double>(v.wrong) / static_cast<double>(v.total) : 0;
  return fmt::format("{}, {:.3g} % wrong", bucket, share);
}

}  // namespace

std::map<std::string, std::string> attributes_of(FaultClass fault, const Verdict& v, const AttributeContext& c) {
  std::map<std::string, std::string> a;
  const auto put = [&a](const char* name, std::string value) {
    if (!value.empty()) a[name] = std::move(value);
  };
  put("kind", std::string(v.kind == ErrorKind::none ? fault_name(fault) : name_of(v.kind)));
  if (v.kind == ErrorKind::const_ratio) put("ratio", fmt::format("{:.6g}", v.const_ratio));
  put("location", std::string(name_of(v.location)));
  put("dtype", c.dtype);
  put("dialects", c.dialects);
  put("row", c.table_row);
  put("shape", shape_attribute(v, c.dims));
  put("unspecified", unspecified_attribute(v));
  if (v.wrong) put("severity", severity(v));
  if (v.exact) put("exact", fmt::format("{} of {}{}", v.exact, v.total, v.worst.exact ? ", the worst among them" : ""));
  return a;
}

std::uint64_t input_elements(const Finding& f) {
  const auto count = [](const std::vector<TensorSnapshot>& tensors) {
    std::uint64_t sum = 0;
    for (const TensorSnapshot& t : tensors) {
      if (t.call != 0) continue;
      std::uint64_t n = 1;
      for (const std::uint32_t d : t.shape) n *= d;
      sum += n;
    }
    return sum;
  };
  return f.inputs.empty() ? count(f.outputs) : count(f.inputs);
}

std::string wfz_name(const Finding& f) {
  std::string name(fault_name(f.fault));
  if (fault_info(f.fault).has_place && !f.place.kernel.empty()) name += "-" + f.place.kernel;
  if (!f.variant.empty() && f.variant != kOrdinary) name += "-" + f.variant;
  for (char& ch : name) {
    const bool plain = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') || ch == '-';
    if (!plain && ch != '_') ch = '_';
  }
  if (name.size() > 120) name.resize(120);  // template-heavy names; 255 is the limit of most file systems
  return fmt::format("{}-{:08x}.wfz", name, static_cast<std::uint32_t>(hash_bytes(f.bytes.data(), f.bytes.size())));
}

}  // namespace warpfuzz
