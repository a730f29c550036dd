#include "lang/xml/to_json.h"

#include <algorithm>
#include <optional>

#include "lang/xml/item_tree.h"

namespace paddock::xml {
namespace {

constexpr size_t kMostDepth = 990;   // about where Python's recursion ends

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool BeginsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' || (c & 0x80) != 0; }
bool IsInName(char c) { return BeginsName(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; }
bool IsForbidden(char c) { return static_cast<unsigned char>(c) < 0x20 && !IsBlank(c); }

// Length of the UTF-8 sequence at the front; 0 if it is malformed.
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto goes_on = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0 && goes_on(1)) return 2;
  const bool is_low = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool is_high = (first == 0xed && byte(1) >= 0xa0) || (first == 0xf4 && byte(1) >= 0x90);
  if (is_low || is_high || !goes_on(1) || !goes_on(2)) return 0;
  if (first >= 0xe0 && first < 0xf0) return 3;
  return first >= 0xf0 && first < 0xf5 && goes_on(3) ? 4 : 0;
}

void AppendCharacter(std::string& out, uint32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | (code >> 12));
    tail(6), tail(0);
  } else {
    out += static_cast<char>(0xf0 | (code >> 18));
    tail(12), tail(6), tail(0);
  }
}

class Parser {
 public:
  Parser(std::string_view text, const ToJsonSettings& settings, std::string& json, Budget& budget) : text_(text), budget_(budget), tree_(settings, json, budget) {}

  Status Parse() {
    if (rest().starts_with("\xef\xbb\xbf")) at_ += 3;
    const size_t begin = at_;
    if (StartsXmlDeclaration()) SkipPast("?>");
    while (!error_) {
      budget_.Step();
      const bool is_inside = tree_.depth() > 0;
      if (!is_inside) SkipBlanks();
      if (at_ == text_.size()) break;
      if (!is_inside && has_root_ && (text_[at_] != '<' || (!rest().starts_with("<!--") && !rest().starts_with("<?")))) Fail("junk after document element");
      else if (text_[at_] == '<') Markup(begin);
      else if (is_inside) Text();
      else FailOutside();
    }
    if (!error_ && (!has_root_ || tree_.depth() > 0)) Fail("no element found");
    if (error_) return Error(Code::kSyntax, *error_);
    tree_.Finish();
    return {};
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool StartsXmlDeclaration() const { return rest().starts_with("<?xml") && IsBlank(Peek(5)); }
  void SkipBlanks() {
    while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  }

  void Fail(const char* message) { Fail(message, at_); }
  void Fail(const char* message, size_t at) {
    if (error_) return;
    size_t line = 1, column = 0;
    for (const char c : text_.substr(0, at)) {
      if (c == '\n') {
        ++line;
        column = 0;
      } else if ((c & 0xc0) != 0x80) {
        ++column;
      }
    }
    budget_.Step(static_cast<int64_t>(at / 16));
    error_ = "ExpatError: " + std::string(message) + ": line " + std::to_string(line) + ", column " + std::to_string(column);
  }
  void FailAsInvalid() { Fail("not well-formed (invalid token)"); }
  // A word before the document is a token of its own.
  void FailOutside() {
    const size_t begin = at_;
    if (!BeginsName(text_[at_])) return FailAsInvalid();
    while (at_ < text_.size() && IsInName(text_[at_])) ++at_;
    if (at_ == text_.size() || IsBlank(text_[at_])) Fail("syntax error", begin);
    else FailAsInvalid();
  }

  // Moves behind `mark`; false with a complaint about `begin` when it does not come.
  bool SkipPast(std::string_view mark, const char* message = "unclosed token") {
    const size_t begin = at_, found = text_.find(mark, at_);
    budget_.Step(static_cast<int64_t>((std::min(found, text_.size()) - begin) / 32));
    if (found == std::string_view::npos) {
      Fail(message);
      return false;
    }
    at_ = found + mark.size();
    return true;
  }

  void Markup(size_t document_begin) {
    const std::string_view here = rest();
    if (here.starts_with("<!--")) return Comment();
    if (here.starts_with("<![CDATA[") && tree_.depth() > 0) return Cdata();
    if (here.starts_with("<!DOCTYPE") && tree_.depth() == 0 && !has_doctype_) return Doctype();
    if (here.starts_with("<?")) return Instruction(document_begin);
    if (here.starts_with("</")) return EndTag();
    StartTag();
  }

  void Comment() {
    const size_t begin = at_, end = text_.find("--", at_ + 4);
    if (end == std::string_view::npos) return Fail("unclosed token");
    at_ = end + 2;
    budget_.Step(static_cast<int64_t>((at_ - begin) / 32));
    if (at_ == text_.size()) return Fail("unclosed token", begin);
    if (text_[at_] != '>') return FailAsInvalid();
    ++at_;
  }

  void Cdata() {
    const size_t begin = at_ + 9, end = text_.find("]]>", begin);
    if (end == std::string_view::npos) return Fail("unclosed CDATA section", text_.size());
    if (!CheckCharacters(begin, end)) return;
    tree_.AddText(text_.substr(begin, end - begin));
    at_ = end + 3;
  }

  void Instruction(size_t document_begin) {
    if (StartsXmlDeclaration() && at_ != document_begin) return Fail("XML or text declaration not at start of entity");
    if (!BeginsName(Peek(2))) {
      at_ += 2;
      return FailAsInvalid();
    }
    SkipPast("?>");
  }

  // The declarations are passed over; the names of entities are kept, because those that are unknown are an error.
  void Doctype() {
    has_doctype_ = true;
    const size_t begin = at_;
    bool is_inside = false;
    for (at_ += 9; at_ < text_.size(); ++at_) {
      budget_.Step();
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        const size_t end = text_.find(c, at_ + 1);
        if (end == std::string_view::npos) return Fail("unclosed token", begin);
        budget_.Step(static_cast<int64_t>((end - at_) / 32));
        at_ = end;
      } else if (rest().starts_with("<!--")) {
        Comment();
        if (error_) return;
        --at_;
      } else if (rest().starts_with("<!ENTITY")) {
        EntityName();
      } else if (c == '[') {
        is_inside = true;
      } else if (c == ']') {
        is_inside = false;
      } else if (c == '%' && is_inside && BeginsName(Peek(1))) {
        may_know_more_ = true;
      } else if (c == '>' && !is_inside) {
        ++at_;
        return;
      } else if (!is_inside && (rest().starts_with("SYSTEM") || rest().starts_with("PUBLIC"))) {
        may_know_more_ = true;
      }
    }
    Fail("unclosed token", begin);
  }
  void EntityName() {
    size_t at = at_ + 8;
    while (at < text_.size() && IsBlank(text_[at])) ++at;
    const size_t begin = at;
    while (at < text_.size() && IsInName(text_[at])) ++at;
    if (at > begin) entities_.emplace_back(text_.substr(begin, at - begin));
  }

