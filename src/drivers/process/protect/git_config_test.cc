#include "drivers/process/protect/git_config.h"

#include <gtest/gtest.h>

namespace paddock::process_wall {
namespace {

std::string VerdictOn(std::string_view text) {
  const auto settings = ReadGitConfig(text);
  if (!settings) return std::string(settings.error().Text());
  const Status checked = CheckGitSettings(*settings);
  return checked ? "safe" : std::string(checked.error().Text());
}

TEST(GitConfig, WhatGitWritesIsSafe) {
  EXPECT_EQ(VerdictOn("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n"
                      "[remote \"origin\"]\n\turl = https://github.com/a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
                      "[branch \"feature/x\"]\n\tremote = origin\n\tmerge = refs/heads/feature/x\n"
                      "[user]\n\tname = \"Ann Other\"\n\temail = ann@example.org\n"
                      "[submodule \"lib\"]\n\tactive = true\n\turl = git@github.com:a/lib.git\n"),
            "safe");
  EXPECT_EQ(VerdictOn(""), "safe");
  EXPECT_EQ(VerdictOn("# note\n; note\n\n[core]\nbare\n"), "safe");
}

TEST(GitConfig, WhatRunsProgramsIsNot) {
  for (const char* text : {"[core]\nfsmonitor = evil\n", "[core]\nhooksPath = x\n", "[CORE]\nHOOKSPATH = x\n", "[core]\nsshCommand = evil\n",
                           "[core]\npager = evil\n", "[core]\neditor = evil\n", "[alias]\nst = !evil\n", "[diff \"x\"]\ntextconv = evil\n",
                           "[filter \"x\"]\nclean = evil\n", "[credential]\nhelper = evil\n", "[gpg]\nprogram = evil\n",
                           "[url \"ext::evil\"]\ninsteadOf = https://\n", "[submodule \"x\"]\nupdate = !evil\n", "[merge \"x\"]\ndriver = evil\n",
                           "[remote \"x\"]\nuploadpack = evil\n", "[http]\nproxy = evil\n", "[safe]\ndirectory = *\n"}) {
    EXPECT_EQ(VerdictOn(text).substr(0, 5), "sets ") << text;
  }
}

TEST(GitConfig, HelpersInUrlsAreNotSafe) {
  EXPECT_NE(VerdictOn("[remote \"x\"]\nurl = ext::sh -c evil\n"), "safe");
  EXPECT_NE(VerdictOn("[remote \"x\"]\npushurl = \"ext::sh -c evil\"\n"), "safe");
  EXPECT_NE(VerdictOn("[branch \"x\"]\nremote = ext::sh -c evil\n"), "safe");
  EXPECT_NE(VerdictOn("[remote \"x\"]\nurl = --upload-pack=evil\n"), "safe");
}

TEST(GitConfig, WhatGitMightReadOtherwiseIsRefused) {
  for (const char* text : {"[core] fsmonitor = evil\n", "[include]\npath = evil\n", "[includeIf \"gitdir:/\"]\npath = evil\n", "[core.x]\na = b\n",
                           "[core]\nbare = fal\\\nse\n", "[remote \"a\\\"b\"]\nurl = x\n", "[core]\nbare = \"a\" b\n", "[core]\nbare = x # y\n",
                           "[core]\nbare = x ; y\n", "\xef\xbb\xbf[core]\nbare = x\n", "[core]\nbare = x\r\nfsmonitor = evil\n", "bare = x\n",
                           "[core]\nbare = \"open\n", "[core]\n1a = b\n", "[core]\na b\n", "[remote\"x\"]\nurl = y\n", "[]\na = b\n",
                           "[core] # x\n", "[remote  \"x\"]\nurl = y\n"}) {
    EXPECT_FALSE(ReadGitConfig(text)) << text;
  }
  EXPECT_FALSE(ReadGitConfig(std::string_view("[core]\nbare = x\0y\n", 18)));
  EXPECT_FALSE(ReadGitConfig(std::string(kMaxGitConfig + 1, '\n')));
}

TEST(GitConfig, ErrorNamesTheLine) { EXPECT_EQ(ReadGitConfig("[core]\n\n[include]\n").error().Text(), "3: it includes another file"); }

}  // namespace
}  // namespace paddock::process_wall
