// A dialog with a server over a session of virtual sandboxes, for tests.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>

#include "api/mcp/dialog.h"
#include "commands/table.h"                   // allow(layers): tests play servers on the virtual driver
#include "drivers/virtual/virtual_driver.h"  // allow(layers): tests play servers on the virtual driver
#include "tools/session/direct_session.h"

namespace paddock::mcp {

class DialogForTest {
 public:
  explicit DialogForTest(const char* capabilities = R"(["bashkit_shell", "sandbox"])",
                         std::chrono::milliseconds progress = std::chrono::hours(1),
                         std::chrono::milliseconds patience = std::chrono::hours(1))
      : catalog_(tools::BuiltInCapabilities()) {
    drivers_.Add(sandbox::MakeVirtualDriver(AllCommands()));
    session_ = std::make_shared<tools::DirectSession>(drivers_, tools::DirectSettings{});
    auto attachments = tools::ParseAttachments(json::parse(capabilities), "capabilities").value();
    auto equipment =
        tools::Resolve(catalog_, {.isolations = {"virtual"}, .features = {}}, {{"test", std::move(attachments), ""}}).value();
    server_ = std::make_unique<Server>(ServerSettings{.version = "1.2.3",
                                                      .session = session_,
                                                      .equipment = std::make_shared<const tools::Equipment>(std::move(equipment)),
                                                      .log = nullptr,
                                                      .progress = std::make_shared<Progress>(progress),
                                                      .tasks = std::make_shared<Tasks>(patience)});
    dialog_ = std::make_unique<Dialog>(*server_, [this](const std::string& frame) { Take(frame); });
  }

  Dialog& dialog() { return *dialog_; }
  Server& server() { return *server_; }
  void Close() { dialog_->Close(std::chrono::milliseconds(0)); }
  void Send(std::string_view frame) { dialog_->Receive(frame); }
  void Handshake(std::string_view revision = "2025-11-25") {
    Send(R"({"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":")" + std::string(revision) +
         R"(","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})");
    Send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  }
  // The next frame that holds, waited for.
  json::value Next(const std::function<bool(const json::value&)>& holds = [](const json::value&) { return true; }) {
    std::unique_lock lock(mutex_);
    for (;;) {
      for (auto each = frames_.begin(); each != frames_.end(); ++each) {
        if (!holds(*each)) continue;
        json::value found = std::move(*each);
        frames_.erase(each);
        return found;
      }
      came_.wait(lock);
    }
  }
  json::object ResponseFor(const json::value& id) {
    return Next([&](const json::value& frame) {
             return frame.is_object() && frame.get_object().contains("id") && frame.at("id") == id;
           })
        .as_object();
  }
  // What a request in the agreed revision comes to.
  json::object Ask(std::string_view method, json::object params = {}) {
    const int64_t id = ++asked_;
    Send(json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}}));
    return ResponseFor(id);
  }
  json::object AskStateless(std::string_view method, json::object params = {}, std::string_view revision = "2026-07-28") {
    params["_meta"] = json::object{{"io.modelcontextprotocol/protocolVersion", revision},
                                   {"io.modelcontextprotocol/clientCapabilities", json::object()}};
    return Ask(method, std::move(params));
  }
  // As a client that takes tasks.
  json::object AskWithTasks(std::string_view method, json::object params = {}) {
    params["_meta"] =
        json::object{{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                     {"io.modelcontextprotocol/clientCapabilities", {{"extensions", {{kTasksExtension, json::object()}}}}}};
    return Ask(method, std::move(params));
  }
  json::object Call(std::string_view tool, json::object arguments = {}) {
    return Ask("tools/call", {{"name", tool}, {"arguments", std::move(arguments)}}).at("result").as_object();
  }
  size_t waiting() {
    const std::lock_guard lock(mutex_);
    return frames_.size();
  }

 private:
  void Take(const std::string& frame) {
    const std::lock_guard lock(mutex_);
    frames_.push_back(json::parse(frame));
    came_.notify_all();
  }

  const tools::Catalog catalog_;
  sandbox::DriverSet drivers_;
  std::shared_ptr<tools::DirectSession> session_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::list<json::value> frames_;
  int64_t asked_ = 0;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Dialog> dialog_;
};

inline int64_t ErrorCode(const json::object& response) {
  return response.contains("error") ? response.at("error").at("code").as_int64() : 0;
}
inline std::string TextOf(const json::object& result) { return result.at("content").at(0).at("text").as_string().c_str(); }

}  // namespace paddock::mcp
