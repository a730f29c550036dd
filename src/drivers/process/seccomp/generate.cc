// Writes the seccomp filters of the process wall as C++ arrays, at build time, with libseccomp.
//
// Default deny: a call that is not listed answers ENOSYS, as on a kernel that does not have it, so that programs take
// their older way; calls that are known and dangerous answer EPERM. Another architecture's calls kill the process.
// Three filters: the default; one that lets debuggers work; one for sandboxes in the sandbox. Each a second time with connect(2) handed to
// a listener (wall/socket_guard.h), and the filter of who listens.
//
// Usage: generate_seccomp > profiles.inc

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "seccomp/calls.h"
#include "seccomp/compact.h"

namespace {

using paddock::seccomp::kAllowedCalls;
using paddock::seccomp::kGuardCalls;
using paddock::seccomp::kNestedCalls;
using paddock::seccomp::kPtraceCalls;
using paddock::seccomp::kRefusedCalls;
using paddock::seccomp::Program;

[[noreturn]] void Die(const std::string& text) {
  std::fprintf(stderr, "generate_seccomp: %s\n", text.c_str());
  std::exit(1);
}

class Filter {
 public:
  // Keeps the rules for the calls of `only`, or all.
  explicit Filter(uint32_t fallback, const std::vector<int>* only = nullptr) : context_(seccomp_init(fallback)), only_(only) {
    if (context_ == nullptr) Die("seccomp_init");
    // x32 shares the architecture's number; libseccomp refuses it by the same attribute.
    Set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    Set(SCMP_FLTATR_CTL_OPTIMIZE, 2);
  }
  ~Filter() { seccomp_release(context_); }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  void Add(uint32_t action, const char* name, std::initializer_list<scmp_arg_cmp> conditions = {}) {
    const int call = seccomp_syscall_resolve_name(name);
    if (call < 0) return;   // not a call of this architecture
    if (only_ != nullptr && std::find(only_->begin(), only_->end(), call) == only_->end()) return;
    const std::vector<scmp_arg_cmp> list(conditions);
    const int status = seccomp_rule_add_array(context_, action, call, static_cast<unsigned>(list.size()), list.data());
    if (status != 0) Die(std::string(name) + ": " + std::strerror(-status));
  }
  void Allow(const char* name, std::initializer_list<scmp_arg_cmp> conditions = {}) { Add(SCMP_ACT_ALLOW, name, conditions); }
  void Refuse(const char* name, std::initializer_list<scmp_arg_cmp> conditions = {}) {
    Add(SCMP_ACT_ERRNO(EPERM), name, conditions);
  }

  Program Export() {
    char path[] = "/tmp/seccompXXXXXX";
    const int file = mkstemp(path);
    if (file < 0) Die("mkstemp");
    unlink(path);
    if (seccomp_export_bpf(context_, file) != 0) Die("export");
    const off_t size = lseek(file, 0, SEEK_END);
    Program program(static_cast<size_t>(size) / sizeof(sock_filter));
    if (pread(file, program.data(), program.size() * sizeof(sock_filter), 0) != size) Die("read back");
    close(file);
    return program;
  }

