// git bundle.
#include "commands/git/remote/bundle.h"

#include <algorithm>

#include "commands/git/history/reach.h"
#include "commands/git/objects/pack_repair.h"
#include "commands/git/refs/revision.h"

namespace paddock::git {
namespace {

constexpr size_t kMostHeader = 16 << 20;
constexpr std::string_view kSecond = "# v2 git bundle\n", kThird = "# v3 git bundle\n";

struct Bundle {
  std::string path;
  std::vector<Oid> needed;
  std::vector<std::pair<std::string, Oid>> refs;
  size_t pack_offset = 0;
};

Result<Bundle> ReadBundle(Invocation& in, const std::string& path) {
  Bundle bundle{.path = path};
  const auto file = in.fs.Open(path, vfs::OpenFlags::Read());
  if (!file) return Error(Code::kNoEntry, "could not open '" + path + "'");
  std::string text;
  const Error wrong(Code::kSyntax, "'" + path + "' does not look like a v2 or v3 bundle file");
  for (bool is_first = true;; is_first = false) {
    in.budget.Step();
    size_t end = text.find('\n', bundle.pack_offset);
    while (end == std::string::npos) {
      const auto block = (*file)->ReadBlock(1 << 16);
      if (!block || block->bytes.empty() || text.size() > kMostHeader) return wrong;
      in.budget.WillAllocate(block->bytes.size());
      const size_t from = text.size();
      text += block->bytes;
      end = text.find('\n', from);
      if (is_first && !std::string_view(text).starts_with(kSecond) && !std::string_view(text).starts_with(kThird)) return wrong;
    }
    const std::string line = text.substr(bundle.pack_offset, end - bundle.pack_offset);
    if (is_first && line + "\n" != kSecond && line + "\n" != kThird) return wrong;
    bundle.pack_offset = end + 1;
    if (is_first) continue;
    if (line.empty()) return bundle;
    if (line[0] == '@') {
      if (line == "@object-format=sha1") continue;
      return Error(Code::kNotSupported, line.starts_with("@object-format=") ? "unrecognized bundle hash algorithm: " + line.substr(15) : "unknown capability '" + line.substr(1) + "'");
    }
    const bool is_needed = line[0] == '-';
    const auto id = Oid::FromHex(std::string_view(line).substr(is_needed ? 1 : 0, 40));
    const std::string rest = line.substr(std::min<size_t>(line.size(), is_needed ? 41 : 40));
    if (!id || (!is_needed && (rest.size() < 2 || rest[0] != ' '))) return Error(Code::kSyntax, "unrecognized header: " + line);
    if (is_needed) bundle.needed.push_back(*id);
    else bundle.refs.emplace_back(rest.substr(1), *id);
  }
}

// Says which of the commits that the bundle builds on are not here.
bool HasNeeded(Git& git, const Bundle& bundle) {
  bool is_told = false;
  for (const Oid& id : bundle.needed) {
    git.in.budget.Step();
    if (git.objects.Has(id)) continue;
    if (!is_told) git.Say("error: Repository lacks these prerequisite commits:\n");
    is_told = true;
    git.Say("error: " + id.Hex() + " \n");
  }
  return !is_told;
}

Status TakePack(Git& git, const Bundle& bundle, size_t unpack_limit) {
  PADDOCK_ASSIGN(const std::string path, git.objects.NewPackPath());
  {
    PADDOCK_ASSIGN(const vfs::OpenFilePtr source, git.in.fs.Open(bundle.path, vfs::OpenFlags::Read()));
    PADDOCK_ASSIGN(const vfs::OpenFilePtr target, git.in.fs.Open(path, vfs::OpenFlags::Write(), 0600));
    PADDOCK_TRY(source->Seek(static_cast<int64_t>(bundle.pack_offset), vfs::Whence::kStart));
    while (true) {
      git.in.budget.Step();
      PADDOCK_ASSIGN(const Block block, source->ReadBlock(1 << 16));
      if (block.bytes.empty()) break;
      PADDOCK_TRY(target->Write(block.bytes));
    }
  }
  if (const Status whole = CompleteThinPack(git, path); !whole) {
    static_cast<void>(git.in.fs.RemoveFile(path).has_value());
    return whole;
  }
  return git.objects.AddPack(path, unpack_limit);
}

class BundleRemote final : public Remote {
 public:
  explicit BundleRemote(Bundle bundle) : bundle_(std::move(bundle)) {}
  Result<RemoteRefs> ReadRefs(bool is_for_push) override {
    if (is_for_push) return Error(Code::kNotSupported, "operation not supported by protocol");
    RemoteRefs refs;
    for (const auto& [name, id] : bundle_.refs) {
      if (name == "HEAD" || IsRefName(name)) refs.ids.emplace(name, id);
    }
    // A bundle does not say which branch HEAD is; the one that is at its commit.
    const auto head = refs.ids.find("HEAD");
    for (const auto& [name, id] : refs.ids) {
      if (head != refs.ids.end() && name.starts_with("refs/heads/") && id == head->second && (!refs.head || name == "refs/heads/master")) refs.head = name;
    }
    return refs;
  }
  Status Fetch(Git& git, const FetchRequest& request) override {
    const bool is_here = std::all_of(request.wanted.begin(), request.wanted.end(), [&git](const Oid& id) { return git.objects.Has(id); });
    if (is_here && !request.is_again) return {};
    if (!HasNeeded(git, bundle_)) return Error(Code::kNoEntry, "remote transport reported error");
    return TakePack(git, bundle_, request.unpack_limit);
  }
  Status Push(Git&, std::vector<RefUpdate>&, const PushRequest&) override { return Error(Code::kNotSupported, "operation not supported by protocol"); }

