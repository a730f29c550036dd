#include "net/request.h"

#include <gtest/gtest.h>

#include "net/address.h"

namespace paddock::net {
namespace {

std::string Segments(const std::string& target) {
  Request request;
  request.method = "GET";
  request.target = target;
  if (const Status status = ParseTarget(&request); !status) return "refused";
  std::string all;
  for (const std::string& segment : request.segments) all += "[" + segment + "]";
  for (const QueryPair& pair : request.query) all += " " + pair.name + "=" + pair.value;
  return all;
}

TEST(Target, SegmentsAreDecodedOneByOne) {
  EXPECT_EQ(Segments("/"), "");
  EXPECT_EQ(Segments("/v1/a%20b"), "[v1][a b]");
  EXPECT_EQ(Segments("/a/"), "[a][]");
  EXPECT_EQ(Segments("//a"), "[][a]");
  EXPECT_EQ(Segments("/a%2Fb/c+d"), "[a/b][c+d]");
}

TEST(Target, WhatCouldBeReadInTwoWaysIsRefused) {
  for (const char* target :
       {"/%", "/%4", "/%zz", "/a%00b", "/..", "/a/./b", "/%2e%2E/etc", "http://a/b", "a", "*", "/?a=%", "/?%00"}) {
    EXPECT_EQ(Segments(target), "refused") << target;
  }
}

TEST(Target, QueryKeepsOrderAndDuplicates) {
  EXPECT_EQ(Segments("/?a=1&b&a=x+%2B&=e&&c="), " a=1 b= a=x + =e c=");
  Request request;
  request.method = "GET";
  request.target = "/?a=1&a=2";
  ASSERT_TRUE(ParseTarget(&request));
  EXPECT_EQ(*request.Query("a"), "1");
  EXPECT_EQ(request.CountQuery("a"), 2u);
  EXPECT_EQ(request.Query("b"), nullptr);
}

TEST(Target, CountsAreBounded) {
  std::string pairs = "/?", path;
  for (size_t i = 0; i < kMostQueryPairs; ++i) pairs += "a&";
  EXPECT_NE(Segments(pairs), "refused");
  EXPECT_EQ(Segments(pairs + "a"), "refused");
  for (size_t i = 0; i < kMostSegments; ++i) path += "/a";
  EXPECT_NE(Segments(path), "refused");
  EXPECT_EQ(Segments(path + "/a"), "refused");
}

TEST(Target, EncodedTextComesBack) {
  std::string all;
  for (int c = 1; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(*DecodePercent(EncodePercent(all)), all);
  EXPECT_EQ(*DecodePercent(EncodePercent(all), true), all);
}

std::string Range(std::string_view value, uint64_t size) {
  const ByteRange range = ParseRange(value, size);
  if (range.kind == ByteRange::Kind::kWhole) return "whole";
  return ContentRange(range, size);
}

TEST(Range, OneRangeIsAPart) {
  EXPECT_EQ(Range("bytes=0-0", 10), "bytes 0-0/10");
  EXPECT_EQ(Range("bytes=2-", 10), "bytes 2-9/10");
  EXPECT_EQ(Range("BYTES=2-100", 10), "bytes 2-9/10");
  EXPECT_EQ(Range("bytes=-3", 10), "bytes 7-9/10");
  EXPECT_EQ(Range("bytes=-30", 10), "bytes 0-9/10");
}

TEST(Range, OutsideIsUnsatisfiableAndNonsenseIsIgnored) {
  EXPECT_EQ(Range("bytes=10-", 10), "bytes */10");
  EXPECT_EQ(Range("bytes=-0", 10), "bytes */10");
  EXPECT_EQ(Range("bytes=0-", 0), "bytes */0");
  for (const char* value : {"", "bytes", "bytes=", "bytes=-", "bytes=3-2", "bytes=a-b", "bytes=1-2,4-5", "lines=1-2",
                            "bytes=+1-2", "bytes=1 -2", "bytes=99999999999999999999-", "bytes=--1"}) {
    EXPECT_EQ(Range(value, 10), "whole") << value;
  }
}

TEST(Address, FormsComeBack) {
  for (const char* text : {"127.0.0.1:7420", "[::1]:0", "localhost:80", "unix:/run/a b.sock"}) {
    const auto address = ParseAddress(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(FormatAddress(*address), text);
  }
  for (const char* text : {"", "a", "a:", ":1", "a:70000", "a:-1", "::1:1", "[::1]", "[x]:1", "unix:", "a b:1", "a:1x"}) {
    EXPECT_FALSE(ParseAddress(text)) << text;
  }
}

TEST(Address, LoopbackNamesAreKnownWhateverTheirPort) {
  for (const char* text :
       {"localhost", "LOCALHOST:80", "a.localhost", "127.0.0.1", "127.9.9.9:1", "[::1]", "[::1]:7420", "localhost."}) {
    const auto host = HostWithoutPort(text);
    ASSERT_TRUE(host) << text;
    EXPECT_TRUE(IsLoopbackHost(*host)) << text;
  }
  for (const char* text : {"localhost.evil.example", "1.2.3.4", "[::2]", "notlocalhost", "127.0.0.1.evil.example"}) {
    const auto host = HostWithoutPort(text);
    ASSERT_TRUE(host) << text;
    EXPECT_FALSE(IsLoopbackHost(*host)) << text;
  }
  for (const char* text : {"", "a/b", "a@b", "a:b", "a:", "[::1", "::1", "a b"}) EXPECT_FALSE(HostWithoutPort(text)) << text;
}

}  // namespace
}  // namespace paddock::net
