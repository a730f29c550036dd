#include "seccomp/runtime_profile.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "seccomp/calls.h"

namespace paddock::seccomp {
namespace {

// The kernel looks at the low half of int arguments only, so a filter must, too.
constexpr uint64_t kLow = 0xffffffff;

constexpr uint64_t kNamespaceFlags = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                                     CLONE_NEWPID | CLONE_NEWNET | 0x80 /* CLONE_NEWTIME */;

// In neither list of the table: the process wall answers ENOSYS by its default.
constexpr const char* kAbsentCalls[] = {
    "clone3", "io_cancel", "io_destroy", "io_getevents", "io_pgetevents", "io_setup", "io_submit", "memfd_secret", "openat2",
};

// Holds when (argument & mask) == value.
struct Condition {
  unsigned argument;
  uint64_t mask, value;
};

constexpr const char* kAllow = "SCMP_ACT_ALLOW";

class Text {
 public:
  explicit Text(const char* architecture) {
    text_ = "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":" + std::to_string(ENOSYS) + ",\"architectures\":[\"" + architecture + "\"],\"syscalls\":[";
  }
  // A rule for all of `names`; its conditions are about different arguments and hold together.
  void Allow(const std::vector<std::string>& names, const std::vector<Condition>& conditions = {}) { Rule(names, 0, conditions); }
  void Refuse(const std::vector<std::string>& names, int error, const std::vector<Condition>& conditions = {}) { Rule(names, error, conditions); }
  std::string Finish() { return text_ + "]}"; }

