#include "registry/entry/description_json.h"

#include <boost/json.hpp>

#include "policy/parse.h"
#include "policy/write.h"

namespace paddock::registry {
namespace {

namespace json = boost::json;

json::value FromMap(const std::map<std::string, std::string>& map) {
  json::object object;
  for (const auto& [name, value] : map) object[name] = value;
  return object;
}

int64_t Number(Time time) {
  return time.time_since_epoch().count();
}

template <class T>
void PutSet(json::object& object, const char* name, const std::optional<T>& value) {
  if (!value) return;
  if constexpr (std::is_same_v<T, Duration>) object[name] = value->count();
  else object[name] = *value;
}

json::value FromLimits(const SandboxLimits& limits) {
  json::object object;
  PutSet(object, "memory_bytes", limits.memory_bytes);
  PutSet(object, "processes", limits.processes);
  PutSet(object, "cpus", limits.cpus);
  PutSet(object, "disk_bytes", limits.disk_bytes);
  if (limits.is_disk_usual) object["is_disk_usual"] = true;
  PutSet(object, "files", limits.files);
  PutSet(object, "exec_time_ms", limits.exec_time);
  PutSet(object, "cpu_time_ms", limits.cpu_time);
  PutSet(object, "output_bytes", limits.output_bytes);
  return object;
}

json::value FromLease(const Lease& lease) {
  json::object object;
  PutSet(object, "ttl_ms", lease.ttl);
  PutSet(object, "idle_ttl_ms", lease.idle_ttl);
  PutSet(object, "max_lifetime_ms", lease.max_lifetime);
  PutSet(object, "remove_after_ms", lease.remove_after);
  object["on_expiry"] = OnExpiryName(lease.on_expiry);
  return object;
}

json::value FromImage(const ImageStart& image) {
  json::object object;
  object["command"] = json::array(image.command.begin(), image.command.end());
  object["working_directory"] = image.working_directory;
  if (image.user) object["user"] = {{"name", image.user->name}, {"uid", image.user->uid}, {"gid", image.user->gid}};
  return object;
}

// What could not be read is remembered; the rest goes on with nothing.
class Reader {
 public:
  explicit Reader(const json::object& object) : object_(object) {}

  void Take(const char* name, std::string& to) {
    if (const json::value* value = Find(name)) {
      if (value->is_string()) to = std::string(value->get_string());
      else is_good_ = false;
    }
  }
  void Take(const char* name, bool& to) {
    if (const json::value* value = Find(name)) {
      if (value->is_bool()) to = value->get_bool();
      else is_good_ = false;
    }
  }
  void Take(const char* name, Time& to) {
    if (const auto number = Integer(name)) to = Time(Duration(*number));
  }
  void Take(const char* name, std::optional<Duration>& to) {
    if (const auto number = Integer(name)) to = Duration(*number);
  }
  void Take(const char* name, std::optional<uint64_t>& to) {
    if (const json::value* value = Find(name)) {
      if (value->is_uint64()) to = value->get_uint64();
      else if (value->is_int64() && value->get_int64() >= 0) to = static_cast<uint64_t>(value->get_int64());
      else is_good_ = false;
    }
  }
  void Take(const char* name, std::optional<double>& to) {
    if (const json::value* value = Find(name)) {
      if (value->is_number()) to = value->to_number<double>();
      else is_good_ = false;
    }
  }
  void Take(const char* name, std::map<std::string, std::string>& to) {
    const json::object* object = Object(name);
    if (object == nullptr) return;
    for (const auto& [key, value] : *object) {
      if (value.is_string()) to[std::string(key)] = std::string(value.get_string());
      else is_good_ = false;
    }
  }
  void Take(const char* name, std::vector<std::string>& to) {
    const json::value* value = Find(name);
    if (value == nullptr) return;
    const json::array* array = value->if_array();
    is_good_ = is_good_ && array != nullptr;
    for (size_t i = 0; is_good_ && i < array->size(); ++i) {
      if ((*array)[i].is_string()) to.emplace_back((*array)[i].get_string());
      else is_good_ = false;
    }
  }
  void Take(const char* name, uint32_t& to) {
    const auto number = Integer(name);
    if (!number || *number < 0 || *number > ~uint32_t{0}) is_good_ = false;
    else to = static_cast<uint32_t>(*number);
  }
  const json::object* Object(const char* name) {
    const json::value* value = Find(name);
    if (value == nullptr) return nullptr;
    if (value->is_object()) return &value->get_object();
    is_good_ = false;
    return nullptr;
  }
  bool is_good() const { return is_good_; }

 private:
  const json::value* Find(const char* name) const { return object_.if_contains(name); }
  std::optional<int64_t> Integer(const char* name) {
    const json::value* value = Find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_int64()) return value->get_int64();
    is_good_ = false;
    return std::nullopt;
  }

