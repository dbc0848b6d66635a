// One request to the target, and the comparison.
#include "client/replayed.h"

#include <filesystem>

#include "base/json_fields.h"

namespace warpfuzz::cli {
namespace {

// An `expect:` line names a key, or a fault class alone.
bool meets(const std::string& expect, const std::string& key, const std::string& fault) {
  return expect == "pass" || expect.empty() ? key.empty() : expect == key || expect == fault;
}

}  // namespace

Replayed replay_one(const Context& c, TargetClient& target, const CaseFile& file) {
  std::error_code ec;
  const std::string path = std::filesystem::absolute(file.path, ec).string();
  Replayed out;
  std::string expect;
  if (file.kind == CaseFile::Kind::text) expect = encode_case(c, target, file.path, file.text).expect;
  out.reply = target.ask(ReplayRequest{path, {}}, c.limit(kRunSeconds));
  const Reply<ReplayResult>& r = out.reply;
  if (!r.error.empty()) throw Failure(r.exit_code, r.error);
  out.now = r.died ? r.died->key : r.answer.result.key;
  out.fault = fault_name(r.died ? r.died->fault : r.answer.result.fault);
  if (file.finding) {
    out.has_record = true;
    out.recorded = file.finding->fault == FaultClass::none ? "" : bucket_key(*file.finding);
    out.same = out.now == out.recorded;
  } else if (file.kind == CaseFile::Kind::text) {
    out.has_record = true;
    out.same = meets(expect, out.now, out.fault);
    out.recorded = expect == "pass" ? "" : expect;
  }
  return out;
}

}  // namespace warpfuzz::cli
