// paddock create, ls, inspect, pause, resume, stop, start, rm, extend: sandboxes of a daemon.

#include <cstdio>

#include "cli/cli.h"
#include "cli/present.h"
#include "cli/client/subcommand.h"

namespace paddock::cli {
namespace {

// ---- create

struct CreateOptions {
  LinkOptions link;   // first: the table begins with its options
  std::string name, isolation, snapshot, template_name, image, runtime, cwd, ttl, idle_ttl, max_lifetime, remove_after, on_expiry;
  std::vector<std::string> labels, variables, limits, hosts, ports;
  bool get_or_create = false, is_json = false;
};

constexpr Option kCreateOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Value<&CreateOptions::isolation>('i', "isolation", "NAME", "the wall: virtual, process, container … (default: the daemon's own choice)"),
    Value<&CreateOptions::image>('I', "image", "IMAGE", "what a container is made from, such as ubuntu:24.04 (default: the daemon's own choice)"),
    Value<&CreateOptions::runtime>(0, "runtime", "NAME", "of a container: runc, sysbox-runc, kata or gvisor, as the daemon allows"),
    Value<&CreateOptions::snapshot>('s', "snapshot", "SNAPSHOT", "begin as this snapshot, by its id or name"),
    Value<&CreateOptions::template_name>('t', "template", "TEMPLATE", "begin from this template, by its id, name or NAME@VERSION"),
    Value<&CreateOptions::labels>('l', "label", "NAME=VALUE", "for filters; repeat it"),
    Value<&CreateOptions::variables>('e', "env", "NAME=VALUE", "a variable of every exec; repeat it"),
    Value<&CreateOptions::cwd>('w', "cwd", "DIR", "where execs start"),
    Value<&CreateOptions::limits>('m', "limits", "NAME=VALUE", "memory=1GiB, processes=64, cpus=2, disk=1GiB, files=10000, exec_time=5m, cpu_time=1m, output=64MiB; repeat it"),
    Value<&CreateOptions::hosts>(0, "allow-host", "HOST", "may be reached; repeat it"),
    Value<&CreateOptions::ports>(0, "publish", "[PORT:]PORT", "reach a port inside from the loopback of the daemon's machine; :PORT takes any free one there; repeat it"),
    Value<&CreateOptions::ttl>(0, "ttl", "TIME", "it ends so long after its creation or the last 'paddock extend'"),
    Value<&CreateOptions::idle_ttl>(0, "idle-ttl", "TIME", "it ends when it was not used for so long"),
    Value<&CreateOptions::max_lifetime>(0, "max-lifetime", "TIME", "it is deleted then, whatever was extended"),
    Value<&CreateOptions::remove_after>(0, "remove-after", "TIME", "it is deleted so long after a ttl has paused or stopped it, unless somebody wakes it"),
    Value<&CreateOptions::on_expiry>(0, "on-expiry", "WHAT", "what the end of a ttl means: pause, stop or delete"),
    Flag<&CreateOptions::get_or_create>('g', "get-or-create", "take the sandbox of that name if there is one"),
    Flag<&CreateOptions::is_json>('j', "json", "print it as JSON"),
};

constexpr SubcommandText kCreate{.name = "create",
                                 .help = "Usage: paddock create [OPTION]... [NAME]\n"
                                         "Makes a sandbox in a daemon and prints its id.\n\n",
                                 .most = 1};

Result<json::object> CreateBodyOf(const CreateOptions& options) {
  json::object body, labels, variables, limits, lease;
  if (!options.name.empty()) body["name"] = options.name;
  if (options.get_or_create) body["get_or_create"] = true;
  if (!options.isolation.empty()) body["isolation"] = options.isolation;
  if (!options.image.empty()) body["image"] = options.image;
  if (!options.runtime.empty()) body["runtime"] = options.runtime;
  if (!options.snapshot.empty()) body["snapshot"] = options.snapshot;
  if (!options.template_name.empty()) body["template"] = options.template_name;
  if (!options.cwd.empty()) body["working_directory"] = options.cwd;
  for (const std::string& item : options.labels) PADDOCK_TRY(AddPair(labels, "label", item));
  for (const std::string& item : options.variables) PADDOCK_TRY(AddPair(variables, "env", item));
  for (const std::string& item : options.limits) PADDOCK_TRY(AddLimit(item, limits));
  if (!options.ttl.empty()) lease["ttl"] = options.ttl;
  if (!options.idle_ttl.empty()) lease["idle_ttl"] = options.idle_ttl;
  if (!options.max_lifetime.empty()) lease["max_lifetime"] = options.max_lifetime;
  if (!options.remove_after.empty()) lease["remove_after"] = options.remove_after;
  if (!options.on_expiry.empty()) lease["on_expiry"] = options.on_expiry;
  if (!labels.empty()) body["labels"] = std::move(labels);
  if (!variables.empty()) body["environment"] = std::move(variables);
  if (!limits.empty()) body["limits"] = std::move(limits);
  if (!lease.empty()) body["lease"] = std::move(lease);
  json::object network;
  if (!options.hosts.empty()) network["allow"] = json::array(options.hosts.begin(), options.hosts.end());
  if (!options.ports.empty()) network["publish"] = json::array(options.ports.begin(), options.ports.end());
  if (!network.empty()) body["network"] = std::move(network);
  return body;
}

Status Create(const CreateOptions& options) {
  PADDOCK_ASSIGN(Link link, Link::Open(options.link));
  PADDOCK_ASSIGN(const json::object body, CreateBodyOf(options));
  PADDOCK_ASSIGN(const json::value made, link.Post("/v1/sandboxes", body));
  const json::object& sandbox = made.as_object();
  if (const json::value* warnings = sandbox.if_contains("warnings")) {
    for (const json::value& warning : warnings->as_array()) std::fprintf(stderr, "paddock create: warning: %s\n", warning.as_string().c_str());
  }
  const json::value* ports = sandbox.if_contains("ports");   // of an older daemon: none
  for (const json::value& port : ports != nullptr && !options.is_json ? ports->as_array() : json::array()) {
    std::fprintf(stderr, "paddock create: port %s inside is %s\n", TextOf(port.as_object(), "port").c_str(), TextOf(port.as_object(), "address").c_str());
  }
  std::printf("%s", options.is_json ? Indented(made).c_str() : (TextOf(sandbox, "id") + "\n").c_str());
  return {};
}

// ---- ls

struct ListOptions {
  LinkOptions link;
  std::vector<std::string> states, labels;
  std::string isolation, owner;
  bool is_json = false, is_quiet = false;
};

constexpr Option kListOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Value<&ListOptions::states>('s', "state", "STATE", "only those: running, paused, stopped …; repeat it"),
    Value<&ListOptions::labels>('l', "label", "NAME=VALUE", "only those with this label; repeat it"),
    Value<&ListOptions::isolation>('i', "isolation", "NAME", "only those behind this wall"),
    Value<&ListOptions::owner>('o', "owner", "NAME", "only this owner's; for administrators"),
    Flag<&ListOptions::is_quiet>('q', "quiet", "print ids alone"),
    Flag<&ListOptions::is_json>('j', "json", "print JSON"),
};

