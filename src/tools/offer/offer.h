// The tools, one file each or a few that belong together; capabilities name them (capability/built_in.cc).
#pragma once

#include "tools/tool.h"

namespace paddock::tools {

// Sandboxes.
extern const Tool kSandboxCreate;
extern const Tool kSandboxExec;
extern const Tool kSandboxReadFile;
extern const Tool kSandboxWriteFile;
extern const Tool kSandboxUpload;
extern const Tool kSandboxDownload;
extern const Tool kSandboxList;
extern const Tool kSandboxManage;
extern const Tool kSandboxProcessStart;
extern const Tool kSandboxProcessRead;
extern const Tool kSandboxProcessWrite;
extern const Tool kSandboxProcessSignal;
extern const Tool kSandboxProcessWait;
extern const Tool kSandboxEditFile;
extern const Tool kSandboxListFiles;
extern const Tool kSandboxSearch;
extern const Tool kSandboxSnapshot;
extern const Tool kSandboxFork;
extern const Tool kSandboxDiff;
// The session's own shell.
extern const Tool kBash;
// Session storage.
extern const Tool kReadFile;
extern const Tool kWriteFile;
extern const Tool kEditFile;
extern const Tool kListDirectory;
extern const Tool kGrepFiles;
extern const Tool kDeleteFile;
extern const Tool kStatFile;
extern const Tool kKvStore;

}  // namespace paddock::tools
