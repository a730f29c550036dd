#include "text/regex_re2.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>

#include "text/regex_analysis.h"

namespace paddock {
namespace {

using Kind = RegexNode::Kind;

constexpr int kMaxRepeat = 1000;  // RE2's own
constexpr const char* kNever = "[^\\x00-\\x{10ffff}]";
constexpr char32_t kBeforeSurrogates = 0xD7FF, kAfterSurrogates = 0xE000;

bool IsAssertion(const RegexNode& node, Assertion assertion) {
  return node.kind == Kind::kAssertion && node.value == static_cast<uint32_t>(assertion);
}

// Writes a tree in RE2's syntax. RE2 has no one-sided word boundaries; `\<x` becomes `\b` and an x whose
// first character is of a word, where that can be said.
class Writer {
 public:
  Writer(RegexTree tree, Re2Matcher::Text text, bool is_line_start, bool has_groups)
      : tree_(std::move(tree)), text_(text), is_line_start_(is_line_start), has_groups_(has_groups) {}

  std::optional<std::string> Run() {
    out_ = "(?s)";
    if (!Write(tree_.root)) return std::nullopt;
    return std::move(out_);
  }

 private:
  bool is_utf8_text() const { return text_ == Re2Matcher::Text::kUtf8; }

  void WriteCode(char32_t code) {
    constexpr char kDigits[] = "0123456789abcdef";
    if (code < 0x80 && (IsInClass(code, CharClass::kAlnum) || code == ' ' || code == '_')) {
      out_.push_back(static_cast<char>(code));
      return;
    }
    out_ += "\\x{";
    for (int shift = code > 0xFFFF ? 20 : code > 0xFF ? 12 : 4; shift >= 0; shift -= 4) {
      out_.push_back(kDigits[code >> shift & 15]);
    }
    out_.push_back('}');
  }

  bool WriteLiteral(std::string_view bytes) {
    for (size_t i = 0; i < bytes.size();) {
      if (!is_utf8_text()) {
        WriteCode(static_cast<unsigned char>(bytes[i++]));
        continue;
      }
      const DecodedChar c = DecodeUtf8(bytes.substr(i));
      if (!c.is_valid) return false;
      WriteCode(c.code);
      i += c.length;
    }
    return true;
  }

  void WriteSet(const CharSet& set) {
    std::vector<CodeRange> ranges;
    const size_t end = text_ == Re2Matcher::Text::kBytes ? 256 : 128;
    for (size_t c = 0; c < end; ++c) {
      if (!set.bytes()[c]) continue;
      const auto code = static_cast<char32_t>(c);
      if (!ranges.empty() && ranges.back().last + 1 == code) {
        ranges.back().last = code;
      } else {
        ranges.push_back({code, code});
      }
    }
    if (is_utf8_text()) {
      // RE2 takes a range over all characters for one over all lead bytes, malformed sequences among them; in two parts it is exact.
      for (const CodeRange& wide : set.WideRanges()) {
        if (wide.first <= kBeforeSurrogates) ranges.push_back({wide.first, std::min(wide.last, kBeforeSurrogates)});
        if (wide.last >= kAfterSurrogates) ranges.push_back({std::max(wide.first, kAfterSurrogates), wide.last});
      }
    }
    if (ranges.empty()) {
      out_ += kNever;
      return;
    }
    out_.push_back('[');
    for (const CodeRange& range : ranges) {
      WriteCode(range.first);
      if (range.last == range.first) continue;
      out_.push_back('-');
      WriteCode(range.last);
    }
    out_.push_back(']');
  }

  bool WriteAssertion(Assertion assertion) {
    switch (assertion) {
      case Assertion::kLineStart:
        if (!tree_.multiline) return WriteTextStart();
        if (!is_line_start_) return false;
        out_ += "(?m:^)";
        return true;
      case Assertion::kLineEnd: out_ += tree_.multiline ? "(?m:$)" : "\\z"; return true;
      case Assertion::kTextStart: return WriteTextStart();
      case Assertion::kTextEnd: out_ += "\\z"; return true;
      case Assertion::kWordBoundary: out_ += "\\b"; return !is_utf8_text();
      case Assertion::kNotWordBoundary: out_ += "\\B"; return !is_utf8_text();
      default: return false;
    }
  }

