#include "lang/awk/extension_library.h"

#include <string>

namespace paddock::awk {
namespace {

// The blank lines put the calls where gawk's own file has them, because complaints name the line.
constexpr std::string_view kInplace = R"(# Edits files in place: what is printed while a file is read takes its place.
# INPLACE_SUFFIX (or inplace::suffix) names a backup; inplace::enable=0 leaves what follows alone.

@load "inplace"




















































@namespace "inplace"
BEGIN { enable = 1 }
BEGINFILE { if (filename != "") end(filename, Backup()); filename = enable ? FILENAME : ""; if (filename != "") begin(filename, Backup()) }





function Backup() { return suffix != "" ? suffix : awk::INPLACE_SUFFIX }
END { if (filename != "") end(filename, Backup()) }
)";

}  // namespace

std::string_view BuiltInProgram(std::string_view path) {
  for (const std::string_view name : {"inplace", "inplace.awk", "/usr/share/awk/inplace.awk"}) {
    if (path == name) return kInplace;
  }
  return {};
}

}  // namespace paddock::awk
