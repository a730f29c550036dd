#include "registry/states/container_keeper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "sandbox/begins_on_roots.h"
#include "sandbox/moves_trees.h"
#include "store/trees/draft.h"
#include "store/trees/lookup.h"
#include "store/trees/scratch_for_test.h"

namespace paddock::registry {
namespace {

// What stands outside and outlives whoever made it: workspaces by key, as archives; and what was made of roots.
struct Outside {
  std::map<std::string, std::string> workspaces;
  std::map<std::string, std::string> stands_on;   // names of roots, by key
  std::map<std::string, std::string> roots;       // archives by name
  bool has_own_roots = false;                     // then the archives of `workspaces` are whole roots
  int imports = 0;
  int keys = 0;
  // The step at which the process is killed: what was done stays, and nothing is taken back. 0: never.
  int dies_at = 0;
  int step = 0;

  Status Step() { return ++step == dies_at ? Status(Error(Code::kIo, "killed")) : Status(); }
};

class FakeSandbox final : public sandbox::Sandbox, public sandbox::MovesTrees, public sandbox::PacksRoot {
 public:
  FakeSandbox(Outside& outside, std::string key) : outside_(outside), key_(std::move(key)) {}
  const std::string& id() const override { return key_; }
  Result<std::unique_ptr<sandbox::Process>> Start(sandbox::ExecSpec, sandbox::StdinSource, sandbox::OutputHandler) override { return Error(Code::kNotSupported, "no programs"); }

  Status PackWorkspace(const std::function<Status(std::string_view)>& sink) override {
    const std::string& archive = outside_.workspaces[key_];
    for (size_t at = 0; at < archive.size(); at += 1000) PADDOCK_TRY(sink(std::string_view(archive).substr(at, 1000)));
    return is_unreadable ? Status(Error(Code::kAccess, "cannot read 'secret'")) : Status();
  }
  Result<std::unique_ptr<sandbox::TreeWriter>> UnpackWorkspace() override {
    class Writer final : public sandbox::TreeWriter {
     public:
      Writer(Outside& outside, std::string key) : outside_(outside), key_(std::move(key)) {}
      Status Write(std::string_view bytes) override {
        archive_ += bytes;
        return {};
      }
      Status Commit() override {
        PADDOCK_TRY(outside_.Step());
        outside_.workspaces[key_] = archive_;
        return outside_.Step();
      }

     private:
      Outside& outside_;
      const std::string key_;
      std::string archive_;
    };
    PADDOCK_TRY(outside_.Step());
    return std::unique_ptr<sandbox::TreeWriter>(std::make_unique<Writer>(outside_, key_));
  }

  Status PackRoot(const sandbox::TarSink& sink) override { return outside_.has_own_roots ? PackWorkspace(sink) : sink(outside_.roots[outside_.stands_on[key_]]); }
  Result<sandbox::RootConfig> ReadRootConfig() override { return sandbox::RootConfig{.environment = {"A=1"}, .entrypoint = {}, .command = {"sh"}, .working_directory = {}, .user = {}}; }
  std::string workspace() const override { return "/workspace"; }

  bool is_unreadable = false;

 private:
  Outside& outside_;
  const std::string key_;
};

class FakeDriver final : public sandbox::Driver, public sandbox::KeepsSandboxes, public sandbox::BeginsOnRoots {
 public:
  explicit FakeDriver(Outside& outside) : outside_(outside) {}
  const char* name() const override { return "container"; }
  Result<std::unique_ptr<sandbox::Sandbox>> Create(const sandbox::SandboxSpec&) override { return Error(Code::kNotSupported, "kept ones only"); }

