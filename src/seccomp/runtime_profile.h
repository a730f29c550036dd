// The seccomp profile of containers as container runtimes take it: one JSON text that is at once Docker's and Podman's profile and the
// "linux.seccomp" of an OCI bundle. What it decides is what the process wall's filter decides, from the same table (calls.h): default deny with
// ENOSYS, as on a kernel without the call; what is known and dangerous answers EPERM.
#pragma once

#include <string>
#include <string_view>

namespace paddock::seccomp {

struct RuntimeProfile {
  // The machine's: "x86_64" or "aarch64", also as engines say it ("amd64", "arm64"); empty: this program's. Calls of other
  // architectures end the thread.
  std::string_view architecture;
  bool allows_ptrace = false;   // debuggers work on processes inside
  // Modes with set-id bits can be given to files. Only where nobody but root reaches them from the host: package managers need it.
  bool allows_set_id = false;
};

// The profile's text, one line. Runtimes older than "defaultErrnoRet" (Docker 20.10) answer EPERM for a call that is not named; those that
// programs try first and do without are therefore named. Some rules then say what the default says; runtimes pass over those. Empty for an
// architecture that is not known.
// Source: opencontainers/runtime-spec, config-linux.md, "Seccomp".
std::string MakeRuntimeProfile(const RuntimeProfile& profile);

}  // namespace paddock::seccomp
