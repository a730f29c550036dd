// What zipnote and zipsplit have in common with zip: opening an archive with the words for one that is none, and the
// draft that becomes an archive when it is whole.
#pragma once

#include <memory>
#include <string>

#include "commands/archive/zip_file.h"
#include "proc/command.h"

namespace paddock::zip {

inline constexpr ExitStatus kToolInvalid = 3, kToolAborted = 9;

// "TOOL error: MESSAGE", which zipsplit writes to standard output and the others to standard error.
ExitStatus ToolError(Invocation& in, const std::string& message, ExitStatus status);
void ToolWarning(Invocation& in, const std::string& message);
// Why nothing could be copied from `archive` to an output: the archive is damaged, or the output takes no more.
ExitStatus ToolCopyError(Invocation& in, const std::string& archive, const Error& error);

// "Invalid command arguments (WHAT)".
ExitStatus BadWords(Invocation& in, const char* what);

// A word of the command line: letters of options, the archive (then it is in `file`), or the end of the run with `status`, all said.
enum class ToolWord { kLetters, kFile, kEnd };
ToolWord ReadToolWord(Invocation& in, const std::string& word, std::optional<std::string>& file, ExitStatus& status);
// -h, -v and -L: prints the help or the version. False for other letters.
bool TellToolFacts(Invocation& in, char letter);

// A status, said already, when it cannot be opened. `path` gets the ".zip" that it lacks.
ExitStatus OpenTool(Invocation& in, std::string& path, std::unique_ptr<ZipFile>& zip);

// A new file in `directory` (empty: the current one; else ends in a slash). `draft` is its path, also on an error.
Result<vfs::OpenFilePtr> OpenDraft(Invocation& in, const std::string& directory, std::string& draft);

}  // namespace paddock::zip
