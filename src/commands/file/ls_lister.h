// How ls collects files: looks at operands and directories, sorts, and walks down for -R.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "commands/file/ls_color.h"
#include "commands/file/ls_printer.h"
#include "commands/file/ls_settings.h"
#include "proc/command.h"
#include "text/pattern.h"

namespace paddock::ls {

class Lister {
 public:
  Lister(Invocation& in, const Settings& settings, const Colors& colors);

  // Lists the operands; returns ls's exit status: 1 for trouble inside, 2 for trouble with an operand.
  ExitStatus Run(const std::vector<std::string>& operands);

 private:
  struct Pending {
    std::string path;
    bool is_operand;
  };
  using Identity = std::pair<uint64_t, uint64_t>;

  void AddOperand(const std::string& operand);
  // `seen`: its attributes, if they were looked at already.
  void AddEntry(const std::string& directory, const vfs::DirectoryEntry& entry, const Result<vfs::Attributes>* seen = nullptr);
  bool NeedsAttributes(vfs::FileType type) const;
  Result<vfs::Attributes> LookAt(const std::string& path, bool is_operand) const;
  void LookBehindLink(File& file, bool is_operand);
  bool IsIgnored(std::string_view name) const;
  void Sort(std::vector<File>& files) const;
  void ListDirectory(const Pending& directory);
  void ReadDirectory(const Pending& directory, const std::vector<vfs::DirectoryEntry>& entries);
  void PushDirectories(const std::string& parent);
  void Report(std::string_view message, bool is_operand);

  Invocation& in_;
  const Settings& settings_;
  const Colors& colors_;
  Printer printer_;
  std::vector<Pattern> ignore_, hide_;
  std::vector<File> files_;
  std::vector<std::vector<Pending>> pending_;   // directories still to list, the next one last
  std::vector<Identity> active_;                // directories whose descendants are being listed
  bool shows_names_ = true;
  bool is_first_ = true;
  ExitStatus status_ = 0;
};

}  // namespace paddock::ls
