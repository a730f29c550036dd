// locale - get locale-specific information
//
// usage: locale [OPTION]... [NAME]...
//        locale -a | -m
// Without NAME it lists the variables that choose locales.
//
// Exit status: 0; 1 for an unknown NAME; 64 for an option that is none.
// Source: glibc 2.36.
// Differs: there are C, C.utf8 and POSIX, whose words are the same. Of the categories, LC_CTYPE, LC_COLLATE, LC_PAPER, LC_NAME, LC_ADDRESS,
// LC_TELEPHONE, LC_MEASUREMENT, LC_IDENTIFICATION and LC_MONETARY can be named in variables only; -m lists what iconv and the locales know;
// -v with -a is refused.

#include <algorithm>

#include "proc/command.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

constexpr ExitStatus kWrongOption = 64;

struct Options {
  bool all = false, charmaps = false, category = false, keyword = false, verbose = false, wants_help = false, wants_usage = false, wants_version = false;
};
constexpr Option kOptions[] = {
    Flag<&Options::all>('a', "all-locales", "write names of available locales"),
    Flag<&Options::charmaps>('m', "charmaps", "write names of available charmaps"),
    Flag<&Options::category>('c', "category-name", "write names of selected categories"),
    Flag<&Options::keyword>('k', "keyword-name", "write names of selected keywords"),
    Flag<&Options::verbose>('v', "verbose", "print more information"),
    Flag<&Options::wants_help>('?', "help", "give this help list"),
    Flag<&Options::wants_usage>(0, "usage", "give a short usage message"),
    Flag<&Options::wants_version>('V', "version", "print program version"),
};

constexpr std::string_view kCategories[] = {"LC_CTYPE", "LC_NUMERIC", "LC_TIME", "LC_COLLATE", "LC_MONETARY", "LC_MESSAGES", "LC_PAPER", "LC_NAME", "LC_ADDRESS",
                                            "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"};

enum class Kind { kText, kList, kNumber, kEmpty };
struct Keyword {
  std::string_view category, name;
  Kind kind;
  std::string_view value;   // empty for the charmap's: it depends on the locale
};
constexpr std::string_view kDays = "Sunday;Monday;Tuesday;Wednesday;Thursday;Friday;Saturday", kShortDays = "Sun;Mon;Tue;Wed;Thu;Fri;Sat";
constexpr std::string_view kMonths = "January;February;March;April;May;June;July;August;September;October;November;December";
constexpr std::string_view kShortMonths = "Jan;Feb;Mar;Apr;May;Jun;Jul;Aug;Sep;Oct;Nov;Dec";
constexpr std::string_view kCodeset = "\1";   // stands for the name of the charmap
constexpr Keyword kKeywords[] = {
    {"LC_CTYPE", "charmap", Kind::kText, kCodeset},
    {"LC_NUMERIC", "decimal_point", Kind::kText, "."},
    {"LC_NUMERIC", "thousands_sep", Kind::kText, ""},
    {"LC_NUMERIC", "grouping", Kind::kNumber, "-1"},
    {"LC_NUMERIC", "numeric-decimal-point-wc", Kind::kNumber, "46"},
    {"LC_NUMERIC", "numeric-thousands-sep-wc", Kind::kNumber, "0"},
    {"LC_NUMERIC", "numeric-codeset", Kind::kText, kCodeset},
    {"LC_TIME", "abday", Kind::kList, kShortDays},
    {"LC_TIME", "day", Kind::kList, kDays},
    {"LC_TIME", "abmon", Kind::kList, kShortMonths},
    {"LC_TIME", "mon", Kind::kList, kMonths},
    {"LC_TIME", "am_pm", Kind::kList, "AM;PM"},
    {"LC_TIME", "d_t_fmt", Kind::kText, "%a %b %e %H:%M:%S %Y"},
    {"LC_TIME", "d_fmt", Kind::kText, "%m/%d/%y"},
    {"LC_TIME", "t_fmt", Kind::kText, "%H:%M:%S"},
    {"LC_TIME", "t_fmt_ampm", Kind::kText, "%I:%M:%S %p"},
    {"LC_TIME", "era", Kind::kEmpty, ""},
    {"LC_TIME", "era_year", Kind::kText, ""},
    {"LC_TIME", "era_d_fmt", Kind::kText, ""},
    {"LC_TIME", "alt_digits", Kind::kEmpty, ""},
    {"LC_TIME", "era_d_t_fmt", Kind::kText, ""},
    {"LC_TIME", "era_t_fmt", Kind::kText, ""},
    {"LC_TIME", "time-era-num-entries", Kind::kNumber, "0"},
    {"LC_TIME", "time-era-entries", Kind::kText, "S"},
    {"LC_TIME", "week-ndays", Kind::kNumber, "7"},
    {"LC_TIME", "week-1stday", Kind::kNumber, "19971130"},
    {"LC_TIME", "week-1stweek", Kind::kNumber, "4"},
    {"LC_TIME", "first_weekday", Kind::kNumber, "1"},
    {"LC_TIME", "first_workday", Kind::kNumber, "2"},
    {"LC_TIME", "cal_direction", Kind::kNumber, "1"},
    {"LC_TIME", "timezone", Kind::kText, ""},
    {"LC_TIME", "date_fmt", Kind::kText, "%a %b %e %H:%M:%S %Z %Y"},
    {"LC_TIME", "time-codeset", Kind::kText, kCodeset},
    {"LC_TIME", "alt_mon", Kind::kList, kMonths},
    {"LC_TIME", "ab_alt_mon", Kind::kList, kShortMonths},
    {"LC_MONETARY", "int_curr_symbol", Kind::kText, ""},
    {"LC_MONETARY", "currency_symbol", Kind::kText, ""},
    {"LC_MONETARY", "mon_decimal_point", Kind::kText, ""},
    {"LC_MONETARY", "mon_thousands_sep", Kind::kText, ""},
    {"LC_MESSAGES", "yesexpr", Kind::kText, "^[yY]"},
    {"LC_MESSAGES", "noexpr", Kind::kText, "^[nN]"},
    {"LC_MESSAGES", "yesstr", Kind::kText, ""},
    {"LC_MESSAGES", "nostr", Kind::kText, ""},
    {"LC_MESSAGES", "messages-codeset", Kind::kText, kCodeset},
};
// Those whose keywords are all in the table.
constexpr std::string_view kWholeCategories[] = {"LC_NUMERIC", "LC_TIME", "LC_MESSAGES"};

