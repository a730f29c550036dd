#include "lang/make/words.h"

#include <algorithm>

namespace paddock::make {

std::string_view TrimFront(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view Trim(std::string_view text) {
  text = TrimFront(text);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view TakeWord(std::string_view& text) {
  text = TrimFront(text);
  size_t end = 0;
  while (end < text.size() && !IsSpace(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::vector<std::string_view> SplitWords(std::string_view text, Budget& budget) {
  std::vector<std::string_view> words;
  for (std::string_view word = TakeWord(text); !word.empty(); word = TakeWord(text)) {
    budget.Step();
    words.push_back(word);
  }
  return words;
}

PercentPattern::PercentPattern(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      has_percent_ = true;
      suffix_ = text.substr(i + 1);
      return;
    }
    if (text[i] == '\\') {
      const size_t end = text.find_first_not_of('\\', i);
      const size_t count = (end == std::string_view::npos ? text.size() : end) - i;
      if (end != std::string_view::npos && text[end] == '%') {
        prefix_.append(count / 2, '\\');
        i = end - 1;
        if (count % 2 == 1) {
          prefix_ += '%';
          ++i;
        }
        continue;
      }
      prefix_.append(count, '\\');
      i += count - 1;
      continue;
    }
    prefix_ += text[i];
  }
}

std::optional<std::string_view> PercentPattern::Match(std::string_view word) const {
  if (!has_percent_) return word == prefix_ ? std::optional<std::string_view>("") : std::nullopt;
  if (word.size() < prefix_.size() + suffix_.size() || !word.starts_with(prefix_) || !word.ends_with(suffix_)) return std::nullopt;
  return word.substr(prefix_.size(), word.size() - prefix_.size() - suffix_.size());
}

std::string PercentPattern::Fill(std::string_view stem) const {
  if (!has_percent_) return prefix_;
  std::string filled = prefix_;
  filled += stem;
  return filled += suffix_;
}

std::string ReplaceAll(std::string_view text, std::string_view from, std::string_view to, Budget& budget) {
  std::string result;
  if (from.empty()) {   // what make does: the replacement goes behind the text
    result = text;
    return result += to;
  }
  size_t at = 0;
  for (size_t found = text.find(from); found != std::string_view::npos; found = text.find(from, at)) {
    budget.Step(1 + static_cast<int64_t>(to.size() / 32));
    if (result.size() + to.size() + (found - at) > result.capacity()) budget.WillAllocate(2 * result.capacity() + to.size());
    result += text.substr(at, found - at);
    result += to;
    at = found + from.size();
  }
  return result += text.substr(at);
}

std::string SubstitutePattern(std::string_view text, std::string_view pattern, std::string_view replacement, Budget& budget) {
  const PercentPattern from(pattern);
  const PercentPattern to(replacement);
  std::string result;
  bool is_first = true;
  for (const std::string_view word : SplitWords(text, budget)) {
    budget.Step(1 + static_cast<int64_t>(replacement.size() / 32));
    const auto stem = from.Match(word);
    if (!is_first) result += ' ';
    is_first = false;
    if (result.size() + word.size() + replacement.size() > result.capacity()) {
      budget.WillAllocate(2 * result.capacity() + word.size() + replacement.size());
    }
    if (!stem) {
      result += word;
    } else {
      result += from.has_percent() ? to.Fill(*stem) : std::string(replacement);
    }
  }
  return result;
}

std::string_view WithoutDots(std::string_view name) {
  while (name.size() > 2 && name.starts_with("./")) {
    name.remove_prefix(2);
    while (name.size() > 1 && name[0] == '/') name.remove_prefix(1);
  }
  return name;
}

std::string_view DirectoryPart(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash + 1);
}

std::string AbsoluteName(std::string_view name, std::string_view cwd) {
  std::string full = name.starts_with('/') ? std::string() : std::string(cwd) + "/";
  full += name;
  std::string result;
  for (size_t at = 0; at < full.size();) {
    size_t end = full.find('/', at);
    if (end == std::string::npos) end = full.size();
    const std::string_view part = std::string_view(full).substr(at, end - at);
    if (part == "..") {
      result.resize(result.empty() ? 0 : result.rfind('/'));
    } else if (!part.empty() && part != ".") {
      result += '/';
      result += part;
    }
    at = end + 1;
  }
  return result.empty() ? "/" : result;
}

size_t FindClose(std::string_view text, size_t at, char open) {
  const char close = open == '(' ? ')' : '}';
  size_t depth = 1;
  for (; at < text.size(); ++at) {
    if (text[at] == open) ++depth;
    if (text[at] == close && --depth == 0) return at;
  }
  return std::string_view::npos;
}

size_t ReferenceEnd(std::string_view text, size_t dollar) {
  const size_t at = dollar + 1;
  if (at >= text.size() || (text[at] != '(' && text[at] != '{')) return std::min(at, text.size());
  return std::min(FindClose(text, at + 1, text[at]), text.size());
}

size_t FindUnquoted(std::string_view text, std::string_view stops) {
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {   // an odd number of them quotes what is behind
      const size_t end = std::min(text.find_first_not_of('\\', i), text.size());
      const bool quotes = (end - i) % 2 == 1 && end < text.size() && stops.find(text[end]) != std::string_view::npos;
      i = quotes ? end : end - 1;
    } else if (c == '$' && i + 1 < text.size()) {
      i = ReferenceEnd(text, i);
    } else if (stops.find(c) != std::string_view::npos) {
      return i;
    }
  }
  return std::string_view::npos;
}

std::string WithoutComment(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '$' && i + 1 < text.size() && (text[i + 1] == '(' || text[i + 1] == '{')) {   // none in there
      const size_t end = ReferenceEnd(text, i);
      result += text.substr(i, end - i + 1);
      i = end;
      continue;
    }
    if (text[i] != '#') {
      result += text[i];
      if (text[i] == '$' && i + 1 < text.size() && text[i + 1] == '$') result += text[++i];
      continue;
    }
    size_t slashes = 0;
    while (slashes < result.size() && result[result.size() - 1 - slashes] == '\\') ++slashes;
    result.resize(result.size() - (slashes + 1) / 2);
    if (slashes % 2 == 0) return result;
    result += '#';
  }
  return result;
}

