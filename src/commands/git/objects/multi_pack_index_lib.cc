// git multi-pack-index: one index of many packs, for quick look-ups of other gits.
#include <algorithm>

#include "commands/git/objects/repack.h"
#include "commands/git/option_use.h"
#include "commands/git/remote/fetch.h"
#include "git/pack_companions.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

struct Options {
  bool bitmap = false, progress = false, from_stdin = false;
  std::string directory, preferred, snapshot;
  uint64_t batch = 0;
  std::string used;   // letters of the options that only some words have
};
Status TakeBatch(Options& options, std::string_view text) {
  options.used += 'b';
  PADDOCK_ASSIGN(const int64_t size, ParseGitNumber(text, "batch-size"));
  options.batch = static_cast<uint64_t>(std::max<int64_t>(size, 0));
  return {};
}
constexpr std::pair<char, const char*> kOwn[] = {{'p', "preferred-pack"}, {'m', "bitmap"}, {'s', "stdin-packs"}, {'r', "refs-snapshot"}, {'b', "batch-size"}};
constexpr Option kOptions[] = {
    Value<&Options::directory>(0, "object-dir", "DIRECTORY", "of these objects"),
    Call<TakeNotedText<&Options::used, &Options::preferred, 'p'>>(0, "preferred-pack", "PACK", "write: of several copies of an object, that in PACK counts"),
    Call<TakeNotedFlag<&Options::used, &Options::bitmap, 'm'>>(0, "bitmap", nullptr, "write: also what commits lead to (refused)"),
    Flag<&Options::progress>(0, "progress", "show progress (git does after two seconds; this is done by then)"),
    Set<&Options::progress, false>(0, "no-progress", "show none"),
    Call<TakeNotedFlag<&Options::used, &Options::from_stdin, 's'>>(0, "stdin-packs", nullptr, "write: only of the packs whose indexes standard input names"),
    Call<TakeNotedText<&Options::used, &Options::snapshot, 'r'>>(0, "refs-snapshot", "FILE", "write: references for --bitmap (refused)"),
    Call<TakeBatch>(0, "batch-size", "BYTES", "repack: join packs until they are so large; 0: all"),
};

class Files {
 public:
  Files(Git& git, std::string directory) : git_(git), directory_(std::move(directory)) {}
  std::string Path() const { return directory_ + "/pack/multi-pack-index"; }
  std::string Stem(const std::string& index_name) const { return directory_ + "/pack/" + index_name.substr(0, index_name.size() - 4); }
  // Nothing without one. Errors: it is malformed.
  Result<std::optional<MultiPackIndex>> Read() {
    if (!git_.in.fs.Stat(Path())) return std::optional<MultiPackIndex>();
    PADDOCK_ASSIGN(bytes_, vfs::ReadFile(git_.in.fs, Path()));
    constexpr size_t kLeast = 44;
    const std::string below = git_.work_tree + "/";
    if (bytes_.size() < kLeast) return Error(Code::kCorrupt, "multi-pack-index file " + (Path().starts_with(below) ? Path().substr(below.size()) : Path()) + " is too small");
    PADDOCK_ASSIGN(MultiPackIndex index, ParseMultiPackIndex(bytes_, git_.in.budget));
    // Names are files of this directory.
    for (const std::string& name : index.names) {
      if (!name.ends_with(".idx") || name.find('/') != std::string::npos) return Error(Code::kCorrupt, "multi-pack-index has a bad pack name");
    }
    return std::optional<MultiPackIndex>(std::move(index));
  }
  const std::string& bytes() const { return bytes_; }

