#include "drivers/docker/engine/names.h"

#include <gtest/gtest.h>

namespace paddock::docker {
namespace {

TEST(Names, OfASessionComeFromItsDigest) {
  EXPECT_EQ(ContainerName("evr", "abc123def456-more-stuff", ""), "evr-8ad60df670162fbe-sandbox");
  EXPECT_EQ(NetworkName("abc123def456-more-stuff", ""), "sandbox-8ad60df670162fbe");
  EXPECT_EQ(ContainerName("evr", "abc123def456-more-stuff", "two"), "evr-8ad60df670162fbe-sandbox-two");
}

TEST(Names, SessionsWithTheSameBeginningDiffer) {
  const std::string beginning(40, 'a');
  EXPECT_NE(ContainerName("p", beginning + "1", ""), ContainerName("p", beginning + "2", ""));
}

TEST(Names, OnlyWholeIdsAreIds) {
  EXPECT_TRUE(IsFullId(std::string(64, 'a')));
  for (const std::string& text : {std::string(), std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'A'), std::string(64, 'g'), std::string(63, 'a') + "/"}) {
    EXPECT_FALSE(IsFullId(text)) << text;
  }
}

TEST(Names, References) {
  EXPECT_EQ(FullReference("ubuntu"), "docker.io/library/ubuntu:latest");
  EXPECT_EQ(FullReference("ubuntu:24.04"), "docker.io/library/ubuntu:24.04");
  EXPECT_EQ(FullReference("docker.io/ubuntu"), "docker.io/library/ubuntu:latest");
  EXPECT_EQ(FullReference("me/tool:1"), "docker.io/me/tool:1");
  EXPECT_EQ(FullReference("x/a.b_c__d---e"), "docker.io/x/a.b_c__d---e:latest");
  EXPECT_EQ(FullReference(std::string(512, 'a')), "") << "what is added counts";
  EXPECT_EQ(FullReference("localhost/x:y"), "localhost/x:y");
  EXPECT_EQ(FullReference("registry.example:5000/a/b"), "registry.example:5000/a/b:latest");
  const std::string digest = "sha256:" + std::string(64, '0');
  EXPECT_EQ(FullReference("ubuntu@" + digest), "docker.io/library/ubuntu@" + digest);
  for (const char* text : {"", "Ubuntu", "a//b", "/a", "a/", "-a", "a:", "a b", "a@sha256:12", "../x", "a?x=1", "a:tag/../x", "http://x/y", "a..b", "a.-b", "a___b"}) EXPECT_EQ(FullReference(text), "") << text;
}

}  // namespace
}  // namespace paddock::docker
