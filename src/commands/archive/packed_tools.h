// What the scripts around gzip, bzip2, xz and zstd have in common (zgrep, xzdiff, bzless …): which of the four a name stands for, and how
// it unpacks a file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"
#include "vfs/open_file.h"

namespace paddock {

enum class PackFamily { kGzip, kBzip2, kXz, kZstd };

// By the beginning of a command's name: "z", "bz", "xz" or "lz", "zstd".
PackFamily FamilyOf(std::string_view command_name);

// The command line that writes the plain bytes of a file ("-": of standard input) to standard output; a file that is not packed comes as it is.
std::vector<std::string> UnpackCommand(PackFamily family, const std::string& file);

// Whether a file's name says that it is packed.
bool HasPackedName(PackFamily family, std::string_view file);
// The name without that ending; "a.tgz" becomes "a.tar".
std::string WithoutPackedEnding(PackFamily family, std::string_view file);

// Runs what unpacks `file` to its end, or beside the caller.
Result<ExitStatus> Unpack(Invocation& in, PackFamily family, const std::string& file, vfs::OpenFilePtr out);
Result<int> SpawnUnpack(Invocation& in, PackFamily family, const std::string& file, vfs::OpenFilePtr out);

// The program's path as its script knows it, or its name.
std::string ScriptName(Invocation& in, const std::string& name);

}  // namespace paddock
