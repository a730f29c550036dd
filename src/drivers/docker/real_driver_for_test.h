// For tests of the driver on real engines (real_engine_for_test.h): a deployment of its own, of which nothing is left afterwards.
#pragma once

#include <unistd.h>

#include <array>

#include "drivers/docker/docker_driver.h"
#include "drivers/docker/docker_sandbox.h"
#include "drivers/docker/engine/real_engine_for_test.h"

namespace paddock::docker {

inline std::string AgentBesideTests() {
  std::array<char, 4096> self{};
  const ssize_t length = readlink("/proc/self/exe", self.data(), self.size());
  const std::string path(self.data(), static_cast<size_t>(std::max<ssize_t>(length, 0)));
  return path.substr(0, path.rfind('/')) + "/paddock-guest";
}

class RealEngineDriver : public testing::Test {
 protected:
  void SetUp() override {
    if (RealEngines().empty()) GTEST_SKIP() << "no container engine; PADDOCK_TEST_ENGINES names those to test against";
    settings_.engine.host = RealEngines().front().second;
    settings_.image = "localhost/base:1";
    settings_.memory_bytes = 64 << 20;
    settings_.pids = 64;
    settings_.deployment = NewId("t");
    settings_.agent_program = AgentBesideTests();
  }
  void TearDown() override {
    if (RealEngines().empty()) return;
    const auto left = SweepDeployment(*Connected(), settings_.deployment, [](const std::string&) { return false; });
    ASSERT_TRUE(left) << left.error().message;
    EXPECT_TRUE(left->empty()) << left->front();
  }
  std::unique_ptr<Engine> Connected() {
    auto engine = Engine::Connect(*ParseEndpoint(settings_.engine));
    EXPECT_TRUE(engine);
    return std::move(*engine);
  }
  std::unique_ptr<sandbox::Driver> Driver() {
    return MakeDockerDriver(settings_, [](const char*) { return nullptr; });
  }
  std::unique_ptr<sandbox::Sandbox> Make(sandbox::Driver& driver, const sandbox::SandboxSpec& spec = {}) {
    auto sandbox = driver.Create(spec);
    EXPECT_TRUE(sandbox) << sandbox.error().message;
    return sandbox ? std::move(*sandbox) : nullptr;
  }
  static sandbox::ExecResult Run(sandbox::Sandbox& sandbox, const std::string& script, Limits limits = {}) {
    sandbox::ExecSpec spec;
    spec.script = script;
    spec.limits = limits;
    auto process = sandbox.Start(std::move(spec), {}, nullptr);
    if (!process) {
      ADD_FAILURE() << process.error().message;
      return {};
    }
    return (*process)->Wait();
  }
  static std::string Out(sandbox::Sandbox& sandbox, const std::string& script) {
    const sandbox::ExecResult result = Run(sandbox, script);
    return result.stdout_text + (result.exit_code == 0 ? "" : "exit " + std::to_string(result.exit_code.value_or(-1)) + ": " + result.stderr_text);
  }

  DockerSettings settings_;
};

}  // namespace paddock::docker