  std::string_view Name() {
    const size_t begin = at_;
    if (at_ < text_.size() && BeginsName(text_[at_])) {
      while (at_ < text_.size() && IsInName(text_[at_])) ++at_;
    }
    budget_.Step(static_cast<int64_t>((at_ - begin) / 32));
    return text_.substr(begin, at_ - begin);
  }

  void StartTag() {
    const size_t begin = at_++;
    const std::string_view name = Name();
    if (name.empty()) return at_ == text_.size() ? Fail("unclosed token", begin) : FailAsInvalid();
    ItemTree::Attributes attributes;
    std::vector<size_t> places;
    for (;;) {
      const size_t gap = at_;
      SkipBlanks();
      if (at_ == text_.size()) return Fail("unclosed token", begin);
      if (text_[at_] == '>' || rest().starts_with("/>")) break;
      if (gap == at_ || !BeginsName(text_[at_])) return FailAsInvalid();
      places.push_back(at_);
      if (!Attribute(begin, attributes)) return;
    }
    if (!CheckDistinct(attributes, places)) return;
    const bool is_empty = text_[at_] == '/';
    at_ += is_empty ? 2 : 1;
    if (tree_.depth() >= kMostDepth) {
      error_ = "RecursionError: maximum recursion depth exceeded while calling a Python object";
      return;
    }
    has_root_ = true;
    open_.push_back(name);
    tree_.Start(std::string(name), std::move(attributes));
    if (is_empty) Close();
  }

  bool Attribute(size_t tag, ItemTree::Attributes& attributes) {
    std::string name(Name());
    SkipBlanks();
    if (Peek() == '=') ++at_;
    else return at_ == text_.size() ? (Fail("unclosed token", tag), false) : (FailAsInvalid(), false);
    SkipBlanks();
    const char quote = Peek();
    if (at_ == text_.size()) return Fail("unclosed token", tag), false;
    if (quote != '"' && quote != '\'') return FailAsInvalid(), false;
    ++at_;
    std::string value;
    while (at_ < text_.size() && text_[at_] != quote) {
      const char c = text_[at_];
      budget_.Step();
      if (c == '<' || IsForbidden(c)) return FailAsInvalid(), false;
      if (c == '&') {
        if (!Reference(value)) return false;
        continue;
      }
      value += IsBlank(c) ? ' ' : c;
      ++at_;
    }
    if (at_ == text_.size()) return Fail("unclosed token", tag), false;
    ++at_;
    attributes.emplace_back(std::move(name), std::move(value));
    return true;
  }

