// git verify-pack, index-pack, unpack-objects and pack-objects.
#include <algorithm>

#include "commands/git/reach.h"
#include "commands/git/revision.h"
#include "git/pack.h"
#include "git/pack_entry.h"
#include "text/unified_diff.h"

namespace paddock::git {
namespace {

struct VerifyOptions {
  bool verbose = false, only_statistics = false;
};
constexpr Option kVerifyOptions[] = {
    Flag<&VerifyOptions::verbose>('v', "verbose", "list the objects"),
    Flag<&VerifyOptions::only_statistics>('s', "stat-only", "only tell how long chains of differences are"),
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
      if (made->bytes.size() != index->size() || std::string_view(made->bytes).substr(0, made->bytes.size() - 20) != std::string_view(*index).substr(0, index->size() - 20)) {
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
  std::string output;
  bool from_stdin = false, verbose = false, keep = false;
};
Status TakeKeep(IndexOptions& options, std::string_view) {
  options.keep = true;
  return {};
}
constexpr Option kIndexOptions[] = {
    Value<&IndexOptions::output>('o', nullptr, "FILE", "write the index to FILE"),
    Flag<&IndexOptions::from_stdin>(0, "stdin", "read the pack from standard input, and put it into the repository"),
    Flag<&IndexOptions::verbose>('v', nullptr, "show progress (on a terminal)"),
    CallOptional<TakeKeep>(0, "keep", "TEXT", "mark the pack so that it stays"),
};

// Copies standard input to a file of the repository.
Result<std::string> TakeInput(Git& git) {
  PADDOCK_ASSIGN(const std::string path, git.objects.NewPackPath());
  const std::string bytes = git.in.in.ReadAll();
  if (bytes.size() < 32) return Error(Code::kCorrupt, "early EOF");
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, path, bytes, 0444));
  return path;
}

Result<ExitStatus> RunIndexPack(Invocation& in, Git* git, IndexOptions& options, Args& args) {
  const std::vector<std::string> names = args.All();
  if (options.from_stdin) {
    if (git == nullptr) return Error(Code::kInvalid, "--stdin requires a git repository");
    PADDOCK_ASSIGN(const std::string path, TakeInput(*git));
    const auto facts = in.fs.Stat(path);
    const auto made = Pack::MakeIndex(PackBytes([&in, path] { return in.fs.Open(path, vfs::OpenFlags::Read()); }, facts ? facts->size : 0), in.budget);
    if (!made) {
      static_cast<void>(in.fs.RemoveFile(path).has_value());
      return made.error();
    }
    PADDOCK_TRY(git->objects.AddPack(path));
    if (options.keep) PADDOCK_TRY(vfs::WriteFile(in.fs, git->GitPath("objects/pack/pack-" + made->name + ".keep"), ""));
    in.out.Write((options.keep ? "keep\t" : "pack\t") + made->name + "\n");
    return 0;
  }
  if (names.size() != 1) {
    in.err.Write("usage: git index-pack [-v] [-o <index-file>] [--keep | --keep=<msg>] (<pack-file> | --stdin)\n");
    return 129;
  }
  if (!names[0].ends_with(".pack") && options.output.empty()) return Error(Code::kInvalid, "packfile name '" + names[0] + "' does not end with '.pack'");
  const auto facts = in.fs.Stat(names[0]);
  if (!facts) return Error(Code::kNoEntry, "cannot open packfile '" + names[0] + "': No such file or directory");
  PADDOCK_ASSIGN(const PackIndex made, Pack::MakeIndex(PackBytes([&in, &names] { return in.fs.Open(names[0], vfs::OpenFlags::Read()); }, facts->size), in.budget));
  const std::string target = options.output.empty() ? names[0].substr(0, names[0].size() - 5) + ".idx" : options.output;
  static_cast<void>(in.fs.RemoveFile(target).has_value());
  PADDOCK_TRY(vfs::WriteFile(in.fs, target, made.bytes, 0444));
  in.out.Write(made.name + "\n");
  return 0;
}

struct UnpackOptions {
  bool dry_run = false, quiet = false;
};
constexpr Option kUnpackOptions[] = {
    Flag<&UnpackOptions::dry_run>('n', nullptr, "only check the pack"),
    Flag<&UnpackOptions::quiet>('q', nullptr, "show no progress"),
};
Result<ExitStatus> RunUnpack(Git& git, UnpackOptions& options, Args&) {
  PADDOCK_ASSIGN(const std::string path, TakeInput(git));
  if (options.dry_run) {
    const auto facts = git.in.fs.Stat(path);
    const auto made = Pack::MakeIndex(PackBytes([&git, &path] { return git.in.fs.Open(path, vfs::OpenFlags::Read()); }, facts ? facts->size : 0), git.in.budget);
    static_cast<void>(git.in.fs.RemoveFile(path).has_value());
    if (!made) return made.error();
    return 0;
  }
  PADDOCK_TRY(git.objects.AddPack(path, SIZE_MAX));
  return 0;
}

struct PackOptions {
  bool to_stdout = false, revs = false, all = false, quiet = false, non_empty = false, unpacked = false, progress = false;
};
constexpr Option kPackOptions[] = {
    Flag<&PackOptions::quiet>('q', "quiet", "show no progress"),
    Flag<&PackOptions::progress>(0, "progress", "show progress (on a terminal)"),
    Flag<&PackOptions::to_stdout>(0, "stdout", "write the pack to standard output"),
    Flag<&PackOptions::revs>(0, "revs", "standard input names revisions, and all that they lead to is packed"),
    Flag<&PackOptions::all>(0, "all", "all that references lead to"),
    Flag<&PackOptions::unpacked>(0, "unpacked", "only what is in no pack"),
    Flag<&PackOptions::non_empty>(0, "non-empty", "make no empty pack"),
};
Result<ExitStatus> RunPackObjects(Git& git, PackOptions& options, Args& args) {
  const std::vector<std::string> names = args.All();
  if (names.size() != (options.to_stdout ? 0u : 1u)) {
    git.Say("usage: git pack-objects --stdout [<options>] [< <ref-list> | < <object-list>]\n   or: git pack-objects [<options>] <base-name> [< <ref-list> | < <object-list>]\n");
    return 129;
  }
  std::vector<Oid> ids;
  Selection selection;
  if (options.all) {
    for (const auto& [name, id] : git.refs.List("refs/")) selection.included.push_back(id);
    if (const auto head = git.Head()) selection.included.push_back(*head);
  }
  bool is_not = false;
  while (const auto line = git.in.in.ReadLine()) {
    git.in.budget.Step();
    git.in.budget.WillAllocate(64);
    std::string text(line->text);
    if (text.empty()) continue;
    if (options.revs) {
      if (text == "--not") {
        is_not = !is_not;
        continue;
      }
      if (is_not) text = text.starts_with('^') ? text.substr(1) : "^" + text;
      PADDOCK_ASSIGN(const bool taken, TakeRevision(git, text, selection));
      if (!taken) return Error(Code::kNoEntry, "bad revision '" + text + "'");
      continue;
    }
    const auto id = Oid::FromHex(std::string_view(text).substr(0, 40));
    if (!id) return Error(Code::kSyntax, "expected object ID, got garbage:\n " + text + "\n");
    if (!git.objects.Has(*id)) return Error(Code::kNoEntry, "unable to get type of object " + id->Hex());
    ids.push_back(*id);
  }
  if (options.revs || options.all) {
    PADDOCK_ASSIGN(const Reached known, ReachObjects(git, selection.excluded));
    PADDOCK_ASSIGN(const Reached reached, ReachObjects(git, selection.included, known.all));
    ids = reached.order;
  } else {
    std::set<Oid> seen;
    std::erase_if(ids, [&seen](const Oid& id) { return !seen.insert(id).second; });
  }
  if (options.unpacked) std::erase_if(ids, [&git](const Oid& id) { return git.objects.IsPacked(id); });
  if (ids.empty() && options.non_empty) return 0;
  const auto read = [&git](const Oid& id) { return git.objects.Read(id); };
  if (options.to_stdout) {
    const auto made = WritePack(ids, read, [&git](std::string_view bytes) -> Status {
      git.Print(bytes);
      return {};
    }, git.in.budget);
    if (!made) return made.error();
    return 0;
  }
  const std::string temporary = names[0] + "-tmp.pack";
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, git.in.fs.Open(temporary, vfs::OpenFlags{.write = true, .create = true, .exclusive = true, .no_follow = true}, 0444));
  PADDOCK_ASSIGN(const PackIndex made, WritePack(ids, read, [&file](std::string_view bytes) { return file->Write(bytes); }, git.in.budget));
  const std::string stem = names[0] + "-" + made.name;
  PADDOCK_TRY(git.in.fs.Rename(temporary, stem + ".pack"));
  static_cast<void>(git.in.fs.RemoveFile(stem + ".idx").has_value());
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, stem + ".idx", made.bytes, 0444));
  git.Print(made.name + "\n");
  return 0;
}

}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kVerifyPack, kIndexPack, kUnpackObjects, kPackObjects;
const Subcommand kVerifyPack = DefineFreeSubcommand<VerifyOptions, RunVerify>({.name = "verify-pack", .summary = "check packs", .synopsis = "[-v | --verbose] [-s | --stat-only] [--] <pack>.idx...", .options = kVerifyOptions, .needs = Needs::kMaybeRepository});
const Subcommand kIndexPack = DefineFreeSubcommand<IndexOptions, RunIndexPack>({.name = "index-pack", .summary = "make the index of a pack", .synopsis = "[-v] [-o <index-file>] [--keep | --keep=<msg>] (<pack-file> | --stdin)", .options = kIndexOptions, .needs = Needs::kMaybeRepository});
const Subcommand kUnpackObjects = DefineSubcommand<UnpackOptions, RunUnpack>({.name = "unpack-objects", .summary = "make loose objects of a pack", .synopsis = "[-n] [-q]", .options = kUnpackOptions});
const Subcommand kPackObjects = DefineSubcommand<PackOptions, RunPackObjects>({.name = "pack-objects", .summary = "make a pack", .synopsis = "--stdout [<options>]\n[<options>] <base-name>", .options = kPackOptions});

}  // namespace paddock::git
