// Where the commands of openssl write to, and base64 on the way. For openssl only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proc/command.h"
#include "text/base64.h"

namespace paddock::openssl {

// Writes base64, in lines of 64 characters or (`is_one_line`) without any newline.
class Base64Writer {
 public:
  Base64Writer(Output& to, bool is_one_line) : to_(to), is_one_line_(is_one_line) {}
  void Write(std::string_view bytes) {
    rest_ += bytes;
    size_t at = 0;
    for (; rest_.size() - at >= kLine; at += kLine) Line(std::string_view(rest_).substr(at, kLine));
    rest_.erase(0, at);
  }
  void Finish() {
    if (!rest_.empty()) Line(rest_);
  }

 private:
  static constexpr size_t kLine = 48;
  void Line(std::string_view bytes) {
    to_.Write(EncodeBase64(bytes));
    if (!is_one_line_) to_.Put('\n');
  }
  Output& to_;
  bool is_one_line_;
  std::string rest_;
};

// Hands out what base64 text stands for; false when it is none, or `take` wants no more.
template <class Take>
bool ReadBase64(Invocation& in, Input& input, Take&& take) {
  std::string rest;   // less than four characters, or the last four
  bool is_over = false;
  for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
    in.budget.Step(static_cast<int64_t>(1 + bytes.size() / 32));
    for (const char c : bytes) {
      if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
      if (is_over) return false;
      rest += c;
      if (rest.size() < 4) continue;
      const auto plain = DecodeBase64(rest);
      if (!plain) return false;
      if (!take(*plain)) return false;
      is_over = rest.ends_with('=');
      rest.clear();
    }
    input.Consume(bytes.size());
  }
  return rest.empty();
}

// Standard output, or the file of -out.
class Target {
 public:
  static Result<std::unique_ptr<Target>> Open(Invocation& in, const std::optional<std::string>& name) {
    auto target = std::make_unique<Target>();
    target->to_ = &in.out;
    if (!name) return target;
    PADDOCK_ASSIGN(target->file_, in.fs.Open(*name, vfs::OpenFlags::Write()));
    target->own_ = std::make_unique<Output>(*target->file_);
    target->to_ = target->own_.get();
    return target;
  }
  Output& output() { return *to_; }

 private:
  vfs::OpenFilePtr file_;
  std::unique_ptr<Output> own_;
  Output* to_ = nullptr;
};

}  // namespace paddock::openssl
