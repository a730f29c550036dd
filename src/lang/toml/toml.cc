#include "lang/toml/toml.h"

#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "text/utf8.h"

namespace paddock::toml_text {
namespace {

constexpr int kMostDepth = 500;

void AppendJsonString(std::string_view text, std::string& json) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  json += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') json += '\\';
    if (byte >= 0x20) {
      json += c;
      continue;
    }
    json += "\\u00";
    json += kHexDigits[byte >> 4];
    json += kHexDigits[byte & 15];
  }
  json += '"';
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBare(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

struct Node {
  enum Kind { kValue, kArray, kTable };
  Kind kind = kTable;
  std::string json;                // kValue
  std::vector<Node*> items;        // kArray
  std::vector<std::pair<std::string, Node*>> members;
  std::unordered_map<std::string, Node*> index;
  bool is_closed = false;          // written as a value: nothing may be added
  bool has_header = false;         // [table]
  bool is_dotted = false;          // made by a.b = …
  bool is_table_array = false;     // made by [[array]]
};

class Parser {
 public:
  Parser(std::string_view text, Budget& budget) : text_(text), budget_(budget) {}

  Status Parse(std::string& json) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    if (!IsValidUtf8(text_)) return Fail("The document is not UTF-8.");
    Node* table = root_ = New(Node::kTable);
    for (;;) {
      budget_.Step();
      PADDOCK_TRY(SkipLines());
      if (at_end()) break;
      if (Peek() == '[') {
        PADDOCK_TRY(Header(table));
      } else {
        PADDOCK_TRY(KeyValue(table));
      }
      PADDOCK_TRY(EndOfLine());
    }
    Write(*root_, json);
    return {};
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool Take(std::string_view expected) {
    if (!text_.substr(std::min(at_, text_.size())).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }

  Node* New(Node::Kind kind) {
    Node& node = nodes_.emplace_back();
    node.kind = kind;
    return &node;
  }

  Error Fail(std::string_view what) const {
    size_t line = 1, begin = 0;
    const std::string_view before = text_.substr(0, std::min(at_, text_.size()));
    for (size_t end = before.find('\n'); end != std::string_view::npos; end = before.find('\n', begin)) {
      begin = end + 1;
      ++line;
    }
    return Error(Code::kSyntax, std::string(what) + " (line " + std::to_string(line) + " column " + std::to_string(before.size() - begin + 1) +
                                    " char " + std::to_string(before.size()) + ")");
  }

  void SkipBlanks() {
    while (Peek() == ' ' || Peek() == '\t') ++at_;
  }

  Status Comment() {
    if (Peek() != '#' || at_end()) return {};
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    budget_.Step(static_cast<int64_t>((end - at_) / 32));
    for (; at_ < end; ++at_) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if ((byte < 0x20 && byte != '\t' && !(byte == '\r' && at_ + 1 == end)) || byte == 0x7f) return Fail("Control character in a comment.");
    }
    if (at_ > 0 && text_[at_ - 1] == '\r' && !at_end()) --at_;
    return {};
  }

  bool NewLine() { return Take("\n") || Take("\r\n"); }

  // Blanks, comments and empty lines.
  Status SkipLines() {
    for (;;) {
      budget_.Step();
      SkipBlanks();
      PADDOCK_TRY(Comment());
      if (!NewLine()) return {};
    }
  }

  Status EndOfLine() {
    SkipBlanks();
    PADDOCK_TRY(Comment());
    if (at_end() || NewLine()) return {};
    return Fail("Unexpected text behind a value.");
  }

  Result<std::vector<std::string>> Key() {
    std::vector<std::string> parts;
    for (;;) {
      budget_.Step();
      SkipBlanks();
      std::string part;
      if (!at_end() && (Peek() == '"' || Peek() == '\'')) {
        if (text_.substr(at_).starts_with("\"\"\"") || text_.substr(at_).starts_with("'''")) return Fail("A key has no lines.");
        PADDOCK_TRY(String(part));
      } else {
        const size_t begin = at_;
        while (!at_end() && IsBare(Peek())) ++at_;
        if (at_ == begin) return Fail("Invalid or empty key.");
        part = text_.substr(begin, at_ - begin);
      }
      parts.push_back(std::move(part));
      if (parts.size() > kMostDepth) return Fail("A key of too many parts.");
      SkipBlanks();
      if (!Take(".")) return parts;
    }
  }

  static Node* Find(const Node& table, const std::string& key) {
    const auto known = table.index.find(key);
    return known == table.index.end() ? nullptr : known->second;
  }
  static void Add(Node& table, const std::string& key, Node* value) {
    table.members.emplace_back(key, value);
    table.index.emplace(key, value);
  }

  Status Header(Node*& table) {
    const bool is_array = Take("[[");
    if (!is_array) Take("[");
    std::vector<std::string> parts;
    PADDOCK_ASSIGN(parts, Key());
    if (!Take(is_array ? "]]" : "]")) return Fail("Key group not on a line by itself.");
    Node* at = root_;
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      Node* next = Find(*at, parts[i]);
      if (next == nullptr) Add(*at, parts[i], next = New(Node::kTable));
      if (next->is_table_array) next = next->items.back();
      if (next->kind != Node::kTable || next->is_closed) return Fail("What is not a table has no members.");
      at = next;
    }
    Node* known = Find(*at, parts.back());
    if (is_array) {
      if (known == nullptr) {
        Add(*at, parts.back(), known = New(Node::kArray));
        known->is_table_array = true;
      }
      if (!known->is_table_array) return Fail("Duplicate keys!");
      known->items.push_back(table = New(Node::kTable));
      return {};
    }
    if (known == nullptr) Add(*at, parts.back(), known = New(Node::kTable));
    if (known->kind != Node::kTable || known->is_closed || known->has_header || known->is_dotted) return Fail("What? " + parts.back() + " already exists?");
    known->has_header = true;
    table = known;
    return {};
  }

  Status KeyValue(Node* table) {
    std::vector<std::string> parts;
    PADDOCK_ASSIGN(parts, Key());
    if (!Take("=")) return Fail("Found a key without '=' behind it.");
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      Node* next = Find(*table, parts[i]);
      if (next == nullptr) {
        Add(*table, parts[i], next = New(Node::kTable));
        next->is_dotted = true;
      }
      if (next->kind != Node::kTable || next->is_closed || !next->is_dotted) return Fail("Duplicate keys!");
      table = next;
    }
    if (Find(*table, parts.back()) != nullptr) return Fail("Duplicate keys!");
    SkipBlanks();
    Node* value = nullptr;
    PADDOCK_ASSIGN(value, Value());
    Add(*table, parts.back(), value);
    return {};
  }

