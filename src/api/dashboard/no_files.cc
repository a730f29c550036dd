// In the place of the generated table in a program without the dashboard.
#ifndef PADDOCK_HAS_DASHBOARD
#include "api/dashboard/dashboard.h"

namespace paddock::api {

std::span<const DashboardFile> DashboardFiles() { return {}; }

}  // namespace paddock::api
#endif
