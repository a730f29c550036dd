// That what runs is what was asked for: runtimes are programs of others, whose word is not enough.
#pragma once

#include <sys/types.h>

#include "base/result.h"
#include "drivers/oci/bundle.h"

namespace paddock::oci {

// Of a container's init on the host: ids without rights that are not the host's, no capabilities, no new ones, a seccomp filter, every
// namespace its own, and the stream with the inode number `stream` as its stdin: no other process. Errors: kUnavailable naming what is not so.
Status VerifyInit(pid_t init, const BundleSpec& asked, ino_t stream);

}  // namespace paddock::oci
