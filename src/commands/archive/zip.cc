// zip - package and compress (archive) files
//
// usage: zip [-options] [zipfile [path path ...]] [-xi list]
//
// Exit status: 0; 3 for an archive that is damaged, 12 when there is nothing to do, 14 and 15 when the archive cannot be written or made,
// 16 for wrong options, 18 when a file could not be read.
// Source: Info-ZIP Zip 3.0.
// Differs: deflate's output is zlib's. Of a split archive nothing is asked or said: a part that is missing ends the run, and -sp, -sb, -sv are
// refused, as is -T with -s. Parts are joined whole, where the real one loses bytes of a file in more than two; and the end says how many records
// the last part has, where the real one counts one too few. Refused: logs (-l[afi]), dots (-d?),
// -k, -TT, FIFOs (-FI). There is no terminal to ask for a password at (-e). -FF leaves out members that are cut off. Directories are read in the order of their names.

#include <algorithm>

#include "commands/archive/packed_file.h"
#include "commands/archive/zip.h"
#include "commands/archive/zip_split.h"

namespace paddock {
namespace {

using namespace zip;

struct Switch {
  const char* name;        // one letter or two
  const char* long_name;   // null: none
  char argument;           // ' ' none, 'v' a value, 'l' a list
};
constexpr Switch kSwitches[] = {
    {"FF", "fixfix", ' '},     {"FS", "filesync", ' '},    {"ll", "from-crlf", ' '},    {"tt", "before-date", 'v'},      {"sf", "show-files", ' '}, {"sp", "split-pause", ' '}, {"sb", "split-bell", ' '}, {"sv", "split-verbose", ' '}, {"nw", "no-wild", ' '},        {"ws", "wild-stop-dirs", ' '},
    {"ic", "ignore-case", ' '}, {"MM", "must-match", ' '},   {"h2", "more-help", ' '},        {"r", "recurse-paths", ' '}, {"R", "recurse-patterns", ' '}, {"j", "junk-paths", ' '},
    {"D", "no-dir-entries", ' '}, {"y", "symlinks", ' '},    {"X", "no-extra", ' '},          {"X", "strip-extra", ' '}, {"q", "quiet", ' '},           {"v", "verbose", ' '},
    {"m", "move", ' '},         {"o", "latest-time", ' '},   {"d", "delete", ' '},            {"u", "update", ' '},      {"f", "freshen", ' '},       {"F", "fix", ' '},         {"U", "copy-entries", ' '},
    {"l", "to-crlf", ' '},      {"T", "test", ' '},          {"e", "encrypt", ' '},           {"z", "archive-comment", ' '}, {"c", "entry-comments", ' '}, {"A", "adjust-sfx", ' '}, {"J", "junk-sfx", ' '}, {"b", "temp-path", 'v'}, {"@", "names-stdin", ' '}, {"t", "from-date", 'v'},
    {"s", "split-size", 'v'},   {"n", "suffixes", 'v'},     {"O", "output-file", 'v'},   {"O", "out", 'v'},               {"P", "password", 'v'},    {"Z", "compression-method", 'v'}, {"x", "exclude", 'l'},
    {"i", "include", 'l'},      {"h", "help", ' '},          {"?", "help", ' '},              {"L", "license", ' '},     {"0", "store", ' '},           {"1", "compress-1", ' '},
    {"2", "compress-2", ' '},   {"3", "compress-3", ' '},    {"4", "compress-4", ' '},        {"5", "compress-5", ' '},  {"6", "compress-6", ' '},      {"7", "compress-7", ' '},
    {"8", "compress-8", ' '},   {"9", "compress-9", ' '}};

const char* Meaning(std::string_view name) {
  if (name == "s") return "do splits, set split size (-s=0 no splits)";
  if (name == "t") return "exclude before date";
  if (name == "tt") return "include before date";
  if (name == "n") return "suffixes to not compress: .gz:.zip";
  if (name == "O") return "set out zipfile different than in zipfile";
  if (name == "P") return "encrypt entries, option value is password";
  if (name == "b") return "dir to use for temp archive";
  if (name == "x") return "exclude files matching patterns";
  if (name == "i") return "include only files matching patterns";
  return "compression method";
}

void Apply(const std::string& name, const std::string& value, Options& o) {
  if (name == "FS") o.action = Action::kSync;
  else if (name == "FF") o.fixes = o.scans = true;
  else if (name == "ll") o.member.line_ends = 2;
  else if (name == "tt") o.before_date = value;
  else if (name == "sf") o.shows_files = true;
  else if (name == "sp" || name == "sb" || name == "sv") o.split_talk = name;
  else if (name == "nw") o.no_wildcards = true;
  else if (name == "ws") o.stops_at_slash = true;
  else if (name == "ic") o.ignores_case = true;
  else if (name == "MM") o.must_match = true;
  else if (name == "h2") o.shows_help = true;
  else switch (name[0]) {
    case 'r': o.recursive = true; break;
    case 'R': o.recursive_patterns = true; break;
    case 'j': o.junks = true; break;
    case 'D': o.no_directories = true; break;
    case 'y': o.keeps_links = true; break;
    case 'X': o.no_extra = true; break;
    case 'q': o.quiet = true; break;
    case 'v': o.verbose = true; break;
    case 'm': o.moves = true; break;
    case 'o': o.latest_time = true; break;
    case 'd': o.action = Action::kDelete; break;
    case 'u': o.action = Action::kUpdate; break;
    case 'f': o.action = Action::kFreshen; break;
    case 'F': o.fixes = true; break;
    case 'U': o.action = Action::kCopy; break;
    case 'l': o.member.line_ends = 1; break;
    case 'T': o.tests = true; break;
    case 'e': o.encrypts = true; break;
    case 'z': o.comments = true; break;
    case 'A': o.adjusts = true; break;
    case 'J': o.junks_lead = true; break;
    case 'c': o.entry_comments = true; break;
    case 'b': o.draft_directory = value; break;
    case '@': o.names_from_stdin = true; break;
    case 't': o.from_date = value; break;
    case 's': o.split_size = value; break;
    case 'n': o.suffixes = value; break;
    case 'O': o.output = value; break;
    case 'P': o.member.password = value; break;
    case 'Z': o.method = value; break;
    case 'h': case '?': o.shows_help = true; break;
    case 'L': o.shows_license = true; break;
    default: o.member.level = name[0] - '0';
  }
}

// The arguments, in zip's own manner: letters in a row, some of two, and lists that go on to the next option or '@'.
Status ParseArguments(Invocation& in, Options& o) {
  const std::span<const std::string> args = in.args;
  const auto take = [&](const Switch& found, std::string value, bool has_value, size_t& i) -> Status {
    if (found.argument == 'l') {
      std::vector<std::string>& list = found.name[0] == 'x' ? o.excluded : o.included;
      if (value.starts_with('@')) {
        PADDOCK_ASSIGN(const std::string text, vfs::ReadFile(in.fs, value.substr(1)));
        for (size_t at = 0; at < text.size();) {
          const size_t end = std::min(text.find('\n', at), text.size());
          if (end > at) list.push_back(text.substr(at, end - at));
          at = end + 1;
        }
        return {};
      }
      if (has_value) list.push_back(value);
      const size_t before = list.size();
      while (i + 1 < args.size() && !(args[i + 1].size() > 1 && args[i + 1][0] == '-')) {
        if (args[++i] == "@") break;
        list.push_back(args[i]);
      }
      if (!has_value && list.size() == before) return Error(Code::kSyntax, std::string("option '") + found.name + "' (" + Meaning(found.name) + ") requires a value");
      return {};
    }
    if (found.argument == 'v' && !has_value) {
      if (i + 1 >= args.size()) return Error(Code::kSyntax, std::string("option '") + found.name + "' (" + Meaning(found.name) + ") requires a value");
      value = args[++i];
    }
    Apply(found.name, value, o);
    return {};
  };
  for (size_t i = 1; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (arg == "--") {
      o.operands.insert(o.operands.end(), args.begin() + static_cast<std::ptrdiff_t>(i) + 1, args.end());
      break;
    }
    if (arg.size() < 2 || arg[0] != '-') {
      o.operands.push_back(arg);
      continue;
    }
    if (arg[1] == '-') {
      const size_t equals = arg.find('=');
      const std::string name = arg.substr(2, equals == std::string::npos ? equals : equals - 2);
      const Switch* found = nullptr;
      for (const Switch& one : kSwitches) {
        if (!std::string_view(one.long_name).starts_with(name)) continue;
        if (found != nullptr && one.long_name != name && std::string_view(found->name) != one.name) return Error(Code::kSyntax, "long option '" + name + "' ambiguous");
        if (found == nullptr || one.long_name == name) found = &one;
      }
      if (found == nullptr) return Error(Code::kSyntax, "long option '" + name + "' not supported");
      PADDOCK_TRY(take(*found, equals == std::string::npos ? "" : arg.substr(equals + 1), equals != std::string::npos, i));
      continue;
    }
    for (size_t at = 1; at < arg.size();) {
      const auto* found = std::find_if(std::begin(kSwitches), std::end(kSwitches), [&](const Switch& one) { return arg.compare(at, std::string_view(one.name).size(), one.name) == 0; });
      if (found == std::end(kSwitches)) return Error(Code::kSyntax, std::string("short option '") + arg[at] + "' not supported");
      at += std::string_view(found->name).size();
      if (found->argument == ' ') {
        Apply(found->name, "", o);
        continue;
      }
      std::string value = arg.substr(at);
      const bool has_value = !value.empty();
      if (value.starts_with('=')) value.erase(0, 1);
      PADDOCK_TRY(take(*found, value, has_value, i));
      break;
    }
  }
  return {};
}

constexpr std::string_view kUsage =
    "Zip 3.0 as Paddock has it. Usage:\n"
    "zip [-options] [-t mmddyyyy] [-n suffixes] [zipfile list] [-xi list]\n"
    "  The default action is to add or replace zipfile entries from list, which\n"
    "  can include the special name - to compress standard input.\n"
    "  If zipfile and list are omitted, zip compresses stdin to stdout.\n"
    "  -f   freshen: only changed files  -u   update: only changed or new files\n"
    "  -d   delete entries in zipfile    -m   move into zipfile (delete OS files)\n"
    "  -r   recurse into directories     -j   junk (don't record) directory names\n"
    "  -0   store only                   -l   convert LF to CR LF (-ll CR LF to LF)\n"
    "  -1   compress faster              -9   compress better\n"
    "  -q   quiet operation              -v   verbose operation\n"
    "  -z   add zipfile comment          -@   read names from stdin\n"
    "  -c   add one-line comments        -b   directory of the unfinished archive\n"
    "  -o   make zipfile as old as latest entry\n"
    "  -x   exclude the following names  -i   include only the following names\n"
    "  -D   do not add directory entries -T   test zipfile integrity\n"
    "  -F   fix zipfile (-FF try harder), with --out   -e   encrypt, with a password from the terminal\n"
    "  -A   adjust self-extracting exe      -J   junk zipfile prefix (unzipsfx)\n"
    "  -X   eXclude eXtra file attributes\n"
    "  -y   store symbolic links as the link instead of the referenced file\n"
    "  -R   PKZIP recursion (patterns)   -n   don't compress these suffixes\n"
    "  -FS  make the archive what the files are   -U   copy entries (with --out)\n"
    "  -P   encrypt with a password      -Z   method: store, deflate, bzip2\n"
    "  -s   split into parts of a size (0: none)\n"
    "  -sf  show the files instead       -t, -tt   only files from, before a date\n";

ExitStatus Run(Invocation& in) {
  Options options;
  const auto usage = [&](const std::string& message) {
    in.out.Write("\nzip error: Invalid command arguments (" + message + ")\n");
    return kBadUsage;
  };
  if (const Status parsed = ParseArguments(in, options); !parsed) return usage(std::string(parsed.error().Text()));
  if (options.shows_help || options.shows_license) {
    in.out.Write(options.shows_help ? kUsage : "Licensed under the Apache License, Version 2.0.\n");
    return 0;
  }
  if (options.operands.empty() && in.args.size() == 1 && IsTerminal(in, 1)) {
    in.out.Write(kUsage);
    return 0;
  }
  if (options.encrypts && !options.member.password) return usage("stderr is not a tty");
  if (!options.method.empty()) {
    if (options.method == "store") options.member.method = codec::kZipStored;
    else if (options.method == "bzip2") options.member.method = codec::kZipBzip2;
    else if (options.method != "deflate") {
      in.out.Write("\tzip warning: valid compression methods are:  store, deflate, bzip2\n\tzip warning: unknown compression method found:  " + options.method + "\n");
      return usage("Option -Z (--compression-method):  unknown method");
    }
  }
  if (!options.split_talk.empty()) return usage("option '" + options.split_talk + "': parts are written without pauses and words; leave it out");
  if (!options.split_size.empty()) {
    options.part_size = ReadPartSize(options.split_size);
    if (!options.part_size) {
      if (options.split_size[0] < '0' || options.split_size[0] > '9') in.out.Write("\tzip warning: Unable to read number (must start with digit): " + options.split_size + "\n");
      return usage("bad split size:  '" + options.split_size + "'");
    }
    if (*options.part_size > 0 && *options.part_size < kLeastPart) return usage("minimum split size is 64 KB:  '" + options.split_size + "'");
  }
  if (options.fixes) return Fix(in, options);
  if (options.operands.empty()) options.operands.emplace_back("-");
  if (options.operands.size() == 1 && options.operands[0] == "-" && !options.names_from_stdin) options.operands.emplace_back("-");
  return Zipper(in, options).Run();
}

}  // namespace

extern const Command kCommand_zip;
const Command kCommand_zip = {
    .name = "zip",
    .summary = "package and compress (archive) files",
    .synopsis = "[-options] [zipfile [path path ...]] [-xi list]",
    .usage_status = kBadUsage,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
