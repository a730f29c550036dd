// ExtentFiles: the extents of one sandbox, each a file in the sandbox's directory that never changes: what a client sent, put there as a
// whole before the journal names it.
//
// What no tree in memory refers to and no record of the journal names is taken away. A file is mapped for as long as something refers to
// it, also when it has lost its name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "vfs/extent.h"

namespace paddock::registry {

// One thread at a time.
class ExtentFiles final : public vfs::ExtentSource {
 public:
  // Extents below this cost more than a copy.
  static constexpr uint64_t kLeastBytes = 1 << 20;
  // Of one sandbox: a process has 65,530 mappings, and changes name few extents.
  static constexpr size_t kMostFiles = 1024;

  // `directory` is there when Take() is called.
  explicit ExtentFiles(std::string directory) : directory_(std::move(directory)) {}

  // Gives a file without a name, of the same file system, which holds `size` bytes, a name in the directory. Errors: kNoSpace above kMostFiles; those of the host.
  Result<vfs::ExtentPtr> Take(int file, uint64_t size, uint32_t checksum);
  Result<vfs::ExtentPtr> Find(const vfs::ExtentName& name) override;
  // Also notes that it is named from now on.
  bool Has(const vfs::Extent& extent) const override;

  // Whether its file is there and has its size. Else the machine lost power before the disk had it: nothing cuts files but that.
  bool IsThere(const vfs::ExtentName& name) const;
  // Takes away the files that nothing in memory refers to, and with `all_named` false only those that Has() never noted.
  void Sweep(bool all_named);
  // Nothing names them any more.
  void ForgetNames();
  // Takes away the files that neither Take() nor Find() knows: what a crash left. After all that is kept was read.
  void SweepStrangers();
  // Has the disk have all of them. Errors: the host's.
  Status Sync();
  Status Remove();   // all files

  uint64_t bytes() const;           // of all files
  uint64_t garbage_bytes() const;   // of those that nothing in memory refers to

 private:
  struct File {
    vfs::ExtentName name;
    std::weak_ptr<const vfs::Extent> extent;
    bool is_sound = false;    // this process wrote or checked it
    bool is_synced = false;
    mutable bool is_named = false;
  };
  std::string PathOf(const std::string& name) const { return directory_ + "/" + name; }
  Result<vfs::ExtentPtr> Map(int file, File& entry);

  const std::string directory_;
  std::map<std::string, File> files_;
};

}  // namespace paddock::registry
