#include "policy/host_pattern.h"

#include <gtest/gtest.h>

namespace paddock::policy {
namespace {

std::string Read(std::string_view text) {
  const auto pattern = HostPattern::Parse(text);
  return pattern ? pattern->Text() : "refused";
}

TEST(HostPattern, CanonicalFormIsReadAsItself) {
  EXPECT_EQ(Read("*"), "*");
  EXPECT_EQ(Read("Example.ORG"), "example.org");
  EXPECT_EQ(Read("*.Example.org"), "*.example.org");
  EXPECT_EQ(Read("192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(Read("2001:DB8:0::1"), "2001:db8::1");
  EXPECT_EQ(Read("10.0.0.0/8"), "10.0.0.0/8");
  EXPECT_EQ(Read("10.0.0.1/32"), "10.0.0.1");
  for (const char* text : {"*", "*.example.org", "example.org", "2001:db8::1", "10.0.0.0/8"}) EXPECT_EQ(Read(Read(text)), text);
}

TEST(HostPattern, WhatIsNoPatternIsRefused) {
  for (const char* text : {"", ".", "*.", "**", "*example.org", "a.*.org", "*.*.org", "example.org.", "*.example.org.", "[::1]", "*.127.0.0.1", "127.1", "0x7f.1", "*.0x7f.1",
                           "b\xc3\xbc" "cher.org", "a b", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "example.org/8", "*/8", "::/129"}) {
    EXPECT_EQ(Read(text), "refused") << text;
  }
}

TEST(HostPattern, ErrorsNameThePatternAndTheRemedy) {
  const auto text = [](std::string_view pattern) { return std::string(HostPattern::Parse(pattern).error().Text()); };
  EXPECT_EQ(text("example.org."), "'example.org.' ends with a dot; leave it out");
  EXPECT_EQ(text("a.*.org"), "'a.*.org' has a star inside; '*' stands alone or as the first label, '*.example.org'");
  EXPECT_EQ(text("10.0.0.1/8"), "'10.0.0.1/8' has a bad prefix length, or bits set behind its prefix");
  EXPECT_NE(text("b\xc3\xbc" "cher.org").find("xn--"), std::string::npos);
}

TEST(HostPattern, HostAndPortsAreReadAndWrittenAlike) {
  for (const char* text : {"example.org", "example.org:443", "example.org:80,8000-8999", "[2001:db8::1]:443", "2001:db8::1", "10.0.0.0/8:22", "*:443"}) {
    const auto read = ParseHostAndPorts(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(HostAndPortsText(read->host, read->ports), text);
  }
  for (const char* text : {"example.org:", "example.org:0", "[::1", "[10.0.0.1]:80", "[::1]80", ":443"}) EXPECT_FALSE(ParseHostAndPorts(text)) << text;
}

}  // namespace
}  // namespace paddock::policy
