#include "seccomp/compact.h"

#include <linux/audit.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>

namespace paddock::seccomp {
namespace {

constexpr uint32_t kNumbers = 1024;          // more than there are calls
constexpr uint32_t kForeign = 0x40000000;    // x32's bit
constexpr uint32_t kNone = 0xffffffff;       // what a tracer makes of a call that is left out
constexpr size_t kFarthest = 255;            // of a conditional jump

seccomp_data Call(uint32_t number, uint32_t arch = AUDIT_ARCH_X86_64) {
  seccomp_data call{};
  call.nr = static_cast<int>(number);
  call.arch = arch;
  return call;
}

// Numbers from `first` to the next range's.
struct Range {
  uint32_t first;
  std::optional<uint32_t> answer;   // none: by argument
  bool operator==(const Range&) const = default;
};

sock_filter Step(int code, uint32_t value, size_t if_true = 0, size_t if_false = 0) {
  return {static_cast<uint16_t>(code), static_cast<uint8_t>(if_true), static_cast<uint8_t>(if_false), value};
}

// A jump by argument leads nowhere yet.
constexpr uint32_t kByArgument = 0xffffffff;

Program Search(const Range* begin, const Range* end) {
  if (end - begin == 1) return {begin->answer ? Step(BPF_RET | BPF_K, *begin->answer) : Step(BPF_JMP | BPF_JA, kByArgument)};
  const Range* const middle = begin + (end - begin) / 2;
  const Program below = Search(begin, middle), above = Search(middle, end);
  Program program;
  if (below.size() <= kFarthest) {
    program.push_back(Step(BPF_JMP | BPF_JGE | BPF_K, middle->first, below.size(), 0));
  } else {
    program.push_back(Step(BPF_JMP | BPF_JGE | BPF_K, middle->first, 0, 1));
    program.push_back(Step(BPF_JMP | BPF_JA, static_cast<uint32_t>(below.size())));
  }
  program.insert(program.end(), below.begin(), below.end());
  program.insert(program.end(), above.begin(), above.end());
  return program;
}

std::optional<std::vector<Range>> FindRanges(const Program& program) {
  std::vector<Range> ranges;
  const auto add = [&](uint32_t number) {
    bool looks = false;
    const auto answer = RunProgram(program, Call(number), &looks);
    const std::optional<uint32_t> constant = looks ? std::nullopt : answer;
    if (ranges.empty() || ranges.back().answer != constant) ranges.push_back({number, constant});
    return answer.has_value();
  };
  for (uint32_t number = 0; number < kNumbers; ++number) {
    if (!add(number)) return std::nullopt;
  }
  if (!add(kForeign) || !add(kNone)) return std::nullopt;
  return ranges;
}

bool AnswersAlike(const Program& one, const Program& other) {
  // Arguments at and around every constant that the program looks for, with any upper half.
  std::vector<uint64_t> values{0, 1, ~uint64_t{0}};
  for (const sock_filter& step : one) {
    for (const uint64_t value : {uint64_t{step.k}, uint64_t{step.k} + 1, uint64_t{step.k} - 1}) values.push_back(value);
  }
  std::vector<uint32_t> numbers{kNumbers + 76, kForeign - 1, kForeign, kForeign + 1, 0x7fffffff, 0x80000000, kNone - 1, kNone};
  for (uint32_t number = 0; number < kNumbers; ++number) numbers.push_back(number);
  std::mt19937_64 lots(1);   // the same sample in every build
  const auto draw = [&] {
    uint64_t value = values[lots() % values.size()];
    if (lots() % 3 == 0) value |= values[lots() % values.size()];
    return lots() % 4 == 0 ? value | lots() << 32 : value;
  };
  constexpr int kRounds = 400;
  for (const uint32_t number : numbers) {
    for (const uint32_t arch : {uint32_t{AUDIT_ARCH_X86_64}, uint32_t{AUDIT_ARCH_I386}, uint32_t{0}}) {
      for (int round = 0; round < (arch == AUDIT_ARCH_X86_64 ? kRounds : 2); ++round) {
        seccomp_data call = Call(number, arch);
        for (__u64& argument : call.args) argument = draw();
        const auto answer = RunProgram(one, call);
        if (!answer || answer != RunProgram(other, call)) return false;
      }
    }
  }
  return true;
}

}  // namespace

std::optional<uint32_t> RunProgram(const Program& program, const seccomp_data& call, bool* looks) {
  uint32_t value = 0;
  for (size_t at = 0; at < program.size(); ++at) {
    const sock_filter& step = program[at];
    bool is_true = false;
    switch (step.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        if (step.k > sizeof call - sizeof value || step.k % sizeof value != 0) return std::nullopt;
        std::memcpy(&value, reinterpret_cast<const char*>(&call) + step.k, sizeof value);
        if (looks != nullptr && step.k >= offsetof(seccomp_data, args)) *looks = true;
        continue;
      case BPF_ALU | BPF_AND | BPF_K: value &= step.k; continue;
      case BPF_RET | BPF_K: return step.k;
      case BPF_JMP | BPF_JA: at += step.k; continue;
      case BPF_JMP | BPF_JEQ | BPF_K: is_true = value == step.k; break;
      case BPF_JMP | BPF_JGT | BPF_K: is_true = value > step.k; break;
      case BPF_JMP | BPF_JGE | BPF_K: is_true = value >= step.k; break;
      case BPF_JMP | BPF_JSET | BPF_K: is_true = (value & step.k) != 0; break;
      default: return std::nullopt;
    }
    at += is_true ? step.jt : step.jf;
  }
  return std::nullopt;
}

std::vector<int> CallsByArgument(const Program& program) {
  std::vector<int> calls;
  for (uint32_t number = 0; number < kNumbers; ++number) {
    bool looks = false;
    RunProgram(program, Call(number), &looks);
    if (looks) calls.push_back(static_cast<int>(number));
  }
  return calls;
}

std::optional<Program> Compact(const Program& program, const Program& by_argument) {
  const auto ranges = FindRanges(program);
  const auto foreign = RunProgram(program, Call(0, AUDIT_ARCH_I386));
  if (!ranges || !foreign) return std::nullopt;
  Program compact{Step(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)), Step(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
                  Step(BPF_RET | BPF_K, *foreign), Step(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  const Program search = Search(ranges->data(), ranges->data() + ranges->size());
  compact.insert(compact.end(), search.begin(), search.end());
  for (size_t at = 0; at < compact.size(); ++at) {
    sock_filter& step = compact[at];
    if (step.code == (BPF_JMP | BPF_JA) && step.k == kByArgument) step.k = static_cast<uint32_t>(compact.size() - at - 1);
  }
  compact.insert(compact.end(), by_argument.begin(), by_argument.end());
  if (!AnswersAlike(program, compact)) return std::nullopt;
  return compact;
}

}  // namespace paddock::seccomp
