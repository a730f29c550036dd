// git gc, repack, prune, prune-packed, pack-refs and count-objects.
#include <algorithm>

#include "commands/file_facts.h"
#include "commands/git/fetch.h"
#include "commands/git/reach.h"
#include "commands/git/reflog.h"
#include "commands/git/revision.h"
#include "git/delta_pack.h"

namespace paddock::git {
namespace {

constexpr int64_t kDay = 24 * 3600, kTwoWeeks = 14 * kDay;

// The time before which what nobody needs may go; "now" is all of it, "never" nothing.
Result<std::optional<int64_t>> ParseExpiry(Git& git, const std::string& text, bool is_gc = false) {
  if (text == "now" || text == "all") return std::optional<int64_t>(INT64_MAX);
  if (text == "never" || text == "false") return std::optional<int64_t>();
  std::string words = text;
  if (words.find(' ') == std::string::npos && words.ends_with("ago")) std::replace(words.begin(), words.end(), '.', ' ');
  const auto date = git.ParseGitDate(words);
  if (!date) return Error(Code::kInvalid, is_gc ? "failed to parse prune expiry value " + text : "malformed expiration date '" + text + "'");
  return std::optional<int64_t>(ParseSignature("a <b> " + *date).time);
}

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

// Loose copies of what packs have.
void PrunePacked(Git& git, bool only_tells) {
  for (const Oid& id : git.objects.All(false)) {
    git.in.budget.Step();
    if (!git.objects.IsPacked(id)) continue;
    if (only_tells) git.Print("rm -f " + git.objects.LoosePath(id).substr(git.git_dir.size() - 4) + "\n");
    else git.objects.RemoveLoose(id);
  }
}

// info/refs and objects/info/packs, for those who can only fetch files.
Status UpdateServerInfo(Git& git) {
  std::string refs, packs;
  for (const auto& [name, id] : git.refs.List("refs/")) {
    refs += id.Hex() + "\t" + name + "\n";
    if (const auto peeled = git.objects.Peel(id, std::nullopt); peeled && *peeled != id) refs += peeled->Hex() + "\t" + name + "^{}\n";
  }
  for (const std::string& stem : git.objects.PackStems()) packs += "P " + vfs::BaseName(stem) + ".pack\n";
  PADDOCK_TRY(vfs::MakeDirectories(git.in.fs, git.GitPath("info")));
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("info/refs"), refs));
  PADDOCK_TRY(vfs::MakeDirectories(git.in.fs, git.GitPath("objects/info")));
  return vfs::WriteFile(git.in.fs, git.GitPath("objects/info/packs"), packs + "\n");
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
  std::vector<std::string> names = {"HEAD"};
  for (const auto& [name, id] : git.refs.List("refs/")) names.push_back(name);
  History history(git);
  for (const std::string& name : names) PADDOCK_TRY(ExpireLog(git, history, name, before.value_or(INT64_MIN), unreachable_before.value_or(INT64_MIN)));
  return {};
}

struct RepackPlan {
  bool all = false;              // of all that is needed, else of what is loose
  bool removes = false;          // the packs that are no longer of use
  bool loosens = false;          // what only they have becomes loose
  std::optional<int64_t> expiry; // older ones of it need not be kept
  bool keeps_unreachable = false;
  bool is_local = false;         // without what alternates have
  bool updates_server_info = true;
  bool takes_kept = false;       // what packs with .keep have, too
  std::vector<std::string> kept_packs;
  PackPlan pack;
};

