// ls - list directory contents
//
// usage: ls [OPTION]... [FILE]...
// Lists the FILEs, and what is in those that are directories (default: the current directory), sorted by
// name. Called as dir it starts from -C -b, as vdir from -l -b, terminal or not.
//
// Exit status: 0, 1 for trouble inside a directory, 2 for a FILE that cannot be accessed or bad usage.
// Source: POSIX ls, GNU coreutils 9.1.
// Differs: birth times are unknown, so --time=birth shows "?".

#include "commands/file/ls_color.h"
#include "commands/file/ls_lister.h"
#include "commands/file/ls_settings.h"
#include "commands/file_facts.h"
#include "proc/command.h"
#include "proc/kernel.h"
#include "text/choice.h"
#include "text/numbers.h"
#include "text/pattern.h"

namespace paddock {
namespace {

using ls::Follow;
using ls::Hidden;
using ls::Indicators;
using ls::Layout;
using ls::Settings;
using ls::SortKey;
using ls::TimeKind;

struct Options {
  Settings settings;
  std::optional<Layout> layout;
  std::optional<SortKey> sort;
  std::optional<Follow> follow;
  std::optional<QuotingStyle> quoting;
  std::optional<bool> hides_controls;
  bool explicit_time = false;
  bool kibibytes = false;
  std::optional<BlockSize> human;
  std::optional<std::string> width, tab_size, time_style;
  // Words with a list of valid ones, in the order given; checked once the locale is known.
  struct Word {
    enum Kind { kColor, kClassify, kFormat, kHyperlink, kIndicator, kQuoting, kSort, kTime, kBlockSize } kind;
    std::string text;
    bool is_superseded = false;
  };
  std::vector<Word> words;
};

template <Options::Word::Kind kKind>
Status AddWord(Options& options, std::string_view text) {
  options.words.push_back({kKind, std::string(text.data() == nullptr ? "always" : text)});
  return {};
}

// What was asked for by words so far is only looked at for errors.
void Supersede(Options& options, Options::Word::Kind kind) {
  for (Options::Word& word : options.words) {
    if (word.kind == kind) word.is_superseded = true;
  }
}

template <Layout kLayout>
Status SetLayout(Options& o, std::string_view) {
  Supersede(o, Options::Word::kFormat);
  o.layout = kLayout;
  return {};
}
template <SortKey kSort>
Status SetSort(Options& o, std::string_view) {
  Supersede(o, Options::Word::kSort);
  o.sort = kSort;
  return {};
}
template <Follow kFollow>
Status SetFollow(Options& o, std::string_view) {
  o.follow = kFollow;
  return {};
}
template <QuotingStyle kStyle>
Status SetQuoting(Options& o, std::string_view) {
  Supersede(o, Options::Word::kQuoting);
  o.quoting = kStyle;
  return {};
}
template <Hidden kHidden>
Status SetHidden(Options& o, std::string_view) {
  o.settings.hidden = kHidden;
  return {};
}
template <Indicators kIndicators>
Status SetIndicators(Options& o, std::string_view) {
  o.settings.indicators = kIndicators;
  return {};
}
template <TimeKind kTime>
Status SetTime(Options& o, std::string_view) {
  o.settings.time = kTime;
  o.explicit_time = true;
  return {};
}
template <bool kHides>
Status SetHidesControls(Options& o, std::string_view) {
  o.hides_controls = kHides;
  return {};
}
template <bool kIsSi>
Status SetHuman(Options& o, std::string_view) {
  o.human = kIsSi ? BlockSize::Si() : BlockSize::Human();
  return {};
}
Status SetUnsorted(Options& o, std::string_view) {
  o.settings.hidden = Hidden::kAll;
  o.sort = SortKey::kNone;
  if (o.layout == Layout::kLong) o.layout.reset();
  o.settings.shows_color = o.settings.shows_links = o.settings.shows_blocks = false;
  return {};
}
Status SetFullTime(Options& o, std::string_view) {
  o.layout = Layout::kLong;
  o.time_style = "full-iso";
  return {};
}
Status SetNoOwner(Options& o, std::string_view) {
  o.layout = Layout::kLong;
  o.settings.shows_owner = false;
  return {};
}
Status SetLongNoGroup(Options& o, std::string_view) {
  o.layout = Layout::kLong;
  o.settings.shows_group = false;
  return {};
}
Status SetNoGroup(Options& o, std::string_view) {
  o.settings.shows_group = false;
  return {};
}
Status SetNumeric(Options& o, std::string_view) {
  o.layout = Layout::kLong;
  o.settings.numeric_ids = true;
  return {};
}
Status SetOnePerLine(Options& o, std::string_view) {
  Supersede(o, Options::Word::kFormat);
  if (o.layout != Layout::kLong) o.layout = Layout::kOnePerLine;
  return {};
}
Status IgnoreBackups(Options& o, std::string_view) {
  o.settings.ignore_patterns.insert(o.settings.ignore_patterns.end(), {"*~", ".*~"});
  return {};
}
Status AddIgnore(Options& o, std::string_view pattern) {
  o.settings.ignore_patterns.emplace_back(pattern);
  return {};
}
Status AddHide(Options& o, std::string_view pattern) {
  o.settings.hide_patterns.emplace_back(pattern);
  return {};
}
template <auto kMember>
Status Turn(Options& o, std::string_view) {
  o.settings.*kMember = true;
  return {};
}
Status SetNotListing(Options& o, std::string_view) {
  o.settings.lists_directories = false;
  return {};
}
Status SetZero(Options& o, std::string_view) {
  o.settings.end_of_line = '\0';
  o.settings.shows_color = false;
  std::erase_if(o.words, [](const Options::Word& word) { return word.kind == Options::Word::kColor; });
  if (o.layout != Layout::kLong) o.layout = Layout::kOnePerLine;
  o.quoting = QuotingStyle::kLiteral;
  o.hides_controls = false;
  return {};
}

using Word = Options::Word;

constexpr Option kOptions[] = {
    Call<SetHidden<Hidden::kAll>>('a', "all", nullptr, "do not ignore entries starting with ."),
    Call<SetHidden<Hidden::kAlmostAll>>('A', "almost-all", nullptr, "do not list implied . and .."),
    Call<Turn<&Settings::shows_author>>(0, "author", nullptr, "with -l, print the author of each file"),
    Call<SetQuoting<QuotingStyle::kEscape>>('b', "escape", nullptr,
                                            "print C-style escapes for nongraphic characters"),
    Call<AddWord<Word::kBlockSize>>(0, "block-size", "SIZE", "with -l, scale sizes by SIZE when printing them"),
    Call<IgnoreBackups>('B', "ignore-backups", nullptr, "do not list implied entries ending with ~"),
    Call<SetTime<TimeKind::kChange>>('c', nullptr, nullptr, "use the time of the last status change"),
    Call<SetLayout<Layout::kColumns>>('C', nullptr, nullptr, "list entries by columns"),
    CallOptional<AddWord<Word::kColor>>(0, "color", "WHEN", "color the output WHEN"),
    Call<SetNotListing>('d', "directory", nullptr, "list directories themselves, not their contents"),
    Call<Turn<&Settings::is_dired>>('D', "dired", nullptr, "generate output designed for Emacs' dired mode"),
    Call<SetUnsorted>('f', nullptr, nullptr, "list all entries in directory order"),
    Call<AddWord<Word::kClassify>>('F', nullptr, nullptr, "append indicator (one of */=>@|) to entries"),
    CallOptional<AddWord<Word::kClassify>>(0, "classify", "WHEN", "likewise, WHEN: always, auto, or never"),
    Call<SetIndicators<Indicators::kFileType>>(0, "file-type", nullptr, "likewise, except do not append '*'"),
    Call<AddWord<Word::kFormat>>(0, "format", "WORD",
                                 "across -x, commas -m, horizontal -x, long -l, single-column -1, verbose -l, "
                                 "vertical -C"),
    Call<SetFullTime>(0, "full-time", nullptr, "like -l --time-style=full-iso"),
    Call<SetNoOwner>('g', nullptr, nullptr, "like -l, but do not list owner"),
    Call<Turn<&Settings::directories_first>>(0, "group-directories-first", nullptr,
                                             "group directories before files"),
    Call<SetNoGroup>('G', "no-group", nullptr, "in a long listing, don't print group names"),
    Call<SetHuman<false>>('h', "human-readable", nullptr, "with -l and -s, print sizes like 1K 234M 2G etc."),
    Call<SetHuman<true>>(0, "si", nullptr, "likewise, but use powers of 1000 not 1024"),
    Call<SetFollow<Follow::kOperand>>('H', "dereference-command-line", nullptr,
                                      "follow symbolic links listed on the command line"),
    Call<SetFollow<Follow::kOperandDirectory>>(0, "dereference-command-line-symlink-to-dir", nullptr,
                                               "follow each command line symbolic link that points to a directory"),
    Call<AddHide>(0, "hide", "PATTERN",
                  "do not list implied entries matching shell PATTERN (overridden by -a or -A)"),
    CallOptional<AddWord<Word::kHyperlink>>(0, "hyperlink", "WHEN", "hyperlink file names WHEN"),
    Call<AddWord<Word::kIndicator>>(0, "indicator-style", "WORD",
                                    "append indicator with style WORD to entry names: none (default), slash (-p), "
                                    "file-type (--file-type), classify (-F)"),
    Call<Turn<&Settings::shows_inode>>('i', "inode", nullptr, "print the index number of each file"),
    Call<AddIgnore>('I', "ignore", "PATTERN", "do not list implied entries matching shell PATTERN"),
    Flag<&Options::kibibytes>('k', "kibibytes", "default to 1024-byte blocks for file system usage"),
    Call<SetLayout<Layout::kLong>>('l', nullptr, nullptr, "use a long listing format"),
    Call<SetFollow<Follow::kAlways>>('L', "dereference", nullptr,
                                     "show information for the file the link references"),
    Call<SetLayout<Layout::kCommas>>('m', nullptr, nullptr, "fill width with a comma separated list of entries"),
    Call<SetNumeric>('n', "numeric-uid-gid", nullptr, "like -l, but list numeric user and group IDs"),
    Call<SetQuoting<QuotingStyle::kLiteral>>('N', "literal", nullptr, "print entry names without quoting"),
    Call<SetLongNoGroup>('o', nullptr, nullptr, "like -l, but do not list group information"),
    Call<SetIndicators<Indicators::kSlash>>('p', nullptr, nullptr, "append / indicator to directories"),
    Call<SetHidesControls<true>>('q', "hide-control-chars", nullptr, "print ? instead of nongraphic characters"),
    Call<SetHidesControls<false>>(0, "show-control-chars", nullptr, "show nongraphic characters as-is"),
    Call<SetQuoting<QuotingStyle::kC>>('Q', "quote-name", nullptr, "enclose entry names in double quotes"),
    Call<AddWord<Word::kQuoting>>(0, "quoting-style", "WORD",
                                  "use quoting style WORD for entry names: literal, locale, shell, shell-always, "
                                  "shell-escape, shell-escape-always, c, escape"),
    Call<Turn<&Settings::reverse>>('r', "reverse", nullptr, "reverse order while sorting"),
    Call<Turn<&Settings::recursive>>('R', "recursive", nullptr, "list subdirectories recursively"),
    Call<Turn<&Settings::shows_blocks>>('s', "size", nullptr, "print the allocated size of each file, in blocks"),
    Call<SetSort<SortKey::kSize>>('S', nullptr, nullptr, "sort by file size, largest first"),
    Call<AddWord<Word::kSort>>(0, "sort", "WORD",
                               "sort by WORD instead of name: none (-U), size (-S), time (-t), version (-v), "
                               "extension (-X), width"),
    Call<AddWord<Word::kTime>>(0, "time", "WORD",
                               "use another time: access (-u), use, status (-c), ctime, birth, creation"),
    Value<&Options::time_style>(0, "time-style", "TIME_STYLE", "time/date format with -l"),
    Call<SetSort<SortKey::kTime>>('t', nullptr, nullptr, "sort by time, newest first; see --time"),
    Value<&Options::tab_size>('T', "tabsize", "COLS", "assume tab stops at each COLS instead of 8"),
    Call<SetTime<TimeKind::kAccess>>('u', nullptr, nullptr, "use access time"),
    Call<SetSort<SortKey::kNone>>('U', nullptr, nullptr, "do not sort; list entries in directory order"),
    Call<SetSort<SortKey::kVersion>>('v', nullptr, nullptr, "natural sort of (version) numbers within text"),
    Value<&Options::width>('w', "width", "COLS", "set output width to COLS.  0 means no limit"),
    Call<SetLayout<Layout::kAcross>>('x', nullptr, nullptr, "list entries by lines instead of by columns"),
    Call<SetSort<SortKey::kExtension>>('X', nullptr, nullptr, "sort alphabetically by entry extension"),
    Call<Turn<&Settings::shows_context>>('Z', "context", nullptr, "print any security context of each file"),
    Call<SetZero>(0, "zero", nullptr, "end each output line with NUL, not newline"),
    Call<SetOnePerLine>('1', nullptr, nullptr, "list one file per line"),
};

enum When { kNever, kAlways, kAuto };
constexpr Choice kWhen[] = {{"always", kAlways}, {"yes", kAlways},  {"force", kAlways},
                            {"never", kNever},   {"no", kNever},    {"none", kNever},
                            {"auto", kAuto},     {"tty", kAuto},    {"if-tty", kAuto}};
constexpr Choice kFormats[] = {
    {"verbose", static_cast<int>(Layout::kLong)},   {"long", static_cast<int>(Layout::kLong)},
    {"commas", static_cast<int>(Layout::kCommas)},  {"horizontal", static_cast<int>(Layout::kAcross)},
    {"across", static_cast<int>(Layout::kAcross)},  {"vertical", static_cast<int>(Layout::kColumns)},
    {"single-column", static_cast<int>(Layout::kOnePerLine)}};
constexpr Choice kIndicators[] = {{"none", static_cast<int>(Indicators::kNone)},
                                  {"slash", static_cast<int>(Indicators::kSlash)},
                                  {"file-type", static_cast<int>(Indicators::kFileType)},
                                  {"classify", static_cast<int>(Indicators::kClassify)}};
constexpr Choice kSorts[] = {
    {"none", static_cast<int>(SortKey::kNone)},           {"time", static_cast<int>(SortKey::kTime)},
    {"size", static_cast<int>(SortKey::kSize)},           {"extension", static_cast<int>(SortKey::kExtension)},
    {"version", static_cast<int>(SortKey::kVersion)},     {"width", static_cast<int>(SortKey::kWidth)}};
constexpr Choice kTimes[] = {
    {"atime", static_cast<int>(TimeKind::kAccess)}, {"access", static_cast<int>(TimeKind::kAccess)},
    {"use", static_cast<int>(TimeKind::kAccess)},   {"ctime", static_cast<int>(TimeKind::kChange)},
    {"status", static_cast<int>(TimeKind::kChange)}, {"birth", static_cast<int>(TimeKind::kBirth)},
    {"creation", static_cast<int>(TimeKind::kBirth)}};
constexpr Choice kQuotings[] = {
    {"literal", static_cast<int>(QuotingStyle::kLiteral)},
    {"shell", static_cast<int>(QuotingStyle::kShell)},
    {"shell-always", static_cast<int>(QuotingStyle::kShellAlways)},
    {"shell-escape", static_cast<int>(QuotingStyle::kShellEscape)},
    {"shell-escape-always", static_cast<int>(QuotingStyle::kShellEscapeAlways)},
    {"c", static_cast<int>(QuotingStyle::kC)},
    {"c-maybe", static_cast<int>(QuotingStyle::kCMaybe)},
    {"escape", static_cast<int>(QuotingStyle::kEscape)},
    {"locale", static_cast<int>(QuotingStyle::kLocale)},
    {"clocale", static_cast<int>(QuotingStyle::kCLocale)}};

// Turns what was given into settings. Each step answers false after it has complained.
class Resolver {
 public:
  Resolver(Invocation& in, Options& options) : in_(in), o_(options), s_(options.settings) {}

