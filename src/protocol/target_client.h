// A target binary, asked over the line protocol (docs/protocol.md). Starts the process when it is needed, starts a new
// one after it died.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/hex.h"
#include "base/process/conversation.h"
#include "findings/finding.h"

namespace warpfuzz {

// A fault that ended the process, as the process announced it.
struct FaultEvent {
  FaultClass fault = FaultClass::none;
  std::string key, message, report;
  Place place;
  nlohmann::json json;
};

// What came of a request: an answer, a fault event (the process is gone), or an error with its exit code.
struct Reply {
  nlohmann::json answer;  // an object where error is empty and there was no fault
  std::optional<FaultEvent> died;
  std::string error;  // one line
  int exit_code = 0;  // of an error: ExitCode
  bool ok() const { return error.empty() && !died; }
};

class TargetClient {
 public:
  explicit TargetClient(std::string binary) : binary_(std::move(binary)) {}

  // Seconds <= 0: no limit. `cmd` and further fields.
  Reply ask(const char* cmd, nlohmann::json fields, double seconds);
  // The hello of the process that runs now, starting one where there is none.
  Reply hello();
  // The next request gets a process of its own.
  void restart() { end(); }
  // No request has run in the process yet (or there is none).
  bool fresh() const { return requests_ == 0; }
  const std::string& binary() const { return binary_; }

 private:
  Reply start();
  Reply failure(const std::string& what, int exit_code);
  void end();

  std::string binary_;
  Conversation process_;
  nlohmann::json hello_;
  int requests_ = 0;
};

// Text of one field of an answer; "" where it is absent or no text. Safe to print.
std::string text_of(const nlohmann::json& j, const char* key, bool lines = false);
double number_of(const nlohmann::json& j, const char* key);
bool flag_of(const nlohmann::json& j, const char* key);

}  // namespace warpfuzz
