// git cat-file.
#include <algorithm>

#include "commands/git/diff/diff_driver.h"
#include "commands/git/history/mailmap.h"
#include "commands/git/objects/tree_links.h"
#include "commands/git/refs/revision.h"
#include "git/odd_object.h"
#include "git/stored_objects.h"
#include "git/tree_reader.h"

namespace paddock::git {
namespace {

struct CatOptions {
  std::string mode;   // "-p", "--textconv" …: the one that was asked for; a batch of all objects is one, too
  bool buffers = false, unordered = false, nul = false, follows_links = false, any_type = false, mailmap = false;
  std::optional<std::string> batch, check, command, path;
  bool is_batch() const { return batch || check || command; }
  bool converts() const { return mode == "--textconv" || mode == "--filters"; }
};
constexpr const char* kModes[] = {"-e", "-p", "-t", "-s", "--textconv", "--filters", "--batch-all-objects"};
template <int kMode>
Status TakeMode(CatOptions& options, std::string_view) {
  const std::string mode = kModes[kMode];
  if (!options.mode.empty() && options.mode != mode) return Error(Code::kRange, (mode[1] == '-' ? "option `" + mode.substr(2) : "switch `" + mode.substr(1)) + "' is incompatible with " + options.mode);
  options.mode = mode;
  return {};
}
template <auto kMember>
Status TakeFormat(CatOptions& options, std::string_view value) {
  if (options.is_batch()) return Error(Code::kRange, "only one batch option may be specified");
  options.*kMember = std::string(value);
  return {};
}
constexpr Option kOptions[] = {
    Call<TakeMode<0>>('e', nullptr, nullptr, "only tell whether it exists"),
    Call<TakeMode<1>>('p', nullptr, nullptr, "show the object"),
    Call<TakeMode<2>>('t', nullptr, nullptr, "show its type"),
    Call<TakeMode<3>>('s', nullptr, nullptr, "show its size"),
    Flag<&CatOptions::any_type>(0, "allow-unknown-type", "-t and -s take types that git does not know"),
    Flag<&CatOptions::mailmap>(0, "use-mailmap", "names of people as .mailmap has them"),
    Flag<&CatOptions::mailmap>(0, "mailmap", "likewise"),
    Set<&CatOptions::mailmap, false>(0, "no-use-mailmap", nullptr),
    Set<&CatOptions::mailmap, false>(0, "no-mailmap", "names as they were written (the default)"),
    CallOptional<TakeFormat<&CatOptions::batch>>(0, "batch", "FORMAT", "show all objects that standard input names"),
    CallOptional<TakeFormat<&CatOptions::check>>(0, "batch-check", "FORMAT", "show their types and sizes"),
    CallOptional<TakeFormat<&CatOptions::command>>(0, "batch-command", "FORMAT", "do as the lines of standard input say: contents OBJECT, info OBJECT"),
    Call<TakeMode<6>>(0, "batch-all-objects", nullptr, "with --batch or --batch-check: all objects there are"),
    Flag<&CatOptions::buffers>(0, "buffer", "write in larger pieces (always)"),
    Flag<&CatOptions::follows_links>(0, "follow-symlinks", "in a batch: follow symbolic links within the trees"),
    Flag<&CatOptions::unordered>(0, "unordered", "in any order"),
    Flag<&CatOptions::nul>('z', nullptr, "input lines end with NUL"),
    Call<TakeMode<4>>(0, "textconv", nullptr, "what the textconv filter makes of it"),
    Call<TakeMode<5>>(0, "filters", nullptr, "what would stand in the working tree"),
    Value<&CatOptions::path>(0, "path", "PATH", "with these two: as if it were that file"),
};

// Where a name of the form TREE:PATH or :PATH separates.
size_t PathColon(std::string_view name) {
  size_t depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '{') ++depth;
    else if (name[i] == '}' && depth > 0) --depth;
    else if (name[i] == ':' && depth == 0) return i;
  }
  return std::string_view::npos;
}

