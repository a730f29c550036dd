// A state as one file, to carry it to another daemon:
//
//   paddock snapshot 1
//   ISOLATION SHELL_BYTES SHA256_OF_THE_SHELL
//   the shell's bytes (docs/persistence.md), then the files as docs/store-format.md tells under "A tree as one file"
//
// A state that lies upon a template's files holds those, too, so that it needs nothing of the daemon that it comes from: the first line is
// "paddock snapshot 2", and the files and then the template's are each in pieces, a length in 4 bytes (the highest first) before each; length 0
// ends them.
#pragma once

#include <string>

#include "base/stream.h"
#include "registry/states/saved_state.h"

namespace paddock::registry {

struct StateFile {
  SavedState state;        // held by the session
  std::string isolation;
};

Status WriteStateFile(trees::Store& store, const SavedState& state, const std::string& isolation, ByteSink& out);
// Believed in nothing. The totals hold what lies below, too. Errors: kSyntax, kLimit (more than 1,000,000 files, 4 GiB or a shell of 64 MiB; of
// the template's, 1,000,000 files or 16 GiB), those of `in` and of the store.
Result<StateFile> ReadStateFile(trees::Session& session, ByteSource& in);

}  // namespace paddock::registry
