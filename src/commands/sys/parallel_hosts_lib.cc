#include "commands/sys/parallel_hosts.h"

#include <algorithm>

namespace paddock {

bool IsParallelLocal(Invocation& in, const ParallelOptions& options) {
  std::vector<std::string> hosts;
  const auto add = [&](std::string_view list) {
    while (!list.empty()) {
      in.budget.Step();
      const size_t end = std::min(list.find_first_of(",\n"), list.size());
      if (end > 0 && list[0] != '#') hosts.emplace_back(list.substr(0, end));
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  };
  for (const std::string& list : options.hosts) add(list);
  for (const std::string& name : options.host_files) {
    const auto text = vfs::ReadFile(in.fs, name, 1 << 20);
    if (!text) return in.Fail("Error: Cannot open file " + name + ": " + std::string(text.error().Text()) + ".", kParallelFailed), false;
    add(*text);
  }
  for (std::string host : hosts) {
    if (host.starts_with('@')) host.erase(0, host.find('/') == std::string::npos ? host.size() : host.find('/') + 1);
    const size_t slash = host.find('/');
    if (!host.empty() && (slash == std::string::npos ? host : host.substr(slash + 1)) != ":") return in.Fail("Error: other machines are not reached: " + host, kParallelFailed), false;
  }
  if (options.ignored_for_hosts) in.err.Write("parallel: Warning: --" + *options.ignored_for_hosts + " ignored as there are no remote --sshlogin.\n");
  return true;
}

std::vector<std::string> LocalParallelGroups(const ParallelOptions& options) {
  std::vector<std::string> groups = {":"};
  for (std::string_view list : options.hosts) {
    for (; !list.empty(); list.remove_prefix(std::min(list.find(','), list.size() - 1) + 1)) {
      const std::string_view host = list.substr(0, list.find(','));
      if (!host.starts_with('@')) continue;
      std::string_view names = host.substr(1, host.find('/') - 1);
      for (; !names.empty(); names.remove_prefix(std::min(names.find('+'), names.size() - 1) + 1)) groups.emplace_back(names.substr(0, names.find('+')));
    }
  }
  return groups;
}

}  // namespace paddock
