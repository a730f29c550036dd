// --dirstat: how much of what changed is in each directory.
#include <algorithm>
#include <cstdio>

#include "commands/git/diff/diff_renames.h"

namespace paddock::git {
namespace {

struct Damage {
  std::string path;
  int64_t amount;
};

class DirectoryShares {
 public:
  DirectoryShares(Git& git, const Dirstat& rules, std::vector<Damage> files) : git_(git), rules_(rules), files_(std::move(files)) {
    std::sort(files_.begin(), files_.end(), [](const Damage& a, const Damage& b) { return a.path < b.path; });
    for (const Damage& file : files_) total_ += file.amount;
  }
  std::string Text() {
    if (total_ > 0) Gather("");
    return std::move(text_);
  }

 private:
  // What is below a directory, without what was already shown.
  int64_t Gather(const std::string& base) {
    git_.in.budget.CheckStack();
    int64_t sum = 0;
    size_t sources = 0;
    while (at_ < files_.size() && files_[at_].path.starts_with(base)) {
      git_.in.budget.Step();
      const std::string& path = files_[at_].path;
      const size_t slash = path.find('/', base.size());
      if (slash != std::string::npos) {
        sum += Gather(path.substr(0, slash + 1));
        ++sources;
      } else {
        sum += files_[at_++].amount;
        sources += 2;
      }
    }
    // A directory with one directory in it, and nothing else, is not worth a line.
    if (base.empty() || sources == 1 || sum == 0) return sum;
    const int64_t permille = sum * 1000 / total_;
    if (permille < rules_.least_permille) return sum;
    char line[32];
    std::snprintf(line, sizeof line, "%4d.%01d%% ", static_cast<int>(permille / 10), static_cast<int>(permille % 10));
    text_ += line + base + "\n";
    return rules_.is_cumulative ? sum : 0;
  }

  Git& git_;
  const Dirstat& rules_;
  std::vector<Damage> files_;
  int64_t total_ = 0;
  size_t at_ = 0;
  std::string text_;
};

}  // namespace

Result<std::string> DirstatText(Git& git, const std::vector<FileDiff>& files, const DiffOptions& options) {
  std::vector<Damage> damages;
  for (const FileDiff& file : files) {
    git.in.budget.Step();
    if (file.status == 'U') continue;
    Damage damage{file.new_path, 0};
    if (options.dirstat->counts == Dirstat::Counts::kLines) {
      PADDOCK_ASSIGN(const LineCounts counts, CountLines(git, file, options));
      damage.amount = static_cast<int64_t>(counts.added + counts.deleted);
      if (counts.is_binary) {
        PADDOCK_ASSIGN(const std::string before, ContentOf(git, file, false));
        PADDOCK_ASSIGN(const std::string after, ContentOf(git, file, true));
        damage.amount = static_cast<int64_t>((before.size() + after.size() + 63) / 64);
      }
    } else if (file.old_mode != 0 && file.new_mode != 0 && file.old_id == file.new_id) {
      damage.amount = 0;
    } else if (options.dirstat->counts == Dirstat::Counts::kFiles) {
      damage.amount = 1;
    } else {
      PADDOCK_ASSIGN(const std::string before, ContentOf(git, file, false));
      PADDOCK_ASSIGN(const std::string after, ContentOf(git, file, true));
      ContentOverlap overlap{0, static_cast<int64_t>(after.size())};
      if (file.old_mode == 0) overlap.copied = 0;
      else if (file.new_mode != 0) overlap = CompareContents(before, after, git.in.budget);
      damage.amount = std::max<int64_t>(static_cast<int64_t>(before.size()) - overlap.copied + overlap.added, 1);
    }
    damages.push_back(std::move(damage));
  }
  return DirectoryShares(git, *options.dirstat, std::move(damages)).Text();
}

}  // namespace paddock::git
