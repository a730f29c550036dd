// grep - print lines that match patterns
//
// usage: grep [OPTION]... PATTERNS [FILE]...
// Reads the options and goes through the files; grep_matcher finds lines, grep_search selects and
// grep_printer writes them.
//
// Exit status: 0 when a line was selected, 1 when none was, 2 on an error (unless -q and a line was selected).
// Source: POSIX grep; GNU grep 3.8.
// Differs: directories are read in the order of names.

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "commands/text/grep_files.h"
#include "commands/text/grep_matcher.h"
#include "commands/text/grep_printer.h"
#include "commands/text/grep_search.h"
#include "commands/text/grep_settings.h"
#include "proc/command.h"
#include "proc/process.h"
#include "text/choice.h"

namespace paddock {
namespace {

constexpr ExitStatus kTrouble = 2;

enum class Directories { kRead, kRecurse, kSkip };

struct Options {
  struct PatternSource {
    bool is_file;
    std::string text;  // or the name
  };
  std::vector<PatternSource> patterns;
  std::optional<RegexDialect> dialect;
  bool is_fixed = false;
  RegexFlags flags;
  GrepSettings settings;
  std::optional<bool> shows_name;
  bool no_messages = false;
  std::string label;
  Directories directories = Directories::kRead;
  bool follows_links = false;
  std::optional<bool> skips_devices;
  GrepFileRules rules;
  std::vector<std::string> rule_files;
  std::string color;
  bool has_color = false;
  std::string context_digits;
  std::string_view letters;   // of the argument being read, behind the last digit
  int64_t context = -1;
  bool warns_of_offsets = false;
  bool wants_version = false;
  bool is_utf8 = true;
};

Status SetMatcher(Options& options, std::optional<RegexDialect> dialect, bool is_fixed) {
  const bool is_set = options.dialect.has_value() || options.is_fixed;
  if (is_set && (options.dialect != dialect || options.is_fixed != is_fixed)) {
    return Error(Code::kInvalid, "conflicting matchers specified");
  }
  options.dialect = dialect;
  options.is_fixed = is_fixed;
  return {};
}
Status SetExtended(Options& o, std::string_view) { return SetMatcher(o, RegexDialect::kGrepExtended, false); }
Status SetBasic(Options& o, std::string_view) { return SetMatcher(o, RegexDialect::kGrepBasic, false); }
Status SetPerl(Options& o, std::string_view) { return SetMatcher(o, RegexDialect::kPerl, false); }
Status SetFixed(Options& o, std::string_view) { return SetMatcher(o, std::nullopt, true); }

Status AddPattern(Options& options, std::string_view text) {
  options.patterns.push_back({false, std::string(text)});
  return {};
}
Status AddPatternFile(Options& options, std::string_view name) {
  options.patterns.push_back({true, std::string(name)});
  return {};
}

template <bool kValue>
Status SetIgnoreCase(Options& options, std::string_view) {
  options.flags.ignore_case = kValue;
  return {};
}
Status SetWords(Options& options, std::string_view) {
  if (options.flags.extent == RegexExtent::kAny) options.flags.extent = RegexExtent::kWholeWords;
  return {};
}
Status SetLines(Options& options, std::string_view) {
  options.flags.extent = RegexExtent::kWholeLine;
  return {};
}

template <auto kMember, auto kValue>
Status Put(Options& options, std::string_view) {
  options.settings.*kMember = kValue;
  return {};
}

template <bool kValue>
Status SetShowsName(Options& options, std::string_view) {
  options.shows_name = kValue;
  return {};
}

Result<int64_t> ParseContext(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range && !text.starts_with('-')) return std::numeric_limits<int64_t>::max();
  if (error != std::errc() || end != text.data() + text.size() || value < 0) {
    return Error(Code::kInvalid, std::string(text) + ": invalid context length argument");
  }
  return value;
}
Status SetAfter(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.settings.after, ParseContext(text));
  return {};
}
Status SetBefore(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.settings.before, ParseContext(text));
  return {};
}
Status SetContext(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.context, ParseContext(text));
  return {};
}
// Takes nothing: notes the argument whose digits come.
bool NoteArgument(void* where, std::string_view argument) {
  Options& options = *static_cast<Options*>(where);
  options.letters = argument;
  options.context_digits.clear();
  return false;
}
// The digits of -NUM; behind another letter or in another argument a new number begins.
template <char kDigit>
Status AddDigit(Options& options, std::string_view) {
  const size_t at = options.letters.find_first_of("0123456789");
  if (at > 0) options.context_digits.clear();
  options.letters.remove_prefix(std::min(at + 1, options.letters.size()));
  options.context_digits.push_back(kDigit);
  return SetContext(options, options.context_digits);
}
Status SetMaxCount(Options& options, std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_huge = error == std::errc::result_out_of_range;
  if ((error != std::errc() && !is_huge) || end != text.data() + text.size()) {
    return Error(Code::kInvalid, "invalid max count");
  }
  options.settings.max_count = is_huge || value < 0 ? std::numeric_limits<int64_t>::max() : value;
  return {};
}
Status SetGroupSeparator(Options& options, std::string_view text) {
  options.settings.group_separator = std::string(text);
  return {};
}
Status SetNoGroupSeparator(Options& options, std::string_view) {
  options.settings.group_separator.reset();
  return {};
}
Status SetBinaryFiles(Options& options, std::string_view text) {
  if (text == "binary") {
    options.settings.binary = GrepSettings::Binary::kReport;
  } else if (text == "text") {
    options.settings.binary = GrepSettings::Binary::kText;
  } else if (text == "without-match") {
    options.settings.binary = GrepSettings::Binary::kWithoutMatch;
  } else {
    return Error(Code::kInvalid, "unknown binary-files type");
  }
  return {};
}
Status SetDirectories(Options& options, std::string_view text) {
  static constexpr Choice kChoices[] = {{"read", static_cast<int>(Directories::kRead)},
                                        {"recurse", static_cast<int>(Directories::kRecurse)},
                                        {"skip", static_cast<int>(Directories::kSkip)}};
  const auto choice = FindChoice("--directories", text, kChoices, options.is_utf8);
  // The one usage error that GNU grep answers with status 1.
  if (!choice) return Error(Code::kRange, choice.error().message);
  options.directories = static_cast<Directories>(*choice);
  return {};
}
Status SetDevices(Options& options, std::string_view text) {
  if (text != "read" && text != "skip") return Error(Code::kInvalid, "unknown devices method");
  options.skips_devices = text == "skip";
  return {};
}
template <bool kFollows>
Status SetRecursive(Options& options, std::string_view) {
  options.directories = Directories::kRecurse;
  options.follows_links = kFollows;
  return {};
}
Status AddInclude(Options& options, std::string_view glob) {
  options.rules.Add(glob, true);
  return {};
}
Status AddExclude(Options& options, std::string_view glob) {
  options.rules.Add(glob, false);
  return {};
}
Status AddExcludeDirectory(Options& options, std::string_view glob) {
  options.rules.AddDirectory(glob);
  return {};
}
Status SetColor(Options& options, std::string_view when) {
  options.has_color = true;
  options.color = when.data() == nullptr ? "auto" : when;
  return {};
}
Status Ignore(Options&, std::string_view) { return {}; }

