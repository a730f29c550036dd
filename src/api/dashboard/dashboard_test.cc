#include "api/dashboard/dashboard.h"

#include <gtest/gtest.h>

#include "net/client.h"
#include "net/server.h"

namespace paddock::api {
namespace {

constexpr DashboardFile kFiles[] = {
    {"/", "text/html; charset=utf-8", "\"one\"", "<p>page", ""},
    {"/dashboard/app.js", "text/javascript; charset=utf-8", "\"two\"", "let script;", "packed"},
};

class DashboardTest : public testing::Test {
 protected:
  struct Reply {
    int status = 0;
    std::string text;
    net::Headers headers;
    std::string header(const char* name) const {
      const std::string* value = FindHeader(headers, name);
      return value != nullptr ? *value : "";
    }
  };
  Reply Ask(const char* method, const char* path, net::Headers headers = {}) {
    auto response = client_.Send({.method = method, .target = path, .headers = std::move(headers), .body = {}});
    EXPECT_TRUE(response) << response.error().Text();
    if (!response) return {};
    return {.status = (*response)->status(), .text = *(*response)->ReadAll(1 << 20), .headers = (*response)->headers()};
  }

  std::span<const DashboardFile> files_ = kFiles;
  std::unique_ptr<net::Server> server_ = std::move(*net::Server::Start({.listeners = {{.address = {.host = "127.0.0.1"}}}}, [this](net::Exchange& exchange) {
    if (!ServeDashboard(exchange, files_)) (void)exchange.Respond(418, {}, "");
  }));
  net::Client client_{net::ClientOptions{.address = server_->addresses()[0]}};
};

TEST_F(DashboardTest, ThePageIsServedAndAllElseIsLeftToOthers) {
  const Reply page = Ask("GET", "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.text, "<p>page");
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(Ask("GET", "/v1/health").status, 418);
  EXPECT_EQ(Ask("GET", "/dashboard").status, 418);
  EXPECT_EQ(Ask("GET", "/dashboard/other.js").status, 404);
  EXPECT_EQ(Ask("POST", "/").status, 405);
  EXPECT_EQ(Ask("HEAD", "/").text, "");
}

TEST_F(DashboardTest, NoPageIsFramedEvaluatesOrLoadsFromElsewhere) {
  for (const char* path : {"/", "/dashboard/app.js", "/dashboard/absent"}) {
    const Reply reply = Ask("GET", path);
    const std::string policy = reply.header("Content-Security-Policy");
    EXPECT_TRUE(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';")) << policy;
    EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(reply.header("X-Frame-Options"), "DENY");
    EXPECT_EQ(reply.header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(reply.header("Referrer-Policy"), "no-referrer");
  }
}

TEST_F(DashboardTest, WhoTakesGzipGetsItAndWhoHasItNothing) {
  EXPECT_EQ(Ask("GET", "/dashboard/app.js").text, "let script;");
  const Reply packed = Ask("GET", "/dashboard/app.js", {{"Accept-Encoding", "br, gzip;q=0.5"}});
  EXPECT_EQ(packed.text, "packed");
  EXPECT_EQ(packed.header("Content-Encoding"), "gzip");
  EXPECT_EQ(packed.header("ETag"), "\"two-gzip\"");
  EXPECT_EQ(packed.header("Vary"), "Accept-Encoding");
  for (const char* none : {"gzip;q=0", "gzip;q=0.000", "x-gzip", "identity"}) EXPECT_EQ(Ask("GET", "/dashboard/app.js", {{"Accept-Encoding", none}}).text, "let script;") << none;
  EXPECT_EQ(Ask("GET", "/", {{"Accept-Encoding", "gzip"}}).text, "<p>page");   // not smaller
  EXPECT_EQ(Ask("GET", "/dashboard/app.js", {{"Accept-Encoding", "gzip"}, {"If-None-Match", "\"old\", \"two-gzip\""}}).status, 304);
  EXPECT_EQ(Ask("GET", "/dashboard/app.js", {{"If-None-Match", "\"two-gzip\""}}).status, 200);
}

TEST_F(DashboardTest, AProgramWithoutItSaysSo) {
  files_ = {};
  const Reply page = Ask("GET", "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.text.find("PADDOCK_DASHBOARD=OFF"), std::string::npos);
  EXPECT_EQ(Ask("GET", "/dashboard/app.js").status, 404);
}

}  // namespace
}  // namespace paddock::api
