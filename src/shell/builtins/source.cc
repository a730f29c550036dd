// source - runs commands from a file in this shell

#include "shell/builtins/source.h"

namespace paddock::shell {

extern const Builtin kBuiltin_source;
const Builtin kBuiltin_source = {
    .name = "source",
    .usage = "filename [arguments]",
    .help = "Execute commands from a file in the current shell.",
    .is_special = true,
    .run = RunSource,
};

}  // namespace paddock::shell
