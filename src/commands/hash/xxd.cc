// xxd - make a hex dump, or turn one back into bytes
//
// usage: xxd [options] [infile [outfile]]
//        xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]
// Options have one dash or two, may be spelled out (-cols), and end with the first operand.
//
// Exit status: 0; 1 for a wrong option, 2 for input that cannot be read, 3 for output that cannot be written,
// 4 and 5 for impossible seeks in input and output, 255 for -r with a form that cannot be reverted.
// Source: the xxd of Vim 9.0 (2022-01-14).
// Differs: -r reports a directory as input.

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>

#include "commands/input_files.h"
#include "proc/process.h"
#include "vfs/file_system.h"

namespace paddock {
namespace {

constexpr ExitStatus kBadUsage = 1;
constexpr ExitStatus kBadInput = 2;
constexpr ExitStatus kBadOutput = 3;
constexpr ExitStatus kBadInputSeek = 4;
constexpr ExitStatus kBadOutputSeek = 5;
constexpr ExitStatus kBadRevert = 255;

constexpr int kMostColumns = 256;

constexpr std::string_view kUsage =
    "Usage:\n"
    "       xxd [options] [infile [outfile]]\n"
    "    or\n"
    "       xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]\n"
    "Options:\n"
    "    -a          toggle autoskip: A single '*' replaces nul-lines. Default off.\n"
    "    -b          binary digit dump (incompatible with -ps,-i,-r). Default hex.\n"
    "    -C          capitalize variable names in C include file style (-i).\n"
    "    -c cols     format <cols> octets per line. Default 16 (-i: 12, -ps: 30).\n"
    "    -E          show characters in EBCDIC. Default ASCII.\n"
    "    -e          little-endian dump (incompatible with -ps,-i,-r).\n"
    "    -g bytes    number of octets per group in normal output. Default 2 (-e: 4).\n"
    "    -h          print this summary.\n"
    "    -i          output in C include file style.\n"
    "    -l len      stop after <len> octets.\n"
    "    -n name     set the variable name used in C include output (-i).\n"
    "    -o off      add <off> to the displayed file position.\n"
    "    -ps         output in postscript plain hexdump style.\n"
    "    -r          reverse operation: convert (or patch) hexdump into binary.\n"
    "    -r -s off   revert with <off> added to file positions found in hexdump.\n"
    "    -d          show offset in decimal instead of hex.\n"
    "    -s [+][-]seek  start at <seek> bytes abs. (or +: rel.) infile offset.\n"
    "    -u          use upper case hex letters.\n"
    "    -v          show version: \"xxd 2022-01-14 by Juergen Weigert et al.\".\n";

// The characters of EBCDIC codes from 0x40 on that can be shown.
constexpr std::string_view kEbcdic =
    " ...........<(+|&.........!$*);~-/.........,%_>?.........`:#@'=\"."
    "abcdefghi.......jklmnopqr^.......stuvwxyz...[...............]..{"
    "ABCDEFGHI......}JKLMNOPQR......\\.STUVWXYZ......0123456789......";

enum class Form { kHex, kBits, kLittleEndian, kPlain, kInclude };

struct Options {
  Form form = Form::kHex;
  bool autoskip = false;
  bool capitalize = false;
  bool ebcdic = false;
  bool upper = false;
  bool revert = false;
  bool decimal = false;
  bool has_columns = false;
  int columns = 0;
  int group = -1;
  int64_t limit = -1;        // negative: none
  uint64_t shown_offset = 0;
  int64_t seek = 0;
  bool seek_relative = false;
  bool seek_negative = false;
  std::optional<std::string> name;
};

// What may stand in for one option: "-c5", "-c 5", "-cols 5".
struct ValueOption {
  char letter;
  const char* word;  // how a spelled-out one begins, after the letter
};
constexpr ValueOption kValueOptions[] = {{'c', "ols"}, {'g', "roup"}, {'l', "en"}, {'o', "ffset"},
                                         {'n', "ame"}, {'s', "eek"},  {'s', "kip"}};

bool SetFlag(char letter, Options& options) {
  switch (letter) {
    case 'a': options.autoskip = !options.autoskip; return true;
    case 'b': options.form = Form::kBits; return true;
    case 'e': options.form = Form::kLittleEndian; return true;
    case 'p': options.form = Form::kPlain; return true;
    case 'i': options.form = Form::kInclude; return true;
    case 'u': options.upper = true; return true;
    case 'C': options.capitalize = true; return true;
    case 'E': options.ebcdic = true; return true;
    case 'r': options.revert = true; return true;
    case 'd': options.decimal = true; return true;
    default: return false;
  }
}

void SetValue(char letter, const std::string& text, Options& options) {
  const auto number = [](const char* digits) { return std::strtol(digits, nullptr, 0); };
  switch (letter) {
    case 'c':
      options.has_columns = true;
      options.columns = static_cast<int>(number(text.c_str()));
      break;
    case 'g': options.group = static_cast<int>(number(text.c_str())); break;
    case 'l': options.limit = number(text.c_str()); break;
    case 'o': options.shown_offset = std::strtoul(text.c_str(), nullptr, 0); break;
    case 'n': options.name = text; break;
    default: {
      const char* digits = text.c_str();
      options.seek_relative = *digits == '+';
      if (options.seek_relative) ++digits;
      options.seek_negative = *digits == '-';
      if (options.seek_negative) ++digits;
      options.seek = number(digits);
    }
  }
}

// Takes the option at args[*at], with its value. False: a usage error.
bool TakeOption(std::span<const std::string> args, size_t* at, Options& options) {
  std::string_view text = args[*at];
  if (text.starts_with("--") && text.size() > 2) text.remove_prefix(1);
  if (text.size() < 2) return false;
  const char letter = text[1];
  const std::string_view rest = text.substr(2);
  if (letter == 'c' && rest.starts_with("ap")) return SetFlag('C', options);
  for (const ValueOption& option : kValueOptions) {
    if (option.letter != letter) continue;
    if (!rest.empty() && !rest.starts_with(option.word)) continue;
    if (*at + 1 >= args.size()) return false;
    SetValue(letter, args[++*at], options);
    return true;
  }
  if (std::string_view("cglons").find(letter) != std::string_view::npos) {
    SetValue(letter, std::string(rest), options);
    return true;
  }
  return SetFlag(letter, options);
}

// Where a dump goes: standard output or the second operand.
struct Target {
  Output* out;
  vfs::OpenFilePtr file;
  std::unique_ptr<Output> own;
};

ExitStatus Report(Invocation& in, std::string_view subject, const Error& error, ExitStatus status) {
  return subject.empty() ? in.Fail(error.Text(), status) : in.Fail(subject, error, status);
}

// The rows of a dump: address, groups, text.
class RowPrinter {
 public:
  RowPrinter(Invocation& in, const Options& options, Output& out, uint64_t address)
      : in_(in), options_(options), out_(out), columns_(static_cast<size_t>(options.columns)),
        group_(static_cast<size_t>(options.group)), address_(address) {
    is_bits_ = options.form == Form::kBits;
    group_width_ = group_ * (is_bits_ ? 8 : 2) + 1;
    swap_ = options.form == Form::kLittleEndian ? group_ - 1 : 0;
  }