 private:
  Bundle bundle_;
};

struct Options {
  bool quiet = false, progress = false, all_progress = false, implies_all = false;
  int64_t version = 2;
  std::vector<std::string> selecting;   // options of rev-list
};
template <auto kWord>
Status AddWord(Options& options, std::string_view value) {
  options.selecting.push_back(value.data() == nullptr ? std::string(*kWord) : std::string(*kWord) + "=" + std::string(value));
  return {};
}
constexpr std::string_view kAll = "--all", kBranches = "--branches", kTags = "--tags", kRemotes = "--remotes", kSince = "--since";
bool TakeCount(void* options, std::string_view argument) {
  if (argument.size() < 2 || argument.size() > 9 || argument[0] != '-' || argument.find_first_not_of("0123456789", 1) != std::string_view::npos) return false;
  static_cast<Options*>(options)->selecting.emplace_back(argument);
  return true;
}
constexpr Option kOptions[] = {
    Flag<&Options::quiet>('q', "quiet", "say less"),
    Flag<&Options::progress>(0, "progress", "show progress"),
    Flag<&Options::all_progress>(0, "all-progress", "create: also while writing"),
    Flag<&Options::implies_all>(0, "all-progress-implied", "create: the same, with --progress"),
    Value<&Options::version>(0, "version", "N", "create: of the file, 2 or 3"),
    Call<AddWord<&kAll>>(0, "all", nullptr, "create: all references and HEAD"),
    Call<AddWord<&kBranches>>(0, "branches", nullptr, "create: all branches"),
    Call<AddWord<&kTags>>(0, "tags", nullptr, "create: all tags"),
    Call<AddWord<&kRemotes>>(0, "remotes", nullptr, "create: all remote branches"),
    Call<AddWord<&kSince>>(0, "since", "DATE", "create: only commits after DATE"),
};

constexpr char kUsage[] =
    "usage: git bundle create [-q | --quiet | --progress | --all-progress] [--all-progress-implied]\n                         [--version=<version>] <file> <git-rev-list-args>\n   or: git bundle verify [-q | --quiet] <file>\n"
    "   or: git bundle list-heads <file> [<refname>...]\n   or: git bundle unbundle [--progress] <file> [<refname>...]\n\n";

// What a bundle is made of.
struct Content {
  Selection selection;
  std::vector<std::pair<std::string, Oid>> tips;
  std::optional<int64_t> since;
  std::optional<size_t> count;
};

Status TakeArgument(Git& git, const std::string& word, Content& content) {
  const auto all_of = [&](const char* prefix) {
    for (const auto& [ref, id] : git.refs.List(prefix)) {
      content.tips.emplace_back(ref, id);
      content.selection.included.push_back(id);
    }
  };
  if (word == "--all") {
    all_of("refs/");
    if (const auto head = git.Head()) {
      content.tips.emplace_back("HEAD", *head);
      content.selection.included.push_back(*head);
    }
  } else if (word == "--branches") {
    all_of("refs/heads/");
  } else if (word == "--tags") {
    all_of("refs/tags/");
  } else if (word == "--remotes") {
    all_of("refs/remotes/");
  } else if (word.starts_with("--since=")) {
    content.since = git.ReadDate(word.substr(8)).seconds;
  } else if (word.size() > 1 && word[0] == '-' && word.find_first_not_of("0123456789", 1) == std::string::npos && word.size() < 10) {
    content.count = static_cast<size_t>(std::stoul(word.substr(1)));
  } else if (word.starts_with('-')) {
    return Error(Code::kInvalid, "unrecognized argument: " + word);
  } else {
    Selection one;
    PADDOCK_ASSIGN(const bool taken, TakeRevision(git, word, one));
    if (!taken) return AmbiguousArgument(word);
    content.selection.included.insert(content.selection.included.end(), one.included.begin(), one.included.end());
    content.selection.excluded.insert(content.selection.excluded.end(), one.excluded.begin(), one.excluded.end());
    // The reference at the end of what was written.
    const size_t dots = word.rfind("..");
    const std::string name = dots == std::string::npos ? word : word.substr(dots + 2);
    if (word.starts_with('^')) return {};
    if (name.empty() || name == "HEAD" || name == "@") {
      if (const auto head = git.Head()) content.tips.emplace_back("HEAD", *head);
    } else if (const auto ref = FindRef(git, name)) {
      if (const auto id = git.refs.Read(*ref)) content.tips.emplace_back(*ref, *id);
    }
  }
  return {};
}

Result<ExitStatus> Create(Git& git, const Options& options, const std::vector<std::string>& words) {
  if (options.version < 2 || options.version > 3) return Error(Code::kInvalid, "unsupported bundle version " + std::to_string(options.version));
  Content content;
  for (size_t i = 1; i < words.size(); ++i) PADDOCK_TRY(TakeArgument(git, words[i], content));
  Selection commits;
  for (const auto* list : {&content.selection.included, &content.selection.excluded}) {
    for (const Oid& id : *list) {
      const auto commit = git.objects.Peel(id, ObjectType::kCommit);
      if (commit) (list == &content.selection.included ? commits.included : commits.excluded).push_back(*commit);
    }
  }
  History history(git);
  PADDOCK_ASSIGN(std::vector<Oid> list, WalkHistory(git, history, commits, {}));
  if (content.since) {
    std::erase_if(list, [&](const Oid& id) {
      const auto node = history.Get(id);
      return !node || (*node)->time < *content.since;
    });
  }
  if (content.count && list.size() > *content.count) list.resize(*content.count);
  const std::set<Oid> meant(list.begin(), list.end());
  // Commits that it builds on.
  std::vector<Oid> needed;
  std::set<Oid> told;
  for (const Oid& id : list) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    for (const Oid& parent : node->commit.parents) {
      if (!meant.contains(parent) && told.insert(parent).second) needed.push_back(parent);
    }
  }
  std::string refs;
  std::vector<Oid> roots = list;
  std::set<std::string> names;
  for (const auto& [name, id] : content.tips) {
    const auto commit = git.objects.Peel(id, ObjectType::kCommit);
    if (!names.insert(name).second) continue;
    if (commit && !meant.contains(*commit)) {
      if (!content.since && !content.count) continue;
      git.Warn("ref '" + name + "' is excluded by the rev-list options");
      continue;
    }
    refs += id.Hex() + " " + name + "\n";
    roots.push_back(id);
  }
  if (refs.empty()) return Error(Code::kInvalid, "Refusing to create empty bundle.");
  std::string text(options.version == 3 ? kThird : kSecond);
  if (options.version == 3) text += "@object-format=sha1\n";
  for (const Oid& id : needed) {
    PADDOCK_ASSIGN(const History::Node* node, history.Get(id));
    const std::string& message = node->commit.message;
    text += "-" + id.Hex() + " " + message.substr(0, message.find('\n')) + "\n";
  }
  text += refs + "\n";
  PADDOCK_ASSIGN(const Reached known, ReachObjects(git, needed));
  PADDOCK_ASSIGN(const Reached reached, ReachObjects(git, roots, known.all));
  if (options.progress || options.all_progress) {
    const size_t count = reached.order.size();
    git.Say("Enumerating objects: " + std::to_string(count) + ", done.\n");
    ShowProgress(git.in, "", "Counting objects", count);
    if (options.all_progress || options.implies_all) ShowProgress(git.in, "", "Writing objects", count);
    git.Say("Total " + std::to_string(count) + " (delta 0), reused 0 (delta 0), pack-reused 0\n");
  }
  const auto read = [&git](const Oid& id) { return git.objects.Read(id); };
  if (words[0] == "-") {
    git.Print(text);
    const auto made = WritePack(reached.order, read, [&git](std::string_view bytes) -> Status {
      git.Print(bytes);
      return {};
    }, git.in.budget);
    return made ? Result<ExitStatus>(0) : made.error();
  }
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, git.in.fs.Open(words[0], vfs::OpenFlags::Write()));
  PADDOCK_TRY(file->Write(text));
  const auto made = WritePack(reached.order, read, [&file](std::string_view bytes) { return file->Write(bytes); }, git.in.budget);
  return made ? Result<ExitStatus>(0) : made.error();
}

