// git fast-export.
//
// Source: git-fast-export(1), git-fast-import(1).
#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_map>

#include "commands/git/history/log.h"
#include "commands/git/objects/fast_export.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

enum class SignedTags { kAbort, kVerbatim, kWarn, kWarnStrip, kStrip };
enum class FilteredTags { kAbort, kDrop, kRewrite };
enum class Reencode { kAbort, kYes, kNo };

struct ExportOptions : LogOptions {
  int64_t progress = 0;
  SignedTags signed_tags = SignedTags::kAbort;
  FilteredTags filtered_tags = FilteredTags::kAbort;
  Reencode reencode = Reencode::kAbort;
  std::string export_marks, import_marks, import_marks_if_exists;
  std::vector<std::string> refspecs, kept_names;
  bool fakes_tagger = false, full_tree = false, says_done = false, no_data = false, anonymizes = false, names_excluded = false, original_ids = false, mark_tags = false;
};
Status TakeSigned(ExportOptions& options, std::string_view value) {
  if (value == "abort") options.signed_tags = SignedTags::kAbort;
  else if (value == "verbatim" || value == "ignore") options.signed_tags = SignedTags::kVerbatim;
  else if (value == "warn") options.signed_tags = SignedTags::kWarn;
  else if (value == "warn-strip") options.signed_tags = SignedTags::kWarnStrip;
  else if (value == "strip") options.signed_tags = SignedTags::kStrip;
  else return Error(Code::kRange, "Unknown signed-tags mode: " + std::string(value));
  return {};
}
Status TakeFiltered(ExportOptions& options, std::string_view value) {
  if (value == "abort") options.filtered_tags = FilteredTags::kAbort;
  else if (value == "drop") options.filtered_tags = FilteredTags::kDrop;
  else if (value == "rewrite") options.filtered_tags = FilteredTags::kRewrite;
  else return Error(Code::kRange, "Unknown tag-of-filtered mode: " + std::string(value));
  return {};
}
Status TakeReencode(ExportOptions& options, std::string_view value) {
  if (value == "abort") options.reencode = Reencode::kAbort;
  else if (value == "yes" || value == "true" || value == "on" || value == "1") options.reencode = Reencode::kYes;
  else if (value == "no" || value == "false" || value == "off" || value == "0") options.reencode = Reencode::kNo;
  else return Error(Code::kRange, "Unknown reencoding mode: " + std::string(value));
  return {};
}

constexpr Option kOptions[] = {
    Value<&ExportOptions::progress>(0, "progress", "N", "say how far it is after each N objects"),
    Call<TakeSigned>(0, "signed-tags", "MODE", "of signed tags: abort, verbatim, warn, warn-strip or strip"),
    Call<TakeFiltered>(0, "tag-of-filtered-object", "MODE", "of tags whose objects are left out: abort, drop or rewrite"),
    Call<TakeReencode>(0, "reencode", "MODE", "of messages that are not UTF-8: abort, yes or no"),
    Value<&ExportOptions::export_marks>(0, "export-marks", "FILE", "write the marks to FILE"), Value<&ExportOptions::import_marks>(0, "import-marks", "FILE", "what has a mark in FILE was exported before"),
    Value<&ExportOptions::import_marks_if_exists>(0, "import-marks-if-exists", "FILE", "likewise, if there is such a file"),
    Flag<&ExportOptions::fakes_tagger>(0, "fake-missing-tagger", "somebody, for tags without a tagger"), Flag<&ExportOptions::full_tree>(0, "full-tree", "each commit with all its files"),
    Flag<&ExportOptions::says_done>(0, "use-done-feature", "tell where the stream ends"), Flag<&ExportOptions::no_data>(0, "no-data", "no contents, only their ids"),
    Value<&ExportOptions::refspecs>(0, "refspec", "FROM:TO", "other names for references"), Flag<&ExportOptions::anonymizes>(0, "anonymize", "hide names, people and texts"),
    Value<&ExportOptions::kept_names>(0, "anonymize-map", "FROM[:TO]", "with --anonymize: TO instead of FROM"),
    Flag<&ExportOptions::names_excluded>(0, "reference-excluded-parents", "name parents that are left out by their ids"),
    Flag<&ExportOptions::original_ids>(0, "show-original-ids", "tell which ids the objects have here"), Flag<&ExportOptions::mark_tags>(0, "mark-tags", "give tags marks, too"),
    Flag<&ExportOptions::all>(0, "all", "all references"), Flag<&ExportOptions::branches>(0, "branches", "all branches"), Flag<&ExportOptions::tags>(0, "tags", "all tags"),
    Flag<&ExportOptions::remotes>(0, "remotes", "all remote branches"), Flag<&ExportOptions::first_parent>(0, "first-parent", "follow first parents only"),
    Value<&ExportOptions::count>('n', "max-count", "N", "at most N commits"), Value<&ExportOptions::since>(0, "since", "DATE", "newer ones"), Value<&ExportOptions::until>(0, "until", "DATE", "older ones"),
    CallOptional<TakeRenameOption>('M', "find-renames", "PERCENT", "find renames"), CallOptional<TakeCopiesOption>('C', "find-copies", "PERCENT", "find copies, too"),
};

