// Messages about other tools' checks of a target.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fields/form.h"
#include "base/fields/names.h"

namespace warpfuzz {

enum class PeerVerdict : std::uint8_t { no_rule, pass, fail };
inline constexpr NameTable<PeerVerdict, 3> kPeerVerdictNames{
    "verdict", {{PeerVerdict::pass, "pass"}, {PeerVerdict::fail, "fail"}, {PeerVerdict::no_rule, "no rule"}}};
constexpr const auto& names_of(PeerVerdict) { return kPeerVerdictNames; }

struct PeerResult {
  std::string oracle, dtype;
  PeerVerdict verdict = PeerVerdict::no_rule;
  std::uint64_t trials = 0;
  std::optional<std::uint64_t> narrowed;
  std::string detail;
};
template <class V, MaybeConst<PeerResult> R>
void fields(V& v, R& r) {
  v("oracle", r.oracle, "name of the check");
  v("dtype", r.dtype, "dtype combination");
  v("verdict", r.verdict, "");
  v("trials", r.trials, "trials that ran");
  v("narrowed", r.narrowed, "where it ran: shapes brought into the target's limits");
  v("detail", r.detail, "the first failing trial and element, or why there is no rule");
}

struct PeerRequest {
  static constexpr const char* kCommand = "peer";
  using Answer = PeerResult;
  std::string oracle;
  std::uint64_t seed = 0;
  std::optional<std::string> dtype;
};
template <class V, MaybeConst<PeerRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v("oracle", q.oracle, "name of a check (`src/peers/peers.h`)");
  v("seed", q.seed, "of its random inputs");
  v("dtype", q.dtype, "dtype combination; the first where absent");
}

struct PeerAlarms {
  std::string oracle;
  std::uint64_t judged = 0, flagged = 0, flagged_finite = 0;
};
template <class V, MaybeConst<PeerAlarms> A>
void fields(V& v, A& a) {
  v("oracle", a.oracle, "name of a check");
  v("judged", a.judged, "cases that it has a rule for");
  v("flagged", a.flagged, "of them: it rejects an element");
  v("flagged_finite", a.flagged_finite, "of them: one whose output and reference are finite");
}

struct Adversarial {
  std::uint64_t cases = 0, judged = 0, ours = 0;
  std::string first;
  std::vector<PeerAlarms> oracles;
};
template <class V, MaybeConst<Adversarial> A>
void fields(V& v, A& a) {
  v("cases", a.cases, "cases that were run");
  v("judged", a.judged, "cases with an element that has one right value");
  v("ours", a.ours, "findings");
  v("first", a.first, "the first of them");
  v("oracles", a.oracles, "");
}

struct AdversarialRequest {
  static constexpr const char* kCommand = "adversarial";
  using Answer = Adversarial;
  std::uint64_t cases = 0, seed = 0;
  std::optional<std::string> dtype;
};
template <class V, MaybeConst<AdversarialRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v("cases", q.cases, "so many random cases");
  v("seed", q.seed, "of this seed");
  v("dtype", q.dtype, "of this dtype combination alone");
}

}  // namespace warpfuzz
