// What tree's forms have in common: the facts about a file as text, and the lines between names.
#pragma once

#include <string>

#include "commands/file/tree_printer.h"
#include "commands/user_names.h"
#include "text/date/time_zone.h"

namespace paddock::tree {

// The facts about a file that all forms show.
class Facts {
 public:
  Facts(Invocation& in, const PrintSettings& settings);

  std::string User(const Node& node);
  std::string Group(const Node& node);
  // "4.0K" of four columns, or a number of eleven.
  std::string Size(uint64_t size) const;
  std::string Date(const Node& node) const;
  // "[-rw-r--r-- user     group            12]  ", or nothing.
  std::string Bracket(const Node& node);
  // "2 directories, 3 files" and what stands before it.
  std::string Report(const Totals& totals) const;

 private:
  const PrintSettings& s_;
  Invocation& in_;
  UserNames names_;
  TimeZone zone_;
  TimePoint now_;
};

// "directory", "link" ...
const char* TypeName(const Node& node);
// Lines of a comment in one text.
std::string JoinedComment(const Node& node);
// With < > & and " as entities.
std::string EscapedMarkup(std::string_view text);

struct Marks {
  const char *vertical, *tee, *corner;
};
const Marks& MarksOf(Lines lines);

}  // namespace paddock::tree
