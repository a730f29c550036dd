// git hash-object and cat-file.
#include <algorithm>

#include "commands/git/diff.h"
#include "commands/git/revision.h"
#include "git/check.h"

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
    Flag<&HashOptions::no_filters>(0, "no-filters", "take the bytes as they are (always)"),
    Flag<&HashOptions::literally>(0, "literally", "take an object that is not well formed"),
    Value<&HashOptions::path>(0, "path", "FILE", "as if it were this file (no filter makes a difference)"),
};
Result<ExitStatus> RunHashObject(Invocation& in, Git* git, HashOptions& options, Args& args) {
  const auto type = TypeOf(options.type);
  if (!type) return Error(Code::kInvalid, "invalid object type \"" + options.type + "\"");
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
  const auto take = [&](const std::string& data) -> Status {
    in.budget.Step(static_cast<int64_t>(1 + data.size() / 32));
    if (!options.literally) {
      for (const ObjectProblem& problem : CheckObject(*type, data, false, in.budget)) {
        if (!problem.is_error) continue;
        const bool is_damaged = problem.id == "badTree" || problem.id == "missingTree" || problem.id == "badTreeSha1" || problem.id == "badParentSha1";
        if (*type == ObjectType::kCommit && is_damaged) in.err.Write("error: bogus commit object " + Oid{}.Hex() + "\n");
        if (is_damaged || *type != ObjectType::kTree) return Error(Code::kCorrupt, "corrupt " + std::string(TypeName(*type)));
      }
    }
    Oid id = HashObject(*type, data);
    if (options.writes) {
      PADDOCK_ASSIGN(id, git->objects.Write(*type, data));
    }
    in.out.Write(id.Hex() + "\n");
    return {};
  };
  const auto take_file = [&](const std::string& name) -> Status {
    const auto text = vfs::ReadFile(in.fs, name);
    if (!text) return Error(text.error().code, "could not open '" + name + "' for reading: " + std::string(text.error().Text()));
    return take(*text);
  };
  if (options.from_stdin) PADDOCK_TRY(take(in.in.ReadAll()));
  if (options.names_from_stdin) {
    while (const auto line = in.in.ReadLine()) PADDOCK_TRY(take_file(UnquotePath(line->text)));
  }
  for (const std::string& name : names) PADDOCK_TRY(take_file(name));
  return 0;
}

struct CatOptions {
  bool pretty = false, type = false, size = false, exists = false, all = false, buffers = false, unordered = false, nul = false;
  std::optional<std::string> batch, check, command;
};
template <auto kMember>
Status TakeFormat(CatOptions& options, std::string_view value) {
  options.*kMember = std::string(value);
  return {};
}
constexpr Option kCatOptions[] = {
    Flag<&CatOptions::pretty>('p', nullptr, "show the object"),
    Flag<&CatOptions::type>('t', nullptr, "show its type"),
    Flag<&CatOptions::size>('s', nullptr, "show its size"),
    Flag<&CatOptions::exists>('e', nullptr, "only tell whether it exists"),
    CallOptional<TakeFormat<&CatOptions::batch>>(0, "batch", "FORMAT", "show all objects that standard input names"),
    CallOptional<TakeFormat<&CatOptions::check>>(0, "batch-check", "FORMAT", "show their types and sizes"),
    CallOptional<TakeFormat<&CatOptions::command>>(0, "batch-command", "FORMAT", "do as the lines of standard input say: contents OBJECT, info OBJECT"),
    Flag<&CatOptions::all>(0, "batch-all-objects", "with --batch or --batch-check: all objects there are"),
    Flag<&CatOptions::buffers>(0, "buffer", "write in larger pieces (always)"),
    Flag<&CatOptions::unordered>(0, "unordered", "in any order"),
    Flag<&CatOptions::nul>('z', nullptr, "input lines end with NUL"),
};

Result<std::string> ExpandInfo(std::string_view format, const Oid& id, const Object& object, std::string_view rest) {
  std::string text;
  while (!format.empty()) {
    const size_t start = format.find("%(");
    text += format.substr(0, start);
    if (start == std::string_view::npos) break;
    format.remove_prefix(start + 2);
    const size_t end = format.find(')');
    if (end == std::string_view::npos) return Error(Code::kSyntax, "format element '%(" + std::string(format) + "' does not end in ')'");
    const std::string_view atom = format.substr(0, end);
    format.remove_prefix(end + 1);
    if (atom == "objectname") text += id.Hex();
    else if (atom == "objecttype") text += TypeName(object.type);
    else if (atom == "objectsize") text += std::to_string(object.data.size());
    else if (atom == "rest") text += rest;
    else if (atom == "deltabase" || atom == "objectsize:disk") return Error(Code::kNotSupported, "%(" + std::string(atom) + ") is not supported");
    else return Error(Code::kSyntax, "unknown format element: " + std::string(atom));
  }
  return text;
}

class Batch {
 public:
  Batch(Git& git, std::string format) : git_(git), format_(format.empty() ? "%(objectname) %(objecttype) %(objectsize)" : std::move(format)), splits_(format_.find("%(rest)") != std::string::npos) {}

  Status Show(std::string_view line, bool with_content) {
    git_.in.budget.Step(4);
    std::string name(line), rest;
    if (const size_t blank = name.find_first_of(" \t"); splits_ && blank != std::string::npos) {
      rest = name.substr(std::min(name.find_first_not_of(" \t", blank), name.size()));
      name.resize(blank);
    }
    const auto id = ResolveObject(git_, name);
    if (!id && id.error().message.ends_with("is ambiguous")) {
      git_.Print(name + " ambiguous\n");
      return {};
    }
    const auto object = id ? git_.objects.Read(*id) : Result<Object>(Code::kNoEntry);
    if (!object) {
      git_.Print(name + " missing\n");
      return {};
    }
    PADDOCK_ASSIGN(const std::string info, ExpandInfo(format_, *id, *object, rest));
    git_.Print(info + "\n");
    if (!with_content) return {};
    git_.Print(object->data);
    git_.Print("\n");
    return {};
  }

