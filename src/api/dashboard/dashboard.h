// The dashboard: a page at / and its files, which are part of the program (web/, packed by CMake). It holds no data: what it shows, the page
// asks of /v1 with a key of its own. A program that was built without it (PADDOCK_DASHBOARD=OFF) answers / with a page that says so.
#pragma once

#include <span>
#include <string_view>

#include "net/exchange.h"

namespace paddock::api {

// One file of the page, compressed and not; both for the life of the program.
struct DashboardFile {
  std::string_view path;       // "/", "/dashboard/app.js"
  std::string_view type;       // of the content
  std::string_view etag;       // with its quotes; a digest of the content
  std::string_view content;
  std::string_view gzip;       // empty: not smaller
};

// Those of this program; empty: built without. Generated, or no_files.cc.
std::span<const DashboardFile> DashboardFiles();

// Answers a request for "/" or below "/dashboard/". False, and nothing done: the path is none of those.
bool ServeDashboard(net::Exchange& exchange, std::span<const DashboardFile> files = DashboardFiles());

}  // namespace paddock::api
