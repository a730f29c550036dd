#include "store/trees/layer_builder.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "store/trees/content.h"
#include "store/trees/decompress.h"

namespace paddock::trees {
namespace {

using vfs::FileType;

constexpr std::string_view kWhiteout = ".wh.";
constexpr std::string_view kOpaque = ".wh..wh..opq";
constexpr int kMaxSymlinks = 40;

Error Bad(const std::string& path, const std::string& why) { return {Code::kSyntax, "archive: '" + path + "' " + why}; }

}  // namespace

Result<std::vector<std::string>> LayerBuilder::NamesOf(std::string_view path) const {
  std::vector<std::string> names = below_;
  for (size_t start = 0; start < path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    const std::string_view name = path.substr(start, end - start);
    start = end + 1;
    if (name.empty() || name == ".") continue;
    if (name == "..") return Bad(std::string(path), "leads out of the archive with '..'");
    if (!IsName(name)) return Bad(std::string(path), "has a name that cannot be");
    if (names.size() >= limits_.max_depth) return Error(Code::kLimit, "a path of the archive is deeper than " + std::to_string(limits_.max_depth));
    names.emplace_back(name);
  }
  return names;
}

Result<DraftNode*> LayerBuilder::Reach(const std::vector<std::string>& names, bool makes_missing) {
  DraftNode* at = &draft_.root();
  std::vector<std::string> rest(names.rbegin(), names.rend());  // the next one last
  int symlinks = 0;
  while (!rest.empty()) {
    const std::string name = std::move(rest.back());
    rest.pop_back();
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      if (at->parent != nullptr) at = at->parent;
      continue;
    }
    DraftNode* below = at->Find(name);
    if (below == nullptr) {
      if (!makes_missing || !IsName(name)) return Error(Code::kNoEntry);
      if (++entries_ > limits_.max_entries) return Error(Code::kLimit, "the archive has more than " + std::to_string(limits_.max_entries) + " files");
      Entry entry;
      entry.name = name;
      entry.type = FileType::kDirectory;
      entry.mode = 0755;
      below = &draft_.Add(*at, std::move(entry));
      below->source = layer_;
    }
    if (below->is_directory()) {
      at = below;
    } else if (below->entry.type == FileType::kSymlink) {
      if (++symlinks > kMaxSymlinks) return Error(Code::kLoop);
      const std::string& target = below->entry.target;
      if (target[0] == '/') at = &draft_.root();
      if (rest.size() + target.size() / 2 > 2 * limits_.max_depth + kLongestTarget) return Error(Code::kNameTooLong);
      std::vector<std::string> steps;
      for (size_t start = 0; start < target.size();) {
        const size_t end = std::min(target.find('/', start), target.size());
        steps.push_back(target.substr(start, end - start));
        start = end + 1;
      }
      rest.insert(rest.end(), std::make_move_iterator(steps.rbegin()), std::make_move_iterator(steps.rend()));
    } else {
      return Error(Code::kNotDirectory);
    }
  }
  return at;
}

void LayerBuilder::Prune(DraftNode& node) {
  std::vector<DraftNode*> order{&node};
  for (size_t i = 0; i < order.size(); ++i) {
    for (const auto& [name, child] : order[i]->children) order.push_back(child.get());
  }
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    if ((*it)->source != layer_ && (*it)->children.empty()) draft_.Remove(**it);
  }
}

Status LayerBuilder::AddWhiteout(DraftNode& parent, std::string_view name) {
  if (name == kOpaque) {
    std::vector<DraftNode*> children;
    for (const auto& [child_name, child] : parent.children) children.push_back(child.get());
    for (DraftNode* child : children) Prune(*child);
    return {};
  }
  name.remove_prefix(kWhiteout.size());
  // What begins with ".wh..wh." is other bookkeeping of old file systems.
  if (name.substr(0, kWhiteout.size()) == kWhiteout) return {};
  if (!IsName(name)) return Error(Code::kSyntax, "a whiteout without the name that goes");
  if (DraftNode* const victim = parent.Find(name)) Prune(*victim);
  return {};
}

Status LayerBuilder::AddHardLink(DraftNode& parent, const std::string& name, const TarEntry& entry) {
  PADDOCK_ASSIGN(std::vector<std::string> names, NamesOf(entry.target));
  DraftNode* target = nullptr;
  if (!names.empty()) {
    const std::string last = std::move(names.back());
    names.pop_back();
    const auto directory = Reach(names, false);
    if (directory) target = (*directory)->Find(last);
  }
  if (target == nullptr || target->is_directory()) {
    return Bad(entry.path, "is a hard link to '" + entry.target + "', which is no file of the archive");
  }
  if (target->parent == &parent && target->entry.name == name) return {};
  Entry copy = target->entry;
  copy.name = name;
  if (target->link == 0) draft_.SetLink(*target, ++links_);
  const uint64_t link = target->link;
  // Replacing may not take the target away: that is another name.
  if (DraftNode* const old = parent.Find(name)) {
    for (const DraftNode* above = target; above != nullptr; above = above->parent) {
      if (above == old) return Bad(entry.path, "is a hard link to something below itself");
    }
    draft_.Remove(*old);
  }
  DraftNode& added = draft_.Add(parent, std::move(copy));
  added.source = layer_;
  draft_.SetLink(added, link);
  return {};
}

