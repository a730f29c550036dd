// BringsCommands: facet of a driver that has its own programs instead of those of a machine.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/options.h"

namespace paddock::sandbox {

// A program that every sandbox of the driver has. The texts and the table are the program's own and live as long as it.
struct CommandFacts {
  std::string name;
  std::vector<std::string> aliases;
  std::string summary;              // one line
  std::string synopsis;             // what follows the name; alternatives are lines
  std::span<const Option> options;  // empty for a program that reads its arguments by itself
  std::string help;                 // as its --help prints it
  bool needs_network = false;       // only in sandboxes whose policy allows hosts
};

class BringsCommands {
 public:
  virtual ~BringsCommands() = default;
  // By name.
  virtual std::vector<CommandFacts> Commands() const = 0;
};

}  // namespace paddock::sandbox
