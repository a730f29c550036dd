// The input files of a script as one stream of lines, or as several, with a look ahead for `$`.
// For lang/sed only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "lang/sed/executor.h"

namespace paddock::sed {

class InputChain {
 public:
  // Told when a file begins and ends (in-place editing).
  struct Observer {
    virtual ~Observer() = default;
    virtual Status FileBegins(const std::string& name) = 0;
    virtual Status FileEnds(const std::string& name) = 0;
  };

  InputChain(const std::vector<std::string>& files, const RunOptions& options, Host& host, Observer& observer);

  // The next line, or nothing at the end of all files. Valid until the next ReadLine(), or an IsLast() when
  // is_stable() says no.
  Result<std::optional<Line>> ReadLine();
  // Whether the line read last is the last one: of its file when files are separate, else of all.
  Result<bool> IsLast();
  // True when IsLast() will not touch the memory of the line.
  bool is_stable() const { return current_.input != nullptr && current_.input->has_buffered(); }

  const std::string& name() const { return name_; }
  uint64_t line_number() const { return line_number_; }
  // True once after a new separate file has begun.
  bool TakeRestart() {
    const bool restarted = has_restarted_;
    has_restarted_ = false;
    return restarted;
  }
  bool is_missing_file() const { return is_missing_file_; }
  // Ends the file in progress.
  Status Close();

 private:
  Result<bool> OpenNext();
  Result<bool> HasMore();

  const std::vector<std::string>& files_;
  const RunOptions& options_;
  Host& host_;
  Observer& observer_;
  size_t next_ = 0;
  std::string opened_;   // the operand that was opened last, as Host::Follow() has it
  SourceFile current_;
  bool is_open_ = false;
  std::string name_ = "-";
  uint64_t line_number_ = 0;
  bool has_restarted_ = false;
  bool is_missing_file_ = false;
};

}  // namespace paddock::sed
