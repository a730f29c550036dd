// factor - write the prime factors of numbers
//
// usage: factor [NUMBER]...
// Without operands the numbers come from standard input, separated by blanks and newlines.
//
// Exit status: 0, or 1 if something was not a number.
// Source: GNU coreutils 9.1.
// Differs: numbers from 2^128 on are too large, as for a factor built without GMP.

#include "proc/command.h"
#include "text/prime_factors.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {};

enum class Reading { kOk, kTooLarge, kInvalid };

Reading Read(std::string_view text, WideNumber* number) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return Reading::kInvalid;
  constexpr WideNumber kLargest = ~WideNumber{0};
  bool is_too_large = false;
  *number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return Reading::kInvalid;
    const auto digit = static_cast<unsigned>(c - '0');
    if (*number > (kLargest - digit) / 10) is_too_large = true;
    *number = *number * 10 + digit;
  }
  return is_too_large ? Reading::kTooLarge : Reading::kOk;
}

void Append(WideNumber number, std::string& text) {
  char digits[40];
  size_t at = sizeof digits;
  while (number >> 64 != 0) {
    digits[--at] = static_cast<char>('0' + static_cast<int>(number % 10));
    number /= 10;
  }
  auto rest = static_cast<uint64_t>(number);
  do {
    digits[--at] = static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  text.append(digits + at, sizeof digits - at);
}

constexpr size_t kPipeBlock = 4096;   // PIPE_BUF

bool Factor(Invocation& in, std::string_view text, std::string& line) {
  in.budget.Step(static_cast<int64_t>(1 + text.size() / 16));
  WideNumber number = 0;
  switch (Read(text, &number)) {
    case Reading::kOk: break;
    case Reading::kTooLarge:
      in.Fail(Quote(text, in.locale.is_utf8) + " is too large");
      return false;
    case Reading::kInvalid:
      in.Fail(Quote(text, in.locale.is_utf8) + " is not a valid positive integer");
      return false;
  }
  line.clear();
  Append(number, line);
  line += ':';
  for (const WideNumber factor : PrimeFactors(number, in.budget)) {
    line += ' ';
    Append(factor, line);
  }
  line += '\n';
  // Several may write into one pipe, as those of split --filter do: only what a pipe takes at once stays whole.
  if (in.out.buffered_bytes() + line.size() > kPipeBlock) in.out.Flush();
  in.out.Write(line);
  return true;
}

// What stands before a NUL, as the real one sees tokens.
std::string_view UpToNul(std::string_view token) { return token.substr(0, token.find('\0')); }

// The numbers of standard input, which may be one endless line.
bool FactorInput(Invocation& in) {
  constexpr std::string_view kDelimiters = "\n\t ";
  bool is_good = true;
  std::string token;
  std::string line;
  while (in.out.status()) {
    const std::string_view bytes = in.in.Peek();
    if (bytes.empty()) break;
    const size_t end = bytes.find_first_of(kDelimiters);
    in.budget.WillAllocate(token.size());
    token.append(bytes.substr(0, end));
    in.in.Consume(std::min(end, bytes.size() - 1) + 1);
    if (end == std::string_view::npos || token.empty()) continue;
    if (!Factor(in, UpToNul(token), line)) is_good = false;
    token.clear();
  }
  if (!token.empty() && !Factor(in, UpToNul(token), line)) is_good = false;
  return is_good;
}

ExitStatus Run(Invocation& in, const Options&, const std::vector<std::string>& operands) {
  bool is_good = true;
  if (operands.empty()) is_good = FactorInput(in);
  std::string line;
  for (const std::string& operand : operands) {
    if (!Factor(in, operand, line)) is_good = false;
  }
  return is_good ? 0 : 1;
}

}  // namespace

extern const Command kCommand_factor;
const Command kCommand_factor = Define<Options, Run>({
    .name = "factor",
    .summary = "print the prime factors of each number",
    .synopsis = "[NUMBER]...\nOPTION",
});

}  // namespace paddock
