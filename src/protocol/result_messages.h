// Results of the line protocol: what a run of one case came to, by `run`, `replay` and `shrink`.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "findings/error_fields.h"
#include "findings/step.h"
#include "protocol/envelope_messages.h"

namespace warpfuzz {

struct WorstElement {
  int tensor = -1;
  std::vector<std::uint32_t> at;
  double ratio = 0;
};
template <class V, MaybeConst<WorstElement> W>
void fields(V& v, W& w) {
  v("tensor", w.tensor, "index of its tensor in the schema");
  v("at", w.at, "coordinates");
  v("ratio", w.ratio, "error / bound");
}

struct RunResult {
  FaultClass fault = FaultClass::none;
  std::string key, message, summary;
  Step step = Step::base;
  std::map<std::string, std::string> attributes;
  std::uint64_t wrong = 0, total = 0, exact = 0;
  bool drift = false;
  double max_ratio = 0;
  std::uint64_t output_hash = 0;
  ErrorRecord errors;
  std::optional<WorstElement> worst;
  std::optional<NamedPlace> place;
  std::optional<std::string> report, save_error;
};
constexpr Title title_of(const RunResult&) { return {"result", "protocol.md"}; }

template <class V, MaybeConst<RunResult> R>
void fields(V& v, R& r) {
  v("fault", r.fault, "`none`, or what is wrong");
  v("key", r.key, "key of the finding; empty where there is none");
  v("message", r.message, "one line of what the executor saw; may be empty");
  v("summary", r.summary, "the case in one line");
  v("step", r.step, "which of the case's runs failed");
  v("attributes", r.attributes, "the finding's [attributes](findings.md#attributes)");
  v("wrong", r.wrong, "wrong outputs");
  v("total", r.total, "outputs judged");
  v("exact", r.exact, "outputs compared bit for bit");
  v("drift", r.drift, "only the tight bound was left, not confirmed");
  v("max_ratio", r.max_ratio, "largest error / bound");
  v.hash("output_hash", r.output_hash, "over all outputs, NaNs as one value");
  v("errors", r.errors, "of the run");
  v("worst", r.worst, "where an output is wrong: the worst one");
  v("place", r.place, "where the fault names one");
  v.lines("report", r.report, "of a finding: text for people");
  v("save_error", r.save_error, "why the file of `save` could not be written");
}

struct RunRequest {
  static constexpr const char* kCommand = "run";
  using Answer = RunResult;
  Bytes bytes;
  std::optional<std::string> save;
};
template <class V, MaybeConst<RunRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v("bytes", q.bytes, "a case");
  v.path("save", q.save, "a `.wfz` to write of a finding");
}

// How a replay compares with what the file recorded.
struct Recorded {
  std::string key;
  bool same_key = false, inputs_identical = false, same_compiler = false, from_tensors = false;
  std::uint64_t different_outputs = 0, total_outputs = 0;
  bool same_binary = false;
};
template <class V, MaybeConst<Recorded> R>
void fields(V& v, R& r) {
  v("recorded_key", r.key, "key that the file recorded");
  v("same_key", r.same_key, "and it is the key now");
  v("inputs_identical", r.inputs_identical, "the inputs are the recorded ones, bit for bit");
  v("different_outputs", r.different_outputs, "outputs that differ from the recorded ones");
  v("total_outputs", r.total_outputs, "of so many");
  v("same_compiler", r.same_compiler, "recorded by this backend with the compiler of its kernels");
  v("same_binary", r.same_binary, "the same under its older name");
  v("from_tensors", r.from_tensors, "the inputs were taken from the file, not from the fills");
}

struct ReplayResult {
  RunResult result;
  Bytes bytes;
  std::string expect;
  std::optional<Recorded> recorded;
  std::optional<std::string> note;
};
template <class V, MaybeConst<ReplayResult> R>
void fields(V& v, R& r) {
  v.part(r.result);
  v("bytes", r.bytes, "the case, canonical");
  v("expect", r.expect, "what the `expect:` line of a `*.case` says");
  v("note", r.note, "why the tensors of a `.wfz` were not taken");
  v.merged("recorded_key", r.recorded);
}

struct ReplayRequest {
  static constexpr const char* kCommand = "replay";
  using Answer = ReplayResult;
  std::string path;
  std::optional<std::string> save;
};
template <class V, MaybeConst<ReplayRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v.path("path", q.path, "a `.wfz`, raw bytes or a `*.case`");
  v.path("save", q.save, "a `.wfz` to write of a finding");
}

struct ShrinkResult {
  RunResult result;
  Bytes bytes;
  std::string text;
  std::uint64_t attempts = 0;
  bool complete = false;
};
template <class V, MaybeConst<ShrinkResult> R>
void fields(V& v, R& r) {
  v.part(r.result);
  v("bytes", r.bytes, "the simplest case found");
  v.lines("text", r.text, "the same as a `*.case`");
  v("attempts", r.attempts, "cases tried");
  v("complete", r.complete, "nothing simpler is left to try; else the time was up");
}

struct ShrinkRequest {
  static constexpr const char* kCommand = "shrink";
  using Answer = ShrinkResult;
  std::optional<Bytes> bytes;
  std::optional<std::string> path, save;
  std::optional<double> seconds;
};
template <class V, MaybeConst<ShrinkRequest> Q>
void fields(V& v, Q& q) {
  v.constant("cmd", Q::kCommand);
  v("bytes", q.bytes, "a case; either this or `path`");
  v.path("path", q.path, "a `.wfz`, raw bytes or a `*.case`");
  v("seconds", q.seconds, "time to try; 5 where absent");
  v.path("save", q.save, "a `.wfz` to write of the result");
}

}  // namespace warpfuzz
