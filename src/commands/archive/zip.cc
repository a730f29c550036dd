// zip - package and compress (archive) files
//
// usage: zip [-options] [zipfile [path path ...]] [-xi list]
//
// Exit status: 0; 3 for an archive that is damaged, 12 when there is nothing to do, 14 and 15 when the archive cannot be written or made,
// 16 for wrong options, 18 when a file could not be read.
// Source: Info-ZIP Zip 3.0.
// Differs: deflate's output is zlib's. Refused: split archives (-s), fixing (-F, -FF), comments of single entries (-c), logs (-l[afi]), dots (-d?),
// -k, -A, -J, -b, -TT, FIFOs (-FI), and passwords that are asked for (-e). Directories are read in the order of their names.

#include <algorithm>
#include <map>

#include "commands/archive/packed_file.h"
#include "commands/archive/zip_writer.h"
#include "commands/file_facts.h"
#include "proc/process.h"
#include "text/date_parse.h"
#include "text/pattern.h"

namespace paddock {
namespace {

using codec::ZipEntry;

constexpr ExitStatus kFormat = 3, kNothing = 12, kCannotWrite = 14, kCannotCreate = 15, kBadUsage = 16, kUnreadable = 18;

enum class Action { kAdd, kUpdate, kFreshen, kSync, kDelete, kCopy };

struct Options {
  Action action = Action::kAdd;
  bool recursive = false, recursive_patterns = false, junks = false, no_directories = false, keeps_links = false, no_extra = false, quiet = false, verbose = false;
  bool moves = false, latest_time = false, tests = false, comments = false, names_from_stdin = false, stops_at_slash = false, no_wildcards = false;
  bool ignores_case = false, shows_files = false, must_match = false, encrypts = false, shows_help = false, shows_license = false;
  ZipMemberOptions member;
  std::optional<std::string> output;
  std::string suffixes = ".Z:.zip:.zoo:.arc:.lzh:.arj", from_date, before_date, method;
  std::vector<std::string> operands, included, excluded;
};

struct Switch {
  const char* name;        // one letter or two
  const char* long_name;   // null: none
  char argument;           // ' ' none, 'v' a value, 'l' a list
};
constexpr Switch kSwitches[] = {
    {"FS", "filesync", ' '},    {"ll", "from-crlf", ' '},    {"tt", "before-date", 'v'},      {"sf", "show-files", ' '}, {"nw", "no-wild", ' '},        {"ws", "wild-stop-dirs", ' '},
    {"ic", "ignore-case", ' '}, {"MM", "must-match", ' '},   {"h2", "more-help", ' '},        {"r", "recurse-paths", ' '}, {"R", "recurse-patterns", ' '}, {"j", "junk-paths", ' '},
    {"D", "no-dir-entries", ' '}, {"y", "symlinks", ' '},    {"X", "no-extra", ' '},          {"X", "strip-extra", ' '}, {"q", "quiet", ' '},           {"v", "verbose", ' '},
    {"m", "move", ' '},         {"o", "latest-time", ' '},   {"d", "delete", ' '},            {"u", "update", ' '},      {"f", "freshen", ' '},         {"U", "copy-entries", ' '},
    {"l", "to-crlf", ' '},      {"T", "test", ' '},          {"e", "encrypt", ' '},           {"z", "archive-comment", ' '}, {"@", "names-stdin", ' '}, {"t", "from-date", 'v'},
    {"n", "suffixes", 'v'},     {"O", "output-file", 'v'},   {"O", "out", 'v'},               {"P", "password", 'v'},    {"Z", "compression-method", 'v'}, {"x", "exclude", 'l'},
    {"i", "include", 'l'},      {"h", "help", ' '},          {"?", "help", ' '},              {"L", "license", ' '},     {"0", "store", ' '},           {"1", "compress-1", ' '},
    {"2", "compress-2", ' '},   {"3", "compress-3", ' '},    {"4", "compress-4", ' '},        {"5", "compress-5", ' '},  {"6", "compress-6", ' '},      {"7", "compress-7", ' '},
    {"8", "compress-8", ' '},   {"9", "compress-9", ' '}};

const char* Meaning(std::string_view name) {
  if (name == "t") return "exclude before date";
  if (name == "tt") return "include before date";
  if (name == "n") return "suffixes to not compress: .gz:.zip";
  if (name == "O") return "set out zipfile different than in zipfile";
  if (name == "P") return "encrypt entries, option value is password";
  if (name == "x") return "exclude files matching patterns";
  if (name == "i") return "include only files matching patterns";
  return "compression method";
}

void Apply(const std::string& name, const std::string& value, Options& o) {
  if (name == "FS") o.action = Action::kSync;
  else if (name == "ll") o.member.line_ends = 2;
  else if (name == "tt") o.before_date = value;
  else if (name == "sf") o.shows_files = true;
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
    case 'U': o.action = Action::kCopy; break;
    case 'l': o.member.line_ends = 1; break;
    case 'T': o.tests = true; break;
    case 'e': o.encrypts = true; break;
    case 'z': o.comments = true; break;
    case '@': o.names_from_stdin = true; break;
    case 't': o.from_date = value; break;
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

// A file that is to go into the archive.
struct Found {
  std::string path;     // "-": standard input
  vfs::Attributes attributes;
};

class Zipper {
 public:
  Zipper(Invocation& in, Options& options) : in_(in), o_(options), zone_(LocalZone(in.env)) {}

  ExitStatus Run() {
    target_ = o_.operands.front();
    const bool is_stdout = target_ == "-";
    shown_ = is_stdout ? &in_.err : &in_.out;
    if (!is_stdout && vfs::BaseName(target_).find('.') == std::string::npos) target_ += ".zip";
    if (!is_stdout && in_.fs.Stat(target_)) {
      auto old = ZipFile::Open(in_.fs, target_, in_.budget);
      if (!old && old.error().code == Code::kSyntax) {
        Warn("missing end signature--probably not a zip file (did you");
        Warn("remember to use binary mode when you transferred it?)");
        Warn("(if you are trying to read a damaged archive try -F)");
      }
      if (!old) return Fail("Zip file structure invalid (" + target_ + ")", kFormat, old.error());
      old_ = std::move(*old);
      if (old_->directory().displacement != 0) return Fail("Zip file structure invalid (" + target_ + ")", kFormat, Code::kOk);
    }
    if (o_.shows_files && o_.operands.size() == 1 && old_) return ShowOld();
    if (const auto status = Prepare()) return *status;
    if (o_.shows_files) return ShowFound();
    return Write(is_stdout);
  }

 private:
  ExitStatus Fail(const std::string& message, ExitStatus status, const Error& why) {
    if (why.code != Code::kOk && why.code < Code::kSyntax) shown_->Write("zip I/O error: " + std::string(why.Text()) + "\n");
    shown_->Write((why.code != Code::kOk && why.code < Code::kSyntax ? "zip error: " : "\nzip error: ") + message + "\n");
    return status;
  }
  void Warn(const std::string& message) {
    shown_->Write("\tzip warning: " + message + "\n");
  }
  void Say(const std::string& text) {
    if (!o_.quiet) shown_->Write(text);
  }

  bool Matches(const std::string& pattern, const std::string& name) const {
    if (o_.no_wildcards) return pattern == name;
    const Pattern compiled(pattern, {.extglob = false, .ignore_case = o_.ignores_case, .is_utf8 = in_.locale.is_utf8, .is_path = o_.stops_at_slash});
    return compiled.Matches(name, in_.budget);
  }
  bool MatchesAny(const std::vector<std::string>& patterns, const std::string& name) const {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return Matches(pattern, name); });
  }
  bool IsChosen(const std::string& name) const {
    if (!o_.included.empty() && !MatchesAny(o_.included, name)) return false;
    return !MatchesAny(o_.excluded, name);
  }

