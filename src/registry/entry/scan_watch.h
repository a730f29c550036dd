// ScanWatch: what happens to files, by comparing what is there with what was there the last time: for trees that nobody tells of.
// What changes twice between two looks is told once, what comes and goes between them not at all.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "sandbox/file_watch.h"
#include "vfs/file_system.h"

namespace paddock::registry {

class ScanWatch final : public sandbox::FileWatch {
 public:
  static constexpr size_t kMostFiles = 20'000;   // below what is watched; kLimit
  static constexpr size_t kMostDepth = 128;

  // Lends the files for one look; an error when they cannot be had now, kBusy to try again later.
  using Look = std::function<Status(const std::function<Status(vfs::FileSystem&)>&)>;
  // Looks for the first time. Errors: kNoEntry and the like for the path, kLimit.
  static Result<std::unique_ptr<ScanWatch>> Make(Look look, std::string path, bool is_recursive);

  Result<std::vector<sandbox::FileEvent>> Take() override;

 private:
  struct Seen {
    uint64_t inode = 0, size = 0, change = 0, modify = 0;
    uint32_t mode = 0;
    bool is_directory = false;
    bool operator==(const Seen&) const = default;
  };
  using Tree = std::map<std::string, Seen>;

  ScanWatch(Look look, std::string path, bool is_recursive) : look_(std::move(look)), path_(std::move(path)), is_recursive_(is_recursive) {}
  Result<Tree> Scan();

  const Look look_;
  const std::string path_;
  const bool is_recursive_;
  Tree tree_;
};

}  // namespace paddock::registry