 private:
  void Rule(const std::vector<std::string>& names, int error, const std::vector<Condition>& conditions) {
    if (!is_first_) text_ += ',';
    is_first_ = false;
    text_ += "{\"names\":[";
    for (size_t i = 0; i < names.size(); ++i) text_ += (i == 0 ? "\"" : ",\"") + names[i] + "\"";
    text_ += std::string("],\"action\":\"") + (error == 0 ? kAllow : "SCMP_ACT_ERRNO") + "\"";
    if (error != 0) text_ += ",\"errnoRet\":" + std::to_string(error);
    if (!conditions.empty()) text_ += ",\"args\":[";
    for (size_t i = 0; i < conditions.size(); ++i) {
      text_ += (i == 0 ? "{\"index\":" : ",{\"index\":") + std::to_string(conditions[i].argument) + ",\"value\":" + std::to_string(conditions[i].mask) +
               ",\"valueTwo\":" + std::to_string(conditions[i].value) + ",\"op\":\"SCMP_CMP_MASKED_EQ\"}";
    }
    text_ += conditions.empty() ? "}" : "]}";
  }
  std::string text_;
  bool is_first_ = true;
};

// Allows `name` unless the low half of the argument is one of `values`: libseccomp drops a call's conditions once it is allowed as a whole,
// so that all other values are covered by the prefixes that none of `values` begins with.
void AllowBut(Text& text, const char* name, unsigned argument, const std::vector<uint32_t>& values) {
  std::vector<uint32_t> covered;
  for (int bits = 1; bits <= 32; ++bits) {
    const auto mask = static_cast<uint32_t>(kLow << (32 - bits));
    for (const uint32_t value : values) {
      const uint32_t sibling = (value ^ (1u << (32 - bits))) & mask;
      const auto begins = [&](uint32_t other) { return (other & mask) == sibling; };
      if (std::any_of(values.begin(), values.end(), begins) || std::find(covered.begin(), covered.end(), sibling) != covered.end()) continue;
      text.Allow({name}, {{argument, mask, sibling}});
      covered.push_back(sibling);
    }
    covered.clear();
  }
  for (const uint32_t value : values) text.Refuse({name}, EPERM, {{argument, kLow, value}});
}

// Every bit of `bits` unset in the argument's low half.
void AllowWithoutBits(Text& text, const std::vector<std::string>& names, unsigned argument, uint64_t bits) {
  text.Allow(names, {{argument, bits, 0}});
  for (uint64_t bit = 1; bit <= bits; bit <<= 1) {
    if ((bits & bit) != 0) text.Refuse(names, EPERM, {{argument, bit, bit}});
  }
}

void AddSockets(Text& text) {
  constexpr uint64_t kType = 0xf;   // the rest are flags
  text.Allow({"socket", "socketpair"}, {{0, kLow, AF_UNIX}});
  // Transport protocols of every day; raw, SCTP, MPTCP, AF_VSOCK and the rest are kernel surface that nobody needs here.
  for (const uint64_t family : {AF_INET, AF_INET6}) {
    for (const uint64_t protocol : {IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP}) {
      for (const uint64_t type : {SOCK_STREAM, SOCK_DGRAM}) text.Allow({"socket"}, {{0, kLow, family}, {1, kType, type}, {2, kLow, protocol}});
    }
    text.Refuse({"socket"}, EPERM, {{0, kLow, family}, {1, kType, SOCK_RAW}});
  }
  text.Refuse({"socket"}, EPERM, {{0, kLow, AF_PACKET}});
  text.Allow({"socket"}, {{0, kLow, AF_NETLINK}, {2, kLow, NETLINK_ROUTE}});
}

void AddModes(Text& text) {
  constexpr uint64_t kSetId = S_ISUID | S_ISGID;
  // The mode counts only where the call can create; elsewhere the register holds anything.
  constexpr uint64_t kCreates = uint64_t{O_CREAT} | (uint64_t{O_TMPFILE} & ~uint64_t{O_DIRECTORY});
  AllowWithoutBits(text, {"chmod", "fchmod", "creat", "mknod"}, 1, kSetId);
  AllowWithoutBits(text, {"fchmodat", "fchmodat2", "mknodat"}, 2, kSetId);
  struct Opening {
    const char* name;
    unsigned flags;
  };
  for (const auto& [name, flags] : {Opening{"open", 1}, {"openat", 2}}) {
    text.Allow({name}, {{flags, kCreates, 0}});
    text.Allow({name}, {{flags + 1, kSetId, 0}});
    for (const uint64_t bit : {S_ISUID, S_ISGID}) {
      for (const uint64_t creates : {uint64_t{O_CREAT}, uint64_t{O_TMPFILE} & ~uint64_t{O_DIRECTORY}}) {
        text.Refuse({name}, EPERM, {{flags, creates, creates}, {flags + 1, bit, bit}});
      }
    }
  }
}

const char* ArchitectureName(std::string_view machine) {
#if defined(__x86_64__)
  constexpr std::string_view kOwn = "x86_64";
#else
  constexpr std::string_view kOwn = "aarch64";
#endif
  if (machine.empty()) machine = kOwn;
  if (machine == "x86_64" || machine == "amd64") return "SCMP_ARCH_X86_64";
  if (machine == "aarch64" || machine == "arm64") return "SCMP_ARCH_AARCH64";
  return nullptr;
}

template <size_t Count>
bool IsOneOf(const char* const (&list)[Count], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

}  // namespace

std::string MakeRuntimeProfile(const RuntimeProfile& profile) {
  const char* const architecture = ArchitectureName(profile.architecture);
  if (architecture == nullptr) return "";
  Text text(architecture);
  constexpr const char* kByMode[] = {"chmod", "creat", "fchmod", "fchmodat", "fchmodat2", "mknod", "mknodat", "open", "openat"};
  constexpr const char* kByArgument[] = {"clone", "ioctl", "unshare"};
  std::vector<std::string> allowed, refused, absent;
  for (const char* name : kAllowedCalls) {
    if (IsOneOf(kByArgument, name) || (!profile.allows_set_id && IsOneOf(kByMode, name))) continue;
    allowed.emplace_back(name);
  }
  for (const char* name : kRefusedCalls) (profile.allows_ptrace && IsOneOf(kPtraceCalls, name) ? allowed : refused).emplace_back(name);
  for (const char* name : kAbsentCalls) absent.emplace_back(name);
  text.Allow(allowed);
  text.Refuse(refused, EPERM);
  text.Refuse(absent, ENOSYS);
  AllowWithoutBits(text, {"clone", "unshare"}, 0, kNamespaceFlags);
  AllowBut(text, "ioctl", 1, {TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS});
  if (!profile.allows_set_id) AddModes(text);
  AddSockets(text);
  for (const uint64_t persona : {uint64_t{PER_LINUX}, uint64_t{0xffffffff}, uint64_t{ADDR_NO_RANDOMIZE}}) text.Allow({"personality"}, {{0, kLow, persona}});
  return text.Finish();
}

}  // namespace paddock::seccomp
