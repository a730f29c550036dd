#include "registry/states/unpacked_templates.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "base/id.h"
#include "overlay/beneath.h"
#include "registry/host_error.h"
#include "registry/states/host_tree.h"

namespace paddock::registry {
namespace {

constexpr std::string_view kDraft = ".new-";
constexpr size_t kMostNames = 1'000'000;

// "sha256:HEX" without what a path cannot have.
std::string NameOf(const trees::ObjectId& tree) {
  const std::string text = tree.ToString();
  return text.substr(text.find(':') + 1);
}

}  // namespace

Result<std::unique_ptr<UnpackedTemplates>> UnpackedTemplates::Open(std::shared_ptr<trees::Store> store, const std::string& directory) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) return HostError("cannot make " + directory);
  Descriptor opened(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened.is_open()) return HostError("cannot open " + directory);
  std::unique_ptr<UnpackedTemplates> made(new UnpackedTemplates(std::move(store), directory, std::move(opened)));   // allow(raw-new): private constructor
  PADDOCK_TRY(made->RemoveDrafts());
  return made;
}

Status UnpackedTemplates::RemoveDrafts() {
  PADDOCK_ASSIGN(const std::vector<std::string> names, overlay::NamesIn(opened_.get(), "", kMostNames));
  for (const std::string& name : names) {
    if (name.starts_with(kDraft)) PADDOCK_TRY(overlay::RemoveTree(opened_.get(), name));
  }
  return {};
}

Result<std::shared_ptr<const std::string>> UnpackedTemplates::Find(const trees::ObjectId& tree) {
  const std::string name = NameOf(tree);
  const std::lock_guard lock(mutex_);
  if (const auto held = held_.find(name); held != held_.end()) {
    if (auto path = held->second.lock()) return path;
  }
  if (faccessat(opened_.get(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0) PADDOCK_TRY(Unpack(tree, name));
  std::erase_if(held_, [](const auto& entry) { return entry.second.expired(); });
  auto path = std::make_shared<const std::string>(directory_ + "/" + name);
  held_[name] = path;
  return path;
}

// Under another name until all of it is there.
Status UnpackedTemplates::Unpack(const trees::ObjectId& tree, const std::string& name) {
  const std::string draft = NewId(kDraft);
  if (mkdirat(opened_.get(), draft.c_str(), 0700) != 0) return HostError("cannot make " + directory_ + "/" + draft);
  const auto unpack = [&]() -> Status {
    const Descriptor into(openat(opened_.get(), draft.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!into.is_open()) return HostError("cannot open " + directory_ + "/" + draft);
    PADDOCK_TRY(UnpackHost(*store_, tree, into.get()));
    if (syncfs(into.get()) != 0) return HostError("cannot write " + directory_);   // a name in place stands for all below it
    if (renameat2(opened_.get(), draft.c_str(), opened_.get(), name.c_str(), RENAME_NOREPLACE) != 0) return HostError("cannot make " + directory_ + "/" + name);
    return {};
  };
  const Status unpacked = unpack();
  if (!unpacked) static_cast<void>(overlay::RemoveTree(opened_.get(), draft));
  return unpacked;
}

Status UnpackedTemplates::Sweep(const std::vector<trees::ObjectId>& needed) {
  std::set<std::string> kept;
  for (const trees::ObjectId& tree : needed) kept.insert(NameOf(tree));
  const std::lock_guard lock(mutex_);
  PADDOCK_ASSIGN(const std::vector<std::string> names, overlay::NamesIn(opened_.get(), "", kMostNames));
  for (const std::string& name : names) {
    const auto held = held_.find(name);
    if (kept.contains(name) || name.starts_with(kDraft) || (held != held_.end() && !held->second.expired())) continue;
    // Not in place while it is taken away: what a crash leaves is no template then.
    const std::string aside = NewId(kDraft);
    if (renameat(opened_.get(), name.c_str(), opened_.get(), aside.c_str()) != 0) return HostError("cannot remove " + directory_ + "/" + name);
    PADDOCK_TRY(overlay::RemoveTree(opened_.get(), aside));
  }
  return {};
}

}  // namespace paddock::registry
