// The folder of a campaign's findings, and what is known of them.
#include "engine/store/finding_store.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "base/exit_codes.h"
#include "base/files.h"
#include "base/hex.h"
#include "engine/store/plain_build.h"
#include "engine/store/shrink_finding.h"
#include "findings/variant.h"
#include "numeric/hash.h"
#include "pipeline/variant_probe.h"
#include "process/say.h"
#include "process/service_build.h"

namespace warpfuzz {
namespace {

namespace fs = std::filesystem;

// A fuzzing service gives folders of its own to write to; the default one, below the current folder, may be read-only there.
constexpr bool kSavesOnlyWhereGiven = kServiceBuild;

// Of a key whose `special` variant is unknown each failing case with special values is asked for its variant, which costs up
// to four runs; behind the first ones a share of them is.
constexpr std::uint64_t kTriedAlways = 256, kTriedOneIn = 16;

std::string folder_of(const Target& target, const Options& options, const Invocation& invocation) {
  if (!options.crashes.empty()) return options.crashes;
  if (invocation.artifact_prefix.empty()) return "crashes/new/" + target.name;
  const std::string folder = fs::path(invocation.artifact_prefix + "x").parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

FindingStore::FindingStore(const Target& target, Backend& backend, const Options& options, const Invocation& invocation)
    : target_(target),
      backend_(backend),
      options_(options),
      invocation_(invocation),
      folder_(folder_of(target, options, invocation)),
      writes_(!invocation.merge && !invocation.minimize) {
  if (writes_) open_folder();
}

void FindingStore::open_folder() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error || access(folder_.c_str(), W_OK) != 0) {
    if (kSavesOnlyWhereGiven && options_.crashes.empty() && invocation_.artifact_prefix.empty()) {
      print(fmt::format(
          "warpfuzz: the folder '{}' cannot be written and no other was given: findings are reported, and kept by the engine alone\n",
          folder_));
      writes_ = false;
      return;
    }
    print(fmt::format(
        "warpfuzz: cannot create or write the crashes folder '{}': {}; choose another with WARPFUZZ_OPTIONS=crashes=DIR\n",
        folder_, error ? error.message() : "permission denied"));
    std::exit(kExitCannotWrite);
  }
  recover_in_flight(folder_);
  if (options_.known_continue)
    for (const std::string& folder : {folder_, "crashes/" + target_.name}) read_known(folder);
}

void FindingStore::read_known(const std::string& folder) {
  for (const std::string& error : known_.read(folder)) print(fmt::format("warpfuzz: {}\n", error));
}

void FindingStore::take_up(const std::map<std::string, KnownFindings::Variants>& known) {
  for (const auto& [key, variants] : known)
    for (const auto& [variant, path] : variants) known_.add(key, variant, path);
}

void FindingStore::start(bool goes_on) {
  if (!writes_) return;
  if (options_.in_flight)
    if (const std::string error = in_flight_.open(folder_); !error.empty()) print(fmt::format("warpfuzz: {}\n", error));
  if (options_.counts.empty()) return;
  if (const std::string error = counts_.open(options_.counts, goes_on); !error.empty()) {
    // Whoever asked for counts must not take none for nothing run.
    print(fmt::format("warpfuzz: {}; no case is executed\n", error));
    in_flight_.close();
    std::_Exit(kExitCannotWrite);
  }
}

// Before anything is described: a counted case costs what a passing one does. Only while a variant is missing a case with
// special values is looked at more closely.
bool FindingStore::knows(const CaseResult& r, const std::string& key) {
  if (!known_.has(key)) return false;
  if (!has_variants(r.fault) || known_.is_full(key)) return true;
  const bool ordinary = known_.has(key, kOrdinary), special = known_.has(key, kSpecial);
  if (ordinary && special) return true;
  if (has_ordinary_inputs(target_, r)) return ordinary;
  if (special) return true;  // a case of ordinary inputs will come, if there is one
  const std::uint64_t tried = tried_[key]++;
  if (tried >= kTriedAlways && mix64(hash_bytes(r.bytes.data(), r.bytes.size())) % kTriedOneIn != 0) return true;
  return known_.has(key, find_variant(target_, backend_, r));
}

bool FindingStore::save(const Finding& f, const std::string& path) const {
  const std::string error = write_wfz(path, f);
  if (!error.empty())
    print(fmt::format("warpfuzz: {}; the finding is not on disk, its case is: {}\n", error, to_hex(f.bytes)));
  return error.empty();
}

// Of several processes that work in one folder the first one writes.
std::string FindingStore::save_new(const Finding& f, const std::string& key) {
  std::string path;
  if (writes_) {
    const FolderLock lock(folder_);
    if (options_.known_continue || invocation_.fork_child) {
      read_known(folder_);
      if (const std::string known = known_.file_of(key, f.variant); !known.empty()) {
        print(fmt::format("warpfuzz: {} is known{}: {} shows it\n", key, f.variant.empty() ? "" : ", " + f.variant,
                          known));
        return {};
      }
    }
    path = fmt::format("{}/{}", folder_, wfz_name(f));
    if (!save(f, path)) path.clear();
  }
  known_.add(key, f.variant, path);
  return path;
}

bool FindingStore::settle(const CaseResult& r, Finding& f, const std::string& path, Backend* survives) {
  bool on_disk = true;
  if (survives) {
    const ShrinkPlan plan{.target = target_,
                          .backend = backend_,
                          .survives = *survives,
                          .folder = folder_,
                          .timeout = invocation_.timeout,
                          .on_step = [&](const Finding& simpler) { save(simpler, path); }};
    f = shrink_finding(plan, r, f);
    on_disk = save(f, path);
  }
  if (confirm_by_plain_build(target_, backend_, decode(target_.schema(), f.bytes), f)) on_disk = save(f, path);
  return on_disk;
}

std::string FindingStore::save_raw(const Bytes& bytes) const {
  if (!writes_) return {};
  const std::string path = fmt::format("{}/target-error-{:08x}", folder_,
                                       static_cast<std::uint32_t>(hash_bytes(bytes.data(), bytes.size())));
  const std::string error = write_file(path, bytes);
  if (error.empty()) return path;
  print(fmt::format("warpfuzz: {}\n", error));
  return {};
}

}  // namespace warpfuzz
