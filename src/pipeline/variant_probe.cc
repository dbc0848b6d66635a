#include "pipeline/variant_probe.h"

#include <cmath>

#include "findings/variant.h"
#include "numeric/hash.h"
#include "schema/codec/wire.h"
#include "schema/fill/fill.h"

namespace warpfuzz {
namespace {

constexpr int kReplacements = 4;

float ordinary_instead(int way, float x, std::size_t element) {
  const float sign = std::signbit(x) && !std::isnan(x) ? -1.0f : 1.0f;
  switch (way) {
    case 0: return sign;
    case 1: return std::isnan(x) ? 3.0f : sign * (std::fabs(x) < 1 ? 0x1p-10f : 10000.0f);
    case 2: return 0.0f;
    default: return sign * (0.5f + 0.1f * static_cast<float>(mix64(element) % 16));
  }
}

// False where there is nothing to replace.
bool replace_specials(const Target& target, const TestCase& c, int way, std::vector<CallInput>& calls) {
  bool any = false;
  for (CallInput& call : calls)
    for (std::size_t k = 0; k < call.values.size(); ++k) {
      const DType t = tensor_dtype(target.schema(), c, static_cast<int>(k));
      for (std::size_t i = 0; i < call.values[k].size(); ++i) {
        float& x = call.values[k][i];
        if (is_ordinary(t, x)) continue;
        any = true;
        x = ordinary_instead(way, x, i);
      }
    }
  return any;
}

RunSettings base_run_alone() {
  RunSettings settings;
  settings.extra_run_one_in = settings.checked_run_one_in = 0;
  settings.describe = false;
  return settings;
}

// The recipe without what gives special values: at first rates and overrides, then fills of wide range as well, then all that
// is not plain.
TestCase without_specials(const Target& target, const TestCase& c, int step) {
  const Schema& s = target.schema();
  TestCase plain = c;
  for (std::size_t k = 0; k < s.tensors.size(); ++k) {
    TensorRecipe& r = plain.tensors[k];
    if (!r.present) continue;
    r.rate = 0;
    if (step > 0) r.fill = fill_byte(Fill::normal), r.amp = r.param = 0;
  }
  if (step > 1) plain.overrides.clear();
  std::erase_if(plain.overrides, [&](const Override& o) {
    if (!(o.value & wire::kSpecial) || o.tensor >= s.tensors.size()) return false;
    const DType t = tensor_dtype(s, c, o.tensor);
    return !is_ordinary(t, special_value((o.value & wire::kMagnitude) % kSpecialCount, t));
  });
  repair(s, plain);
  return plain;
}

}  // namespace

bool has_ordinary_inputs(const Target& target, const CaseResult& r) {
  for (const CallInput& call : r.inputs)
    for (std::size_t k = 0; k < call.values.size(); ++k) {
      const DType t = tensor_dtype(target.schema(), r.test_case, static_cast<int>(k));
      for (const float x : call.values[k])
        if (!is_ordinary(t, x)) return false;
    }
  return true;
}

std::string find_variant(const Target& target, Backend& backend, const CaseResult& r) {
  if (!has_variants(r.fault)) return {};
  for (int way = 0; way < kReplacements; ++way) {
    std::vector<CallInput> calls = r.inputs;
    if (!replace_specials(target, r.test_case, way, calls)) return kOrdinary;
    RunSettings settings = base_run_alone();
    settings.inputs = &calls;
    if (run_case(target, backend, r.test_case, settings).fault == r.fault) return kOrdinary;
  }
  return kSpecial;
}

CaseResult ordinary_form(const Target& target, Backend& backend, const CaseResult& r) {
  if (!has_variants(r.fault) || has_ordinary_inputs(target, r)) return r;
  for (int step = 0; step < 3; ++step) {
    const TestCase plain = without_specials(target, r.test_case, step);
    RunSettings settings = base_run_alone();
    settings.describe = true;
    settings.keep = Keep::findings;
    CaseResult now = run_case(target, backend, plain, settings);
    if (now.fault == r.fault && has_ordinary_inputs(target, now)) return now;
  }
  return r;
}

VariantKeeper::VariantKeeper(const Target& target, Backend& backend, const CaseResult& start)
    : target_(target),
      backend_(backend),
      variant_(find_variant(target, backend, start)),
      ordinary_inputs_(has_ordinary_inputs(target, start)) {}

bool VariantKeeper::keeps(const CaseResult& candidate) const {
  if (variant_.empty()) return true;
  if (ordinary_inputs_) return has_ordinary_inputs(target_, candidate);
  return find_variant(target_, backend_, candidate) == variant_;
}

}  // namespace warpfuzz
