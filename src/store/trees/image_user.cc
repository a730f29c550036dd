#include "store/trees/image_user.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <vector>

#include "store/trees/content.h"
#include "store/trees/lookup.h"

namespace paddock::trees {
namespace {

constexpr uint64_t kMostBytes = 1 << 20;
constexpr size_t kLongestLine = 4096;
constexpr uint32_t kNobodysId = ~uint32_t{0};   // (uid_t) -1 means "none" to the kernel

// Decimal digits and nothing else.
std::optional<uint32_t> NumberOf(std::string_view text) {
  uint32_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size() || number == kNobodysId) return std::nullopt;
  return number;
}

bool IsAllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Visits the lines of a file as fields, until it is told to stop. A file that is absent, or none, has no lines.
Status ForEachLine(Store& store, const ObjectId& tree, const char* path, const std::function<bool(const std::vector<std::string_view>&)>& visit) {
  PADDOCK_ASSIGN(const std::optional<Entry> entry, FindByPath(store, tree, path));
  if (!entry || entry->type != vfs::FileType::kFile) return {};
  std::string text;
  while (text.size() < std::min(kMostBytes, entry->content.size)) {
    PADDOCK_ASSIGN(const Block block, ReadContent(store, entry->content, text.size(), static_cast<size_t>(kMostBytes - text.size())));
    if (block.bytes.empty()) break;
    text += block.bytes;
  }
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (line.size() > kLongestLine || line.starts_with('#')) continue;
    std::vector<std::string_view> fields;
    for (size_t from = 0; from <= line.size();) {
      const size_t colon = std::min(line.find(':', from), line.size());
      fields.push_back(line.substr(from, colon - from));
      from = colon + 1;
    }
    if (!visit(fields)) return {};
  }
  return {};
}

Error NotThere(const char* what, std::string_view name, const char* file) {
  return Error(Code::kNoEntry, std::string(what) + " '" + std::string(name.substr(0, 100)) + "' is not in the image's " + file);
}

}  // namespace

Result<ImageUser> FindImageUser(Store& store, const ObjectId& tree, std::string_view user) {
  const size_t colon = user.find(':');
  std::string_view name = user.substr(0, colon);
  const std::string_view group = colon == std::string_view::npos ? std::string_view() : user.substr(colon + 1);
  if (name.empty()) name = "0";
  const std::optional<uint32_t> number = NumberOf(name);
  if (!number && IsAllDigits(name)) return Error(Code::kInvalid, "user '" + std::string(name.substr(0, 100)) + "' is no number of a user's");
  std::optional<ImageUser> found;
  PADDOCK_TRY(ForEachLine(store, tree, "/etc/passwd", [&](const std::vector<std::string_view>& fields) {
    if (fields.size() < 4 || fields[0].empty()) return true;
    const auto uid = NumberOf(fields[2]), gid = NumberOf(fields[3]);
    if (!uid || !gid || (fields[0] != name && uid != number)) return true;
    found = ImageUser{.name = std::string(fields[0]), .uid = *uid, .gid = *gid};
    return false;
  }));
  if (!found && !number) return NotThere("user", name, "/etc/passwd");
  if (!found) found = ImageUser{.name = {}, .uid = *number, .gid = 0};
  if (group.empty()) return *found;
  const std::optional<uint32_t> group_number = NumberOf(group);
  if (group_number) {
    found->gid = *group_number;
    return *found;
  }
  if (IsAllDigits(group)) return Error(Code::kInvalid, "group '" + std::string(group.substr(0, 100)) + "' is no number of a group's");
  bool is_found = false;
  PADDOCK_TRY(ForEachLine(store, tree, "/etc/group", [&](const std::vector<std::string_view>& fields) {
    const auto gid = fields.size() < 3 ? std::nullopt : NumberOf(fields[2]);
    if (!gid || fields[0] != group) return true;
    found->gid = *gid;
    is_found = true;
    return false;
  }));
  if (!is_found) return NotThere("group", group, "/etc/group");
  return *found;
}

}  // namespace paddock::trees