constexpr SubcommandText kList{.name = "ls",
                               .help = "Usage: paddock ls [OPTION]...\n"
                                       "  or:  paddock ls [OPTION]... SANDBOX:DIR\n"
                                       "Lists the sandboxes of a daemon, or a directory in one.\n\n",
                               .most = 1};

Result<json::array> AllSandboxes(Link& link, const ListOptions& options) {
  std::string query = "?limit=1000";
  for (const std::string& state : options.states) query += "&state=" + EncodePercent(state);
  for (const std::string& label : options.labels) query += "&label=" + EncodePercent(label);
  if (!options.isolation.empty()) query += "&isolation=" + EncodePercent(options.isolation);
  if (!options.owner.empty()) query += "&owner=" + EncodePercent(options.owner);
  return link.GetAll("/v1/sandboxes" + query, "sandboxes");
}

Status ListDirectory(Link& link, const ListOptions& options, const std::string& place) {
  const size_t colon = place.find(':');
  if (colon == 0 || colon == std::string::npos) return Error(Code::kInvalid, "'" + place + "': write SANDBOX:DIR, or nothing for the sandboxes");
  const std::string target = SandboxPath(place.substr(0, colon), "/files?path=") + EncodePercent(place.substr(colon + 1));
  PADDOCK_ASSIGN(const json::value answer, link.Get(target));
  if (options.is_json) {
    std::fputs(Indented(answer.at("entries")).c_str(), stdout);
    return {};
  }
  std::vector<std::vector<std::string>> rows;
  for (const json::value& entry : answer.at("entries").as_array()) {
    const json::object& file = entry.as_object();
    const std::string target_of = TextOf(file, "target");
    rows.push_back({TextOf(file, "mode"), TextOf(file, "type"), TextOf(file, "size"), TextOf(file, "modified_at"), TextOf(file, "name") + (target_of.empty() ? "" : " -> " + target_of)});
    if (options.is_quiet) std::printf("%s\n", Harmless(TextOf(file, "name")).c_str());
  }
  if (!options.is_quiet) std::fputs(Table({"MODE", "TYPE", "SIZE", "MODIFIED", "NAME"}, rows).c_str(), stdout);
  return {};
}

