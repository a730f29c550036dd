#include "drivers/oci/bundle.h"

#include <boost/json.hpp>

#include <algorithm>

namespace paddock::oci {
namespace {

namespace json = boost::json;

constexpr int64_t kPeriod = 100'000;   // microseconds

json::object Mount(const char* target, const char* type, const std::string& source, json::array options) {
  return {{"destination", target}, {"type", type}, {"source", source}, {"options", std::move(options)}};
}

json::array Mounts(const BundleSpec& spec) {
  json::array mounts{
      Mount("/proc", "proc", "proc", {"nosuid", "noexec", "nodev"}),
      Mount("/dev", "tmpfs", "tmpfs", {"nosuid", "noexec", "strictatime", "mode=755", "size=65536k"}),
      Mount("/dev/pts", "devpts", "devpts", {"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"}),
      Mount("/sys", "tmpfs", "tmpfs", {"nosuid", "noexec", "nodev", "mode=755", "size=64k"}),
      // Read-only, for its own group's counts; the agent tells from them which limit ended a program.
      Mount("/sys/fs/cgroup", "cgroup", "cgroup", {"nosuid", "noexec", "nodev", "relatime", "ro"}),
  };
  for (const StagedMount& one : spec.mounts) {
    mounts.push_back(Mount(one.target.c_str(), "bind", spec.stage + "/" + one.place, {"bind", "nosuid", "nodev", one.is_writable ? "rw" : "ro"}));
  }
  return mounts;
}

json::object Limit(const char* type, uint64_t value) { return {{"type", type}, {"soft", value}, {"hard", value}}; }

json::object Process(const BundleSpec& spec) {
  json::object capabilities;
  for (const char* set : {"bounding", "effective", "inheritable", "permitted", "ambient"}) capabilities[set] = json::array();
  json::array limits{Limit("RLIMIT_CORE", 0), Limit("RLIMIT_NOFILE", spec.open_files), Limit("RLIMIT_MEMLOCK", 8 << 20), Limit("RLIMIT_MSGQUEUE", 400 << 10),
                     Limit("RLIMIT_NICE", 0), Limit("RLIMIT_RTPRIO", 0)};
  if (spec.file_bytes > 0) limits.push_back(Limit("RLIMIT_FSIZE", spec.file_bytes));
  return {{"terminal", false},
          {"user", {{"uid", spec.user}, {"gid", spec.user}}},
          {"args", {kAgentProgram}},
          {"env", {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}},
          {"cwd", "/"},
          {"capabilities", std::move(capabilities)},
          {"rlimits", std::move(limits)},
          {"noNewPrivileges", true}};
}

json::array Ids(const BundleSpec& spec) {
  const auto map = [](uint32_t inside, uint32_t outside) { return json::object{{"containerID", inside}, {"hostID", outside}, {"size", 1}}; };
  json::array ids{map(0, spec.first_host_id)};
  if (spec.user != 0) ids.push_back(map(spec.user, spec.first_host_id + 1));
  return ids;
}

json::object Resources(const BundleSpec& spec) {
  json::object memory{{"limit", spec.memory_bytes}};
  if (spec.limits_swap) memory["swap"] = spec.memory_bytes;   // of both together
  const int64_t quota = std::max<int64_t>(spec.nano_cpus / (1'000'000'000 / kPeriod), 1000);
  return {{"devices", {{{"allow", false}, {"access", "rwm"}}}},
          {"memory", std::move(memory)},
          {"cpu", {{"quota", quota}, {"period", kPeriod}}},
          {"pids", {{"limit", spec.pids}}}};
}

// What tells of the machine or lets it be steered. What is not there is passed over.
json::array Masked() {
  json::array paths;
  for (const char* name : {"acpi", "asound", "bootconfig", "buddyinfo", "bus", "cmdline", "config.gz", "consoles", "diskstats", "dma", "driver", "fb", "fs", "interrupts",
                           "iomem", "ioports", "irq", "kallsyms", "kcore", "key-users", "keys", "kmsg", "kpagecgroup", "kpagecount", "kpageflags", "latency_stats", "locks",
                           "mdstat", "modules", "mtrr", "pagetypeinfo", "partitions", "sched_debug", "schedstat", "scsi", "slabinfo", "softirqs", "swaps", "timer_list",
                           "timer_stats", "vmallocinfo", "vmcore", "zoneinfo"}) {
    paths.emplace_back(std::string("/proc/") + name);
  }
  return paths;
}

json::object Linux(const BundleSpec& spec) {
  json::array namespaces;
  for (const char* type : {"pid", "network", "ipc", "uts", "mount", "user", "cgroup"}) namespaces.push_back(json::object{{"type", type}});
  const json::array ids = Ids(spec);
  return {{"namespaces", std::move(namespaces)},
          {"uidMappings", ids},
          {"gidMappings", ids},
          {"cgroupsPath", spec.cgroup},
          {"resources", Resources(spec)},
          {"rootfsPropagation", "private"},
          {"maskedPaths", Masked()},
          {"readonlyPaths", {"/proc/sys", "/proc/sysrq-trigger", "/sys/fs/cgroup"}},
          {"seccomp", json::parse(seccomp::MakeRuntimeProfile(spec.seccomp))}};
}

}  // namespace

std::string BundleConfig(const BundleSpec& spec) {
  json::object annotations;
  for (const auto& [name, value] : spec.annotations) annotations[name] = value;
  const json::object config{{"ociVersion", "1.0.2"},
                            {"process", Process(spec)},
                            {"root", {{"path", spec.stage + "/root"}, {"readonly", !spec.has_writable_root}}},
                            {"hostname", spec.hostname},
                            {"mounts", Mounts(spec)},
                            {"annotations", std::move(annotations)},
                            {"linux", Linux(spec)}};
  return json::serialize(config);
}

}  // namespace paddock::oci
