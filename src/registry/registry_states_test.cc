#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <set>
#include <thread>

#include "commands/table.h"                 // allow(layers): a real driver under test
#include "drivers/virtual/virtual_driver.h"   // allow(layers): a real driver under test
#include "registry/registry.h"
#include "registry/states/journal_keeper.h"
#include "registry/states/keeper_for_test.h"
#include "registry/states/state_diff.h"

namespace paddock::registry {
namespace {

using namespace std::chrono_literals;

class StatesTest : public testing::Test {
 protected:
  StatesTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "states-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    Open();
  }
  ~StatesTest() override {
    Close();
    std::filesystem::remove_all(directory_);
  }

  void Open() {
    Close();
    driver_ = sandbox::MakeVirtualDriver(AllCommands());
    bases_ = std::make_shared<Bases>(std::move(*trees::Store::Open(directory_ + "/trees")));
    records_ = std::move(*records::Records::Open({.location = directory_ + "/db"}));
    RegistrySettings settings;
    settings.directory = directory_ + "/data";
    settings.bases = bases_;
    settings.snapshots = std::make_shared<Snapshots>(bases_->store(), *records_, KeptLimits{.most = 6, .most_bytes = 1 << 20});
    settings.isolations["virtual"] = [this](const SandboxInfo& info, const std::string& directory) -> Result<std::unique_ptr<Keeper>> {
      return std::unique_ptr<Keeper>(std::make_unique<JournalKeeper>(*driver_, sandbox::SandboxSpec{}, bases_, !info.request.base.empty(), directory));
    };
    settings.isolations["other"] = [this](const SandboxInfo&, const std::string& directory) -> Result<std::unique_ptr<Keeper>> {
      return std::unique_ptr<Keeper>(std::make_unique<FileKeeperForTest>(*driver_, directory));
    };
    auto opened = Registry::Open(std::move(settings), *records_);
    ASSERT_TRUE(opened) << opened.error().Text();
    registry_ = std::move(*opened);
  }
  void Close() {
    registry_.reset();
    records_.reset();
    bases_.reset();
    driver_.reset();
  }
  std::string Make(SandboxRequest request = {}) {
    auto created = registry_->Create(alice_, std::move(request));
    EXPECT_TRUE(created) << created.error().Text();
    return created ? created->sandbox.id : std::string();
  }
  std::string Out(const std::string& id, const std::string& script) {
    std::string output;
    const auto ended = registry_->Exec(alice_, id, {.script = script, .keeps_shell = true}, [&](sandbox::Stream, std::string_view bytes) { output += bytes; });
    return ended ? output : std::string(ended.error().Text());
  }
  std::string Take(const std::string& id, SnapshotRequest request = {}) {
    const auto taken = registry_->TakeSnapshot(alice_, id, request);
    EXPECT_TRUE(taken) << taken.error().Text();
    return taken ? taken->id : std::string();
  }
  Snapshots& snapshots() { return **registry_->snapshots(); }
  std::set<std::string> Directories() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ + "/data/sandboxes")) names.insert(entry.path().filename());
    return names;
  }

  const Caller alice_{.owner = "alice"}, bob_{.owner = "bob"}, admin_{.owner = "root", .is_admin = true};
  std::string directory_;
  std::unique_ptr<sandbox::Driver> driver_;
  std::shared_ptr<Bases> bases_;
  std::unique_ptr<records::Records> records_;
  std::unique_ptr<Registry> registry_;
};

TEST_F(StatesTest, ASnapshotOutlivesItsSandboxAndBeginsOthers) {
  const std::string id = Make({.name = "dev"});
  EXPECT_EQ(Out(id, "x=5; f() { echo f$1; }; mkdir d; cd d; echo one > file; ln file other; ln -s file link; chmod 640 file"), "");
  const auto taken = registry_->TakeSnapshot(alice_, "dev", {.name = "first", .labels = {{"a", "b"}}});
  ASSERT_TRUE(taken) << taken.error().Text();
  EXPECT_EQ(taken->sandbox, id);
  EXPECT_EQ(taken->labels, (Labels{{"a", "b"}}));
  EXPECT_GT(taken->state.totals.entries, 4u);
  EXPECT_TRUE(registry_->Delete(alice_, id));
  EXPECT_TRUE(registry_->Collect(0s));
  Open();
  EXPECT_EQ(snapshots().Get(alice_, "first")->id, taken->id);
  const std::string again = Make({.base = "snapshot:first"}), other = Make({.base = "snapshot:" + taken->id});
  const std::string look = "echo $x $(f 7) ${PWD##*/} $(cat link) $(stat -c '%a %h' file)";
  EXPECT_EQ(Out(again, look + "; echo two >> file"), "5 f7 d one 640 2\n");
  EXPECT_EQ(Out(other, look), "5 f7 d one 640 2\n");
  EXPECT_EQ(registry_->Get(alice_, again)->request.base, taken->id);
  EXPECT_TRUE(registry_->DeleteSnapshot(alice_, "first"));
  EXPECT_TRUE(registry_->Collect(0s));
  Open();   // what begins as a snapshot does not need it any more
  EXPECT_EQ(Out(again, "cat file"), "one\ntwo\n");
  EXPECT_EQ(Out(other, "cat other"), "one\n");
}

