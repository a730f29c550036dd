// What the writer of members (Dumper) is made of: the content of files, and what the files in a directory say of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/archive/tar.h"

namespace paddock::tar {

// Fills in which parts of a sparse file hold something.
Status FindExtents(Context& context, vfs::OpenFile& file, codec::TarMember& member);
// Exactly `size` bytes, whatever the file has become; `is_broken`: zeros only. Errors: of the archive.
Status CopyContent(Context& context, ArchiveOutput& out, const std::string& path, vfs::OpenFile& file, uint64_t size, bool is_broken);
// The zeros that fill the last block of `size` bytes.
Status PadBlock(ArchiveOutput& out, uint64_t size);

// Who files belong to in the archive: what the options say, or their owner's names.
class MemberOwners {
 public:
  explicit MemberOwners(Context& context) : c_(context) {}
  void Fill(codec::TarMember& member, const vfs::Attributes& found, bool has_names);

 private:
  const std::string& UserName(uint32_t uid);
  const std::string& GroupName(uint32_t gid);

  Context& c_;
  std::optional<std::pair<uint32_t, std::string>> user_, group_;   // the last ones
};

// How a directory with tag files is dumped.
struct Tagged {
  std::optional<ExcludeTag::What> what;
  std::string file;
};
// `directory` is where it is, `shown` how it is called.
Tagged LookForTags(Context& context, const std::string& directory, const std::string& shown);

// What the ignore files of the directories on the way down say.
class IgnoreFiles {
 public:
  explicit IgnoreFiles(Context& context) : c_(context) {}
  // Takes what the directory's own files say, and tells what to Leave() with.
  size_t Enter(const std::string& directory);
  void Leave(size_t patterns) { ignored_.resize(patterns); }
  bool IsIgnored(const std::string& path, const std::string& name) const;

 private:
  struct Ignored {
    bool is_recursive;   // matched with paths; without, with names
    std::shared_ptr<Matcher> matcher;
  };
  Context& c_;
  std::vector<Ignored> ignored_;
};

}  // namespace paddock::tar
