// How a file is compared: what .gitattributes and the configuration say of its kind.
#pragma once

#include "commands/git/diff/diff.h"

namespace paddock::git {

struct DiffDriver {
  bool is_binary = false, is_text = false;   // neither: by its content
  HeadingRule heading;
  std::string word_pattern, textconv, command;
};
DiffDriver DriverOf(Git& git, const std::string& path);

// The content as the driver's program shows it; as it is where there is none. The program gets what would be in the working tree;
// `is_file`: the content is that already.
Result<std::string> ConvertedText(Git& git, const DiffDriver& driver, const std::string& path, std::string content, bool is_file = false);
// Runs what shows the difference of a file instead of git. What it printed.
Result<std::string> ExternalDiff(Git& git, const std::string& command, const FileDiff& file);

// A file with this content under /tmp, until the end.
class TemporaryFile {
 public:
  static Result<std::unique_ptr<TemporaryFile>> Make(Git& git, std::string_view name, std::string_view content);
  explicit TemporaryFile(Git& git) : git_(git) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();
  const std::string& path() const { return path_; }

 private:
  Git& git_;
  std::string directory_, path_;
};

}  // namespace paddock::git