// Writes a pack of the objects where packs are; its name.
Result<std::string> WriteRepacked(Git& git, const std::vector<Oid>& ids, const PackPlan& plan) {
  PADDOCK_ASSIGN(const std::string path, git.objects.NewPackPath());
  PADDOCK_ASSIGN(vfs::OpenFilePtr file, git.in.fs.Open(path, vfs::OpenFlags{.write = true, .create = true, .exclusive = true, .no_follow = true}, 0444));
  auto index = WriteDeltaPack(ids, [&git](const Oid& id) { return git.objects.Read(id); }, [&file](std::string_view bytes) { return file->Write(bytes); }, plan, git.in.budget);
  file.reset();
  if (!index) {
    static_cast<void>(git.in.fs.RemoveFile(path).has_value());
    return index.error();
  }
  const std::string stem = git.objects.directory() + "/pack/pack-" + index->name;
  PADDOCK_TRY(git.in.fs.Rename(path, stem + ".pack"));
  static_cast<void>(git.in.fs.RemoveFile(stem + ".idx").has_value());
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, stem + ".idx", index->bytes, 0444));
  git.objects.ForgetPacks();
  return index->name;
}

// False: there was nothing to pack.
Result<bool> Repack(Git& git, const RepackPlan& plan) {
  PADDOCK_ASSIGN(const std::vector<Oid> roots, KeptRoots(git, true));
  PADDOCK_ASSIGN(const Reached needed, ReachObjects(git, roots));
  std::vector<std::string> old_packs, kept_packs;
  for (std::string& stem : git.objects.PackStems()) {
    const bool is_named = std::find(plan.kept_packs.begin(), plan.kept_packs.end(), vfs::BaseName(stem) + ".pack") != plan.kept_packs.end();
    if (is_named || git.in.fs.Stat(stem + ".keep")) kept_packs.push_back(std::move(stem));
    else old_packs.push_back(std::move(stem));
  }
  // What packs that stay have need not be packed again.
  std::set<Oid> kept;
  for (const std::string& stem : plan.takes_kept ? std::vector<std::string>() : kept_packs) {
    auto index = vfs::ReadFile(git.in.fs, stem + ".idx");
    const auto facts = git.in.fs.Stat(stem + ".pack");
    if (!index || !facts) continue;
    const auto pack = Pack::Open(std::move(*index), PackBytes([&git, stem] { return git.in.fs.Open(stem + ".pack", vfs::OpenFlags::Read()); }, facts->size));
    for (size_t i = 0; pack && i < pack->count(); ++i) {
      git.in.budget.Step();
      kept.insert(pack->IdAt(i));
    }
  }
  std::set<Oid> own;
  if (plan.is_local) {
    for (const Oid& id : git.objects.All(true)) own.insert(id);
  }
  std::vector<Oid> packed;
  for (const Oid& id : needed.order) {
    git.in.budget.Step();
    if (!kept.contains(id) && (plan.all || !git.objects.IsPacked(id)) && (!plan.is_local || own.contains(id))) packed.push_back(id);
  }
  if (plan.keeps_unreachable) {
    for (const Oid& id : git.objects.All(true)) {
      if (!needed.all.contains(id)) packed.push_back(id);
    }
  }
  if (packed.empty()) {
    if (plan.removes) PrunePacked(git, false);
    return false;
  }
  std::string name;
  PackPlan pack = plan.pack;
  pack.names = &needed.names;
  pack.by_offset = git.config.GetBool("repack.usedeltabaseoffset", true);
  PADDOCK_ASSIGN(name, WriteRepacked(git, packed, pack));
  if (plan.removes && plan.all) {
    const std::set<Oid> in_new(packed.begin(), packed.end());
    if (plan.loosens) {
      for (const Oid& id : git.objects.All(true)) {
        git.in.budget.Step();
        if (in_new.contains(id) || kept.contains(id) || git.in.fs.Stat(git.objects.LoosePath(id))) continue;
        if (plan.expiry && *plan.expiry == INT64_MAX) continue;
        PADDOCK_ASSIGN(const Object object, git.objects.Read(id));
        PADDOCK_TRY(git.objects.WriteLoose(object.type, object.data));
      }
    }
    for (const std::string& stem : old_packs) {
      if (!stem.ends_with("/pack-" + name)) git.objects.RemovePack(stem);
    }
  }
  if (plan.removes) PrunePacked(git, false);
  if (plan.updates_server_info) PADDOCK_TRY(UpdateServerInfo(git));
  return true;
}

