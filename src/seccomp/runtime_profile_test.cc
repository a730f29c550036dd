// The filter is built from the profile's text as runc does it, and run.
#include "seccomp/runtime_profile.h"

#include <gtest/gtest.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/json.hpp>

#include <cerrno>
#include <memory>

#include "base/descriptor.h"
#include "seccomp/compact.h"

namespace paddock::seccomp {
namespace {

namespace json = boost::json;

#if defined(__x86_64__)
constexpr uint32_t kAudit = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t kAudit = AUDIT_ARCH_AARCH64;
#endif

struct Rules {
  explicit Rules(uint32_t fallback) : context(seccomp_init(fallback)) {}
  ~Rules() { seccomp_release(context); }
  Rules(const Rules&) = delete;
  Rules& operator=(const Rules&) = delete;
  scmp_filter_ctx context;
};

uint32_t ActionOf(const json::object& rule, const char* action, const char* error) {
  if (rule.at(action).as_string() == "SCMP_ACT_ALLOW") return SCMP_ACT_ALLOW;
  return SCMP_ACT_ERRNO(rule.contains(error) ? static_cast<uint32_t>(rule.at(error).to_number<int>()) : static_cast<uint32_t>(EPERM));
}

// `is_old`: a runtime that does not know "defaultErrnoRet".
Program Build(const RuntimeProfile& asked, bool is_old) {
  json::value text = json::parse(MakeRuntimeProfile(asked));
  if (is_old) text.as_object().erase("defaultErrnoRet");
  const json::object& profile = text.as_object();
  const Rules rules(ActionOf(profile, "defaultAction", "defaultErrnoRet"));
  for (const json::value& one : profile.at("syscalls").as_array()) {
    const json::object& rule = one.as_object();
    if (ActionOf(rule, "action", "errnoRet") == ActionOf(profile, "defaultAction", "defaultErrnoRet")) continue;   // libseccomp refuses what says nothing
    std::vector<scmp_arg_cmp> conditions;
    if (rule.contains("args")) {
      for (const json::value& arg : rule.at("args").as_array()) {
        EXPECT_EQ(arg.at("op").as_string(), "SCMP_CMP_MASKED_EQ");
        conditions.push_back({arg.at("index").to_number<unsigned>(), SCMP_CMP_MASKED_EQ, arg.at("value").to_number<uint64_t>(), arg.at("valueTwo").to_number<uint64_t>()});
      }
    }
    for (const json::value& name : rule.at("names").as_array()) {
      const int call = seccomp_syscall_resolve_name(name.as_string().c_str());
      if (call == __NR_SCMP_ERROR) continue;   // newer than this libseccomp
      const int status = seccomp_rule_add_array(rules.context, ActionOf(rule, "action", "errnoRet"), call, static_cast<unsigned>(conditions.size()), conditions.data());
      EXPECT_TRUE(status == 0 || call < 0) << name << ": " << status;
    }
  }
  std::string path = testing::TempDir() + "/profile_XXXXXX";
  const Descriptor file(mkstemp(path.data()));
  unlink(path.c_str());
  EXPECT_EQ(seccomp_export_bpf(rules.context, file.get()), 0);
  Program program(static_cast<size_t>(lseek(file.get(), 0, SEEK_END)) / sizeof(sock_filter));
  EXPECT_GT(pread(file.get(), program.data(), program.size() * sizeof(sock_filter), 0), 0);
  EXPECT_LE(program.size(), 4096u) << "the kernel takes no more";
  return program;
}

constexpr uint32_t kAllowed = SECCOMP_RET_ALLOW;
constexpr uint32_t Failing(int error) { return SECCOMP_RET_ERRNO | static_cast<uint32_t>(error); }

class Filter {
 public:
  explicit Filter(const RuntimeProfile& asked = {}, bool is_old = false) : program_(Build(asked, is_old)) {}
  uint32_t operator()(int call, std::initializer_list<uint64_t> arguments = {}, uint32_t architecture = kAudit) const {
    seccomp_data data{.nr = call, .arch = architecture};
    std::copy(arguments.begin(), arguments.end(), data.args);
    return RunProgram(program_, data).value_or(0xdeadbeef);
  }

