// grep - print lines that match patterns
//
// usage: grep [OPTION]... PATTERNS [FILE]...
//
// Exit status: 0 if a line was selected, 1 if none, 2 after an error (0 with -q and a match all the same).
// Source: GNU grep 3.8.
// Differs: directory trees are read in order of names; --line-buffered needs nothing: output that another
// process waits for is passed on at once.

#include <algorithm>
#include <cstring>
#include <deque>

#include "proc/command.h"
#include "proc/process.h"
#include "text/pattern.h"
#include "text/regex.h"
#include "text/utf8.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

constexpr ExitStatus kError = 2;
constexpr size_t kSniffed = 32 << 10;

enum class Files { kLines, kWithMatch, kWithoutMatch, kCount };
enum class Binary { kMessage, kText, kSkip };
enum class Directories { kRead, kSkip, kRecurse };

struct Options {
  std::vector<std::string> patterns;
  bool has_patterns = false;
  std::vector<std::string> pattern_files;
  RegexDialect dialect = RegexDialect::kBasic;
  bool is_fixed = false;
  bool ignore_case = false;
  bool invert = false;
  bool word = false;
  bool line = false;
  Files files = Files::kLines;
  bool only_matching = false;
  bool quiet = false;
  bool no_messages = false;
  bool byte_offset = false;
  bool line_number = false;
  std::optional<bool> with_filename;
  std::string label = "(standard input)";
  bool initial_tab = false;
  bool null_names = false;
  bool null_data = false;
  Binary binary = Binary::kMessage;
  Directories directories = Directories::kRead;
  bool skip_devices = false;
  bool follow_links = false;
  std::optional<int64_t> max_count;
  int64_t before = -1;
  int64_t after = -1;
  int64_t context = -1;
  std::string digits;           // of -NUM
  std::optional<std::string> separator = "--";
  bool color = false;
  bool line_buffered = false;   // nothing to do: see above
  bool keeps_cr = false;        // nothing to do: CR is never stripped
  std::vector<std::pair<bool, std::string>> filters;   // include?, pattern; in order
  std::vector<std::string> excluded_directories;
};

Status AddPattern(Options& options, std::string_view text) {
  options.patterns.emplace_back(text);
  options.has_patterns = true;
  return {};
}
Status AddPatternFile(Options& options, std::string_view path) {
  options.pattern_files.emplace_back(path);
  options.has_patterns = true;
  return {};
}
template <RegexDialect kDialect, bool kFixed>
Status ChooseDialect(Options& options, std::string_view) {
  options.dialect = kDialect;
  options.is_fixed = kFixed;
  return {};
}
Status ParseLength(std::string_view text, int64_t* value) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return Error(Code::kInvalid, std::string(text) + ": invalid context length argument");
  }
  *value = 0;
  for (const char c : text) *value = std::min<int64_t>(*value * 10 + (c - '0'), 1ll << 40);
  return {};
}
Status SetAfter(Options& options, std::string_view text) { return ParseLength(text, &options.after); }
Status SetBefore(Options& options, std::string_view text) { return ParseLength(text, &options.before); }
Status SetContext(Options& options, std::string_view text) { return ParseLength(text, &options.context); }
Status SetMaxCount(Options& options, std::string_view text) {
  int64_t value = 0;
  const bool is_negative = text.starts_with('-');
  if (!ParseLength(is_negative ? text.substr(1) : text, &value)) return Error(Code::kInvalid, "invalid max count");
  options.max_count = is_negative ? -1 : value;
  return {};
}
Status SetBinary(Options& options, std::string_view text) {
  if (text == "binary") options.binary = Binary::kMessage;
  else if (text == "text") options.binary = Binary::kText;
  else if (text == "without-match") options.binary = Binary::kSkip;
  else return Error(Code::kInvalid, "unknown binary-files type");
  return {};
}
Status SetDirectories(Options& options, std::string_view text) {
  if (text == "read") options.directories = Directories::kRead;
  else if (text == "skip") options.directories = Directories::kSkip;
  else if (text == "recurse") options.directories = Directories::kRecurse;
  else return Error(Code::kInvalid, "invalid argument '" + std::string(text) + "' for '--directories'");
  return {};
}
Status SetDevices(Options& options, std::string_view text) {
  if (text != "read" && text != "skip") return Error(Code::kInvalid, "unknown devices method");
  options.skip_devices = text == "skip";
  return {};
}
Status Recurse(Options& options, std::string_view) {
  options.directories = Directories::kRecurse;
  return {};
}
Status RecurseLinks(Options& options, std::string_view) {
  options.directories = Directories::kRecurse;
  options.follow_links = true;
  return {};
}
Status SetColor(Options& options, std::string_view when) {
  if (when == "always" || when == "yes" || when == "force") options.color = true;
  else if (when == "never" || when == "no" || when == "none" || when.empty() || when == "auto" || when == "tty" ||
           when == "if-tty") options.color = false;
  else return Error(Code::kInvalid, "invalid argument '" + std::string(when) + "' for '--color'");
  return {};
}
Status AddInclude(Options& options, std::string_view glob) {
  options.filters.emplace_back(true, glob);
  return {};
}
Status AddExclude(Options& options, std::string_view glob) {
  options.filters.emplace_back(false, glob);
  return {};
}
Status AddExcludeDirectory(Options& options, std::string_view glob) {
  while (glob.size() > 1 && glob.ends_with('/')) glob.remove_suffix(1);
  options.excluded_directories.emplace_back(glob);
  return {};
}
Status ShowFilename(Options& options, std::string_view) {
  options.with_filename = true;
  return {};
}
Status HideFilename(Options& options, std::string_view) {
  options.with_filename = false;
  return {};
}
Status SetSeparator(Options& options, std::string_view text) {
  options.separator = std::string(text);
  return {};
}
Status DropSeparator(Options& options, std::string_view) {
  options.separator.reset();
  return {};
}