  Result<ExitStatus> Write(const Options& options) {
    if (options.bitmap || !options.snapshot.empty()) return Error(Code::kNotSupported, "bitmaps of a multi-pack-index are not supported: --bitmap, --refs-snapshot");
    std::set<std::string> wanted;
    while (options.from_stdin) {
      const auto line = git_.in.in.ReadLine();
      if (!line) break;
      git_.in.budget.Step();
      wanted.emplace(line->text);
    }
    std::vector<std::string> stems = git_.objects.PackStems();
    if (options.from_stdin) std::erase_if(stems, [&wanted](const std::string& stem) { return !wanted.contains(vfs::BaseName(stem) + ".idx"); });
    if (stems.empty()) return git_.Complain("no pack files to index.");
    std::string preferred = options.preferred;
    for (const char* end : {".idx", ".pack"}) {
      if (preferred.ends_with(end)) preferred.resize(preferred.size() - std::string_view(end).size());
    }
    PADDOCK_TRY(WriteMultiIndex(git_, directory_, stems, preferred));
    return 0;
  }

 private:
  Git& git_;
  std::string directory_, bytes_;
};

Result<ExitStatus> Verify(Git& git, Files& files) {
  const auto index = files.Read();
  if (!index) {
    git.Complain(index.error().Text());
    return git.Complain("multi-pack-index file exists, but failed to parse");
  }
  if (!*index) return 0;
  ExitStatus status = 0;
  const auto complain = [&](const std::string& why) {
    git.Say(why + "\n");
    status = 1;
  };
  const std::string_view bytes = files.bytes();
  if (DigestOf(DigestAlgorithm::kSha1, bytes.substr(0, bytes.size() - 20)) != bytes.substr(bytes.size() - 20)) complain("incorrect checksum");
  std::vector<std::optional<Pack>> packs;
  for (size_t i = 0; i < (*index)->names.size(); ++i) {
    auto pack = OpenPack(git.in.fs, files.Stem((*index)->names[i]));
    if (!pack) complain("failed to load pack in position " + std::to_string(i));
    packs.push_back(pack ? std::optional<Pack>(std::move(*pack)) : std::nullopt);
  }
  const std::vector<MultiPackEntry>& entries = (*index)->entries;
  for (size_t i = 0; i < entries.size(); ++i) {
    git.in.budget.Step(4);
    const MultiPackEntry& entry = entries[i];
    if (i > 0 && !(entries[i - 1].id < entry.id)) complain("oid lookup out of order: oid[" + std::to_string(i - 1) + "] = " + entries[i - 1].id.Hex() + " >= " + entry.id.Hex() + " = oid[" + std::to_string(i) + "]");
    if (!packs[entry.pack]) continue;
    const auto offset = packs[entry.pack]->Find(entry.id);
    const std::string name = "oid[" + std::to_string(i) + "] = " + entry.id.Hex();
    const auto hex = [](uint64_t value) {
      std::string digits;
      do digits.insert(digits.begin(), "0123456789abcdef"[value & 15]);
      while ((value >>= 4) > 0);
      return digits;
    };
    if (!offset) complain("failed to load pack entry for " + name);
    else if (*offset != entry.offset) complain("incorrect object offset for " + name + ": " + hex(entry.offset) + " != " + hex(*offset));
  }
  return status;
}

// Packs of which no copy counts go.
Result<ExitStatus> Expire(Git& git, Files& files, const std::string& directory) {
  PADDOCK_ASSIGN(const auto index, files.Read());
  if (!index) return 0;
  std::vector<size_t> counts(index->names.size(), 0);
  for (const MultiPackEntry& entry : index->entries) ++counts[entry.pack];
  std::vector<std::string> stay, go;
  for (size_t i = 0; i < counts.size(); ++i) {
    const std::string stem = files.Stem(index->names[i]);
    const bool is_kept = git.in.fs.Stat(stem + ".keep") || git.in.fs.Stat(stem + ".mtimes");
    (counts[i] > 0 || is_kept ? stay : go).push_back(stem);
  }
  if (go.empty()) return 0;
  for (const std::string& stem : go) git.objects.RemovePack(stem);
  PADDOCK_TRY(WriteMultiIndex(git, directory, stay, ""));
  return 0;
}

