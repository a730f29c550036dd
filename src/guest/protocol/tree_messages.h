// The messages of whole trees that travel as tar archives (tar.h); from version 2 on. Paths as in file_messages.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock::guest {

// kPackTree: what is below a directory, with names relative to it, or a single file under its own name. Answered by the archive
// as kData (channel in, with credit), then kReply with a TreeReport.
struct PackRequest {
  std::string path;                 // a symlink at its end is followed; none below is
  bool stays_on_device = false;     // what is mounted below is packed as an empty directory
  bool has_exact_times = false;     // nanoseconds too, for a kilobyte a file more
};
std::string Encode(const PackRequest& message);
Result<PackRequest> DecodePack(std::string_view bytes);

// kUnpackTree: the archive follows as kData (channel in, with credit) and kEnd; then kReply with a TreeReport, or kError with
// EINVAL when it is no archive, or a broken one. What came before that stays.
//
// Nothing is made outside of `path`: leading slashes are dropped, a name with ".." is refused, and no symlink on the way is
// followed, whoever made it. Hard links lead to names within. Devices are refused. Files replace files and links, not
// directories.
struct UnpackRequest {
  std::string path;                 // a directory that exists; a symlink at its end is followed
  bool keeps_set_id = false;        // otherwise set-user-id and set-group-id bits are dropped
  bool keeps_owners = false;        // otherwise everything belongs to the agent's user
};
std::string Encode(const UnpackRequest& message);
Result<UnpackRequest> DecodeUnpack(std::string_view bytes);

// What could not be packed or made, and why.
struct TreeProblem {
  std::string name;                 // in the archive
  int32_t error_number = 0;
};

struct TreeReport {
  uint64_t entries = 0;             // that were packed or made
  uint64_t bytes = 0;               // of their content
  uint64_t problem_count = 0;
  std::vector<TreeProblem> problems;   // the first of them
};
inline constexpr size_t kMaxTreeProblems = 100;
std::string Encode(const TreeReport& message);
Result<TreeReport> DecodeTreeReport(std::string_view bytes);

}  // namespace paddock::guest