using S = GrepSettings;

constexpr Option kOptions[] = {
    Call<SetExtended>('E', "extended-regexp", nullptr, "PATTERNS are extended regular expressions"),
    Call<SetFixed>('F', "fixed-strings", nullptr, "PATTERNS are strings"),
    Call<SetBasic>('G', "basic-regexp", nullptr, "PATTERNS are basic regular expressions"),
    Call<SetPerl>('P', "perl-regexp", nullptr, "PATTERNS are Perl regular expressions"),
    Call<AddPattern>('e', "regexp", "PATTERNS", "use PATTERNS for matching"),
    Call<AddPatternFile>('f', "file", "FILE", "take PATTERNS from FILE"),
    Call<SetIgnoreCase<true>>('i', "ignore-case", nullptr, "ignore case distinctions in patterns and data"),
    Call<SetIgnoreCase<true>>('y', nullptr, nullptr, nullptr),
    Call<SetIgnoreCase<false>>(0, "no-ignore-case", nullptr, "do not ignore case distinctions (default)"),
    Call<SetWords>('w', "word-regexp", nullptr, "match only whole words"),
    Call<SetLines>('x', "line-regexp", nullptr, "match only whole lines"),
    Call<Put<&S::delimiter, '\0'>>('z', "null-data", nullptr, "a data line ends in 0 byte, not newline"),
    Flag<&Options::wants_version>('V', nullptr, nullptr),
    Flag<&Options::no_messages>('s', "no-messages", "suppress error messages"),
    Call<Put<&S::invert, true>>('v', "invert-match", nullptr, "select non-matching lines"),
    Call<SetMaxCount>('m', "max-count", "NUM", "stop after NUM selected lines"),
    Call<Put<&S::byte_offset, true>>('b', "byte-offset", nullptr, "print the byte offset with output lines"),
    Call<Put<&S::line_number, true>>('n', "line-number", nullptr, "print line number with output lines"),
    Call<Put<&S::line_buffered, true>>(0, "line-buffered", nullptr, "flush output on every line"),
    Call<SetShowsName<true>>('H', "with-filename", nullptr, "print file name with output lines"),
    Call<SetShowsName<false>>('h', "no-filename", nullptr, "suppress the file name prefix on output"),
    Value<&Options::label>(0, "label", "LABEL", "use LABEL as the standard input file name prefix"),
    Call<Put<&S::only_matching, true>>('o', "only-matching", nullptr, "show only nonempty parts of lines that match"),
    Call<Put<&S::quiet, true>>('q', "quiet", nullptr, "suppress all normal output"),
    Call<Put<&S::quiet, true>>(0, "silent", nullptr, nullptr),
    Call<SetBinaryFiles>(0, "binary-files", "TYPE", "assume that binary files are TYPE;\nTYPE is 'binary', 'text', or 'without-match'"),
    Call<Put<&S::binary, S::Binary::kText>>('a', "text", nullptr, "equivalent to --binary-files=text"),
    Call<Put<&S::binary, S::Binary::kWithoutMatch>>('I', nullptr, nullptr, "equivalent to --binary-files=without-match"),
    Call<SetDirectories>('d', "directories", "ACTION", "how to handle directories: 'read', 'recurse', or 'skip'"),
    Call<SetDevices>('D', "devices", "ACTION", "how to handle devices, FIFOs and sockets: 'read' or 'skip'"),
    Call<SetRecursive<false>>('r', "recursive", nullptr, "like --directories=recurse"),
    Call<SetRecursive<true>>('R', "dereference-recursive", nullptr, "likewise, but follow all symlinks"),
    Call<AddInclude>(0, "include", "GLOB", "search only files that match GLOB (a file pattern)"),
    Call<AddExclude>(0, "exclude", "GLOB", "skip files that match GLOB"),
    Value<&Options::rule_files>(0, "exclude-from", "FILE", "skip files that match any file pattern from FILE"),
    Call<AddExcludeDirectory>(0, "exclude-dir", "GLOB", "skip directories that match GLOB"),
    Call<Put<&S::list, S::List::kOthers>>('L', "files-without-match", nullptr, "print only names of FILEs with no selected lines"),
    Call<Put<&S::list, S::List::kMatching>>('l', "files-with-matches", nullptr, "print only names of FILEs with selected lines"),
    Call<Put<&S::count, true>>('c', "count", nullptr, "print only a count of selected lines per FILE"),
    Call<Put<&S::initial_tab, true>>('T', "initial-tab", nullptr, "make tabs line up (if needed)"),
    Call<Put<&S::null_after_name, true>>('Z', "null", nullptr, "print 0 byte after FILE name"),
    Call<SetBefore>('B', "before-context", "NUM", "print NUM lines of leading context"),
    Call<SetAfter>('A', "after-context", "NUM", "print NUM lines of trailing context"),
    Call<SetContext>('C', "context", "NUM", "print NUM lines of output context (also -NUM)"),
    Call<SetGroupSeparator>(0, "group-separator", "SEP", "print SEP on line between matches with context"),
    Call<SetNoGroupSeparator>(0, "no-group-separator", nullptr, "do not print separator for matches with context"),
    CallOptional<SetColor>(0, "color", "WHEN", "use markers to highlight the matching strings;\nWHEN is 'always', 'never', or 'auto'"),
    CallOptional<SetColor>(0, "colour", "WHEN", nullptr),
    Call<Ignore>('U', "binary", nullptr, "do not strip CR characters at EOL (MSDOS/Windows)"),
    Flag<&Options::warns_of_offsets>('u', "unix-byte-offsets", nullptr),
    Call<AddDigit<'0'>>('0', nullptr, nullptr, nullptr), Call<AddDigit<'1'>>('1', nullptr, nullptr, nullptr),
    Call<AddDigit<'2'>>('2', nullptr, nullptr, nullptr), Call<AddDigit<'3'>>('3', nullptr, nullptr, nullptr),
    Call<AddDigit<'4'>>('4', nullptr, nullptr, nullptr), Call<AddDigit<'5'>>('5', nullptr, nullptr, nullptr),
    Call<AddDigit<'6'>>('6', nullptr, nullptr, nullptr), Call<AddDigit<'7'>>('7', nullptr, nullptr, nullptr),
    Call<AddDigit<'8'>>('8', nullptr, nullptr, nullptr), Call<AddDigit<'9'>>('9', nullptr, nullptr, nullptr),
};

