// What diff was asked to do: its option table and the settings made from it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/text/diff_pair.h"
#include "commands/text/diff_print.h"
#include "proc/command.h"
#include "text/pattern.h"

namespace paddock {

struct DiffOptions {
  std::vector<DiffStyle> styles;       // all the same
  bool brief = false;
  bool report_same = false;
  size_t context = 0;                  // the largest of -U and -C
  bool has_explicit_context = false;
  std::string old_context;             // digits of -NUM
  bool show_c_function = false;
  std::vector<std::string> function_patterns;
  std::vector<std::string> labels;
  std::optional<size_t> width;
  bool left_column = false;
  bool suppress_common_lines = false;
  bool expand_tabs = false;
  bool is_terminal_presumed = false;   // ---presume-output-tty
  bool initial_tab = false;
  std::optional<size_t> tab_size;
  bool suppress_blank_empty = false;
  bool paginate = false;
  bool recursive = false;
  bool no_dereference = false;
  bool new_file = false;
  bool new_first_file = false;
  bool ignore_name_case = false;
  std::vector<std::string> exclude;
  std::vector<std::string> exclude_from;
  std::optional<std::string> starting_file;
  std::optional<std::string> from_file;
  std::optional<std::string> to_file;
  bool ignore_case = false;
  DiffSpace space = DiffSpace::kExact;
  bool ignore_blank_lines = false;
  std::vector<std::string> ignored_patterns;
  bool text = false;
  bool strip_carriage_return = false;
  bool minimal = false;
  bool speed = false;
  size_t horizon = 0;
  std::array<std::optional<std::string>, 4> group_formats;   // by DiffChange
  std::array<std::optional<std::string>, 3> line_formats;
  std::optional<std::string> color;
  std::string palette;
  bool help = false;
  bool version = false;
};

inline constexpr size_t kDiffOptionCount = 71;
extern const Option kDiffOptions[kDiffOptionCount];

// Everything that a comparison needs, checked.
struct DiffSettings {
  DiffRules rules;
  DiffLayout layout;
  std::vector<std::string> labels;
  std::vector<Pattern> excluded;
  std::unique_ptr<Regex> ignored;
  std::unique_ptr<Regex> function;
  std::string switches;      // the options as recursive output repeats them
  bool brief = false;
  bool report_same = false;
  bool recursive = false;
  bool new_file = false;
  bool new_first_file = false;
  bool no_dereference = false;
  bool ignore_name_case = false;
  bool text = false;
  std::string starting_file;
};

// Errors carry the whole complaint; code kSyntax for a usage error.
Result<DiffSettings> MakeDiffSettings(Invocation& in, const DiffOptions& options);

}  // namespace paddock
