// Lists of signals as procps prints them.
#pragma once

#include <string>

#include "base/stream.h"

namespace paddock {

inline constexpr int kListedSignals = 31;

std::string ListedSignalName(int number);
// All of them with their numbers, seven in a line.
void WriteSignalTable(Output& out);
// All names in lines of up to 77 columns.
void WriteSignalList(Output& out);

}  // namespace paddock