  Result<std::unique_ptr<sandbox::Sandbox>> Make(const sandbox::SandboxSpec&, const sandbox::KeptOwner&, const std::function<Status(const std::string& key)>& remember) override {
    const std::string key = "ctr-" + std::to_string(++outside_.keys);
    PADDOCK_TRY(outside_.Step());
    PADDOCK_TRY(remember(key));
    PADDOCK_TRY(outside_.Step());
    outside_.workspaces[key] = "";
    PADDOCK_TRY(outside_.Step());
    return std::unique_ptr<sandbox::Sandbox>(std::make_unique<FakeSandbox>(outside_, key));
  }
  Result<std::unique_ptr<sandbox::Sandbox>> Reopen(const sandbox::SandboxSpec&, const std::string& key) override {
    if (!outside_.workspaces.contains(key)) return Error(Code::kNoEntry, "gone");
    return std::unique_ptr<sandbox::Sandbox>(std::make_unique<FakeSandbox>(outside_, key));
  }
  Status Remove(const sandbox::SandboxSpec&, const std::string& key) override {
    PADDOCK_TRY(outside_.Step());
    outside_.workspaces.erase(key);
    outside_.stands_on.erase(key);
    return outside_.Step();
  }
  Result<std::vector<std::string>> Sweep(const std::function<bool(const std::string& key)>& is_kept) override {
    std::vector<std::string> removed;
    for (const auto& [key, archive] : outside_.workspaces) {
      if (!is_kept(key)) removed.push_back(key);
    }
    for (const std::string& key : removed) {
      outside_.workspaces.erase(key);
      outside_.stands_on.erase(key);
    }
    return removed;
  }

  Result<std::unique_ptr<sandbox::Sandbox>> MakeOn(const sandbox::RootTree& root, const sandbox::SandboxSpec& spec, const sandbox::KeptOwner& owner,
                                                   const std::function<Status(const std::string& key)>& remember) override {
    PADDOCK_TRY(outside_.Step());
    if (!outside_.roots.contains(root.name)) {
      PADDOCK_ASSIGN(const std::unique_ptr<ByteSource> source, root.open());
      std::string archive;
      while (true) {
        PADDOCK_ASSIGN(const Block block, source->ReadBlock(5000));
        if (block.bytes.empty()) break;
        archive += block.bytes;
      }
      ++outside_.imports;
      outside_.roots[root.name] = archive;
    }
    PADDOCK_ASSIGN(auto made, Make(spec, owner, remember));
    outside_.stands_on[made->id()] = root.name;
    if (outside_.has_own_roots) outside_.workspaces[made->id()] = outside_.roots[root.name];
    return made;
  }
  bool has_own_roots() const override { return outside_.has_own_roots; }
  Status PackBeginning(const sandbox::SandboxSpec&, const std::string&, const sandbox::TarSink&) override { return Error(Code::kNoEntry, "gone"); }
  std::vector<std::string> WallsOwn() const override { return {"wall"}; }
  Status DropRoot(const sandbox::SandboxSpec&, const std::string& name) override {
    PADDOCK_TRY(outside_.Step());
    for (const auto& [key, root] : outside_.stands_on) {
      if (root == name) return {};
    }
    outside_.roots.erase(name);
    return outside_.Step();
  }
  Result<std::vector<std::string>> SweepRoots(const std::function<bool(const std::string& name)>& is_needed) override {
    for (auto it = outside_.roots.begin(); it != outside_.roots.end();) it = is_needed(it->first) ? std::next(it) : outside_.roots.erase(it);
    return std::vector<std::string>();
  }

