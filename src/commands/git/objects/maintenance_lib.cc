// git gc, prune, prune-packed, pack-refs and count-objects.
#include <algorithm>

#include "commands/file_facts.h"
#include "commands/git/history/reach.h"
#include "commands/git/merge/pick.h"
#include "commands/git/objects/repack.h"
#include "commands/git/refs/reflog.h"
#include "commands/git/refs/revision.h"

namespace paddock::git {
namespace {

constexpr int64_t kDay = 24 * 3600, kTwoWeeks = 14 * kDay;

// Removes loose objects that nothing leads to and that are older than `before`; `tells` each of them.
Status PruneLoose(Git& git, const std::set<Oid>& needed, int64_t before, bool only_tells, bool tells) {
  for (const Oid& id : git.objects.All(false)) {
    git.in.budget.Step();
    if (needed.contains(id)) continue;
    const auto facts = git.in.fs.Stat(git.objects.LoosePath(id));
    if (!facts || facts->modify_time.count() / 1000000000 > before) continue;
    if (tells) {
      const auto object = git.objects.Read(id);
      git.Print(id.Hex() + " " + (object ? std::string(TypeName(object->type)) : "unknown") + "\n");
    }
    if (!only_tells) git.objects.RemoveLoose(id);
  }
  return {};
}

Status PackAllRefs(Git& git) {
  std::map<std::string, Oid> peeled;
  for (const auto& [name, id] : git.refs.List("refs/tags/")) {
    if (const auto object = git.objects.Peel(id, std::nullopt); object && *object != id) peeled[name] = *object;
  }
  return git.refs.PackAll(peeled);
}

// Takes lines out of the logs as gc.reflogExpire (90 days) and, for what the reference no longer leads to, gc.reflogExpireUnreachable
// (30 days) say.
Status ExpireLogs(Git& git) {
  const int64_t now = Now(git.in.clock).seconds;
  std::optional<int64_t> before = now - 90 * kDay, unreachable_before = now - 30 * kDay;
  for (const auto& [key, limit] : {std::pair{"gc.reflogexpire", &before}, std::pair{"gc.reflogexpireunreachable", &unreachable_before}}) {
    if (const auto text = git.config.Get(key)) {
      PADDOCK_ASSIGN(*limit, ParseExpiry(git, *text));
    }
  }
  return ExpireAllLogs(git, {before.value_or(INT64_MIN), unreachable_before.value_or(INT64_MIN)}, {}, false);
}

struct GcOptions {
  bool quiet = false, aggressive = false, is_auto = false, no_prune = false, force = false, keeps_largest = false;
  std::optional<bool> cruft;
  std::optional<std::string> prune;
};
Status TakePrune(GcOptions& options, std::string_view value) {
  options.prune = value.empty() ? "2.weeks.ago" : std::string(value);
  return {};
}
constexpr Option kGcOptions[] = {
    Flag<&GcOptions::quiet>('q', "quiet", "say nothing"),
    CallOptional<TakePrune>(0, "prune", "DATE", "remove what nobody needs and is older (2 weeks)"),
    Flag<&GcOptions::no_prune>(0, "no-prune", "remove nothing"),
    Set<&GcOptions::cruft, true>(0, "cruft", "put what nobody needs into a pack of its own"),
    Set<&GcOptions::cruft, false>(0, "no-cruft", "make it loose"),
    Flag<&GcOptions::aggressive>(0, "aggressive", "try more bases of differences"),
    Flag<&GcOptions::is_auto>(0, "auto", "only when there is much to do"),
    Flag<&GcOptions::keeps_largest>(0, "keep-largest-pack", "leave the largest pack as it is"),
    Flag<&GcOptions::force>(0, "force", "even when another one runs"),
};

Result<ExitStatus> RunGc(Git& git, GcOptions& options, Args& args) {
  if (!args.All().empty()) {
    git.Say("usage: git gc [<options>]\n");
    return 129;
  }
  if (options.is_auto) {
    int64_t limit = 6700;
    if (const auto text = git.config.Get("gc.auto")) PADDOCK_TRY(ParseOptionValue(*text, limit));
    if (limit <= 0 || static_cast<int64_t>(git.objects.All(false).size()) <= limit) {
      if (git.objects.PackStems().size() <= 50) return 0;
    }
    if (!options.quiet) git.Say("Auto packing the repository for optimum performance.\nSee \"git help gc\" for manual housekeeping.\n");
  }
  std::optional<int64_t> expiry = Now(git.in.clock).seconds - kTwoWeeks;
  const std::string by_config = git.config.Get("gc.pruneexpire", "");
  if (options.prune || !by_config.empty()) {
    PADDOCK_ASSIGN(expiry, ParseExpiry(git, options.prune ? *options.prune : by_config, "failed to parse prune expiry value"));
  }
  if (options.no_prune) expiry.reset();
  if (git.config.GetBool("gc.packrefs", true)) PADDOCK_TRY(PackAllRefs(git));
  PADDOCK_TRY(ExpireLogs(git));
  const bool makes_cruft = options.cruft.value_or(git.config.GetBool("gc.cruftpacks", false));
  RepackPlan plan{.all = true, .removes = true, .loosens = !makes_cruft, .expiry = expiry, .makes_cruft = makes_cruft, .is_local = true};
  plan.writes_bitmap = git.is_bare && git.config.GetBool("repack.writebitmaps", git.config.GetBool("pack.writebitmaps", true)) && !options.keeps_largest;
  if (options.aggressive) plan.pack.window = 250;
  if (options.keeps_largest) {
    uint64_t largest = 0;
    for (const std::string& stem : git.objects.PackStems()) {
      const auto facts = git.in.fs.Stat(stem + ".pack");
      if (!facts || facts->size <= largest) continue;
      largest = facts->size;
      plan.kept_packs = {vfs::BaseName(stem) + ".pack"};
    }
  }
  PADDOCK_ASSIGN(const bool packed, Repack(git, plan));
  if (!packed) PADDOCK_TRY(UpdateServerInfo(git));
  if (expiry) {
    PADDOCK_ASSIGN(const std::vector<Oid> roots, KeptRoots(git, true));
    PADDOCK_ASSIGN(const Reached needed, ReachObjects(git, roots));
    PADDOCK_TRY(PruneLoose(git, needed.all, *expiry, false, false));
  }
  if (!git.config.GetBool("gc.writecommitgraph", true) || !git.config.GetBool("core.commitgraph", true)) return 0;
  return RunGit(git, {"commit-graph", "write", "--reachable", "--no-progress"});
}

struct PruneOptions {
  bool only_tells = false, verbose = false, progress = false, no_promisor = false;
  std::optional<std::string> expire;
};
constexpr Option kPruneOptions[] = {
    Flag<&PruneOptions::only_tells>('n', "dry-run", "only tell what would go"),
    Flag<&PruneOptions::verbose>('v', "verbose", "tell what goes"),
    Flag<&PruneOptions::progress>(0, "progress", "show progress (on a terminal)"),
    Flag<&PruneOptions::no_promisor>(0, "exclude-promisor-objects", "not what packs of partial clones have (there are none)"),
    Value<&PruneOptions::expire>(0, "expire", "DATE", "only what is older"),
};
Result<ExitStatus> RunPrune(Git& git, PruneOptions& options, Args& args) {
  std::optional<int64_t> expiry = INT64_MAX;
  if (options.expire) {
    PADDOCK_ASSIGN(expiry, ParseExpiry(git, *options.expire));
  }
  PADDOCK_ASSIGN(std::vector<Oid> roots, KeptRoots(git, true));
  for (const std::string& name : args.All()) {
    const auto id = ResolveObject(git, name);
    if (!id) return Error(Code::kNoEntry, "unrecognized argument: " + name);
    roots.push_back(*id);
  }
  PADDOCK_ASSIGN(const Reached needed, ReachObjects(git, roots));
  if (expiry) PADDOCK_TRY(PruneLoose(git, needed.all, *expiry, options.only_tells, options.only_tells || options.verbose));
  if (!options.only_tells) PrunePacked(git, false);
  return 0;
}

struct PrunePackedOptions {
  bool only_tells = false, quiet = false;
};
constexpr Option kPrunePackedOptions[] = {
    Flag<&PrunePackedOptions::only_tells>('n', "dry-run", "only tell what would go"),
    Flag<&PrunePackedOptions::quiet>('q', "quiet", "say nothing"),
};
Result<ExitStatus> RunPrunePacked(Git& git, PrunePackedOptions& options, Args&) {
  PrunePacked(git, options.only_tells);
  return 0;
}

struct PackRefsOptions {
  bool all = false, prune = false, no_prune = false;
};
constexpr Option kPackRefsOptions[] = {
    Flag<&PackRefsOptions::all>(0, "all", "branches, too"),
    Flag<&PackRefsOptions::prune>(0, "prune", "remove the loose files (the default)"),
    Flag<&PackRefsOptions::no_prune>(0, "no-prune", "leave the loose files"),
};
Result<ExitStatus> RunPackRefs(Git& git, PackRefsOptions& options, Args&) {
  std::map<std::string, std::string> loose;
  for (const auto& [name, id] : git.refs.List("refs/")) {
    // What stays loose: branches without --all, everything with --no-prune.
    const bool stays = options.no_prune || (!options.all && !name.starts_with("refs/tags/"));
    if (!stays) continue;
    if (const auto text = vfs::ReadFile(git.in.fs, git.GitPath(name), 4096)) loose[name] = *text;
  }
  std::map<std::string, Oid> peeled;
  for (const auto& [name, id] : git.refs.List("refs/tags/")) {
    if (const auto object = git.objects.Peel(id, std::nullopt); object && *object != id) peeled[name] = *object;
  }
  std::set<std::string> left_out;
  if (!options.all) {
    for (const auto& [name, text] : loose) {
      if (!name.starts_with("refs/tags/")) left_out.insert(name);
    }
  }
  PADDOCK_TRY(git.refs.PackAll(peeled, left_out));
  for (const auto& [name, text] : loose) {
    if (left_out.contains(name)) continue;
    PADDOCK_TRY(vfs::MakeDirectories(git.in.fs, vfs::DirectoryName(git.GitPath(name))));
    PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath(name), text));
  }
  return 0;
}

