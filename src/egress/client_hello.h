// The first message of a TLS client (RFC 8446 §4.1.2), as far as the name in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::egress {

struct ClientHello {
  std::optional<std::string> server_name;   // as it came; absent without the extension
  bool has_encrypted_hello = false;         // ECH or its older form: the true name is hidden, or a dummy (GREASE) is sent
  std::vector<std::string> protocols;       // offered by ALPN ("h2", "http/1.1"); empty without the extension
};

constexpr size_t kMostHelloBytes = 64 << 10;

// Reads it from the start of a stream, over one or more records. Nothing when it is not complete yet. Errors: kInvalid for
// what is no ClientHello, kLimit for one above kMostHelloBytes. An extension that comes twice and a list of several names are
// errors.
Result<std::optional<ClientHello>> ParseClientHello(std::string_view bytes);

}  // namespace paddock::egress
