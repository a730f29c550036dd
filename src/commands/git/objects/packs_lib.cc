// git verify-pack, index-pack and unpack-objects.
#include <algorithm>

#include "commands/git/objects/pack_repair.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/remote.h"
#include "git/big_endian.h"
#include "git/check.h"
#include "git/delta_pack.h"
#include "git/pack.h"
#include "git/pack_entry.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

struct VerifyOptions {
  bool verbose = false, only_statistics = false;
  std::string format;
};
// Of --object-format. Errors: git's, when it is none that is there.
Status CheckFormat(const std::string& format) {
  if (format.empty() || format == "sha1") return {};
  if (format == "sha256") return Error(Code::kNotSupported, "other hashes than SHA-1 are not supported");
  return Error(Code::kInvalid, "unknown hash algorithm '" + format + "'");
}
constexpr Option kVerifyOptions[] = {
    Flag<&VerifyOptions::verbose>('v', "verbose", "list the objects"),
    Flag<&VerifyOptions::only_statistics>('s', "stat-only", "only tell how long chains of differences are"),
    Value<&VerifyOptions::format>(0, "object-format", "HASH", "sha1"),
};

struct Listed {
  Oid id;
  uint64_t offset = 0;
};

Result<std::string> ListPack(Git& git, Pack& pack, const std::string& path, uint64_t size, bool with_objects) {
  std::vector<Listed> objects;
  git.in.budget.WillAllocate(pack.count() * 96);
  for (size_t i = 0; i < pack.count(); ++i) {
    git.in.budget.Step();
    const Oid id = pack.IdAt(i);
    objects.push_back({id, pack.Find(id).value_or(0)});
  }
  std::sort(objects.begin(), objects.end(), [](const Listed& a, const Listed& b) { return a.offset < b.offset; });
  std::map<uint64_t, Oid> ids;
  for (const Listed& object : objects) ids[object.offset] = object.id;
  PackBytes bytes([&git, path] { return git.in.fs.Open(path, vfs::OpenFlags::Read()); }, size);
  struct Chain {
    size_t depth = 0;
    Oid base;
  };
  std::map<uint64_t, Chain> chains;
  std::map<size_t, size_t> lengths;
  std::string text;
  const auto missing = [&git](const Oid& id) { return git.objects.Read(id); };
  for (size_t i = 0; i < objects.size(); ++i) {
    git.in.budget.Step(4);
    const auto& [id, offset] = objects[i];
    PADDOCK_ASSIGN(const std::string_view front, bytes.From(offset, kMostEntryHead));
    PADDOCK_ASSIGN(const EntryHead head, ReadEntryHead(front, offset));
    Chain chain;
    if (head.is_difference()) {
      // Bases by offset come first in the pack.
      uint64_t base = head.base_offset;
      if (head.kind == 7) base = pack.Find(head.base_id).value_or(0);
      const auto found = ids.find(base);
      chain.base = head.kind == 7 ? head.base_id : found == ids.end() ? Oid{} : found->second;
      chain.depth = chains[base].depth + 1;
    }
    chains[offset] = chain;
    ++lengths[chain.depth];
    if (!with_objects) continue;
    PADDOCK_ASSIGN(const Object object, pack.Read(offset, missing, git.in.budget));
    const uint64_t end = i + 1 < objects.size() ? objects[i + 1].offset : size - 20;
    std::string type(TypeName(object.type));
    type.resize(std::max<size_t>(type.size(), 6), ' ');
    text += id.Hex() + " " + type + " " + std::to_string(head.size) + " " + std::to_string(end - offset) + " " + std::to_string(offset);
    if (chain.depth > 0) text += " " + std::to_string(chain.depth) + " " + chain.base.Hex();
    text += "\n";
  }
  const auto plural = [](size_t count) { return std::to_string(count) + (count == 1 ? " object\n" : " objects\n"); };
  for (const auto& [depth, count] : lengths) text += (depth == 0 ? "non delta: " : "chain length = " + std::to_string(depth) + ": ") + plural(count);
  return text;
}

