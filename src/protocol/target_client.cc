// The client's side of the line protocol. Nothing that a target sends is trusted to have the right shape.
#include "protocol/target_client.h"

#include <fmt/format.h>

#include <cstring>

#include "base/exit_codes.h"
#include "base/json_fields.h"

namespace warpfuzz {

using nlohmann::json;

namespace {

constexpr int kProtocol = 1, kMaxDepth = 32;
constexpr double kHelloSeconds = 60, kEndSeconds = 5;

// The lines of standard error that say most: an error's headline, else the last one.
std::string hint(const std::string& errors) {
  std::string last, headline;
  for (std::size_t begin = 0; begin < errors.size();) {
    const std::size_t end = std::min(errors.find('\n', begin), errors.size());
    const std::string line = errors.substr(begin, end - begin);
    if (line.find_first_not_of(" \t\r=") != std::string::npos) last = line;
    if (headline.empty() && line.find("ERROR:") != std::string::npos) headline = line;
    begin = end + 1;
  }
  const std::string& best = headline.empty() ? last : headline;
  return best.empty() ? "it printed nothing to standard error" : "it printed: " + printable(best.substr(0, 300), false);
}

std::string describe(ExitStatus s) {
  if (s.signal) return fmt::format("was killed by signal {} ({})", s.signal, strsignal(s.signal));
  return fmt::format("ended with exit code {}", s.code);
}

// Codes whose meaning is the target's own to say; any other end without a word is a broken protocol.
int code_of(ExitStatus s) {
  for (const int known : {kExitUsage, kExitTargetError, kExitCannotWrite, kExitUnsupported, kExitNoDevice}) {
    if (s.code == known) return known;
  }
  return kExitNoTarget;
}

Place place_of(const json& j) {
  Place p;
  std::string error;
  Fields in(j, "place", error);
  in.text("kernel", p.kernel);
  std::vector<std::uint32_t> block, thread;
  in.integers("block", block, 3);
  in.integers("thread", thread, 3);
  std::copy(block.begin(), block.end(), p.block);
  std::copy(thread.begin(), thread.end(), p.thread);
  in.text("file", p.file);
  in.integer("line", p.line);
  return p;
}

FaultEvent event_of(const json& j) {
  FaultEvent e;
  e.fault = fault_from_name(text_of(j, "fault")).value_or(FaultClass::none);
  e.key = text_of(j, "key");
  e.message = text_of(j, "message");
  e.report = text_of(j, "report", true);
  if (j.contains("place")) e.place = place_of(j["place"]);
  e.json = j;
  return e;
}

}  // namespace

std::string text_of(const json& j, const char* key, bool lines) {
  if (!j.is_object()) return "";
  const auto it = j.find(key);
  return it != j.end() && it->is_string() ? printable(it->get_ref<const std::string&>(), lines) : "";
}

double number_of(const json& j, const char* key) {
  if (!j.is_object()) return 0;
  const auto it = j.find(key);
  return it != j.end() && it->is_number() ? it->get<double>() : 0;
}

bool flag_of(const json& j, const char* key) {
  if (!j.is_object()) return false;
  const auto it = j.find(key);
  return it != j.end() && it->is_boolean() && it->get<bool>();
}

void TargetClient::end() {
  process_.close_input();
  process_.finish(in_seconds(kEndSeconds));
  requests_ = 0;
}

Reply TargetClient::failure(const std::string& what, int exit_code) {
  Reply r;
  r.error = fmt::format("'{}' {}", binary_, what);
  r.exit_code = exit_code;
  return r;
}

Reply TargetClient::start() {
  requests_ = 0;
  if (const std::string error = process_.start({binary_, "--warpfuzz-serve"}); !error.empty()) {
    Reply r;
    r.error = error;
    r.exit_code = kExitNoTarget;
    return r;
  }
  std::string line;
  const Conversation::Read read = process_.read_line(line, in_seconds(kHelloSeconds));
  if (read == Conversation::Read::timeout) {
    process_.stop();
    return failure(fmt::format("said nothing for {} s: it is no WarpFuzz target, or hangs at start", kHelloSeconds),
                   kExitNoTarget);
  }
  if (read == Conversation::Read::end) {
    const ExitStatus status = process_.finish(in_seconds(kEndSeconds));
    return failure(fmt::format("{} at start; {}", describe(status), hint(process_.error_output())), code_of(status));
  }
  Reply r;
  r.answer = parse_json(line, kMaxDepth).value_or({});
  if (text_of(r.answer, "event") != "hello") {
    process_.stop();
    return failure(
        fmt::format("does not speak the protocol: expected a hello, got '{}'", printable(line.substr(0, 80), false)),
        kExitNoTarget);
  }
  if (number_of(r.answer, "protocol") != kProtocol) {
    process_.stop();
    return failure(fmt::format("speaks protocol {}, this command speaks {}: build both from one tree",
                               number_of(r.answer, "protocol"), kProtocol),
                   kExitNoTarget);
  }
  hello_ = r.answer;
  return r;
}

Reply TargetClient::hello() {
  if (!process_.running()) return start();
  Reply r;
  r.answer = hello_;
  return r;
}

Reply TargetClient::ask(const char* cmd, json fields, double seconds) {
  if (!process_.running()) {
    if (Reply r = start(); !r.ok()) return r;
  }
  ++requests_;
  fields["cmd"] = cmd;
  const Deadline deadline = in_seconds(seconds);
  const bool sent = process_.write(fields.dump(-1, ' ', false, json::error_handler_t::replace) + "\n", deadline);

  std::optional<FaultEvent> event;
  std::string line;
  for (;;) {
    const Conversation::Read read = process_.read_line(line, deadline);
    if (read == Conversation::Read::timeout) {
      process_.stop();
      requests_ = 0;
      return failure(fmt::format("did not answer '{}' within {} s{}; give it more with --timeout", cmd, seconds,
                                 sent ? "" : " (it did not even read it)"),
                     kExitNoTarget);
    }
    if (read == Conversation::Read::end) break;
    Reply r;
    r.answer = parse_json(line, kMaxDepth).value_or({});
    if (!r.answer.is_object()) {
      process_.stop();
      requests_ = 0;
      return failure(
          fmt::format("broke the protocol: expected a JSON object, got '{}'", printable(line.substr(0, 80), false)),
          kExitNoTarget);
    }
    if (text_of(r.answer, "event") == "fault") {
      event = event_of(r.answer);  // the process ends now
      continue;
    }
    if (r.answer.contains("event")) continue;  // of a later protocol
    if (r.answer.contains("error")) {
      r.error = fmt::format("{}: {}", cmd, text_of(r.answer, "error"));
      r.exit_code = kExitTargetError;
    }
    return r;
  }
  const ExitStatus status = process_.finish(in_seconds(kEndSeconds));
  requests_ = 0;
  if (event) {
    Reply r;
    r.died = std::move(event);
    return r;
  }
  return failure(
      fmt::format("{} during '{}' without a fault report; {}", describe(status), cmd, hint(process_.error_output())),
      code_of(status));
}

}  // namespace warpfuzz