  bool WriteTextStart() {
    out_ += is_line_start_ ? "\\A" : kNever;
    return true;
  }

  bool WriteRepeat(const RegexNode& node) {
    if (node.min > kMaxRepeat || node.max > kMaxRepeat) return false;
    out_ += "(?:";
    if (!Write(node.children[0])) return false;
    out_.push_back(')');
    if (node.max == RegexNode::kNoMaximum && node.min <= 1) {
      out_.push_back(node.min == 0 ? '*' : '+');
    } else if (node.min == 0 && node.max == 1) {
      out_.push_back('?');
    } else {
      out_ += "{" + std::to_string(node.min) + ",";
      if (node.max != RegexNode::kNoMaximum) out_ += std::to_string(node.max);
      out_.push_back('}');
    }
    return true;
  }

  bool Write(uint32_t index) {
    const RegexNode node = tree_.at(index);
    switch (node.kind) {
      case Kind::kEmpty: out_ += "(?:)"; return true;
      case Kind::kLiteral: return WriteLiteral(tree_.Literal(node));
      case Kind::kSet: WriteSet(tree_.sets[node.value]); return true;
      case Kind::kConcat: return WriteConcat(node.children, 0, node.children.size());
      case Kind::kAlternate:
        out_ += "(?:";
        for (size_t i = 0; i < node.children.size(); ++i) {
          if (i > 0) out_.push_back('|');
          if (!Write(node.children[i])) return false;
        }
        out_.push_back(')');
        return true;
      case Kind::kRepeat: return WriteRepeat(node);
      case Kind::kGroup:
        out_ += has_groups_ ? "(" : "(?:";
        if (!Write(node.children[0])) return false;
        out_.push_back(')');
        return true;
      case Kind::kBackReference: return false;
      case Kind::kAssertion: return WriteAssertion(static_cast<Assertion>(node.value));
    }
    return false;
  }

  // The parts [begin, end) of a concatenation.
  bool WriteConcat(std::vector<uint32_t> parts, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const RegexNode& node = tree_.at(parts[i]);
      if (IsAssertion(node, Assertion::kNotAfterWord) || IsAssertion(node, Assertion::kNotBeforeWord)) {
        return WriteWholeWord(parts[i + 1]);
      }
      if (IsAssertion(node, Assertion::kWordStart)) {
        if (is_utf8_text() || i + 1 >= end) return false;
        const auto narrowed = Narrow(parts[i + 1], true, true);
        if (!narrowed) return false;
        parts[i + 1] = *narrowed;
        out_ += "\\b";
        continue;
      }
      if (i + 1 < end && IsAssertion(tree_.at(parts[i + 1]), Assertion::kWordEnd)) {
        if (is_utf8_text()) return false;
        const auto narrowed = Narrow(parts[i], false, true);
        if (!narrowed || !Write(*narrowed)) return false;
        out_ += "\\b";
        ++i;
        continue;
      }
      if (!Write(parts[i])) return false;
    }
    return true;
  }

  // grep -w: neither a word character before nor one behind. The four kinds of ends are told apart.
  bool WriteWholeWord(uint32_t inside) {
    if (is_utf8_text() || has_groups_) return false;
    out_ += "(?:";
    bool is_first = true;
    for (const bool first_is_word : {true, false}) {
      const auto narrowed = Narrow(inside, true, first_is_word);
      if (!narrowed) return false;
      for (const bool last_is_word : {true, false}) {
        const auto both = Narrow(*narrowed, false, last_is_word);
        if (!both) return false;
        if (!is_first) out_.push_back('|');
        is_first = false;
        out_ += first_is_word ? "\\b(?:" : "\\B(?:";
        if (!Write(*both)) return false;
        out_ += last_is_word ? ")\\b" : ")\\B";
      }
    }
    out_.push_back(')');
    return true;
  }