struct CountOptions {
  bool verbose = false, human = false;
};
constexpr Option kCountOptions[] = {
    Flag<&CountOptions::verbose>('v', "verbose", "packs, too"),
    Flag<&CountOptions::human>('H', "human-readable", "sizes with units"),
};
std::string HumanSize(uint64_t bytes) {
  const auto scaled = [bytes](int shift, const char* unit) {
    const uint64_t whole = bytes >> shift, rest = ((bytes & ((uint64_t{1} << shift) - 1)) * 100) >> shift;
    return std::to_string(whole) + "." + (rest < 10 ? "0" : "") + std::to_string(rest) + unit;
  };
  if (bytes > uint64_t{1} << 30) return scaled(30, " GiB");
  if (bytes > 1 << 20) return scaled(20, " MiB");
  if (bytes > 1 << 10) return scaled(10, " KiB");
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}
Result<ExitStatus> RunCountObjects(Git& git, CountOptions& options, Args& args) {
  if (!args.All().empty()) {
    git.Say("usage: git count-objects [-v] [-H | --human-readable]\n");
    return 129;
  }
  uint64_t count = 0, bytes = 0, packable = 0, packed_bytes = 0;
  for (const Oid& id : git.objects.All(false)) {
    git.in.budget.Step();
    const auto facts = git.in.fs.Stat(git.objects.LoosePath(id));
    if (!facts) continue;
    ++count;
    // Files take whole blocks of 4096 bytes.
    bytes += (facts->size + 4095) / 4096 * 4096;
    if (git.objects.IsPacked(id)) ++packable;
  }
  const auto shown = [&options](uint64_t size) { return options.human ? HumanSize(size) : std::to_string(size / 1024); };
  if (!options.verbose) {
    git.Print(std::to_string(count) + " objects, " + (options.human ? HumanSize(bytes) : std::to_string(bytes / 1024) + " kilobytes") + "\n");
    return 0;
  }
  const std::vector<std::string> stems = git.objects.PackStems();
  uint64_t in_packs = 0;
  for (const std::string& stem : stems) {
    for (const char* end : {".pack", ".idx"}) {
      if (const auto facts = git.in.fs.Stat(stem + end)) packed_bytes += facts->size;
    }
    if (const auto pack = OpenPack(git.in.fs, stem)) in_packs += pack->count();
  }
  git.Print("count: " + std::to_string(count) + "\nsize: " + shown(bytes) + "\nin-pack: " + std::to_string(in_packs) + "\npacks: " + std::to_string(stems.size()) + "\nsize-pack: " + shown(packed_bytes) +
            "\nprune-packable: " + std::to_string(packable) + "\ngarbage: 0\nsize-garbage: " + shown(0) + "\n");
  return 0;
}

