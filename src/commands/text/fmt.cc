// fmt - simple optimal text formatter
//
// usage: fmt [-WIDTH] [OPTION]... [FILE]...
// Fills paragraphs so that lines come near the goal, and breaks rather at the ends of sentences and of clauses than elsewhere.
//
// Exit status: 0, or 1 when a file could not be read or an option is wrong.
// Source: GNU coreutils 9.1; the weights of breaks are its own. Characters are bytes.
// Differs: nothing known.

#include <algorithm>

#include "commands/closed_input.h"
#include "commands/input_files.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr int64_t kDefaultWidth = 75;
constexpr int64_t kLeeway = 7;            // the goal is so many percent below the width
constexpr size_t kMostWords = 1000;       // a longer paragraph is put out in parts
constexpr size_t kMostBytes = 5000;
constexpr int64_t kTagIndent = 3;

// Costs are squares: twice as far from the goal is four times as bad.
constexpr int64_t Square(int64_t n) { return n * n; }
constexpr int64_t kWorst = int64_t{1} << 60;
constexpr int64_t kLineCost = Square(70);
constexpr int64_t kNoBreakCost = Square(600);       // after a full stop that ends no sentence
constexpr int64_t kSentenceBonus = Square(50);
constexpr int64_t kPunctuationBonus = Square(40);
constexpr int64_t kParenthesisBonus = Square(40);
constexpr int64_t kLineCredit = Square(3);
int64_t ShortCost(int64_t n) { return Square(n * 10); }
int64_t RaggedCost(int64_t n) { return ShortCost(n) / 2; }
int64_t WidowCost(int64_t n) { return Square(200) / (n + 2); }
int64_t OrphanCost(int64_t n) { return Square(150) / (n + 2); }

struct Options {
  bool crown = false;
  bool tagged = false;
  bool split = false;
  bool uniform = false;
  std::string prefix;
  std::optional<std::string> width, goal;
};

constexpr Option kOptions[] = {
    Flag<&Options::crown>('c', "crown-margin", "preserve indentation of first two lines"),
    Value<&Options::prefix>('p', "prefix", "STRING", "reformat only lines beginning with STRING, reattaching the prefix"),
    Flag<&Options::split>('s', "split-only", "split long lines, but do not refill"),
    Flag<&Options::tagged>('t', "tagged-paragraph", "indentation of first line different from second"),
    Flag<&Options::uniform>('u', "uniform-spacing", "one space between words, two after sentences"),
    Value<&Options::width>('w', "width", "WIDTH", "maximum line width (default of 75 columns)"),
    Value<&Options::goal>('g', "goal", "WIDTH", "goal width (default of 93% of width)"),
};

