// tar's --owner-map and --group-map: lines "OLD NEW[:ID]", numbers with '+' in front.

#include <charconv>

#include "commands/archive/tar.h"
#include "commands/input_files.h"

namespace paddock::tar {
namespace {

// The words of a line; quotes and backslashes keep blanks together. Nothing when a quote stays open.
std::optional<std::vector<std::string>> Words(std::string_view line) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = '\0';
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\0' && (c == ' ' || c == '\t')) {
      is_in_word = false;
      continue;
    }
    if (quote == '\0' && c == '#' && !is_in_word) break;
    if (!is_in_word) words.emplace_back();
    is_in_word = true;
    if (quote != '\0' ? c == quote : c == '"' || c == '\'') quote = quote == '\0' ? c : '\0';
    else if (c == '\\' && quote != '\'' && i + 1 < line.size()) words.back() += line[++i];
    else words.back() += c;
  }
  if (quote != '\0') return std::nullopt;
  return words;
}

class Reader {
 public:
  Reader(Context& context, bool is_group) : c_(context), is_group_(is_group) {}

  Result<OwnerMap> Read(const std::string& name) {
    auto file = InputFile::OpenPath(c_.in, name);
    if (!file) return c_.Fatal(c_.Shown(name) + ": Cannot open: " + std::string(file.error().Text()));
    OwnerMap map;
    size_t number = 0;
    while (const auto line = file->input().ReadLine()) {
      where_ = c_.Shown(name) + ":" + std::to_string(++number) + ": ";
      const auto words = Words(line->text);
      if (!words) return c_.Fatal(where_ + "cannot split line: missing closing quote");
      if (words->empty()) continue;
      if (words->size() != 2) {
        Complain("malformed line");
        continue;
      }
      const auto old_id = (*words)[0].starts_with('+') ? Number((*words)[0].substr(1)) : Lookup((*words)[0]);
      const auto choice = old_id ? NewOwner((*words)[1]) : std::nullopt;
      if (choice) map.emplace(*old_id, *choice);
    }
    if (!file->input().status()) return c_.Fatal(c_.Shown(name) + ": Read error: " + std::string(file->input().status().error().Text()));
    if (has_failed_) return c_.Fatal("errors reading map file");
    return map;
  }

 private:
  void Complain(const std::string& what) {
    c_.Warn(where_ + what);
    has_failed_ = true;
  }
  std::optional<uint64_t> Number(const std::string& digits) {
    uint64_t value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (!digits.empty() && parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() && value <= UINT32_MAX) return value;
    Complain(std::string("invalid ") + (is_group_ ? "GID" : "UID") + ": " + digits);
    return std::nullopt;
  }
  std::optional<uint64_t> Lookup(const std::string& name) {
    if (is_group_) {
      if (const GroupRecord* group = c_.names.Group(name)) return group->gid;
    } else if (const UserRecord* user = c_.names.User(name)) {
      return user->uid;
    }
    Complain(std::string("can't obtain ") + (is_group_ ? "GID" : "UID") + " of " + name);
    return std::nullopt;
  }
  std::string NameOf(uint64_t id) {
    if (is_group_) {
      const GroupRecord* group = c_.names.Group(static_cast<uint32_t>(id));
      return group == nullptr ? std::string() : group->name;
    }
    const UserRecord* user = c_.names.User(static_cast<uint32_t>(id));
    return user == nullptr ? std::string() : user->name;
  }
  std::optional<OwnerChoice> NewOwner(const std::string& text) {
    OwnerChoice choice;
    const size_t colon = text.find(':');
    if (text.starts_with('+')) {
      choice.id = Number(text.substr(1));
      if (choice.id) choice.name = NameOf(*choice.id);
    } else {
      choice.name = text.substr(0, colon);
      choice.id = colon == std::string::npos ? Lookup(text) : Number(text.substr(colon + 1));
    }
    return choice.id ? std::optional(choice) : std::nullopt;
  }

  Context& c_;
  bool is_group_;
  bool has_failed_ = false;
  std::string where_;
};

}  // namespace

Result<OwnerMap> ReadOwnerMap(Context& context, const std::string& name, bool is_group) { return Reader(context, is_group).Read(name); }

}  // namespace paddock::tar