  Result<Node*> Value() {
    budget_.Step();
    budget_.CheckStack();
    if (++depth_ > kMostDepth) return Fail("Nested too deep.");
    Result<Node*> value = Peek() == '[' ? Array() : Peek() == '{' ? InlineTable() : Simple();
    --depth_;
    return value;
  }

  Result<Node*> Array() {
    Node* array = New(Node::kArray);
    array->is_closed = true;
    ++at_;
    for (;;) {
      PADDOCK_TRY(SkipLines());
      if (Take("]")) return array;
      Node* item = nullptr;
      PADDOCK_ASSIGN(item, Value());
      array->items.push_back(item);
      PADDOCK_TRY(SkipLines());
      if (Take("]")) return array;
      if (!Take(",")) return Fail("An array goes on with ',' or ends with ']'.");
    }
  }

  void Close(Node& table) {
    for (const auto& [key, member] : table.members) {
      budget_.Step();
      budget_.CheckStack();
      if (member->is_dotted && !member->is_closed) Close(*member);
    }
    table.is_closed = true;
  }

  Result<Node*> InlineTable() {
    Node* table = New(Node::kTable);
    ++at_;
    SkipBlanks();
    if (!Take("}")) {
      for (;;) {
        PADDOCK_TRY(KeyValue(table));
        SkipBlanks();
        if (Take("}")) break;
        if (!Take(",")) return Fail("An inline table goes on with ',' or ends with '}'.");
      }
    }
    Close(*table);
    return table;
  }

  Result<Node*> Simple() {
    Node* value = New(Node::kValue);
    value->is_closed = true;
    if (Peek() == '"' || Peek() == '\'') {
      std::string text;
      PADDOCK_TRY(String(text));
      AppendJsonString(text, value->json);
      return value;
    }
    size_t end = at_;
    while (end < text_.size() && (IsBare(text_[end]) || text_[end] == '+' || text_[end] == '.' || text_[end] == ':')) ++end;
    // A date and a time may have a blank between them.
    if (end - at_ == 10 && text_[at_ + 4] == '-' && end + 2 < text_.size() && text_[end] == ' ' && IsDigit(text_[end + 1])) {
      ++end;
      while (end < text_.size() && (IsBare(text_[end]) || text_[end] == '+' || text_[end] == '.' || text_[end] == ':')) ++end;
    }
    const std::string_view word = text_.substr(at_, end - at_);
    if (word.empty()) return Fail("Empty value is invalid");
    budget_.Step(static_cast<int64_t>(word.size() / 32));
    if (word == "true" || word == "false") {
      value->json = word;
    } else if (!Integer(word, value->json) && !Float(word, value->json) && !DateTime(std::string(word), value->json)) {
      return Fail("This is no value.");
    }
    at_ = end;
    return value;
  }

