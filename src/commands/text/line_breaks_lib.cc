#include "commands/text/line_breaks.h"

#include <algorithm>

#include "commands/input_files.h"
#include "text/utf8.h"

namespace paddock {
namespace {

enum class Mode { kAscii, kSevenBit, kMac };
enum class Bom { kNone, kUtf8, kLittle16, kBig16 };
enum class Links { kSkip, kFollow, kReplace };
enum class BomRule { kDefault, kKeep, kRemove, kAdd };

struct Settings {
  bool to_unix = true;
  Mode mode = Mode::kAscii;
  BomRule bom = BomRule::kDefault;
  Links links = Links::kSkip;
  bool forces = false;
  bool keeps_date = false;
  bool doubles = false;
  bool is_quiet = false;
  bool is_verbose = false;
  bool is_new_file = false;
  bool gives_info = false;
  bool keeps_utf16 = false;
  bool allows_chown = false;
  std::optional<bool> assumes_big16;   // without a mark
  std::string info;
};

enum class Encoding { kBytes, kLittle16, kBig16 };

struct Converted {
  std::string text;
  Encoding encoding = Encoding::kBytes;
  uint64_t breaks = 0, changed = 0;
  std::optional<std::pair<int, uint64_t>> binary;   // the first binary symbol and its line
};

Bom FindBom(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) return Bom::kUtf8;
  if (text.starts_with("\xff\xfe")) return Bom::kLittle16;
  if (text.starts_with("\xfe\xff")) return Bom::kBig16;
  return Bom::kNone;
}

std::string Utf8FromUtf16(std::string_view bytes, bool is_big, Budget& budget) {
  std::string text;
  const auto unit = [&](size_t i) {
    const auto a = static_cast<unsigned char>(bytes[i]), b = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<char32_t>(is_big ? a << 8 | b : b << 8 | a);
  };
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    budget.Step();
    char32_t code = unit(i);
    if (code >= 0xd800 && code < 0xdc00 && i + 3 < bytes.size() && unit(i + 2) >= 0xdc00 && unit(i + 2) < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (unit(i + 2) - 0xdc00);
      i += 2;
    }
    AppendUtf8(text, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
  }
  return text;
}

bool IsBinary(char c) { return static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\r' && c != '\t' && c != '\f'; }

std::string Utf16FromUtf8(std::string_view text, bool is_big, Budget& budget) {
  std::string bytes;
  const auto add = [&](char32_t unit) {
    const char low = static_cast<char>(unit & 0xff), high = static_cast<char>(unit >> 8 & 0xff);
    bytes += is_big ? high : low;
    bytes += is_big ? low : high;
  };
  budget.WillAllocate(text.size() * 2);
  for (size_t i = 0; i < text.size();) {
    budget.Step();
    const DecodedChar c = DecodeUtf8(text.substr(i));
    i += c.length;
    const char32_t code = c.is_valid ? static_cast<char32_t>(c.code) : 0xfffd;
    if (code < 0x10000) {
      add(code);
    } else {
      add(0xd800 + ((code - 0x10000) >> 10));
      add(0xdc00 + ((code - 0x10000) & 0x3ff));
    }
  }
  return bytes;
}

Encoding EncodingOf(Bom bom, const Settings& settings) {
  if (bom == Bom::kLittle16) return Encoding::kLittle16;
  if (bom == Bom::kBig16) return Encoding::kBig16;
  if (bom == Bom::kUtf8 || !settings.assumes_big16) return Encoding::kBytes;
  return *settings.assumes_big16 ? Encoding::kBig16 : Encoding::kLittle16;
}

// Text without its mark, in UTF-8 when it is UTF-16.
std::string_view Body(std::string_view text, Bom bom, Encoding encoding, std::string& storage, Budget& budget) {
  text.remove_prefix(bom == Bom::kUtf8 ? 3 : bom == Bom::kNone ? 0 : 2);
  if (encoding == Encoding::kBytes) return text;
  storage = Utf8FromUtf16(text, encoding == Encoding::kBig16, budget);
  return storage;
}

Converted Convert(std::string_view whole, const Settings& settings, Budget& budget) {
  Converted result;
  const Bom bom = FindBom(whole);
  result.encoding = EncodingOf(bom, settings);
  std::string storage;
  const std::string_view text = Body(whole, bom, result.encoding, storage, budget);
  const bool has_bom = bom != Bom::kNone || result.encoding != Encoding::kBytes;   // one that is assumed counts
  const bool writes_bom = settings.bom == BomRule::kAdd || (has_bom && (settings.bom == BomRule::kKeep || (settings.bom == BomRule::kDefault && !settings.to_unix)));
  if (writes_bom) result.text = "\xef\xbb\xbf";
  const std::string_view added = settings.mode == Mode::kMac ? (settings.to_unix ? "\n" : "\r") : (settings.to_unix ? "\n" : "\r\n");
  for (size_t i = 0; i < text.size(); ++i) {
    budget.Step();
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const char before = i > 0 ? text[i - 1] : '\0';
    if (!settings.forces && IsBinary(c)) {
      result.binary = {static_cast<unsigned char>(c), result.breaks + 1};
      return result;
    }
    bool is_break = false;
    if (settings.to_unix) is_break = settings.mode == Mode::kMac ? c == '\r' && next != '\n' : c == '\r' && next == '\n';
    else is_break = c == '\n' && before != '\r';
    if (c == '\n' || (settings.mode == Mode::kMac && is_break && settings.to_unix)) ++result.breaks;
    if (is_break) {
      ++result.changed;
      result.text += added;
      if (settings.doubles) result.text += added;
      if (settings.to_unix && settings.mode != Mode::kMac) {
        ++i;
        ++result.breaks;
      }
    } else {
      result.text += settings.mode == Mode::kSevenBit && static_cast<unsigned char>(c) > 127 ? ' ' : c;
    }
  }
  if (settings.keeps_utf16 && result.encoding != Encoding::kBytes) result.text = Utf16FromUtf8(result.text, result.encoding == Encoding::kBig16, budget);
  return result;
}

class Converter {
 public:
  Converter(Invocation& in, const Settings& settings) : in_(in), settings_(settings) {}

  ExitStatus status() const { return status_; }

  void File(const std::string& from, const std::string& to) {
    if (settings_.gives_info) return Info(from);
    const auto found = in_.fs.Stat(from, vfs::Follow::kNo);
    if (!found) {
      Say(from + ": " + std::string(found.error().Text()));
      Say("Skipping " + from + ", not a regular file.");
      status_ = 2;
      return;
    }
    if (found->is_symlink() && settings_.links == Links::kSkip && !settings_.is_new_file) return Say("Skipping symbolic link " + from + ".");
    const auto target = in_.fs.Stat(from);
    if (!target || !target->is_file()) return Say("Skipping " + from + ", not a regular file.");
    const auto text = vfs::ReadFile(in_.fs, from);
    if (!text) return Trouble(from, text.error());
    const Converted converted = Convert(*text, settings_, in_.budget);
    if (converted.binary) {
      std::string hex = {"0123456789ABCDEF"[converted.binary->first >> 4], "0123456789ABCDEF"[converted.binary->first & 15]};
      Say("Binary symbol 0x" + hex + " found at line " + std::to_string(converted.binary->second));
      return Say("Skipping binary file " + from);
    }
    if (!Store(from, to, converted.text, *target, found->is_symlink())) return;
    if (settings_.is_verbose) Say("Converted " + std::to_string(converted.changed) + " out of " + std::to_string(converted.breaks) + " line breaks.");
    const std::string system = settings_.to_unix ? "Unix" : settings_.mode == Mode::kMac ? "Mac" : "DOS";
    constexpr const char* kNames[] = {"", "UTF-16LE ", "UTF-16BE "};
    const std::string source = kNames[static_cast<int>(converted.encoding)];
    const std::string format = (settings_.keeps_utf16 || source.empty() ? source : "UTF-8 ") + system + " format...";
    Say("converting " + source + "file " + from + (settings_.is_new_file ? " to " + std::string("file ") + to + " in " : " to ") + format);
  }

  void Stream() {
    const std::string text = in_.in.ReadAll();
    if (settings_.gives_info) return Tell(text, "");
    Settings forced = settings_;
    const Converted converted = Convert(text, forced, in_.budget);
    in_.out.Write(converted.text);
    if (!converted.binary) return;
    std::string hex = {"0123456789ABCDEF"[converted.binary->first >> 4], "0123456789ABCDEF"[converted.binary->first & 15]};
    Say("Binary symbol 0x" + hex + " found at line " + std::to_string(converted.binary->second));
    status_ = 1;
  }

  void Heading() {
    if (settings_.info.find('h') == std::string::npos) return;
    const bool has_all = settings_.info.find_first_of("dumbt") == std::string::npos;
    std::string text;
    const auto wants = [&](char c) { return has_all || settings_.info.find(c) != std::string::npos; };
    if (wants('d')) text += "     DOS";
    if (wants('u')) text += "    UNIX";
    if (wants('m')) text += "     MAC";
    if (wants('b')) text += "  BOM     ";
    if (wants('t')) text += "  TXTBIN";
    in_.out.WriteLine(text + "  FILE");
  }

 private:
  void Say(const std::string& text) {
    if (!settings_.is_quiet) in_.Fail(text);
  }
  void Trouble(const std::string& name, const Error& error) {
    Say(name + ": " + std::string(error.Text()));
    status_ = 2;
  }

  bool Store(const std::string& from, const std::string& to, const std::string& text, const vfs::Attributes& attributes, bool is_link) {
    std::string path = to;
    if (is_link && settings_.links == Links::kFollow && !settings_.is_new_file) {
      if (const auto real = in_.fs.Canonical(from)) path = *real;
    }
    const std::string draft = path + ".d2utmp";
    auto file = in_.fs.Open(draft, {.write = true, .create = true, .exclusive = true, .no_follow = true}, attributes.mode & 0777);
    Status done = file ? (*file)->Write(text) : Status(file.error());
    if (done) done = in_.fs.SetMode(draft, attributes.mode & 07777);
    if (done && !settings_.is_new_file && !settings_.allows_chown && !KeepOwner(draft, attributes)) {
      static_cast<void>(in_.fs.RemoveFile(draft));
      return false;
    }
    if (done && settings_.keeps_date) done = in_.fs.SetTimes(draft, attributes.access_time, attributes.modify_time);
    if (done) done = in_.fs.Rename(draft, path);
    if (done) return true;
    static_cast<void>(in_.fs.RemoveFile(draft));
    Trouble(path, done.error());
    return false;
  }

  bool KeepOwner(const std::string& draft, const vfs::Attributes& wanted) {
    const auto made = in_.fs.Stat(draft);
    if (!made || (made->uid == wanted.uid && made->gid == wanted.gid)) return true;
    const Status set = in_.fs.SetOwner(draft, wanted.uid, wanted.gid);
    if (set) return true;
    Trouble("Failed to change the owner and group of temporary output file " + draft, set.error());
    return false;
  }

  void Info(const std::string& name) {
    const auto found = in_.fs.Stat(name);
    if (!found) {
      Say(name + ": " + std::string(found.error().Text()));
      Say("Skipping " + name + ", not a regular file.");
      status_ = 2;
      return;
    }
    if (!found->is_file()) return Say("Skipping " + name + ", not a regular file.");
    const auto text = vfs::ReadFile(in_.fs, name);
    if (!text) return Trouble(name, text.error());
    Tell(*text, name);
  }

  void Tell(std::string_view whole, const std::string& name) {
    const Bom bom = FindBom(whole);
    std::string storage;
    const std::string_view text = Body(whole, bom, EncodingOf(bom, settings_), storage, in_.budget);
    uint64_t dos = 0, unix_breaks = 0, mac = 0;
    bool is_binary = false;
    for (size_t i = 0; i < text.size(); ++i) {
      in_.budget.Step();
      const bool is_pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
      dos += is_pair;
      mac += text[i] == '\r' && !is_pair;
      unix_breaks += text[i] == '\n';
      i += is_pair;
      is_binary |= IsBinary(text[i]);
    }
    const std::string& flags = settings_.info;
    const bool has_all = flags.find_first_of("dumbt") == std::string::npos;
    const auto wants = [&](char c) { return has_all || flags.find(c) != std::string::npos; };
    const auto padded = [](uint64_t value) {
      const std::string digits = std::to_string(value);
      return std::string(digits.size() < 8 ? 8 - digits.size() : 0, ' ') + digits;
    };
    const bool only_convertible = flags.find('c') != std::string::npos;
    const std::string shown = flags.find('p') != std::string::npos ? vfs::BaseName(name) : name;
    const char end = flags.find('0') != std::string::npos ? '\0' : '\n';
    if (only_convertible) {
      const bool changes = settings_.mode == Mode::kMac ? mac > 0 : settings_.to_unix ? dos > 0 : unix_breaks > 0;
      if (changes && (!is_binary || settings_.forces)) in_.out.Write(shown + end);
      return;
    }
    constexpr const char* kBoms[] = {"no_bom", "UTF-8", "UTF-16LE", "UTF-16BE"};
    std::string line;
    if (wants('d')) line += padded(dos);
    if (wants('u')) line += padded(unix_breaks);
    if (wants('m')) line += padded(mac);
    if (wants('b')) {
      std::string mark = kBoms[static_cast<int>(bom)];
      mark.resize(8, ' ');
      line += "  " + mark;
    }
    if (wants('t')) line += is_binary ? "  binary" : "  text  ";
    if (!name.empty()) line += "  " + shown;
    in_.out.Write(line + end);
  }

  Invocation& in_;
  const Settings& settings_;
  ExitStatus status_ = 0;
};

ExitStatus Usage(Invocation& in, ExitStatus status) {
  const std::string_view name = in.name();
  in.out.Write("Usage: " + std::string(name) + " [options] [file ...] [-n infile outfile ...]\n"
      " -ascii                convert only line breaks (default)\n -7                    turn characters of 8 bits into blanks\n"
      " -b, --keep-bom        keep the byte order mark\n -c, --convmode MODE   ascii, 7bit or mac\n -f, --force           convert binary files, too\n"
      " -h, --help            display this help text\n -i, --info[=FLAGS]    display what is in files: 0 b c d h m p t u\n -k, --keepdate        keep the date of the file\n"
      " -l, --newline         write each new line break twice\n -m, --add-bom         write a byte order mark\n -n, --newfile         infile outfile: write to new files\n"
      " -o, --oldfile         write to the files themselves (default)\n -q, --quiet           no messages\n -r, --remove-bom      remove the byte order mark\n"
      " -s, --safe            skip binary files (default)\n -v, --verbose         say how many line breaks were changed\n -F, --follow-symlink  convert the targets of symbolic links\n"
      " --allow-chown         let the owner of the file change\n --no-allow-chown      don't (default)\n -u, --keep-utf16      keep UTF-16\n"
      " -ub, --assume-utf16be assume UTF-16BE without a byte order mark\n -ul, --assume-utf16le assume UTF-16LE without a byte order mark\n"
      " -R, --replace-symlink replace symbolic links with converted files\n -S, --skip-symlink    leave symbolic links alone (default)\n -V, --version         display the version\n");
  return status;
}

// One option; nothing when it is unknown.
std::optional<std::string> TakeOption(const std::string& option, Settings& settings) {
  const auto is = [&option](std::string_view short_name, std::string_view long_name) { return option == short_name || option == long_name; };
  if (is("-ascii", "--ascii")) settings.mode = Mode::kAscii;
  else if (is("-7", "--7bit")) settings.mode = Mode::kSevenBit;
  else if (is("-b", "--keep-bom")) settings.bom = BomRule::kKeep;
  else if (is("-r", "--remove-bom")) settings.bom = BomRule::kRemove;
  else if (is("-m", "--add-bom")) settings.bom = BomRule::kAdd;
  else if (is("-f", "--force")) settings.forces = true;
  else if (is("-s", "--safe")) settings.forces = false;
  else if (is("-k", "--keepdate")) settings.keeps_date = true;
  else if (is("-l", "--newline")) settings.doubles = true;
  else if (is("-n", "--newfile")) settings.is_new_file = true;
  else if (is("-o", "--oldfile")) settings.is_new_file = false;
  else if (is("-q", "--quiet")) settings.is_quiet = true;
  else if (is("-v", "--verbose")) settings.is_verbose = true;
  else if (is("-F", "--follow-symlink")) settings.links = Links::kFollow;
  else if (is("-R", "--replace-symlink")) settings.links = Links::kReplace;
  else if (is("-S", "--skip-symlink")) settings.links = Links::kSkip;
  else if (is("-u", "--keep-utf16")) settings.keeps_utf16 = true;
  else if (is("-ul", "--assume-utf16le")) settings.assumes_big16 = false;
  else if (is("-ub", "--assume-utf16be")) settings.assumes_big16 = true;
  else if (option == "--allow-chown") settings.allows_chown = true;
  else if (option == "--no-allow-chown") settings.allows_chown = false;
  else return std::nullopt;
  return "";
}

}  // namespace

ExitStatus ConvertLineBreaks(Invocation& in, bool to_unix) {
  Settings settings;
  settings.to_unix = to_unix;
  const bool is_for_mac = in.name() == "mac2unix" || in.name() == "unix2mac";
  if (is_for_mac) settings.mode = Mode::kMac;
  Converter converter(in, settings);
  bool has_file = false, has_heading = false, takes_options = true;
  const auto info = [&](std::string_view flags) {
    settings.gives_info = true;
    settings.info = flags;
    const size_t bad = flags.find_first_not_of("0bcdhmptu");
    if (bad != std::string_view::npos) in.Fail("wrong flag '" + std::string(1, flags[bad]) + "' for option -i or --info");
    return bad == std::string_view::npos;
  };
  for (size_t i = 1; i < in.args.size(); ++i) {
    in.budget.Step();
    const std::string& argument = in.args[i];
    if (!takes_options || argument.size() < 2 || argument[0] != '-') {
      if (settings.gives_info && !has_heading) converter.Heading();
      has_heading = has_file = true;
      if (settings.is_new_file && !settings.gives_info) {
        if (i + 1 >= in.args.size()) return in.Fail("target of file " + argument + " not specified in new-file mode");
        converter.File(argument, in.args[++i]);
      } else {
        converter.File(argument, argument);
      }
      continue;
    }
    if (argument == "--") takes_options = false;
    else if (argument == "-h" || argument == "--help") return Usage(in, 0);
    else if (argument == "-V" || argument == "--version") {
      in.out.Write(VersionText(in.command, in.name()));
      return 0;
    } else if (argument == "-c" || argument == "--convmode") {
      if (i + 1 >= in.args.size()) return in.Fail("option '" + argument + "' requires an argument");
      const std::string mode = in.args[++i];
      if (mode == "ascii") settings.mode = is_for_mac ? Mode::kMac : Mode::kAscii;
      else if (mode == "7bit") settings.mode = Mode::kSevenBit;
      else if (mode == "mac") settings.mode = Mode::kMac;
      else return in.Fail("invalid " + mode + " conversion mode specified");
    } else if (argument.starts_with("-i") && !argument.starts_with("-iso")) {
      if (!info(std::string_view(argument).substr(2))) return 1;
    } else if (argument == "--info" || argument.starts_with("--info=")) {
      if (!info(argument == "--info" ? "" : std::string_view(argument).substr(7))) return 1;
    } else if (!TakeOption(argument, settings)) {
      return Usage(in, 1);
    }
  }
  if (!has_file) {
    if (settings.gives_info) converter.Heading();
    converter.Stream();
  }
  return converter.status();
}

}  // namespace paddock
