#include "commands/archive/ar_parts.h"

namespace paddock {
namespace {

bool NameMember(std::string_view field, std::string_view long_names, ArMember& member) {
  const auto digits = [](std::string_view text) {
    size_t value = 0;
    for (const char c : text.substr(0, 12)) {
      if (c < '0' || c > '9') break;
      value = value * 10 + static_cast<size_t>(c - '0');
    }
    return value;
  };
  if (field[0] == '/') {
    const size_t from = digits(field.substr(1));
    if (from >= long_names.size()) return false;
    const std::string_view rest = long_names.substr(from);
    std::string_view name = rest.substr(0, rest.find('\n'));
    if (name.ends_with('/')) name.remove_suffix(1);
    member.name = std::string(name);
  } else if (field.starts_with("#1/")) {
    const size_t size = std::min(digits(field.substr(3)), member.content().size());
    const std::string_view name = member.content().substr(0, size);
    member.name = std::string(name.substr(0, name.find('\0')));
    member.stored.remove_prefix(size);
    member.offset += size;
  } else {
    std::string_view name = field.substr(0, field.find('/'));
    while (name.ends_with(' ')) name.remove_suffix(1);
    member.name = std::string(name);
    const size_t last = field.find_last_not_of(' ');
    if (last != std::string_view::npos && last > 0 && field[last] == '/') member.field = std::string(field.substr(0, last + 1));
  }
  member.name.resize(std::min(member.name.find('\0'), member.name.size()));
  return true;
}

}  // namespace

ArParts ParseAr(std::string_view text, Budget& budget) {
  ArParts parts;
  const bool is_thin = text.starts_with(kArThinMagic);
  std::string_view long_names;
  for (size_t at = kArMagic.size(); at + kArHeaderBytes <= text.size();) {
    budget.Step(8);
    const std::string_view header = text.substr(at, kArHeaderBytes);
    if (header.substr(58) != "`\n") {
      parts.is_broken = true;
      return parts;
    }
    ArMember member;
    member.head = std::string(header.substr(16, 32));
    uint64_t size = 0;
    for (const char c : header.substr(48, 10)) {
      if (c < '0' || c > '9') break;
      size = size * 10 + static_cast<uint64_t>(c - '0');
    }
    member.header = at;
    at += kArHeaderBytes;
    const std::string_view field = header.substr(0, 16);
    const bool is_table = field.starts_with("//") || field.starts_with("/ ") || field.starts_with("/SYM64/") || field.starts_with("__.SYMDEF");
    member.told_size = size;
    if (is_thin && !is_table) size = 0;   // it is elsewhere
    member.is_cut = size > text.size() - at;
    parts.has_cut = parts.has_cut || member.is_cut;
    member.offset = at;
    member.stored = text.substr(at, static_cast<size_t>(std::min<uint64_t>(size, text.size())));
    at += member.content().size() + (size & 1);
    if (field.starts_with("//")) long_names = member.content();
    else if (is_table) continue;
    else if (NameMember(field, long_names, member)) parts.members.push_back(std::move(member));
    else {
      parts.is_broken = true;
      return parts;
    }
  }
  return parts;
}

}  // namespace paddock