 private:
  void Set(scmp_filter_attr attribute, uint32_t value) {
    if (seccomp_attr_set(context_, attribute, value) != 0) Die("attribute");
  }
  scmp_filter_ctx context_;
  const std::vector<int>* only_;
};

// The kernel looks at the low half of int arguments only, so a filter must, too.
constexpr uint64_t kLow = 0xffffffff;

constexpr uint64_t kNamespaceFlags = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                     CLONE_NEWPID | CLONE_NEWNET | 0x80 /* CLONE_NEWTIME */;

void AddUnixSockets(Filter& filter, bool listens) {
  constexpr uint64_t kType = 0xf;   // the rest are flags
  for (const char* name : {"socket", "socketpair"}) {
    if (!listens) {
      filter.Allow(name, {SCMP_A0(SCMP_CMP_MASKED_EQ, kLow, AF_UNIX)});
      continue;
    }
    for (const uint64_t type : {SOCK_STREAM, SOCK_SEQPACKET}) {
      filter.Allow(name, {SCMP_A0(SCMP_CMP_MASKED_EQ, kLow, AF_UNIX), SCMP_A1(SCMP_CMP_MASKED_EQ, kType, type)});
    }
    // They can name a receiver behind a pointer, in calls that are too many to ask for.
    for (const uint64_t type : {SOCK_DGRAM, SOCK_RAW}) {
      filter.Refuse(name, {SCMP_A0(SCMP_CMP_MASKED_EQ, kLow, AF_UNIX), SCMP_A1(SCMP_CMP_MASKED_EQ, kType, type)});
    }
  }
}

void AddSockets(Filter& filter, bool listens) {
  AddUnixSockets(filter, listens);
  // Transport protocols of every day; raw, SCTP, MPTCP and the rest are kernel surface that nobody needs here.
  for (const uint64_t family : {AF_INET, AF_INET6}) {
    for (const uint64_t protocol : {IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP}) {
      for (const uint64_t type : {SOCK_STREAM, SOCK_DGRAM}) {
        filter.Allow("socket", {SCMP_A0(SCMP_CMP_MASKED_EQ, kLow, family), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, type),
                                SCMP_A2(SCMP_CMP_MASKED_EQ, kLow, protocol)});
      }
    }
  }
  // Answered as the kernel answers who lacks the capability; other families and protocols do not exist.
  for (const uint64_t family : {AF_INET, AF_INET6}) {
    filter.Refuse("socket", {SCMP_A0(SCMP_CMP_MASKED_EQ, kLow, family), SCMP_A1(SCMP_CMP_MASKED_EQ, 0xf, SOCK_RAW)});
  }
  filter.Refuse("socket", {SCMP_A0(SCMP_CMP_MASKED_EQ, kLow, AF_PACKET)});
  filter.Allow("socket", {SCMP_A0(SCMP_CMP_MASKED_EQ, kLow, AF_NETLINK), SCMP_A2(SCMP_CMP_MASKED_EQ, kLow, NETLINK_ROUTE)});
}

// What depends on arguments is refused by a program of its own, which allows the rest and comes first: within one
// program libseccomp drops a call's conditions once the call is allowed as a whole.
void RefuseByArgument(Filter& filter, bool allows_nesting) {
  for (const uint64_t request : {TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS}) {
    filter.Refuse("ioctl", {SCMP_A1(SCMP_CMP_MASKED_EQ, kLow, request)});
  }
  // Modes with set-id bits: a file of the host's root that carries them would outlive the sandbox.
  struct ModeArgument {
    const char* name;
    unsigned index;
  };
  for (const uint64_t bit : {S_ISUID, S_ISGID}) {
    for (const auto& [name, index] : {ModeArgument{"chmod", 1}, {"fchmod", 1}, {"fchmodat", 2}, {"fchmodat2", 2},
                                      {"creat", 1}, {"mknod", 1}, {"mknodat", 2}}) {
      filter.Refuse(name, {scmp_arg_cmp{index, SCMP_CMP_MASKED_EQ, bit, bit}});
    }
    for (const auto& [name, index] : {ModeArgument{"open", 2}, {"openat", 3}}) {
      // The mode counts only where the call can create; elsewhere the register holds anything.
      for (const uint64_t creates : {uint64_t{O_CREAT}, uint64_t{O_TMPFILE} & ~uint64_t{O_DIRECTORY}}) {
        filter.Refuse(name, {scmp_arg_cmp{index, SCMP_CMP_MASKED_EQ, bit, bit},
                             scmp_arg_cmp{index - 1, SCMP_CMP_MASKED_EQ, creates, creates}});
      }
    }
  }
  if (allows_nesting) return;
  for (uint64_t flag = 1; flag <= kNamespaceFlags; flag <<= 1) {
    if ((flag & kNamespaceFlags) == 0) continue;
    filter.Refuse("clone", {SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)});
    filter.Refuse("unshare", {SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag)});
  }
}

