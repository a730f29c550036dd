// unexpand - convert spaces to tabs
//
// usage: unexpand [OPTION]... [FILE]...
// Replaces blanks that reach a tab stop (every 8 columns, or those of -t) by tabs: those at the start of a
// line, or with -a or -t all of them.
//
// Exit status: 0, or 1 when a file could not be read or a tab list is wrong.
// Source: POSIX unexpand; GNU coreutils 9.1, where a character is a byte, with the old form -LIST.
// Differs: nothing known.

#include "commands/closed_input.h"
#include "commands/text/tab_lists.h"
#include "text/tab_stops.h"

namespace paddock {
namespace {

struct Options {
  bool all = false;
  bool first_only = false;
  std::vector<std::string> tabs;
  std::string old_tabs;   // the characters of -4,8
};

Status AddTabs(Options& options, std::string_view list) {
  options.all = true;
  options.tabs.emplace_back(list);
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::all>('a', "all", "convert all blanks, instead of just initial blanks"),
    Flag<&Options::first_only>(0, "first-only", "convert only leading sequences of blanks (overrides -a)"),
    Call<AddTabs>('t', "tabs", "LIST", "have tabs N characters apart, not 8, or at a list of positions (enables -a)"),
};

bool TakeTabs(void* options, std::string_view argument) {
  if (argument[0] != '-' || argument.find_first_not_of("a,0123456789", 1) != std::string_view::npos) return false;
  if (argument == "-a") return false;
  auto& o = *static_cast<Options*>(options);
  for (const char c : argument.substr(1)) {
    if (c == 'a') o.all = true;
    else o.old_tabs += c;
  }
  return true;
}

class Unexpander {
 public:
  Unexpander(Invocation& in, const TabStops& stops, bool converts_all)
      : in_(in), stops_(stops), converts_all_(converts_all) {}

  void Feed(std::string_view bytes) {
    for (const char c : bytes) {
      if (!converts_) {
        in_.out.Put(c);
        if (c == '\n') Restart();
        continue;
      }
      if (c == ' ' || c == '\t') {
        TakeBlank(c);
        continue;
      }
      Flush();
      in_.out.Put(c);
      if (c == '\n') {
        Restart();
        continue;
      }
      if (c == '\b') column_ -= column_ > 0;
      else ++column_;
      follows_blank_ = false;
      converts_ = converts_all_;
    }
  }

  // The end of the input.
  void Flush() {
    // A blank that reached a stop alone and has company behind it is a tab after all.
    if (has_lone_blank_ && held_.size() > 1) held_[0] = '\t';
    in_.out.Write(held_);
    held_.clear();
    has_lone_blank_ = false;
  }

 private:
  void Restart() {
    column_ = 0;
    converts_ = follows_blank_ = true;
  }

  void TakeBlank(char c) {
    const auto stop = stops_.Next(column_);
    if (!stop) {
      Flush();
      in_.out.Put(c);
      converts_ = false;
      return;
    }
    if (c == '\t') {
      column_ = *stop;
      if (!held_.empty()) held_[0] = '\t';
    } else {
      ++column_;
      if (!follows_blank_ || column_ != *stop) {
        if (column_ == *stop) has_lone_blank_ = true;
        in_.budget.Step();
        held_ += c;
        follows_blank_ = true;
        return;
      }
      if (!held_.empty()) held_[0] = '\t';
    }
    held_.resize(has_lone_blank_ ? 1 : 0);
    Flush();
    in_.out.Put('\t');
    follows_blank_ = true;
  }

  Invocation& in_;
  const TabStops& stops_;
  const bool converts_all_;
  uint64_t column_ = 0;
  bool converts_ = true;
  bool follows_blank_ = true;   // also at the start of a line
  bool has_lone_blank_ = false;
  std::string held_;            // blanks of which it is not known yet whether they become a tab
};

Status ReadStops(const Options& options, bool is_utf8, TabStops& stops) {
  for (const std::string& list : options.tabs) PADDOCK_TRY(stops.AddList(list, is_utf8));
  PADDOCK_TRY(stops.AddList(options.old_tabs, is_utf8));
  return stops.Finish();
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  TabStops stops;
  if (const Status read = ReadStops(options, in.locale.is_utf8, stops); !read) return in.Fail(read.error().Text());
  Unexpander unexpander(in, stops, options.all && !options.first_only);
  const ExitStatus status = FeedInputs(in, operands, unexpander, 16);
  unexpander.Flush();
  return CloseStandardInput(in, operands, status);
}

}  // namespace

extern const Command kCommand_unexpand;
const Command kCommand_unexpand = Define<Options, Run>({
    .name = "unexpand",
    .summary = "convert blanks in each FILE to tabs, writing to standard output",
    .synopsis = "[OPTION]... [FILE]...",
    .details = kTabListDetails,
    .options = kOptions,
    .rules = {.numeric_shorthand = TakeTabs},
});

}  // namespace paddock
