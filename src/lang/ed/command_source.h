// Where command lines come from: standard input, or the list of a global command.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lang/ed/host.h"

namespace paddock::ed {

class CommandSource {
 public:
  virtual ~CommandSource() = default;
  // Nothing at the end; a last line without a newline is none.
  virtual std::optional<std::string> Next() = 0;
  virtual bool is_global() const = 0;
};

class InputCommands final : public CommandSource {
 public:
  explicit InputCommands(Host& host) : host_(host) {}
  std::optional<std::string> Next() override {
    // What ran so far shows before anything waits.
    if (!host_.commands().has_buffered()) host_.out().Flush();
    const auto line = host_.commands().ReadLine();
    if (!line || !line->is_terminated) return std::nullopt;
    ++line_count_;
    return std::string(line->text);
  }
  bool is_global() const override { return false; }
  // Of lines given so far, those of text among them.
  size_t line_count() const { return line_count_; }

 private:
  Host& host_;
  size_t line_count_ = 0;
};

class ListCommands final : public CommandSource {
 public:
  explicit ListCommands(std::string_view list) : rest_(list) {}
  std::optional<std::string> Next() override {
    if (is_done_) return std::nullopt;
    const size_t end = rest_.find('\n');
    std::string line(rest_.substr(0, end));
    is_done_ = end == std::string_view::npos;
    if (!is_done_) rest_.remove_prefix(end + 1);
    return line;
  }
  bool is_global() const override { return true; }

 private:
  std::string_view rest_;
  bool is_done_ = false;
};

}  // namespace paddock::ed
