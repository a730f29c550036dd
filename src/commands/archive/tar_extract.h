// What extraction is made of beside the making of files: output that is no file, and what is completed later.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/archive/tar.h"

namespace paddock::tar {

// A command (--to-command) for each file, which finds the content in its standard input and the rest in its environment.
Status ExtractToCommand(Context& context, const std::string& name, const codec::TarMember& member, codec::TarReader& reader);
Status ExtractToStdout(Context& context, const codec::TarMember& member, codec::TarReader& reader);

// What is not as it is to be until more of the archive is there.
class Unfinished {
 public:
  // Gets its owner, mode and time when nothing more comes into it. Absent: they stay.
  struct Directory {
    std::string path, name;
    std::optional<uint32_t> mode;
    std::optional<Nanoseconds> modified;
    std::optional<std::pair<uint32_t, uint32_t>> owner;
  };
  // An empty file that nobody may open stands for a symlink that leads out, so that nothing is written through it.
  struct Placeholder {
    std::string path, name, target;
    uint64_t device, inode;
    std::optional<Nanoseconds> modified;
    std::vector<std::string> further;   // hard links to it
  };

  explicit Unfinished(Context& context) : c_(context) {}
  void Add(Directory directory) { directories_.push_back(std::move(directory)); }
  void Add(Placeholder placeholder) { placeholders_.push_back(std::move(placeholder)); }
  // `path` is a hard link to a file.
  void NoteLink(const vfs::Attributes& file, const std::string& path);
  // A directory of an incremental archive has got another path, or (empty) is gone, and with it what is below.
  void Moved(const std::string& from, const std::string& to);
  // Directories that the next member is not in are over.
  void CompleteDirectoriesBut(const std::string& next);
  // The links, then the directories that are left.
  void CompleteAll();

 private:
  void CompleteLast();
  void Complete(const Placeholder& one);

  Context& c_;
  std::vector<Directory> directories_;
  std::vector<Placeholder> placeholders_;
};

}  // namespace paddock::tar
