#include "sandbox/tells_posture.h"

#include <cinttypes>
#include <cstdio>

namespace paddock::sandbox {

std::string CapabilityText(uint64_t capabilities) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, capabilities);
  return text;
}

}  // namespace paddock::sandbox
