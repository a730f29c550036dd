// Ctrl-C and its like while something is under way that has to be put in order before the program ends.
#pragma once

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "net/client.h"

namespace paddock::cli {

// From here on SIGINT, SIGTERM and SIGHUP cancel what waits with cancellation(), and end nothing by themselves. One object at a time, made before any other thread.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  const std::shared_ptr<net::Cancellation>& cancellation() const { return cancellation_; }
  // The first of them, or 0.
  int signal() const { return signal_; }

 private:
  const std::shared_ptr<net::Cancellation> cancellation_ = std::make_shared<net::Cancellation>();
  std::atomic<int> signal_{0};
  sigset_t signals_, before_;
  std::thread thread_;
};

}  // namespace paddock::cli