  void Add(std::string_view bytes) {
    for (const char byte : bytes) {
      row_[size_++] = static_cast<unsigned char>(byte);
      if (byte != 0) is_zero_ = false;
      if (size_ == columns_) EndRow();
    }
  }
  // Writes what is left; the last row is never skipped.
  void Finish() {
    const bool ends_in_run = size_ == 0 && zero_rows_ > 1;
    if (ends_in_run) --zero_rows_;
    EndRun();
    if (ends_in_run) WriteRow({}, columns_, address_ - columns_);
    else if (size_ > 0) WriteRow(row_, size_, address_);
  }

 private:
  using Row = std::array<unsigned char, kMostColumns>;

  void EndRow() {
    in_.budget.Step();
    if (options_.autoskip && is_zero_) {
      if (zero_rows_++ == 0) WriteRow(row_, size_, address_);
    } else {
      EndRun();
      WriteRow(row_, size_, address_);
    }
    address_ += size_;
    size_ = 0;
    is_zero_ = true;
  }

  // Ends a run of zero rows, of which the first was written: one more is written out, several become '*'.
  void EndRun() {
    if (zero_rows_ == 2) WriteRow({}, columns_, address_ - columns_ * (size_ == 0 ? 2 : 1));
    else if (zero_rows_ > 2) out_.Write("*\n");
    zero_rows_ = 0;
  }

