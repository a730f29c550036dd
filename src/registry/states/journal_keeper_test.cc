#include "registry/states/journal_keeper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "base/crc32c.h"
#include "base/descriptor.h"
#include "commands/table.h"                 // allow(layers): a real driver under test
#include "drivers/virtual/virtual_driver.h"   // allow(layers): a real driver under test
#include "registry/registry.h"
#include "text/digest.h"

namespace paddock::registry {
namespace {

using namespace std::chrono_literals;

class JournalKeeperTest : public testing::Test {
 protected:
  JournalKeeperTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kept-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~JournalKeeperTest() override {
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
    settings.snapshots = std::make_shared<Snapshots>(bases_->store(), *records_, KeptLimits{});
    settings.isolations["virtual"] = [this](const SandboxInfo& info, const std::string& directory) -> Result<std::unique_ptr<Keeper>> {
      return std::unique_ptr<Keeper>(std::make_unique<JournalKeeper>(*driver_, sandbox::SandboxSpec{}, bases_, !info.request.base.empty(), directory));
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
  std::string Out(const std::string& id, const std::string& script) {
    std::string output;
    const auto ended = registry_->Exec(caller_, id, {.script = script, .keeps_shell = true}, [&](sandbox::Stream, std::string_view bytes) { output += bytes; });
    return ended ? output : std::string(ended.error().Text());
  }

  std::string DirectoryOf(const std::string& id) const { return directory_ + "/data/sandboxes/" + id; }
  // The files of that kind in the sandbox's directory.
  size_t ExtentsOf(const std::string& id) const {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(DirectoryOf(id))) count += entry.path().filename().string().starts_with("extent-") ? 1 : 0;
    return count;
  }
  // Writes a file as an extent. `is_committed` false: and forgets about it.
  Status Put(const std::string& id, const std::string& path, const std::string& bytes, bool is_committed = true) {
    PADDOCK_ASSIGN(HeldFiles files, registry_->Files(caller_, id, std::chrono::steady_clock::now() + 10s));
    const Descriptor spool(open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!spool.is_open() || write(spool.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) return Code::kIo;
    PADDOCK_ASSIGN(const vfs::ExtentPtr extent, files.TakeExtent(spool.get(), bytes.size(), Crc32c(bytes)));
    if (!is_committed) return {};
    PADDOCK_ASSIGN(const vfs::OpenFilePtr file, files->Open(path, vfs::OpenFlags::Write(), 0644));
    PADDOCK_TRY(dynamic_cast<vfs::TakesExtents&>(*file).WriteExtent(extent, 0, bytes.size()));
    return files.Commit();
  }
  static std::string Sum(const std::string& bytes) { return std::to_string(bytes.size()) + " " + HexOf(DigestOf(DigestAlgorithm::kSha256, bytes)) + "\n"; }
  std::string SumOf(const std::string& id, const std::string& path) { return Out(id, "echo $(stat -c %s " + path + ") $(sha256sum " + path + " | cut -d' ' -f1)"); }

  const Caller caller_{.owner = "o"};
  std::string directory_;
  std::unique_ptr<sandbox::Driver> driver_;
  std::shared_ptr<Bases> bases_;
  std::unique_ptr<records::Records> records_;
  std::unique_ptr<Registry> registry_;
};

TEST_F(JournalKeeperTest, FilesAndShellOutliveTheRegistry) {
  Open();
  const std::string id = registry_->Create(caller_, {})->sandbox.id;
  EXPECT_EQ(Out(id, "x=5; f() { echo f$1; }; mkdir d; cd d; echo text > file; chmod 600 file; ln file other; ln -s file link; umask 077"), "");
  EXPECT_EQ(Out(id, "a=(1 2 3); alias ll='ls -l'"), "");
  Open();
  EXPECT_EQ(Out(id, "echo $x ${a[2]} $(f 7) ${PWD##*/} $(umask) $(cat link) $(stat -c '%a %h' file); alias ll"), "5 3 f7 d 0077 text 600 2\nalias ll='ls -l'\n");
  EXPECT_TRUE(registry_->Pause(caller_, id, false));
  Open();
  EXPECT_TRUE(registry_->Start(caller_, id));
  EXPECT_EQ(Out(id, "echo $x"), "5\n");
  EXPECT_TRUE(registry_->Delete(caller_, id));
  EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/data/sandboxes"));
}

TEST_F(JournalKeeperTest, WhatChangesNothingWritesNothing) {
  Open();
  const std::string id = registry_->Create(caller_, {})->sandbox.id;
  EXPECT_EQ(Out(id, "true"), "");
  const std::string journal = directory_ + "/data/sandboxes/" + id + "/journal";
  EXPECT_EQ(Out(id, "echo x > f"), "");
  const auto size = std::filesystem::file_size(journal);
  EXPECT_FALSE(registry_->Exec(caller_, id, {.script = "echo out; : $((x = 5))"})->result.exit_code != 0);
  EXPECT_EQ(std::filesystem::file_size(journal), size);
}

// The acknowledged ones are there, in their order, and nothing of one that was not finished.
TEST_F(JournalKeeperTest, NothingAcknowledgedIsLostToAKill) {
  Open();
  const std::string id = registry_->Create(caller_, {})->sandbox.id;
  Close();
  int acknowledged = 0, expected_least = 0;
  for (int round = 0; round < 8; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      Open();
      for (int n = 0; n < 100000; ++n) {
        if (Out(id, "n=$((${n:-0} + 1)); echo $n >> log; echo $n > half; echo $n >> half") != "") _exit(1);
        if (write(ends[1], "+", 1) != 1) _exit(2);
      }
      _exit(3);
    }
    close(ends[1]);
    char buffer[256];
    int seen = 0;
    const int wanted = 1 + round * 7;   // killed while it works, each time at another place
    while (seen < wanted) {
      const ssize_t got = read(ends[0], buffer, sizeof buffer);
      ASSERT_GT(got, 0);
      seen += static_cast<int>(got);
    }
    kill(child, SIGKILL);
    for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;) seen += static_cast<int>(got);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    acknowledged += seen;

    Open();
    const int there = std::stoi(Out(id, "echo ${n:-0}"));
    EXPECT_GE(there, expected_least + seen);
    EXPECT_LE(there, expected_least + seen + 1);   // one may have been kept and not been acknowledged
    EXPECT_EQ(Out(id, "seq $n | cmp - log && set -- $(cat half) && [ $1 = $n ] && [ $2 = $n ] && echo whole"), "whole\n");
    expected_least = there;
    Close();
  }
  EXPECT_GE(expected_least, acknowledged);
}

TEST_F(JournalKeeperTest, AForkBeginsWithAStepOntoABaseThatIsThere) {
  Open();
  const std::string id = registry_->Create(caller_, {})->sandbox.id;
  EXPECT_EQ(Out(id, "mkdir d; for i in {1..60}; do seq 500 > d/f$i; done; x=3"), "");
  const auto fork = [&](const std::string& of) {
    const auto forks = registry_->Fork(caller_, of, {});
    return forks && (*forks)[0].sandbox ? (*forks)[0].sandbox->id : "none";
  };
  const std::string first = fork(id);
  EXPECT_FALSE(std::filesystem::exists(DirectoryOf(first) + "/origin"));   // too far from what the sandbox began with: a base of its own
  EXPECT_EQ(Out(id, "echo new > d/f7; rm d/f8; mv d/f9 d/g; mkdir e; ln d/g e/h; x=4"), "");
  const std::string second = fork(id), third = fork(second);
  const std::string look = "cat d/f7; ls d e | wc -l; cmp d/g e/h && seq 500 | cmp - e/h; echo $x";
  const auto creation = [&](const std::string& of) {
    trees::Session session = bases_->store()->Begin();
    const auto tree = registry_->CaptureCreation(caller_, of, session);
    return tree ? tree->ToString() : std::string(tree.error().Text());
  };
  const std::string expected = [&] {
    trees::Session session = bases_->store()->Begin();
    return registry_->CaptureState(caller_, id, session)->files.ToString();
  }();
  for (const std::string& each : {second, third}) {
    EXPECT_TRUE(std::filesystem::exists(DirectoryOf(each) + "/origin"));
    EXPECT_LT(std::filesystem::file_size(DirectoryOf(each) + "/journal"), 8u << 10);
    EXPECT_EQ(Out(each, look), "new\n63\n4\n");
    EXPECT_EQ(creation(each), expected);
    EXPECT_EQ(Out(each, "echo own > d/f7; rm -r e"), "");
  }
  EXPECT_EQ(Out(id, look), "new\n63\n4\n");
  EXPECT_TRUE(registry_->Delete(caller_, id));
  EXPECT_TRUE(registry_->Delete(caller_, first));
  for (int turn = 0; turn < 2; ++turn) {
    Open();
    EXPECT_TRUE(registry_->Collect(0s));
    for (const std::string& each : {second, third}) {
      EXPECT_EQ(Out(each, "cat d/f7; ls d | wc -l; seq 500 | cmp - d/g; echo $x"), "own\n59\n4\n");
      EXPECT_EQ(creation(each), expected);
    }
  }
  for (const std::string& each : {second, third}) EXPECT_TRUE(registry_->Delete(caller_, each));
  EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/data/sandboxes"));
}

TEST_F(JournalKeeperTest, ManyChangesGiveForksAnotherBase) {
  Open();
  const std::string id = registry_->Create(caller_, {})->sandbox.id;
  EXPECT_EQ(Out(id, "mkdir d; for i in {1..60}; do seq 500 > d/f$i; done"), "");
  for (int round = 0; round < 6; ++round) {
    EXPECT_EQ(Out(id, "n=" + std::to_string(round) + "; for i in {1..9}; do seq $n 500 > d/g$n$i; done; rm d/f$((n + 1))"), "");
    const auto forks = registry_->Fork(caller_, id, {});
    ASSERT_TRUE(forks && (*forks)[0].sandbox);
    const std::string fork = (*forks)[0].sandbox->id;
    EXPECT_EQ(Out(fork, "ls d | wc -l; seq $n 500 | cmp - d/g${n}9"), std::to_string(60 + 9 * (round + 1) - (round + 1)) + "\n");
  }
}

TEST_F(JournalKeeperTest, ExtentsOutliveTheRegistryWithoutACopy) {
  Open();
  const std::string id = registry_->Create(caller_, {})->sandbox.id;
  std::string bytes(3'000'001, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i >> 9);
  ASSERT_TRUE(Put(id, "/tmp/a", bytes));
  EXPECT_EQ(ExtentsOf(id), 1u);
  EXPECT_LT(std::filesystem::file_size(DirectoryOf(id) + "/journal"), 8u << 10);
  EXPECT_EQ(SumOf(id, "/tmp/a"), Sum(bytes));
  Open();
  EXPECT_EQ(SumOf(id, "/tmp/a"), Sum(bytes));
  {
    auto files = registry_->Files(caller_, id, std::chrono::steady_clock::now() + 10s);
    auto file = *(*files)->Open("/tmp/a", vfs::OpenFlags::ReadWrite(), 0644);
    ASSERT_TRUE(file->Seek(1'000'000, vfs::Whence::kStart) && file->Write("XYZ"));
    file.reset();
    ASSERT_TRUE(files->Commit());
  }
  EXPECT_EQ(Out(id, "cp /tmp/a /tmp/b; truncate -s 2000000 /tmp/a"), "");
  std::string changed = bytes;
  changed.replace(1'000'000, 3, "XYZ");
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(SumOf(id, "/tmp/a"), Sum(changed.substr(0, 2'000'000)));
    EXPECT_EQ(SumOf(id, "/tmp/b"), Sum(changed));
    Open();
  }
  // Nobody else's: what a fork and a snapshot have is theirs.
  const auto forks = registry_->Fork(caller_, id, {});
  ASSERT_TRUE(forks && (*forks)[0].sandbox);
  const std::string fork = (*forks)[0].sandbox->id;
  ASSERT_TRUE(registry_->TakeSnapshot(caller_, id, {.name = "s"}));
  EXPECT_TRUE(registry_->Delete(caller_, id));
  EXPECT_FALSE(std::filesystem::exists(DirectoryOf(id)));
  Open();
  EXPECT_EQ(ExtentsOf(fork), 0u);
  EXPECT_EQ(SumOf(fork, "/tmp/b"), Sum(changed));
  const auto begun = registry_->Create(caller_, {.base = "snapshot:s"});
  ASSERT_TRUE(begun);
  EXPECT_EQ(SumOf(begun->sandbox.id, "/tmp/a"), Sum(changed.substr(0, 2'000'000)));
}

TEST_F(JournalKeeperTest, ExtentsThatNothingNeedsGo) {
  Open();
  const std::string id = registry_->Create(caller_, {})->sandbox.id;
  EXPECT_FALSE(Put(id, "/tmp/small", std::string(ExtentFiles::kLeastBytes - 1, 's')));   // to be copied
  EXPECT_TRUE(Put(id, "/tmp/a", std::string(2 << 20, 'n'), false));
  EXPECT_EQ(ExtentsOf(id), 1u);
  Open();   // as a crash before the journal named it
  EXPECT_EQ(Out(id, "ls /tmp"), "");
  EXPECT_EQ(ExtentsOf(id), 0u);
  for (int round = 0; round < 9; ++round) {
    ASSERT_TRUE(Put(id, "/tmp/a", std::string(8 << 20, static_cast<char>('0' + round))));
    EXPECT_EQ(Out(id, "rm -f /tmp/kept; mv /tmp/a /tmp/kept"), "");
    EXPECT_LE(ExtentsOf(id), 4u);   // those that are gone are kept until they are more than a little
  }
  Open();
  EXPECT_EQ(Out(id, "head -c 3 /tmp/kept"), "888");
  EXPECT_EQ(Out(id, "rm /tmp/kept"), "");
}

// After a loss of power the sandbox is as it was before the file came; a disk that lies is told from that.
TEST_F(JournalKeeperTest, ALostExtentEndsTheJournalADamagedOneIsAnError) {
  Open();
  const std::string id = registry_->Create(caller_, {})->sandbox.id;
  EXPECT_EQ(Out(id, "echo before > f"), "");
  ASSERT_TRUE(Put(id, "/tmp/a", std::string(2 << 20, 'a')));
  EXPECT_EQ(Out(id, "echo after > f"), "");
  Close();
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(DirectoryOf(id))) {
    if (entry.path().filename().string().starts_with("extent-")) path = entry.path();
  }
  {
    const Descriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(pwrite(file.get(), "x", 1, 5), 1);
  }
  Open();
  const std::string damaged = Out(id, "cat f");
  EXPECT_NE(damaged.find("checksum"), std::string::npos) << damaged;
  Close();
  std::filesystem::resize_file(path, 1 << 20);
  Open();
  EXPECT_EQ(Out(id, "cat f; ls /tmp"), "before\n");
  EXPECT_EQ(ExtentsOf(id), 0u);
  EXPECT_EQ(Out(id, "echo again > f"), "");
  Open();
  EXPECT_EQ(Out(id, "cat f"), "again\n");
}

}  // namespace
}  // namespace paddock::registry
