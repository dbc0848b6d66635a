// The tables of docs/protocol.md are those of the messages.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/fields/field_table.h"
#include "protocol/messages.h"

namespace warpfuzz {
namespace {

std::string page() {
  std::ifstream in(WARPFUZZ_PROTOCOL_PAGE);
  EXPECT_TRUE(in) << WARPFUZZ_PROTOCOL_PAGE;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void expect_on_page(const std::string& section) {
  EXPECT_NE(page().find("\n" + section + "\n"), std::string::npos) << "docs/protocol.md lacks\n" << section;
}

// "### `run`", its request and its answer.
template <class Q>
std::string section_of() {
  std::string text = "### `" + std::string(Q::kCommand) + "`\n\n" + field_table<Q>() + "\nAnswer:";
  using A = typename Q::Answer;
  if constexpr (requires(const A& a) { title_of(a); }) {
    std::string table = FieldTable::link(title_of(A{}));
    return text + " " + table + "\n";
  } else {
    return text + "\n\n" + field_table<A>();
  }
}

TEST(ProtocolPage, HasTheFieldsOfEveryCommand) {
  for_each_request([]<class Q>() { expect_on_page(section_of<Q>()); });
}

template <class T>
std::string part() {
  std::string title = title_of(T{}).title;
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return "### " + title + "\n\n" + field_table<T>();
}

TEST(ProtocolPage, HasTheFieldsOfWhatMessagesShare) {
  for (const std::string& section : {part<RunResult>(), part<NamedPlace>(), part<ErrorRecord>(), part<Distribution>(),
                                     part<WholeStats>(), part<ErrorStats>(), part<HistogramMessage>(),
                                     field_table<Hello>(), field_table<FaultMessage>(), field_table<RequestFailed>()})
    expect_on_page(section);
}

}  // namespace
}  // namespace warpfuzz
