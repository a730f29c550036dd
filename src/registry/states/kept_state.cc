#include "registry/states/kept_state.h"

#include <boost/json.hpp>

#include "store/trees/content.h"
#include "store/trees/draft.h"
#include "store/trees/nodes.h"
#include "store/trees/restore.h"

namespace paddock::registry {
namespace {

namespace json = boost::json;

constexpr const char* kShellName = "shell";
constexpr uint64_t kMostShellBytes = 1ull << 30;

Error Damaged() {
  return Error(Code::kIo, "the description of a snapshot is damaged");
}

Result<trees::ObjectId> KeepShell(trees::Session& session, const std::string& shell) {
  trees::ContentWriter writer(session, false);
  PADDOCK_TRY(writer.Write(shell));
  trees::Entry entry;
  entry.name = kShellName;
  entry.mode = 0600;
  PADDOCK_ASSIGN(entry.content, writer.Finish());
  trees::Draft draft;
  draft.Add(draft.root(), std::move(entry));
  return draft.Encode(session);
}

Result<std::string> ReadShell(trees::Store& store, const trees::ObjectId& tree) {
  PADDOCK_ASSIGN(const trees::TreeNode root, trees::ReadTree(store, tree));
  PADDOCK_ASSIGN(const Block body, store.Get(trees::ObjectKind::kDirectory, root.directory));
  PADDOCK_ASSIGN(const trees::DirectoryNode directory, trees::DecodeDirectory(body.bytes));
  if (directory.level != 0 || directory.entries.size() != 1 || directory.entries[0].name != kShellName) {
    return Error(Code::kSyntax, "object " + tree.ToString() + " holds no shell");
  }
  return trees::ReadWhole(store, directory.entries[0].content, kMostShellBytes);
}

}  // namespace

Result<KeptState> KeepState(trees::Session& session, const SavedState& state, std::string isolation, std::string origin) {
  KeptState kept{.files = state.files, .base = state.base, .shell = {}, .totals = state.totals, .isolation = std::move(isolation), .origin = std::move(origin)};
  if (!state.shell.empty()) {
    PADDOCK_ASSIGN(kept.shell, KeepShell(session, state.shell));
  }
  PADDOCK_TRY(session.Finish());
  return kept;
}

Result<SavedState> ReadState(trees::Session& session, const KeptState& kept) {
  SavedState state{.files = kept.files, .base = kept.base, .totals = kept.totals, .shell = {}};
  if (kept.base && !session.Touch(*kept.base)) return Error(Code::kIo, "tree " + kept.base->ToString() + " is not in the store");
  if (!session.Touch(kept.files)) return Error(Code::kIo, "tree " + kept.files.ToString() + " is not in the store");
  if (kept.shell) {
    PADDOCK_ASSIGN(state.shell, ReadShell(session.store(), *kept.shell));
  }
  return state;
}

void AddRoots(const KeptState& kept, std::vector<trees::ObjectId>& roots) {
  roots.push_back(kept.files);
  if (kept.base) roots.push_back(*kept.base);
  if (kept.shell) roots.push_back(*kept.shell);
}

std::string TextOf(const KeptState& kept) {
  json::object object;
  object["version"] = 1;
  object["files"] = kept.files.ToString();
  if (kept.base) object["base"] = kept.base->ToString();
  if (kept.shell) object["shell"] = kept.shell->ToString();
  object["entries"] = kept.totals.entries;
  object["content_bytes"] = kept.totals.content_bytes;
  object["isolation"] = kept.isolation;
  object["origin"] = kept.origin;
  return json::serialize(object);
}

Result<KeptState> ReadKeptState(std::string_view text) {
  boost::system::error_code failure;
  const json::value parsed = json::parse(json::string_view(text.data(), text.size()), failure);
  if (failure || !parsed.is_object()) return Damaged();
  const json::object& object = parsed.get_object();
  const json::value* version = object.if_contains("version");
  if (version == nullptr || *version != 1) return Error(Code::kNotSupported, "a snapshot was described by another version of paddock");
  const auto text_of = [&](const char* name) -> std::optional<std::string> {
    const json::value* value = object.if_contains(name);
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return std::string(value->get_string());
  };
  const auto number_of = [&](const char* name) -> std::optional<uint64_t> {
    const json::value* value = object.if_contains(name);
    if (value == nullptr || !value->is_number()) return std::nullopt;
    boost::system::error_code inexact;
    const auto number = value->to_number<uint64_t>(inexact);
    if (inexact) return std::nullopt;
    return number;
  };
  const auto files = text_of("files"), isolation = text_of("isolation"), origin = text_of("origin");
  const auto entries = number_of("entries"), bytes = number_of("content_bytes");
  if (!files || !isolation || !origin || !entries || !bytes) return Damaged();
  KeptState kept{.files = {}, .base = {}, .shell = {}, .totals = {.entries = *entries, .content_bytes = *bytes}, .isolation = *isolation, .origin = *origin};
  const auto tree = trees::ObjectId::Parse(*files);
  if (!tree) return Damaged();
  kept.files = *tree;
  if (const auto base = text_of("base")) {
    const auto base_tree = trees::ObjectId::Parse(*base);
    if (!base_tree) return Damaged();
    kept.base = *base_tree;
  }
  if (const auto shell = text_of("shell")) {
    const auto shell_tree = trees::ObjectId::Parse(*shell);
    if (!shell_tree) return Damaged();
    kept.shell = *shell_tree;
  }
  return kept;
}

}  // namespace paddock::registry