bool IsKnownLocale(std::string_view name) {
  return name.empty() || name == "C" || name == "POSIX" || name == "C.UTF-8" || name == "C.utf8";
}

class Reporter {
 public:
  Reporter(Invocation& in, const Options& options) : in_(in), o_(options) {}

  // As setlocale(3) would find them missing.
  void Warn() {
    const auto all = in_.env.Get("LC_ALL", "");
    bool is_bad = !IsKnownLocale(all);
    for (const std::string_view category : {"LC_CTYPE", "LC_MESSAGES"}) {
      if (IsKnownLocale(ValueOf(category))) continue;
      in_.err.Write("locale: Cannot set " + std::string(category) + " to default locale: No such file or directory\n");
    }
    for (const std::string_view category : kCategories) is_bad = is_bad || !IsKnownLocale(ValueOf(category));
    if (is_bad) in_.err.Write("locale: Cannot set LC_ALL to default locale: No such file or directory\n");
  }

  void Variables() {
    in_.out.WriteLine("LANG=" + std::string(in_.env.Get("LANG", "")));
    in_.out.WriteLine("LANGUAGE=" + std::string(in_.env.Get("LANGUAGE", "")));
    const std::string all(in_.env.Get("LC_ALL", ""));
    for (const std::string_view category : kCategories) {
      const std::string own(in_.env.Get(category, ""));
      // What is only implied stands in quotes.
      const bool is_own = all.empty() && !own.empty();
      const std::string value = ValueOf(category).empty() ? "POSIX" : ValueOf(category);
      in_.out.WriteLine(std::string(category) + "=" + (is_own ? value : "\"" + value + "\""));
    }
    in_.out.WriteLine("LC_ALL=" + all);
  }

  // False for a name that is not known.
  bool Show(std::string_view name) {
    if (std::ranges::find(kWholeCategories, name) != std::end(kWholeCategories)) {
      if (o_.category) in_.out.WriteLine(name);
      for (const Keyword& keyword : kKeywords) {
        if (keyword.category == name) Print(keyword);
      }
      return true;
    }
    const auto found = std::ranges::find(kKeywords, name, &Keyword::name);
    if (found != std::end(kKeywords)) {
      if (o_.category) in_.out.WriteLine(found->category);
      Print(*found);
      return true;
    }
    const bool is_category = std::ranges::find(kCategories, name) != std::end(kCategories);
    in_.Fail((is_category ? std::string(name) + ": not supported" : "unknown name \"" + std::string(name) + "\""));
    return false;
  }

 private:
  std::string ValueOf(std::string_view category) const {
    for (const std::string_view name : {std::string_view("LC_ALL"), category, std::string_view("LANG")}) {
      const auto value = in_.env.Get(name, "");
      if (!value.empty()) return std::string(value);
    }
    return "";
  }
  void Print(const Keyword& keyword) {
    const std::string value(keyword.value == kCodeset ? in_.locale.is_utf8 ? "UTF-8" : "ANSI_X3.4-1968" : keyword.value);
    if (!o_.keyword) return in_.out.WriteLine(value);
    const bool is_quoted = keyword.kind == Kind::kText || keyword.kind == Kind::kList;
    in_.out.WriteLine(std::string(keyword.name) + "=" + (is_quoted ? "\"" + value + "\"" : value));
  }

  Invocation& in_;
  const Options& o_;
};

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) {
    ComplainOfOption(in, parsed.error().Text());
    in.err.Write("Try `locale --help' or `locale --usage' for more information.\n");
    return kWrongOption;
  }
  if (options.wants_help) {
    in.out.Write("Usage: locale [OPTION...] NAME\n  or:  locale [OPTION...] [-a|-m]\nGet locale-specific information.\n\n" + OptionHelp(kOptions));
    return 0;
  }
  if (options.wants_usage) {
    in.out.Write("Usage: locale [-ckv?V] [--category-name] [--keyword-name] [--verbose] [--help]\n            [--usage] [--version] NAME\n  or:  locale [OPTION...] [-a|-m]\n");
    return 0;
  }
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  Reporter reporter(in, options);
  reporter.Warn();
  if (options.all) {
    if (options.verbose) return in.Fail("-v with -a: not supported");
    in.out.Write("C\nC.utf8\nPOSIX\n");
    return 0;
  }
  if (options.charmaps) {
    in.out.Write("ANSI_X3.4-1968\nISO-8859-1\nISO-8859-15\nUTF-8\n");
    return 0;
  }
  if (parsed->operands.empty()) return reporter.Variables(), 0;
  for (const std::string& name : parsed->operands) {
    in.budget.Step();
    if (!reporter.Show(name)) return 1;
  }
  return 0;
}

}  // namespace

extern const Command kCommand_locale;
const Command kCommand_locale = {
    .name = "locale",
    .summary = "get locale-specific information",
    .synopsis = "[OPTION]... [NAME]...",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
