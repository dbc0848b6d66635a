// A target binary, asked over the line protocol (docs/protocol.md). Starts the process when it is needed, starts a new
// one after it died.
#pragma once
#include <optional>
#include <string>
#include <utility>

#include "base/fields/json_reader.h"
#include "base/fields/json_writer.h"
#include "base/process/conversation.h"
#include "protocol/messages.h"

namespace warpfuzz {

// What came of a request: an answer, a fault event (the process is gone), or an error with its exit code.
template <class A>
struct Reply {
  A answer;  // where there is no error and no fault
  std::optional<FaultMessage> died;
  std::string error;  // one line
  int exit_code = 0;  // of an error: ExitCode
  bool ok() const { return error.empty() && !died; }
};

class TargetClient {
 public:
  explicit TargetClient(std::string binary) : binary_(std::move(binary)) {}

  // Seconds <= 0: no limit.
  template <class Q>
  Reply<typename Q::Answer> ask(const Q& request, double seconds) {
    Reply<nlohmann::json> got = exchange(Q::kCommand, to_message(request), seconds);
    Reply<typename Q::Answer> reply{{}, std::move(got.died), std::move(got.error), got.exit_code};
    if (!reply.ok()) return reply;
    if (const std::string wrong = read_message(got.answer, reply.answer); !wrong.empty())
      broken(Q::kCommand, wrong, reply.error, reply.exit_code);
    return reply;
  }
  // The hello of the process that runs now, starting one where there is none.
  Reply<Hello> hello();
  // The next request gets a process of its own.
  void restart() { end(); }
  // No request has run in the process yet (or there is none).
  bool fresh() const { return requests_ == 0; }
  const std::string& binary() const { return binary_; }

 private:
  // One line there, one back. The answer is an object, of which nothing more is known.
  Reply<nlohmann::json> exchange(const char* cmd, const nlohmann::json& request, double seconds);
  // An answer that is none: ends the process.
  void broken(const char* cmd, const std::string& wrong, std::string& error, int& exit_code);
  Reply<Hello> start();
  template <class A>
  Reply<A> failure(const std::string& what, int exit_code) {
    return {{}, {}, "'" + binary_ + "' " + what, exit_code};
  }
  void stop();
  void end();

  std::string binary_;
  Conversation process_;
  Hello hello_;
  int requests_ = 0;
};

}  // namespace warpfuzz