  // The node with its first (or last) character required to be one of a word, or not to be. Nothing where it
  // has no certain first character.
  std::optional<uint32_t> Narrow(uint32_t index, bool at_front, bool is_word) {
    RegexNode node = tree_.at(index);
    switch (node.kind) {
      case Kind::kLiteral: {
        const std::string_view literal = tree_.Literal(node);
        const auto byte = static_cast<unsigned char>(at_front ? literal.front() : literal.back());
        return IsInClass(byte, CharClass::kWord, false) == is_word ? index : Never();
      }
      case Kind::kSet: {
        CharSet set = tree_.sets[node.value];
        set.Keep(CharClass::kWord, is_word);
        tree_.sets.push_back(std::move(set));
        node.value = static_cast<uint32_t>(tree_.sets.size() - 1);
        return tree_.Add(std::move(node));
      }
      case Kind::kAlternate:
        for (uint32_t& child : node.children) {
          const auto narrowed = Narrow(child, at_front, is_word);
          if (!narrowed) return std::nullopt;
          child = *narrowed;
        }
        return tree_.Add(std::move(node));
      case Kind::kConcat:
      case Kind::kGroup: {
        if (node.children.empty()) return std::nullopt;
        uint32_t& child = at_front ? node.children.front() : node.children.back();
        const auto narrowed = Narrow(child, at_front, is_word);
        if (!narrowed) return std::nullopt;
        child = *narrowed;
        return tree_.Add(std::move(node));
      }
      case Kind::kRepeat: return NarrowRepeat(std::move(node), at_front, is_word);
      default: return std::nullopt;
    }
  }

  std::optional<uint32_t> NarrowRepeat(RegexNode node, bool at_front, bool is_word) {
    if (node.min == 0 || (has_groups_ && HasGroup(node.children[0]))) return std::nullopt;
    const auto one = Narrow(node.children[0], at_front, is_word);
    if (!one) return std::nullopt;
    --node.min;
    if (node.max != RegexNode::kNoMaximum) --node.max;
    const uint32_t rest = tree_.Add(std::move(node));
    RegexNode both{Kind::kConcat, 0, 0, 0, {*one, rest}};
    if (!at_front) std::swap(both.children[0], both.children[1]);
    return tree_.Add(std::move(both));
  }

  uint32_t Never() {
    tree_.sets.emplace_back();
    return tree_.Add({Kind::kSet, static_cast<uint32_t>(tree_.sets.size() - 1), 0, 0, {}});
  }

  bool HasGroup(uint32_t index) const {
    const RegexNode& node = tree_.at(index);
    return node.kind == Kind::kGroup ||
           std::any_of(node.children.begin(), node.children.end(), [this](uint32_t c) { return HasGroup(c); });
  }

  RegexTree tree_;
  const Re2Matcher::Text text_;
  const bool is_line_start_;
  const bool has_groups_;
  std::string out_;
};

}  // namespace

Re2Matcher::Re2Matcher(std::unique_ptr<re2::RE2> re) : re_(std::move(re)) {}
Re2Matcher::~Re2Matcher() = default;

std::unique_ptr<Re2Matcher> Re2Matcher::Make(const RegexTree& tree, Text text, bool is_line_start, bool has_groups) {
  const auto pattern = Writer(tree, text, is_line_start, has_groups).Run();
  if (!pattern) return nullptr;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_longest_match(true);
  options.set_encoding(text == Text::kUtf8 ? re2::RE2::Options::EncodingUTF8 : re2::RE2::Options::EncodingLatin1);
  options.set_max_mem(16 << 20);
  auto re = std::make_unique<re2::RE2>(*pattern, options);
  if (!re->ok()) return nullptr;
  return std::unique_ptr<Re2Matcher>(new Re2Matcher(std::move(re)));  // allow(raw-new): private constructor
}

namespace {

// Rewrites what is the same in Perl's dialect as PCRE and RE2 have it; gives up on everything else.
class PerlTranslator {
 public:
  explicit PerlTranslator(std::string_view pattern) : text_(pattern) {}

