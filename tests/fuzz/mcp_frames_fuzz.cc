// Fuzz target of the Model Context Protocol: frames of any kind, one a line, to a dialog over a session of virtual sandboxes.
// Everything sent back is JSON-RPC in valid UTF-8; each line gets at most one answer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/mcp/dialog.h"
#include "api/mcp/http_headers.h"
#include "api/mcp/resources.h"
#include "bounded_run.h"
#include "text/utf8.h"
#include "tools/session/direct_session.h"

namespace {

using namespace paddock;

// One that has files and keys, and no sandboxes: what commands do is the matter of other targets.
class EmptySession final : public tools::SessionAccess {
 public:
  const std::string& id() const override { return id_; }
  Result<std::shared_ptr<tools::SandboxAccess>> Create(const tools::CreateRequest&) override {
    return Error(Code::kUnavailable, "no sandboxes here");
  }
  Result<std::vector<tools::SandboxInfo>> List() override { return std::vector<tools::SandboxInfo>(); }
  Result<std::shared_ptr<tools::SandboxAccess>> Find(const std::string& id) override {
    return Error(Code::kNoEntry, "no sandbox " + id);
  }
  Result<tools::FileLease> Files() override { return Error(Code::kUnavailable, "no files here"); }
  tools::KeyValueStore& keys() override { return *keys_; }
  Result<std::shared_ptr<void>> Watch(const tools::WatchRequest&, tools::WatchListener listener) override {
    listener.on_event({.kind = sandbox::FileEvent::Kind::kLost, .is_directory = true, .path = "/", .from = {}});
    listener.on_round();
    return std::shared_ptr<void>(std::make_shared<int>(0));
  }
  Status Settle() override { return {}; }

 private:
  const std::string id_ = "ses_fuzz";
  const std::unique_ptr<tools::KeyValueStore> keys_ = tools::MakeMemoryKeys(100, 1 << 20);
};

const std::shared_ptr<const tools::Equipment>& Everything() {
  static const tools::Catalog catalog = tools::BuiltInCapabilities();
  static const auto equipment =
      std::make_shared<const tools::Equipment>(tools::Resolve(catalog, {.isolations = {"virtual"}, .features = {}},
                                                              {{"fuzz", {{"bashkit_shell", {}}, {"sandbox", {}}}, ""}})
                                                   .value());
  return equipment;
}

bool IsNotification(const boost::json::object& object) {
  const boost::json::value* const method = object.if_contains("method");
  return method != nullptr && method->is_string() && method->get_string().starts_with("notifications/") && !object.contains("id");
}

// Whether it answers a request.
bool CheckFrame(const std::string& frame) {
  if (!IsValidUtf8(frame) || frame.find('\n') != std::string::npos) {
    std::abort();
  }
  boost::system::error_code error;
  const boost::json::value value = boost::json::parse(frame, error);
  if (error) {
    std::abort();
  }
  const auto check = [](const boost::json::value& each) {
    const boost::json::object& object = each.as_object();
    if (IsNotification(object) && object.at("jsonrpc") == "2.0" && object.at("params").is_object()) {
      return;
    }
    if (object.at("jsonrpc") != "2.0" || !object.contains("id") || object.contains("result") == object.contains("error")) {
      std::abort();
    }
  };
  if (value.is_array()) {
    for (const boost::json::value& each : value.get_array()) {
      check(each);
    }
  } else {
    check(value);
  }
  return !value.is_object() || !IsNotification(value.get_object());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::CpuGuard guard;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto place = mcp::ParseUri(text)) {
    const auto again = mcp::ParseUri(mcp::UriOf(*place));
    if (!again || again->sandbox != place->sandbox || again->path != place->path) {
      std::abort();
    }
  }
  if (const auto value = mcp::DecodeHeaderValue(text); value && *value != text && !IsValidUtf8(*value)) {
    std::abort();
  }
  const net::Request request{.headers = {{"Origin", std::string(text)}, {"Accept", std::string(text)}}, .host = "localhost"};
  static_cast<void>(mcp::IsOriginGood(request) && mcp::Accepts(request, "application/json"));
  mcp::Server server({.version = "1", .session = std::make_shared<EmptySession>(), .equipment = Everything(), .log = nullptr});
  size_t sent = 0, received = 0;
  {
    mcp::Dialog dialog(server, [&sent](const std::string& frame) {
      if (CheckFrame(frame)) ++sent;
    });
    while (!text.empty() && received < 64) {
      const size_t end = std::min(text.find('\n'), text.size());
      dialog.Receive(text.substr(0, end));
      ++received;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }
  if (sent > received) {
    std::abort();
  }
  return 0;
}
