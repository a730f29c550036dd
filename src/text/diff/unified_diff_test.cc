#include "text/diff/unified_diff.h"

#include <gtest/gtest.h>

namespace paddock {
namespace {

std::string Text(std::string_view a, std::string_view b, size_t context = 3) {
  std::string text;
  for (const DiffLine& line : UnifiedDiff(a, b, context)) {
    switch (line.kind) {
      case DiffLine::Kind::kHunk: break;
      case DiffLine::Kind::kContext: text += ' '; break;
      case DiffLine::Kind::kRemoved: text += '-'; break;
      case DiffLine::Kind::kAdded: text += '+'; break;
      case DiffLine::Kind::kNoNewline: text += '\\'; break;
    }
    text += line.text + "\n";
  }
  return text;
}

TEST(UnifiedDiff, EqualTextsHaveNoHunks) {
  EXPECT_EQ(Text("", ""), "");
  EXPECT_EQ(Text("a\nb\n", "a\nb\n"), "");
}

TEST(UnifiedDiff, NewAndGoneFilesAreOneHunk) {
  EXPECT_EQ(Text("", "a\nb\n"), "@@ -0,0 +1,2 @@\n+a\n+b\n");
  EXPECT_EQ(Text("a\n", ""), "@@ -1 +0,0 @@\n-a\n");
}

TEST(UnifiedDiff, ContextSurroundsAChange) {
  EXPECT_EQ(Text("1\n2\n3\n4\n5\n", "1\n2\nX\n4\n5\n", 1), "@@ -2,3 +2,3 @@\n 2\n-3\n+X\n 4\n");
}

TEST(UnifiedDiff, ChangesFarApartHaveHunksOfTheirOwn) {
  EXPECT_EQ(Text("a\n1\n2\n3\nb\n", "A\n1\n2\n3\nB\n", 1), "@@ -1,2 +1,2 @@\n-a\n+A\n 1\n@@ -4,2 +4,2 @@\n 3\n-b\n+B\n");
  EXPECT_EQ(Text("a\n1\n2\nb\n", "A\n1\n2\nB\n", 1), "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n-b\n+B\n");
}

TEST(UnifiedDiff, AMissingNewlineIsTold) {
  EXPECT_EQ(Text("a", "a\n"), "@@ -1 +1 @@\n-a\n\\\n+a\n");
  EXPECT_EQ(Text("x\na\n", "y\na\n"), "@@ -1,2 +1,2 @@\n-x\n+y\n a\n");
  EXPECT_EQ(Text("x\na", "y\na"), "@@ -1,2 +1,2 @@\n-x\n+y\n a\n\\\n");
}

TEST(UnifiedDiff, HunksTextIsWhatPatchReads) {
  EXPECT_EQ(HunksText("x\na\n", "y\na"), "@@ -1,2 +1,2 @@\n-x\n-a\n+y\n+a\n\\ No newline at end of file\n");
  EXPECT_EQ(HunksText("a", "a"), "");
}

TEST(UnifiedDiff, ANulMakesAFileBinary) {
  EXPECT_TRUE(LooksBinary(std::string("a\0b", 3)));
  EXPECT_FALSE(LooksBinary("text\n"));
  EXPECT_FALSE(LooksBinary(std::string(8000, 'x') + std::string(1, '\0')));
}

}  // namespace
}  // namespace paddock
