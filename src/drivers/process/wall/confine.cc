#include "drivers/process/wall/confine.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/descriptor.h"

namespace paddock::process_wall {
namespace {

#include "drivers/process/seccomp/profiles.inc"

Error Failure(const char* what) {
  const int code = errno;
  return Error(static_cast<Code>(code), std::string(what) + ": " + std::strerror(code));
}

// What the kernel headers of Debian 12 do not name yet (Landlock ABI 4 to 6).
struct RulesetAttributes {
  uint64_t handled_access_fs;
  uint64_t handled_access_net;
  uint64_t scoped;
};
constexpr uint64_t kRefer = 1ull << 13;      // ABI 2
constexpr uint64_t kTruncate = 1ull << 14;   // ABI 3
constexpr uint64_t kIoctlDevice = 1ull << 15;  // ABI 5
constexpr uint64_t kScopeAbstractSocket = 1ull << 0;  // ABI 6
constexpr uint64_t kScopeSignal = 1ull << 1;          // ABI 6

// The kernel asks for the right to truncate with every open, also one for reading, so that is what a free open must do without.
uint64_t HandledAccess(int abi, Reading reading) {
  uint64_t access = (1ull << 13) - 1;   // ABI 1
  if (abi >= 2) access |= kRefer;
  if (abi >= 3) access |= kTruncate;
  if (abi >= 5) access |= kIoctlDevice;
  if (reading == Reading::kFree) access &= ~(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | kTruncate);
  return access;
}

Status AddRule(int ruleset, const char* path, uint64_t access) {
  const Descriptor target(open(path, O_PATH | O_CLOEXEC));
  if (!target.is_open()) return errno == ENOENT ? Status() : Status(Failure(path));
  struct stat status{};
  if (fstat(target.get(), &status) != 0) return Failure(path);
  constexpr uint64_t kOfFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                LANDLOCK_ACCESS_FS_READ_FILE | kTruncate | kIoctlDevice;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = S_ISDIR(status.st_mode) ? access : access & kOfFiles;
  rule.parent_fd = target.get();
  if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) return Failure(path);
  return {};
}

Status Install(std::span<const sock_filter> program) {
  const sock_fprog filter{static_cast<unsigned short>(program.size()), const_cast<sock_filter*>(program.data())};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) return Failure("seccomp");
  return {};
}

Result<Descriptor> InstallListening(std::span<const sock_filter> program) {
  const sock_fprog filter{static_cast<unsigned short>(program.size()), const_cast<sock_filter*>(program.data())};
  // Once an answer is on its way, only a fatal signal takes a caller out of its call: it would not know whether it is connected. Linux 5.19.
  constexpr unsigned kWaitKillable = 1u << 5;
  for (const unsigned more : {kWaitKillable, 0u}) {
    Descriptor listener(static_cast<int>(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | more, &filter)));
    if (listener.is_open()) return listener;
    if (errno != EINVAL) break;
  }
  return Failure("seccomp");
}

}  // namespace

Status EmptyBoundingSet() {
  constexpr int kHighest = 63;
  for (int capability = 0; capability <= kHighest; ++capability) {
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0) continue;
    if (errno == EINVAL) break;   // the kernel knows no higher one
    return Failure("drop a capability");
  }
  return {};
}

Status DropPrivileges() {
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  constexpr unsigned long kNoRoot = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                                    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                    SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
  if (prctl(PR_SET_SECUREBITS, kNoRoot, 0, 0, 0) != 0) return Failure("lock the secure bits");
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  if (syscall(SYS_capset, &header, none.data()) != 0) return Failure("empty the capability sets");
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return Failure("set no_new_privs");
  return {};
}

Result<bool> RestrictWithLandlock(const std::vector<std::string>& writable, Reading reading) {
  const auto abi = static_cast<int>(syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
  if (abi < 1) return false;
  RulesetAttributes attributes{HandledAccess(abi, reading), 0, abi >= 6 ? kScopeAbstractSocket | kScopeSignal : 0};
  const size_t size = abi >= 6 ? sizeof attributes : abi >= 4 ? 16 : 8;
  const Descriptor ruleset(static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
  if (!ruleset.is_open()) return Failure("make a Landlock ruleset");
  const uint64_t all = attributes.handled_access_fs;
  constexpr uint64_t kRead = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  PADDOCK_TRY(AddRule(ruleset.get(), "/", kRead & all));
  // Device files can be written and asked, but nothing be made beside them; /proc holds what a process sets of its own.
  constexpr uint64_t kUse = kRead | LANDLOCK_ACCESS_FS_WRITE_FILE;
  PADDOCK_TRY(AddRule(ruleset.get(), "/dev", (kUse | kIoctlDevice | kTruncate) & all));
  PADDOCK_TRY(AddRule(ruleset.get(), "/proc", (kUse | kTruncate) & all));
  constexpr uint64_t kNodes = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;
  for (const std::string& path : writable) PADDOCK_TRY(AddRule(ruleset.get(), path.c_str(), all & ~kNodes));
  if (syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) return Failure("restrict with Landlock");
  return true;
}

Status InstallSeccomp(SeccompProfile profile) {
  switch (profile) {
    case SeccompProfile::kDefault: return Install(kDefaultFilter);
    case SeccompProfile::kPtrace: return Install(kPtraceFilter);
    case SeccompProfile::kNested: return Install(kNestedFilter);
  }
  return Error(Code::kInvalid, "unknown seccomp profile");
}

Result<Descriptor> InstallListeningSeccomp(SeccompProfile profile) {
  switch (profile) {
    case SeccompProfile::kDefault: return InstallListening(kDefaultListeningFilter);
    case SeccompProfile::kPtrace: return InstallListening(kPtraceListeningFilter);
    case SeccompProfile::kNested: return InstallListening(kNestedListeningFilter);
  }
  return Error(Code::kInvalid, "unknown seccomp profile");
}

Status InstallGuardSeccomp() { return Install(kGuardFilter); }

}  // namespace paddock::process_wall