// The names egrep and fgrep complain as grep too.
void Complain(Invocation& in, std::string_view message) {
  in.out.Flush();
  // egrep and fgrep are scripts around grep, which say "grep".
  const std::string_view name = in.name() == "grep" ? in.name_in_messages() : "grep";
  in.err.Write(std::string(name) + ": " + std::string(message) + "\n");
}

ExitStatus Fail(Invocation& in, const Error& error) {
  Complain(in, error.Text());
  return kTrouble;
}

ExitStatus Usage(Invocation& in, std::string_view complaint, ExitStatus status = kTrouble) {
  if (!complaint.empty()) Complain(in, complaint);
  in.err.Write("Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n");
  return status;
}

// --- patterns ----------------------------------------------------------------------------------------

Result<std::string> ReadNamed(Invocation& in, const std::string& name) {
  if (name == "-") return in.in.ReadAll();
  auto file = in.fs.Open(name, vfs::OpenFlags::Read());
  if (!file) return Error(file.error().code, name + ": " + std::string(file.error().Text()));
  Input input(**file, in.budget);
  std::string text = input.ReadAll();
  if (!input.status()) return Error(input.status().error().code, name + ": " + std::string(input.status().error().Text()));
  return text;
}

void SplitLines(std::string_view text, std::vector<std::string>& lines) {
  for (;;) {
    const size_t newline = text.find('\n');
    lines.emplace_back(text.substr(0, newline));
    if (newline == std::string_view::npos) return;
    text.remove_prefix(newline + 1);
  }
}

