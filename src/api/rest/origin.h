// Which site's page a browser sends a request for.
#pragma once

#include "net/request.h"

namespace paddock::api {

// Whether a page of another site sends it, or one that a browser does not name ("null"): its Origin is not what was asked, host and port.
// What is no browser sends none.
bool IsOfAnotherSite(const net::Request& request);

// Whether it is refused to such a page: it changes something, or opens a WebSocket. Reading is the browser's to forbid: no answer allows it.
bool IsForged(const net::Request& request);

}  // namespace paddock::api
