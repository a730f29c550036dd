#include "drivers/process/cgroup_trees.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "base/descriptor.h"

namespace paddock::process_wall {
namespace {

constexpr std::array<const char*, 3> kControllers{"memory", "pids", "cpu"};   // what limits need, in order of weight

std::string ReadWholeFile(const std::string& path) {
  std::string text;
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 16 << 10> block;
  for (ssize_t got = 0; file.is_open() && (got = read(file.get(), block.data(), block.size())) > 0;) text.append(block.data(), static_cast<size_t>(got));
  return text;
}

bool WriteWhole(const std::string& path, const std::string& text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.is_open() && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool HasWord(const std::string& list, const std::string& word) {
  std::istringstream words(list);
  for (std::string item; words >> item;) {
    if (item == word) return true;
  }
  return false;
}

// Calls `visit` with each line.
template <class Visit>
void ForEachLine(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// The space-separated field `index` of a line.
std::string_view Field(std::string_view line, size_t index) {
  for (; index > 0; --index) line.remove_prefix(std::min(line.find(' '), line.size() - 1) + 1);
  return line.substr(0, line.find(' '));
}

// The first controller of a comma-separated list is one of the mount's options.
bool IsMountedWith(std::string options, const std::string& controllers) {
  std::replace(options.begin(), options.end(), ',', ' ');
  return HasWord(options, controllers.substr(0, controllers.find(',')));
}

// systemd's mark of a group whose inside is left to who runs there.
bool IsDelegated(const std::string& group) {
  char mark = 0;
  return (getxattr(group.c_str(), "user.delegate", &mark, 1) == 1 && mark == '1') || (getxattr(group.c_str(), "trusted.delegate", &mark, 1) == 1 && mark == '1');
}

// Groups can be made in it and processes moved between them.
bool IsWritable(const std::string& group) { return access(group.c_str(), W_OK) == 0 && access((group + "/cgroup.procs").c_str(), W_OK) == 0; }

// Processes that begin meanwhile are in the next round.
void MoveMembersDown(const std::string& group) {
  constexpr int kMostRounds = 5;
  const std::string below = group + "/paddock-members";
  mkdir(below.c_str(), 0755);
  for (int round = 0; round < kMostRounds; ++round) {
    const std::string members = ReadWholeFile(group + "/cgroup.procs");
    if (members.empty()) return;
    ForEachLine(members, [&](std::string_view process) { WriteWhole(below + "/cgroup.procs", std::string(process)); });
  }
}

// Lets groups below have what they need of the controllers. False: no memory or pids there, or processes are in the way.
bool GivesControllers(const std::string& group, bool may_move_members) {
  const std::string available = ReadWholeFile(group + "/cgroup.controllers"), given = ReadWholeFile(group + "/cgroup.subtree_control");
  if (!HasWord(available, "memory") || !HasWord(available, "pids")) return false;
  std::string wanted;
  for (const char* controller : kControllers) {
    if (HasWord(available, controller) && !HasWord(given, controller)) wanted += (wanted.empty() ? "+" : " +") + std::string(controller);
  }
  const std::string switches = group + "/cgroup.subtree_control";
  if (wanted.empty() || WriteWhole(switches, wanted)) return true;
  if (!may_move_members) return false;
  MoveMembersDown(group);
  return WriteWhole(switches, wanted);
}

}  // namespace

std::string SettleInTree(const std::string& mount_point, const std::string& own) {
  const bool is_writable = IsWritable(own);
  if (is_writable && GivesControllers(own, IsDelegated(own) || own == mount_point)) return own;
  for (std::string above = own; above.size() > mount_point.size();) {
    above.resize(above.rfind('/'));
    if (IsWritable(above) && GivesControllers(above, false)) return above;
  }
  if (is_writable) GivesControllers(own, true);
  return own;
}

std::vector<CgroupTree> FindCgroups() {
  std::vector<CgroupTree> found;
  const std::string groups = ReadWholeFile("/proc/self/cgroup"), mounts = ReadWholeFile("/proc/self/mountinfo");
  ForEachLine(mounts, [&](std::string_view line) {
    const size_t dash = line.find(" - cgroup");
    if (dash == std::string_view::npos) return;
    const std::string_view right = line.substr(dash + 3), root = Field(line, 3), mount_point = Field(line, 4);
    const bool is_v2 = Field(right, 0) == "cgroup2";
    const std::string options(Field(right, 2));
    ForEachLine(groups, [&](std::string_view group) {
      const size_t first = group.find(':'), second = group.find(':', first + 1);
      if (second == std::string_view::npos) return;
      const std::string controllers(group.substr(first + 1, second - first - 1));
      if (is_v2 ? !controllers.empty() : controllers.empty() || !IsMountedWith(options, controllers)) return;
      if (controllers.starts_with("name=")) return;
      std::string_view below = group.substr(second + 1);
      if (root != "/" && below.starts_with(root)) below.remove_prefix(root.size());
      if (below.starts_with("/..")) return;   // a group outside of what is mounted
      const std::string own = std::string(mount_point) + (below == "/" ? "" : std::string(below));
      found.push_back({controllers, is_v2 ? SettleInTree(std::string(mount_point), own) : own});
    });
  });
  return found;
}

}  // namespace paddock::process_wall
