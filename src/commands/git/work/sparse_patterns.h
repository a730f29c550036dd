// Sparse checkouts: which paths of the index have files in the working tree. The patterns are in .git/info/sparse-checkout: directories
// (cone mode), or lines as those of .gitignore, where what they match is there.
//
// Source: git-sparse-checkout(1).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"
#include "commands/ignore_files.h"

namespace paddock::git {

class SparsePatterns {
 public:
  explicit SparsePatterns(bool is_cone) : is_cone_(is_cone) {}

  // Lines of a file. In cone mode: what is no directory is told in `warnings`, and the lines count as patterns.
  void AddLines(std::string_view text, Budget& budget, std::vector<std::string>& warnings);
  // One line as a pattern; not for cone mode.
  void AddPattern(std::string_view line, Budget& budget);
  // A directory with all that is below it. Errors: the path leads out of the tree.
  Status AddDirectory(std::string_view path, Budget& budget);
  // The directories of another cone that none of ours hold.
  void AddDirectoriesOf(const SparsePatterns& other, Budget& budget);

  bool is_cone() const { return is_cone_; }
  // Whether the file of the path belongs into the working tree.
  bool Includes(std::string_view path, Budget& budget) const;
  // Whether anything below the directory may.
  bool IncludesDirectory(std::string_view directory) const;
  // As the file of patterns has them.
  std::string Text() const;
  // What `git sparse-checkout list` tells: the directories of a cone, or the lines.
  std::vector<std::string> List() const;

 private:
  struct Line {
    std::string text;   // without "!" and the slash at the end
    bool is_negative = false, is_for_directories = false;
  };
  // Takes a line of a cone; its complaint when it is none.
  std::optional<std::string> TakeConeLine(const Line& line);
  void AddWhole(const std::string& path);
  bool HasWholeAbove(std::string_view path) const;

  bool is_cone_;
  bool is_all_ = false;                                       // of a cone: the whole tree
  std::set<std::string, std::less<>> whole_, parents_;        // of a cone: "/a/b"; with all below, and those on the way to such ones
  std::vector<Line> lines_;
  IgnoreGlobList globs_;
};

// The patterns that the repository goes by; nothing when it has no sparse checkout, or no file of patterns.
std::optional<SparsePatterns> ActivePatterns(Git& git);
// The file of patterns; nothing when there is none. Its warnings are told.
std::optional<SparsePatterns> ReadPatterns(Git& git, bool is_cone);

// What was left as it is because something stood in the way; told by Tell().
struct SparseLeftovers {
  std::vector<std::string> changed, unmerged, present;
  void Tell(Git& git) const;
};
// Makes the files and the skip-worktree bits of the index follow the patterns. What was changed stays (`is_forced`: it goes) and is
// reported. `kept`: paths whose files are there whatever the patterns say.
Status FollowPatterns(Git& git, const SparsePatterns& patterns, Index& index, bool is_forced, SparseLeftovers& left, const std::set<std::string>& kept = {});
// What `git clone --sparse` does before files are written: a cone of the files at the top.
Status BeginSparse(Git& git);
// Takes the bit from entries whose files are there, as every reader of the index does in a sparse checkout.
void ForgetPresent(Git& git, Index& index);

// An entry of a file that the patterns leave out.
IndexEntry SkippedEntry(const std::string& path, const TreeItem& item);

// A sparse index has directories that the patterns leave out as one entry (mode 40000, a slash behind the path). Git::ReadIndex puts
// their files in their place, Git::WriteIndex does the opposite where the configuration asks for it (index.sparse).
bool HasDirectories(const Index& index);
Status ExpandDirectories(Git& git, Index& index);
Status CollapseDirectories(Git& git, Index& index);

}  // namespace paddock::git
