#include "drivers/process/protect/git_references.h"

#include <gtest/gtest.h>

namespace paddock::process_wall {
namespace {

std::string Read(std::string_view text) {
  std::string all;
  for (const GitReference& reference : ReadGitReferences(text)) all += std::string(1, "HCPAW"[static_cast<int>(reference.kind)]) + ":" + reference.path + " ";
  return all;
}

TEST(GitReferences, EverySpellingThatGitTakesIsRead) {
  EXPECT_EQ(Read("[core]\n\thooksPath = a/b\n"), "H:a/b ");
  EXPECT_EQ(Read("[CORE] HooksPath=\"a b\" # why\n"), "H:a b ");
  EXPECT_EQ(Read("[core]\nhooksPath = a\\\nb ; c\n"), "H:ab ");
  EXPECT_EQ(Read("\xef\xbb\xbf[core]\r\nhooksPath = \"a\\\"\\\\b\"  \r\n"), "H:a\"\\b ");
  EXPECT_EQ(Read("[include]path=x\n[includeIf \"gitdir:~/a]b\"]\npath = y\n"), "C:x C:y ");
  EXPECT_EQ(Read("[filter \"f\"]\nclean = sh -c './a/f %f' b/c\n[core.x]\nworktree = ..\n"), "A:./a/f A:b/c W:.. ");
  EXPECT_EQ(Read("[credential]\nhelper = !/opt/h get\n[pager]\nlog = ./p\n"), "P:/opt/h P:./p ");
}

TEST(GitReferences, WhatNamesNoFileIsNone) {
  EXPECT_EQ(Read("[core]\nbare = false\neditor = vi\nhooksPath\n[remote \"o\"]\nurl = a/b\n[alias]\nx = !./y\n[branch \"z/path\"]\nmerge = refs/heads/z\n"), "");
}

TEST(GitReferences, BrokenTextEnds) {
  for (const char* text : {"[", "[a", "[a \"", "[a \"\\", "=", "\\", "[core]\nhooksPath = \"", "[core]\nhooksPath = \\", "[core]\n\x01\xff]\n", "]]]]"}) {
    ReadGitReferences(text);
  }
  std::string many;
  for (size_t i = 0; i < 2 * kMostGitReferences; ++i) many += "[core]hooksPath=a\n";
  EXPECT_EQ(ReadGitReferences(many).size(), kMostGitReferences);
}

}  // namespace
}  // namespace paddock::process_wall