std::string RefLines(const Bundle& bundle, const std::vector<std::string>& words) {
  std::string text;
  for (const auto& [name, id] : bundle.refs) {
    const bool is_meant = words.size() < 2 || std::any_of(words.begin() + 1, words.end(), [&full = name](const std::string& word) { return full == word || full.ends_with("/" + word); });
    if (is_meant) text += id.Hex() + " " + name + "\n";
  }
  return text;
}

Result<ExitStatus> Verify(Git& git, const Options& options, const Bundle& bundle) {
  if (!HasNeeded(git, bundle)) return 1;
  if (!options.quiet) {
    std::string text = bundle.refs.size() == 1 ? "The bundle contains this ref:\n" : "The bundle contains these " + std::to_string(bundle.refs.size()) + " refs:\n";
    text += RefLines(bundle, {});
    if (bundle.needed.empty()) text += "The bundle records a complete history.\n";
    else text += bundle.needed.size() == 1 ? "The bundle requires this ref:\n" : "The bundle requires these " + std::to_string(bundle.needed.size()) + " refs:\n";
    for (const Oid& id : bundle.needed) text += id.Hex() + " \n";
    git.Print(text + "The bundle uses this hash algorithm: sha1\n");
    git.in.out.Flush();
  }
  git.Say(bundle.path + " is okay\n");
  return 0;
}

