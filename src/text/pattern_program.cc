#include "text/pattern_program.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace paddock {

void PatternSet::Add(char32_t first, char32_t last) {
  for (char32_t c = first; c <= last && c < 128; ++c) ascii[c / 64] |= uint64_t{1} << (c % 64);
  if (last >= 128) ranges.push_back({std::max<char32_t>(first, 128), last});
}

void PatternSet::AddClass(CharClass char_class) {
  for (char32_t c = 0; c < 128; ++c) {
    if (IsInClass(c, char_class)) class_ascii[c / 64] |= uint64_t{1} << (c % 64);
  }
  if (is_utf8) classes.push_back(char_class);
}

bool PatternSet::HasMember(char32_t code) const {
  if (code < 128) return (ascii[code / 64] >> (code % 64) & 1) != 0;
  return std::any_of(ranges.begin(), ranges.end(),
                     [code](const CodeRange& range) { return range.first <= code && code <= range.last; });
}

bool PatternSet::HasInClass(char32_t code) const {
  if (code < 128) return (class_ascii[code / 64] >> (code % 64) & 1) != 0;
  return std::any_of(classes.begin(), classes.end(), [code](CharClass c) { return IsInClass(code, c); });
}

bool PatternSet::Contains(char32_t code) const {
  // Classes are about the character as it is, whatever the case of the rest.
  bool is_member = HasMember(code) || HasInClass(code);
  if (!is_member && ignore_case && (is_utf8 || code < 128)) {
    is_member = HasMember(ToLower(code)) || HasMember(ToUpper(code));
  }
  return is_member != is_negated;
}

namespace {

// The place of every extglob operator that has its closing parenthesis, in order of the operators.
struct GroupSpan {
  size_t open;   // of the operator character
  size_t close;  // of the ')'
};

class Parser {
 public:
  Parser(std::string_view pattern, const PatternFlags& flags) : text_(pattern), flags_(flags) {}

  PatternProgram Run();

 private:
  struct Character {
    char32_t code;
    size_t length;
  };

  Character Decode(size_t at) const {
    if (!flags_.is_utf8) return {static_cast<unsigned char>(text_[at]), 1};
    const DecodedChar c = DecodeUtf8(text_.substr(at));
    return {c.code, c.length};
  }

  void FindGroups();
  size_t SkipBracket(size_t open);
  bool IsGroupOperator(size_t at) const;

  void AddLiteral(PatternSequence& sequence, std::string_view bytes);
  void AddCharacter(PatternSequence& sequence, size_t at, size_t& next);
  bool AddBracket(PatternSequence& sequence, size_t& at, size_t limit);
  std::optional<char32_t> BracketNamed(size_t& at) const;

  // Brackets without an end are looked at once each; a text full of them may not cost a square.
  static constexpr size_t kMaxScanWork = 32 << 20;

  std::string_view text_;
  PatternFlags flags_;
  size_t scan_work_ = 0;
  PatternProgram program_;
  std::vector<GroupSpan> groups_;
};

bool Parser::IsGroupOperator(size_t at) const {
  return flags_.extglob && at + 1 < text_.size() && text_[at + 1] == '(' &&
         std::string_view("?*+@!").find(text_[at]) != std::string_view::npos;
}

// The end of a bracket expression, or `open` if it is none. Only finds the extent, like the scan of bash
// for the end of an extglob group.
size_t Parser::SkipBracket(size_t open) {
  if (scan_work_ > kMaxScanWork) return open;
  size_t i = open + 1;
  if (i < text_.size() && (text_[i] == '!' || text_[i] == '^')) ++i;
  if (i < text_.size() && text_[i] == ']') ++i;
  while (i < text_.size()) {
    const char c = text_[i];
    if (c == ']') return i + 1;
    if (c == '\\') {
      i += 2;
      continue;
    }
    if (c == '[' && i + 1 < text_.size() && std::string_view(":.=").find(text_[i + 1]) != std::string_view::npos) {
      const char end[] = {text_[i + 1], ']'};
      const size_t close = text_.find(std::string_view(end, 2), i + 2);
      if (close != std::string_view::npos) {
        i = close + 2;
        continue;
      }
    }
    ++i;
  }
  scan_work_ += text_.size() - open;
  return open;
}

void Parser::FindGroups() {
  std::vector<size_t> open;  // indexes into groups_, npos for a plain parenthesis inside a group
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == '[') {
      const size_t end = SkipBracket(i);
      if (end != i) i = end - 1;
    } else if (IsGroupOperator(i)) {
      open.push_back(groups_.size());
      groups_.push_back({i, std::string_view::npos});
      ++i;
    } else if (text_[i] == '(' && !open.empty()) {
      open.push_back(std::string_view::npos);
    } else if (text_[i] == ')' && !open.empty()) {
      if (open.back() != std::string_view::npos) groups_[open.back()].close = i;
      open.pop_back();
    }
  }
  std::erase_if(groups_, [](const GroupSpan& span) { return span.close == std::string_view::npos; });
}

