// paddock ps, logs, events: what runs in the sandboxes of a daemon, what it wrote, what happened.

#include <cstdio>

#include "cli/cli.h"
#include "cli/client/follow_output.h"
#include "cli/present.h"
#include "cli/client/subcommand.h"
#include "net/event_reader.h"
#include "tools/schema/parse_json.h"

namespace paddock::cli {
namespace {

// ---- ps

struct PsOptions {
  LinkOptions link;   // first: the table begins with its options
  bool is_all = false, is_json = false;
};
constexpr Option kPsOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Flag<&PsOptions::is_all>('a', "all", "also those that have ended"),
    Flag<&PsOptions::is_json>('j', "json", "print JSON"),
};
constexpr SubcommandText kPs{.name = "ps",
                             .help = "Usage: paddock ps [OPTION]... SANDBOX\nLists what runs in a sandbox of a daemon.\n\n",
                             .least = 1, .most = 1, .operands = "the id or the name of a sandbox; 'paddock ls' lists them"};

Result<json::array> ProcessesOf(Link& link, const std::string& sandbox) {
  PADDOCK_ASSIGN(const json::value answer, link.Get(SandboxPath(sandbox, "/processes")));
  return answer.at("processes").as_array();
}

Status Ps(const PsOptions& options, const std::string& sandbox) {
  PADDOCK_ASSIGN(Link link, Link::Open(options.link));
  PADDOCK_ASSIGN(const json::array all, ProcessesOf(link, sandbox));
  json::array shown;
  std::vector<std::vector<std::string>> rows;
  for (const json::value& value : all) {
    const json::object& process = value.as_object();
    if (!options.is_all && TextOf(process, "state") == "exited") continue;
    shown.push_back(value);
    std::string command = TextOf(process, "command");
    if (command.size() > 60) {
      size_t end = 59;
      while (end > 0 && (static_cast<unsigned char>(command[end]) & 0xC0) == 0x80) --end;
      command = command.substr(0, end) + "…";
    }
    rows.push_back({TextOf(process, "id"), TextOf(process, "state"), TextOf(process, "exit_code"), Ago(TextOf(process, "created_at")), command});
  }
  std::fputs((options.is_json ? Indented(shown) : Table({"ID", "STATE", "EXIT", "CREATED", "COMMAND"}, rows)).c_str(), stdout);
  return {};
}

// ---- logs

struct LogsOptions {
  LinkOptions link;
  bool follows = false, is_last = false, has_times = false;
  std::string since;
};
constexpr Option kLogsOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Flag<&LogsOptions::follows>('f', "follow", "go on until the process ends, or the sandbox is deleted"),
    Flag<&LogsOptions::is_last>('l', "last", "of the newest process alone"),
    Flag<&LogsOptions::has_times>('t', "times", "of a sandbox: the time and the process in front of each line"),
    Value<&LogsOptions::since>('s', "since", "TIME", "of a sandbox: from this time on, RFC 3339 or a day"),
};
constexpr SubcommandText kLogs{.name = "logs",
                               .help = "Usage: paddock logs [OPTION]... SANDBOX [PROCESS]\n"
                                       "Prints what all execs of a sandbox wrote, in one order, or what one process did; both\n"
                                       "streams go where they went. Terminals leave nothing in it.\n\n",
                               .least = 1, .most = 2, .operands = "the id or the name of a sandbox; 'paddock ls' lists them"};

Status Logs(const LogsOptions& options, const std::vector<std::string>& operands) {
  PADDOCK_ASSIGN(Link link, Link::Open(options.link));
  std::string process = operands.size() > 1 ? operands[1] : "";
  if (process.empty() && !options.is_last) {
    std::string query;
    if (!options.since.empty()) query = "&since=" + EncodePercent(options.since);
    return CopyLog(link, SandboxPath(operands[0], "/logs"), query, {.follows = options.follows, .has_times = options.has_times});
  }
  if (options.has_times || !options.since.empty()) return Error(Code::kInvalid, "--times and --since are for the log of a sandbox, not of a process");
  if (process.empty()) {
    PADDOCK_ASSIGN(const json::array all, ProcessesOf(link, operands[0]));
    if (all.empty()) return Error(Code::kNoEntry, "nothing has run in " + operands[0] + " since the daemon's start");
    process = TextOf(all.back().as_object(), "id");
  }
  const std::string path = SandboxPath(operands[0], "/processes/" + EncodePercent(process));
  if (!options.follows) return CopyOutput(link, path);
  PADDOCK_TRY(FollowOutput(link, path));
  return {};
}

