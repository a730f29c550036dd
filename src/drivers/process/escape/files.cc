// Files of the host that nobody has shown, and ways to change those that are only to be read.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "drivers/process/escape/reading.h"

namespace paddock::escape {
namespace {

Verdict OpenToWrite(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);   // nothing is written
  const Verdict verdict = Judge("opening " + path + " to write", file);
  if (file >= 0) close(file);
  return verdict;
}

Verdict OpenToRead(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  const Verdict verdict = Judge("opening " + path, file);
  if (file >= 0) close(file);
  return verdict;
}

Verdict ShowFile(const Facts& facts, const char* name) {
  const std::string path = facts.Text(name);
  return path.empty() ? NotApplicable("the stage could make no file there") : Show(path, ReadSome(path));
}
Verdict ReadHome(const Facts& facts) { return ShowFile(facts, "home_file"); }
Verdict ReadTmp(const Facts& facts) { return ShowFile(facts, "tmp_file"); }
Verdict ReadVarTmp(const Facts& facts) { return ShowFile(facts, "vartmp_file"); }
Verdict ReadSibling(const Facts& facts) { return ShowFile(facts, "sibling_file"); }

Verdict ReadShadow(const Facts&) { return OpenToRead("/etc/shadow"); }

Verdict Climb(const Facts& facts) {
  std::string up = ".";
  for (int depth = 0; depth < 40; ++depth) up += "/..";
  return Show("40 directories up", ReadSome(up + facts.Text("home_file")));
}

Verdict FollowOwnLink(const Facts& facts) {
  const std::string link = "/tmp/paddock-escape-link-" + std::to_string(getpid());
  if (symlink(facts.Text("home_file").c_str(), link.c_str()) != 0) return NotApplicable(std::string("no link can be made in /tmp: ") + std::strerror(errno));
  const std::string text = ReadSome(link);
  unlink(link.c_str());
  return Show("a symlink to it", text);
}

Verdict HardLink(const Facts& facts) {
  const std::string link = facts.Text("workspace") + "/paddock-escape-hard";
  if (linkat(AT_FDCWD, facts.Text("sibling_file").c_str(), AT_FDCWD, link.c_str(), 0) != 0) return Held(std::string("link: ") + std::strerror(errno));
  const std::string text = ReadSome(link);
  unlink(link.c_str());
  return Show("a hard link to it", text);
}

Verdict ProcessRoots(const Facts& facts) {
  std::string text;
  AnyProcess([&](const std::string& process) { return !(text = ReadSome(process + "/root" + facts.Text("home_file"))).empty(); });
  return Show("/proc/PID/root", text);
}

Verdict ProcessDirectories(const Facts& facts) {
  const std::string name = facts.Text("sibling_file").substr(facts.Text("sibling_file").rfind('/') + 1);
  std::string text;
  AnyProcess([&](const std::string& process) { return !(text = ReadSome(process + "/cwd/" + name)).empty(); });
  return Show("/proc/PID/cwd", text);
}

Verdict InheritedDescriptors(const Facts&) {
  for (int number = 3; number < 256; ++number) {
    struct stat status{};
    if (fstat(number, &status) != 0) continue;
    const std::string text = ReadSome("/proc/self/fd/" + std::to_string(number));
    if (!text.empty()) return Show("descriptor " + std::to_string(number), text);
  }
  return Held("no descriptor but 0 to 2 is open");
}

Verdict OpenByHandle(const Facts& facts) {
  alignas(file_handle) std::array<unsigned char, sizeof(file_handle) + 128> handle{};
  const unsigned room = 128;
  std::memcpy(handle.data(), &room, sizeof room);
  int mount = 0;
  const std::string place = facts.Text("workspace");
  if (syscall(SYS_name_to_handle_at, AT_FDCWD, place.c_str(), handle.data(), &mount, 0) != 0) return Held(std::string("name_to_handle_at: ") + std::strerror(errno));
  const int directory = open(place.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return Judge("open_by_handle_at", syscall(SYS_open_by_handle_at, directory, handle.data(), O_RDONLY));
}

Verdict WriteEtc(const Facts&) { return OpenToWrite("/etc/passwd"); }
Verdict WriteUsr(const Facts&) { return OpenToWrite("/usr/bin/env"); }
Verdict WriteSelf(const Facts& facts) { return OpenToWrite(facts.Text("guest")); }

Verdict RewriteSetting(const Facts&) {
  const char* const path = "/proc/sys/kernel/core_pattern";
  const std::string value = ReadSome(path);
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return Held(std::string("opening core_pattern to write: ") + std::strerror(errno));
  const Verdict verdict = Judge("writing core_pattern", write(file, value.data(), value.size()));   // what was there
  close(file);
  return verdict;
}

Verdict WriteSysrq(const Facts&) { return OpenToWrite("/proc/sysrq-trigger"); }
Verdict ReadKernelMemory(const Facts&) { return OpenToRead("/proc/kcore"); }
Verdict ReadDeviceMemory(const Facts&) {
  const Verdict port = OpenToRead("/dev/port");
  return port.outcome == Outcome::kEscaped ? port : OpenToRead("/dev/mem");
}
Verdict ReadKernelLog(const Facts&) {
  const Verdict device = OpenToRead("/dev/kmsg");
  return device.outcome == Outcome::kEscaped ? device : OpenToRead("/proc/kmsg");
}
Verdict WriteSysfs(const Facts&) {
  const Verdict first = OpenToWrite("/sys/kernel/mm/transparent_hugepage/enabled");
  return first.outcome == Outcome::kEscaped ? first : OpenToWrite("/sys/power/state");
}
Verdict WriteCgroup(const Facts&) {
  for (const char* path : {"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs"}) {
    const Verdict verdict = OpenToWrite(path);
    if (verdict.outcome == Outcome::kEscaped) return verdict;
  }
  return Held("no cgroup can be opened to write");
}

Verdict MakeDisk(const Facts& facts) {
  struct stat root{};
  if (stat("/", &root) != 0) return NotApplicable("the root cannot be looked at");
  const std::string node = "/tmp/paddock-escape-disk-" + std::to_string(getpid());
  // The disk that holds the workspace, or any: what counts is that a device of the host can be named.
  const dev_t device = facts.Number("device") != 0 ? static_cast<dev_t>(facts.Number("device")) : root.st_dev;
  if (mknod(node.c_str(), S_IFBLK | 0600, device) != 0) return Held(std::string("mknod: ") + std::strerror(errno));
  const int file = open(node.c_str(), O_RDONLY | O_CLOEXEC);
  unlink(node.c_str());
  const Verdict verdict = Judge("reading a disk by a node of its own", file);
  if (file >= 0) close(file);
  return verdict;
}

Verdict SetUserId(const Facts&) {
  const std::string path = "/tmp/paddock-escape-setuid-" + std::to_string(getpid());
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
  if (file < 0) return NotApplicable(std::string("no file can be made in /tmp: ") + std::strerror(errno));
  const Verdict verdict = Judge("setting the set-user-id bit", fchmod(file, 04755));
  close(file);
  unlink(path.c_str());
  return verdict;
}

Verdict RemountWritable(const Facts& facts) {
  const char* const place = facts.is_control() ? "/" : "/usr";   // a mount; without a wall, of this process's own namespace
  return Judge(std::string("remounting ") + place, mount(nullptr, place, nullptr, MS_REMOUNT | MS_BIND | MS_NOSUID | MS_NODEV, nullptr));
}
Verdict MountTmpfs(const Facts&) { return Judge("mounting a tmpfs", mount("none", "/tmp", "tmpfs", 0, "size=4k")); }
Verdict Unmask(const Facts&) { return Judge("unmounting /proc", umount2("/proc", MNT_DETACH)); }
Verdict NewMountCalls(const Facts&) {
  const long tree = syscall(SYS_open_tree, AT_FDCWD, "/", 1 /* OPEN_TREE_CLONE */);
  const Verdict first = Judge("open_tree", tree);
  return first.outcome == Outcome::kEscaped ? first : Judge("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
}
Verdict ChangeRoot(const Facts&) { return Judge("chroot", chroot("/")); }

constexpr Probe kProbes[] = {
    {"files/home", "a file in the home of the user who started it", ReadHome},
    {"files/tmp", "a file in the host's /tmp", ReadTmp},
    {"files/var-tmp", "a file in the host's /var/tmp", ReadVarTmp},
    {"files/sibling", "a file beside the workspace", ReadSibling},
    {"files/shadow", "the password file", ReadShadow},
    {"files/climb", ".. from the working directory, forty times", Climb},
    {"files/symlink", "a symlink of its own to a hidden file", FollowOwnLink},
    {"files/hard-link", "a hard link into the workspace to a file beside it", HardLink},
    {"files/proc-root", "other processes' root directories", ProcessRoots},
    {"files/proc-cwd", "other processes' working directories", ProcessDirectories},
    {"files/inherited", "descriptors that the launcher had open", InheritedDescriptors},
    {"files/handle", "opening by handle, round every path", OpenByHandle},
    {"files/write-etc", "/etc/passwd, to write", WriteEtc},
    {"files/write-usr", "a program of the host, to write", WriteUsr},
    {"files/write-guest", "the wall's own program, to write", WriteSelf},
    {"files/core-pattern", "the kernel's core_pattern, written back", RewriteSetting},
    {"files/sysrq", "/proc/sysrq-trigger, to write", WriteSysrq},
    {"files/kcore", "the kernel's memory by /proc/kcore", ReadKernelMemory},
    {"files/dev-mem", "physical memory and ports by /dev", ReadDeviceMemory},
    {"files/kernel-log", "the kernel's log by /dev/kmsg and /proc/kmsg", ReadKernelLog},
    {"files/sysfs", "settings in /sys, to write", WriteSysfs},
    {"files/cgroup", "moving to another cgroup", WriteCgroup},
    {"files/disk-node", "a device node of its own for the host's disk", MakeDisk},
    {"files/set-user-id", "a program with the set-user-id bit", SetUserId},
    {"files/remount", "/usr remounted writable", RemountWritable, Needs::kNoNesting},
    {"files/mount", "a mount of its own", MountTmpfs, Needs::kNoNesting},
    {"files/unmask", "unmounting what covers /proc", Unmask, Needs::kNoNesting},
    {"files/mount-calls", "the newer mount calls", NewMountCalls, Needs::kNoNesting},
    {"files/chroot", "another root directory", ChangeRoot, Needs::kNoNesting},
};

}  // namespace

std::span<const Probe> FileProbes() { return kProbes; }

}  // namespace paddock::escape
