// read - reads a line and splits it into variables

#include <algorithm>
#include <cmath>

#include "shell/builtins/arguments.h"
#include "shell/expand/expander.h"
#include "shell/state/assign.h"
#include "text/utf8.h"

namespace paddock::shell {
namespace {

constexpr int kTimedOut = 142;   // 128 + SIGALRM, as bash has it

struct ReadOptions {
  bool is_raw = false;
  bool is_array = false;
  std::string array;
  char delimiter = '\n';
  int64_t count = -1;          // -n, -N: characters
  bool is_exact = false;       // -N
  std::string prompt;
  std::optional<double> timeout;
  int descriptor = 0;
};

int ParseReadOptions(Shell& shell, BuiltinOptions& options, ReadOptions* parsed) {
  while (const char letter = options.Next()) {
    const std::string argument(options.argument());
    switch (letter) {
      case '?': return 2;
      case 'r': parsed->is_raw = true; break;
      case 'e': case 's': break;   // no terminal to edit on or to silence
      case 'i': break;             // initial text is for the editor of -e
      case 'a':
        parsed->is_array = true;
        parsed->array = argument;
        break;
      case 'd': parsed->delimiter = argument.empty() ? '\0' : argument[0]; break;
      case 'p': parsed->prompt = argument; break;
      case 'n':
      case 'N': {
        const auto count = ParseInteger(argument);
        if (!count || *count < 0) {
          shell.Complain("read", argument + ": invalid number");
          return 1;
        }
        parsed->count = *count;
        parsed->is_exact = letter == 'N';
        break;
      }
      case 't': {
        char* end = nullptr;
        const double seconds = std::strtod(argument.c_str(), &end);
        const bool is_decimal = argument.find_first_not_of("+-.0123456789") == std::string::npos;
        if (argument.empty() || !is_decimal || *end != '\0' || seconds < 0) {
          shell.Complain("read", argument + ": invalid timeout specification");
          return 1;
        }
        parsed->timeout = std::min(seconds, 1e8);
        break;
      }
      case 'u': {
        const auto number = ParseInteger(argument);
        if (!number || *number < 0 || *number >= proc::kMaxDescriptors) {
          shell.Complain("read", argument + ": invalid file descriptor specification");
          return 1;
        }
        parsed->descriptor = static_cast<int>(*number);
        break;
      }
      default: break;
    }
  }
  return 0;
}

// What was read: the text, and for each byte whether a backslash quoted it.
struct Record {
  std::string text;
  std::vector<bool> quoted;
  bool has_delimiter = false;
  bool is_timed_out = false;
  int interrupting_signal = 0;
  Status status;

  void Add(char byte, bool is_quoted) {
    text += byte;
    quoted.push_back(is_quoted);
  }
};

class Reader {
 public:
  Reader(Shell& shell, const ReadOptions& options)
      : shell_(shell), options_(options), file_(shell.process().descriptors().Get(options.descriptor)) {}

  Record Read() {
    Record record;
    if (options_.timeout) deadline_ = shell_.kernel().clock().MonotonicNow() + ToNanoseconds(*options_.timeout);
    int64_t left = options_.count;
    bool escaped = false;
    while (left != 0) {
      const int byte = NextByte(record);
      if (byte < 0) break;
      const char c = static_cast<char>(byte);
      if (escaped) {
        escaped = false;
        if (c == '\n') continue;   // a continued line
        if (c != '\0') record.Add(c, true);
        if (IsCharacterEnd(record.text)) --left;
        continue;
      }
      if (c == options_.delimiter && !options_.is_exact) {
        record.has_delimiter = true;
        break;
      }
      if (c == '\\' && !options_.is_raw) {
        escaped = true;
        continue;
      }
      if (c == '\0') continue;   // variables hold no NUL
      record.Add(c, false);
      if (IsCharacterEnd(record.text)) --left;
    }
    GiveBack();
    if (options_.count >= 0 && left == 0) record.has_delimiter = true;
    return record;
  }

 private:
  static Nanoseconds ToNanoseconds(double seconds) { return Nanoseconds(static_cast<int64_t>(seconds * 1e9)); }

