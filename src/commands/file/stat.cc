// stat - display file or file system status
//
// usage: stat [OPTION]... FILE...
//
// Exit status: 0, or 1 when something could not be shown.
// Source: GNU coreutils 9.1.
// Differs: birth times are unknown ("-", 0).

#include "commands/file/disk_unit.h"
#include "commands/file_facts.h"
#include "commands/user_names.h"
#include "proc/command.h"
#include "proc/process.h"
#include "text/choice.h"
#include "text/date/time_format.h"
#include "text/padded.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr uint64_t kIoBlock = 4096;

struct Options {
  bool dereference = false;
  bool file_system = false;
  bool terse = false;
  bool interprets_escapes = false;   // --printf
  std::optional<std::string> format, cached;
};

Status SetFormat(Options& o, std::string_view format) {
  o.format = format;
  o.interprets_escapes = false;
  return {};
}
Status SetPrintf(Options& o, std::string_view format) {
  o.format = format;
  o.interprets_escapes = true;
  return {};
}

constexpr Option kOptions[] = {
    Flag<&Options::dereference>('L', "dereference", "follow links"),
    Flag<&Options::file_system>('f', "file-system", "display file system status instead of file status"),
    Value<&Options::cached>(0, "cached", "MODE",
                            "specify how to use cached attributes; useful on remote file systems"),
    Call<SetFormat>('c', "format", "FORMAT",
                    "use the specified FORMAT instead of the default; output a newline after each use of FORMAT"),
    Call<SetPrintf>(0, "printf", "FORMAT",
                    "like --format, but interpret backslash escapes, and do not output a mandatory trailing newline; "
                    "if you want a newline, include \\n in FORMAT"),
    Flag<&Options::terse>('t', "terse", "print the information in terse form"),
};

constexpr Choice kCached[] = {{"default", 0}, {"never", 1}, {"always", 2}};

struct QuotingName {
  const char* name;
  QuotingStyle style;
};
constexpr QuotingName kQuotings[] = {{"literal", QuotingStyle::kLiteral},
                                     {"shell", QuotingStyle::kShell},
                                     {"shell-always", QuotingStyle::kShellAlways},
                                     {"shell-escape", QuotingStyle::kShellEscape},
                                     {"shell-escape-always", QuotingStyle::kShellEscapeAlways},
                                     {"c", QuotingStyle::kC},
                                     {"c-maybe", QuotingStyle::kCMaybe},
                                     {"escape", QuotingStyle::kEscape},
                                     {"locale", QuotingStyle::kLocale},
                                     {"clocale", QuotingStyle::kCLocale}};

// The magic numbers of the kinds of volume that a sandbox can have.
uint64_t FileSystemMagic(std::string_view type) {
  if (type == "tmpfs" || type == "devtmpfs") return 0x01021994;
  if (type == "proc") return 0x9fa0;
  if (type == "overlay" || type == "overlayfs") return 0x794c7630;
  return 0xef53;
}

class Program {
 public:
  Program(Invocation& in, const Options& options)
      : in_(in), o_(options), names_(in.fs, in.budget), zone_(LocalZone(in.env)) {}

  bool Show(const std::string& path) {
    path_ = path;
    ok_ = true;
    if (!(o_.file_system ? LookAtFileSystem() : LookAtFile())) return false;
    const bool adds_newline = o_.format && !o_.interprets_escapes;
    Expand(o_.format ? *o_.format : DefaultFormat());
    if (adds_newline && !is_stopped_) in_.out.Put('\n');
    return ok_;
  }

  // True after a directive that ends the program.
  bool is_stopped() const { return is_stopped_; }

 private:
  std::string Shown() const { return QuoteFile(path_, in_.locale.is_utf8); }

  bool LookAtFile() {
    if (path_ == "-") {
      const vfs::OpenFilePtr& file = in_.process.descriptors().Get(0);
      auto found = file ? file->GetAttributes() : Result<vfs::Attributes>(Code::kBadDescriptor);
      if (!found) {
        in_.Fail("cannot stat standard input", found.error());
        return false;
      }
      a_ = *found;
      return true;
    }
    auto found = in_.fs.Stat(path_, o_.dereference ? vfs::Follow::kYes : vfs::Follow::kNo);
    if (!found) {
      in_.Fail("cannot statx " + Shown(), found.error());
      return false;
    }
    a_ = *found;
    return true;
  }