constexpr Option kOptions[] = {
    Call<ChooseDialect<RegexDialect::kExtended, false>>('E', "extended-regexp", nullptr, "PATTERNS are extended regular expressions"),
    Call<ChooseDialect<RegexDialect::kBasic, true>>('F', "fixed-strings", nullptr, "PATTERNS are strings"),
    Call<ChooseDialect<RegexDialect::kBasic, false>>('G', "basic-regexp", nullptr, "PATTERNS are basic regular expressions"),
    Call<ChooseDialect<RegexDialect::kPerl, false>>('P', "perl-regexp", nullptr, "PATTERNS are Perl regular expressions"),
    Call<AddPattern>('e', "regexp", "PATTERNS", "use PATTERNS for matching"),
    Call<AddPatternFile>('f', "file", "FILE", "take PATTERNS from FILE"),
    Flag<&Options::ignore_case>('i', "ignore-case", "ignore case distinctions in patterns and data"),
    Flag<&Options::ignore_case>('y', nullptr, nullptr),
    Set<&Options::ignore_case, false>(0, "no-ignore-case", "do not ignore case distinctions (default)"),
    Flag<&Options::word>('w', "word-regexp", "match only whole words"),
    Flag<&Options::line>('x', "line-regexp", "match only whole lines"),
    Flag<&Options::null_data>('z', "null-data", "a data line ends in 0 byte, not newline"),
    Flag<&Options::no_messages>('s', "no-messages", "suppress error messages"),
    Flag<&Options::invert>('v', "invert-match", "select non-matching lines"),
    Call<SetMaxCount>('m', "max-count", "NUM", "stop after NUM selected lines"),
    Flag<&Options::byte_offset>('b', "byte-offset", "print the byte offset with output lines"),
    Flag<&Options::line_number>('n', "line-number", "print line number with output lines"),
    Flag<&Options::line_buffered>(0, "line-buffered", "flush output on every line"),
    Call<ShowFilename>('H', "with-filename", nullptr, "print file name with output lines"),
    Call<HideFilename>('h', "no-filename", nullptr, "suppress the file name prefix on output"),
    Value<&Options::label>(0, "label", "LABEL", "use LABEL as the standard input file name prefix"),
    Flag<&Options::only_matching>('o', "only-matching", "show only nonempty parts of lines that match"),
    Flag<&Options::quiet>('q', "quiet", "suppress all normal output"),
    Flag<&Options::quiet>(0, "silent", nullptr),
    Call<SetBinary>(0, "binary-files", "TYPE", "assume that binary files are TYPE"),
    Set<&Options::binary, Binary::kText>('a', "text", "equivalent to --binary-files=text"),
    Set<&Options::binary, Binary::kSkip>('I', nullptr, "equivalent to --binary-files=without-match"),
    Call<SetDirectories>('d', "directories", "ACTION", "how to handle directories; ACTION is 'read', 'recurse', or 'skip'"),
    Call<SetDevices>('D', "devices", "ACTION", "how to handle devices, FIFOs and sockets; ACTION is 'read' or 'skip'"),
    Call<Recurse>('r', "recursive", nullptr, "like --directories=recurse"),
    Call<RecurseLinks>('R', "dereference-recursive", nullptr, "likewise, but follow all symlinks"),
    Call<AddInclude>(0, "include", "GLOB", "search only files that match GLOB"),
    Call<AddExclude>(0, "exclude", "GLOB", "skip files that match GLOB"),
    Call<AddExcludeDirectory>(0, "exclude-dir", "GLOB", "skip directories that match GLOB"),
    Set<&Options::files, Files::kWithoutMatch>('L', "files-without-match", "print only names of FILEs with no selected lines"),
    Set<&Options::files, Files::kWithMatch>('l', "files-with-matches", "print only names of FILEs with selected lines"),
    Set<&Options::files, Files::kCount>('c', "count", "print only a count of selected lines per FILE"),
    Flag<&Options::initial_tab>('T', "initial-tab", "make tabs line up (if needed)"),
    Flag<&Options::null_names>('Z', "null", "print 0 byte after FILE name"),
    Call<SetBefore>('B', "before-context", "NUM", "print NUM lines of leading context"),
    Call<SetAfter>('A', "after-context", "NUM", "print NUM lines of trailing context"),
    Call<SetContext>('C', "context", "NUM", "print NUM lines of output context"),
    Call<SetSeparator>(0, "group-separator", "SEP", "print SEP on line between matches with context"),
    Call<DropSeparator>(0, "no-group-separator", nullptr, "do not print separator for matches with context"),
    CallOptional<SetColor>(0, "color", "WHEN", "use markers to highlight the matching strings"),
    CallOptional<SetColor>(0, "colour", "WHEN", nullptr),
    Flag<&Options::keeps_cr>('U', "binary", "do not strip CR characters at EOL (MSDOS/Windows)"),
};