struct Patterns {
  std::vector<std::string> texts;                                  // sorted, each once
  std::unordered_map<std::string, std::string> places;             // of those from files: "FILE:LINE: "
};

Result<Patterns> GatherPatterns(Invocation& in, const Options& options) {
  Patterns patterns;
  std::vector<std::string>& texts = patterns.texts;
  for (const Options::PatternSource& source : options.patterns) {
    if (!source.is_file) {
      SplitLines(source.text, texts);
      continue;
    }
    PADDOCK_ASSIGN(std::string text, ReadNamed(in, source.text));
    if (text.empty()) continue;
    if (text.back() == '\n') text.pop_back();
    const size_t first = texts.size();
    SplitLines(text, texts);
    for (size_t i = first; i < texts.size(); ++i) {
      patterns.places.try_emplace(texts[i], source.text + ":" + std::to_string(i - first + 1) + ": ");
    }
  }
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return patterns;
}

// Says of a bad pattern from a file where it stands.
Error Placed(const Error& error, const Patterns& patterns, const RegexFlags& flags) {
  if (error.Text() == "stack overflow") return error;
  for (const std::string& text : patterns.texts) {
    const auto place = patterns.places.find(text);
    if (place == patterns.places.end() || Regex::Compile(text, flags)) continue;
    return Error(error.code, place->second + std::string(error.Text()));
  }
  return error;
}

Result<GrepMatcher> MakeMatcher(Invocation& in, const Options& options, const Patterns& gathered) {
  const std::vector<std::string>& patterns = gathered.texts;
  RegexFlags flags = options.flags;
  flags.dialect = options.dialect.value_or(RegexDialect::kGrepBasic);
  flags.is_literal = options.is_fixed;
  flags.is_utf8 = in.locale.is_utf8;
  if (flags.dialect == RegexDialect::kPerl && patterns.size() > 1) {
    return Error(Code::kInvalid, "the -P option only supports a single pattern");
  }
  auto matcher = GrepMatcher::Make(patterns, flags, options.settings.delimiter);
  if (!matcher && flags.dialect != RegexDialect::kPerl) return Placed(matcher.error(), gathered, flags);
  return matcher;
}

