#include "overlay/store.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "overlay/beneath.h"
#include "overlay/fields.h"
#include "policy/context.h"
#include "text/digest.h"

namespace paddock::overlay {
namespace {

constexpr const char* kAbout = "about";
constexpr const char* kFormat = "paddock-overlay 1";
constexpr size_t kLongestAbout = 1 << 20;
// How long a wall whose driver was killed may take to end.
constexpr int kWallEndMs = 5000;

Error Failure(const std::string& what) {
  const int code = errno;
  return Error(static_cast<Code>(code), what + ": " + std::strerror(code));
}

std::chrono::nanoseconds WallClock() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

std::string IdOf(const std::string& workspace, const std::string& name) {
  return HexOf(DigestOf(DigestAlgorithm::kSha256, workspace + '\0' + name)).substr(0, 20);
}

// When a process started, in ticks since boot; 0 if there is no such process.
uint64_t StartTime(pid_t process) {
  const Descriptor directory(open(("/proc/" + std::to_string(process)).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open()) return 0;
  const auto text = ReadSmallFile(directory.get(), "stat", 4096);
  if (!text) return 0;
  // The second field is a name in parentheses, of any characters.
  const size_t end = text->rfind(')');
  if (end == std::string::npos || end + 2 > text->size()) return 0;
  const auto words = SplitWords(std::string_view(*text).substr(end + 2));
  return words.size() > 19 ? ParseNumber(words[19]).value_or(0) : 0;
}

// Makes each directory of an absolute path that is missing, for the caller alone.
Status MakeDirectories(const std::string& path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return Failure("make " + part);
    if (slash == std::string::npos) return {};
  }
}

std::string Encode(const OverlayInfo& info) {
  const auto line = [](const char* name, const std::string& value) { return std::string(name) + " " + EscapeWord(value) + "\n"; };
  const auto number = [](const char* name, uint64_t value) { return std::string(name) + " " + std::to_string(value) + "\n"; };
  std::string names;
  for (const std::string& name : info.protected_names) names += line("protected", name);
  return std::string(kFormat) + "\n" + names + line("workspace", info.workspace) + line("name", info.name) + line("policy", info.policy) +
         number("created", static_cast<uint64_t>(info.created.count())) + number("device", info.device) + number("inode", info.inode) +
         number("owner", info.owner) + number("group", info.group) + number("run-began", static_cast<uint64_t>(info.run_began.count())) +
         number("wall", static_cast<uint64_t>(info.wall)) + number("wall-started", info.wall_started);
}

Result<OverlayInfo> Decode(const std::string& text) {
  OverlayInfo info;
  const Error damaged(Code::kInvalid, "the overlay's 'about' file is damaged");
  size_t at = text.find('\n');
  if (at == std::string::npos || text.compare(0, at, kFormat) != 0) return damaged;
  for (++at; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) return damaged;
    const auto words = SplitWords(std::string_view(text).substr(at, end - at));
    at = end + 1;
    if (words.size() != 2) return damaged;
    const auto word = UnescapeWord(words[1]);
    const auto number = ParseNumber(words[1]);
    const auto set_text = [&](std::string& field) { return word ? (field = *word, true) : false; };
    const auto set_number = [&](auto& field) {
      if (number) field = std::decay_t<decltype(field)>(*number);
      return number.has_value();
    };
    bool is_good = false;
    if (words[0] == "workspace") is_good = set_text(info.workspace);
    else if (words[0] == "name") is_good = set_text(info.name);
    else if (words[0] == "policy") is_good = set_text(info.policy);
    else if (words[0] == "protected") is_good = word && (info.protected_names.push_back(*word), true);
    else if (words[0] == "created") is_good = set_number(info.created);
    else if (words[0] == "device") is_good = set_number(info.device);
    else if (words[0] == "inode") is_good = set_number(info.inode);
    else if (words[0] == "owner") is_good = set_number(info.owner);
    else if (words[0] == "group") is_good = set_number(info.group);
    else if (words[0] == "run-began") is_good = set_number(info.run_began);
    else if (words[0] == "wall") is_good = set_number(info.wall);
    else if (words[0] == "wall-started") is_good = set_number(info.wall_started);
    if (!is_good) return damaged;
  }
  if (!info.workspace.starts_with('/') || !CheckName(info.name)) return damaged;
  return info;
}

// The lock of an overlay; not open if somebody else has it.
Result<Descriptor> TakeLock(int directory) {
  Descriptor lock(openat(directory, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock.is_open()) return Failure("open the overlay's lock");
  if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return Failure("lock the overlay");
    return Descriptor();
  }
  // For the message that others get.
  const std::string owner = std::to_string(getpid()) + "\n";
  if (ftruncate(lock.get(), 0) != 0 || pwrite(lock.get(), owner.data(), owner.size(), 0) < 0) return Failure("write the overlay's lock");
  return lock;
}

Error Busy(int directory, const std::string& workspace) {
  const auto owner = ReadSmallFile(directory, "lock", 64);
  const std::string who = owner && ParseNumber(owner->substr(0, owner->find('\n'))) ? " (process " + owner->substr(0, owner->find('\n')) + ")" : "";
  return Error(Code::kBusy, "the overlay of " + Shown(workspace) + " is in use by another run" + who +
                                "; wait for it, or keep changes in an overlay of another name with --overlay-name");
}

// A wall that outlived its driver may still have the tree mounted.
Status WaitForWall(const OverlayInfo& info) {
  if (info.wall <= 0 || StartTime(info.wall) != info.wall_started || info.wall_started == 0) return {};
  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, info.wall, 0)));
  if (!process.is_open()) return {};
  pollfd watched{process.get(), POLLIN, 0};
  if (poll(&watched, 1, kWallEndMs) > 0) return {};
  return Error(Code::kBusy, "the overlay of " + Shown(info.workspace) + " is still mounted by process " + std::to_string(info.wall));
}

}  // namespace