  bool CheckDistinct(const ItemTree::Attributes& attributes, const std::vector<size_t>& places) {
    if (attributes.size() < 2) return true;
    std::vector<size_t> order(attributes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return attributes[a].first < attributes[b].first; });
    budget_.Step(static_cast<int64_t>(order.size() * 4));
    size_t second = std::string_view::npos;
    for (size_t i = 1; i < order.size(); ++i) {
      if (attributes[order[i]].first == attributes[order[i - 1]].first) second = std::min(second, places[order[i]]);
    }
    if (second == std::string_view::npos) return true;
    Fail("duplicate attribute", second);
    return false;
  }

  void EndTag() {
    const size_t begin = at_;
    if (tree_.depth() == 0) {
      ++at_;
      return FailAsInvalid();
    }
    at_ += 2;
    const size_t place = at_;
    const std::string_view name = Name();
    SkipBlanks();
    if (at_ == text_.size()) return Fail("unclosed token", begin);
    if (name.empty() || text_[at_] != '>') return FailAsInvalid();
    if (name != open_.back()) return Fail("mismatched tag", place);
    ++at_;
    Close();
  }
  void Close() {
    open_.pop_back();
    tree_.End();
  }

  bool CheckCharacters(size_t begin, size_t end) {
    budget_.Step(static_cast<int64_t>((end - begin) / 16 + 1));
    for (size_t i = begin; i < end; ++i) {
      if (!IsForbidden(text_[i])) continue;
      at_ = i;
      FailAsInvalid();
      return false;
    }
    return true;
  }

  void Text() {
    if (text_[at_] == '&') {
      std::string value;
      if (Reference(value)) tree_.AddText(value);
      return;
    }
    const size_t end = std::min(text_.find_first_of("<&", at_), text_.size());
    const std::string_view run = text_.substr(at_, end - at_);
    const size_t close = run.find("]]>");
    if (!CheckCharacters(at_, close == std::string_view::npos ? end : at_ + close)) return;
    if (close != std::string_view::npos) {
      at_ += close + 2;
      return FailAsInvalid();
    }
    tree_.AddText(run);
    at_ = end;
  }

  // &name; or &#number; - entities of the document come to nothing.
  bool Reference(std::string& value) {
    const size_t begin = at_++;
    if (Peek() == '#') return CharacterReference(value, begin);
    const std::string_view name = Name();
    if (name.empty() || Peek() != ';') {
      if (at_ == text_.size()) Fail("unclosed token", begin);
      else FailAsInvalid();
      return false;
    }
    ++at_;
    static constexpr std::pair<std::string_view, char> kKnown[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    for (const auto& [known, character] : kKnown) {
      if (name != known) continue;
      value += character;
      return true;
    }
    budget_.Step(static_cast<int64_t>(entities_.size() / 4));
    if (may_know_more_ || std::find(entities_.begin(), entities_.end(), name) != entities_.end()) return true;
    Fail("undefined entity", begin);
    return false;
  }
  bool CharacterReference(std::string& value, size_t begin) {
    ++at_;
    const bool is_hex = Peek() == 'x';
    if (is_hex) ++at_;
    uint32_t code = 0;
    size_t digits = 0;
    for (;; ++at_, ++digits) {
      const char c = Peek();
      const int digit = c >= '0' && c <= '9' ? c - '0' : is_hex && c >= 'a' && c <= 'f' ? c - 'a' + 10 : is_hex && c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (digit < 0) break;
      code = std::min<uint32_t>(code * (is_hex ? 16 : 10) + static_cast<uint32_t>(digit), 0x110000);
    }
    if (digits == 0 || Peek() != ';') {
      FailAsInvalid();
      return false;
    }
    ++at_;
    const bool is_good = code < 0x110000 && (code >= 0x20 || code == '\t' || code == '\n' || code == '\r') && (code < 0xd800 || code >= 0xe000) && code != 0xfffe && code != 0xffff;
    if (!is_good) Fail("reference to invalid character number", begin);
    else AppendCharacter(value, code);
    return is_good;
  }

  const std::string_view text_;
  Budget& budget_;
  ItemTree tree_;
  size_t at_ = 0;
  std::vector<std::string_view> open_;
  std::vector<std::string> entities_;
  std::optional<std::string> error_;
  bool has_root_ = false;
  bool has_doctype_ = false;
  bool may_know_more_ = false;   // entities may be declared elsewhere
};

// Lines end as Python reads them; the place of a malformed character counts characters.
Status ReadLines(std::string_view text, std::string& out, Budget& budget) {
  budget.WillAllocate(text.size());
  budget.Step(static_cast<int64_t>(text.size() / 16 + 1));
  size_t characters = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t length = SequenceLength(text.substr(at));
    if (length == 0) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(text[at]);
      return Error(Code::kSyntax, std::string("UnicodeEncodeError: 'utf-8' codec can't encode character '\\udc") + kDigits[byte >> 4] + kDigits[byte & 15] + "' in position " + std::to_string(characters) + ": surrogates not allowed");
    }
    if (text[at] != '\r') out += text.substr(at, length);
    else if (text.substr(at + 1, 1) != "\n") out += '\n';
    if (text[at] != '\r' || text.substr(at + 1, 1) != "\n") ++characters;
    at += length;
  }
  return {};
}

}  // namespace

Status ToJson(std::string_view text, const ToJsonSettings& settings, std::string& json, Budget& budget) {
  std::string lines;
  if (const Status read = ReadLines(text, lines, budget); !read) return read;
  const size_t before = json.size();
  const Status parsed = Parser(lines, settings, json, budget).Parse();
  if (!parsed && settings.item_depth == 0) json.resize(before);
  return parsed;
}

}  // namespace paddock::xml
