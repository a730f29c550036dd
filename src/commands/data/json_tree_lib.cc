#include "commands/data/json_tree.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/budget.h"
#include "text/utf8.h"

namespace paddock::json_tree {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Parser {
 public:
  Parser(std::string_view text, Budget& budget) : text_(text), budget_(budget) {}
  size_t at() const { return at_; }

  Result<Node> Value() {
    budget_.CheckStack();
    budget_.Step();
    SkipBlanks();
    if (is_at_end()) return End();
    switch (Look()) {
      case '{': return Object();
      case '[': return Array();
      case '"': {
        PADDOCK_ASSIGN(std::string text, String());
        return Node{Node::Kind::kString, std::move(text), {}};
      }
      case 't': return Word("true", Node::Kind::kBool);
      case 'f': return Word("false", Node::Kind::kBool);
      case 'n': return Word("null", Node::Kind::kNull);
      default: break;
    }
    if (Look() == '-' || IsDigit(Look())) return Number();
    return Bad("looking for beginning of value");
  }

 private:
  bool is_at_end() const { return at_ >= text_.size(); }
  char Look() const { return text_[at_]; }
  void SkipBlanks() {
    while (!is_at_end() && IsBlank(Look())) ++at_;
  }
  Error End() const { return {Code::kSyntax, text_.find_first_not_of(" \t\r\n") == std::string_view::npos ? "EOF" : "unexpected EOF"}; }
  Error Bad(const std::string& where) const {
    if (is_at_end()) return End();
    const char c = Look();
    std::string shown = c == '\'' ? "'\\''" : c == '"' ? "'\"'" : std::string("'") + c + "'";
    if (c == '\n') shown = "'\\n'";
    else if (c == '\t') shown = "'\\t'";
    else if (c == '\r') shown = "'\\r'";
    else if (static_cast<unsigned char>(c) < ' ') {
      char digits[8];
      std::snprintf(digits, sizeof digits, "'\\x%02x'", static_cast<unsigned>(c));
      shown = digits;
    }
    return {Code::kSyntax, "invalid character " + shown + " " + where};
  }

  Result<Node> Word(std::string_view word, Node::Kind kind) {
    for (size_t i = 0; i < word.size(); ++i, ++at_) {
      if (is_at_end()) return End();
      if (Look() != word[i]) return Bad("in literal " + std::string(word) + " (expecting '" + word[i] + "')");
    }
    return Node{kind, std::string(word), {}};
  }
  Result<Node> Number() {
    const size_t begin = at_;
    if (Look() == '-') ++at_;
    if (is_at_end() || !IsDigit(Look())) return Bad("in numeric literal");
    if (Look() == '0') ++at_;
    else Digits();
    if (!is_at_end() && Look() == '.') {
      ++at_;
      if (is_at_end() || !IsDigit(Look())) return Bad("after decimal point in numeric literal");
      Digits();
    }
    if (!is_at_end() && (Look() == 'e' || Look() == 'E')) {
      ++at_;
      if (!is_at_end() && (Look() == '+' || Look() == '-')) ++at_;
      if (is_at_end() || !IsDigit(Look())) return Bad("in exponent of numeric literal");
      Digits();
    }
    return Node{Node::Kind::kNumber, std::string(text_.substr(begin, at_ - begin)), {}};
  }
  void Digits() {
    while (!is_at_end() && IsDigit(Look())) ++at_;
  }

  Result<std::string> String() {
    std::string text;
    ++at_;
    while (true) {
      if (text.size() % 32 == 0) budget_.Step();
      if (is_at_end()) return End();
      const char c = Look();
      if (c == '"') {
        ++at_;
        return text;
      }
      if (static_cast<unsigned char>(c) < ' ') return Bad("in string literal");
      if (c == '\\') {
        ++at_;
        PADDOCK_TRY(Escape(text));
        continue;
      }
      const DecodedChar decoded = DecodeUtf8(text_.substr(at_));
      if (decoded.is_valid) text += text_.substr(at_, decoded.length);
      else AppendUtf8(text, kReplacement);
      at_ += decoded.length;
    }
  }
  Status Escape(std::string& text) {
    if (is_at_end()) return End();
    constexpr std::string_view kNames = "bfnrt\"\\/", kBytes = "\b\f\n\r\t\"\\/";
    const size_t known = kNames.find(Look());
    if (known != std::string_view::npos) {
      ++at_;
      text += kBytes[known];
      return {};
    }
    if (Look() != 'u') return Bad("in string escape code");
    ++at_;
    PADDOCK_ASSIGN(char32_t code, Hex());
    const bool is_high = code >= 0xD800 && code < 0xDC00;
    if (is_high && text_.substr(at_, 2) == "\\u") {
      const size_t before = at_;
      at_ += 2;
      PADDOCK_ASSIGN(const char32_t low, Hex());
      if (low >= 0xDC00 && low < 0xE000) code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      else at_ = before;
    }
    AppendUtf8(text, code >= 0xD800 && code < 0xE000 ? kReplacement : code);
    return {};
  }
  Result<char32_t> Hex() {
    char32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      if (is_at_end()) return End();
      const char c = Look();
      const int digit = IsDigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (digit < 0) return Bad("in \\u hexadecimal character escape");
      code = code * 16 + static_cast<char32_t>(digit);
    }
    return code;
  }

