// cmp - compare two files byte by byte
//
// usage: cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]
//
// Exit status: 0 if the files are the same, 1 if they differ, 2 after an error.
// Source: GNU diffutils 3.8.
// Differs: nothing known.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#include "commands/file_facts.h"
#include "commands/text/diff_usage.h"
#include "commands/text/locale_name.h"
#include "proc/command.h"
#include "proc/process.h"
#include "text/byte_count.h"
#include "text/numbers.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

constexpr ExitStatus kTrouble = 2;

struct Options {
  bool print_bytes = false;
  bool verbose = false;
  bool silent = false;
  bool version = false;
  uint64_t skip[2] = {0, 0};
  std::optional<uint64_t> limit;
};
Result<uint64_t> ParseBytes(std::string_view text, const char* option) {
  auto value = ParseCount(text, "kKMGTPEZY0");
  if (!value) return Error(Code::kInvalid, std::string("invalid ") + option + " value '" + std::string(text) + "'");
  return value;
}
Status SetSkip(Options& options, std::string_view text) {
  const size_t colon = text.find(':');
  PADDOCK_ASSIGN(const uint64_t first, ParseBytes(text.substr(0, colon), "--ignore-initial"));
  uint64_t second = first;
  if (colon != std::string_view::npos) {
    PADDOCK_ASSIGN(second, ParseBytes(text.substr(colon + 1), "--ignore-initial"));
  }
  // The most of several skips.
  options.skip[0] = std::max(options.skip[0], first);
  options.skip[1] = std::max(options.skip[1], second);
  return {};
}
Status SetLimit(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(const uint64_t limit, ParseBytes(text, "--bytes"));
  options.limit = std::min(limit, options.limit.value_or(limit));   // the least of several counts
  return {};
}
constexpr Option kOptions[] = {
    Flag<&Options::print_bytes>('b', "print-bytes", "print differing bytes"),
    Call<SetSkip>('i', "ignore-initial", "SKIP", "skip first SKIP bytes of both inputs"),
    Flag<&Options::verbose>('l', "verbose", "output byte numbers and differing byte values"),
    Call<SetLimit>('n', "bytes", "LIMIT", "compare at most LIMIT bytes"),
    Flag<&Options::silent>('s', "quiet", "suppress all normal output"),
    Flag<&Options::silent>(0, "silent", nullptr),
    Flag<&Options::version>('v', nullptr, nullptr),
};

std::string ByteText(unsigned char byte) {
  std::string text;
  if (byte >= 128) {
    text += "M-";
    byte &= 127;
  }
  if (byte < 32) return text + "^" + static_cast<char>(byte + 64);
  if (byte == 127) return text + "^?";
  return text + static_cast<char>(byte);
}

// Digits of the largest byte number that -l can show, as far as the sizes tell.
int NumberWidth(const vfs::OpenFilePtr (&files)[2], const Options& options) {
  uint64_t most = std::min<uint64_t>(options.limit.value_or(kUnlimited), std::numeric_limits<int64_t>::max());
  for (int i = 0; i < 2; ++i) {
    if (files[i] == nullptr) continue;
    const auto stat = files[i]->GetAttributes();
    if (stat && stat->is_file()) most = std::min(most, stat->size - std::min(stat->size, options.skip[i]));
  }
  return static_cast<int>(std::to_string(most).size());
}

// One file, named twice, has no differences with itself; it may have no end either.
bool IsSameFromSamePlace(Invocation& in, const std::string (&names)[2], const vfs::OpenFilePtr (&files)[2], const Options& options) {
  if (names[0] == "-" && names[1] == "-") return in.process.descriptors().Get(0) != nullptr;
  if (names[0] == "-" || names[1] == "-" || options.skip[0] != options.skip[1]) return false;
  const auto a = files[0]->GetAttributes(), b = files[1]->GetAttributes();
  return a && b && IsSameFile(*a, *b);
}

// Byte by byte, from where the skips ended.
class Comparison {
 public:
  Comparison(Invocation& in, const Options& options, const std::string (&names)[2], Input* const (&inputs)[2], int number_width)
      : in_(in), options_(options), names_(names), inputs_(inputs), number_width_(number_width) {}

  ExitStatus Run() {
    uint64_t left = options_.limit.value_or(kUnlimited);
    while (left > 0) {
      const std::string_view a = inputs_[0]->Peek().substr(0, left);
      const std::string_view b = inputs_[1]->Peek().substr(0, left);
      if (a.empty() && b.empty()) break;
      if (a.empty() || b.empty()) {
        if (!options_.silent) TellEnd(names_[a.empty() ? 0 : 1]);
        return 1;
      }
      const size_t size = std::min(a.size(), b.size());
      in_.budget.Step(static_cast<int64_t>(size / 64 + 1));
      if (!Compare(a.substr(0, size), b.substr(0, size))) return 1;
      inputs_[0]->Consume(size);
      inputs_[1]->Consume(size);
      left -= size;
    }
    return status_;
  }

 private:
  void TellEnd(const std::string& name) {
    std::string text = "EOF on " + name;
    if (position_ == 0) {
      text += " which is empty";
    } else {
      text += " after byte " + std::to_string(position_);
      if (!options_.verbose) text += last_ == '\n' ? ", line " + std::to_string(line_ - 1) : ", in line " + std::to_string(line_);
    }
    in_.out.Flush();
    in_.err.WriteLine("cmp: " + text);   // whatever it was called as
  }