 private:
  Git& git_;
  std::string format_;
  bool splits_;
};

Result<ExitStatus> RunBatch(Git& git, const CatOptions& options) {
  Batch batch(git, options.batch ? *options.batch : options.check ? *options.check : *options.command);
  if (options.all) {
    for (const Oid& id : git.objects.All(true)) PADDOCK_TRY(batch.Show(id.Hex(), options.batch.has_value()));
    return 0;
  }
  while (const auto line = git.in.in.ReadLine(options.nul ? '\0' : '\n')) {
    const std::string text(line->text);
    if (!options.command) {
      PADDOCK_TRY(batch.Show(text, options.batch.has_value()));
    } else if (text.starts_with("contents ") || text.starts_with("info ")) {
      PADDOCK_TRY(batch.Show(std::string_view(text).substr(text.find(' ') + 1), text[0] == 'c'));
    } else if (text == "flush") {
      if (!options.buffers) return Error(Code::kInvalid, "flush is only for --buffer mode");
      git.in.out.Flush();
    } else if (text.empty()) {
      return Error(Code::kSyntax, "empty command in input");
    } else if (text[0] == ' ') {
      return Error(Code::kSyntax, "whitespace before command: '" + text + "'");
    } else {
      return Error(Code::kSyntax, "unknown command: '" + text + "'");
    }
  }
  return 0;
}

Result<ExitStatus> RunCatFile(Git& git, CatOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  const int batches = options.batch.has_value() + options.check.has_value() + options.command.has_value();
  if (batches > 1) return git.Complain("only one batch option may be specified", 129);
  if (batches == 1) {
    if (!operands.empty()) {
      git.Say("fatal: batch modes take no arguments\n");
      return 129;
    }
    return RunBatch(git, options);
  }
  if (options.all) {
    git.Say("fatal: '--batch-all-objects' requires a batch mode\n");
    return 129;
  }
  const int modes = options.pretty + options.type + options.size + options.exists;
  if (modes > 1) {
    std::string first, second;
    for (const auto& [is_set, name] : {std::pair{options.exists, "-e"}, {options.pretty, "-p"}, {options.type, "-t"}, {options.size, "-s"}}) {
      if (is_set) (first.empty() ? first : second) = name;
    }
    return git.Complain("switch `" + second.substr(1) + "' is incompatible with " + first, 129);
  }
  const bool has_mode = modes == 1;
  if (operands.size() != (has_mode ? 1u : 2u)) {
    if (!has_mode) git.Say("fatal: only two arguments allowed in <type> <object> mode, not " + std::to_string(operands.size()) + "\n");
    else if (operands.empty()) git.Say(std::string("fatal: <object> required with '-") + (options.exists ? 'e' : options.pretty ? 'p' : options.type ? 't' : 's') + "'\n");
    else git.Say("fatal: too many arguments\n");
    return 129;
  }
  auto id = ResolveObject(git, operands.back());
  if (!id) return Error(Code::kNoEntry, id.error().message.empty() ? "Not a valid object name " + operands.back() : id.error().message);
  auto object = git.objects.Read(*id);
  if (options.exists) return object ? 0 : 1;
  if (!object && (options.type || options.size)) return Error(Code::kNoEntry, "git cat-file: could not get object info");
  if (!object) return Error(Code::kNoEntry, has_mode ? "Not a valid object name " + operands.back() : "git cat-file " + operands.back() + ": bad file");
  if (options.type) git.Print(std::string(TypeName(object->type)) + "\n");
  if (options.size) git.Print(std::to_string(object->data.size()) + "\n");
  if (!has_mode) {
    const auto type = TypeOf(operands[0]);
    if (!type) return Error(Code::kInvalid, "invalid object type \"" + operands[0] + "\"");
    const auto peeled = git.objects.Peel(*id, type);
    if (!peeled) return Error(Code::kInvalid, "git cat-file " + operands.back() + ": bad file");
    PADDOCK_ASSIGN(*object, git.objects.Read(*peeled));
    git.Print(object->data);
  }
  if (!options.pretty) return 0;
  if (object->type != ObjectType::kTree) {
    git.Print(object->data);
    return 0;
  }
  PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, ParseTree(object->data, git.in.budget));
  for (const TreeEntry& entry : entries) git.Print(ModeText(entry.mode) + (entry.is_tree() ? " tree " : entry.mode == kModeCommit ? " commit " : " blob ") + entry.id.Hex() + "\t" + git.Quoted(entry.name) + "\n");
  return 0;
}

}  // namespace

extern const Subcommand kHashObject, kCatFile;
const Subcommand kHashObject = DefineFreeSubcommand<HashOptions, RunHashObject>({.name = "hash-object", .summary = "tell the id of a file", .synopsis = "[-t <type>] [-w] [--path=<file> | --no-filters] [--stdin [--literally]] [--] <file>...\n[-t <type>] [-w] --stdin-paths [--no-filters]", .options = kHashOptions, .needs = Subcommand::Needs::kMaybeRepository});
const Subcommand kCatFile = DefineSubcommand<CatOptions, RunCatFile>({.name = "cat-file", .summary = "show an object", .synopsis = "<type> <object>\n(-e | -p | -t | -s) <object>\n(--batch | --batch-check | --batch-command) [--batch-all-objects] [--buffer] [--unordered] [-z]", .options = kCatOptions});

}  // namespace paddock::git