TEST_F(StatesTest, RestoringPutsFilesAndShellBack) {
  const std::string id = Make();
  EXPECT_EQ(Out(id, "x=1; echo one > file"), "");
  const std::string snapshot = Take(id);
  EXPECT_EQ(Out(id, "x=2; echo two > file; echo more > more; cd /tmp"), "");
  ASSERT_TRUE(registry_->Restore(alice_, id, snapshot, false));
  EXPECT_EQ(Out(id, "echo $x; cat file; ls; pwd"), "1\none\nfile\n/home/agent\n");
  EXPECT_EQ(Out(id, "x=3; echo three >> file"), "");
  Open();
  EXPECT_EQ(Out(id, "echo $x; cat file"), "3\none\nthree\n");
  // One at rest stays at rest, and may be looked at all the same.
  EXPECT_TRUE(registry_->Pause(alice_, id, false));
  const std::string at_rest = Take(id);
  ASSERT_TRUE(registry_->Restore(alice_, id, snapshot, false));
  EXPECT_EQ(registry_->Get(alice_, id)->state, SandboxState::kPaused);
  EXPECT_TRUE(registry_->Start(alice_, id));
  EXPECT_EQ(Out(id, "cat file"), "one\n");
  ASSERT_TRUE(registry_->Restore(alice_, id, at_rest, false));
  EXPECT_EQ(Out(id, "echo $x $(tail -1 file)"), "3 three\n");
}

TEST_F(StatesTest, WhatRunsIsNotRestoredUnderItsFeet) {
  const std::string id = Make();
  const std::string snapshot = Take(id);
  const auto process = registry_->StartProcess(alice_, id, {.script = "echo begun; read line", .has_open_input = true});
  ASSERT_TRUE(process);
  ASSERT_FALSE((*process)->output().Read(0, 100, std::chrono::steady_clock::now() + 60s).pieces.empty());
  EXPECT_EQ(registry_->Restore(alice_, id, snapshot, false).error().code, Code::kBusy);
  EXPECT_TRUE(registry_->Restore(alice_, id, snapshot, true));
  EXPECT_EQ((*process)->Info().state, ProcessState::kExited);
}

TEST_F(StatesTest, ForksGoTheirOwnWays) {
  const std::string id = Make({.name = "dev", .labels = {{"k", "v"}}});
  EXPECT_EQ(Out(id, "x=1; for i in 1 2 3; do echo $i > f$i; done"), "");
  const auto forks = registry_->Fork(alice_, "dev", {.count = 3, .name = "try", .labels = {{"l", "w"}}});
  ASSERT_TRUE(forks) << forks.error().Text();
  ASSERT_EQ(forks->size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const auto& fork = (*forks)[i].sandbox;
    ASSERT_TRUE(fork);
    EXPECT_EQ(fork->request.name, "try-" + std::to_string(i + 1));
    EXPECT_EQ(fork->request.labels, (Labels{{"k", "v"}, {"l", "w"}}));
    EXPECT_EQ(fork->request.base, id);
    EXPECT_EQ(Out(fork->id, "x=$((x + " + std::to_string(i) + ")); echo $x >> f1"), "");
  }
  EXPECT_EQ(Out(id, "rm f2"), "");
  EXPECT_TRUE(registry_->Delete(alice_, "try-1"));
  EXPECT_TRUE(registry_->Collect(0s));
  Open();
  EXPECT_EQ(Out(id, "cat f?"), "1\n3\n");
  EXPECT_EQ(Out("try-2", "cat f?; echo $x"), "1\n2\n2\n3\n2\n");
  EXPECT_EQ(Out("try-3", "cat f?; echo $x"), "1\n3\n2\n3\n3\n");
  // Names that are taken: each fork has its own outcome.
  const auto again = registry_->Fork(alice_, "try-2", {.count = 3, .name = "try"});
  ASSERT_TRUE(again);
  EXPECT_TRUE((*again)[0].sandbox);
  EXPECT_EQ((*again)[1].error->code, Code::kExists);
  EXPECT_EQ((*again)[2].error->code, Code::kExists);
  EXPECT_EQ(Out("try-1", "cat f1"), "1\n2\n");
  EXPECT_EQ(registry_->Fork(alice_, id, {.count = 101}).error().code, Code::kInvalid);
  EXPECT_EQ(registry_->Fork(alice_, id, {.count = 0}).error().code, Code::kInvalid);
  EXPECT_EQ(Directories().size(), registry_->count());   // those that could not be left nothing
}

