#include "api/rest/files/held_files.h"

#include <algorithm>

#include "text/utf8.h"

namespace paddock::api {
namespace {

constexpr uint64_t kLeastPerSecond = 1024;   // a slower client is not worth its place

std::chrono::steady_clock::time_point Until() { return std::chrono::steady_clock::now() + std::chrono::seconds(30); }

}  // namespace

Status CheckFilePath(const std::string& path, const char* field) {
  if (path.starts_with('/') && path.size() <= 4095 && path.find('\0') == std::string::npos) return {};
  return Error(Code::kInvalid, std::string(field) + " must be an absolute path of at most 4095 bytes");
}

Error AboutFile(const std::string& path, const Error& error) {
  return Error(error.code, HarmlessLine(path.substr(0, 400)) + ": " + std::string(error.Text()));
}

Result<registry::HeldFiles> HoldFiles(Call& call) { return call.services.registry.Files(call.caller, call["sandbox"], Until()); }

Result<registry::HeldFiles> HoldFrozen(Call& call) { return call.services.registry.FrozenFiles(call.caller, call["sandbox"], Until()); }

Result<registry::HeldFiles> HoldToWrite(Call& call, Upload& upload, uint64_t most, const std::function<Status(vfs::FileSystem&)>& check) {
  call.exchange.SetBodyLimit({.bytes = most, .bytes_per_second = kLeastPerSecond});
  {
    PADDOCK_ASSIGN(registry::HeldFiles files, HoldFiles(call));
    PADDOCK_TRY(check(*files));
    if (!files.is_exclusive()) return files;
  }
  PADDOCK_ASSIGN(const registry::SandboxInfo info, call.services.registry.Get(call.caller, call["sandbox"]));
  if (const auto& disk = info.request.limits.disk_bytes; disk && *disk < most / 4) {
    // No more need be put aside; an archive has its own bytes around those of its files.
    call.exchange.SetBodyLimit({.bytes = std::min(most, *disk * 2 + (1 << 20)), .bytes_per_second = kLeastPerSecond});
  }
  PADDOCK_TRY(upload.Receive());
  return HoldFiles(call);
}

}  // namespace paddock::api
