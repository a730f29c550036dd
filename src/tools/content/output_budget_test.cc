#include "tools/content/output_budget.h"

#include <gtest/gtest.h>

#include <random>

#include "text/utf8.h"

namespace paddock::tools {
namespace {

// Bytes that hostile programs write: pieces of sequences, controls, characters of every length, malformed ones.
std::string RandomOutput(std::mt19937& random, size_t pieces) {
  static const std::string kPieces[] = {"a", "line\n", "\r", "\b", "\x1b[31m", "\x1b[", "\x1b]0;title\x07", "\x1b]8;;", "\x1b\\", "\x1b(B", "\x1b", "é", "語", "😀",
                                        "\xff", "\xe8\xaa", "\xc2\x9b", std::string(1, '\0'), "\t", "  50%", "\x1bP1$q", "\n", "0123456789"};
  std::string text;
  for (size_t i = 0; i < pieces; ++i) text += kPieces[random() % std::size(kPieces)];
  return text;
}

TEST(CleanOutput, RemovesWhatOnlyTerminalsRead) {
  EXPECT_EQ(CleanOutput("\x1b[1;31mred\x1b[0m \x1b]0;title\x07text\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b(Bok\n"), "red textlink ok\n");
  EXPECT_EQ(CleanOutput("bell\x07 nul" + std::string(1, '\0') + " tab\t."), "bell nul tab\t.");
}

TEST(CleanOutput, KeepsTheLastStateOfALineThatWasDrawnOver) {
  EXPECT_EQ(CleanOutput("10%\r50%\r100%\ndone\r\n"), "100%\ndone\n");
  EXPECT_EQ(CleanOutput("building /\b-\b\\\b|\bok"), "building ok");
  EXPECT_EQ(CleanOutput("keep\r"), "keep");
  EXPECT_EQ(CleanOutput("é\bx"), "x");
}

TEST(CleanOutput, AnUnfinishedSequenceHidesNoMoreThanItsLine) {
  EXPECT_EQ(CleanOutput("a\x1b]0;never ends\nb"), "a\nb");
  EXPECT_EQ(CleanOutput("a\x1b[12"), "a");
}

TEST(CleanOutput, IsValidUtf8AndStableForAnyBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    const std::string once = CleanOutput(RandomOutput(random, random() % 40));
    EXPECT_TRUE(IsValidUtf8(once));
    EXPECT_EQ(CleanOutput(once), once);
    EXPECT_EQ(once.find('\x1b'), std::string::npos);
    EXPECT_EQ(once.find('\r'), std::string::npos);
  }
}

TEST(CutMiddle, ShowsHeadAndTailAndSaysWhatIsMissing) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string cut = CutMiddle(text, 1000, "session file /outputs/c1.stdout");
  EXPECT_TRUE(cut.starts_with("line 0\nline 1\n"));
  EXPECT_TRUE(cut.ends_with("line 998\nline 999\n"));
  const size_t line = cut.find("[… ");
  ASSERT_NE(line, std::string::npos);
  EXPECT_NE(cut.find("all: session file /outputs/c1.stdout]\n"), std::string::npos);
  const size_t missing = std::stoul(cut.substr(line + std::string("[… ").size()));
  const size_t end = cut.find("]\n", line) + 2;
  // What is shown and what is told to be missing make the whole; the cut may add one newline before the line.
  EXPECT_NEAR(static_cast<double>(line + missing + (cut.size() - end)), static_cast<double>(text.size()), 1);
  EXPECT_LT(line, (cut.size() - end) / 3) << "a fifth from the head, the rest from the tail";
}

TEST(CutMiddle, NeverPassesTheBudgetNorSplitsACharacter) {
  std::mt19937 random(11);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = CleanOutput(RandomOutput(random, random() % 300));
    const size_t budget = random() % 400;
    const std::string cut = CutMiddle(text, budget, round % 2 == 0 ? "" : "session file /outputs/c.stdout");
    EXPECT_LE(cut.size(), std::max(budget, text.size() <= budget ? text.size() : 0));
    EXPECT_TRUE(IsValidUtf8(cut));
    if (text.size() <= budget) {
      EXPECT_EQ(cut, text);
    }
  }
}

TEST(CutBoth, SharesOneBudgetFairly) {
  const std::string big(10000, 'o'), small = "e: no such file\n";
  const CutStreams one = CutBoth(big, small, 1000, "", "");
  EXPECT_EQ(one.err, small);
  EXPECT_GT(one.out.size(), 900u);
  EXPECT_TRUE(one.is_out_cut);
  EXPECT_FALSE(one.is_err_cut);
  const CutStreams both = CutBoth(big, big, 1000, "", "");
  EXPECT_LE(both.out.size() + both.err.size(), 1000u);
  EXPECT_GT(both.out.size(), 450u);
  EXPECT_GT(both.err.size(), 450u);
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    const std::string out(random() % 500, 'x'), err(random() % 500, 'y');
    const size_t budget = random() % 600;
    const CutStreams cut = CutBoth(out, err, budget, "", "");
    EXPECT_LE(cut.out.size() + cut.err.size(), budget);
    if (out.size() + err.size() <= budget) {
      EXPECT_TRUE(cut.out == out && cut.err == err && !cut.is_out_cut && !cut.is_err_cut);
    }
  }
}

TEST(OutputBudget, IsWhatTheModesPromise) {
  EXPECT_EQ(OutputBudget(OutputMode::kSilent, false), 200u);
  EXPECT_EQ(OutputBudget(OutputMode::kConcise, true), 2048u);
  EXPECT_EQ(OutputBudget(OutputMode::kNormal, true), 8192u);
  EXPECT_EQ(OutputBudget(OutputMode::kVerbose, true), 16384u);
  EXPECT_EQ(OutputBudget(OutputMode::kFull, true), 65536u);
  EXPECT_EQ(OutputBudget(OutputMode::kAuto, true), 384u);
  EXPECT_EQ(OutputBudget(OutputMode::kAuto, false), 8192u);
}

TEST(HeadAndTail, KeepsAllThatFitsThenHeadAndTail) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const size_t capacity = 1 + random() % 200;
    HeadAndTail kept(capacity);
    std::string all;
    while (random() % 8 != 0) {
      const std::string piece(random() % 90, static_cast<char>('a' + random() % 26));
      kept.Append(piece);
      all += piece;
    }
    EXPECT_EQ(kept.total(), all.size());
    EXPECT_EQ(kept.is_complete(), all.size() <= capacity);
    const std::string text = kept.Text();
    if (kept.is_complete()) {
      EXPECT_EQ(text, all);
      continue;
    }
    EXPECT_TRUE(text.starts_with(all.substr(0, capacity / 5)));
    EXPECT_TRUE(text.ends_with(all.substr(all.size() - (capacity - capacity / 5))));
    EXPECT_NE(text.find(std::to_string(all.size() - capacity) + " bytes were not kept"), std::string::npos);
  }
}

}  // namespace
}  // namespace paddock::tools
