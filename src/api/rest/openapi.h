// The OpenAPI 3.1 document of the operations, made from their table.
#pragma once

#include "api/rest/operation.h"

namespace paddock::api {

json::object OpenApi(std::span<const Operation> operations, const std::string& version);

}  // namespace paddock::api
