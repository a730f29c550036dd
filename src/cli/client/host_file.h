// One file of this machine, on its way to a daemon or from it. "-" is our stdin or stdout.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"
#include "cli/client/progress.h"
#include "net/client.h"

namespace paddock::cli {

// What errno says about a file of this machine.
Error HostError(const std::string& path);

class HostSource {
 public:
  // Opens a file, a FIFO or a directory. Errors: those of the system, with the name.
  static Result<HostSource> Open(const std::string& name);

  bool is_stdin() const { return !opened_.is_open(); }
  bool is_directory() const { return !is_stdin() && S_ISDIR(facts_.st_mode); }
  // Of what has an end that is known: a file, not the rest of one on stdin.
  std::optional<uint64_t> size() const;
  uint32_t mode() const { return facts_.st_mode & 07777u; }
  bool is_file() const { return S_ISREG(facts_.st_mode); }
  // Waits for what may be silent; `cancellation`, which may be null, ends that (kCancelled). No more than size() in all. 0 is the end.
  Result<size_t> Read(std::span<char> buffer, const net::Cancellation* cancellation = nullptr);

 private:
  explicit HostSource(std::string name) : name_(std::move(name)) {}
  int file() const;

  std::string name_;
  Descriptor opened_;
  struct stat facts_ {};
  uint64_t read_ = 0;
};

// Receives an answer whole. A file lies beside the target under another name meanwhile, and takes over its name at the end: nobody sees half of it,
// and nothing stays of what was not finished. What is zero becomes holes. Errors: those of the system with the name, those of the connection.
Status ReceiveFile(net::Response& response, const std::string& name, uint32_t mode, Progress& progress);

}  // namespace paddock::cli