// --- files -------------------------------------------------------------------------------------------

class FileRun {
 public:
  FileRun(Invocation& in, const Options& options, const GrepMatcher& matcher)
      : in_(in), options_(options), settings_(options.settings),
        printer_(settings_, matcher, in.out, in.budget), search_(settings_, matcher, printer_, in.budget) {
    if (const vfs::OpenFilePtr& out = in.process.descriptors().Get(1); out != nullptr) {
      if (auto attributes = out->GetAttributes(); attributes && attributes->type == vfs::FileType::kFile) {
        output_ = *attributes;
      }
    }
  }

  ExitStatus Run(const std::vector<std::string>& operands) {
    shows_name_ = options_.shows_name.value_or(operands.size() > 1);
    shows_name_below_ = options_.shows_name.value_or(true);
    for (const std::string& name : operands) {
      if (is_finished_) break;
      Operand(name);
    }
    if (has_match_ && (settings_.quiet || !has_trouble_)) return 0;
    return has_trouble_ ? kTrouble : 1;
  }

  // With -r and no operand: the working directory, without "./" before the names.
  ExitStatus RunHere() {
    shows_name_below_ = options_.shows_name.value_or(true);
    Directory(".", "");   // no --exclude-dir leaves it out
    if (has_match_ && (settings_.quiet || !has_trouble_)) return 0;
    return has_trouble_ ? kTrouble : 1;
  }

 private:
  void Trouble(std::string_view name, const Error& error) {
    has_trouble_ = true;
    if (!options_.no_messages) Complain(in_, std::string(name) + ": " + std::string(error.Text()));
  }

  void Operand(const std::string& name) {
    if (name == "-") {
      const std::string label = options_.label.empty() ? "(standard input)" : options_.label;
      const vfs::OpenFilePtr& file = in_.process.descriptors().Get(0);
      if (file == nullptr) return Trouble(label, Code::kBadDescriptor);
      return Search(label, in_.in, *file, shows_name_);
    }
    const auto attributes = in_.fs.Stat(name);
    if (!attributes) return Trouble(name, attributes.error());
    const bool is_directory = attributes->type == vfs::FileType::kDirectory;
    if (is_directory && options_.directories == Directories::kRecurse) {
      if (options_.rules.SkipsDirectory(name, true, in_.budget)) return;
      std::string below = name;
      while (below.size() > 1 && below.ends_with('/')) below.pop_back();
      return Directory(name, below.ends_with('/') ? below : below + "/");
    }
    if (is_directory && options_.directories == Directories::kSkip) return;
    if (is_directory && options_.rules.SkipsDirectory(name, true, in_.budget)) return;
    if (!is_directory && options_.rules.SkipsFile(name, true, in_.budget)) {   // once it is known to be readable
      if (const Status readable = in_.fs.Access(name, 4); !readable) Trouble(name, readable.error());
      return;
    }
    if (IsDevice(attributes->type) && options_.skips_devices.value_or(false)) return;
    OpenAndSearch(name, name, shows_name_, true);
  }

  static bool IsDevice(vfs::FileType type) {
    return type != vfs::FileType::kFile && type != vfs::FileType::kDirectory && type != vfs::FileType::kSymlink;
  }

  void OpenAndSearch(const std::string& path, std::string_view shown, bool shows_name, bool follows) {
    const auto file = in_.fs.Open(path, vfs::OpenFlags{.read = true, .no_follow = !follows});
    if (!file) return Trouble(shown, file.error());
    Input input(**file, in_.budget);
    Search(shown, input, **file, shows_name);
  }

  // Everything below a directory; `prefix` is what the names shown begin with.
  void Directory(const std::string& path, const std::string& prefix) {
    in_.budget.CheckStack();
    const auto attributes = in_.fs.Stat(path);
    const auto entries = in_.fs.List(path);
    if (!attributes || !entries) {
      return Trouble(path, attributes ? entries.error() : attributes.error());
    }
    for (const Visited& above : visited_) {
      if (above.inode == attributes->inode && above.device == attributes->device) {
        if (!options_.no_messages) Complain(in_, path + ": warning: recursive directory loop");
        return;
      }
    }
    visited_.push_back({attributes->inode, attributes->device});
    for (const vfs::DirectoryEntry& entry : *entries) {
      in_.budget.Step();
      if (is_finished_) break;
      Entry(prefix + entry.name, entry);
    }
    visited_.pop_back();
  }

