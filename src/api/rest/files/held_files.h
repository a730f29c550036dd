// The files of the sandbox that a call is about, for as long as the call needs them.
#pragma once

#include <functional>

#include "api/rest/files/upload.h"
#include "api/rest/operation.h"

namespace paddock::api {

// kInvalid for what is no absolute path of at most 4095 bytes without NUL.
Status CheckFilePath(const std::string& path, const char* field = "path");
// "PATH: " in front of what went wrong, the path cut and harmless.
Error AboutFile(const std::string& path, const Error& error);

// All wait up to half a minute for others that have the sandbox. Errors: those of Registry::Files().

Result<registry::HeldFiles> HoldFiles(Call& call);
// To read at the client's pace (Registry::FrozenFiles).
Result<registry::HeldFiles> HoldFrozen(Call& call);
// To write what the client sends, at most `most` bytes, and not much more than the sandbox's disk takes. Where others would wait meanwhile, it is all
// received before; before that, `check` says what cannot be written anyway.
Result<registry::HeldFiles> HoldToWrite(Call& call, Upload& upload, uint64_t most, const std::function<Status(vfs::FileSystem&)>& check);

}  // namespace paddock::api
