// rev - reverse lines characterwise
//
// usage: rev [FILE]...
// Writes each line with its characters in the opposite order.
//
// Exit status: 0, or 1 when a file could not be read or is not text of the locale.
// Source: util-linux 2.38.
// Differs: nothing known. What stands behind a NUL is lost, up to and with the end of that line, as there.

#include <algorithm>

#include "commands/input_files.h"
#include "text/utf8.h"

namespace paddock {
namespace {

struct Options {
  bool help = false;
  bool version = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::help>('h', "help", "display this help"),
    Flag<&Options::version>('V', "version", "display version"),
};

// Nothing if the text is malformed.
std::optional<std::string> Reversed(std::string_view text, bool is_utf8) {
  if (IsAscii(text)) return std::string(text.rbegin(), text.rend());
  if (!is_utf8) return std::nullopt;
  std::string reversed(text.size(), '\0');
  size_t end = text.size();
  for (size_t at = 0; at < text.size();) {
    const DecodedChar decoded = DecodeUtf8(text.substr(at));
    if (!decoded.is_valid) return std::nullopt;
    end -= decoded.length;
    std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(at), decoded.length,
                reversed.begin() + static_cast<std::ptrdiff_t>(end));
    at += decoded.length;
  }
  return reversed;
}

bool ReverseLines(Invocation& in, InputFile& file) {
  const std::string name = file.is_stdin() ? "stdin" : file.name();
  const auto fail = [&](uint64_t number, const Error& error) {
    in.Fail(name + ": " + std::to_string(number), error);
    return false;
  };
  uint64_t number = 0;
  std::string start;
  while (const auto line = file.input().ReadLine()) {
    // As strings end at a NUL, the next line goes on where this one was cut.
    const size_t nul = line->text.find('\0');
    if (nul != std::string_view::npos) {
      in.budget.WillAllocate(start.size() + nul);
      start += line->text.substr(0, nul);
      continue;
    }
    const auto reversed = Reversed(start.empty() ? line->text : start += line->text, in.locale.is_utf8);
    if (!reversed) return fail(number, Code::kIllegalSequence);
    start.clear();
    in.out.Write(*reversed);
    if (line->is_terminated) in.out.Put('\n');
    ++number;
    if (!in.out.status()) break;
  }
  if (!start.empty()) {
    const auto reversed = Reversed(start, in.locale.is_utf8);
    if (!reversed) return fail(number, Code::kIllegalSequence);
    in.out.Write(*reversed);
  }
  if (!file.input().status()) return fail(number, file.input().status().error());
  return true;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.help) {
    in.out.Write(HelpText(in.command, in.name()));
    return 0;
  }
  if (options.version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  std::vector<std::string> names = operands;
  if (names.empty()) names.push_back("-");
  ExitStatus status = 0;
  for (const std::string& name : names) {
    auto file = operands.empty() ? InputFile::Open(in, name) : InputFile::OpenPath(in, name);
    if (!file) {
      status = in.Fail("cannot open " + name, file.error());
      continue;
    }
    if (!ReverseLines(in, *file)) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_rev;
const Command kCommand_rev = Define<Options, Run>({
    .name = "rev",
    .summary = "reverse lines characterwise",
    .synopsis = "[options] [file ...]",
    .options = kOptions,
    .cuts_own_name = true,
});

}  // namespace paddock
