// The files of the sandbox that a call is about, for as long as the call needs them.
#pragma once

#include <functional>

#include "api/rest/operation.h"
#include "api/rest/upload.h"

namespace paddock::api {

// All wait up to half a minute for others that have the sandbox. Errors: those of Registry::Files().

Result<registry::HeldFiles> Hold(Call& call);
// To read at the client's pace (Registry::FrozenFiles).
Result<registry::HeldFiles> HoldFrozen(Call& call);
// To write what the client sends, at most `most` bytes, and not much more than the sandbox's disk takes. Where others would wait meanwhile, it is all
// received before; before that, `check` says what cannot be written anyway.
Result<registry::HeldFiles> HoldToWrite(Call& call, Upload& upload, uint64_t most, const std::function<Status(vfs::FileSystem&)>& check);

}  // namespace paddock::api