// The oldest packs, as many as make up the batch, become one more pack whose copies count.
Result<ExitStatus> RepackBatch(Git& git, Files& files, const std::string& directory, uint64_t batch) {
  PADDOCK_ASSIGN(const auto index, files.Read());
  if (!index) return 0;
  struct Candidate {
    int64_t time;
    size_t number;
    uint64_t size;
  };
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < index->names.size(); ++i) {
    const std::string stem = files.Stem(index->names[i]);
    const auto facts = git.in.fs.Stat(stem + ".pack");
    if (!facts || git.in.fs.Stat(stem + ".keep") || git.in.fs.Stat(stem + ".mtimes") || (batch > 0 && facts->size >= batch)) continue;
    candidates.push_back({facts->modify_time.count(), i, facts->size});
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return std::pair(a.time, a.number) < std::pair(b.time, b.number); });
  std::set<uint32_t> chosen;
  uint64_t total = 0;
  for (const Candidate& candidate : candidates) {
    if (batch > 0 && total >= batch) break;
    total += candidate.size;
    chosen.insert(static_cast<uint32_t>(candidate.number));
  }
  if (chosen.size() < 2 || total < batch) return 0;
  std::vector<Oid> ids;
  for (const MultiPackEntry& entry : index->entries) {
    if (chosen.contains(entry.pack)) ids.push_back(entry.id);
  }
  const PackPlan plan;
  PADDOCK_ASSIGN(const PackIndex made, WriteOwnPackFiles(git.in.fs, git.objects, [&](const PackSink& sink) { return WriteDeltaPack(ids, [&git](const Oid& id) { return git.objects.Read(id); }, sink, plan, git.in.budget); }, git.in.budget));
  PADDOCK_TRY(WriteMultiIndex(git, directory, git.objects.PackStems(), "pack-" + made.name));
  return 0;
}

Result<ExitStatus> Run(Git& git, Options& options, Args& args) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"write", "pmsr"}, {"verify", ""}, {"expire", ""}, {"repack", "b"}};
  const std::vector<std::string> words = args.All();
  const auto word = std::find_if(std::begin(kWords), std::end(kWords), [&words](const auto& known) { return !words.empty() && known.first == words[0]; });
  if (words.empty()) git.Say("error: need a subcommand\n");
  else if (word == std::end(kWords)) git.Say("error: unknown subcommand: `" + words[0] + "'\n");
  const auto stray = word == std::end(kWords) ? options.used.end() : std::find_if(options.used.begin(), options.used.end(), [&word](char letter) { return word->second.find(letter) == std::string_view::npos; });
  if (stray != options.used.end()) git.Say(std::string("error: unknown option `") + std::find_if(std::begin(kOwn), std::end(kOwn), [&stray](const auto& one) { return one.first == *stray; })->second + "'\n");
  if (word == std::end(kWords) || words.size() > 1 || stray != options.used.end()) {
    git.Say("usage: git multi-pack-index [<options>] write [--preferred-pack=<pack>][--refs-snapshot=<path>]\n   or: git multi-pack-index [<options>] verify\n"
            "   or: git multi-pack-index [<options>] expire\n   or: git multi-pack-index [<options>] repack [--batch-size=<size>]\n");
    return 129;
  }
  std::string directory = options.directory.empty() ? git.objects.directory() : vfs::JoinPath(std::string(git.in.fs.cwd()), options.directory);
  while (directory.size() > 1 && directory.ends_with('/')) directory.pop_back();
  if (directory != git.objects.directory()) return Error(Code::kNoEntry, "could not find object directory matching " + options.directory);
  Files files(git, directory);
  if (word->first == "write") return files.Write(options);
  if (word->first == "verify") return Verify(git, files);
  if (word->first == "expire") return Expire(git, files, directory);
  return RepackBatch(git, files, directory, options.batch);
}

}  // namespace

extern const Subcommand kMultiPackIndex;
const Subcommand kMultiPackIndex = DefineSubcommand<Options, Run>({.name = "multi-pack-index", .summary = "write one index of many packs", .synopsis = "[<options>] write [--preferred-pack=<pack>]\n[<options>] verify\n[<options>] expire\n[<options>] repack [--batch-size=<size>]", .options = kOptions});

}  // namespace paddock::git
