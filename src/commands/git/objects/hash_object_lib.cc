// git hash-object.
#include "commands/git/work/convert.h"
#include "git/check.h"
#include "git/odd_object.h"

namespace paddock::git {
namespace {

struct HashOptions {
  bool writes = false, from_stdin = false, names_from_stdin = false, literally = false, no_filters = false;
  std::string type = "blob", path;
};
constexpr Option kHashOptions[] = {
    Value<&HashOptions::type>('t', nullptr, "TYPE", "the type of the object"),
    Flag<&HashOptions::writes>('w', nullptr, "write the object"),
    Flag<&HashOptions::from_stdin>(0, "stdin", "read standard input"),
    Flag<&HashOptions::names_from_stdin>(0, "stdin-paths", "read names of files from standard input"),
    Flag<&HashOptions::no_filters>(0, "no-filters", "take the bytes as they are"),
    Flag<&HashOptions::literally>(0, "literally", "take an object that is not well formed"),
    Value<&HashOptions::path>(0, "path", "FILE", "filter as if it were this file"),
};
Result<ExitStatus> RunHashObject(Invocation& in, Git* git, HashOptions& options, Args& args) {
  const auto type = TypeOf(options.type);
  if (!type && (!options.literally || options.type.empty() || options.type.size() > 20 || options.type.find_first_of(std::string_view(" \0\n", 3)) != std::string::npos)) return Error(Code::kInvalid, "invalid object type \"" + options.type + "\"");
  if (options.writes && git == nullptr) return Error(Code::kNoEntry, std::string(kNoRepository));
  const std::vector<std::string> names = args.All();
  const char* complaint = nullptr;
  if (options.names_from_stdin && options.from_stdin) complaint = "Can't use --stdin-paths with --stdin";
  else if (options.names_from_stdin && !names.empty()) complaint = "Can't specify files with --stdin-paths";
  else if (options.names_from_stdin && !options.path.empty()) complaint = "Can't use --stdin-paths with --path";
  else if (options.no_filters && !options.path.empty()) complaint = "Can't use --path with --no-filters";
  if (complaint != nullptr) {
    in.err.Write("error: " + std::string(complaint) + "\n");
    return 129;
  }
  // `path`: whose filters apply; none without one.
  const auto take = [&](std::string data, const std::optional<std::string>& path) -> Status {
    if (path && git != nullptr && type == ObjectType::kBlob && !options.no_filters) {
      const auto below = git->RepositoryPath(*path);
      PADDOCK_ASSIGN(data, ToRepository(*git, below ? *below : *path, std::move(data)));
    }
    in.budget.Step(static_cast<int64_t>(1 + data.size() / 32));
    if (!options.literally) {
      for (const ObjectProblem& problem : CheckObject(*type, data, false, in.budget)) {
        if (!problem.is_error) continue;
        const bool is_damaged = problem.id == "badTree" || problem.id == "missingTree" || problem.id == "badTreeSha1" || problem.id == "badParentSha1";
        if (*type == ObjectType::kCommit && is_damaged) in.err.Write("error: bogus commit object " + Oid{}.Hex() + "\n");
        if (is_damaged || *type != ObjectType::kTree) return Error(Code::kCorrupt, "corrupt " + std::string(TypeName(*type)));
      }
    }
    const Oid id = HashOddObject(options.type, data);
    if (options.writes && type) {
      PADDOCK_TRY(git->objects.Write(*type, data));
    } else if (options.writes) {
      PADDOCK_TRY(WriteOddObject(in.fs, git->objects, options.type, data, in.budget));
    }
    in.out.Write(id.Hex() + "\n");
    return {};
  };
  const auto take_file = [&](const std::string& name) -> Status {
    const auto text = vfs::ReadFile(in.fs, name);
    if (!text) return Error(text.error().code, "could not open '" + name + "' for reading: " + std::string(text.error().Text()));
    return take(*text, options.path.empty() ? name : options.path);
  };
  if (options.from_stdin) PADDOCK_TRY(take(in.in.ReadAll(), options.path.empty() ? std::nullopt : std::optional(options.path)));
  if (options.names_from_stdin) {
    while (const auto line = in.in.ReadLine()) PADDOCK_TRY(take_file(UnquotePath(line->text)));
  }
  for (const std::string& name : names) PADDOCK_TRY(take_file(name));
  return 0;
}

}  // namespace

extern const Subcommand kHashObject;
const Subcommand kHashObject = DefineFreeSubcommand<HashOptions, RunHashObject>({.name = "hash-object", .summary = "tell the id of a file", .synopsis = "[-t <type>] [-w] [--path=<file> | --no-filters] [--stdin [--literally]] [--] <file>...\n[-t <type>] [-w] --stdin-paths [--no-filters]", .options = kHashOptions, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
