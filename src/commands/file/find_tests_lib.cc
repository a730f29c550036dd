#include <charconv>
#include <cmath>

#include "commands/file/find.h"
#include "text/date/date_parse.h"
#include "text/mode.h"
#include "text/pattern.h"
#include "text/quote.h"
#include "text/regex.h"
#include "vfs/file_system.h"

namespace paddock::find {
namespace {

using vfs::Attributes;
using vfs::FileType;
using vfs::Follow;

constexpr int64_t kDay = 86400;
constexpr int64_t kSecond = 1'000'000'000;

enum class Compare { kLess, kEqual, kMore };   // -n, n, +n

Compare TakeSign(std::string_view* text) {
  if (text->empty()) return Compare::kEqual;
  const char sign = text->front();
  if (sign == '+' || sign == '-') text->remove_prefix(1);
  return sign == '+' ? Compare::kMore : sign == '-' ? Compare::kLess : Compare::kEqual;
}

struct Number {
  Compare compare = Compare::kEqual;
  uint64_t value = 0;
  bool Holds(uint64_t found) const {
    if (compare == Compare::kEqual) return found == value;
    return compare == Compare::kMore ? found > value : found < value;
  }
};
std::optional<Number> ParseNumber(std::string_view text) {
  Number number;
  number.compare = TakeSign(&text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> ParseDouble(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// A file's time by its letter.
Nanoseconds TimeOf(const Attributes& attributes, char letter) {
  return letter == 'a' ? attributes.access_time : letter == 'c' ? attributes.change_time : attributes.modify_time;
}

Made MakeNumeric(Making& making, Test* test, uint64_t (*value)(const Attributes&)) {
  const std::string* text = NeedArgument(making);
  if (text == nullptr) return Made::kFailed;
  const auto number = ParseNumber(*text);
  if (!number) return InvalidArgument(making, *text);
  *test = [number = *number, value](Context&, const File& file) { return number.Holds(value(file.attributes)); };
  return Made::kDone;
}

// -name, -path, -lname and their i forms.
Made MakePattern(Making& making, Test* test, char what, bool ignore_case) {
  const std::string* text = NeedArgument(making);
  if (text == nullptr) return Made::kFailed;
  if (what == 'n' && making.warns && text->find('/') != std::string::npos) {
    making.context.in.Fail("warning: " + making.context.Quoted(making.name) +
                           " matches against basenames only, but the given pattern contains a directory separator (" +
                           making.context.Quoted("/") + "), thus the expression will evaluate to false all the time.  Did you mean " +
                           making.context.Quoted(ignore_case ? "-iwholename" : "-wholename") + "?");
  }
  const PatternFlags flags{.extglob = false, .ignore_case = ignore_case, .is_utf8 = making.context.in.locale.is_utf8};
  auto pattern = std::make_shared<Pattern>(*text, flags);
  *test = [pattern, what](Context& context, const File& file) {
    if (what == 'n') return pattern->Matches(BareNameOf(file), context.in.budget);
    if (what == 'p') return pattern->Matches(file.path, context.in.budget);
    if (!file.attributes.is_symlink()) return false;
    const auto target = context.in.fs.ReadLink(file.path);
    return target && pattern->Matches(*target, context.in.budget);
  };
  return Made::kDone;
}

std::optional<RegexDialect> DialectOf(std::string_view type) {
  if (type == "findutils-default" || type == "emacs") return RegexDialect::kEmacs;
  if (type == "ed" || type == "sed" || type == "posix-basic" || type == "posix-minimal-basic") return RegexDialect::kBasic;
  if (type == "grep") return RegexDialect::kGrepBasic;
  if (type == "posix-extended") return RegexDialect::kExtended;
  if (type == "egrep" || type == "posix-egrep") return RegexDialect::kGrepExtended;
  if (type == "awk" || type == "gnu-awk" || type == "posix-awk") return RegexDialect::kAwk;
  return std::nullopt;
}

Made MakeRegex(Making& making, Test* test, bool ignore_case) {
  const std::string* text = NeedArgument(making);
  if (text == nullptr) return Made::kFailed;
  RegexFlags flags{.dialect = *DialectOf(making.regex_type), .ignore_case = ignore_case, .is_utf8 = making.context.in.locale.is_utf8};
  auto compiled = Regex::Compile(*text, flags);
  if (!compiled) {
    making.context.in.Fail("failed to compile regular expression '" + *text + "': " + std::string(compiled.error().Text()));
    return Made::kFailed;
  }
  auto regex = std::make_shared<Regex>(std::move(*compiled));
  *test = [regex](Context& context, const File& file) {
    std::vector<RegexGroup> groups(1);
    const auto found = regex->Search(file.path, 0, &groups, context.in.budget);
    if (!found) {
      context.Fail(file.path, found.error());
      return false;
    }
    return *found && groups[0].begin == 0 && groups[0].end == file.path.size();
  };
  return Made::kDone;
}

char LetterOf(FileType type) { return type == FileType::kFile ? 'f' : TypeLetter(type); }

// The attributes as -xtype sees them: links looked at the other way round.
std::optional<Attributes> OtherView(Context& context, const File& file) {
  const bool follow = !context.follows_all;
  auto found = context.in.fs.Stat(file.path, follow ? Follow::kYes : Follow::kNo);
  if (!found && found.error().code == Code::kLoop) {
    context.FlushAll();
    context.Fail(file.path, found.error());
    return std::nullopt;
  }
  if (!found && follow) found = context.in.fs.Stat(file.path, Follow::kNo);
  if (!found) return std::nullopt;
  return *found;
}

Made MakeType(Making& making, Test* test) {
  const std::string* text = NeedArgument(making);
  if (text == nullptr) return Made::kFailed;
  const auto fail = [&](const std::string& message) {
    making.context.in.Fail(message);
    return Made::kFailed;
  };
  if (text->empty()) return fail("Arguments to " + making.name + " should contain at least one letter");
  std::string letters;
  for (size_t i = 0; i < text->size(); i += 2) {
    const char letter = (*text)[i];
    if (std::string_view("bcdpflsD").find(letter) == std::string_view::npos) {
      return fail("Unknown argument to " + making.name + ": " + letter);
    }
    if (letters.find(letter) != std::string::npos) {
      return fail(std::string("Duplicate file type '") + letter + "' in the argument list to " + making.name + ".");
    }
    letters += letter;
    if (i + 1 == text->size()) break;
    if ((*text)[i + 1] != ',') return fail("Must separate multiple arguments to " + making.name + " using: ','");
    if (i + 2 == text->size()) {
      return fail("Last file type in list argument to " + making.name + " is missing, i.e., list is ending on: ','");
    }
  }
  const bool is_other = making.name == "-xtype";
  *test = [letters, is_other](Context& context, const File& file) {
    if (!is_other) return letters.find(LetterOf(file.attributes.type)) != std::string::npos;
    const auto found = OtherView(context, file);
    return found && letters.find(LetterOf(found->type)) != std::string::npos;
  };
  return Made::kDone;
}

Made MakeSize(Making& making, Test* test) {
  const std::string* argument = NeedArgument(making);
  if (argument == nullptr) return Made::kFailed;
  const auto bad = [&](std::string_view message) {
    making.context.in.Fail(message);
    return Made::kFailed;
  };
  if (argument->empty()) return bad("invalid null argument to -size");
  std::string text = *argument;
  uint64_t unit = 512;
  const char last = text.back();
  static constexpr std::string_view kUnits = "bcwkMG";
  static constexpr uint64_t kBytes[] = {512, 1, 2, 1024, 1024 * 1024, 1024 * 1024 * 1024};
  if (const size_t at = kUnits.find(last); at != std::string_view::npos) {
    unit = kBytes[at];
    text.pop_back();
  } else if (last < '0' || last > '9') {
    return bad(std::string("invalid -size type `") + last + "'");
  }
  const auto number = ParseNumber(text);
  if (!number) return bad("Invalid argument `" + *argument + "' to -size");
  *test = [number = *number, unit](Context&, const File& file) {
    const uint64_t size = file.attributes.size;
    return number.Holds(size / unit + (size % unit != 0 ? 1 : 0));
  };
  return Made::kDone;
}

// -mtime and -mmin: an age in units of `unit` seconds, as a window before `now`.
Made MakeAge(Making& making, Test* test, char which, int64_t unit) {
  const std::string* text = NeedArgument(making);
  if (text == nullptr) return Made::kFailed;
  std::string_view rest = *text;
  const Compare compare = TakeSign(&rest);
  const auto value = ParseDouble(rest);
  if (!value) return InvalidArgument(making, *text);
  Context& context = making.context;
  TimePoint origin = context.now;
  if (making.day_start) {
    const CalendarTime local = context.zone.ToLocal(origin.seconds);
    origin = {origin.seconds - local.hour * 3600 - local.minute * 60 - local.second + kDay, 0};
  }
  if (unit == kDay) origin.seconds -= compare == Compare::kLess ? 1 : kDay;
  const double offset = *value * static_cast<double>(unit);
  constexpr double kFarthest = 9e9;   // beyond all file times
  const double whole = std::floor(std::clamp(offset, -kFarthest, kFarthest));
  const auto base = FromTimePoint({origin.seconds - static_cast<int64_t>(whole), origin.nanos});
  const Nanoseconds fraction(static_cast<int64_t>((std::clamp(offset, -kFarthest, kFarthest) - whole) * 1e9));
  const Nanoseconds limit = base ? *base - fraction : offset > 0 ? Nanoseconds::min() : Nanoseconds::max();
  *test = [=](Context&, const File& file) {
    const Nanoseconds time = TimeOf(file.attributes, which);
    if (compare == Compare::kMore) return time < limit;
    if (compare == Compare::kLess) return time > limit;
    return time > limit && time.count() - limit.count() <= unit * kSecond;
  };
  return Made::kDone;
}

Made MakeUsed(Making& making, Test* test) {
  const std::string* text = NeedArgument(making);
  if (text == nullptr) return Made::kFailed;
  std::string_view rest = *text;
  const Compare compare = TakeSign(&rest);
  const auto value = ParseDouble(rest);
  if (!value) return InvalidArgument(making, *text);
  *test = [compare, days = *value](Context&, const File& file) {
    const double age = static_cast<double>((file.attributes.access_time - file.attributes.change_time).count()) / (1e9 * kDay);
    if (age < 0) return false;
    if (compare == Compare::kMore) return age > days;
    if (compare == Compare::kLess) return age < days;
    return age > days && age <= days + 1;
  };
  return Made::kDone;
}

std::optional<Attributes> StatReference(Making& making, const std::string& path) {
  Context& context = making.context;
  const auto found = context.in.fs.Stat(path, context.follows ? Follow::kYes : Follow::kNo);
  if (!found) {
    context.Fail(path, found.error());
    return std::nullopt;
  }
  return *found;
}

// -newer, -anewer, -cnewer and -newerXY.
Made MakeNewer(Making& making, Test* test, char which, char reference) {
  const std::string* text = NeedArgument(making);
  if (text == nullptr) return Made::kFailed;
  Nanoseconds limit{0};
  if (which == 'B' || reference == 'B') {
    making.context.in.Fail("This system does not provide a way to find the birth time of a file.");
    return Made::kFailed;
  }
  if (reference == 't') {
    const auto moment = ParseDate(*text, making.context.now, making.context.zone, making.context.in.budget);
    if (!moment) {
      making.context.in.Fail("I cannot figure out how to interpret " + making.context.Quoted(*text) + " as a date or time");
      return Made::kFailed;
    }
    limit = FromTimePoint(*moment).value_or(moment->seconds < 0 ? Nanoseconds::min() : Nanoseconds::max());
  } else {
    const auto found = StatReference(making, *text);
    if (!found) return Made::kFailed;
    limit = TimeOf(*found, reference);
  }
  *test = [which, limit](Context&, const File& file) { return TimeOf(file.attributes, which) > limit; };
  return Made::kDone;
}

Made MakePermissions(Making& making, Test* test) {
  const std::string* text = NeedArgument(making);
  if (text == nullptr) return Made::kFailed;
  enum class Kind { kExactly, kAll, kAny } kind = Kind::kExactly;
  std::string_view rest = *text;
  if (!rest.empty() && (rest[0] == '-' || rest[0] == '/')) {
    kind = rest[0] == '-' ? Kind::kAll : Kind::kAny;
    rest.remove_prefix(1);
  }
  const auto change = rest.empty() ? Result<ModeChange>(Code::kInvalid) : ModeChange::Parse(rest);
  if (!change) {
    making.context.in.Fail("invalid mode " + making.context.Quoted(*text));
    return Made::kFailed;
  }
  const uint32_t for_file = change->Apply(0, false, 0);
  const uint32_t for_directory = change->Apply(0, true, 0);
  if (kind == Kind::kAny && for_file == 0 && for_directory == 0) {
    making.context.in.Fail("warning: you have specified a mode pattern " + *text +
                           " (which is equivalent to /000). The meaning of -perm /000 has now been changed to be "
                           "consistent with -perm -000; that is, while it used to match no files, it now matches all files.");
    kind = Kind::kAll;
  }
  *test = [=](Context&, const File& file) {
    const uint32_t mode = file.attributes.mode & kModeBits;
    const uint32_t wanted = file.attributes.is_directory() ? for_directory : for_file;
    if (kind == Kind::kExactly) return mode == wanted;
    if (kind == Kind::kAll) return (mode & wanted) == wanted;
    return wanted == 0 || (mode & wanted) != 0;
  };
  return Made::kDone;
}

Made MakeOwner(Making& making, Test* test, bool is_group) {
  const std::string* text = NeedArgument(making);
  if (text == nullptr) return Made::kFailed;
  Context& context = making.context;
  std::optional<uint32_t> id;
  if (is_group) {
    if (const GroupRecord* group = context.names.Group(*text)) id = group->gid;
  } else if (const UserRecord* user = context.names.User(*text)) {
    id = user->uid;
  }
  if (!id && text->find_first_not_of("0123456789") == std::string::npos) {
    if (const auto number = ParseNumber(*text); number && number->value <= UINT32_MAX) id = static_cast<uint32_t>(number->value);
  }
  if (!id) {
    if (text->empty()) {
      context.in.Fail("The argument to " + making.name + " should not be empty");
    } else {
      context.in.Fail(context.Quoted(*text) + (is_group ? " is not the name of an existing group" : " is not the name of a known user"));
    }
    return Made::kFailed;
  }
  *test = [id = *id, is_group](Context&, const File& file) {
    return (is_group ? file.attributes.gid : file.attributes.uid) == id;
  };
  return Made::kDone;
}

Made MakeSameFile(Making& making, Test* test) {
  const std::string* text = NeedArgument(making);
  if (text == nullptr) return Made::kFailed;
  const auto found = StatReference(making, *text);
  if (!found) return Made::kFailed;
  *test = [found = *found](Context&, const File& file) { return IsSameFile(file.attributes, found); };
  return Made::kDone;
}

Made MakeFileSystemType(Making& making, Test* test) {
  const std::string* text = NeedArgument(making);
  if (text == nullptr) return Made::kFailed;
  *test = [type = *text](Context& context, const File& file) {
    const auto space = context.in.fs.Space(file.path);
    return space && space->type == type;
  };
  return Made::kDone;
}

bool IsEmpty(Context& context, const File& file) {
  if (file.attributes.is_file()) return file.attributes.size == 0;
  if (!file.attributes.is_directory()) return false;
  const auto entries = context.in.fs.List(file.path);
  if (!entries) {
    context.Fail(file.path, entries.error());
    return false;
  }
  return entries->empty();
}

Made MakeAccess(Test* test, uint32_t bits) {
  *test = [bits](Context& context, const File& file) { return context.in.fs.Access(file.path, bits).has_value(); };
  return Made::kDone;
}

Made MakeOtherTest(Making& making, Test* test) {
  const std::string& name = making.name;
  if (name == "-true" || name == "-false") {
    *test = [value = name == "-true"](Context&, const File&) { return value; };
  } else if (name == "-empty") {
    *test = IsEmpty;
  } else if (name == "-readable") {
    return MakeAccess(test, 4);
  } else if (name == "-writable") {
    return MakeAccess(test, 2);
  } else if (name == "-executable") {
    return MakeAccess(test, 1);
  } else if (name == "-nouser") {
    *test = [](Context& context, const File& file) { return context.names.User(file.attributes.uid) == nullptr; };
  } else if (name == "-nogroup") {
    *test = [](Context& context, const File& file) { return context.names.Group(file.attributes.gid) == nullptr; };
  } else if (name == "-context") {
    making.context.in.Fail("invalid predicate -context: SELinux is not enabled.");
    return Made::kFailed;
  } else {
    return Made::kUnknown;
  }
  return Made::kDone;
}

}  // namespace

Made MakeTest(Making& making, Test* test) {
  const std::string& name = making.name;
  if (name == "-name" || name == "-iname") return MakePattern(making, test, 'n', name[1] == 'i');
  if (name == "-path" || name == "-wholename") return MakePattern(making, test, 'p', false);
  if (name == "-ipath" || name == "-iwholename") return MakePattern(making, test, 'p', true);
  if (name == "-lname" || name == "-ilname") return MakePattern(making, test, 'l', name[1] == 'i');
  if (name == "-regex" || name == "-iregex") return MakeRegex(making, test, name[1] == 'i');
  if (name == "-type" || name == "-xtype") return MakeType(making, test);
  if (name == "-size") return MakeSize(making, test);
  if (name == "-atime" || name == "-ctime" || name == "-mtime") return MakeAge(making, test, name[1], kDay);
  if (name == "-amin" || name == "-cmin" || name == "-mmin") return MakeAge(making, test, name[1], 60);
  if (name == "-used") return MakeUsed(making, test);
  if (name == "-newer") return MakeNewer(making, test, 'm', 'm');
  if (name == "-anewer" || name == "-cnewer") return MakeNewer(making, test, name[1], 'm');
  if (name.size() == 8 && name.starts_with("-newer")) {
    if (std::string_view("aBcm").find(name[6]) == std::string_view::npos ||
        std::string_view("aBcmt").find(name[7]) == std::string_view::npos) {
      making.context.in.Fail("invalid predicate `" + name + "'");
      return Made::kFailed;
    }
    return MakeNewer(making, test, name[6], name[7]);
  }
  if (name == "-perm") return MakePermissions(making, test);
  if (name == "-user" || name == "-group") return MakeOwner(making, test, name == "-group");
  if (name == "-samefile") return MakeSameFile(making, test);
  if (name == "-fstype") return MakeFileSystemType(making, test);
  if (name == "-uid") return MakeNumeric(making, test, [](const Attributes& a) -> uint64_t { return a.uid; });
  if (name == "-gid") return MakeNumeric(making, test, [](const Attributes& a) -> uint64_t { return a.gid; });
  if (name == "-links") return MakeNumeric(making, test, [](const Attributes& a) -> uint64_t { return a.links; });
  if (name == "-inum") return MakeNumeric(making, test, [](const Attributes& a) -> uint64_t { return a.inode; });
  return MakeOtherTest(making, test);
}

bool IsRegexType(std::string_view type) { return DialectOf(type).has_value(); }

}  // namespace paddock::find
