// "These files, or standard input": what most filters do with their operands.
//
// `-` and no operand mean descriptor 0. A file that cannot be opened or read is reported in GNU wording and
// the next one follows; the exit status tells.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "proc/command.h"

namespace paddock {

// One input: standard input or an opened file.
class InputFile {
 public:
  // Opens `name` ("-" is standard input). Errors are open(2)'s; reading a directory fails at the first read.
  static Result<InputFile> Open(Invocation& in, const std::string& name);
  // Opens a file even when it is called "-".
  static Result<InputFile> OpenPath(Invocation& in, const std::string& path);

  Input& input() { return own_ ? *own_ : *shared_; }
  // The open description, for its attributes and for seeking; null if standard input is closed.
  vfs::OpenFile* file() const { return file_.get(); }
  const vfs::OpenFilePtr& shared_file() const { return file_; }
  const std::string& name() const { return name_; }
  bool is_stdin() const { return own_ == nullptr; }
  // The name for headings: "standard input" for "-".
  std::string_view display_name() const { return is_stdin() ? "standard input" : std::string_view(name_); }

 private:
  InputFile() = default;

  std::string name_;
  vfs::OpenFilePtr file_;
  Input* shared_ = nullptr;
  std::unique_ptr<Input> own_;
};

// Writes "NAME: FILE: REASON", the file quoted for the shell when needed.
void ReportFile(Invocation& in, std::string_view name, const Error& error);

// Calls `body` for each operand (for standard input when there are none). Open and read errors are
// reported. Returns 0, or 1 when a file failed or `body` returned false.
ExitStatus ForEachInput(Invocation& in, const std::vector<std::string>& operands,
                        const std::function<bool(InputFile&)>& body);

}  // namespace paddock