Result<ExitStatus> RunBundle(Invocation& in, Git* git, Options& options, Args& args) {
  std::vector<std::string> words = args.All();
  const std::string verb = words.empty() ? "" : words[0];
  const bool is_known = verb == "create" || verb == "verify" || verb == "list-heads" || verb == "unbundle";
  if (!is_known || words.size() < 2) {
    if (verb.empty()) in.err.Write("error: need a subcommand\n");
    else if (!is_known) in.err.Write("error: unknown subcommand: `" + verb + "'\n");
    in.err.Write(kUsage);
    return 129;
  }
  words.erase(words.begin());
  if (git == nullptr && verb == "verify") {
    in.err.Write("error: need a repository to verify a bundle\n");
    return 1;
  }
  if (git == nullptr && verb != "list-heads") return Error(Code::kNoEntry, verb == "create" ? "Need a repository to create a bundle." : "Need a repository to unbundle.");
  words.insert(words.end(), options.selecting.begin(), options.selecting.end());
  if (verb == "create") return Create(*git, options, words);
  const auto bundle = ReadBundle(in, words[0]);
  if (!bundle) {
    in.err.Write("error: " + std::string(bundle.error().Text()) + "\n");
    return 1;
  }
  if (verb == "verify") return Verify(*git, options, *bundle);
  if (verb == "unbundle") {
    if (!HasNeeded(*git, *bundle)) return 1;
    if (options.progress) in.err.Write("Unbundling objects: 100%, done.\n");
    PADDOCK_TRY(TakePack(*git, *bundle, 0));
  }
  in.out.Write(RefLines(*bundle, words));
  return 0;
}

}  // namespace

bool IsBundle(Invocation& in, const std::string& path) {
  const auto facts = in.fs.Stat(path);
  if (!facts || !facts->is_file()) return false;
  const auto file = in.fs.Open(path, vfs::OpenFlags::Read());
  if (!file) return false;
  const auto block = (*file)->ReadBlock(kSecond.size());
  return block && (block->bytes == kSecond || block->bytes == kThird);
}

Result<std::unique_ptr<Remote>> OpenBundle(Invocation& in, const std::string& path) {
  PADDOCK_ASSIGN(Bundle bundle, ReadBundle(in, path));
  return std::unique_ptr<Remote>(std::make_unique<BundleRemote>(std::move(bundle)));
}

Result<std::vector<std::string>> BundleOrder(Invocation& in, const std::string& path) {
  PADDOCK_ASSIGN(const Bundle bundle, ReadBundle(in, path));
  std::vector<std::string> names;
  for (const auto& [name, id] : bundle.refs) names.push_back(name);
  return names;
}

extern const Subcommand kBundle;
const Subcommand kBundle = DefineFreeSubcommand<Options, RunBundle>({.name = "bundle", .summary = "put references and objects into one file, and take them out", .synopsis = "create [<options>] <file> <git-rev-list-args>\nverify [-q] <file>\nlist-heads <file> [<refname>...]\nunbundle [--progress] <file> [<refname>...]", .options = kOptions, .rules = {.numeric_shorthand = TakeCount}, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
