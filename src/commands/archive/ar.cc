// ar - create, change and extract from archives
//
// usage: ar [-]{dmpqrstx}[abcDfioOPNsSuUvV] [member-name] [count] archive-file file...
//
// Exit status: 0; 1 for an error; 9 when the archive is not there.
// Source: GNU binutils 2.40; the archive's format as POSIX and System V have it, with GNU's table of long names.
// Differs: an index of symbols is not made, because object files are not read; one that is there is left out when the archive changes, as it would
// be wrong, and --plugin, which would read symbols for it, changes nothing. Thin archives do not take in other archives (told, status 1).
// Refused: MRI scripts (M).

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "commands/archive/ar_parts.h"
#include "commands/file/relative_path.h"
#include "commands/file_facts.h"
#include "commands/user_names.h"
#include "proc/command.h"
#include "proc/option_complaint.h"
#include "text/date/time_format.h"
#include "text/mode.h"

namespace paddock {
namespace {

enum class Place { kDefault, kAfter, kBefore };

struct Options {
  char operation = 0;
  bool has_conflict = false, makes_index = false, keeps_dates = false, only_newer = false, quietly_creates = false, real_headers = false, is_deterministic = false;
  bool shows_offsets = false, full_paths = false, truncates = false, counts = false, verbose = false, shows_version = false;
  Place place = Place::kDefault;
  bool is_thin = false;
  std::string directory, target, plugin;
  std::optional<std::string> dependencies;
};

template <char kLetter>
Status Operate(Options& options, std::string_view) {
  options.has_conflict = options.has_conflict || (options.operation != 0 && options.operation != kLetter);
  options.operation = kLetter;
  return {};
}
Status BeDeterministic(Options& options, std::string_view) {
  options.is_deterministic = true;
  options.real_headers = false;
  return {};
}
Status BeReal(Options& options, std::string_view) {
  options.real_headers = true;
  options.is_deterministic = false;
  return {};
}

constexpr Option kOptions[] = {
    Call<Operate<'d'>>('d', nullptr, nullptr, "delete files from the archive"),
    Call<Operate<'m'>>('m', nullptr, nullptr, "move files in the archive"),
    Call<Operate<'p'>>('p', nullptr, nullptr, "print files of the archive"),
    Call<Operate<'q'>>('q', nullptr, nullptr, "append files to the archive"),
    Call<Operate<'r'>>('r', nullptr, nullptr, "replace files, or insert new ones"),
    Call<Operate<'t'>>('t', nullptr, nullptr, "list what is in the archive"),
    Call<Operate<'x'>>('x', nullptr, nullptr, "extract files"),
    Flag<&Options::makes_index>('s', nullptr, "alone or with t: look at the archive; else nothing, as no index is made"),
    Set<&Options::place, Place::kAfter>('a', nullptr, "put files after [member-name]"),
    Set<&Options::place, Place::kBefore>('b', nullptr, "put files before [member-name]"),
    Set<&Options::place, Place::kBefore>('i', nullptr, "the same"),
    Call<BeDeterministic>('D', nullptr, nullptr, "use zero for times and owners (the default)"),
    Call<BeReal>('U', nullptr, nullptr, "use real times and owners"),
    Flag<&Options::counts>('N', nullptr, "use instance [count] of a name"),
    Flag<&Options::truncates>('f', nullptr, "cut names of inserted files"),
    Flag<&Options::full_paths>('P', nullptr, "compare whole paths"),
    Flag<&Options::keeps_dates>('o', nullptr, "give extracted files their times"),
    Flag<&Options::shows_offsets>('O', nullptr, "show where files are in the archive"),
    Flag<&Options::only_newer>('u', nullptr, "replace only by files that are newer"),
    Flag<&Options::quietly_creates>('c', nullptr, "say nothing when the archive has to be made"),
    Set<&Options::makes_index, false>('S', nullptr, "make no index of symbols"),
    Flag<&Options::verbose>('v', nullptr, "say what is done"),
    Flag<&Options::shows_version>('V', nullptr, "show the version"),
    Flag<&Options::is_thin>('T', "thin", "make an archive that names its files and does not hold them"),
    Value<&Options::dependencies>('l', "record-libdeps", "TEXT", "add __.LIBDEP, which tells what the library depends on"),
    Value<&Options::directory>(0, "output", "DIRNAME", "extract into DIRNAME"),
    Value<&Options::target>(0, "target", "BFDNAME", "take the archive for one of format BFDNAME"),
    Value<&Options::plugin>(0, "plugin", "NAME", "a plugin that reads symbols for the index, of which none is made"),
};

constexpr std::string_view kDependencies = "__.LIBDEP";

// Formats of the real one on amd64: those of objects, which an archive can hold, and those without archives.
constexpr std::array<std::string_view, 15> kObjectTargets = {
    "elf64-x86-64", "elf32-i386", "elf32-iamcu", "elf32-x86-64", "pei-i386", "pe-x86-64", "pei-x86-64", "elf64-little",
    "elf64-big", "elf32-little", "elf32-big", "pe-bigobj-x86-64", "pe-i386", "default", "plugin"};
constexpr std::array<std::string_view, 7> kOtherTargets = {"pdb", "srec", "symbolsrec", "verilog", "tekhex", "binary", "ihex"};
std::string Field(const std::string& text, size_t width) { return text.substr(0, width) + std::string(width - std::min(width, text.size()), ' '); }

std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('/') + 1); }

