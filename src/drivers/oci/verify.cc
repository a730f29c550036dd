#include "drivers/oci/verify.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace paddock::oci {
namespace {

std::string LinkOf(const std::string& path) {
  std::array<char, 256> text{};
  const ssize_t length = readlink(path.c_str(), text.data(), text.size());
  return length > 0 ? std::string(text.data(), static_cast<size_t>(length)) : std::string();
}

std::map<std::string, std::string> StatusOf(const std::string& process) {
  std::map<std::string, std::string> fields;
  std::ifstream file(process + "/status");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (colon != std::string::npos && colon + 2 <= line.size()) fields[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return fields;
}

// The lines of an id map as "inside outside count", one blank between.
std::string MapOf(const std::string& path) {
  std::ifstream file(path);
  std::string map;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    for (std::string word; words >> word;) map += word + " ";
    map += ";";
  }
  return map;
}

}  // namespace

Status VerifyInit(pid_t init, const BundleSpec& asked, ino_t stream) {
  const auto refuse = [](const std::string& what) { return Error(Code::kUnavailable, "the runtime did not do what it was asked for: " + what); };
  if (init <= 1) return refuse("it names no process of the container");
  const std::string process = "/proc/" + std::to_string(init);
  for (const char* number : {"0", "1"}) {
    if (LinkOf(process + "/fd/" + number) != "socket:[" + std::to_string(stream) + "]") return refuse("the process that it names is not the container's");
  }
  const auto status = StatusOf(process);
  const auto field = [&](const char* name) { return status.contains(name) ? status.at(name) : std::string(); };
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    if (field(set) != "0000000000000000") return refuse(std::string("capabilities are left (") + set + " " + field(set) + ")");
  }
  if (field("NoNewPrivs") != "1") return refuse("no_new_privs is not set");
  if (field("Seccomp") != "2") return refuse("no seccomp filter is loaded");
  const std::string first = std::to_string(asked.first_host_id), user = std::to_string(asked.first_host_id + (asked.user == 0 ? 0 : 1));
  const std::string map = "0 " + first + " 1 ;" + (asked.user == 0 ? "" : std::to_string(asked.user) + " " + user + " 1 ;");
  for (const char* kind : {"uid_map", "gid_map"}) {
    if (MapOf(process + "/" + kind) != map) return refuse(std::string("the user namespace's ids are others (") + kind + ")");
  }
  for (const char* ids : {"Uid", "Gid"}) {
    if (field(ids) != user + "\t" + user + "\t" + user + "\t" + user) return refuse(std::string("it runs as another user (") + ids + ")");
  }
  for (const char* name : {"cgroup", "ipc", "mnt", "net", "pid", "user", "uts"}) {
    const std::string own = LinkOf(process + "/ns/" + name);
    if (own.empty() || own == LinkOf(std::string("/proc/self/ns/") + name)) return refuse(std::string("it has no ") + name + " namespace of its own");
  }
  return {};
}

}  // namespace paddock::oci
