// expand - convert tabs to spaces
//
// usage: expand [OPTION]... [FILE]...
// Replaces each tab by the blanks up to the next tab stop (every 8 columns, or those of -t).
//
// Exit status: 0, or 1 when a file could not be read or a tab list is wrong.
// Source: POSIX expand; GNU coreutils 9.1, where a character is a byte, with the old form -LIST.
// Differs: nothing known.

#include "commands/closed_input.h"
#include "commands/text/tab_lists.h"
#include "text/tab_stops.h"

namespace paddock {
namespace {

struct Options {
  bool initial = false;
  std::vector<std::string> tabs;
};

constexpr Option kOptions[] = {
    Flag<&Options::initial>('i', "initial", "do not convert tabs after non blanks"),
    Value<&Options::tabs>('t', "tabs", "LIST", "have tabs N characters apart, not 8, or at a list of positions"),
};

bool TakeTabs(void* options, std::string_view argument) {
  if (argument[0] != '-' || argument.size() < 2 || argument[1] < '0' || argument[1] > '9') return false;
  static_cast<Options*>(options)->tabs.emplace_back(argument.substr(1));
  return true;
}

class Expander {
 public:
  Expander(Invocation& in, const TabStops& stops, bool is_initial_only)
      : in_(in), stops_(stops), is_initial_only_(is_initial_only) {}

  void Feed(std::string_view bytes) {
    while (!bytes.empty()) {
      size_t end = 0;
      while (end < bytes.size() && !MovesOtherwise(bytes[end])) ++end;
      Copy(bytes.substr(0, end));
      if (end == bytes.size()) return;
      const char c = bytes[end];
      bytes.remove_prefix(end + 1);
      if (c == '\t' && converts_) {
        WriteTab();
      } else {
        in_.out.Put(c);
        if (c == '\n') Restart();
        else if (c == '\t') ++column_;
        else if (column_ > 0) --column_;
        if (c == '\b' && is_initial_only_) converts_ = false;
      }
    }
  }

 private:
  // Tab, newline and backspace.
  static bool MovesOtherwise(char c) { return static_cast<unsigned char>(c - '\b') <= '\n' - '\b'; }
  void Restart() {
    column_ = 0;
    converts_ = true;
  }

  void Copy(std::string_view text) {
    in_.out.Write(text);
    column_ += text.size();
    if (is_initial_only_ && text.find_first_not_of(' ') != std::string_view::npos) converts_ = false;
  }

  void WriteTab() {
    constexpr std::string_view kBlanks = "                                                                ";
    const uint64_t next = stops_.Next(column_).value_or(column_ + 1);
    uint64_t missing = next - column_;
    column_ = next;
    while (missing > 0 && in_.out.status()) {
      const size_t size = std::min<uint64_t>(missing, kBlanks.size());
      in_.out.Write(kBlanks.substr(0, size));
      in_.budget.Step();
      missing -= size;
    }
  }

  Invocation& in_;
  const TabStops& stops_;
  const bool is_initial_only_;
  uint64_t column_ = 0;
  bool converts_ = true;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  TabStops stops;
  for (const std::string& list : options.tabs) {
    if (const Status added = stops.AddList(list, in.locale.is_utf8); !added) return in.Fail(added.error().Text());
  }
  if (const Status finished = stops.Finish(); !finished) return in.Fail(finished.error().Text());
  Expander expander(in, stops, options.initial);
  const ExitStatus status = FeedInputs(in, operands, expander, 32);
  return CloseStandardInput(in, operands, status);
}

}  // namespace

extern const Command kCommand_expand;
const Command kCommand_expand = Define<Options, Run>({
    .name = "expand",
    .summary = "convert tabs in each FILE to spaces, writing to standard output",
    .synopsis = "[OPTION]... [FILE]...",
    .details = kTabListDetails,
    .options = kOptions,
    .rules = {.numeric_shorthand = TakeTabs},
});

}  // namespace paddock