  bool LookAtFileSystem() {
    if (path_ == "-") {
      in_.Fail("using " + Shown() +
               " to denote standard input does not work in file system mode");
      return false;
    }
    auto found = in_.fs.Space(path_);
    if (!found) {
      in_.Fail("cannot read file system information for " + Shown(), found.error());
      return false;
    }
    space_ = *found;
    if (auto attributes = in_.fs.Stat(path_)) a_ = *attributes;
    return true;
  }

  std::string DefaultFormat() const {
    if (o_.file_system) {
      if (o_.terse) return "%n %i %l %t %s %S %b %f %a %c %d\n";
      return "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\n"
             "Block size: %-10s Fundamental block size: %S\n"
             "Blocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n";
    }
    if (o_.terse) return "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n";
    const bool is_device = a_.type == vfs::FileType::kCharDevice || a_.type == vfs::FileType::kBlockDevice;
    return std::string("  File: ") + (a_.is_symlink() ? "%@" : "%n") +
           "\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-10i  Links: " +
           (is_device ? "%-5h Device type: %Hr,%Lr\n" : "%h\n") +
           "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n"
           "Access: %x\nModify: %y\nChange: %z\n Birth: %w\n";
  }

  void Expand(std::string_view format) {
    const bool is_default = !o_.format;
    for (size_t i = 0; i < format.size() && !is_stopped_;) {
      in_.budget.Step();
      if (format[i] == '%') {
        i += 1 + Directive(format.substr(i + 1), is_default);
      } else if (format[i] == '\\' && o_.interprets_escapes) {
        i += 1 + Escape(format.substr(i + 1));
      } else {
        in_.out.Put(format[i++]);
      }
    }
  }

  // Writes one directive; returns its length without the '%'.
  size_t Directive(std::string_view text, bool is_default) {
    const PrintSpec spec = PrintSpec::Parse(text, "'-+ #0I");
    const size_t length = spec.length;
    if (length >= text.size() || text[length] == '%') {
      if (length > 0) {
        const size_t end = std::min(length + 1, text.size());
        in_.Fail(Quote("%" + std::string(text.substr(0, end)), in_.locale.is_utf8) + ": invalid directive");
        is_stopped_ = true;
        return end;
      }
      in_.out.Put('%');
      return length < text.size() ? length + 1 : length;
    }
    char letter = text[length];
    char modifier = 0;
    size_t taken = length + 1;
    if ((letter == 'H' || letter == 'L') && !o_.file_system) {
      const char next = taken < text.size() ? text[taken] : '\0';
      if (next == 'd' || next == 'r') {
        modifier = letter;
        letter = next;
        ++taken;
      }
    }
    if (letter == '@' && is_default) {
      in_.out.Write(path_ + " -> " + Target());
    } else if (o_.file_system) {
      FileSystemField(letter, spec);
    } else {
      FileField(letter, modifier, spec);
    }
    return taken;
  }

  void Text(std::string_view text, const PrintSpec& spec) { in_.out.Write(PadText(text, spec, in_.budget)); }
  void Number(uint64_t value, const PrintSpec& spec) {
    PrintSpec plain = spec;
    plain.plus = plain.space = false;
    in_.out.Write(PadDecimal(value, plain, in_.budget));
  }
  void Signed(int64_t value, const PrintSpec& spec) {
    const std::string digits = std::to_string(value);
    in_.out.Write(PadNumber(value < 0 ? std::string_view(digits).substr(1) : digits, value < 0, "", spec, in_.budget));
  }
  void Hex(uint64_t value, const PrintSpec& spec) {
    PrintSpec plain = spec;
    plain.plus = plain.space = false;
    in_.out.Write(PadHex(value, plain, in_.budget));
  }
  void Octal(uint64_t value, const PrintSpec& spec) {
    PrintSpec plain = spec;
    plain.plus = plain.space = false;
    in_.out.Write(PadOctal(value, plain, in_.budget));
  }