// The path in such a name, and the mode that it has there; an ordinary file without a path.
struct NamedPath {
  std::optional<std::string> path;
  uint32_t mode = kModeFile;
};
Result<NamedPath> PathOf(Git& git, const std::string& name) {
  NamedPath named;
  const size_t colon = PathColon(name);
  if (colon == std::string::npos) return named;
  std::string path = name.substr(colon + 1);
  if (colon == 0 && path.size() > 1 && path[1] == ':') path.erase(0, 2);
  if (path.starts_with("./") || path.starts_with("../")) {
    PADDOCK_ASSIGN(path, git.RepositoryPath(path));
  }
  named.path = path;
  if (colon == 0) {
    PADDOCK_ASSIGN(const Index index, git.ReadIndex());
    if (const IndexEntry* entry = index.Find(path)) named.mode = entry->mode;
    return named;
  }
  auto tree = ResolveObject(git, name.substr(0, colon));
  if (tree) tree = git.objects.Peel(*tree, ObjectType::kTree);
  if (!tree) return named;
  PADDOCK_ASSIGN(const std::optional<TreeEntry> entry, FindPath(git.objects, *tree, path, git.in.budget));
  if (entry) named.mode = entry->mode;
  return named;
}

// Authors, committers and taggers as the map has them.
std::string WithMappedPeople(const Mailmap& people, const Object& object) {
  if (object.type != ObjectType::kCommit && object.type != ObjectType::kTag) return object.data;
  const size_t end = std::min(object.data.find("\n\n"), object.data.size());
  std::string text;
  for (size_t begin = 0; begin < end;) {
    const size_t stop = std::min(object.data.find('\n', begin), end);
    const std::string_view line = std::string_view(object.data).substr(begin, stop - begin);
    const size_t blank = line.find(' '), mail = line.find(" <"), close = line.find('>');
    const std::string_view role = line.substr(0, std::min(blank, line.size()));
    if ((role == "author" || role == "committer" || role == "tagger") && mail != std::string_view::npos && close != std::string_view::npos && mail >= blank) {
      const Signature who = people.Map(ParseSignature(line.substr(blank + 1)));
      text += std::string(role) + " " + who.name + " <" + who.email + std::string(line.substr(close));
    } else {
      text += line;
    }
    begin = stop + 1;
    if (stop < end) text += '\n';
  }
  return text + object.data.substr(end);
}

// A blob as its filters show it.
Result<std::string> Converted(Git& git, const CatOptions& options, const std::string& path, uint32_t mode, std::string data) {
  if ((mode & 0170000) != 0100000) return data;
  if (options.mode == "--filters") return ToWorkTree(git, path, std::move(data));
  const DiffDriver driver = DriverOf(git, path);
  if (driver.textconv.empty()) return data;
  PADDOCK_ASSIGN(data, ToWorkTree(git, path, std::move(data)));   // the program sees a file as it would stand there
  return ConvertedText(git, driver, path, std::move(data));
}

Result<std::string> ExpandInfo(StoredObjects& stored, std::string_view format, const Oid& id, const Object& object, std::string_view rest) {
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
    else if (atom == "deltabase" || atom == "objectsize:disk") {
      PADDOCK_ASSIGN(const StoredObject found, stored.Find(id));
      text += atom == "deltabase" ? found.base.Hex() : std::to_string(found.bytes);
    } else return Error(Code::kSyntax, "unknown format element: " + std::string(atom));
  }
  return text;
}

class Batch {
 public:
  Batch(Git& git, const CatOptions& options, std::string format)
      : git_(git), options_(options), stored_(git.in.fs, git.objects, git.in.budget), format_(format.empty() ? "%(objectname) %(objecttype) %(objectsize)" : std::move(format)), splits_(!options.command && (options.converts() || format_.find("%(rest)") != std::string::npos)) {
    if (options.mailmap) people_ = Mailmap::Load(git);
  }

  Status Show(std::string_view line, bool with_content) {
    git_.in.budget.Step(4);
    std::string name(line);
    std::optional<std::string> rest;
    if (const size_t blank = name.find_first_of(" \t"); splits_ && blank != std::string::npos) {
      rest = name.substr(std::min(name.find_first_not_of(" \t", blank), name.size()));
      name.resize(blank);
    }
    PADDOCK_ASSIGN(const auto id, Find(name));
    if (!id) return {};
    const auto object = git_.objects.Read(*id);
    if (!object) {
      git_.Print(name + " missing\n");
      return {};
    }
    PADDOCK_ASSIGN(const std::string info, ExpandInfo(stored_, format_, *id, *object, rest.value_or("")));
    git_.Print(info + "\n");
    if (!with_content) return {};
    if (options_.converts() && object->type == ObjectType::kBlob) {
      if (!rest) return Error(Code::kInvalid, "missing path for '" + id->Hex() + "'");
      PADDOCK_ASSIGN(const std::string text, Converted(git_, options_, *rest, kModeFile, object->data));
      git_.Print(text);
    } else {
      git_.Print(people_ ? WithMappedPeople(*people_, *object) : object->data);
    }
    git_.Print("\n");
    return {};
  }

