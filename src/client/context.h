// What every command needs: options, where target binaries are, what a file holds.
#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/exit_codes.h"
#include "findings/finding.h"
#include "protocol/target_client.h"

namespace warpfuzz::cli {

// Ends a command: one line for standard error and an exit code.
struct Failure : std::runtime_error {
  Failure(int code, const std::string& message) : std::runtime_error(message), code(code) {}
  explicit Failure(const Error& e) : Failure(e.exit_code, e.line) {}
  int code;
};

struct Context {
  std::string bin;     // folder of the target binaries
  double timeout = 0;  // seconds a request may take; 0: each command's own limit
  bool json = false;
  double limit(double own) const { return timeout > 0 ? timeout : own; }
};

inline constexpr double kQuickSeconds = 60, kRunSeconds = 180;

std::string own_folder();                    // of this executable
std::string plain_target(std::string name);  // without a "fuzz_" in front
// Path of fuzz_<target>; a Failure that lists what is there where it is not.
std::string target_binary(const Context& c, const std::string& target);
std::vector<std::string> target_names(const Context& c);  // sorted
// The answer of a request that must succeed.
template <class A>
A must(Reply<A> reply) {
  if (reply.died) throw Failure(kExitTargetError, "the target died of " + reply.died->key + ": " + reply.died->message);
  if (!reply.error.empty()) throw Failure(reply.exit_code, reply.error);
  return std::move(reply.answer);
}
// The value that a command cannot do without; a Failure where there is none.
template <class T>
T must(Result<T> result) {
  if (!result) throw Failure(result.error());
  return *std::move(result);
}
// A Failure where --dtype names an element type that the described target lacks.
void check_dtype(const Description& description, const std::string& dtype);

struct CaseFile {
  enum class Kind { wfz, text, raw } kind = Kind::raw;
  std::string path;
  Bytes bytes;                     // of raw: the file; of .wfz: the recorded case
  std::string text;                // of a .case
  std::optional<Finding> finding;  // of a .wfz
};
// All bytes of a file, of standard input for "-"; a Failure with kExitBadFile where it cannot be read.
Bytes read_input(const std::string& path);
// A Failure with kExitBadFile where it cannot be read or is a damaged .wfz.
CaseFile load(const std::string& path);
// A readable case as the target reads it. What is no case is a bad file, with one exit code in every command (kExitBadFile).
Encoded encode_case(const Context& c, TargetClient& target, const std::string& path, const std::string& text);
// --target, else what the .wfz says, else the name of the folder that the file is in.
std::string target_of(const CaseFile& file, const std::string& option);

// A Failure where the file is a finding of another target than this one.
void check_target(const CaseFile& file, const std::string& target);

// Columns padded to their widest cell; the first row is the head. The last column is never padded.
std::string table(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& right_aligned = {});
void print(const std::string& text);  // to standard output
void print_json(const nlohmann::json& j);
void note(const std::string& line);  // to standard error: "warpfuzz: ..."

}  // namespace warpfuzz::cli
