// paddock template: what a daemon's sandboxes begin as, under names with versions.

#include <unistd.h>

#include <cstdio>

#include "cli/cli.h"
#include "cli/client/host_file.h"
#include "cli/client/pack_thread.h"
#include "cli/client/progress.h"
#include "cli/client/subcommand.h"
#include "cli/present.h"

namespace paddock::cli {
namespace {

struct TemplateOptions {
  LinkOptions link;   // first: the table begins with its options
  std::string format, architecture, tag, snapshot, sandbox;
  std::vector<std::string> labels;
  bool is_shared = false, is_quiet = false, is_json = false;
};

constexpr Option kOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Value<&TemplateOptions::snapshot>('s', "snapshot", "SNAPSHOT", "with create: make it of this snapshot, by its id or name"),
    Value<&TemplateOptions::sandbox>(0, "from", "SANDBOX", "with create: make it of this sandbox as it is, by its id or name"),
    Value<&TemplateOptions::format>('f', "format", "FORMAT", "with create: what FROM is: tar, image, or auto, which looks (default)"),
    Value<&TemplateOptions::architecture>(0, "architecture", "NAME", "with create: which image of several (default: amd64)"),
    Value<&TemplateOptions::tag>('t', "tag", "TAG", "with create: which image of several (default: the first)"),
    Value<&TemplateOptions::labels>('l', "label", "NAME=VALUE", "with create: for filters; with ls: only those; repeat it"),
    Flag<&TemplateOptions::is_shared>(0, "shared", "with create: for everybody (administrators); with ls: what is for everybody"),
    Flag<&TemplateOptions::is_quiet>('q', "quiet", "show no progress"),
    Flag<&TemplateOptions::is_json>('j', "json", "print JSON"),
};

constexpr SubcommandText kText{
    .name = "template",
    .help = "Usage: paddock template create [OPTION]... NAME FROM\n"
            "  or:  paddock template create [OPTION]... --snapshot SNAPSHOT NAME\n"
            "  or:  paddock template create [OPTION]... --from SANDBOX NAME\n"
            "  or:  paddock template ls [OPTION]... [NAME]\n"
            "  or:  paddock template show [OPTION]... TEMPLATE\n"
            "  or:  paddock template export [OPTION]... TEMPLATE FILE\n"
            "  or:  paddock template rm [OPTION]... TEMPLATE...\n"
            "Keeps files in a daemon that sandboxes begin with: 'paddock create --template NAME'. FROM is a\n"
            "root file system as a tar archive, an image ('docker save', OCI layout), both also compressed, or a\n"
            "directory of this machine; '-' is stdin. Each create makes a new version; TEMPLATE is an id, NAME\n"
            "(the newest one) or NAME@VERSION. export writes a tar archive; '-' is stdout.\n\n",
    .least = 1, .most = 1000, .operands = "create, ls, show, export or rm"};

std::string TemplatePath(std::string_view name, std::string_view rest = {}) { return "/v1/templates/" + EncodePercent(name) + std::string(rest); }

void Print(const TemplateOptions& options, const json::value& made) {
  const json::object& one = made.as_object();
  if (const json::value* notes = one.if_contains("notes"); notes != nullptr && notes->is_array()) {
    for (const json::value& note : notes->get_array()) std::fprintf(stderr, "paddock template: note: %s\n", Harmless(std::string_view(note.as_string())).c_str());
  }
  std::fputs((options.is_json ? Indented(made) : TextOf(one, "id") + " " + TextOf(one, "name") + "@" + TextOf(one, "version") + "\n").c_str(), stdout);
}

std::string BuildTarget(const TemplateOptions& options, const std::string& name) {
  std::string target = "/v1/templates?name=" + EncodePercent(name);
  for (const auto& [key, value] : {std::pair("format", &options.format), std::pair("architecture", &options.architecture), std::pair("tag", &options.tag)}) {
    if (!value->empty()) target += std::string("&") + key + "=" + EncodePercent(*value);
  }
  if (options.is_shared) target += "&shared=true";
  for (const std::string& label : options.labels) target += "&label=" + EncodePercent(label);
  return target;
}

Status Send(Link& link, const TemplateOptions& options, net::ClientRequest request, std::optional<uint64_t> total, const std::function<Result<size_t>(std::span<char>)>& read) {
  Progress progress(options.is_quiet, total);
  request.headers.push_back({"Content-Type", "application/octet-stream"});
  request.source = [&](std::span<char> buffer) -> Result<size_t> {
    PADDOCK_ASSIGN(const size_t got, read(buffer));
    progress.Add(got);
    return got;
  };
  PADDOCK_ASSIGN(const json::value made, link.SendForAnswer(std::move(request)));
  Print(options, made);
  return {};
}

Status CreateOfDirectory(Link& link, const TemplateOptions& options, net::ClientRequest request, const std::string& from) {
  PADDOCK_ASSIGN(HostTree tree, HostTree::Open(from, vfs::HostAccess::kReadOnly));
  PackThread pack(tree, "./");
  const bool is_seen = !options.is_quiet && isatty(STDERR_FILENO) == 1;
  const Status sent = Send(link, options, std::move(request), is_seen ? std::optional(SizeOfTree(from)) : std::nullopt,
                           [&](std::span<char> buffer) { return pack.Read(buffer); });
  const bool has_unreadable = pack.PrintLeftOut("template");
  if (sent && has_unreadable) return Error(Code::kAccess, "not everything could be read; the template lacks it");
  return sent;
}

Status Create(Link& link, const TemplateOptions& options, const std::vector<std::string>& words) {
  if (!options.snapshot.empty() || !options.sandbox.empty()) {
    if (words.size() != 2 || (!options.snapshot.empty() && !options.sandbox.empty())) return Error(Code::kInvalid, "give one of --snapshot, --from and FROM");
    json::object labels;
    for (const std::string& label : options.labels) PADDOCK_TRY(AddPair(labels, "label", label));
    const std::string from = options.sandbox.empty() ? "snapshots/" + EncodePercent(options.snapshot) : "sandboxes/" + EncodePercent(options.sandbox);
    PADDOCK_ASSIGN(const json::value made, link.Post("/v1/" + from + "/template", {{"name", words[1]}, {"labels", labels}, {"shared", options.is_shared}}));
    Print(options, made);
    return {};
  }
  if (words.size() != 3) return Error(Code::kInvalid, "name a file or a directory that the template is made of, --snapshot or --from");
  const std::string& from = words[2];
  PADDOCK_ASSIGN(HostSource file, HostSource::Open(from));
  net::ClientRequest request{.method = "POST", .target = BuildTarget(options, words[1]), .asks_first = true};
  if (file.is_directory()) return CreateOfDirectory(link, options, std::move(request), from);
  request.source_length = file.size();
  return Send(link, options, std::move(request), file.size(), [&](std::span<char> buffer) { return file.Read(buffer); });
}

Status List(Link& link, const TemplateOptions& options, const std::vector<std::string>& words) {
  std::string target = "/v1/templates?limit=1000";
  if (words.size() == 2) target += "&name=" + EncodePercent(words[1]);
  if (options.is_shared) target += "&shared=true";
  for (const std::string& label : options.labels) target += "&label=" + EncodePercent(label);
  PADDOCK_ASSIGN(const json::array all, link.GetAll(target, "templates"));
  std::vector<std::vector<std::string>> rows;
  for (const json::value& value : all) {
    const json::object& one = value.as_object();
    rows.push_back({TextOf(one, "id"), TextOf(one, "name") + "@" + TextOf(one, "version"), TextOf(one, "source"), TextOf(one, "entries"), TextOf(one, "content_bytes"),
                    TextOf(one, "tree").substr(0, 19), Ago(TextOf(one, "created_at"))});
  }
  std::fputs((options.is_json ? Indented(all) : Table({"ID", "NAME", "SOURCE", "ENTRIES", "BYTES", "DIGEST", "CREATED"}, rows)).c_str(), stdout);
  return {};
}

Status Show(Link& link, const TemplateOptions&, const std::vector<std::string>& words) {
  PADDOCK_ASSIGN(const json::value one, link.Get(TemplatePath(words[1])));
  std::fputs(Indented(one).c_str(), stdout);
  return {};
}

Status Export(Link& link, const TemplateOptions& options, const std::vector<std::string>& words) {
  const std::string& to = words[2];
  const bool is_stdout = to == "-";
  if (is_stdout && isatty(STDOUT_FILENO) == 1) return Error(Code::kInvalid, "a tar archive goes to stdout, and that is a terminal");
  PADDOCK_ASSIGN(const auto response, link.Send({.method = "GET", .target = TemplatePath(words[1], "/export")}));
  Progress progress(options.is_quiet || is_stdout, std::nullopt);
  return ReceiveFile(*response, to, 0666, progress);
}

Status Remove(Link& link, const TemplateOptions&, const std::vector<std::string>& words) {
  for (size_t i = 1; i < words.size(); ++i) {
    PADDOCK_TRY(link.Delete(TemplatePath(words[i])));
    std::printf("%s\n", words[i].c_str());
  }
  return {};
}

struct Verb {
  const char* name;
  size_t least, most;   // words, with the verb
  Status (*run)(Link&, const TemplateOptions&, const std::vector<std::string>&);
};
constexpr Verb kVerbs[] = {
    {"create", 2, 3, Create}, {"ls", 1, 2, List}, {"list", 1, 2, List}, {"show", 2, 2, Show}, {"export", 3, 3, Export}, {"rm", 2, 1000, Remove},
};

}  // namespace

int RunTemplate(const sandbox::DriverSet&, std::span<const std::string> args) {
  TemplateOptions options;
  const BegunSubcommand begun = BeginSubcommand(kText, args, kOptions, &options);
  if (begun.status) return *begun.status;
  for (const Verb& verb : kVerbs) {
    if (begun.operands[0] != verb.name || begun.operands.size() < verb.least || begun.operands.size() > verb.most) continue;
    return EndSubcommand("template", [&]() -> Status {
      PADDOCK_ASSIGN(Link link, Link::Open(options.link));
      return verb.run(link, options, begun.operands);
    });
  }
  return Fail("template", "write 'create NAME FROM', 'ls [NAME]', 'show TEMPLATE', 'export TEMPLATE FILE' or 'rm TEMPLATE...'");
}

}  // namespace paddock::cli