  void FileField(char letter, char modifier, const PrintSpec& spec) {
    const auto part = [modifier](uint64_t device) {
      return modifier == 'H' ? device >> 8 : modifier == 'L' ? device & 0xff : device;
    };
    switch (letter) {
      case 'n': return Text(path_, spec);
      case 'N': return QuotedName(spec);
      case 'd': return Number(part(a_.device), spec);
      case 'D': return Hex(a_.device, spec);
      case 'i': return Number(a_.inode, spec);
      case 'a': return Octal(a_.mode, spec);
      case 'A': return Text(ModeText(a_), spec);
      case 'f': return Hex(RawMode(a_), spec);
      case 'F': return Text(TypeText(a_), spec);
      case 'h': return Number(a_.links, spec);
      case 'u': return Number(a_.uid, spec);
      case 'U': return Text(NameOr(names_.User(a_.uid)), spec);
      case 'g': return Number(a_.gid, spec);
      case 'G': return Text(NameOr(names_.Group(a_.gid)), spec);
      case 'm': return Text(MountPointOf(in_, path_, a_.is_symlink() ? vfs::Follow::kNo : vfs::Follow::kYes), spec);
      case 's': return Signed(static_cast<int64_t>(a_.size), spec);
      case 'r': return Number(part(a_.special), spec);
      case 'R': return Hex(a_.special, spec);
      case 't': return Hex(a_.special >> 8, spec);
      case 'T': return Hex(a_.special & 0xff, spec);
      case 'B': return Number(512, spec);
      case 'b': return Number(a_.blocks, spec);
      case 'o': return Number(kIoBlock, spec);
      case 'w': return Text("-", spec);
      case 'W': return Seconds({}, spec);
      case 'x': return Time(a_.access_time, spec);
      case 'y': return Time(a_.modify_time, spec);
      case 'z': return Time(a_.change_time, spec);
      case 'X': return Seconds(ToTimePoint(a_.access_time), spec);
      case 'Y': return Seconds(ToTimePoint(a_.modify_time), spec);
      case 'Z': return Seconds(ToTimePoint(a_.change_time), spec);
      case 'C':
        ok_ = false;
        in_.Fail("failed to get security context of " + Shown() + ": No data available");
        return Text("?", spec);
      default: in_.out.Put('?');
    }
  }

  void FileSystemField(char letter, const PrintSpec& spec) {
    const bool has_space = space_.total_bytes != kUnlimited;
    const bool has_inodes = space_.total_inodes != kUnlimited;
    const uint64_t blocks = has_space ? space_.total_bytes / kIoBlock : 0;
    const uint64_t free = has_space ? (space_.total_bytes - std::min(space_.used_bytes, space_.total_bytes)) / kIoBlock : 0;
    const uint64_t inodes = has_inodes ? space_.total_inodes : 0;
    switch (letter) {
      case 'n': return Text(path_, spec);
      case 'i': return Hex(a_.device, spec);
      case 'l': return Number(vfs::kMaxName, spec);
      case 't': return Hex(FileSystemMagic(space_.type), spec);
      case 'T': return Text(space_.type, spec);
      case 'b': return Signed(static_cast<int64_t>(blocks), spec);
      case 'f':
      case 'a': return Signed(static_cast<int64_t>(free), spec);
      case 's':
      case 'S': return Number(kIoBlock, spec);
      case 'c': return Number(inodes, spec);
      case 'd': return Signed(static_cast<int64_t>(inodes - std::min(space_.used_inodes, inodes)), spec);
      default: in_.out.Put('?');
    }
  }

  template <class Record>
  static std::string NameOr(const Record* record) {
    return record == nullptr ? "UNKNOWN" : record->name;
  }

  std::string Target() {
    const auto target = in_.fs.ReadLink(path_);
    return target ? *target : "";
  }

  void QuotedName(const PrintSpec& spec) {
    QuotingStyle style = QuotingStyle::kShellEscapeAlways;
    if (const std::string_view wanted = in_.env.Get("QUOTING_STYLE", ""); !wanted.empty()) {
      bool is_known = false;
      for (const QuotingName& quoting : kQuotings) {
        if (wanted != quoting.name) continue;
        style = quoting.style;
        is_known = true;
      }
      if (!is_known) {
        in_.Fail("ignoring invalid value of environment variable QUOTING_STYLE: " + Quote(wanted, in_.locale.is_utf8));
      }
    }
    std::string text = QuoteText(path_, style, in_.locale.is_utf8);
    if (a_.is_symlink()) {
      const auto target = in_.fs.ReadLink(path_);
      if (!target) {
        in_.Fail("cannot read symbolic link " + Shown(), target.error());
        ok_ = false;
        return;
      }
      text += " -> " + QuoteText(*target, style, in_.locale.is_utf8);
    }
    Text(text, spec);
  }

