#include "policy/host_name.h"

#include <gtest/gtest.h>

namespace paddock::policy {
namespace {

std::string Read(std::string_view text) {
  const auto host = ParseHost(text);
  if (!host) return "refused";
  return (host->address ? "address " : "name ") + host->text;
}

TEST(HostName, CanonicalFormIsLowerCaseWithoutTrailingDot) {
  EXPECT_EQ(Read("Example.ORG"), "name example.org");
  EXPECT_EQ(Read("example.org."), "name example.org");
  EXPECT_EQ(Read("xn--bcher-kva.example"), "name xn--bcher-kva.example");
  EXPECT_EQ(Read("_dmarc.example"), "name _dmarc.example");
  EXPECT_EQ(Read("localhost"), "name localhost");
  EXPECT_EQ(Read("1password.com"), "name 1password.com");
  EXPECT_EQ(Read("3com"), "name 3com");
}

TEST(HostName, AddressesAreReadInTheirCanonicalSpellingOnly) {
  EXPECT_EQ(Read("192.0.2.7"), "address 192.0.2.7");
  EXPECT_EQ(Read("[2001:DB8:0::1]"), "address 2001:db8::1");
  EXPECT_EQ(Read("2001:db8::1"), "address 2001:db8::1");
  EXPECT_EQ(Read("::ffff:10.0.0.1"), "address ::ffff:10.0.0.1");   // the address check refuses it
}

TEST(HostName, WhatOthersTakeForAnAddressIsRefused) {
  for (const char* text : {"127.1", "127.0.1", "0x7f.1", "0x7f000001", "2130706433", "0177.0.0.1", "127.0.0.01",
                           "017700000001", "1.2.3",
                           "1.2.3.4.5", "256.1.1.1", "10.0.0.1.", "0", "0x", "127.0.0.0x1", "4294967295", "1.2.3.08", "a.1",
                           "example.0x7f",
                           "00000000.0x7f.1", "[127.0.0.1]", "[::1", "::1]", "[]", "fe80::1%eth0", "[fe80::1%25eth0]",
                           "1::2::3", ":::", "::1."}) {
    EXPECT_EQ(Read(text), "refused") << text;
  }
}

TEST(HostName, BytesThatNoNameHasAreRefused) {
  for (const std::string& text : {std::string("good.example\0.evil.example", 26), std::string("evil.example\0", 13),
                                  std::string("bücher.example"),
                                 std::string("a\xc3\xa9.example"), std::string("a b.example"), std::string("a\tb"),
                                 std::string("a\r\nb"),
                                 std::string("a/b"), std::string("a@b"), std::string("user@good.example"), std::string("a#b"),
                                 std::string("a?b"),
                                 std::string("a%00b"), std::string("a\\b"), std::string("*.example"), std::string("a,b"),
                                 std::string("good.example\xe3\x80\x82" "evil"),
                                 std::string(""), std::string("."), std::string(".."), std::string("a..b"), std::string(".a"),
                                 std::string("a.."),
                                 std::string("-a.example"), std::string("a-.example"), std::string(64, 'a'),
                                 std::string("\xe2\x84\xab.example"),
                                 std::string(" a"), std::string("a ")}) {
    EXPECT_EQ(Read(text), "refused") << text;
  }
  std::string longest;
  while (longest.size() < 252) longest += "a.";
  EXPECT_EQ(Read(longest.substr(0, 253)), "name " + longest.substr(0, longest.size() - 1));
  EXPECT_EQ(Read("b" + longest + "bb"), "refused");
}

TEST(HostName, HostAndPort) {
  const auto read = [](std::string_view text, uint16_t port) {
    const auto where = ParseHostPort(text, port);
    return where ? HostPortText(where->host, where->port) : "refused";
  };
  EXPECT_EQ(read("Example.org:443", 0), "example.org:443");
  EXPECT_EQ(read("example.org", 80), "example.org:80");
  EXPECT_EQ(read("[2001:db8::1]:443", 0), "[2001:db8::1]:443");
  EXPECT_EQ(read("[::1]", 80), "[::1]:80");
  for (const char* text : {"example.org", "example.org:", "example.org:0", "example.org:65536", "example.org:+80",
                           "example.org: 80", "example.org:80 ",
                           "example.org:000080", "example.org:0x50", "::1:80", "2001:db8::1:443", "a:b:80", ":80",
                           "example.org:80:80", "[::1]80"}) {
    EXPECT_EQ(read(text, 0), "refused") << text;
  }
}

TEST(IpAddress, BlocksContainWhatTheirPrefixSays) {
  EXPECT_TRUE(Cidr::Parse("10.0.0.0/8")->Contains(*IpAddress::Parse("10.255.0.1")));
  EXPECT_FALSE(Cidr::Parse("10.0.0.0/8")->Contains(*IpAddress::Parse("11.0.0.0")));
  EXPECT_TRUE(Cidr::Parse("100.64.0.0/10")->Contains(*IpAddress::Parse("100.127.255.255")));
  EXPECT_FALSE(Cidr::Parse("100.64.0.0/10")->Contains(*IpAddress::Parse("100.128.0.0")));
  EXPECT_TRUE(Cidr::Parse("0.0.0.0/0")->Contains(*IpAddress::Parse("8.8.8.8")));
  EXPECT_FALSE(Cidr::Parse("::/0")->Contains(*IpAddress::Parse("8.8.8.8")));
  EXPECT_TRUE(Cidr::Parse("fd00::/7") == std::nullopt);
  for (const char* text : {"10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/", "10.0.0.0/8 ", "::/129",
                           "/8", ""}) {
    EXPECT_FALSE(Cidr::Parse(text)) << text;
  }
}

}  // namespace
}  // namespace paddock::policy
