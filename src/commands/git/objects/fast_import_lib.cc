// git fast-import.
//
// Source: git-fast-import(1). Differs: what is read becomes loose objects, so nothing has to be tuned for packs; trees of notes are not
// divided into directories; there are no reports of crashes.
#include <algorithm>
#include <charconv>

#include "commands/file_facts.h"
#include "commands/git/refs/ref_transaction.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/fetch.h"
#include "git/import_stream.h"
#include "git/import_tree.h"
#include "proc/process.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

using Kind = ImportCommand::Kind;
enum class ImportDates { kRaw, kRawPermissive, kRfc2822, kNow };

struct ImportOptions {
  ImportDates dates = ImportDates::kRaw;
  bool is_forced = false, is_quiet = false, needs_done = false, is_relative = false, allows_unsafe = false;
  std::string export_marks, import_marks, import_marks_if_exists;
  int64_t cat_blob_fd = 1;
  int64_t most_pack = 0, big_file = 0, depth = 0, branches = 0;
};
Status TakeDates(ImportOptions& options, std::string_view value) {
  if (value == "raw") options.dates = ImportDates::kRaw;
  else if (value == "raw-permissive") options.dates = ImportDates::kRawPermissive;
  else if (value == "rfc2822") options.dates = ImportDates::kRfc2822;
  else if (value == "now") options.dates = ImportDates::kNow;
  else return Error(Code::kInvalid, "unknown --date-format argument " + std::string(value));
  return {};
}
// A file named after --relative-marks lies in the repository.
template <auto kMember>
Status TakeMarks(ImportOptions& options, std::string_view value) {
  options.*kMember = (options.is_relative ? "\n" : "") + std::string(value);
  return {};
}
Status TakeCount(std::string_view value, const std::string& name, int64_t& count) {
  if (!ParseOptionValue(value, count) || count < 0) return Error(Code::kInvalid, name + ": argument must be a non-negative integer");
  return {};
}
Status TakeDepth(ImportOptions& options, std::string_view value) {
  constexpr int64_t kMost = 8191;
  PADDOCK_TRY(TakeCount(value, "--depth", options.depth));
  if (options.depth > kMost) return Error(Code::kInvalid, "--depth cannot exceed " + std::to_string(kMost));
  return {};
}
Status TakeBranches(ImportOptions& options, std::string_view value) { return TakeCount(value, "--active-branches", options.branches); }

template <auto kMember, const char* kName>
Status TakeImportSize(ImportOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.*kMember, ParseGitNumber(text, kName));
  return {};
}
constexpr char kMostPack[] = "max-pack-size", kBigFile[] = "big-file-threshold";

constexpr Option kOptions[] = {
    Call<TakeDates>(0, "date-format", "FORMAT", "of dates in the stream: raw, raw-permissive, rfc2822 or now"),
    Flag<&ImportOptions::is_forced>(0, "force", "move branches even where commits get lost"), Flag<&ImportOptions::is_quiet>(0, "quiet", "tell nothing at the end"),
    Set<&ImportOptions::is_quiet, false>(0, "stats", "tell what was made (the default)"), Flag<&ImportOptions::needs_done>(0, "done", "the stream has to end with done"),
    Call<TakeMarks<&ImportOptions::export_marks>>(0, "export-marks", "FILE", "write the marks to FILE"), Call<TakeMarks<&ImportOptions::import_marks>>(0, "import-marks", "FILE", "begin with the marks in FILE"),
    Call<TakeMarks<&ImportOptions::import_marks_if_exists>>(0, "import-marks-if-exists", "FILE", "likewise, if there is such a file"),
    Flag<&ImportOptions::is_relative>(0, "relative-marks", "files of marks named behind it lie in .git/info/fast-import"), Set<&ImportOptions::is_relative, false>(0, "no-relative-marks", "they do not (the default)"),
    Flag<&ImportOptions::allows_unsafe>(0, "allow-unsafe-features", "the stream may name files of marks"), Value<&ImportOptions::cat_blob_fd>(0, "cat-blob-fd", "N", "where answers go (1)"),
    Call<TakeImportSize<&ImportOptions::most_pack, kMostPack>>(0, "max-pack-size", "BYTES", "of packs (objects are loose)"), Call<TakeImportSize<&ImportOptions::big_file, kBigFile>>(0, "big-file-threshold", "BYTES", "of what is no difference (nothing is)"),
    Call<TakeDepth>(0, "depth", "N", "of chains of differences (there are none)"), Call<TakeBranches>(0, "active-branches", "N", "that are kept at hand (all are)"),
};

