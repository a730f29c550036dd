#include "api/rest/origin.h"

#include <gtest/gtest.h>

namespace paddock::api {
namespace {

net::Request Of(const char* method, const char* host, const char* origin) {
  net::Request request;
  request.method = method;
  request.headers = {{"Host", host}};
  if (origin != nullptr) request.headers.push_back({"Origin", origin});
  return request;
}

TEST(Origin, ProgramsThatSendNoneAreNobodysPage) { EXPECT_FALSE(IsForged(Of("POST", "127.0.0.1:7420", nullptr))); }

TEST(Origin, ThePageThatWasServedFromHereMayChangeThings) {
  EXPECT_FALSE(IsForged(Of("POST", "127.0.0.1:7420", "http://127.0.0.1:7420")));
  EXPECT_FALSE(IsForged(Of("DELETE", "LocalHost:7420", "http://localhost:7420")));
  EXPECT_FALSE(IsForged(Of("POST", "paddock.example", "https://paddock.example")));
  EXPECT_FALSE(IsForged(Of("POST", "paddock.example:443", "https://paddock.example")));
  EXPECT_FALSE(IsForged(Of("POST", "[::1]", "http://[::1]:80")));
}

TEST(Origin, AnotherSitesPageMayNot) {
  for (const char* origin : {"http://evil.example", "null", "", "http://127.0.0.1:3000", "http://127.0.0.1", "https://127.0.0.1.evil.example:7420", "http://127.0.0.1:7420.evil.example",
                             "file://127.0.0.1:7420", "http://[127.0.0.1:7420", "127.0.0.1:7420"}) {
    EXPECT_TRUE(IsForged(Of("POST", "127.0.0.1:7420", origin))) << origin;
  }
}

TEST(Origin, TwoOriginsAreNone) {
  net::Request request = Of("POST", "127.0.0.1:7420", "http://127.0.0.1:7420");
  request.headers.push_back({"Origin", "http://127.0.0.1:7420"});
  EXPECT_TRUE(IsForged(request));
}

TEST(Origin, AnotherSitesPageOpensNoWebSocket) {
  net::Request request = Of("GET", "127.0.0.1:7420", "http://evil.example");
  EXPECT_FALSE(IsForged(request));
  request.headers.push_back({"Upgrade", "websocket"});
  EXPECT_TRUE(IsForged(request));
}

}  // namespace
}  // namespace paddock::api
