// A seccomp program that decides the same in fewer steps: what depends on the call's number alone is looked up by ranges of numbers.
// The kernel translates a program for every process that loads it, which takes as long as the program is.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace paddock::seccomp {

using Program = std::vector<sock_filter>;

// What a program answers, as the kernel would run it; nothing when it takes a step that libseccomp does not write. `looks` becomes true when
// the call's arguments were looked at.
std::optional<uint32_t> RunProgram(const Program& program, const seccomp_data& call, bool* looks = nullptr);

// Call numbers of this architecture on whose arguments `program` looks.
std::vector<int> CallsByArgument(const Program& program);

// `by_argument` answers for those as `program` does. Nothing when a sample of some hundred thousand calls finds that what comes out answers
// otherwise than `program`.
std::optional<Program> Compact(const Program& program, const Program& by_argument);

}  // namespace paddock::seccomp