class Ar {
 public:
  Ar(Invocation& in, const Options& options) : in_(in), o_(options) {}

  ExitStatus Run(const std::vector<std::string>& operands) {
    size_t at = 0;
    const auto next = [&]() -> const std::string* { return at < operands.size() ? &operands[at++] : nullptr; };
    if (o_.place != Place::kDefault) {
      const std::string* name = next();
      if (name == nullptr) return in_.UsageHint();
      position_ = *name;
    }
    if (o_.counts) {
      if (o_.operation != 'x' && o_.operation != 'd') return Stop("`N' is only meaningful with the `x' and `d' options.");
      const std::string* text = next();
      if (text == nullptr) return in_.UsageHint();
      instance_ = std::strtol(text->c_str(), nullptr, 10);
      if (instance_ <= 0) return Stop("Value for `N' must be positive.");
    }
    const std::string* archive = next();
    if (archive == nullptr) return in_.UsageHint();
    path_ = *archive;
    names_.assign(operands.begin() + static_cast<ptrdiff_t>(at), operands.end());
    if (o_.dependencies) names_.emplace_back(kDependencies);   // the last name, whatever is done
    if (!Load()) return status_;
    switch (o_.operation) {
      case 't':
      case 'p':
      case 'x': Visit(); break;
      case 'd': Delete(); break;
      case 'm': Move(); break;
      case 'r':
      case 'q': Add(); break;
      default: break;
    }
    return status_;
  }

 private:
  ExitStatus Stop(const std::string& text) {
    in_.out.Flush();
    in_.err.Write("ar: " + text + "\n");
    return status_ = 1;
  }
  void Tell(char what, const std::string& name) {
    if (o_.verbose) in_.out.Write(std::string(1, what) + " - " + name + "\n");
  }
  std::string_view Key(std::string_view name) const { return o_.full_paths ? name : LastPart(name); }

  // --- reading

