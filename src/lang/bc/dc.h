// dc: an arbitrary precision reverse polish calculator.
//
// Source: GNU dc 1.4.1 manual.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lang/bc/host.h"

namespace paddock::bc {

class DcMachine;

// Runs texts and streams one after another on one stack.
class Dc {
 public:
  Dc(Host& host, uint64_t line_width);
  ~Dc();
  // False when the program quit. The function gives its bytes, -1 at the end.
  bool Run(const std::function<int()>& next);
  bool RunText(const std::string& text);

 private:
  std::unique_ptr<DcMachine> machine_;
};

}  // namespace paddock::bc