 private:
  // Nothing once it is told that there is none.
  Result<std::optional<Oid>> Find(const std::string& name) {
    const auto none = [this](const std::string& text) {
      git_.Print(text + "\n");
      return std::optional<Oid>();
    };
    const size_t colon = options_.follows_links ? PathColon(name) : std::string::npos;
    if (colon != std::string::npos && colon > 0) {
      auto tree = ResolveObject(git_, name.substr(0, colon));
      if (tree) tree = git_.objects.Peel(*tree, ObjectType::kTree);
      if (!tree) return none(name + " missing");
      PADDOCK_ASSIGN(const LinkedPath found, FollowLinks(git_, *tree, std::string_view(name).substr(colon + 1)));
      const std::string told = " " + std::to_string(name.size()) + "\n" + name;
      switch (found.kind) {
        case LinkedPath::Kind::kFound: return std::optional<Oid>(found.id);
        case LinkedPath::Kind::kMissing: return none(name + " missing");
        case LinkedPath::Kind::kDangling: return none("dangling" + told);
        case LinkedPath::Kind::kLoop: return none("loop" + told);
        case LinkedPath::Kind::kNoDirectory: return none("notdir" + told);
        case LinkedPath::Kind::kOutside: return none("symlink " + std::to_string(found.outside.size()) + "\n" + found.outside);
      }
    }
    const auto id = ResolveObject(git_, name);
    if (id) return std::optional<Oid>(*id);
    return none(name + (id.error().message.ends_with("is ambiguous") ? " ambiguous" : " missing"));
  }

  Git& git_;
  const CatOptions& options_;
  StoredObjects stored_;
  std::string format_;
  bool splits_;
  std::shared_ptr<const Mailmap> people_;
};

