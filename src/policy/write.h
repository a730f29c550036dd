// A policy as a document again: what `paddock policy show` prints.
#pragma once

#include <string>

#include "policy/document.h"
#include "policy/policy.h"

namespace paddock::policy {

// A document that extends nothing and, read with the same context, gives the same rules, but for their origins, for the
// password of an upstream proxy (shown as ***) and for a secret whose value was given directly (left out).
Value ToDocument(const Policy& policy);

std::string JsonText(const Value& document);   // one line, without line feed
std::string TomlText(const Value& document);   // with line feed

// An upstream proxy's text without its password.
std::string UpstreamText(const std::string& proxy);

}  // namespace paddock::policy