// -5 is -C 5.
bool TakeDigits(void* options, std::string_view argument) {
  if (argument[0] != '-' || argument.find_first_not_of("0123456789", 1) != std::string_view::npos) return false;
  return SetContext(*static_cast<Options*>(options), argument.substr(1)).has_value();
}

struct Match {
  size_t begin;
  size_t end;
};

// The patterns of one run.
class Matcher {
 public:
  Matcher(Invocation& in, const Options& options) : in_(in), options_(options) {}

  Status Add(std::string_view pattern) {
    std::string text(pattern);
    if (options_.dialect == RegexDialect::kPerl) {
      if (options_.line) text = "^(?:" + text + ")$";
      else if (options_.word) text = "(?<!\\w)(?:" + text + ")(?!\\w)";
    }
    auto regex = Regex::Compile(text, {.dialect = options_.dialect,
                                       .ignore_case = options_.ignore_case,
                                       .is_utf8 = in_.locale.is_utf8,
                                       .is_literal = options_.is_fixed});
    if (!regex) return regex.error();
    literals_.emplace_back(options_.ignore_case ? std::string_view() : regex->required_literal());
    regexes_.push_back(std::move(*regex));
    return {};
  }

  // True if some pattern matches in the line; fills the leftmost longest match at or after `from` if asked.
  // Nothing after an error.
  std::optional<bool> Find(std::string_view line, size_t from, Match* match) {
    bool found = false;
    for (size_t i = 0; i < regexes_.size(); ++i) {
      const std::string& literal = literals_[i];
      if (!literal.empty() && memmem(line.data() + from, line.size() - from, literal.data(), literal.size()) == nullptr) {
        continue;
      }
      Match one{};
      const auto answer = FindOne(regexes_[i], line, from, match != nullptr, &one);
      if (!answer) return std::nullopt;
      if (!*answer) continue;
      if (match == nullptr) return true;
      if (!found || one.begin < match->begin || (one.begin == match->begin && one.end > match->end)) *match = one;
      found = true;
    }
    return found;
  }