class Exporter {
 public:
  Exporter(Git& git, ExportOptions& options) : git_(git), options_(options), history_(git), hidden_(git.in.budget) {
    for (const std::string& kept : options.kept_names) {
      const size_t colon = kept.find(':');
      hidden_.Keep(kept.substr(0, colon), kept.substr(colon == std::string::npos ? 0 : colon + 1));
    }
  }

  Result<ExitStatus> Run(const Args& args) {
    if (options_.says_done) git_.Print("feature done\n");
    PADDOCK_TRY(ReadMarks());
    PADDOCK_ASSIGN(Selection selection, ParseSelection(git_, args));
    PADDOCK_TRY(NameTips(selection));
    TakeDefaults(git_, options_, selection);
    std::erase_if(selection.included, [this](const Oid& id) { return !git_.objects.Peel(id, ObjectType::kCommit); });
    PADDOCK_ASSIGN(Pathspec paths, git_.ParsePaths(selection.paths));
    paths_ = &paths;
    if (!paths.empty() && !(options_.import_marks.empty() && options_.import_marks_if_exists.empty())) options_.full_tree = true;
    LogSides sides;
    options_.topological = options_.show_parents = true;
    std::vector<Oid> commits;
    if (!selection.included.empty()) {
      PADDOCK_ASSIGN(commits, Select(git_, history_, options_, selection, paths, sides));
    }
    has_paths_ = !paths.empty();
    sides_ = &sides;
    PADDOCK_TRY(SpreadNames(commits));
    std::reverse(commits.begin(), commits.end());
    for (const Oid& id : commits) {
      if (!imported_.contains(id)) PADDOCK_TRY(ExportCommit(id));
    }
    PADDOCK_TRY(ExportRefs());
    PADDOCK_TRY(WriteMarks());
    if (options_.says_done) git_.Print("done\n");
    return 0;
  }

 private:
  std::string ShownRef(const std::string& name) {
    std::string shown = name;
    for (const std::string& spec : options_.refspecs) {
      const size_t colon = spec.find(':');
      std::string from = spec.substr(0, colon), to = colon == std::string::npos ? from : spec.substr(colon + 1);
      if (from.starts_with('+')) from.erase(0, 1);
      if (from == name) shown = to;
      else if (from.ends_with('*') && name.starts_with(from.substr(0, from.size() - 1)) && to.ends_with('*')) shown = to.substr(0, to.size() - 1) + name.substr(from.size() - 1);
      else continue;
      break;
    }
    return options_.anonymizes ? hidden_.Ref(shown) : shown;
  }

