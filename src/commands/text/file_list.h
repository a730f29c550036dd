// --files0-from=F: the list of NUL-terminated file names that wc, sort and du take in place of operands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"

namespace paddock {

// Reads the names in the file `from` ("-": standard input). The error's message is the whole complaint;
// one about opening begins with `open_complaint`, or says "cannot open 'F' for reading" if that is empty.
Result<std::vector<std::string>> ReadFileList(Invocation& in, const std::string& from,
                                              std::string_view open_complaint = {});

// Refuses an empty name, and "-" in a list that itself comes from standard input. `from` is the list's name,
// empty for operands; `index` counts from 0.
Status CheckListedName(const Invocation& in, std::string_view name, std::string_view from, size_t index);

}  // namespace paddock
