// Walks the two folders.
#include "kept_files.h"

#include <algorithm>

namespace targets_test {
namespace {

namespace fs = std::filesystem;

void check_target_folder(const fs::path& folder, const std::string& shown, bool findings,
                         std::vector<std::string>& problems) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = shown + "/" + entry.path().filename().string(),
                      extension = entry.path().extension().string();
    if (entry.is_directory())
      problems.push_back(name + ": a folder inside a target's folder; nothing replays what is in it");
    else if (extension != ".case" && !(findings && extension == ".wfz"))
      problems.push_back(name + ": expected " + (findings ? ".wfz or .case" : ".case") +
                         ", which is all that is replayed here");
  }
}

}  // namespace

std::vector<std::string> stray_files(const fs::path& root, const std::vector<std::string>& targets) {
  std::vector<std::string> problems;
  for (const std::string kind : {"seeds", "crashes"}) {
    if (!fs::exists(root / kind)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(root / kind)) {
      const std::string target = entry.path().filename().string(), shown = kind + "/" + target;
      if (kind == "crashes" && target == "new") continue;
      if (!entry.is_directory()) problems.push_back(shown + ": expected a folder named after a target, got a file");
      else if (std::find(targets.begin(), targets.end(), target) == targets.end())
        problems.push_back(shown + ": there is no target of that name; rename the folder or remove it");
      else check_target_folder(entry.path(), shown, kind == "crashes", problems);
    }
  }
  std::sort(problems.begin(), problems.end());
  return problems;
}

bool meets(const std::string& expect, const std::string& fault, const std::string& key) {
  return expect == "pass" ? fault == "none" : expect == fault || expect == key;
}

}  // namespace targets_test