Result<Content> LayerBuilder::ReadContent(TarReader& reader) {
  ContentWriter writer(session_, false);
  PADDOCK_TRY(reader.ReadContent([&](std::string_view bytes) { return writer.Write(bytes); },
                                 [&](uint64_t count) { return writer.Hole(count); }));
  return writer.Finish();
}

Status LayerBuilder::AddEntry(TarReader& reader, const TarEntry& entry, bool has_whiteouts) {
  PADDOCK_ASSIGN(std::vector<std::string> names, NamesOf(entry.path));
  if (names.empty()) {
    // The root itself.
    if (entry.type != FileType::kDirectory) return Bad(entry.path, "is the root and no directory");
    Entry& root = draft_.root().entry;
    root.mode = entry.mode;
    root.uid = entry.uid;
    root.gid = entry.gid;
    root.modify_time = entry.modify_time;
    return {};
  }
  const std::string name = std::move(names.back());
  names.pop_back();
  const auto reached = Reach(names, true);
  if (!reached && reached.error().message.empty()) {
    return Bad(entry.path, "cannot be there: " + std::string(CodeText(reached.error().code)));
  }
  if (!reached) return reached.error();
  DraftNode& parent = **reached;
  if (has_whiteouts && std::string_view(name).substr(0, kWhiteout.size()) == kWhiteout) {
    auto done = AddWhiteout(parent, name);
    return done ? done : Status(Bad(entry.path, done.error().message));
  }
  if (entry.is_hard_link) return AddHardLink(parent, name, entry);

  Entry made;
  made.name = name;
  made.type = entry.type;
  made.mode = entry.type == FileType::kSymlink ? 0777 : entry.mode;
  made.uid = entry.uid;
  made.gid = entry.gid;
  made.modify_time = entry.modify_time;
  made.special = entry.special;
  if (entry.type == FileType::kSymlink) {
    if (entry.target.empty() || entry.target.size() > kLongestTarget) return Bad(entry.path, "is a symlink with an impossible target");
    made.target = entry.target;
  } else if (entry.type == FileType::kFile) {
    PADDOCK_ASSIGN(made.content, ReadContent(reader));
  }
  DraftNode* old = parent.Find(name);
  if (old != nullptr && old->is_directory() && made.type == FileType::kDirectory) {
    old->entry.mode = made.mode;
    old->entry.uid = made.uid;
    old->entry.gid = made.gid;
    old->entry.modify_time = made.modify_time;
    old->source = layer_;
    Draft::Changed(*old);
    return {};
  }
  if (old != nullptr) draft_.Remove(*old);
  draft_.Add(parent, std::move(made)).source = layer_;
  return {};
}

void LayerBuilder::Remove(std::string_view path) {
  const bool is_below = path.ends_with('/');
  DraftNode* node = &draft_.root();
  for (size_t start = 0; start < path.size() && node != nullptr;) {
    const size_t end = std::min(path.find('/', start), path.size());
    if (end > start) node = node->Find(path.substr(start, end - start));
    start = end + 1;
  }
  if (node == nullptr || node == &draft_.root()) return;
  if (is_below) draft_.RemoveChildren(*node);
  else draft_.Remove(*node);
}

Status LayerBuilder::Add(ByteSource& tar, bool has_whiteouts, std::string_view below) {
  ++layer_;
  below_.clear();
  PADDOCK_ASSIGN(below_, NamesOf(below));
  TarReader reader(tar);
  while (true) {
    PADDOCK_ASSIGN(const std::optional<TarEntry> entry, reader.Next());
    if (!entry) return {};
    if (++entries_ > limits_.max_entries) {
      return Error(Code::kLimit, "the archive has more than " + std::to_string(limits_.max_entries) + " files");
    }
    PADDOCK_TRY(AddEntry(reader, *entry, has_whiteouts));
  }
}

Result<Captured> LayerBuilder::Finish() {
  Captured captured;
  PADDOCK_ASSIGN(captured.tree, draft_.Encode(session_));
  PADDOCK_TRY(session_.Finish());
  captured.totals.entries = draft_.size();
  std::vector<const DraftNode*> pending{&draft_.root()};
  while (!pending.empty()) {
    const DraftNode& node = *pending.back();
    pending.pop_back();
    captured.totals.content_bytes += node.entry.content.size;
    for (const auto& [name, child] : node.children) pending.push_back(child.get());
  }
  return captured;
}

Result<Captured> ImportTar(Session& session, ByteSource& in, const ArchiveLimits& limits) {
  PADDOCK_ASSIGN(const std::unique_ptr<ByteSource> plain, Decompress(in, {limits.max_bytes, limits.max_ratio}));
  LayerBuilder builder(session, limits);
  PADDOCK_TRY(builder.Add(*plain, false));
  // Takes what follows the archive, so that damage there is noticed, too.
  while (true) {
    PADDOCK_ASSIGN(const Block rest, plain->ReadBlock(128 << 10));
    if (rest.bytes.empty()) break;
  }
  return builder.Finish();
}

}  // namespace paddock::trees
