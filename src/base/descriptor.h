// Descriptor: owns a file descriptor of the host.
#pragma once

#include <unistd.h>

#include <utility>

namespace paddock {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) Reset(std::exchange(other.number_, -1));
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { Reset(); }

  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  explicit operator bool() const { return is_open(); }
  int Release() { return std::exchange(number_, -1); }
  void Reset(int number = -1) {
    if (number_ >= 0) close(number_);
    number_ = number;
  }

 private:
  int number_ = -1;
};

}  // namespace paddock