class Importer {
 public:
  Importer(Git& git, ImportOptions& options) : git_(git), options_(options) {}

  Result<ExitStatus> Run() {
    PADDOCK_TRY(ReadMarks(options_.import_marks, true));
    PADDOCK_TRY(ReadMarks(options_.import_marks_if_exists, false));
    ImportStream stream(git_.in.in, git_.in.budget);
    const Status done = ReadAll(stream);
    if (done) PADDOCK_TRY(FinishCommit());
    // What came before a mistake stays.
    PADDOCK_TRY(UpdateRefs());
    PADDOCK_TRY(WriteMarks());
    if (!done) return done.error();
    if (!options_.is_quiet) git_.Say(Statistics());
    return has_failed_ ? 1 : 0;
  }

 private:
  struct Branch {
    Oid tip;              // null: none yet
    bool is_deleted = false;
    ImportTree files;
  };
  struct OpenCommit {
    ImportCommand command;
    std::vector<Oid> parents;
    Branch* branch = nullptr;
  };

  Status ReadAll(ImportStream& stream) {
    while (true) {
      PADDOCK_ASSIGN(const ImportCommand command, stream.Next());
      if (!command.is_in_commit) PADDOCK_TRY(FinishCommit());
      if (command.kind == Kind::kDone) return {};
      if (command.kind == Kind::kEnd) break;
      PADDOCK_TRY(Take(command));
    }
    return options_.needs_done ? Status(Error(Code::kSyntax, "stream ends early")) : Status();
  }

  Status Take(const ImportCommand& command) {
    const bool is_setting = command.kind == Kind::kFeature || (command.kind == Kind::kOption && command.name.starts_with("git "));
    if (is_setting && has_begun_) return Error(Code::kSyntax, std::string("Got ") + (command.kind == Kind::kFeature ? "feature" : "option") + " command '" + command.name + "' after data command");
    if (command.kind != Kind::kFeature && command.kind != Kind::kOption) has_begun_ = true;
    switch (command.kind) {
      case Kind::kBlob: {
        PADDOCK_ASSIGN(const Oid id, WriteBlob(command.data));
        return Mark(command.mark, id);
      }
      case Kind::kCommit: return BeginCommit(command);
      case Kind::kTag: return TakeTag(command);
      case Kind::kReset: return TakeReset(command);
      case Kind::kAlias: {
        PADDOCK_ASSIGN(const Oid id, Commitish(command.from));
        return Mark(command.mark, id);
      }
      case Kind::kCheckpoint:
        PADDOCK_TRY(UpdateRefs());
        return WriteMarks();
      case Kind::kProgress:
        git_.Print(command.name + "\n");
        git_.in.out.Flush();
        return {};
      case Kind::kFeature: return TakeFeature(command.name);
      case Kind::kOption: return command.name.starts_with("git ") ? TakeOption(command.name.substr(4)) : Status();
      case Kind::kGetMark: {
        PADDOCK_ASSIGN(const Oid id, Marked(command.object));
        return Answer(id.Hex() + "\n");
      }
      case Kind::kCatBlob: return ShowBlob(command);
      case Kind::kLs: return List(command);
      default: return Change(command);
    }
  }

