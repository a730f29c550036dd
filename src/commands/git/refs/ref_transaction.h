// Changes of references that are made all together or not at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

struct RefChange {
  std::string name;
  std::optional<Oid> id;       // what it is to be; null: removed; absent: only checked
  std::optional<Oid> before;   // what it has to be now; null: not there
  bool is_direct = false;      // this very name, not what it stands for
};

struct RefChangeStyle {
  std::string message;         // of the log; empty: logs that are there get a line without one
  bool creates_log = false;
  std::string complaint;       // before what is wrong
};

class RefTransaction {
 public:
  RefTransaction(Git& git, RefChangeStyle style) : git_(git), style_(std::move(style)) {}
  // Errors: the name is none.
  Status Add(RefChange change);
  // Whether all of it can be done. Errors: in git's words, for the first that cannot.
  Status Prepare();
  // Prepares it and does it; when that fails in between, what was done is taken back. Nothing is left to do then.
  Status Commit();
  void Clear();

 private:
  struct Planned {
    RefChange change;
    std::string target;          // the reference that changes
    std::optional<Oid> now;
  };
  Status CheckOne(Planned& planned);
  Status CheckNames();
  Status CheckFolders();
  Status Apply(const Planned& planned);
  Status CreateLog(const std::string& name);
  std::string TargetOf(const RefChange& change);
  Error Refused(const std::string& what, Code code = Code::kConflict) const { return {code, style_.complaint + what}; }

  Git& git_;
  RefChangeStyle style_;
  std::vector<Planned> planned_;
};

}  // namespace paddock::git
