// ptx - permuted index of the words of files
//
// usage: ptx [OPTION]... [INPUT]...
//        ptx -G [OPTION]... [INPUT [OUTPUT]]
// Writes a line for each word, sorted by the words: the word with what stands after it right of the middle, what stands before it
// left of the middle, and what has no room there at the other end of the line.
//
// Exit status: 0, or 1 when a file could not be read or an option is wrong.
// Source: GNU coreutils 9.1. Characters are bytes; regular expressions have Emacs' syntax.
// Differs: a word expression that matches nothing is passed over by one byte, where the original never ends; the same word of
// several files comes in the order of the files.

#include <algorithm>
#include <charconv>

#include "commands/input_files.h"
#include "commands/text/ptx.h"
#include "text/choice.h"
#include "text/quote.h"

namespace paddock {
namespace {

using namespace ptx;

struct Options : Settings {
  bool ignores_case = false;
  bool is_typeset = false;
  std::optional<std::string> format_word, gap_text, width_text, sentence, word, break_file, ignore_file, only_file;
};

constexpr Option kOptions[] = {
    Flag<&Options::has_auto_references>('A', "auto-reference", "output automatically generated references"),
    Flag<&Options::is_traditional>('G', "traditional", "behave more like System V 'ptx'"),
    Value<&Options::truncation>('F', "flag-truncation", "STRING", "use STRING for flagging line truncations; the default is '/'"),
    Value<&Options::macro>('M', "macro-name", "STRING", "macro name to use instead of 'xx'"),
    Set<&Options::format, Format::kRoff>('O', nullptr, "generate output as roff directives"),
    Set<&Options::format, Format::kTex>('T', nullptr, "generate output as TeX directives"),
    Value<&Options::format_word>(0, "format", "WORD", "roff or tex: as -O and -T"),
    Flag<&Options::puts_references_right>('R', "right-side-refs", "put references at right, not counted in -w"),
    Value<&Options::sentence>('S', "sentence-regexp", "REGEXP", "for end of lines or end of sentences"),
    Value<&Options::word>('W', "word-regexp", "REGEXP", "use REGEXP to match each keyword"),
    Value<&Options::break_file>('b', "break-file", "FILE", "word break characters in this FILE"),
    Flag<&Options::ignores_case>('f', "ignore-case", "fold lower case to upper case for sorting"),
    Value<&Options::gap_text>('g', "gap-size", "NUMBER", "gap size in columns between output fields"),
    Value<&Options::ignore_file>('i', "ignore-file", "FILE", "read ignore word list from FILE"),
    Value<&Options::only_file>('o', "only-file", "FILE", "read only word list from this FILE"),
    Flag<&Options::has_references>('r', "references", "first field of each line is a reference"),
    Flag<&Options::is_typeset>('t', "typeset-mode", "changes nothing, as in the original"),
    Value<&Options::width_text>('w', "width", "NUMBER", "output width in columns, reference excluded"),
};

constexpr std::string_view kSentenceEnd = "[.?!][]\"')}]*\\($\\|\t\\|  \\)[ \t\n]*";
constexpr int64_t kMostColumns = int64_t{1} << 40;   // beyond it no line ends in time

bool IsLetter(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
unsigned char Upper(char c) { return static_cast<unsigned char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); }

// A number as C writes it: decimal, 0 octal, 0x hexadecimal; nothing unless it is all of the text and positive.
std::optional<int64_t> ReadColumns(std::string_view text) {
  while (!text.empty() && IsSpace(text[0])) text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 2 && (text.starts_with("0x") || text.starts_with("0X"))) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value, base);
  if (read.ec != std::errc() || read.ptr != end || value <= 0) return std::nullopt;
  return std::min(value, kMostColumns);
}

int DigitOf(char c, int base) {
  const int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
  return value < base ? value : -1;
}