void AllowCalls(Filter& filter, bool allows_ptrace, bool allows_nesting, bool listens) {
  for (const char* name : kAllowedCalls) {
    if (listens && std::strcmp(name, "connect") == 0) filter.Add(SCMP_ACT_NOTIFY, name);
    else filter.Allow(name);
  }
  for (const char* name : kRefusedCalls) {
    const auto is_in = [name](const auto& list) {
      for (const char* granted : list) {
        if (std::strcmp(granted, name) == 0) return true;
      }
      return false;
    };
    if ((allows_ptrace && is_in(kPtraceCalls)) || (allows_nesting && is_in(kNestedCalls))) filter.Allow(name);
    else filter.Refuse(name);
  }
  AddSockets(filter, listens);
  for (const uint64_t persona : {uint64_t{PER_LINUX}, uint64_t{0xffffffff}, uint64_t{ADDR_NO_RANDOMIZE}}) {
    filter.Allow("personality", {SCMP_A0(SCMP_CMP_MASKED_EQ, kLow, persona)});
  }
  // clone3 hides its flags behind a pointer. It has no rule, so it answers ENOSYS, and clone is used, whose flags show.
}

// One program of two: what the first allows goes on to the second. Loading one takes half the time of two.
Program Join(Program first, const Program& second) {
  const size_t length = first.size();
  for (size_t at = 0; at < length; ++at) {
    if (first[at].code != (BPF_RET | BPF_K) || first[at].k != SECCOMP_RET_ALLOW) continue;
    first[at] = {BPF_JMP | BPF_JA, 0, 0, static_cast<uint32_t>(length - at - 1)};
  }
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Program Make(bool allows_ptrace, bool allows_nesting, bool listens, const std::vector<int>* only) {
  Filter arguments(SCMP_ACT_ALLOW, only), calls(SCMP_ACT_ERRNO(ENOSYS), only);
  RefuseByArgument(arguments, allows_nesting);
  AllowCalls(calls, allows_ptrace, allows_nesting, listens);
  return Join(arguments.Export(), calls.Export());
}

// `make`: the program, or what of it is for some calls.
void Print(const char* name, const std::function<Program(const std::vector<int>*)>& make) {
  const Program whole = make(nullptr);
  const std::vector<int> by_argument = paddock::seccomp::CallsByArgument(whole);
  const auto compact = paddock::seccomp::Compact(whole, make(&by_argument));
  if (!compact) Die(std::string(name) + ": the compact program does not answer as the one of libseccomp does");
  const Program& shorter = compact->size() < whole.size() ? *compact : whole;
  std::printf("constexpr sock_filter %s[] = {   // %zu steps, of %zu\n", name, shorter.size(), whole.size());
  for (const sock_filter& step : shorter) std::printf("    {%u, %u, %u, %uu},\n", step.code, step.jt, step.jf, step.k);
  std::printf("};\n");
}

void Print(const char* name, bool allows_ptrace, bool allows_nesting, bool listens) {
  Print(name, [&](const std::vector<int>* only) { return Make(allows_ptrace, allows_nesting, listens, only); });
}

// Its own errors should not bring down process 1, so what is not listed answers EPERM.
Program MakeGuard(const std::vector<int>* only) {
  Filter filter(SCMP_ACT_ERRNO(EPERM), only);
  for (const char* name : kGuardCalls) filter.Allow(name);
  for (const uint64_t request : {SECCOMP_IOCTL_NOTIF_RECV, SECCOMP_IOCTL_NOTIF_SEND, SECCOMP_IOCTL_NOTIF_ID_VALID}) {
    filter.Allow("ioctl", {SCMP_A1(SCMP_CMP_MASKED_EQ, kLow, request)});
  }
  filter.Add(SCMP_ACT_ERRNO(ENOSYS), "clone3");
  return filter.Export();
}

}  // namespace

int main() {
  std::printf("// Made by generate_seccomp; not to be edited.\n");
  Print("kDefaultFilter", false, false, false);
  Print("kPtraceFilter", true, false, false);
  Print("kNestedFilter", false, true, false);
  Print("kDefaultListeningFilter", false, false, true);
  Print("kPtraceListeningFilter", true, false, true);
  Print("kNestedListeningFilter", false, true, true);
  Print("kGuardFilter", MakeGuard);
  return 0;
}
