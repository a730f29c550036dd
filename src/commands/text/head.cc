// head - output the first part of files
//
// usage: head [OPTION]... [FILE]...
// Writes the first 10 lines of each FILE, or what -n or -c asks for; a number with '-' means all but the last.
//
// Exit status: 0, or 1 when a file could not be read.
// Source: POSIX head; GNU coreutils 9.1, with the old form -NUM[bkm][clqvz].
// Differs: nothing known.

#include "commands/closed_input.h"
#include "commands/input_files.h"
#include "proc/process.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

struct Options {
  std::string count = "10";
  bool counts_bytes = false;
  bool quiet = false;
  bool verbose = false;
  bool zero = false;
  bool is_old_form = false;
  char bad_letter = 0;      // of the old form
};

template <bool kBytes>
Status SetCount(Options& options, std::string_view text) {
  options.counts_bytes = kBytes;
  options.count = text;
  return {};
}
template <bool kQuiet>
Status SetHeaders(Options& options, std::string_view) {
  options.quiet = kQuiet;
  options.verbose = !kQuiet;
  return {};
}

constexpr Option kOptions[] = {
    Call<SetCount<true>>('c', "bytes", "[-]NUM", "print the first NUM bytes of each file"),
    Call<SetCount<false>>('n', "lines", "[-]NUM", "print the first NUM lines instead of the first 10"),
    Call<SetHeaders<true>>('q', "quiet", nullptr, "never print headers giving file names"),
    Call<SetHeaders<true>>(0, "silent", nullptr, nullptr),
    Call<SetHeaders<false>>('v', "verbose", nullptr, "always print headers giving file names"),
    Flag<&Options::zero>('z', "zero-terminated", "line delimiter is NUL, not newline"),
};

// -NUM[bkm][clqvz].
bool TakeOldForm(void* where, std::string_view argument) {
  if (argument[0] != '-' || argument.size() < 2 || argument[1] < '0' || argument[1] > '9') return false;
  Options& options = *static_cast<Options*>(where);
  if (options.is_old_form) {  // only the first argument can be one
    if (options.bad_letter == 0) options.bad_letter = argument[1];
    return true;
  }
  options.is_old_form = true;
  size_t at = argument.find_first_not_of("0123456789", 1);
  if (at == std::string_view::npos) at = argument.size();
  const std::string digits(argument.substr(1, at - 1));
  char multiplier = 0;
  options.counts_bytes = false;
  for (; at < argument.size(); ++at) {
    const char letter = argument[at];
    switch (letter) {
      case 'c': options.counts_bytes = true; multiplier = 0; break;
      case 'b': case 'k': case 'm': options.counts_bytes = true; multiplier = letter; break;
      case 'l': break;
      case 'q': (void)SetHeaders<true>(options, {}); break;
      case 'v': (void)SetHeaders<false>(options, {}); break;
      case 'z': options.zero = true; break;
      default:
        if (options.bad_letter == 0) options.bad_letter = letter;
    }
  }
  options.count = digits;
  if (multiplier != 0) options.count += multiplier;
  return true;
}

void CopyLines(Input& input, Output& out, uint64_t count, char delimiter) {
  while (count > 0) {
    const auto line = input.ReadLine(delimiter);
    if (!line) return;
    out.Write(line->text);
    if (line->is_terminated) out.Put(delimiter);
    --count;
    if (!out.status()) return;
  }
}

void CopyBytes(Input& input, Output& out, uint64_t count) {
  while (count > 0) {
    const std::string_view bytes = input.Peek().substr(0, count);
    if (bytes.empty() || !out.status()) return;
    out.Write(bytes);
    count -= bytes.size();
    input.Consume(bytes.size());
  }
}

// Holds back the newest `count` bytes. How many bytes it kept.
size_t CopyAllButBytes(Input& input, Output& out, uint64_t count) {
  std::string held;
  size_t start = 0;   // of what is held in `held`
  for (std::string_view bytes = input.Peek(); !bytes.empty(); bytes = input.Peek()) {
    if (!out.status()) return 0;
    held.append(bytes);
    input.Consume(bytes.size());
    if (held.size() - start <= count) continue;
    const size_t ready = held.size() - start - count;
    out.Write(std::string_view(held).substr(start, ready));
    start += ready;
    if (start > held.size() / 2) {
      held.erase(0, start);
      start = 0;
    }
  }
  return held.size() - start;
}

