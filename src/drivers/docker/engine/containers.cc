#include "drivers/docker/engine/containers.h"

#include <boost/json.hpp>

#include <array>
#include <thread>

#include "drivers/docker/engine/json_fields.h"
#include "drivers/docker/engine/names.h"

namespace paddock::docker {
namespace {

namespace json = boost::json;

constexpr std::array kStateNames{"created", "running", "paused", "restarting", "removing", "exited", "dead"};
constexpr std::chrono::seconds kStartTime{120};   // a runtime of its own may boot a machine

constexpr int kRemovals = 5;   // tries: a mount may be busy, another removal under way

Status CheckId(const std::string& id) {
  if (!IsFullId(id)) return Error(Code::kInvalid, "not the full id of a container");
  return {};
}

// "configured" is Podman's word for created, "stopped" for one that has just ended.
ContainerState StateOf(std::string_view name) {
  if (name == "configured" || name == "initialized") return ContainerState::kCreated;
  if (name == "stopped" || name == "stopping") return ContainerState::kExited;
  for (size_t i = 0; i < kStateNames.size(); ++i) {
    if (name == kStateNames[i]) return static_cast<ContainerState>(i);
  }
  return ContainerState::kDead;
}

std::string WithoutSlash(std::string name) { return name.starts_with('/') ? name.substr(1) : name; }

// POST /containers/ID/VERB, where 304 means that it was so already.
Result<EngineAnswer> Act(const Engine& engine, const std::string& id, const std::string& verb, Query query, std::chrono::milliseconds time) {
  PADDOCK_TRY(CheckId(id));
  return engine.Call({.method = "POST", .path = "/containers/" + id + "/" + verb, .query = std::move(query), .time = time});
}

Status Done(const std::string& what, const Result<EngineAnswer>& answer) {
  if (!answer) return answer.error();
  if (answer->status == 204 || answer->status == 304 || answer->status == 200) return {};
  return EngineError(what, *answer);
}

}  // namespace

const char* ContainerStateName(ContainerState state) { return kStateNames[static_cast<size_t>(state)]; }

Result<Created> CreateContainer(const Engine& engine, const std::string& name, const ContainerSpec& spec) {
  PADDOCK_ASSIGN(const EngineAnswer answer,
                 engine.Call({.method = "POST", .path = "/containers/create", .query = {{"name", name}}, .body = CreateBody(spec)}));
  if (answer.status != 201) {
    Error error = EngineError("create a container", answer);
    if (answer.status == 409 || (answer.status == 500 && answer.body.find("already in use") != answer.body.npos)) error.code = Code::kExists;
    return error;
  }
  const json::value said = answer.Json();
  Created created{.id = TextOf(Field(&said, "Id"))};
  if (!IsFullId(created.id)) return Error(Code::kIo, "create a container: the engine gave no id");
  if (const json::value* warnings = Field(&said, "Warnings"); warnings != nullptr && warnings->is_array()) {
    for (const json::value& warning : warnings->as_array()) created.warnings.push_back(TextOf(&warning));
  }
  return created;
}

Result<ContainerInfo> InspectContainer(const Engine& engine, const std::string& id, bool with_size) {
  PADDOCK_TRY(CheckId(id));
  EngineCall call{.path = "/containers/" + id + "/json"};
  if (with_size) call.query = {{"size", "1"}};
  PADDOCK_ASSIGN(const EngineAnswer answer, engine.Expect(std::move(call), {200}));
  const json::value said = answer.Json();
  ContainerInfo info;
  info.id = TextOf(Field(&said, "Id"));
  if (info.id != id) return Error(Code::kIo, "the engine answered for another container");
  info.name = WithoutSlash(TextOf(Field(&said, "Name")));
  info.image_id = TextOf(Field(&said, "Image"));
  info.created = TextOf(Field(&said, "Created"));
  info.started = TextOf(FieldAt(said, {"State", "StartedAt"}));
  info.labels = LabelsOf(FieldAt(said, {"Config", "Labels"}));
  info.state = StateOf(TextOf(FieldAt(said, {"State", "Status"})));
  info.is_oom_killed = IsTrue(FieldAt(said, {"State", "OOMKilled"}));
  info.error = TextOf(FieldAt(said, {"State", "Error"}));
  if (info.state == ContainerState::kExited || info.state == ContainerState::kDead) {
    if (const auto code = NumberOf(FieldAt(said, {"State", "ExitCode"}))) info.exit_code = static_cast<int>(*code);
  }
  info.pid = static_cast<int>(NumberOf(FieldAt(said, {"State", "Pid"})).value_or(0));
  info.has_read_only_root = IsTrue(FieldAt(said, {"HostConfig", "ReadonlyRootfs"}));
  info.runtime = TextOf(FieldAt(said, {"HostConfig", "Runtime"}));
  if (const json::value* networks = FieldAt(said, {"NetworkSettings", "Networks"}); networks != nullptr && networks->is_object()) {
    for (const auto& [name, network] : networks->as_object()) {
      const std::string network_id = TextOf(Field(&network, "NetworkID"));
      if (!network_id.empty()) info.network_ids.push_back(network_id);
    }
  }
  if (const json::value* mounts = Field(&said, "Mounts"); mounts != nullptr && mounts->is_array()) {
    for (const json::value& mount : mounts->as_array()) {
      if (TextOf(Field(&mount, "Type")) == "volume") info.volumes[TextOf(Field(&mount, "Destination"))] = TextOf(Field(&mount, "Name"));
    }
  }
  info.written_bytes = CountOf(Field(&said, "SizeRw"));
  return info;
}

Result<std::vector<ContainerInfo>> ListContainers(const Engine& engine, const std::vector<std::string>& labels) {
  const auto ask = [&] { return engine.Expect({.path = "/containers/json", .query = {{"all", "1"}, {"filters", LabelFilter(labels)}}}, {200}); };
  // Podman's list fails when a container ends while it is made.
  constexpr int kTries = 5;
  auto answer = ask();
  for (int i = 1; i < kTries && !answer && answer.error().message.find("no such process") != std::string::npos; ++i) answer = ask();
  if (!answer) return answer.error();
  const json::value said = answer->Json();
  std::vector<ContainerInfo> found;
  if (!said.is_array()) return Error(Code::kIo, "list containers: the engine's answer is no list");
  for (const json::value& one : said.as_array()) {
    ContainerInfo info;
    info.id = TextOf(Field(&one, "Id"));
    if (!IsFullId(info.id)) continue;
    if (const json::value* names = Field(&one, "Names"); names != nullptr && names->is_array() && !names->as_array().empty()) {
      info.name = WithoutSlash(TextOf(&names->as_array().front()));
    }
    info.image_id = TextOf(Field(&one, "ImageID"));
    info.labels = LabelsOf(Field(&one, "Labels"));
    info.state = StateOf(TextOf(Field(&one, "State")));
    if (HasLabels(info.labels, labels)) found.push_back(std::move(info));
  }
  return found;
}

Status StartContainer(const Engine& engine, const std::string& id) {
  PADDOCK_TRY(CheckId(id));
  Status status = Done("start the container", Act(engine, id, "start", {}, kStartTime));
  if (!status && status.error().code != Code::kNoEntry && status.error().code != Code::kTimedOut) return Error(Code::kUnavailable, status.error().message);
  return status;
}

Status StopContainer(const Engine& engine, const std::string& id, std::chrono::seconds grace) {
  return Done("stop the container", Act(engine, id, "stop", {{"t", std::to_string(grace.count())}}, grace + std::chrono::seconds(60)));
}

Status KillContainer(const Engine& engine, const std::string& id, const std::string& signal) {
  return Done("kill the container", Act(engine, id, "kill", {{"signal", signal}}, std::chrono::seconds(60)));
}

Status RenameContainer(const Engine& engine, const std::string& id, const std::string& name) {
  return Done("name the container", Act(engine, id, "rename", {{"name", name}}, std::chrono::seconds(60)));
}

Status PauseContainer(const Engine& engine, const std::string& id) { return Done("pause the container", Act(engine, id, "pause", {}, std::chrono::seconds(60))); }

Status UnpauseContainer(const Engine& engine, const std::string& id) {
  return Done("resume the container", Act(engine, id, "unpause", {}, std::chrono::seconds(60)));
}

Status RemoveContainer(const Engine& engine, const std::string& id) {
  PADDOCK_TRY(CheckId(id));
  auto pause = std::chrono::milliseconds(100);
  for (int attempt = 1;; ++attempt) {
    PADDOCK_ASSIGN(const EngineAnswer answer, engine.Call({.method = "DELETE", .path = "/containers/" + id, .query = {{"force", "1"}, {"v", "1"}}}));
    if (answer.status == 204 || answer.status == 200 || answer.status == 404) return {};
    if (attempt == kRemovals) return EngineError("remove the container", answer);
    std::this_thread::sleep_for(pause);
    pause *= 2;
  }
}

Result<std::unique_ptr<net::ByteStream>> AttachContainer(const Engine& engine, const std::string& id) {
  PADDOCK_TRY(CheckId(id));
  return engine.Hijack({.method = "POST", .path = "/containers/" + id + "/attach", .query = {{"stream", "1"}, {"stdin", "1"}, {"stdout", "1"}, {"stderr", "1"}}});
}

Result<ContainerUsage> MeasureContainer(const Engine& engine, const std::string& id) {
  PADDOCK_TRY(CheckId(id));
  PADDOCK_ASSIGN(const EngineAnswer answer,
                 engine.Expect({.path = "/containers/" + id + "/stats", .query = {{"stream", "false"}, {"one-shot", "true"}}}, {200}));
  const json::value said = answer.Json();
  ContainerUsage usage;
  usage.cpu_nanoseconds = CountOf(FieldAt(said, {"cpu_stats", "cpu_usage", "total_usage"}));
  usage.memory_bytes = CountOf(FieldAt(said, {"memory_stats", "usage"}));
  usage.memory_peak_bytes = CountOf(FieldAt(said, {"memory_stats", "max_usage"}));
  usage.processes = CountOf(FieldAt(said, {"pids_stats", "current"}));
  if (const json::value* networks = Field(&said, "networks"); networks != nullptr && networks->is_object()) {
    uint64_t in = 0, out = 0;
    for (const auto& [name, network] : networks->as_object()) {
      in += CountOf(Field(&network, "rx_bytes")).value_or(0);
      out += CountOf(Field(&network, "tx_bytes")).value_or(0);
    }
    usage.network_in_bytes = in;
    usage.network_out_bytes = out;
  }
  if (const json::value* parts = FieldAt(said, {"blkio_stats", "io_service_bytes_recursive"}); parts != nullptr && parts->is_array()) {
    uint64_t read = 0, written = 0;
    for (const json::value& part : parts->as_array()) {
      const std::string kind = TextOf(Field(&part, "op"));
      const uint64_t bytes = CountOf(Field(&part, "value")).value_or(0);
      if (kind == "Read" || kind == "read") read += bytes;
      if (kind == "Write" || kind == "write") written += bytes;
    }
    usage.disk_read_bytes = read;
    usage.disk_written_bytes = written;
  }
  return usage;
}

}  // namespace paddock::docker