  // The files of the commit that is open.
  Status Change(const ImportCommand& command) {
    if (!commit_) return Error(Code::kSyntax, "Unsupported command: " + command.line);
    ImportTree& files = commit_->branch->files;
    if (command.kind == Kind::kDeleteAll) {
      files.Clear();
      return {};
    }
    if (command.kind == Kind::kDelete) return files.Remove(command.path);
    if (command.kind == Kind::kCopy || command.kind == Kind::kRename) {
      PADDOCK_ASSIGN(const auto item, files.Find(command.path));
      if (!item) return Error(Code::kNoEntry, "Path " + command.path + " not in branch");
      if (command.kind == Kind::kRename) PADDOCK_TRY(files.Remove(command.path));
      return files.Put(command.target, {item->mode, item->id});
    }
    if (command.kind == Kind::kNote) {
      PADDOCK_ASSIGN(const Oid noted, Commitish(command.target));
      PADDOCK_ASSIGN(const Oid blob, DataOf(command, ObjectType::kBlob));
      const std::string hex = noted.Hex();
      for (const std::string& path : {hex, hex.substr(0, 2) + "/" + hex.substr(2), hex.substr(0, 2) + "/" + hex.substr(2, 2) + "/" + hex.substr(4)}) PADDOCK_TRY(files.Remove(path));
      return blob.is_null() ? Status() : files.Put(hex, {kModeFile, blob});
    }
    const ObjectType type = command.mode == kModeTree ? ObjectType::kTree : command.mode == kModeCommit ? ObjectType::kCommit : ObjectType::kBlob;
    PADDOCK_ASSIGN(const Oid id, DataOf(command, type));
    return files.Put(command.path, {command.mode, id});
  }
  // The object that a line names, or the one that follows it.
  Result<Oid> DataOf(const ImportCommand& command, ObjectType type) {
    if (command.object == "inline") return WriteBlob(command.data);
    PADDOCK_ASSIGN(const Oid id, Named(command.object, command.line));
    // The commits of submodules are elsewhere; a null id takes a note away.
    if (type == ObjectType::kCommit || (command.kind == Kind::kNote && id.is_null())) return id;
    const auto object = git_.objects.Share(id);
    if (!object) return Error(Code::kNoEntry, std::string(type == ObjectType::kTree ? "Tree" : "Blob") + " not found: " + command.line);
    if ((*object)->type != type) return Error(Code::kInvalid, "Not a " + std::string(TypeName(type)) + " (actually a " + std::string(TypeName((*object)->type)) + "): " + command.line);
    return id;
  }
  Result<Oid> WriteBlob(const std::string& data) {
    ++blobs_;
    git_.in.budget.Step(static_cast<int64_t>(1 + data.size() / 32));
    return git_.objects.Write(ObjectType::kBlob, data);
  }

  Result<Branch*> BranchOf(const std::string& name) {
    const auto found = branches_.find(name);
    if (found != branches_.end()) return &found->second;
    const bool is_capital = std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
    if (!IsRefName(name, is_capital)) return Error(Code::kInvalid, "Branch name doesn't conform to GIT standards: " + name);
    git_.in.budget.WillAllocate(sizeof(Branch) + name.size() + 64);
    return &branches_.emplace(name, Branch{.files = ImportTree(git_.objects, git_.in.budget)}).first->second;
  }
  // Makes the branch begin at what `from` names; nothing for a null id.
  Status StartAt(Branch& branch, const std::string& name, const std::string& from) {
    if (from == name) return Error(Code::kInvalid, "Can't create a branch from itself: " + name);
    branch.is_deleted = from == Oid{}.Hex();
    branch.tip = Oid{};
    branch.files.Clear();
    if (branch.is_deleted) return {};
    PADDOCK_ASSIGN(branch.tip, Commitish(from));
    if (branch.tip.is_null()) return {};
    PADDOCK_ASSIGN(const Commit commit, git_.objects.ReadCommit(branch.tip));
    branch.files.Reset(commit.tree);
    return {};
  }
  Result<Oid> Commitish(const std::string& text) {
    if (const auto branch = branches_.find(text); branch != branches_.end()) return branch->second.tip;
    if (text.starts_with(':')) {
      PADDOCK_ASSIGN(const Oid id, Marked(text));
      return git_.objects.Peel(id, ObjectType::kCommit);
    }
    const auto id = ResolveObject(git_, text);
    if (!id) return Error(Code::kNoEntry, "Invalid ref name or SHA1 expression: " + text);
    const auto commit = git_.objects.Peel(*id, ObjectType::kCommit);
    if (!commit) return Error(Code::kInvalid, "Not a valid commit: " + text);
    return commit;
  }

