#include "drivers/process/wall/file_tree.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "drivers/process/wall/mount_calls.h"

namespace paddock::process_wall {
namespace {

Error Failure(std::string_view what, std::string_view name) { return MountFailure(what, name); }

int OpenBeneath(int directory, const char* path, uint64_t flags) {
  open_how how{};
  how.flags = flags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, directory, path, &how, sizeof how));
}

}  // namespace

Status FileTree::Begin() {
  umask(0);   // modes are as they are named
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return Failure("make private", "/");
  const char* base = nullptr;
  // What lies below is out of sight from here on, and a user's wall opens more of the host's directories later: none of them is in /proc/fs.
  for (const char* candidate : {"/proc/fs", "/mnt", "/run", "/tmp", "/var"}) {
    if (mount("paddock", candidate, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=16m,nr_inodes=16k") == 0) {
      base = candidate;
      break;
    }
  }
  if (base == nullptr) return Failure("mount", "a tmpfs as the new root");
  // Scratch lies outside the new root and goes with the host's tree: each unmount waits for a grace period of the kernel's, so
  // there is only one, at the end.
  scratch_.Reset(open(base, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!scratch_.is_open()) return Failure("open", base);
  PADDOCK_TRY(FreezeScratch());
  if (mkdirat(scratch_.get(), "skeleton", 0755) != 0) return Failure("make directory", "skeleton");
  PADDOCK_ASSIGN(const Descriptor skeleton, CloneOwn(scratch_.get(), "skeleton", Reach::kOne, "skeleton"));
  return BecomeRoot(skeleton.get(), "tree");
}

Status FileTree::Add(const std::vector<MountStep>& steps, std::vector<MountSource> sources) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (Status applied = Apply(steps[i], sources[i]); !applied) {
      return Error(applied.error().code, "at " + steps[i].target + ": " + std::string(applied.error().Text()));
    }
    sources[i] = {};
  }
  return {};
}

