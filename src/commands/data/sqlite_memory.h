// SQLite's memory, counted as all other memory of an exec is.
#pragma once

namespace paddock {
class Budget;
}

namespace paddock::data {

// True when SQLite allocates by operator new, which MemoryMeter counts on the thread of whoever asked; false when another part of
// the program had used SQLite before this library was initialised.
bool IsSqliteMetered();

// While one exists, SQLite gets memory on this thread only as long as the exec may go on.
class SqliteMemoryUser {
 public:
  explicit SqliteMemoryUser(Budget& budget);
  ~SqliteMemoryUser();
  SqliteMemoryUser(const SqliteMemoryUser&) = delete;
  SqliteMemoryUser& operator=(const SqliteMemoryUser&) = delete;

 private:
  Budget& budget_;
};

// True when SQLite was refused memory on this thread since the last call: one of the exec's limits, whatever error it became.
bool TakeSqliteRefusal();

}  // namespace paddock::data