  Status BeginCommit(const ImportCommand& command) {
    PADDOCK_ASSIGN(Branch* branch, BranchOf(command.name));
    if (!command.from.empty()) PADDOCK_TRY(StartAt(*branch, command.name, command.from));
    branch->is_deleted = false;
    OpenCommit commit{command, {}, branch};
    if (!branch->tip.is_null()) commit.parents.push_back(branch->tip);
    for (const std::string& merge : command.merges) {
      PADDOCK_ASSIGN(const Oid id, Commitish(merge));
      commit.parents.push_back(id);
    }
    commit_ = std::move(commit);
    return {};
  }
  Status FinishCommit() {
    if (!commit_) return {};
    const OpenCommit open = *std::move(commit_);
    commit_.reset();
    Commit commit;
    commit.parents = open.parents;
    PADDOCK_ASSIGN(commit.tree, open.branch->files.Write());
    PADDOCK_ASSIGN(commit.committer, PersonText(*open.command.committer));
    commit.author = commit.committer;
    if (open.command.author) {
      PADDOCK_ASSIGN(commit.author, PersonText(*open.command.author));
    }
    if (!open.command.encoding.empty()) commit.extra.push_back("encoding " + open.command.encoding);
    commit.message = open.command.data;
    ++commits_;
    PADDOCK_ASSIGN(open.branch->tip, git_.objects.Write(ObjectType::kCommit, commit.Text()));
    return Mark(open.command.mark, open.branch->tip);
  }

  Result<std::string> PersonText(const ImportPerson& person) {
    if (options_.dates == ImportDates::kNow) {
      if (person.date != "now") return Error(Code::kSyntax, "Date in ident must be 'now': " + person.who + " " + person.date);
      const int64_t now = Now(git_.in.clock).seconds;
      return person.who + " " + std::to_string(now) + " " + OffsetText(LocalZone(git_.in.env).ToLocal(now).offset / 60);
    }
    if (options_.dates == ImportDates::kRfc2822) {
      const auto date = git_.ParseGitDate(person.date);
      if (!date) return Error(Code::kSyntax, "Invalid rfc2822 date \"" + person.date + "\" in ident: " + person.who + " " + person.date);
      return person.who + " " + *date;
    }
    const std::string_view date = person.date;
    const size_t blank = date.find(' ');
    const auto is_digits = [](std::string_view text) { return !text.empty() && text.size() < 20 && text.find_first_not_of("0123456789") == std::string_view::npos; };
    const std::string_view zone = blank == std::string_view::npos ? std::string_view() : date.substr(blank + 1);
    bool is_valid = is_digits(date.substr(0, blank)) && zone.size() >= 2 && (zone[0] == '+' || zone[0] == '-') && is_digits(zone.substr(1));
    if (is_valid && options_.dates == ImportDates::kRaw) {
      int offset = 0;
      std::from_chars(zone.data() + 1, zone.data() + zone.size(), offset);
      is_valid = zone.size() <= 6 && offset <= 1400;
    }
    if (!is_valid) return Error(Code::kSyntax, "Invalid raw date \"" + person.date + "\" in ident: " + person.who + " " + person.date);
    return person.who + " " + person.date;
  }

