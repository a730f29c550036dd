// What an awk program may ask of the world: files, commands, the environment and the clock.
//
// The language itself knows no files and no processes. Whoever runs a program implements Host; a
// capability that the place lacks is an error result, which the program sees as gawk would show it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/stream.h"

namespace paddock {
class Budget;
}

namespace paddock::awk {

// How a command ended: by itself with a status, or by a signal (then status counts for nothing).
struct CommandStatus {
  int exit_status = 0;
  int signal = 0;
};

// The output of a running command. Wait() closes this end and returns when the command has ended.
class CommandOutput : public ByteSource {
 public:
  virtual CommandStatus Wait() = 0;
};

// The input of a running command. Wait() closes this end and returns when the command has ended.
class CommandInput : public ByteSink {
 public:
  virtual CommandStatus Wait() = 0;
};

// Both ends of one command; CloseInput() lets it see the end of its input.
class Coprocess {
 public:
  virtual ~Coprocess() = default;
  virtual ByteSource& output() = 0;
  virtual ByteSink& input() = 0;
  virtual void CloseInput() = 0;
  virtual CommandStatus Wait() = 0;
};

// Numbers that PROCINFO shows.
struct ProcessIds {
  int64_t pid = 1, ppid = 0, pgrp = 1;
  int64_t uid = 0, euid = 0, gid = 0, egid = 0;
};

// What stat(2) tells of a file.
struct FileStatus {
  char type = 'f';   // f file, d directory, l symbolic link, p fifo, c and b devices, s socket
  uint32_t permissions = 0;
  uint64_t links = 1, size = 0, inode = 0, device = 0, device_number = 0, blocks = 0;
  uint32_t uid = 0, gid = 0;
  Nanoseconds access_time{0}, modify_time{0}, change_time{0};
};

struct FileEntry {
  std::string name;
  char type = 'f';
  uint64_t inode = 0;
};

// What statvfs(2) tells of the place a file is in.
struct FileSpace {
  uint64_t block_size = 4096, blocks = 0, free_blocks = 0, files = 0, free_files = 0;
};

class Host {
 public:
  virtual ~Host() = default;

  // Standard streams; they outlive the program.
  virtual ByteSource& standard_input() = 0;
  virtual ByteSink& standard_output() = 0;
  // Someone watches: nothing is kept back.
  virtual bool is_output_terminal() const { return false; }
  virtual ByteSink& standard_error() = 0;

  // A directory is the error kIsDirectory.
  virtual Result<std::unique_ptr<ByteSource>> OpenForReading(std::string_view path) = 0;
  virtual Result<std::unique_ptr<ByteSink>> OpenForWriting(std::string_view path, bool append) = 0;

  // Files by name, for the libraries that @load names.
  virtual Result<FileStatus> Stat(std::string_view, bool /*follows_link*/) { return Code::kNotSupported; }
  virtual Result<std::string> ReadLink(std::string_view) { return Code::kNotSupported; }
  virtual Result<std::vector<FileEntry>> ListDirectory(std::string_view) { return Code::kNotSupported; }
  virtual Result<FileSpace> Space(std::string_view) { return Code::kNotSupported; }
  virtual Status ChangeDirectory(std::string_view) { return Code::kNotSupported; }
  virtual Status Rename(std::string_view, std::string_view) { return Code::kNotSupported; }
  virtual Status MakeLink(std::string_view, std::string_view) { return Code::kNotSupported; }
  virtual Status Remove(std::string_view) { return Code::kNotSupported; }
  // Standard output, also of commands, goes to the new file `path`, which gets the permissions and the owner of `like`.
  virtual Status DivertOutput(std::string_view, const FileStatus& /*like*/) { return Code::kNotSupported; }
  virtual void RestoreOutput() {}
  virtual Status Sleep(Nanoseconds) { return Code::kNotSupported; }

  // Commands are text for `sh -c`. Error kNotSupported where no command can run.
  virtual Result<std::unique_ptr<CommandOutput>> StartReading(std::string_view command) = 0;
  virtual Result<std::unique_ptr<CommandInput>> StartWriting(std::string_view command) = 0;
  virtual Result<std::unique_ptr<Coprocess>> StartCoprocess(std::string_view command) = 0;
  virtual Result<CommandStatus> RunSystem(std::string_view command) = 0;

  using Variables = std::vector<std::pair<std::string, std::string>>;
  virtual Variables Environment() = 0;
  // What commands started from now on get.
  virtual void SetEnvironment(const Variables& variables) = 0;
  virtual ProcessIds Ids() = 0;
  virtual const Clock& clock() = 0;
  virtual Budget& budget() = 0;
};

}  // namespace paddock::awk
