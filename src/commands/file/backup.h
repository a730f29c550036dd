// Backups of files that cp, mv and ln are about to replace: --backup, -b, -S and their variables.
//
// Source: GNU coreutils manual, "Backup options".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "proc/command.h"

namespace paddock {

// As given on the command line.
struct BackupOptions {
  bool wanted = false;
  std::optional<std::string> control;   // the CONTROL of --backup
  std::optional<std::string> suffix;
};

inline Status WantBackup(BackupOptions& options, std::string_view control) {
  options.wanted = true;
  if (control.data() != nullptr) options.control = control;
  return {};
}
inline Status SetBackupSuffix(BackupOptions& options, std::string_view suffix) {
  options.wanted = true;
  options.suffix = suffix;
  return {};
}

enum class BackupControl { kNone, kSimple, kExisting, kNumbered };

struct Backup {
  BackupControl control = BackupControl::kNone;
  std::string suffix = "~";

  bool is_on() const { return control != BackupControl::kNone; }
  // The name that the backup of `path` gets.
  std::string NameFor(vfs::FileSystem& fs, const std::string& path) const;
};

// Combines options and variables. Nothing when the control is unknown (the complaint is written).
std::optional<Backup> ResolveBackup(Invocation& in, const BackupOptions& options);

}  // namespace paddock