  const json::object& object_;
  bool is_good_ = true;
};

Error Damaged() {
  return Error(Code::kIo, "the description of a sandbox is damaged");
}

}  // namespace

std::string DescriptionText(const SandboxInfo& info) {
  const SandboxRequest& request = info.request;
  json::object object;
  object["version"] = 1;
  object["isolation"] = request.isolation;
  object["base"] = request.base;
  object["environment"] = FromMap(request.environment);
  object["working_directory"] = request.working_directory;
  object["hostname"] = request.hostname;
  if (const ImageStart& image = request.image; !image.command.empty() || !image.working_directory.empty() || image.user) object["image"] = FromImage(image);
  if (const sandbox::ContainerChoice& container = request.container; container != sandbox::ContainerChoice()) {
    object["container"] = {{"engine", container.engine}, {"image", container.image}, {"runtime", container.runtime}};
  }
  object["limits"] = FromLimits(request.limits);
  policy::Policy network;
  network.network = request.network;
  object["policy"] = policy::JsonText(policy::ToDocument(network));
  object["lease"] = FromLease(request.lease);
  object["is_internal"] = request.is_internal;
  object["was_idle"] = info.was_idle;
  object["created"] = Number(info.created);
  object["extended"] = Number(info.extended);
  object["last_active"] = Number(info.last_active);
  return json::serialize(object);
}

Status ReadDescription(std::string_view text, SandboxInfo& info) {
  boost::system::error_code failure;
  json::parse_options options;
  options.max_depth = 8;
  const json::value parsed = json::parse(json::string_view(text.data(), text.size()), failure, {}, options);
  if (failure || !parsed.is_object()) return Damaged();
  Reader reader(parsed.get_object());
  const json::value* version = parsed.get_object().if_contains("version");
  if (version == nullptr || *version != 1) return Error(Code::kNotSupported, "a sandbox was described by another version of paddock");

  SandboxRequest& request = info.request;
  reader.Take("isolation", request.isolation);
  reader.Take("base", request.base);
  reader.Take("environment", request.environment);
  reader.Take("working_directory", request.working_directory);
  reader.Take("hostname", request.hostname);
  reader.Take("is_internal", request.is_internal);
  reader.Take("was_idle", info.was_idle);
  reader.Take("created", info.created);
  reader.Take("extended", info.extended);
  reader.Take("last_active", info.last_active);
  std::string policy_text;
  reader.Take("policy", policy_text);
  bool is_good = reader.is_good();
  if (const json::object* limits = reader.Object("limits")) {
    Reader inner(*limits);
    inner.Take("memory_bytes", request.limits.memory_bytes);
    inner.Take("processes", request.limits.processes);
    inner.Take("cpus", request.limits.cpus);
    inner.Take("disk_bytes", request.limits.disk_bytes);
    inner.Take("is_disk_usual", request.limits.is_disk_usual);
    inner.Take("files", request.limits.files);
    inner.Take("exec_time_ms", request.limits.exec_time);
    inner.Take("cpu_time_ms", request.limits.cpu_time);
    inner.Take("output_bytes", request.limits.output_bytes);
    is_good = is_good && inner.is_good();
  }
  if (const json::object* image = reader.Object("image")) {
    Reader inner(*image);
    inner.Take("command", request.image.command);
    inner.Take("working_directory", request.image.working_directory);
    if (const json::object* user = inner.Object("user")) {
      Reader ids(*user);
      sandbox::WallUser& known = request.image.user.emplace();
      ids.Take("name", known.name);
      ids.Take("uid", known.uid);
      ids.Take("gid", known.gid);
      is_good = is_good && ids.is_good();
    }
    is_good = is_good && inner.is_good();
  }
  if (const json::object* container = reader.Object("container")) {
    Reader inner(*container);
    inner.Take("engine", request.container.engine);
    inner.Take("image", request.container.image);
    inner.Take("runtime", request.container.runtime);
    is_good = is_good && inner.is_good();
  }
  if (const json::object* lease = reader.Object("lease")) {
    Reader inner(*lease);
    inner.Take("ttl_ms", request.lease.ttl);
    inner.Take("idle_ttl_ms", request.lease.idle_ttl);
    inner.Take("max_lifetime_ms", request.lease.max_lifetime);
    inner.Take("remove_after_ms", request.lease.remove_after);
    std::string action;
    inner.Take("on_expiry", action);
    const auto known = ParseOnExpiry(action);
    if (!known || !inner.is_good()) return Damaged();
    request.lease.on_expiry = *known;
  }
  if (!is_good || !reader.is_good()) return Damaged();
  auto policy = policy::ParsePolicy({.name = "description", .directory = "/", .format = policy::DocumentFormat::kJson, .text = policy_text},
                                    policy::HostContext{});
  if (!policy) return Damaged();
  request.network = std::move(policy->network);
  return {};
}

}  // namespace paddock::registry