  // By which names the commits and tags came in.
  Status NameTips(const Selection& selection) {
    std::vector<std::string> names;
    for (const std::string& name : selection.names) {
      const size_t dots = name.rfind("..");
      names.push_back(dots == std::string::npos ? name : dots + 2 == name.size() ? "HEAD" : name.substr(dots + 2));
    }
    const auto add = [&](const char* prefix, bool wanted) {
      for (const auto& [name, id] : wanted ? git_.refs.List(prefix) : std::map<std::string, Oid>()) names.push_back(name);
    };
    add("refs/", options_.all);
    add("refs/heads/", options_.branches);
    add("refs/tags/", options_.tags);
    add("refs/remotes/", options_.remotes);
    if (options_.all && git_.Head()) names.emplace_back("HEAD");
    for (const std::string& name : names) {
      PADDOCK_ASSIGN(Oid id, ResolveObject(git_, name));
      const auto full = FindRef(git_, name);
      const std::string ref = full ? git_.refs.ReadSymbolic(*full).value_or(*full) : "";
      PADDOCK_ASSIGN(Object object, git_.objects.Read(id));
      const bool is_tag = object.type == ObjectType::kTag;
      while (object.type == ObjectType::kTag) {
        git_.in.budget.Step(4);
        PADDOCK_ASSIGN(const Tag tag, ParseTag(object.data));
        if (full) tags_.emplace_back(ref, id);
        id = tag.object;
        PADDOCK_ASSIGN(object, git_.objects.Read(id));
      }
      if (object.type == ObjectType::kBlob && is_tag && full) {
        PADDOCK_TRY(ExportBlob(id));
        continue;
      }
      if (object.type != ObjectType::kCommit) {
        git_.Warn(is_tag ? "Tag points to object of unexpected type " + std::string(TypeName(object.type)) + ", skipping." : name + ": Unexpected object of type " + std::string(TypeName(object.type)) + ", skipping.");
        continue;
      }
      if (full && !is_tag) extra_.emplace(ref, id);
      git_.in.budget.WillAllocate(ref.size() + 120);
      names_.emplace(id, full ? ref : name);
    }
    return {};
  }
  // What a commit came in by, its parents came in by, unless they had a name: newest first.
  Status SpreadNames(const std::vector<Oid>& commits) {
    std::multimap<int64_t, Oid, std::greater<>> queue;
    std::set<Oid> members(commits.begin(), commits.end()), seen;
    const auto add = [&](const Oid& id) -> Status {
      if (!seen.insert(id).second) return {};
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      git_.in.budget.WillAllocate(100);
      queue.emplace(node->time, id);
      return {};
    };
    std::vector<Oid> tips;   // with paths: also those that are left out, as what is not may lie behind them
    for (const auto& [id, name] : names_) {
      if (has_paths_ || members.contains(id)) tips.push_back(id);
    }
    for (const Oid& id : tips) PADDOCK_TRY(add(id));
    while (!queue.empty()) {
      git_.in.budget.Step();
      const Oid id = queue.begin()->second;
      queue.erase(queue.begin());
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      for (const Oid& parent : node->commit.parents) {
        git_.in.budget.WillAllocate(120);
        names_.emplace(parent, names_[id]);
        if (has_paths_ || members.contains(parent)) PADDOCK_TRY(add(parent));
      }
    }
    return {};
  }

  // Among the commits that are exported, when paths are left out.
  Result<std::vector<Oid>> Parents(const Oid& id) {
    PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
    if (has_paths_) {
      const auto found = sides_->parents.find(id);
      return found == sides_->parents.end() ? std::vector<Oid>() : found->second;
    }
    return node->commit.parents;
  }

  uint32_t NextMark(const Oid& id) {
    git_.in.budget.WillAllocate(100);
    marks_[id] = ++last_mark_;
    return last_mark_;
  }
  uint32_t MarkOf(const Oid& id) const {
    const auto found = marks_.find(id);
    return found == marks_.end() ? 0 : found->second;
  }
  void Count() {
    if (options_.progress > 0 && ++counted_ % options_.progress == 0) git_.Print("progress " + std::to_string(counted_) + " objects\n");
  }
  void Original(const Oid& id) {
    if (options_.original_ids) git_.Print("original-oid " + id.Hex() + "\n");
  }

  Status ExportBlob(const Oid& id) {
    if (options_.no_data || id.is_null() || !shown_blobs_.insert(id).second) return {};
    PADDOCK_ASSIGN(std::string text, git_.ReadBlob(id));
    if (options_.anonymizes) text = hidden_.Blob();
    git_.Print("blob\nmark :" + std::to_string(NextMark(id)) + "\n");
    Original(id);
    git_.Print("data " + std::to_string(text.size()) + "\n" + text + "\n");
    Count();
    return {};
  }

  std::string ShownPath(const std::string& path) {
    const std::string shown = options_.anonymizes ? hidden_.Path(path) : path;
    const std::string quoted = git_.Quoted(shown);
    return quoted == shown && shown.find(' ') != std::string::npos ? "\"" + shown + "\"" : quoted;
  }

