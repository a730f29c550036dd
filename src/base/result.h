// Result<T>: a value or an Error, with std::expected's member names so that a later switch is an alias.
//
// Three things are never mixed: a Result error (we failed), an ExitStatus (the program under us failed)
// and the shell's control flow (break, return, exit). A process that must die at once (limit, signal)
// does not travel through Result at all: see base/termination.h.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/error.h"

namespace paddock {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT
  Result(Code code) : state_(std::in_place_index<1>, Error(code)) {}  // NOLINT

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { PADDOCK_CHECK(has_value()); return *std::get_if<0>(&state_); }
  const T& value() const& { PADDOCK_CHECK(has_value()); return *std::get_if<0>(&state_); }
  T&& value() && { PADDOCK_CHECK(has_value()); return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { PADDOCK_CHECK(!has_value()); return *std::get_if<1>(&state_); }
  T value_or(T other) const& { return has_value() ? value() : std::move(other); }

 private:
  std::variant<T, Error> state_;
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