  // What a path is called in the archive; empty for what has no name there.
  std::string NameOf(const std::string& path) const {
    std::string_view name = path;
    while (true) {
      if (name.starts_with('/')) name.remove_prefix(1);
      else if (name.starts_with("./")) name.remove_prefix(2);
      else break;
    }
    if (name == ".") return {};
    if (o_.junks) {
      std::string_view plain = name;
      while (plain.ends_with('/')) plain.remove_suffix(1);
      name.remove_prefix(plain.rfind('/') == std::string_view::npos ? 0 : plain.rfind('/') + 1);
    }
    return std::string(name);
  }

  bool IsInTime(int64_t seconds) const { return seconds >= from_ && seconds < before_; }

  // --- what goes in

  // A status when that is the end.
  std::optional<ExitStatus> Prepare() {
    for (const auto& [text, value, least] : {std::tuple{&o_.from_date, &from_, true}, std::tuple{&o_.before_date, &before_, false}}) {
      static_cast<void>(least);
      if (text->empty()) continue;
      std::string date = *text;
      if (date.size() == 8 && date.find('-') == std::string::npos) date = date.substr(4) + "-" + date.substr(0, 2) + "-" + date.substr(2, 2);
      const auto moment = ParseDate(date, Now(in_.clock), zone_, in_.budget);
      if (!moment) return Fail("Invalid command arguments (invalid date entered for " + std::string(value == &from_ ? "-t" : "-tt") + " option - use mmddyyyy or yyyy-mm-dd)", kBadUsage, Code::kOk);
      *value = moment->seconds;
    }
    std::vector<std::string> names(o_.operands.begin() + 1, o_.operands.end());
    if (o_.names_from_stdin) {
      while (const auto line = in_.in.ReadLine()) {
        if (!line->text.empty()) names.emplace_back(line->text);
      }
    }
    if (o_.action == Action::kDelete || o_.action == Action::kCopy) return ChooseOld(names);
    if (o_.recursive_patterns) Walk(".", &names);
    else if (names.empty() && old_ && o_.action == Action::kFreshen) FindOld();
    else if (names.empty() && (!old_ || !(o_.output || o_.comments || o_.latest_time || o_.tests))) return NothingToDo("");
    else for (const std::string& name : names) Find(name);
    if (has_repeated_) return Fail("Invalid command arguments (cannot repeat names in zip file)", kBadUsage, Code::kOk);
    if (missing_ > 0 && o_.must_match) return Fail("File not found or no read permission", kUnreadable, Code::kOk);
    if (found_.empty() && !(old_ && (o_.output || o_.comments || o_.latest_time || o_.tests || o_.action == Action::kSync))) {
      return NothingToDo(missing_ > 0 && o_.recursive && !old_ ? names.front() : "");
    }
    return std::nullopt;
  }
  ExitStatus NothingToDo(const std::string& hint) {
    if (o_.action == Action::kFreshen && missing_ == 0) return kNothing;
    return Fail("Nothing to do! (" + (hint.empty() ? target_ : "try: zip -r " + target_ + " . -i " + hint) + ")", kNothing, Code::kOk);
  }

