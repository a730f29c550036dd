// Fuzz target of what git fsck says of an object: any bytes as a tree, a commit, a tag or a blob. The first byte chooses. To be strict
// makes warnings errors, and finds nothing else.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "bounded_run.h"
#include "git/check.h"

namespace paddock::git {
namespace {

void RunOne(unsigned choice, std::string_view data, Budget& budget) {
  constexpr ObjectType kTypes[] = {ObjectType::kTree, ObjectType::kCommit, ObjectType::kTag, ObjectType::kBlob};
  const ObjectType type = kTypes[choice % 4];
  const auto mild = CheckObject(type, data, false, budget);
  const auto strict = CheckObject(type, data, true, budget);
  PADDOCK_CHECK(mild.size() == strict.size());
  for (size_t i = 0; i < mild.size(); ++i) {
    PADDOCK_CHECK(mild[i].id == strict[i].id && !mild[i].id.empty());
    PADDOCK_CHECK(strict[i].is_error || !mild[i].is_error);
  }
}

}  // namespace
}  // namespace paddock::git

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) { paddock::git::RunOne(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1}, budget); });
  return 0;
}
