#include "drivers/docker/engine/networks.h"

#include <boost/json.hpp>

#include "drivers/docker/engine/json_fields.h"
#include "drivers/docker/engine/names.h"

namespace paddock::docker {
namespace {

namespace json = boost::json;

}  // namespace

Result<std::string> CreateNetwork(const Engine& engine, const std::string& name, const std::string& subnet, const std::map<std::string, std::string>& labels) {
  json::object body{{"Name", name}, {"CheckDuplicate", true}, {"Driver", "bridge"}, {"Internal", true}, {"EnableIPv6", false}};
  // Podman's internal networks have no gateway, and it refuses options that it does not know.
  if (!engine.is_podman()) {
    body["Options"] = {{"com.docker.network.bridge.inhibit_ipv4", "true"}, {"com.docker.network.bridge.enable_icc", "false"},
                       {"com.docker.network.bridge.enable_ip_masquerade", "false"}};
  }
  if (!subnet.empty()) body["IPAM"] = {{"Driver", "default"}, {"Config", json::array{json::object{{"Subnet", subnet}}}}};
  json::object named;
  for (const auto& [label, value] : labels) named[label] = value;
  body["Labels"] = std::move(named);
  PADDOCK_ASSIGN(const EngineAnswer answer, engine.Call({.method = "POST", .path = "/networks/create", .body = std::move(body)}));
  if (answer.status != 201 && answer.status != 200) {
    Error error = EngineError("create a network", answer);
    if (answer.body.find("address pool") != answer.body.npos || answer.body.find("subnet") != answer.body.npos) {
      error.code = Code::kNoSpace;
      error.message += "; remove unused networks, or give the engine more with default-address-pools";
    } else if (answer.status == 409 || answer.body.find("already") != answer.body.npos) {
      error.code = Code::kExists;
    }
    return error;
  }
  const json::value said = answer.Json();
  std::string id = TextOf(Field(&said, "Id"));
  if (!IsFullId(id)) return Error(Code::kIo, "create a network: the engine gave no id");
  return id;
}

Result<std::vector<NetworkInfo>> ListNetworks(const Engine& engine, const std::vector<std::string>& labels) {
  PADDOCK_ASSIGN(const EngineAnswer answer, engine.Expect({.path = "/networks", .query = {{"filters", LabelFilter(labels)}}}, {200}));
  const json::value said = answer.Json();
  if (!said.is_array()) return Error(Code::kIo, "list networks: the engine's answer is no list");
  std::vector<NetworkInfo> found;
  for (const json::value& one : said.as_array()) {
    NetworkInfo info{.id = TextOf(Field(&one, "Id")), .name = TextOf(Field(&one, "Name")), .labels = LabelsOf(Field(&one, "Labels"))};
    if (IsFullId(info.id) && HasLabels(info.labels, labels)) found.push_back(std::move(info));
  }
  return found;
}

Status RemoveNetwork(const Engine& engine, const std::string& id) {
  if (!IsFullId(id)) return Error(Code::kInvalid, "not the full id of a network");
  PADDOCK_ASSIGN(const EngineAnswer seen, engine.Call({.path = "/networks/" + id}));
  if (seen.status == 404) return {};
  const json::value said = seen.Json();
  if (const json::value* containers = Field(&said, "Containers"); containers != nullptr && containers->is_object() && !containers->as_object().empty()) {
    return Error(Code::kBusy, "remove a network: a container is on it");
  }
  PADDOCK_ASSIGN(const EngineAnswer answer, engine.Call({.method = "DELETE", .path = "/networks/" + id}));
  if (answer.status == 204 || answer.status == 200 || answer.status == 404) return {};
  Error error = EngineError("remove a network", answer);
  if (answer.status == 403) error.code = Code::kBusy;
  return error;
}

}  // namespace paddock::docker