TEST_F(StatesTest, WhatIsSomebodyElsesIsAbsent) {
  const std::string id = Make({.name = "dev"});
  const std::string snapshot = Take(id, {.name = "first"});
  const Error absent = snapshots().Get(bob_, "snap_aaaaaaaaaaaaaaaaaaaa").error();
  for (const std::string& name : {snapshot, std::string("first")}) {
    EXPECT_EQ(snapshots().Get(bob_, name).error().code, absent.code);
    EXPECT_EQ(registry_->DeleteSnapshot(bob_, name).error().code, absent.code);
    EXPECT_EQ(registry_->Create(bob_, {.base = "snapshot:" + name}).error().code, absent.code);
  }
  EXPECT_EQ(registry_->Create(bob_, {.base = "snapshot:" + snapshot}).error().Text().size(), absent.Text().size());
  const std::string bobs = registry_->Create(bob_, {})->sandbox.id;
  EXPECT_EQ(registry_->Restore(bob_, bobs, snapshot, true).error().code, absent.code);
  EXPECT_EQ(registry_->TakeSnapshot(bob_, id, {}).error().code, Code::kNoEntry);
  EXPECT_EQ(registry_->Fork(bob_, id, {}).error().code, Code::kNoEntry);
  EXPECT_TRUE(snapshots().List(bob_, {})->snapshots.empty());
  EXPECT_TRUE(snapshots().List(bob_, {.owner = "alice"})->snapshots.empty());
  EXPECT_TRUE(snapshots().List(bob_, {.sandbox = id})->snapshots.empty());
  EXPECT_EQ(snapshots().List(admin_, {.owner = "alice"})->snapshots.size(), 1u);
  EXPECT_TRUE(snapshots().Get(admin_, snapshot));
  EXPECT_TRUE(registry_->TakeSnapshot(bob_, bobs, {.name = "first"}));   // names are each owner's own
  EXPECT_EQ(registry_->TakeSnapshot(admin_, id, {})->owner, "alice");
  EXPECT_TRUE(snapshots().Get(alice_, snapshot));
}

TEST_F(StatesTest, AKeyForksAndSnapshotsOnce) {
  const std::string id = Make({.name = "dev"});
  const auto ids = [](const Result<std::vector<Forked>>& forks) {
    std::vector<std::string> all;
    for (const Forked& fork : *forks) all.push_back(fork.sandbox ? fork.sandbox->id : std::string(fork.error->Text()));
    return all;
  };
  const ForkRequest request{.count = 3, .name = "try", .labels = {{"a", "b"}}, .idempotency_key = "k"};
  Make({.name = "try-2"});
  auto first = ids(registry_->Fork(alice_, "dev", request));
  EXPECT_NE(first[1].find("'try-2'"), std::string::npos);
  EXPECT_TRUE(registry_->Delete(alice_, "try-2"));
  Open();
  const auto again = ids(registry_->Fork(alice_, id, request));   // what failed is tried again
  EXPECT_EQ(again[0], first[0]);
  EXPECT_EQ(again[1].substr(0, 4), "sbx_");
  EXPECT_EQ(again[2], first[2]);
  EXPECT_EQ(ids(registry_->Fork(alice_, id, request)), again);
  EXPECT_EQ(registry_->count(), 4u);
  EXPECT_TRUE(registry_->Delete(alice_, again[2]));
  EXPECT_EQ(ids(registry_->Fork(alice_, id, request))[2], "idempotency key 'k' made " + again[2] + ", which is gone");
  for (ForkRequest other : {ForkRequest{.count = 2, .name = "try", .labels = {{"a", "b"}}}, ForkRequest{.count = 3}, ForkRequest{.count = 3, .name = "try", .labels = {{"a", "c"}}}}) {
    other.idempotency_key = "k";
    EXPECT_EQ(registry_->Fork(alice_, id, other).error().code, Code::kConflict);
  }
  EXPECT_EQ(registry_->Fork(alice_, again[0], request).error().code, Code::kConflict);
  EXPECT_EQ(registry_->Create(alice_, {}, "k").error().code, Code::kConflict);
  EXPECT_EQ(registry_->TakeSnapshot(alice_, id, {.idempotency_key = "k"}).error().code, Code::kConflict);
  EXPECT_EQ(registry_->Fork(bob_, id, request).error().code, Code::kNoEntry);
  const auto taken = registry_->TakeSnapshot(alice_, id, {.name = "s", .idempotency_key = "t"}), retaken = registry_->TakeSnapshot(alice_, id, {.name = "s", .idempotency_key = "t"});
  ASSERT_TRUE(taken && retaken);
  EXPECT_EQ(taken->id, retaken->id);
  EXPECT_TRUE(taken->is_new);
  EXPECT_FALSE(retaken->is_new);
  EXPECT_TRUE(registry_->DeleteSnapshot(alice_, "s"));
  EXPECT_EQ(registry_->TakeSnapshot(alice_, id, {.name = "s", .idempotency_key = "t"}).error().code, Code::kConflict);
}

