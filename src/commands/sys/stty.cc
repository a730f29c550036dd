// stty - print or change terminal characteristics
//
// usage: stty [-F DEVICE | --file=DEVICE] [SETTING]...
//        stty [-F DEVICE | --file=DEVICE] [-a|--all]
//        stty [-F DEVICE | --file=DEVICE] [-g|--save]
//
// Exit status: 1.
// Source: GNU coreutils 9.1, on what is no terminal.
// Differs: the terminal of a session has no settings that a program could see or change, so stty says of it what it says of a file:
// nothing is taken and then not done.

#include <algorithm>

#include "proc/command.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr std::string_view kPlain[] = {"bs0",  "bs1",  "cr0",  "cr1", "cr2",  "cr3",  "crt",   "cs5",  "cs6",  "cs7",  "cs8", "dec", "ek",
                                       "exta", "extb", "ff0", "ff1", "nl0",  "nl1",  "sane",  "size", "speed", "tab0", "tab1", "tab2", "tab3", "vt0", "vt1"};
// With and without a '-' in front.
constexpr std::string_view kSwitches[] = {
    "LCASE",   "brkint", "cbreak", "clocal", "cmspar", "cooked", "cread",  "crterase", "crtkill", "crtscts", "cstopb", "ctlecho", "decctlq", "drain",
    "echo",    "echoctl", "echoe", "echok",  "echoke", "echonl", "echoprt", "evenp",   "extproc", "flusho",  "hup",    "hupcl",   "icanon",  "icrnl",
    "iexten",  "ignbrk", "igncr",  "ignpar", "imaxbel", "inlcr", "inpck",  "isig",     "istrip",  "iuclc",   "iutf8",  "ixany",   "ixoff",   "ixon",
    "lcase",   "litout", "nl",     "noflsh", "ocrnl",  "oddp",   "ofdel",  "ofill",    "olcuc",   "onlcr",   "onlret", "onocr",   "opost",   "parenb",
    "parity",  "parmrk", "parodd", "pass8",  "prterase", "raw",  "tabs",   "tandem",   "tostop",  "xcase"};
constexpr std::string_view kCharacters[] = {"discard", "eof", "eol", "eol2", "erase", "intr", "kill", "lnext", "quit", "rprnt", "start", "stop", "susp", "swtch", "werase"};
constexpr std::string_view kBytes[] = {"min", "time"};
// Their values are looked at only when they are set.
constexpr std::string_view kLater[] = {"cols", "columns", "ispeed", "ospeed", "rows"};
constexpr std::string_view kSpeeds[] = {"0",     "50",    "75",     "110",    "134",    "134.5",  "150",    "200",     "300",     "600",     "1200",
                                        "1800",  "2400",  "4800",   "9600",   "19200",  "38400",  "57600",  "115200",  "230400",  "460800",  "500000",
                                        "576000", "921600", "1000000", "1152000", "1500000", "2000000", "2500000", "3000000", "3500000", "4000000"};
constexpr size_t kSavedFields = 36;

template <size_t kSize>
bool Has(const std::string_view (&words)[kSize], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// What -g printed: hexadecimal numbers with colons between.
bool IsSaved(std::string_view text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), ':')) + 1 == kSavedFields &&
         text.find_first_not_of("0123456789abcdefABCDEF:") == std::string_view::npos && !text.starts_with(':') && !text.ends_with(':') &&
         text.find("::") == std::string_view::npos;
}

// A number as strtoul(3) takes it with base 0; nothing for other text, the largest one when it does not fit.
std::optional<uint64_t> ParseInteger(std::string_view text) {
  uint64_t base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
  }
  if (text.empty()) return std::nullopt;
  uint64_t value = 0;
  for (const char c : text) {
    const size_t digit = std::string_view("0123456789abcdef").find(static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c));
    if (digit >= base) return std::nullopt;
    value = value > UINT64_MAX / 32 ? UINT64_MAX : value * base + digit;
  }
  return value;
}

struct Wish {
  bool all = false, save = false, has_modes = false, help = false, version = false;
  std::optional<std::string> device;
};

class Reader {
 public:
  explicit Reader(Invocation& in) : in_(in), is_utf8_(in.locale.is_utf8) {}

  // Sorts options from settings; false after a complaint.
  bool Read(Wish& wish) {
    for (at_ = 1; at_ < in_.args.size(); ++at_) {
      in_.budget.Step();
      const std::string& word = in_.args[at_];
      if (word == "--" && settings_.empty()) return true;   // GNU's never looks behind it
      if (word.size() > 1 && word[0] == '-') {
        const Taken taken = word[1] == '-' ? TakeLong(word, wish) : TakeShort(word, wish);
        if (taken == Taken::kFailed) return false;
        if (taken == Taken::kYes) continue;
      }
      wish.has_modes = true;
      settings_.push_back(word);
    }
    return true;
  }
  // Whether all settings are ones that there are.
  bool CheckAll() {
    for (at_ = 0; at_ < settings_.size(); ++at_) {
      in_.budget.Step();
      if (!Check(settings_[at_])) return false;
    }
    return true;
  }

 private:
  enum class Taken { kNo, kYes, kFailed };

