# Writes OUTPUT: the table of git's subcommands, out of the lines "const Subcommand kNAME = " of FOLDER. Unchanged, it is left alone.
file(GLOB_RECURSE files ${FOLDER}/*_lib.cc)
set(names "")
foreach(file ${files})
  file(STRINGS ${file} lines REGEX "^const Subcommand k[A-Za-z]+ = ")
  foreach(line ${lines})
    string(REGEX REPLACE "^const Subcommand (k[A-Za-z]+) = .*" "\\1" name "${line}")
    list(APPEND names ${name})
  endforeach()
endforeach()
list(SORT names)
set(declarations "")
set(entries "")
foreach(name ${names})
  string(APPEND declarations "extern const Subcommand ${name};\n")
  string(APPEND entries "    &${name},\n")
endforeach()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
"// Generated from the files of src/commands/git.
#include \"commands/git/subcommands.h\"

namespace paddock::git {

${declarations}
std::span<const Subcommand* const> AllSubcommands() {
  static constexpr const Subcommand* kAll[] = {
${entries}  };
  return kAll;
}

}  // namespace paddock::git
")
