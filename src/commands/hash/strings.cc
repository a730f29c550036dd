// strings - print the sequences of printable characters in files
//
// usage: strings [option(s)] [file(s)]
//
// Exit status: 0, or 1 when a file could not be read or an option is wrong.
// Source: GNU binutils 2.40.
// Differs: -d, -T and object files: the whole file is looked at, which is what the real one does with files it does not know.
// --unicode=highlight escapes like escape does, without colours, as away from a terminal. @FILE is a file's name.

#include <array>

#include "commands/input_files.h"
#include "text/utf8.h"

namespace paddock {
namespace {

enum class Width { kSeven, kEight, kBig16, kLittle16, kBig32, kLittle32 };
enum class Unicode { kDefault, kShow, kInvalid, kHex, kEscape };

struct Options {
  bool file_names = false;
  bool all_whitespace = false;
  uint64_t least = 4;
  int radix = 0;
  Width width = Width::kSeven;
  Unicode unicode = Unicode::kDefault;
  std::string separator = "\n";
  bool data = false;
  std::string target;
  bool wants_help = false;
  bool wants_version = false;
};

Status TakeLeast(Options& options, std::string_view text) {
  const bool is_negative = text.starts_with('-');
  std::string_view digits = text.substr(is_negative ? 1 : 0);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
  }
  uint64_t value = 0;
  constexpr uint64_t kMost = uint64_t{1} << 40;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
    if (digit >= base) return Error(Code::kInvalid, "invalid integer argument " + std::string(text));
    value = std::min(value * static_cast<uint64_t>(base) + static_cast<uint64_t>(digit), kMost);
  }
  if (value == 0) return Error(Code::kInvalid, "invalid minimum string length 0");
  options.least = is_negative ? kMost : value;
  return {};
}
Status TakeRadix(Options& options, std::string_view text) {
  options.radix = text == "o" ? 8 : text == "d" ? 10 : text == "x" ? 16 : 0;
  return options.radix == 0 ? Status(Error(Code::kSyntax, "")) : Status();
}
Status TakeOctal(Options& options, std::string_view) {
  options.radix = 8;
  return {};
}
Status TakeWidth(Options& options, std::string_view text) {
  constexpr std::string_view kLetters = "sSblBL";
  constexpr std::array<Width, 6> kWidths = {Width::kSeven, Width::kEight, Width::kBig16, Width::kLittle16, Width::kBig32, Width::kLittle32};
  const size_t at = text.size() == 1 ? kLetters.find(text[0]) : std::string_view::npos;
  if (at == std::string_view::npos) return Error(Code::kSyntax, "");
  options.width = kWidths[at];
  return {};
}
Status TakeUnicode(Options& options, std::string_view text) {
  if (text == "default" || text == "d") options.unicode = Unicode::kDefault;
  else if (text == "locale" || text == "l") options.unicode = Unicode::kShow;
  else if (text == "invalid" || text == "i") options.unicode = Unicode::kInvalid;
  else if (text == "hex" || text == "x") options.unicode = Unicode::kHex;
  else if (text == "escape" || text == "e" || text == "highlight" || text == "h") options.unicode = Unicode::kEscape;
  else return Error(Code::kInvalid, "invalid argument to -U/--unicode: " + std::string(text));
  return {};
}
Status IgnoreAll(Options& options, std::string_view) {
  options.data = false;
  return {};
}

constexpr Option kOptions[] = {
    Call<IgnoreAll>('a', "all", nullptr, "scan the whole file (the default)"),
    Flag<&Options::data>('d', "data", "scan only the data sections; a file without sections is all data"),
    Flag<&Options::file_names>('f', "print-file-name", "print the name of the file before each string"),
    Call<TakeLeast>('n', "bytes", "NUMBER", "print sequences of at least NUMBER characters (4)"),
    Call<TakeRadix>('t', "radix", "RADIX", "print the place of each string in base 8 (o), 10 (d) or 16 (x)"),
    Call<TakeOctal>('o', nullptr, nullptr, "an alias for --radix=o"),
    Flag<&Options::all_whitespace>('w', "include-all-whitespace", "take all white space as printable"),
    Value<&Options::target>('T', "target", "NAME", "the format of the file"),
    Call<TakeWidth>('e', "encoding", "LETTER", "characters are s: 7 bits, S: 8 bits, b l: 16 bits, B L: 32 bits (big, little end first)"),
    Call<TakeUnicode>('U', "unicode", "HOW", "how to treat UTF-8: default, locale, invalid, hex, escape, highlight"),
    Value<&Options::separator>('s', "output-separator", "STRING", "write STRING between strings"),
    Flag<&Options::wants_help>('h', "help", "display this information"),
    Flag<&Options::wants_version>('v', "version", "print the version number"),
    Flag<&Options::wants_version>('V', nullptr, nullptr),
};

