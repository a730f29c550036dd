// Diagnosable: a facet of a driver that can say what this host gives it, part by part, and what to do about the rest.
#pragma once

#include <string>
#include <vector>

namespace paddock::sandbox {

struct Check {
  enum class State {
    kWorks,
    kLimited,   // sandboxes can be had; what is weaker stands in `detail`
    kMissing,   // no sandbox can be had
  };
  std::string name;     // of the part: "user namespaces"
  State state = State::kWorks;
  std::string detail;   // what was found, one line
  std::string remedy;   // what to do; may have several lines to paste; empty if it works
};

const char* StateName(Check::State state);

class Diagnosable {
 public:
  virtual ~Diagnosable() = default;
  // Tries everything that a sandbox needs, on the host, and leaves nothing behind. Takes up to a few seconds.
  virtual std::vector<Check> Diagnose() = 0;
  // It stands on what the host may have or not (an engine, a runtime), and a sandbox may have to be fetched: its parts are looked at, none
  // is made, and that it is missing is no fault of the host.
  virtual bool is_optional() const { return false; }
};

}  // namespace paddock::sandbox