Result<ExitStatus> RunVerify(Invocation& in, Git* maybe_git, VerifyOptions& options, Args& args) {
  const std::vector<std::string> names = args.All();
  if (names.empty()) {
    in.err.Write("usage: git verify-pack [-v | --verbose] [-s | --stat-only] [--] <pack>.idx...\n");
    return 129;
  }
  if (const Status known = CheckFormat(options.format); !known) {
    in.err.Write("fatal: " + std::string(known.error().Text()) + "\n");
    return 1;
  }
  if (maybe_git == nullptr) return Error(Code::kNoEntry, std::string(kNoRepository));
  Git& git = *maybe_git;
  ExitStatus status = 0;
  for (const std::string& name : names) {
    std::string stem = name;
    for (const char* end : {".idx", ".pack"}) {
      if (stem.ends_with(end)) stem.resize(stem.size() - std::string_view(end).size());
    }
    const std::string path = stem + ".pack";
    const auto fail = [&](std::string_view why) {
      git.in.out.Flush();
      if (!why.empty()) git.Complain(why);
      if (options.verbose) git.Print(path + ": bad\n");
      status = 1;
    };
    const auto facts = in.fs.Stat(path);
    auto index = vfs::ReadFile(in.fs, stem + ".idx");
    if (!facts || !index) {
      git.Say("fatal: Cannot open existing pack file '" + stem + ".idx'\n");
      fail("");
      continue;
    }
    const PackBytes::Opener open = [&in, path] { return in.fs.Open(path, vfs::OpenFlags::Read()); };
    if (!options.only_statistics) {
      const auto made = Pack::MakeIndex(PackBytes(open, facts->size), in.budget);
      if (!made) {
        git.Say("fatal: " + std::string(made.error().Text()) + "\n");
        fail("");
        continue;
      }
      const auto first = FirstVersionIndex(made->bytes, in.budget);
      if ((!first || *first != *index) && (made->bytes.size() != index->size() || std::string_view(made->bytes).substr(0, made->bytes.size() - 20) != std::string_view(*index).substr(0, index->size() - 20))) {
        git.Say("fatal: Packfile index for " + path + " does not match\n");
        fail("");
        continue;
      }
    }
    auto pack = Pack::Open(std::move(*index), PackBytes(open, facts->size));
    if (!pack) {
      fail(pack.error().Text());
      continue;
    }
    if (!options.verbose && !options.only_statistics) continue;
    PADDOCK_ASSIGN(const std::string text, ListPack(git, *pack, path, facts->size, options.verbose && !options.only_statistics));
    git.Print(text);
    if (options.verbose && !options.only_statistics) git.Print(path + ": ok\n");
  }
  return status;
}

struct IndexOptions {
  std::string output, format;
  bool from_stdin = false, verbose = false, fix_thin = false, strict = false, verify = false;
  std::optional<bool> reverse;
  std::optional<std::string> keep;
  int64_t version = 2;
  uint64_t most = 0;
};
Status TakeKeep(IndexOptions& options, std::string_view text) {
  options.keep = text.empty() ? "" : std::string(text) + "\n";
  return {};
}
Status TakeStrict(IndexOptions& options, std::string_view) {
  options.strict = true;
  return {};
}
constexpr Option kIndexOptions[] = {
    Value<&IndexOptions::output>('o', nullptr, "FILE", "write the index to FILE"),
    Flag<&IndexOptions::from_stdin>(0, "stdin", "read the pack from standard input, and put it into the repository"),
    Flag<&IndexOptions::fix_thin>(0, "fix-thin", "with --stdin: add bases that the pack lacks"),
    Flag<&IndexOptions::verbose>('v', nullptr, "show progress"),
    CallOptional<TakeKeep>(0, "keep", "TEXT", "mark the pack so that it stays"),
    Set<&IndexOptions::reverse, true>(0, "rev-index", "also write the file .rev"),
    Set<&IndexOptions::reverse, false>(0, "no-rev-index", "do not (the default)"),
    Flag<&IndexOptions::verify>(0, "verify", "only check a pack and its index"),
    CallOptional<TakeStrict>(0, "strict", "WHAT", "fail when an object is malformed or something is missing"),
    Value<&IndexOptions::version>(0, "index-version", "N", "of the index, 1 or 2"),
    Value<&IndexOptions::most>(0, "max-input-size", "BYTES", "take no larger pack"),
    Value<&IndexOptions::format>(0, "object-format", "HASH", "sha1"),
};

