#include "sandbox/diagnosis.h"

namespace paddock::sandbox {

const char* StateName(Check::State state) {
  switch (state) {
    case Check::State::kWorks: return "works";
    case Check::State::kLimited: return "limited";
    case Check::State::kMissing: return "missing";
  }
  return "unknown";
}

}  // namespace paddock::sandbox
