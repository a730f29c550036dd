#include "registry/journal_keeper.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "commands/table.h"                 // allow(layers): a real driver under test
#include "drivers/virtual/virtual_driver.h"   // allow(layers): a real driver under test
#include "registry/registry.h"

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

}  // namespace
}  // namespace paddock::registry
