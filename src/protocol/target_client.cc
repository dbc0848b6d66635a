// The client's side of the line protocol. Nothing that a target sends is trusted to have the right shape.
#include "protocol/target_client.h"

#include <fmt/format.h>

#include <cstring>

#include "base/exit_codes.h"
#include "base/json_fields.h"

namespace warpfuzz {

using nlohmann::json;

namespace {

constexpr int kMaxDepth = 32;
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

// "" of an answer.
std::string event_of(const json& j) {
  const auto at = j.find("event");
  std::string name;
  if (at != j.end()) read_text(*at, name, false);
  return name;
}

}  // namespace

void TargetClient::end() {
  process_.close_input();
  process_.finish(in_seconds(kEndSeconds));
  requests_ = 0;
}

void TargetClient::stop() {
  process_.stop();
  requests_ = 0;
}

void TargetClient::broken(const char* cmd, const std::string& wrong, std::string& error, int& exit_code) {
  stop();
  error = fmt::format("'{}' broke the protocol: the answer to '{}': {}", binary_, cmd, wrong);
  exit_code = kExitNoTarget;
}

Reply<Hello> TargetClient::start() {
  requests_ = 0;
  if (const std::string error = process_.start({binary_, "--warpfuzz-serve"}); !error.empty())
    return {{}, {}, error, kExitNoTarget};
  std::string line;
  const Conversation::Read read = process_.read_line(line, in_seconds(kHelloSeconds));
  if (read == Conversation::Read::timeout) {
    stop();
    return failure<Hello>(
        fmt::format("said nothing for {} s: it is no WarpFuzz target, or hangs at start", kHelloSeconds),
        kExitNoTarget);
  }
  if (read == Conversation::Read::end) {
    const ExitStatus status = process_.finish(in_seconds(kEndSeconds));
    return failure<Hello>(fmt::format("{} at start; {}", describe(status), hint(process_.error_output())),
                          code_of(status));
  }
  const json j = parse_json(line, kMaxDepth).value_or({});
  Reply<Hello> r;
  if (!read_message(j, r.answer, "", Form::compact).empty()) {
    stop();
    return failure<Hello>(
        fmt::format("does not speak the protocol: expected a hello, got '{}'", printable(line.substr(0, 80), false)),
        kExitNoTarget);
  }
  if (r.answer.protocol != kProtocol) {
    stop();
    return failure<Hello>(fmt::format("speaks protocol {}, this command speaks {}: build both from one tree",
                                      r.answer.protocol, kProtocol),
                          kExitNoTarget);
  }
  hello_ = r.answer;
  return r;
}

Reply<Hello> TargetClient::hello() {
  if (!process_.running()) return start();
  return {hello_, {}, "", 0};
}

Reply<json> TargetClient::exchange(const char* cmd, const json& request, double seconds) {
  if (!process_.running())
    if (Reply<Hello> r = start(); !r.ok()) return {{}, {}, std::move(r.error), r.exit_code};
  ++requests_;
  const Deadline deadline = in_seconds(seconds);
  const bool sent = process_.write(request.dump(-1, ' ', false, json::error_handler_t::replace) + "\n", deadline);

  Reply<json> r;
  std::string line;
  for (;;) {
    const Conversation::Read read = process_.read_line(line, deadline);
    if (read == Conversation::Read::timeout) {
      stop();
      return failure<json>(fmt::format("did not answer '{}' within {} s{}; give it more with --timeout", cmd, seconds,
                                       sent ? "" : " (it did not even read it)"),
                           kExitNoTarget);
    }
    if (read == Conversation::Read::end) break;
    r.answer = parse_json(line, kMaxDepth).value_or({});
    if (!r.answer.is_object()) {
      stop();
      return failure<json>(
          fmt::format("broke the protocol: expected a JSON object, got '{}'", printable(line.substr(0, 80), false)),
          kExitNoTarget);
    }
    if (const std::string event = event_of(r.answer); event == "fault") {
      const std::string wrong = read_message(r.answer, r.died.emplace());  // the process ends now
      if (!wrong.empty()) {
        stop();
        return failure<json>(fmt::format("broke the protocol: its event: {}", wrong), kExitNoTarget);
      }
      continue;
    } else if (!event.empty()) {
      continue;  // of a later protocol
    }
    if (RequestFailed failed; read_message(r.answer, failed).empty())
      return {{}, {}, fmt::format("{}: {}", cmd, failed.error), kExitTargetError};
    return r;
  }
  const ExitStatus status = process_.finish(in_seconds(kEndSeconds));
  requests_ = 0;
  if (r.died) return r;
  return failure<json>(
      fmt::format("{} during '{}' without a fault report; {}", describe(status), cmd, hint(process_.error_output())),
      code_of(status));
}

}  // namespace warpfuzz
