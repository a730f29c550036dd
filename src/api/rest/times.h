// Times in queries.
#pragma once

#include <optional>
#include <string>

#include "registry/entry/lease.h"

namespace paddock::api {

// "2026-11-22T06:10:47.123Z", with an offset in place of Z, or the day alone; none for an empty text. Errors: kInvalid, names the field.
Result<std::optional<registry::Time>> TimeOf(const char* field, const std::string& text);

}  // namespace paddock::api