  std::optional<ExitStatus> ChooseOld(const std::vector<std::string>& patterns) {
    if (!old_) {
      Warn(target_ + " not found or empty");
      return Fail("Nothing to do! (" + target_ + ")", kNothing, Code::kOk);
    }
    for (const std::string& pattern : patterns) {
      bool is_used = false;
      for (const ZipEntry& entry : old_->directory().entries) {
        if (!Matches(pattern, entry.name) || !IsInTime(entry.modified().value_or(0))) continue;
        is_used = true;
        chosen_.insert_or_assign(entry.name, true);
      }
      if (!is_used) Warn("name not matched: " + pattern);
    }
    if (chosen_.empty()) return Fail("Nothing to do! (" + target_ + ")", kNothing, Code::kOk);
    return std::nullopt;
  }
  void FindOld() {
    for (const ZipEntry& entry : old_->directory().entries) {
      if (in_.fs.Stat(entry.name)) Find(entry.name);
    }
  }

  void Find(const std::string& path) {
    if (path == "-") {
      vfs::Attributes attributes;
      attributes.mode = 0600;
      attributes.modify_time = attributes.access_time = in_.clock.RealNow();
      Insert("-", {"-", attributes});
      return;
    }
    const auto attributes = in_.fs.Stat(path, o_.keeps_links ? vfs::Follow::kNo : vfs::Follow::kYes);
    if (!attributes) {
      // A pattern that no shell took apart may mean entries of the archive.
      bool is_used = false;
      if (old_ && (o_.action != Action::kAdd)) {
        for (const ZipEntry& entry : old_->directory().entries) {
          if (!Matches(path, entry.name)) continue;
          is_used = true;
          if (in_.fs.Stat(entry.name)) Find(entry.name);
        }
      }
      if (is_used) return;
      Warn("name not matched: " + path);
      ++missing_;
      return;
    }
    if (!attributes->is_directory()) {
      Consider(path, *attributes);
      return;
    }
    const std::string folder = path.ends_with('/') ? path : path + "/";
    if (!o_.no_directories && !o_.junks) Consider(folder, *attributes);
    if (o_.recursive) Walk(path, nullptr);
  }

