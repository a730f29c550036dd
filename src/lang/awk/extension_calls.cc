// The functions of the libraries that @load names: the way to all of them, and those on text and numbers.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "lang/awk/interpreter.h"
#include "lang/awk/number.h"
#include "text/pattern.h"

namespace paddock::awk {
namespace {

// Flags of fnmatch(3).
constexpr int kPathname = 1, kNoEscape = 2, kPeriod = 4, kLeadingDir = 8, kCaseFold = 16;
constexpr struct {
  std::string_view name;
  int value;
} kMatchFlags[] = {{"CASEFOLD", kCaseFold}, {"FILE_NAME", kPathname}, {"LEADING_DIR", kLeadingDir},
                   {"NOESCAPE", kNoEscape}, {"PATHNAME", kPathname},  {"PERIOD", kPeriod}};

// A pattern in which a backslash is no more than a character.
std::string WithoutEscapes(std::string_view pattern) {
  std::string out;
  for (const char c : pattern) {
    if (c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

bool Interpreter::CallExtension(Extension id, size_t count) {
  const ExtensionInfo& info = InfoOf(id);
  if (static_cast<int>(count) < info.min_arguments) {
    return Fatal(std::string(info.name) + ": called with " + std::to_string(count) + " arguments, expecting at least " +
                 std::to_string(info.min_arguments));
  }
  budget_.Step();
  switch (id) {
    case Extension::kChdir: return Outcome(count, host_.ChangeDirectory(ExtensionText(count, 0)));
    case Extension::kStat: return StatFunction(count);
    case Extension::kStatvfs: return SpaceFunction(count);
    case Extension::kFts: return WalkFunction(count);
    case Extension::kFnmatch: return FnmatchFunction(count);
    case Extension::kFork: return Outcome(count, Error(Code::kOk, "Function not implemented"));
    case Extension::kWait:
    case Extension::kWaitpid: return Outcome(count, Error(Code::kOk, "No child processes"));
    case Extension::kInplaceBegin: return InplaceBegin(count);
    case Extension::kInplaceEnd: return InplaceEnd(count);
    case Extension::kIntdiv: return Intdiv(count);
    case Extension::kOrd: {
      const std::string text = ExtensionText(count, 0);
      return ReturnNumber(count, text.empty() ? 0 : static_cast<unsigned char>(text[0]));
    }
    case Extension::kChr: {
      const double number = stack_.At(count - 1).ToNumber();
      const double byte = std::isfinite(number) ? std::fmod(std::trunc(number), 256) : 0;
      const char character = static_cast<char>(static_cast<int>(byte));
      return Return(count, Value::String({&character, 1}));
    }
    case Extension::kReadfile: return ReadfileFunction(count);
    case Extension::kReada: return ReadArrayFunction(count);
    case Extension::kWritea: return WriteArrayFunction(count);
    case Extension::kReadall: return ReadVariables(count);
    case Extension::kWriteall: return WriteVariables(count);
    case Extension::kGettimeofday: {
      const auto now = std::chrono::duration_cast<std::chrono::microseconds>(host_.clock().RealNow());
      return ReturnNumber(count, static_cast<double>(now.count()) / 1e6);
    }
    default: return SleepFunction(count);
  }
}

void Interpreter::SetUpLibraries() {
  const auto set = [&](std::string_view name, Value value) {
    const auto found = std::find(program_.globals.begin(), program_.globals.end(), name);
    if (found != program_.globals.end()) global(static_cast<int>(found - program_.globals.begin())) = std::move(value);
  };
  if (HasLibrary(Library::kFilefuncs)) {
    set("FTS_COMFOLLOW", Value::Number(1));
    set("FTS_LOGICAL", Value::Number(2));
    set("FTS_NOCHDIR", Value::Number(4));
    set("FTS_PHYSICAL", Value::Number(16));
    set("FTS_SEEDOT", Value::Number(32));
    set("FTS_XDEV", Value::Number(64));
    set("FTS_SKIP", Value::Number(512));
  }
  if (HasLibrary(Library::kFnmatch)) {
    set("FNM_NOMATCH", Value::Number(1));
    Array* const flags = Array::Make();
    for (const auto& flag : kMatchFlags) flags->Set(flag.name, Value::Number(flag.value), budget_);
    set("FNM", Value::FromArray(flags));
  }
  StreamLibraries streams;
  streams.lists_directories = HasLibrary(Library::kReaddir);
  streams.has_mirror = HasLibrary(Library::kRevtwoway);
  if (HasLibrary(Library::kReadfile)) {
    streams.reads_whole_files = [this] {
      Array* const procinfo = global(kSlotProcinfo).array();
      return procinfo != nullptr && procinfo->Find(ArrayKey("readfile")) != nullptr;
    };
  }
  if (HasLibrary(Library::kRevoutput)) {
    set("REVOUT", Value::Number(0));
    const auto found = std::find(program_.globals.begin(), program_.globals.end(), "REVOUT");
    if (found != program_.globals.end()) {
      const auto slot = static_cast<int>(found - program_.globals.begin());
      streams.reverses_output = [this, slot] { return global(slot).ToBool(); };
    }
  }
  streams_.set_libraries(std::move(streams));
}

std::string Interpreter::ExtensionText(size_t count, size_t argument) {
  return std::string(TextOf(stack_.At(count - 1 - argument), convfmt_).view());
}

Array* Interpreter::ExtensionArray(size_t count, size_t argument) {
  Value& value = stack_.At(count - 1 - argument);
  if (value.kind() != Kind::kArray && value.kind() != Kind::kCell && value.kind() != Kind::kUntyped) return nullptr;
  if (value.kind() == Kind::kCell && value.array() == nullptr && value.cell()->is_scalar) return nullptr;
  return ArrayIn(value, [] { return std::string(); });
}

bool Interpreter::Outcome(size_t count, const Status& status) {
  if (status) return ReturnNumber(count, 0);
  SetErrno(status.error());
  return ReturnNumber(count, -1);
}

bool Interpreter::Refuse(size_t count, const std::string& warning, double result) {
  Warn(warning);
  return ReturnNumber(count, result);
}

bool Interpreter::FnmatchFunction(size_t count) {
  std::string pattern = ExtensionText(count, 0);
  const std::string text = ExtensionText(count, 1);
  const double number = stack_.At(count - 3).ToNumber();
  const int flags = std::isfinite(number) ? static_cast<int>(std::clamp(number, 0.0, 1e6)) : 0;
  if ((flags & kNoEscape) != 0) pattern = WithoutEscapes(pattern);
  PatternFlags how;
  how.extglob = false;
  how.ignore_case = (flags & kCaseFold) != 0;
  how.is_utf8 = options_.is_utf8;
  how.is_path = (flags & kPathname) != 0;
  how.leading_dot_special = (flags & kPeriod) != 0;
  const Pattern compiled(pattern, how);
  bool matches = compiled.Matches(text, budget_);
  for (size_t slash = text.find('/'); !matches && (flags & kLeadingDir) != 0 && slash != text.npos; slash = text.find('/', slash + 1)) {
    matches = compiled.Matches(std::string_view(text).substr(0, slash), budget_);
  }
  return ReturnNumber(count, matches ? 0 : 1);
}

bool Interpreter::Intdiv(size_t count) {
  Array* const result = ExtensionArray(count, 2);
  if (result == nullptr) return Refuse(count, "intdiv: third argument must be an array", -1);
  const auto set = [&](std::string_view key, Value value) { result->Set(key, std::move(value), budget_); };
  const Value left = stack_.At(count - 1), right = stack_.At(count - 2);
  if (math_ != nullptr) {
    const BigValue numerator = math_->NumberOf(left), denominator = math_->NumberOf(right);
    if (!numerator.is_finite()) return Refuse(count, "intdiv: numerator is not finite", -1);
    if (!denominator.is_finite()) return Refuse(count, "intdiv: denominator is not finite", -1);
    const BigInteger whole = math_->Cut(numerator).whole, by = math_->Cut(denominator).whole;
    if (by.is_zero()) return Refuse(count, "intdiv: division by zero attempted", -1);
    Quotient parts = Divided(whole, by, budget_);
    result->Clear();
    set("quotient", math_->Make(std::move(parts.quotient)));
    set("remainder", math_->Make(std::move(parts.rest)));
    return ReturnNumber(count, 0);
  }
  const double whole = std::trunc(left.ToNumber()), by = std::trunc(right.ToNumber());
  if (!std::isfinite(whole)) return Refuse(count, "intdiv: numerator is not finite", -1);
  if (!std::isfinite(by)) return Refuse(count, "intdiv: denominator is not finite", -1);
  if (by == 0) return Refuse(count, "intdiv: division by zero attempted", -1);
  result->Clear();
  set("quotient", Value::Number(std::trunc(whole / by)));
  set("remainder", Value::Number(std::fmod(whole, by)));
  return ReturnNumber(count, 0);
}

bool Interpreter::SleepFunction(size_t count) {
  const double seconds = stack_.At(count - 1).ToNumber();
  if (seconds < 0) return Outcome(count, Error(Code::kOk, "sleep: argument is negative"));
  streams_.standard_output().Flush();
  const double nanoseconds = std::isfinite(seconds) ? std::min(seconds * 1e9, 9e18) : 9e18;
  return Outcome(count, host_.Sleep(Nanoseconds(static_cast<int64_t>(nanoseconds))));
}

}  // namespace paddock::awk