  // Digits with single underscores between them, without those; nothing when it is something else.
  static std::optional<std::string> Digits(std::string_view text, bool (*fits)(char)) {
    std::string digits;
    for (size_t i = 0; i < text.size(); ++i) {
      if (fits(text[i])) {
        digits += text[i];
      } else if (text[i] != '_' || i == 0 || i + 1 == text.size() || !fits(text[i - 1])) {
        return std::nullopt;
      }
    }
    if (digits.empty() || text.back() == '_') return std::nullopt;
    return digits;
  }

  static bool Integer(std::string_view word, std::string& json) {
    struct Base {
      const char* prefix;
      int base;
      bool (*fits)(char);
    };
    static constexpr Base kBases[] = {{"0x", 16, IsHex}, {"0o", 8, [](char c) { return c >= '0' && c <= '7'; }}, {"0b", 2, [](char c) { return c == '0' || c == '1'; }}};
    for (const Base& base : kBases) {
      if (!word.starts_with(base.prefix)) continue;
      const auto digits = Digits(word.substr(2), base.fits);
      uint64_t number = 0;
      if (!digits || std::from_chars(digits->data(), digits->data() + digits->size(), number, base.base).ec != std::errc()) return false;
      json = std::to_string(number);
      return true;
    }
    const size_t sign = word.starts_with('-') || word.starts_with('+') ? 1 : 0;
    const auto digits = Digits(word.substr(sign), IsDigit);
    if (!digits || (digits->size() > 1 && digits->front() == '0')) return false;
    json = (word[0] == '-' && *digits != "0" ? "-" : "") + *digits;
    return true;
  }

  static bool Float(std::string_view word, std::string& json) {
    const size_t sign = word.starts_with('-') || word.starts_with('+') ? 1 : 0;
    std::string_view rest = word.substr(sign);
    const std::string minus = word[0] == '-' ? "-" : "";
    if (rest == "inf" || rest == "nan") {
      json = rest == "nan" ? "nan" : minus + "1.7976931348623157e+308";
      return true;
    }
    const size_t e = rest.find_first_of("eE");
    std::string number;
    if (e != std::string_view::npos) {
      std::string_view exponent = rest.substr(e + 1);
      const bool has_sign = exponent.starts_with('-') || exponent.starts_with('+');
      const auto digits = Digits(exponent.substr(has_sign ? 1 : 0), IsDigit);
      if (!digits) return false;
      number = (exponent.starts_with('-') ? "e-" : "e") + *digits;
      rest = rest.substr(0, e);
    }
    const size_t point = rest.find('.');
    if (point == std::string_view::npos && e == std::string_view::npos) return false;
    const auto whole = Digits(rest.substr(0, point), IsDigit);
    if (!whole || (whole->size() > 1 && whole->front() == '0')) return false;
    if (point != std::string_view::npos) {
      const auto fraction = Digits(rest.substr(point + 1), IsDigit);
      if (!fraction) return false;
      number = *whole + "." + *fraction + number;
    } else {
      number = *whole + number;
    }
    double value = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    if (read.ec == std::errc::result_out_of_range) value = number.find("e-") == std::string::npos ? 1.7976931348623157e+308 : 0;
    std::array<char, 400> out{};
    const bool is_whole = std::trunc(value) == value && value < 1e17;
    char* end = is_whole ? std::to_chars(out.data(), out.data() + out.size(), value, std::chars_format::fixed).ptr
                         : std::to_chars(out.data(), out.data() + out.size(), value).ptr;
    json = minus + std::string(out.data(), end);
    return true;
  }

  static bool HasShape(std::string_view text, std::string_view shape) {
    if (text.size() != shape.size()) return false;
    for (size_t i = 0; i < text.size(); ++i) {
      if (shape[i] == '0' ? !IsDigit(text[i]) : text[i] != shape[i]) return false;
    }
    return true;
  }
  static int Number(std::string_view text, size_t at, size_t size) {
    int number = 0;
    for (const char c : text.substr(at, size)) number = number * 10 + (c - '0');
    return number;
  }

  static bool Date(std::string_view text) {
    if (!HasShape(text, "0000-00-00")) return false;
    const int year = Number(text, 0, 4), month = Number(text, 5, 2), day = Number(text, 8, 2);
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    const int days = month == 2 ? (is_leap ? 29 : 28) : (month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31);
    return month >= 1 && month <= 12 && day >= 1 && day <= days;
  }