// Clones of what lies in scratch are read-only, and need no call that makes them so.
Status FileTree::FreezeScratch() {
  PADDOCK_ASSIGN(const Descriptor mount, CloneMount(scratch_.get(), "", Reach::kOne, kAlways | MOUNT_ATTR_RDONLY, "scratch"));
  if (mkdirat(scratch_.get(), "frozen", 0700) != 0) return Failure("make directory", "frozen");
  if (move_mount(mount.get(), "", scratch_.get(), "frozen", MOVE_MOUNT_F_EMPTY_PATH) != 0) return Failure("mount", "frozen");
  frozen_.Reset(openat(scratch_.get(), "frozen", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return frozen_.is_open() ? Status() : Status(Failure("open", "frozen"));
}

Status FileTree::Apply(const MountStep& step, MountSource& source) {
  switch (step.kind) {
    case MountStep::Kind::kTmpfs: return MountTmpfs(step);
    case MountStep::Kind::kBind: return !source.mount ? Status() : MountBind(step, source);
    case MountStep::Kind::kOverlay: return !source.mount ? Status() : MountOverlay(step, source);
    case MountStep::Kind::kSymlink: return MakeSymlink(step);
    case MountStep::Kind::kFile: return MakeFile(step);
    case MountStep::Kind::kDirectory: {
      auto made = OpenTarget(step.target, true, true);
      return made ? Status() : Status(made.error());
    }
    case MountStep::Kind::kMask: return Mask(step);
    case MountStep::Kind::kReadOnly: return ProtectInPlace(step, true);
    case MountStep::Kind::kPin: return ProtectInPlace(step, false);
    case MountStep::Kind::kProc: return MountProc(step);
    case MountStep::Kind::kDevices: return MakeDevices(step);
  }
  return Error(Code::kInvalid, "unknown step");
}

Result<Descriptor> FileTree::OpenParent(std::string_view path, bool makes, std::string& name) {
  while (!path.empty() && path.front() == '/') path.remove_prefix(1);
  while (!path.empty() && path.back() == '/') path.remove_suffix(1);
  Descriptor at(fcntl(root_.get(), F_DUPFD_CLOEXEC, 3));
  while (true) {
    const size_t slash = path.find('/');
    name = path.substr(0, slash);
    if (name.empty() && slash == std::string_view::npos) {
      name = ".";
      return at;
    }
    if (name == "." || name == ".." || name.empty()) return Error(Code::kInvalid, "odd path");
    if (slash == std::string_view::npos) return at;
    path.remove_prefix(slash + 1);
    int next = OpenBeneath(at.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (next < 0 && errno == ENOENT && makes) {
      if (mkdirat(at.get(), name.c_str(), 0755) != 0 && errno != EEXIST) return Failure("make directory", name);
      next = OpenBeneath(at.get(), name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    if (next < 0) return Failure("open", name);
    at.Reset(next);
  }
}

Result<Descriptor> FileTree::OpenTarget(std::string_view path, bool makes, bool is_directory) {
  // Most targets exist; then the kernel walks the path in one call.
  std::string relative(path.substr(std::min(path.find_first_not_of('/'), path.size())));
  if (relative.empty()) relative = ".";
  Descriptor direct(OpenBeneath(root_.get(), relative.c_str(), O_PATH | O_CLOEXEC));
  if (direct.is_open()) return direct;
  if (!makes || errno != ENOENT) return Failure("open", path);
  std::string name;
  PADDOCK_ASSIGN(const Descriptor parent, OpenParent(path, makes, name));
  if (is_directory) {
    if (mkdirat(parent.get(), name.c_str(), 0755) != 0) return Failure("make directory", name);
  } else {
    if (mknodat(parent.get(), name.c_str(), S_IFREG | 0444, 0) != 0) return Failure("make file", name);
  }
  Descriptor target(OpenBeneath(parent.get(), name.c_str(), O_PATH | O_CLOEXEC));
  if (!target.is_open()) return Failure("open", name);
  return target;
}

Status FileTree::Attach(int mount, std::string_view target, bool is_directory) {
  PADDOCK_ASSIGN(const Descriptor at, OpenTarget(target, true, is_directory));
  if (move_mount(mount, "", at.get(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) {
    return Failure("mount at", target);
  }
  return {};
}

Result<Descriptor> FileTree::NewTmpfs(uint64_t size, uint32_t mode, bool is_readonly) {
  const Descriptor context(fsopen("tmpfs", FSOPEN_CLOEXEC));
  if (!context.is_open()) return Failure("open", "tmpfs");
  std::array<char, 32> mode_text{};
  std::snprintf(mode_text.data(), mode_text.size(), "%o", mode);
  const std::string inodes = std::to_string(std::max<uint64_t>(size / 2048, 16));
  if (fsconfig(context.get(), FSCONFIG_SET_STRING, "size", std::to_string(size).c_str(), 0) != 0 ||
      fsconfig(context.get(), FSCONFIG_SET_STRING, "nr_inodes", inodes.c_str(), 0) != 0 ||
      fsconfig(context.get(), FSCONFIG_SET_STRING, "mode", mode_text.data(), 0) != 0 ||
      fsconfig(context.get(), FSCONFIG_SET_STRING, "source", "paddock", 0) != 0 ||
      fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return Failure("set up", "tmpfs");
  }
  Descriptor mount(fsmount(context.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(kAlways | (is_readonly ? MOUNT_ATTR_RDONLY : 0))));
  if (!mount.is_open()) return Failure("mount", "tmpfs");
  return mount;
}

// All private places share one tmpfs, and with it one bound on what they take of the memory.
Status FileTree::MountTmpfs(const MountStep& step) {
  if (!private_.is_open()) {
    PADDOCK_ASSIGN(const Descriptor mount, NewTmpfs(step.size, 0700, false));
    if (mkdirat(scratch_.get(), "private", 0700) != 0) return Failure("make", "private");
    if (move_mount(mount.get(), "", scratch_.get(), "private", MOVE_MOUNT_F_EMPTY_PATH) != 0) return Failure("mount", "private");
    private_.Reset(openat(scratch_.get(), "private", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!private_.is_open()) return Failure("open", "private");
    PADDOCK_TRY(NoteOwn(private_.get()));
  }
  const std::string name = std::to_string(scratch_count_++);
  if (mkdirat(private_.get(), name.c_str(), step.mode) != 0) return Failure("make", step.target);
  PADDOCK_ASSIGN(const Descriptor mount, CloneOwn(private_.get(), name.c_str(), Reach::kOne, step.target));
  return Attach(mount.get(), step.target, true);
}

Status FileTree::MountBind(const MountStep& step, MountSource& source) {
  if (step.target != "/") {
    // What the host has unmounted and removed meanwhile, and mounts below what the host has covered with another one, have no place.
    if (step.owners == MountStep::Owners::kMappedAlike && !OpenTarget(step.target, false, source.is_directory)) return {};
    return Attach(source.mount.get(), step.target, source.is_directory);
  }
  has_own_root_ = true;
  return BecomeRoot(source.mount.get(), "root");
}

Status FileTree::MountOverlay(const MountStep& step, MountSource& source) {
  if (!source.upper.is_open()) {
    PADDOCK_ASSIGN(source.upper, NewTmpfs(step.size, 0755, false));
    for (const char* name : {"upper", "work"}) {
      if (mkdirat(source.upper.get(), name, 0755) != 0) return Failure("make directory", name);
    }
  }
  const std::string number = std::to_string(scratch_count_++);
  const std::string lower = "l" + number, upper = "u" + number, merged = "m" + number;
  for (const std::string& name : {lower, upper, merged}) {
    if (mkdirat(scratch_.get(), name.c_str(), 0755) != 0) return Failure("make directory", name);
  }
  const auto attach = [&](int mount, const std::string& name) -> Status {
    if (move_mount(mount, "", scratch_.get(), name.c_str(), MOVE_MOUNT_F_EMPTY_PATH) != 0) return Failure("mount", name);
    return {};
  };
  PADDOCK_TRY(attach(source.mount.get(), lower));
  PADDOCK_TRY(attach(source.upper.get(), upper));
  if (fchdir(scratch_.get()) != 0) return Failure("enter", "the scratch directory");
  const std::string data = "userxattr,lowerdir=" + lower + ",upperdir=" + upper + "/upper,workdir=" + upper + "/work";
  if (::mount("paddock", merged.c_str(), "overlay", MS_NOSUID | MS_NODEV, data.c_str()) != 0) return Failure("overlay", step.target);
  PADDOCK_ASSIGN(const Descriptor mount, CloneOwn(scratch_.get(), merged.c_str(), Reach::kOne, step.target));
  PADDOCK_TRY(NoteOwn(mount.get()));
  if (step.target != "/") return Attach(mount.get(), step.target, true);
  has_own_root_ = true;
  return BecomeRoot(mount.get(), "root");
}

Status FileTree::NoteOwn(int directory) {
  struct stat status{};
  if (fstat(directory, &status) != 0) return Failure("look at", "a file system");
  own_devices_.push_back(major(status.st_dev) << 20 | minor(status.st_dev));
  return {};
}

Status FileTree::MakeSymlink(const MountStep& step) {
  std::string name;
  PADDOCK_ASSIGN(const Descriptor parent, OpenParent(step.target, true, name));
  if (symlinkat(step.extra.c_str(), parent.get(), name.c_str()) != 0 && errno != EEXIST) return Failure("link", name);
  return {};
}

Status FileTree::MakeFile(const MountStep& step) {
  std::string name = "f" + std::to_string(scratch_count_++);
  Descriptor parent;
  if (step.writable) {
    PADDOCK_ASSIGN(parent, OpenParent(step.target, true, name));
  }
  {
    const int directory = step.writable ? parent.get() : scratch_.get();
    const Descriptor file(openat(directory, name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, step.mode));
    if (!file.is_open()) return Failure("make file", name);
    for (size_t at = 0; at < step.extra.size();) {
      const ssize_t written = write(file.get(), step.extra.data() + at, step.extra.size() - at);
      if (written <= 0) return Failure("write", step.target);
      at += static_cast<size_t>(written);
    }
  }
  if (step.writable) return {};
  PADDOCK_ASSIGN(const Descriptor mount, CloneOwn(frozen_.get(), name.c_str(), Reach::kOne, step.target));
  const Status attached = Attach(mount.get(), step.target, false);
  if (!attached && step.optional) return {};
  return attached;
}

// What masks are cloned from, which must itself be attached somewhere.
Status FileTree::MakeBlankFile() {
  const Descriptor made(openat(scratch_.get(), "blank", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0));
  if (!made.is_open()) return Failure("make", "a blank file");
  PADDOCK_ASSIGN(blank_file_, CloneMount(scratch_.get(), "blank", Reach::kOne, kAlways | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, "a blank file"));
  if (move_mount(blank_file_.get(), "", scratch_.get(), "blank", MOVE_MOUNT_F_EMPTY_PATH) != 0) return Failure("mount", "blank");
  return {};
}

Status FileTree::MakeBlankDirectory() {
  PADDOCK_ASSIGN(blank_directory_, NewTmpfs(4096, 0, true));
  if (mkdirat(scratch_.get(), "blanks", 0700) != 0) return Failure("make", "blanks");
  if (move_mount(blank_directory_.get(), "", scratch_.get(), "blanks", MOVE_MOUNT_F_EMPTY_PATH) != 0) return Failure("mount", "blanks");
  return {};
}

Status FileTree::Mask(const MountStep& step) {
  if (!blank_file_.is_open()) PADDOCK_TRY(MakeBlankFile());
  constexpr std::string_view kProc = "/proc/";
  if (proc_.is_open() && step.target.starts_with(kProc) && step.target.find('/', kProc.size()) == std::string::npos) {
    // Names at the top of our own /proc are the kernel's: no need to look at them first.
    PADDOCK_TRY(TakeSpareBlank(step));
    if (move_mount(spare_blank_.get(), "", proc_.get(), step.target.c_str() + kProc.size(), MOVE_MOUNT_F_EMPTY_PATH) == 0) {
      spare_blank_.Reset();
      return {};
    }
    if (errno == ENOENT) return {};
  }
  auto target = OpenTarget(step.target, false, false);
  if (!target) {
    if (target.error().code == Code::kNoEntry || target.error().code == Code::kNotDirectory) return {};
    return target.error();
  }
  const bool is_directory = IsDirectory(target->get());
  if (is_directory && !blank_directory_.is_open()) PADDOCK_TRY(MakeBlankDirectory());
  if (!is_directory) PADDOCK_TRY(TakeSpareBlank(step));
  Descriptor mount;
  if (is_directory) {
    PADDOCK_ASSIGN(mount, CloneOwn(blank_directory_.get(), "", Reach::kOne, step.target));
  } else {
    mount = std::move(spare_blank_);
  }
  if (move_mount(mount.get(), "", target->get(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) {
    return Failure("mask", step.target);
  }
  return {};
}

// A clone that was of no use is kept for the next mask: the end of a mount that is attached nowhere waits for a grace period.
Status FileTree::TakeSpareBlank(const MountStep& step) {
  if (spare_blank_.is_open()) return {};
  PADDOCK_ASSIGN(spare_blank_, CloneOwn(blank_file_.get(), "", Reach::kOne, step.target));
  return {};
}

Status FileTree::ProtectInPlace(const MountStep& step, bool makes_readonly) {
  auto target = OpenTarget(step.target, false, false);
  if (!target) {
    // A link in the tree is not followed: what it names is protected at its own place.
    const Code code = target.error().code;
    if (code == Code::kNoEntry || code == Code::kNotDirectory || code == Code::kLoop) return {};
    return target.error();
  }
  PADDOCK_ASSIGN(const Descriptor mount, CloneMount(target->get(), "", Reach::kTree, makes_readonly ? kAlways | MOUNT_ATTR_RDONLY : 0, step.target));
  if (move_mount(mount.get(), "", target->get(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0) {
    return Failure("protect", step.target);
  }
  return {};
}

Status FileTree::MountProc(const MountStep& step) {
  const Descriptor context(fsopen("proc", FSOPEN_CLOEXEC));
  if (!context.is_open() || fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return Failure("set up", "proc");
  }
  const Descriptor mount(fsmount(context.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(kAlways | MOUNT_ATTR_NOEXEC)));
  if (!mount.is_open()) return Failure("mount", "proc (a container that hides parts of its own /proc does not allow it)");
  PADDOCK_TRY(Attach(mount.get(), step.target, true));
  if (step.target == "/proc") {
    PADDOCK_ASSIGN(proc_, OpenTarget(step.target, false, true));
  }
  return {};
}

Status FileTree::MakeDevices(const MountStep& step) {
  MountStep tree = step;
  tree.mode = 0755;
  PADDOCK_TRY(MountTmpfs(tree));
  // All names in it are ours.
  PADDOCK_ASSIGN(const Descriptor devices, OpenTarget(step.target, false, true));
  const auto attach = [&](int mount, const char* name) -> Status {
    if (move_mount(mount, "", devices.get(), name, MOVE_MOUNT_F_EMPTY_PATH) != 0) return Failure("mount", name);
    return {};
  };
  for (const char* name : {"null", "zero", "full", "random", "urandom", "tty"}) {
    const std::string source = "/dev/" + std::string(name);
    // The one place where a device must work.
    PADDOCK_ASSIGN(const Descriptor mount, CloneMount(AT_FDCWD, source.c_str(), Reach::kOne, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, source));
    if (mknodat(devices.get(), name, S_IFREG | 0444, 0) != 0) return Failure("make file", name);
    PADDOCK_TRY(attach(mount.get(), name));
  }
  for (const char* name : {"pts", "mqueue"}) {
    if (mkdirat(devices.get(), name, 0755) != 0) return Failure("make directory", name);
  }
  const Descriptor context(fsopen("devpts", FSOPEN_CLOEXEC));
  if (!context.is_open() || fsconfig(context.get(), FSCONFIG_SET_STRING, "ptmxmode", "0666", 0) != 0 ||
      fsconfig(context.get(), FSCONFIG_SET_STRING, "mode", "0620", 0) != 0 ||
      // Terminals are counted for the whole machine, so one sandbox gets some of them only.
      fsconfig(context.get(), FSCONFIG_SET_STRING, "max", "64", 0) != 0 ||
      fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return Failure("set up", "devpts");
  }
  const Descriptor terminals(fsmount(context.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC)));
  if (!terminals.is_open()) return Failure("mount", "devpts");
  PADDOCK_TRY(attach(terminals.get(), "pts"));
  // POSIX message queues belong to the wall's own IPC namespace. Landlock lets them be used only where a mount shows them.
  const Descriptor queues(fsopen("mqueue", FSOPEN_CLOEXEC));
  if (queues.is_open()) {   // else the kernel has none
    if (fsconfig(queues.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return Failure("set up", "mqueue");
    const Descriptor mount(fsmount(queues.get(), FSMOUNT_CLOEXEC, static_cast<unsigned>(kAlways | MOUNT_ATTR_NOEXEC)));
    if (!mount.is_open()) return Failure("mount", "mqueue");
    PADDOCK_TRY(attach(mount.get(), "mqueue"));
  }
  MountStep shared = step;
  shared.target = step.target + "/shm";
  shared.size = step.size;
  shared.mode = 01777;
  PADDOCK_TRY(MountTmpfs(shared));
  const std::array<std::pair<const char*, const char*>, 5> links{{{"ptmx", "pts/ptmx"}, {"fd", "/proc/self/fd"}, {"stdin", "/proc/self/fd/0"},
                                                                 {"stdout", "/proc/self/fd/1"}, {"stderr", "/proc/self/fd/2"}}};
  for (const auto& [name, target] : links) {
    if (symlinkat(target, devices.get(), name) != 0) return Failure("link", name);
  }
  return {};
}

Status FileTree::BecomeRoot(int mount, const char* name) {
  if (mkdirat(scratch_.get(), name, 0755) != 0) return Failure("make directory", name);
  if (move_mount(mount, "", scratch_.get(), name, MOVE_MOUNT_F_EMPTY_PATH) != 0) return Failure("mount", name);
  root_.Reset(openat(scratch_.get(), name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return root_.is_open() ? Status() : Status(Failure("open", name));
}

Status FileTree::Enter() {
  // Goes with the host's tree.
  if (spare_blank_.is_open() && move_mount(spare_blank_.get(), "", scratch_.get(), "blank", MOVE_MOUNT_F_EMPTY_PATH) != 0) return Failure("mount", "blank");
  spare_blank_.Reset();
  if (fchdir(root_.get()) != 0) return Failure("enter", "the new root");
  private_.Reset();
  proc_.Reset();
  frozen_.Reset();
  scratch_.Reset();
  blank_file_.Reset();
  blank_directory_.Reset();
  if (syscall(SYS_pivot_root, ".", ".") != 0) return Failure("change the root to", "the new tree");
  if (umount2(".", MNT_DETACH) != 0) return Failure("leave", "the host's tree");
  if (chdir("/") != 0) return Failure("enter", "/");
  // The tree's skeleton does not change any more; private directories are mounts of their own.
  mount_attr attributes{};
  attributes.attr_set = kAlways | (has_own_root_ ? 0 : MOUNT_ATTR_RDONLY);
  if (mount_setattr(AT_FDCWD, "/", 0, &attributes, sizeof attributes) != 0) return Failure("set flags of", "/");
  root_.Reset();
  return {};
}

}  // namespace paddock::process_wall