// Copies standard input to a file of the repository.
Result<std::string> TakeInput(Git& git, uint64_t most) {
  PADDOCK_ASSIGN(const std::string path, git.objects.NewPackPath());
  const std::string bytes = git.in.in.ReadAll();
  if (bytes.size() < 32) return Error(Code::kCorrupt, "early EOF");
  if (most > 0 && bytes.size() > most) return Error(Code::kFileTooBig, "pack exceeds maximum allowed size");
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, path, bytes, 0444));
  return path;
}

// What is malformed in the objects of a pack, or not there of what they name: --strict.
Status CheckObjects(Invocation& in, Git* git, const PackIndex& index, const std::string& path, uint64_t size) {
  PADDOCK_ASSIGN(Pack pack, Pack::Open(index.bytes, PackBytes([&in, path] { return in.fs.Open(path, vfs::OpenFlags::Read()); }, size)));
  const auto outside = [git](const Oid& id) -> Result<Object> { return git != nullptr ? git->objects.Read(id) : Result<Object>(Error(Code::kCorrupt, "a base is missing")); };
  std::vector<std::pair<Oid, Oid>> links;
  for (size_t i = 0; i < pack.count(); ++i) {
    in.budget.Step(4);
    in.budget.WillAllocate(64);
    const Oid id = pack.IdAt(i);
    PADDOCK_ASSIGN(const Object object, pack.Read(pack.Find(id).value_or(0), outside, in.budget));
    for (const ObjectProblem& problem : CheckObject(object.type, object.data, true, in.budget)) {
      if (!problem.is_error) continue;
      in.err.Write("error: object " + id.Hex() + ": " + problem.id + ": " + problem.text + "\n");
      return Error(Code::kCorrupt, "fsck error in packed object");
    }
    if (object.type == ObjectType::kTree) {
      PADDOCK_ASSIGN(const std::vector<TreeEntry> tree, ParseTree(object.data, in.budget));
      for (const TreeEntry& entry : tree) {
        if (entry.mode != kModeCommit) links.emplace_back(id, entry.id);
      }
    } else if (object.type == ObjectType::kCommit) {
      PADDOCK_ASSIGN(const Commit commit, ParseCommit(object.data, in.budget));
      links.emplace_back(id, commit.tree);
      for (const Oid& parent : commit.parents) links.emplace_back(id, parent);
    } else if (object.type == ObjectType::kTag) {
      PADDOCK_ASSIGN(const Tag tag, ParseTag(object.data));
      links.emplace_back(id, tag.object);
    }
  }
  for (const auto& [from, to] : links) {
    in.budget.Step();
    if (!pack.Find(to) && (git == nullptr || !git->objects.Has(to))) return Error(Code::kCorrupt, "did not receive expected object " + to.Hex());
  }
  return {};
}

// Writes the files beside a pack whose path begins so.
Status WriteBeside(Invocation& in, const IndexOptions& options, const PackIndex& made, const std::string& stem, const std::string& target) {
  std::string bytes = made.bytes;
  if (options.version == 1) {
    const auto first = FirstVersionIndex(made.bytes, in.budget);
    if (!first) return Error(Code::kRange, "pack is too large for an index of version 1");
    bytes = *first;
  }
  static_cast<void>(in.fs.RemoveFile(target).has_value());
  PADDOCK_TRY(vfs::WriteFile(in.fs, target, bytes, 0444));
  if (options.reverse == true) {
    static_cast<void>(in.fs.RemoveFile(stem + ".rev").has_value());
    PADDOCK_TRY(vfs::WriteFile(in.fs, stem + ".rev", ReverseIndex(made.bytes, in.budget), 0444));
  }
  return options.keep ? vfs::WriteFile(in.fs, stem + ".keep", *options.keep, 0600) : Status();
}

Result<PackIndex> IndexOf(Invocation& in, const std::string& path, uint64_t size) {
  return Pack::MakeIndex(PackBytes([&in, path] { return in.fs.Open(path, vfs::OpenFlags::Read()); }, size), in.budget);
}

