#include "drivers/docker/engine/container_spec.h"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>

#include "policy/amount.h"

namespace paddock::docker {
namespace {

namespace json = boost::json;

constexpr uint64_t kLeastMemory = 6 << 20;
constexpr int64_t kNanosPerCpu = 1'000'000'000;

json::array Strings(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

json::object Ulimit(const char* name, uint64_t value) { return {{"Name", name}, {"Soft", value}, {"Hard", value}}; }

json::object HostConfig(const ContainerSpec& spec) {
  json::object host;
  host["CapDrop"] = {"ALL"};
  json::array security{"no-new-privileges"};
  if (!spec.seccomp.empty()) security.emplace_back("seccomp=" + spec.seccomp);
  host["SecurityOpt"] = std::move(security);
  host["NetworkMode"] = spec.network_id.empty() ? "none" : spec.network_id;
  if (!spec.resolver.empty()) host["Dns"] = {spec.resolver};
  host["IpcMode"] = "private";
  host["CgroupnsMode"] = "private";
  host["AutoRemove"] = spec.removes_itself;
  host["RestartPolicy"] = {{"Name", "no"}};
  host["LogConfig"] = {{"Type", "none"}, {"Config", json::object()}};   // the agent's stream is no log
  if (!spec.runtime.empty()) host["Runtime"] = spec.runtime;
  host["Memory"] = spec.memory_bytes;
  host["MemorySwap"] = spec.memory_bytes;
  host["NanoCpus"] = spec.nano_cpus;
  host["PidsLimit"] = spec.pids;
  json::array limits{Ulimit("core", 0), Ulimit("nofile", spec.open_files)};
  if (spec.file_bytes) limits.push_back(Ulimit("fsize", *spec.file_bytes));
  if (spec.needs_nproc_limit) limits.push_back(Ulimit("nproc", static_cast<uint64_t>(std::max<int64_t>(spec.pids, 1))));
  host["Ulimits"] = std::move(limits);
  host["ReadonlyRootfs"] = spec.has_read_only_root;
  if (spec.tmpfs_bytes) host["Tmpfs"] = {{"/tmp", "rw,exec,nosuid,nodev,mode=1777,size=" + std::to_string(*spec.tmpfs_bytes)}};
  json::array mounts;
  for (const VolumeMount& mount : spec.volumes) {
    json::object one{{"Type", "volume"}, {"Target", mount.target}, {"ReadOnly", mount.is_read_only}};
    if (!mount.volume.empty()) one["Source"] = mount.volume;
    mounts.push_back(std::move(one));
  }
  host["Mounts"] = std::move(mounts);
  if (spec.disk_bytes) host["StorageOpt"] = {{"size", std::to_string(*spec.disk_bytes)}};
  return host;
}

}  // namespace

json::object CreateBody(const ContainerSpec& spec) {
  json::object body;
  body["Image"] = spec.image;
  body["Entrypoint"] = Strings(spec.entrypoint);
  body["Cmd"] = json::array();
  body["Healthcheck"] = {{"Test", {"NONE"}}};   // an image's own would run beside what is asked for, without its limits
  body["Env"] = Strings(spec.environment);
  body["WorkingDir"] = spec.working_directory;
  if (!spec.user.empty()) body["User"] = spec.user;
  body["Hostname"] = spec.hostname;
  json::object labels;
  for (const auto& [name, value] : spec.labels) labels[name] = value;
  body["Labels"] = std::move(labels);
  body["OpenStdin"] = spec.opens_stdin;
  body["StdinOnce"] = spec.opens_stdin;
  body["AttachStdin"] = spec.opens_stdin;
  body["AttachStdout"] = true;
  body["AttachStderr"] = true;
  body["Tty"] = false;
  body["HostConfig"] = HostConfig(spec);
  return body;
}

Result<uint64_t> ParseMemory(const std::string& key, std::string_view text) {
  std::string size(text);
  if (size.ends_with('g') || size.ends_with('m')) size.back() = size.back() == 'g' ? 'G' : 'M';
  const auto bytes = policy::ParseSize(size);
  if (!bytes) return Error(Code::kInvalid, key + ": '" + std::string(text.substr(0, 100)) + "' is no size; write bytes or a number with a unit, such as \"2g\" or \"512m\"");
  if (*bytes < kLeastMemory) return Error(Code::kInvalid, key + ": '" + std::string(text) + "' is too little; engines need at least 6 MiB");
  return *bytes;
}

Result<int64_t> ParseCpus(const std::string& key, std::string_view text) {
  const Error error(Code::kInvalid, key + ": '" + std::string(text.substr(0, 100)) +
                                        "' is no share of processors; write cores (1, \"1.5\"), \"500m\" for thousandths, or nanocpus from 1000000 on");
  std::string_view number = text;
  const bool is_milli = number.ends_with('m');
  if (is_milli) number.remove_suffix(1);
  if (number.empty() || number.find_first_not_of("0123456789.") != number.npos) return error;
  double value = 0;
  const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), value, std::chars_format::fixed);
  if (failure != std::errc() || end != number.data() + number.size()) return error;
  const bool is_nanos = !is_milli && value >= 1e6;
  const double nanos = is_milli ? value * 1e6 : is_nanos ? value : value * static_cast<double>(kNanosPerCpu);
  if (!(nanos >= 1e6) || nanos > 1e6 * static_cast<double>(kNanosPerCpu)) return error;
  return static_cast<int64_t>(nanos);
}

}  // namespace paddock::docker