TEST_F(StatesTest, HowASandboxBeganIsKnownWhateverItBecomes) {
  const std::string id = Make();
  const auto changes = [&](const std::string& of) {
    trees::Session session = bases_->store()->Begin();
    const auto before = registry_->CaptureCreation(alice_, of, session);
    const auto after = registry_->CaptureState(alice_, of, session);
    if (!before || !after) return std::string(before ? after.error().Text() : before.error().Text());
    std::string text;
    const auto diff = DiffStates(*bases_->store(), *before, after->files, {});
    for (const StateChange& change : diff->changes) text += change.path + " ";
    return text;
  };
  EXPECT_EQ(changes(id), "");
  const std::string empty = Take(id);   // restored before anything was kept: the driver's own base is the origin
  ASSERT_TRUE(registry_->Restore(alice_, id, empty, false));
  EXPECT_EQ(Out(id, "echo one > one"), "");
  EXPECT_EQ(changes(id), "/home/agent/one ");
  const std::string one = Take(id);
  const auto forks = registry_->Fork(alice_, id, {.count = 1});
  ASSERT_TRUE(forks && (*forks)[0].sandbox);
  const std::string fork = (*forks)[0].sandbox->id, begun = Make({.base = "snapshot:" + one});
  for (const std::string& each : {fork, begun}) {
    EXPECT_EQ(changes(each), "");
    EXPECT_EQ(Out(each, "echo two > two"), "");
    EXPECT_EQ(changes(each), "/home/agent/two ");
    ASSERT_TRUE(registry_->Restore(alice_, each, empty, false));
    EXPECT_EQ(changes(each), "/home/agent/one ");   // it began with that
  }
  EXPECT_EQ(Out(id, "rm one; echo three > three"), "");
  ASSERT_TRUE(registry_->Restore(alice_, id, one, false));
  ASSERT_TRUE(registry_->Restore(alice_, id, one, false));
  EXPECT_TRUE(registry_->DeleteSnapshot(alice_, empty));
  EXPECT_TRUE(registry_->DeleteSnapshot(alice_, one));
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_TRUE(registry_->Collect(0s));
    EXPECT_EQ(changes(id), "/home/agent/one ");
    EXPECT_EQ(changes(fork), "/home/agent/one ");
    EXPECT_EQ(changes(begun), "/home/agent/one ");
    Open();
  }
  trees::Session session = bases_->store()->Begin();
  EXPECT_EQ(registry_->CaptureCreation(bob_, id, session).error().Text(), "no sandbox '" + id + "'");
  EXPECT_EQ(registry_->CaptureCreation(alice_, Make({.isolation = "other"}), session).error().code, Code::kNotSupported);
  for (const std::string& each : {id, fork, begun}) EXPECT_TRUE(registry_->Delete(alice_, each));
  EXPECT_EQ(Directories().size(), 1u);   // of the other
}