Status List(const ListOptions& options, const std::vector<std::string>& operands) {
  PADDOCK_ASSIGN(Link link, Link::Open(options.link));
  if (!operands.empty()) return ListDirectory(link, options, operands[0]);
  PADDOCK_ASSIGN(const json::array all, AllSandboxes(link, options));
  if (options.is_json) {
    std::fputs(Indented(all).c_str(), stdout);
    return {};
  }
  std::vector<std::vector<std::string>> rows;
  for (const json::value& value : all) {
    const json::object& sandbox = value.as_object();
    if (options.is_quiet) {
      std::printf("%s\n", TextOf(sandbox, "id").c_str());
      continue;
    }
    rows.push_back({TextOf(sandbox, "id"), TextOf(sandbox, "name"), TextOf(sandbox, "isolation"), TextOf(sandbox, "state"), TextOf(sandbox, "running"),
                    Ago(TextOf(sandbox, "created_at")), Ago(TextOf(sandbox, "last_active_at"))});
  }
  if (!options.is_quiet) std::fputs(Table({"ID", "NAME", "ISOLATION", "STATE", "RUNNING", "CREATED", "USED"}, rows).c_str(), stdout);
  return {};
}

// ---- inspect, pause, resume, stop, start, rm, extend

struct EachOptions {
  LinkOptions link;
  bool force = false, is_json = false;
  std::string ttl, idle_ttl;
};

constexpr Option kEachOptions[] = {kLinkOptions[0], kLinkOptions[1], kLinkOptions[2]};
constexpr Option kForceOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Flag<&EachOptions::force>('f', "force", "end what runs in it, rather than refuse"),
};
constexpr Option kExtendOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Value<&EachOptions::ttl>(0, "ttl", "TIME", "from now on it lives so long (default: the time that it was given)"),
    Value<&EachOptions::idle_ttl>(0, "idle-ttl", "TIME", "from now on it may be unused for so long"),
};

// Does something to every sandbox that is named, also after one that failed; names what it did.
int ForEach(const SubcommandText& text, std::span<const std::string> args, std::span<const Option> table,
            Result<json::value> (*act)(Link&, const std::string&, const EachOptions&), bool prints_answer = false) {
  EachOptions options;
  const BegunSubcommand begun = BeginSubcommand(text, args, table, &options);
  if (begun.status) return *begun.status;
  auto link = Link::Open(options.link);
  int status = 0;
  for (const std::string& name : begun.operands) {
    const auto one = [&]() -> Status {
      if (!link) return link.error();
      PADDOCK_ASSIGN(const json::value answer, act(*link, name, options));
      std::printf("%s", prints_answer ? Indented(answer).c_str() : (name + "\n").c_str());
      return {};
    };
    status |= EndSubcommand(text.name, one);
    if (!link) break;
  }
  return status;
}

constexpr size_t kManySandboxes = 1000;

}  // namespace

int RunCreate(const sandbox::DriverSet&, std::span<const std::string> args) {
  CreateOptions options;
  BegunSubcommand begun = BeginSubcommand(kCreate, args, kCreateOptions, &options);
  if (begun.status) return *begun.status;
  if (!begun.operands.empty()) options.name = begun.operands[0];
  return EndSubcommand("create", [&] { return Create(options); });
}

int RunLs(const sandbox::DriverSet&, std::span<const std::string> args) {
  ListOptions options;
  const BegunSubcommand begun = BeginSubcommand(kList, args, kListOptions, &options);
  return begun.status ? *begun.status : EndSubcommand("ls", [&] { return List(options, begun.operands); });
}

