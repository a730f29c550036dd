// For tests against real engines. PADDOCK_TEST_ENGINES names them, "docker=unix:///… podman=unix:///…", each with an image
// localhost/base:1 that has a shell; without it such tests are skipped (the suite `engines` starts private ones).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/id.h"
#include "drivers/docker/engine/containers.h"
#include "drivers/docker/engine/networks.h"
#include "drivers/docker/engine/stream_frames.h"

namespace paddock::docker {

inline constexpr const char* kLabel = "org.paddock.test";

inline std::vector<std::pair<std::string, std::string>> RealEngines() {
  std::vector<std::pair<std::string, std::string>> engines;
  const char* text = std::getenv("PADDOCK_TEST_ENGINES");   // allow(getenv): the suite that starts the engines says where they are
  std::istringstream words(text == nullptr ? "" : text);
  for (std::string word; words >> word;) engines.emplace_back(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
  return engines;
}

class RealEngine : public testing::Test {
 protected:
  void SetUp() override {
    if (RealEngines().empty()) GTEST_SKIP() << "no container engine; PADDOCK_TEST_ENGINES names those to test against";
    for (const auto& [name, host] : RealEngines()) {
      auto endpoint = ParseEndpoint({.host = host});
      ASSERT_TRUE(endpoint) << endpoint.error().message;
      auto engine = Engine::Connect(std::move(*endpoint));
      ASSERT_TRUE(engine) << engine.error().message;
      EXPECT_EQ((*engine)->is_podman(), name == "podman");
      engines_.push_back(std::move(*engine));
    }
  }
  void TearDown() override {
    for (const auto& engine : engines_) {
      const auto containers = ListContainers(*engine, {kLabel});
      ASSERT_TRUE(containers) << containers.error().message;
      for (const ContainerInfo& one : *containers) EXPECT_TRUE(RemoveContainer(*engine, one.id));
      const auto networks = ListNetworks(*engine, {kLabel});
      ASSERT_TRUE(networks);
      for (const NetworkInfo& one : *networks) EXPECT_TRUE(RemoveNetwork(*engine, one.id));
    }
  }

  // A container that runs this script of sh.
  static ContainerSpec Script(const Engine& engine, const std::string& script) {
    ContainerSpec spec;
    spec.image = "localhost/base:1";
    spec.entrypoint = {"/bin/sh", "-c", script};
    spec.working_directory = "/";
    spec.labels = {{kLabel, "1"}};
    spec.needs_nproc_limit = engine.is_podman();
    return spec;
  }
  static std::string Name() { return "paddock-test-" + NewId("t"); }

  // Starts it and gives all it printed.
  static std::string Output(const Engine& engine, const ContainerSpec& spec, std::string_view input = {}) {
    const auto created = CreateContainer(engine, Name(), spec);
    if (!created) return "create: " + created.error().message;
    auto stream = AttachContainer(engine, created->id);
    if (!stream) return "attach: " + stream.error().message;
    if (const Status started = StartContainer(engine, created->id); !started) return "start: " + started.error().message;
    if (!input.empty()) {
      EXPECT_TRUE((*stream)->Write(input));
    }
    (*stream)->SetReadTime(std::chrono::seconds(60));
    std::string output;
    StreamFrames frames;
    std::vector<char> piece(64 << 10);
    for (;;) {
      const auto count = (*stream)->Read(piece);
      if (!count) return output + "read: " + std::string(count.error().Text());
      if (*count == 0) break;
      const Status fed = frames.Feed({piece.data(), *count}, [&](EngineStream, std::string_view bytes) {
        output += bytes;
        return Status();
      });
      if (!fed) return output + "frames: " + fed.error().message;
    }
    EXPECT_TRUE(frames.Finish());
    EXPECT_TRUE(RemoveContainer(engine, created->id));
    return output;
  }

  std::vector<std::unique_ptr<Engine>> engines_;
};

}  // namespace paddock::docker