  // HH:MM:SS with a fraction, which becomes one of six digits.
  static bool Time(std::string_view text, std::string& out) {
    if (text.size() < 8 || !HasShape(text.substr(0, 8), "00:00:00")) return false;
    if (Number(text, 0, 2) > 23 || Number(text, 3, 2) > 59 || Number(text, 6, 2) > 59) return false;
    out += text.substr(0, 8);
    if (text.size() == 8) return true;
    if (text[8] != '.' || text.size() == 9) return false;
    std::string fraction;
    for (const char c : text.substr(9)) {
      if (!IsDigit(c)) return false;
      if (fraction.size() < 6) fraction += c;
    }
    fraction.resize(6, '0');
    if (fraction != "000000") out += "." + fraction;
    return true;
  }

  static bool DateTime(const std::string& word, std::string& json) {
    std::string out;
    std::string_view time = word;
    if (word.size() >= 10 && Date(std::string_view(word).substr(0, 10))) {
      out = word.substr(0, 10);
      time.remove_prefix(10);
      if (!time.empty()) {
        if (time[0] != 'T' && time[0] != 't' && time[0] != ' ') return false;
        time.remove_prefix(1);
        std::string zone;
        if (time.ends_with('Z') || time.ends_with('z')) {
          zone = "+00:00";
          time.remove_suffix(1);
        } else if (time.size() > 6 && (time[time.size() - 6] == '+' || time[time.size() - 6] == '-') && HasShape(time.substr(time.size() - 5), "00:00")) {
          zone = time.substr(time.size() - 6);
          time.remove_suffix(6);
        }
        out += 'T';
        if (!Time(time, out)) return false;
        out += zone;
      }
    } else if (!Time(time, out)) {
      return false;
    }
    json = "\"" + out + "\"";
    return true;
  }

  Status String(std::string& out) {
    const char quote = Peek();
    const std::string three(3, quote);
    const bool is_long = Take(three);
    if (!is_long) ++at_;
    if (is_long) NewLine();
    for (;;) {
      if ((at_ & 31) == 0) budget_.Step();
      if (at_end()) return Fail("Unterminated string found. Reached end of file.");
      const char c = Peek();
      const auto byte = static_cast<unsigned char>(c);
      if (c == quote) {
        if (!is_long) {
          ++at_;
          return {};
        }
        if (Take(three)) {
          for (int more = 0; more < 2 && Peek() == quote && !at_end(); ++more, ++at_) out += quote;
          return {};
        }
      } else if (c == '\\' && quote == '"') {
        PADDOCK_TRY(Escape(out, is_long));
        continue;
      } else if (c == '\n' || (c == '\r' && Peek(1) == '\n')) {
        if (!is_long) return Fail("Unbalanced quotes");
      } else if ((byte < 0x20 && byte != '\t') || byte == 0x7f) {
        return Fail("Control character in a string.");
      }
      out += c;
      ++at_;
    }
  }

  Status Escape(std::string& out, bool is_long) {
    const char c = Peek(1);
    at_ += 2;
    switch (c) {
      case 'b': out += '\b'; return {};
      case 't': out += '\t'; return {};
      case 'n': out += '\n'; return {};
      case 'f': out += '\f'; return {};
      case 'r': out += '\r'; return {};
      case '"':
      case '\\': out += c; return {};
      case 'u':
      case 'U': break;
      default: {
        --at_;
        const size_t begin = at_;
        SkipBlanks();
        if (!is_long || !NewLine()) {
          at_ = begin;
          return Fail("Reserved escape sequence used");
        }
        for (;; budget_.Step()) {
          SkipBlanks();
          if (!NewLine()) return {};
        }
      }
    }
    const size_t digits = c == 'u' ? 4 : 8;
    uint32_t code = 0;
    const std::string_view hex = text_.substr(std::min(at_, text_.size()), digits);
    const auto read = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    if (hex.size() != digits || read.ptr != hex.data() + digits || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
      return Fail("Invalid escape sequence");
    }
    AppendUtf8(out, code);
    at_ += digits;
    return {};
  }

  void Write(const Node& node, std::string& json) {
    budget_.Step();
    budget_.CheckStack();
    if (node.kind == Node::kValue) {
      json += node.json;
      return;
    }
    const bool is_table = node.kind == Node::kTable;
    json += is_table ? '{' : '[';
    const char* separator = "";
    for (const auto& [key, member] : node.members) {
      json += separator;
      separator = ", ";
      AppendJsonString(key, json);
      json += ": ";
      Write(*member, json);
    }
    for (const Node* item : node.items) {
      json += separator;
      separator = ", ";
      Write(*item, json);
    }
    json += is_table ? '}' : ']';
  }

  std::string_view text_;
  Budget& budget_;
  size_t at_ = 0;
  int depth_ = 0;
  std::deque<Node> nodes_;
  Node* root_ = nullptr;
};

}  // namespace

Status ToJson(std::string_view text, std::string& json, Budget& budget) { return Parser(text, budget).Parse(json); }

}  // namespace paddock::toml_text
