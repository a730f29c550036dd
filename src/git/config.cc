#include "git/config.h"

#include <algorithm>
#include <cctype>

#include "git/config_edit.h"

namespace paddock::git {
namespace {

bool IsNameByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; }
char LowerByte(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), LowerByte);
  return lower;
}

// One thing of a file: a section head, or a name with its value.
struct Item {
  bool is_section = false;
  std::string key;          // of a section: "core" or "remote.origin"; of a name: all of it
  std::optional<std::string> value;
  size_t begin = 0, end = 0;   // of its bytes, with the newline
};

class Reader {
 public:
  Reader(std::string_view text, Budget* budget) : text_(text), budget_(budget) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
  }

  // All items. Errors: kSyntax.
  Result<std::vector<Item>> ReadAll() {
    std::vector<Item> items;
    while (true) {
      if (budget_ != nullptr) budget_->Step();
      const size_t line_begin = at_;
      SkipBlanks();
      if (at_ >= text_.size()) return items;
      const char c = text_[at_];
      if (c == '\n' || c == '#' || c == ';') {
        SkipLine();
        continue;
      }
      Item item;
      item.begin = items.empty() || !items.back().is_section || items.back().end <= line_begin ? line_begin : at_;
      if (c == '[') {
        item.is_section = true;
        if (!ReadSection(item)) return Bad();
        section_ = item.key;
      } else {
        if (section_.empty() || !ReadName(item)) return Bad();
      }
      item.end = at_;
      items.push_back(std::move(item));
    }
  }

 private:
  Error Bad() const {
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(std::min(at_, text_.size())), '\n') + 1;
    return {Code::kSyntax, "bad config line " + std::to_string(line)};
  }
  int Peek() const { return at_ < text_.size() ? static_cast<unsigned char>(text_[at_]) : -1; }
  void SkipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  }
  void SkipLine() {
    const size_t end = text_.find('\n', at_);
    at_ = end == std::string_view::npos ? text_.size() : end + 1;
  }

  bool ReadSection(Item& item) {
    ++at_;
    while (Peek() >= 0 && (IsNameByte(text_[at_]) || text_[at_] == '.')) item.key += LowerByte(text_[at_++]);
    if (item.key.empty()) return false;
    SkipBlanks();
    if (Peek() == '"') {
      item.key += '.';
      for (++at_; Peek() != '"'; ++at_) {
        if (Peek() == '\\') ++at_;
        if (Peek() < 0 || Peek() == '\n') return false;
        item.key += text_[at_];
      }
      ++at_;
    }
    if (Peek() != ']') return false;
    ++at_;
    // Something may follow on the same line.
    const size_t end = at_;
    SkipBlanks();
    if (Peek() == '\n') ++at_;
    else if (Peek() == '#' || Peek() == ';') SkipLine();
    else if (Peek() >= 0) at_ = end;
    return true;
  }

  bool ReadName(Item& item) {
    std::string name;
    while (Peek() >= 0 && IsNameByte(text_[at_])) name += LowerByte(text_[at_++]);
    if (name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0) return false;
    item.key = section_ + "." + name;
    SkipBlanks();
    if (Peek() == '\n' || Peek() < 0 || Peek() == '#' || Peek() == ';') {
      SkipLine();
      return true;
    }
    if (Peek() != '=') return false;
    ++at_;
    SkipBlanks();
    item.value.emplace();
    return ReadValue(*item.value);
  }

  bool ReadValue(std::string& value) {
    bool is_quoted = false;
    size_t keep = 0;   // bytes that are not trailing blanks
    while (true) {
      if (budget_ != nullptr) budget_->Step();
      const int c = Peek();
      if (c < 0 || c == '\n') {
        if (is_quoted) return false;
        if (c == '\n') ++at_;
        break;
      }
      ++at_;
      if (!is_quoted && (c == '#' || c == ';')) {
        SkipLine();
        break;
      }
      if (c == '"') {
        is_quoted = !is_quoted;
        keep = value.size();
        continue;
      }
      if (c != '\\') {
        value += static_cast<char>(c);
        if (is_quoted || (c != ' ' && c != '\t' && c != '\r')) keep = value.size();
        continue;
      }
      const int next = Peek();
      ++at_;
      switch (next) {
        case '\n': continue;
        case 'n': value += '\n'; break;
        case 't': value += '\t'; break;
        case 'b': value += '\b'; break;
        case '\\': case '"': value += static_cast<char>(next); break;
        default: return false;
      }
      keep = value.size();
    }
    value.resize(keep);
    return true;
  }

  std::string_view text_;
  Budget* budget_;
  size_t at_ = 0;
  std::string section_;
};