bool TakeNumber(void* options, std::string_view argument) {
  if (argument[0] != '-' || argument.find_first_not_of("0123456789", 1) != std::string_view::npos) return false;
  return TakeLeast(*static_cast<Options*>(options), argument.substr(1)).has_value();
}

// Looks for strings in bytes that come piece by piece.
class Finder {
 public:
  Finder(Invocation& in, const Options& options, const std::string& name) : in_(in), options_(options), name_(name) {
    size_ = options.width == Width::kSeven || options.width == Width::kEight ? 1 : options.width == Width::kBig16 || options.width == Width::kLittle16 ? 2 : 4;
  }

  void Scan(Input& input) {
    for (std::string_view bytes = input.Peek(); !bytes.empty() && in_.out.status(); bytes = input.Peek()) {
      in_.budget.Step(static_cast<int64_t>(bytes.size() / 16));
      if (size_ == 1 && options_.unicode == Unicode::kDefault) {
        for (const char c : bytes) TakeUnit(static_cast<unsigned char>(c), std::string_view(&c, 1), 1);
        input.Consume(bytes.size());
        continue;
      }
      window_ += bytes;
      input.Consume(bytes.size());
      Drain(false);
    }
    Drain(true);
    End();
  }

 private:
  bool IsPrintable(uint32_t c) const {
    if (c == '\t') return true;
    if (options_.all_whitespace && (c == ' ' || (c >= '\n' && c <= '\r'))) return true;
    if (c > 126) return options_.width == Width::kEight && c > 127 && c < 256;
    return c >= 32;
  }

  // One character of the input. What is too short is kept until it is a string.
  void TakeUnit(uint32_t code, std::string_view shown, uint64_t length) {
    const bool is_printable = IsPrintable(code);
    Take(is_printable, shown, length);
  }
  void Take(bool is_printable, std::string_view shown, uint64_t length) {
    if (!is_printable) {
      End();
      place_ += length;
      start_ = place_;
      return;
    }
    place_ += length;
    if (is_open_) {
      in_.out.Write(shown);
      return;
    }
    kept_ += shown;
    if (++count_ < options_.least) return;
    Begin();
  }
  void Begin() {
    if (options_.file_names) in_.out.Write(name_ + ": ");
    if (options_.radix != 0) {
      std::string digits;
      uint64_t left = start_;
      do digits.insert(digits.begin(), "0123456789abcdef"[left % static_cast<uint64_t>(options_.radix)]);
      while ((left /= static_cast<uint64_t>(options_.radix)) > 0);
      in_.out.Write(std::string(digits.size() < 7 ? 7 - digits.size() : 0, ' ') + digits + " ");
    }
    in_.out.Write(kept_);
    is_open_ = true;
  }
  void End() {
    if (is_open_) in_.out.Write(options_.separator);
    is_open_ = false;
    kept_.clear();
    count_ = 0;
    start_ = place_;
  }

  void Drain(bool is_end) {
    size_t at = size_ == 1 || is_open_ ? 0 : count_ * size_;   // what may have to be looked at again is still in the window
    const size_t ahead = size_ > 1 ? size_ : is_end ? 1 : 4;
    while (at + ahead <= window_.size()) {
      in_.budget.Step();
      if (size_ == 1) at += TakeUtf8(at);
      else TakeWide(at);
    }
    window_.erase(0, size_ == 1 || is_open_ ? at : at - count_ * size_);
  }

