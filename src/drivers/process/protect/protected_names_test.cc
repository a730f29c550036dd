// git itself is the judge: each trick is played once without a sweep, to see that it bites, and once with.

#include "drivers/process/protect/protected_names.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/descriptor.h"
#include "policy/preset.h"

namespace paddock::process_wall {
namespace {

namespace fs = std::filesystem;

class ProtectedNames : public testing::Test {
 protected:
  ProtectedNames() { Reset(); }
  ~ProtectedNames() override { RemoveAll(); }

  void RemoveAll() { RunHost("chmod -R u+rwx " + base_ + " 2>/dev/null; rm -rf " + base_); }

  void Reset() {
    fs::create_directories(testing::TempDir());
    base_ = fs::canonical(testing::TempDir()).string() + "/paddock_names_" + std::to_string(::getpid());
    RemoveAll();
    for (const char* name : {"/work", "/home", "/quarantine", "/outside"}) fs::create_directories(base_ + name);
    std::ofstream(base_ + "/home/.gitconfig") << "[user]\nname = Ann\nemail = ann@example.org\n[init]\ndefaultBranch = main\n"
                                                 "[protocol \"file\"]\nallow = always\n[protocol \"ext\"]\nallow = always\n";
    work_.Reset(open((base_ + "/work").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    quarantine_.Reset(open((base_ + "/quarantine").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }

  // A Bash script in the workspace. $CANARY is the file that a bite makes, $EVIL and $HELPER programs that make it, $BASE all of the test.
  int RunHost(const std::string& script) {
    fs::create_directories(base_ + "/home");
    std::ofstream(base_ + "/home/evil") << "#!/bin/sh\ntouch " << base_ << "/canary\ncat\n";
    fs::permissions(base_ + "/home/evil", fs::perms::owner_all);
    std::ofstream(base_ + "/home/helper") << "#!/bin/sh\ntouch " << base_ << "/canary\n";
    fs::permissions(base_ + "/home/helper", fs::perms::owner_all);
    std::ofstream(base_ + "/home/script") << "export HOME=" << base_ << "/home GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 BASE=" << base_
                                          << " CANARY=" << base_ << "/canary EVIL=" << base_ << "/home/evil HELPER=" << base_ << "/home/helper\n"
                                          << "unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE\ncd " << base_ << "/work 2>/dev/null\n" << script << "\n";
    const std::string command = "timeout 60 bash " + base_ + "/home/script >" + base_ + "/home/log 2>&1 </dev/null";
    return std::system(command.c_str());   // allow(system): the test's judge is the host's git
  }

  ProtectedSnapshot Scan(const WalkBudget& budget = {}) {
    std::ifstream file(base_ + "/home/.gitconfig");
    const std::string host_configuration{std::istreambuf_iterator<char>(file), {}};
    auto snapshot = ScanProtected(work_.get(), policy::DefaultProtectedNames(), budget, host_configuration);
    EXPECT_TRUE(snapshot) << snapshot.error().Text();
    return snapshot ? *snapshot : ProtectedSnapshot();
  }
  SweepReport Sweep(const ProtectedSnapshot& snapshot, const WalkBudget& budget = {}) {
    auto report = SweepProtected(work_.get(), snapshot, quarantine_.get(), budget);
    EXPECT_TRUE(report) << report.error().Text();
    return report ? *report : SweepReport();
  }
  bool Exists(const std::string& path) const { return fs::exists(fs::symlink_status(base_ + "/work/" + path)); }
  std::string Read(const std::string& path) const {
    std::ifstream file(base_ + "/work/" + path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool IsBitten() const { return fs::exists(base_ + "/canary"); }

  std::string base_;
  Descriptor work_, quarantine_;
};

struct Trick {
  const char* name;
  const char* before;    // what the user has
  const char* hostile;   // what the code inside does
  const char* host;      // what the user does afterwards
};

// A repository with one commit.
#define REPO "git init -q . && echo a >a && git add a && git commit -qm a;"
#define SUBREPO "mkdir -p sub && (cd sub && " REPO ");"
#define USE "git status; echo b >>a; git add a; git commit -m b; git checkout -q -b other; git diff; git log; git fetch --all;"

constexpr Trick kTricks[] = {
    {"hook in a repository that exists", REPO, "cp $EVIL .git/hooks/pre-commit", USE},
    {"hook where the directory of hooks is absent", REPO "rm -r .git/hooks;", "mkdir .git/hooks; cp $EVIL .git/hooks/post-checkout", USE},
    {"hook in a repository made inside", "", REPO "cp $EVIL .git/hooks/pre-commit", USE},
    {"hook four directories down", "mkdir -p x/y/z; cd x/y/z;" REPO, "cp $EVIL x/y/z/.git/hooks/pre-commit", "cd x/y/z;" USE},
    {"hooks as link", REPO, "mkdir h; cp $EVIL h/pre-commit; rm -r .git/hooks; ln -s ../h .git/hooks", USE},
    {"hook as link", REPO, "cp $EVIL h; ln -s ../../h .git/hooks/pre-commit", USE},
    {"sample renamed", REPO, "cp $EVIL .git/hooks/pre-commit.sample; mv .git/hooks/pre-commit.sample .git/hooks/pre-commit", USE},
    {"fsmonitor in the configuration", REPO, "git config core.fsmonitor $EVIL", USE},
    {"hooksPath in the configuration", REPO, "mkdir h; cp $EVIL h/pre-commit; git config core.hooksPath h", USE},
    {"included configuration", REPO, "printf '[core]\\nfsmonitor=%s\\n' $EVIL >c; printf '[include]\\npath=../c\\n' >>.git/config", USE},
    {"setting on a section's line", REPO, "printf '[core] fsmonitor=%s\\n' $EVIL >>.git/config", USE},
    {"configuration as link", REPO, "git config core.fsmonitor $EVIL; mv .git/config c; ln -s ../c .git/config", USE},
    {"configuration through a hard link", REPO "ln .git/config c;", "git config -f c x.y z; cat .git/config >d; printf '[core]\\nfsmonitor=%s\\n' $EVIL >>d; cat d >.git/config", USE},
    {"configuration of the worktree", REPO, "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor $EVIL", USE},
    {"filter by attributes of the repository", REPO "git config --global filter.f.clean $EVIL;", "mkdir -p .git/info; echo '* filter=f' >.git/info/attributes", USE},
    {"repository renamed, an evil one in its place", SUBREPO, "mv sub old; mkdir sub; cd sub;" REPO "git config core.fsmonitor $EVIL", "cd sub;" USE},
    {".git as link", "", "mkdir e; cd e;" REPO "git config core.fsmonitor $EVIL; cd ..; mkdir sub; ln -s ../e/.git sub/.git", "cd sub;" USE},
    {".git as file to an evil directory", "", "mkdir e; cd e;" REPO "git config core.fsmonitor $EVIL; mv .git g; cd ..; mkdir sub; echo gitdir: ../e/g >sub/.git", "cd sub;" USE},
    {".git file to hooks elsewhere", REPO, "mkdir s; cp -r .git $BASE/work/gd; cp $EVIL gd/hooks/pre-commit; echo gitdir: $BASE/work/gd >s/.git", "cd s;" USE},
    {".git file that existed, pointed elsewhere", "git init -q --separate-git-dir $BASE/outside/g sub;", "mkdir e; cd e;" REPO "git config core.fsmonitor $EVIL; cd ..; echo gitdir: $BASE/work/e/.git >sub/.git", "cd sub;" USE},
    {"bare repository in disguise", "", "mkdir docs; cd docs; git init -q --bare .; git config core.bare false; git config core.worktree ..; git config core.fsmonitor $EVIL", "cd docs;" USE},
    {"bare repository with a common directory elsewhere", "", "mkdir c d; cd c; git init -q --bare .; git config remote.r.url \"ext::$HELPER\"; cd ..; cp c/HEAD d/; echo ../c >d/commondir", "cd d; git fetch r"},
    {"common directory of a repository that exists", REPO, "git init -q --bare e; git -C e config core.bare false; git -C e config core.fsmonitor $EVIL; cp -r .git/refs .git/objects e/; echo ../e >.git/commondir", USE},
    {"submodule's own hooks", REPO "git init -q $BASE/outside/l; git -C $BASE/outside/l commit -q --allow-empty -m l; git submodule -q add $BASE/outside/l lib; git commit -qm s;", "cp $EVIL .git/modules/lib/hooks/pre-commit", "cd lib;" USE},
    {"submodule's own configuration", REPO "git init -q $BASE/outside/l; git -C $BASE/outside/l commit -q --allow-empty -m l; git submodule -q add $BASE/outside/l lib; git commit -qm s;", "git -C lib config core.fsmonitor $EVIL", "git status; cd lib;" USE},
    {"worktree's pointer to an evil directory outside", REPO "git worktree add -q $BASE/work/wt;", "mkdir -p $BASE/work/e/worktrees/wt; cd e; git init -q --bare .; git config core.bare false; git config core.fsmonitor $EVIL; cp -r ../.git/objects ../.git/refs .; cp ../.git/HEAD worktrees/wt/; echo ../.. >worktrees/wt/commondir; echo $BASE/work/wt/.git >worktrees/wt/gitdir; echo gitdir: $BASE/work/e/worktrees/wt >../wt/.git", "cd wt;" USE},
    {"hooks directory that the user's configuration names", "mkdir h; printf '#!/bin/sh\\n' >h/pre-commit; chmod +x h/pre-commit;" REPO "git config core.hooksPath h;", "cp $EVIL h/pre-commit", USE},
    {"new hook in the directory that the user's configuration names", "mkdir h; touch h/x;" REPO "git config core.hooksPath h;", "cp $EVIL h/post-checkout", USE},
    {"target of the user's link named hooks", "mkdir h; touch h/x;" REPO "rm -r .git/hooks; ln -s ../h .git/hooks;", "cp $EVIL h/pre-commit", USE},
    {"the same beside settings that are oddly written", "mkdir h; printf '#!/bin/sh\\n' >h/pre-commit; chmod +x h/pre-commit;" REPO "printf '[core] hooksPath = \"h\" # ours\\n[alias]\\n\\tlg = \\\\\\n\\tlog\\n' >>.git/config;", "cp $EVIL h/pre-commit", USE},
    {"hooks directory that is named and absent", REPO "git config core.hooksPath my/hooks;", "mkdir -p my/hooks; cp $EVIL my/hooks/pre-commit", USE},
    {"the same through a link", REPO "git config core.hooksPath my/hooks;", "mkdir -p e/hooks; cp $EVIL e/hooks/pre-commit; ln -s e my", USE},
    {"link on the way to a hooks directory", "mkdir -p a/hooks; printf '#!/bin/sh\\n' >a/hooks/pre-commit; chmod +x a/hooks/pre-commit; ln -s a l;" REPO "git config core.hooksPath l/hooks;", "mkdir -p e/hooks; cp $EVIL e/hooks/pre-commit; rm l; ln -s e l", USE},
    {"included configuration of the user's", REPO "touch team; git config include.path ../team;", "git config -f team core.fsmonitor $EVIL", USE},
    {"included configuration that is absent", REPO "git config include.path ../team;", "git config -f team core.fsmonitor $EVIL", USE},
    {"configuration that an included one includes", REPO "touch two; git config -f one include.path two; git config includeIf.gitdir:/.path ../one;", "git config -f two core.fsmonitor $EVIL", USE},
    {"file system monitor that lies in the tree", REPO "printf '#!/bin/sh\\n' >m.sh; chmod +x m.sh; git config core.fsmonitor './m.sh -x';", "cp $EVIL m.sh", USE},
    {"filter that lies in the tree", REPO "mkdir t; printf '#!/bin/sh\\ncat\\n' >t/f; git config filter.f.clean 'sh ./t/f %f'; echo '* filter=f' >.gitattributes;", "cp $EVIL t/f", USE},
    {"hooks of a worktree, by a path relative to it", REPO "git config core.hooksPath h; git worktree add -q wt; mkdir wt/h; touch wt/h/x;", "cp $EVIL wt/h/pre-commit", "cd wt;" USE},
    {"hooks of a submodule, by a path relative to it", REPO "git init -q $BASE/outside/l; git -C $BASE/outside/l commit -q --allow-empty -m l; git submodule -q add $BASE/outside/l lib; git commit -qm s; git -C lib config core.hooksPath h;", "mkdir lib/h; cp $EVIL lib/h/pre-commit", "cd lib;" USE},
    {"hooks of all work trees of the user", REPO "git config --global core.hooksPath .team/hooks;", "mkdir -p .team/hooks; cp $EVIL .team/hooks/pre-commit", USE},
    {"the same in a repository made inside", "git config --global core.hooksPath .team/hooks;", "mkdir n; cd n;" REPO "mkdir -p .team/hooks; cp $EVIL .team/hooks/pre-commit", "cd n;" USE},
    {"hooks of all work trees, by a plain word", REPO "git config --global core.hooksPath hk;", "mkdir hk; cp $EVIL hk/pre-commit", USE},
    {"rebase left for the user to continue", REPO "git commit -q --allow-empty -m two;", "GIT_SEQUENCE_EDITOR='printf \"break\\nexec '$EVIL'\\n\" >' git rebase -i HEAD~1", "git rebase --continue"},
    {"helper as remote", REPO, "git remote add evil \"ext::$HELPER\"", USE},
    {"helper as a branch's remote", REPO, "git config branch.main.remote \"ext::$HELPER\"; git config branch.main.merge refs/heads/main", "git pull"},
    {"link to which git appends", REPO "echo x >$BASE/home/rc;", "rm -rf .git/logs; mkdir .git/logs; ln -s $BASE/home/rc .git/logs/HEAD", "git commit --allow-empty -m zap; grep -q zap $BASE/home/rc && touch $CANARY"},
    {"directory shut against looks", "", "mkdir d; cd d;" REPO "git config core.fsmonitor $EVIL; cd ..; chmod 0 d", "chmod 700 d; cd d;" USE},
    {"newline in a directory's name", "", "mkdir $'a\\nb'; cd $'a\\nb';" REPO "git config core.fsmonitor $EVIL", "cd $'a\\nb';" USE},
    {"fifty directories down", "", "for i in {1..50}; do mkdir d; cd d; done;" REPO "git config core.fsmonitor $EVIL", "for i in {1..50}; do cd d; done;" USE},
    {"repository in a directory of git's", REPO, "mkdir .git/x; cd .git/x;" REPO "git config core.fsmonitor $EVIL", "cd .git/x;" USE},
    {".envrc two directories down", "mkdir -p a/b;", "echo evil >a/b/.envrc", "test -e a/b/.envrc && touch $CANARY"},
    {".envrc that existed, changed", "echo good >.envrc;", "echo evil >.envrc", "grep -q evil .envrc && touch $CANARY"},
    {".vscode as directory", "", "mkdir -p x/.vscode; echo evil >x/.vscode/tasks.json", "test -e x/.vscode && touch $CANARY"},
    {".vscode as file", "", "echo evil >.vscode", "test -e .vscode && touch $CANARY"},
    {".vscode as link", "", "mkdir v; echo evil >v/tasks.json; ln -s v .vscode", "test -e .vscode/tasks.json && touch $CANARY"},
    {".vscode that existed, with a new file", "mkdir .vscode; echo good >.vscode/settings.json;", "echo evil >.vscode/tasks.json", "test -e .vscode/tasks.json && touch $CANARY"},
    {".vscode that existed, made a link", "mkdir .vscode; echo good >.vscode/settings.json;", "mv .vscode v; echo evil >v/tasks.json; ln -s v .vscode", "test -e .vscode/tasks.json && touch $CANARY"},
    {"another spelling of .vscode", "", "mkdir .VSCode; echo evil >.VSCode/tasks.json", "test -e .VSCode && touch $CANARY"},
    {".claude/settings.json absent at first", "mkdir .claude;", "echo evil >.claude/settings.json", "test -e .claude/settings.json && touch $CANARY"},
    {"hard link of a protected file", "echo good >.npmrc; ln .npmrc alias;", "echo evil >alias", "grep -q evil .npmrc && touch $CANARY"},
    {"protected file made executable", "mkdir .husky; echo good >.husky/x;", "chmod +x .husky/x", "test -x .husky/x && touch $CANARY"},
    {"set-user-id program", "", "cp /bin/true t; chmod 4755 t", "test -u t && touch $CANARY"},
    {"set-group-id program", "", "cp /bin/true t; chmod 2755 t", "test -g t && touch $CANARY"},
};

TEST_F(ProtectedNames, TricksBiteWithoutASweepAndNotAfterOne) {
  for (const Trick& trick : kTricks) {
    SCOPED_TRACE(trick.name);
    for (const bool sweeps : {false, true}) {
      Reset();
      RunHost(trick.before);
      ASSERT_FALSE(IsBitten()) << "bitten before the run";
      const ProtectedSnapshot snapshot = Scan();
      EXPECT_EQ(snapshot.incomplete, "");
      RunHost(trick.hostile);
      fs::remove(base_ + "/canary");   // what the code inside ran itself
      SweepReport report;
      if (sweeps) {
        report = Sweep(snapshot);
        EXPECT_EQ(report.incomplete, "");
        EXPECT_FALSE(report.items.empty());
        for (const SweepItem& item : report.items) EXPECT_NE(item.action, SweepItem::Action::kFailed) << SweepText(item);
      }
      RunHost(trick.host);
      std::string items;
      for (const SweepItem& item : report.items) items += "\n" + SweepText(item);
      EXPECT_EQ(IsBitten(), !sweeps) << (sweeps ? "bitten after the sweep:" + items : "does not bite without a sweep");
    }
  }
}

TEST_F(ProtectedNames, HonestWorkStays) {
  RunHost(REPO "mkdir .vscode; echo '{}' >.vscode/settings.json; printf '#!/bin/sh\\n' >.git/hooks/pre-push; git config alias.st status");
  const ProtectedSnapshot snapshot = Scan();
  RunHost("git checkout -q -b topic; echo b >b; git add b; git commit -qm b; git tag t;"
          "mkdir new; (cd new;" REPO "git remote add origin https://example.org/x.git);"
          "git clone -q . copy; git worktree add -q wt; (cd wt; echo c >c; git add c; git commit -qm c);"
          "git init -q --bare store.git; git gc -q");
  const SweepReport report = Sweep(snapshot);
  for (const SweepItem& item : report.items) ADD_FAILURE() << SweepText(item);
  EXPECT_EQ(RunHost("set -e; for d in . new copy wt; do git -C $d status; git -C $d commit --allow-empty -qm z; done; git -C store.git log || true; git st"), 0);
}

TEST_F(ProtectedNames, HonestSubmoduleStays) {
  RunHost("git init -q $BASE/outside/l; git -C $BASE/outside/l commit -q --allow-empty -m l;" REPO);
  const ProtectedSnapshot snapshot = Scan();
  RunHost("git submodule -q add $BASE/outside/l lib; git commit -qm s");
  const SweepReport report = Sweep(snapshot);
  // .gitmodules is a protected name, and git writes [submodule] into the repository's configuration: harmless.
  ASSERT_EQ(report.items.size(), 1u);
  EXPECT_EQ(report.items[0].path, ".gitmodules");
  EXPECT_EQ(RunHost("set -e; git -C lib status; git -C lib commit --allow-empty -qm z"), 0);
}

TEST_F(ProtectedNames, HooksThatARepositoryOutsideNamesInAWorktreeAreHeld) {
  RunHost("rmdir $BASE/work; git init -q $BASE/outside/r; cd $BASE/outside/r; git commit -q --allow-empty -m a; git config core.hooksPath h; git worktree add -q $BASE/work");
  work_.Reset(open((base_ + "/work").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const ProtectedSnapshot snapshot = Scan();
  EXPECT_EQ(snapshot.absent, std::vector<std::string>{"h"});
  RunHost("mkdir h; cp $EVIL h/pre-commit");
  Sweep(snapshot);
  RunHost("git commit --allow-empty -qm z");
  EXPECT_FALSE(IsBitten());
}

TEST_F(ProtectedNames, WhatAConfigurationNamesIsToldToTheWall) {
  RunHost(REPO "mkdir -p t/h; touch team t/f; ln -s t l; git config core.hooksPath l/h; git config include.path ../team; git config filter.f.clean './t/f x/y';"
          "git config core.editor vi; git config alias.x '!./t/a'");
  const ProtectedSnapshot snapshot = Scan();
  for (const char* path : {"t/h", "team", "t/f"}) EXPECT_EQ(std::count(snapshot.read_only.begin(), snapshot.read_only.end(), path), 1) << path;
  EXPECT_TRUE(snapshot.entries.contains("l"));
  EXPECT_TRUE(snapshot.absent.empty());   // x/y may be anything
}

TEST_F(ProtectedNames, WorktreePointerToARepositoryOutsideIsFollowed) {
  RunHost("rmdir $BASE/work; git init -q $BASE/outside/r; cd $BASE/outside/r; git commit -q --allow-empty -m a; git worktree add -q $BASE/work");
  work_.Reset(open((base_ + "/work").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const ProtectedSnapshot snapshot = Scan();
  ASSERT_EQ(snapshot.outside.size(), 1u);
  const OutsideRepository& outside = snapshot.outside[0];
  EXPECT_EQ(outside.common_directory, base_ + "/outside/r/.git");
  EXPECT_EQ(outside.worktree_directory, base_ + "/outside/r/.git/worktrees/work");
  EXPECT_EQ(std::count(outside.writable.begin(), outside.writable.end(), base_ + "/outside/r/.git"), 0);
  EXPECT_EQ(std::count(outside.writable.begin(), outside.writable.end(), base_ + "/outside/r/.git/objects"), 1);
  RunHost("echo b >b; git add b; git commit -qm b; ln -s $BASE/home/rc $BASE/outside/r/.git/logs/refs/heads/x;"
          "printf '[core]\\nfsmonitor=x\\n' >$BASE/outside/r/.git/worktrees/work/config.worktree");
  const SweepReport report = Sweep(snapshot);
  ASSERT_EQ(report.items.size(), 2u);
  EXPECT_EQ(report.items[0].path, base_ + "/outside/r/.git/worktrees/work/config.worktree");
  EXPECT_EQ(report.items[1].path, base_ + "/outside/r/.git/logs/refs/heads/x");
}

TEST_F(ProtectedNames, PointerThatDoesNotPointBackIsNotFollowed) {
  RunHost("git init -q $BASE/outside/r; cd $BASE/outside/r; git commit -q --allow-empty -m a; git worktree add -q $BASE/outside/wt;"
          "cp $BASE/outside/wt/.git $BASE/work/.git");
  EXPECT_TRUE(Scan().outside.empty());
}

TEST_F(ProtectedNames, ExistingNamesAndTheirParentsAreListed) {
  RunHost("mkdir -p a/b/.vscode node_modules/p; echo x >a/b/.vscode/settings.json; echo x >node_modules/p/.npmrc; cd a;" REPO);
  const ProtectedSnapshot snapshot = Scan();
  const auto& read_only = snapshot.read_only;
  for (const char* path : {"a/b/.vscode", "a/.git/config", "a/.git/hooks"}) {
    EXPECT_EQ(std::count(read_only.begin(), read_only.end(), path), 1) << path;
  }
  EXPECT_EQ(std::count(read_only.begin(), read_only.end(), "node_modules/p/.npmrc"), 0);
  EXPECT_TRUE(snapshot.entries.contains("node_modules/p/.npmrc"));
  EXPECT_TRUE(snapshot.entries.contains("a/b/.vscode/settings.json"));
  EXPECT_EQ(snapshot.pins, (std::vector<std::string>{"a", "a/.git", "a/b"}));
}

TEST_F(ProtectedNames, WhatWasChangedIsPutBackAndTheChangeIsKept) {
  RunHost("echo good >.envrc; chmod 640 .envrc; ln -s x .npmrc; mkdir -p .idea/sub; echo good >.idea/sub/f");
  const ProtectedSnapshot snapshot = Scan();
  RunHost("echo evil >.envrc; rm .npmrc; rm -r .idea");
  const SweepReport report = Sweep(snapshot);
  EXPECT_EQ(Read(".envrc"), "good\n");
  EXPECT_EQ(fs::status(base_ + "/work/.envrc").permissions(), static_cast<fs::perms>(0640));
  EXPECT_EQ(fs::read_symlink(base_ + "/work/.npmrc"), "x");
  EXPECT_EQ(Read(".idea/sub/f"), "good\n");
  ASSERT_FALSE(report.items.empty());
  std::ifstream kept(base_ + "/quarantine/" + report.items[0].kept);
  std::string line;
  std::getline(kept, line);
  EXPECT_EQ(line, "evil");
}

TEST_F(ProtectedNames, BudgetThatEndsIsSaid) {
  RunHost("mkdir d; touch d/{1..200}");
  EXPECT_NE(Scan({.entries = 100}).incomplete.find("more than 100 files"), std::string::npos);
  const ProtectedSnapshot snapshot = Scan();
  EXPECT_NE(Sweep(snapshot, {.entries = 100}).incomplete.find("more than 100 files"), std::string::npos);
  EXPECT_NE(Sweep(snapshot, {.directory_entries = 50}).incomplete.find("it has too many files"), std::string::npos);
}

TEST_F(ProtectedNames, LargeTreeDoesNotHideItsRepository) {
  RunHost(REPO "rm -r .git/hooks; mkdir aa zz; touch aa/{1..300} zz/{1..300}");
  const ProtectedSnapshot snapshot = Scan();
  RunHost("mkdir .git/hooks; cp $EVIL .git/hooks/pre-commit; mkdir wide; touch wide/{1..200}");
  EXPECT_NE(Sweep(snapshot, {.entries = 250}).incomplete, "");
  EXPECT_FALSE(Exists(".git/hooks/pre-commit"));
}

TEST_F(ProtectedNames, TreeDeeperThanDescriptorsAndPathsReach) {
  const ProtectedSnapshot snapshot = Scan();
  RunHost("long=$(printf 'abcdef/%.0s' {1..100}); for i in {1..12}; do mkdir -p $long; cd $long; done; echo evil >.envrc");
  const SweepReport report = Sweep(snapshot);
  EXPECT_EQ(report.incomplete, "");
  EXPECT_EQ(report.items.size(), 1u);
}

TEST_F(ProtectedNames, DeviceIsRemoved) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes devices";
  const ProtectedSnapshot snapshot = Scan();
  if (mknodat(work_.get(), "disk", S_IFBLK | 0666, makedev(7, 99)) != 0) GTEST_SKIP() << "devices cannot be made here";
  const SweepReport report = Sweep(snapshot);
  EXPECT_FALSE(Exists("disk"));
  ASSERT_EQ(report.items.size(), 1u);
  EXPECT_EQ(report.items[0].action, SweepItem::Action::kRemoved);
}

TEST_F(ProtectedNames, NamesInReportsAreHarmlessToTerminals) {
  EXPECT_EQ(SweepText({SweepItem::Action::kQuarantined, "a\n\x1b[2J", "new hook", "0001-x"}), "quarantined a??[2J: new hook (kept as 0001-x)");
  // The one-character form of ESC [, a mark that turns text around, and no UTF-8.
  EXPECT_EQ(SweepText({SweepItem::Action::kQuarantined, "a\xc2\x9b" "2J\xe2\x80\xae\xff\xc3\xa9", "new hook", ""}), "quarantined a?2J??\xc3\xa9: new hook");
}

TEST_F(ProtectedNames, TheHostsChangesInWhatTheWallHeldStay) {
  RunHost("mkdir .vscode; echo old > .vscode/settings.json; echo old > .bashrc");
  ProtectedSnapshot snapshot = Scan();
  snapshot.was_held = true;
  RunHost("echo new > .vscode/other; echo new > .bashrc; rm .vscode/settings.json; echo new > .vscode/settings.json");
  EXPECT_TRUE(Sweep(snapshot).items.empty());
}

// The mount went with the file that it was put on, and the new one was open to writers inside.
TEST_F(ProtectedNames, WhatReplacedAHeldNameIsLookedAt) {
  RunHost("git init -q .; mkdir -p x/.vscode; echo old > x/.vscode/tasks.json; echo old > .bashrc; echo old > .mcp.json");
  ProtectedSnapshot snapshot = Scan();
  snapshot.was_held = true;
  RunHost("git config user.name host; git config core.fsmonitor $EVIL; mv x y; mkdir -p x/.vscode; echo planted > x/.vscode/tasks.json;"
          "echo planted > new; mv new .bashrc; rm .mcp.json; echo planted > .mcp.json");
  EXPECT_FALSE(Sweep(snapshot).items.empty());
  EXPECT_EQ(RunHost("! grep fsmonitor .git/config && ! grep -r planted ."), 0);
  EXPECT_EQ(RunHost("grep old .bashrc && grep old .mcp.json"), 0);
}

// It planted them, and will have swept them by the end of its own run.
TEST_F(ProtectedNames, WhatAnotherSandboxMayHaveMadeIsNotPutBack) {
  RunHost("mkdir -p x/.vscode; echo planted > x/.vscode/tasks.json; ln -s planted .mcp.json; echo planted > .bashrc; ln .bashrc other; echo planted > .zshrc");
  ProtectedSnapshot snapshot = Scan();
  snapshot.was_held = true;
  snapshot.others_since = 0;
  RunHost("mv x y; mkdir -p x/.vscode; echo planted > x/.vscode/tasks.json; rm .mcp.json .bashrc; cp .zshrc new; rm .zshrc; mv new .zshrc");
  Sweep(snapshot);
  for (const char* name : {"x/.vscode", "y/.vscode", ".mcp.json", ".bashrc", ".zshrc"}) EXPECT_FALSE(Exists(name)) << name;
}

TEST_F(ProtectedNames, WhatAnotherSandboxFoundStays) {
  RunHost("mkdir .vscode; echo a > .vscode/tasks.json; ln -s a .mcp.json");
  ProtectedSnapshot snapshot = Scan();
  snapshot.others_since = 0;
  EXPECT_TRUE(Sweep(snapshot).items.empty());
}

TEST_F(ProtectedNames, AHarmlessNewConfigurationStays) {
  RunHost("git init -q .");
  ProtectedSnapshot snapshot = Scan();
  snapshot.was_held = true;
  RunHost("git config user.name host");
  EXPECT_TRUE(Sweep(snapshot).items.empty());
  EXPECT_EQ(RunHost("test $(git config user.name) = host"), 0);
}

TEST_F(ProtectedNames, NothingIsTakenThroughALink) {
  RunHost("mkdir $BASE/outside/d; echo good >$BASE/outside/d/.envrc; ln -s $BASE/outside/d link");
  ProtectedSnapshot snapshot = Scan();
  EXPECT_TRUE(snapshot.entries.empty());
  EXPECT_TRUE(Sweep(snapshot).items.empty());
  EXPECT_TRUE(fs::exists(base_ + "/outside/d/.envrc"));
}

TEST_F(ProtectedNames, WhatAScanCutShortDidNotSeeStaysUnlessItChanged) {
  RunHost("mkdir -p far/.vscode; touch .bashrc far/.envrc far/.vscode/tasks.json");
  ProtectedSnapshot cut = Scan();
  cut.entries.clear();
  cut.incomplete = "the tree took too long";
  cut.started += 10;   // all of it is older
  EXPECT_TRUE(Sweep(cut).items.empty());
  EXPECT_TRUE(Exists(".bashrc") && Exists("far/.envrc") && Exists("far/.vscode/tasks.json"));
  cut.started -= 100;   // all of it is younger
  EXPECT_EQ(Sweep(cut).items.size(), 3u);
  EXPECT_FALSE(Exists(".bashrc") || Exists("far/.envrc") || Exists("far/.vscode"));
}

}  // namespace
}  // namespace paddock::process_wall
