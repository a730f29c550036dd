#include "commands/sys/man_formatter.h"

#include <algorithm>
#include <charconv>

namespace paddock::manual {

Words RoffFormatter::Split(std::string_view text) {
  Words words;
  size_t i = 0;
  while (i < text.size()) {
    while (i < text.size() && text[i] == ' ') ++i;
    if (i >= text.size()) break;
    std::string word;
    if (text[i] == '"') {
      for (++i; i < text.size(); ++i) {
        if (text[i] != '"') {
          word += text[i];
        } else if (i + 1 < text.size() && text[i + 1] == '"') {
          word += text[i++];
        } else {
          ++i;
          break;
        }
      }
    } else {
      for (; i < text.size() && text[i] != ' '; ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) word += text[i++];
        word += text[i];
      }
    }
    words.push_back(std::move(word));
  }
  return words;
}

Status RoffFormatter::RunRequest(std::string_view text, std::string_view& rest) {
  const size_t blank = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(blank);
  const size_t end = std::min(text.find_first_of(" \t\\\"'"), text.size());
  const std::string name(text.substr(0, end));
  std::string_view tail = text.substr(end);
  tail.remove_prefix(std::min(tail.find_first_not_of(" \t"), tail.size()));
  if (name.empty() || name == "\\}") return {};
  if (const auto macro = macros_.find(name); macro != macros_.end()) {
    Words words = Split(tail);
    words.insert(words.begin(), name);
    const std::string body = macro->second;   // it may define itself anew
    return RunLines(body, words);
  }
  if (name == "if" || name == "ie" || name == "el") return Condition(name, tail, rest);
  if (name == "de" || name == "am" || name == "de1" || name == "ig") return Define(name, tail, rest);
  if (name == "ds" || name == "as") {
    DefineString(name == "as", tail);
    return {};
  }
  if (name == "TS" || name == "EQ" || name == "PS" || name == "G1") return Refuse(name == "TS" ? "tables (tbl)" : "equations and pictures");
  if (name == "so" || name == "mso") return Refuse("files in files (." + name + ")");
  if (name == "Dd" || name == "Dt" || name == "Os") return Refuse("the macros of mdoc(7)");
  return Macro(name, Split(tail));
}

Status RoffFormatter::Condition(const std::string& name, std::string_view tail, std::string_view& rest) {
  budget_.CheckStack();   // a line may be conditions all along
  bool holds = false;
  if (name == "el") {
    holds = elses_.empty() ? false : !elses_.back();
    if (!elses_.empty()) elses_.pop_back();
  } else {
    holds = Holds(tail);
    if (name == "ie") elses_.push_back(holds);
    if (elses_.size() > kMostStrings) return Error(Code::kLimit, "conditions without an end");
  }
  tail.remove_prefix(std::min(tail.find_first_not_of(" \t"), tail.size()));
  // A block goes from \{ to the \} that belongs to it.
  if (!tail.starts_with("\\{")) {
    if (!holds) return {};
    if (++conditions_ > kDeepestMacro) return Error(Code::kLimit, "conditions in conditions without end");
    std::string_view none;
    PADDOCK_TRY(RunLine(std::string(tail), none));
    --conditions_;
    return {};
  }
  std::string block(tail.substr(2));
  int open = 1 + Braces(block);
  while (open > 0 && !rest.empty()) {
    budget_.Step(4);
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    open += Braces(line);
    block += "\n" + std::string(line);
  }
  if (!holds) return {};
  std::string body;
  for (size_t i = 0; i < block.size(); ++i) {   // the braces of this block alone
    if (block.compare(i, 2, "\\}") == 0 && block.find("\\}", i + 2) == std::string::npos) ++i;
    else body += block[i];
  }
  while (body.starts_with("\\\n") || body.starts_with('\n')) body.erase(0, body[0] == '\\' ? 2 : 1);
  return RunLines(body, {});
}

int RoffFormatter::Braces(std::string_view text) {
  int open = 0;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '\\') continue;
    open += text[i + 1] == '{' ? 1 : text[i + 1] == '}' ? -1 : 0;
    ++i;
  }
  return open;
}

