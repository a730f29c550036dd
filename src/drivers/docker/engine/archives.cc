#include "drivers/docker/engine/archives.h"

#include <boost/json.hpp>

#include "drivers/docker/engine/json_fields.h"
#include "drivers/docker/engine/names.h"
#include "text/base64.h"

namespace paddock::docker {
namespace {

namespace json = boost::json;

constexpr std::chrono::minutes kTransferSilence{2};
// Go's file modes, of which the engine sends the number.
constexpr uint64_t kGoDirectory = 1ull << 31, kGoSymlink = 1ull << 27;

Result<EngineCall> ArchiveCall(const char* method, const std::string& container_id, const std::string& path) {
  if (!IsFullId(container_id)) return Error(Code::kInvalid, "not the full id of a container");
  if (!path.starts_with('/') || path.find('\0') != path.npos) return Error(Code::kInvalid, "not an absolute path");
  return EngineCall{.method = method, .path = "/containers/" + container_id + "/archive", .query = {{"path", path}}, .time = kTransferSilence};
}

}  // namespace

Result<PathStat> StatPath(const Engine& engine, const std::string& container_id, const std::string& path) {
  PADDOCK_ASSIGN(EngineCall call, ArchiveCall("HEAD", container_id, path));
  PADDOCK_ASSIGN(const std::unique_ptr<net::Response> response, engine.Open(std::move(call), {200}));
  const std::string* header = response->Header("X-Docker-Container-Path-Stat");
  const auto text = header == nullptr ? std::nullopt : DecodeBase64(*header);
  const EngineAnswer answer{.status = 200, .body = text.value_or("")};
  const json::value said = answer.Json();
  const auto mode = CountOf(Field(&said, "mode"));
  if (!mode) return Error(Code::kIo, "the engine did not say what " + path + " is");
  return PathStat{.name = TextOf(Field(&said, "name")),
                  .size = CountOf(Field(&said, "size")).value_or(0),
                  .is_directory = (*mode & kGoDirectory) != 0,
                  .is_symlink = (*mode & kGoSymlink) != 0,
                  .link_target = TextOf(Field(&said, "linkTarget"))};
}

Status PutArchive(const Engine& engine, const std::string& container_id, const std::string& directory, std::function<Result<size_t>(std::span<char>)> tar) {
  PADDOCK_ASSIGN(EngineCall call, ArchiveCall("PUT", container_id, directory));
  call.source = std::move(tar);
  PADDOCK_ASSIGN(const EngineAnswer answer, engine.Call(std::move(call)));
  if (answer.status == 200) return {};
  Error error = EngineError("put files into the container", answer);
  if (answer.body.find("read-only") != answer.body.npos) error.code = Code::kReadOnly;
  return error;
}

Status GetArchive(const Engine& engine, const std::string& container_id, const std::string& path, const std::function<Status(std::string_view)>& take) {
  PADDOCK_ASSIGN(EngineCall call, ArchiveCall("GET", container_id, path));
  return engine.Stream(std::move(call), take);
}

Status ExportContainer(const Engine& engine, const std::string& container_id, const std::function<Status(std::string_view)>& take) {
  if (!IsFullId(container_id)) return Error(Code::kInvalid, "not the full id of a container");
  return engine.Stream({.path = "/containers/" + container_id + "/export", .time = kTransferSilence}, take);
}

}  // namespace paddock::docker
