// cpio - copy files to and from archives
//
// usage: cpio -o [OPTION]... < name-list, cpio -i [OPTION]... [PATTERN]..., cpio -p [OPTION]... DIRECTORY < name-list
//
// Exit status: 0; 2 for an error.
// Source: GNU cpio 2.13; POSIX pax, "cpio Interchange Format".
// Differs: names in -H tar and ustar archives that are too long are refused by codec's rules; with --no-absolute-filenames symlinks that lead out come
// last; an archive that ends too early is never gone on with from the terminal. There is no terminal for -r to ask at. Refused: --rsh-command, -H hpbin and hpodc, archives on other hosts.


#include "commands/archive/cpio.h"
#include "proc/option_complaint.h"
#include "text/numbers.h"

namespace paddock {
namespace {

using cpio::Form;
using cpio::Options;

template <char kMode>
Status SetMode(Options& options, std::string_view) {
  if (options.mode != 0 && options.mode != kMode) return Error(Code::kInvalid, "Mode already defined");
  options.mode = kMode;
  return {};
}
Status SetList(Options& options, std::string_view) {
  options.lists = true;
  return {};
}
Status SetForm(Options& options, std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  constexpr std::pair<std::string_view, Form> kForms[] = {{"crc", Form::kCrc}, {"newc", Form::kNewc}, {"odc", Form::kOdc}, {"bin", Form::kBinary}, {"ustar", Form::kUstar}, {"tar", Form::kTar}};
  for (const auto& [name, form] : kForms) {
    if (name != lower) continue;
    options.form = form;
    return {};
  }
  return Error(Code::kInvalid, "invalid archive format `" + std::string(text) + "'; valid formats are:\ncrc newc odc bin ustar tar (all-caps also recognized)");
}
Status SetOdc(Options& options, std::string_view) {
  options.form = Form::kOdc;
  return {};
}
Status BigBlocks(Options& options, std::string_view) {
  options.block = 5120;
  return {};
}
Result<uint64_t> BlockBytes(std::string_view text, uint64_t unit) {
  const auto count = ParseSizeBetween(text, 1, (1 << 20) / unit, "");
  if (!count) return Error(Code::kInvalid, "invalid block size");
  return *count * unit;
}
Status SetBlocks(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.block, BlockBytes(text, 512));
  return {};
}
Status SetBytes(Options& options, std::string_view text) {
  PADDOCK_ASSIGN(options.block, BlockBytes(text, 1));
  return {};
}
Status SwapBoth(Options& options, std::string_view) {
  options.swaps_bytes = options.swaps_halves = true;
  return {};
}
// GNU cpio warns of numbers that a header has no room for, and only when it is told to; none that the sandbox has is that large.
Status SetWarning(Options&, std::string_view text) {
  std::string_view name = text;
  if (name.starts_with("no-")) name.remove_prefix(3);
  if (name == "none" || name == "truncate" || name == "all") return {};
  return Error(Code::kInvalid, "Invalid value for --warning option: " + std::string(text));
}
Status Reproduce(Options& options, std::string_view) {
  options.ignores_device = options.renumbers = true;
  return {};
}

constexpr Option kOptions[] = {
    Call<SetMode<'i'>>('i', "extract", nullptr, "extract files from an archive"),
    Call<SetMode<'o'>>('o', "create", nullptr, "create an archive"),
    Call<SetMode<'p'>>('p', "pass-through", nullptr, "copy files to a directory"),
    Call<SetList>('t', "list", nullptr, "list what is in an archive"),
    Call<SetBlocks>(0, "block-size", "BLOCK-SIZE", "read and write BLOCK-SIZE * 512 bytes at once"),
    Call<BigBlocks>('B', nullptr, nullptr, "the same with 5120 bytes"),
    Call<SetOdc>('c', nullptr, nullptr, "use the old portable format"),
    Call<SetBytes>('C', "io-size", "NUMBER", "read and write NUMBER bytes at once"),
    Value<&Options::directory>('D', "directory", "DIR", "work in DIR"),
    Flag<&Options::is_local>(0, "force-local", "the archive is a file even with a colon in its name (always)"),
    Call<SetForm>('H', "format", "FORMAT", "use FORMAT: bin (default), odc, newc, crc, tar, ustar"),
    Flag<&Options::quiet>(0, "quiet", "do not tell the number of blocks"),
    Value<&Options::owner>('R', "owner", "[USER][:.][GROUP]", "give all files to USER and GROUP"),
    Flag<&Options::renames>('r', "rename", "ask for another name at the terminal (fails without one)"),
    Call<SetWarning>('W', "warning", "FLAG", "warn of: none, truncate, all, and no- with them (there is nothing to warn of)"),
    Flag<&Options::verbose>('v', "verbose", "list the files"),
    Flag<&Options::dots>('V', "dot", "print a \".\" for each file"),
    Value<&Options::archive>('F', "file", "FILE-NAME", "use this archive instead of standard input or output"),
    Call<SwapBoth>('b', "swap", nullptr, "swap the halves of words and the bytes of halves: -sS"),
    Flag<&Options::swaps_bytes>('s', "swap-bytes", "swap the bytes of each two in the files"),
    Flag<&Options::swaps_halves>('S', "swap-halfwords", "swap the halves of each four bytes in the files"),
    Flag<&Options::inverts>('f', "nonmatching", "only files that match no pattern"),
    Value<&Options::input>('I', nullptr, "FILE-NAME", "archive to read"),
    Flag<&Options::numeric>('n', "numeric-uid-gid", "list owners as numbers"),
    Flag<&Options::to_stdout>(0, "to-stdout", "extract to standard output"),
    Value<&Options::pattern_file>('E', "pattern-file", "FILE", "read further patterns from FILE"),
    Flag<&Options::only_verifies>(0, "only-verify-crc", "extract nothing, only look at the sums of a crc archive"),
    Flag<&Options::appends>('A', "append", "append to an archive"),
    Call<Reproduce>(0, "device-independent", nullptr, "store no numbers of devices and inodes"),
    Call<Reproduce>(0, "reproducible", nullptr, "the same"),
    Flag<&Options::ignores_device>(0, "ignore-devno", "store no numbers of devices"),
    Value<&Options::output>('O', nullptr, "FILE-NAME", "archive to write"),
    Flag<&Options::renumbers>(0, "renumber-inodes", "store new numbers of inodes"),
    Flag<&Options::links>('l', "link", "link files instead of copying them"),
    Set<&Options::no_absolute, false>(0, "absolute-filenames", "take names as they are"),
    Set<&Options::no_absolute, true>(0, "no-absolute-filenames", "take all names as below the current directory"),
    Value<&Options::message>('M', "message", "STRING", "print STRING when a volume ends (none does before the last)"),
    Flag<&Options::sparse>(0, "sparse", "write blocks of zeros as holes (as the file system keeps them, always)"),
    Flag<&Options::is_null>('0', "null", "names end in NUL"),
    Flag<&Options::resets_access>('a', "reset-access-time", "give files the time of access that they had"),
    Flag<&Options::follows>('L', "dereference", "copy what symbolic links name"),
    Flag<&Options::makes_directories>('d', "make-directories", "create leading directories"),
    Flag<&Options::keeps_time>('m', "preserve-modification-time", "keep the time of the last change"),
    Flag<&Options::no_owner>(0, "no-preserve-owner", "do not change the owner"),
    Flag<&Options::shows_usage>('?', nullptr, "give this help"),
    Flag<&Options::shows_usage>(0, "usage", "the same as --help"),
    Flag<&Options::unconditional>('u', "unconditional", "replace all files"),
};

// What the options say against each other; empty when they agree.
std::string Conflict(const Options& options, const std::vector<std::string>& operands) {
  if (options.lists && options.mode == 'o') return "--list is meaningless with --create";
  if (options.lists && options.mode == 'p') return "--list is meaningless with --pass-through";
  if (options.mode == 0 && !options.lists) return "You must specify one of -oipt options.";
  const char mode = options.lists ? 'i' : options.mode;
  const std::pair<bool, const char*> in_only[] = {{options.swaps_bytes, "--swap-bytes (--swap)"}, {options.swaps_halves, "--swap-halfwords (--swap)"}, {options.inverts, "--nonmatching"}, {!options.input.empty(), "-I"}, {options.to_stdout, "--to-stdout"}, {!options.pattern_file.empty(), "--pattern-file"}, {options.only_verifies, "--only-verify-crc"}};
  const std::pair<bool, const char*> out_only[] = {{options.appends, "--append"}, {!options.output.empty(), "-O"}, {options.renumbers, "--renumber-inodes"}, {options.ignores_device, "--ignore-devno"}};
  const std::string word = mode == 'i' ? "--extract" : mode == 'o' ? "--create" : "--pass-through";
  const auto refuse = [&](const char* name) { return std::string(name) + " is meaningless with " + word; };
  for (const auto& [is_set, name] : in_only) {
    if (is_set && mode != 'i') return refuse(name);
  }
  for (const auto& [is_set, name] : out_only) {
    if (is_set && mode != 'o') return refuse(name);
  }
  if (mode == 'o' && options.renames) return refuse("--rename");
  if (mode == 'o' && options.sparse) return refuse("--sparse");
  if (mode == 'o' && options.makes_directories) return refuse("--make-directories");
  if (mode == 'o' && options.keeps_time) return refuse("--preserve-modification-time");
  if (mode == 'o' && options.unconditional) return refuse("--unconditional");
  if (mode != 'p' && options.links) return refuse("--link");
  if (mode == 'i' && options.resets_access) return refuse("--reset");
  if (mode == 'p' && !options.archive.empty()) return refuse("--file");
  if (mode == 'p' && operands.empty()) return "Not enough arguments";
  if ((mode == 'p' && operands.size() > 1) || (mode == 'o' && !operands.empty())) return "Too many arguments";
  if (mode == 'o' && options.appends && options.archive.empty() && options.output.empty()) return "--append is used but no archive file name is given (use -F or -O options)";
  return "";
}

ExitStatus Run(Invocation& in) {
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options, {.stop_at_operand = true});
  if (parsed && (parsed->wants_help || options.shows_usage)) {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  if (parsed && parsed->wants_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  cpio::Context context(in, options);
  if (!parsed && parsed.error().code == Code::kSyntax) {
    ComplainOfOption(in, parsed.error().Text());
    return context.Hint(64);
  }
  const std::string complaint = parsed ? Conflict(options, parsed->operands) : std::string(parsed.error().Text());
  if (!complaint.empty()) return context.Usage(complaint);
  if (options.renames) {
    in.err.Write("cpio: /dev/tty: No such device or address\n");
    return 2;
  }
  if (options.lists || options.mode == 'i') return cpio::CopyIn(context, parsed->operands);
  return options.mode == 'o' ? cpio::CopyOut(context) : cpio::CopyPass(context, parsed->operands[0]);
}

}  // namespace

extern const Command kCommand_cpio;
const Command kCommand_cpio = {
    .name = "cpio",
    .summary = "copy files to and from archives",
    .synopsis = "[OPTION...] [destination-directory]",
    .options = kOptions,
    .usage_status = 2,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
