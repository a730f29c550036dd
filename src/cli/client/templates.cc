// paddock template: what a daemon's sandboxes begin as, under names with versions.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/descriptor.h"
#include "cli/cli.h"
#include "cli/client/pack_thread.h"
#include "cli/client/progress.h"
#include "cli/client/subcommand.h"
#include "cli/present.h"

namespace paddock::cli {
namespace {

struct TemplateOptions {
  LinkOptions link;   // first: the table begins with its options
  std::string format, architecture, tag, snapshot;
  std::vector<std::string> labels;
  bool is_shared = false, is_quiet = false, is_json = false;
};

constexpr Option kOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Value<&TemplateOptions::snapshot>('s', "snapshot", "SNAPSHOT", "with create: make it of this snapshot, by its id or name"),
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
            "  or:  paddock template ls [OPTION]... [NAME]\n"
            "  or:  paddock template show [OPTION]... TEMPLATE\n"
            "  or:  paddock template export [OPTION]... TEMPLATE FILE\n"
            "  or:  paddock template rm [OPTION]... TEMPLATE...\n"
            "Keeps files in a daemon that sandboxes begin with: 'paddock create --template NAME'. FROM is a\n"
            "root file system as a tar archive, an image ('docker save', OCI layout), both also compressed, or a\n"
            "directory of this machine; '-' is stdin. Each create makes a new version; TEMPLATE is an id, NAME\n"
            "(the newest one) or NAME@VERSION. export writes a tar archive; '-' is stdout.\n\n",
    .least = 1, .most = 1000, .operands = "create, ls, show, export or rm"};

Error HostError(const std::string& path) { return {static_cast<Code>(errno), path + ": " + std::strerror(errno)}; }

std::string TemplatePath(std::string_view name, std::string_view rest = {}) { return "/v1/templates/" + EncodePercent(name) + std::string(rest); }

void Print(const TemplateOptions& options, const json::value& made) {
  const json::object& one = made.as_object();
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
  PADDOCK_ASSIGN(const auto response, link.Send(std::move(request)));
  PADDOCK_ASSIGN(const std::string body, response->ReadAll(1 << 20));
  boost::system::error_code failure;
  const json::value made = json::parse(body, failure);
  if (failure) return Error(Code::kUnavailable, "the connection broke before the daemon said that it is there");
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
  if (!options.snapshot.empty()) {
    if (words.size() != 2) return Error(Code::kInvalid, "give --snapshot, or FROM, not both");
    json::object labels;
    for (const std::string& label : options.labels) PADDOCK_TRY(AddPair(labels, "label", label));
    PADDOCK_ASSIGN(const json::value made, link.Post("/v1/snapshots/" + EncodePercent(options.snapshot) + "/template",
                                                     {{"name", words[1]}, {"labels", labels}, {"shared", options.is_shared}}));
    Print(options, made);
    return {};
  }
  if (words.size() != 3) return Error(Code::kInvalid, "name a file or a directory that the template is made of, or --snapshot");
  const std::string& from = words[2];
  const bool is_stdin = from == "-";
  const Descriptor opened(is_stdin ? -1 : open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!is_stdin && !opened) return HostError(from);
  const int file = is_stdin ? STDIN_FILENO : opened.get();
  struct stat facts{};
  if (fstat(file, &facts) != 0) return HostError(from);
  net::ClientRequest request{.method = "POST", .target = BuildTarget(options, words[1]), .asks_first = true};
  if (S_ISDIR(facts.st_mode)) return CreateOfDirectory(link, options, std::move(request), from);
  if (S_ISREG(facts.st_mode) && !is_stdin) request.source_length = static_cast<uint64_t>(facts.st_size);
  const std::optional<uint64_t> total = request.source_length;
  uint64_t left = total.value_or(UINT64_MAX);
  return Send(link, options, std::move(request), total, [&](std::span<char> buffer) -> Result<size_t> {
    while (true) {
      const ssize_t got = read(file, buffer.data(), std::min<uint64_t>(buffer.size(), left));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return HostError(from);
      left -= static_cast<uint64_t>(got);
      return static_cast<size_t>(got);
    }
  });
}

Status List(Link& link, const TemplateOptions& options, const std::vector<std::string>& words) {
  std::string target = "/v1/templates?limit=1000";
  if (words.size() == 2) target += "&name=" + EncodePercent(words[1]);
  if (options.is_shared) target += "&shared=true";
  for (const std::string& label : options.labels) target += "&label=" + EncodePercent(label);
  json::array all;
  std::string cursor;
  do {
    PADDOCK_ASSIGN(json::value page, link.Get(target + (cursor.empty() ? "" : "&cursor=" + EncodePercent(cursor))));
    for (json::value& one : page.at("templates").as_array()) all.push_back(std::move(one));
    cursor = TextOf(page.as_object(), "next");
  } while (!cursor.empty());
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
  // Beside the target under another name, which it takes over at the end: nobody sees half an archive.
  const std::string draft = to + ".paddock-" + std::to_string(getpid());
  const Descriptor made(is_stdout ? -1 : open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!is_stdout && !made) return HostError(to);
  const int file = is_stdout ? STDOUT_FILENO : made.get();
  Progress progress(options.is_quiet || is_stdout, std::nullopt);
  const auto copy = [&]() -> Status {
    std::vector<char> buffer(256 << 10);
    while (true) {
      PADDOCK_ASSIGN(const size_t got, response->Read(buffer));
      if (got == 0) break;
      for (size_t done = 0; done < got;) {
        const ssize_t wrote = write(file, buffer.data() + done, got - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return HostError(to);
        done += static_cast<size_t>(wrote);
      }
      progress.Add(got);
    }
    if (!is_stdout && rename(draft.c_str(), to.c_str()) != 0) return HostError(to);
    return {};
  };
  const Status status = copy();
  if (!status && !is_stdout) unlink(draft.c_str());
  return status;
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
    {"create", 2, 3, Create}, {"ls", 1, 2, List}, {"show", 2, 2, Show}, {"export", 3, 3, Export}, {"rm", 2, 1000, Remove},
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
