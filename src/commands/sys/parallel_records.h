// The arguments of parallel: of ::: and ::::, of -a, or line by line of standard input.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/sys/parallel_options.h"
#include "proc/command.h"
#include "text/regex.h"

namespace paddock {

class ParallelRecords {
 public:
  using Record = std::vector<std::string>;
  struct Source {
    std::vector<std::string> values;
    bool is_linked = false;   // goes along with the one before it
  };
  // `colsep` may be null. All outlive it.
  ParallelRecords(Invocation& in, const ParallelOptions& options, char delimiter, const Regex* colsep)
      : in_(in), options_(options), delimiter_(delimiter), colsep_(colsep) {}

  void Add(Source source);
  bool AddFile(const std::string& name, bool is_linked);
  bool is_empty() const { return sources_.empty(); }
  // Takes the names of --header off.
  std::vector<std::string> TakeNames();
  // --hostgroups: arguments may end in "@GROUP+..." with one of these.
  void set_groups(std::vector<std::string> groups) { groups_ = std::move(groups); }
  // Next() gave none because of an argument that is for another machine; told.
  bool is_broken() const { return is_broken_; }
  // The next combination, its columns apart.
  std::optional<Record> Next();

 private:
  std::optional<Record> NextWhole();
  std::optional<std::string> NextLine();
  void Advance();
  bool TakeGroups(Record& record);
  void AppendColumns(const std::string& value, Record& to);
  void Trim(std::string& value) const;

  Invocation& in_;
  const ParallelOptions& options_;
  const char delimiter_;
  const Regex* const colsep_;
  std::vector<Source> sources_;
  std::vector<size_t> at_;
  std::vector<std::string> groups_;
  bool is_over_ = false, has_begun_ = false, is_broken_ = false;
};

}  // namespace paddock