  std::optional<ExitStatus> Run(ls::Colors& colors) {
    is_terminal_ = IsTerminal(in_, 1);
    if (!is_ls_ && !o_.layout) o_.layout = in_.name() == "dir" ? Layout::kColumns : Layout::kLong;
    if (!ApplyWords()) return status_;
    if (!SetWidths() || !SetTimeStyle()) return 2;
    SetLayoutAndOrder();
    SetQuotingStyle();
    SetBlockSizes();
    if (s_.shows_color) SetColors(colors);
    if (s_.shows_color) s_.tab_size = 0;
    if (s_.is_dired && s_.layout == Layout::kLong && s_.end_of_line == '\0') {
      in_.Fail("--dired and --zero are incompatible");
      return 2;
    }
    s_.is_dired = s_.is_dired && s_.layout == Layout::kLong && !s_.shows_links;
    return std::nullopt;
  }

 private:
  bool ApplyWords() {
    for (const Word& word : o_.words) {
      switch (word.kind) {
        case Word::kColor: s_.shows_color = false; if (!SetWhen("--color", word.text, s_.shows_color)) return false; break;
        case Word::kHyperlink: if (!SetWhen("--hyperlink", word.text, s_.shows_links)) return false; break;
        case Word::kClassify: {
          bool classifies = false;
          if (!SetWhen("--classify", word.text, classifies)) return false;
          if (classifies) s_.indicators = Indicators::kClassify;
          break;
        }
        case Word::kFormat: {
          auto layout = o_.layout;
          if (!Pick("--format", word.text, kFormats, layout)) return false;
          if (!word.is_superseded) o_.layout = layout;
          break;
        }
        case Word::kIndicator: {
          std::optional<Indicators> style;
          if (!Pick("--indicator-style", word.text, kIndicators, style)) return false;
          s_.indicators = *style;
          break;
        }
        case Word::kQuoting: {
          auto style = o_.quoting;
          if (!Pick("--quoting-style", word.text, kQuotings, style)) return false;
          if (!word.is_superseded) o_.quoting = style;
          break;
        }
        case Word::kSort: {
          auto sort = o_.sort;
          if (!Pick("--sort", word.text, kSorts, sort)) return false;
          if (!word.is_superseded) o_.sort = sort;
          break;
        }
        case Word::kTime: {
          std::optional<TimeKind> kind;
          if (!Pick("--time", word.text, kTimes, kind)) return false;
          s_.time = *kind;
          o_.explicit_time = true;
          break;
        }
        case Word::kBlockSize: {
          auto size = ParseBlockSize(word.text);
          if (!size) {
            in_.Fail(BlockSizeComplaint("--block-size", word.text, size.error()));
            return false;
          }
          o_.human = std::move(*size);
          break;
        }
      }
    }
    return true;
  }