 private:
  bool IsPerl() const { return options_.dialect == RegexDialect::kPerl && !options_.is_fixed; }

  std::optional<bool> FindOne(const Regex& regex, std::string_view line, size_t from, bool wants_place, Match* match) {
    const bool checks = !IsPerl() && (options_.word || options_.line);
    if (!checks && !wants_place) {
      auto found = regex.Search(line, from, nullptr, in_.budget);
      return Report(found);
    }
    std::vector<RegexGroup>& groups = groups_;
    groups.resize(1);
    for (size_t at = from; at <= line.size();) {
      auto found = regex.Search(line, at, &groups, in_.budget);
      const auto answer = Report(found);
      if (!answer || !*answer) return answer;
      *match = {groups[0].begin, groups[0].end};
      if (!checks) return true;
      if (options_.line) return match->begin == 0 && match->end == line.size();
      if (IsWord(line, *match)) return true;
      // A shorter match at the same place may be a word.
      for (size_t end = match->end; end > match->begin;) {
        --end;
        auto shorter = regex.Search(line.substr(0, end), match->begin, &groups, in_.budget);
        const auto shorter_answer = Report(shorter);
        if (!shorter_answer) return shorter_answer;
        if (!*shorter_answer || groups[0].begin != match->begin) break;
        end = groups[0].end;
        if (IsWord(line, {match->begin, end})) {
          match->end = end;
          return true;
        }
      }
      at = match->begin + (match->begin < line.size() ? DecodeUtf8(line.substr(match->begin)).length : 1);
    }
    return false;
  }

  std::optional<bool> Report(const Result<bool>& found) {
    if (found) return *found;
    in_.Fail(found.error().Text());
    return std::nullopt;
  }

  bool IsWordAt(std::string_view text, bool at_end) const {
    if (text.empty()) return false;
    size_t begin = 0;
    if (at_end) {
      begin = text.size() - 1;
      while (in_.locale.is_utf8 && begin > 0 && text.size() - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
    }
    const DecodedChar decoded = DecodeUtf8(text.substr(begin));
    return decoded.is_valid && IsInClass(decoded.code, CharClass::kWord, in_.locale.is_utf8);
  }
  bool IsWord(std::string_view line, const Match& match) const {
    return !IsWordAt(line.substr(0, match.begin), true) && !IsWordAt(line.substr(match.end), false);
  }

  Invocation& in_;
  const Options& options_;
  std::vector<Regex> regexes_;
  std::vector<std::string> literals_;
  std::vector<RegexGroup> groups_;
};

class Grep {
 public:
  Grep(Invocation& in, const Options& options, Matcher& matcher)
      : in_(in), options_(options), matcher_(matcher), end_(options.null_data ? '\0' : '\n') {}

  ExitStatus Run(std::vector<std::string> files) {
    const bool recurses = options_.directories == Directories::kRecurse;
    const bool is_bare = recurses && files.empty();
    if (files.empty()) files.push_back(recurses ? "." : "-");
    shows_names_ = options_.with_filename.value_or(files.size() > 1 || recurses);
    for (const std::string& file : files) {
      if (is_done_) break;
      Visit(file, is_bare, /*is_argument=*/true);
    }
    if (options_.quiet && has_match_) return 0;
    if (has_error_) return kError;
    return has_match_ ? 0 : 1;
  }

 private:
  void Complain(std::string_view subject, const Error& error) {
    has_error_ = true;
    if (!options_.no_messages) in_.Fail(subject, error);
  }

