#include "cli/client/interrupts.h"

#include <pthread.h>

namespace paddock::cli {

Interrupts::Interrupts() {
  sigemptyset(&signals_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR2}) sigaddset(&signals_, number);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  thread_ = std::thread([this] {
    while (true) {
      int number = 0;
      sigwait(&signals_, &number);
      if (number == SIGUSR2) return;   // ours: it is over
      int none = 0;
      signal_.compare_exchange_strong(none, number);
      cancellation_->Cancel();
    }
  });
}

Interrupts::~Interrupts() {
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace paddock::cli
