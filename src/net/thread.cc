#include "net/thread.h"

#include <limits.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace paddock::net {
namespace {

void* Run(void* argument) {
  const std::unique_ptr<std::function<void()>> body(static_cast<std::function<void()>*>(argument));
  (*body)();
  return nullptr;
}

}  // namespace

Result<Thread> Thread::Start(size_t stack_bytes, std::function<void()> body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::max<size_t>(stack_bytes, PTHREAD_STACK_MIN));
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  auto argument = std::make_unique<std::function<void()>>(std::move(body));
  pthread_t handle;
  const int error = pthread_create(&handle, &attributes, Run, argument.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error != 0) return Error(static_cast<Code>(error), std::string("no thread: ") + std::strerror(error));
  (void)argument.release();
  return Thread(handle);
}

void Thread::Join() {
  if (std::exchange(is_running_, false)) pthread_join(handle_, nullptr);
}

}  // namespace paddock::net
