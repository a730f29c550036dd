// Fuzz target of the REST API: any query, header and body against any operation of its table, on a daemon without sandboxes. Each is answered
// once, never with 500, and what is refused has a code and words.
//
// An input: the operation's id (or any byte for one), query, path parameter and Content-Type, a line each, then the body.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "api/rest/router.h"
#include "bounded_run.h"
#include "registry/registry.h"
#include "store/records/records.h"
#include "text/utf8.h"

namespace {

using namespace paddock;
namespace json = boost::json;

class ExchangeForTest final : public net::Exchange {
 public:
  ExchangeForTest(net::Request request, std::string_view body) : request_(std::move(request)), body_(body) {}

  int status = 0;
  std::string answer;

  const net::Request& request() const override { return request_; }
  void SetBodyLimit(const net::BodyLimit& limit) override { limit_ = limit.bytes; }
  Result<size_t> ReadBody(std::span<char> to) override {
    const size_t size = std::min(to.size(), body_.size());
    if (read_ + size > limit_) return Error(Code::kLimit, "too large");
    std::memcpy(to.data(), body_.data(), size);
    body_.remove_prefix(size);
    read_ += size;
    return size;
  }
  Status Respond(int given, const net::Headers&, std::string body) override {
    if (status != 0) return Error(Code::kInvalid, "answered already");
    status = given;
    answer = std::move(body);
    return {};
  }
  Status StartResponse(int given, const net::Headers&, std::optional<uint64_t>) override {
    if (status != 0) return Error(Code::kInvalid, "answered already");
    status = given;
    return {};
  }
  Status Write(std::string_view bytes) override {
    answer += bytes;
    return {};
  }
  Status Finish() override { return {}; }
  bool has_answered() const override { return status != 0; }
  void CloseAfter() override {}
  bool IsClientGone() override { return false; }
  void OnClientGone(std::function<void()>) override {}
  Result<std::shared_ptr<net::EventStream>> StartEventStream(net::EventStreamOptions, const net::Headers&) override {
    status = 200;
    is_stream_ = true;
    return Error(Code::kBrokenPipe, "nobody listens");
  }
  Result<std::shared_ptr<net::WebSocket>> AcceptWebSocket(net::WebSocketOptions, const net::Headers&) override {
    return Error(Code::kInvalid, "no handshake");
  }
  bool is_stream() const { return is_stream_; }

 private:
  const net::Request request_;
  std::string_view body_;
  uint64_t limit_ = 1 << 20, read_ = 0;
  bool is_stream_ = false;
};

// A daemon's API without isolations.
struct Api {
  Api() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rest-fuzz-XXXXXX").string();
    directory = mkdtemp(pattern.data());
    records = std::move(*records::Records::Open({.location = directory + "/db"}));
    registry::RegistrySettings settings;
    settings.directory = directory + "/data";
    registry = std::move(*registry::Registry::Open(std::move(settings), *records));
    services = std::make_unique<api::Services>(api::Services{.registry = *registry, .version = "1", .scratch_directory = directory});
    router = std::make_unique<api::Router>(*services, [](const net::Request&) -> Result<api::Identity> {
      return api::Identity{.caller = {.owner = "ann", .is_admin = true}, .most = api::Access::kAdmin};
    });
  }
  ~Api() {
    router.reset();
    services.reset();
    registry.reset();
    records.reset();
    std::filesystem::remove_all(directory);
  }

  std::string directory;
  std::unique_ptr<records::Records> records;
  std::unique_ptr<registry::Registry> registry;
  std::unique_ptr<api::Services> services;
  std::unique_ptr<api::Router> router;
};

std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Api api;
  if (size == 0) return 0;
  const fuzz::CpuGuard guard;
  const auto& operations = api::AllOperations();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view id = TakeLine(text);
  const auto named = std::find_if(operations.begin(), operations.end(), [&](const api::Operation& one) { return id == one.id; });
  const api::Operation& operation = named != operations.end() ? *named : operations[data[0] % operations.size()];
  const std::string_view query = TakeLine(text), parameter = TakeLine(text), type = TakeLine(text);

  std::string target(operation.path);
  for (size_t open = target.find('{'); open != std::string::npos; open = target.find('{', open + 1)) {
    target.replace(open, target.find('}', open) - open + 1, net::EncodePercent(parameter.empty() ? "x" : parameter));
  }
  net::Request request{.method = operation.method, .target = target + "?" + std::string(query), .body_length = text.size()};
  if (!net::ParseTarget(&request)) return 0;
  if (!type.empty()) request.headers.push_back({"Content-Type", std::string(type)});
  ExchangeForTest exchange(std::move(request), text);
  api.router->Handle(exchange);
  if (exchange.status == 0 || exchange.status == 500) std::abort();
  if (exchange.status < 400 || exchange.is_stream()) return 0;
  const json::value answer = json::parse(exchange.answer);
  const json::object& error = answer.at("error").as_object();
  if (error.at("code").as_string().empty() || error.at("message").as_string().empty() || !IsValidUtf8(exchange.answer)) std::abort();
  return 0;
}
