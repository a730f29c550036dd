#include "git/line_edits.h"

#include <gtest/gtest.h>

#include "base/budget.h"
#include "base/clock.h"

#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

std::string Edits(std::string_view a_text, std::string_view b_text, const EditRules& rules) {
  Budget budget({}, SystemClock());
  const std::vector<std::string_view> a = SplitLines(a_text), b = SplitLines(b_text);
  std::vector<uint32_t> x, y;
  for (const std::string_view line : a) x.push_back(static_cast<unsigned char>(line[0]));
  for (const std::string_view line : b) y.push_back(static_cast<unsigned char>(line[0]));
  std::string text;
  for (const DiffEdit& edit : FindLineEdits({a, x}, {b, y}, 256, rules, budget)) {
    text += std::to_string(edit.a_begin) + "," + std::to_string(edit.a_count) + ":" + std::to_string(edit.b_begin) + "," + std::to_string(edit.b_count) + " ";
  }
  return text;
}

TEST(LineEdits, EqualTextsHaveNone) { EXPECT_EQ(Edits("a\nb\n", "a\nb\n", {}), ""); }
TEST(LineEdits, OneSideMayBeEmpty) { EXPECT_EQ(Edits("", "a\nb\n", {.algorithm = EditAlgorithm::kHistogram}), "0,0:0,2 "); }
TEST(LineEdits, PatienceKeepsWhatIsThereOnce) {
  EXPECT_EQ(Edits("x\nx\nu\n", "u\nx\nx\n", {.algorithm = EditAlgorithm::kPatience}), "0,2:0,0 3,0:1,2 ");
}
TEST(LineEdits, AnchorsStay) {
  EXPECT_EQ(Edits("a\nb\nc\n", "c\na\nb\n", {.algorithm = EditAlgorithm::kPatience, .anchors = {"c"}}), "0,2:0,0 3,0:1,2 ");
  EXPECT_EQ(Edits("a\nb\nc\n", "c\na\nb\n", {.algorithm = EditAlgorithm::kPatience}), "0,0:0,1 2,1:3,0 ");
}

}  // namespace
}  // namespace paddock::git