  void WriteRow(const Row& row, size_t size, uint64_t address) {
    char head[32];
    const uint64_t shown = address + options_.shown_offset;
    const int head_size = options_.decimal
                              ? std::snprintf(head, sizeof head, "%08ld:", static_cast<long>(shown))
                              : std::snprintf(head, sizeof head, "%08lx:", static_cast<unsigned long>(shown));
    const size_t first = static_cast<size_t>(head_size) + 1;
    const size_t text_at = first + (group_width_ * columns_ - 1) / group_ + 2;
    line_.assign(text_at + size + 1, ' ');
    line_.replace(0, static_cast<size_t>(head_size), head);
    const char* digits = options_.upper ? "0123456789ABCDEF" : "0123456789abcdef";
    for (size_t i = 0; i < size; ++i) {
      const unsigned char byte = row[i];
      char* cell = line_.data() + first + group_width_ * (i ^ swap_) / group_;
      if (is_bits_) {
        for (int bit = 7; bit >= 0; --bit) *cell++ = static_cast<char>('0' + ((byte >> bit) & 1));
      } else {
        cell[0] = digits[byte >> 4];
        cell[1] = digits[byte & 15];
      }
      line_[text_at + i] = Shown(byte);
    }
    line_[text_at + size] = '\n';
    out_.Write(line_);
  }

  char Shown(unsigned char byte) const {
    if (options_.ebcdic) return byte < 0x40 || byte == 0xff ? '.' : kEbcdic[byte - 0x40u];
    return byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.';
  }

  Invocation& in_;
  const Options& options_;
  Output& out_;
  size_t columns_;
  size_t group_;
  size_t group_width_;    // columns of a group with the blank behind it
  size_t swap_;
  bool is_bits_;
  std::string line_;
  Row row_{};
  size_t size_ = 0;
  uint64_t address_;
  uint64_t zero_rows_ = 0;
  bool is_zero_ = true;
};

// Calls `body` with the blocks of the input, at most options.limit bytes in all.
template <class Body>
void ForEachBlock(Input& input, const Options& options, const Output& out, Body body) {
  uint64_t left = options.limit < 0 ? std::numeric_limits<uint64_t>::max() : static_cast<uint64_t>(options.limit);
  while (left > 0 && out.status()) {
    const std::string_view bytes = input.Peek().substr(0, left);
    if (bytes.empty()) break;
    left -= bytes.size();
    body(bytes);
    input.Consume(bytes.size());
  }
}

void DumpPlain(Invocation& in, Input& input, const Options& options, Output& out) {
  const char* digits = options.upper ? "0123456789ABCDEF" : "0123456789abcdef";
  const auto columns = static_cast<uint64_t>(options.columns);
  uint64_t column = 0;
  ForEachBlock(input, options, out, [&](std::string_view bytes) {
    in.budget.Step(static_cast<int64_t>(bytes.size() / 16));
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      out.Put(digits[byte >> 4]);
      out.Put(digits[byte & 15]);
      if (++column == columns) {
        out.Put('\n');
        column = 0;
      }
    }
  });
  if (column > 0) out.Put('\n');
}

std::string VariableName(std::string_view name, bool capitalize) {
  std::string variable;
  if (!name.empty() && name[0] >= '0' && name[0] <= '9') variable = "__";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_word = byte < 0x80 && std::isalnum(byte) != 0;
    variable += !is_word ? '_' : capitalize ? static_cast<char>(std::toupper(byte)) : c;
  }
  return variable;
}

void DumpInclude(Invocation& in, Input& input, const std::string& variable, const Options& options, Output& out) {
  if (!variable.empty()) out.Write("unsigned char " + variable + "[] = {\n");
  uint64_t count = 0;
  const char* digits = options.upper ? "0123456789ABCDEF" : "0123456789abcdef";
  ForEachBlock(input, options, out, [&](std::string_view bytes) {
    in.budget.Step(static_cast<int64_t>(bytes.size() / 16));
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      if (count % static_cast<uint64_t>(options.columns) != 0) out.Write(", ");
      else out.Write(count == 0 ? "  " : ",\n  ");
      ++count;
      out.Write(options.upper ? "0X" : "0x");
      out.Put(digits[byte >> 4]);
      out.Put(digits[byte & 15]);
    }
  });
  if (count > 0) out.Put('\n');
  if (variable.empty()) return;
  out.Write("};\nunsigned int " + variable + (options.capitalize ? "_LEN" : "_len") + " = " +
            std::to_string(count) + ";\n");
}

// Turns a dump back into bytes at their places.
class Reverter {
 public:
  Reverter(Invocation& in, const Options& options, Target& target) : in_(in), options_(options), target_(target) {
    base_ = options.seek_negative ? -options.seek : options.seek;
    columns_ = static_cast<uint64_t>(options.columns);
  }

