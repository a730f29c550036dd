#include "drivers/docker/seccomp_option.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "net/net_for_test.h"

namespace paddock::docker {
namespace {

class SeccompOptionTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "/seccomp_option_XXXXXX";
    ASSERT_NE(mkdtemp(directory_.data()), nullptr);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  static std::unique_ptr<net::TestServer> Serve(bool is_podman) {
    return std::make_unique<net::TestServer>([=](net::Exchange& exchange) {
      net::Headers headers{{"Api-Version", "1.41"}};
      if (is_podman) headers.push_back({"Libpod-Api-Version", "4.3.1"});
      (void)exchange.Respond(200, std::move(headers), "OK");
    });
  }
  Result<SeccompOption> Make(bool is_podman, const std::string& machine = "x86_64") {
    const auto server = Serve(is_podman);
    const auto engine = Engine::Connect({.address = server->address(), .text = "the fake"});
    EXPECT_TRUE(engine);
    return SeccompOption::Make(**engine, {.architecture = machine}, directory_);
  }
  size_t Files() const { return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(directory_), {})); }

  std::string directory_;
};

TEST_F(SeccompOptionTest, DockerGetsTheText) {
  const auto option = Make(false);
  ASSERT_TRUE(option);
  EXPECT_EQ(option->value(), seccomp::MakeRuntimeProfile({.architecture = "x86_64"}));
  EXPECT_EQ(Files(), 0u);
}

TEST_F(SeccompOptionTest, PodmanGetsAFileThatIsTakenBack) {
  {
    const auto option = Make(true, "aarch64");
    ASSERT_TRUE(option) << option.error().message;
    std::ifstream file(option->value());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), seccomp::MakeRuntimeProfile({.architecture = "aarch64"}));
    struct stat status{};
    ASSERT_EQ(stat(option->value().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0444u) << "another user's Podman reads it, and nobody writes it";
  }
  EXPECT_EQ(Files(), 0u);
}

TEST_F(SeccompOptionTest, WhatAKilledProcessLeftIsTakenBack) {
  const std::string old = directory_ + "/paddock-seccomp-abcdef", others = directory_ + "/somebody-else", young = directory_ + "/paddock-seccomp-ghijkl";
  for (const std::string& path : {old, others, young}) std::ofstream(path) << "{}";
  const timeval long_ago[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
  ASSERT_EQ(utimes(old.c_str(), long_ago), 0);
  ASSERT_EQ(utimes(others.c_str(), long_ago), 0);
  ASSERT_TRUE(Make(true));
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(others));
  EXPECT_TRUE(std::filesystem::exists(young)) << "somebody may be creating with it";
}

TEST_F(SeccompOptionTest, WithoutAProfileThereIsNoContainer) {
  const auto strange = Make(false, "mips");
  ASSERT_FALSE(strange);
  EXPECT_EQ(strange.error().code, Code::kNotSupported);
  directory_ += "/absent";
  const auto unwritable = Make(true);
  ASSERT_FALSE(unwritable);
  EXPECT_NE(unwritable.error().message.find("/absent"), std::string::npos);
}

}  // namespace
}  // namespace paddock::docker
