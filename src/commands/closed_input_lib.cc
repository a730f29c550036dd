#include "commands/closed_input.h"

#include <algorithm>

#include "proc/process.h"

namespace paddock {

ExitStatus CloseStandardInput(Invocation& in, const std::vector<std::string>& operands, ExitStatus status,
                              std::string_view subject) {
  const bool is_read = operands.empty() || std::find(operands.begin(), operands.end(), "-") != operands.end();
  if (!is_read || in.process.descriptors().Get(0) != nullptr) return status;
  return in.Fail(subject, Error(Code::kBadDescriptor));
}

}  // namespace paddock
