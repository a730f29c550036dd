#include "guest/client/failure.h"

namespace paddock::guest {

Error ErrorOf(const Failure& failure, std::string_view what) {
  Code code = static_cast<Code>(failure.error_number);
  std::string reason(CodeText(code));
  if (failure.error_number <= 0 || failure.error_number >= 1000 || reason == "unknown error") {
    code = Code::kIo;
    reason = "error " + std::to_string(failure.error_number);
  }
  std::string text(what);
  if (failure.step != Step::kNone) text += std::string(": ") + StepName(failure.step);
  text += ": " + (failure.text.empty() ? reason : failure.text);
  return {code, text};
}

}  // namespace paddock::guest