int RunInspect(const sandbox::DriverSet&, std::span<const std::string> args) {
  constexpr SubcommandText kText{.name = "inspect",
                                 .help = "Usage: paddock inspect [OPTION]... SANDBOX...\nPrints all that a daemon knows of a sandbox, as JSON.\n\n",
                                 .least = 1, .most = kManySandboxes, .operands = "the id or the name of a sandbox"};
  return ForEach(kText, args, kEachOptions, [](Link& link, const std::string& name, const EachOptions&) { return link.Get(SandboxPath(name)); }, true);
}

int RunPause(const sandbox::DriverSet&, std::span<const std::string> args) {
  constexpr SubcommandText kText{.name = "pause",
                                 .help = "Usage: paddock pause [OPTION]... SANDBOX...\nPuts sandboxes to rest until 'paddock resume'; their files and shell are kept.\n\n",
                                 .least = 1, .most = kManySandboxes, .operands = "the id or the name of a sandbox"};
  return ForEach(kText, args, kForceOptions, [](Link& link, const std::string& name, const EachOptions& options) {
    return link.Post(SandboxPath(name, "/pause"), {{"force", options.force}});
  });
}

int RunStop(const sandbox::DriverSet&, std::span<const std::string> args) {
  constexpr SubcommandText kText{.name = "stop",
                                 .help = "Usage: paddock stop [OPTION]... SANDBOX...\nStops sandboxes until 'paddock start'; their files are kept.\n\n",
                                 .least = 1, .most = kManySandboxes, .operands = "the id or the name of a sandbox"};
  return ForEach(kText, args, kForceOptions, [](Link& link, const std::string& name, const EachOptions& options) {
    return link.Post(SandboxPath(name, "/stop"), {{"force", options.force}});
  });
}

namespace {

int StartEach(const SubcommandText& text, std::span<const std::string> args) {
  return ForEach(text, args, kEachOptions, [](Link& link, const std::string& name, const EachOptions&) { return link.Post(SandboxPath(name, "/start"), nullptr); });
}

}  // namespace

int RunStart(const sandbox::DriverSet&, std::span<const std::string> args) {
  return StartEach({.name = "start",
                    .help = "Usage: paddock start [OPTION]... SANDBOX...\nStarts sandboxes that were stopped.\n\n",
                    .least = 1, .most = kManySandboxes, .operands = "the id or the name of a sandbox"}, args);
}

int RunResume(const sandbox::DriverSet&, std::span<const std::string> args) {
  return StartEach({.name = "resume",
                    .help = "Usage: paddock resume [OPTION]... SANDBOX...\nLets sandboxes go on that were paused.\n\n",
                    .least = 1, .most = kManySandboxes, .operands = "the id or the name of a sandbox"}, args);
}

int RunRm(const sandbox::DriverSet&, std::span<const std::string> args) {
  constexpr SubcommandText kText{.name = "rm",
                                 .help = "Usage: paddock rm [OPTION]... SANDBOX...\nDeletes sandboxes with all that is in them, and ends what runs there.\n\n",
                                 .least = 1, .most = kManySandboxes, .operands = "the id or the name of a sandbox"};
  return ForEach(kText, args, kEachOptions, [](Link& link, const std::string& name, const EachOptions&) { return link.Delete(SandboxPath(name)); });
}

int RunExtend(const sandbox::DriverSet&, std::span<const std::string> args) {
  constexpr SubcommandText kText{.name = "extend",
                                 .help = "Usage: paddock extend [OPTION]... SANDBOX...\nLets the time to live of sandboxes begin anew.\n\n",
                                 .least = 1, .most = kManySandboxes, .operands = "the id or the name of a sandbox"};
  return ForEach(kText, args, kExtendOptions, [](Link& link, const std::string& name, const EachOptions& options) {
    json::object lease, body;
    if (!options.ttl.empty()) lease["ttl"] = options.ttl;
    if (!options.idle_ttl.empty()) lease["idle_ttl"] = options.idle_ttl;
    if (!lease.empty()) body["lease"] = std::move(lease);
    return link.Post(SandboxPath(name, "/extend"), body);
  });
}

}  // namespace paddock::cli
