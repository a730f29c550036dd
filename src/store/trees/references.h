// What an object refers to, whatever its kind. For those that follow every reference: collection, checks, transfer.
#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "store/trees/object_id.h"

namespace paddock::trees {

using VisitReference = std::function<Status(ObjectKind kind, const ObjectId& id)>;

// Visits the references in a body in order; stops at the first error. Errors: kSyntax when it does not decode.
Status ForEachReference(ObjectKind kind, std::string_view body, const VisitReference& visit);

}  // namespace paddock::trees