  Result<std::vector<FileDiff>> Changes(const std::vector<Oid>& parents, const Commit& commit) {
    FlatTree before;
    if (!parents.empty() && (MarkOf(parents[0]) != 0 || options_.names_excluded) && !options_.full_tree) {
      PADDOCK_ASSIGN(before, git_.FlattenCommit(parents[0]));
    }
    PADDOCK_ASSIGN(const FlatTree after, git_.Flatten(commit.tree));
    std::vector<FileDiff> files = CompareTrees(before, after);
    DiffOptions how = options_;
    if (!how.find_renames) how.no_renames = true;
    PADDOCK_TRY(Arrange(git_, files, how, *paths_, &before));
    const auto name = [](const FileDiff& file) -> const std::string& { return file.status == 'A' ? file.new_path : file.old_path; };
    std::stable_sort(files.begin(), files.end(), [&](const FileDiff& a, const FileDiff& b) {
      const std::string &x = name(a), &y = name(b);
      const size_t length = std::min(x.size(), y.size());
      if (const int order = x.compare(0, length, y, 0, length); order != 0) return order < 0;
      return x.size() != y.size() ? x.size() > y.size() : (a.status == 'R') < (b.status == 'R');
    });
    return files;
  }

  void ShowFiles(const std::vector<FileDiff>& files) {
    std::set<std::string> changed;
    for (const FileDiff& file : files) {
      git_.in.budget.WillAllocate(file.new_path.size() + 100);
      if (file.status == 'D') {
        git_.Print("D " + ShownPath(file.old_path) + "\n");
        changed.insert(file.old_path);
        continue;
      }
      if ((file.status == 'R' || file.status == 'C') && !changed.contains(file.old_path)) {
        git_.Print(std::string(1, file.status) + " " + ShownPath(file.old_path) + " " + ShownPath(file.new_path) + "\n");
        changed.insert(file.new_path);
        if (file.old_id == file.new_id && file.old_mode == file.new_mode) continue;
      }
      const bool is_named = options_.no_data || file.new_mode == kModeCommit;
      git_.Print("M " + ModeText(file.new_mode) + " " + (is_named ? options_.anonymizes ? hidden_.Id(file.new_id) : file.new_id.Hex() : ":" + std::to_string(MarkOf(file.new_id))) + " " + ShownPath(file.new_path) + "\n");
      changed.insert(file.new_path);
    }
  }

  Status ExportCommit(const Oid& id) {
    git_.in.budget.Step();
    PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
    const Commit& commit = node->commit;
    PADDOCK_ASSIGN(const std::vector<Oid> parents, Parents(id));
    PADDOCK_ASSIGN(const std::vector<FileDiff> files, Changes(parents, commit));
    for (const FileDiff& file : files) {
      if (file.status != 'D' && file.new_mode != kModeCommit) PADDOCK_TRY(ExportBlob(file.new_id));
    }
    std::string encoding, message = commit.message, author = "author " + commit.author, committer = "committer " + commit.committer;
    for (const std::string& line : commit.extra) {
      if (line.starts_with("encoding ")) encoding = line.substr(9);
    }
    const std::string name = names_.contains(id) ? names_[id] : id.Hex();
    extra_.erase(name);
    const std::string ref = ShownRef(name);
    if (options_.anonymizes) {
      committer = hidden_.Person(committer);
      author = hidden_.Person(author);
      message = hidden_.Message();
      encoding.clear();
    } else if (!encoding.empty() && options_.reencode == Reencode::kAbort) {
      return Error(Code::kInvalid, "Encountered commit-specific encoding " + encoding + " in commit " + id.Hex() + "; use --reencode=[yes|no] to handle it");
    } else if (!encoding.empty() && options_.reencode == Reencode::kYes) {
      message = Recoded(message, encoding, "UTF-8");
      encoding.clear();
    }
    const uint32_t mark = NextMark(id);
    if (parents.empty()) git_.Print("reset " + ref + "\n");
    git_.Print("commit " + ref + "\nmark :" + std::to_string(mark) + "\n");
    Original(id);
    git_.Print(author + "\n" + committer + "\n" + (encoding.empty() ? "" : "encoding " + encoding + "\n") + "data " + std::to_string(message.size()) + "\n" + message);
    bool is_first = true;
    for (const Oid& parent : parents) {
      const uint32_t known = MarkOf(parent);
      if (known == 0 && !options_.names_excluded) continue;
      git_.Print((is_first ? "from " : "merge ") + (known != 0 ? ":" + std::to_string(known) : options_.anonymizes ? hidden_.Id(parent) : parent.Hex()) + "\n");
      is_first = false;
    }
    if (options_.full_tree) git_.Print("deleteall\n");
    ShowFiles(files);
    git_.Print("\n");
    Count();
    return {};
  }

