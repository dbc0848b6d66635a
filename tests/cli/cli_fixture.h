// Runs the command as a person does, in a folder of its own with fake targets in bin/.
#pragma once
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "findings/finding.h"

namespace warpfuzz::testing_cli {

struct Output {
  int code = -1;
  std::string out, err;
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

class CliTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // `arguments` go through a shell, in the test's folder; --bin is added.
  Output run(const std::string& arguments);
  std::string in(const std::string& name) const { return folder_ + "/" + name; }
  bool exists(const std::string& name) const;
  std::string save(const std::string& name, const Finding& f);
  std::string save_bytes(const std::string& name, const Bytes& bytes);
  // A finding as the fake target makes it.
  static Finding fake(const std::string& target, FaultClass fault, std::uint8_t rows, std::uint8_t cols);

  std::string folder_;
};

}  // namespace warpfuzz::testing_cli