struct GcOptions {
  bool quiet = false, aggressive = false, is_auto = false, no_prune = false, force = false, keeps_largest = false;
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
    PADDOCK_ASSIGN(expiry, ParseExpiry(git, options.prune ? *options.prune : by_config, true));
  }
  if (options.no_prune) expiry.reset();
  if (git.config.GetBool("gc.packrefs", true)) PADDOCK_TRY(PackAllRefs(git));
  PADDOCK_TRY(ExpireLogs(git));
  RepackPlan plan{.all = true, .removes = true, .loosens = true, .expiry = expiry, .is_local = true};
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
  if (!expiry) return 0;
  PADDOCK_ASSIGN(const std::vector<Oid> roots, KeptRoots(git, true));
  PADDOCK_ASSIGN(const Reached needed, ReachObjects(git, roots));
  PADDOCK_TRY(PruneLoose(git, needed.all, *expiry, false, false));
  return 0;
}

struct RepackOptions {
  bool all = false, all_loosened = false, removes = false, quiet = false, local = false, no_update = false, keeps_unreachable = false, fresh = false, takes_kept = false, islands = false;
  std::optional<std::string> unpack_unreachable;
  std::optional<int64_t> window, depth, threads, window_memory;
  std::vector<std::string> kept_packs;
};
template <auto kMember, const char* kName>
Status TakeNumber(RepackOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.*kMember, ParseGitNumber(text, kName));
  return {};
}
constexpr char kWindow[] = "window", kDepth[] = "depth", kThreads[] = "threads", kMemory[] = "window-memory";
constexpr Option kRepackOptions[] = {
    Flag<&RepackOptions::all>('a', nullptr, "pack everything in one pack"),
    Flag<&RepackOptions::all_loosened>('A', nullptr, "the same, and make loose what nobody needs"),
    Flag<&RepackOptions::removes>('d', nullptr, "remove packs that are of no use any more"),
    Flag<&RepackOptions::fresh>('f', nullptr, "make all differences anew (always)"),
    Flag<&RepackOptions::fresh>('F', nullptr, "likewise"),
    Flag<&RepackOptions::no_update>('n', nullptr, "do not write info/refs"),
    Flag<&RepackOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&RepackOptions::local>('l', "local", "only what is in this repository"),
    Value<&RepackOptions::unpack_unreachable>(0, "unpack-unreachable", "DATE", "with -A: but not what is older"),
    Call<TakeNumber<&RepackOptions::window, kWindow>>(0, "window", "N", "bases that are tried for each object (10)"),
    Call<TakeNumber<&RepackOptions::depth, kDepth>>(0, "depth", "N", "of chains of differences (50)"),
    Call<TakeNumber<&RepackOptions::window_memory, kMemory>>(0, "window-memory", "BYTES", "of all of those bases"),
    Call<TakeNumber<&RepackOptions::threads, kThreads>>(0, "threads", "N", "at most so many (there is one)"),
    Value<&RepackOptions::kept_packs>(0, "keep-pack", "NAME", "leave this pack as it is"),
    Flag<&RepackOptions::takes_kept>(0, "pack-kept-objects", "also what packs with .keep have"),
    Flag<&RepackOptions::islands>('i', "delta-islands", "keep differences inside of islands (pack.island says none)"),
    Flag<&RepackOptions::keeps_unreachable>('k', "keep-unreachable", "with -a: also pack what nobody needs"),
};

