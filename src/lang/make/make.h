// make: reads makefiles and brings targets up to date, as GNU make 4.3 does.
#pragma once

#include "lang/make/host.h"
#include "lang/make/session.h"

namespace paddock::make {

// Runs make with these settings; the exit status. `again` is set when makefiles were remade and all has to be read anew.
int Run(const Settings& settings, Host& host, bool* again);

}  // namespace paddock::make