  template <class T>
  bool Pick(std::string_view option, std::string_view text, std::span<const Choice> choices, std::optional<T>& out) {
    const auto found = FindChoice(option, text, choices, in_.locale.is_utf8);
    if (!found) {
      in_.Usage(found.error().message);
      status_ = 1;
      return false;
    }
    out = static_cast<T>(*found);
    return true;
  }

  bool SetWhen(std::string_view option, std::string_view text, bool& on) {
    std::optional<int> when;
    if (!Pick(option, text, kWhen, when)) return false;
    on = *when == kAlways || (*when == kAuto && is_terminal_);
    return true;
  }

  // A width or a tab size: option, variable, default.
  bool SetNumber(const std::optional<std::string>& given, const char* variable, std::string_view what,
                 uint64_t& value) {
    if (given) {
      const SizeNumber number = ParseConstant(*given);
      if (number.state != NumberState::kOk && number.state != NumberState::kOverflow) {
        in_.Fail("invalid " + std::string(what) + ": " + Quote(*given, in_.locale.is_utf8));
        return false;
      }
      value = number.value;
      return true;
    }
    const std::string_view text = in_.env.Get(variable, "");
    if (text.empty()) return true;
    const SizeNumber number = ParseConstant(text);
    if (number.state == NumberState::kOk || number.state == NumberState::kOverflow) {
      value = number.value;
    } else {
      const std::string_view short_what = what == "line width" ? "width" : what;
      in_.Fail("ignoring invalid " + std::string(short_what) + " in environment variable " + variable + ": " +
               Quote(text, in_.locale.is_utf8));
    }
    return true;
  }

