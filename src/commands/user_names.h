// Users and groups by name and number, from /etc/passwd and /etc/group of the sandbox's own tree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"

namespace paddock {

struct UserRecord {
  std::string name;
  uint32_t uid = 0;
  uint32_t gid = 0;
  std::string full_name, home, shell;
};
struct GroupRecord {
  std::string name;
  uint32_t gid = 0;
  std::vector<std::string> members;
};

// Reads each file when it is first asked for and keeps it for the life of the object. A missing file is
// an empty one.
class UserNames {
 public:
  UserNames(vfs::FileSystem& fs, Budget& budget) : fs_(fs), budget_(budget) {}

  const UserRecord* User(uint32_t uid);
  const UserRecord* User(std::string_view name);
  const GroupRecord* Group(uint32_t gid);
  const GroupRecord* Group(std::string_view name);
  // The groups that list `user` as a member, in the file's order.
  std::vector<uint32_t> GroupsOf(std::string_view user);

  // The name, or the number in digits.
  std::string UserText(uint32_t uid);
  std::string GroupText(uint32_t gid);

 private:
  const std::vector<UserRecord>& Users();
  const std::vector<GroupRecord>& Groups();

  vfs::FileSystem& fs_;
  Budget& budget_;
  std::optional<std::vector<UserRecord>> users_;
  std::optional<std::vector<GroupRecord>> groups_;
};

}  // namespace paddock
