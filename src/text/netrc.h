// .netrc: names and passwords of hosts.
//
// Source: the manual of inetutils, "The .netrc file"; curl 7.88.1 for quotes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace paddock {

struct NetrcLogin {
  std::string name, password;
};
// The entry of a host in the file's text, or its default; `name` empty: any, else the one with that login.
std::optional<NetrcLogin> FindNetrcLogin(std::string_view text, std::string_view host, std::string_view name, Budget& budget);

}  // namespace paddock