  std::optional<std::string> Run() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) >= 0x80 || c == '\0') return std::nullopt;
      if (c == '\\') {
        if (!Escape()) return std::nullopt;
        continue;
      }
      if (c == '[' && !in_set_) {
        EnterSet();
        continue;
      }
      if (c == '[' && text_.substr(at_).starts_with("[:")) {
        const size_t end = text_.find(":]", at_ + 2);
        if (end == std::string_view::npos) return std::nullopt;
        out_ += text_.substr(at_, end + 2 - at_);
        at_ = end + 1;
        continue;
      }
      if (c == ']') in_set_ = false;
      if (c == '(' && !in_set_ && !Group()) return std::nullopt;
      out_.push_back(c);
    }
    return std::move(out_);
  }

 private:
  void EnterSet() {
    in_set_ = true;
    out_.push_back('[');
    if (text_.substr(at_ + 1).starts_with('^')) out_.push_back(text_[++at_]);
    if (text_.substr(at_ + 1).starts_with(']')) {
      out_ += "\\]";
      ++at_;
    }
  }

  // Only plain groups, (?: and the flags i and s.
  bool Group() const {
    const std::string_view rest = text_.substr(at_ + 1);
    if (rest.starts_with('*')) return false;
    if (!rest.starts_with('?')) return true;
    const size_t end = rest.find_first_not_of("is-", 1);
    return end != std::string_view::npos && (rest[end] == ':' || (rest[end] == ')' && end > 1));
  }

  bool Escape() {
    if (at_ + 1 >= text_.size()) return false;
    const char c = text_[++at_];
    if (c == 's') {  // PCRE counts the vertical tab
      out_ += in_set_ ? "\\s\\x0b" : "[\\s\\x0b]";
      return true;
    }
    if (c == 'S' && !in_set_) {
      out_ += "[^\\s\\x0b]";
      return true;
    }
    const bool is_same = std::string_view("dDwWtnrfax").find(c) != std::string_view::npos ||
                         (!in_set_ && std::string_view("bBAz").find(c) != std::string_view::npos);
    const bool is_mark = c > ' ' && c < 0x7F && !IsInClass(static_cast<char32_t>(c), CharClass::kWord);
    if (!is_same && !is_mark) return false;
    out_.push_back('\\');
    out_.push_back(c);
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool in_set_ = false;
  std::string out_;
};

}  // namespace

std::unique_ptr<Re2Matcher> Re2Matcher::MakePerl(std::string_view pattern, bool ignore_case) {
  auto translated = PerlTranslator(pattern).Run();
  if (!translated) return nullptr;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_case_sensitive(!ignore_case);
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_max_mem(16 << 20);
  auto re = std::make_unique<re2::RE2>(*translated, options);
  if (!re->ok()) return nullptr;
  return std::unique_ptr<Re2Matcher>(new Re2Matcher(std::move(re)));  // allow(raw-new): private constructor
}

bool Re2Matcher::Search(std::string_view text, size_t from, RegexGroup* groups, size_t group_count) const {
  constexpr size_t kMaxGroups = 16;
  std::array<re2::StringPiece, kMaxGroups> found;
  std::vector<re2::StringPiece> many;
  re2::StringPiece* pieces = found.data();
  if (group_count > kMaxGroups) {
    many.resize(group_count);
    pieces = many.data();
  }
  const size_t known = static_cast<size_t>(re_->NumberOfCapturingGroups()) + 1;
  const size_t wanted = std::min(group_count, known);
  // A view without data would read as a group that took no part.
  const re2::StringPiece piece(text.data() == nullptr ? "" : text.data(), text.size());
  if (!re_->Match(piece, from, text.size(), re2::RE2::UNANCHORED, pieces, static_cast<int>(wanted))) return false;
  for (size_t i = 0; i < group_count; ++i) {
    groups[i] = {};
    if (i >= wanted || pieces[i].data() == nullptr) continue;
    groups[i].begin = static_cast<size_t>(pieces[i].data() - piece.data());
    groups[i].end = groups[i].begin + pieces[i].size();
  }
  return true;
}

}  // namespace paddock
