// Requests and answers as real targets took and sent them: each line reads into its struct, and what the struct writes has
// every field of the line with the same value, so that no field can be renamed, dropped or written in another way. (A
// field that is newer than the transcript may be there beside them.)
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "base/fields/json_reader.h"
#include "base/fields/json_writer.h"
#include "protocol/messages.h"

namespace warpfuzz {
namespace {

using nlohmann::json;

// The fields of `line` that `written` lacks or has with another value.
void missing(const json& line, const json& written, const std::string& path, std::string& out) {
  if (line.is_object() && written.is_object()) {
    for (const auto& [key, value] : line.items())
      if (const auto at = written.find(key); at != written.end()) missing(value, *at, path + "." + key, out);
      else out += path + "." + key + " is not written\n";
  } else if (line.is_array() && written.is_array() && line.size() == written.size()) {
    for (std::size_t i = 0; i < line.size(); ++i)
      missing(line[i], written[i], path + "[" + std::to_string(i) + "]", out);
  } else if (line != written) {
    out += path + ": " + line.dump() + " is written as " + written.dump() + "\n";
  }
}

template <class T>
void expect_kept(json line, const std::string& what) {
  line.erase("id");  // repeated by the service, whatever the message
  T message;
  EXPECT_EQ(read_message(line, message, "", Form::compact), "") << what << ": " << line.dump();
  std::string lost;
  missing(line, to_message(message), what, lost);
  EXPECT_EQ(lost, "");
}

// One file: a line `> request`, then `< answer`; a target's first line is its hello.
class Transcript {
 public:
  void line(char side, const json& j) {
    if (side == '>') return request(j);
    if (j.contains("error")) return expect_kept<RequestFailed>(j, "error");
    const std::string event = j.value("event", "");
    if (event == "hello") return expect_kept<Hello>(j, event);
    if (event == "fault") return expect_kept<FaultMessage>(j, event);
    ASSERT_TRUE(answer_) << "no request before " << j.dump();
    answer_(j);
  }
  const std::set<std::string>& seen() const { return seen_; }

 private:
  void request(const json& j) {
    const std::string cmd = j.at("cmd");
    answer_ = nullptr;
    for_each_request([&]<class Q>() {
      if (cmd != Q::kCommand) return;
      seen_.insert(cmd);
      expect_kept<Q>(j, cmd);
      answer_ = [cmd](const json& a) { expect_kept<typename Q::Answer>(a, cmd); };
    });
    if (cmd == "stats" && !j.value("whole", false))
      answer_ = [](const json& a) { expect_kept<StatsSummary>(a, "stats"); };
  }

  std::set<std::string> seen_;
  std::function<void(const json&)> answer_;
};

TEST(Transcript, EveryLineIsReadAndWrittenAsItWasSent) {
  std::ifstream in(WARPFUZZ_PROTOCOL_DATA "/transcript.txt");
  ASSERT_TRUE(in);
  Transcript transcript;
  int lines = 0;
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text[0] == '#') continue;
    ++lines;
    const json j = json::parse(text.substr(2), nullptr, false);
    ASSERT_TRUE(j.is_object()) << text;
    transcript.line(text[0], j);
  }
  EXPECT_GT(lines, 80);
  for_each_request([&]<class Q>() { EXPECT_TRUE(transcript.seen().contains(Q::kCommand)) << Q::kCommand; });
}

}  // namespace
}  // namespace warpfuzz
