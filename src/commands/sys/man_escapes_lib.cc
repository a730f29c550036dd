#include "commands/sys/man_formatter.h"

#include <algorithm>

#include "commands/sys/man_characters.h"
#include "text/utf8.h"

namespace paddock::manual {

std::string RoffFormatter::Escaped(const std::string& line, bool* is_open, int depth) {
  budget_.CheckStack();
  std::string text;
  if (depth > kDeepestMacro) is_endless_ = true;
  size_t column = 0;
  for (size_t i = 0; i < line.size() && !is_endless_;) {
    budget_.Step();
    const char c = line[i];
    if (c == '\\' && i + 1 < line.size()) {
      ++i;
      Escape(line, i, text, is_open, depth);
    } else if (c == '\t') {
      constexpr size_t kTab = 5;
      column = TextWidth(text);
      for (size_t n = kTab - column % kTab; n > 0; --n) text += kFixedSpace;
      ++i;
    } else {
      text += c == '-' ? kHyphen : c;
      ++i;
    }
    if (text.size() > kLongestString) break;
  }
  return text;
}

std::string RoffFormatter::ExpressionText(const std::string& text, int depth) {
  std::string plain = depth < kDeepestMacro ? Escaped(text, nullptr, depth + 1) : "";
  std::replace(plain.begin(), plain.end(), kHyphen, '-');
  std::erase(plain, kNothing);
  return plain;
}

std::string RoffFormatter::NameAt(const std::string& line, size_t& i) {
  if (i >= line.size()) return {};
  if (line[i] == '(') {
    const std::string name = line.substr(i + 1, 2);
    i = std::min(i + 3, line.size());
    return name;
  }
  if (line[i] == '[') {
    const size_t end = std::min(line.find(']', i), line.size());
    const std::string name = line.substr(i + 1, end - i - 1);
    i = std::min(end + 1, line.size());
    return name;
  }
  return std::string(1, line[i++]);
}

std::string RoffFormatter::QuotedAt(const std::string& line, size_t& i) {
  if (i >= line.size()) return {};
  const size_t end = std::min(line.find(line[i], i + 1), line.size());
  const std::string text = line.substr(i + 1, end - i - 1);
  i = std::min(end + 1, line.size());
  return text;
}

void RoffFormatter::Escape(const std::string& line, size_t& i, std::string& text, bool* is_open, int depth) {
  const char c = line[i++];
  switch (c) {
    case '-': text += '-'; break;
    case '\\': case 'e': case 'E': text += '\\'; break;
    case '&': text += kNothing; break;
    case '%': case '/': case ',': case ')': case '|': case '^': case '!': case '?': case '{': case '}': case ':': case 'd': case 'u': case 'r': case 'p': case 'a': break;
    case ' ': case '~': case '0': text += kFixedSpace; break;
    case 't': text += '\t'; break;
    case '\'': text += "\xc2\xb4"; break;
    case '`': text += '`'; break;
    case '_': text += '_'; break;
    case '.': text += '.'; break;
    case 'c':
      if (is_open != nullptr) *is_open = true;
      i = line.size();
      break;
    case '(': case '[': case 'C': {
      --i;
      std::string name;
      if (c == 'C') {
        ++i;
        name = QuotedAt(line, i);
      } else {
        name = NameAt(line, i);
      }
      if (const auto found = NamedCharacter(name)) text += *found;
      else if (const auto own = strings_.find(name); own != strings_.end()) text += Escaped(own->second, nullptr, depth + 1);
      break;
    }
    case '*': {
      const auto found = strings_.find(NameAt(line, i));
      if (found != strings_.end()) text += Escaped(found->second, is_open, depth + 1);
      break;
    }
    case 'n': {
      int64_t step = 0;
      if (i < line.size() && (line[i] == '+' || line[i] == '-')) step = line[i++] == '+' ? 1 : -1;
      const std::string name = NameAt(line, i);
      const auto found = registers_.find(name);
      if (found != registers_.end()) found->second += step;
      text += std::to_string(found == registers_.end() ? 0 : found->second);
      break;
    }
    case 'f': case 'F': case 'm': case 'M': case 'g': case 'k': NameAt(line, i); break;
    case 's':
      if (i < line.size() && (line[i] == '+' || line[i] == '-')) ++i;
      if (i < line.size() && line[i] == '\'') QuotedAt(line, i);
      else if (i + 1 < line.size() && line[i] >= '1' && line[i] <= '3' && line[i + 1] >= '0' && line[i + 1] <= '9') i += 2;
      else NameAt(line, i);
      break;
    case 'h': {
      const int64_t columns = std::clamp<int64_t>(Number(ExpressionText(QuotedAt(line, i), depth)), -200, 200);
      if (columns < 0 && text.empty()) outdent_ = static_cast<size_t>(-columns);
      for (int64_t n = 0; n < columns; ++n) text += kFixedSpace;
      break;
    }
    case 'w': {
      const std::string quoted = QuotedAt(line, i);
      text += std::to_string(depth < kDeepestMacro ? TextWidth(Escaped(quoted, nullptr, depth + 1)) : 0);
      break;
    }
    case 'l': {
      const int64_t columns = std::clamp<int64_t>(Number(ExpressionText(QuotedAt(line, i), depth)), 0, 200);
      text.append(static_cast<size_t>(columns), '_');
      break;
    }
    case 'v': case 'X': case 'x': case 'b': case 'D': case 'L': case 'H': case 'S': case 'R': case 'A': case 'B': case 'Z': QuotedAt(line, i); break;
    case 'o': {
      const std::string quoted = QuotedAt(line, i);
      if (!quoted.empty()) text += quoted.substr(0, 1);
      break;
    }
    case 'z': break;
    case 'N': {
      const int64_t code = Number(QuotedAt(line, i));
      if (code >= ' ' && code < 0x7f) text += static_cast<char>(code);
      break;
    }
    default: text += c; break;
  }
}

}  // namespace paddock::manual