  bool Load() {
    const bool may_create = o_.operation == 'r' || o_.operation == 'q' || o_.operation == 'd' || o_.operation == 'm';
    const auto found = in_.fs.Stat(path_);
    const bool adds = o_.operation == 'r' || o_.operation == 'q';
    const bool is_object = o_.target.empty() || Knows(kObjectTargets, o_.target);
    if (!is_object && !Knows(kOtherTargets, o_.target) && (found || may_create)) return Stop(path_ + ": invalid bfd target") == 0;
    if (!found && found.error().code == Code::kNoEntry && may_create) {
      if (!is_object) {
        static_cast<void>(vfs::WriteFile(in_.fs, path_, ""));
        return Stop(path_ + ": invalid operation") == 0;
      }
      is_thin_ = o_.is_thin;
      if (!o_.quietly_creates) in_.err.Write("ar: creating " + path_ + "\n");
      return true;
    }
    if (!found && o_.operation == 0) {
      static_cast<void>(Stop("'" + path_ + "': No such file"));
      return false;
    }
    auto text = found ? vfs::ReadFile(in_.fs, path_, uint64_t{1} << 40) : Result<std::string>(found.error());
    if (!text && !(found && found->is_directory())) {
      static_cast<void>(Stop(path_ + ": " + std::string(text.error().Text())));
      if (!found) status_ = 9;
      return false;
    }
    is_thin_ = text && text->starts_with(kArThinMagic);
    if (text && (is_thin_ || text->starts_with(kArMagic))) {
      if (adds && is_thin_ != o_.is_thin) return Stop("Cannot convert existing " + std::string(is_thin_ ? "thin " : "") + "library " + path_ + " to " + (is_thin_ ? "normal" : "thin") + " format") == 0;
      if (is_thin_ && o_.operation == 'x') return Stop("`x' cannot be used on thin archives.") == 0;
      text_ = std::move(*text);
      ArParts parts = ParseAr(text_, in_.budget);
      members_ = std::move(parts.members);
      is_broken_ = parts.is_broken;
      has_cut_ = parts.has_cut;
      return !is_thin_ || FindContents();
    }
    static_cast<void>(Stop(path_ + ": file format not recognized"));
    return false;
  }