struct ServerInfoOptions {
  bool force = false;
};
constexpr Option kServerInfoOptions[] = {
    Flag<&ServerInfoOptions::force>('f', "force", "write files that are right, too"),
};

Result<ExitStatus> RunUpdateServerInfo(Git& git, ServerInfoOptions& options, Args&) {
  PADDOCK_TRY(UpdateServerInfo(git, options.force));
  return 0;
}

Status WriteInfo(Git& git, const std::string& name, const std::string& text, bool force) {
  const std::string path = git.GitPath(name);
  if (!force) {
    if (const auto old = vfs::ReadFile(git.in.fs, path); old && *old == text) return {};
  }
  PADDOCK_TRY(vfs::MakeDirectories(git.in.fs, path.substr(0, path.rfind('/'))));
  return vfs::WriteFile(git.in.fs, path, text);
}

}  // namespace

Result<std::optional<int64_t>> ParseExpiry(Git& git, const std::string& text, const char* complaint) {
  if (text == "now" || text == "all") return std::optional<int64_t>(INT64_MAX);
  if (text == "never" || text == "false") return std::optional<int64_t>();
  const LooseDate date = git.ReadDate(text);
  if (!date.is_understood) return Error(Code::kInvalid, complaint != nullptr ? complaint + (" " + text) : "malformed expiration date '" + text + "'");
  return std::optional<int64_t>(date.seconds);
}