  // True unless the text ends inside a UTF-8 character.
  bool IsCharacterEnd(const std::string& text) const {
    if (options_.count < 0 || text.empty() || !shell_.locale().is_utf8) return true;
    size_t begin = text.size() - 1;
    while (begin > 0 && text.size() - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
    const unsigned char lead = static_cast<unsigned char>(text[begin]);
    const size_t wanted = lead > 0xF4 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;
    return text.size() - begin >= wanted;
  }

  // A seekable file is read in blocks and the rest given back; a pipe byte by byte, so that nothing
  // beyond the line is taken from whoever reads next.
  int NextByte(Record& record) {
    if (position_ < block_.bytes.size()) return static_cast<unsigned char>(block_.bytes[position_++]);
    if (!WaitForData(record)) return -1;
    const bool can_seek = file_->Seek(0, vfs::Whence::kCurrent).has_value();
    auto block = file_->ReadBlock(can_seek ? 4096 : 1);
    while (!block && block.error().code == Code::kInterrupted) {
      if (!RunTraps(record)) return -1;
      block = file_->ReadBlock(can_seek ? 4096 : 1);
    }
    if (!block) {
      record.status = block.error();
      return -1;
    }
    shell_.budget().Step(1 + static_cast<int64_t>(block->bytes.size() / 64));
    block_ = std::move(*block);
    position_ = 0;
    if (block_.bytes.empty()) return -1;
    return static_cast<unsigned char>(block_.bytes[position_++]);
  }

  // Waits for data by looking again and again where a deadline or a trap may end the wait.
  bool WaitForData(Record& record) {
    if (!options_.timeout && !HasSignalTraps()) return true;
    constexpr Nanoseconds kPoll{1'000'000};   // pipes wake nobody for a timed wait
    while (!file_->IsReadReady()) {
      if (!RunTraps(record)) return false;
      const Nanoseconds now = shell_.kernel().clock().MonotonicNow();
      if (options_.timeout && now >= deadline_) {
        record.is_timed_out = true;
        return false;
      }
      shell_.kernel().scheduler().Park(options_.timeout ? std::min(deadline_, now + kPoll) : now + kPoll);
    }
    return true;
  }

  bool HasSignalTraps() const {
    const auto& actions = shell_.traps.actions;
    return std::any_of(actions.begin(), actions.end(), [](const auto& trap) {
      return trap.first != kTrapExit && trap.first < kTrapDebug && !trap.second.empty();
    });
  }

  // Runs the traps of signals that came meanwhile. False when they end the read (in posix mode they do).
  bool RunTraps(Record& record) {
    if (!shell_.process().HasCaught()) return true;
    const int signal = shell_.process().TakeCaught();
    shell_.process().Raise(signal);
    shell_.RunPendingTraps();
    if (shell_.flow == Flow::kNone && (!shell_.options.Get(SetOption::kPosix) || signal == proc::kSigChld)) return true;
    record.interrupting_signal = signal;
    return false;
  }

  void GiveBack() {
    if (position_ < block_.bytes.size()) file_->GiveBack(block_.bytes.size() - position_);
  }

  Shell& shell_;
  const ReadOptions& options_;
  vfs::OpenFilePtr file_;
  Block block_;
  size_t position_ = 0;
  Nanoseconds deadline_{0};
};

bool IsIfsSpace(char c, std::string_view ifs) {
  return (c == ' ' || c == '\t' || c == '\n') && ifs.find(c) != std::string_view::npos;
}

// Splits a record by IFS into fields.
class RecordSplitter {
 public:
  RecordSplitter(const Record& record, std::string_view ifs, bool is_utf8) : record_(record), ifs_(ifs), is_utf8_(is_utf8) {}

  // At most `most` fields (0: as many as there are); the last takes the rest.
  std::vector<std::string> Split(size_t most) {
    std::vector<std::string> fields;
    const std::string& text = record_.text;
    SkipSpaces();
    while (at_ < text.size()) {
      const size_t begin = at_;
      while (at_ < text.size() && SeparatorAt(at_) == 0) ++at_;
      const size_t end = at_;
      SkipSpaces();
      if (at_ < text.size()) at_ += SeparatorAt(at_);
      SkipSpaces();
      const bool takes_rest = most != 0 && fields.size() + 1 == most && at_ < text.size();
      fields.push_back(text.substr(begin, (takes_rest ? EndWithoutSpaces() : end) - begin));
      if (takes_rest) break;
    }
    return fields;
  }

