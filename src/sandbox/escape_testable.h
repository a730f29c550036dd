// EscapeTestable: a facet of a driver that can attack its own walls: built-in probes run inside, and what they reach is
// judged from outside.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace paddock::sandbox {

struct EscapeTest {
  policy::Policy policy;    // what is tested; its workspace is a directory of the test's own
  std::string workspace;    // empty, and may be filled; what lies beside it is hidden
  std::string home;         // of the user; some file is put there that must stay hidden
  bool is_control = false;  // without a wall, to show that the probes bite
  std::function<bool(std::string_view name)> selects;
};

struct EscapeFinding {
  enum class Outcome { kHeld, kEscaped, kNotApplicable };
  std::string name;     // theme/trick
  std::string trick;    // one line
  Outcome outcome = Outcome::kHeld;
  std::string detail;   // what refused it, what got out, or why it means nothing here
};

class EscapeTestable {
 public:
  virtual ~EscapeTestable() = default;
  // Runs the chosen probes; `on_finding` gets each as it is known. Errors: those of Create(), kUnavailable when the
  // stage cannot be set. Leaves nothing behind.
  virtual Status TestEscapes(const EscapeTest& test, const std::function<void(const EscapeFinding&)>& on_finding) = 0;
};

}  // namespace paddock::sandbox
