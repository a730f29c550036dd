#include "api/rest/metrics.h"

#include <gtest/gtest.h>

namespace paddock::api {
namespace {

TEST(Metrics, RequestsAreCountedByOperationAndStatus) {
  Metrics metrics;
  metrics.Count({.operation = "exec", .status = 200, .bytes_in = 5, .bytes_out = 7, .duration = std::chrono::milliseconds(3)});
  metrics.Count({.operation = "exec", .status = 200, .bytes_in = 5, .bytes_out = 7, .duration = std::chrono::hours(1)});
  metrics.Count({.operation = "exec", .status = 409});
  const std::string text = metrics.Text();
  const auto has = [&](const std::string& line) { return text.find(line + "\n") != std::string::npos; };
  EXPECT_TRUE(has(R"(paddock_requests_total{operation="exec",status="200"} 2)")) << text;
  EXPECT_TRUE(has(R"(paddock_requests_total{operation="exec",status="409"} 1)")) << text;
  EXPECT_TRUE(has(R"(paddock_request_seconds_bucket{operation="exec",le="0.0025"} 1)")) << text;
  EXPECT_TRUE(has(R"(paddock_request_seconds_bucket{operation="exec",le="0.005"} 2)")) << text;
  EXPECT_TRUE(has(R"(paddock_request_seconds_bucket{operation="exec",le="60"} 2)")) << text;
  EXPECT_TRUE(has(R"(paddock_request_seconds_bucket{operation="exec",le="+Inf"} 3)")) << text;
  EXPECT_TRUE(has(R"(paddock_request_seconds_count{operation="exec"} 3)")) << text;
  EXPECT_TRUE(has("paddock_request_bytes_total 10")) << text;
  EXPECT_TRUE(has("paddock_response_bytes_total 14")) << text;
  EXPECT_TRUE(has("paddock_open_streams 0")) << text;
}

}  // namespace
}  // namespace paddock::api
