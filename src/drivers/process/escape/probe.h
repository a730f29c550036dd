// Probe: one trick that code behind a wall may try. Probes run inside, one a process, as the program paddock-escape; the
// stage outside (escape_stage.h) holds what they reach for and judges what it can see from there.
//
// Harmless by construction, since the control runs them without a wall: what is written back is what was read, calls that
// would act get arguments that cannot, bombs are bounded, and whatever is made is removed.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace paddock::escape {

// What the stage tells a probe: names and numbers, never the secrets that they lead to.
class Facts {
 public:
  explicit Facts(std::span<char* const> arguments);   // NAME=VALUE each
  // Empty if there is none.
  std::string Text(std::string_view name) const;
  int64_t Number(std::string_view name) const;
  // The control: there is no wall.
  bool is_control() const { return Number("control") == 1; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

enum class Outcome { kHeld = 0, kEscaped = 3, kNotApplicable = 4 };   // the exit status, too

struct Verdict {
  Outcome outcome = Outcome::kHeld;
  std::string text;   // what was read, refused or missing
};

Verdict Held(std::string text);
Verdict Escaped(std::string text);
Verdict NotApplicable(std::string text);
// For calls that return -1 and set errno: success is an escape.
Verdict Judge(std::string_view what, long result);
// For calls with arguments that cannot succeed: any answer but EPERM, EACCES and ENOSYS shows that the right is there.
Verdict JudgeRight(std::string_view what, long result);

enum class Needs {
  kNothing,
  kNoPtrace,    // means something only where the policy does not grant debugging
  kNoNesting,   // … nor sandboxes in the sandbox
  kLimits,      // runs in a sandbox of its own with small limits; without a wall there are none
  kEnd,         // judged outside, after the sandbox has ended
};

struct Probe {
  const char* name;     // theme/trick
  const char* trick;    // what is tried, in one line
  Verdict (*run)(const Facts& facts);
  Needs needs = Needs::kNothing;
  const char* target = nullptr;   // below the workspace: where the mark may not be in the end
};

std::span<const Probe> FileProbes();
std::span<const Probe> ProcessProbes();
std::span<const Probe> IpcProbes();
std::span<const Probe> KernelProbes();
std::span<const Probe> NetworkProbes();
std::span<const Probe> NameProbes();
std::span<const Probe> LimitProbes();

// All of them, by theme.
std::span<const Probe* const> AllProbes();

}  // namespace paddock::escape
