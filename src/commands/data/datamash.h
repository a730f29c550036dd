// datamash's operations: what they are called, and what they make of a value or of all values of a group.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock {
class Budget;
}

namespace paddock::datamash {

enum class OperationKind { kLine, kGroup };

// What an operation is fed.
enum class ValueKind { kNumber, kText, kPair };

struct Operation;

// What stands behind the name: "perc:30".
struct Parameter {
  long double number = 0;
  char letter = 0;
};

// A result: a number to be formatted by the caller, or text.
struct Answer {
  std::optional<long double> number;
  std::string text;
};

struct TextRules {
  bool ignores_case = false;
};

// All values of one group.
class Accumulator {
 public:
  virtual ~Accumulator() = default;
  virtual void Add(long double, Budget&) {}
  // One side of a pair.
  virtual void AddPart(long double, bool /*is_second*/, Budget&) {}
  // False when both sides have not as many values.
  virtual bool has_pairs() const { return true; }
  virtual void AddText(std::string_view, Budget&) {}
  virtual Answer Finish(Budget& budget) = 0;
};

struct Operation {
  std::string_view name;
  OperationKind kind;
  ValueKind value;
  int id;   // of the operation's own file
};

// Null when there is none of this name.
const Operation* FindOperation(std::string_view name);
// Reads the parameter of a name; `text` has none when it is nullopt. The error's message is the complaint.
Result<Parameter> ParseParameter(const Operation& operation, std::optional<std::string_view> text);
std::unique_ptr<Accumulator> NewAccumulator(const Operation& operation, const Parameter& parameter, const TextRules& rules);
// Of an operation on single values. Errors: kSyntax when the value is no base64.
Result<Answer> Apply(const Operation& operation, const Parameter& parameter, std::string_view text, long double number);

// The whole of `text` as a number.
std::optional<long double> ParseNumber(const std::string& text);

}  // namespace paddock::datamash
