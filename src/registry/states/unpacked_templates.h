// UnpackedTemplates: the files of templates as directories of the host, for walls that show them read-only below a sandbox's own changes.
// Each tree is unpacked once, whoever begins from it, and taken away when no sandbox needs it any more.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "store/trees/store.h"

namespace paddock::registry {

// Any thread.
class UnpackedTemplates {
 public:
  // `directory` is its own; made if missing. What a crash left half-unpacked is taken away.
  static Result<std::unique_ptr<UnpackedTemplates>> Open(std::shared_ptr<trees::Store> store, const std::string& directory);

  // The directory of a tree's files, which stays while the result lives. Errors: those of the store and of the host.
  Result<std::shared_ptr<const std::string>> Find(const trees::ObjectId& tree);
  // Takes away all that nobody holds and that is none of `needed`.
  Status Sweep(const std::vector<trees::ObjectId>& needed);

  const std::shared_ptr<trees::Store>& store() const { return store_; }

 private:
  UnpackedTemplates(std::shared_ptr<trees::Store> store, std::string directory, Descriptor opened)
      : store_(std::move(store)), directory_(std::move(directory)), opened_(std::move(opened)) {}
  Status RemoveDrafts();
  Status Unpack(const trees::ObjectId& tree, const std::string& name);

  const std::shared_ptr<trees::Store> store_;
  const std::string directory_;
  const Descriptor opened_;
  std::mutex mutex_;   // held while one is unpacked: the second who wants it waits for the first
  std::map<std::string, std::weak_ptr<const std::string>> held_;   // by name
};

}  // namespace paddock::registry
