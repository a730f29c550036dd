// Metrics: what the daemon has done since it started, in numbers, as Prometheus reads them.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "net/exchange.h"
#include "net/shares.h"

namespace paddock::api {

// Any thread.
class Metrics {
 public:
  // Upper bounds of the histogram of durations, seconds; above the last there is +Inf.
  static constexpr std::array kBuckets = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0};

  struct Answered {
    const char* operation = "none";   // its id: of the table, so that there are few
    int status = 0;                   // 0: none was sent
    uint64_t bytes_in = 0, bytes_out = 0;
    std::chrono::nanoseconds duration{0};
  };
  void Count(const Answered& answered);
  // In the text format 0.0.4. Of requests and streams; other families can stand behind it.
  std::string Text() const;

  // Streams that are open: of events, and WebSockets. Shared with their callbacks, which may outlive this.
  const std::shared_ptr<std::atomic<int64_t>>& open_streams() const { return open_streams_; }

 private:
  struct Durations {
    std::array<uint64_t, kBuckets.size() + 1> counts{};
    double sum = 0;
    uint64_t count = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, uint64_t> requests_;   // by operation and status
  std::map<std::string, Durations> durations_;                 // by operation
  uint64_t bytes_in_ = 0, bytes_out_ = 0;
  const std::shared_ptr<std::atomic<int64_t>> open_streams_ = std::make_shared<std::atomic<int64_t>>(0);
};

// An exchange that counts what passes: bytes of bodies, the status, streams that it turns into.
class CountedExchange final : public net::Exchange {
 public:
  // Both outlive it.
  CountedExchange(net::Exchange& inner, Metrics& metrics, net::Shares& stream_shares)
      : inner_(inner), streams_(metrics.open_streams()), stream_shares_(stream_shares) {}

  Metrics::Answered answered;
  std::string owner;   // who asks, once that is known: the streams are theirs

  const net::Request& request() const override { return inner_.request(); }
  void SetBodyLimit(const net::BodyLimit& limit) override { inner_.SetBodyLimit(limit); }
  Result<size_t> ReadBody(std::span<char> to) override;
  Status Respond(int status, const net::Headers& headers, std::string body) override;
  Status StartResponse(int status, const net::Headers& headers, std::optional<uint64_t> length) override;
  Status Write(std::string_view bytes) override;
  Status Finish() override { return inner_.Finish(); }
  bool has_answered() const override { return inner_.has_answered(); }
  void CloseAfter() override { inner_.CloseAfter(); }
  bool IsClientGone() override { return inner_.IsClientGone(); }
  void OnClientGone(std::function<void()> function) override { inner_.OnClientGone(std::move(function)); }
  Result<std::shared_ptr<net::EventStream>> StartEventStream(net::EventStreamOptions options, const net::Headers& headers) override;
  Result<std::shared_ptr<net::WebSocket>> AcceptWebSocket(net::WebSocketOptions options, const net::Headers& headers) override;

 private:
  net::Exchange& inner_;
  const std::shared_ptr<std::atomic<int64_t>> streams_;
  net::Shares& stream_shares_;
};

}  // namespace paddock::api
