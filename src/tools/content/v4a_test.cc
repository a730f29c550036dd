#include "tools/content/v4a.h"

#include <gtest/gtest.h>

namespace paddock::tools {
namespace {

constexpr std::string_view kText = "import os\n\nclass A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n";

std::string Apply(std::string_view text, std::string_view diff) {
  const auto applied = ApplyDiff(text, diff);
  return applied ? *applied : "ERROR: " + applied.error().message;
}

TEST(V4a, ContextSaysWhereAChangeGoes) {
  EXPECT_EQ(Apply(kText, "@@\n class A:\n     def f(self):\n-        return 1\n+        return 2\n"),
            "import os\n\nclass A:\n    def f(self):\n        return 2\n\nclass B:\n    def f(self):\n        return 1\n");
  EXPECT_EQ(Apply("a\nb\n", "-a\n+x\n b\n"), "x\nb\n") << "the first place needs no @@";
}

TEST(V4a, AnchorsNarrowTheSearch) {
  const std::string want = "import os\n\nclass A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 2\n";
  EXPECT_EQ(Apply(kText, "@@ class B:\n     def f(self):\n-        return 1\n+        return 2\n"), want);
  EXPECT_EQ(Apply(kText, "@@ class B:\n@@     def f(self):\n-        return 1\n+        return 2\n"), want);
  EXPECT_EQ(Apply(kText, "@@ class B: @@\n     def f(self):\n-        return 1\n+        return 2\n"), want);
  EXPECT_EQ(Apply(kText, "@@ class C:\n-x\n"), "ERROR: the line 'class C:' behind @@ is not in the file");
}

TEST(V4a, SeveralPlacesGoDownTheFile) {
  EXPECT_EQ(Apply("1\n2\n3\n4\n5\n", "@@\n 1\n-2\n+two\n@@\n-4\n+four\n+and\n 5\n"), "1\ntwo\n3\nfour\nand\n5\n");
  EXPECT_EQ(Apply("1\n2\n3\n", "@@\n-3\n+x\n@@\n-1\n+y\n"), "ERROR: these lines of the patch are not in the file below the place before them:\n1");
}

TEST(V4a, WhiteSpaceMayDifferAndTheFilesOwnStays) {
  EXPECT_EQ(Apply("if x:  \n    y\n", "@@\n if x:\n-    y\n+    z\n"), "if x:  \n    z\n");
  EXPECT_EQ(Apply("\tif x:\n\t\ty\n", "@@\n if x:\n-y\n+z\n"), "\tif x:\nz\n");
}

TEST(V4a, LineEndsAndAMissingLastNewlineStay) {
  EXPECT_EQ(Apply("a\r\nb\r\n", "@@\n a\n-b\n+c\n"), "a\r\nc\r\n");
  EXPECT_EQ(Apply("a\r\nb\nc\r\n", "@@\n-c\n+d\n"), "a\r\nb\nd\r\n");
  EXPECT_EQ(Apply("a\nb", "@@\n a\n-b\n+c\n"), "a\nc");
}

TEST(V4a, EndOfFileMeansTheLastLines) {
  EXPECT_EQ(Apply("x\ny\nx\n", "@@\n-x\n+z\n*** End of File\n"), "x\ny\nz\n");
  EXPECT_EQ(Apply("x\n", "@@\n+y\n*** End of File\n"), "x\ny\n");
  EXPECT_EQ(Apply("x\ny\n", "@@\n-x\n+z\n*** End of File\n"), "ERROR: these lines of the patch are not in the file at its end:\nx");
}

TEST(V4a, WhatIsNoDiffIsRefused) {
  EXPECT_EQ(Apply("a\n", ""), "ERROR: the diff is empty; there is nothing to change");
  EXPECT_EQ(Apply("a\n", "@@\n"), "ERROR: line 1 of the patch: no lines follow this @@");
  EXPECT_EQ(Apply("a\n", "@@\n a\n?b\n"), "ERROR: line 3 of the patch: must begin with ' ', '-', '+' or '@@', not '?b'");
  EXPECT_EQ(Apply("a\n", "@@\n-b\n+c\n"), "ERROR: these lines of the patch are not in the file:\nb");
}

TEST(V4a, ANewFileHasOnlyAddedLines) {
  EXPECT_EQ(*CreateFromDiff("+a\n+\n+b"), "a\n\nb\n");
  EXPECT_EQ(*CreateFromDiff(""), "");
  EXPECT_FALSE(CreateFromDiff("+a\nb\n"));
}

TEST(V4a, APatchNamesFilesAndWhatBecomesOfThem) {
  const auto operations = ParsePatch("*** Begin Patch\n*** Add File: new.txt\n+x\n*** Update File: a.py\n*** Move to: b.py\n@@\n-1\n+2\n*** End of File\n*** Delete File: old\n*** End Patch\n");
  ASSERT_TRUE(operations) << operations.error().message;
  ASSERT_EQ(operations->size(), 3u);
  EXPECT_EQ((*operations)[0].diff, "+x\n");
  EXPECT_EQ((*operations)[1].path, "a.py");
  EXPECT_EQ((*operations)[1].move_to, "b.py");
  EXPECT_EQ((*operations)[1].diff, "@@\n-1\n+2\n*** End of File\n");
  EXPECT_EQ((*operations)[2].kind, PatchOperation::Kind::kDelete);
}

TEST(V4a, PatchesThatAreBrokenAreRefused) {
  for (const char* patch : {"", "*** Begin Patch\n*** End Patch\n", "*** Begin Patch\n*** Add File: x\n+y\n", "*** Update File: x\n", "*** Begin Patch\n*** Add File: \n+y\n*** End Patch",
                            "*** Begin Patch\n*** Delete File: x\n+y\n*** End Patch", "*** Begin Patch\n*** Rename File: x\n*** End Patch", "*** Begin Patch\n*** Delete File: x\n*** End Patch\nmore"}) {
    EXPECT_FALSE(ParsePatch(patch)) << patch;
  }
}

TEST(V4a, HostileDiffsTakeBoundedTime) {
  std::string text, diff = "@@\n";
  for (int i = 0; i < 40000; ++i) text += "a\n";
  for (int i = 0; i < 20000; ++i) diff += " a\n";
  diff += "-b\n";
  EXPECT_TRUE(Apply(text, diff).starts_with("ERROR: the patch and the file are too large to fit together"));
}

}  // namespace
}  // namespace paddock::tools