  bool SetWidths() {
    const Layout layout = o_.layout.value_or(is_terminal_ ? Layout::kColumns : Layout::kOnePerLine);
    const bool has_lines = layout == Layout::kColumns || layout == Layout::kAcross || layout == Layout::kCommas;
    const uint32_t window = is_terminal_ && !o_.width ? in_.process.kernel().window_size().columns : 0;
    if (window > 0) {
      s_.width = window;
    } else if ((has_lines || s_.shows_color || o_.width) && !SetNumber(o_.width, "COLUMNS", "line width", s_.width)) {
      return false;
    }
    if ((has_lines || o_.tab_size) && !SetNumber(o_.tab_size, "TABSIZE", "tab size", s_.tab_size)) return false;
    return true;
  }

  void SetLayoutAndOrder() {
    s_.layout = o_.layout.value_or(is_terminal_ && s_.end_of_line == '\n' ? Layout::kColumns : Layout::kOnePerLine);
    const bool is_long = s_.layout == Layout::kLong;
    s_.sort = o_.sort.value_or(!is_long && o_.explicit_time ? SortKey::kTime : SortKey::kName);
    const bool looks_at_link = !s_.lists_directories || s_.indicators == Indicators::kClassify || is_long;
    s_.follow = o_.follow.value_or(looks_at_link ? Follow::kNever : Follow::kOperandDirectory);
  }