  // What is below a directory: all, or what one of the patterns means (-R).
  void Walk(const std::string& path, const std::vector<std::string>* patterns) {
    in_.budget.CheckStack();
    const auto entries = in_.fs.List(path);
    if (!entries) {
      Warn("could not open for reading: " + path);
      ++unreadable_;
      return;
    }
    for (const vfs::DirectoryEntry& entry : *entries) {
      in_.budget.Step(4);
      const std::string child = path == "." ? entry.name : vfs::JoinPath(path, entry.name);
      const auto attributes = in_.fs.Stat(child, o_.keeps_links ? vfs::Follow::kNo : vfs::Follow::kYes);
      if (!attributes) {
        Warn("could not open for reading: " + child);
        ++unreadable_;
        continue;
      }
      const bool is_meant = patterns == nullptr || std::any_of(patterns->begin(), patterns->end(), [&](const std::string& pattern) {
        return Matches(pattern, entry.name) || Matches(pattern, child);
      });
      if (!attributes->is_directory()) {
        if (is_meant) Consider(child, *attributes);
        continue;
      }
      if (std::find(above_.begin(), above_.end(), attributes->inode) != above_.end()) continue;   // a followed symlink leads back
      if (patterns == nullptr && !o_.no_directories && !o_.junks) Consider(child + "/", *attributes);
      above_.push_back(attributes->inode);
      Walk(child, patterns);
      above_.pop_back();
    }
  }

  void Consider(const std::string& path, const vfs::Attributes& attributes) {
    const std::string name = NameOf(path);
    if (name.empty() || !IsChosen(name)) return;
    if (!IsInTime(ToTimePoint(attributes.modify_time).seconds) && !attributes.is_directory()) return;
    if (attributes.type == vfs::FileType::kFifo) {
      Warn("ignoring FIFO (Named Pipe) - use -FI to read: " + path);
      return;
    }
    if (!attributes.is_directory() && !attributes.is_file() && !attributes.is_symlink()) {
      Warn("ignoring special file: " + path);
      return;
    }
    if (const auto archive = in_.fs.Stat(target_); archive && IsSameFile(*archive, attributes)) return;
    Insert(name, {path, attributes});
  }
  void Insert(const std::string& name, Found found) {
    const auto it = found_.find(name);
    if (it != found_.end()) {
      if (it->second.path != found.path) {
        const auto& [first, second] = std::minmax(it->second.path, found.path);
        Warn("  first full name: " + first + "\n                      second full name: " + second + "\n                     name in zip file repeated: " + name);
        has_repeated_ = true;
      }
      return;
    }
    order_.push_back(name);
    found_.emplace(name, std::move(found));
  }