bool RoffFormatter::Holds(std::string_view& text) {
  bool is_negated = false;
  while (text.starts_with('!')) {
    is_negated = !is_negated;
    text.remove_prefix(1);
  }
  bool holds = false;
  if (text.empty()) return false;
  const bool is_letter = text.size() == 1 || text[1] == ' ' || text[1] == '\t' || text[1] == '\\';
  if (is_letter && std::string_view("ntoev").find(text[0]) != std::string_view::npos) {
    holds = text[0] == 'n' || text[0] == 'o';
    text.remove_prefix(1);
  } else if ((text[0] == 'd' || text[0] == 'r' || text[0] == 'c' || text[0] == 'm') && !is_letter) {
    const char kind = text[0];
    text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const size_t end = std::min(text.find(' '), text.size());
    const std::string name(text.substr(0, end));
    text.remove_prefix(end);
    holds = kind == 'd' ? macros_.contains(name) || strings_.contains(name) : kind == 'r' && registers_.contains(name);
  } else if ((text[0] >= '0' && text[0] <= '9') || std::string_view("(\\+-").find(text[0]) != std::string_view::npos) {
    const size_t end = ExpressionEnd(text);
    holds = Number(ExpressionText(std::string(text.substr(0, end)))) > 0;
    text.remove_prefix(end);
  } else {
    const char quote = text[0];
    const size_t middle = text.find(quote, 1), end = middle == std::string_view::npos ? middle : text.find(quote, middle + 1);
    if (end == std::string_view::npos) {
      text = {};
      return false;
    }
    holds = Escaped(std::string(text.substr(1, middle - 1)), nullptr) == Escaped(std::string(text.substr(middle + 1, end - middle - 1)), nullptr);
    text.remove_prefix(end + 1);
  }
  return holds != is_negated;
}

size_t RoffFormatter::ExpressionEnd(std::string_view text) {
  int open = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' && (i == 0 || text[i - 1] != 'n')) ++open;
    else if (text[i] == ')') --open;
    else if ((text[i] == ' ' || text[i] == '\t') && open <= 0) return i;
    else if (text.substr(i).starts_with("\\{")) return i;
  }
  return text.size();
}

int64_t RoffFormatter::Number(std::string_view text) {
  size_t at = 0;
  return Expression(text, at, 0);
}

int64_t RoffFormatter::Expression(std::string_view text, size_t& at, int depth) {
  budget_.CheckStack();
  int64_t value = depth > kDeepestMacro ? 0 : Operand(text, at, depth);
  while (at < text.size() && text[at] != ')') {
    budget_.Step();
    char sign = text[at++];
    bool with_equals = false;
    if (sign == ' ') continue;
    if (at < text.size() && (text[at] == '=' || (sign == '<' && text[at] == '>'))) {
      with_equals = text[at] == '=';
      ++at;
    }
    const int64_t other = Operand(text, at, depth);
    int64_t result = 0;
    switch (sign) {
      case '+': if (!__builtin_add_overflow(value, other, &result)) value = result; break;
      case '-': if (!__builtin_sub_overflow(value, other, &result)) value = result; break;
      case '*': if (!__builtin_mul_overflow(value, other, &result)) value = result; break;
      case '/': value = other == 0 || other == -1 ? Negative(value) : value / other; break;
      case '%': value = other == 0 || other == -1 ? 0 : value % other; break;
      case '<': value = with_equals ? value <= other : value < other; break;
      case '>': value = with_equals ? value >= other : value > other; break;
      case '=': value = value == other; break;
      case '&': value = value > 0 && other > 0; break;
      case ':': value = value > 0 || other > 0; break;
      default: return value;
    }
  }
  return value;
}

int64_t RoffFormatter::Operand(std::string_view text, size_t& at, int depth) {
  bool is_negative = false;
  while (at < text.size() && (text[at] == '-' || text[at] == '+' || text[at] == ' ')) is_negative ^= text[at++] == '-';
  int64_t value = 0;
  if (at < text.size() && text[at] == '(') {
    ++at;
    value = Expression(text, at, depth + 1);
    if (at < text.size()) ++at;
  } else {
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    const bool is_number = error == std::errc();
    at = is_number ? static_cast<size_t>(end - text.data()) : std::min(at + 1, text.size());
    if (is_number && at + 1 < text.size() && text[at] == '.' && text[at + 1] >= '0' && text[at + 1] <= '9') {   // half an inch
      const int64_t tenth = text[at + 1] - '0';
      at += 2;
      while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
      if (at < text.size() && text[at] == 'i' && value < 1000) {
        value = value * 10 + tenth;
        ++at;
      }
    } else if (is_number && at < text.size() && text[at] == 'i' && value < 1000) {
      value *= 10;
    }
    if (at < text.size() && std::string_view("uivpmncPfMs").find(text[at]) != std::string_view::npos) ++at;
  }
  return is_negative ? Negative(value) : value;
}

