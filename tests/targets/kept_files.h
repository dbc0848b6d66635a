// seeds/ and crashes/ of a source tree: what lies there, and what does not belong there.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace targets_test {

// One line a problem: a folder without a target, a file of unknown kind, a folder inside a target's. crashes/new is not looked at.
std::vector<std::string> stray_files(const std::filesystem::path& root, const std::vector<std::string>& targets);

// What an `expect:` line says against what a replay gave: "pass", a fault class, or a key.
bool meets(const std::string& expect, const std::string& fault, const std::string& key);

}  // namespace targets_test
