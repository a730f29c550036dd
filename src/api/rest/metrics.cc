#include "api/rest/metrics.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "api/rest/groups.h"
#include "api/rest/shapes.h"

namespace paddock::api {
namespace {

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

void Begin(std::string& text, const char* name, const char* type, const char* help) {
  text += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

void Add(std::string& text, const char* name, const char* type, const char* help, uint64_t value) {
  Begin(text, name, type, help);
  text += std::string(name) + " " + std::to_string(value) + "\n";
}

// Of this process.
uint64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

uint64_t OpenDescriptors() {
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return 0;
  uint64_t count = 0;
  while (const dirent* entry = readdir(directory)) count += entry->d_name[0] != '.';
  closedir(directory);
  return count - 1;   // but the one that reads
}

Result<std::string> SandboxText(registry::Registry& registry) {
  std::map<std::pair<std::string, std::string>, uint64_t> counts;
  uint64_t running = 0;
  registry::ListRequest request{.limit = 1000};
  do {
    PADDOCK_ASSIGN(const registry::SandboxPage page, registry.List({.owner = "", .is_admin = true}, request));
    for (const registry::SandboxInfo& info : page.sandboxes) {
      ++counts[{info.request.isolation, registry::SandboxStateName(info.state)}];
      running += info.running;
    }
    request.cursor = page.next;
  } while (!request.cursor.empty());
  std::string text;
  Begin(text, "paddock_sandboxes", "gauge", "Sandboxes by isolation and state.");
  for (const auto& [key, count] : counts) {
    text += "paddock_sandboxes{isolation=\"" + key.first + "\",state=\"" + key.second + "\"} " + std::to_string(count) + "\n";
  }
  Add(text, "paddock_processes", "gauge", "Processes of sandboxes that run or wait.", running);
  return text;
}

Result<Bytes> GetMetrics(Call& call, const Nothing&, Nothing&) {
  PADDOCK_ASSIGN(std::string text, SandboxText(call.services.registry));
  text += call.services.metrics->Text();
  Add(text, "process_resident_memory_bytes", "gauge", "Resident memory of the daemon.", ResidentBytes());
  Add(text, "process_open_fds", "gauge", "Open descriptors of the daemon.", OpenDescriptors());
  PADDOCK_TRY(call.exchange.Respond(200, {{"Content-Type", "text/plain; version=0.0.4; charset=utf-8"}}, std::move(text)));
  return Bytes{};
}

}  // namespace

void Metrics::Count(const Answered& answered) {
  const double seconds = std::chrono::duration<double>(answered.duration).count();
  size_t bucket = 0;
  while (bucket < kBuckets.size() && seconds > kBuckets[bucket]) ++bucket;
  const std::lock_guard lock(mutex_);
  ++requests_[{answered.operation, answered.status}];
  Durations& durations = durations_[answered.operation];
  ++durations.counts[bucket];
  ++durations.count;
  durations.sum += seconds;
  bytes_in_ += answered.bytes_in;
  bytes_out_ += answered.bytes_out;
}

std::string Metrics::Text() const {
  std::string text;
  const std::lock_guard lock(mutex_);
  Begin(text, "paddock_requests_total", "counter", "Requests by operation and status.");
  for (const auto& [key, count] : requests_) {
    text += "paddock_requests_total{operation=\"" + key.first + "\",status=\"" + std::to_string(key.second) + "\"} " + std::to_string(count) + "\n";
  }
  Begin(text, "paddock_request_seconds", "histogram", "How long requests took; exec waits for its end.");
  for (const auto& [operation, durations] : durations_) {
    const std::string name = "{operation=\"" + operation + "\"";
    uint64_t below = 0;
    for (size_t i = 0; i < durations.counts.size(); ++i) {
      below += durations.counts[i];
      text += "paddock_request_seconds_bucket" + name + ",le=\"" + (i < kBuckets.size() ? Number(kBuckets[i]) : "+Inf") + "\"} " + std::to_string(below) + "\n";
    }
    text += "paddock_request_seconds_sum" + name + "} " + Number(durations.sum) + "\n";
    text += "paddock_request_seconds_count" + name + "} " + std::to_string(durations.count) + "\n";
  }
  Add(text, "paddock_request_bytes_total", "counter", "Bytes of the bodies of requests.", bytes_in_);
  Add(text, "paddock_response_bytes_total", "counter", "Bytes of the bodies of answers, without streams.", bytes_out_);
  Add(text, "paddock_open_streams", "gauge", "Event streams and WebSockets that are open.", static_cast<uint64_t>(std::max<int64_t>(open_streams_->load(), 0)));
  return text;
}

Result<size_t> CountedExchange::ReadBody(std::span<char> to) {
  auto size = inner_.ReadBody(to);
  if (size) answered.bytes_in += *size;
  return size;
}

Status CountedExchange::Respond(int status, const net::Headers& headers, std::string body) {
  answered.status = status;
  answered.bytes_out += body.size();
  return inner_.Respond(status, headers, std::move(body));
}

Status CountedExchange::StartResponse(int status, const net::Headers& headers, std::optional<uint64_t> length) {
  answered.status = status;
  return inner_.StartResponse(status, headers, length);
}

Status CountedExchange::Write(std::string_view bytes) {
  answered.bytes_out += bytes.size();
  return inner_.Write(bytes);
}

Result<std::shared_ptr<net::EventStream>> CountedExchange::StartEventStream(net::EventStreamOptions options, const net::Headers& headers) {
  PADDOCK_ASSIGN(net::Shares::Place place, stream_shares_.Take(owner));
  options.on_closed = [streams = streams_, place = std::move(place), closed = std::move(options.on_closed)]() mutable {
    --*streams;
    place.reset();
    if (closed) closed();
  };
  auto stream = inner_.StartEventStream(std::move(options), headers);
  if (stream) ++*streams_, answered.status = 200;
  return stream;
}

Result<std::shared_ptr<net::WebSocket>> CountedExchange::AcceptWebSocket(net::WebSocketOptions options, const net::Headers& headers) {
  PADDOCK_ASSIGN(net::Shares::Place place, stream_shares_.Take(owner));
  options.on_closed = [streams = streams_, place = std::move(place), closed = std::move(options.on_closed)](uint16_t code, std::string_view reason) mutable {
    --*streams;
    place.reset();
    if (closed) closed(code, reason);
  };
  auto socket = inner_.AcceptWebSocket(std::move(options), headers);
  if (socket) ++*streams_, answered.status = 101;
  return socket;
}

std::vector<Operation> MetricsOperations() {
  return {
      Define<Nothing, Nothing, Bytes, GetMetrics>("GET", "/metrics", "getMetrics", "What the daemon does, in numbers, as Prometheus reads them.", Access::kAdmin),
  };
}

}  // namespace paddock::api
