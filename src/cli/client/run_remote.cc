#include "cli/client/run_remote.h"

#include <cstdio>

#include "cli/client/exec.h"
#include "cli/client/subcommand.h"

namespace paddock::cli {
namespace {

// The items of "--limits a=1,b=2" as the API names them.
Status AddLimits(const std::vector<std::string>& lists, json::object& limits) {
  for (const std::string& list : lists) {
    for (size_t at = 0; at <= list.size();) {
      const size_t comma = std::min(list.find(',', at), list.size());
      std::string item = list.substr(at, comma - at);
      at = comma + 1;
      if (item.starts_with("time=")) item.insert(0, "exec_");
      if (item.starts_with("steps=")) return Error(Code::kInvalid, "--limits steps: daemons count time: time=2s, cpu_time=1s");
      PADDOCK_TRY(AddLimit(item, limits));
    }
  }
  return {};
}

}  // namespace

Result<int> RunInDaemon(const RemoteRun& run) {
  json::object body{{"lease", {{"idle_ttl", "10m"}, {"on_expiry", "delete"}}}, {"labels", {{"made-by", "paddock run"}}}};
  json::object variables, limits;
  for (const std::string& item : run.environment) PADDOCK_TRY(AddPair(variables, "env", item));
  PADDOCK_TRY(AddLimits(run.limits, limits));
  if (!run.isolation.empty()) body["isolation"] = run.isolation;
  if (!run.template_name.empty()) body["template"] = run.template_name;
  if (!variables.empty()) body["environment"] = std::move(variables);
  if (!limits.empty()) body["limits"] = std::move(limits);
  if (!run.hosts.empty()) body["network"] = {{"allow", json::array(run.hosts.begin(), run.hosts.end())}};
  PADDOCK_ASSIGN(Link link, Link::Open(run.link));
  PADDOCK_ASSIGN(const json::value made, link.Post("/v1/sandboxes", body));
  const std::string sandbox(made.as_object().at("id").as_string());
  const Result<int> status = ExecOnStreams(run.link, sandbox, run.command, run.cwd, run.has_input);
  if (const auto gone = link.Delete(SandboxPath(sandbox)); !gone) {
    std::fprintf(stderr, "paddock run: the sandbox %s could not be deleted: %s\n", sandbox.c_str(), std::string(gone.error().Text()).c_str());
  }
  return status;
}

}  // namespace paddock::cli
