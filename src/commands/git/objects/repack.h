// Making packs of what the repository has: for repack, gc and maintenance.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "commands/git/git.h"
#include "git/pack_files.h"

namespace paddock::git {

struct RepackPlan {
  bool all = false;              // of all that is needed, else of what is loose
  bool removes = false;          // the packs that are no longer of use
  bool loosens = false;          // what only they have becomes loose
  std::optional<int64_t> expiry; // older ones of it need not be kept
  bool keeps_unreachable = false;
  bool makes_cruft = false;      // what nothing leads to goes into a pack of its own, but for what is older than `expiry`
  std::string expire_to;         // the start of the names of a pack of that
  int64_t factor = 0;            // packs stay that hold so many times more objects than all smaller ones; 0: one pack is made
  bool is_local = false;         // without what alternates have
  bool updates_server_info = true;
  bool takes_kept = false;       // what packs with .keep have, too
  bool writes_bitmap = false;
  bool writes_multi_index = false;
  uint64_t most = 0;             // bytes of a pack
  std::vector<std::string> kept_packs;
  PackPlan pack;
};
// False: there was nothing to pack.
Result<bool> Repack(Git& git, const RepackPlan& plan);

// The time before which what nobody needs may go; "now" is all of it, "never" nothing. `complaint`: before the text that is none.
Result<std::optional<int64_t>> ParseExpiry(Git& git, const std::string& text, const char* complaint = nullptr);
// Removes loose copies of what packs have.
void PrunePacked(Git& git, bool only_tells);
// info/refs and objects/info/packs, for those who can only fetch files. Those that are right stay as they are, unless forced.
Status UpdateServerInfo(Git& git, bool force = false);

// -i of repack, --delta-islands of pack-objects. Errors: pack.island names some.
Status CheckIslands(Git& git);
// In parts of at most so many bytes, if that is not 0.
Result<std::vector<std::vector<Oid>>> InParts(Git& git, const std::vector<Oid>& ids, uint64_t most);

// Objects that nothing leads to, with the time of their last use. `left_out`: what is needed, or in packs that stay.
Result<std::map<Oid, int64_t>> FindCruft(Git& git, const std::set<Oid>& left_out, const std::set<std::string>& kept_stems);
// Those of `cruft` that were of use after `before`, and what they lead to.
Result<std::map<Oid, int64_t>> RecentCruft(Git& git, const std::map<Oid, int64_t>& cruft, int64_t before);
// Writes a pack of them with the file .mtimes. `start`: of its name; empty: among the packs of the repository.
Result<std::string> WriteCruft(Git& git, const std::map<Oid, int64_t>& cruft, const std::string& start, const PackPlan& plan);

// Writes the file .bitmap beside a pack which has all that its commits lead to. Errors: it does not.
Status WriteBitmap(Git& git, const std::string& stem);
// Writes the multi-pack-index of these packs; without any, it goes. `preferred`: the name of the pack whose copies of objects count.
Status WriteMultiIndex(Git& git, const std::string& directory, const std::vector<std::string>& stems, const std::string& preferred);

}  // namespace paddock::git
