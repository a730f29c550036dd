#include "drivers/docker/posture.h"

#include <gtest/gtest.h>

namespace paddock::docker {
namespace {

constexpr const char* kConfined =
    "Name:\tpaddock-guest\nCapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\n"
    "CapAmb:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n";

std::string With(const std::string& from, const std::string& to) {
  std::string text = kConfined;
  text.replace(text.find(from), from.size(), to);
  return text;
}

std::string Complaint(const std::string& status, bool has_own_kernel = false) {
  const Status checked = CheckPosture(ParsePosture(status, "0 0 4294967295\n"), has_own_kernel, false);
  return checked ? "" : checked.error().message;
}

TEST(Posture, WhatWasAskedForIsFine) {
  EXPECT_EQ(Complaint(kConfined), "");
}

TEST(Posture, EachMissingPartIsNamed) {
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    EXPECT_NE(Complaint(With(std::string(set) + ":\t0000000000000000", std::string(set) + ":\t00000000a80425fb")).find("capabilities"), std::string::npos) << set;
  }
  EXPECT_NE(Complaint(With("NoNewPrivs:\t1", "NoNewPrivs:\t0")).find("no_new_privs"), std::string::npos);
  EXPECT_NE(Complaint(With("Seccomp:\t2", "Seccomp:\t0")).find("seccomp"), std::string::npos);
  EXPECT_NE(Complaint(With("Seccomp:\t2", "Seccomp:\t1")).find("seccomp"), std::string::npos);
}

TEST(Posture, WhatIsNotToldCountsAsMissing) {
  EXPECT_NE(Complaint(""), "");
  EXPECT_NE(Complaint(With("CapBnd:\t0000000000000000\n", "")).find("capabilities"), std::string::npos);
  EXPECT_NE(Complaint(With("Seccomp:\t2\n", "")).find("seccomp"), std::string::npos);
  EXPECT_NE(Complaint(With("NoNewPrivs:\t1", "NoNewPrivs:\tyes")).find("no_new_privs"), std::string::npos);
}

TEST(Posture, AKernelOfItsOwnNeedsNoFilterOfTheHosts) {
  EXPECT_EQ(Complaint(With("Seccomp:\t2", "Seccomp:\t0"), true), "");
  EXPECT_NE(Complaint(With("CapEff:\t0000000000000000", "CapEff:\t0000000000000001"), true), "");
}

TEST(Posture, AnotherUserForRootIsInsistedOnWhereItIsWanted) {
  const Posture own = ParsePosture(kConfined, "0 0 4294967295\n"), shifted = ParsePosture(kConfined, "0 100000 65536\n");
  EXPECT_TRUE(CheckPosture(own, false, false));
  EXPECT_TRUE(CheckPosture(shifted, false, true));
  const Status refused = CheckPosture(own, false, true);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().Text().find("containers.user_namespace"), std::string_view::npos) << refused.error().Text();
  EXPECT_FALSE(CheckPosture(ParsePosture(kConfined, ""), false, true)) << "a map that nobody could read";
}

TEST(Posture, KnowsAShiftedUserNamespace) {
  const Posture shifted = ParsePosture(kConfined, "         0     100000      65536\n");
  EXPECT_TRUE(shifted.is_user_namespace_shifted());
  EXPECT_EQ(shifted.root_is, 100000u);
  EXPECT_EQ(shifted.user_map, "0 100000 65536");
  EXPECT_FALSE(ParsePosture(kConfined, "         0          0 4294967295\n").is_user_namespace_shifted());
  EXPECT_FALSE(ParsePosture(kConfined, "").is_user_namespace_shifted());
  EXPECT_FALSE(ParsePosture(kConfined, "1 100000 65536").is_user_namespace_shifted()) << "nobody is 0";
}

}  // namespace
}  // namespace paddock::docker
