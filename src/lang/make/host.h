// What make needs from the world around it: files by name, children, two outputs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::make {

using Words = std::vector<std::string>;
using NamedValues = std::vector<std::pair<std::string, std::string>>;

// A command line and the environment that it gets.
struct ChildLine {
  Words args;
  NamedValues environment;
  bool is_make = false;   // a make below: it may take tokens, too
  // Where what it writes is kept, both until it has ended; null: it goes where make's own does.
  std::string* out = nullptr;
  std::string* err = nullptr;
};

struct ChildEnd {
  int id = 0;
  int status = 0;   // as $?
  int signal = 0;   // 0 when it exited
  std::string signal_text;   // "Killed"
};

struct DirectoryName {
  std::string name;
  bool is_directory = false;
};

struct ArchiveMember {
  std::string name;
  Nanoseconds time{};
};

class Host {
 public:
  virtual ~Host() = default;

  // Called once, before the first that is written and before the first child.
  std::function<void()> before_output;

  virtual Budget& budget() = 0;
  virtual void Out(std::string_view text) = 0;
  virtual void Err(std::string_view text) = 0;   // after what was written to Out

  // Follows symlinks; nothing for what does not exist.
  virtual std::optional<Nanoseconds> ModifyTime(const std::string& path) = 0;
  // The paths that ModifyTime() will be asked for next, most of them in this order, so that it can look at several at once.
  virtual void Foresee(Words paths) = 0;
  virtual std::vector<DirectoryName> List(const std::string& path) = 0;   // empty when it cannot be read
  virtual Result<std::string> Read(const std::string& path) = 0;          // "-" is standard input
  virtual Status Write(const std::string& path, std::string_view text, bool appends) = 0;
  virtual Status Touch(const std::string& path) = 0;
  // What an archive of ar(1) holds, in its order; an error if it is none.
  virtual Result<std::vector<ArchiveMember>> Members(const std::string& archive) = 0;
  // Sets the time of a member to now. Errors say why in whole words.
  virtual Status TouchMember(const std::string& archive, const std::string& member) = 0;
  virtual Status Remove(const std::string& path) = 0;
  virtual std::optional<std::string> Canonical(const std::string& path) = 0;
  virtual std::string Cwd() = 0;
  virtual Nanoseconds Now() = 0;

  // Starts a child; its number. Errors: when it cannot start.
  virtual Result<int> Start(const ChildLine& line) = 0;
  // The end of any child that was started; nothing when there is none.
  virtual std::optional<ChildEnd> WaitAny() = 0;
  // The tokens that makes share. Each lets one job run besides the first of a make; they go through a pipe, which children of
  // is_make inherit. What names a new pool of `count` tokens in MAKEFLAGS ("3,4"):
  virtual std::string MakeTokens(size_t count) = 0;
  // Uses the pool that a make above has named; false if it is not open here.
  virtual bool JoinTokens(int read, int write) = 0;
  // Takes a token, for which it waits until a child has ended; false then.
  virtual bool TakeToken() = 0;
  virtual void ReturnToken() = 0;
  // Takes all that are there; their number.
  virtual size_t DrainTokens() = 0;
  // Runs a child to its end: what it wrote, and its status.
  virtual Result<std::pair<std::string, int>> Capture(const ChildLine& line) = 0;

 protected:
  void BeginOutput() {
    if (before_output) std::exchange(before_output, nullptr)();
  }
};

}  // namespace paddock::make