  Result<bool> IsSame(const Oid& a, const Oid& b) {
    PADDOCK_ASSIGN(const FlatTree before, git_.FlattenCommit(a));
    PADDOCK_ASSIGN(const FlatTree after, git_.FlattenCommit(b));
    for (const FileDiff& file : CompareTrees(before, after)) {
      if (paths_->Matches(file.status == 'D' ? file.old_path : file.new_path, git_.in.budget)) return false;
    }
    return true;
  }
  // The commit that stands for one that paths leave out: the exported one from which it has their files.
  Result<std::optional<Oid>> Kept(Oid id) {
    while (true) {
      git_.in.budget.Step();
      if (MarkOf(id) != 0 || !has_paths_) return std::optional(id);
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      if (node->commit.parents.empty()) return std::optional<Oid>();
      std::optional<Oid> next;
      for (const Oid& parent : node->commit.parents) {
        PADDOCK_ASSIGN(const bool is_same, IsSame(parent, id));
        if (is_same && !next) next = parent;
      }
      if (!next) return std::optional(id);
      id = *next;
    }
  }

  Status ExportRefs() {
    for (auto at = extra_.rbegin(); at != extra_.rend(); ++at) {
      const std::string name = ShownRef(at->first);
      PADDOCK_ASSIGN(const auto kept, Kept(at->second));
      const uint32_t mark = kept ? MarkOf(*kept) : 0;
      const std::string from = mark != 0 ? ":" + std::to_string(mark) : kept && options_.names_excluded ? kept->Hex() : Oid{}.Hex();
      git_.Print("reset " + name + "\nfrom " + from + "\n\n");
      if (mark != 0) Count();
    }
    for (auto at = tags_.rbegin(); at != tags_.rend(); ++at) PADDOCK_TRY(ExportTag(at->first, at->second));
    return {};
  }

  Status ExportTag(const std::string& ref, const Oid& id) {
    PADDOCK_ASSIGN(const Tag tag, git_.objects.ReadTag(id));
    PADDOCK_ASSIGN(const Oid last, git_.objects.Peel(id, std::nullopt));
    PADDOCK_ASSIGN(const ObjectPtr object, git_.objects.Share(last));
    if (object->type == ObjectType::kTree) {
      git_.Warn("Omitting tag " + id.Hex() + ",\nsince tags of trees (or tags of tags of trees, etc.) are not supported.");
      return {};
    }
    std::string name = ShownRef(ref), message = tag.message;
    std::string tagger = !tag.tagger.empty() ? "tagger " + tag.tagger : options_.fakes_tagger ? "tagger Unspecified Tagger <unspecified-tagger> 0 +0000" : "";
    if (options_.anonymizes) {
      if (!tag.tagger.empty()) tagger = hidden_.Person(tagger);
      message = hidden_.TagMessage();
    }
    if (const size_t signature = message.find("\n-----BEGIN PGP SIGNATURE-----\n"); signature != std::string::npos) {
      const SignedTags mode = options_.signed_tags;
      if (mode == SignedTags::kAbort) return Error(Code::kInvalid, "encountered signed tag " + id.Hex() + "; use --signed-tags=<mode> to handle it");
      if (mode == SignedTags::kWarn) git_.Warn("exporting signed tag " + id.Hex());
      if (mode == SignedTags::kWarnStrip) git_.Warn("stripping signature from tag " + id.Hex());
      if (mode == SignedTags::kWarnStrip || mode == SignedTags::kStrip) message.resize(signature + 1);
    }
    uint32_t mark = MarkOf(tag.object);
    if (mark == 0) {
      if (options_.filtered_tags == FilteredTags::kAbort) return Error(Code::kInvalid, "tag " + id.Hex() + " tags unexported object; use --tag-of-filtered-object=<mode> to handle it");
      if (options_.filtered_tags == FilteredTags::kDrop) return {};
      if (tag.type == ObjectType::kTag && !options_.mark_tags) return Error(Code::kInvalid, "Error: Cannot export nested tags unless --mark-tags is specified.");
      if (tag.type == ObjectType::kCommit) {
        PADDOCK_ASSIGN(const auto kept, Kept(tag.object));
        if (!kept) {
          git_.Print("reset " + name + "\nfrom " + Oid{}.Hex() + "\n\n");
          return {};
        }
        mark = MarkOf(*kept);
      }
    }
    if (tag.type == ObjectType::kTag) git_.Print("reset " + name + "\nfrom " + Oid{}.Hex() + "\n\n");
    if (name.starts_with("refs/tags/")) name.erase(0, 10);
    git_.Print("tag " + name + "\n");
    if (options_.mark_tags) {
      git_.Print("mark :" + std::to_string(NextMark(id)) + "\n");
      tag_marks_.insert(id);
    }
    git_.Print("from " + (mark != 0 ? ":" + std::to_string(mark) : tag.object.Hex()) + "\n");
    Original(id);
    git_.Print((tagger.empty() ? "" : tagger + "\n") + "data " + std::to_string(message.size()) + "\n" + message + "\n");
    return {};
  }

