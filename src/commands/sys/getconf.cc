// getconf - query system configuration variables
//
// usage: getconf [-v SPECIFICATION] VARIABLE [PATHNAME]
//        getconf -a [PATHNAME]
//
// Exit status: 0; 2 for a variable that is not known or a wrong use, 3 for a path that is not there.
// Source: POSIX getconf, glibc 2.36.
// Differs: limits on processes, descriptors, memory and processors are the sandbox's; caches of the processor show 0;
// -a looks at no path.

#include <cstdio>

#include "commands/sys/getconf_table.h"
#include "proc/command.h"
#include "proc/process.h"

namespace paddock {
namespace {

constexpr uint64_t kPageBytes = 4096;

ExitStatus Usage(Invocation& in) {
  in.err.Write("Usage: getconf [-v specification] variable_name [pathname]\n       getconf -a [pathname]\n");
  return 2;
}

// How often a line of a file in /proc begins with `name`, or the number in the first one.
uint64_t FromProc(Invocation& in, const char* path, std::string_view name, bool counts) {
  const auto text = vfs::ReadFile(in.fs, path, 1 << 20);
  uint64_t found = 0;
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    in.budget.Step();
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.starts_with(name)) {
      if (!counts) {
        for (const char c : line) {
          if (c >= '0' && c <= '9') found = found * 10 + static_cast<uint64_t>(c - '0');
        }
        return found;
      }
      ++found;
    }
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return found;
}

// The value, or nothing when it is undefined.
std::optional<std::string> ValueOf(Invocation& in, const Variable& variable) {
  const Limits& limits = in.budget.limits();
  switch (variable.kind) {
    case Variable::kProcesses: return limits.processes == kUnlimited ? std::optional<std::string>() : std::to_string(limits.processes);
    case Variable::kDescriptors: return std::to_string(proc::kMaxDescriptors);
    case Variable::kPages: return std::to_string(FromProc(in, "/proc/meminfo", "MemTotal:", false) * 1024 / kPageBytes);
    case Variable::kFreePages: return std::to_string(FromProc(in, "/proc/meminfo", "MemFree:", false) * 1024 / kPageBytes);
    case Variable::kProcessors: return std::to_string(std::max<uint64_t>(1, FromProc(in, "/proc/cpuinfo", "processor", true)));
    default: break;
  }
  if (variable.value == nullptr) return std::nullopt;
  return variable.value;
}

ExitStatus PrintAll(Invocation& in) {
  for (const Variable& variable : ConfigurationVariables()) {
    in.budget.Step();
    char name[64];
    std::snprintf(name, sizeof name, "%-35s", variable.name);
    in.out.WriteLine(name + ValueOf(in, variable).value_or(""));
  }
  return 0;
}

ExitStatus Run(Invocation& in) {
  std::vector<std::string> words(in.args.begin() + 1, in.args.end());
  if (!words.empty() && words[0] == "--help") return in.out.Write(HelpText(in.command, in.name())), 0;
  if (!words.empty() && words[0] == "--version") return in.out.Write(VersionText(in.command, in.name())), 0;
  if (!words.empty() && words[0] == "-a") return words.size() > 2 ? Usage(in) : PrintAll(in);
  if (!words.empty() && words[0].starts_with("-v")) {
    // There is one compilation environment; its specification only has to be there.
    const size_t taken = words[0].size() > 2 ? 1 : 2;
    if (words.size() < taken) return Usage(in);
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  if (!words.empty() && words[0] == "--") words.erase(words.begin());
  if (words.empty() || words.size() > 2) return Usage(in);
  for (const Variable& variable : ConfigurationVariables()) {
    if (words[0] != variable.name) continue;
    if ((variable.kind == Variable::kPath) != (words.size() == 2)) return Usage(in);
    if (words.size() == 2) {
      if (const auto found = in.fs.Stat(words[1]); !found) {
        // Only what depends on the file looks at it; all of the answers here are the same everywhere.
        return in.Fail("pathconf: " + words[1], found.error(), 3);
      }
    }
    in.out.WriteLine(ValueOf(in, variable).value_or("undefined"));
    return 0;
  }
  return in.Fail("Unrecognized variable `" + words[0] + "'", 2);
}

}  // namespace

extern const Command kCommand_getconf;
const Command kCommand_getconf = {
    .name = "getconf",
    .summary = "query system configuration variables",
    .synopsis = "[-v SPEC] VAR\n[-v SPEC] PATH_VAR PATH\n-a [PATH]",
    .usage_status = 2,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
