#include <algorithm>
#include <limits>

#include "commands/text/tr_sets.h"
#include "text/quote.h"
#include "text/utf8.h"

namespace paddock {
namespace {

Error Complain(std::string message) { return Error(Code::kInvalid, std::move(message)); }

struct Unescaped {
  std::string bytes;
  std::vector<bool> is_escaped;

  bool IsPlain(size_t at, char c) const { return at < bytes.size() && bytes[at] == c && !is_escaped[at]; }
};

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

// Takes the backslash escapes out.
Unescaped Unescape(std::string_view text, std::vector<std::string>* warnings) {
  constexpr std::string_view kLetters = "abfnrtv";
  constexpr std::string_view kValues = "\a\b\f\n\r\t\v";
  Unescaped result;
  const auto add = [&](char c, bool is_escaped) {
    result.bytes += c;
    result.is_escaped.push_back(is_escaped);
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      add(text[i], false);
    } else if (i + 1 == text.size()) {
      warnings->push_back("an unescaped backslash at end of string is not portable");
      add('\\', false);
    } else if (IsOctal(text[i + 1])) {
      size_t end = i + 1;
      int value = 0;
      while (end < text.size() && end < i + 4 && IsOctal(text[end])) value = value * 8 + (text[end++] - '0');
      if (value > 255) {
        const std::string digits(text.substr(i + 1, 3));
        warnings->push_back("the ambiguous octal escape \\" + digits + " is being\n\tinterpreted as the " +
                            "2-byte sequence \\0" + digits.substr(0, 2) + ", " + digits[2]);
        --end;
        value /= 8;
      }
      add(static_cast<char>(value), true);
      i = end - 1;
    } else {
      ++i;
      const size_t letter = kLetters.find(text[i]);
      add(letter == std::string_view::npos ? text[i] : kValues[letter], true);
    }
  }
  return result;
}

std::string Printable(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte < 0x7f) return c == '\\' ? "\\\\" : std::string(1, c);
  std::string octal = "\\";
  octal += static_cast<char>('0' + (byte >> 6));
  octal += static_cast<char>('0' + ((byte >> 3) & 7));
  octal += static_cast<char>('0' + (byte & 7));
  return octal;
}

class SetParser {
 public:
  SetParser(const Unescaped& text, bool is_utf8) : text_(text), is_utf8_(is_utf8) {}

  Result<TrSet> Parse() {
    const size_t size = text_.bytes.size();
    size_t at = 0;
    while (at + 2 < size) {
      if (text_.IsPlain(at, '[')) {
        PADDOCK_ASSIGN(const size_t next, TakeBracket(at));
        if (next != at) {
          at = next;
          continue;
        }
      }
      if (text_.IsPlain(at + 1, '-')) {
        PADDOCK_TRY(AddRange(text_.bytes[at], text_.bytes[at + 2]));
        at += 3;
      } else {
        AddByte(text_.bytes[at++]);
      }
    }
    for (; at < size; ++at) AddByte(text_.bytes[at]);
    return std::move(set_);
  }

 private:
  // Takes the construct that begins with the '[' at `at`; returns `at` when it is an ordinary character.
  Result<size_t> TakeBracket(size_t at) {
    for (const char mark : {':', '='}) {
      if (!text_.IsPlain(at + 1, mark)) continue;
      const size_t close = FindClose(at + 2, mark);
      if (close == std::string::npos) continue;
      const std::string name = text_.bytes.substr(at + 2, close - at - 2);
      if (name.empty()) {
        return Complain(mark == ':' ? "missing character class name '[::]'"
                                    : "missing equivalence class character '[==]'");
      }
      if (mark == ':' ? AddClass(name) : AddEquivalence(name)) return close + 2;
      if (IsRepeatTail(at + 2)) break;
      if (mark == ':') return Complain("invalid character class " + Quote(name, is_utf8_));
      std::string shown;
      for (const char c : name) shown += Printable(c);
      return Complain(shown + ": equivalence class operand must be a single character");
    }
    return TakeRepeat(at);
  }

  size_t FindClose(size_t from, char mark) const {
    for (size_t i = from; i + 1 < text_.bytes.size(); ++i) {
      if (text_.IsPlain(i, mark) && text_.IsPlain(i + 1, ']')) return i;
    }
    return std::string::npos;
  }

  // True for "*5]" at `at`.
  bool IsRepeatTail(size_t at) const {
    if (!text_.IsPlain(at, '*')) return false;
    for (size_t i = at + 1; i < text_.bytes.size(); ++i) {
      if (text_.bytes[i] < '0' || text_.bytes[i] > '9') return text_.IsPlain(i, ']');
    }
    return false;
  }