  bool MatchesGlob(const std::string& glob, const std::string& path) {
    const Pattern pattern(glob, {.extglob = false});
    return pattern.Matches(path, in_.budget) || pattern.Matches(vfs::BaseName(path), in_.budget);
  }

  bool IsFileWanted(const std::string& path) {
    if (options_.filters.empty()) return true;
    for (auto filter = options_.filters.rbegin(); filter != options_.filters.rend(); ++filter) {
      if (MatchesGlob(filter->second, path)) return filter->first;
    }
    return !options_.filters.front().first;
  }

  void Visit(const std::string& path, bool is_bare, bool is_argument) {
    in_.budget.Step();
    if (path == "-") {
      Search(in_.in, options_.label);
      return;
    }
    auto stat = in_.fs.Stat(path, is_argument || options_.follow_links ? vfs::Follow::kYes : vfs::Follow::kNo);
    if (!stat) return Complain(path, stat.error());
    if (stat->is_symlink()) return;   // found on the way with -r
    if (stat->is_directory()) {
      if (options_.directories == Directories::kSkip) return;
      if (options_.directories == Directories::kRead) {
        Complain(path, Code::kIsDirectory);
        return;
      }
      return Descend(path, is_bare, is_argument);
    }
    const bool is_device = !stat->is_file();
    if (is_device && (options_.skip_devices || (!is_argument && options_.directories == Directories::kRecurse))) return;
    if (!IsFileWanted(path)) return;
    auto file = in_.fs.Open(path, vfs::OpenFlags::Read());
    if (!file) return Complain(path, file.error());
    Input input(**file, in_.budget);
    Search(input, path);
  }

  void Descend(const std::string& path, bool is_bare, bool is_argument) {
    in_.budget.CheckStack();
    for (const std::string& glob : options_.excluded_directories) {
      if (MatchesGlob(glob, path) && !(is_argument && (path == "." || path == ".."))) return;
    }
    auto entries = in_.fs.List(path);
    if (!entries) return Complain(path, entries.error());
    for (const vfs::DirectoryEntry& entry : *entries) {
      if (is_done_) return;
      Visit(is_bare ? entry.name : vfs::JoinPath(path, entry.name), false, false);
    }
  }

  void Paint(const char* code, std::string_view text) {
    if (!options_.color) {
      in_.out.Write(text);
      return;
    }
    in_.out.Write(std::string("\33[") + code + "m\33[K");
    in_.out.Write(text);
    in_.out.Write("\33[m\33[K");
  }

  void Prefix(const std::string& name, uint64_t number, uint64_t offset, char mark) {
    const std::string_view separator(&mark, 1);
    if (shows_names_) {
      Paint("35", name);
      if (options_.null_names) in_.out.Put('\0');
      else Paint("36", separator);
    }
    if (options_.line_number) {
      std::string text = std::to_string(number);
      if (options_.initial_tab && text.size() < 4) text.insert(0, 4 - text.size(), ' ');
      Paint("32", text);
      Paint("36", separator);
    }
    if (options_.byte_offset) {
      std::string text = std::to_string(offset);
      if (options_.initial_tab && text.size() < 6) text.insert(0, 6 - text.size(), ' ');
      Paint("32", text);
      Paint("36", separator);
    }
    if (options_.initial_tab && (shows_names_ || options_.line_number || options_.byte_offset)) in_.out.Put('\t');
  }

