// The expressions of test and [: parsing by the number of arguments, as POSIX has it, and evaluation.
//
// Source: POSIX test utility; Bash manual "Bash Conditional Expressions".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace paddock {

class Budget;

// The primaries, which differ between the shell's builtin and the command.
class TestHost {
 public:
  virtual ~TestHost() = default;
  virtual bool IsUnary(std::string_view op) = 0;
  virtual bool IsBinary(std::string_view op) = 0;
  virtual bool Unary(std::string_view op, const std::string& operand) = 0;
  // Nothing after a complaint.
  virtual std::optional<bool> Binary(std::string_view op, const std::string& left, const std::string& right) = 0;
  virtual void Complain(std::string_view message) = 0;
  virtual Budget& budget() = 0;
};

// 0 true, 1 false, 2 after a complaint.
int EvaluateTest(TestHost& host, std::span<const std::string> arguments);

}  // namespace paddock