  Status TakeReset(const ImportCommand& command) {
    PADDOCK_ASSIGN(Branch* branch, BranchOf(command.name));
    if (!command.from.empty()) return StartAt(*branch, command.name, command.from);
    branch->tip = Oid{};
    branch->files.Clear();
    return {};
  }
  Status TakeTag(const ImportCommand& command) {
    if (!IsRefName("refs/tags/" + command.name)) return Error(Code::kInvalid, "invalid tag name: " + command.name);
    Tag tag{.name = command.name, .message = command.data};
    if (command.from.starts_with(':')) {
      PADDOCK_ASSIGN(tag.object, Marked(command.from));
    } else if (branches_.contains(command.from)) {
      tag.object = branches_.at(command.from).tip;
    } else {
      const auto id = ResolveObject(git_, command.from);
      if (!id) return Error(Code::kNoEntry, "Invalid ref name or SHA1 expression: " + command.from);
      tag.object = *id;
    }
    const auto object = git_.objects.Share(tag.object);
    if (!object) return Error(Code::kInvalid, "Can't tag an empty branch.");
    tag.type = (*object)->type;
    if (command.committer) {
      PADDOCK_ASSIGN(tag.tagger, PersonText(*command.committer));
    }
    ++annotated_;
    PADDOCK_ASSIGN(const Oid id, git_.objects.Write(ObjectType::kTag, tag.Text()));
    git_.in.budget.WillAllocate(command.name.size() + 100);
    tags_[command.name] = id;
    return Mark(command.mark, id);
  }

  Status Mark(uint64_t mark, const Oid& id) {
    if (mark == 0) return {};
    git_.in.budget.WillAllocate(80);
    marks_[mark] = id;
    return {};
  }
  Result<Oid> Marked(const std::string& text) {
    uint64_t mark = 0;
    const bool is_mark = text.size() > 1 && text[0] == ':' && std::from_chars(text.data() + 1, text.data() + text.size(), mark).ptr == text.data() + text.size();
    const auto found = is_mark ? marks_.find(mark) : marks_.end();
    if (found == marks_.end()) return Error(Code::kNoEntry, is_mark ? "mark " + text + " not declared" : "Not a mark: " + text);
    return found->second;
  }

  // What a mark or a whole id names; `line` is what a complaint shows.
  Result<Oid> Named(const std::string& text, const std::string& line) {
    if (text.starts_with(':')) return Marked(text);
    const auto id = text.size() == 40 ? Oid::FromHex(text) : std::nullopt;
    if (!id) return Error(Code::kSyntax, "Invalid dataref: " + line);
    return *id;
  }

  Status Answer(const std::string& text) {
    if (options_.cat_blob_fd == 1) {
      git_.Print(text);
      git_.in.out.Flush();
      return {};
    }
    const vfs::OpenFilePtr file = options_.cat_blob_fd < 0 || options_.cat_blob_fd > 1000 ? vfs::OpenFilePtr() : git_.in.process.descriptors().Get(static_cast<int>(options_.cat_blob_fd));
    if (!file) return Error(Code::kBadDescriptor, "Write to frontend failed: Bad file descriptor");
    return file->Write(text);
  }
  Status ShowBlob(const ImportCommand& command) {
    PADDOCK_ASSIGN(const Oid id, Named(command.object, command.line));
    const auto object = git_.objects.Share(id);
    if (!object) return Answer(id.Hex() + " missing\n");
    if ((*object)->type != ObjectType::kBlob) return Error(Code::kInvalid, "Object " + id.Hex() + " is a " + std::string(TypeName((*object)->type)) + " but a blob was expected.");
    return Answer(id.Hex() + " blob " + std::to_string((*object)->data.size()) + "\n" + (*object)->data + "\n");
  }
  Status List(const ImportCommand& command) {
    std::optional<ImportTree::Item> item;
    if (command.object.empty()) {
      if (!commit_) return Error(Code::kSyntax, "Not in a commit: " + command.line);
      PADDOCK_ASSIGN(item, commit_->branch->files.Find(command.path));
    } else {
      PADDOCK_ASSIGN(Oid id, Named(command.object, command.line));
      PADDOCK_ASSIGN(id, git_.objects.Peel(id, ObjectType::kTree));
      ImportTree files(git_.objects, git_.in.budget);
      files.Reset(id);
      PADDOCK_ASSIGN(item, files.Find(command.path));
    }
    const std::string path = git_.Quoted(command.path);
    if (!item) return Answer("missing " + path + "\n");
    std::string mode = "000000";
    std::to_chars(mode.data() + (item->mode < 0100000 ? 1 : 0), mode.data() + 6, item->mode, 8);
    return Answer(mode + " " + (item->mode == kModeTree ? "tree" : item->mode == kModeCommit ? "commit" : "blob") + " " + item->id.Hex() + "\t" + path + "\n");
  }