  // Prints a selected line (or its matching parts).
  bool PrintLine(const std::string& name, std::string_view line, uint64_t number, uint64_t offset, char mark) {
    const bool is_selected = mark == ':';
    if (options_.only_matching) {
      if (!is_selected || options_.invert) return true;
      for (size_t at = 0; at <= line.size();) {
        Match match{};
        const auto found = matcher_.Find(line, at, &match);
        if (!found) return false;
        if (!*found) break;
        if (match.end > match.begin) {
          Prefix(name, number, offset + match.begin, mark);
          Paint("01;31", line.substr(match.begin, match.end - match.begin));
          in_.out.Put(end_);
        }
        at = match.end > match.begin ? match.end : match.end + 1;
      }
      return true;
    }
    Prefix(name, number, offset, mark);
    if (options_.color && is_selected != options_.invert) {
      size_t at = 0;
      for (size_t from = 0; from <= line.size();) {
        Match match{};
        const auto found = matcher_.Find(line, from, &match);
        if (!found) return false;
        if (!*found) break;
        if (match.end > match.begin) {
          in_.out.Write(line.substr(at, match.begin - at));
          Paint("01;31", line.substr(match.begin, match.end - match.begin));
          at = match.end;
        }
        from = match.end > match.begin ? match.end : match.end + 1;
      }
      line.remove_prefix(at);
    }
    in_.out.Write(line);
    in_.out.Put(end_);
    return true;
  }

  bool IsBinary(std::string_view bytes) const {
    if (std::memchr(bytes.data(), '\0', bytes.size()) != nullptr) return end_ == '\n';
    return false;
  }
  bool IsUndecodable(std::string_view line) const {
    if (!in_.locale.is_utf8) return false;
    for (size_t i = 0; i < line.size();) {
      if (static_cast<unsigned char>(line[i]) < 0x80) {
        ++i;
        continue;
      }
      const DecodedChar decoded = DecodeUtf8(line.substr(i));
      if (!decoded.is_valid) return true;
      i += decoded.length;
    }
    return false;
  }

  void Search(Input& input, const std::string& name) {
    const int64_t before = options_.before >= 0 ? options_.before : std::max<int64_t>(options_.context, 0);
    const int64_t after = options_.after >= 0 ? options_.after : std::max<int64_t>(options_.context, 0);
    const bool has_context = (before > 0 || after > 0) && !options_.only_matching;
    const bool prints = options_.files == Files::kLines && !options_.quiet;
    const bool checks_binary = options_.binary != Binary::kText;
    const bool is_binary = checks_binary && IsBinary(input.Peek().substr(0, kSniffed));
    if (is_binary && options_.binary == Binary::kSkip) return;
    struct Held {
      std::string text;
      uint64_t number;
      uint64_t offset;
    };
    std::deque<Held> held;
    uint64_t number = 0;
    uint64_t offset = 0;
    uint64_t selected = 0;
    int64_t trailing = 0;
    bool says_binary = false;
    if (options_.max_count && *options_.max_count == 0) return Finish(name, 0, false);
    while (true) {
      const auto line = input.ReadLine(end_);
      if (!line) break;
      ++number;
      const uint64_t line_offset = offset;
      offset += line->text.size() + (line->is_terminated ? 1 : 0);
      const auto found = matcher_.Find(line->text, 0, nullptr);
      if (!found) {
        has_error_ = true;
        return;
      }
      if (*found != options_.invert) {
        ++selected;
        has_match_ = true;
        if (options_.quiet) {
          is_done_ = true;
          return;
        }
        if (options_.files == Files::kWithMatch || options_.files == Files::kWithoutMatch) break;
        if (prints) {
          if (is_binary || (checks_binary && (IsBinary(line->text) || IsUndecodable(line->text)))) {
            says_binary = options_.binary == Binary::kMessage;
            if (!says_binary) --selected;
            break;
          }
          if (has_context && has_printed_group_ && (last_printed_ == 0 || number - held.size() > last_printed_ + 1) &&
              options_.separator) {
            Paint("36", *options_.separator);
            in_.out.Put('\n');
          }
          for (const Held& earlier : held) PrintLine(name, earlier.text, earlier.number, earlier.offset, '-');
          held.clear();
          if (!PrintLine(name, line->text, number, line_offset, ':')) {
            has_error_ = true;
            return;
          }
          has_printed_group_ = true;
          last_printed_ = number;
          trailing = after;
        }
        if (options_.max_count && *options_.max_count > 0 && selected >= static_cast<uint64_t>(*options_.max_count)) {
          for (; prints && trailing > 0; --trailing) {
            const auto next = input.ReadLine(end_);
            if (!next) break;
            ++number;
            PrintLine(name, next->text, number, offset, '-');
            offset += next->text.size() + 1;
          }
          break;
        }
      } else if (prints && trailing > 0) {
        --trailing;
        PrintLine(name, line->text, number, line_offset, '-');
        last_printed_ = number;
      } else if (prints && before > 0 && has_context) {
        held.push_back({std::string(line->text), number, line_offset});
        if (held.size() > static_cast<size_t>(before)) held.pop_front();
      }
    }
    last_printed_ = 0;
    if (!input.status()) Complain(name, input.status().error());
    Finish(name, selected, says_binary);
  }