  ExitStatus Run(Input& input) {
    for (int c = input.Get(); c >= 0; c = input.Get()) {
      in_.budget.Step();
      if (skips_line_) {
        if (c == '\n') skips_line_ = false;
        continue;
      }
      if (!Take(c)) return in_.Fail("Sorry, cannot seek backwards.", kBadOutputSeek);
      if (!target_.out->status()) break;
    }
    return 0;
  }

 private:
  bool is_plain() const { return options_.form == Form::kPlain; }

  static int Digit(int c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  }

  void ExpectAddress() {
    is_in_address_ = true;
    is_at_start_ = true;
    wanted_ = 0;
  }

  // False when the output would have to go back.
  bool Take(int c) {
    if (c == '\r' || (is_plain() && (c == ' ' || c == '\n' || c == '\t'))) return true;
    before_last_ = last_;
    last_ = current_;
    current_ = Digit(c);
    if (current_ < 0 && is_at_start_) return true;
    is_at_start_ = false;
    if (is_in_address_) {
      if (is_plain()) {
        is_in_address_ = false;
      } else {
        if (current_ < 0) {
          is_in_address_ = false;
          column_ = 0;
        } else {
          wanted_ = wanted_ << 4 | static_cast<uint64_t>(current_);
        }
        return true;
      }
    }
    if (!MoveTo(static_cast<uint64_t>(base_) + wanted_)) return false;
    if (last_ >= 0 && current_ >= 0) TakeByte(static_cast<char>(last_ << 4 | current_));
    else if (current_ < 0 && last_ < 0 && before_last_ < 0) SkipLine(c);
    if (c == '\n' && !is_plain()) ExpectAddress();
    return true;
  }

  void TakeByte(char byte) {
    target_.out->Put(byte);
    ++have_;
    ++wanted_;
    current_ = -1;
    if (!is_plain() && ++column_ >= columns_) SkipLine(0);
  }

  void SkipLine(int c) {
    skips_line_ = c != '\n';
    if (is_plain()) is_at_start_ = true;
    else ExpectAddress();
  }

  bool MoveTo(uint64_t place) {
    if (place == have_) return true;
    target_.out->Flush();
    const auto distance = static_cast<int64_t>(place - have_);
    if (target_.file->Seek(distance, vfs::Whence::kCurrent)) {
      have_ = place;
      return true;
    }
    if (distance < 0) return false;
    for (; have_ < place && target_.out->status(); ++have_) {
      in_.budget.Step();
      target_.out->Put('\0');
    }
    return true;
  }

  Invocation& in_;
  const Options& options_;
  Target& target_;
  int64_t base_;
  uint64_t columns_;
  uint64_t column_ = 0;
  uint64_t have_ = 0;      // where the output stands
  uint64_t wanted_ = 0;    // where the next byte belongs, less base_
  bool is_in_address_ = true;
  bool is_at_start_ = true;    // nothing but garbage on this line yet
  bool skips_line_ = false;
  int current_ = -1;       // the last three characters as digits, -1 for others
  int last_ = 0;
  int before_last_ = 0;
};

// Completes columns and group as the form wants them. Returns a complaint, or nothing.
std::optional<std::string> Complete(Options& options) {
  const bool is_rows = options.form != Form::kPlain && options.form != Form::kInclude;
  if (options.columns == 0 && !(options.has_columns && options.form == Form::kPlain)) {
    constexpr int kDefaults[] = {16, 6, 16, 30, 12};
    options.columns = kDefaults[static_cast<int>(options.form)];
  }
  if (options.group < 0) {
    constexpr int kDefaults[] = {2, 1, 4, 0, 0};
    options.group = kDefaults[static_cast<int>(options.form)];
  }
  if (options.columns < 0 || (is_rows && options.columns > kMostColumns)) {
    return "invalid number of columns (max. 256).";
  }
  if (options.form == Form::kLittleEndian && (options.group & (options.group - 1)) != 0) {
    return "number of octets per group must be a power of 2 with -e.";
  }
  if (options.group < 1 || options.group > options.columns) options.group = options.columns;
  return std::nullopt;
}

