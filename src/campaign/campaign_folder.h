// The folder of a campaign: who works in it, where its files are, what a killed supervisor left, and how it is kept small.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpfuzz::cli {

struct StoredFile {
  std::string path, name;
  std::uint64_t size = 0;     // its length
  std::uint64_t bytes = 0;    // that it takes of the disk, which limits are about
  std::int64_t modified = 0;  // ns
};
// Regular files of a folder; those that start with a dot are no inputs and no findings, and are left out.
std::vector<StoredFile> files_in(const std::string& folder);
std::uint64_t total_bytes(const std::vector<StoredFile>& files);

class CampaignFolder {
 public:
  // Takes the folder for this process. A Failure where another supervisor has it, or where it cannot be made.
  explicit CampaignFolder(const std::string& root);
  ~CampaignFolder();
  CampaignFolder(const CampaignFolder&) = delete;
  CampaignFolder& operator=(const CampaignFolder&) = delete;

  const std::string& root() const { return root_; }
  std::string state(const std::string& name) const { return root_ + "/campaign/" + name; }
  std::string corpus(const std::string& target) const { return root_ + "/corpus/" + target; }
  std::string merge_folder(const std::string& target) const { return root_ + "/corpus/.merge-" + target; }
  std::string crashes(const std::string& target) const { return root_ + "/crashes/new/" + target; }
  std::string kept(const std::string& target) const { return "crashes/" + target; }  // as the target's process sees it
  std::string counts(std::int64_t slice) const { return state("counts-" + std::to_string(slice)); }
  std::string indexed(const std::string& path) const;  // how the index names a file

  bool there() const;  // campaign/, with everything that state() names
  // Makes the folders of a target and puts right what a kill or a full disk left in them; how many empty inputs of these.
  std::size_t prepare(const std::string& target) const;
  // Makes those of its folders again that are gone; which.
  std::vector<std::string> restore(const std::string& target) const;
  // merge_folder(target) has become whole: it replaces the corpus.
  void replace_corpus(const std::string& target, const std::vector<StoredFile>& merged) const;
  // Removes the oldest inputs beyond the limit; how many.
  std::size_t shorten_corpus(const std::string& target, std::uint64_t limit) const;
  // Removes the oldest files of the crashes folder beyond the limit, but `reproducers` (one for each key) and the newest
  // artifact of each kind; what was removed.
  std::vector<std::string> prune_crashes(const std::string& target, std::uint64_t limit,
                                         const std::vector<std::string>& reproducers) const;

 private:
  std::string root_;
  int lock_ = -1, children_ = -1;
};

}  // namespace warpfuzz::cli
