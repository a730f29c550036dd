// paddock session: sessions of a daemon, their tools, files and keys.

#include <unistd.h>

#include <cstdio>

#include "cli/cli.h"
#include "cli/client/copy_tree.h"
#include "cli/client/interrupts.h"
#include "cli/client/subcommand.h"
#include "cli/present.h"
#include "tools/schema/parse_json.h"
#include "vfs/file_system.h"

namespace paddock::cli {
namespace {

struct SessionOptions {
  LinkOptions link;   // first: the table begins with its options
  std::string agent, harness, prompt, format;
  std::vector<std::string> capabilities, labels;
  bool is_native = false, is_quiet = false, is_json = false;
};

constexpr Option kOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Value<&SessionOptions::agent>('a', "agent", "NAME", "with create: the agent that it runs"),
    Value<&SessionOptions::harness>('H', "harness", "NAME", "with create: the harness that it starts from, without an agent"),
    Value<&SessionOptions::prompt>('p', "prompt", "TEXT", "with create: stands behind all other prompts"),
    Value<&SessionOptions::capabilities>('c', "capability", "ID[=JSON]", "with create: attach a capability, with its configuration; repeat it"),
    Value<&SessionOptions::labels>('l', "label", "NAME=VALUE", "with create: a label; with ls: only those that have it; repeat it"),
    Value<&SessionOptions::format>('f', "format", "FORMAT", "with tools: print the definitions as anthropic, openai, mcp or neutral has them"),
    Flag<&SessionOptions::is_native>('n', "native", "with tools -f anthropic or openai: their own tools instead"),
    Flag<&SessionOptions::is_quiet>('q', "quiet", "with ls: print ids alone; with storage: show no progress"),
    Flag<&SessionOptions::is_json>('j', "json", "print JSON"),
};

constexpr SubcommandText kText{
    .name = "session",
    .help = "Usage: paddock session create [OPTION]... [NAME]\n"
            "  or:  paddock session ls [OPTION]...\n"
            "  or:  paddock session show [OPTION]... SESSION\n"
            "  or:  paddock session rm [OPTION]... SESSION...\n"
            "  or:  paddock session tools [OPTION]... SESSION\n"
            "  or:  paddock session call [OPTION]... SESSION TOOL [ARGUMENTS]\n"
            "  or:  paddock session storage ls [OPTION]... SESSION [PATH]\n"
            "  or:  paddock session storage put [OPTION]... SESSION SOURCE PATH\n"
            "  or:  paddock session storage get [OPTION]... SESSION PATH TARGET\n"
            "  or:  paddock session storage rm [OPTION]... SESSION PATH...\n"
            "  or:  paddock session kv ls [OPTION]... SESSION [PREFIX]\n"
            "  or:  paddock session kv get [OPTION]... SESSION KEY\n"
            "  or:  paddock session kv set [OPTION]... SESSION KEY VALUE\n"
            "  or:  paddock session kv rm [OPTION]... SESSION KEY...\n"
            "Sessions are what an agent's work on a daemon belongs to: sandboxes, files, keys. tools lists what a model is\n"
            "offered in one; call does what a model's call would, with ARGUMENTS as a JSON object, or as one on stdin for '-'.\n"
            "PATHs are absolute; storage put and get copy as 'paddock cp' does.\n\n",
    .least = 1, .most = 1000, .operands = "create, ls, show, rm, tools, call, storage or kv",
    .exit_status = "0, 1 when it could not be done or the tool called failed, 2 for a usage error."};

using Words = std::vector<std::string>;   // behind the verb
std::string SessionPath(const std::string& session, const std::string& rest = {}) { return "/v1/sessions/" + EncodePercent(session) + rest; }

Status Print(const json::value& value) {
  std::fputs(Indented(value).c_str(), stdout);
  return {};
}

Result<json::array> CapabilitiesOf(const std::vector<std::string>& items) {
  json::array list;
  for (const std::string& item : items) {
    const size_t equals = item.find('=');
    json::object one{{"ref", item.substr(0, equals)}};
    if (equals != std::string::npos) {
      auto config = tools::ParseJson(std::string_view(item).substr(equals + 1));
      if (!config || !config->is_object()) return Error(Code::kInvalid, "--capability " + item + ": the configuration must be a JSON object");
      one["config"] = std::move(*config);
    }
    list.push_back(std::move(one));
  }
  return list;
}

Status Create(Link& link, const SessionOptions& options, const Words& words) {
  json::object body, labels;
  if (!words.empty()) body["name"] = words[0];
  for (const auto& [name, value] : {std::pair{"agent", &options.agent}, {"harness", &options.harness}, {"prompt", &options.prompt}}) {
    if (!value->empty()) body[name] = *value;
  }
  for (const std::string& item : options.labels) PADDOCK_TRY(AddPair(labels, "label", item));
  if (!labels.empty()) body["labels"] = std::move(labels);
  if (!options.capabilities.empty()) {
    PADDOCK_ASSIGN(body["capabilities"], CapabilitiesOf(options.capabilities));
  }
  PADDOCK_ASSIGN(const json::value made, link.Post("/v1/sessions", body));
  if (options.is_json) return Print(made);
  std::printf("%s\n", TextOf(made.as_object(), "id").c_str());
  return {};
}

Status List(Link& link, const SessionOptions& options, const Words&) {
  std::string query = "?limit=1000";
  for (const std::string& label : options.labels) query += "&label=" + EncodePercent(label);
  PADDOCK_ASSIGN(const json::array all, link.GetAll("/v1/sessions" + query, "sessions"));
  if (options.is_json) return Print(all);
  std::vector<std::vector<std::string>> rows;
  for (const json::value& value : all) {
    const json::object& session = value.as_object();
    if (options.is_quiet) std::printf("%s\n", TextOf(session, "id").c_str());
    rows.push_back({TextOf(session, "id"), TextOf(session, "name"), TextOf(session, "agent"), TextOf(session, "harness"), Ago(TextOf(session, "created_at"))});
  }
  if (!options.is_quiet) std::fputs(Table({"ID", "NAME", "AGENT", "HARNESS", "CREATED"}, rows).c_str(), stdout);
  return {};
}

Status Show(Link& link, const SessionOptions&, const Words& words) {
  PADDOCK_ASSIGN(const json::value session, link.Get(SessionPath(words[0])));
  return Print(session);
}

Status Remove(Link& link, const SessionOptions&, const Words& words) {
  for (const std::string& session : words) {
    PADDOCK_TRY(link.Delete(SessionPath(session)));
    std::printf("%s\n", session.c_str());
  }
  return {};
}

Status ListTools(Link& link, const SessionOptions& options, const Words& words) {
  std::string query = options.format.empty() ? "" : "?format=" + EncodePercent(options.format);
  if (options.is_native) query += query.empty() ? "?native=true" : "&native=true";
  PADDOCK_ASSIGN(const json::value answer, link.Get(SessionPath(words[0], "/tools" + query)));
  if (options.is_json || !options.format.empty()) return Print(answer);
  std::vector<std::vector<std::string>> rows;
  for (const json::value& value : answer.at("tools").as_array()) {
    const json::object& tool = value.as_object();
    const std::string description = TextOf(tool, "description");
    rows.push_back({TextOf(tool, "name"), description.substr(0, std::min(description.find_first_of(".\n"), description.size()))});
  }
  std::fputs(Table({"TOOL", "WHAT IT DOES"}, rows).c_str(), stdout);
  return {};
}

Result<std::string> ReadStdin(size_t most) {
  std::string text;
  char buffer[64 << 10];
  while (true) {
    const ssize_t got = read(STDIN_FILENO, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error(Code::kIo, "stdin cannot be read");
    if (got == 0) return text;
    text.append(buffer, static_cast<size_t>(got));
    if (text.size() > most) return Error(Code::kLimit, "stdin holds more than " + std::to_string(most) + " bytes");
  }
}

Status CallTool(Link& link, const SessionOptions& options, const Words& words) {
  std::string text = words.size() > 2 ? words[2] : "{}";
  if (text == "-") {
    PADDOCK_ASSIGN(text, ReadStdin(16 << 20));
  }
  auto arguments = tools::ParseJson(text, {.max_bytes = 16 << 20, .max_depth = 64});
  if (!arguments) return Error(Code::kInvalid, "ARGUMENTS: " + std::string(arguments.error().Text()));
  if (!arguments->is_object()) return Error(Code::kInvalid, "ARGUMENTS must be a JSON object: {\"commands\":\"ls\"}");
  PADDOCK_ASSIGN(const json::value answer, link.Post(SessionPath(words[0], "/tools/" + EncodePercent(words[1])), {{"arguments", std::move(*arguments)}}));
  const bool has_failed = answer.at("is_error").as_bool();
  if (options.is_json) {
    std::fputs(Indented(answer).c_str(), stdout);
    return has_failed ? Status(Error(Code::kInvalid, "the tool failed")) : Status();
  }
  const std::string content = TextOf(answer.as_object(), "content");
  if (has_failed) return Error(Code::kInvalid, content);
  std::string shown = content;
  if (isatty(STDOUT_FILENO) == 1) {   // line by line: what steers a terminal is shown
    shown.clear();
    for (std::string_view rest = content; !rest.empty();) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      shown += Harmless(rest.substr(0, end)) + "\n";
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  std::fputs((shown.empty() || shown.ends_with('\n') ? shown : shown + "\n").c_str(), stdout);
  return {};
}

// ---- storage

// Where the session's files lie: in a sandbox.
Result<Place> StoragePlace(Link& link, const std::string& session, const std::string& path) {
  if (!path.empty() && path[0] != '/') return Error(Code::kInvalid, "'" + path + "': a path of a session's files is absolute");
  PADDOCK_ASSIGN(const json::value storage, link.Post(SessionPath(session, "/storage"), nullptr));
  const json::object& where = storage.as_object();
  // What ends with a slash, or with "/.", means something to paddock cp.
  const std::string normal = vfs::NormalizePath("/" + path);
  std::string inside = TextOf(where, "path") + (normal == "/" ? "" : normal);
  if (path.ends_with("/.")) inside += "/.";
  else if (path.ends_with('/')) inside += "/";
  return Place{.sandbox = TextOf(where, "sandbox_id"), .path = inside};
}

Status ListFiles(Link& link, const SessionOptions& options, const Words& words) {
  PADDOCK_ASSIGN(const Place place, StoragePlace(link, words[0], words.size() > 1 ? words[1] : "/"));
  PADDOCK_ASSIGN(const json::value answer, link.Get(SandboxPath(place.sandbox, "/files?path=") + EncodePercent(place.path)));
  if (options.is_json) return Print(answer.at("entries"));
  std::vector<std::vector<std::string>> rows;
  for (const json::value& entry : answer.at("entries").as_array()) {
    const json::object& file = entry.as_object();
    rows.push_back({TextOf(file, "mode"), TextOf(file, "type"), TextOf(file, "size"), TextOf(file, "modified_at"), TextOf(file, "name")});
  }
  std::fputs(Table({"MODE", "TYPE", "SIZE", "MODIFIED", "NAME"}, rows).c_str(), stdout);
  return {};
}

Status RemoveFiles(Link& link, const SessionOptions&, const Words& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    PADDOCK_ASSIGN(const Place place, StoragePlace(link, words[0], words[i]));
    PADDOCK_TRY(link.Delete(SandboxPath(place.sandbox, "/files?recursive=true&path=") + EncodePercent(place.path)));
    std::printf("%s\n", Harmless(words[i]).c_str());
  }
  return {};
}

Status Transfer(const SessionOptions& options, const Words& words, bool is_in) {
  const Interrupts interrupts;
  PADDOCK_ASSIGN(Link link, Link::Open(options.link, interrupts.cancellation()));
  const TreeCopy copy{.link = options.link, .interrupts = interrupts, .is_quiet = options.is_quiet};
  PADDOCK_ASSIGN(const Place place, StoragePlace(link, words[0], words[is_in ? 2 : 1]));
  Status done = is_in ? CopyIn(link, words[1], place, copy) : CopyOut(link, place, words[2], copy);
  return !done && interrupts.signal() != 0 ? Status(Error(Code::kCancelled, "interrupted")) : done;
}
Status PutFile(Link&, const SessionOptions& options, const Words& words) { return Transfer(options, words, true); }
Status GetFile(Link&, const SessionOptions& options, const Words& words) { return Transfer(options, words, false); }

// ---- keys

Status ListKeys(Link& link, const SessionOptions& options, const Words& words) {
  PADDOCK_ASSIGN(const json::value answer, link.Get(SessionPath(words[0], "/kv" + (words.size() > 1 ? "?prefix=" + EncodePercent(words[1]) : ""))));
  if (options.is_json) return Print(answer.at("keys"));
  for (const json::value& key : answer.at("keys").as_array()) std::printf("%s\n", Harmless(key.as_string().c_str()).c_str());
  return {};
}

std::string KeyPath(const Words& words, size_t i) { return SessionPath(words[0], "/kv/" + EncodePercent(words[i])); }

Status GetKey(Link& link, const SessionOptions& options, const Words& words) {
  PADDOCK_ASSIGN(const json::value answer, link.Get(KeyPath(words, 1)));
  if (options.is_json) return Print(answer);
  const std::string value = TextOf(answer.as_object(), "value");
  std::printf("%s\n", isatty(STDOUT_FILENO) == 1 ? Harmless(value).c_str() : value.c_str());
  return {};
}

Status SetKey(Link& link, const SessionOptions&, const Words& words) {
  PADDOCK_TRY(link.Put(KeyPath(words, 1), {{"value", words[2]}}));
  return {};
}

Status RemoveKeys(Link& link, const SessionOptions&, const Words& words) {
  for (size_t i = 1; i < words.size(); ++i) PADDOCK_TRY(link.Delete(KeyPath(words, i)));
  return {};
}

struct Verb {
  const char* group;    // its first word, where it has two
  const char* name;
  size_t least, most;   // words behind it
  const char* words;    // what they are
  Status (*run)(Link&, const SessionOptions&, const Words&);
};
constexpr Verb kVerbs[] = {
    {nullptr, "create", 0, 1, "[NAME]", Create},
    {nullptr, "ls", 0, 0, "", List},
    {nullptr, "show", 1, 1, "SESSION", Show},
    {nullptr, "rm", 1, 1000, "SESSION...", Remove},
    {nullptr, "tools", 1, 1, "SESSION", ListTools},
    {nullptr, "call", 2, 3, "SESSION TOOL [ARGUMENTS]", CallTool},
    {"storage", "ls", 1, 2, "SESSION [PATH]", ListFiles},
    {"storage", "put", 3, 3, "SESSION SOURCE PATH", PutFile},
    {"storage", "get", 3, 3, "SESSION PATH TARGET", GetFile},
    {"storage", "rm", 2, 1000, "SESSION PATH...", RemoveFiles},
    {"kv", "ls", 1, 2, "SESSION [PREFIX]", ListKeys},
    {"kv", "get", 2, 2, "SESSION KEY", GetKey},
    {"kv", "set", 3, 3, "SESSION KEY VALUE", SetKey},
    {"kv", "rm", 2, 1000, "SESSION KEY...", RemoveKeys},
};

}  // namespace

int RunSession(const sandbox::DriverSet&, std::span<const std::string> args) {
  SessionOptions options;
  const BegunSubcommand begun = BeginSubcommand(kText, args, kOptions, &options);
  if (begun.status) return *begun.status;
  for (const Verb& verb : kVerbs) {
    const size_t own = verb.group == nullptr ? 1 : 2;
    if (begun.operands.size() < own || begun.operands[own - 1] != verb.name || (verb.group != nullptr && begun.operands[0] != verb.group)) continue;
    const Words words(begun.operands.begin() + static_cast<std::ptrdiff_t>(own), begun.operands.end());
    if (words.size() < verb.least || words.size() > verb.most) {
      return Fail("session", std::string("write '") + (verb.group == nullptr ? "" : std::string(verb.group) + " ") + verb.name + " " + verb.words + "'");
    }
    return EndSubcommand("session", [&]() -> Status {
      PADDOCK_ASSIGN(Link link, Link::Open(options.link));
      return verb.run(link, options, words);
    });
  }
  return Fail("session", "no such verb; they are create, ls, show, rm, tools, call, storage ls|put|get|rm and kv ls|get|set|rm");
}

}  // namespace paddock::cli
