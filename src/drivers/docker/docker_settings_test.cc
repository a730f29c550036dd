#include "drivers/docker/docker_settings.h"

#include <gtest/gtest.h>

namespace paddock::docker {
namespace {

TEST(DockerSettings, FindsARuntimeByItsUsualNames) {
  EXPECT_EQ(*RegisteredRuntime("gvisor", {"runc", "runsc"}), "runsc");
  EXPECT_EQ(*RegisteredRuntime("runc", {"runc"}), "runc");
  EXPECT_EQ(*RegisteredRuntime("kata", {"io.containerd.kata.v2"}), "io.containerd.kata.v2");
  const auto absent = RegisteredRuntime("gvisor", {"runc", "crun"});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, Code::kUnavailable);
  EXPECT_NE(absent.error().message.find("runc, crun"), std::string::npos);
}

TEST(DockerSettings, ComparesImagesInFull) {
  EXPECT_EQ(*CheckImage("ubuntu:24.04", {}), "docker.io/library/ubuntu:24.04");
  EXPECT_TRUE(CheckImage("docker.io/library/ubuntu:24.04", {"ubuntu"}));
  EXPECT_TRUE(CheckImage("ubuntu:22.04", {"ubuntu"}));
  EXPECT_TRUE(CheckImage("ubuntu:24.04", {"ubuntu:24.04"}));
  EXPECT_EQ(CheckImage("ubuntu:22.04", {"ubuntu:24.04"}).error().code, Code::kAccess);
  EXPECT_EQ(CheckImage("me/ubuntu", {"ubuntu"}).error().code, Code::kAccess);
  EXPECT_EQ(CheckImage("evil.example/library/ubuntu", {"ubuntu"}).error().code, Code::kAccess);
  EXPECT_EQ(CheckImage("ubuntu-evil", {"ubuntu"}).error().code, Code::kAccess);
  EXPECT_EQ(CheckImage("not an image", {}).error().code, Code::kInvalid);
  const std::string digest = "@sha256:" + std::string(64, '1');
  EXPECT_TRUE(CheckImage("ubuntu" + digest, {"ubuntu" + digest}));
  EXPECT_FALSE(CheckImage("ubuntu@sha256:" + std::string(64, '2'), {"ubuntu" + digest}));
}

}  // namespace
}  // namespace paddock::docker
