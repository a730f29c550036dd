#include "commands/user_names.h"

#include <algorithm>
#include <charconv>

namespace paddock {
namespace {

constexpr uint64_t kLargestFile = 16 << 20;

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool ParseId(std::string_view text, uint32_t& id) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

const std::vector<UserRecord>& UserNames::Users() {
  if (users_) return *users_;
  users_.emplace();
  const auto content = vfs::ReadFile(fs_, "/etc/passwd", kLargestFile);
  if (!content) return *users_;
  for (const std::string_view line : Split(*content, '\n')) {
    budget_.Step();
    const auto fields = Split(line, ':');
    UserRecord user;
    if (fields.size() < 7 || !ParseId(fields[2], user.uid) || !ParseId(fields[3], user.gid)) continue;
    user.name = fields[0];
    user.full_name = fields[4];
    user.home = fields[5];
    user.shell = fields[6];
    users_->push_back(std::move(user));
  }
  return *users_;
}

const std::vector<GroupRecord>& UserNames::Groups() {
  if (groups_) return *groups_;
  groups_.emplace();
  const auto content = vfs::ReadFile(fs_, "/etc/group", kLargestFile);
  if (!content) return *groups_;
  for (const std::string_view line : Split(*content, '\n')) {
    budget_.Step();
    const auto fields = Split(line, ':');
    GroupRecord group;
    if (fields.size() < 4 || !ParseId(fields[2], group.gid)) continue;
    group.name = fields[0];
    for (const std::string_view member : Split(fields[3], ',')) {
      if (!member.empty()) group.members.emplace_back(member);
    }
    groups_->push_back(std::move(group));
  }
  return *groups_;
}

const UserRecord* UserNames::User(uint32_t uid) {
  const auto& users = Users();
  const auto found = std::find_if(users.begin(), users.end(), [uid](const auto& u) { return u.uid == uid; });
  return found == users.end() ? nullptr : &*found;
}

const UserRecord* UserNames::User(std::string_view name) {
  const auto& users = Users();
  const auto found = std::find_if(users.begin(), users.end(), [name](const auto& u) { return u.name == name; });
  return found == users.end() ? nullptr : &*found;
}

const GroupRecord* UserNames::Group(uint32_t gid) {
  const auto& groups = Groups();
  const auto found = std::find_if(groups.begin(), groups.end(), [gid](const auto& g) { return g.gid == gid; });
  return found == groups.end() ? nullptr : &*found;
}

const GroupRecord* UserNames::Group(std::string_view name) {
  const auto& groups = Groups();
  const auto found =
      std::find_if(groups.begin(), groups.end(), [name](const auto& g) { return g.name == name; });
  return found == groups.end() ? nullptr : &*found;
}

std::vector<uint32_t> UserNames::GroupsOf(std::string_view user) {
  std::vector<uint32_t> ids;
  for (const GroupRecord& group : Groups()) {
    if (std::find(group.members.begin(), group.members.end(), user) != group.members.end()) {
      ids.push_back(group.gid);
    }
  }
  return ids;
}

std::string UserNames::UserText(uint32_t uid) {
  const UserRecord* user = User(uid);
  return user == nullptr ? std::to_string(uid) : user->name;
}

std::string UserNames::GroupText(uint32_t gid) {
  const GroupRecord* group = Group(gid);
  return group == nullptr ? std::to_string(gid) : group->name;
}

}  // namespace paddock
