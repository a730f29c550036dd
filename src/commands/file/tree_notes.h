// What files in the tree say about others: .gitignore (what is left out) and .info (comments). Both are found while
// directories are read, and hold for what is below.
//
// Source: tree 2.1.0, which differs from git: the order of the lines does not matter, any "!" wins, and a pattern
// with a slash anywhere, even at its end, is anchored at the directory of its file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"
#include "text/path_glob.h"

namespace paddock::tree {

// Alternatives separated by '|'; with a '/' at the end only for directories.
class NotePattern {
 public:
  NotePattern(std::string_view text, bool ignore_case);
  bool Matches(std::string_view text, bool is_directory, Budget& budget) const;

 private:
  std::vector<PathGlob> globs_;
  bool only_directories_;
};

// An entry of a directory that is being read.
struct NoteSubject {
  std::string_view path;
  std::string_view name;
  bool is_directory;
};

class IgnoreFiles {
 public:
  IgnoreFiles(Invocation& in, bool ignore_case) : in_(in), ignore_case_(ignore_case) {}

  // A file for the whole tree. Its anchored patterns match nothing, as in the real tree.
  Status Load(const std::string& path);
  // Takes in the file of a directory, if it has one; Leave undoes it.
  void Enter(const std::string& directory);
  void Leave() { files_.pop_back(); }

  bool IsIgnored(const NoteSubject& subject) const;

 private:
  struct Rule {
    NotePattern pattern;
    bool is_anchored;
    bool is_negated;
  };
  struct File {
    std::optional<std::string> directory;
    std::vector<Rule> rules;
  };
  Status Read(const std::string& path, File& file) const;
  bool Matches(const File& file, const NoteSubject& subject, bool is_negated) const;

  Invocation& in_;
  bool ignore_case_;
  std::vector<File> files_;
};

class CommentFiles {
 public:
  CommentFiles(Invocation& in, bool ignore_case) : in_(in), ignore_case_(ignore_case) {}

  Status Load(const std::string& path);
  void Enter(const std::string& directory);
  void Leave() { files_.pop_back(); }

  // The lines about an entry of the directory that was entered last; nothing when there are none.
  const std::vector<std::string>* Find(const NoteSubject& subject) const;

 private:
  struct Comment {
    std::vector<NotePattern> patterns, anchored;
    std::vector<std::string> lines;
  };
  struct File {
    std::string directory;
    std::vector<Comment> comments;
  };
  Status Read(const std::string& path, File& file) const;
  bool Matches(const Comment& comment, const NoteSubject& subject, const File* own) const;

  Invocation& in_;
  bool ignore_case_;
  std::vector<File> files_;
};

}  // namespace paddock::tree
