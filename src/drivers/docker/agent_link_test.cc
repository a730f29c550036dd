// An agent in a real container, by way of the engine's attached stream.
#include "drivers/docker/agent_link.h"

#include <unistd.h>

#include <array>

#include "drivers/docker/agent_volume.h"
#include "drivers/docker/engine/real_engine_for_test.h"
#include "guest/client/client.h"

namespace paddock::docker {
namespace {

std::string ProgramOfTests() {
  std::array<char, 4096> self{};
  const ssize_t length = readlink("/proc/self/exe", self.data(), self.size());
  std::string path(self.data(), static_cast<size_t>(std::max<ssize_t>(length, 0)));
  return path.substr(0, path.rfind('/')) + "/paddock-guest";
}

std::function<Result<std::string>()> ImageOf(const std::string& reference) {
  return [reference] { return Result<std::string>(reference); };
}

// A container whose init is the agent.
class RealEngineAgent : public RealEngine {
 protected:
  struct Running {
    std::string id;
    std::unique_ptr<AgentLink> link;
    std::unique_ptr<guest::Client> client;   // ends before the link
  };
  static void Begin(const Engine& engine, Running& running) {
    const auto volume = PutAgent(engine, ProgramOfTests(), ImageOf("localhost/base:1"));
    ASSERT_TRUE(volume) << volume.error().message;
    ContainerSpec spec = Script(engine, "");
    spec.entrypoint = {kAgentProgram};
    spec.volumes = {{.volume = *volume, .target = kAgentDirectory, .is_read_only = true}};
    const auto created = CreateContainer(engine, Name(), spec);
    ASSERT_TRUE(created) << created.error().message;
    running.id = created->id;
    auto stream = AttachContainer(engine, created->id);
    ASSERT_TRUE(stream) << stream.error().message;
    auto link = AgentLink::Open(std::move(*stream));
    ASSERT_TRUE(link);
    running.link = std::move(*link);
    const Status started = StartContainer(engine, created->id);
    ASSERT_TRUE(started) << started.error().message;
    Descriptor socket = running.link->TakeSocket();
    const int fd = socket.Release();
    auto client = guest::Client::Connect(fd, fd, guest::In(std::chrono::seconds(30)));
    ASSERT_TRUE(client) << client.error().message << "; " << running.link->Complaint();
    running.client = std::move(*client);
  }
  static std::string Run(guest::Client& client, std::vector<std::string> arguments) {
    std::string output;
    guest::ProcessHandlers handlers;
    handlers.on_output = [&](guest::Channel, uint64_t, std::string_view bytes) { output += bytes; };
    auto process = client.Start({.arguments = std::move(arguments), .environment = {"PATH=/bin:/usr/bin"}, .directory = "/"}, std::move(handlers));
    if (!process) return "start: " + process.error().message;
    const auto status = (*process)->Wait();
    return status ? output + "exit " + std::to_string(status->code) : output + "wait: " + status.error().message;
  }
};

TEST_F(RealEngineAgent, RunsProgramsAsInit) {
  for (const auto& engine : engines_) {
    Running running;
    ASSERT_NO_FATAL_FAILURE(Begin(*engine, running));
    EXPECT_EQ(Run(*running.client, {"sh", "-c", "echo hello; exit 3"}), "hello\nexit 3");
    EXPECT_EQ(Run(*running.client, {"sh", "-c", "tr '\\0' ' ' < /proc/1/cmdline"}), std::string(kAgentProgram) + " exit 0");
    EXPECT_EQ(Run(*running.client, {"sh", "-c", "grep -E '^(CapEff|NoNewPrivs|Seccomp):' /proc/self/status | tr '\\n\\t' '  '"}),
              "CapEff: 0000000000000000 NoNewPrivs: 1 Seccomp: 2 exit 0");
    EXPECT_NE(Run(*running.client, {"sh", "-c", "echo x 2>&1 > /.paddock/paddock-guest"}).find("Read-only file system"), std::string::npos);
  }
}

TEST_F(RealEngineAgent, CarriesMuchBothWays) {
  for (const auto& engine : engines_) {
    Running running;
    ASSERT_NO_FATAL_FAILURE(Begin(*engine, running));
    EXPECT_EQ(Run(*running.client, {"sh", "-c", "dd if=/dev/zero bs=64k count=512 2>/dev/null | wc -c"}), "33554432\nexit 0");
    const std::string output = Run(*running.client, {"sh", "-c", "seq 1 400000"});
    EXPECT_EQ(output.size(), 2'688'895u + 6) << output.substr(0, 200);
  }
}

TEST_F(RealEngineAgent, TheContainerEndsWithItsLink) {
  for (const auto& engine : engines_) {
    Running running;
    ASSERT_NO_FATAL_FAILURE(Begin(*engine, running));
    ASSERT_TRUE(running.client->Shutdown(guest::In(std::chrono::seconds(10))));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    auto info = InspectContainer(*engine, running.id);
    while (info && info->state == ContainerState::kRunning && std::chrono::steady_clock::now() < deadline) {
      usleep(10'000);
      info = InspectContainer(*engine, running.id);
    }
    ASSERT_TRUE(info);
    EXPECT_EQ(info->state, ContainerState::kExited);
    EXPECT_EQ(info->exit_code, 0);
  }
}

TEST_F(RealEngineAgent, IsPutOnTheEngineOnce) {
  for (const auto& engine : engines_) {
    const auto first = PutAgent(*engine, ProgramOfTests(), ImageOf("localhost/base:1"));
    const auto second = PutAgent(*engine, ProgramOfTests(), ImageOf("localhost/base:1"));
    ASSERT_TRUE(first) << first.error().message;
    ASSERT_TRUE(second);
    EXPECT_EQ(*first, *second);
    EXPECT_EQ(PutAgent(*engine, "/nonexistent", ImageOf("localhost/base:1")).error().code, Code::kUnavailable);
    EXPECT_TRUE(PutAgent(*engine, ProgramOfTests(), ImageOf("localhost/absent:1"))) << "what is there takes no image";
  }
}

}  // namespace
}  // namespace paddock::docker