  static bool Knows(std::span<const std::string_view> names, std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); }

  // Names in a thin archive start where it lies. False after a complaint, when a file is gone.
  bool FindContents() {
    const std::string directory = path_.substr(0, path_.rfind('/') + 1);
    for (ArMember& member : members_) {
      in_.budget.Step(8);
      if (!member.name.starts_with('/')) member.name.insert(0, directory);
      member.outside = member.name;
      if (const auto found = in_.fs.Stat(member.outside); !found) return Stop(path_ + ": " + std::string(found.error().Text())) == 0;
    }
    return true;
  }
  // The content of a member, which for one of a thin archive is read now.
  bool Fetch(ArMember& member) {
    if (member.outside.empty() || member.own) return true;
    auto text = vfs::ReadFile(in_.fs, member.outside, 9999999999);
    if (!text) return Stop(path_ + ": " + std::string(text.error().Text())) == 0;
    member.is_cut = text->size() < member.told_size;
    text->resize(std::min<uint64_t>(text->size(), member.told_size));
    member.own = std::move(*text);
    return true;
  }

  // --- t, p, x

  void Visit() {
    if (names_.empty()) {
      for (ArMember& member : members_) {
        if (!Take(member)) return;
        member.own.reset();
      }
      if (is_broken_) static_cast<void>(Stop(path_ + ": malformed archive"));
      return;
    }
    for (const std::string& name : names_) {
      const size_t index = Find(name);
      if (index == members_.size()) {
        in_.out.Flush();
        in_.err.Write("no entry " + name + " in archive\n");
      } else if (!Take(members_[index])) {
        return;
      } else {
        members_[index].own.reset();
      }
    }
  }
  size_t Find(const std::string& name) {
    int64_t seen = 0;
    for (size_t i = 0; i < members_.size(); ++i) {
      in_.budget.Step();
      if (members_[i].own) continue;   // it came with this command
      const std::string_view own = members_[i].name;
      // Of what d and m name the last part has to be all of the member's name.
      if (own.empty() || Key(name) != (o_.operation == 'd' || o_.operation == 'm' ? own : Key(own))) continue;
      if (!o_.counts || ++seen == instance_) return i;
    }
    return members_.size();
  }
  bool Take(ArMember& member) {
    if (o_.operation == 'p' && !Fetch(member)) return false;
    in_.budget.Step(static_cast<int64_t>(member.content().size() / 256 + 1));
    if (o_.operation == 't') Show(member);
    else if (member.is_cut) return Stop(path_ + " is not a valid archive") == 0;
    else if (o_.operation == 'p') Print(member);
    else return Extract(member);
    return true;
  }
  void Show(const ArMember& member) {
    std::string line = member.name;
    if (o_.verbose) {
      char size[32];
      std::snprintf(size, sizeof size, " %6llu ", static_cast<unsigned long long>(member.told_size));
      const TimePoint moment{member.date(), 0};
      line = ModeString('-', member.mode()).substr(1) + " " + std::to_string(member.uid()) + "/" + std::to_string(member.gid()) + size +
             FormatTime("%b %e %H:%M %Y", LocalZone(in_.env).ToLocal(moment.seconds), moment, in_.budget) + " " + line;
    }
    if (o_.shows_offsets && !is_thin_) {
      char offset[32];
      std::snprintf(offset, sizeof offset, " 0x%llx", static_cast<unsigned long long>(member.offset));
      line += offset;
    }
    in_.out.Write(line + "\n");
  }
  void Print(const ArMember& member) {
    if (o_.verbose) in_.out.Write("\n<" + member.name + ">\n\n");
    in_.out.Write(member.content());
  }

  static bool StaysBelow(std::string_view path) {
    if (path.starts_with('/')) return false;
    for (size_t at = 0; at <= path.size();) {
      const size_t end = std::min(path.find('/', at), path.size());
      if (path.substr(at, end - at) == "..") return false;
      at = end + 1;
    }
    return true;
  }
  bool Extract(const ArMember& member) {
    std::string name = member.name;
    if (!StaysBelow(name)) {
      const std::string base(LastPart(name));
      in_.out.Flush();
      in_.err.Write("ar: illegal output pathname for archive member: " + name + ", using '" + base + "' instead\n");
      name = base;
    }
    const std::string path = o_.directory.empty() ? name : vfs::JoinPath(o_.directory, name);
    Tell('x', path);
    const auto opened = name.empty() || name == ".." ? Result<vfs::OpenFilePtr>(Code::kIsDirectory) : in_.fs.Open(path, vfs::OpenFlags::Write());
    if (!opened) return Stop(path + ": " + std::string(opened.error().Text())) == 0;
    if (const Status written = (*opened)->Write(member.content()); !written) return Stop(path + ": " + std::string(written.error().Text())) == 0;
    static_cast<void>(in_.fs.SetMode(path, member.mode()));
    if (!o_.keeps_dates) return true;
    const auto time = FromTimePoint({member.date(), 0});
    if (time) static_cast<void>(in_.fs.SetTimes(path, *time, *time));
    return true;
  }

  // --- d, m, r, q

  void Delete() {
    if (names_.empty()) return;
    for (const std::string& name : names_) {
      const size_t index = Find(name);
      if (index == members_.size()) {
        if (o_.verbose) in_.out.Write("No member named `" + name + "'\n");
        continue;
      }
      Tell('d', name);
      members_.erase(members_.begin() + static_cast<ptrdiff_t>(index));
    }
    Save();
  }

  // Where something goes that the options give a place.
  size_t PlaceFor(size_t otherwise) const {
    if (o_.place == Place::kDefault) return otherwise;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (members_[i].name == position_) return o_.place == Place::kAfter ? i + 1 : i;
    }
    return members_.size();
  }
  void Insert(size_t at, ArMember member) {
    members_.insert(members_.begin() + static_cast<ptrdiff_t>(at), std::move(member));
  }

  void Move() {
    for (const std::string& name : names_) {
      const size_t index = Find(name);
      if (index == members_.size()) {
        static_cast<void>(Stop("no entry " + name + " in archive " + path_ + "!"));
        return;
      }
      ArMember member = std::move(members_[index]);
      members_.erase(members_.begin() + static_cast<ptrdiff_t>(index));
      Tell('m', name);
      const size_t place = position_ == member.name && o_.place != Place::kDefault ? index : PlaceFor(members_.size());
      Insert(std::min(place, members_.size()), std::move(member));
    }
    Save();
  }

  void Add() {
    if (o_.only_newer && !o_.real_headers) in_.err.Write("ar: `u' modifier ignored since `D' is the default (see `U')\n");
    for (const std::string& name : names_) {
      in_.budget.Step();
      const size_t index = o_.operation == 'q' ? members_.size() : Find(name);
      const bool exists = index < members_.size();
      ArMember member;
      if (o_.dependencies && &name == &names_.back()) {
        member = Dependencies();
      } else {
        const auto found = in_.fs.Stat(name);
        if (!found) {
          static_cast<void>(Stop(name + ": " + std::string(found.error().Text())));
          return;
        }
        if (exists && o_.only_newer && ToTimePoint(found->modify_time).seconds <= members_[index].date()) continue;
        if (!Make(name, *found, member)) return;
      }
      Tell(exists ? 'r' : 'a', name);
      if (!exists) {
        Insert(PlaceFor(members_.size()), std::move(member));
        continue;
      }
      const size_t place = PlaceFor(index + 1);
      Insert(place, std::move(member));
      members_.erase(members_.begin() + static_cast<ptrdiff_t>(place <= index ? index + 1 : index));
    }
    Save();
  }
  // What a linker shall look at besides, with a NUL at its end.
  ArMember Dependencies() const {
    ArMember member;
    member.name = std::string(kDependencies);
    member.head = PlainHead();
    member.own = *o_.dependencies + '\0';
    member.told_size = member.own->size();
    return member;
  }
  static std::string PlainHead() { return Field("0", 12) + Field("0", 6) + Field("0", 6) + Field("644", 8); }

  bool Make(const std::string& name, const vfs::Attributes& found, ArMember& member) {
    auto text = found.is_file() ? vfs::ReadFile(in_.fs, name, 9999999999) : Result<std::string>(Code::kInvalid);
    if (!text) return Stop(name + ": " + (found.is_file() ? std::string(text.error().Text()) : "file format not recognized")) == 0;
    if (is_thin_ && (text->starts_with(kArMagic) || text->starts_with(kArThinMagic))) return Stop(name + ": archives are not taken into thin archives") == 0;
    member.own = std::move(*text);
    member.told_size = member.own->size();
    member.name = is_thin_ ? name : std::string(Key(name));
    if (is_thin_) member.outside = name;
    if (!is_thin_ && o_.truncates && member.name.size() > 15) member.name.resize(15);
    if (!o_.real_headers) {
      member.head = PlainHead();
      return true;
    }
    char mode[16];
    std::snprintf(mode, sizeof mode, "%o", RawMode(found));
    const int64_t seconds = std::max<int64_t>(0, ToTimePoint(found.modify_time).seconds);
    member.head = Field(std::to_string(seconds), 12) + Field(std::to_string(found.uid), 6) + Field(std::to_string(found.gid), 6) + Field(mode, 8);
    return true;
  }

  // The way to a file from the directory of the archive.
  std::string NameInThin(const std::string& name) const {
    if (name.starts_with('/')) return name;
    const auto canonical = [this](const std::string& path) {
      const std::string whole = vfs::NormalizePath(vfs::JoinPath(in_.fs.cwd(), path));
      return in_.fs.Canonical(whole).value_or(whole);
    };
    const std::string directory = vfs::DirectoryName(path_);
    return RelativePath(canonical(name), canonical(directory.empty() ? "." : directory));
  }

  void Save() {
    if (is_broken_ || has_cut_) {
      static_cast<void>(Stop(path_ + ": malformed archive"));
      return;
    }
    std::string table;
    std::vector<std::string> fields;
    const std::string* previous = nullptr;
    for (const ArMember& member : members_) {
      in_.budget.Step();
      if (is_thin_ && !fields.empty() && member.name == *previous) {
        fields.push_back(fields.back());
        continue;
      }
      previous = &member.name;
      if (is_thin_) {
        fields.push_back("/" + std::to_string(table.size()));
        table += NameInThin(member.name) + "/\n";
        continue;
      }
      if (member.name.size() <= 15) {
        fields.push_back(member.field.empty() ? member.name + "/" : member.field);
        continue;
      }
      fields.push_back("/" + std::to_string(table.size()));
      table += member.name + "/\n";
    }
    auto opened = in_.fs.Open(path_, vfs::OpenFlags::Write());
    if (!opened) {
      static_cast<void>(Stop(path_ + ": " + std::string(opened.error().Text())));
      return;
    }
    Output out(**opened);
    out.Write(is_thin_ ? kArThinMagic : kArMagic);
    if (table.size() % 2 != 0) table += '\n';
    if (!table.empty()) out.Write(Field("//", 48) + Field(std::to_string(table.size()), 10) + "`\n" + table);
    for (size_t i = 0; i < members_.size(); ++i) {
      const ArMember& member = members_[i];
      in_.budget.Step(static_cast<int64_t>(member.content().size() / 256 + 1));
      out.Write(Field(fields[i], 16) + member.head + Field(std::to_string(member.told_size), 10) + "`\n");
      if (is_thin_) continue;
      out.Write(member.content());
      if (member.content().size() % 2 != 0) out.Put('\n');
    }
    if (const Status& flushed = out.Flush(); !flushed) static_cast<void>(Stop(path_ + ": " + std::string(flushed.error().Text())));
  }

  Invocation& in_;
  const Options& o_;
  ExitStatus status_ = 0;
  std::string path_, position_, text_;
  std::vector<std::string> names_;
  std::vector<ArMember> members_;
  int64_t instance_ = 0;
  bool is_thin_ = false, is_broken_ = false, has_cut_ = false;
};