std::string QuoteValue(std::string_view value) {
  std::string quoted;
  bool needs_quotes = value.starts_with(' ') || value.ends_with(' ') || value.starts_with('\t') || value.ends_with('\t');
  for (const char c : value) {
    switch (c) {
      case '\n': quoted += "\\n"; break;
      case '\t': quoted += "\\t"; break;
      case '\b': quoted += "\\b"; break;
      case '"': case '\\': quoted += '\\'; quoted += c; break;
      default:
        if (c == '#' || c == ';' || c == '\r') needs_quotes = true;
        quoted += c;
    }
  }
  return needs_quotes ? "\"" + quoted + "\"" : quoted;
}

std::string SectionHead(std::string_view section) {
  const size_t dot = section.find('.');
  if (dot == std::string_view::npos) return "[" + std::string(section) + "]\n";
  std::string sub;
  for (const char c : section.substr(dot + 1)) {
    if (c == '"' || c == '\\') sub += '\\';
    sub += c;
  }
  return "[" + std::string(section.substr(0, dot)) + " \"" + sub + "\"]\n";
}

std::string SectionOf(std::string_view key) { return std::string(key.substr(0, key.rfind('.'))); }

}  // namespace

namespace {

// In one pass over the lines, however many there are.
std::optional<std::string> EditItems(std::string_view text, std::string_view key, std::optional<std::string_view> line, const ConfigMatch& matches, Budget* budget) {
  auto items = Reader(text, budget).ReadAll();
  if (!items) return std::nullopt;
  std::vector<char> is_meant(items->size(), 0);
  size_t last = items->size();
  for (size_t i = 0; i < items->size(); ++i) {
    const Item& item = (*items)[i];
    if (item.is_section || item.key != key || (matches && !matches(item.value.value_or("")))) continue;
    is_meant[i] = 1;
    last = i;
  }
  if (last == items->size()) return std::nullopt;
  std::string out;
  size_t copied = 0;
  const auto drop = [&](const Item& item) {
    out += text.substr(copied, item.begin - copied);
    copied = item.end;
  };
  for (size_t i = 0; i < items->size(); ++i) {
    const Item& item = (*items)[i];
    if (is_meant[i] != 0) {
      drop(item);
      if (line && i == last) out += *line;
      continue;
    }
    if (!item.is_section || line) continue;
    // A section in which nothing is left, not even a comment, goes as well.
    size_t next = i + 1, at = item.end;
    bool is_blank = true;
    for (; next < items->size() && !(*items)[next].is_section && is_blank; ++next) {
      is_blank = is_meant[next] != 0 && text.substr(at, (*items)[next].begin - at).find_first_not_of(" \t\r\n") == std::string_view::npos;
      at = (*items)[next].end;
    }
    const size_t end = next < items->size() ? (*items)[next].begin : text.size();
    if (next > i + 1 && is_blank && text.substr(at, end - at).find_first_not_of(" \t\r\n") == std::string_view::npos) drop(item);
  }
  return out + std::string(text.substr(copied));
}

}  // namespace

std::optional<std::string> EditConfigMatching(std::string_view text, std::string_view key, std::string_view name, std::optional<std::string_view> value, const ConfigMatch& matches, Budget& budget) {
  if (!value) return EditItems(text, key, std::nullopt, matches, &budget);
  const std::string line = "\t" + std::string(name) + " = " + QuoteValue(*value) + "\n";
  return EditItems(text, key, line, matches, &budget);
}

std::optional<std::string> FoldConfigKey(std::string_view key) {
  const size_t first = key.find('.'), last = key.rfind('.');
  if (first == std::string_view::npos || first == 0 || last + 1 == key.size()) return std::nullopt;
  const std::string_view name = key.substr(last + 1);
  const auto is_fine = [](std::string_view part) { return std::all_of(part.begin(), part.end(), IsNameByte); };
  if (!is_fine(key.substr(0, first)) || !is_fine(name) || std::isalpha(static_cast<unsigned char>(name[0])) == 0) return std::nullopt;
  if (key.find('\n') != std::string_view::npos) return std::nullopt;
  return Lower(key.substr(0, first)) + std::string(key.substr(first, last - first)) + "." + Lower(name);
}

