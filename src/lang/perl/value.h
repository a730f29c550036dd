// Scalars of lang/perl: text or a number, made into each other as Perl does. For lang/perl only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"

namespace paddock::perl {

struct Value {
  bool is_defined = false;
  bool is_number = false;
  double number = 0;
  std::string text;

  static Value Text(std::string text) { return {true, false, 0, std::move(text)}; }
  static Value Number(double number) { return {true, true, number, {}}; }
  static Value Truth(bool is_true) { return is_true ? Number(1) : Text({}); }

  std::string AsText() const;
  double AsNumber() const;
  bool AsTruth() const;
};

// What a text is as a number: the number that it begins with, else 0.
double NumberOf(std::string_view text);
// "az" → "ba", "a9" → "b0", "9" → 10.
Value Incremented(const Value& value);
// sprintf. Charges what a width asks for.
std::string Formatted(const std::vector<Value>& arguments, Budget& budget);

// ASCII only, as for bytes.
std::string Lower(std::string text);
std::string Upper(std::string text);
// By the letter of \L, \U, \Q, \l, \u.
std::string CaseChanged(char how, std::string text);

}  // namespace paddock::perl