ExitStatus Run(Invocation& in) {
  std::vector<std::string> args(in.args.begin(), in.args.end());
  if (args.size() > 1 && !args[1].starts_with('-')) args[1].insert(0, 1, '-');
  Options options;
  const auto parsed = ParseOptions(args, kOptions, &options);
  const auto usage = [&](const std::string& message) {
    if (!message.empty()) in.err.Write("ar: " + message + "\n");
    in.err.Write(HelpText(in.command, in.name_in_messages()));
    return 1;
  };
  if (!parsed && parsed.error().code == Code::kSyntax) {
    ComplainOfOption(in, parsed.error().Text());
    return usage("");
  }
  if (!parsed) return usage(std::string(parsed.error().Text()));
  if (parsed->wants_help) {
    in.out.Write(HelpText(in.command, in.name_in_messages()));
    return 0;
  }
  if (parsed->wants_version || options.shows_version) {
    in.out.Write(VersionText(in.command, in.name()));
    return 0;
  }
  if (options.has_conflict) return usage("two different operation options specified");
  if (options.operation == 't' && options.makes_index) options.operation = 0;
  if (options.operation == 0 && !options.makes_index) return usage(args.size() > 1 ? "no operation specified" : "");
  if (options.only_newer && options.operation != 'r') return in.Fail("`u' is only meaningful with the `r' option.");
  if (options.only_newer && options.is_deterministic) return in.Fail("`u' is not meaningful with the `D' option.");
  return Ar(in, options).Run(parsed->operands);
}

}  // namespace

extern const Command kCommand_ar;
const Command kCommand_ar = {
    .name = "ar",
    .summary = "create, change and extract from archives",
    .synopsis = "[-]{dmpqrstx}[abcDfioOPNsSuUvV] [member-name] [count] archive-file file...",
    .details = "The letters of the first word need no '-'.\n",
    .options = kOptions,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
