// `warpfuzz keep`: a finding of a campaign becomes one that the tests replay for ever.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <filesystem>

#include "base/exit_codes.h"
#include "base/json_fields.h"
#include "cli/parser/command.h"
#include "client/replayed.h"
#include "findings/variant.h"

namespace warpfuzz::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string file, as, crashes;
  bool force = false;
};

void declare(CLI::App& a, Options& o) {
  a.add_option("FILE", o.file, "The .wfz")->required();
  a.add_option("--as", o.as, "Name of the kept file");
  a.add_option("--crashes", o.crashes, "The crashes folder (default: the one that FILE is below, else ./crashes)");
  a.add_flag("--force", o.force, "Keep a second finding with the same key, replace a file of the same name");
}

// crashes/new/softmax/x.wfz -> crashes; elsewhere --crashes, else crashes below the current folder.
fs::path crashes_root(const Options& o) {
  if (!o.crashes.empty()) return o.crashes;
  std::error_code ec;
  const fs::path folder = fs::absolute(o.file, ec).lexically_normal().parent_path();
  if (folder.parent_path().filename() == "new")
    return folder.parent_path().parent_path().lexically_proximate(fs::current_path(ec));
  return "crashes";
}

std::string file_name(const Options& o) {
  std::string name = o.as.empty() ? fs::path(o.file).filename().string() : o.as;
  if (!name.ends_with(".wfz")) name += ".wfz";
  if (name.find('/') != std::string::npos || name[0] == '.') {
    throw Failure(kExitUsage, fmt::format("--as: expected the plain name of a file, got '{}'", printable(name, false)));
  }
  return name;
}

// The kept file with this finding's key and variant; empty where there is none.
std::string kept_alike(const fs::path& folder, const Finding& f, const fs::path& self) {
  std::error_code ec;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ec)) {
    if (entry.path().extension() != ".wfz" || fs::equivalent(entry.path(), self, ec)) continue;
    const Result<Finding> r = read_wfz(entry.path().string());
    if (r && bucket_key(*r) == bucket_key(f) && variant_of(*r) == variant_of(f)) return entry.path().string();
  }
  return "";
}

int run(const Context& c, const Options& o) {
  const CaseFile file = load(o.file);
  if (!file.finding)
    throw Failure(kExitBadFile, fmt::format("'{}' is no .wfz: a campaign writes them to crashes/new/<target>/",
                                            printable(o.file, false)));
  const std::string target = file.finding->target, key = bucket_key(*file.finding);
  const fs::path folder = crashes_root(o) / target, to = folder / file_name(o);
  std::error_code ec;
  if (fs::equivalent(o.file, to, ec)) throw Failure(kExitDuplicate, fmt::format("'{}' is kept already", to.string()));
  if (!o.force) {
    if (const std::string same = kept_alike(folder, *file.finding, o.file); !same.empty()) {
      const std::string variant = variant_of(*file.finding);
      throw Failure(kExitDuplicate,
                    fmt::format("'{}' has the key {} already{}; --force keeps both", same, key,
                                variant.empty() ? "" : ", and the variant " + printable(variant, false)));
    }
    if (fs::exists(to, ec))
      throw Failure(
          kExitDuplicate,
          fmt::format("'{}' is there already; name another with --as, or replace it with --force", to.string()));
  }
  TargetClient client(target_binary(c, target));
  const Replayed r = replay_one(c, client, file);
  if (!r.same) {
    throw Failure(kExitReplayDiffers, fmt::format("'{}' was not kept: recorded {}, now {}", printable(o.file, false),
                                                  r.recorded, r.now.empty() ? "pass" : r.now));
  }
  // Written anew and then removed: whole on either side, whatever file systems the two folders are on.
  const Bytes bytes = must(read_file(o.file));
  if (const std::string error = write_file(to.string(), bytes); !error.empty()) throw Failure(kExitCannotWrite, error);
  if (!fs::remove(o.file, ec))
    note(fmt::format("'{}' is kept, but '{}' could not be removed: {}", to.string(), printable(o.file, false),
                     ec.message()));
  if (fs::path(o.file).extension() == ".wfz")  // the stack of the process that found it
    fs::remove(fs::path(o.file).replace_extension(".log"), ec);
  if (c.json) print_json({{"key", key}, {"from", o.file}, {"to", to.string()}});
  else print(fmt::format("{} kept as {}\n", key, to.string()));
  return kExitOk;
}

}  // namespace

extern const Command kKeep{"keep", "Move a finding from crashes/new/<target>/ to crashes/<target>/ after replaying it",
                           declare, run};

}  // namespace warpfuzz::cli
