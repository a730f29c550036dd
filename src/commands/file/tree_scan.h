// What tree shows, read into memory: the directories below an operand, filtered and sorted.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "commands/file/tree_notes.h"
#include "proc/command.h"
#include "text/pattern.h"

namespace paddock::tree {

struct Node {
  std::string name;    // as shown without -f; for an operand, as it was given
  std::string path;
  vfs::Attributes attributes;
  std::string target;                              // of a symlink
  std::optional<vfs::Attributes> target_attributes;  // nothing when it dangles
  bool exists = true;
  std::string error;       // why it was not
  uint64_t size = 0;
  bool has_entries = false;           // a name of a list with others below it, whatever they are
  bool is_listing = false;            // a file whose lines are the names (--fromfile)
  std::vector<std::string> comment;   // lines from a .info file
  std::vector<Node> children;

  bool is_directory() const {
    return attributes.is_directory() || (target_attributes && target_attributes->is_directory());
  }
  bool is_branch() const { return is_directory() || has_entries; }
};

enum class SortKey { kName, kVersion, kSize, kModified, kChanged, kNone };
enum class Grouping { kNone, kDirectoriesFirst, kFilesFirst };

struct ScanSettings {
  bool shows_hidden = false;
  bool only_directories = false;
  bool follows_links = false;
  bool one_file_system = false;
  bool prunes = false;
  bool ignore_case = false;
  bool matches_directories = false;   // a directory that matches is not pruned
  bool sums_sizes = false;
  bool reverse = false;
  uint64_t max_level = std::numeric_limits<uint64_t>::max();
  int64_t file_limit = 0;             // directories with more entries are not opened; 0: all are
  SortKey sort = SortKey::kName;
  Grouping grouping = Grouping::kNone;
  bool reads_ignore_files = false;    // .gitignore
  bool reads_comments = false;        // .info
  bool lists_links = false;           // "name -> target" in a list of paths is a link
  std::vector<std::string> wanted, ignored;   // patterns, alternatives separated by '|'
};

// Reads the tree below `path`. What cannot be read has its error in the node.
class Scanner {
 public:
  Scanner(Invocation& in, const ScanSettings& settings);
  // Files that hold for all trees, beside those that are found in them.
  Status LoadIgnored(const std::string& path) { return ignore_files_.Load(path); }
  Status LoadComments(const std::string& path) { return comment_files_.Load(path); }
  Node Scan(const std::string& path);
  // Takes the lines of a file (".": of standard input) as paths, without looking for them.
  Node ScanList(const std::string& path);

 private:
  // One alternative of a -P or -I.
  struct Glob {
    Pattern pattern;
    bool only_directories;
  };
  std::vector<Glob> Compile(const std::vector<std::string>& patterns) const;
  bool Matches(const std::vector<Glob>& globs, const Node& node) const;
  bool IsShown(const Node& node) const;
  void TakeEntries(Node& node, const std::vector<vfs::DirectoryEntry>& entries) const;
  Node Look(std::string path, std::string name) const;
  void Read(Node& node, uint64_t level);
  void ReadBelow(Node& node, uint64_t level);
  void Descend(Node& child, uint64_t level);
  void Sort(std::vector<Node>& nodes) const;
  bool IsBefore(const Node& a, const Node& b) const;

  Invocation& in_;
  const ScanSettings& s_;
  std::vector<Glob> wanted_, ignored_;
  IgnoreFiles ignore_files_;
  CommentFiles comment_files_;
  std::set<std::pair<uint64_t, uint64_t>> visited_;   // device and inode of directories that were read
  uint64_t device_ = 0;
};

}  // namespace paddock::tree
