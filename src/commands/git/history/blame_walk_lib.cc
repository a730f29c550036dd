// The walk of git blame through history.
#include <algorithm>

#include "commands/git/diff/line_guess.h"
#include "commands/git/history/blame.h"
#include "git/tree_reader.h"

namespace paddock::git {
namespace {

constexpr size_t kLargestList = 64 << 20;   // of a file of revisions
constexpr size_t kMostBlobs = 4096;         // that are remembered

bool ByNumber(const BlameEntry& a, const BlameEntry& b) { return a.number < b.number; }

}  // namespace

Blame::Blame(Git& git, const BlameOptions& options) : git_(git), options_(options), history_(git) {
  diff_.ignores_all_space = options.blanks;
  diff_.edits.minimal = options.minimal;
}

const BlameOrigin* Blame::Previous(const BlameOrigin& origin) const {
  const auto found = previous_.find(origin);
  return found == previous_.end() ? nullptr : &found->second;
}

Result<bool> Blame::IsBoundary(const Oid& id) {
  if (id.is_null()) return false;
  if (excluded_.contains(id)) return true;
  PADDOCK_ASSIGN(const std::vector<Oid> parents, ParentsOf(id));
  return parents.empty() && !options_.root && !git_.config.GetBool("blame.showroot", false);
}

size_t Blame::UsesOf(const BlameOrigin& origin, const std::vector<BlameEntry>& entries) const {
  std::set<BlameOrigin> alive;
  size_t uses = 0;
  for (const BlameEntry& entry : entries) {
    git_.in.budget.Step();
    uses += entry.origin == origin;
    // What an origin that is in use was before is in use, too.
    for (const BlameOrigin* at = &entry.origin; at != nullptr && alive.insert(*at).second; at = Previous(*at)) {
      const BlameOrigin* before = Previous(*at);
      uses += before != nullptr && *before == origin;
    }
  }
  return uses;
}

Status Blame::ReadParents(const std::string& file) {
  const auto text = vfs::ReadFile(git_.in.fs, file, kLargestList);
  if (!text) return Error(text.error().code, "reading graft file '" + file + "' failed: " + std::string(text.error().Text()));
  for (std::string_view line : SplitLines(*text)) {
    git_.in.budget.Step(static_cast<int64_t>(1 + line.size() / 40));
    while (!line.empty() && (line.back() == '\n' || line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
    if (line.empty() || line[0] == '#') continue;
    std::vector<Oid> ids;
    bool is_good = line.size() % 41 == 40;
    for (size_t at = 0; is_good && at < line.size(); at += 41) {
      const auto id = Oid::FromHex(line.substr(at, 40));
      is_good = id && (at + 40 == line.size() || line[at + 40] == ' ');
      if (is_good) ids.push_back(*id);
    }
    if (!is_good) git_.Complain("bad graft data: " + std::string(line));
    else parents_.emplace(ids[0], std::vector<Oid>(ids.begin() + 1, ids.end()));
  }
  return {};
}

Status Blame::ReadIgnoredFile(const std::string& file) {
  const auto text = vfs::ReadFile(git_.in.fs, file, kLargestList);
  if (!text) return Error(text.error().code, "could not open object name list: " + file);
  for (std::string_view line : SplitLines(*text)) {
    git_.in.budget.Step();
    line = line.substr(0, line.find('#'));
    const size_t begin = std::min(line.find_first_not_of(" \t\r\n"), line.size());
    line = line.substr(begin, line.find_last_not_of(" \t\r\n") + 1 - begin);
    if (line.empty()) continue;
    const auto id = Oid::FromHex(line);
    if (!id) return Error(Code::kInvalid, "invalid object name: " + std::string(line));
    if (const auto commit = git_.objects.Peel(*id, ObjectType::kCommit)) ignored_.insert(*commit);
  }
  return {};
}

// An empty name takes back the files before it.
Status Blame::ReadIgnored() {
  std::vector<std::string> files = git_.config.GetAll("blame.ignorerevsfile");
  files.insert(files.end(), options_.ignored_files.begin(), options_.ignored_files.end());
  for (const std::string& file : files) {
    if (file.empty()) ignored_.clear();
    else PADDOCK_TRY(ReadIgnoredFile(file.starts_with("~/") ? std::string(git_.in.env.Get("HOME", "")) + file.substr(1) : file));
  }
  for (const std::string& name : options_.ignored) {
    const auto id = ResolveObject(git_, name);
    const auto commit = id ? git_.objects.Peel(*id, ObjectType::kCommit) : id;
    if (!commit) return Error(Code::kNoEntry, "cannot find revision " + name + " to ignore");
    ignored_.insert(*commit);
  }
  return {};
}

Status Blame::Prepare(const BlameTask& task) {
  lines_ = SplitLines(task.text);
  if (task.start.is_null()) {
    text_id_ = HashObject(ObjectType::kBlob, task.text);
    texts_.emplace(BlameOrigin{task.start, task.path}, std::string(task.text));
  }
  if (options_.revisions) PADDOCK_TRY(ReadParents(*options_.revisions));
  PADDOCK_TRY(ReadIgnored());
  if (!task.selection.excluded.empty()) {
    PADDOCK_ASSIGN(excluded_, history_.Ancestors(task.selection.excluded));
  }
  counts_.blobs = 1;
  return {};
}

Result<std::vector<BlameEntry>> Blame::Run(const BlameTask& task, const std::function<Status(const BlameEntry&)>& found) {
  PADDOCK_TRY(Prepare(task));
  const BlameOrigin start{task.start, task.path};
  Entries asked, known;
  for (const auto& [begin, end] : task.ranges) asked.push_back({begin, end - begin, start, begin});
  PADDOCK_TRY(Suspect(start, std::move(asked)));
  while (!queue_.empty()) {
    git_.in.budget.Step();
    const Oid id = queue_.begin()->second;
    queue_.erase(queue_.begin());
    // Further lines may come to the commit while it is asked.
    while (true) {
      Suspected& suspected = suspects_[id];
      const auto path = std::find_if(suspected.paths.begin(), suspected.paths.end(), [&](const std::string& one) { return suspected.entries.contains(one); });
      if (path == suspected.paths.end()) break;
      const BlameOrigin origin{id, *path};
      Entries mine = std::move(suspected.entries[*path]);
      suspected.entries.erase(*path);
      if (!excluded_.contains(id)) PADDOCK_TRY(Visit(origin, mine));
      for (const BlameEntry& entry : mine) {
        known.push_back(entry);
        PADDOCK_TRY(found(entry));
      }
    }
    suspects_.erase(id);
  }
  std::sort(known.begin(), known.end(), [](const BlameEntry& a, const BlameEntry& b) { return a.line < b.line; });
  Entries joined;
  for (BlameEntry& entry : known) {
    git_.in.budget.Step();
    BlameEntry* last = joined.empty() ? nullptr : &joined.back();
    const bool follows = last != nullptr && last->end() == entry.line && last->number + last->count == entry.number && last->origin == entry.origin && last->is_guess == entry.is_guess && last->is_stuck == entry.is_stuck;
    if (follows) last->count += entry.count;
    else joined.push_back(std::move(entry));
  }
  return joined;
}

Result<std::vector<Oid>> Blame::ParentsOf(const Oid& id) {
  std::vector<Oid> parents;
  if (const auto said = parents_.find(id); said != parents_.end()) {
    parents = said->second;
  } else if (id.is_null()) {
    if (const auto head = git_.Head()) parents.push_back(*head);
    if (const auto heads = vfs::ReadFile(git_.in.fs, git_.GitPath("MERGE_HEAD"), 1 << 20)) {
      for (const std::string_view line : SplitLines(*heads)) {
        if (const auto other = Oid::FromHex(line.substr(0, 40))) parents.push_back(*other);
      }
    }
  } else {
    PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
    parents = node->commit.parents;
  }
  if (options_.first_parent && parents.size() > 1) parents.resize(1);
  return parents;
}

// The file's blob, from the trees on its way alone; nothing for what is no file of the commit.
Result<std::optional<Oid>> Blame::BlobOf(const BlameOrigin& origin) {
  if (origin.commit.is_null()) return text_id_;
  if (const auto known = blobs_.find(origin); known != blobs_.end()) return known->second;
  PADDOCK_ASSIGN(const History::Node* node, history_.Get(origin.commit));
  PADDOCK_ASSIGN(const std::optional<TreeEntry> entry, FindPath(git_.objects, node->commit.tree, origin.path, git_.in.budget));
  const bool is_file = entry && !entry->is_tree() && entry->mode != kModeCommit;
  if (blobs_.size() >= kMostBlobs) blobs_.clear();
  return blobs_.emplace(origin, is_file ? std::optional(entry->id) : std::nullopt).first->second;
}

Result<const std::string*> Blame::TextOf(const BlameOrigin& origin) {
  if (const auto known = texts_.find(origin); known != texts_.end()) return &known->second;
  PADDOCK_ASSIGN(const auto blob, BlobOf(origin));
  std::string text;
  if (blob) {
    PADDOCK_ASSIGN(text, git_.ReadBlob(*blob));
  }
  ++counts_.blobs;
  git_.in.budget.WillAllocate(text.size());
  return &texts_.emplace(origin, std::move(text)).first->second;
}

Result<FlatTree> Blame::TreeOf(const Oid& commit) {
  if (commit.is_null()) {
    PADDOCK_ASSIGN(const Index index, git_.ReadIndex());
    return IndexFiles(index);
  }
  if (const auto known = trees_.find(commit); known != trees_.end()) return known->second;
  if (trees_.size() > 4) trees_.clear();
  PADDOCK_ASSIGN(FlatTree tree, git_.FlattenCommit(commit));
  return trees_.emplace(commit, std::move(tree)).first->second;
}

// How the file was called in a parent that has none of its name.
Result<std::optional<std::string>> Blame::FindRename(const Oid& parent, const BlameOrigin& origin) {
  PADDOCK_ASSIGN(const FlatTree before, TreeOf(parent));
  PADDOCK_ASSIGN(const FlatTree after, TreeOf(origin.commit));
  std::vector<FileDiff> files = CompareTrees(before, after);
  std::erase_if(files, [&origin](const FileDiff& file) { return file.status != 'D' && file.new_path != origin.path; });
  PADDOCK_TRY(DetectRenames(git_, files, 50, false));
  for (const FileDiff& file : files) {
    if (file.status == 'R' && file.new_path == origin.path) return std::optional<std::string>(file.old_path);
  }
  return std::optional<std::string>();
}

// The file in each of the parents, each content once; of one with the very same content only that one.
Result<std::vector<Blame::Source>> Blame::FindSources(const BlameOrigin& origin, const std::vector<Oid>& parents, bool& is_whole) {
  PADDOCK_ASSIGN(const auto blob, BlobOf(origin));
  std::vector<std::optional<Source>> found(parents.size());
  for (const bool renamed : {false, true}) {
    for (size_t i = 0; i < parents.size(); ++i) {
      if (found[i]) continue;
      std::optional<std::string> path = origin.path;
      PADDOCK_ASSIGN(auto older, BlobOf({parents[i], origin.path}));
      if (older.has_value() == renamed) continue;
      if (renamed) {
        PADDOCK_ASSIGN(path, FindRename(parents[i], origin));
        if (!path) continue;
        PADDOCK_ASSIGN(older, BlobOf({parents[i], *path}));
        if (!older) continue;
      }
      Source source{{parents[i], *path}, *older};
      is_whole = blob == older;
      if (is_whole) return std::vector<Source>{std::move(source)};
      const bool is_known = std::any_of(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i), [&](const auto& other) { return other && other->blob == *older; });
      if (!is_known) found[i] = std::move(source);
    }
  }
  std::vector<Source> sources;
  for (auto& source : found) {
    if (source) sources.push_back(std::move(*source));
  }
  return sources;
}

Status Blame::Suspect(const BlameOrigin& origin, Entries entries) {
  if (entries.empty()) return {};
  Suspected& suspected = suspects_[origin.commit];
  if (suspected.entries.empty()) {
    int64_t time = INT64_MAX;
    if (!origin.commit.is_null()) {
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(origin.commit));
      time = node->time;
    }
    queue_.emplace(std::make_pair(-time, ++queued_), origin.commit);
  }
  if (std::find(suspected.paths.begin(), suspected.paths.end(), origin.path) == suspected.paths.end()) suspected.paths.insert(suspected.paths.begin(), origin.path);
  Entries& theirs = suspected.entries[origin.path];
  git_.in.budget.Step(static_cast<int64_t>(entries.size()));
  for (BlameEntry& entry : entries) {
    entry.origin = origin;
    theirs.push_back(std::move(entry));
  }
  std::stable_sort(theirs.begin(), theirs.end(), ByNumber);
  return {};
}

Status Blame::Visit(const BlameOrigin& origin, Entries& mine) {
  PADDOCK_ASSIGN(const std::vector<Oid> parents, ParentsOf(origin.commit));
  if (parents.empty()) return {};
  bool is_whole = false;
  PADDOCK_ASSIGN(const std::vector<Source> sources, FindSources(origin, parents, is_whole));
  if (is_whole) {
    // It is the same text.
    if (auto text = texts_.extract(origin)) {
      text.key() = sources[0].origin;
      texts_.insert(std::move(text));
    }
    return Suspect(sources[0].origin, std::exchange(mine, {}));
  }
  ++counts_.commits;
  for (const bool guesses : {false, true}) {
    if (guesses && !ignored_.contains(origin.commit)) break;
    for (const Source& source : sources) {
      if (mine.empty()) break;
      previous_.emplace(origin, source.origin);
      PADDOCK_TRY(PassTo(origin, source.origin, mine, guesses));
      if (guesses) Drop(source.origin);
    }
  }
  Entries small;
  if (options_.moves) {
    TakeSmall(mine, small, options_.move_score);
    for (const Source& source : sources) {
      if (!mine.empty()) PADDOCK_TRY(FindMoves(source, mine, small));
    }
  }
  if (options_.copies != BlameOptions::Copies::kNo) {
    if (options_.copy_score < options_.move_score) mine.insert(mine.end(), small.begin(), small.end()), small.clear();
    std::stable_sort(mine.begin(), mine.end(), ByNumber);
    TakeSmall(mine, small, options_.copy_score);
    for (const Oid& parent : parents) {
      if (mine.empty()) break;
      const auto source = std::find_if(sources.begin(), sources.end(), [&parent](const Source& one) { return one.origin.commit == parent; });
      PADDOCK_TRY(FindCopies(origin, parent, source == sources.end() ? nullptr : &source->origin, mine, small));
    }
  }
  mine.insert(mine.begin(), small.begin(), small.end());
  for (const Source& source : sources) {
    const auto suspected = suspects_.find(source.origin.commit);
    if (suspected == suspects_.end() || !suspected->second.entries.contains(source.origin.path)) Drop(source.origin);
  }
  Drop(origin);
  return {};
}

Status Blame::PassTo(const BlameOrigin& origin, const BlameOrigin& parent, Entries& mine, bool guesses) {
  PADDOCK_ASSIGN(const std::string* before, TextOf(parent));
  PADDOCK_ASSIGN(const std::string* after, TextOf(origin));
  ++counts_.patches;
  const std::vector<std::string_view> old_lines = SplitLines(*before), new_lines = SplitLines(*after);
  const std::vector<DiffEdit> edits = FindEdits(old_lines, new_lines, diff_, git_.in.budget);
  std::vector<std::vector<std::optional<size_t>>> guessed;
  if (guesses) {
    LineGuesser guesser(old_lines, new_lines, git_.in.budget);
    for (const DiffEdit& edit : edits) guessed.push_back(guesser.Guess({edit.a_begin, edit.a_count, edit.b_begin, edit.b_count}));
  }
  Entries kept, passed;
  for (const BlameEntry& entry : mine) Cut(edits, guessed, entry, parent, kept, passed);
  mine = std::move(kept);
  std::stable_sort(passed.begin(), passed.end(), ByNumber);
  return Suspect(parent, std::move(passed));
}

// Cuts an entry where edits begin and end, and where guesses part.
void Blame::Cut(const std::vector<DiffEdit>& edits, const std::vector<std::vector<std::optional<size_t>>>& guesses, const BlameEntry& entry, const BlameOrigin& parent, Entries& kept, Entries& passed) {
  BlameEntry rest = entry;
  while (rest.count > 0) {
    git_.in.budget.Step(2);
    const auto edit = std::partition_point(edits.begin(), edits.end(), [&rest](const DiffEdit& one) { return one.b_end() <= rest.number; });
    BlameEntry piece = rest;
    bool is_passed = true;
    if (edit == edits.end() || edit->b_begin > rest.number) {
      if (edit != edits.end()) piece.count = std::min(piece.count, edit->b_begin - rest.number);
      if (edit != edits.begin()) piece.number = rest.number - std::prev(edit)->b_end() + std::prev(edit)->a_end();
    } else {
      piece.count = std::min(piece.count, edit->b_end() - rest.number);
      is_passed = false;
      if (!guesses.empty()) {
        const std::vector<std::optional<size_t>>& lines = guesses[static_cast<size_t>(edit - edits.begin())];
        const size_t at = rest.number - edit->b_begin;
        size_t count = 1;
        while (count < piece.count && lines[at + count].has_value() == lines[at].has_value() && (!lines[at] || *lines[at + count] == *lines[at] + count)) ++count;
        piece.count = count;
        is_passed = lines[at].has_value();
        if (is_passed) piece.number = *lines[at];
        (is_passed ? piece.is_guess : piece.is_stuck) = true;
      }
    }
    const size_t count = piece.count;
    if (is_passed) piece.origin = parent;
    (is_passed ? passed : kept).push_back(std::move(piece));
    rest.line += count;
    rest.number += count;
    rest.count -= count;
  }
}

}  // namespace paddock::git
