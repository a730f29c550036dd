// What a command line wrote: sed's e, and whoever else wants a child's output as text.
#pragma once

#include <memory>
#include <string>

#include "proc/command.h"
#include "proc/kernel.h"

namespace paddock {

// Runs `sh -c COMMAND` to its end and returns its standard output. A command that fails, or a shell that
// cannot start, gives what was written until then.
Result<std::string> ShellOutput(Invocation& in, const std::string& command);

// What a command wrote and how it ended. Errors: when it cannot start.
struct ChildOutput {
  std::string text;
  ExitStatus status = 0;
};
// Runs a command to its end in this environment; standard error is the caller's.
Result<ChildOutput> StandardOutput(Invocation& in, std::vector<std::string> args, const Environment& environment);
// Runs a command to its end, with both of its outputs (standard error, too) in one text.
Result<ChildOutput> AllOutput(Invocation& in, std::vector<std::string> args);

// What is written to it is put behind `text`, which outlives it.
vfs::OpenFilePtr TextSink(Budget& budget, std::string& text);

// A command that runs beside the caller: its standard output as a source, standard error kept as text.
class ChildReader final : public ByteSource {
 public:
  // `input`: its standard input; null: the caller's. Errors: when it cannot start.
  static Result<std::unique_ptr<ChildReader>> Start(Invocation& in, std::vector<std::string> args, vfs::OpenFilePtr input);
  class Impl;
  ChildReader(Invocation& in, std::unique_ptr<Impl> impl, vfs::OpenFilePtr read);   // by Start()
  ~ChildReader() override;
  Result<Block> ReadBlock(size_t max) override { return read_->ReadBlock(max); }
  void GiveBack(size_t) override {}
  // Closes its output and waits for its end.
  Result<proc::WaitStatus> Wait();
  // What it wrote to standard error; whole after Wait().
  const std::string& complaints() const;

 private:
  Invocation& in_;
  std::unique_ptr<Impl> impl_;
  vfs::OpenFilePtr read_;
};

}  // namespace paddock
