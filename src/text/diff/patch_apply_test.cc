#include "text/diff/patch_apply.h"

#include <gtest/gtest.h>

#include "base/budget.h"
#include "base/clock.h"

namespace paddock {
namespace {

PatchHunk Replacement(int64_t line, std::string_view before, std::string_view after) {
  PatchHunk hunk;
  hunk.first = {line, line};
  hunk.count = {1, 1};
  hunk.lines = {{'-', before}, {'+', after}};
  hunk.CountContext();
  return hunk;
}

TEST(PatchedText, FuzzNeverSkipsALineThatIsToGo) {
  Budget budget(Limits{}, SystemClock());
  PatchedText text("only\n", false, budget);
  const PatchHunk hunk = Replacement(2, "2\n", "two\n");
  for (int64_t fuzz = 0; fuzz < 5; ++fuzz) EXPECT_EQ(text.Locate(hunk, fuzz), 0) << fuzz;
}

TEST(PatchedText, RefusesToRemoveWhatIsNotThere) {
  for (const auto& ifdef : {std::optional<std::string>(), std::optional<std::string>("X")}) {
    Budget budget(Limits{}, SystemClock());
    PatchedText text("only\n", false, budget);
    EXPECT_FALSE(text.Apply(Replacement(2, "2\n", "two\n"), 2, ifdef));
    EXPECT_FALSE(text.Apply(Replacement(9, "2\n", "two\n"), 9, ifdef));
  }
}

}  // namespace
}  // namespace paddock