  size_t TakeUtf8(size_t at) {
    const std::string_view rest = std::string_view(window_).substr(at);
    const DecodedChar decoded = DecodeUtf8(rest);
    if (decoded.length == 1) {
      const auto byte = static_cast<unsigned char>(rest[0]);
      Take(byte < 128 && IsPrintable(byte), rest.substr(0, 1), 1);
      return 1;
    }
    Take(decoded.is_valid && options_.unicode != Unicode::kInvalid, Shown(rest.substr(0, decoded.length), decoded.code), decoded.length);
    return decoded.length;
  }

  std::string Shown(std::string_view bytes, char32_t code) const {
    const auto hex = [](uint32_t value, int digits) {
      std::string text;
      for (int shift = digits * 4 - 4; shift >= 0; shift -= 4) text += "0123456789abcdef"[(value >> shift) & 15];
      return text;
    };
    if (options_.unicode == Unicode::kShow) return std::string(bytes);
    if (options_.unicode == Unicode::kEscape) return "\\u" + (code > 0xffff ? hex(code, 6) : hex(code, 4));
    std::string text = "<0x";
    for (const char c : bytes) text += hex(static_cast<unsigned char>(c), 2);
    return text + ">";
  }

  // Characters of 16 and 32 bits may begin at any byte: after a string that is too short, on from the byte behind its first.
  void TakeWide(size_t& at) {
    const bool is_big = options_.width == Width::kBig16 || options_.width == Width::kBig32;
    uint32_t code = 0;
    for (size_t i = 0; i < size_; ++i) code = code << 8 | static_cast<unsigned char>(window_[at + (is_big ? i : size_ - 1 - i)]);
    if (code < 128 && IsPrintable(code)) {
      const char shown = static_cast<char>(code);
      Take(true, std::string_view(&shown, 1), size_);
      at += size_;
      return;
    }
    if (is_open_) {
      Take(false, {}, size_);
      at += size_;
      return;
    }
    const size_t back = count_ * size_;
    place_ -= back;
    at -= back;
    Take(false, {}, 1);
    ++at;
  }

  Invocation& in_;
  const Options& options_;
  const std::string& name_;
  size_t size_ = 1;
  std::string window_;    // bytes that are looked at as characters of several bytes
  std::string kept_;      // a beginning that is too short so far
  uint64_t count_ = 0;
  uint64_t place_ = 0;
  uint64_t start_ = 0;
  bool is_open_ = false;
};

ExitStatus Usage(Invocation& in) {
  in.out.Flush();
  in.err.Write(HelpText(in.command, in.name_in_messages()));
  return 1;
}

ExitStatus Scan(Invocation& in, const Options& options, InputFile& file, const std::string& name) {
  Finder(in, options, name).Scan(file.input());
  return file.input().status() ? 0 : 1;
}

ExitStatus Run(Invocation& in) {
  Options options;
  auto parsed = ParseOptions(in.args, in.command.options, &options, in.command.rules);
  if (!parsed) {
    const Error& error = parsed.error();
    if (error.code == Code::kSyntax) {
      if (!error.message.empty()) in.Fail(error.Text());
      return Usage(in);
    }
    return in.Fail(error.Text());
  }
  if (options.wants_help) {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  if (options.wants_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  if (parsed->operands.empty()) {
    auto file = InputFile::Open(in, "-");
    return Scan(in, options, *file, "{standard input}");
  }
  ExitStatus status = 0;
  bool has_file = false;
  for (const std::string& name : parsed->operands) {
    if (name == "-") continue;   // an old name of --all
    has_file = true;
    const auto found = in.fs.Stat(name);
    if (!found || found->is_directory()) {
      status = in.Fail(found ? "Warning: '" + name + "' is a directory" : found.error().code == Code::kNoEntry ? "'" + name + "': No such file" : "Warning: could not locate '" + name + "'.  reason: " + std::string(found.error().Text()));
      continue;
    }
    auto file = InputFile::OpenPath(in, name);
    if (!file) status = in.Fail(name, file.error());
    else if (Scan(in, options, *file, name) != 0) status = 1;
  }
  return has_file ? status : Usage(in);
}

}  // namespace

extern const Command kCommand_strings;
const Command kCommand_strings = {
    .name = "strings",
    .summary = "display printable strings in files (standard input by default)",
    .synopsis = "[option(s)] [file(s)]",
    .options = kOptions,
    .rules = {.numeric_shorthand = TakeNumber},
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