// The escapes of -F, -S and -W; others keep their backslash.
std::string Unescape(std::string_view text) {
  constexpr std::string_view kLetters = "abfnrtv", kMeanings = "\a\b\f\n\r\t\v";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) break;
    if (text[i] == 'c') break;
    if (text[i] == 'x' || text[i] == '0') {
      const int base = text[i] == 'x' ? 16 : 8;
      int value = 0;
      size_t count = 0;
      for (; count < 3 && i + 1 < text.size() && DigitOf(text[i + 1], base) >= 0; ++count) value = value * base + DigitOf(text[++i], base);
      if (base == 16 && count == 0) out += "\\x";
      else out += static_cast<char>(value);
    } else if (const size_t letter = kLetters.find(text[i]); letter != std::string_view::npos) {
      out += kMeanings[letter];
    } else {
      (out += '\\') += text[i];
    }
  }
  return out.substr(0, out.find('\0'));
}

// A dot stands for no newline, while [^x] does.
std::string WithLineDots(std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    size_t size = 1;
    if (pattern[i] == '\\') {
      size = 2;
    } else if (pattern[i] == '[') {
      const size_t first = i + (pattern.substr(i + 1, 1) == "^" ? 2 : 1);
      const size_t close = pattern.find(']', first + 1);
      size = close == std::string_view::npos ? pattern.size() : close + 1 - i;
    } else if (pattern[i] == '.') {
      out += "[^\n]";
      continue;
    }
    out += pattern.substr(i, size);
    i += size - 1;
  }
  return out;
}

class Indexer {
 public:
  Indexer(Invocation& in, Options& options) : in_(in), o_(options) {}

  // False when the command has ended with a complaint.
  bool Prepare() {
    if (!ReadNumber(o_.gap_text, "gap", o_.gap) || !ReadNumber(o_.width_text, "line", o_.width)) return false;
    o_.truncation = Unescape(o_.truncation);
    if (!PrepareContext() || !PrepareWords()) return false;
    return (!o_.ignore_file || ReadWords(*o_.ignore_file, ignored_)) && (!o_.only_file || ReadWords(*o_.only_file, only_));
  }

  bool Read(const std::string& name) {
    index_.texts.emplace_back();
    Text& text = index_.texts.back();
    if (!ReadFile(name, text.bytes)) return false;
    if (!name.empty() && name != "-") text.name = name;
    return FindWords(text);
  }

  void Write(Output& out) {
    Sort();
    WriteIndex(index_, o_, words_, out, in_.budget);
  }

 private:

  bool ReadNumber(const std::optional<std::string>& text, std::string_view what, int64_t& number) {
    if (!text) return true;
    const auto value = ReadColumns(*text);
    if (!value) in_.Fail("invalid " + std::string(what) + " width: " + Quote(*text, in_.locale.is_utf8));
    else number = *value;
    return value.has_value();
  }

  std::optional<Regex> Compile(const std::string& pattern, bool is_bytes = false) {
    const RegexFlags flags{.dialect = RegexDialect::kEmacs, .ignore_case = o_.ignores_case, .is_utf8 = in_.locale.is_utf8 && !is_bytes, .multiline = true};
    auto regex = Regex::Compile(WithLineDots(pattern), flags);
    if (regex) return std::move(*regex);
    in_.Fail(std::string(regex.error().Text()) + " (for regexp " + Quote(pattern, in_.locale.is_utf8) + ")");
    return std::nullopt;
  }

  bool PrepareContext() {
    const bool is_given = o_.sentence.has_value();
    if (is_given) sentence_ = Unescape(*o_.sentence);
    else sentence_ = o_.is_traditional || o_.has_references ? "\n" : kSentenceEnd;
    if (sentence_.empty()) return true;
    context_ = Compile(sentence_, !is_given);
    return context_.has_value();
  }

  bool PrepareWords() {
    if (const std::string word = Unescape(o_.word.value_or("")); !word.empty()) {
      words_.regex = Compile(word);
      if (!words_.regex) return false;
      bool refers_back = false;
      for (size_t i = 1; i < word.size(); ++i) refers_back = refers_back || (word[i - 1] == '\\' && word[i] >= '0' && word[i] <= '9');
      if (!refers_back) words_.anchored = Compile("\\`\\(" + word + "\\)");
    } else if (!o_.break_file) {
      for (size_t c = 0; c < 256; ++c) words_.is_part[c] = o_.is_traditional || IsLetter(static_cast<unsigned char>(c));
    }
    if (o_.break_file) {
      std::string breaks;
      if (!ReadFile(*o_.break_file, breaks)) return false;
      words_.is_part.fill(true);
      for (const char c : breaks) words_.is_part[static_cast<unsigned char>(c)] = false;
    }
    for (const char c : {' ', '\t', '\n'}) {
      if (o_.is_traditional) words_.is_part[static_cast<unsigned char>(c)] = false;
    }
    return true;
  }

