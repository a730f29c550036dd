// Bases: the trees that virtual sandboxes start from, kept in the store once, whoever starts from them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "store/trees/store.h"
#include "vfs/tree_changes.h"

namespace paddock::registry {

// Any thread.
class Bases {
 public:
  explicit Bases(std::shared_ptr<trees::Store> store) : store_(std::move(store)) {}

  // The name of a base in the store, where it is kept from now on.
  Result<std::string> Keep(const std::shared_ptr<const vfs::BaseTree>& base);
  // The base of that name; the same object for all that use it at the same time. Errors: kInvalid for no name, those of the store.
  Result<std::shared_ptr<const vfs::BaseTree>> Find(const std::string& name);

 private:
  const std::shared_ptr<trees::Store> store_;
  std::mutex mutex_;   // held while one is made: the second who wants it waits for the first
  std::map<std::string, std::weak_ptr<const vfs::BaseTree>> by_name_;
  std::map<std::weak_ptr<const vfs::BaseTree>, std::string, std::owner_less<>> names_;
};

}  // namespace paddock::registry