void Parser::AddLiteral(PatternSequence& sequence, std::string_view bytes) {
  const auto end = static_cast<uint32_t>(program_.literals.size());
  program_.literals.append(bytes);
  if (!sequence.empty() && sequence.back().kind == PatternNode::Kind::kLiteral &&
      sequence.back().begin + sequence.back().size == end) {
    sequence.back().size += static_cast<uint32_t>(bytes.size());
    return;
  }
  sequence.push_back({PatternNode::Kind::kLiteral, 0, end, static_cast<uint32_t>(bytes.size())});
}

void Parser::AddCharacter(PatternSequence& sequence, size_t at, size_t& next) {
  if (!flags_.ignore_case) {
    AddLiteral(sequence, text_.substr(at, 1));
    next = at + 1;
    return;
  }
  const Character c = Decode(at);
  next = at + c.length;
  const bool has_case = flags_.is_utf8 || c.code < 128;
  const char32_t lower = has_case ? ToLower(c.code) : c.code;
  if (lower == c.code && (!has_case || ToUpper(c.code) == c.code)) {
    AddLiteral(sequence, text_.substr(at, c.length));
    return;
  }
  program_.has_characters = true;
  sequence.push_back({PatternNode::Kind::kFoldChar, 0, static_cast<uint32_t>(lower), 0});
}

// The character of [.x.] or [=x=] at text_[at] == '['; nothing when it names none. Moves `at` behind it.
std::optional<char32_t> Parser::BracketNamed(size_t& at) const {
  static constexpr struct {
    std::string_view name;
    char code;
  } kNames[] = {{"hyphen", '-'}, {"hyphen-minus", '-'}, {"period", '.'}, {"slash", '/'}, {"space", ' '},
                {"tab", '\t'}, {"newline", '\n'}, {"asterisk", '*'}, {"backslash", '\\'},
                {"left-square-bracket", '['}, {"right-square-bracket", ']'}, {"comma", ','},
                {"colon", ':'}, {"underscore", '_'}, {"low-line", '_'}, {"question-mark", '?'}};
  const char end[] = {text_[at + 1], ']'};
  const size_t close = text_.find(std::string_view(end, 2), at + 2);
  const std::string_view name = text_.substr(at + 2, close - at - 2);
  const size_t first = at + 2;
  at = close + 2;
  if (name.empty()) return std::nullopt;
  const Character c = Decode(first);
  if (c.length == name.size()) return c.code;
  for (const auto& known : kNames) {
    if (known.name == name) return static_cast<unsigned char>(known.code);
  }
  return std::nullopt;
}