void PrunePacked(Git& git, bool only_tells) {
  for (const Oid& id : git.objects.All(false)) {
    git.in.budget.Step();
    if (!git.objects.IsPacked(id)) continue;
    if (only_tells) git.Print("rm -f " + git.objects.LoosePath(id).substr(git.git_dir.size() - 4) + "\n");
    else git.objects.RemoveLoose(id);
  }
}

Status UpdateServerInfo(Git& git, bool force) {
  std::string refs, packs;
  for (const auto& [name, id] : git.refs.List("refs/")) {
    refs += id.Hex() + "\t" + name + "\n";
    if (const auto peeled = git.objects.Peel(id, std::nullopt); peeled && *peeled != id) refs += peeled->Hex() + "\t" + name + "^{}\n";
  }
  for (const std::string& stem : git.objects.PackStems()) packs += "P " + vfs::BaseName(stem) + ".pack\n";
  PADDOCK_TRY(WriteInfo(git, "info/refs", refs, force));
  return WriteInfo(git, "objects/info/packs", packs + "\n", force);
}

extern const Subcommand kGc, kPrune, kPrunePacked, kPackRefs, kCountObjects, kUpdateServerInfo;
const Subcommand kGc = DefineSubcommand<GcOptions, RunGc>({.name = "gc", .summary = "pack objects and remove what nobody needs", .synopsis = "[<options>]", .options = kGcOptions});
const Subcommand kPrune = DefineSubcommand<PruneOptions, RunPrune>({.name = "prune", .summary = "remove objects that nothing leads to", .synopsis = "[-n] [-v] [--progress] [--expire <time>] [--] [<head>...]", .options = kPruneOptions});
const Subcommand kPrunePacked = DefineSubcommand<PrunePackedOptions, RunPrunePacked>({.name = "prune-packed", .summary = "remove loose objects that are in packs", .synopsis = "[-n | --dry-run] [-q | --quiet]", .options = kPrunePackedOptions});
const Subcommand kPackRefs = DefineSubcommand<PackRefsOptions, RunPackRefs>({.name = "pack-refs", .summary = "put references into one file", .synopsis = "[--all] [--no-prune]", .options = kPackRefsOptions});
const Subcommand kCountObjects = DefineSubcommand<CountOptions, RunCountObjects>({.name = "count-objects", .summary = "tell how many loose objects there are", .synopsis = "[-v] [-H | --human-readable]", .options = kCountOptions});
const Subcommand kUpdateServerInfo = DefineSubcommand<ServerInfoOptions, RunUpdateServerInfo>({.name = "update-server-info", .summary = "write what dumb transports read", .synopsis = "[-f | --force]", .options = kServerInfoOptions});

}  // namespace paddock::git