  void Entry(const std::string& path, const vfs::DirectoryEntry& entry) {
    // What the directory's list says is enough but for links that are followed.
    Result<vfs::FileType> type = entry.type;
    if (options_.follows_links && entry.type == vfs::FileType::kSymlink) {
      const auto attributes = in_.fs.Stat(path);
      type = attributes ? Result<vfs::FileType>(attributes->type) : attributes.error();
    }
    if (type && *type == vfs::FileType::kSymlink) return;
    if (type && *type == vfs::FileType::kDirectory) {
      if (!options_.rules.SkipsDirectory(entry.name, false, in_.budget)) Directory(path, path + "/");
      return;
    }
    if (options_.rules.SkipsFile(entry.name, false, in_.budget)) return;
    if (!type) return Trouble(path, type.error());
    if (IsDevice(*type) && options_.skips_devices.value_or(true)) return;
    OpenAndSearch(path, path, shows_name_below_, options_.follows_links);
  }

  bool IsOutput(const vfs::OpenFile& file) const {
    if (!output_ || settings_.is_silent() || settings_.max_count <= 1) return false;
    const auto attributes = file.GetAttributes();
    return attributes && attributes->type == vfs::FileType::kFile && attributes->inode == output_->inode &&
           attributes->device == output_->device;
  }

  void Search(std::string_view name, Input& input, const vfs::OpenFile& file, bool shows_name) {
    if (IsOutput(file)) {
      has_trouble_ = true;
      if (!options_.no_messages) Complain(in_, std::string(name) + ": input file is also the output");
      return;
    }
    if (settings_.initial_tab) AlignNumbers(file);
    const auto outcome = search_.Run(input, name, shows_name);
    if (!outcome) return Trouble(name, outcome.error());
    if (!input.status()) Trouble(name, input.status().error());
    const bool has_match = outcome->selected > 0;
    has_match_ |= has_match;
    if (settings_.quiet) {
      is_finished_ |= has_match;
      return;
    }
    if (settings_.list != GrepSettings::List::kNone) {
      if (has_match != (settings_.list == GrepSettings::List::kMatching)) return;
      printer_.PrintName(name);
      in_.out.Put(settings_.null_after_name ? '\0' : '\n');
    } else if (settings_.count) {
      printer_.PrintCount(name, shows_name, outcome->selected);
    } else if (outcome->is_unprintable_match) {
      if (settings_.binary == GrepSettings::Binary::kReport) {
        Complain(in_, std::string(name) + ": binary file matches");
      }
    }
    if (settings_.line_buffered) in_.out.Flush();
    is_finished_ |= !printer_.can_write();
  }

  // Numbers are as wide as the largest that a file of this size can have.
  void AlignNumbers(const vfs::OpenFile& file) {
    const auto attributes = file.GetAttributes();
    uint64_t largest = std::numeric_limits<int64_t>::max();
    if (attributes && attributes->type == vfs::FileType::kFile) {
      largest = attributes->size + (settings_.line_number ? 1 : 0);
    }
    printer_.SetNumberWidth(std::to_string(largest).size());
  }

  struct Visited {
    uint64_t inode;
    uint64_t device;
  };

  Invocation& in_;
  const Options& options_;
  const GrepSettings& settings_;
  GrepPrinter printer_;
  GrepSearch search_;
  std::optional<vfs::Attributes> output_;
  std::vector<Visited> visited_;
  bool shows_name_ = false;
  bool shows_name_below_ = true;
  bool has_match_ = false;
  bool has_trouble_ = false;
  bool is_finished_ = false;
};

// --- colours -----------------------------------------------------------------------------------------

// Nothing for a WHEN that is none.
std::optional<bool> WantsColor(Invocation& in, const Options& options) {
  const std::string& when = options.color;
  if (!options.has_color || when == "never" || when == "no" || when == "none") return false;
  if (when == "always" || when == "yes" || when == "force") return true;
  if (when != "auto" && when != "tty" && when != "if-tty") return std::nullopt;
  const vfs::OpenFilePtr& out = in.process.descriptors().Get(1);
  return out != nullptr && out->is_terminal() && in.env.Get("TERM", "dumb") != "dumb";
}

