// readarray - reads lines into an indexed array

#include "shell/builtins/mapfile.h"

namespace paddock::shell {

extern const Builtin kBuiltin_readarray;
const Builtin kBuiltin_readarray = {
    .name = "readarray",
    .usage = "[-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]",
    .help = "Read lines from a file into an array variable.",
    .run = RunMapfile,
};

}  // namespace paddock::shell
