// Result<T>: a value or an Error, with std::expected's member names so that a later switch is an alias.
//
// Three things are never mixed: a Result error (we failed), an ExitStatus (the program under us failed)
// and the shell's control flow (break, return, exit). A process that must die at once (limit, signal)
// does not travel through Result at all: see base/termination.h.
#pragma once

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace paddock {

// A plain union, not a std::variant: nearly every file has some of these, and what std::variant makes of each took an eighth of the time
// to build them.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : has_value_(true) { std::construct_at(&value_, std::move(value)); }  // NOLINT
  Result(Error error) : has_value_(false) { std::construct_at(&error_, std::move(error)); }  // NOLINT
  Result(Code code) : has_value_(false) { std::construct_at(&error_, code); }  // NOLINT
  Result(const Result& other) requires std::is_copy_constructible_v<T> : has_value_(other.has_value_) { Construct(other); }
  Result(Result&& other) noexcept : has_value_(other.has_value_) { Construct(std::move(other)); }
  ~Result() { Destroy(); }
  Result& operator=(const Result& other) requires std::is_copy_constructible_v<T> { return *this = Result(other); }
  Result& operator=(Result&& other) noexcept {
    if (this == &other) return *this;
    Destroy();
    has_value_ = other.has_value_;
    Construct(std::move(other));
    return *this;
  }

  bool has_value() const { return has_value_; }
  explicit operator bool() const { return has_value_; }

  T& value() & { PADDOCK_CHECK(has_value_); return value_; }
  const T& value() const& { PADDOCK_CHECK(has_value_); return value_; }
  T&& value() && { PADDOCK_CHECK(has_value_); return std::move(value_); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { PADDOCK_CHECK(!has_value_); return error_; }
  T value_or(T other) const& { return has_value_ ? value_ : std::move(other); }

 private:
  template <class Other>
  void Construct(Other&& other) {
    if (has_value_) std::construct_at(&value_, std::forward<Other>(other).value_);
    else std::construct_at(&error_, std::forward<Other>(other).error_);
  }
  void Destroy() {
    if (has_value_) std::destroy_at(&value_);
    else std::destroy_at(&error_);
  }

  union {
    T value_;
    Error error_;
  };
  bool has_value_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT
  Result(Code code) : error_(Error(code)) {}  // NOLINT

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const { PADDOCK_CHECK(error_.has_value()); return *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace paddock

#define PADDOCK_CONCAT_(a, b) a##b
#define PADDOCK_CONCAT(a, b) PADDOCK_CONCAT_(a, b)

// PADDOCK_TRY(expr): returns the error of a Status or Result from the enclosing function.
#define PADDOCK_TRY(expr)                                     \
  do {                                                        \
    if (auto paddock_status = (expr); !paddock_status) {      \
      return paddock_status.error();                          \
    }                                                         \
  } while (false)

// PADDOCK_ASSIGN(auto x, expr): declares x with the value of a Result, or returns its error.
#define PADDOCK_ASSIGN(declaration, expr) \
  PADDOCK_ASSIGN_(PADDOCK_CONCAT(paddock_result_, __LINE__), declaration, expr)
#define PADDOCK_ASSIGN_(result, declaration, expr) \
  auto result = (expr);                            \
  if (!result) return result.error();              \
  declaration = std::move(*result)
