#include "drivers/docker/engine/volumes.h"

#include <boost/json.hpp>

#include <algorithm>

#include "drivers/docker/engine/json_fields.h"

namespace paddock::docker {
namespace {

namespace json = boost::json;

Error NoName(const std::string& name) { return Error(Code::kInvalid, "'" + name.substr(0, 100) + "' is no name of a volume"); }

VolumeInfo InfoOf(const json::value& said) {
  return {.name = TextOf(Field(&said, "Name")), .labels = LabelsOf(Field(&said, "Labels"))};
}

}  // namespace

bool IsVolumeName(std::string_view name) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  if (name.empty() || name.size() > 128 || !is_word(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return is_word(c) || c == '_' || c == '.' || c == '-'; });
}

Status CreateVolume(const Engine& engine, const std::string& name, const std::map<std::string, std::string>& labels) {
  if (!IsVolumeName(name)) return NoName(name);
  json::object named;
  for (const auto& [label, value] : labels) named[label] = value;
  auto answer = engine.Expect({.method = "POST", .path = "/volumes/create", .body = json::object{{"Name", name}, {"Labels", std::move(named)}}}, {201, 200});
  return answer ? Status() : Status(answer.error());
}

Result<VolumeInfo> InspectVolume(const Engine& engine, const std::string& name) {
  if (!IsVolumeName(name)) return NoName(name);
  PADDOCK_ASSIGN(const EngineAnswer answer, engine.Expect({.path = "/volumes/" + name}, {200}));
  return InfoOf(answer.Json());
}

Result<std::vector<VolumeInfo>> ListVolumes(const Engine& engine, const std::vector<std::string>& labels) {
  PADDOCK_ASSIGN(const EngineAnswer answer, engine.Expect({.path = "/volumes", .query = {{"filters", LabelFilter(labels)}}}, {200}));
  const json::value said = answer.Json();
  std::vector<VolumeInfo> found;
  if (const json::value* volumes = Field(&said, "Volumes"); volumes != nullptr && volumes->is_array()) {
    for (const json::value& one : volumes->as_array()) {
      VolumeInfo info = InfoOf(one);
      if (HasLabels(info.labels, labels)) found.push_back(std::move(info));
    }
  }
  return found;
}

Result<std::map<std::string, uint64_t>> MeasureVolumes(const Engine& engine) {
  EngineCall call{.path = "/system/df"};
  if (engine.facts().api >= std::pair(1, 42)) call.query = {{"type", "volume"}};
  PADDOCK_ASSIGN(const EngineAnswer answer, engine.Expect(std::move(call), {200}));
  const json::value said = answer.Json();
  std::map<std::string, uint64_t> sizes;
  const json::value* volumes = Field(&said, "Volumes");
  if (volumes == nullptr) return Error(Code::kIo, "measure volumes: the engine does not tell of any");
  if (!volumes->is_array()) return sizes;   // null: none
  for (const json::value& one : volumes->as_array()) {
    if (const auto bytes = CountOf(FieldAt(one, {"UsageData", "Size"}))) sizes[TextOf(Field(&one, "Name"))] = *bytes;
  }
  return sizes;
}

Status RemoveVolume(const Engine& engine, const std::string& name) {
  if (!IsVolumeName(name)) return NoName(name);
  PADDOCK_ASSIGN(const EngineAnswer answer, engine.Call({.method = "DELETE", .path = "/volumes/" + name}));
  if (answer.status == 204 || answer.status == 404) return {};
  Error error = EngineError("remove a volume", answer);
  if (answer.status == 409) error.code = Code::kBusy;
  return error;
}

}  // namespace paddock::docker