  void SetQuotingStyle() {
    s_.hides_controls = o_.hides_controls.value_or(is_ls_ && is_terminal_);
    if (!o_.quoting) {
      const std::string_view text = in_.env.Get("QUOTING_STYLE", "");
      for (const Choice& choice : kQuotings) {
        if (text == choice.name) o_.quoting = static_cast<QuotingStyle>(choice.value);
      }
      if (!text.empty() && !o_.quoting) {
        in_.Fail("ignoring invalid value of environment variable QUOTING_STYLE: " + Quote(text, in_.locale.is_utf8));
      }
    }
    const QuotingStyle usual = is_terminal_ ? QuotingStyle::kShellEscape : QuotingStyle::kLiteral;
    s_.quoting = o_.quoting.value_or(is_ls_ ? usual : QuotingStyle::kEscape);
  }

  void SetBlockSizes() {
    if (o_.human) {
      s_.block_size = s_.file_size = *o_.human;
      return;
    }
    const std::string_view own = in_.env.Get("LS_BLOCK_SIZE", "");
    const std::string_view text = own.empty() ? in_.env.Get("BLOCK_SIZE", "") : own;
    if (const auto size = ParseBlockSize(text); !text.empty() && size) {
      s_.block_size = *size;
      s_.file_size = *size;
    } else if (in_.env.Get("POSIXLY_CORRECT") && text.empty()) {
      s_.block_size = BlockSize::Of(512);
    }
    if (o_.kibibytes) s_.block_size = BlockSize::Of(1024);
  }

