#include "commands/text/split_plan.h"

#include <algorithm>

#include "text/numbers.h"
#include "text/quote.h"

namespace paddock::split {
namespace {

constexpr uint64_t kMostReadBytes = uint64_t{1} << 60;

// Turns the options into a plan. Its functions answer false once they have complained.
class Planner {
 public:
  Planner(Invocation& in, Plan& plan) : in_(in), plan_(plan) {}

  // The exit status when there was a complaint.
  std::optional<ExitStatus> Run(std::span<const Word> words, const std::vector<std::string>& operands) {
    for (const Word& word : words) {
      if (!Take(word)) return 1;
    }
    if (plan_.chosen != 0 && plan_.pieces.filter) {
      return in_.Usage("--filter does not process a chunk extracted to stdout");
    }
    if (plan_.way == Way::kNone) {
      plan_.way = Way::kLines;
      plan_.amount = 1000;
    }
    if (plan_.amount == 0) return in_.Usage("invalid number of lines: " + Quoted("0"));
    if (plan_.way == Way::kOldLines) plan_.way = Way::kLines;
    if (!SetSuffixLength()) return 1;
    if (operands.size() > 2) return in_.Usage("extra operand " + Quoted(operands[2]));
    if (plan_.naming.start.size() > plan_.naming.length) {
      return in_.Usage("numerical suffix start value is too large for the suffix length");
    }
    if (operands.size() > 1) plan_.naming.prefix = operands[1];
    return std::nullopt;
  }

 private:
  std::string Quoted(std::string_view text) const { return Quote(text, in_.locale.is_utf8); }
  bool Refuse(std::string_view message) {
    in_.Fail(message);
    return false;
  }
  bool RefuseUsage(std::string_view message) {
    in_.Usage(message);
    return false;
  }

  bool Number(std::string_view text, uint64_t least, uint64_t most, std::string_view suffixes, std::string_view what,
              uint64_t& value) {
    const auto number = ParseSizeBetween(text, least, most, suffixes);
    if (!number) return Refuse(NumberComplaint(what, text, number.error(), in_.locale.is_utf8));
    value = *number;
    return true;
  }

  bool SetWay(Way way) {
    if (plan_.way != Way::kNone) return RefuseUsage("cannot split in more than one way");
    plan_.way = way;
    return true;
  }

  bool Take(const Word& word) {
    constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
    switch (word.letter) {
      case 'a':
        return Number(word.text, 0, kMost / sizeof(size_t), "", "invalid suffix length", suffix_length_);
      case 'A':
        if (word.text.find('/') != std::string::npos) {
          return RefuseUsage("invalid suffix " + Quoted(word.text) + ", contains directory separator");
        }
        plan_.naming.additional = word.text;
        return true;
      case 'b':
        return SetWay(Way::kBytes) && Number(word.text, 1, kMostBytes, kSizeSuffixes, "invalid number of bytes", plan_.amount);
      case 'C':
        return SetWay(Way::kLineBytes) &&
               Number(word.text, 1, kMostBytes, kSizeSuffixes, "invalid number of bytes", plan_.amount);
      case 'l': return SetWay(Way::kLines) && Number(word.text, 1, kMost, "", "invalid number of lines", plan_.amount);
      case 'n': return SetWay(Way::kChunks) && TakeChunks(word.text);
      case 'd': return TakeStart(word.text, "0123456789", "numerical");
      case 'x': return TakeStart(word.text, "0123456789abcdef", "hexadecimal");
      case 't': return TakeSeparator(word.text);
      case 'B': return Number(word.text, 1, kMostReadBytes, kSizeSuffixes, "invalid IO block size", plan_.read_bytes);
      case 'f': plan_.pieces.filter = word.text; return true;
      case 'v': plan_.pieces.is_verbose = true; return true;
      default: return TakeOldLines(word.text);
    }
  }

  bool TakeOldLines(std::string_view digits) {
    if (plan_.way == Way::kNone) plan_.way = Way::kOldLines;
    if (plan_.way != Way::kOldLines) return RefuseUsage("cannot split in more than one way");
    uint64_t value = 0;
    for (size_t i = 0; i < digits.size(); ++i) {
      if (__builtin_mul_overflow(value, uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<uint64_t>(digits[i] - '0'), &value)) {
        return Refuse("line count option -" + std::string(digits.substr(0, i + 1)) + "... is too large");
      }
    }
    plan_.amount = value;
    return true;
  }

  // N, K/N, l/N, l/K/N, r/N, r/K/N
  bool TakeChunks(std::string_view text) {
    if (text.starts_with("r/")) plan_.way = Way::kRoundRobin;
    if (text.starts_with("l/")) plan_.way = Way::kLineChunks;
    if (plan_.way != Way::kChunks) text.remove_prefix(2);
    const size_t slash = text.find('/');
    const std::string_view count = slash == std::string_view::npos ? text : text.substr(slash + 1);
    constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
    if (!Number(count, 1, kMost, "", "invalid number of chunks", plan_.amount)) return false;
    if (slash == std::string_view::npos || slash == 0) return true;
    return Number(text.substr(0, slash), 1, plan_.amount, "", "invalid chunk number", plan_.chosen);
  }

  bool TakeStart(const std::string& text, std::string_view alphabet, const char* kind) {
    plan_.naming.alphabet = alphabet;
    if (text.empty()) return true;
    if (text.find_first_not_of(alphabet) != std::string::npos) {
      return RefuseUsage(Quoted(text) + ": invalid start value for " + kind + " suffix");
    }
    plan_.naming.start = text.substr(std::min(text.find_first_not_of('0'), text.size() - 1));
    return true;
  }

  bool TakeSeparator(const std::string& text) {
    if (text.empty()) return Refuse("empty record separator");
    char separator = text[0];
    if (text == "\\0") separator = '\0';
    else if (text.size() > 1) return Refuse("multi-character separator " + Quoted(text));
    if (has_separator_ && separator != plan_.separator) return Refuse("multiple separator characters specified");
    has_separator_ = true;
    plan_.separator = separator;
    return true;
  }

  // Enough letters for the number of pieces where that is known.
  bool SetSuffixLength() {
    Naming& naming = plan_.naming;
    naming.can_grow = naming.start.empty() && suffix_length_ == 0;
    uint64_t needed = 0;
    if (plan_.way == Way::kChunks || plan_.way == Way::kLineChunks || plan_.way == Way::kRoundRobin) {
      naming.can_grow = false;
      uint64_t last = plan_.amount - 1;
      const auto start = ParseCount(naming.start);
      // A start beyond the number of pieces continues another run, whose names have a length already.
      if (start && *start < plan_.amount) last = SaturatingAdd(last, *start);
      do ++needed;
      while ((last /= naming.alphabet.size()) != 0);
    }
    if (suffix_length_ == 0) {
      naming.length = std::max<uint64_t>(naming.length, needed);
      return true;
    }
    if (suffix_length_ < needed) return Refuse("the suffix length needs to be at least " + std::to_string(needed));
    in_.budget.WillAllocate(SaturatingMultiply(suffix_length_, sizeof(size_t) + 1));
    naming.length = suffix_length_;
    return true;
  }

  Invocation& in_;
  Plan& plan_;
  uint64_t suffix_length_ = 0;   // as given; 0 for automatic
  bool has_separator_ = false;
};

}  // namespace

std::optional<ExitStatus> MakePlan(Invocation& in, std::span<const Word> words, const std::vector<std::string>& operands,
                                   Plan& plan) {
  return Planner(in, plan).Run(words, operands);
}

}  // namespace paddock::split
