// Ignore files (.gitignore, .ignore and a tool's own): their patterns, and what those of a directory and all above it say of a file.
// What rg and fd leave out is decided here.
//
// Source: gitignore(5); ripgrep 13.0.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"
#include "text/component_glob.h"

namespace paddock {

// A pattern of .gitignore: one with a slash is for a path below the file's directory, one without for a name at any depth; ** stands
// for any number of directories.
class IgnoreGlob {
 public:
  // Errors: rg's complaint. `has_braces`: {a,b} means either.
  static Result<IgnoreGlob> Parse(std::string_view text, bool ignores_case, bool has_braces);
  bool Matches(std::string_view path, bool is_directory, Budget& budget) const;
  bool is_negative() const { return is_negative_; }

 private:
  std::vector<ComponentGlob> alternatives_;
  bool is_negative_ = false;
  bool is_for_directories_ = false;
};

enum class IgnoreVerdict { kNone, kIgnore, kKeep };

class IgnoreGlobList {
 public:
  void Add(IgnoreGlob glob) { globs_.push_back(std::move(glob)); }
  // Lines that are no patterns are left out; `complaints`, if given, gets "line N: WHY" for the first hundred of them.
  void AddLines(std::string_view text, bool ignores_case, Budget& budget, std::vector<std::string>* complaints = nullptr);
  // What the last pattern that matches says: a plain one ignores.
  IgnoreVerdict Check(std::string_view path, bool is_directory, Budget& budget) const;
  bool empty() const { return globs_.empty(); }
  bool has_positive() const;

 private:
  std::vector<IgnoreGlob> globs_;
};

struct IgnoreSettings {
  const char* own_name = ".rgignore";   // the tool's own ignore file, which wins over the others
  bool uses_dot_ignore = true;          // .ignore and the tool's own
  bool uses_vcs = true;
  bool uses_exclude = true;
  bool uses_parents = true;
  bool requires_git = true;
  bool ignores_case = false;
  bool says_ignore_messages = false;    // lines of ignore files that are no patterns are told
  IgnoreGlobList explicit_files;        // of --ignore-file
};

// The ignore files of one directory, and those above it.
struct IgnoreLevel {
  const IgnoreLevel* above = nullptr;
  std::string directory;     // absolute
  IgnoreGlobList own, dot, git, exclude;
  bool has_git = false;
};

// The ignore files on the way from the root to where a walk is; the walk enters and leaves directories.
class IgnoreFiles {
 public:
  // Both outlive it.
  IgnoreFiles(Invocation& in, const IgnoreSettings& settings) : in_(in), settings_(settings) {}

  // The directories above a walk that begins in `directory` (absolute); null if they do not count.
  const IgnoreLevel* LoadAbove(const std::string& directory);
  // Reads the files of `directory`, which messages call `shown` (empty: by its own name). Valid until Leave().
  const IgnoreLevel* Enter(const std::string& directory, const IgnoreLevel* above, const std::string& shown = {});
  void Leave() { levels_.pop_back(); }
  // What the files of `level` and above say of the path.
  IgnoreVerdict Check(const IgnoreLevel* level, const std::string& absolute, bool is_directory) const;

 private:
  const IgnoreLevel* LoadChain(const std::string& directory);

  Invocation& in_;
  const IgnoreSettings& settings_;
  std::vector<std::unique_ptr<IgnoreLevel>> levels_;
};

}  // namespace paddock
