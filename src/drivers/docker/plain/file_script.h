// Scripts about files, and what they answer: shared by the file system and its open files.
//
// A script ends with 100 and a number of <errno.h> where it knows itself what is wrong; what a tool complains of is known by its wording.
#pragma once

#include <string>
#include <string_view>

#include "drivers/docker/plain/inside.h"
#include "vfs/attributes.h"

namespace paddock::docker {

// `exit` of a script, for a code.
std::string ExitWith(Code code);
// Runs it. Errors: what it says, without a message where that is the file's; kNotSupported for a missing tool; those of Inside.
Result<std::string> RunFileScript(Inside& inside, std::string_view script, size_t most = 64 << 10);
// What a script answered.
Result<std::string> Understand(Result<ShellChannel::Answer> answer);

// `stat` of a quoted path that prints what ParseAttributes() takes.
std::string StatCommand(const std::string& quoted, bool follows);
Result<vfs::Attributes> ParseAttributes(std::string_view line);
// "DEVICE:INODE", as `stat -c %d:%i` has it.
std::string IdentityOf(const vfs::Attributes& attributes);
vfs::FileType TypeOfMode(uint32_t mode);

}  // namespace paddock::docker
