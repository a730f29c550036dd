// SQLite's memory, counted as all other memory of an exec is.
#pragma once

namespace paddock::data {

// True when SQLite allocates by operator new, which MemoryMeter counts on the thread of whoever asked; false when another part of
// the program had used SQLite before this library was initialised.
bool IsSqliteMetered();

// True when SQLite was refused memory on this thread since the last call: the exec's limit, whatever error it became.
bool TakeSqliteRefusal();

}  // namespace paddock::data