  bool Refuse(std::string_view what, std::string_view word) {
    in_.Usage(std::string(what) + " " + Quote(word, is_utf8_));
    return false;
  }
  Taken SetDevice(Wish& wish, std::string device) {
    if (wish.device) {
      in_.Fail("only one device may be specified");
      return Taken::kFailed;
    }
    wish.device = std::move(device);
    return Taken::kYes;
  }
  Taken TakeShort(const std::string& word, Wish& wish) {
    Wish parsed = wish;
    for (size_t i = 1; i < word.size(); ++i) {
      if (word[i] == 'F') {
        if (i + 1 == word.size() && at_ + 1 == in_.args.size()) return Taken::kNo;
        parsed.device = wish.device;
        wish = parsed;
        return SetDevice(wish, i + 1 < word.size() ? word.substr(i + 1) : in_.args[++at_]);
      }
      if (word[i] == 'a') parsed.all = true;
      else if (word[i] == 'g') parsed.save = true;
      else return Taken::kNo;
    }
    wish = parsed;
    return Taken::kYes;
  }
  Taken TakeLong(const std::string& word, Wish& wish) {
    const size_t equals = word.find('=');
    const std::string_view name = std::string_view(word).substr(2, equals == std::string::npos ? equals : equals - 2);
    const auto is = [&](std::string_view full) { return !name.empty() && full.starts_with(name); };
    if (is("file")) {
      if (equals != std::string::npos) return SetDevice(wish, word.substr(equals + 1));
      return at_ + 1 < in_.args.size() ? SetDevice(wish, in_.args[++at_]) : Taken::kNo;
    }
    if (equals != std::string::npos) return Taken::kNo;
    if (is("all")) wish.all = true;
    else if (is("save")) wish.save = true;
    else if (is("help")) wish.help = true;
    else if (is("version")) wish.version = true;
    else return Taken::kNo;
    return Taken::kYes;
  }

  bool Check(const std::string& word) {
    const bool is_off = word.starts_with('-');
    if (Has(kSwitches, is_off ? std::string_view(word).substr(1) : std::string_view(word))) return true;
    if (is_off) return Refuse("invalid argument", word);
    if (Has(kPlain, word) || Has(kSpeeds, word) || IsSaved(word)) return true;
    const bool is_character = Has(kCharacters, word), is_byte = Has(kBytes, word), is_line = word == "line";
    if (!is_character && !is_byte && !is_line && !Has(kLater, word)) return Refuse("invalid argument", word);
    if (at_ + 1 == settings_.size()) return Refuse("missing argument to", word);
    const std::string& value = settings_[++at_];
    if (is_line) return CheckLine(value);
    return !(is_character || is_byte) || CheckByte(value, is_character);
  }
  bool CheckByte(const std::string& value, bool is_character) {
    const bool is_named = value.size() <= 1 || value == "^-" || value == "undef" || value[0] == '^';
    if (is_character && is_named) return true;
    const auto number = ParseInteger(value);
    if (number && *number <= 255) return true;
    return BadInteger(value, number);
  }
  bool BadInteger(const std::string& value, std::optional<uint64_t> number) {
    const char* why = !number ? "" : *number == UINT64_MAX ? ": Value too large for defined data type" : ": Numerical result out of range";
    in_.Fail("invalid integer argument: " + Quote(value, is_utf8_) + why);
    return false;
  }
  bool CheckLine(const std::string& value) {
    const auto number = ParseInteger(value);
    if (!number || *number == UINT64_MAX) return BadInteger(value, number);
    if (*number > 255) in_.Fail("invalid line discipline " + Quote(value, is_utf8_));   // and goes on
    return true;
  }

  Invocation& in_;
  bool is_utf8_;
  size_t at_ = 1;
  std::vector<std::string> settings_;
};

ExitStatus Run(Invocation& in) {
  Wish wish;
  Reader reader(in);
  if (!reader.Read(wish)) return 1;
  if (wish.help || wish.version) {
    in.out.Write(wish.help ? HelpText(in.command, in.name_in_messages()) : VersionText(in.command, in.name()));
    return 0;
  }
  if (wish.all && wish.save) return in.Fail("the options for verbose and stty-readable output styles are\nmutually exclusive");
  if (wish.has_modes && (wish.all || wish.save)) return in.Fail("when specifying an output style, modes may not be set");
  if (!reader.CheckAll()) return 1;
  if (!wish.device) return in.Fail("'standard input': Inappropriate ioctl for device");
  const auto opened = in.fs.Open(*wish.device, {.read = true, .nonblocking = true});
  const std::string shown = QuoteSubject(*wish.device, in.locale.is_utf8);
  return opened ? in.Fail(shown + ": Inappropriate ioctl for device") : in.Fail(shown, opened.error());
}

constexpr Option kOptions[] = {
    {'a', "all", OptionArgument::kNone, nullptr, "print all current settings in human-readable form", nullptr},
    {'g', "save", OptionArgument::kNone, nullptr, "print all current settings in a stty-readable form", nullptr},
    {'F', "file", OptionArgument::kRequired, "DEVICE", "open and use the specified DEVICE instead of stdin", nullptr},
};

}  // namespace

extern const Command kCommand_stty;
const Command kCommand_stty = {
    .name = "stty",
    .summary = "print or change terminal characteristics",
    .synopsis = "[-F DEVICE | --file=DEVICE] [SETTING]...\n[-F DEVICE | --file=DEVICE] [-a|--all]\n[-F DEVICE | --file=DEVICE] [-g|--save]",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