// Holds back the newest `count` lines; an unterminated last one counts. How many bytes it kept.
size_t CopyAllButLines(Input& input, Output& out, uint64_t count, char delimiter) {
  std::string held;
  std::vector<size_t> ends;    // of the lines held, as offsets into `held`
  size_t first = 0;            // index of the oldest line that is held
  while (const auto line = input.ReadLine(delimiter)) {
    if (!out.status()) return 0;
    held.append(line->text);
    if (line->is_terminated) held += delimiter;
    ends.push_back(held.size());
    if (ends.size() - first <= count) continue;
    const size_t begin = first == 0 ? 0 : ends[first - 1];
    out.Write(std::string_view(held).substr(begin, ends[first] - begin));
    ++first;
    if (first * 2 > ends.size() && first > 1024) {
      const size_t dropped = ends[first - 1];
      held.erase(0, dropped);
      ends.erase(ends.begin(), ends.begin() + static_cast<std::ptrdiff_t>(first));
      for (size_t& end : ends) end -= dropped;
      first = 0;
    }
  }
  return held.size() - (first == 0 ? 0 : ends[first - 1]);
}

struct Amount {
  uint64_t count;
  bool all_but;
};

// How many bytes at the end it read without showing them.
size_t CopyHead(Input& input, Output& out, const Amount& amount, const Options& options) {
  const char delimiter = options.zero ? '\0' : '\n';
  if (amount.all_but && amount.count > 0) {
    return options.counts_bytes ? CopyAllButBytes(input, out, amount.count)
                                : CopyAllButLines(input, out, amount.count, delimiter);
  }
  if (amount.all_but) {
    CopyBytes(input, out, std::numeric_limits<uint64_t>::max());
  } else if (options.counts_bytes) {
    CopyBytes(input, out, amount.count);
  } else {
    CopyLines(input, out, amount.count, delimiter);
  }
  return 0;
}

ExitStatus Run(Invocation& in, Options& options, const std::vector<std::string>& operands) {
  if (options.is_old_form) {
    const std::string& first = in.args[1];
    if (first.size() < 2 || first[0] != '-' || first[1] < '0' || first[1] > '9') {
      return in.Usage(std::string("invalid trailing option -- ") + options.count[0]);
    }
    if (options.bad_letter != 0) {
      return in.Usage(std::string("invalid trailing option -- ") + options.bad_letter);
    }
  }
  Amount amount{0, options.count.starts_with('-')};
  const std::string_view digits = std::string_view(options.count).substr(amount.all_but ? 1 : 0);
  auto count = ParseCount(digits, kSizeSuffixes);
  if (!count) {
    return in.Fail(NumberComplaint(options.counts_bytes ? "invalid number of bytes" : "invalid number of lines",
                                   digits, count.error(), in.locale.is_utf8));
  }
  amount.count = *count;
  const bool has_headers = options.verbose || (operands.size() > 1 && !options.quiet);
  const std::vector<std::string> standard_input = {"-"};
  ExitStatus status = 0;
  bool is_first = true;
  for (const std::string& name : operands.empty() ? standard_input : operands) {
    auto file = InputFile::Open(in, name);
    if (!file) {
      status = in.Fail("cannot open " + QuoteFile(name, in.locale.is_utf8) + " for reading", file.error());
      continue;
    }
    if (has_headers) {
      in.out.Write(is_first ? "==> " : "\n==> ");
      in.out.Write(file->display_name());
      in.out.Write(" <==\n");
    }
    is_first = false;
    const size_t kept = CopyHead(file->input(), in.out, amount, options);
    // The next reader of a standard input that can seek begins with what was not shown.
    if (const vfs::OpenFilePtr& shared = in.process.descriptors().Get(0); kept > 0 && name == "-" && shared) {
      shared->GiveBack(kept);
    }
    if (!file->input().status()) {
      status = in.Fail("error reading " + QuoteFile(file->display_name(), in.locale.is_utf8),
                       file->input().status().error());
    }
    if (!in.out.status()) {
      const Error error = in.out.status().error();
      in.out.ClearStatus();
      return in.Fail("error writing 'standard output'", error);
    }
  }
  return CloseStandardInput(in, operands, status);
}

}  // namespace

extern const Command kCommand_head;
const Command kCommand_head = Define<Options, Run>({
    .name = "head",
    .summary = "output the first part of files",
    .synopsis = "[OPTION]... [FILE]...",
    .details = "\nNUM may have a multiplier suffix:\n"
               "b 512, kB 1000, K 1024, MB 1000*1000, M 1024*1024, and so on for G, T, P, E, Z, Y.\n"
               "Binary prefixes can be used, too: KiB=K, MiB=M, and so on.\n",
    .options = kOptions,
    .rules = {.numeric_shorthand = TakeOldForm},
});

}  // namespace paddock
