// The control channel of `paddock srt`: settings that arrive while the command runs, a JSON object a line.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/result.h"

namespace paddock::cli {

class SrtControl {
 public:
  // Told of every line, on the reader's thread. An error is shown on stderr, and the line dropped.
  using Apply = std::function<Status(std::string_view line)>;
  // Told once, on the reader's thread, when the channel fails before it has delivered a settings line.
  using Lost = std::function<void()>;

  // "3" and above. Errors (kInvalid): no such number.
  static Result<int> ParseDescriptor(std::string_view text);
  // Errors: kBadDescriptor and the like when the descriptor cannot be read. It is kept from programs that are started.
  static Status Check(int descriptor);

  SrtControl(int descriptor, Apply apply, Lost lost);
  ~SrtControl();   // stops the reader; the descriptor stays open
  SrtControl(const SrtControl&) = delete;
  SrtControl& operator=(const SrtControl&) = delete;

 private:
  void Read();
  void TakeLines();

  const int descriptor_;
  const Apply apply_;
  const Lost lost_;
  int stop_ = -1;   // an eventfd
  std::string text_;
  bool is_skipping_ = false;   // the rest of a line that was too long
  bool has_applied_ = false;
  std::thread reader_;
};

}  // namespace paddock::cli
