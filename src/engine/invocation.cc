#include "engine/invocation.h"

#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "base/files.h"
#include "engine/flags.h"

namespace warpfuzz {

Invocation parse_invocation(const std::vector<std::string>& arguments) {
  Invocation in;
  in.arguments = arguments;
  bool inner = false;  // such a child itself
  for (const std::string& a : arguments) {
    if (a == "--warpfuzz-serve") in.serve = true;
    if (a == "--warpfuzz-gpu-server") in.gpu_server = true;
    if (a.empty() || a[0] != '-') {
      in.inputs.push_back(a);
      continue;
    }
    const std::size_t equal = a.find('=');
    const std::string name = a.substr(1, equal == std::string::npos ? equal : equal - 1);
    const std::string value = equal == std::string::npos ? "" : a.substr(equal + 1);
    const bool on = value != "0";
    if (asks_for_help(a)) in.help = true;
    if (ends_flags(a)) break;
    if (name == "merge" || name == "set_cover_merge" || name == "merge_inner" || name == "merge_control_file")
      in.merge = in.merge || on;
    if (name == "minimize_crash" || name == "minimize_crash_internal_step") in.minimize = in.minimize || on;
    if (name == "fork") in.fork_parent = on;
    if (name == "stop_file") in.fork_child = true;  // how the parent ends its children
    if (name == "runs") in.runs = std::atoll(value.c_str());
    if (name == "max_total_time") in.max_total_time = std::atoll(value.c_str());
    if (name == "fork" || name == "jobs") in.has_fuzzing_children = in.has_fuzzing_children || on;
    if (name == "merge" || name == "set_cover_merge" || name == "minimize_crash" || name == "cleanse_crash")
      in.has_children = in.has_children || on;
    if (name == "merge_inner" || name == "minimize_crash_internal_step") inner = true;
    if (name == "handle_int") in.handles_int = on;
    if (name == "handle_term") in.handles_term = on;
    if (name == "print_final_stats") in.final_stats = on;
    if (name == "artifact_prefix") in.artifact_prefix = value;
    if (name == "use_value_profile") in.has_value_profile = true;
    if (name == "detect_leaks") in.has_detect_leaks = true;
    if (name == "seed") in.seed = std::strtoul(value.c_str(), nullptr, 10);
    if (name == "timeout") {
      in.has_timeout = true;
      in.timeout = std::atoi(value.c_str());
    }
  }
  in.has_children = !inner && (in.has_children || in.has_fuzzing_children);
  in.replay = !in.inputs.empty() && !in.minimize;
  for (const std::string& path : in.inputs) in.replay = in.replay && !std::filesystem::is_directory(path);
  return in;
}

std::string check_inputs(const Invocation& in) {
  namespace fs = std::filesystem;
  for (const std::string& path : in.inputs) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      if (access(path.c_str(), R_OK) != 0)
        return fmt::format("{}: {}; expected a file to replay or a corpus folder", path, std::strerror(errno));
      if (!in.replay && !in.minimize)
        return fmt::format(
            "{}: a file among corpus folders; expected folders alone (to fuzz or merge) or files alone (to replay)",
            path);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(path, error)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".case" || extension == ".wfz")
        return fmt::format(
            "{}: holds {}, and a corpus folder is read as raw case bytes; replay such files by name, or encode them "
            "(`warpfuzz encode`) into a corpus folder",
            path, entry.path().filename().string());
    }
  }
  return {};
}

namespace {

// The folder of one process's substitutes.
std::string substitutes_folder() {
  const char* base = std::getenv("TMPDIR");
  return fmt::format("{}/warpfuzz-{}", base && *base ? base : "/tmp", getpid());
}

[[noreturn]] void cannot_substitute(const std::string& error) {
  std::fprintf(stderr, "warpfuzz: %s; set TMPDIR to a folder that can be written\n", error.c_str());
  std::exit(kExitCannotWrite);
}

}  // namespace

std::string Substitutes::name_for(const std::string& original) {
  if (folder_.empty()) folder_ = substitutes_folder();
  std::string stem = std::filesystem::path(original).stem().string();
  for (char& c : stem)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.') c = '_';
  return files_.emplace_back(fmt::format("{}/{}-{}", folder_, files_.size(), stem));
}

std::string Substitutes::add(const std::string& original, const std::vector<unsigned char>& bytes) {
  const std::string path = name_for(original);
  if (const std::string error = write_file(path, bytes); !error.empty()) cannot_substitute(error);
  return path;
}

std::string Substitutes::link(const std::string& original) {
  const std::string path = name_for(original);
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (!error) std::filesystem::create_symlink(std::filesystem::absolute(original, error), path, error);
  if (error) cannot_substitute(fmt::format("cannot make the link '{}': {}", path, error.message()));
  return path;
}

void Substitutes::remove() {
  for (const std::string& f : files_) unlink(f.c_str());
  if (!folder_.empty()) rmdir(folder_.c_str());
  files_.clear();
  folder_.clear();
}

}  // namespace warpfuzz
