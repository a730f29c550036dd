#include "commands/git/objects/debug_unpack.h"

#include <algorithm>
#include <set>

#include "commands/git/diff/diff.h"

namespace paddock::git {
namespace {

class UnpackTelling {
 public:
  UnpackTelling(const std::vector<FlatTree>& trees, const Index* index, Budget& budget) : trees_(trees), index_(index), budget_(budget) {}

  std::string Text() {
    Walk("", std::vector<bool>(trees_.size(), false));
    // What only the index has comes last.
    for (const IndexEntry& entry : index_ != nullptr ? index_->entries() : std::vector<IndexEntry>()) {
      budget_.Step();
      if (!seen_.contains(entry.path)) Merge(entry.path, std::vector<bool>(trees_.size(), false));
    }
    return std::move(text_);
  }

 private:
  struct Child {
    std::vector<const TreeItem*> files;   // by tree; null where it is none
    std::vector<bool> folders;
  };

  std::map<std::string, Child> ChildrenOf(const std::string& folder) {
    std::map<std::string, Child> children;
    for (size_t i = 0; i < trees_.size(); ++i) {
      for (auto at = trees_[i].lower_bound(folder); at != trees_[i].end() && at->first.starts_with(folder);) {
        budget_.Step(2);
        const size_t slash = at->first.find('/', folder.size());
        const std::string name = at->first.substr(folder.size(), slash - folder.size());
        Child& child = children[name];
        child.files.resize(trees_.size(), nullptr);
        child.folders.resize(trees_.size(), false);
        if (slash == std::string::npos) {
          child.files[i] = &at->second;
          ++at;
        } else {
          child.folders[i] = true;
          at = trees_[i].lower_bound(folder + name + static_cast<char>('/' + 1));
        }
      }
    }
    return children;
  }

  // `conflicts`: the trees in which a file stands for the folder or one above.
  void Walk(const std::string& folder, const std::vector<bool>& conflicts) {
    budget_.CheckStack();
    const std::map<std::string, Child> children = ChildrenOf(folder);
    std::vector<std::pair<std::string, const std::string*>> order;   // trees sort folders as if a slash stood behind them
    for (const auto& [name, child] : children) {
      const bool has_file = std::any_of(child.files.begin(), child.files.end(), [](const TreeItem* item) { return item != nullptr; });
      order.emplace_back(has_file ? name : name + "/", &name);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [key, name] : order) {
      const Child& child = children.at(*name);
      size_t mask = 0, folders = 0;
      std::string lines;
      for (size_t i = 0; i < trees_.size(); ++i) {
        const bool is_there = child.files[i] != nullptr || child.folders[i];
        mask |= static_cast<size_t>(is_there) << i;
        folders |= static_cast<size_t>(child.folders[i]) << i;
        lines += "ent#" + std::to_string(i) + " " + (child.folders[i] ? "040000" : is_there ? ModeText(child.files[i]->mode) : "000000") + " " + (is_there ? *name : "(missing)") + "\n";
      }
      text_ += "* unpack mask " + std::to_string(mask) + ", dirmask " + std::to_string(folders) + ", cnt " + std::to_string(trees_.size()) + " " + folder.substr(0, folder.empty() ? 0 : folder.size() - 1) + "\n" + lines;
      std::vector<bool> apart = conflicts, below = conflicts;
      for (size_t i = 0; i < trees_.size(); ++i) {
        apart[i] = apart[i] || child.folders[i];
        below[i] = below[i] || child.files[i] != nullptr;
      }
      if (mask != folders && index_ != nullptr) Merge(folder + *name, apart);
      if (folders != 0) Walk(folder + *name + "/", below);
    }
  }

  void Merge(const std::string& path, const std::vector<bool>& conflicts) {
    seen_.insert(path);
    const auto shown = [&path](uint32_t mode, int stage, const Oid& id) { return ModeText(mode) + " #" + std::to_string(stage) + " " + path + " " + id.Hex().substr(0, 8) + "\n"; };
    const IndexEntry* entry = index_->Find(path);
    text_ += "* " + std::to_string(trees_.size()) + "-way merge\nindex " + (entry == nullptr ? "(missing)\n" : shown(entry->mode, 0, entry->id));
    const size_t ours = trees_.size() < 3 ? 1 : trees_.size() - 1;
    for (size_t i = 1; i <= trees_.size(); ++i) {
      const auto item = trees_[i - 1].find(path);
      text_ += "ent#" + std::to_string(i) + " ";
      if (item != trees_[i - 1].end()) text_ += shown(item->second.mode, i < ours ? 1 : i == ours ? 2 : 3, item->second.id);
      else text_ += conflicts[i - 1] ? "(conflict)\n" : "(missing)\n";
    }
  }

  const std::vector<FlatTree>& trees_;
  const Index* index_;
  Budget& budget_;
  std::string text_;
  std::set<std::string> seen_;
};

}  // namespace

std::string DebugUnpackText(const std::vector<FlatTree>& trees, const Index* index, Budget& budget) { return UnpackTelling(trees, index, budget).Text(); }

}  // namespace paddock::git