  Status TakeFeature(const std::string& feature) {
    const size_t equals = feature.find('=');
    const std::string name = feature.substr(0, equals), value = equals == std::string::npos ? "" : feature.substr(equals + 1);
    static constexpr std::string_view kKnown[] = {"get-mark", "cat-blob", "ls", "notes", "alias"};
    if (std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown)) return {};
    if (name == "done") options_.needs_done = true;
    else if (name == "force") options_.is_forced = true;
    else if (name == "relative-marks") options_.is_relative = true;
    else if (name == "no-relative-marks") options_.is_relative = false;
    else if (name == "date-format") return TakeDates(options_, value);
    else if (name != "export-marks" && name != "import-marks" && name != "import-marks-if-exists") return Error(Code::kNotSupported, "This version of fast-import does not support feature " + feature + ".");
    else if (!options_.allows_unsafe) return Error(Code::kNotPermitted, "feature '" + name + "' forbidden in input without --allow-unsafe-features");
    else if (name == "export-marks") return options_.export_marks.empty() ? TakeMarks<&ImportOptions::export_marks>(options_, value) : Status();
    // The command line is stronger than the stream.
    else if (options_.import_marks.empty() && options_.import_marks_if_exists.empty()) return ReadMarks((options_.is_relative ? "\n" : "") + value, name == "import-marks");
    return {};
  }
  // Whether it is `name` with a size, which changes nothing: they are of packs.
  static bool IsSize(std::string_view option, std::string_view name) { return option.starts_with(name) && ParseGitNumber(option.substr(name.size()), name).has_value(); }
  Status TakeOption(const std::string& option) {
    if (option == "quiet") options_.is_quiet = true;
    else if (option == "stats") options_.is_quiet = false;
    else if (option == "force") options_.is_forced = true;
    else if (option.starts_with("depth=")) return TakeDepth(options_, std::string_view(option).substr(6));
    else if (option.starts_with("active-branches=")) return TakeBranches(options_, std::string_view(option).substr(16));
    else if (!IsSize(option, "max-pack-size=") && !IsSize(option, "big-file-threshold=")) return Error(Code::kNotSupported, "This version of fast-import does not support option: " + option);
    return {};
  }

  std::string MarksPath(const std::string& name) const { return name.starts_with('\n') ? git_.GitPath("info/fast-import/" + name.substr(1)) : name; }
  Status ReadMarks(const std::string& name, bool is_needed) {
    if (name.empty()) return {};
    const auto text = vfs::ReadFile(git_.in.fs, MarksPath(name), 256 << 20);
    if (!text && text.error().code == Code::kNoEntry && !is_needed) return {};
    if (!text) return Error(text.error().code, "cannot read '" + MarksPath(name) + "': " + std::string(text.error().Text()));
    for (std::string_view line : SplitLines(*text)) {
      git_.in.budget.Step();
      if (line.ends_with('\n')) line.remove_suffix(1);
      const size_t blank = line.find(' ');
      uint64_t mark = 0;
      const bool is_mark = line.starts_with(':') && blank != std::string_view::npos && std::from_chars(line.data() + 1, line.data() + blank, mark).ptr == line.data() + blank;
      const auto id = is_mark && line.size() == blank + 41 ? Oid::FromHex(line.substr(blank + 1)) : std::nullopt;
      if (!id) return Error(Code::kSyntax, "corrupt mark line: " + std::string(line));
      if (!git_.objects.Has(*id)) return Error(Code::kNoEntry, "object not found: " + id->Hex());
      PADDOCK_TRY(Mark(mark, *id));
    }
    return {};
  }
  Status WriteMarks() {
    if (options_.export_marks.empty()) return {};
    std::string text;
    for (const auto& [mark, id] : marks_) {
      if (mark != 0) text += ":" + std::to_string(mark) + " " + id.Hex() + "\n";
    }
    const std::string path = MarksPath(options_.export_marks);
    if (options_.export_marks.starts_with('\n')) {
      static_cast<void>(git_.in.fs.MakeDirectory(git_.GitPath("info"), 0777).has_value());
      static_cast<void>(git_.in.fs.MakeDirectory(git_.GitPath("info/fast-import"), 0777).has_value());
    }
    return vfs::WriteFile(git_.in.fs, path, text);
  }

  // Moves the references; where commits would get lost, that is told and they stay.
  Status UpdateRefs() {
    History history(git_);
    for (const auto& [name, branch] : branches_) {
      git_.in.budget.Step();
      if (branch.tip.is_null() && !branch.is_deleted) continue;
      const auto before = git_.refs.Read(name);
      if (before && *before == branch.tip) continue;
      if (!before && branch.is_deleted) continue;
      if (before && !branch.is_deleted && !options_.is_forced) {
        const auto old = git_.objects.Peel(*before, ObjectType::kCommit);
        PADDOCK_ASSIGN(const bool is_kept, old ? history.IsAncestor(*old, branch.tip) : Result<bool>(false));
        if (!is_kept) {
          git_.Warn("Not updating " + name + " (new tip " + branch.tip.Hex() + " does not contain " + before->Hex() + ")");
          has_failed_ = true;
          continue;
        }
      }
      PADDOCK_TRY(SetRef(name, branch.tip));
    }
    for (const auto& [name, id] : tags_) PADDOCK_TRY(SetRef("refs/tags/" + name, id));
    return {};
  }
  Status SetRef(const std::string& name, const Oid& id) {
    RefTransaction transaction(git_, {.message = "fast-import", .complaint = ""});
    PADDOCK_TRY(transaction.Add({.name = name, .id = id, .before = {}}));
    if (const Status set = transaction.Commit(); !set) {
      git_.Complain(set.error().Text());
      has_failed_ = true;
    }
    return {};
  }

  std::string Statistics() const {
    const std::string line(69, '-');
    std::string text = "fast-import statistics:\n" + line + "\n";
    for (const auto& [name, count] : {std::pair<const char*, uint64_t>{"blobs", blobs_}, {"commits", commits_}, {"tags", annotated_}, {"branches", branches_.size()}, {"marks", marks_.size()}}) {
      std::string label = std::string(name) + ":", number = std::to_string(count);
      label.resize(12, ' ');
      text += label + std::string(number.size() < 10 ? 10 - number.size() : 0, ' ') + number + "\n";
    }
    return text + line + "\n";
  }

  Git& git_;
  ImportOptions& options_;
  std::map<std::string, Branch> branches_;
  std::map<std::string, Oid> tags_;
  std::map<uint64_t, Oid> marks_;
  std::optional<OpenCommit> commit_;
  uint64_t blobs_ = 0, commits_ = 0, annotated_ = 0;   // that were made
  bool has_failed_ = false, has_begun_ = false;
};

Result<ExitStatus> RunFastImport(Git& git, ImportOptions& options, Args& args) {
  if (!args.All().empty()) {
    git.Say("usage: git fast-import [--date-format=<f>] [--max-pack-size=<n>] [--big-file-threshold=<n>] [--depth=<n>] [--active-branches=<n>] [--export-marks=<marks.file>]\n");
    return 129;
  }
  return Importer(git, options).Run();
}

}  // namespace

extern const Subcommand kFastImport;
const Subcommand kFastImport = DefineSubcommand<ImportOptions, RunFastImport>({.name = "fast-import", .summary = "make a history of a stream", .synopsis = "[<options>]", .options = kOptions});

}  // namespace paddock::git
