// Built-in functions on numbers, values and streams, and the way to all of them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include "lang/awk/interpreter.h"
#include "lang/awk/number.h"

namespace paddock::awk {
namespace {

std::string SixDigits(double number) {
  char text[400];
  std::snprintf(text, sizeof text, "%f", number);
  return text;
}

std::string Shortest(double number) {
  char text[64];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

// A double holds 53 bits: of larger results the lowest ones that matter are kept.
double ToDouble(uint64_t bits) {
  if (bits == 0) return 0;
  const int zeros = std::countr_zero(bits);
  if (zeros < 11) bits &= ((uint64_t{1} << 53) - 1) << zeros;
  return static_cast<double>(bits);
}

bool FitsBits(double number) { return number >= 0 && number < 18446744073709551616.0; }

}  // namespace

bool Interpreter::CallBuiltin(Builtin id, size_t count) {
  switch (id) {
    case Builtin::kAtan2:
    case Builtin::kCos:
    case Builtin::kSin:
    case Builtin::kExp:
    case Builtin::kLog:
    case Builtin::kSqrt:
    case Builtin::kInt:
    case Builtin::kRand:
    case Builtin::kSrand:
    case Builtin::kStrtonum: return math_ != nullptr ? CallBigNumeric(id, count) : CallNumeric(id, count);
    case Builtin::kAnd:
    case Builtin::kOr:
    case Builtin::kXor:
    case Builtin::kCompl:
    case Builtin::kLshift:
    case Builtin::kRshift: return math_ != nullptr ? CallBigBitwise(id, count) : CallBitwise(id, count);
    case Builtin::kSystem:
    case Builtin::kClose:
    case Builtin::kFflush: return CallStream(id, count);
    case Builtin::kSystime:
    case Builtin::kStrftime:
    case Builtin::kMktime: return CallTime(id, count);
    case Builtin::kAsort: return SortArray(count, false);
    case Builtin::kAsorti: return SortArray(count, true);
    case Builtin::kIsarray: return ReturnNumber(1, stack_.At(0).array() != nullptr ? 1 : 0);
    case Builtin::kTypeof:
      if (count > 1) {   // an array that is told more
        Array* const told = stack_.At(0).array();
        if (told == nullptr) return Fatal("typeof: second argument is not an array");
        told->Clear();
        const Array* const array = stack_.At(count - 1).array();
        if (array != nullptr) told->Set("array_type", Value::String(array->KindName()), budget_);
      }
      stack_.Pop(count - 1);
      return TypeOf(stack_.At(0));
    case Builtin::kMkbool: return Return(1, Value::Bool(stack_.At(0).ToBool()));
    case Builtin::kBindtextdomain: return Return(count, stack_.At(count - 1));
    case Builtin::kDcgettext: return Return(count, stack_.At(count - 1));
    case Builtin::kDcngettext: {
      if (count < 3) return Fatal("dcngettext: called with too few arguments");
      const bool is_one = stack_.At(count - 3).ToNumber() == 1;
      return Return(count, stack_.At(is_one ? count - 1 : count - 2));
    }
    default: return CallText(id, count);
  }
}

bool Interpreter::CallNumeric(Builtin id, size_t count) {
  const double x = count > 0 ? stack_.At(count - 1).ToNumber() : 0;
  switch (id) {
    case Builtin::kAtan2: return ReturnNumber(2, std::atan2(x, stack_.At(0).ToNumber()));
    case Builtin::kCos: return ReturnNumber(1, std::cos(x));
    case Builtin::kSin: return ReturnNumber(1, std::sin(x));
    case Builtin::kInt: return ReturnNumber(1, std::trunc(x));
    case Builtin::kExp: {
      const double result = std::exp(x);
      if (std::isinf(result) && std::isfinite(x)) Warn("exp: argument " + Shortest(x) + " is out of range");
      return ReturnNumber(1, result);
    }
    case Builtin::kLog:
    case Builtin::kSqrt: {
      const bool is_log = id == Builtin::kLog;
      const std::string name = is_log ? "log" : "sqrt";
      if (x < 0) Warn(name + ": received negative argument " + Shortest(x));
      const double result = is_log ? std::log(x) : std::sqrt(x);
      // Which sign such a not-a-number has is the processor's: it prints as -nan.
      return ReturnNumber(1, std::isnan(result) && x < 0 ? std::copysign(result, -1.0) : result);
    }
    case Builtin::kRand:
      if (!random_) random_.emplace();
      return ReturnNumber(0, random_->Next());
    case Builtin::kSrand: {
      const double before = seed_;
      using Seconds = std::chrono::duration<double>;
      seed_ = count > 0 ? x : std::floor(Seconds(host_.clock().RealNow()).count());
      const double seed = std::isfinite(seed_) ? std::fmod(std::trunc(seed_), 4294967296.0) : 0;
      random_.emplace(static_cast<uint32_t>(static_cast<int64_t>(seed)));
      return ReturnNumber(count, before);
    }
    default: {  // strtonum
      const Value& value = stack_.At(0);
      if (!value.is_text()) return ReturnNumber(1, x);
      // Leading blanks and signs leave only decimal.
      const std::string_view text = value.view();
      const bool has_prefix = text.size() > 1 && text[0] == '0';
      return ReturnNumber(1, has_prefix ? ParseNonDecimal(text) : x);
    }
  }
}

bool Interpreter::CallBitwise(Builtin id, size_t count) {
  const std::string name(InfoOf(id).name);
  if (id == Builtin::kCompl) {
    const double x = stack_.At(0).ToNumber();
    if (!FitsBits(x)) return Fatal("compl(" + SixDigits(x) + "): negative value is not allowed");
    return ReturnNumber(1, ToDouble(~static_cast<uint64_t>(x)));
  }
  if (id == Builtin::kLshift || id == Builtin::kRshift) {
    const double x = stack_.At(1).ToNumber(), shift = stack_.At(0).ToNumber();
    if (!FitsBits(x) || !FitsBits(shift)) {
      return Fatal(name + "(" + SixDigits(x) + ", " + SixDigits(shift) +
                   "): negative values are not allowed");
    }
    const auto bits = static_cast<uint64_t>(x);
    const auto by = static_cast<unsigned>(static_cast<uint64_t>(shift) & 63);
    return ReturnNumber(2, ToDouble(id == Builtin::kLshift ? bits << by : bits >> by));
  }
  if (count < 2) return Fatal(name + ": called with less than two arguments");
  uint64_t result = 0;
  for (size_t i = count; i-- > 0;) {
    const double x = stack_.At(i).ToNumber();
    if (!FitsBits(x)) {
      return Fatal(name + ": argument " + std::to_string(count - i) + " negative value " + Shortest(x) +
                   " is not allowed");
    }
    const auto bits = static_cast<uint64_t>(x);
    if (i == count - 1) {
      result = bits;
    } else if (id == Builtin::kAnd) {
      result &= bits;
    } else if (id == Builtin::kOr) {
      result |= bits;
    } else {
      result ^= bits;
    }
  }
  return ReturnNumber(count, ToDouble(result));
}

bool Interpreter::TypeOf(const Value& value) {
  const char* name = "untyped";
  switch (value.kind()) {
    case Kind::kMissing:
    case Kind::kUnassigned: name = "unassigned"; break;
    case Kind::kBig:
    case Kind::kNumber: name = "number"; break;
    case Kind::kBool: name = "number|bool"; break;
    case Kind::kString: name = "string"; break;
    case Kind::kInput: name = value.LooksNumeric() ? "strnum" : "string"; break;
    case Kind::kRegex: name = "regexp"; break;
    case Kind::kArray: name = "array"; break;
    case Kind::kCell: name = value.array() != nullptr ? "array" : "untyped"; break;
    default: break;
  }
  return Return(1, Value::String(name));
}

// --- streams

bool Interpreter::CallStream(Builtin id, size_t count) {
  switch (id) {
    case Builtin::kSystem: return SystemFunction();
    case Builtin::kClose: return CloseFunction(count);
    default: return FlushFunction(count);
  }
}

bool Interpreter::SystemFunction() {
  if (options_.is_sandboxed) return Fatal("'system' function not allowed in sandbox mode");
  const std::string command(TextOf(stack_.At(0), convfmt_).view());
  if (command.empty()) {
    streams_.FlushAll();
    return ReturnNumber(1, 0);
  }
  auto status = streams_.System(command);
  if (!status) return Fatal("system: " + std::string(status.error().Text()));
  return ReturnNumber(1, ToStatus(*status));
}

bool Interpreter::CloseFunction(size_t count) {
  std::string end;
  if (count > 1) {
    end = TextOf(stack_.At(0), convfmt_).view();
    for (char& c : end) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    if (end != "to" && end != "from") return Fatal("close: second argument must be `to' or `from'");
  }
  const std::string name(TextOf(stack_.At(count - 1), convfmt_).view());
  auto status = streams_.Close(name, end);
  if (!status) {
    return Fatal("flush to \"" + name + "\" failed: " + std::string(status.error().Text()));
  }
  if (*status < 0 && lint_ != LintLevel::kOff) {
    if (!Lint("close: `" + name + "' is not an open file, pipe or co-process")) return false;
  }
  if (*status < 0) SetErrno(Error(Code::kOk, "close of redirection that was never opened"));
  return ReturnNumber(count, *status);
}

bool Interpreter::FlushFunction(size_t count) {
  const std::string name(count > 0 ? TextOf(stack_.At(0), convfmt_).view() : std::string_view());
  if (name.empty()) {
    streams_.FlushAll();
    return ReturnNumber(count, 0);
  }
  const auto status = streams_.Flush(name);
  if (!status) {
    Warn("fflush: `" + name + "' is not an open file, pipe or co-process");
    return ReturnNumber(count, -1);
  }
  if (!*status && status->error().code == Code::kBadDescriptor) {
    Warn("fflush: cannot flush: two-way pipe `" + name + "' has closed write end");
  }
  return ReturnNumber(count, *status ? 0 : -1);
}

}  // namespace paddock::awk