  void Time(Nanoseconds time, const PrintSpec& spec) {
    const TimePoint moment = ToTimePoint(time);
    Text(FormatTime("%Y-%m-%d %H:%M:%S.%N %z", zone_.ToLocal(moment.seconds), moment, in_.budget), spec);
  }

  // Seconds since 1970; with a precision, that many digits of the fraction.
  void Seconds(const TimePoint& moment, PrintSpec spec) {
    if (!spec.precision || (spec.has_precision_digits && *spec.precision == 0)) {
      spec.precision.reset();
      return Signed(moment.seconds, spec);
    }
    const uint64_t digits = spec.has_precision_digits ? *spec.precision : 9;
    in_.budget.WillAllocate(digits);
    // Before 1970 the fraction counts back from the next second.
    const bool is_before = moment.seconds < 0 && moment.nanos != 0;
    const int64_t nanos = is_before ? 1'000'000'000 - moment.nanos : moment.nanos;
    std::string fraction = std::to_string(1'000'000'000 + nanos).substr(1);
    fraction.resize(digits, '0');
    const int64_t seconds = is_before ? moment.seconds + 1 : moment.seconds;
    const std::string whole_digits = std::to_string(std::abs(seconds));
    const bool is_negative = moment.seconds < 0;
    PrintSpec whole = spec;
    whole.precision.reset();
    if (!spec.left) {
      whole.width = spec.width > digits + 1 ? spec.width - digits - 1 : 0;
      in_.out.Write(PadNumber(whole_digits, is_negative, "", whole, in_.budget) + "." + fraction);
    } else {
      PrintSpec padded;
      padded.left = true;
      padded.width = spec.width;
      Text((is_negative ? "-" : "") + whole_digits + "." + fraction, padded);
    }
  }

  // Writes one backslash escape; returns its length without the backslash.
  size_t Escape(std::string_view text) {
    if (text.empty()) {
      in_.Fail("warning: backslash at end of format");
      in_.out.Put('\\');
      return 0;
    }
    const char c = text[0];
    if (c >= '0' && c <= '7') {
      int value = 0;
      size_t length = 0;
      while (length < 3 && length < text.size() && text[length] >= '0' && text[length] <= '7') {
        value = value * 8 + (text[length++] - '0');
      }
      in_.out.Put(static_cast<char>(value));
      return length;
    }
    const auto hex = [](char digit) {
      if (digit >= '0' && digit <= '9') return digit - '0';
      const char lower = static_cast<char>(digit | 0x20);
      return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
    };
    if (c == 'x' && text.size() > 1 && hex(text[1]) >= 0) {
      int value = 0;
      size_t length = 1;
      while (length < 3 && length < text.size() && hex(text[length]) >= 0) value = value * 16 + hex(text[length++]);
      in_.out.Put(static_cast<char>(value));
      return length;
    }
    constexpr std::string_view kLetters = "abefnrtv\"\\";
    constexpr std::string_view kValues = "\a\b\x1b\f\n\r\t\v\"\\";
    const size_t index = kLetters.find(c);
    if (index == std::string_view::npos) {
      in_.Fail(std::string("warning: unrecognized escape '\\") + c + "'");
      in_.out.Put(c);
    } else {
      in_.out.Put(kValues[index]);
    }
    return 1;
  }

  Invocation& in_;
  const Options& o_;
  UserNames names_;
  TimeZone zone_;
  std::string path_;
  vfs::Attributes a_;
  vfs::SpaceInfo space_;
  bool ok_ = true;
  bool is_stopped_ = false;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.cached) {
    const auto found = FindChoice("--cached", *options.cached, kCached, in.locale.is_utf8);
    if (!found) return in.Usage(found.error().message);
  }
  if (operands.empty()) return in.Usage("missing operand");
  Program program(in, options);
  ExitStatus status = 0;
  for (const std::string& path : operands) {
    in.budget.Step();
    if (!program.Show(path)) status = 1;
    if (program.is_stopped()) return 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_stat;
const Command kCommand_stat = Define<Options, Run>({
    .name = "stat",
    .summary = "display file or file system status",
    .synopsis = "[OPTION]... FILE...",
    .options = kOptions,
});

}  // namespace paddock