  Status ReadMarks() {
    const bool is_needed = !options_.import_marks.empty();
    const std::string& path = is_needed ? options_.import_marks : options_.import_marks_if_exists;
    if (path.empty()) return {};
    const auto text = vfs::ReadFile(git_.in.fs, path, 256 << 20);
    if (!text && !is_needed) return {};
    if (!text) return Error(text.error().code, "could not open '" + path + "' for reading: " + std::string(text.error().Text()));
    for (std::string_view line : SplitLines(*text)) {
      git_.in.budget.WillAllocate(100);
      if (line.ends_with('\n')) line.remove_suffix(1);
      const size_t blank = line.find(' ');
      const auto id = blank == std::string_view::npos ? std::nullopt : Oid::FromHex(line.substr(blank + 1));
      uint32_t mark = 0;
      const bool is_number = line.starts_with(':') && blank != std::string_view::npos && std::from_chars(line.data() + 1, line.data() + blank, mark).ptr == line.data() + blank;
      if (!id || !is_number || mark == 0) return Error(Code::kSyntax, "corrupt mark line: " + std::string(line));
      last_mark_ = std::max(last_mark_, mark);
      const auto object = git_.objects.Share(*id);
      if (!object) return Error(Code::kNoEntry, "object not found: " + id->Hex());
      if ((*object)->type != ObjectType::kCommit) continue;
      marks_[*id] = mark;
      imported_.insert(*id);
    }
    first_mark_ = last_mark_;
    return {};
  }
  // Not when there is nothing new: then the file stays as it is.
  Status WriteMarks() {
    if (options_.export_marks.empty() || last_mark_ == first_mark_) return {};
    std::map<uint32_t, Oid> ordered;
    for (const auto& [id, mark] : marks_) {
      if (!shown_blobs_.contains(id) && !tag_marks_.contains(id)) ordered[mark] = id;   // commits alone
    }
    std::string text;
    for (const auto& [mark, id] : ordered) text += ":" + std::to_string(mark) + " " + id.Hex() + "\n";
    if (const Status written = vfs::WriteFile(git_.in.fs, options_.export_marks, text); !written) return Error(written.error().code, "unable to open marks file " + options_.export_marks + " for writing.");
    return {};
  }

  Git& git_;
  ExportOptions& options_;
  History history_;
  Anonymizer hidden_;
  Pathspec* paths_ = nullptr;
  bool has_paths_ = false;
  const LogSides* sides_ = nullptr;
  std::unordered_map<Oid, std::string, OidHash> names_;   // by which reference it came in
  std::map<std::string, Oid> extra_;                      // references that no commit was written for
  std::vector<std::pair<std::string, Oid>> tags_;
  std::unordered_map<Oid, uint32_t, OidHash> marks_;
  std::set<Oid> shown_blobs_, tag_marks_, imported_;
  uint32_t last_mark_ = 0, first_mark_ = 0;
  int64_t counted_ = 0;
};

Result<ExitStatus> RunFastExport(Git& git, ExportOptions& options, Args& args) {
  if (!options.kept_names.empty() && !options.anonymizes) return Error(Code::kInvalid, "the option '--anonymize-map' requires '--anonymize'");
  if (!options.import_marks.empty() && !options.import_marks_if_exists.empty()) return Error(Code::kInvalid, "options '--import-marks' and '--import-marks-if-exists' cannot be used together");
  if (args.operands.empty() && !args.has_dashes && !HasSources(options)) return 0;
  return Exporter(git, options).Run(args);
}

}  // namespace

extern const Subcommand kFastExport;
const Subcommand kFastExport = DefineSubcommand<ExportOptions, RunFastExport>({.name = "fast-export", .summary = "write the history as a stream for fast-import", .synopsis = "[<rev-list-opts>]", .options = kOptions});

}  // namespace paddock::git
