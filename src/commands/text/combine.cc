// combine - combine the lines of two files by a boolean operation
//
// usage: combine FILE1 and|not|or|xor FILE2
// and: lines of FILE1 that are in FILE2; not: those that are not; or: all lines of both; xor: lines that are in one only.
//
// Exit status: 0, 2 when a file cannot be read, 255 for a usage error.
// Source: moreutils 0.67.
// Differs: the form "_ FILE1 OP FILE2 _" is left out: Debian does not install it either.

#include <unordered_set>

#include "commands/input_files.h"
#include "proc/command.h"

namespace paddock {
namespace {

constexpr ExitStatus kUsage = 255;
enum class Operation { kAnd, kNot, kOr, kXor };

std::optional<Operation> FindOperation(std::string word) {
  for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  if (word == "and") return Operation::kAnd;
  if (word == "not") return Operation::kNot;
  if (word == "or") return Operation::kOr;
  if (word == "xor") return Operation::kXor;
  return std::nullopt;
}

using LineSet = std::unordered_set<std::string>;

// Calls `use` for each line; false, with a complaint, when the file cannot be opened.
template <class Use>
bool ForEachLine(Invocation& in, const std::string& name, Use use) {
  auto file = InputFile::Open(in, name);
  if (!file) {
    in.err.Write(name + ": " + std::string(file.error().Text()) + "\n");
    return false;
  }
  while (const auto line = file->input().ReadLine()) {
    in.budget.Step();
    use(line->text);
  }
  return true;
}

ExitStatus Run(Invocation& in) {
  if (in.args.size() != 4) {
    in.err.Write("Usage: combine file1 OP file2\n");
    return kUsage;
  }
  const std::string &first = in.args[1], &second = in.args[3];
  const auto operation = FindOperation(in.args[2]);
  if (!operation) {
    std::string word = in.args[2];
    for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    in.err.Write("unknown operation, " + word + "\n");
    return kUsage;
  }
  const auto print = [&](std::string_view line) { in.out.WriteLine(line); };
  constexpr ExitStatus kNoFile = 2;
  if (*operation == Operation::kOr) return ForEachLine(in, first, print) && ForEachLine(in, second, print) ? 0 : kNoFile;
  if (*operation == Operation::kXor) {
    // Both files are needed as sets, and both in their order.
    std::vector<std::string> lines[2];
    LineSet sets[2];
    for (const size_t i : {0, 1}) {
      if (!ForEachLine(in, i == 0 ? first : second, [&](std::string_view line) {
            lines[i].emplace_back(line);
            sets[i].emplace(line);
          })) {
        return kNoFile;
      }
    }
    for (const size_t i : {0, 1}) {
      for (const std::string& line : lines[i]) {
        in.budget.Step();
        if (!sets[1 - i].contains(line)) print(line);
      }
    }
    return 0;
  }
  LineSet seen;
  if (!ForEachLine(in, second, [&](std::string_view line) { seen.emplace(line); })) return kNoFile;
  const bool wants_seen = *operation == Operation::kAnd;
  return ForEachLine(in, first, [&](std::string_view line) {
    if (seen.contains(std::string(line)) == wants_seen) print(line);
  }) ? 0 : kNoFile;
}

}  // namespace

extern const Command kCommand_combine;
const Command kCommand_combine = {
    .name = "combine",
    .summary = "combine sets of lines from two files using boolean operations",
    .synopsis = "FILE1 and|not|or|xor FILE2",
    .details = "When a FILE is -, read standard input.\n",
    .usage_status = kUsage,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