  bool SetTimeStyle() {
    if (o_.layout != Layout::kLong) return true;
    std::string style = o_.time_style.value_or(std::string(in_.env.Get("TIME_STYLE", "locale")));
    constexpr std::string_view kPosix = "posix-";
    while (style.starts_with(kPosix)) {
      if (!in_.locale.is_utf8) style = "locale";
      else style.erase(0, kPosix.size());
    }
    if (style.starts_with('+')) {
      const size_t newline = style.find('\n');
      s_.old_time_format = style.substr(1, newline == std::string::npos ? newline : newline - 1);
      s_.recent_time_format = newline == std::string::npos ? s_.old_time_format : style.substr(newline + 1);
      if (s_.recent_time_format.find('\n') != std::string::npos) {
        in_.Fail("invalid time style format " + Quote(style.substr(1), in_.locale.is_utf8));
        return false;
      }
      return true;
    }
    constexpr Choice kStyles[] = {{"full-iso", 0}, {"long-iso", 1}, {"iso", 2}, {"locale", 3}};
    const auto found = FindChoice("time style", style, kStyles, in_.locale.is_utf8);
    if (!found) {
      std::string message = found.error().message;
      message.resize(message.find('\n'));
      in_.Usage(message +
                "\nValid arguments are:\n  - [posix-]full-iso\n  - [posix-]long-iso\n  - [posix-]iso\n"
                "  - [posix-]locale\n  - +FORMAT (e.g., +%H:%M) for a 'date'-style format");
      return false;
    }
    constexpr const char* kOld[] = {"%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M", "%Y-%m-%d ", "%b %e  %Y"};
    constexpr const char* kRecent[] = {"%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M", "%m-%d %H:%M", "%b %e %H:%M"};
    s_.old_time_format = kOld[*found];
    s_.recent_time_format = kRecent[*found];
    return true;
  }

