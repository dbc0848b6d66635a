// Corpora and findings on disk: looked at, put into the index, kept within their limits.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/json_fields.h"
#include "campaign/supervisor.h"
#include "client/printed_command.h"

namespace warpfuzz::cli {

void Supervisor::say(const std::string& text) {
  view_.clear();
  log_.line(text);
}

void Supervisor::measure_corpus(TargetState& t) {
  const std::vector<StoredFile> files = files_in(folder_.corpus(t.name));
  t.row.corpus = files.size();
  t.row.corpus_bytes = total_bytes(files);
}

// A merge does this where there are any.
void Supervisor::keep_within_limit(TargetState& t) {
  measure_corpus(t);
  const std::uint64_t limit = options_.corpus_limit << 20;
  if ((options_.merge_every > 0 && options_.chores > 0) || t.fuzzing > 0 || t.row.corpus_bytes <= limit) return;
  say(fmt::format("{}: {} of the oldest inputs removed, beyond {} MiB", t.name, folder_.shorten_corpus(t.name, limit),
                  options_.corpus_limit));
  measure_corpus(t);
}

void Supervisor::scan_folder(TargetState& t, const std::string& folder, bool kept, std::set<std::string>& there) {
  for (const StoredFile& f : files_in(folder)) {
    if (!f.name.ends_with(".wfz")) continue;
    const std::string path = folder_.indexed(f.path);
    there.insert(path);
    if (index_.has_file(path, f.size, f.modified)) continue;
    const Result<Finding> read = read_wfz(f.path);
    if (!read) {
      say(read.line());
      continue;
    }
    if (read->target != t.name) continue;  // of another target, put here by hand
    index_.add_file(path, f.size, f.modified, *read, kept, clock_now());
  }
}

void Supervisor::scan(TargetState& t) {
  t.new_files = false;
  t.scanned = clock_now();
  std::set<std::string> there;
  scan_folder(t, folder_.kept(t.name), true, there);
  scan_folder(t, folder_.crashes(t.name), false, there);
  std::vector<std::string> gone = index_.files(t.name);
  std::erase_if(gone, [&](const std::string& path) { return there.contains(path); });
  if (!gone.empty()) index_.forget_files(t.name, gone);
  t.findings = index_.findings(t.name);
  announce(t);
}

// Of what a process still makes smaller its file says little: the line describes what is kept in the end.
void Supervisor::announce(TargetState& t) {
  const auto in_hand = [&](const std::string& key) {
    return std::ranges::any_of(jobs_, [&](const auto& job) { return job->in_hand == key; });
  };
  for (const FindingRow& f : t.findings)
    if (!f.path.empty() && !in_hand(f.key) && announced_.insert(f.key).second && !f.kept)
      say(fmt::format("{}: found {}: {} -> {}", t.name, f.key, f.summary, as_typed(file_of(f))));
}

std::string Supervisor::file_of(const FindingRow& f) const {
  return f.path.starts_with("/") ? f.path : folder_.root() + "/" + f.path;
}

// A finding without a file: the index and the log keep what its process said.
void Supervisor::told(TargetState& t, const ToldFinding& f) {
  index_.add_told(t.name, f, clock_now());
  t.findings = index_.findings(t.name);
  if (warned_.insert("told " + f.key).second)
    say(fmt::format("{}: found {}: {}: {}; its file could not be written, its case is: {}", t.name,
                    printable(f.key, false), printable(f.summary, false), printable(f.message, false),
                    printable(f.bytes, false)));
}

// Somebody may have removed them to begin anew; libFuzzer ends where they are missing.
void Supervisor::restore_folders(TargetState& t) {
  for (const std::string& made : folder_.restore(t.name))
    say(fmt::format("{}: the folder '{}' was removed and is made again", t.name, printable(made, false)));
}

void Supervisor::prune(TargetState& t) {
  std::vector<std::string> reproducers;
  for (const FileRow& f : index_.reproducers(t.name)) reproducers.push_back(f.path);
  const std::vector<std::string> removed = folder_.prune_crashes(t.name, options_.crashes_limit << 20, reproducers);
  if (removed.empty()) return;
  std::vector<std::string> paths;
  for (const std::string& path : removed) paths.push_back(folder_.indexed(path));
  index_.forget_files(t.name, paths);
  t.findings = index_.findings(t.name);
  say(fmt::format("{}: {} of the oldest files in {} removed, beyond {} MiB", t.name, removed.size(),
                  folder_.crashes(t.name), options_.crashes_limit));
}

void Supervisor::add_history(TargetState& t) {
  index_.add(t.name, {clock_now(), t.row.executions, t.row.edges, t.row.features, t.row.corpus});
}

}  // namespace warpfuzz::cli