  bool ReadFile(const std::string& name, std::string& bytes) {
    const std::string shown = name.empty() ? "-" : name;
    auto file = InputFile::Open(in_, shown);
    if (file) bytes = file->input().ReadAll();
    const Status status = !file ? Status(file.error()) : file->input().status();
    if (!status) in_.Fail(QuoteSubject(shown, in_.locale.is_utf8), status.error());
    return static_cast<bool>(status);
  }

  int Compare(std::string_view a, std::string_view b) const {
    in_.budget.Step();
    if (!o_.ignores_case) return a.compare(b);
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (Upper(a[i]) != Upper(b[i])) return Upper(a[i]) - Upper(b[i]);
    }
    return a.size() < b.size() ? -1 : a.size() > b.size();
  }

  bool ReadWords(const std::string& name, std::vector<std::string>& words) {
    std::string bytes;
    if (!ReadFile(name, bytes)) return false;
    for (std::string_view rest = bytes; !rest.empty();) {
      in_.budget.Step();
      const std::string_view word = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(word.size() + 1, rest.size()));
      if (!word.empty()) words.emplace_back(word);
    }
    std::sort(words.begin(), words.end(), [this](const auto& a, const auto& b) { return Compare(a, b) < 0; });
    return true;
  }

  bool IsListed(std::string_view word, const std::vector<std::string>& list) const {
    const auto at = std::lower_bound(list.begin(), list.end(), word, [this](const auto& a, const auto& b) { return Compare(a, b) < 0; });
    return at != list.end() && Compare(*at, word) == 0;
  }
  bool IsKept(std::string_view word) const { return !IsListed(word, ignored_) && (only_.empty() || IsListed(word, only_)); }

  // Follows the lines up to a word: where its line begins and how many came before.
  struct Lines {
    int64_t begin = 0, at = 0, reference_size = 0, count = 0;
  };
  void Advance(std::string_view text, Lines& lines, int64_t to) const {
    const auto size = static_cast<int64_t>(text.size());
    const int64_t from = lines.at;
    while (lines.at < to) {
      if (text[static_cast<size_t>(lines.at++)] != '\n') continue;
      ++lines.count;
      lines.begin = lines.at;
      while (lines.at < size && !IsSpace(text[static_cast<size_t>(lines.at)])) ++lines.at;
      lines.reference_size = lines.at - lines.begin;
    }
    in_.budget.Step((lines.at - from) / 16);
  }

  // Where the line or sentence ends that begins at `at`; nothing after a complaint.
  std::optional<int64_t> ContextEnd(std::string_view text, int64_t at) {
    const auto size = static_cast<int64_t>(text.size());
    if (!context_) return size;
    const auto found = context_->Search(text.substr(static_cast<size_t>(at)), 0, &groups_, in_.budget);
    if (!found) {
      in_.Fail("error in regular expression matcher");
      return std::nullopt;
    }
    if (!*found) return size;
    if (groups_[0].begin == 0) {
      in_.Fail("error: regular expression has a match of length zero: " + Quote(sentence_, in_.locale.is_utf8));
      return std::nullopt;
    }
    return at + static_cast<int64_t>(groups_[0].end);
  }

  bool FindWords(Text& file) {
    const std::string_view text = file.bytes;
    const auto size = static_cast<int64_t>(text.size());
    Lines lines;
    if (o_.has_references) {
      while (lines.at < size && !IsSpace(text[static_cast<size_t>(lines.at)])) ++lines.at;
      lines.reference_size = lines.at;
      while (lines.at < size && IsSpace(text[static_cast<size_t>(lines.at)])) ++lines.at;
    }
    for (int64_t at = 0; at < size;) {
      const auto next = ContextEnd(text, at);
      if (!next) return false;
      Span context{at, *next};
      while (context.end > context.begin && IsSpace(text[static_cast<size_t>(context.end - 1)])) --context.end;
      FindWordsOf(file, context, lines);
      if (const Status& status = words_.status(); !status) {
        in_.Fail("error in regular expression matcher");
        return false;
      }
      at = *next;
      in_.budget.Step();
    }
    file.lines = lines.count;
    return true;
  }

  void FindWordsOf(const Text& file, Span context, Lines& lines) {
    const std::string_view text = std::string_view(file.bytes).substr(0, static_cast<size_t>(context.end));
    for (int64_t at = context.begin; at <= context.end;) {
      const auto word = words_.Next(text, at, in_.budget);
      if (!word) return;
      at = std::max(word->end, word->begin + 1);
      if (word->size() == 0) continue;
      index_.longest_word = std::max(index_.longest_word, word->size());
      if (o_.has_references) {
        Advance(file.bytes, lines, word->begin);
        if (lines.at > word->begin) continue;
      }
      if (!IsKept(text.substr(static_cast<size_t>(word->begin), static_cast<size_t>(word->size())))) continue;
      if (o_.has_auto_references) {
        Advance(file.bytes, lines, word->begin);
      } else if (o_.has_references) {
        index_.reference_width = std::max(index_.reference_width, lines.reference_size);
      }
      if (o_.has_references && lines.begin == context.begin) {
        while (context.begin < context.end && !IsSpace(text[static_cast<size_t>(context.begin)])) ++context.begin;
        while (context.begin < context.end && IsSpace(text[static_cast<size_t>(context.begin)])) ++context.begin;
      }
      index_.found.push_back({index_.texts.size() - 1, *word, context, o_.has_auto_references ? lines.count + 1 : lines.begin});
    }
  }

  std::string_view WordOf(const Occurrence& o) const { return std::string_view(index_.texts[o.file].bytes).substr(static_cast<size_t>(o.key.begin), static_cast<size_t>(o.key.size())); }

  void Sort() {
    std::stable_sort(index_.found.begin(), index_.found.end(), [this](const Occurrence& a, const Occurrence& b) { return Compare(WordOf(a), WordOf(b)) < 0; });
  }

  Invocation& in_;
  Options& o_;
  std::string sentence_;
  std::optional<Regex> context_;
  std::vector<RegexGroup> groups_ = std::vector<RegexGroup>(1);
  WordFinder words_;
  std::vector<std::string> ignored_, only_;
  Index index_;
};

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  static constexpr Choice kFormats[] = {{"roff", static_cast<int>(Format::kRoff)}, {"tex", static_cast<int>(Format::kTex)}};
  const bool is_utf8 = in.locale.is_utf8;
  if (options.format_word) {
    const auto format = FindChoice("--format", *options.format_word, kFormats, is_utf8);
    if (!format) return in.Usage(format.error().Text());
    options.format = static_cast<Format>(*format);
  }
  std::vector<std::string> names = operands.empty() ? std::vector<std::string>{"-"} : operands;
  vfs::OpenFilePtr target;
  std::unique_ptr<Output> own;
  Indexer index(in, options);
  if (options.is_traditional && operands.size() > 1) {
    auto opened = in.fs.Open(operands[1], vfs::OpenFlags::Write());
    if (!opened) return in.Fail(QuoteSubject(operands[1], is_utf8), opened.error());
    if (operands.size() > 2) return in.Usage("extra operand " + Quote(operands[2], is_utf8));
    target = *opened;
    own = std::make_unique<Output>(*target);
    names.resize(1);
  }
  if (!index.Prepare()) return 1;
  for (const std::string& name : names) {
    if (!index.Read(name)) return 1;
  }
  Output& out = own ? *own : in.out;
  index.Write(out);
  if (own && !out.Flush()) return in.Fail("write error", out.status().error());
  return 0;
}

}  // namespace

extern const Command kCommand_ptx;
const Command kCommand_ptx = Define<Options, Run>({
    .name = "ptx",
    .summary = "output a permuted index, including context, of the words in the input files",
    .synopsis = "[OPTION]... [INPUT]...   (without -G)\n-G [OPTION]... [INPUT [OUTPUT]]",
    .options = kOptions,
});

}  // namespace paddock
