#include "egress/address_guard.h"

#include <gtest/gtest.h>

namespace paddock::egress {
namespace {

std::string Refusal(std::string_view text, AddressGuard::Permission permission = {}, std::vector<policy::Cidr> denied = {}) {
  AddressGuard guard;
  const auto address = policy::IpAddress::Parse(text);
  EXPECT_TRUE(address) << text;
  return guard.Refusal(*address, denied, permission);
}

TEST(AddressGuard, PublicAddressesPass) {
  for (const char* text : {"8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0",
                           "192.167.0.1", "223.255.255.255",
                           "2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888"}) {
    EXPECT_EQ(Refusal(text), "") << text;
  }
}

TEST(AddressGuard, PrivateAddressesNeedPermission) {
  for (const char* text : {"127.0.0.1", "127.255.255.255", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
                           "169.254.1.1", "100.64.0.1",
                           "198.18.0.1", "::1", "fc00::1", "fdff::1", "fe80::1", "fec0::1", "2001:db8::1"}) {
    EXPECT_NE(Refusal(text), "") << text;
    EXPECT_EQ(Refusal(text, {.allow_private = true}), "") << text;
  }
}

TEST(AddressGuard, MetadataNeedsARuleForExactlyThatAddress) {
  for (const char* text : {"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "fd00:ec2::254",
                           "fd20:ce::254"}) {
    EXPECT_NE(Refusal(text), "") << text;
    EXPECT_NE(Refusal(text, {.allow_private = true}), "") << text;
    EXPECT_NE(Refusal(text, {.is_named_address = true}), "") << text;
    EXPECT_EQ(Refusal(text, {.allow_private = true, .is_named_address = true}), "") << text;
  }
}

TEST(AddressGuard, SomeAddressesAreNeverDialled) {
  for (const char* text : {"0.0.0.0", "0.1.2.3", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
                           "192.88.99.1", "::", "::127.0.0.1",
                           "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1",
                           "2002:7f00:1::", "2001::1", "2001:10::1",
                           "ff02::1", "100::1", "4000::1", "2a00::5efe:7f00:1", "2a00::200:5efe:7f00:1"}) {
    EXPECT_NE(Refusal(text, {.allow_private = true, .is_named_address = true}), "") << text;
  }
}

TEST(AddressGuard, DeniedBlocksHoldAgainstEveryPermission) {
  EXPECT_NE(Refusal("8.8.8.8", {.allow_private = true, .is_named_address = true}, {*policy::Cidr::Parse("8.8.0.0/16")}), "");
  EXPECT_EQ(Refusal("8.9.8.8", {}, {*policy::Cidr::Parse("8.8.0.0/16")}), "");
}

}  // namespace
}  // namespace paddock::egress