  void Finish(const std::string& name, uint64_t selected, bool says_binary) {
    const auto print_name = [&] {
      Paint("35", name);
      in_.out.Put(options_.null_names ? '\0' : '\n');
    };
    if (options_.quiet) return;
    if (says_binary) in_.out.WriteLine(std::string(in_.name()) + ": " + name + ": binary file matches");
    if (options_.files == Files::kCount) {
      if (shows_names_) {
        Paint("35", name);
        if (options_.null_names) in_.out.Put('\0');
        else Paint("36", ":");
      }
      in_.out.WriteInt(static_cast<int64_t>(selected));
      in_.out.Put('\n');
    }
    if (options_.files == Files::kWithMatch && selected > 0) print_name();
    if (options_.files == Files::kWithoutMatch && selected == 0) {
      print_name();
      lists_unmatched_ = true;
    }
  }

  Invocation& in_;
  const Options& options_;
  Matcher& matcher_;
  char end_;
  bool shows_names_ = false;
  bool has_match_ = false;
  bool has_error_ = false;
  bool is_done_ = false;
  bool lists_unmatched_ = false;
  bool has_printed_group_ = false;
  uint64_t last_printed_ = 0;   // number of the last line printed of this file
};

Status AddAll(Matcher& matcher, std::string_view patterns) {
  while (true) {
    const size_t newline = patterns.find('\n');
    PADDOCK_TRY(matcher.Add(patterns.substr(0, newline)));
    if (newline == std::string_view::npos) return {};
    patterns.remove_prefix(newline + 1);
  }
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& given) {
  std::vector<std::string> operands = given;
  if (in.name() == "egrep" && !options.is_fixed && options.dialect == RegexDialect::kBasic) options.dialect = RegexDialect::kExtended;
  if (in.name() == "fgrep") options.is_fixed = true;
  if (!options.has_patterns) {
    if (operands.empty()) {
      in.err.Write("Usage: " + std::string(in.name()) + " [OPTION]... PATTERNS [FILE]...\n");
      return in.UsageHint();
    }
    options.patterns.push_back(operands.front());
    operands.erase(operands.begin());
  }
  Matcher matcher(in, options);
  const auto refuse = [&](const Error& error) { return in.Fail(error.Text(), kError); };
  for (const std::string& patterns : options.patterns) {
    if (const Status added = AddAll(matcher, patterns); !added) return refuse(added.error());
  }
  for (const std::string& path : options.pattern_files) {
    std::string text;
    if (path == "-") {
      text = in.in.ReadAll();
    } else {
      auto content = vfs::ReadFile(in.fs, path);
      if (!content) return in.Fail(path, content.error(), kError);
      text = std::move(*content);
    }
    if (text.empty()) continue;   // an empty file matches nothing
    if (text.back() == '\n') text.pop_back();
    if (const Status added = AddAll(matcher, text); !added) return refuse(added.error());
  }
  return Grep(in, options, matcher).Run(std::move(operands));
}

constexpr const char* kAliases[] = {"egrep", "fgrep"};

}  // namespace

extern const Command kCommand_grep;
const Command kCommand_grep = Define<Options, Run>({
    .name = "grep",
    .aliases = kAliases,
    .summary = "search for PATTERNS in each FILE",
    .synopsis = "[OPTION]... PATTERNS [FILE]...",
    .details = "With no FILE, read standard input, or '.' with -r.",
    .options = kOptions,
    .rules = {.numeric_shorthand = TakeDigits},
    .usage_status = kError,
});

}  // namespace paddock
