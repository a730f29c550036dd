// What parallel keeps of its jobs in files: --results as a tree, as named files or as a table, and --files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/sys/parallel_options.h"
#include "proc/command.h"

namespace paddock {

class ParallelResults {
 public:
  struct Entry {
    int64_t sequence = 0;
    double started = 0, seconds = 0;
    size_t sent = 0;
    int status = 0, signal = 0;
    std::string_view command, out, err;
    const std::vector<std::string>* arguments = nullptr;
    std::string_view name;   // --results with its places filled
  };
  ParallelResults(Invocation& in, const ParallelOptions& options) : in_(in), options_(options) {}

  bool is_wanted() const { return options_.results.has_value(); }
  // Names of the arguments, of a header.
  void set_names(std::vector<std::string> names) { names_ = std::move(names); }
  // Whether the results of an earlier run are there.
  bool HasAny(const std::vector<std::string>& arguments, std::string_view name) const;
  // What cannot be written is told once; false then.
  bool Keep(const Entry& entry);
  // A new file that holds `text`: its name, or nothing, told.
  std::optional<std::string> Put(std::string_view text);
  // Such a name, of no file yet.
  std::string FreshName();

 private:
  // The path in front of "stdout", "stderr" and "seq"; nothing for a table.
  struct Names {
    std::string out, err, sequence;
  };
  Names NamesFor(const std::vector<std::string>& arguments, std::string_view name) const;
  bool is_table() const;
  bool Write(const std::string& name, std::string_view text);
  bool KeepRow(const Entry& entry);

  Invocation& in_;
  const ParallelOptions& options_;
  std::vector<std::string> names_;
  bool has_head_ = false;
  uint64_t files_ = 0;
};

}  // namespace paddock