// Parses the bracket expression at text_[at]; false when it has no end before `limit`, so that '[' stands
// for itself.
bool Parser::AddBracket(PatternSequence& sequence, size_t& at, size_t limit) {
  if (scan_work_ > kMaxScanWork) return false;
  PatternSet set;
  set.ignore_case = flags_.ignore_case;
  set.is_utf8 = flags_.is_utf8;
  size_t i = at + 1;
  if (i < text_.size() && (text_[i] == '!' || text_[i] == '^')) {
    set.is_negated = true;
    ++i;
  }
  const auto opens = [&](char kind) {
    if (i + 1 >= text_.size() || text_[i] != '[' || text_[i + 1] != kind) return false;
    const char end[] = {kind, ']'};
    return text_.find(std::string_view(end, 2), i + 2) != std::string_view::npos;
  };
  // One end of a range; nothing when the element is empty (an unknown name).
  const auto element = [&]() -> std::optional<char32_t> {
    if (opens('.')) return BracketNamed(i);
    if (text_[i] == '\\' && i + 1 < text_.size()) ++i;
    const Character c = Decode(i);
    i += c.length;
    return c.code;
  };
  for (bool is_first = true;; is_first = false) {
    if (i >= limit) {
      scan_work_ += i - at;
      return false;
    }
    if (text_[i] == ']' && !is_first) break;
    if (flags_.is_path && text_[i] == '/') return false;
    if (opens(':')) {
      const size_t close = text_.find(":]", i + 2);
      const std::string_view name = text_.substr(i + 2, close - i - 2);
      if (name == "ascii") {
        set.Add(0, 127);
      } else if (const CharClass found = FindCharClass(name); found != CharClass::kUnknown) {
        set.AddClass(found);
      }
      i = close + 2;
      continue;
    }
    if (opens('=')) {
      if (const auto c = BracketNamed(i)) set.Add(*c, *c);
      continue;
    }
    const std::optional<char32_t> first = element();
    if (i + 1 < text_.size() && text_[i] == '-' && text_[i + 1] != ']') {
      ++i;
      const std::optional<char32_t> last = element();
      if (first && last && *first <= *last) set.Add(*first, *last);
      continue;
    }
    if (first) set.Add(*first, *first);
  }
  at = i + 1;
  program_.has_characters = true;
  sequence.push_back({PatternNode::Kind::kSet, 0, static_cast<uint32_t>(program_.sets.size()), 0});
  program_.sets.push_back(std::move(set));
  return true;
}

PatternProgram Parser::Run() {
  FindGroups();
  // A group is parsed into its own list of alternatives, which joins the program when it closes.
  struct Frame {
    std::vector<PatternSequence> alternatives;
    char op;
    size_t close;
  };
  std::vector<Frame> stack;
  PatternSequence root;
  size_t next_group = 0;
  program_.sequences.emplace_back();
  const auto current = [&]() -> PatternSequence& {
    return stack.empty() ? root : stack.back().alternatives.back();
  };
  for (size_t i = 0; i < text_.size();) {
    while (next_group < groups_.size() && groups_[next_group].open < i) ++next_group;
    const char c = text_[i];
    if (!stack.empty() && i == stack.back().close) {
      Frame frame = std::move(stack.back());
      stack.pop_back();
      const auto begin = static_cast<uint32_t>(program_.sequences.size());
      const auto size = static_cast<uint32_t>(frame.alternatives.size());
      std::move(frame.alternatives.begin(), frame.alternatives.end(), std::back_inserter(program_.sequences));
      current().push_back({PatternNode::Kind::kGroup, frame.op, begin, size});
      ++i;
    } else if (!stack.empty() && c == '|') {
      stack.back().alternatives.emplace_back();
      ++i;
    } else if (next_group < groups_.size() && groups_[next_group].open == i) {
      program_.has_groups = true;
      stack.push_back({{PatternSequence()}, c, groups_[next_group].close});
      i += 2;
    } else if (c == '\\' && i + 1 < text_.size()) {
      AddCharacter(current(), i + 1, i);
    } else if (c == '?') {
      program_.has_characters = true;
      current().push_back({PatternNode::Kind::kAny});
      ++i;
    } else if (c == '*') {
      if (current().empty() || current().back().kind != PatternNode::Kind::kStar) {
        current().push_back({PatternNode::Kind::kStar});
      }
      ++i;
    } else if (c != '[' || !AddBracket(current(), i, stack.empty() ? text_.size() : stack.back().close)) {
      AddCharacter(current(), i, i);
    }
  }
  program_.sequences.front() = std::move(root);
  return std::move(program_);
}

}  // namespace

PatternProgram ParsePattern(std::string_view pattern, const PatternFlags& flags) {
  return Parser(pattern, flags).Run();
}

}  // namespace paddock