  Result<Node> Array() {
    Node node{Node::Kind::kArray, {}, {}};
    ++at_;
    SkipBlanks();
    if (!is_at_end() && Look() == ']') return ++at_, node;
    while (true) {
      PADDOCK_ASSIGN(Node element, Value());
      Add(node, "", std::move(element));
      SkipBlanks();
      if (is_at_end() || (Look() != ',' && Look() != ']')) return Bad("after array element");
      if (text_[at_++] == ']') return node;
    }
  }
  Result<Node> Object() {
    Node node{Node::Kind::kObject, {}, {}};
    std::map<std::string, size_t> places;
    ++at_;
    SkipBlanks();
    if (!is_at_end() && Look() == '}') return ++at_, node;
    while (true) {
      SkipBlanks();
      if (is_at_end() || Look() != '"') return Bad("looking for beginning of object key string");
      PADDOCK_ASSIGN(std::string key, String());
      SkipBlanks();
      if (is_at_end() || Look() != ':') return Bad("after object key");
      ++at_;
      PADDOCK_ASSIGN(Node value, Value());
      // The last one of a name counts.
      const auto [place, is_new] = places.emplace(key, node.members.size());
      if (is_new) Add(node, std::move(key), std::move(value));
      else node.members[place->second].value = std::move(value);
      SkipBlanks();
      if (is_at_end() || (Look() != ',' && Look() != '}')) return Bad("after object key:value pair");
      if (text_[at_++] == '}') return node;
    }
  }
  void Add(Node& node, std::string key, Node value) {
    if (node.members.size() == node.members.capacity()) budget_.WillAllocate(2 * (node.members.size() + 1) * sizeof(node.members[0]));
    node.members.emplace_back(std::move(key), std::move(value));
  }

  static constexpr char32_t kReplacement = 0xFFFD;
  std::string_view text_;
  Budget& budget_;
  size_t at_ = 0;
};

void WriteIndented(const Node& node, size_t depth, std::string& to, Budget& budget) {
  budget.CheckStack();
  budget.Step(static_cast<int64_t>(1 + (node.text.size() + depth) / 16));
  if (to.size() + 2 * depth + node.text.size() > to.capacity()) budget.WillAllocate(2 * (to.size() + 2 * depth + node.text.size()));
  switch (node.kind) {
    case Node::Kind::kMissing: to += "null"; return;
    case Node::Kind::kString: to += Quoted(node.text); return;
    case Node::Kind::kNull:
    case Node::Kind::kBool:
    case Node::Kind::kNumber: to += node.text; return;
    case Node::Kind::kArray:
    case Node::Kind::kObject: break;
  }
  const bool is_object = node.kind == Node::Kind::kObject;
  if (node.members.empty()) {
    to += is_object ? "{}" : "[]";
    return;
  }
  std::vector<const Member*> members;
  for (const auto& member : node.members) members.push_back(&member);
  if (is_object) std::ranges::sort(members, {}, [](const auto* member) -> const std::string& { return member->name; });
  to += is_object ? "{" : "[";
  for (size_t i = 0; i < members.size(); ++i) {
    to.append(i > 0 ? ",\n" : "\n").append(2 * (depth + 1), ' ');
    if (is_object) to.append(Quoted(members[i]->name)).append(": ");
    WriteIndented(members[i]->value, depth + 1, to, budget);
  }
  to.append("\n").append(2 * depth, ' ').append(is_object ? "}" : "]");
}

}  // namespace

Result<Node> ParseValue(std::string_view& text, Budget& budget) {
  Parser parser(text, budget);
  PADDOCK_ASSIGN(Node node, parser.Value());
  text.remove_prefix(parser.at());
  return node;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (size_t i = 0; i < text.size();) {
    const DecodedChar decoded = DecodeUtf8(text.substr(i));
    constexpr std::string_view kBytes = "\b\f\n\r\t\"\\", kNames = "bfnrt\"\\";
    const size_t known = decoded.code < 0x80 ? kBytes.find(static_cast<char>(decoded.code)) : std::string_view::npos;
    if (known != std::string_view::npos) {
      quoted += {'\\', kNames[known]};
    } else if (decoded.code < ' ' || decoded.code == 0x7F || decoded.code == 0x2028 || decoded.code == 0x2029) {
      char digits[16];
      std::snprintf(digits, sizeof digits, "\\u%04X", static_cast<unsigned>(decoded.code));
      quoted += digits;
    } else {
      quoted += text.substr(i, decoded.length);
    }
    i += decoded.length;
  }
  return quoted + "\"";
}

std::string Indented(const Node& node, Budget& budget) {
  std::string text;
  WriteIndented(node, 0, text, budget);
  return text;
}

}  // namespace paddock::json_tree
