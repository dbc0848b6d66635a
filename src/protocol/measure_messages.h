// Messages about many executions: random cases for statistics, the times of an execution, executions a second.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fields/form.h"
#include "base/fields/names.h"
#include "protocol/error_messages.h"

namespace warpfuzz {

struct RandomTally {
  std::uint64_t executions = 0, first_finding = 0;
  KeyCounts keys;
  std::map<std::string, double> unspecified;
  std::uint64_t wholly_unspecified = 0, exact = 0, elements = 0, drift = 0;
  double max_ratio = 0;
};
template <class V, MaybeConst<RandomTally> T>
void fields(V& v, T& t) {
  v("executions", t.executions, "cases that were run");
  v("first_finding", t.first_finding, "executions up to the first finding; 0 if there is none");
  v("keys", t.keys, "how often each key was found");
  v("unspecified", t.unspecified, "share of the elements on which everything is accepted, by reason");
  v("wholly_unspecified", t.wholly_unspecified, "cases that accept everything in every element");
  v("exact", t.exact, "elements compared bit for bit");
  v("elements", t.elements, "elements judged");
  v("drift", t.drift, "cases of which only the tight bound was left, not confirmed");
  v("max_ratio", t.max_ratio, "largest error / bound");
}

enum class Sampling : std::uint8_t { bytes, paper };
inline constexpr NameTable<Sampling, 2> kSamplingNames{"sampling",
                                                       {{Sampling::bytes, "bytes"}, {Sampling::paper, "paper"}}};
constexpr const auto& names_of(Sampling) { return kSamplingNames; }

struct RandomRequest {
  static constexpr const char* kCommand = "random";
  using Answer = RandomTally;
  std::uint64_t cases = 0, seed = 0;
  std::optional<std::uint64_t> first;
  std::optional<bool> stop;
  std::optional<std::string> dtype;
  std::optional<Sampling> sampling;
};
template <class V, MaybeConst<RandomRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v("cases", q.cases, "so many cases at most");
  v("seed", q.seed, "of this seed");
  v("first", q.first, "number of the first case; 0 where absent");
  v("stop", q.stop, "end at the first finding; true where absent");
  v("dtype", q.dtype, "of this dtype combination alone");
  v("sampling", q.sampling,
    "random bytes where absent; `paper`: dims of \"The Correctness Illusion\", inputs uniform in [-10, 10)");
}

// Nanoseconds of the execution of median total time.
struct CaseTimes {
  std::string summary;
  std::uint64_t decode = 0, fill = 0, kernel = 0, reference = 0, judge = 0, rest = 0, total = 0;
};
template <class V, MaybeConst<CaseTimes> T>
void fields(V& v, T& t) {
  v("summary", t.summary, "the case in one line");
  v("decode", t.decode, "nanoseconds, of the execution of median total time");
  v("fill", t.fill, "the same");
  v("kernel", t.kernel, "the same");
  v("reference", t.reference, "the same");
  v("judge", t.judge, "the same");
  v("rest", t.rest, "the same");
  v("total", t.total, "the same");
}

struct Profile {
  std::vector<CaseTimes> profile;
};
template <class V, MaybeConst<Profile> P>
void fields(V& v, P& p) {
  v("profile", p.profile, "");
}

struct ProfileRequest {
  static constexpr const char* kCommand = "profile";
  using Answer = Profile;
  std::vector<Bytes> cases;
  std::optional<int> repeat;
};
template <class V, MaybeConst<ProfileRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v("cases", q.cases, "cases");
  v("repeat", q.repeat, "executions of each; 5 where absent");
}

struct Rate {
  double rate = 0;
  std::string device;
};
template <class V, MaybeConst<Rate> R>
void fields(V& v, R& r) {
  v("rate", r.rate, "executions a second of this case over and over, without the host's own work");
  v("device", r.device, "");
}

struct RateRequest {
  static constexpr const char* kCommand = "rate";
  using Answer = Rate;
  Bytes bytes;
  std::optional<std::string> build;
  std::optional<double> seconds;
};
template <class V, MaybeConst<RateRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v("bytes", q.bytes, "a case");
  v("build", q.build, "`plain`, `checked` or `bare`: another build of the same target");
  v("seconds", q.seconds, "1 where absent");
}

}  // namespace warpfuzz
