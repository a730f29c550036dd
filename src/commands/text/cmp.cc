// cmp - compare two files byte by byte
//
// usage: cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]
//
// Exit status: 0 if the files are the same, 1 if they differ, 2 after an error.
// Source: GNU diffutils 3.8.
// Differs: nothing known.

#include <algorithm>
#include <cstdio>
#include <memory>

#include "proc/command.h"
#include "text/numbers.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

constexpr ExitStatus kTrouble = 2;

struct Options {
  bool print_bytes = false;
  bool verbose = false;
  bool silent = false;
  uint64_t skip[2] = {0, 0};
  std::optional<uint64_t> limit;
};
Result<uint64_t> ParseBytes(std::string_view text, const char* option) {
  auto value = ParseCount(text, kSizeSuffixes);
  if (!value) return Error(Code::kInvalid, std::string("invalid ") + option + " value '" + std::string(text) + "'");
  return value;
}
Status SetSkip(Options& options, std::string_view text) {
  const size_t colon = text.find(':');
  PADDOCK_ASSIGN(options.skip[0], ParseBytes(text.substr(0, colon), "--ignore-initial"));
  options.skip[1] = options.skip[0];
  if (colon != std::string_view::npos) {
    PADDOCK_ASSIGN(options.skip[1], ParseBytes(text.substr(colon + 1), "--ignore-initial"));
  }
  return {};
}
Status SetLimit(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.limit, ParseBytes(text, "--bytes"));
  return {};
}
constexpr Option kOptions[] = {
    Flag<&Options::print_bytes>('b', "print-bytes", "print differing bytes"),
    Call<SetSkip>('i', "ignore-initial", "SKIP", "skip first SKIP bytes of both inputs"),
    Flag<&Options::verbose>('l', "verbose", "output byte numbers and differing byte values"),
    Call<SetLimit>('n', "bytes", "LIMIT", "compare at most LIMIT bytes"),
    Flag<&Options::silent>('s', "quiet", "suppress all normal output"),
    Flag<&Options::silent>(0, "silent", nullptr),
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

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (operands.empty()) return in.Usage("missing operand after '" + std::string(in.name()) + "'");
  if (operands.size() > 4) return in.Usage("extra operand '" + operands[4] + "'");
  if (options.verbose && options.silent) return in.Usage("options -l and -s are incompatible");
  for (size_t i = 2; i < operands.size(); ++i) {
    auto skip = ParseBytes(operands[i], "--ignore-initial");
    if (!skip) return in.Usage(skip.error().Text());
    options.skip[i - 2] = *skip;
  }
  const std::string names[2] = {operands[0], operands.size() > 1 ? operands[1] : "-"};
  std::unique_ptr<Input> opened[2];
  vfs::OpenFilePtr files[2];
  Input* inputs[2];
  for (int i = 0; i < 2; ++i) {
    inputs[i] = &in.in;
    if (names[i] == "-") continue;
    auto file = in.fs.Open(names[i], vfs::OpenFlags::Read());
    if (!file) return options.silent ? kTrouble : in.Fail(names[i], file.error(), kTrouble);
    auto stat = (*file)->GetAttributes();
    if (stat && stat->is_directory()) return in.Fail(names[i], Error(Code::kIsDirectory), kTrouble);
    files[i] = std::move(*file);
    opened[i] = std::make_unique<Input>(*files[i], in.budget);
    inputs[i] = opened[i].get();
  }
  for (int i = 0; i < 2; ++i) {
    for (uint64_t left = options.skip[i]; left > 0;) {
      const std::string_view bytes = inputs[i]->Peek();
      if (bytes.empty()) break;
      const size_t taken = std::min<uint64_t>(left, bytes.size());
      inputs[i]->Consume(taken);
      left -= taken;
    }
  }
  uint64_t position = 0;
  uint64_t line = 1;
  char last = '\n';
  ExitStatus status = 0;
  uint64_t left = options.limit.value_or(kUnlimited);
  while (left > 0) {
    const std::string_view a = inputs[0]->Peek().substr(0, left);
    const std::string_view b = inputs[1]->Peek().substr(0, left);
    if (a.empty() || b.empty()) {
      if (a.empty() && b.empty()) break;
      if (!options.silent) {
        const std::string& name = a.empty() ? names[0] : names[1];
        std::string text = "EOF on " + name;
        if (position == 0) text += " which is empty";
        else {
          text += " after byte " + std::to_string(position);
          if (!options.verbose) text += last == '\n' ? ", line " + std::to_string(line - 1) : ", in line " + std::to_string(line);
        }
        in.Fail(text);
      }
      return 1;
    }
    const size_t size = std::min(a.size(), b.size());
    in.budget.Step(static_cast<int64_t>(size / 64 + 1));
    for (size_t i = 0; i < size; ++i) {
      ++position;
      if (a[i] != b[i]) {
        status = 1;
        if (options.silent) return 1;
        const auto left_byte = static_cast<unsigned char>(a[i]);
        const auto right_byte = static_cast<unsigned char>(b[i]);
        char text[64];
        if (!options.verbose) {
          std::string report = names[0] + " " + names[1] + " differ: " + "byte " +
                               std::to_string(position) + ", line " + std::to_string(line);
          if (options.print_bytes) {
            std::snprintf(text, sizeof text, " is %3o ", left_byte);
            report += text + ByteText(left_byte);
            std::snprintf(text, sizeof text, " %3o ", right_byte);
            report += text + ByteText(right_byte);
          }
          in.out.WriteLine(report);
          return 1;
        }
        if (options.print_bytes) {
          std::snprintf(text, sizeof text, "%lu %3o %-4s %3o %s\n", position, left_byte, ByteText(left_byte).c_str(), right_byte, ByteText(right_byte).c_str());
        } else {
          std::snprintf(text, sizeof text, "%lu %3o %3o\n", position, left_byte, right_byte);
        }
        in.out.Write(text);
      }
      if (a[i] == '\n') ++line;
      last = a[i];
    }
    inputs[0]->Consume(size);
    inputs[1]->Consume(size);
    left -= size;
  }
  return status;
}

}  // namespace

extern const Command kCommand_cmp;
const Command kCommand_cmp = Define<Options, Run>({
    .name = "cmp",
    .summary = "compare two files byte by byte",
    .synopsis = "[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
    .options = kOptions,
    .usage_status = kTrouble,
});

}  // namespace paddock
