// Policy documents from the host's files.
#pragma once

#include <functional>
#include <string>

#include "policy/context.h"
#include "policy/policy.h"

namespace paddock::policy {

// The policy of the document at `path` and of those it extends. A policy is never read from inside the tree that it
// confines: a document is refused that lies, symlinks resolved, below a path that the resulting policy makes writable, that
// somebody but root or the caller can write, or that is no regular file. `amend` may change the policy before that is checked: what options of a
// command line add. Errors: its own, those of ParsePolicy(), and kAccess for
// the refusals, kNoEntry and so on with the path in the message.
Result<Policy> LoadPolicy(const std::string& path, const HostContext& context, const std::function<Status(Policy&)>& amend = {});

// `path` with symlinks resolved as far as it exists, the rest as written. For questions about paths.
Result<std::string> ResolvePath(const std::string& path);

}  // namespace paddock::policy
