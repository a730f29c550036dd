// TellsDenials: a facet of a sandbox, beside those of sandbox.h.
#pragma once

#include <functional>
#include <string>

namespace paddock::sandbox {

// Facet: what its policy refuses is told as it happens.
class TellsDenials {
 public:
  virtual ~TellsDenials() = default;
  // Calls `listener` with a line for each denial from now on, on threads of the sandbox's, which its end waits for; in place of the listener
  // before. Any thread.
  virtual void TellDenials(std::function<void(const std::string& line)> listener) = 0;
};

}  // namespace paddock::sandbox