  // --- what is shown instead

  ExitStatus ShowOld() {
    uint64_t bytes = 0;
    in_.out.Write("Archive contains:\n");
    for (const ZipEntry& entry : old_->directory().entries) {
      in_.out.Write("  " + entry.name + "\n");
      bytes += entry.size;
    }
    in_.out.Write("Total " + std::to_string(old_->directory().entries.size()) + " entries (" + std::to_string(bytes) + " bytes)\n");
    return 0;
  }
  ExitStatus ShowFound() {
    uint64_t bytes = 0, count = 0;
    const bool is_old = o_.action == Action::kDelete || o_.action == Action::kCopy;
    in_.out.Write(o_.action == Action::kDelete ? "Would Delete:\n" : o_.action == Action::kCopy ? "Would Copy:\n" : o_.action == Action::kFreshen ? "Would Freshen:\n" : "Would Add/Update:\n");
    if (is_old) {
      for (const ZipEntry& entry : old_->directory().entries) {
        if (!chosen_.contains(entry.name)) continue;
        in_.out.Write("  " + entry.name + "\n");
        bytes += entry.size;
        ++count;
      }
    }
    for (const std::string& name : order_) {
      in_.out.Write("  " + name + "\n");
      bytes += found_.at(name).attributes.is_file() ? found_.at(name).attributes.size : 0;
      ++count;
    }
    in_.out.Write("Total " + std::to_string(count) + " entries (" + std::to_string(bytes) + " bytes)\n");
    return 0;
  }

  // --- what is written

