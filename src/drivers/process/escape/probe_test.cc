#include "drivers/process/escape/probe.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

namespace paddock::escape {
namespace {

TEST(EscapeProbes, NamesAreUniqueAndHaveATheme) {
  std::set<std::string> names;
  for (const Probe* probe : AllProbes()) {
    EXPECT_TRUE(names.insert(probe->name).second) << probe->name;
    EXPECT_NE(std::string_view(probe->name).find('/'), std::string_view::npos) << probe->name;
  }
  EXPECT_GE(names.size(), 60u);
}

TEST(EscapeProbes, WhatIsJudgedByAFileOutsideIsJudgedAtTheEnd) {
  for (const Probe* probe : AllProbes()) {
    if (probe->target == nullptr) continue;
    EXPECT_EQ(probe->needs, Needs::kEnd) << probe->name;
  }
}

TEST(EscapeVerdict, OnlyAnswersThatRefuseTheRightAreHeld) {
  for (const int error : {EPERM, EACCES, ENOSYS}) {
    errno = error;
    EXPECT_EQ(JudgeRight("call", -1).outcome, Outcome::kHeld);
  }
  errno = EFAULT;   // it came as far as the arguments
  EXPECT_EQ(JudgeRight("call", -1).outcome, Outcome::kEscaped);
  errno = EFAULT;
  EXPECT_EQ(Judge("call", -1).outcome, Outcome::kHeld);
  EXPECT_EQ(Judge("call", 0).outcome, Outcome::kEscaped);
}

TEST(EscapeFacts, ValuesMayHoldEqualsSignsAndAbsentOnesAreEmpty) {
  char path[] = "path=/a=b", control[] = "control=1", nothing[] = "nothing";
  char* const arguments[] = {path, control, nothing};
  const Facts facts(arguments);
  EXPECT_EQ(facts.Text("path"), "/a=b");
  EXPECT_TRUE(facts.is_control());
  EXPECT_EQ(facts.Text("absent"), "");
  EXPECT_EQ(facts.Number("absent"), 0);
}

}  // namespace
}  // namespace paddock::escape
