// What bc and dc need from whoever runs them: text in, text out, a budget.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace paddock::bc {

class Host {
 public:
  virtual ~Host() = default;
  // The next byte of standard input, or -1. Programs come from there too, so nothing is read ahead.
  virtual int ReadByte() = 0;
  virtual void Write(std::string_view bytes) = 0;
  virtual void Flush() = 0;
  // A complaint: the whole line without its end.
  virtual void Complain(std::string_view line) = 0;
  // The same without an end of line.
  virtual void ComplainPart(std::string_view text) = 0;
  // dc's "!": runs a command line.
  virtual void RunShell(std::string_view command) = 0;
  virtual Budget& budget() = 0;
};

// Numbers and strings with lines broken at a width, as both languages print them.
class LineWriter {
 public:
  LineWriter(Host& host, uint64_t width) : host_(host), width_(width) {}
  void Write(std::string_view bytes) {
    for (const char c : bytes) {
      host_.budget().Step();
      if (c == '\n') {
        column_ = 0;
      } else if (width_ > 0 && ++column_ == width_ - 1) {
        host_.Write("\\\n");
        column_ = 1;
      }
      host_.Write(std::string_view(&c, 1));
    }
  }

 private:
  Host& host_;
  uint64_t width_;   // 0: lines are not broken
  uint64_t column_ = 0;
};

}  // namespace paddock::bc
