// main() of the paddock program: builds the object graph and hands over to the subcommand.

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_meter.h"
#include "cli/cli.h"
#include "cli/foreground.h"
#include "commands/table.h"
#include "drivers/docker/docker_driver.h"
#include "drivers/oci/oci_driver.h"
#include "drivers/process/process_driver.h"
#include "drivers/virtual/virtual_driver.h"
#include "sandbox/driver_set.h"

namespace {

// What the caller closed is the null device: else the next file that is opened would stand as our stdin or stdout.
void OpenStandardDescriptors() {
  for (int standard = 0; standard < 3; ++standard) {
    if (fcntl(standard, F_GETFD) < 0 && open("/dev/null", O_RDWR) != standard) std::abort();
  }
}

}  // namespace

int main(int argc, char** argv) {
  OpenStandardDescriptors();
  std::signal(SIGPIPE, SIG_IGN);   // a reader of our output that goes away is an error of write(2), not death
  paddock::TuneAllocator();
  const std::vector<std::string> args(argv + 1, argv + argc);
  paddock::sandbox::DriverSet drivers;
  drivers.Add(paddock::sandbox::MakeVirtualDriver(paddock::AllCommands()));
  drivers.Add(paddock::sandbox::MakeProcessDriver());
  drivers.Add(paddock::docker::MakeDockerDriver({}, [](const char* name) -> const char* { return std::getenv(name); }));   // allow(getenv): documented variables
  drivers.Add(paddock::oci::MakeOciDriver({.name = "oci"}));
  drivers.Add(paddock::oci::MakeOciDriver({.name = "gvisor", .runtime = "runsc"}));
  const int status = paddock::cli::EndOutput(paddock::cli::Main(drivers, args));
#ifndef PADDOCK_SANITIZE
  // The kernel takes back faster what the destructors would: a tenth of a short run.
  std::fflush(nullptr);
  drivers.LetGo();
  _exit(status);
#endif
  return status;
}
