// git ls-remote.
#include <algorithm>

#include "commands/git/remote/bundle.h"
#include "commands/git/remote/remote.h"
#include "text/pattern.h"
#include "text/version_order.h"

namespace paddock::git {
namespace {

struct ListOptions {
  bool heads = false, tags = false, refs = false, quiet = false, exit_code = false, symref = false, get_url = false;
  std::string upload_pack;
  std::vector<std::string> server_options, sort;
};
constexpr Option kListOptions[] = {
    Flag<&ListOptions::heads>('h', "heads", "branches"),
    Flag<&ListOptions::tags>('t', "tags", "tags"),
    Flag<&ListOptions::refs>(0, "refs", "without HEAD and what tags lead to"),
    Flag<&ListOptions::quiet>('q', "quiet", "do not say which repository it is"),
    Flag<&ListOptions::exit_code>(0, "exit-code", "status 2 when nothing matches"),
    Flag<&ListOptions::symref>(0, "symref", "also tell the branch that HEAD names"),
    Flag<&ListOptions::get_url>(0, "get-url", "tell the URL alone"),
    Value<&ListOptions::sort>(0, "sort", "KEY", "by refname, version:refname, objectname or symref; with - the other way"),
    Value<&ListOptions::upload_pack>(0, "upload-pack", "PROGRAM", "the program at the other end: git-upload-pack"),
    Value<&ListOptions::upload_pack>(0, "exec", "PROGRAM", "the same"),
    Value<&ListOptions::server_options>('o', "server-option", "TEXT", "hand TEXT to the server (not over HTTP)"),
};

// A line of what there is.
struct ListedRef {
  std::string name;
  Oid id;
  std::string target;   // of a symbolic one
};

Status SortListed(std::vector<ListedRef>& listed, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    const bool is_reverse = key.starts_with('-');
    std::string name = key.substr(is_reverse ? 1 : 0);
    const bool by_version = name.starts_with("version:") || name.starts_with("v:");
    if (by_version) name = name.substr(name.find(':') + 1);
    if (name != "refname" && name != "objectname" && name != "symref") {
      const std::string known[] = {"objecttype", "objectsize", "authordate", "committerdate", "creatordate", "taggerdate"};
      if (std::find(std::begin(known), std::end(known), name) != std::end(known)) return Error(Code::kNoEntry, "missing object " + (listed.empty() ? "" : listed[0].id.Hex()) + " for " + (listed.empty() ? "" : listed[0].name));
      return Error(Code::kInvalid, "unknown field name: " + name);
    }
    std::stable_sort(listed.begin(), listed.end(), [&](const ListedRef& a, const ListedRef& b) {
      int order = 0;
      if (by_version) order = CompareVersions(a.name, b.name);
      else if (name == "refname") order = a.name.compare(b.name);
      else if (name == "symref") order = a.target.compare(b.target);
      else order = a.id < b.id ? -1 : b.id < a.id ? 1 : 0;
      return is_reverse ? order > 0 : order < 0;
    });
  }
  return {};
}

Result<ExitStatus> RunListRemote(Invocation& in, Git* git, ListOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  PADDOCK_ASSIGN(const Config config, ReadConfig(in, git));
  std::string name = operands.empty() ? "" : operands[0];
  if (name.empty()) {
    if (git == nullptr || !config.Get("remote." + DefaultRemote(*git) + ".url")) return Error(Code::kInvalid, "No remote configured to list refs from.");
    name = DefaultRemote(*git);
  }
  const std::string url = RewriteUrl(config, config.Get("remote." + name + ".url", name));
  if (options.get_url) {
    in.out.Write(url + "\n");
    return 0;
  }
  PADDOCK_TRY(CheckRemoteProgram(options.upload_pack, "upload-pack", url));
  const std::string version = config.Get("protocol.version", "2");
  if (!options.server_options.empty() && (url.starts_with("http") || version == "0" || version == "1")) {
    in.err.Write("hint: see protocol.version in 'git help config' for more details\n");
    return Error(Code::kInvalid, "server options require protocol version 2 or later");
  }
  const bool is_bundle = IsBundle(in, url);
  PADDOCK_ASSIGN(const std::unique_ptr<Remote> remote, is_bundle ? OpenBundle(in, url) : OpenRemote(in, config, url));
  PADDOCK_ASSIGN(const RemoteRefs refs, remote->ReadRefs(false));
  if (operands.empty() && !options.quiet) in.err.Write("From " + ShownUrl(url) + "\n");
  const auto is_meant = [&](const std::string& ref) {
    if (options.refs && ref == "HEAD") return false;
    if ((options.heads || options.tags) && !(options.heads && ref.starts_with("refs/heads/")) && !(options.tags && ref.starts_with("refs/tags/"))) return false;
    if (operands.size() < 2) return true;
    return std::any_of(operands.begin() + 1, operands.end(), [&](const std::string& pattern) {
      in.budget.Step();
      Pattern compiled(std::string("*/") + pattern, {});
      return compiled.Matches("/" + ref, in.budget);
    });
  };
  std::vector<ListedRef> listed;
  for (const auto& [ref, id] : refs.ids) {
    in.budget.Step();
    const auto peeled = refs.peeled.find(ref);
    if (is_meant(ref)) listed.push_back({ref, id, ref == "HEAD" ? refs.head.value_or("") : ""});
    if (peeled != refs.peeled.end() && !options.refs && is_meant(ref + "^{}")) listed.push_back({ref + "^{}", peeled->second, ""});
  }
  // A bundle is read from its end.
  if (is_bundle && options.sort.empty()) {
    if (auto order = BundleOrder(in, url)) {
      std::stable_sort(listed.begin(), listed.end(), [&order](const ListedRef& a, const ListedRef& b) { return std::find(order->begin(), order->end(), a.name) > std::find(order->begin(), order->end(), b.name); });
    }
  }
  PADDOCK_TRY(SortListed(listed, options.sort));
  for (const ListedRef& one : listed) {
    if (options.symref && !one.target.empty()) in.out.Write("ref: " + one.target + "\t" + one.name + "\n");
    in.out.Write(one.id.Hex() + "\t" + one.name + "\n");
  }
  return options.exit_code && listed.empty() ? 2 : 0;
}

}  // namespace

extern const Subcommand kLsRemote;
const Subcommand kLsRemote = DefineFreeSubcommand<ListOptions, RunListRemote>({.name = "ls-remote", .summary = "list the references of another repository", .synopsis = "[<options>] [<repository> [<pattern>...]]", .options = kListOptions, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