// Goes to where the dump starts; nothing when that cannot be.
std::optional<uint64_t> SeekInput(Invocation& in, InputFile& file, const Options& options) {
  const vfs::Whence whence = options.seek_relative   ? vfs::Whence::kCurrent
                             : options.seek_negative ? vfs::Whence::kEnd
                                                     : vfs::Whence::kStart;
  if (options.seek == 0 && !options.seek_negative && !options.seek_relative) return 0;
  const auto offset = static_cast<int64_t>(options.seek_negative ? 0 - static_cast<uint64_t>(options.seek)
                                                                 : static_cast<uint64_t>(options.seek));
  if (file.file() != nullptr) {
    if (const auto place = file.file()->Seek(offset, whence)) return *place;
  }
  if (options.seek_negative || options.seek < 0) return std::nullopt;
  for (auto left = static_cast<uint64_t>(options.seek); left > 0;) {
    const std::string_view bytes = file.input().Peek().substr(0, left);
    if (bytes.empty()) return std::nullopt;
    in.budget.Step();
    left -= bytes.size();
    file.input().Consume(bytes.size());
  }
  return static_cast<uint64_t>(options.seek);
}

Result<Target> OpenTarget(Invocation& in, const std::vector<std::string>& operands, bool revert) {
  Target target{&in.out, in.process.descriptors().Get(1), nullptr};
  if (operands.size() < 2 || operands[1] == "-") return target;
  PADDOCK_ASSIGN(target.file,
                 in.fs.Open(operands[1], {.write = true, .create = true, .truncate = !revert}));
  target.own = std::make_unique<Output>(*target.file);
  target.out = target.own.get();
  return target;
}

ExitStatus Convert(Invocation& in, InputFile& file, const Options& options, const std::string& name, Target& target) {
  if (options.revert) {
    if (options.form != Form::kHex && options.form != Form::kPlain) {
      return in.Fail("Sorry, cannot revert this type of hexdump", kBadRevert);
    }
    return Reverter(in, options, target).Run(file.input());
  }
  const auto start = SeekInput(in, file, options);
  if (!start) return in.Fail("Sorry, cannot seek.", kBadInputSeek);
  if (options.form == Form::kPlain) {
    DumpPlain(in, file.input(), options, *target.out);
  } else if (options.form == Form::kInclude) {
    DumpInclude(in, file.input(), VariableName(name, options.capitalize), options, *target.out);
  } else {
    RowPrinter printer(in, options, *target.out, *start);
    ForEachBlock(file.input(), options, *target.out, [&](std::string_view bytes) { printer.Add(bytes); });
    printer.Finish();
  }
  return 0;
}

ExitStatus RunOn(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  auto file = InputFile::Open(in, operands.empty() ? "-" : operands[0]);
  if (!file) return Report(in, operands[0], file.error(), kBadInput);
  auto target = OpenTarget(in, operands, options.revert);
  if (!target) return Report(in, operands[1], target.error(), kBadOutput);
  std::string name = options.name.value_or("");
  if (!options.name && !file->is_stdin()) name = operands[0];
  const ExitStatus status = Convert(in, *file, options, name, *target);
  if (const Status flushed = target->out->Flush(); !flushed) {
    target->out->ClearStatus();
    return in.Fail(flushed.error().Text(), kBadOutput);
  }
  if (status == 0 && !file->input().status()) return in.Fail(file->input().status().error().Text(), kBadInput);
  return status;
}

ExitStatus Run(Invocation& in) {
  const auto usage = [&in] {
    in.err.Write(kUsage);
    return kBadUsage;
  };
  Options options;
  size_t at = 1;
  for (; at < in.args.size() && in.args[at].size() > 1 && in.args[at][0] == '-'; ++at) {
    const std::string& argument = in.args[at];
    if (argument == "--") {
      ++at;
      break;
    }
    const char letter = argument.starts_with("--") ? argument[2] : argument[1];
    if (letter == 'v') {
      in.err.Write("xxd 2022-01-14 by Juergen Weigert et al.\n");
      return 0;
    }
    if (!TakeOption(in.args, &at, options)) return usage();
  }
  if (const auto complaint = Complete(options)) return in.Fail(*complaint, kBadUsage);
  const std::vector<std::string> operands(in.args.begin() + static_cast<std::ptrdiff_t>(at), in.args.end());
  if (operands.size() > 2) return usage();
  return RunOn(in, options, operands);
}

}  // namespace

extern const Command kCommand_xxd;
const Command kCommand_xxd = {
    .name = "xxd",
    .summary = "make a hex dump or do the reverse",
    .synopsis = "[options] [infile [outfile]]",
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