std::string JoinedLines(std::string_view text, bool is_posix) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') {
      result += text[i];
      continue;
    }
    size_t slashes = 0;
    while (slashes < result.size() && result[result.size() - 1 - slashes] == '\\') ++slashes;
    result.resize(result.size() - (slashes + 1) / 2);
    if (slashes % 2 == 0) {
      result += '\n';
      continue;
    }
    while (!is_posix && !result.empty() && IsBlank(result.back())) result.pop_back();
    while (i + 1 < text.size() && text[i + 1] != '\n' && IsSpace(text[i + 1])) ++i;
    result += ' ';
  }
  return result;
}

std::string JoinedReferences(std::string_view text, bool is_posix) {
  if (text.find('\n') == std::string_view::npos) return std::string(text);
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 >= text.size() || (text[i + 1] != '(' && text[i + 1] != '{')) {
      result += text[i];
      if (text[i] == '$' && i + 1 < text.size()) result += text[++i];
      continue;
    }
    const size_t end = std::min(ReferenceEnd(text, i), text.size() - 1);
    result += JoinedLines(text.substr(i, end - i + 1), is_posix);
    i = end;
  }
  return result;
}

std::optional<MemberName> AsMember(std::string_view name) {
  const size_t open = name.find('(');
  if (open == std::string_view::npos || open == 0 || !name.ends_with(')')) return std::nullopt;
  return MemberName{name.substr(0, open), name.substr(open + 1, name.size() - open - 2)};
}

namespace {

// "lib(a", "b" and "c)" become lib(a), lib(b) and lib(c).
void SplitGroups(std::vector<std::string>& names, Budget& budget) {
  size_t last_close = 0;   // behind the last name that can end a group
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].ends_with(')')) last_close = i + 1;
  }
  if (last_close == 0) return;
  std::vector<std::string> out;
  std::string prefix;   // of the group that is open: "lib("
  for (size_t i = 0; i < names.size(); ++i) {
    std::string& name = names[i];
    budget.Step(1 + static_cast<int64_t>(prefix.size() / 16));
    if (prefix.empty()) {
      const size_t open = name.find('(');
      const bool begins = open != std::string::npos && open > 0 && !name.ends_with(')') && i + 1 < last_close;
      if (!begins) {
        out.push_back(std::move(name));
        continue;
      }
      prefix = name.substr(0, open + 1);
      if (open + 1 < name.size()) out.push_back(std::move(name) + ")");
      continue;
    }
    const bool ends = name.ends_with(')');
    if (ends) name.pop_back();
    budget.WillAllocate(prefix.size());
    if (!name.empty()) out.push_back(prefix + name + ")");
    if (ends) prefix.clear();
  }
  names = std::move(out);
}

}  // namespace

std::vector<std::string> SplitNames(std::string_view text, Budget& budget) {
  std::vector<std::string> names;
  std::string name;
  bool has_name = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    budget.Step();
    if (i == text.size() || IsSpace(text[i])) {
      while (name.size() > 2 && name.starts_with("./")) name.erase(0, std::max<size_t>(name.find_first_not_of('/', 1), 1));
      if (name.empty() && has_name) name = "./";
      if (has_name) names.push_back(std::move(name));
      name.clear();
      has_name = false;
      continue;
    }
    has_name = true;
    if (text[i] == '\\') {
      const size_t end = std::min(text.find_first_not_of('\\', i), text.size());
      const bool is_special = end < text.size() && (IsBlank(text[end]) || text[end] == ':' || text[end] == '#');
      name.append(is_special ? (end - i) / 2 : end - i, '\\');
      const bool quotes = is_special && (end - i) % 2 == 1;
      if (quotes) name += text[end];
      i = quotes ? end : end - 1;
      continue;
    }
    name += text[i];
  }
  if (text.find('(') != std::string_view::npos) SplitGroups(names, budget);
  return names;
}

}  // namespace paddock::make
