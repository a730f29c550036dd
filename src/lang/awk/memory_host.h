// A host for tests: files in a map, no commands, output in strings.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "lang/awk/host.h"

namespace paddock::awk {

class StringSource final : public CommandOutput {
 public:
  // Gives at most `block` bytes at a time.
  explicit StringSource(std::string text, size_t block = SIZE_MAX)
      : text_(std::make_shared<std::string>(std::move(text))), block_(block) {}
  Result<Block> ReadBlock(size_t max) override {
    const std::string_view bytes = std::string_view(*text_).substr(at_, std::min(max, block_));
    at_ += bytes.size();
    return Block{text_, bytes};
  }
  void GiveBack(size_t count) override { at_ -= count; }
  CommandStatus Wait() override { return {}; }

 private:
  std::shared_ptr<std::string> text_;
  size_t block_;
  size_t at_ = 0;
};

class StringSink final : public CommandInput {
 public:
  explicit StringSink(std::string& text) : text_(text) {}
  Status Write(std::string_view bytes) override {
    text_ += bytes;
    return {};
  }
  CommandStatus Wait() override { return {}; }

 private:
  std::string& text_;
};

class MemoryHost final : public Host {
 public:
  explicit MemoryHost(Budget& budget, std::string input = "", size_t block = SIZE_MAX)
      : budget_(budget), input_(std::move(input), block), output_(out), error_(err) {}

  ByteSource& standard_input() override { return input_; }
  ByteSink& standard_output() override { return output_; }
  ByteSink& standard_error() override { return error_; }
  Result<std::unique_ptr<ByteSource>> OpenForReading(std::string_view path) override {
    const auto found = files.find(std::string(path));
    if (found == files.end()) return Code::kNoEntry;
    return std::unique_ptr<ByteSource>(std::make_unique<StringSource>(found->second));
  }
  Result<std::unique_ptr<ByteSink>> OpenForWriting(std::string_view path, bool append) override {
    std::string& file = files[std::string(path)];
    if (!append) file.clear();
    return std::unique_ptr<ByteSink>(std::make_unique<StringSink>(file));
  }
  Result<std::unique_ptr<CommandOutput>> StartReading(std::string_view) override {
    return Code::kNotSupported;
  }
  Result<std::unique_ptr<CommandInput>> StartWriting(std::string_view) override {
    return Code::kNotSupported;
  }
  Result<std::unique_ptr<Coprocess>> StartCoprocess(std::string_view) override {
    return Code::kNotSupported;
  }
  Result<CommandStatus> RunSystem(std::string_view) override { return Code::kNotSupported; }
  Variables Environment() override { return {{"TZ", "UTC"}}; }
  void SetEnvironment(const Variables&) override {}
  ProcessIds Ids() override { return {}; }
  const Clock& clock() override { return budget_.clock(); }
  Budget& budget() override { return budget_; }

  std::map<std::string, std::string> files;
  std::string out, err;

 private:
  Budget& budget_;
  StringSource input_;
  StringSink output_, error_;
};

}  // namespace paddock::awk