Result<ExitStatus> RunBatch(Git& git, const CatOptions& options) {
  Batch batch(git, options, options.batch ? *options.batch : options.check ? *options.check : *options.command);
  if (options.mode == "--batch-all-objects") {
    std::vector<Oid> ids = git.objects.All(true);
    if (options.unordered) {
      PADDOCK_ASSIGN(ids, StoredObjects(git.in.fs, git.objects, git.in.budget).InOrder());
    }
    for (const Oid& id : ids) PADDOCK_TRY(batch.Show(id.Hex(), options.batch.has_value()));
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

// What is wrong with the options and operands; "fatal: …" with 129.
std::string Complaint(const CatOptions& options, size_t operands) {
  const auto batch_only = [](const char* name) { return std::string("'") + name + "' requires a batch mode"; };
  if (options.path && !options.converts()) return "'--path=<path|tree-ish>' needs '--filters' or '--textconv'";
  if (options.is_batch()) {
    if (!options.mode.empty() && !options.converts() && options.mode != "--batch-all-objects") return "'" + options.mode + "' is incompatible with batch mode";
    return operands > 0 ? "batch modes take no arguments" : "";
  }
  if (options.follows_links) return batch_only("--follow-symlinks");
  if (options.buffers) return batch_only("--buffer");
  if (options.mode == "--batch-all-objects") return batch_only("--batch-all-objects");
  if (options.nul) return batch_only("-z");
  if (options.mode.empty()) return operands == 2 ? "" : "only two arguments allowed in <type> <object> mode, not " + std::to_string(operands);
  if (operands == 0) return std::string(options.converts() ? "<rev>" : "<object>") + " required with '" + options.mode + "'";
  return operands == 1 ? "" : "too many arguments";
}

Status PrintPretty(Git& git, const CatOptions& options, const Object& object) {
  if (object.type != ObjectType::kTree) {
    git.Print(options.mailmap ? WithMappedPeople(*Mailmap::Load(git), object) : object.data);
    return {};
  }
  PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, ParseTree(object.data, git.in.budget));
  for (const TreeEntry& entry : entries) git.Print(ModeText(entry.mode) + (entry.is_tree() ? " tree " : entry.mode == kModeCommit ? " commit " : " blob ") + entry.id.Hex() + "\t" + git.Quoted(entry.name) + "\n");
  return {};
}

// -t and -s of an object that may be of no known type.
Result<ExitStatus> ShowHead(Git& git, const CatOptions& options, const Oid& id) {
  ObjectHead head;
  if (const auto object = git.objects.Read(id)) {
    head = {std::string(TypeName(object->type)), object->data.size()};
  } else {
    const auto loose = ReadObjectHead(git.in.fs, git.objects, id, git.in.budget);
    if (loose && !options.any_type && !TypeOf(loose->type)) return Error(Code::kCorrupt, "invalid object type");
    if (!loose || !options.any_type) return Error(Code::kNoEntry, "git cat-file: could not get object info");
    head = *loose;
  }
  git.Print((options.mode == "-t" ? head.type : std::to_string(head.size)) + "\n");
  return 0;
}

// The object in the mode; -e, -t and -s are done elsewhere.
Result<ExitStatus> ShowContent(Git& git, const CatOptions& options, const Oid& id, const Object& object, const std::string& name) {
  if (options.converts()) {
    PADDOCK_ASSIGN(NamedPath named, PathOf(git, name));
    if (options.path) named.path = options.path;
    if (!named.path) return Error(Code::kInvalid, "<object>:<path> required, only <object> '" + name + "' given");
    const bool is_text = options.mode == "--textconv";
    if (object.type == ObjectType::kBlob || (is_text && options.path && (named.mode & 0170000) == 0100000 && !DriverOf(git, *named.path).textconv.empty())) {
      PADDOCK_ASSIGN(const std::string text, Converted(git, options, *named.path, named.mode, object.data));
      git.Print(text);
      return 0;
    }
    if (!is_text) return git.Print(object.data), 0;
    PADDOCK_TRY(PrintPretty(git, options, object));
    return 0;
  }
  if (options.mode == "-p") {
    PADDOCK_TRY(PrintPretty(git, options, object));
    return 0;
  }
  // TYPE OBJECT.
  const auto type = TypeOf(options.mode);
  if (!type) return Error(Code::kInvalid, "invalid object type \"" + options.mode + "\"");
  const auto peeled = git.objects.Peel(id, type);
  if (!peeled) return Error(Code::kInvalid, "git cat-file " + name + ": bad file");
  PADDOCK_ASSIGN(const Object found, git.objects.Read(*peeled));
  git.Print(options.mailmap ? WithMappedPeople(*Mailmap::Load(git), found) : found.data);
  return 0;
}

Result<ExitStatus> RunCatFile(Git& git, CatOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  const std::string complaint = Complaint(options, operands.size());
  if (!complaint.empty()) {
    git.Say("fatal: " + complaint + "\n");
    return 129;
  }
  if (options.is_batch()) return RunBatch(git, options);
  if (options.any_type && options.mode != "-t" && options.mode != "-s") return Error(Code::kInvalid, "git cat-file --allow-unknown-type: use with -s or -t");
  const std::string& name = operands.back();
  const auto id = ResolveObject(git, name);
  if (!id) return Error(Code::kNoEntry, id.error().message.empty() ? "Not a valid object name " + name : id.error().message);
  if (options.mode == "-t" || options.mode == "-s") return ShowHead(git, options, *id);
  const auto object = git.objects.Read(*id);
  if (options.mode == "-e") return object ? 0 : 1;
  const bool has_mode = !options.mode.empty();
  if (!object) return Error(Code::kNoEntry, has_mode ? "Not a valid object name " + name : "git cat-file " + name + ": bad file");
  if (!has_mode) options.mode = operands[0];
  return ShowContent(git, options, *id, *object, name);
}

}  // namespace

extern const Subcommand kCatFile;
const Subcommand kCatFile = DefineSubcommand<CatOptions, RunCatFile>({.name = "cat-file", .summary = "show an object", .synopsis = "<type> <object>\n(-e | -p) <object>\n(-t | -s) [--allow-unknown-type] <object>\n(--batch | --batch-check | --batch-command) [--batch-all-objects] [--buffer] [--follow-symlinks] [--unordered] [--textconv | --filters] [-z]\n(--textconv | --filters) [<rev>:<path|tree-ish> | --path=<path|tree-ish> <rev>]", .options = kOptions});

}  // namespace paddock::git