Result<ExitStatus> RunRepack(Git& git, RepackOptions& options, Args&) {
  if (options.islands && !git.config.GetAll("pack.island").empty()) return Error(Code::kNotSupported, "--delta-islands is not supported where pack.island names some");
  RepackPlan plan{.all = options.all || options.all_loosened, .removes = options.removes, .loosens = options.all_loosened, .keeps_unreachable = options.keeps_unreachable, .is_local = options.local, .updates_server_info = !options.no_update, .takes_kept = options.takes_kept, .kept_packs = options.kept_packs};
  plan.pack.window = static_cast<size_t>(std::max<int64_t>(options.window.value_or(10), 0));
  plan.pack.depth = static_cast<size_t>(std::clamp<int64_t>(options.depth.value_or(50), 0, 4095));
  if (options.window_memory.value_or(0) > 0) plan.pack.window_bytes = std::min(plan.pack.window_bytes, static_cast<uint64_t>(*options.window_memory));
  if (options.unpack_unreachable) {
    PADDOCK_ASSIGN(plan.expiry, ParseExpiry(git, *options.unpack_unreachable));
  }
  PADDOCK_ASSIGN(const bool packed, Repack(git, plan));
  if (!packed && !options.quiet) git.Print("Nothing new to pack.\n");
  return 0;
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
    const auto index = vfs::ReadFile(git.in.fs, stem + ".idx");
    if (!index) continue;
    const auto pack_facts = git.in.fs.Stat(stem + ".pack");
    if (!pack_facts) continue;
    if (const auto pack = Pack::Open(*index, PackBytes([&git, stem] { return git.in.fs.Open(stem + ".pack", vfs::OpenFlags::Read()); }, pack_facts->size))) in_packs += pack->count();
  }
  git.Print("count: " + std::to_string(count) + "\nsize: " + shown(bytes) + "\nin-pack: " + std::to_string(in_packs) + "\npacks: " + std::to_string(stems.size()) + "\nsize-pack: " + shown(packed_bytes) +
            "\nprune-packable: " + std::to_string(packable) + "\ngarbage: 0\nsize-garbage: " + shown(0) + "\n");
  return 0;
}

struct NoOptions {};
Result<ExitStatus> RunUpdateServerInfo(Git& git, NoOptions&, Args&) {
  PADDOCK_TRY(UpdateServerInfo(git));
  return 0;
}

}  // namespace

extern const Subcommand kGc, kRepack, kPrune, kPrunePacked, kPackRefs, kCountObjects, kUpdateServerInfo;
const Subcommand kGc = DefineSubcommand<GcOptions, RunGc>({.name = "gc", .summary = "pack objects and remove what nobody needs", .synopsis = "[<options>]", .options = kGcOptions});
const Subcommand kRepack = DefineSubcommand<RepackOptions, RunRepack>({.name = "repack", .summary = "put loose objects into a pack", .synopsis = "[<options>]", .options = kRepackOptions});
const Subcommand kPrune = DefineSubcommand<PruneOptions, RunPrune>({.name = "prune", .summary = "remove objects that nothing leads to", .synopsis = "[-n] [-v] [--progress] [--expire <time>] [--] [<head>...]", .options = kPruneOptions});
const Subcommand kPrunePacked = DefineSubcommand<PrunePackedOptions, RunPrunePacked>({.name = "prune-packed", .summary = "remove loose objects that are in packs", .synopsis = "[-n | --dry-run] [-q | --quiet]", .options = kPrunePackedOptions});
const Subcommand kPackRefs = DefineSubcommand<PackRefsOptions, RunPackRefs>({.name = "pack-refs", .summary = "put references into one file", .synopsis = "[--all] [--no-prune]", .options = kPackRefsOptions});
const Subcommand kCountObjects = DefineSubcommand<CountOptions, RunCountObjects>({.name = "count-objects", .summary = "tell how many loose objects there are", .synopsis = "[-v] [-H | --human-readable]", .options = kCountOptions});
const Subcommand kUpdateServerInfo = DefineSubcommand<NoOptions, RunUpdateServerInfo>({.name = "update-server-info", .summary = "write what dumb transports read", .synopsis = ""});

}  // namespace paddock::git
