#include <gtest/gtest.h>

#include <cerrno>

#include "drivers/process/probe.h"

namespace paddock::process_wall {
namespace {

using sandbox::Check;

// What a host that allows everything reports to an ordinary user.
constexpr const char* kAll =
    "landlock 0 7\nclone 0 \nmaps 0 \nloopback 0 \ncapture 0 \nlisten-53 0 \nlisten-80 0 \nlisten-443 0 \nipv6 0 \nprivate 0 \ntmpfs 0 \n"
    "fsopen 0 \nfsmount 0 \nopen_tree 0 \nmount_setattr 0 \nmove_mount 0 \noverlay 0 \nproc 0 \nprivileges 0 \nlandlock-rules 0 \n"
    "seccomp 0 \nseccomp-acts 0 \nend 0 \n";

Findings AllBut(const char* step, int error) {
  Findings findings = ParseFindings(kAll);
  findings[step].error = error;
  return findings;
}

Findings NoNamespaces(int error) { return {{"landlock", {0, "7"}}, {"clone", {error, ""}}, {"unshare-user", {error, ""}}}; }

Check Find(const std::vector<Check>& checks, const std::string& name) {
  for (const Check& check : checks) {
    if (check.name == name) return check;
  }
  return {"no check named " + name, Check::State::kMissing, "", ""};
}

void ExpectMissing(const Check& check, const std::string& detail, const std::string& remedy) {
  EXPECT_EQ(check.state, Check::State::kMissing) << check.name;
  EXPECT_NE(check.detail.find(detail), std::string::npos) << check.detail;
  EXPECT_NE(check.remedy.find(remedy), std::string::npos) << check.remedy;
}

TEST(JudgeHost, NothingIsMissingWhereEverythingWorks) {
  for (const Check& check : JudgeHost(ParseFindings(kAll), {})) {
    EXPECT_EQ(check.state, Check::State::kWorks) << check.name << ": " << check.detail;
    EXPECT_EQ(check.remedy, "") << check.name;
  }
}

TEST(JudgeHost, SysctlThatForbidsOrdinaryUsersIsNamed) {
  const auto check = Find(JudgeHost(NoNamespaces(EPERM), {.unprivileged_userns_clone = 0}), "user namespaces");
  ExpectMissing(check, "kernel.unprivileged_userns_clone is 0", "sysctl -w kernel.unprivileged_userns_clone=1");
}

TEST(JudgeHost, SysctlThatForbidsOrdinaryUsersIsNotBlamedAsRoot) {
  const auto check = Find(JudgeHost(NoNamespaces(EPERM), {.is_root = true, .unprivileged_userns_clone = 0, .has_seccomp_filter = true}), "user namespaces");
  ExpectMissing(check, "seccomp", "seccomp=unconfined");
}

TEST(JudgeHost, UbuntusAppArmorRuleGetsAProfileForTheGuestProgram) {
  const HostSettings settings{.apparmor_restricts_userns = 1, .guest_program = "/opt/paddock/bin/paddock-guest"};
  const auto check = Find(JudgeHost(AllBut("private", EACCES), settings), "mounts");
  ExpectMissing(check, "AppArmor", "profile paddock /opt/paddock/bin/paddock-guest flags=(unconfined)");
  EXPECT_NE(check.remedy.find("userns,"), std::string::npos);
}

TEST(JudgeHost, AppArmorThatTakesRightsBeforeTheMountsIsNamedToo) {
  Findings findings = NoNamespaces(EPERM);
  findings["unshare-user"].error = 0;
  for (const char* each : {"mount", "pid", "net", "ipc", "uts", "cgroup"}) findings[std::string("unshare-") + each].error = EPERM;
  ExpectMissing(Find(JudgeHost(findings, {.apparmor_restricts_userns = 1}), "user namespaces"), "AppArmor", "userns,");
}

TEST(JudgeHost, RefusedCloneIsAFilterAroundUs) {
  Findings findings = NoNamespaces(EPERM);
  for (const char* each : {"user", "mount", "pid", "net", "ipc", "uts", "cgroup"}) findings[std::string("unshare-") + each].error = 0;
  ExpectMissing(Find(JudgeHost(findings, {.has_seccomp_filter = true, .container = "docker"}), "user namespaces"), "clone(2)", "docker run --security-opt seccomp=unconfined");
}

TEST(JudgeHost, CoveredProcIsTheContainersDoing) {
  ExpectMissing(Find(JudgeHost(AllBut("proc", EPERM), {.container = "docker"}), "fresh /proc"), "covered", "systempaths=unconfined");
  ExpectMissing(Find(JudgeHost(AllBut("proc", EPERM), {.container = "podman"}), "fresh /proc"), "covered", "unmask=ALL");
  ExpectMissing(Find(JudgeHost(AllBut("proc", EPERM), {.container = "kubernetes"}), "fresh /proc"), "covered", "procMount");
}

TEST(JudgeHost, KernelWithoutLandlockIsLimitedNotMissing) {
  const auto check = Find(JudgeHost(AllBut("landlock", ENOSYS), {}), "Landlock");
  EXPECT_EQ(check.state, Check::State::kLimited);
  EXPECT_NE(Find(JudgeHost(AllBut("landlock", EOPNOTSUPP), {}), "Landlock").remedy.find("lsm="), std::string::npos);
}

TEST(JudgeHost, EachLandlockLevelThatLacksIsTold) {
  Findings findings = ParseFindings(kAll);
  findings["landlock"].text = "2";
  const auto check = Find(JudgeHost(findings, {}), "Landlock");
  EXPECT_NE(check.detail.find("truncation (3)"), std::string::npos) << check.detail;
  EXPECT_EQ(check.detail.find("moves between directories"), std::string::npos) << check.detail;
}

TEST(JudgeHost, EmulatedKernelWhoseFiltersDoNothingIsNoWall) {
  ExpectMissing(Find(JudgeHost(AllBut("seccomp-acts", EINVAL), {}), "system call filter"), "does not act", "virtual");
}

TEST(ParseFindings, DamagedLinesAreLeftOut) {
  const Findings findings = ParseFindings("proc 1 x y\nnothing\nmaps z \n\nclone3 99999999999999 \ntmpfs 0");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings.at("proc").error, 1);
  EXPECT_EQ(findings.at("proc").text, "x y");
}

}  // namespace
}  // namespace paddock::process_wall