 private:
  const Program program_;
};

TEST(RuntimeProfile, AllowsWhatProgramsDo) {
  const Filter filter;
  for (const int call : {SYS_read, SYS_write, SYS_execve, SYS_mmap, SYS_futex, SYS_connect, SYS_wait4, SYS_getrandom, SYS_statx, SYS_close_range, SYS_pidfd_open}) {
    EXPECT_EQ(filter(call), kAllowed) << call;
  }
  EXPECT_EQ(filter(SYS_clone, {SIGCHLD}), kAllowed);
  EXPECT_EQ(filter(SYS_clone, {CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD}), kAllowed);
  EXPECT_EQ(filter(SYS_unshare, {CLONE_FILES | CLONE_FS}), kAllowed);
  EXPECT_EQ(filter(SYS_openat, {0, 0, O_RDONLY, 0xffffffff}), kAllowed) << "the mode of an opening that creates nothing";
  EXPECT_EQ(filter(SYS_openat, {0, 0, O_RDWR | O_CREAT, 0644}), kAllowed);
  EXPECT_EQ(filter(SYS_openat, {0, 0, O_DIRECTORY, 06000}), kAllowed);
  EXPECT_EQ(filter(SYS_fchmodat, {0, 0, 0755}), kAllowed);
}

TEST(RuntimeProfile, RefusesWhatOpensTheKernel) {
  const Filter filter;
  for (const int call : {SYS_mount, SYS_umount2, SYS_pivot_root, SYS_fsopen, SYS_fsmount, SYS_fsconfig, SYS_fspick, SYS_move_mount, SYS_open_tree, SYS_mount_setattr,
                         SYS_keyctl, SYS_add_key, SYS_request_key, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
                         SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_pidfd_getfd, SYS_kexec_load,
                         SYS_kexec_file_load, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_reboot, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_swapon,
                         SYS_setns, SYS_chroot, SYS_sethostname, SYS_acct, SYS_quotactl, SYS_syslog, SYS_fanotify_init}) {
    EXPECT_EQ(filter(call), Failing(EPERM)) << call;
  }
  EXPECT_EQ(filter(SYS_clone3), Failing(ENOSYS)) << "its flags are behind a pointer; clone is used instead";
  EXPECT_EQ(filter(SYS_openat2), Failing(ENOSYS));
  EXPECT_EQ(filter(9999), Failing(ENOSYS)) << "a call that does not exist yet";
}

TEST(RuntimeProfile, RefusesNewNamespaces) {
  const Filter filter;
  for (const uint64_t flag : {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET}) {
    EXPECT_EQ(filter(SYS_clone, {flag | SIGCHLD}), Failing(EPERM)) << flag;
    EXPECT_EQ(filter(SYS_clone, {flag | SIGCHLD | 0xabcd00000000}), Failing(EPERM)) << flag;
    EXPECT_EQ(filter(SYS_unshare, {flag}), Failing(EPERM)) << flag;
    EXPECT_EQ(filter(SYS_unshare, {flag | CLONE_FILES}), Failing(EPERM)) << flag;
  }
  EXPECT_EQ(filter(SYS_clone, {CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | SIGCHLD}), Failing(EPERM));
}

TEST(RuntimeProfile, RefusesTypingIntoATerminal) {
  const Filter filter;
  for (const uint64_t request : {TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS}) {
    EXPECT_EQ(filter(SYS_ioctl, {0, request}), Failing(EPERM)) << request;
    EXPECT_EQ(filter(SYS_ioctl, {0, request | 0x100000000}), Failing(EPERM)) << "the kernel sees the low half only: " << request;
    for (unsigned bit = 0; bit < 32; ++bit) {
      const uint64_t other = request ^ (1u << bit);
      if (other == TIOCSTI || other == TIOCLINUX || other == TIOCSETD || other == TIOCCONS) continue;
      EXPECT_EQ(filter(SYS_ioctl, {0, other}), kAllowed) << other;
    }
  }
  for (const uint64_t request : std::initializer_list<uint64_t>{0, TCGETS, TIOCGWINSZ, TIOCSWINSZ, TIOCGPGRP, FIONREAD, SIOCGIFCONF, 0xffffffff}) {
    EXPECT_EQ(filter(SYS_ioctl, {0, request}), kAllowed) << request;
  }
}

TEST(RuntimeProfile, KnowsSocketsOfEveryDayOnly) {
  const Filter filter;
  EXPECT_EQ(filter(SYS_socket, {AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0}), kAllowed);
  EXPECT_EQ(filter(SYS_socketpair, {AF_UNIX, SOCK_STREAM, 0}), kAllowed);
  for (const uint64_t family : {AF_INET, AF_INET6}) {
    EXPECT_EQ(filter(SYS_socket, {family, SOCK_STREAM | SOCK_NONBLOCK, 0}), kAllowed);
    EXPECT_EQ(filter(SYS_socket, {family, SOCK_DGRAM, IPPROTO_UDP}), kAllowed);
    EXPECT_EQ(filter(SYS_socket, {family, SOCK_RAW, IPPROTO_ICMP}), Failing(EPERM));
    EXPECT_EQ(filter(SYS_socket, {family, SOCK_STREAM, IPPROTO_SCTP}), Failing(ENOSYS));
  }
  EXPECT_EQ(filter(SYS_socket, {AF_NETLINK, SOCK_RAW, 0}), kAllowed);
  EXPECT_EQ(filter(SYS_socket, {AF_NETLINK, SOCK_RAW, 9}), Failing(ENOSYS));
  EXPECT_EQ(filter(SYS_socket, {AF_PACKET, SOCK_RAW, 0}), Failing(EPERM));
  for (const uint64_t family : {AF_VSOCK, AF_ALG, AF_BLUETOOTH, AF_KEY, AF_TIPC, AF_XDP, AF_CAN}) EXPECT_EQ(filter(SYS_socket, {family, SOCK_STREAM, 0}), Failing(ENOSYS)) << family;
}

TEST(RuntimeProfile, RefusesSetIdBitsUnlessTheyAreAllowed) {
  const Filter filter, lenient({.allows_set_id = true});
  for (const uint64_t bits : {S_ISUID, S_ISGID, S_ISUID | S_ISGID}) {
    EXPECT_EQ(filter(SYS_fchmod, {0, bits | 0755}), Failing(EPERM));
    EXPECT_EQ(filter(SYS_fchmodat, {0, 0, bits | 0755}), Failing(EPERM));
    EXPECT_EQ(filter(SYS_mknodat, {0, 0, bits | 0755}), Failing(EPERM));
    EXPECT_EQ(filter(SYS_openat, {0, 0, O_CREAT | O_WRONLY, bits | 0755}), Failing(EPERM));
    EXPECT_EQ(filter(SYS_openat, {0, 0, O_TMPFILE | O_RDWR, bits | 0755}), Failing(EPERM));
    EXPECT_EQ(lenient(SYS_fchmodat, {0, 0, bits | 0755}), kAllowed);
    EXPECT_EQ(lenient(SYS_openat, {0, 0, O_CREAT | O_WRONLY, bits | 0755}), kAllowed);
  }
  EXPECT_EQ(lenient(SYS_unshare, {CLONE_NEWUSER}), Failing(EPERM));
}

TEST(RuntimeProfile, DebuggersWorkWhereTheyMay) {
  const Filter filter({.allows_ptrace = true});
  EXPECT_EQ(filter(SYS_ptrace), kAllowed);
  EXPECT_EQ(filter(SYS_process_vm_readv), kAllowed);
  EXPECT_EQ(filter(SYS_pidfd_getfd), Failing(EPERM));
}

TEST(RuntimeProfile, OtherArchitecturesCallsEndTheThread) {
  const Filter filter;
  EXPECT_EQ(filter(SYS_read, {}, AUDIT_ARCH_I386), static_cast<uint32_t>(SECCOMP_RET_KILL_THREAD));
#if defined(__x86_64__)
  EXPECT_EQ(filter(SYS_read | 0x40000000), static_cast<uint32_t>(SECCOMP_RET_KILL_THREAD)) << "x32";
#endif
}

TEST(RuntimeProfile, AnOldRuntimeRefusesTheSame) {
  const Filter filter({}, true);
  for (const int call : {SYS_mount, SYS_bpf, SYS_keyctl, SYS_io_uring_setup, 9999}) EXPECT_EQ(filter(call), Failing(EPERM)) << call;
  EXPECT_EQ(filter(SYS_clone3), Failing(ENOSYS));
  EXPECT_EQ(filter(SYS_openat2), Failing(ENOSYS));
  EXPECT_EQ(filter(SYS_ioctl, {0, TIOCSTI}), Failing(EPERM));
  EXPECT_EQ(filter(SYS_ioctl, {0, TCGETS}), kAllowed);
  EXPECT_EQ(filter(SYS_socket, {AF_VSOCK, SOCK_STREAM, 0}), Failing(EPERM));
  EXPECT_EQ(filter(SYS_clone, {CLONE_NEWUSER}), Failing(EPERM));
  EXPECT_EQ(filter(SYS_clone, {SIGCHLD}), kAllowed);
}

TEST(RuntimeProfile, KnowsTheEnginesNamesOfArchitectures) {
  EXPECT_NE(MakeRuntimeProfile({.architecture = "amd64"}).find("\"SCMP_ARCH_X86_64\""), std::string::npos);
  EXPECT_NE(MakeRuntimeProfile({.architecture = "aarch64"}).find("\"SCMP_ARCH_AARCH64\""), std::string::npos);
  EXPECT_EQ(MakeRuntimeProfile({.architecture = "mips"}), "");
}

}  // namespace
}  // namespace paddock::seccomp
