// truncate - shrink or extend files to a size
//
// usage: truncate OPTION... FILE...
//
// Exit status: 0, or 1 if one file could not be changed.
// Source: GNU coreutils 9.1.
// Differs: -o takes blocks of 4096 bytes.

#include "proc/command.h"
#include "text/numbers.h"
#include "text/quote.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

struct Options {
  bool no_create = false;
  bool io_blocks = false;
  std::optional<std::string> reference;
  std::optional<std::string> size;
};
constexpr Option kOptions[] = {
    Flag<&Options::no_create>('c', "no-create", "do not create any files"),
    Flag<&Options::io_blocks>('o', "io-blocks", "treat SIZE as number of IO blocks instead of bytes"),
    Value<&Options::reference>('r', "reference", "RFILE", "base size on RFILE"),
    Value<&Options::size>('s', "size", "SIZE", "set or adjust the file size by SIZE bytes"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  const bool is_utf8 = in.locale.is_utf8;
  if (!options.size && !options.reference) return in.Usage("you must specify either " + Quote("--size", is_utf8) + " or " + Quote("--reference", is_utf8));
  char mode = '=';
  uint64_t amount = 0;
  if (options.size) {
    std::string_view text = *options.size;
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (!text.empty() && std::string_view("+-<>/%").find(text[0]) != std::string_view::npos) {
      mode = text[0];
      text.remove_prefix(1);
      while (text.starts_with(' ')) text.remove_prefix(1);
      if (mode != '+' && mode != '-' && (text.starts_with('+') || text.starts_with('-'))) {
        return in.Usage("multiple relative modifiers specified");
      }
      if (text.starts_with('+') || text.starts_with('-')) {
        return in.Fail("Invalid number: " + Quote(*options.size, is_utf8));
      }
    }
    auto value = ParseCount(text, "gkKmMtTGPEZY0");
    if (!value) return in.Fail(NumberComplaint("Invalid number", *options.size, value.error(), is_utf8));
    amount = SaturatingMultiply(*value, options.io_blocks ? 4096 : 1);
    if ((mode == '/' || mode == '%') && amount == 0) return in.Fail("division by zero");
    if (mode == '=' && options.reference) return in.Usage("you must specify a relative " + Quote("--size", is_utf8) + " with " + Quote("--reference", is_utf8));
  }
  if (operands.empty()) return in.Usage("missing file operand");
  std::optional<uint64_t> base;
  if (options.reference) {
    auto stat = in.fs.Stat(*options.reference);
    if (!stat) return in.Fail("cannot stat " + QuoteFile(*options.reference, is_utf8) + ": " + std::string(stat.error().Text()));
    base = stat->size;
  }
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    auto file = in.fs.Open(path, vfs::OpenFlags{.write = true, .create = !options.no_create, .nonblocking = true});
    if (!file) {
      if (options.no_create && file.error().code == Code::kNoEntry) continue;
      status = in.Fail("cannot open " + QuoteFile(path, is_utf8) + " for writing: " + std::string(file.error().Text()));
      continue;
    }
    auto stat = (*file)->GetAttributes();
    const uint64_t old = base ? *base : stat ? stat->size : 0;
    uint64_t size = amount;
    switch (mode) {
      case '+': size = SaturatingAdd(old, amount); break;
      case '-': size = old > amount ? old - amount : 0; break;
      case '<': size = std::min(old, amount); break;
      case '>': size = std::max(old, amount); break;
      case '/': size = old / amount * amount; break;
      case '%': size = SaturatingMultiply((old + amount - 1) / amount, amount); break;
      default: size = options.size ? amount : old; break;
    }
    if (const Status done = (*file)->Truncate(size); !done) {
      status = in.Fail("failed to truncate " + QuoteFile(path, is_utf8) + " at " + std::to_string(size) + " bytes: " + std::string(done.error().Text()));
    }
  }
  return status;
}

}  // namespace

extern const Command kCommand_truncate;
const Command kCommand_truncate = Define<Options, Run>({
    .name = "truncate",
    .summary = "shrink or extend the size of each FILE to the specified size",
    .synopsis = "OPTION... FILE...",
    .options = kOptions,
});

}  // namespace paddock