  // [c*], [c*5], [c*010].
  Result<size_t> TakeRepeat(size_t at) {
    if (!text_.IsPlain(at + 2, '*')) return at;
    size_t close = at + 3;
    while (close < text_.bytes.size() && !text_.IsPlain(close, ']')) {
      if (text_.is_escaped[close]) return at;
      ++close;
    }
    if (close >= text_.bytes.size()) return at;
    const std::string digits = text_.bytes.substr(at + 3, close - at - 3);
    const uint64_t base = digits.starts_with('0') ? 8 : 10;
    uint64_t count = 0;
    bool is_valid = true;
    for (const char c : digits) {
      const auto digit = static_cast<uint64_t>(c - '0');
      is_valid &= c >= '0' && digit < base && !__builtin_mul_overflow(count, base, &count) &&
                  !__builtin_add_overflow(count, digit, &count);
    }
    if (!is_valid || count > std::numeric_limits<int64_t>::max()) {
      return Complain("invalid repeat count " + Quote(digits, is_utf8_) + " in [c*n] construct");
    }
    set_.elements.push_back({TrElement::kRepeat, TrElement::kNone, std::string(1, text_.bytes[at + 1]), count});
    return close + 1;
  }

  void AddByte(char c) { set_.elements.push_back({TrElement::kByte, TrElement::kNone, std::string(1, c), 1}); }

  Status AddRange(char first, char last) {
    const auto low = static_cast<unsigned char>(first);
    const auto high = static_cast<unsigned char>(last);
    if (low > high) {
      return Complain("range-endpoints of '" + Printable(first) + "-" + Printable(last) +
                      "' are in reverse collating sequence order");
    }
    TrElement range{TrElement::kRange, TrElement::kNone, "", 1};
    for (int c = low; c <= high; ++c) range.bytes += static_cast<char>(c);
    set_.elements.push_back(std::move(range));
    return {};
  }

  bool AddClass(std::string_view name) {
    const CharClass char_class = FindCharClass(name);
    if (char_class == CharClass::kUnknown || char_class == CharClass::kWord) return false;
    TrElement element{TrElement::kClass, TrElement::kNone, "", 1};
    if (char_class == CharClass::kUpper) element.letter_case = TrElement::kUpper;
    if (char_class == CharClass::kLower) element.letter_case = TrElement::kLower;
    for (char32_t c = 0; c < 128; ++c) {
      if (IsInClass(c, char_class, false)) element.bytes += static_cast<char>(c);
    }
    set_.elements.push_back(std::move(element));
    return true;
  }

  bool AddEquivalence(std::string_view name) {
    if (name.size() != 1) return false;
    set_.elements.push_back({TrElement::kEquivalence, TrElement::kNone, std::string(name), 1});
    return true;
  }

  const Unescaped& text_;
  const bool is_utf8_;
  TrSet set_;
};

// Walks the bytes of a set without writing long repeats out.
class SetWalker {
 public:
  explicit SetWalker(const TrSet& set) : set_(set) { SkipEmpty(); }
  bool at_end() const { return element_ == set_.elements.size(); }
  bool at_element_start() const { return offset_ == 0; }
  const TrElement& element() const { return set_.elements[element_]; }
  char byte() const { return element().bytes[element().kind == TrElement::kRepeat ? 0 : offset_]; }
  void Next() {
    if (++offset_ == element().size()) SkipElement();
  }
  // How many characters from here on are the same because they are one repeated.
  uint64_t repeats() const { return element().kind == TrElement::kRepeat ? element().size() - offset_ : 1; }
  void Skip(uint64_t count) {   // at most repeats()
    offset_ += count - 1;
    Next();
  }
  void SkipElement() {
    offset_ = 0;
    ++element_;
    SkipEmpty();
  }

 private:
  void SkipEmpty() {
    while (!at_end() && element().size() == 0) ++element_;
  }
  const TrSet& set_;
  size_t element_ = 0;
  size_t offset_ = 0;
};

// To the next pair of characters; pairs that only repeat are passed over, as there may be more of them than anyone could wait for.
void AdvanceBoth(SetWalker& a, SetWalker& b) {
  const uint64_t count = std::min(a.repeats(), b.repeats());
  a.Skip(count);
  b.Skip(count);
}

bool HasClass(const TrSet& set) {
  return std::any_of(set.elements.begin(), set.elements.end(),
                     [](const TrElement& e) { return e.kind == TrElement::kClass; });
}

struct Lengths {
  uint64_t from;
  uint64_t to;
};

