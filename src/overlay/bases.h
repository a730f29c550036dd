// Bases: what the workspace had where an overlay has changes, as the code inside first saw it. What the workspace has
// now is compared with it before a change is applied, so that nothing that the host wrote meanwhile is lost.
//
// Nothing is scanned before a run. After it, a path that the overlay has for the first time was taken from the workspace
// during that run: if the workspace's file was last changed before the run began, it is what the code saw; if not, nobody
// can tell, and that is noted.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "base/result.h"
#include "overlay/beneath.h"
#include "overlay/store.h"

namespace paddock::overlay {

struct Base {
  std::chrono::nanoseconds seen{0};                    // it was so at this time, since 1970
  FileFacts::Type type = FileFacts::Type::kAbsent;
  uint32_t mode = 0;
  bool is_unsure = false;                              // it changed while the code ran
  std::string digest;                                  // SHA-256 in hex of a file's content or a link's target; empty: not taken
};

class Bases {
 public:
  // Of an overlay whose last run is settled, or not: then what the pending run has added is judged by the present state.
  // Errors: kInvalid for a damaged record.
  static Result<Bases> Load(const Overlay& overlay);

  // Why applying a change at `path` might lose something of the workspace's; empty if it cannot. `now` is what the workspace has.
  std::string ConflictAt(int workspace, const std::string& path, const FileFacts& now) const;

 private:
  friend Status Settle(Overlay& overlay);
  std::string Encode() const;

  std::map<std::string, Base, std::less<>> bases_;
  std::chrono::nanoseconds pending_{0};   // when the unsettled run began
};

// Notes the bases of what the last run added; nothing if that is done. The overlay is locked. Errors: what reading and
// writing say, kLimit for a tree too large to look at.
Status Settle(Overlay& overlay);

// SHA-256 in hex of a file of at most `most` bytes or of a symbolic link's target; empty if it is longer or cannot be read.
std::string DigestAt(int directory, const std::string& path, const FileFacts& facts, uint64_t most);

}  // namespace paddock::overlay
