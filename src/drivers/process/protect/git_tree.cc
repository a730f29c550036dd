#include "drivers/process/protect/git_tree.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "drivers/process/protect/name_matcher.h"
#include "drivers/process/protect/safe_open.h"
#include "policy/context.h"

namespace paddock::process_wall {
namespace {

constexpr size_t kMaxPointer = 4200;

Error Unsafe(std::string_view why) { return Error(Code::kAccess, std::string(why)); }

std::string_view Parent(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view Last(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool Exists(int directory, const char* name, bool is_directory) {
  struct stat status {};
  if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  return is_directory ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode);
}

bool LooksLikeRepository(int directory) {
  return Exists(directory, "HEAD", false) && Exists(directory, "objects", true) && Exists(directory, "refs", true);
}

// The one line of a file, without its line feed.
Result<std::string> ReadLine(int directory, const char* name) {
  PADDOCK_ASSIGN(std::string line, ReadRegular(directory, name, kMaxPointer));
  if (line.ends_with('\n')) line.pop_back();
  if (line.find_first_of(std::string_view("\n\r\0", 3)) != std::string::npos) return Code::kSyntax;
  return line;
}

}  // namespace

bool IsRepository(std::string_view path, const std::vector<WalkEntry>& entries, bool is_in_store) {
  if (FoldCase(Last(path)) == ".git") return true;
  bool has_head = false;
  bool has_objects = false;
  bool has_refs = false;
  bool has_common = false;
  bool has_settings = false;
  for (const WalkEntry& entry : entries) {
    if (entry.name.size() < 4 || entry.name.size() > 9) continue;
    const std::string name = FoldCase(entry.name);
    has_head |= name == "head";
    has_objects |= name == "objects";
    has_refs |= name == "refs";
    has_common |= name == "commondir";
    has_settings |= name == "config" || name == "hooks";
  }
  // Half of one is enough: what is missing can be made later, by a step that nobody watches.
  if (has_settings && (has_head || is_in_store)) return true;
  return has_head && ((has_objects && has_refs) || has_common);
}

Result<std::string> ReadGitPointer(std::string_view content) {
  constexpr std::string_view kStart = "gitdir: ";
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (content.ends_with('\n')) content.remove_suffix(1);
  if (!content.starts_with(kStart) || content.size() > kMaxPointer) return Error(Code::kSyntax, "it is not of git's form");
  content.remove_prefix(kStart.size());
  if (content.empty() || std::any_of(content.begin(), content.end(), is_control)) return Error(Code::kSyntax, "it is not of git's form");
  return std::string(content);
}

Result<PointerTarget> CheckGitPointer(const std::string& workspace, const std::string& directory, std::string_view content) {
  const auto text = ReadGitPointer(content);
  if (!text) return Unsafe(text.error().Text());
  const std::string here = directory.empty() ? workspace : workspace + "/" + directory;
  auto target = policy::NormalPath(text->starts_with('/') ? *text : here + "/" + *text);
  if (!target) return Unsafe("its target is no path");
  const auto opened = OpenAbsolute(*target, O_RDONLY | O_DIRECTORY);
  if (!opened) return Unsafe("its target does not exist, or a link leads to it");
  struct stat status {};
  if (fstat(opened->get(), &status) != 0 || (status.st_uid != geteuid() && status.st_uid != 0)) {
    return Unsafe("its target belongs to somebody else");
  }
  PointerTarget result{.directory = *target, .common = {}};

  if (Last(Parent(*target)) == "worktrees" && Exists(opened->get(), "commondir", false)) {
    result.kind = PointerTarget::Kind::kWorktree;
    result.common = Parent(Parent(*target));
    const auto common = ReadLine(opened->get(), "commondir");
    if (!common || *common != "../..") return Unsafe("its target names an odd common directory");
    const auto back = ReadLine(opened->get(), "gitdir");
    if (!back) return Unsafe("its target does not point back");
    const auto back_path = policy::NormalPath(back->starts_with('/') ? *back : *target + "/" + *back);
    if (!back_path || *back_path != here + "/.git") return Unsafe("its target points back at another place");
    const auto repository = OpenAbsolute(result.common, O_RDONLY | O_DIRECTORY);
    if (!repository || !LooksLikeRepository(repository->get())) return Unsafe("its target belongs to no repository");
    return result;
  }
  const bool is_inside = policy::IsWithin(*target, workspace);
  if (is_inside && target->find("/.git/modules/", workspace.size()) != std::string::npos && LooksLikeRepository(opened->get())) {
    result.kind = PointerTarget::Kind::kSubmodule;
    return result;
  }
  return Unsafe("it points where git puts neither worktrees nor submodules of this tree");
}

}  // namespace paddock::process_wall