TEST_F(StatesTest, SnapshotsThatBelongToASandboxGoWithIt) {
  const std::string id = Make({.name = "dev"}), other = Make();
  const std::string own = Take(id, {.name = "base", .belongs_to_sandbox = true}), free = Take(id, {.name = "free"});
  EXPECT_EQ(Take(other, {.name = "base", .belongs_to_sandbox = true}).substr(0, 5), "snap_");   // a name of that one's
  EXPECT_EQ(registry_->TakeSnapshot(alice_, id, {.name = "base", .belongs_to_sandbox = true}).error().code, Code::kExists);
  EXPECT_EQ(snapshots().GetOf("alice", id, "base")->id, own);
  EXPECT_EQ(snapshots().GetOf("alice", id, own)->id, own);
  EXPECT_EQ(snapshots().GetOf("alice", id, "free")->id, free);
  const std::string none = std::string(snapshots().GetOf("alice", id, "none").error().Text());
  EXPECT_EQ(none, "no snapshot 'none' of " + id);
  for (const std::string& one : {own, std::string("free"), std::string("snap_\0", 6), std::string(500, 'x'), std::string("\xff")}) {
    EXPECT_EQ(snapshots().GetOf("alice", other, one).error().code, Code::kNoEntry);
    EXPECT_EQ(snapshots().GetOf("bob", id, one).error().code, Code::kNoEntry);
  }
  EXPECT_EQ(snapshots().Get(alice_, "base").error().code, Code::kNoEntry);   // by its id only
  EXPECT_TRUE(snapshots().Get(alice_, own));
  EXPECT_TRUE(registry_->Delete(alice_, id));
  EXPECT_EQ(snapshots().Get(alice_, own).error().code, Code::kNoEntry);
  EXPECT_TRUE(snapshots().Get(alice_, free));
  EXPECT_EQ(snapshots().List(alice_, {})->snapshots.size(), 2u);
}

TEST_F(StatesTest, OwnersHaveLimits) {
  const std::string id = Make();
  EXPECT_EQ(registry_->TakeSnapshot(alice_, id, {.name = "Not good"}).error().code, Code::kInvalid);
  EXPECT_EQ(registry_->TakeSnapshot(alice_, id, {.name = "snap_x"}).error().code, Code::kInvalid);
  std::vector<std::string> all;
  for (int i = 0; i < 6; ++i) all.push_back(Take(id, {.name = "n" + std::to_string(i)}));
  EXPECT_EQ(registry_->TakeSnapshot(alice_, id, {}).error().code, Code::kQuota);
  EXPECT_TRUE(registry_->DeleteSnapshot(alice_, all[0]));
  EXPECT_EQ(registry_->TakeSnapshot(alice_, id, {.name = "n1"}).error().code, Code::kExists);
  EXPECT_EQ(Out(id, "head -c 600000 /dev/urandom > big"), "");
  const std::string big = Take(id);
  EXPECT_TRUE(registry_->DeleteSnapshot(alice_, all[1]));
  EXPECT_EQ(registry_->TakeSnapshot(alice_, id, {}).error().code, Code::kQuota);   // bytes
  EXPECT_TRUE(registry_->DeleteSnapshot(alice_, big));
  Take(id);
  std::multiset<std::string> seen;
  SnapshotListRequest request{.limit = 2};
  do {
    const auto page = snapshots().List(alice_, request);
    ASSERT_TRUE(page);
    for (const auto& info : page->snapshots) seen.insert(info.name);
    request.cursor = page->next;
  } while (!request.cursor.empty());
  EXPECT_EQ(seen, (std::multiset<std::string>{"", "n2", "n3", "n4", "n5"}));
}

TEST_F(StatesTest, AnIsolationWithoutStatesSaysSo) {
  const std::string other = Make({.isolation = "other"}), id = Make();
  const std::string snapshot = Take(id);
  EXPECT_EQ(registry_->TakeSnapshot(alice_, other, {}).error().code, Code::kNotSupported);
  EXPECT_EQ(registry_->Fork(alice_, other, {}).error().code, Code::kNotSupported);
  EXPECT_EQ(registry_->Restore(alice_, other, snapshot, false).error().code, Code::kInvalid);
  EXPECT_EQ(registry_->Create(alice_, {.isolation = "other", .base = "snapshot:" + snapshot}).error().code, Code::kInvalid);
  EXPECT_EQ(registry_->Create(alice_, {.base = "sbx_x"}).error().code, Code::kInvalid);
  EXPECT_EQ(registry_->count(), 2u);
}

