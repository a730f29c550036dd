// What a jq program gets of the sandbox: its inputs, the environment, modules.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/data/jq_options.h"
#include "commands/input_files.h"
#include "lang/jq/host.h"
#include "lang/jq/json_reader.h"

namespace paddock::data {

class JqHost final : public jq::Host {
 public:
  JqHost(Invocation& in, const JqOptions& options, std::string origin);

  Got NextInput(jq::Value& value, std::string& error) override;
  jq::Value InputName() override;
  uint64_t InputLine() override;
  void WriteError(std::string_view text) override;
  const jq::Value& Environment() override;
  TimeZone LocalZone() override;
  const Clock& clock() override { return in_.clock; }
  Budget& budget() override { return in_.budget; }
  Result<std::string> ReadModule(const std::string& path) override;
  const std::vector<std::string>& library_paths() override { return options_.library_paths; }
  std::string program_origin() override { return origin_; }
  std::string home() override { return std::string(in_.env.Get("HOME", "")); }

  // "<stdin>:3" for messages.
  std::string Position();
  // Whether files could not be opened or read.
  bool has_failed() const { return has_failed_; }

 private:
  std::string_view NextBlock();
  bool OpenNext();
  Got NextRaw(jq::Value& value);
  Got NextParsed(jq::Value& value, std::string& error);
  Got Slurp(jq::Value& value, std::string& error);

  Invocation& in_;
  const JqOptions& options_;
  std::string origin_;
  jq::JsonReader reader_;
  std::optional<InputFile> file_;
  std::optional<std::string> current_name_;   // of the last one that was opened
  size_t next_file_ = 0;
  size_t pending_ = 0;            // bytes of the block that was given out
  uint64_t lines_before_ = 0;     // of the files before this one
  uint64_t raw_lines_ = 0;
  bool has_begun_ = false;
  bool is_slurped_ = false;
  bool is_ended_ = false;
  bool has_failed_ = false;
  jq::Value environment_;
};

}  // namespace paddock::data