  // Of pieces of one length. False when the first difference is all that is told.
  bool Compare(std::string_view a, std::string_view b) {
    if (std::memcmp(a.data(), b.data(), a.size()) == 0) {
      position_ += a.size();
      line_ += CountByte(a, '\n');
      last_ = a.back();
      return true;
    }
    for (size_t i = 0; i < a.size(); ++i) {
      ++position_;
      if (a[i] != b[i]) {
        status_ = 1;
        if (options_.silent) return false;
        const auto left = static_cast<unsigned char>(a[i]), right = static_cast<unsigned char>(b[i]);
        if (!options_.verbose) return TellFirst(left, right), false;
        TellOne(left, right);
      }
      if (a[i] == '\n') ++line_;
      last_ = a[i];
    }
    return true;
  }

  void TellFirst(unsigned char left, unsigned char right) {
    const bool is_char = !options_.print_bytes && IsPosixLocale(in_.env, "LC_MESSAGES");
    std::string report = names_[0] + " " + names_[1] + " differ: " + (is_char ? "char " : "byte ") + std::to_string(position_) + ", line " + std::to_string(line_);
    if (options_.print_bytes) {
      char text[64];
      std::snprintf(text, sizeof text, " is %3o ", left);
      report += text + ByteText(left);
      std::snprintf(text, sizeof text, " %3o ", right);
      report += text + ByteText(right);
    }
    in_.out.WriteLine(report);
  }
  // -l: each of them.
  void TellOne(unsigned char left, unsigned char right) {
    char text[64];
    if (options_.print_bytes) {
      std::snprintf(text, sizeof text, "%*lu %3o %-4s %3o %s\n", number_width_, position_, left, ByteText(left).c_str(), right, ByteText(right).c_str());
    } else {
      std::snprintf(text, sizeof text, "%*lu %3o %3o\n", number_width_, position_, left, right);
    }
    in_.out.Write(text);
  }

  Invocation& in_;
  const Options& options_;
  const std::string (&names_)[2];
  Input* const (&inputs_)[2];
  const int number_width_;
  uint64_t position_ = 0, line_ = 1;
  char last_ = '\n';
  ExitStatus status_ = 0;
};

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (options.verbose && options.silent) return DiffutilsUsage(in, "options -l and -s are incompatible");
  if (operands.empty()) {
    const std::string& last = in.args.back();
    return DiffutilsUsage(in, "missing operand after '" + (in.args.size() > 1 ? last : std::string(in.name_in_messages())) + "'");
  }
  for (size_t i = 2; i < operands.size(); ++i) {
    if (i == 4) return DiffutilsUsage(in, "extra operand '" + operands[4] + "'");
    auto skip = ParseBytes(operands[i], "--ignore-initial");
    if (!skip) return DiffutilsUsage(in, skip.error().Text());
    options.skip[i - 2] = std::max(options.skip[i - 2], *skip);
  }
  const std::string names[2] = {operands[0], operands.size() > 1 ? operands[1] : "-"};
  vfs::OpenFilePtr files[2];   // before the inputs, which give back to them when they go
  std::unique_ptr<Input> opened[2];
  Input* inputs[2];
  for (int i = 0; i < 2; ++i) {
    inputs[i] = &in.in;
    if (names[i] == "-") {
      files[i] = in.process.descriptors().Get(0);
      continue;
    }
    auto file = in.fs.Open(names[i], vfs::OpenFlags::Read());
    if (!file) return options.silent ? kTrouble : in.Fail(names[i], file.error(), kTrouble);
    auto stat = (*file)->GetAttributes();
    if (stat && stat->is_directory()) return in.Fail(names[i], Error(Code::kIsDirectory), kTrouble);
    files[i] = std::move(*file);
    opened[i] = std::make_unique<Input>(*files[i], in.budget);
    inputs[i] = opened[i].get();
  }
  if (IsSameFromSamePlace(in, names, files, options)) return 0;
  for (int i = 0; i < 2; ++i) {
    for (uint64_t left = options.skip[i]; left > 0;) {
      const std::string_view bytes = inputs[i]->Peek();
      if (bytes.empty()) break;
      const size_t taken = std::min<uint64_t>(left, bytes.size());
      inputs[i]->Consume(taken);
      left -= taken;
    }
  }
  return Comparison(in, options, names, inputs, NumberWidth(files, options)).Run();
}

// Parses the options itself, because complaints are worded as diff's are.
ExitStatus ParseAndRun(Invocation& in) {
  Options options;
  auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) return DiffutilsUsage(in, parsed.error().Text());
  if (parsed->wants_help || parsed->wants_version || options.version) {
    in.out.Write(parsed->wants_help ? HelpText(in.command, in.name_in_messages()) : VersionText(in.command, in.name()));
    return 0;
  }
  return Run(in, options, parsed->operands);
}

}  // namespace

extern const Command kCommand_cmp;
const Command kCommand_cmp = {
    .name = "cmp",
    .summary = "compare two files byte by byte",
    .synopsis = "[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
    .options = kOptions,
    .usage_status = kTrouble,
    .run = ParseAndRun,
};

}  // namespace paddock