// Upper and lower case classes in `to` have to stand opposite to ones in `from`; such a pair counts as one
// character on each side.
Status PairCaseClasses(const TrSet& from, const TrSet& to, Lengths* lengths) {
  constexpr uint64_t kLetters = 26;
  SetWalker a(from);
  SetWalker b(to);
  while (!a.at_end() && !b.at_end()) {
    const bool is_case = b.element().letter_case != TrElement::kNone;
    if (is_case && b.at_element_start() &&
        !(a.at_element_start() && a.element().letter_case != TrElement::kNone)) {
      return Complain("misaligned [:upper:] and/or [:lower:] construct");
    }
    if (is_case) {
      lengths->from -= kLetters - 1;
      lengths->to -= kLetters - 1;
      a.SkipElement();
      b.SkipElement();
    } else {
      AdvanceBoth(a, b);
    }
  }
  if (a.at_end() && !b.at_end() && b.at_element_start() && b.element().letter_case != TrElement::kNone) {
    return Complain("misaligned [:upper:] and/or [:lower:] construct");
  }
  return {};
}

// Checks `to` and makes it as long as `from`, unless the latter is cut to its length.
Status FitSecondSet(const TrSet& from, TrSet& to, const TrMapRules& rules) {
  Lengths lengths{rules.complement ? 256 - from.Members().count() : from.size(), 0};
  TrElement* open_repeat = nullptr;
  for (TrElement& element : to.elements) {
    if (element.kind == TrElement::kRepeat && element.count == 0) {
      if (open_repeat != nullptr) return Complain("only one [c*] repeat construct may appear in string2");
      open_repeat = &element;
    }
  }
  lengths.to = to.size();
  if (open_repeat != nullptr && lengths.from >= lengths.to) {
    open_repeat->count = lengths.from - lengths.to;
    lengths.to = lengths.from;
  }
  for (const TrElement& element : to.elements) {
    if (element.kind == TrElement::kEquivalence) {
      return Complain("[=c=] expressions may not appear in string2 when translating");
    }
  }
  for (const TrElement& element : to.elements) {
    if (element.kind == TrElement::kClass && element.letter_case == TrElement::kNone) {
      return Complain("when translating, the only character classes that may appear in\n"
                      "string2 are 'upper' and 'lower'");
    }
  }
  if (!rules.complement && HasClass(to)) PADDOCK_TRY(PairCaseClasses(from, to, &lengths));
  if (lengths.from > lengths.to && !rules.truncate) {
    if (lengths.to == 0) return Complain("when not truncating set1, string2 must be non-empty");
    const TrElement& last = to.elements.back();
    if (last.kind == TrElement::kClass) {
      return Complain("when translating with string1 longer than string2,\n"
                      "the latter string must not end with a character class");
    }
    to.elements.push_back(
        {TrElement::kRepeat, TrElement::kNone, std::string(1, last.bytes.back()), lengths.from - lengths.to});
    lengths.to = lengths.from;
  }
  if (rules.complement && HasClass(from) && (lengths.to != lengths.from || to.Members().count() > 1)) {
    return Complain("when translating with complemented character classes,\n"
                    "string2 must map all characters in the domain to one");
  }
  return {};
}

char SwapCase(char c) { return static_cast<char>(c ^ 0x20); }

}  // namespace

ByteSet TrSet::Members() const {
  ByteSet members;
  for (const TrElement& element : elements) {
    if (element.size() == 0) continue;
    for (const char c : element.bytes) members.set(static_cast<unsigned char>(c));
  }
  return members;
}

uint64_t TrSet::size() const {
  uint64_t total = 0;
  for (const TrElement& element : elements) {
    if (__builtin_add_overflow(total, element.size(), &total)) return std::numeric_limits<uint64_t>::max();
  }
  return total;
}

Result<ParsedTrSet> ParseTrSet(std::string_view text, bool is_utf8) {
  ParsedTrSet parsed;
  const Unescaped unescaped = Unescape(text, &parsed.warnings);
  PADDOCK_ASSIGN(parsed.set, SetParser(unescaped, is_utf8).Parse());
  return parsed;
}

Result<ByteMap> MakeTrMap(const TrSet& from, TrSet& to, const TrMapRules& rules) {
  PADDOCK_TRY(FitSecondSet(from, to, rules));
  ByteMap map;
  for (int i = 0; i < 256; ++i) map[static_cast<size_t>(i)] = static_cast<char>(i);
  SetWalker target(to);
  if (rules.complement) {
    const ByteSet members = from.Members();
    for (size_t i = 0; i < 256 && !target.at_end(); ++i) {
      if (members.test(i)) continue;
      map[i] = target.byte();
      target.Next();
    }
    return map;
  }
  SetWalker source(from);
  while (!source.at_end() && !target.at_end()) {
    const TrElement::Case wanted = target.element().letter_case;
    if (wanted != TrElement::kNone) {
      const bool swaps = source.element().letter_case != wanted;
      for (const char c : source.element().bytes) {
        map[static_cast<unsigned char>(c)] = swaps ? SwapCase(c) : c;
      }
      source.SkipElement();
      target.SkipElement();
    } else {
      map[static_cast<unsigned char>(source.byte())] = target.byte();
      AdvanceBoth(source, target);
    }
  }
  return map;
}

}  // namespace paddock
