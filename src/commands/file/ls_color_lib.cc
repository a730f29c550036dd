#include "commands/file/ls_color.h"

#include <algorithm>

#include "text/mode.h"

namespace paddock::ls {
namespace {

using vfs::FileType;

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Takes one character of a value, which may be written \e, \033, \x1b or ^[; false at a bad escape.
bool TakeChar(std::string_view& rest, std::string& out) {
  const char c = rest.front();
  rest.remove_prefix(1);
  if (c == '^') {
    if (rest.empty()) return false;
    const char next = rest.front();
    rest.remove_prefix(1);
    if (next == '?') out += '\x7f';
    else if (next >= '@' && next <= '~') out += static_cast<char>(next & 037);
    else return false;
    return true;
  }
  if (c != '\\') {
    out += c;
    return true;
  }
  if (rest.empty()) return false;
  const char escape = rest.front();
  rest.remove_prefix(1);
  if (escape >= '0' && escape <= '7') {
    int value = escape - '0';
    while (!rest.empty() && rest.front() >= '0' && rest.front() <= '7') {
      value = value * 8 + (rest.front() - '0');
      rest.remove_prefix(1);
    }
    out += static_cast<char>(value);
    return true;
  }
  if (escape == 'x' || escape == 'X') {
    int value = 0;
    while (!rest.empty() && HexValue(rest.front()) >= 0) {
      value = (value * 16 + HexValue(rest.front())) & 0xff;
      rest.remove_prefix(1);
    }
    out += static_cast<char>(value);
    return true;
  }
  constexpr std::string_view kNames = "abefnrtv?_";
  constexpr std::string_view kValues = "\a\b\x1b\f\n\r\t\v\x7f ";
  const size_t index = kNames.find(escape);
  out += index == std::string_view::npos ? escape : kValues[index];
  return true;
}

// A value up to `end`, which is left in place.
bool TakeValue(std::string_view& rest, char end, std::string& out) {
  while (!rest.empty() && rest.front() != end && rest.front() != ':') {
    if (!TakeChar(rest, out)) return false;
  }
  return true;
}

bool EndsWithIgnoringCase(std::string_view text, std::string_view suffix) {
  if (text.size() < suffix.size()) return false;
  text.remove_prefix(text.size() - suffix.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    if (lower(text[i]) != lower(suffix[i])) return false;
  }
  return true;
}

}  // namespace

bool Colors::Parse(std::string_view rest, std::string* bad_prefix) {
  while (!rest.empty()) {
    if (rest.front() == ':') {
      rest.remove_prefix(1);
      continue;
    }
    if (rest.front() == '*') {
      rest.remove_prefix(1);
      Extension extension;
      if (!TakeValue(rest, '=', extension.suffix) || !rest.starts_with('=')) return false;
      rest.remove_prefix(1);
      if (!TakeValue(rest, ':', extension.code)) return false;
      extensions_.push_back(std::move(extension));
      continue;
    }
    if (rest.size() < 3 || rest[2] != '=') return false;
    const std::string_view key = rest.substr(0, 2);
    rest.remove_prefix(3);
    Entry* found = nullptr;
    for (Entry& entry : entries_) {
      if (key == entry.key) found = &entry;
    }
    if (found == nullptr) {
      *bad_prefix = key;
      return false;
    }
    found->value.clear();
    found->is_given = true;
    if (!TakeValue(rest, ':', found->value)) return false;
  }
  return true;
}

std::string_view Colors::Get(std::string_view key) const {
  for (const Entry& entry : entries_) {
    if (key == entry.key) return entry.value;
  }
  return {};
}

bool Colors::IsColored(std::string_view key) const {
  const std::string_view value = Get(key);
  return !value.empty() && value != "0" && value != "00";
}

std::string_view Colors::KeyForMode(const vfs::Attributes& attributes) const {
  const uint32_t mode = attributes.mode;
  switch (attributes.type) {
    case FileType::kFile:
      if ((mode & kSetUid) != 0 && IsColored("su")) return "su";
      if ((mode & kSetGid) != 0 && IsColored("sg")) return "sg";
      if ((mode & 0111) != 0 && IsColored("ex")) return "ex";
      if (attributes.links > 1 && IsColored("mh")) return "mh";
      return "fi";
    case FileType::kDirectory:
      if ((mode & kSticky) != 0 && (mode & 0002) != 0 && IsColored("tw")) return "tw";
      if ((mode & 0002) != 0 && IsColored("ow")) return "ow";
      if ((mode & kSticky) != 0 && IsColored("st")) return "st";
      return "di";
    case FileType::kSymlink: return "ln";
    case FileType::kFifo: return "pi";
    case FileType::kSocket: return "so";
    case FileType::kBlockDevice: return "bd";
    case FileType::kCharDevice: return "cd";
  }
  return "or";
}

std::optional<std::string_view> Colors::CodeFor(const File& file, bool of_target) const {
  const std::string_view name = of_target ? file.target : file.name;
  const bool is_broken = file.is_linked_known && !file.linked;
  std::string_view key;
  if (of_target) {
    if (file.linked) key = KeyForMode(*file.linked);
    else key = IsColored("mi") ? "mi" : "or";
  } else if (file.type == FileType::kSymlink) {
    key = "ln";
    if (is_broken && (colors_by_target() || IsColored("or"))) key = "or";
    else if (colors_by_target() && file.linked) key = KeyForMode(*file.linked);
  } else if (!file.has_attributes) {
    vfs::Attributes plain;
    plain.type = file.type;
    key = KeyForMode(plain);
  } else {
    key = KeyForMode(file.attributes);
  }
  if (key == "fi") {
    for (auto extension = extensions_.rbegin(); extension != extensions_.rend(); ++extension) {
      if (EndsWithIgnoringCase(name, extension->suffix)) return extension->code;
    }
  }
  const std::string_view code = Get(key);
  const bool is_given = std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) { return key == e.key && e.is_given; });
  if ((code.empty() && !is_given) || (key == "ln" && code == "target")) return std::nullopt;
  return code;
}

}  // namespace paddock::ls
