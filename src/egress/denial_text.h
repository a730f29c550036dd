// What a client inside is told: what was denied, by which rule, how to ask. Plain text, for people and models alike.
#pragma once

#include <string>
#include <string_view>

#include "egress/gate.h"

namespace paddock::egress {

// `what`: "GET http://example.org/", "CONNECT example.org:443".
std::string RefusalText(std::string_view what, const Destination& to, const Refusal& refusal);

// A whole HTTP/1.1 answer with that text. 403 for a denial, 502 for a failure.
std::string RefusalResponse(std::string_view text, const Refusal& refusal, bool keep_alive, bool has_body);
// For requests that cannot be read.
std::string BadRequestResponse(std::string_view reason);

// The TLS record with the fatal alert access_denied.
std::string_view TlsAccessDenied();
// The same with no_application_protocol.
std::string_view TlsNoProtocol();

}  // namespace paddock::egress
