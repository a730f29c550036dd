// File operations that are one answer to one request.
#pragma once

#include <sys/stat.h>

#include <string>

#include "guest/protocol/file_messages.h"

namespace paddock::guest {

FileStat StatOf(const struct stat& stat);

// Does what is asked but removing whole directories (see remove_stream.h). 0, with the reply's payload, or an errno.
int DoFileCall(const FileRequest& request, std::string& reply);

// Makes the directories above `path`, as mkdir -p. 0 or an errno.
int MakeParents(const std::string& path);

}  // namespace paddock::guest
