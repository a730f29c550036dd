// Fuzz target of texts that git makes ids of: files with conflict markers, and patches. The first byte is the size of the markers. Conflicts
// and patches have the same ids whatever stands in front of them.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "bounded_run.h"
#include "git/conflict_text.h"
#include "git/patch_id.h"

namespace paddock::git {
namespace {

void RunOne(unsigned choice, std::string_view text, Budget& budget) {
  const size_t size = 1 + choice % 16;
  const std::string below = "subject\n\n" + std::string(text);
  const auto conflicts = NormalizeConflicts(text, size, budget), lower = NormalizeConflicts(below, size, budget);
  PADDOCK_CHECK(conflicts.has_value() == lower.has_value());
  if (conflicts) PADDOCK_CHECK(conflicts->has_conflict == lower->has_conflict && conflicts->id == lower->id);
  for (const PatchIdKind kind : {PatchIdKind::kUnstable, PatchIdKind::kStable, PatchIdKind::kVerbatim}) {
    const auto ids = PatchIdsOf(text, kind, budget);
    const auto later = PatchIdsOf(below, kind, budget);
    PADDOCK_CHECK(ids.size() == later.size());
    for (size_t i = 0; i < ids.size(); ++i) PADDOCK_CHECK(ids[i].patch == later[i].patch && ids[i].commit == later[i].commit);
  }
}

}  // namespace
}  // namespace paddock::git

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) { paddock::git::RunOne(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1}, budget); });
  return 0;
}