TEST_F(StatesTest, AKeyMakesOneSandboxOfASnapshot) {
  const std::string snapshot = Take(Make());
  const auto first = registry_->Create(alice_, {.base = "snapshot:" + snapshot}, "k"), again = registry_->Create(alice_, {.base = "snapshot:" + snapshot}, "k");
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->sandbox.id, again->sandbox.id);
  EXPECT_FALSE(again->is_new);
  EXPECT_EQ(Directories(), (std::set<std::string>{first->sandbox.id}));   // the other was never written to
}

TEST_F(StatesTest, ACollectionTakesWhatNothingNeeds) {
  const std::string id = Make();
  EXPECT_EQ(Out(id, "head -c 300000 /dev/urandom > big; cp big kept"), "");
  const std::string with = Take(id);
  EXPECT_EQ(Out(id, "rm big kept"), "");
  EXPECT_EQ(registry_->Collect(0s)->objects, 0u);
  const auto fork = registry_->Create(alice_, {.base = "snapshot:" + with});
  EXPECT_TRUE(registry_->DeleteSnapshot(alice_, with));
  EXPECT_EQ(registry_->Collect(0s)->objects, 0u);   // the sandbox that began as it needs it
  EXPECT_EQ(Out(fork->sandbox.id, "cmp big kept && echo same"), "same\n");
  EXPECT_TRUE(registry_->Delete(alice_, fork->sandbox.id));
  Open();
  const auto collected = registry_->Collect(0s);
  ASSERT_TRUE(collected) << collected.error().Text();
  EXPECT_GT(collected->body_bytes, 300000u);
  EXPECT_EQ(registry_->Collect()->objects, 0u);
  EXPECT_EQ(Out(id, "ls"), "");
}

// A crash leaves each of the two files of a state, or none; the sandboxes and directories that the database names, and no others.
TEST_F(StatesTest, AKillLeavesNeitherHalvesNorOrphans) {
  const std::string id = Make();
  EXPECT_EQ(Out(id, "x=a; echo a > f; echo a > g"), "");
  const std::string a = Take(id);
  EXPECT_EQ(Out(id, "x=b; echo b > f; echo b > g"), "");
  const std::string b = Take(id);
  Close();
  for (int round = 0; round < 8; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      Open();
      for (int n = 0;; ++n) {
        if (!registry_->Restore(alice_, id, n % 2 == 0 ? a : b, false)) _exit(1);
        if (write(ends[1], "+", 1) != 1) _exit(2);
        const auto taken = registry_->TakeSnapshot(alice_, id, {});
        const auto forks = registry_->Fork(alice_, id, {.count = 2});
        if (!taken || !forks || !registry_->DeleteSnapshot(alice_, taken->id)) _exit(3);
        if (write(ends[1], "+", 1) != 1) _exit(2);
        for (const auto& fork : *forks) {
          if (!fork.sandbox || !registry_->Delete(alice_, fork.sandbox->id)) _exit(4);
        }
        if (n % 4 == 3 && !registry_->Collect(0s)) _exit(5);
      }
    }
    close(ends[1]);
    char buffer[64];
    for (int seen = 0; seen < 1 + round * 3;) {
      const ssize_t got = read(ends[0], buffer, sizeof buffer);
      ASSERT_GT(got, 0);
      seen += static_cast<int>(got);
    }
    kill(child, SIGKILL);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);

    Open();
    const std::string now = Out(id, "echo $x$(cat f)$(cat g)");
    EXPECT_TRUE(now == "aaa\n" || now == "bbb\n") << now;
    std::set<std::string> known;
    const auto sandboxes = registry_->List(alice_, {});
    for (const SandboxInfo& info : sandboxes->sandboxes) {
      known.insert(info.id);
      const std::string like = Out(info.id, "echo $x$(cat f)$(cat g)");
      EXPECT_TRUE(like == "aaa\n" || like == "bbb\n") << like;
    }
    EXPECT_EQ(Directories(), known);
    const auto taken = snapshots().List(alice_, {});
    for (const SnapshotInfo& info : taken->snapshots) {
      const std::string of = Make({.base = "snapshot:" + info.id});
      const std::string like = Out(of, "echo $x$(cat f)$(cat g)");
      EXPECT_TRUE(like == "aaa\n" || like == "bbb\n") << like;
      EXPECT_TRUE(registry_->Delete(alice_, of));
      if (info.id != a && info.id != b) {
        EXPECT_TRUE(registry_->DeleteSnapshot(alice_, info.id));
      }
    }
    for (const std::string& one : known) {
      if (one != id) {
        EXPECT_TRUE(registry_->Delete(alice_, one));
      }
    }
    Close();
  }
}

}  // namespace
}  // namespace paddock::registry
