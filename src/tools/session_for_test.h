// A session on virtual sandboxes, and calls of its tools, for tests: on a driver in this process, or on a registry as the daemon has it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "api/session/registry_session.h"    // allow(layers): tests play tools on what the daemon gives them
#include "commands/table.h"                  // allow(layers): tests play tools on the virtual driver
#include "drivers/virtual/virtual_driver.h"  // allow(layers): tests play tools on the virtual driver
#include "registry/states/journal_keeper.h"
#include "tools/offer/offer.h"
#include "tools/schema/parse_json.h"
#include "tools/session/direct_session.h"

namespace paddock::tools {

enum class SessionKind { kDirect, kRegistry };
inline void PrintTo(SessionKind kind, std::ostream* out) { *out << (kind == SessionKind::kDirect ? "direct" : "registry"); }

// A registry in a directory of its own, and a session in it.
class RegistryForTest {
 public:
  RegistryForTest(const sandbox::DriverSet& drivers, const DirectSettings& settings) {
    std::string pattern = (std::filesystem::temp_directory_path() / "tools-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    records_ = records::Records::Open({.location = directory_ + "/db"}).value();
    const auto bases = std::make_shared<registry::Bases>(trees::Store::Open(directory_ + "/trees").value());
    registry::RegistrySettings own;
    own.directory = directory_ + "/data";
    own.bases = bases;
    own.snapshots = std::make_shared<registry::Snapshots>(bases->store(), *records_, registry::KeptLimits{});
    own.default_limits = {.memory_bytes = settings.limits.memory_bytes, .processes = settings.limits.processes, .disk_bytes = settings.disk_bytes};
    sandbox::Driver* const driver = drivers.Find("virtual").value();
    own.isolations["virtual"] = [driver, bases](const registry::SandboxInfo& info, const std::string& directory) -> Result<std::unique_ptr<registry::Keeper>> {
      sandbox::SandboxSpec spec;
      spec.working_directory = info.request.working_directory;
      spec.disk_bytes = info.request.limits.disk_bytes.value();
      return std::unique_ptr<registry::Keeper>(std::make_unique<registry::JournalKeeper>(*driver, spec, bases, !info.request.base.empty(), directory));
    };
    registry_ = registry::Registry::Open(std::move(own), *records_).value();
    sessions_ = registry::Sessions::Open({.most_sandboxes = settings.max_sandboxes}, *registry_, *records_).value();
    const registry::Caller caller{.owner = "alice"};
    const std::string id = sessions_->Create(caller, {}).value().id;
    access_ = std::make_unique<api::RegistrySession>(*registry_, sessions_->Find(caller, id).value(), SandboxLimits{});
  }
  ~RegistryForTest() {
    access_.reset();
    sessions_.reset();
    registry_.reset();
    records_.reset();
    std::filesystem::remove_all(directory_);
  }
  RegistryForTest(const RegistryForTest&) = delete;
  RegistryForTest& operator=(const RegistryForTest&) = delete;
  SessionAccess& access() { return *access_; }

 private:
  std::string directory_;
  std::unique_ptr<records::Records> records_;
  std::unique_ptr<registry::Registry> registry_;
  std::unique_ptr<registry::Sessions> sessions_;
  std::unique_ptr<api::RegistrySession> access_;
};

class SessionForTest {
 public:
  explicit SessionForTest(SessionKind kind = SessionKind::kDirect, DirectSettings settings = {}) {
    drivers_.Add(sandbox::MakeVirtualDriver(AllCommands()));
    if (kind == SessionKind::kDirect) direct_ = std::make_unique<DirectSession>(drivers_, std::move(settings));
    else registry_ = std::make_unique<RegistryForTest>(drivers_, settings);
  }

  ToolResult Call(const Tool& tool, std::string_view arguments) {
    CallContext context = Context();
    return tool.call(context, ParseJson(arguments).value());
  }
  CallContext Context() {
    return {.session = session(), .call_id = "call-" + std::to_string(++calls_), .defaults = defaults, .stop = {}, .on_output = nullptr};
  }
  // "exit code 0\n…" or "ERROR: …".
  std::string Text(const Tool& tool, std::string_view arguments) {
    const ToolResult result = Call(tool, arguments);
    return (result.is_error() ? "ERROR: " : "") + result.text;
  }
  SessionAccess& session() {
    if (direct_) return *direct_;
    return registry_->access();
  }

  SandboxDefaults defaults;

 private:
  sandbox::DriverSet drivers_;
  std::unique_ptr<DirectSession> direct_;
  std::unique_ptr<RegistryForTest> registry_;
  int calls_ = 0;
};

inline std::string TextAt(const json::object& data, std::string_view key) {
  const json::value* const value = data.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string().c_str()) : "";
}

}  // namespace paddock::tools
