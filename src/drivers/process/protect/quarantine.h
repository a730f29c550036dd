// The directory where a sweep puts what it takes away.
#pragma once

#include <string>

#include "base/result.h"

namespace paddock::process_wall {

class Quarantine {
 public:
  explicit Quarantine(int directory) : directory_(directory) {}

  // Takes the entry `name` of an open directory away: by an atomic rename into the quarantine; a file from another file
  // system by copy (up to 64 MiB), anything else from there by a rename to a harmless name where it stands. Returns
  // where it is kept, as SweepItem::kept has it. Errors: the system's, and then it is still there.
  Result<std::string> Take(int directory, const std::string& path, const std::string& name);

 private:
  std::string FreshName(const std::string& name);
  Status CopyFile(int directory, const std::string& name, const std::string& kept);

  int directory_;
  unsigned next_ = 1;
};

}  // namespace paddock::process_wall
