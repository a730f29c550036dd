// git repack.
#include <algorithm>

#include "commands/git/objects/repack.h"
#include "commands/git/remote/fetch.h"

namespace paddock::git {
namespace {

struct RepackOptions {
  bool all = false, all_loosened = false, removes = false, quiet = false, local = false, no_update = false, keeps_unreachable = false, fresh = false, islands = false, cruft = false, multi_index = false;
  std::optional<bool> takes_kept, bitmap;
  std::string expire_to;
  std::optional<std::string> unpack_unreachable, cruft_expiration;
  std::optional<int64_t> window, depth, threads, window_memory, factor, most;
  std::vector<std::string> kept_packs;
};
template <auto kMember, const char* kName>
Status TakeNumber(RepackOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.*kMember, ParseGitNumber(text, kName));
  return {};
}
constexpr char kWindow[] = "window", kDepth[] = "depth", kThreads[] = "threads", kMemory[] = "window-memory", kFactor[] = "geometric", kMost[] = "max-pack-size";
constexpr int64_t kLeastPack = 1 << 20;
constexpr std::string_view kNoIncrementalBitmap = "Incremental repacks are incompatible with bitmap indexes.  Use\n--no-write-bitmap-index or disable the pack.writeBitmaps configuration.";
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
    Set<&RepackOptions::takes_kept, true>(0, "pack-kept-objects", "also what packs with .keep have"),
    Flag<&RepackOptions::cruft>(0, "cruft", "like -a, and put what nobody needs into a pack of its own"),
    Value<&RepackOptions::cruft_expiration>(0, "cruft-expiration", "DATE", "with --cruft: but not what is older"),
    Value<&RepackOptions::expire_to>(0, "expire-to", "START", "with --cruft: put that into packs whose names begin so"),
    Call<TakeNumber<&RepackOptions::factor, kFactor>>('g', "geometric", "N", "join small packs until each has N times more objects than those below it"),
    Call<TakeNumber<&RepackOptions::most, kMost>>(0, "max-pack-size", "BYTES", "begin another pack behind so many"),
    Set<&RepackOptions::bitmap, true>('b', "write-bitmap-index", "with -a: write what commits lead to beside the pack"),
    Set<&RepackOptions::bitmap, false>(0, "no-write-bitmap-index", "do not (the default, but in bare repositories)"),
    Flag<&RepackOptions::multi_index>('m', "write-midx", "write one index of all packs"),
    Flag<&RepackOptions::islands>('i', "delta-islands", "keep differences inside of islands (pack.island says none)"),
    Flag<&RepackOptions::keeps_unreachable>('k', "keep-unreachable", "with -a: also pack what nobody needs"),
};

Status CheckTogether(const RepackOptions& options) {
  const auto clash = [](const char* a, const char* b) { return Error(Code::kInvalid, std::string("options '") + a + "' and '" + b + "' cannot be used together"); };
  if (options.keeps_unreachable && (options.all_loosened || options.unpack_unreachable)) return clash("--keep-unreachable", "-A");
  if (options.cruft && options.all_loosened) return clash("--cruft", "-A");
  if (options.cruft && options.keeps_unreachable) return clash("--cruft", "-k");
  if (options.factor.value_or(0) > 0 && (options.all || options.all_loosened)) return clash("--geometric", "-A/-a");
  return {};
}

Result<ExitStatus> RunRepack(Git& git, RepackOptions& options, Args& args) {
  if (!args.All().empty()) return git.Complain("usage: git repack [<options>]", 129);
  if (options.islands) PADDOCK_TRY(CheckIslands(git));
  PADDOCK_TRY(CheckTogether(options));
  const bool all = options.all || options.all_loosened || options.cruft;
  const bool by_default = git.is_bare && all && !options.multi_index && git.config.GetBool("repack.writebitmaps", git.config.GetBool("pack.writebitmaps", true));
  const bool bitmap = options.bitmap.value_or(by_default);
  if (bitmap && options.multi_index) return Error(Code::kNotSupported, "bitmaps of a multi-pack-index are not supported: --write-bitmap-index with --write-midx");
  if (bitmap && !all) return Error(Code::kInvalid, std::string(kNoIncrementalBitmap));
  if (options.most && *options.most > 0 && *options.most < kLeastPack) {
    git.Warn("minimum pack size limit is 1 MiB");
    options.most = kLeastPack;
  }
  RepackPlan plan{.all = all, .removes = options.removes, .loosens = options.all_loosened, .keeps_unreachable = options.keeps_unreachable, .makes_cruft = options.cruft, .expire_to = options.expire_to, .factor = std::max<int64_t>(options.factor.value_or(0), 0),
                  .is_local = options.local, .updates_server_info = !options.no_update, .takes_kept = options.takes_kept.value_or(options.bitmap == true), .writes_bitmap = bitmap, .writes_multi_index = options.multi_index,
                  .most = static_cast<uint64_t>(std::max<int64_t>(options.most.value_or(0), 0)), .kept_packs = options.kept_packs};
  plan.pack.window = static_cast<size_t>(std::max<int64_t>(options.window.value_or(10), 0));
  plan.pack.depth = static_cast<size_t>(std::clamp<int64_t>(options.depth.value_or(50), 0, 4095));
  if (options.window_memory.value_or(0) > 0) plan.pack.window_bytes = std::min(plan.pack.window_bytes, static_cast<uint64_t>(*options.window_memory));
  if (const auto& text = options.cruft ? options.cruft_expiration : options.unpack_unreachable) {
    PADDOCK_ASSIGN(plan.expiry, ParseExpiry(git, *text));
  }
  PADDOCK_ASSIGN(const bool packed, Repack(git, plan));
  if (!packed && !options.quiet) git.Print("Nothing new to pack.\n");
  return 0;
}

}  // namespace

extern const Subcommand kRepack;
const Subcommand kRepack = DefineSubcommand<RepackOptions, RunRepack>({.name = "repack", .summary = "put loose objects into a pack", .synopsis = "[<options>]", .options = kRepackOptions});

}  // namespace paddock::git
