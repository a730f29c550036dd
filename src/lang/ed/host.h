// What a running editor needs from the world around it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/stream.h"

namespace paddock::ed {

class Host {
 public:
  virtual ~Host() = default;

  virtual Input& commands() = 0;
  virtual Output& out() = 0;
  virtual Output& err() = 0;   // unbuffered

  // The whole content of a file. Errors: those of opening and reading; a directory is kIsDirectory.
  virtual Result<std::string> Read(const std::string& name) = 0;
  virtual Status Write(const std::string& name, const std::string& text, bool appends) = 0;

  // Command lines for sh. The status tells of a command that failed.
  virtual Result<int> Run(const std::string& command) = 0;
  virtual Result<int> ReadFrom(const std::string& command, std::string& text) = 0;
  virtual Result<int> WriteTo(const std::string& command, const std::string& text) = 0;
};

}  // namespace paddock::ed