 private:
  bool IsSpace(size_t at) const { return !record_.quoted[at] && IsIfsSpace(record_.text[at], ifs_); }
  void SkipSpaces() {
    while (at_ < record_.text.size() && IsSpace(at_)) ++at_;
  }
  size_t EndWithoutSpaces() const {
    size_t end = record_.text.size();
    while (end > at_ && IsSpace(end - 1)) --end;
    return end;
  }
  // Length of the separator there, 0 if there is none.
  size_t SeparatorAt(size_t at) const {
    if (record_.quoted[at]) return 0;
    const std::string_view rest = std::string_view(record_.text).substr(at);
    const size_t length = is_utf8_ ? DecodeUtf8(rest).length : 1;
    return ifs_.find(rest.substr(0, length)) == std::string_view::npos ? 0 : length;
  }

  const Record& record_;
  std::string_view ifs_;
  bool is_utf8_;
  size_t at_ = 0;
};

int StoreFields(Shell& shell, const ReadOptions& options, std::span<const std::string> names, const Record& record) {
  const std::string ifs = shell.ifs();
  if (options.is_array) {
    const Name name(options.array);
    Target target;
    if (!ResolveName(shell, name, &target)) return 1;
    const Variable* existing = shell.variables.Find(target.name);
    if (existing != nullptr && existing->has(kAssociative)) {
      shell.Complain("read", options.array + ": cannot convert associative to indexed array");
      return 1;
    }
    if (existing != nullptr && existing->has(kReadonly)) {
      shell.Complain("read", options.array + ": readonly variable");
      return 1;
    }
    std::vector<std::string> fields;
    if (options.is_exact) fields.push_back(record.text);
    else fields = RecordSplitter(record, ifs, shell.locale().is_utf8).Split(0);
    Variable& variable = shell.variables.Obtain(target.name);
    variable.attributes |= kIndexed;
    variable.text.clear();
    variable.indexed = std::make_shared<IndexedArray>();
    variable.is_set = true;
    for (size_t i = 0; i < fields.size(); ++i) {
      if (!AssignIndex(shell, target.name, static_cast<int64_t>(i), fields[i])) return 1;
    }
    return 0;
  }
  if (names.empty()) return AssignScalar(shell, Name("REPLY"), record.text) ? 0 : 1;
  std::vector<std::string> fields;
  if (options.is_exact) {
    fields.push_back(record.text);
  } else {
    fields = RecordSplitter(record, ifs, shell.locale().is_utf8).Split(names.size());
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!AssignReference(shell, names[i], i < fields.size() ? fields[i] : std::string())) return 1;
  }
  return 0;
}

int Run(Shell& shell, const BuiltinCall& call) {
  BuiltinOptions options(shell, call, *FindBuiltin("read"), "ersa:d:i:n:N:p:t:u:");
  ReadOptions parsed;
  if (const int status = ParseReadOptions(shell, options, &parsed); status != 0) return status;
  const auto names = options.operands();
  for (const std::string& name : names) {
    if (!IsReference(name)) {
      shell.Complain("read", "`" + name + "': not a valid identifier");
      return 1;
    }
  }
  if (parsed.is_array && !IsName(parsed.array)) {
    shell.Complain("read", "`" + parsed.array + "': not a valid identifier");
    return 1;
  }
  const vfs::OpenFilePtr& file = shell.process().descriptors().Get(parsed.descriptor);
  if (!file) {
    shell.Complain("read", parsed.descriptor == 0
                               ? "read error: 0: Bad file descriptor"
                               : std::to_string(parsed.descriptor) + ": invalid file descriptor: Bad file descriptor");
    return 1;
  }
  if (parsed.timeout && *parsed.timeout == 0) return file->IsReadReady() ? 0 : 1;
  if (!parsed.prompt.empty() && file->is_terminal()) shell.err().Write(parsed.prompt);
  const Record record = Reader(shell, parsed).Read();
  if (!record.status) {
    shell.Complain("read", "read error: " + std::to_string(parsed.descriptor) + ": " +
                               std::string(record.status.error().Text()));
    return 1;
  }
  if (record.interrupting_signal != 0) return 128 + record.interrupting_signal;
  const int status = StoreFields(shell, parsed, names, record);
  if (status != 0) return status;
  if (record.is_timed_out) return kTimedOut;
  return record.has_delimiter ? 0 : 1;
}

}  // namespace

extern const Builtin kBuiltin_read;
const Builtin kBuiltin_read = {
    .name = "read",
    .usage = "[-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]",
    .help = "Read a line from the standard input and split it into fields.",
    .run = Run,
};

}  // namespace paddock::shell
