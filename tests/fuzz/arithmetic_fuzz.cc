// Fuzz target of arithmetic: any text compiles and evaluates, or fails with a message, within the budget;
// texts that the shell stores as values evaluate to themselves again.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "shell/expand/arithmetic.h"
#include "shell/state/assign.h"
#include "shell/shell_for_test.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock::shell;
  const std::string text(reinterpret_cast<const char*>(data), size);
  WithShell([&](Shell& shell) {
    AssignScalar(shell, Name("x"), "y + 1");
    AssignScalar(shell, Name("y"), "3");
    AssignScalar(shell, Name("r"), "r");
    AssignIndex(shell, Name("a"), 2, "5");
    shell.variables.Obtain(Name("m")).attributes |= kAssociative;
    const auto value = EvaluateText(shell, text);
    if (!value) return;
    const auto again = EvaluateText(shell, std::to_string(*value));
    PADDOCK_CHECK(again && *again == *value);
  });
  return 0;
}