  bool IsStoredBySuffix(const std::string& name) const {
    std::string_view rest = o_.suffixes;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find_first_of(":,;"), rest.size());
      const std::string_view suffix = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!suffix.empty() && name.size() > suffix.size() && name.ends_with(suffix)) return true;
    }
    return false;
  }

  ZipEntry Describe(const std::string& name, const vfs::Attributes& attributes, ZipMemberOptions& member) const {
    ZipEntry entry;
    entry.name = name;
    if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }) && in_.locale.is_utf8) entry.flags = codec::kZipIsUtf8;
    const int64_t seconds = ToTimePoint(attributes.modify_time).seconds;
    const CalendarTime time = zone_.ToLocal((seconds + 1) & ~int64_t{1});   // two seconds are the least that DOS knows
    if (time.year >= 1980 && time.year < 2108) {
      entry.dos_date = static_cast<uint16_t>((time.year - 1980) << 9 | time.month << 5 | time.day);
      entry.dos_time = static_cast<uint16_t>(time.hour << 11 | time.minute << 5 | time.second / 2);
    }
    const uint32_t type = attributes.is_directory() ? 040000 : attributes.is_symlink() ? 0120000 : 0100000;
    entry.external = (type | (attributes.mode & 07777)) << 16 | (attributes.is_directory() ? 0x10u : 0) | ((attributes.mode & 0200) == 0 ? 1u : 0);
    if (o_.no_extra || name == "-") return entry;
    const auto put = [](std::string& to, uint64_t value, size_t size) {
      for (size_t i = 0; i < size; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
    };
    std::string owner("ux\x0b\0\1", 5);
    for (const uint32_t id : {attributes.uid, attributes.gid}) {
      put(owner, 4, 1);
      put(owner, id, 4);
    }
    std::string local("UT\x09\0\3", 5), central("UT\5\0\3", 5);
    put(local, static_cast<uint64_t>(seconds), 4);
    put(local, static_cast<uint64_t>(ToTimePoint(attributes.access_time).seconds), 4);
    put(central, static_cast<uint64_t>(seconds), 4);
    member.local_extra = local + owner;
    entry.extra = central + owner;
    return entry;
  }

  static std::string Share(uint64_t size, uint64_t packed) {
    if (size == 0 || packed >= size) return "0%";
    return std::to_string((200 * (size - packed) / size + 1) / 2) + "%";
  }

  // Adds a file to the archive that is written. A status for what ends everything.
  std::optional<ExitStatus> Add(ZipWriter& writer, const std::string& name, const char* what) {
    const Found& found = found_.at(name);
    ZipMemberOptions member = o_.member;
    if (IsStoredBySuffix(name)) member.method = codec::kZipStored;
    ZipEntry entry = Describe(name, found.attributes, member);
    std::unique_ptr<ByteSource> source;
    vfs::OpenFilePtr file;
    std::string text;
    ByteSource* bytes = nullptr;
    if (found.path == "-") {
      source = std::make_unique<InputSource>(in_.in);
    } else if (found.attributes.is_directory()) {
      source = std::make_unique<StringSource>("");
    } else if (found.attributes.is_symlink()) {
      text = in_.fs.ReadLink(found.path).value_or("");
      member.method = codec::kZipStored;
      member.line_ends = 0;
      source = std::make_unique<StringSource>(text);
    } else {
      auto opened = in_.fs.Open(found.path, vfs::OpenFlags::Read());
      if (!opened) {
        Say(what + name + "\n");
        Warn("could not open for reading: " + found.path);
        ++unreadable_;
        skipped_bytes_ += found.attributes.size;
        return std::nullopt;
      }
      file = *opened;
      bytes = file.get();
    }
    if (bytes == nullptr) bytes = source.get();
    Say(what + name);
    const ZipWriter::Outcome outcome = writer.Add(entry, *bytes, member);
    if (!outcome.written) return Fail("Output file write failure (" + std::string(outcome.written.error().Text()) + ")", kCannotWrite, Code::kOk);
    if (!outcome.read) {
      Say("\n");
      Warn("could not read input file: " + found.path);
      ++unreadable_;
      return std::nullopt;
    }
    const uint64_t data = entry.is_encrypted() ? entry.packed - 12 : entry.packed;
    in_bytes_ += entry.size;
    out_bytes_ += data;
    ++added_;
    latest_ = std::max(latest_, ToTimePoint(found.attributes.modify_time).seconds);
    Say((o_.verbose ? "\t(in=" + std::to_string(entry.size) + ") (out=" + std::to_string(data) + ")" : "") +
        (entry.method == codec::kZipStored ? " (stored 0%)\n" : (entry.method == codec::kZipBzip2 ? " (bzipped " : " (deflated ") + Share(entry.size, data) + ")\n"));
    done_.push_back(found.path);
    return std::nullopt;
  }

  // What becomes of an entry that is there already.
  std::optional<ExitStatus> TakeOld(ZipWriter& writer, const ZipEntry& entry) {
    const auto keep = [&]() -> std::optional<ExitStatus> {
      latest_ = std::max(latest_, entry.modified().value_or(0));
      if (const Status copied = writer.Copy(*old_, entry); !copied) return Fail("Zip file structure invalid (" + target_ + ")", kFormat, copied.error());
      return std::nullopt;
    };
    const auto drop = [&]() -> std::optional<ExitStatus> {
      dropped_.push_back(entry.name);
      ++changed_;
      return std::nullopt;
    };
    const auto it = found_.find(entry.name);
    const bool is_old = o_.action == Action::kDelete || o_.action == Action::kCopy;
    if (is_old) {
      const bool is_chosen = chosen_.contains(entry.name) && (o_.action == Action::kCopy ? IsChosen(entry.name) : true);
      if (o_.action == Action::kDelete) return is_chosen ? drop() : keep();
      if (!is_chosen) return std::nullopt;
      Say(" copying: " + entry.name + "\n");
      return keep();
    }
    if (it == found_.end()) return o_.action == Action::kSync ? drop() : keep();
    const int64_t there = ToTimePoint(it->second.attributes.modify_time).seconds;
    const int64_t here = entry.modified().value_or(0);
    const bool is_newer = there > here;
    const bool differs = there != here || (it->second.attributes.is_file() && it->second.attributes.size != entry.size);
    const std::string name = entry.name;
    if ((o_.action == Action::kUpdate || o_.action == Action::kFreshen) && !is_newer) {
      found_.erase(it);
      return keep();
    }
    if (o_.action == Action::kSync && !differs) {
      found_.erase(it);
      return keep();
    }
    ++changed_;
    const auto status = Add(writer, name, o_.action == Action::kFreshen ? "freshening: " : "updating: ");
    found_.erase(name);
    return status;
  }

  ExitStatus Write(bool is_stdout) {
    std::string comment = old_ ? old_->directory().comment : "";
    const std::string target = o_.output.value_or(target_);
    vfs::OpenFilePtr file;
    std::string draft;
    OutputSink out(in_.out);
    if (!is_stdout) {
      // Beside the archive, which stays as it is until the new one is whole.
      const size_t slash = target.rfind('/');
      for (int i = 0; i < 100 && !file; ++i) {
        draft = (slash == std::string::npos ? "" : target.substr(0, slash + 1)) + "zi" + std::to_string(in_.process.pid()) + "_" + std::to_string(i);
        auto opened = in_.fs.Open(draft, {.read = true, .write = true, .create = true, .exclusive = true});
        if (opened) file = *opened;
        else if (opened.error().code != Code::kExists) return Fail("Could not create output file (" + target + ")", kCannotCreate, opened.error());
      }
      if (!file) return Fail("Could not create output file (" + target + ")", kCannotCreate, Code::kExists);
    }
    ZipWriter writer(in_, file, &out);
    const ExitStatus status = WriteMembers(writer, comment);
    file.reset();
    const bool is_unchanged = old_ && !o_.output && added_ + changed_ == 0 && !o_.comments && !o_.latest_time;
    if (status != 0 || (is_unchanged && !is_stdout)) {
      if (!is_stdout) static_cast<void>(in_.fs.RemoveFile(draft));
      if (status != 0) return status;
      if (o_.action == Action::kSync) {
        Say("Archive is current\n");
        return 0;
      }
      return o_.tests ? Test(target) : kNothing;
    }
    if (!is_stdout) {
      if (const auto before = in_.fs.Stat(target)) static_cast<void>(in_.fs.SetMode(draft, before->mode));
      if (const Status moved = in_.fs.Rename(draft, target); !moved) return Fail("Could not create output file (" + target + ")", kCannotCreate, moved.error());
      if (o_.latest_time) {
        if (const auto time = FromTimePoint({latest_, 0})) static_cast<void>(in_.fs.SetTimes(target, time, time));
      }
    }
    return Conclude(target, is_stdout);
  }

  ExitStatus WriteMembers(ZipWriter& writer, std::string& comment) {
    if (old_) {
      for (const ZipEntry& entry : old_->directory().entries) {
        in_.budget.Step(4);
        if (const auto status = TakeOld(writer, entry)) return *status;
      }
    }
    for (const std::string& name : dropped_) Say("deleting: " + name + "\n");
    for (const std::string& name : order_) {
      if (!found_.contains(name) || o_.action == Action::kFreshen) continue;
      if (const auto status = Add(writer, name, "  adding: ")) return *status;
    }
    if (writer.entries().empty() && (!old_ || !o_.output) && o_.action != Action::kDelete && unreadable_ > 0) return kUnreadable;
    if (o_.comments) comment = AskComment();
    if (writer.entries().empty() && o_.action == Action::kDelete) Warn("zip file empty");
    const Status finished = writer.Finish(comment);
    if (!finished) return Fail("Output file write failure (" + std::string(finished.error().Text()) + ")", kCannotWrite, Code::kOk);
    return 0;
  }
  std::string AskComment() {
    in_.out.Flush();
    in_.err.Write("enter new zip file comment (end with .):\n");
    std::string comment;
    while (const auto line = in_.in.ReadLine()) {
      if (line->text == ".") break;
      if (!comment.empty()) comment += "\r\n";
      comment += line->text;
      if (comment.size() > 0xffff) comment.resize(0xffff);
    }
    return comment;
  }

  ExitStatus Conclude(const std::string& target, bool is_stdout) {
    if (o_.verbose && added_ > 0) Say("total bytes=" + std::to_string(in_bytes_) + ", compressed=" + std::to_string(out_bytes_) + " -> " + Share(in_bytes_, out_bytes_) + " savings\n");
    if (o_.tests && !is_stdout) {
      if (const ExitStatus status = Test(target); status != 0) return status;
    }
    if (o_.moves && unreadable_ == 0) {
      for (auto it = done_.rbegin(); it != done_.rend(); ++it) {
        std::string path = *it;
        if (path == "-") continue;
        const bool is_directory = path.ends_with('/');
        while (path.size() > 1 && path.ends_with('/')) path.pop_back();
        static_cast<void>(is_directory ? in_.fs.RemoveDirectory(path) : in_.fs.RemoveFile(path));
      }
    }
    if (unreadable_ == 0) return 0;
    shown_->Write("\nzip warning: Not all files were readable\n  files/entries read:  " + std::to_string(added_) + " (" + std::to_string(in_bytes_) + " bytes)  skipped:  " +
                  std::to_string(unreadable_) + " (" + std::to_string(skipped_bytes_) + " bytes)\n");
    return kUnreadable;
  }

  ExitStatus Test(const std::string& target) {
    const auto zip = ZipFile::Open(in_.fs, target, in_.budget);
    bool is_fine = zip.has_value();
    if (is_fine) {
      for (const ZipEntry& entry : (*zip)->directory().entries) {
        if (entry.is_encrypted()) continue;
        const auto data = (*zip)->DataOf(entry);
        codec::CoderPtr decoder = ZipDecoder(entry.method, in_.budget);
        is_fine = data && decoder;
        if (!is_fine) break;
        const auto stored = (*zip)->StoredBytes(*data, entry.packed);
        codec::DecodingSource plain(*stored, std::move(decoder), &in_.budget);
        uint32_t crc = 0;
        struct Sum final : ByteSink {
          explicit Sum(uint32_t& to) : sum(to) {}
          Status Write(std::string_view bytes) override {
            sum = codec::Crc32(sum, bytes);
            return {};
          }
          uint32_t& sum;
        } sum(crc);
        is_fine = CopyStream(in_.budget, plain, sum).status && crc == entry.crc;
        if (!is_fine) break;
      }
    }
    if (!is_fine) return Fail("Zip file invalid, could not spawn unzip, or wrong unzip (original files unmodified)", 8, Code::kOk);
    Say("test of " + target + " OK\n");
    return 0;
  }

  Invocation& in_;
  Options& o_;
  TimeZone zone_;
  std::string target_;
  Output* shown_ = nullptr;
  std::unique_ptr<ZipFile> old_;
  std::map<std::string, Found> found_;
  std::vector<std::string> order_;
  std::map<std::string, bool> chosen_;
  std::vector<uint64_t> above_;
  std::vector<std::string> done_;
  int64_t from_ = INT64_MIN, before_ = INT64_MAX, latest_ = 0;
  uint64_t in_bytes_ = 0, out_bytes_ = 0, added_ = 0, changed_ = 0, missing_ = 0, unreadable_ = 0, skipped_bytes_ = 0;
  bool has_repeated_ = false;
  std::vector<std::string> dropped_;
};

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
    "  -o   make zipfile as old as latest entry\n"
    "  -x   exclude the following names  -i   include only the following names\n"
    "  -D   do not add directory entries -T   test zipfile integrity\n"
    "  -X   eXclude eXtra file attributes\n"
    "  -y   store symbolic links as the link instead of the referenced file\n"
    "  -R   PKZIP recursion (patterns)   -n   don't compress these suffixes\n"
    "  -FS  make the archive what the files are   -U   copy entries (with --out)\n"
    "  -P   encrypt with a password      -Z   method: store, deflate, bzip2\n"
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