 private:
  Outside& outside_;
};

class ContainerKeeperTest : public testing::Test {
 protected:
  ContainerKeeperTest() { std::filesystem::create_directories(sandboxes_); }
  // As after a start of the daemon.
  std::unique_ptr<Keeper> Open() {
    SandboxInfo info;
    info.id = "sbx_1";
    info.request.isolation = "container";
    auto keeper = ContainerKeeper::Make(driver_, info, sandboxes_ + "/sbx_1", store_, [this](const trees::ObjectId& tree) { return templates_.contains(tree); });
    EXPECT_TRUE(keeper);
    return std::move(*keeper);
  }
  static KeepsStates& States(Keeper& keeper) { return dynamic_cast<KeepsStates&>(keeper); }
  // A state whose workspace holds one file of that name.
  SavedState StateWith(const std::string& name) {
    trees::Session session = store_->Begin();
    trees::Draft draft;
    trees::Entry entry;
    entry.name = name;
    entry.type = vfs::FileType::kDirectory;
    draft.Add(draft.root(), std::move(entry));
    SavedState state;
    state.files = *draft.Encode(session);
    EXPECT_TRUE(session.Finish());
    sessions_.push_back(std::move(session));   // what a session met is not collected
    return state;
  }
  void Sweep() {
    const auto kept = ContainerKeeper::Keys(sandboxes_);
    ASSERT_TRUE(kept);
    ASSERT_TRUE(driver_.Sweep([&](const std::string& key) { return kept->contains(key); }));
    const auto roots = ContainerKeeper::RootNames(sandboxes_);
    ASSERT_TRUE(roots);
    ASSERT_TRUE(driver_.SweepRoots([&](const std::string& name) { return roots->contains(name); }));
  }
  // As from a template of that tree.
  SavedState BeginOn(const trees::ObjectId& tree) {
    trees::Session session = store_->Begin();
    TemplateInfo info;
    info.state.files = tree;
    auto state = ContainerKeeper::Begin(driver_, session, info);
    EXPECT_TRUE(state);
    sessions_.push_back(std::move(session));
    return *state;
  }
  // The archive of the one container that is there.
  std::string Only() {
    EXPECT_EQ(outside_.workspaces.size(), 1u);
    return outside_.workspaces.empty() ? "" : outside_.workspaces.begin()->second;
  }

