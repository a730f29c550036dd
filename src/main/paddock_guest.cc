// main of paddock-guest, the init of every real wall: paddock-guest [INPUT_FD [OUTPUT_FD]], by default 0 and 1. One number
// is for both ways. "paddock-guest answers" speaks on 0 and 1, and only when it is spoken to. "paddock-guest walls" forks walls
// for a driver (drivers/process/wall/zygote.h); "paddock-guest probe DIR" tries what this host allows of it (drivers/process/wall/host_probe.h).
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "drivers/process/wall/host_probe.h"
#include "drivers/process/wall/launcher.h"
#include "drivers/process/wall/zygote.h"
#include "guest/agent/agent.h"

namespace {

bool ParseDescriptor(const char* text, int& fd) {
  const char* end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, fd);
  return parsed.ec == std::errc() && parsed.ptr == end && fd >= 0;
}

}  // namespace

int main(int argc, char** argv) {
  paddock::guest::AgentOptions options;
  if (argc == 2 && std::strcmp(argv[1], "walls") == 0) {
    if (!paddock::process_wall::RunZygote()) return 1;
    options.input_fd = options.output_fd = paddock::process_wall::kControlDescriptor;
    options.is_init = true;
    return paddock::guest::RunAgent(options);
  }
  if (argc == 3 && std::strcmp(argv[1], "probe") == 0) return paddock::process_wall::ProbeHost(1, argv[2]);
  options.greets_second = argc == 2 && std::strcmp(argv[1], "answers") == 0;
  if (options.greets_second) argc = 1;
  bool is_valid = argc <= 3;
  if (argc > 1 && is_valid) {
    is_valid = ParseDescriptor(argv[1], options.input_fd);
    options.output_fd = options.input_fd;
  }
  if (argc > 2 && is_valid) is_valid = ParseDescriptor(argv[2], options.output_fd);
  if (!is_valid) {
    constexpr char kUsage[] = "usage: paddock-guest [INPUT_FD [OUTPUT_FD]] | answers | walls | probe DIR\n";
    (void)!write(2, kUsage, sizeof kUsage - 1);
    return 2;
  }
  options.is_init = getpid() == 1;
  return paddock::guest::RunAgent(options);
}
