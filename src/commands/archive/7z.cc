// 7z - make, list, test and extract archives
//
// usage: 7z a|d|e|l|rn|t|u|x [SWITCH]... ARCHIVE [NAME]...
//
// Exit status: 0; 1 when a file could not be found, 2 for an error in the archive or a file that could not be made, 7 for a wrong command line, 255 when a question gets no answer.
// Source: 7-Zip's manual; p7zip as Debian 12 has it.
// Differs: the first two lines name this program; 7z, zip, tar, gzip, bzip2, xz and (read only) zstd are known, and the last four are not updated but made;
// LZMA and LZMA2 are packed by liblzma, so that sizes are a little different, with a dictionary of at most 64 MiB; zip archives are encrypted as PKZIP did;
// no PPMd, BCJ2 and Deflate64 (each refused by name); one archive at a time; volumes are not updated; -u makes no anti-items and no second archive; -slt is for 7z archives; i, h and b are refused; a few switches;
// with a name given, t counts only what it names, not what stands in front of it in its block; -aou keeps a link that is renamed.

#include <algorithm>
#include <charconv>

#include "base/budget.h"
#include "commands/archive/7z.h"
#include "commands/input_files.h"

namespace paddock {
namespace {

using seven_zip::Clash, seven_zip::Options, seven_zip::Parts, seven_zip::kBadUsage, seven_zip::kFatal;

constexpr std::string_view kBanner = "\n7-Zip as Paddock has it\np7zip Version 16.02\n";
constexpr std::string_view kHelp =
    "Usage: 7z <command> [<switches>...] <archive_name> [<file_names>...]\n\n"
    "<Commands>\n"
    "  a : add files to the archive\n"
    "  d : delete files from the archive\n"
    "  e : extract files without their directories\n"
    "  l : list the archive\n"
    "  rn : rename files in the archive\n"
    "  t : test the archive\n"
    "  u : add files that are newer\n"
    "  x : extract files with full paths\n"
    "<Switches>\n"
    "  -- : no switches behind this\n"
    "  -ao{a|s|t|u} : files in the way: replace, skip, rename them, rename what comes\n"
    "  -ba : listing without headers\n"
    "  -bb[0-3] : name each file\n"
    "  -bd : no progress indicator (there is none)\n"
    "  -bs{o|e|p}{0|1|2} : where messages, errors and progress go: nowhere, standard output, standard error\n"
    "  -i[r]!wildcard : include names\n"
    "  -m{Parameters} : how to pack\n"
    "    -mhe[=on|off] : encrypt the names too\n"
    "    -mmt[N] : threads (one is used)\n"
    "    -ms[=on|off] : one block for all files, or one for each\n"
    "    -mx[N] : level, 0 (stored) to 9\n"
    "    -m0={copy|lzma|lzma2|deflate|bzip2}[:d={Size}[b|k|m]] : method of 7z archives\n"
    "  -o{Directory} : where to extract\n"
    "  -p{Password} : password\n"
    "  -r[-] : names match below every directory\n"
    "  -sdel : delete the files after packing\n"
    "  -si[{name}] : pack standard input\n"
    "  -slt : list with technical information\n"
    "  -so : write data to standard output\n"
    "  -t{Type} : 7z, zip, tar, gzip, bzip2, xz, zstd\n"
    "  -u[p#][q#][r#][x#][y#][z#] : what to do with files that are not named, not there, new, older, newer, the same: 0 drop, 1 keep, 2 pack\n"
    "  -v{Size}[b|k|m|g] : make volumes of this size\n"
    "  -w[{path}] : directory of the unfinished archive\n"
    "  -x[r]!wildcard : exclude names\n"
    "  -y : yes to all questions\n";

// "1m" and the like.
std::optional<uint64_t> ParseSize(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value > (uint64_t{1} << 40)) return std::nullopt;
  const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
  if (unit.empty()) return value < 63 ? std::optional(uint64_t{1} << value) : std::nullopt;   // a power of two
  if (unit == "b") return value;
  if (unit == "k") return value << 10;
  if (unit == "m") return value << 20;
  return std::nullopt;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  return lower;
}

constexpr uint64_t kMostDictionary = uint64_t{64} << 20;

// -m0=METHOD:NAME=VALUE…
bool TakeMethod(Options& o, std::string_view text) {
  static constexpr std::pair<std::string_view, uint64_t> kMethods[] = {{"copy", codec::kSevenZipCopy}, {"lzma", codec::kSevenZipLzma}, {"lzma2", codec::kSevenZipLzma2},
                                                                       {"deflate", codec::kSevenZipDeflate}, {"bzip2", codec::kSevenZipBzip2}};
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string name = Lower(text.substr(0, colon));
  bool is_known = false;
  for (const auto& [known, id] : kMethods) {
    if (name != known) continue;
    o.method.id = id;
    is_known = true;
  }
  std::string_view rest = text.substr(colon);
  while (is_known && !rest.empty()) {
    rest.remove_prefix(1);
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string setting = Lower(rest.substr(0, end));
    rest.remove_prefix(end);
    const auto size = setting.starts_with('d') ? ParseSize(std::string_view(setting).substr(setting.starts_with("d=") ? 2 : 1)) : std::nullopt;
    if (!size || *size > kMostDictionary) return false;
    o.method.dictionary = *size;
  }
  return is_known;
}

// What follows -m.
bool TakeParameter(Options& o, std::string_view text) {
  const auto is_on = [](std::string_view value) { return value.empty() || value == "+" || value == "=on"; };
  const auto is_off = [](std::string_view value) { return value == "-" || value == "=off"; };
  if (text.starts_with("x")) {
    std::string_view level = text.substr(1);
    if (level.starts_with('=')) level.remove_prefix(1);
    int value = 9;
    if (!level.empty()) {
      const auto [end, error] = std::from_chars(level.data(), level.data() + level.size(), value);
      if (error != std::errc() || end != level.data() + level.size() || value < 0) return false;
    }
    static constexpr int kLog[] = {16, 18, 20, 22, 22, 23, 24, 25, 26, 26};
    o.method.level = std::min(value, 9);
    o.method.dictionary = uint64_t{1} << kLog[o.method.level];
    return true;
  }
  if (text.starts_with("he")) {
    if (!is_on(text.substr(2)) && !is_off(text.substr(2))) return false;
    o.hides_names = is_on(text.substr(2));
    return true;
  }
  if (text.starts_with("mt")) return true;   // packing takes one thread, however many there may be
  if (text.starts_with("s")) {
    if (!is_on(text.substr(1)) && !is_off(text.substr(1))) return false;
    o.is_solid = is_on(text.substr(1));
    return true;
  }
  if (text.starts_with("0=")) return TakeMethod(o, text.substr(2));
  return false;
}

constexpr std::pair<std::string_view, std::string_view> kTypes[] = {{"7z", "7z"}, {"zip", "zip"}, {"tar", "tar"}, {"gzip", "gzip"}, {"gz", "gzip"}, {"bzip2", "bzip2"}, {"bz2", "bzip2"}, {"xz", "xz"}, {"zstd", "zstd"}};

enum class Taken { kYes, kUnknown, kNoType, kInvalid, kBadUpdate, kBadVolume, kEmptyVolume, kBadPostfix, kTooShort, kTooLong };

// -v100k
Taken TakeVolume(Options& o, std::string_view text) {
  if (text.empty()) return Taken::kUnknown;
  uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  const std::string unit = Lower(text.substr(static_cast<size_t>(end - text.data())));
  const std::string_view units = "bkmg";
  const size_t power = unit.empty() ? 0 : units.find(unit[0]);
  if (error != std::errc() || unit.size() > 1 || power == std::string_view::npos || size > UINT32_MAX) return Taken::kBadVolume;
  if (size == 0) return Taken::kEmptyVolume;
  o.volumes.push_back(size << 10 * power);
  return Taken::kYes;
}

// -up0q1r2x1y2z1
Taken TakeActions(Options& o, std::string_view text) {
  if (text.empty()) return Taken::kUnknown;
  static constexpr std::pair<char, std::string_view> kStates[] = {{'p', "01"}, {'q', "01"}, {'r', "02"}, {'x', "012"}, {'y', "012"}, {'z', "012"}};
  for (size_t i = 0; i < text.size(); i += 2) {
    const auto state = std::find_if(std::begin(kStates), std::end(kStates), [&](const auto& one) { return one.first == (text[i] | 0x20); });
    if (state == std::end(kStates) || i + 1 == text.size() || state->second.find(text[i + 1]) == std::string_view::npos) return Taken::kBadUpdate;
    o.actions.insert(0, {state->first, text[i + 1]});
  }
  return Taken::kYes;
}

Taken TakeSwitch(Options& o, const std::string& text) {
  const std::string_view rest = std::string_view(text).substr(1);
  if (rest == "y") o.clash = Clash::kReplace;
  else if (rest == "slt") o.is_technical = true;
  else if (rest == "so") o.to_stdout = true;
  else if (rest == "sdel") o.deletes_sources = true;
  else if (rest.starts_with("si")) o.stdin_name = rest.substr(2);
  else if (rest.starts_with('u')) return TakeActions(o, rest.substr(1));
  else if (rest.starts_with('v')) return TakeVolume(o, rest.substr(1));
  else if (rest.starts_with('w')) o.work = rest.size() > 1 ? std::string(rest.substr(1)) : std::string("/tmp");
  else if (rest == "ba") o.is_bare = true;
  else if (rest == "bd") return Taken::kYes;
  else if (rest.size() > 2 && rest.starts_with("bs") && std::string_view("oep").find(rest[2]) != std::string_view::npos) {
    if (rest.size() == 3) return Taken::kTooShort;
    if (rest.size() > 4) return rest[3] >= '0' && rest[3] <= '2' ? Taken::kTooLong : Taken::kBadPostfix;
    if (rest[3] < '0' || rest[3] > '2') return Taken::kBadPostfix;
    if (rest[2] != 'p') (rest[2] == 'o' ? o.messages : o.errors) = rest[3];
  }
  else if (rest.starts_with('t')) {
    const std::string type = Lower(rest.substr(1));
    for (const auto& [name, known] : kTypes) {
      if (type == name) o.type = known;
    }
    if (o.type.empty()) return Taken::kNoType;
  } else if (rest.starts_with('m') && rest.size() > 1) return TakeParameter(o, rest.substr(1)) ? Taken::kYes : Taken::kInvalid;
  else if (rest.starts_with('p')) o.password = rest.substr(1);
  else if (rest == "bb") o.log = 1;
  else if (rest.size() == 3 && rest.starts_with("bb") && rest[2] >= '0' && rest[2] <= '3') o.log = rest[2] - '0';
  else if (rest == "r" || rest == "r-") o.is_recursive = rest == "r";
  else if (rest == "aoa") o.clash = Clash::kReplace;
  else if (rest == "aos") o.clash = Clash::kSkip;
  else if (rest == "aou") o.clash = Clash::kRenameNew;
  else if (rest == "aot") o.clash = Clash::kRenameOld;
  else if (rest.starts_with('o') && rest.size() > 1) o.directory = rest.substr(1);
  else if (rest.starts_with("i!") || rest.starts_with("x!")) (rest[0] == 'i' ? o.wanted : o.unwanted).push_back({Parts(rest.substr(2)), false});
  else if (rest.starts_with("ir!") || rest.starts_with("xr!")) (rest[0] == 'i' ? o.wanted : o.unwanted).push_back({Parts(rest.substr(3)), true});
  else return Taken::kUnknown;
  return Taken::kYes;
}

ExitStatus Refuse(Invocation& in, std::string_view what, std::string_view argument) {
  in.out.Flush();
  in.err.Write("\n\nCommand Line Error:\n" + std::string(what) + "\n" + (argument.empty() ? "" : std::string(argument) + "\n"));
  return kBadUsage;
}

ExitStatus RefuseSwitch(Invocation& in, Taken why, const std::string& text) {
  if (why == Taken::kNoType || why == Taken::kInvalid) in.out.Write(kBanner);   // for the others the line is not even understood
  if (why == Taken::kUnknown) return Refuse(in, text == "-ao" || text == "-o" || text == "-u" || text == "-v" ? "Too short switch:" : "Unknown switch:", text);
  if (why == Taken::kTooShort || why == Taken::kTooLong) return Refuse(in, why == Taken::kTooShort ? "Too short switch:" : "Too long switch:", text);
  if (why == Taken::kBadPostfix) return Refuse(in, "Incorrect switch postfix:", text);
  if (why == Taken::kBadUpdate) return Refuse(in, "incorrect update switch command", std::string_view(text).substr(2));
  if (why == Taken::kBadVolume) return Refuse(in, "Incorrect volume size:", std::string_view(text).substr(2));
  if (why == Taken::kEmptyVolume) return Refuse(in, "zero size last volume is not allowed", "");
  in.out.Flush();
  in.err.Write(why == Taken::kNoType ? "\n\n\nERROR:\nUnsupported archive type\n" : "\n\n\nSystem ERROR:\nE_INVALIDARG : One or more arguments are invalid\n");
  return kFatal;
}

// The names in a file, one a line.
Status ReadList(Invocation& in, const std::string& path, std::vector<std::string>& names) {
  PADDOCK_ASSIGN(InputFile file, InputFile::OpenPath(in, path));
  while (const auto line = file.input().ReadLine()) {
    in.budget.Step();
    std::string name(line->text);
    if (name.ends_with('\r')) name.pop_back();
    if (!name.empty()) names.push_back(std::move(name));
  }
  return file.input().status();
}

ExitStatus Run(Invocation& in) {
  Options options;
  std::vector<std::string> operands;
  if (in.args.size() < 2 || in.args[1] == "--help" || in.args[1] == "-h") {
    in.out.Write(std::string(kBanner) + "\n" + std::string(kHelp));
    return 0;
  }
  bool has_switches = true;
  for (const std::string& text : in.args.subspan(1)) {
    if (has_switches && text == "--") has_switches = false;
    else if (!has_switches || !text.starts_with('-') || text.size() < 2) operands.push_back(text);
    else if (const Taken taken = TakeSwitch(options, text); taken != Taken::kYes) return RefuseSwitch(in, taken, text);
  }
  if (!options.is_bare && !options.to_stdout && options.messages != '0') seven_zip::StreamOf(in, options.messages).Write(kBanner);
  static constexpr std::string_view kReading[] = {"l", "t", "x", "e"}, kWriting[] = {"a", "u", "d", "rn"};
  const bool writes = !operands.empty() && std::find(std::begin(kWriting), std::end(kWriting), operands[0]) != std::end(kWriting);
  if (!writes && (operands.empty() || std::find(std::begin(kReading), std::end(kReading), operands[0]) == std::end(kReading))) {
    in.out.Write("\n");
    return Refuse(in, "Unsupported command:", operands.empty() ? "" : operands[0]);
  }
  if (operands.size() < 2) {
    in.out.Write("\n");
    return Refuse(in, "Cannot find archive name", "");
  }
  options.command = operands[0];
  options.archive = operands[1];
  for (size_t i = 2; i < operands.size(); ++i) {
    if (!has_switches || !operands[i].starts_with('@')) {
      options.operands.push_back(operands[i]);
    } else if (const Status read = ReadList(in, operands[i].substr(1), options.operands); !read) {
      in.out.Flush();
      in.err.Write("\n\nCommand Line Error:\nCannot open the list file:\nerrno=" + std::to_string(static_cast<int>(read.error().code)) + " : " + std::string(read.error().Text()) + "\n" + operands[i].substr(1) + "\n");
      return kBadUsage;
    }
  }
  if (writes) return seven_zip::Write(in, options);
  for (const std::string& name : options.operands) options.wanted.push_back({Parts(name), options.is_recursive});
  return seven_zip::Read(in, options);
}

constexpr const char* kAliases[] = {"7za", "7zr"};

}  // namespace

extern const Command kCommand_7z;
const Command kCommand_7z = {
    .name = "7z",
    .aliases = kAliases,
    .summary = "make, list, test and extract archives",
    .synopsis = "COMMAND [SWITCH]... ARCHIVE [NAME]...",
    .usage_status = 7,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
