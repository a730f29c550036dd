#include "text/mode.h"

namespace paddock {
namespace {

constexpr uint32_t kAllRead = 0444;
constexpr uint32_t kAllWrite = 0222;
constexpr uint32_t kAllExecute = 0111;

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

// Takes octal digits off the front; kInvalid when the number is above 07777.
Result<uint32_t> TakeOctal(std::string_view& rest) {
  uint32_t value = 0;
  while (!rest.empty() && IsOctal(rest.front())) {
    value = value * 8 + static_cast<uint32_t>(rest.front() - '0');
    if (value > kModeBits) return Code::kInvalid;
    rest.remove_prefix(1);
  }
  return value;
}

uint32_t WhoBits(char who) {
  switch (who) {
    case 'u': return kSetUid | 0700;
    case 'g': return kSetGid | 0070;
    case 'o': return kSticky | 0007;
    case 'a': return kModeBits;
    default: return 0;
  }
}

// The bits of one permission letter, 0 for none of them ('X' is the caller's business).
uint32_t PermissionBits(char letter) {
  switch (letter) {
    case 'r': return kAllRead;
    case 'w': return kAllWrite;
    case 'x': return kAllExecute;
    case 's': return kSetUid | kSetGid;
    case 't': return kSticky;
    default: return 0;
  }
}

// Spreads the permissions of one class ("g=u") to all three.
uint32_t Spread(uint32_t bits) {
  return ((bits & kAllRead) != 0 ? kAllRead : 0) | ((bits & kAllWrite) != 0 ? kAllWrite : 0) |
         ((bits & kAllExecute) != 0 ? kAllExecute : 0);
}

}  // namespace

std::string ModeString(char type, uint32_t mode) {
  std::string text(1, type);
  for (int shift = 6; shift >= 0; shift -= 3) {
    const uint32_t bits = mode >> shift;
    text += (bits & 4) != 0 ? 'r' : '-';
    text += (bits & 2) != 0 ? 'w' : '-';
    text += (bits & 1) != 0 ? 'x' : '-';
  }
  if ((mode & kSetUid) != 0) text[3] = text[3] == 'x' ? 's' : 'S';
  if ((mode & kSetGid) != 0) text[6] = text[6] == 'x' ? 's' : 'S';
  if ((mode & kSticky) != 0) text[9] = text[9] == 'x' ? 't' : 'T';
  return text;
}

ModeChange ModeChange::Exactly(uint32_t mode) {
  ModeChange change;
  change.clauses_.push_back({'=', Value::kBits, kModeBits, mode & kModeBits, kModeBits});
  return change;
}

Result<ModeChange> ModeChange::Parse(std::string_view text) {
  if (text.empty()) return Code::kInvalid;
  if (IsOctal(text.front())) {
    std::string_view rest = text;
    PADDOCK_ASSIGN(const uint32_t bits, TakeOctal(rest));
    if (!rest.empty()) return Code::kInvalid;
    ModeChange change;
    const uint32_t mentioned = text.size() < 5 ? (bits & 07000) | 0777 : kModeBits;
    change.clauses_.push_back({'=', Value::kBits, kModeBits, bits, mentioned});
    return change;
  }
  ModeChange change;
  std::string_view rest = text;
  while (true) {
    uint32_t affected = 0;
    while (!rest.empty() && WhoBits(rest.front()) != 0) {
      affected |= WhoBits(rest.front());
      rest.remove_prefix(1);
    }
    do {
      PADDOCK_ASSIGN(const Clause clause, ParseClause(rest, affected));
      change.clauses_.push_back(clause);
    } while (!rest.empty() && rest.front() != ',');
    if (rest.empty()) return change;
    rest.remove_prefix(1);
  }
}

Result<ModeChange::Clause> ModeChange::ParseClause(std::string_view& rest, uint32_t affected) {
  if (rest.empty()) return Code::kInvalid;
  Clause clause{rest.front(), Value::kBits, affected, 0, 0};
  if (clause.operation != '+' && clause.operation != '-' && clause.operation != '=') return Code::kInvalid;
  rest.remove_prefix(1);
  const char first = rest.empty() ? '\0' : rest.front();
  if (IsOctal(first)) {
    PADDOCK_ASSIGN(clause.bits, TakeOctal(rest));
    if (affected != 0 || (!rest.empty() && rest.front() != ',')) return Code::kInvalid;
    clause.affected = clause.mentioned = kModeBits;
    return clause;
  }
  if (first == 'u' || first == 'g' || first == 'o') {
    clause.kind = Value::kCopy;
    clause.bits = WhoBits(first) & 0777;
    rest.remove_prefix(1);
  } else {
    for (; !rest.empty(); rest.remove_prefix(1)) {
      if (rest.front() == 'X') {
        clause.kind = Value::kExecuteIfAny;
      } else if (const uint32_t bits = PermissionBits(rest.front()); bits != 0) {
        clause.bits |= bits;
      } else {
        break;
      }
    }
  }
  clause.mentioned = affected != 0 ? affected & clause.bits : clause.bits;
  return clause;
}

uint32_t ModeChange::Apply(uint32_t mode, bool is_directory, uint32_t umask, uint32_t* decided) const {
  uint32_t touched = 0;
  uint32_t result = mode & kModeBits;
  for (const Clause& clause : clauses_) {
    const uint32_t kept = (is_directory ? kSetUid | kSetGid : 0) & ~clause.mentioned;
    uint32_t bits = clause.bits;
    if (clause.kind == Value::kCopy) {
      bits = Spread(bits & result);
    } else if (clause.kind == Value::kExecuteIfAny && (is_directory || (result & kAllExecute) != 0)) {
      bits |= kAllExecute;
    }
    bits &= (clause.affected != 0 ? clause.affected : ~umask) & ~kept;
    switch (clause.operation) {
      case '=': {
        const uint32_t preserved = (clause.affected != 0 ? ~clause.affected : 0) | kept;
        touched |= kModeBits & ~preserved;
        result = (result & preserved) | bits;
        break;
      }
      case '+':
        touched |= bits;
        result |= bits;
        break;
      default:
        touched |= bits;
        result &= ~bits;
        break;
    }
  }
  if (decided != nullptr) *decided = touched;
  return result & kModeBits;
}

}  // namespace paddock
