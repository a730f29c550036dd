// The meter that curl shows on standard error while it transfers.
#pragma once

#include "base/clock.h"
#include "base/stream.h"
#include "proc/network.h"

namespace paddock::curl {

class Meter {
 public:
  // `out` outlives it. `is_bar`: -#.
  Meter(Output& out, bool is_bar) : out_(out), is_bar_(is_bar) {}
  void Begin(Nanoseconds now);
  void Show(const proc::HttpObserver::Progress& progress, Nanoseconds now);
  void Finish(const proc::HttpObserver::Progress& progress, Nanoseconds now);

 private:
  Output& out_;
  const bool is_bar_;
  Nanoseconds begun_{0};
  bool has_heading_ = false;
};

}  // namespace paddock::curl