void SetColors(Invocation& in, GrepSettings& settings) {
  GrepColors colors;
  if (const auto old = in.env.Get("GREP_COLOR"); old && !old->empty()) {
    Complain(in, "warning: GREP_COLOR='" + std::string(*old) + "' is deprecated; use GREP_COLORS='mt=" +
                     std::string(*old) + "'");
    colors.selected_match = colors.context_match = *old;
  }
  ParseGrepColors(in.env.Get("GREP_COLORS", ""), colors);
  settings.colors = std::move(colors);
}

// --- running -----------------------------------------------------------------------------------------

ExitStatus RunGrep(Invocation& in, Options& options, std::vector<std::string> operands) {
  if (options.patterns.empty()) {
    if (operands.empty()) return Usage(in, {});
    options.patterns.push_back({false, operands.front()});
    operands.erase(operands.begin());
  }
  GrepSettings& settings = options.settings;
  if (options.context >= 0) {
    if (settings.before < 0) settings.before = options.context;
    if (settings.after < 0) settings.after = options.context;
  }
  const auto wants_color = WantsColor(in, options);
  if (!wants_color) {  // GNU grep takes it for --help
    in.out.Write(HelpText(in.command, in.name()));
    return 0;
  }
  if (*wants_color) SetColors(in, settings);
  if (options.warns_of_offsets) Complain(in, "warning: --unix-byte-offsets (-u) is obsolete");
  for (const std::string& name : options.rule_files) {
    auto text = ReadNamed(in, name);
    if (!text) return Fail(in, text.error());
    std::vector<std::string> globs;
    SplitLines(*text, globs);
    for (const std::string& glob : globs) {
      if (!glob.empty()) options.rules.Add(glob, false);
    }
  }
  const auto patterns = GatherPatterns(in, options);
  if (!patterns) return Fail(in, patterns.error());
  const auto matcher = MakeMatcher(in, options, *patterns);
  if (!matcher) return Fail(in, matcher.error());
  for (const std::string& warning : matcher->warnings()) Complain(in, "warning: " + warning);
  // The empty pattern alone leaves nothing for -v.
  const bool selects_all = patterns->texts.size() == 1 && patterns->texts[0].empty() && options.flags.extent == RegexExtent::kAny;
  const bool can_match = settings.max_count != 0 && (settings.invert ? !selects_all : !patterns->texts.empty());
  if (!can_match && settings.list != GrepSettings::List::kOthers) return 1;
  FileRun run(in, options, *matcher);
  if (!operands.empty()) return run.Run(operands);
  if (options.directories == Directories::kRecurse) return run.RunHere();
  return run.Run({"-"});
}

ExitStatus Run(Invocation& in) {
  Options options;
  options.is_utf8 = options.settings.is_utf8 = in.locale.is_utf8;
  if (in.name() == "egrep") options.dialect = RegexDialect::kGrepExtended;
  if (in.name() == "fgrep") options.is_fixed = true;
  if (in.name() == "rgrep") static_cast<void>(SetRecursive<false>(options, {}));
  auto parsed = ParseOptions(in.args, kOptions, &options, {.numeric_shorthand = NoteArgument});
  if (!parsed) {
    if (parsed.error().code == Code::kSyntax) return Usage(in, parsed.error().Text());
    if (parsed.error().code == Code::kRange) return Usage(in, parsed.error().Text(), 1);
    return Fail(in, parsed.error());
  }
  if (parsed->wants_help) {
    in.out.Write(HelpText(in.command, in.name()));
    return 0;
  }
  if (parsed->wants_version || options.wants_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  return RunGrep(in, options, std::move(parsed->operands));
}

constexpr const char* kAliases[] = {"egrep", "fgrep", "rgrep"};

}  // namespace

extern const Command kCommand_grep;
const Command kCommand_grep = {
    .name = "grep",
    .aliases = kAliases,
    .summary = "search for PATTERNS in each FILE",
    .synopsis = "[OPTION]... PATTERNS [FILE]...",
    .details = "Example: grep -i 'hello world' menu.h main.c\n"
               "PATTERNS can contain multiple patterns separated by newlines.\n\n"
               "When FILE is '-', read standard input.  With no FILE, read '.' if\n"
               "recursive, '-' otherwise.  With fewer than two FILEs, assume -h.\n"
               "Exit status is 0 if any line is selected, 1 otherwise;\n"
               "if any error occurs and -q is not given, the exit status is 2.\n",
    .options = kOptions,
    .usage_status = kTrouble,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
