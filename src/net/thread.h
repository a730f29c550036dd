// Thread: a joined thread with a stack of a chosen size, which takes no signals (they belong to the program's own threads).
#pragma once

#include <pthread.h>

#include <functional>
#include <memory>
#include <utility>

#include "base/result.h"

namespace paddock::net {

class Thread {
 public:
  // Errors: kAgain when the system has no room for one.
  static Result<Thread> Start(size_t stack_bytes, std::function<void()> body);
  Thread(Thread&& other) noexcept : handle_(other.handle_), is_running_(std::exchange(other.is_running_, false)) {}
  Thread& operator=(Thread&& other) noexcept {
    Join();
    handle_ = other.handle_;
    is_running_ = std::exchange(other.is_running_, false);
    return *this;
  }
  ~Thread() { Join(); }
  void Join();
  bool is_current() const { return pthread_equal(handle_, pthread_self()) != 0; }

 private:
  explicit Thread(pthread_t handle) : handle_(handle), is_running_(true) {}
  pthread_t handle_;
  bool is_running_;
};

}  // namespace paddock::net