  const trees::TemporaryDirectory scratch_;
  const std::string sandboxes_ = scratch_.Path("sandboxes");
  const std::shared_ptr<trees::Store> store_ = *trees::Store::Open(scratch_.Path("trees"));
  std::vector<trees::Session> sessions_;
  std::set<trees::ObjectId> templates_;
  Outside outside_;
  FakeDriver driver_{outside_};
};

TEST_F(ContainerKeeperTest, KilledAtAnyStepOfACreateLeavesOneContainer) {
  for (int step = 1; step <= 4; ++step) {
    outside_ = {};
    outside_.dies_at = step;
    const bool was_made = Open()->Load().has_value();
    EXPECT_EQ(was_made, step == 4) << "there are three steps";
    outside_.dies_at = 0;
    const auto again = Open()->Load();
    ASSERT_TRUE(again) << step << ": " << again.error().message;
    Sweep();
    EXPECT_EQ(outside_.workspaces.size(), 1u) << step;
    EXPECT_TRUE(Open()->Remove());
    EXPECT_TRUE(outside_.workspaces.empty());
    EXPECT_TRUE(Open()->Remove()) << "removed twice";
  }
}

TEST_F(ContainerKeeperTest, KilledAtAnyStepOfARestoreItBecomesTheStateAllTheSame) {
  const SavedState first = StateWith("first"), second = StateWith("second");
  bool was_whole = false;
  for (int step = 1; !was_whole; ++step) {
    ASSERT_LT(step, 20);
    outside_ = {};
    std::filesystem::remove_all(sandboxes_ + "/sbx_1");
    const auto keeper = Open();
    ASSERT_TRUE(States(*keeper).Become(first));
    ASSERT_TRUE(keeper->Load());
    ASSERT_NE(Only().find("first"), std::string::npos);
    ASSERT_TRUE(States(*keeper).Become(second));
    outside_.step = 0;
    outside_.dies_at = step;
    was_whole = keeper->Load().has_value() && outside_.step < step;
    outside_.dies_at = 0;
    const auto again = Open()->Load();
    ASSERT_TRUE(again) << step << ": " << again.error().message;
    Sweep();
    EXPECT_NE(Only().find("second"), std::string::npos) << step;
  }
}

TEST_F(ContainerKeeperTest, WhatSomebodyElseRemovedIsNotMadeAnew) {
  ASSERT_TRUE(Open()->Load());
  outside_.workspaces.clear();
  EXPECT_EQ(Open()->Load().error().code, Code::kNoEntry);
  EXPECT_TRUE(outside_.workspaces.empty());
}

TEST_F(ContainerKeeperTest, CapturesTheWorkspaceAndWhatItBeganAs) {
  const SavedState first = StateWith("first");
  const auto keeper = Open();
  ASSERT_TRUE(States(*keeper).Become(first));
  const auto live = keeper->Load();
  ASSERT_TRUE(live);
  trees::Session session = store_->Begin();
  const auto captured = States(*keeper).Capture(live->get(), session);
  ASSERT_TRUE(captured) << captured.error().message;
  EXPECT_EQ(captured->files, first.files);
  EXPECT_EQ(*States(*keeper).CaptureCreation(session), first.files);
  dynamic_cast<FakeSandbox&>(**live).is_unreadable = true;
  const auto refused = States(*keeper).Capture(live->get(), session);
  ASSERT_FALSE(refused) << "a state without a file that was there";
  EXPECT_EQ(refused.error().code, Code::kAccess);
  outside_.workspaces.begin()->second = "no archive" + std::string(2000, 'x');
  EXPECT_FALSE(States(*keeper).Capture(live->get(), session));
}

TEST_F(ContainerKeeperTest, TreesAreNeededWhileTheyAreToBecome) {
  const SavedState first = StateWith("first"), second = StateWith("second");
  const auto keeper = Open();
  ASSERT_TRUE(States(*keeper).Become(first));
  ASSERT_TRUE(keeper->Load());
  ASSERT_TRUE(States(*keeper).Become(second));
  EXPECT_EQ(States(*keeper).Trees()->size(), 2u);
  ASSERT_TRUE(keeper->Load());
  EXPECT_EQ(*States(*keeper).Trees(), std::vector<trees::ObjectId>{first.files}) << "what it began as";
}

TEST_F(ContainerKeeperTest, ATemplatesTreeIsTheRootAndIsNeededAsLongAsTheSandboxIs) {
  const SavedState root = StateWith("srv"), later = StateWith("later");
  const auto keeper = Open();
  const SavedState begun = BeginOn(root.files);
  EXPECT_EQ(begun.base, root.files);
  ASSERT_TRUE(States(*keeper).Become(begun));
  ASSERT_TRUE(keeper->Load());
  EXPECT_EQ(Only(), "") << "the workspace is the root's own";
  ASSERT_EQ(outside_.roots.size(), 1u);
  EXPECT_NE(outside_.roots.begin()->second.find("srv"), std::string::npos);
  const auto trees = States(*keeper).Trees();
  EXPECT_NE(std::find(trees->begin(), trees->end(), root.files), trees->end());
  SavedState with_base = later;   // a snapshot of it
  with_base.base = root.files;
  ASSERT_TRUE(States(*keeper).Become(with_base));
  const auto live = keeper->Load();
  ASSERT_TRUE(live);
  EXPECT_NE(Only().find("later"), std::string::npos);
  EXPECT_EQ(outside_.imports, 1);
  trees::Session session = store_->Begin();
  const auto captured = States(*keeper).Capture(live->get(), session);
  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->base, root.files);
  EXPECT_EQ(captured->files, later.files);
}

TEST_F(ContainerKeeperTest, WhatWasMadeOfARootGoesWithItsLastSandboxUnlessATemplateIsOfIt) {
  const SavedState root = StateWith("srv");
  for (const bool is_template : {false, true}) {
    outside_ = {};
    if (is_template) templates_.insert(root.files);
    const auto keeper = Open();
    ASSERT_TRUE(States(*keeper).Become(BeginOn(root.files)));
    ASSERT_TRUE(keeper->Load());
    ASSERT_TRUE(keeper->Remove());
    EXPECT_EQ(outside_.roots.size(), is_template ? 1u : 0u);
  }
}

TEST_F(ContainerKeeperTest, KilledAtAnyStepFromOneRootToAnotherNothingOfTheFirstStays) {
  const SavedState first = StateWith("first"), second = StateWith("second");
  for (const bool has_own_roots : {false, true}) {
    bool was_whole = false;
    for (int step = 1; !was_whole; ++step) {
      ASSERT_LT(step, 30);
      outside_ = {};
      outside_.has_own_roots = has_own_roots;
      std::filesystem::remove_all(sandboxes_ + "/sbx_1");
      const auto keeper = Open();
      ASSERT_TRUE(States(*keeper).Become(BeginOn(first.files)));
      outside_.dies_at = step;
      was_whole = keeper->Load().has_value();
      if (was_whole) {
        ASSERT_TRUE(States(*keeper).Become(BeginOn(second.files)));
        was_whole = Open()->Load().has_value() && outside_.step < step;
      }
      outside_.dies_at = 0;
      ASSERT_TRUE(States(*Open()).Become(BeginOn(second.files)));
      const auto again = Open()->Load();
      ASSERT_TRUE(again) << step << ": " << again.error().message;
      Sweep();
      ASSERT_EQ(outside_.roots.size(), 1u) << step;
      EXPECT_EQ(outside_.roots.begin()->first, ContainerKeeper::RootName(second.files));
      EXPECT_EQ(outside_.workspaces.size(), 1u);
    }
    // And away.
    for (int step = 1, is_gone = 0; is_gone == 0; ++step) {
      ASSERT_LT(step, 30);
      outside_ = {};
      std::filesystem::remove_all(sandboxes_ + "/sbx_1");
      const auto keeper = Open();
      ASSERT_TRUE(States(*keeper).Become(BeginOn(first.files)));
      ASSERT_TRUE(keeper->Load());
      outside_.step = 0;
      outside_.dies_at = step;
      is_gone = keeper->Remove().has_value() && outside_.step < step ? 1 : 0;
      outside_.dies_at = 0;
      ASSERT_TRUE(Open()->Remove());
      Sweep();
      EXPECT_TRUE(outside_.roots.empty() && outside_.workspaces.empty()) << step;
    }
  }
}

TEST_F(ContainerKeeperTest, WhereTheRootIsAllThereIsStatesAreTheWholeRoot) {
  outside_.has_own_roots = true;
  const SavedState root = StateWith("srv"), other = StateWith("other");
  const auto keeper = Open();
  const SavedState begun = BeginOn(root.files);
  EXPECT_EQ(begun.files, root.files);
  EXPECT_EQ(begun.base, root.files);
  ASSERT_TRUE(States(*keeper).Become(begun));
  ASSERT_TRUE(keeper->Load());
  SavedState whole = other;
  whole.base = other.files;
  ASSERT_TRUE(States(*keeper).Become(whole));
  const auto live = keeper->Load();
  ASSERT_TRUE(live);
  EXPECT_EQ(Only().find("srv"), std::string::npos);
  EXPECT_EQ(outside_.roots.size(), 1u) << "the first is nobody's any more";
  trees::Session session = store_->Begin();
  const auto captured = States(*keeper).Capture(live->get(), session);
  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->files, other.files);
  EXPECT_EQ(captured->base, other.files);
  EXPECT_EQ(*States(*keeper).CaptureCreation(session), root.files);
}

