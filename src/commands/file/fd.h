// The parts of fd: what is looked for and where, the filters, and the commands that results are given to.
//
// fd.cc reads the command line, fd_filters_lib.cc the values of filters, fd_walk_lib.cc walks, fd_run_lib.cc runs commands.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/file_facts.h"
#include "commands/ignore_files.h"
#include "commands/user_names.h"
#include "text/regex.h"

namespace paddock::fd {

// "error: WHAT\n\nFor more information try '--help'\n" is made of such an error.
Error BadValue(std::string_view option, std::string_view value, std::string_view why);
// Digits only. Errors: BadValue.
Result<uint64_t> ParseNumber(std::string_view option, std::string_view text);

struct Types {
  bool any = false;   // -t was given
  bool files = false, directories = false, symlinks = false, sockets = false, pipes = false, executables = false, empties = false;
  Status Add(std::string_view text);
};

struct SizeFilter {
  enum class Kind { kAtLeast, kAtMost, kExactly } kind;
  uint64_t bytes;
  static Result<SizeFilter> Parse(std::string_view text);
  bool Matches(uint64_t size) const;
};

struct OwnerFilter {
  struct Id {
    uint32_t id;
    bool is_not;
  };
  std::optional<Id> user, group;
  static Result<OwnerFilter> Parse(std::string_view text, UserNames& names);
  bool Matches(const vfs::Attributes& attributes) const;
};

// The moment that --changed-within and its like name: so long ago, or a date. Nothing for anything else.
std::optional<TimePoint> ParseMoment(std::string_view text, const TimePoint& now, const TimeZone& zone, Budget& budget);

// A pattern that names have to match: a regular expression, plain text or a glob.
struct PatternSettings {
  enum class Kind { kRegex, kGlob, kLiteral } kind = Kind::kRegex;
  bool ignores_case = false;
  bool is_for_paths = false;
};
class NamePattern {
 public:
  // Errors: what fd says after "[fd error]: ".
  static Result<NamePattern> Parse(const std::string& text, const PatternSettings& settings);
  // Fails when the expression needs more steps than a search may take.
  Result<bool> Matches(std::string_view name, Budget& budget) const;

 private:
  std::optional<Regex> regex_;
  std::optional<IgnoreGlob> glob_;
  bool is_never_ = false;
};
// Whether smart case takes the pattern as it is written.
bool HasUppercase(std::string_view pattern, PatternSettings::Kind kind);
// Whether nothing but names with a leading dot can match.
bool WantsLeadingDot(std::string_view pattern, PatternSettings::Kind kind);

struct Search : IgnoreSettings {
  std::vector<NamePattern> patterns;     // all have to match
  bool matches_paths = false;            // -p
  bool shows_hidden = false, follows = false, stays_on_device = false, prunes = false, shows_errors = false;
  std::optional<uint64_t> min_depth, max_depth;
  IgnoreGlobList excludes;
  std::string exclude_base;              // what excludes with a slash are relative to; absolute
  Types types;
  std::vector<std::string> suffixes;     // ".txt", in lower case
  std::vector<SizeFilter> sizes;
  std::optional<TimePoint> after, before;
  std::optional<OwnerFilter> owner;
};

struct Hit {
  std::string path;
  bool is_directory = false;
};
// Calls `visit` for all hits below `root`, in the order of names; false from it ends the walk and comes back. An error is a pattern's.
Result<bool> Walk(Invocation& in, const Search& search, const std::string& root, const std::function<bool(const Hit&)>& visit);

// A command with placeholders.
class CommandTemplate {
 public:
  CommandTemplate(std::vector<std::string> words, std::string separator);
  size_t placeholder_count() const { return count_; }
  bool has_fixed_program() const;
  std::vector<std::string> Fill(const std::string& path) const;
  std::vector<std::string> FillAll(const std::vector<std::string>& paths, Budget& budget) const;

 private:
  std::string FillWord(std::string_view word, const std::string& path) const;
  std::vector<std::string> words_;
  std::string separator_;
  size_t count_ = 0;   // words with placeholders
};

// Runs a command line to its end; true when it succeeded. One that cannot be started is complained of.
bool RunCommandLine(Invocation& in, std::vector<std::string> words);

// A path with each slash replaced.
std::string WithSeparator(std::string_view path, std::string_view separator);

}  // namespace paddock::fd
