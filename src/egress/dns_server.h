// The name server inside: answers from the rules and asks nobody, so that names carry nothing out.
#pragma once

#include <string>
#include <string_view>

#include "egress/gate.h"

namespace paddock::egress {

// The answer to one message; empty when it deserves none. An allowed name has its mapped IPv4 address, and no IPv6 address
// (clients then use IPv4); a denied name does not exist; localhost is 127.0.0.1 and ::1.
std::string AnswerDns(Gate& gate, std::string_view message);

// Serves one bound UDP socket, or one TCP client, until it ends.
void ServeDnsDatagrams(Gate& gate, Socket& socket);
void ServeDnsClient(Gate& gate, Socket& socket);

}  // namespace paddock::egress