TEST_F(ContainerKeeperTest, ARootIsCapturedWithTheWorkspaceInItAndWithoutWhatIsTheWalls) {
  trees::Session session = store_->Begin();
  trees::Draft draft;
  const auto add = [&](trees::DraftNode& parent, const char* name) -> trees::DraftNode& {
    trees::Entry entry;
    entry.name = name;
    entry.type = vfs::FileType::kDirectory;
    return draft.Add(parent, std::move(entry));
  };
  add(draft.root(), "srv");
  add(draft.root(), "wall");
  add(add(draft.root(), "workspace"), "old");
  const trees::ObjectId root = *draft.Encode(session);
  ASSERT_TRUE(session.Finish());
  const auto keeper = Open();
  SavedState state = StateWith("new");
  state.base = root;
  ASSERT_TRUE(States(*keeper).Become(state));
  const auto live = keeper->Load();
  ASSERT_TRUE(live);
  const auto captured = dynamic_cast<GivesRoots&>(*keeper).CaptureRoot(live->get(), session, {});
  ASSERT_TRUE(captured) << captured.error().message;
  EXPECT_EQ(captured->config.command, std::vector<std::string>{"sh"});
  const auto there = [&](const char* path) { return trees::FindByPath(*store_, captured->files.tree, path)->has_value(); };
  EXPECT_TRUE(there("srv"));
  EXPECT_TRUE(there("workspace/new"));
  EXPECT_FALSE(there("workspace/old"));
  EXPECT_FALSE(there("wall"));
  const auto refused = dynamic_cast<GivesRoots&>(*keeper).CaptureRoot(live->get(), session, {.max_bytes = 1000});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kLimit);
}

}  // namespace
}  // namespace paddock::registry
