// Corpora and findings on disk: looked at, put into the index, kept within their limits.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/supervisor.h"

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

void Supervisor::scan_folder(TargetState& t, const std::string& folder, bool kept, std::set<std::string>& there) {
  for (const StoredFile& f : files_in(folder)) {
    if (!f.name.ends_with(".wfz")) continue;
    const std::string path = folder_.indexed(f.path);
    there.insert(path);
    if (index_.has_file(path, f.size, f.modified)) continue;
    const ReadResult read = read_wfz(f.path);
    if (!read.finding) {
      say(read.error);
      continue;
    }
    if (read.finding->target != t.name) continue;  // of another target, put here by hand
    index_.add_file(path, f.size, f.modified, *read.finding, kept, clock_now());
  }
}

void Supervisor::scan(TargetState& t) {
  t.new_files = false;
  t.scanned = clock_now();
  std::set<std::string> known, there;
  for (const FindingRow& f : index_.findings(t.name)) known.insert(f.key);
  scan_folder(t, folder_.kept(t.name), true, there);
  scan_folder(t, folder_.crashes(t.name), false, there);
  std::vector<std::string> gone = index_.files(t.name);
  std::erase_if(gone, [&](const std::string& path) { return there.contains(path); });
  if (!gone.empty()) index_.forget_files(t.name, gone);
  t.findings = index_.findings(t.name);
  for (const FindingRow& f : t.findings)
    if (!known.contains(f.key) && !f.kept) say(fmt::format("{}: found {}: {} -> {}", t.name, f.key, f.summary, f.path));
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
  say(fmt::format("{}: {} of the oldest files in {} removed, beyond {} MiB", t.name, removed.size(), folder_.crashes(t.name), options_.crashes_limit));
}

void Supervisor::add_history(TargetState& t) { index_.add(t.name, {clock_now(), t.row.executions, t.row.edges, t.row.features, t.row.corpus}); }

}  // namespace warpfuzz::cli