// ---- events

struct EventsOptions {
  LinkOptions link;
  bool follows = false, is_json = false;
  uint64_t after = 0;
};
constexpr Option kEventsOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Flag<&EventsOptions::follows>('f', "follow", "go on until Ctrl-C"),
    Value<&EventsOptions::after>('a', "after", "NUMBER", "only those behind this one"),
    Flag<&EventsOptions::is_json>('j', "json", "print one JSON object a line"),
};
constexpr SubcommandText kEvents{.name = "events", .help = "Usage: paddock events [OPTION]...\nPrints what happened to your sandboxes.\n\n"};

void PrintEvent(const json::object& event, bool is_json) {
  const std::string detail = event.if_contains("detail") != nullptr ? json::serialize(event.at("detail")) : "";
  const std::string text = is_json ? json::serialize(event)
                                   : TextOf(event, "number") + "  " + TextOf(event, "at") + "  " + TextOf(event, "type") + "  " + TextOf(event, "subject") + "  " + detail;
  std::printf("%s\n", Harmless(text).c_str());
  std::fflush(stdout);
}

Status Events(const EventsOptions& options) {
  PADDOCK_ASSIGN(Link link, Link::Open(options.link));
  uint64_t after = options.after;
  if (options.follows) {
    PADDOCK_ASSIGN(auto response, link.Send({.method = "GET", .target = "/v1/events?after=" + std::to_string(after), .headers = {{"Accept", "text/event-stream"}}}));
    PADDOCK_TRY(net::EventReader::Check(*response));
    net::EventReader reader(std::move(response));
    while (true) {
      PADDOCK_ASSIGN(const std::optional<net::Event> event, reader.Next());
      if (!event) return Error(Code::kUnavailable, "the daemon ended the stream");
      if (event->name != "event") continue;
      PADDOCK_ASSIGN(const json::value data, tools::ParseJson(event->data));
      PrintEvent(data.as_object(), options.is_json);
      if (std::ferror(stdout)) return {};
    }
  }
  while (true) {
    PADDOCK_ASSIGN(const json::value page, link.Get("/v1/events?limit=1000&after=" + std::to_string(after)));
    const json::array& events = page.at("events").as_array();
    if (!page.at("is_complete").as_bool()) std::fprintf(stderr, "paddock events: older ones are kept no longer\n");
    for (const json::value& event : events) PrintEvent(event.as_object(), options.is_json);
    if (events.empty()) return {};
    after = events.back().at("number").to_number<uint64_t>();
  }
}

}  // namespace

int RunPs(const sandbox::DriverSet&, std::span<const std::string> args) {
  PsOptions options;
  const BegunSubcommand begun = BeginSubcommand(kPs, args, kPsOptions, &options);
  return begun.status ? *begun.status : EndSubcommand("ps", [&] { return Ps(options, begun.operands[0]); });
}

int RunLogs(const sandbox::DriverSet&, std::span<const std::string> args) {
  LogsOptions options;
  const BegunSubcommand begun = BeginSubcommand(kLogs, args, kLogsOptions, &options);
  return begun.status ? *begun.status : EndSubcommand("logs", [&] { return Logs(options, begun.operands); });
}

int RunEvents(const sandbox::DriverSet&, std::span<const std::string> args) {
  EventsOptions options;
  const BegunSubcommand begun = BeginSubcommand(kEvents, args, kEventsOptions, &options);
  return begun.status ? *begun.status : EndSubcommand("events", [&] { return Events(options); });
}

}  // namespace paddock::cli
