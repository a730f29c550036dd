// main() of the paddock program: builds the object graph and hands over to the subcommand.

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/memory_meter.h"
#include "cli/cli.h"
#include "commands/table.h"
#include "drivers/virtual/virtual_driver.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);   // a reader of our output that goes away is an error of write(2), not death
  paddock::TuneAllocator();
  const std::vector<std::string> args(argv + 1, argv + argc);
  const auto driver = paddock::sandbox::MakeVirtualDriver(paddock::AllCommands());
  const int status = paddock::cli::Main(*driver, args);
#ifndef PADDOCK_SANITIZE
  // The kernel takes back faster what the destructors would: a tenth of a short run.
  std::fflush(nullptr);
  _exit(status);
#endif
  return status;
}