  // What dircolors knows of terminals.
  bool IsColorTerminal() const {
    const std::string_view terminal = in_.env.Get("TERM", "");
    constexpr const char* kTerminals[] = {
        "Eterm",  "ansi",   "*color*", "con[0-9]*x[0-9]*", "cons25",     "console", "cygwin", "*direct*", "dtterm",
        "gnome",  "hurd",   "jfbterm", "konsole",          "kterm",      "linux",   "linux-c", "mlterm",  "putty",
        "rxvt*",  "screen*", "st",     "terminator",       "tmux*",      "vt100",   "xterm*"};
    for (const char* pattern : kTerminals) {
      if (Pattern(pattern, {.extglob = false}).Matches(terminal, in_.budget)) return true;
    }
    return false;
  }

  void SetColors(ls::Colors& colors) {
    const std::string_view text = in_.env.Get("LS_COLORS", "");
    if (text.empty()) {
      s_.shows_color = !in_.env.Get("COLORTERM", "").empty() || IsColorTerminal();
      return;
    }
    std::string bad_prefix;
    if (colors.Parse(text, &bad_prefix)) return;
    if (!bad_prefix.empty()) in_.Fail("unrecognized prefix: " + Quote(bad_prefix, in_.locale.is_utf8));
    in_.Fail("unparsable value for LS_COLORS environment variable");
    s_.shows_color = false;
  }

  Invocation& in_;
  Options& o_;
  Settings& s_;
  const bool is_ls_ = in_.name() != "dir" && in_.name() != "vdir";
  bool is_terminal_ = false;
  ExitStatus status_ = 2;   // of a complaint
};

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  ls::Colors colors;
  if (const auto failed = Resolver(in, options).Run(colors)) return *failed;
  return ls::Lister(in, options.settings, colors).Run(operands);
}

}  // namespace

constexpr const char* kAliases[] = {"dir", "vdir"};

extern const Command kCommand_ls;
const Command kCommand_ls = Define<Options, Run>({
    .name = "ls",
    .aliases = kAliases,
    .summary = "list information about the FILEs (the current directory by default)",
    .synopsis = "[OPTION]... [FILE]...",
    .options = kOptions,
    .usage_status = 2,
});

}  // namespace paddock