Result<ExitStatus> RunIndexPack(Invocation& in, Git* git, IndexOptions& options, Args& args) {
  const std::vector<std::string> names = args.All();
  PADDOCK_TRY(CheckFormat(options.format));
  if (options.version != 1 && options.version != 2) return Error(Code::kInvalid, "bad --index-version=" + std::to_string(options.version));
  if (options.fix_thin && !options.from_stdin) return Error(Code::kInvalid, "the option '--fix-thin' requires '--stdin'");
  if (options.from_stdin) {
    if (git == nullptr) return Error(Code::kInvalid, "--stdin requires a git repository");
    PADDOCK_ASSIGN(const std::string path, TakeInput(*git, options.most));
    const auto remove = [&] { static_cast<void>(in.fs.RemoveFile(path).has_value()); };
    if (options.fix_thin) {
      if (const Status fixed = CompleteThinPack(*git, path); !fixed) {
        remove();
        return fixed.error();
      }
    }
    const auto facts = in.fs.Stat(path);
    const auto made = IndexOf(in, path, facts ? facts->size : 0);
    const Status checked = !made ? Status(made.error()) : options.strict ? CheckObjects(in, git, *made, path, facts->size) : Status();
    if (!checked) {
      remove();
      return checked.error();
    }
    if (options.verbose) ShowProgress(in, "", "Indexing objects", made->count);
    PADDOCK_TRY(git->objects.AddPack(path));
    const std::string stem = git->objects.directory() + "/pack/pack-" + made->name;
    PADDOCK_TRY(WriteBeside(in, options, *made, stem, stem + ".idx"));
    in.out.Write((options.keep ? "keep\t" : "pack\t") + made->name + "\n");
    return 0;
  }
  if (names.size() != 1) {
    in.err.Write("usage: git index-pack [-v] [-o <index-file>] [--keep | --keep=<msg>] [--[no-]rev-index] [--verify] [--strict] (<pack-file> | --stdin [--fix-thin] [<pack-file>])\n");
    return 129;
  }
  if (!names[0].ends_with(".pack") && options.output.empty()) return Error(Code::kInvalid, "packfile name '" + names[0] + "' does not end with '.pack'");
  const std::string stem = names[0].ends_with(".pack") ? names[0].substr(0, names[0].size() - 5) : names[0];
  const auto facts = in.fs.Stat(names[0]);
  if (options.verify) {
    const auto index = vfs::ReadFile(in.fs, stem + ".idx");
    if (!index || !facts) return Error(Code::kNoEntry, "Cannot open existing pack file '" + stem + ".idx'");
    PADDOCK_ASSIGN(const PackIndex made, IndexOf(in, names[0], facts->size));
    const auto first = FirstVersionIndex(made.bytes, in.budget);
    if (*index != made.bytes && (!first || *index != *first)) return Error(Code::kCorrupt, "Packfile index for " + names[0] + " does not match");
    return 0;
  }
  if (!facts) return Error(Code::kNoEntry, "cannot open packfile '" + names[0] + "': No such file or directory");
  if (options.most > 0 && facts->size > options.most) return Error(Code::kFileTooBig, "pack exceeds maximum allowed size (" + std::to_string(options.most) + " bytes)");
  PADDOCK_ASSIGN(const PackIndex made, IndexOf(in, names[0], facts->size));
  if (options.strict) PADDOCK_TRY(CheckObjects(in, git, made, names[0], facts->size));
  if (options.verbose) ShowProgress(in, "", "Indexing objects", made.count);
  PADDOCK_TRY(WriteBeside(in, options, made, stem, options.output.empty() ? stem + ".idx" : options.output));
  in.out.Write(made.name + "\n");
  return 0;
}

