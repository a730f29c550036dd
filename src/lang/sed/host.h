// What a running sed script needs from the world around it: files by name, a shell, two outputs.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/stream.h"

namespace paddock::sed {

// A file opened for reading. `input` is `own` or something that lives longer.
struct SourceFile {
  SourceFile() = default;
  SourceFile(SourceFile&&) = default;
  // The old input gives back to its source what it has not used, so it goes before that.
  SourceFile& operator=(SourceFile&& other) noexcept {
    own = std::move(other.own);
    keep = std::move(other.keep);
    input = other.input;
    return *this;
  }

  std::shared_ptr<ByteSource> keep;
  std::unique_ptr<Input> own;
  Input* input = nullptr;
};

class Host {
 public:
  virtual ~Host() = default;

  virtual Output& out() = 0;
  virtual Output& err() = 0;  // unbuffered

  // What stands for an operand: itself, or where its links lead. Errors: with the complaint.
  virtual Result<std::string> Follow(const std::string& name) = 0;
  // Opens an operand or a file of r and R. Reading a directory fails at the first read.
  virtual Result<SourceFile> Open(const std::string& name) = 0;
  virtual SourceFile OpenStandardInput() = 0;
  // Creates or empties a file of w and W.
  virtual Result<std::shared_ptr<ByteSink>> Create(const std::string& name) = 0;

  // In-place editing: starts the file that will take the place of `name`. The error's message is the
  // complaint, except for files that cannot be read at all.
  virtual Result<std::shared_ptr<ByteSink>> BeginReplace(const std::string& name) = 0;
  // Puts it there; the old file is kept under a name made from `suffix` unless that is empty.
  virtual Status CommitReplace(const std::string& name, const std::string& suffix) = 0;

  // Runs a command with sh; what it wrote.
  virtual Result<std::string> RunShell(const std::string& command) = 0;
};

}  // namespace paddock::sed