std::string PrivateDirectory(const std::string& state) { return state + "/paddock"; }

Status CheckName(std::string_view name) {
  const auto is_good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  if (name.empty() || name.size() > 64 || name.front() == '.' || !std::all_of(name.begin(), name.end(), is_good)) {
    return Error(Code::kInvalid, "bad overlay name " + Shown(name) + "; use up to 64 letters, digits, '.', '_' and '-'");
  }
  return {};
}

Overlay::Overlay(OverlayInfo info, std::string directory, Descriptor here, Descriptor lock)
    : info_(std::move(info)), directory_(std::move(directory)), here_(std::move(here)), lock_(std::move(lock)) {}

Result<Descriptor> Overlay::OpenUpper() const { return OpenBeneath(here_.get(), "tree/upper", O_RDONLY | O_DIRECTORY); }

Result<Descriptor> Overlay::OpenWorkspace() const {
  Descriptor workspace(open(info_.workspace.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!workspace.is_open()) return Failure("workspace " + Shown(info_.workspace));
  return workspace;
}

Result<bool> Overlay::IsSameWorkspace() const {
  PADDOCK_ASSIGN(const Descriptor workspace, OpenWorkspace());
  PADDOCK_ASSIGN(const FileFacts facts, FactsOf(workspace.get(), info_.workspace));
  // Device numbers change with a restart of the host.
  return facts.inode == info_.inode;
}

Status Overlay::Save() const { return ReplaceSmallFile(here_.get(), kAbout, Encode(info_)); }

Status Overlay::BeginRun(std::string policy, std::vector<std::string> protected_names, std::chrono::nanoseconds now) {
  info_.policy = std::move(policy);
  info_.protected_names = std::move(protected_names);
  info_.run_began = now;
  info_.wall = 0;
  info_.wall_started = 0;
  return Save();
}

Status Overlay::NoteWall(pid_t wall) {
  info_.wall = wall;
  info_.wall_started = StartTime(wall);
  return Save();
}

Status Overlay::EndRun() {
  info_.run_began = std::chrono::nanoseconds(0);
  return Save();
}

Result<Store> Store::Open(const std::string& state) {
  if (!state.starts_with('/')) return Error(Code::kInvalid, "the state directory " + Shown(state) + " is no absolute path");
  const std::string path = PrivateDirectory(state) + "/overlays";
  PADDOCK_TRY(MakeDirectories(path));
  Descriptor here(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!here.is_open()) return Failure(path);
  PADDOCK_ASSIGN(const FileFacts facts, FactsOf(here.get(), path));
  if (facts.uid != geteuid() || (facts.mode & 022) != 0) {
    return Error(Code::kAccess, path + " belongs to somebody else or can be written by others; set XDG_STATE_HOME to a directory of your own");
  }
  return Store(path, std::move(here));
}

Result<Overlay> Store::Load(const std::string& id, Descriptor lock) const {
  PADDOCK_ASSIGN(Descriptor here, OpenBeneath(here_.get(), id, O_RDONLY | O_DIRECTORY));
  PADDOCK_ASSIGN(const std::string text, ReadSmallFile(here.get(), kAbout, kLongestAbout));
  PADDOCK_ASSIGN(OverlayInfo info, Decode(text));
  info.id = id;
  return Overlay(std::move(info), path_ + "/" + id, std::move(here), std::move(lock));
}

Result<Overlay> Store::Make(const OverlayInfo& info) const {
  // Complete before it has its name, so that a killed run leaves nothing half made under it.
  const std::string temporary = ".new-" + info.id + "-" + std::to_string(getpid());
  if (mkdirat(here_.get(), temporary.c_str(), 0700) != 0) return Failure("make an overlay");
  {
    PADDOCK_ASSIGN(const Descriptor here, OpenBeneath(here_.get(), temporary, O_RDONLY | O_DIRECTORY));
    for (const char* name : {"tree", "tree/upper", "tree/work"}) {
      if (mkdirat(here.get(), name, 0755) != 0) return Failure("make an overlay");
      if (geteuid() == 0 && fchownat(here.get(), name, info.owner, info.group, AT_SYMLINK_NOFOLLOW) != 0) return Failure("make an overlay");
    }
    struct stat workspace {};
    if (stat(info.workspace.c_str(), &workspace) != 0) return Failure(info.workspace);
    // The mount shows the upper's own mode at the top.
    if (fchmodat(here.get(), "tree", 0711, 0) != 0 || fchmodat(here.get(), "tree/upper", workspace.st_mode & 0777, 0) != 0) return Failure("make an overlay");
    PADDOCK_TRY(ReplaceSmallFile(here.get(), kAbout, Encode(info)));
  }
  if (renameat2(here_.get(), temporary.c_str(), here_.get(), info.id.c_str(), RENAME_NOREPLACE) != 0 && errno != EEXIST) return Failure("make an overlay");
  const Status left = RemoveTree(here_.get(), temporary);
  (void)left;   // gone unless another run was faster
  return Load(info.id, {});
}

Result<Overlay> Store::Begin(const std::string& workspace, const std::string& name) const {
  PADDOCK_TRY(CheckName(name));
  if (policy::IsWithin(path_, workspace) || policy::IsWithin(workspace, path_)) {
    return Error(Code::kInvalid, "the workspace " + Shown(workspace) + " holds the overlays themselves (" + path_ +
                                     "); choose a smaller one, or set XDG_STATE_HOME to a place outside");
  }
  // A discarded overlay may go away between the steps; then a new one is made.
  for (int attempt = 0; attempt < 10; ++attempt) {
    PADDOCK_ASSIGN(std::optional<Overlay> found, Find(workspace, name, Access::kChange));
    if (found) {
      PADDOCK_ASSIGN(const bool is_same, found->IsSameWorkspace());
      if (!is_same) {
        return Error(Code::kInvalid, "another directory stands at " + Shown(workspace) + " than when its overlay began; see 'paddock diff', then " +
                                         "'paddock apply' or 'paddock discard', or take another --overlay-name");
      }
      return std::move(*found);
    }
    OverlayInfo info{.id = IdOf(workspace, name), .workspace = workspace, .name = name, .created = WallClock()};
    struct stat status {};
    if (stat(workspace.c_str(), &status) != 0) return Failure("workspace " + Shown(workspace));
    info.device = status.st_dev;
    info.inode = status.st_ino;
    info.owner = status.st_uid;
    info.group = status.st_gid;
    PADDOCK_TRY(Make(info));
  }
  return Error(Code::kBusy, "the overlay of " + Shown(workspace) + " is being thrown away again and again");
}

Result<std::optional<Overlay>> Store::Find(const std::string& workspace, const std::string& name, Access access) const {
  PADDOCK_TRY(CheckName(name));
  const std::string id = IdOf(workspace, name);
  const auto here = OpenBeneath(here_.get(), id, O_RDONLY | O_DIRECTORY);
  if (!here && here.error().code == Code::kNoEntry) return std::optional<Overlay>();
  if (!here) return here.error();
  PADDOCK_ASSIGN(Descriptor lock, TakeLock(here->get()));
  if (!lock.is_open() && access == Access::kChange) return Busy(here->get(), workspace);
  // It may have been thrown away before the lock was ours.
  PADDOCK_ASSIGN(const FileFacts ours, FactsOf(here->get(), id));
  PADDOCK_ASSIGN(const FileFacts named, FactsAt(here_.get(), id));
  if (named.inode != ours.inode || !named.exists()) return std::optional<Overlay>();
  PADDOCK_ASSIGN(Overlay overlay, Load(id, std::move(lock)));
  if (overlay.info().workspace != workspace) return Error(Code::kInvalid, "the overlay " + id + " belongs to another workspace");
  if (overlay.is_locked()) PADDOCK_TRY(WaitForWall(overlay.info()));
  return std::optional<Overlay>(std::move(overlay));
}

Result<std::vector<OverlayInfo>> Store::List() const {
  PADDOCK_ASSIGN(const std::vector<std::string> names, NamesIn(here_.get(), "", 100'000));
  std::vector<OverlayInfo> all;
  for (const std::string& id : names) {
    if (id.starts_with('.')) continue;
    const auto overlay = Load(id, {});
    if (overlay) all.push_back(overlay->info());
  }
  std::sort(all.begin(), all.end(), [](const OverlayInfo& a, const OverlayInfo& b) {
    return a.workspace != b.workspace ? a.workspace < b.workspace : a.name < b.name;
  });
  return all;
}

Status Store::Remove(Overlay overlay) const {
  PADDOCK_CHECK(overlay.is_locked());
  const std::string aside = ".old-" + overlay.info().id + "-" + std::to_string(getpid());
  if (renameat2(here_.get(), overlay.info().id.c_str(), here_.get(), aside.c_str(), RENAME_NOREPLACE) != 0) return Failure("discard the overlay");
  return RemoveTree(here_.get(), aside);
}

}  // namespace paddock::overlay
