#include "sandbox/result.h"

namespace paddock::sandbox {

const char* ReasonName(Termination::Reason reason) {
  switch (reason) {
    case Termination::Reason::kExit: return "exit";
    case Termination::Reason::kSignal: return "signal";
    case Termination::Reason::kOom: return "oom";
    case Termination::Reason::kPids: return "pids";
    case Termination::Reason::kCpu: return "cpu";
    case Termination::Reason::kTimeout: return "timeout";
    case Termination::Reason::kDisk: return "disk";
    case Termination::Reason::kOutputCap: return "output_cap";
    case Termination::Reason::kPolicy: return "policy";
    case Termination::Reason::kCancelled: return "cancelled";
    case Termination::Reason::kDepth: return "depth";
    case Termination::Reason::kDeadlock: return "deadlock";
    case Termination::Reason::kInfra: return "infra";
  }
  return "infra";
}

}  // namespace paddock::sandbox
