// The files of the virtual tree as SQLite's: a VFS of one running command, and nothing of the host.
//
// Each command registers a VFS under a name of its own, for as long as it runs; no database name may choose another one
// (SqliteFiles::IsAllowedName). Journals are real files beside the database, so an exec that is stopped in the middle of a
// transaction leaves what the next one plays back. Temporary files are memory. Locks, and the index of a write-ahead log, are kept
// in the descriptor that the process has of the database, where other processes of the sandbox find them.
#pragma once

#include <sqlite3.h>

#include <string>
#include <string_view>

#include "commands/data/sqlite_guard.h"
#include "proc/command.h"

namespace paddock::data {

class SqliteFiles {
 public:
  SqliteFiles(Invocation& in, SqliteGuard& guard);
  ~SqliteFiles();
  SqliteFiles(const SqliteFiles&) = delete;
  SqliteFiles& operator=(const SqliteFiles&) = delete;

  const char* name() const { return name_.c_str(); }

  // False for a file: URI that names a VFS: the others of the process are the host's files, or another sandbox's.
  static bool IsAllowedName(std::string_view database);

  Invocation& in() { return in_; }
  SqliteGuard& guard() { return guard_; }

 private:
  Invocation& in_;
  SqliteGuard& guard_;
  std::string name_;
  sqlite3_vfs vfs_ = {};
};

}  // namespace paddock::data
