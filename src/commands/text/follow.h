// What `tail -f` does after the first look: waiting for files to grow, shrink, vanish or be replaced.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/input_files.h"

namespace paddock {

struct FollowRules {
  bool by_name = false;     // --follow=name: the file that has the name now, not the one that was opened
  bool retry = false;       // wait for a file that is not there
  int pid = 0;              // end when this process is gone; 0: never
  double seconds = 1.0;     // longest time between two looks
};

// Writes "==> NAME <==" between files.
class HeaderWriter {
 public:
  explicit HeaderWriter(bool is_enabled) : is_enabled_(is_enabled) {}
  // Does nothing when the output already belongs to this file.
  void Switch(Output& out, std::string_view name);
  void Write(Output& out, std::string_view name);

 private:
  bool is_enabled_;
  bool is_first_ = true;
  std::string current_;
};

struct FollowedFile {
  static FollowedFile Missing(const std::string& name);
  static FollowedFile Opened(InputFile file);

  std::string name;
  std::string display_name;
  vfs::OpenFilePtr file;      // null while there is none
  uint64_t offset = 0;
  uint64_t device = 0;
  uint64_t inode = 0;
  bool is_given_up = false;
  bool is_stdin = false;
  Code reason = Code::kNoEntry;   // why there is none
};

// Returns false when no file is left to follow; true when the process that rules.pid names has ended or
// the output cannot be written.
bool FollowFiles(Invocation& in, const FollowRules& rules, std::vector<FollowedFile>& files,
                 HeaderWriter& headers);

}  // namespace paddock
