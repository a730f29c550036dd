// The client against real engines.
#include "drivers/docker/engine/real_engine_for_test.h"

#include <atomic>
#include <thread>

#include "drivers/docker/engine/archives.h"
#include "drivers/docker/engine/images.h"
#include "drivers/docker/engine/names.h"

namespace paddock::docker {
namespace {

TEST_F(RealEngine, RunsAContainerWhoseOutputIsSeenFromTheBeginning) {
  for (const auto& engine : engines_) {
    const std::string output = Output(*engine, Script(*engine, "echo out; echo err >&2; exit 3"));   // two streams have no order
    EXPECT_TRUE(output == "out\nerr\n" || output == "err\nout\n") << engine->endpoint().text << ": " << output;
  }
}

TEST_F(RealEngine, ItsInputArrives) {
  for (const auto& engine : engines_) EXPECT_EQ(Output(*engine, Script(*engine, "read line; echo \"got $line\""), "hello\n"), "got hello\n");
}

TEST_F(RealEngine, HasNoRightsAndKeepsTheLimits) {
  for (const auto& engine : engines_) {
    const std::string output = Output(*engine, Script(*engine, "grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status; "
                                                               "cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null; "
                                                               "cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null; ls /sys/class/net"));
    EXPECT_EQ(output, "CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\n256\n2147483648\nlo\n") << engine->endpoint().text;
  }
}

TEST_F(RealEngine, TellsWhatAContainerIs) {
  for (const auto& engine : engines_) {
    const std::string name = Name();
    const auto created = CreateContainer(*engine, name, Script(*engine, "sleep 100"));
    ASSERT_TRUE(created) << created.error().message;
    auto info = InspectContainer(*engine, created->id);
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->state, ContainerState::kCreated);
    EXPECT_EQ(info->name, name);
    EXPECT_EQ(info->labels.at(kLabel), "1");
    EXPECT_FALSE(info->exit_code);
    ASSERT_TRUE(StartContainer(*engine, created->id));
    EXPECT_TRUE(StartContainer(*engine, created->id)) << "started twice";
    EXPECT_EQ(InspectContainer(*engine, created->id)->state, ContainerState::kRunning);
    ASSERT_TRUE(PauseContainer(*engine, created->id));
    EXPECT_EQ(InspectContainer(*engine, created->id)->state, ContainerState::kPaused);
    ASSERT_TRUE(UnpauseContainer(*engine, created->id));
    const auto usage = MeasureContainer(*engine, created->id);
    ASSERT_TRUE(usage) << usage.error().message;
    EXPECT_GT(usage->cpu_nanoseconds.value_or(0), 0u);
    EXPECT_GT(usage->memory_bytes.value_or(0), 0u);
    ASSERT_TRUE(KillContainer(*engine, created->id, "KILL"));
    ASSERT_TRUE(StopContainer(*engine, created->id, std::chrono::seconds(1))) << "stopped already";
    info = InspectContainer(*engine, created->id, true);
    EXPECT_EQ(info->state, ContainerState::kExited);
    EXPECT_EQ(info->exit_code, 137);
    EXPECT_TRUE(info->written_bytes);
    const auto listed = ListContainers(*engine, {std::string(kLabel) + "=1"});
    ASSERT_TRUE(listed);
    ASSERT_EQ(listed->size(), 1u);
    EXPECT_EQ(listed->front().id, created->id);
    EXPECT_EQ(listed->front().name, name);
    EXPECT_TRUE(RemoveContainer(*engine, created->id));
    EXPECT_TRUE(RemoveContainer(*engine, created->id)) << "removed twice";
    EXPECT_EQ(InspectContainer(*engine, created->id).error().code, Code::kNoEntry);
  }
}

TEST_F(RealEngine, ATakenNameIsOneErrorOnAll) {
  for (const auto& engine : engines_) {
    const std::string name = Name();
    ASSERT_TRUE(CreateContainer(*engine, name, Script(*engine, "true")));
    EXPECT_EQ(CreateContainer(*engine, name, Script(*engine, "true")).error().code, Code::kExists);
  }
}

TEST_F(RealEngine, AnAbsentImageIsNoEntry) {
  for (const auto& engine : engines_) {
    ContainerSpec spec = Script(*engine, "true");
    spec.image = "localhost/absent:1";
    EXPECT_EQ(CreateContainer(*engine, Name(), spec).error().code, Code::kNoEntry);
    EXPECT_EQ(InspectImage(*engine, spec.image).error().code, Code::kNoEntry);
  }
}

TEST_F(RealEngine, ItsNetworkReachesNothing) {
  for (const auto& engine : engines_) {
    const auto network = CreateNetwork(*engine, Name(), "", {{kLabel, "1"}});
    ASSERT_TRUE(network) << network.error().message;
    ContainerSpec spec = Script(*engine, "cat /proc/net/route | wc -l; cat /sys/class/net/*/operstate | wc -l");
    spec.network_id = *network;
    const auto created = CreateContainer(*engine, Name(), spec);
    ASSERT_TRUE(created) << created.error().message;
    ASSERT_TRUE(StartContainer(*engine, created->id));
    EXPECT_EQ(RemoveNetwork(*engine, *network).error().code, Code::kBusy);
    EXPECT_TRUE(RemoveContainer(*engine, created->id));
    EXPECT_TRUE(RemoveNetwork(*engine, *network));
    EXPECT_TRUE(RemoveNetwork(*engine, *network)) << "removed twice";
  }
}

// A tar archive with one file.
std::string Tar(const std::string& name, const std::string& content) {
  std::string head(512, '\0');
  name.copy(head.data(), 100);
  std::snprintf(head.data() + 100, 8, "%07o", 0644);
  std::snprintf(head.data() + 108, 8, "%07o", 0);
  std::snprintf(head.data() + 116, 8, "%07o", 0);
  std::snprintf(head.data() + 124, 12, "%011o", static_cast<unsigned>(content.size()));
  std::snprintf(head.data() + 136, 12, "%011o", 0);
  head[156] = '0';
  std::snprintf(head.data() + 257, 6, "ustar");
  std::fill_n(head.begin() + 148, 8, ' ');
  unsigned sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  std::snprintf(head.data() + 148, 8, "%06o", sum);
  return head + content + std::string((512 - content.size() % 512) % 512 + 1024, '\0');
}

TEST_F(RealEngine, FilesGoInAndOut) {
  for (const auto& engine : engines_) {
    const auto created = CreateContainer(*engine, Name(), Script(*engine, "cat /tmp/greeting"));
    ASSERT_TRUE(created);
    const std::string tar = Tar("greeting", "hello\n");
    size_t at = 0;
    const Status put = PutArchive(*engine, created->id, "/tmp", [&](std::span<char> to) -> Result<size_t> {
      const size_t count = std::min(to.size(), tar.size() - at);
      std::copy_n(tar.data() + at, count, to.data());
      at += count;
      return count;
    });
    ASSERT_TRUE(put) << put.error().message;
    const auto stat = StatPath(*engine, created->id, "/tmp/greeting");
    ASSERT_TRUE(stat) << stat.error().message;
    EXPECT_EQ(stat->size, 6u);
    EXPECT_FALSE(stat->is_directory);
    EXPECT_TRUE(StatPath(*engine, created->id, "/tmp")->is_directory);
    EXPECT_EQ(StatPath(*engine, created->id, "/tmp/absent").error().code, Code::kNoEntry);
    std::string got;
    ASSERT_TRUE(GetArchive(*engine, created->id, "/tmp/greeting", [&](std::string_view bytes) {
      got += bytes;
      return Status();
    }));
    EXPECT_EQ(got.substr(0, 8), "greeting");
    EXPECT_EQ(got.substr(512, 6), "hello\n");
  }
}

TEST_F(RealEngine, AnImageIsImportedAndCommitted) {
  for (const auto& engine : engines_) {
    const std::string tar = Tar("only", "x");
    size_t at = 0;
    const auto imported = ImportImage(*engine, [&](std::span<char> to) -> Result<size_t> {
      const size_t count = std::min(to.size(), tar.size() - at);
      std::copy_n(tar.data() + at, count, to.data());
      at += count;
      return count;
    }, "localhost/imported", "7");
    ASSERT_TRUE(imported) << imported.error().message;
    EXPECT_EQ(InspectImage(*engine, "localhost/imported:7")->id, *imported);
    const auto created = CreateContainer(*engine, Name(), Script(*engine, "echo kept > /kept"));
    ASSERT_TRUE(created);
    ASSERT_TRUE(StartContainer(*engine, created->id));
    const auto committed = CommitContainer(*engine, created->id, "localhost/committed", "1");
    ASSERT_TRUE(committed) << committed.error().message;
    EXPECT_TRUE(RemoveImage(*engine, "localhost/imported:7"));
    EXPECT_TRUE(RemoveContainer(*engine, created->id));
    EXPECT_TRUE(RemoveImage(*engine, "localhost/committed:1"));
    EXPECT_TRUE(RemoveImage(*engine, "localhost/committed:1")) << "removed twice";
  }
}

TEST_F(RealEngine, AFailedPullSaysWhy) {
  for (const auto& engine : engines_) {
    const Status status = PullImage(*engine, {.reference = "localhost:1/nothing:here"});
    ASSERT_FALSE(status);
    EXPECT_TRUE(status.error().message.starts_with("pull image localhost:1/nothing:here: ") || status.error().message.starts_with("POST /images/create")) << status.error().message;
  }
}

TEST_F(RealEngine, TwentyAtOnce) {
  for (const auto& engine : engines_) {
    std::atomic<int> right = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 20; ++i) {
      threads.emplace_back([&, i] { right += Output(*engine, Script(*engine, "echo " + std::to_string(i))) == std::to_string(i) + "\n" ? 1 : 0; });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 20) << engine->endpoint().text;
  }
}

}  // namespace
}  // namespace paddock::docker