Result<std::vector<ConfigEntry>> ParseConfig(std::string_view text, Budget& budget) {
  PADDOCK_ASSIGN(std::vector<Item> items, Reader(text, &budget).ReadAll());
  std::vector<ConfigEntry> entries;
  size_t line = 1, counted = 0;
  for (Item& item : items) {
    // The line that it ends in: values may go on over several.
    const size_t last = item.end > 0 && text[item.end - 1] == '\n' ? item.end - 1 : item.end;
    line += static_cast<size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted), text.begin() + static_cast<std::ptrdiff_t>(last), '\n'));
    counted = last;
    if (!item.is_section) entries.push_back({std::move(item.key), std::move(item.value), 0, line});
  }
  return entries;
}

std::string EditConfig(std::string_view text, std::string_view key, std::optional<std::string_view> value, bool adds) {
  if (!value) {
    Budget* const none = nullptr;
    return EditItems(text, key, std::nullopt, {}, none).value_or(std::string(text));
  }
  std::string out(text);
  auto items = Reader(text, nullptr).ReadAll();
  const std::string line = "\t" + std::string(key.substr(key.rfind('.') + 1)) + " = " + QuoteValue(*value) + "\n";
  const std::string section = SectionOf(key);
  const Item* last_of_section = nullptr;
  const Item* same = nullptr;
  if (items) {
    for (const Item& item : *items) {
      if (item.is_section ? item.key == section : SectionOf(item.key) == section) last_of_section = &item;
      if (!item.is_section && item.key == key) same = &item;
    }
  }
  if (same != nullptr && !adds) return out.replace(same->begin, same->end - same->begin, line);
  if (last_of_section == nullptr) {
    if (!out.empty() && !out.ends_with('\n')) out += '\n';
    return out + SectionHead(section) + line;
  }
  const size_t at = last_of_section->end;
  const bool needs_newline = at > 0 && out[at - 1] != '\n';
  return out.insert(at, (needs_newline ? "\n" : "") + line);
}

std::optional<std::string> EditConfigSection(std::string_view text, std::string_view section, std::optional<std::string_view> new_name) {
  auto items = Reader(text, nullptr).ReadAll();
  if (!items) return std::nullopt;
  std::string out;
  size_t copied = 0;
  bool found = false;
  for (size_t i = 0; i < items->size(); ++i) {
    const Item& item = (*items)[i];
    if (!item.is_section || item.key != section) continue;
    found = true;
    out += text.substr(copied, item.begin - copied);
    if (new_name) {
      out += SectionHead(*new_name);
      copied = item.end;
      continue;
    }
    size_t next = i + 1;
    while (next < items->size() && !(*items)[next].is_section) ++next;
    copied = next < items->size() ? (*items)[next].begin : text.size();
  }
  if (!found) return std::nullopt;
  return out + std::string(text.substr(copied));
}

std::optional<std::string> CopyConfigSection(std::string_view text, std::string_view section, std::string_view new_name) {
  auto items = Reader(text, nullptr).ReadAll();
  if (!items) return std::nullopt;
  std::string out;
  size_t written = 0;
  for (size_t i = 0; i < items->size(); ++i) {
    const Item& item = (*items)[i];
    if (!item.is_section || item.key != section) continue;
    size_t next = i + 1;
    while (next < items->size() && !(*items)[next].is_section) ++next;
    const size_t end = next < items->size() ? (*items)[next].begin : text.size();
    out += text.substr(written, end - written);
    if (!out.ends_with('\n')) out += '\n';
    out += SectionHead(new_name);
    out += text.substr(item.end, end - item.end);
    written = end;
  }
  if (written == 0) return std::nullopt;
  return out + std::string(text.substr(written));
}

std::optional<std::string> Config::Get(std::string_view key) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->key == key) return entry->value.value_or("true");
  }
  return std::nullopt;
}
std::string Config::Get(std::string_view key, std::string_view otherwise) const { return Get(key).value_or(std::string(otherwise)); }
std::vector<std::string> Config::GetAll(std::string_view key) const {
  std::vector<std::string> values;
  for (const ConfigEntry& entry : entries_) {
    if (entry.key == key) values.push_back(entry.value.value_or("true"));
  }
  return values;
}
bool Config::GetBool(std::string_view key, bool otherwise) const {
  const auto value = Get(key);
  return value ? ParseConfigBool(*value).value_or(otherwise) : otherwise;
}

std::optional<bool> ParseConfigBool(std::string_view text) {
  const std::string lower = Lower(text);
  if (lower == "true" || lower == "yes" || lower == "on" || lower == "1") return true;
  if (lower == "false" || lower == "no" || lower == "off" || lower == "0" || lower.empty()) return false;
  return std::nullopt;
}

}  // namespace paddock::git