struct UnpackOptions {
  bool dry_run = false, quiet = false, recovers = false, strict = false;
  uint64_t most = 0;
};
constexpr Option kUnpackOptions[] = {
    Flag<&UnpackOptions::dry_run>('n', nullptr, "only check the pack"),
    Flag<&UnpackOptions::quiet>('q', nullptr, "show no progress"),
    Flag<&UnpackOptions::recovers>('r', nullptr, "write the objects in front of what is damaged"),
    Flag<&UnpackOptions::strict>(0, "strict", "write nothing when an object is malformed or something is missing"),
    Value<&UnpackOptions::most>(0, "max-input-size", "BYTES", "take no larger pack"),
};
Result<ExitStatus> RunUnpack(Git& git, UnpackOptions& options, Args&) {
  PADDOCK_ASSIGN(const std::string path, TakeInput(git, options.most));
  const auto facts = git.in.fs.Stat(path);
  const uint64_t size = facts ? facts->size : 0;
  const auto made = IndexOf(git.in, path, size);
  const Status checked = !made ? Status(made.error()) : options.strict ? CheckObjects(git.in, &git, *made, path, size) : Status();
  if (!checked && options.recovers && !options.strict && !options.dry_run) {
    // The objects up to the first that cannot be read.
    PADDOCK_TRY(RecoverPack(git, path));
  }
  if (!checked || options.dry_run) {
    static_cast<void>(git.in.fs.RemoveFile(path).has_value());
    return checked ? Result<ExitStatus>(0) : checked.error();
  }
  PADDOCK_TRY(git.objects.AddPack(path, SIZE_MAX));
  return 0;
}

struct ShowOptions {
  std::string format;
};
constexpr Option kShowOptions[] = {Value<&ShowOptions::format>(0, "object-format", "HASH", "sha1")};
Result<ExitStatus> RunShowIndex(Invocation& in, Git*, ShowOptions& options, Args&) {
  PADDOCK_TRY(CheckFormat(options.format));
  const std::string index = in.in.ReadAll();
  const bool is_second = index.starts_with(std::string_view("\377tOc\0\0\0\2", 8));
  const size_t table = is_second ? 8 : 0, names = table + 256 * 4;
  if (index.size() < names + 40) return Error(Code::kCorrupt, "unable to read header");
  const size_t count = Read32(index, table + 255 * 4);
  if (count > (index.size() - names - 40) / (is_second ? 28 : 24)) return Error(Code::kCorrupt, "unable to read index");
  for (size_t i = 0; i < count; ++i) {
    in.budget.Step();
    if (!is_second) {
      in.out.Write(std::to_string(Read32(index, names + i * 24)) + " " + Oid::FromBytes(std::string_view(index).substr(names + i * 24 + 4)).Hex() + "\n");
      continue;
    }
    uint64_t offset = Read32(index, names + count * 24 + i * 4);
    if ((offset & 0x80000000u) != 0) {
      const size_t at = names + count * 28 + (offset & 0x7fffffff) * 8;
      if (at + 8 > index.size()) return Error(Code::kCorrupt, "inconsistent 64b offset index");
      offset = uint64_t{Read32(index, at)} << 32 | Read32(index, at + 4);
    }
    std::string sum;
    for (int shift = 28; shift >= 0; shift -= 4) sum += "0123456789abcdef"[Read32(index, names + count * 20 + i * 4) >> shift & 15];
    in.out.Write(std::to_string(offset) + " " + Oid::FromBytes(std::string_view(index).substr(names + i * 20)).Hex() + " (" + sum + ")\n");
  }
  return 0;
}

}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kVerifyPack, kIndexPack, kUnpackObjects, kShowIndex;
const Subcommand kShowIndex = DefineFreeSubcommand<ShowOptions, RunShowIndex>({.name = "show-index", .summary = "list what the index of a pack on standard input has", .synopsis = "[--object-format=<hash>]", .options = kShowOptions, .needs = Needs::kNothing});
const Subcommand kVerifyPack = DefineFreeSubcommand<VerifyOptions, RunVerify>({.name = "verify-pack", .summary = "check packs", .synopsis = "[-v | --verbose] [-s | --stat-only] [--] <pack>.idx...", .options = kVerifyOptions, .needs = Needs::kMaybeRepository});
const Subcommand kIndexPack = DefineFreeSubcommand<IndexOptions, RunIndexPack>({.name = "index-pack", .summary = "make the index of a pack", .synopsis = "[-v] [-o <index-file>] [--keep | --keep=<msg>] (<pack-file> | --stdin)", .options = kIndexOptions, .needs = Needs::kMaybeRepository});
const Subcommand kUnpackObjects = DefineSubcommand<UnpackOptions, RunUnpack>({.name = "unpack-objects", .summary = "make loose objects of a pack", .synopsis = "[-n] [-q] [-r] [--strict]", .options = kUnpackOptions});

}  // namespace paddock::git
