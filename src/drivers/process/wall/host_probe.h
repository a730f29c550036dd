// The host probe: does, one by one, what the launcher does to build a wall, and reports how far this host lets it.
//
// It runs as `paddock-guest probe`, because what a host allows can depend on the program that asks (AppArmor profiles name
// programs). Lines on `output`: "STEP ERRNO TEXT\n", errno 0 for what works. Nothing is left behind.
#pragma once

#include <string>

namespace paddock::process_wall {

// `directory` is one whose owners are to be remapped when the caller is root. Returns the program's exit status.
int ProbeHost(int output, const std::string& directory);

}  // namespace paddock::process_wall