Status RoffFormatter::Define(const std::string& request, std::string_view tail, std::string_view& rest) {
  const Words words = Split(tail);
  const size_t skipped = request == "ig" ? 0 : 1;
  const std::string end_name = words.size() > skipped ? words[skipped] : ".";
  std::string body;
  while (!rest.empty()) {
    budget_.Step(4);
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with("." + end_name)) break;
    // In a definition two backslashes are one, to be looked at when the macro runs.
    for (size_t i = 0; i < line.size(); ++i) {
      body += line[i];
      if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '\\') ++i;
    }
    body += '\n';
  }
  if (request == "ig" || words.empty()) return {};
  if (macros_.size() >= kMostStrings) return Error(Code::kLimit, "too many macros");
  budget_.WillAllocate(body.size());
  if (request == "am") macros_[words[0]] += body;
  else macros_[words[0]] = std::move(body);
  return {};
}

void RoffFormatter::DefineString(bool appends, std::string_view tail) {
  const size_t end = std::min(tail.find(' '), tail.size());
  const std::string name(tail.substr(0, end));
  tail.remove_prefix(end);
  tail.remove_prefix(std::min(tail.find_first_not_of(' '), tail.size()));
  if (tail.starts_with('"')) tail.remove_prefix(1);
  if (strings_.size() >= kMostStrings) return;
  std::string& text = strings_[name];
  if (!appends) text.clear();
  if (text.size() + tail.size() <= kLongestString) text += tail;
}

void RoffFormatter::Plain(const std::string& name, const Words& words) {
  if (name == "br") {
    Leave();
  } else if (name == "sp") {
    Leave();
    layout_.Space(Amount(words, 0, 1));
  } else if (name == "in") {
    Leave();
    const size_t before = layout_.indent();
    if (words.empty()) layout_.set_indent(last_indent_);
    else if (words[0].starts_with('+') || words[0].starts_with('-')) layout_.set_indent(static_cast<size_t>(std::max<int64_t>(static_cast<int64_t>(before) + std::clamp<int64_t>(Number(ExpressionText(words[0])), -400, 400), 0)));
    else layout_.set_indent(Amount(words, 0, before));
    last_indent_ = before;
  } else if (name == "ti" && !words.empty()) {
    Leave();
    const int64_t base = words[0].starts_with('+') || words[0].starts_with('-') ? static_cast<int64_t>(layout_.indent()) : 0;
    layout_.set_first_indent(static_cast<size_t>(std::max<int64_t>(base + std::clamp<int64_t>(Number(ExpressionText(words[0])), -400, 400), 0)));
  } else if (name == "ad" || name == "na") {
    adjusts_ = name == "ad" && (words.empty() || words[0] == "b" || words[0] == "n");
    layout_.set_justifies(style_.justifies && adjusts_);
  } else if (name == "ce") {
    Leave();
    centers_ = Amount(words, 0, 1);
  } else if (name == "nr" && words.size() > 1 && registers_.size() < kMostStrings) {
    const std::string& value = words[1];
    const bool is_relative = value.starts_with('+') || value.starts_with('-');
    int64_t& place = registers_[words[0]];
    place = std::clamp<int64_t>((is_relative ? place : 0) + std::clamp<int64_t>(Number(ExpressionText(value)), INT32_MIN, INT32_MAX), INT32_MIN, INT32_MAX);
  } else if (name == "rm") {
    for (const std::string& word : words) {
      macros_.erase(word);
      strings_.erase(word);
    }
  } else if (name == "tr" && !words.empty()) {
    Translate(Shown(words[0]));
  } else if (name == "ns") {
    layout_.DropSpace();
  }
}

}  // namespace paddock::manual