bool IsSpace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsPunctuation(char c) { return c > ' ' && c < 127 && !(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z'); }

struct Word {
  std::string text;
  int64_t space = 0;             // behind it
  bool opens = false;            // begins with a bracket or quote
  bool has_punctuation = false;  // ends with some
  bool has_stop = false;
  bool is_final = false;         // ends a sentence
  // What the search for breaks finds out.
  size_t next_break = 0;
  int64_t line_length = 0;
  int64_t best_cost = 0;
  int64_t length() const { return static_cast<int64_t>(text.size()); }
};

class Formatter {
 public:
  Formatter(Invocation& in, const Options& options, int64_t width, int64_t goal) : in_(in), options_(options), width_(width), goal_(goal) {
    std::string_view prefix = options.prefix;
    while (prefix.starts_with(' ')) {
      prefix.remove_prefix(1);
      ++prefix_lead_;
    }
    prefix_full_ = static_cast<int64_t>(prefix.size());
    while (prefix.ends_with(' ')) prefix.remove_suffix(1);
    prefix_ = prefix;
  }

  void Run(Input& input) {
    input_ = &input;
    has_tabs_ = false;
    other_indent_ = 0;
    next_char_ = ReadPrefix();
    while (ReadParagraph() && in_.out.status()) {
      FindBreaks();
      PutParagraph(words_.size());
    }
  }

 private:
  int Get() {
    in_.budget.Step();
    return input_->Get();
  }
  int SkipSpace(int c) {
    while (true) {
      if (c == ' ') {
        ++column_;
      } else if (c == '\t') {
        has_tabs_ = true;
        column_ = column_ / 8 * 8 + 8;
      } else {
        return c;
      }
      c = Get();
    }
  }

  // The indent and the prefix of the next line.
  int ReadPrefix() {
    column_ = 0;
    int c = SkipSpace(Get());
    if (prefix_.empty()) {
      next_indent_ = std::min(prefix_lead_, column_);
      return c;
    }
    next_indent_ = column_;
    for (const char expected : prefix_) {
      if (c != static_cast<unsigned char>(expected)) return c;
      ++column_;
      c = Get();
    }
    return SkipSpace(c);
  }

  bool BelongsTo(int c) const { return next_indent_ == prefix_indent_ && column_ >= next_indent_ + prefix_full_ && c != '\n' && c >= 0; }

  bool ReadParagraph() {
    last_length_ = 0;
    int c = next_char_;
    while (c == '\n' || c < 0 || next_indent_ < prefix_lead_ || column_ < next_indent_ + prefix_full_) {
      c = CopyRest(c);
      if (c < 0) return false;
      in_.out.Put('\n');
      c = ReadPrefix();
    }
    prefix_indent_ = next_indent_;
    first_indent_ = column_;
    words_.clear();
    bytes_ = 0;
    c = ReadLine(c);
    SetOtherIndent(BelongsTo(c));
    const bool goes_on = options_.split ? false : options_.tagged && !options_.crown ? BelongsTo(c) && column_ != first_indent_ : options_.crown ? BelongsTo(c) : true;
    if (goes_on && (options_.crown || options_.tagged)) {
      do c = ReadLine(c);
      while (BelongsTo(c) && column_ == other_indent_);
    } else if (goes_on) {
      while (BelongsTo(c) && column_ == other_indent_) c = ReadLine(c);
    }
    words_.back().has_stop = words_.back().is_final = true;
    next_char_ = c;
    return true;
  }

  void SetOtherIndent(bool is_same) {
    if (options_.split) {
      other_indent_ = first_indent_;
    } else if (options_.crown) {
      other_indent_ = is_same ? column_ : first_indent_;
    } else if (options_.tagged) {
      if (is_same && column_ != first_indent_) other_indent_ = column_;
      else if (other_indent_ == first_indent_) other_indent_ = first_indent_ == 0 ? kTagIndent : 0;
    } else {
      other_indent_ = first_indent_;
    }
  }

  // A line that is no part of a paragraph.
  int CopyRest(int c) {
    out_column_ = 0;
    if (column_ > next_indent_ || (c != '\n' && c >= 0)) {
      PutSpace(next_indent_);
      for (size_t i = 0; out_column_ != column_ && i < prefix_.size(); ++i, ++out_column_) in_.out.Put(prefix_[i]);
      if (c >= 0 && c != '\n') PutSpace(column_ - out_column_);
      if (c < 0 && column_ >= next_indent_ + static_cast<int64_t>(prefix_.size())) in_.out.Put('\n');
    }
    for (; c != '\n' && c >= 0; c = Get()) in_.out.Put(static_cast<char>(c));
    return c;
  }

  // The words of one line; the answer is the first character of the next one behind its prefix.
  int ReadLine(int c) {
    do {
      Word word;
      do {
        if (bytes_ >= kMostBytes) FlushPart(word);
        word.text += static_cast<char>(c);
        ++bytes_;
        TakeRun(word);
        c = Get();
      } while (c >= 0 && !IsSpace(c));
      column_ += word.length();
      Judge(word);
      const int64_t start = column_;
      c = SkipSpace(c);
      word.space = column_ - start;
      word.is_final = c < 0 || (word.has_stop && (c == '\n' || word.space > 1));
      if (c == '\n' || c < 0 || options_.uniform) word.space = word.is_final ? 2 : 1;
      if (words_.size() == kMostWords - 2) FlushPart(word);
      words_.push_back(std::move(word));
    } while (c != '\n' && c >= 0);
    return ReadPrefix();
  }

  // What of the word is at hand, up to where FlushPart() has its turn.
  void TakeRun(Word& word) {
    const std::string_view bytes = input_->Peek();
    const size_t most = std::min(bytes.size(), bytes_ < kMostBytes ? static_cast<size_t>(kMostBytes - bytes_) : 0);
    size_t size = 0;
    while (size < most && !IsSpace(static_cast<unsigned char>(bytes[size]))) ++size;
    word.text.append(bytes.substr(0, size));
    bytes_ += size;
    input_->Consume(size);
    in_.budget.Step(static_cast<int64_t>(size / 32));
  }

  static void Judge(Word& word) {
    const std::string& text = word.text;
    word.opens = std::string_view("(['`\"").find(text[0]) != std::string_view::npos;
    word.has_punctuation = IsPunctuation(text.back());
    size_t end = text.size();
    while (end > 1 && std::string_view(")]'\"").find(text[end - 1]) != std::string_view::npos) --end;
    word.has_stop = std::string_view(".?!").find(text[end - 1]) != std::string_view::npos;
  }

  // The paragraph is too long to keep: puts out the part before a good break. `last` is the word that is being read.
  void FlushPart(Word& last) {
    SetOtherIndent(true);
    if (words_.empty()) {
      in_.out.Write(last.text);
      last.text.clear();
      bytes_ = 0;
      return;
    }
    FindBreaks();
    size_t split = words_.size();
    int64_t best = kWorst;
    for (size_t w = words_[0].next_break; w < words_.size(); w = words_[w].next_break) {
      const size_t next = words_[w].next_break;
      const int64_t after = next < words_.size() ? words_[next].best_cost : 0;
      if (words_[w].best_cost - after < best) {
        split = w;
        best = words_[w].best_cost - after;
      }
      if (best <= kWorst - kLineCredit) best += kLineCredit;
    }
    PutParagraph(split);
    words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(split));
    bytes_ = last.text.size();
    for (const Word& word : words_) bytes_ += word.text.size();
  }

  int64_t BaseCost(size_t w) const {
    int64_t cost = kLineCost;
    if (w > 0) {
      const Word& before = words_[w - 1];
      if (before.has_stop) cost += before.is_final ? -kSentenceBonus : kNoBreakCost;
      else if (before.has_punctuation) cost -= kPunctuationBonus;
      else if (w > 1 && words_[w - 2].is_final) cost += WidowCost(before.length());
    }
    if (words_[w].opens) cost -= kParenthesisBonus;
    else if (words_[w].is_final) cost += OrphanCost(words_[w].length());
    return cost;
  }

  int64_t LineCost(size_t next, int64_t length) const {
    if (next == words_.size()) return 0;
    int64_t cost = ShortCost(goal_ - length);
    if (words_[next].next_break != words_.size()) cost += RaggedCost(length - words_[next].line_length);
    return cost;
  }

  // From the last word to the first: the cheapest way to break what begins there.
  void FindBreaks() {
    const size_t count = words_.size();
    Word* const words = words_.data();
    for (size_t start = count; start-- > 0;) {
      const int64_t ragged_to = start == 0 ? last_length_ : 0;
      int64_t best = kWorst, best_length = 0;
      size_t best_break = words[start].next_break;
      int64_t length = (start == 0 ? first_indent_ : other_indent_) + words[start].length();
      size_t w = start + 1;
      for (;; ++w) {
        int64_t cost = LineCost(w, length) + (w < count ? words[w].best_cost : 0);
        if (ragged_to > 0) cost += RaggedCost(length - ragged_to);
        if (cost < best) {
          best = cost;
          best_break = w;
          best_length = length;
        }
        if (w == count) break;
        length += words[w - 1].space + words[w].length();
        if (length >= width_) break;
      }
      in_.budget.Step(static_cast<int64_t>(w - start));
      words[start].next_break = best_break;
      if (best < kWorst) words[start].line_length = best_length;
      words[start].best_cost = best + BaseCost(start);
    }
  }

  void PutParagraph(size_t end) {
    PutLine(0, first_indent_);
    for (size_t w = words_[0].next_break; w != end; w = words_[w].next_break) PutLine(w, other_indent_);
  }

  void PutLine(size_t w, int64_t indent) {
    out_column_ = 0;
    PutSpace(prefix_indent_);
    in_.out.Write(prefix_);
    out_column_ += static_cast<int64_t>(prefix_.size());
    PutSpace(indent - out_column_);
    for (const size_t last = words_[w].next_break - 1;; ++w) {
      in_.out.Write(words_[w].text);
      out_column_ += words_[w].length();
      if (w == last) break;
      PutSpace(words_[w].space);
    }
    last_length_ = out_column_;
    in_.out.Put('\n');
  }

  // With tabs if the input has some.
  void PutSpace(int64_t count) {
    const int64_t target = out_column_ + count;
    if (has_tabs_) {
      const int64_t stop = target / 8 * 8;
      if (out_column_ + 1 < stop) {
        for (; out_column_ < stop; out_column_ = out_column_ / 8 * 8 + 8) in_.out.Put('\t');
      }
    }
    for (; out_column_ < target; ++out_column_) in_.out.Put(' ');
  }

  Invocation& in_;
  const Options& options_;
  const int64_t width_, goal_;
  Input* input_ = nullptr;
  std::string prefix_;            // without blanks around
  int64_t prefix_lead_ = 0;       // blanks before it
  int64_t prefix_full_ = 0;       // its length with the blanks behind
  std::vector<Word> words_;
  size_t bytes_ = 0;
  bool has_tabs_ = false;
  int64_t column_ = 0, out_column_ = 0;
  int64_t next_indent_ = 0;       // of the prefix of the line that was begun
  int64_t prefix_indent_ = 0;     // of the paragraph's
  int64_t first_indent_ = 0, other_indent_ = 0;
  int64_t last_length_ = 0;
  int next_char_ = -1;
};

bool TakeWidth(void* options, std::string_view argument) {
  if (argument[0] != '-' || argument.size() < 2 || argument[1] < '0' || argument[1] > '9') return false;
  auto& parsed = *static_cast<Options*>(options);
  parsed.width = argument.substr(1);
  return true;
}

ExitStatus Run(Invocation& in) {
  Options options;
  // -WIDTH only counts as the first argument.
  std::vector<std::string> args(in.args.begin(), in.args.end());
  if (args.size() > 1 && TakeWidth(&options, args[1])) args.erase(args.begin() + 1);
  auto parsed = ParseOptions(args, in.command.options, &options, in.command.rules);
  if (!parsed) {
    const std::string message(parsed.error().Text());
    const size_t quote = message.find('\'');
    if (message.starts_with("invalid option -- '") && message[quote + 1] >= '0' && message[quote + 1] <= '9') {
      in.Fail(std::string("invalid option -- ") + message[quote + 1] + "; -WIDTH is recognized only when it is the first\noption; use -w N instead");
      return in.UsageHint();
    }
    return in.Usage(message);
  }
  if (parsed->wants_help || parsed->wants_version) {
    in.out.Write(parsed->wants_help ? HelpText(in.command, in.name_in_messages()) : VersionText(in.command, in.name()));
    return 0;
  }
  int64_t width = kDefaultWidth, goal = -1;
  const auto number = [&in](const std::string& text, uint64_t most) -> std::optional<int64_t> {
    const auto value = ParseSizeBetween(text, 0, most, "");
    if (value) return static_cast<int64_t>(*value);
    in.Fail(NumberComplaint("invalid width", text, value.error(), in.locale.is_utf8));
    return std::nullopt;
  };
  if (options.width) {
    const auto value = number(*options.width, kMostBytes / 2);
    if (!value) return 1;
    width = *value;
  }
  if (options.goal) {
    const auto value = number(*options.goal, static_cast<uint64_t>(width));
    if (!value) return 1;
    goal = *value;
    if (!options.width) width = goal + 10;
  } else {
    goal = width * (2 * (100 - kLeeway) + 1) / 200;
  }
  Formatter formatter(in, options, width, goal);
  const std::vector<std::string> standard_input = {"-"};
  ExitStatus status = 0;
  for (const std::string& name : parsed->operands.empty() ? standard_input : parsed->operands) {
    auto file = InputFile::Open(in, name);
    if (!file) {
      status = in.Fail("cannot open " + QuoteFile(name, in.locale.is_utf8) + " for reading", file.error());
      continue;
    }
    formatter.Run(file->input());
    if (!file->input().status()) status = in.Fail("read error");
  }
  return CloseStandardInput(in, parsed->operands, status, "closing standard input");
}

}  // namespace

extern const Command kCommand_fmt;
const Command kCommand_fmt = {
    .name = "fmt",
    .summary = "reformat each paragraph in the FILE(s), writing to standard output",
    .synopsis = "[-WIDTH] [OPTION]... [FILE]...",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
