// diff - compare files line by line
//
// usage: diff [OPTION]... FILES
// Writes what has to change in the first file to get the second, in one of several styles, for two files or
// for all files of two directories.
//
// Exit status: 0 when the inputs are the same, 1 when they differ, 2 for trouble.
// Source: POSIX diff; GNU diffutils 3.8.
// Differs: --paginate is refused; -H changes nothing.

#include <algorithm>
#include <array>

#include "commands/input_files.h"
#include "commands/text/diff_options.h"
#include "commands/text/diff_usage.h"
#include "commands/text/locale_name.h"
#include "proc/process.h"
#include "text/date/time_format.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr ExitStatus kDiffer = 1;
constexpr ExitStatus kTrouble = 2;
constexpr size_t kBinaryProbe = 4096;   // a NUL this near to the start makes a file binary

// One of the two things compared.
struct Side {
  std::string name;
  bool is_stdin = false;
  bool exists = false;
  vfs::Attributes attributes;
  std::optional<Error> error;

  bool is_directory() const { return exists && attributes.is_directory(); }
};
using Sides = std::array<Side, 2>;

std::string_view TypeName(const vfs::Attributes& attributes) {
  switch (attributes.type) {
    case vfs::FileType::kFile: return attributes.size == 0 ? "regular empty file" : "regular file";
    case vfs::FileType::kDirectory: return "directory";
    case vfs::FileType::kSymlink: return "symbolic link";
    case vfs::FileType::kFifo: return "fifo";
    case vfs::FileType::kCharDevice: return "character special file";
    case vfs::FileType::kBlockDevice: return "block special file";
    case vfs::FileType::kSocket: return "socket";
  }
  return "weird file";
}

// A file name in a header: in quotes with C escapes when it needs them.
std::string HeaderName(std::string_view name) {
  const bool needs_quotes = std::any_of(name.begin(), name.end(), [](char c) {
    return c <= ' ' || c > '~' || c == '"' || c == '\\';
  });
  if (!needs_quotes) return std::string(name);
  return QuoteText(name, QuotingStyle::kC, false);
}

class Comparer {
 public:
  Comparer(Invocation& in, const DiffSettings& settings)
      : in_(in), settings_(settings), zone_(TimeZone::FromTz(in.env.Get("TZ"))) {}

  // Compares two operands; the exit status.
  ExitStatus CompareOperands(const std::string& first, const std::string& second) {
    Sides sides = {Look(first), Look(second)};
    for (size_t i = 0; i < 2; ++i) {
      if (!sides[i].exists && !MayBeAbsent(sides, i)) Report(sides[i].name, *sides[i].error);
    }
    if ((!sides[0].exists && !MayBeAbsent(sides, 0)) || (!sides[1].exists && !MayBeAbsent(sides, 1))) {
      return kTrouble;
    }
    if (sides[0].is_directory() != sides[1].is_directory() && sides[0].exists && sides[1].exists) {
      return CompareWithin(std::move(sides));
    }
    if (sides[0].is_directory() && sides[1].is_directory()) return CompareDirectories(sides, 0);
    if (sides[0].is_directory() || sides[1].is_directory()) {
      return settings_.recursive || settings_.new_first_file ? CompareDirectories(sides, 0) : kTrouble;
    }
    return CompareFiles(sides, 0);
  }

 private:
  Side Look(const std::string& name) {
    Side side;
    side.name = name;
    if (name == "-") {
      side.is_stdin = side.exists = true;
      const auto& file = in_.process.descriptors().Get(0);
      if (file == nullptr) {
        side.exists = false;
        side.error = Error(Code::kBadDescriptor);
      } else if (auto attributes = file->GetAttributes()) {
        side.attributes = *attributes;
        side.attributes.modify_time = in_.clock.RealNow();
      }
      return side;
    }
    auto attributes = in_.fs.Stat(name, settings_.no_dereference ? vfs::Follow::kNo : vfs::Follow::kYes);
    if (attributes) {
      side.exists = true;
      side.attributes = *attributes;
    } else {
      side.error = attributes.error();
    }
    return side;
  }

  // With -N an absent file counts as an empty one.
  bool MayBeAbsent(const Sides& sides, size_t i) const {
    if (sides[i].error && sides[i].error->code != Code::kNoEntry) return false;
    return sides[1 - i].exists && (i == 0 ? settings_.new_first_file : settings_.new_file);
  }

  void Report(std::string_view name, const Error& error) { in_.Fail(name, error); }

  ExitStatus Say(const std::string& message, ExitStatus status) {
    in_.out.WriteLine(message);
    return status;
  }

  // A file and a directory: the file of the same name within.
  ExitStatus CompareWithin(Sides sides) {
    const size_t directory = sides[0].is_directory() ? 0 : 1;
    const Side& other = sides[1 - directory];
    if (other.is_stdin) {
      in_.Fail("cannot compare '-' to a directory");
      return kTrouble;
    }
    const std::string name = vfs::JoinPath(sides[directory].name, vfs::BaseName(other.name));
    sides[directory] = Look(name);
    if (!sides[directory].exists && !MayBeAbsent(sides, directory)) {
      Report(name, *sides[directory].error);
      return kTrouble;
    }
    if (sides[0].is_directory() != sides[1].is_directory()) return ReportTypes(sides);
    return CompareFiles(sides, 0);
  }

  ExitStatus ReportTypes(const Sides& sides) {
    std::array<std::string, 2> names = {sides[0].name, sides[1].name};
    for (size_t i = 0; i < settings_.labels.size(); ++i) names[i] = settings_.labels[i];
    return Say("File " + names[0] + " is a " + std::string(TypeName(sides[0].attributes)) + " while file " + names[1] +
                   " is a " + std::string(TypeName(sides[1].attributes)),
               kDiffer);
  }

  bool IsExcluded(std::string_view name) const {
    return std::any_of(settings_.excluded.begin(), settings_.excluded.end(),
                       [&](const Pattern& pattern) { return pattern.Matches(name, in_.budget); });
  }

  static std::string Folded(std::string_view name) {
    std::string folded(name);
    for (char& c : folded) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return folded;
  }
  int CompareNames(const std::string& a, const std::string& b) const {
    return settings_.ignore_name_case ? Folded(a).compare(Folded(b)) : a.compare(b);
  }

  // Sorted names in a directory; nothing after a reported error.
  std::optional<std::vector<std::string>> ListNames(const Side& side, int depth) {
    std::vector<std::string> names;
    if (!side.exists) return names;
    auto entries = in_.fs.List(side.name);
    if (!entries) {
      Report(side.name, entries.error());
      return std::nullopt;
    }
    for (const vfs::DirectoryEntry& entry : *entries) {
      if (IsExcluded(entry.name)) continue;
      if (depth == 0 && CompareNames(entry.name, settings_.starting_file) < 0) continue;
      names.push_back(entry.name);
    }
    std::sort(names.begin(), names.end(), [this](const std::string& a, const std::string& b) {
      const int order = CompareNames(a, b);
      return order != 0 ? order < 0 : a < b;
    });
    return names;
  }

  // Of names that are equal but for case, brings the one that is spelt like the other side's to the front.
  void PreferSameSpelling(std::array<std::vector<std::string>, 2>& names, size_t i, size_t j) const {
    const int order = names[0][i].compare(names[1][j]);
    if (order == 0) return;
    std::vector<std::string>& lesser = names[order < 0 ? 0 : 1];
    const size_t front = order < 0 ? i : j;
    const std::string& wanted = order < 0 ? names[1][j] : names[0][i];
    for (size_t at = front + 1; at < lesser.size() && CompareNames(lesser[at], wanted) == 0; ++at) {
      in_.budget.Step();
      if (lesser[at] != wanted) continue;
      const auto begin = lesser.begin();
      std::rotate(begin + static_cast<std::ptrdiff_t>(front), begin + static_cast<std::ptrdiff_t>(at),
                  begin + static_cast<std::ptrdiff_t>(at) + 1);
      return;
    }
  }

  ExitStatus CompareDirectories(const Sides& sides, int depth) {
    in_.budget.CheckStack();
    std::array<std::vector<std::string>, 2> names;
    ExitStatus status = 0;
    for (size_t i = 0; i < 2; ++i) {
      auto listed = ListNames(sides[i], depth);
      if (listed) names[i] = std::move(*listed);
      else status = kTrouble;
    }
    if (status != 0) return status;
    size_t i = 0;
    size_t j = 0;
    while ((i < names[0].size() || j < names[1].size()) && in_.out.status()) {
      in_.budget.Step();
      const int order = i == names[0].size()   ? 1
                        : j == names[1].size() ? -1
                                               : CompareNames(names[0][i], names[1][j]);
      if (order == 0) PreferSameSpelling(names, i, j);
      const std::string first = order <= 0 ? names[0][i++] : "";
      const std::string second = order >= 0 ? names[1][j++] : "";
      status = std::max(status, CompareEntries(sides, first, second, depth + 1));
    }
    return status;
  }

  // One name of both directories, or of one (the other name is empty then).
  ExitStatus CompareEntries(const Sides& parents, const std::string& first, const std::string& second, int depth) {
    if ((first.empty() && !settings_.new_first_file) || (second.empty() && !settings_.new_file)) {
      const Side& parent = parents[first.empty() ? 1 : 0];
      return Say("Only in " + parent.name + ": " + (first.empty() ? second : first), kDiffer);
    }
    Sides sides;
    sides[0] = Look(vfs::JoinPath(parents[0].name, first.empty() ? second : first));
    sides[1] = Look(vfs::JoinPath(parents[1].name, second.empty() ? first : second));
    bool is_good = true;
    for (size_t i = 0; i < 2; ++i) {
      const bool is_listed = !(i == 0 ? first : second).empty();
      if (sides[i].exists || (!is_listed && sides[i].error->code == Code::kNoEntry)) continue;
      Report(sides[i].name, *sides[i].error);
      is_good = false;
    }
    if (!is_good) return kTrouble;
    const bool any_directory = sides[0].is_directory() || sides[1].is_directory();
    const bool both_exist = sides[0].exists && sides[1].exists;
    if (any_directory && (!both_exist || (sides[0].is_directory() && sides[1].is_directory()))) {
      if (settings_.recursive) return CompareDirectories(sides, depth);
      return Say("Common subdirectories: " + sides[0].name + " and " + sides[1].name, 0);
    }
    for (const Side& side : sides) {
      if (!side.exists || side.attributes.is_file()) continue;
      if (!both_exist && !side.attributes.is_symlink()) {
        // A pipe or device is not read as what the other side lacks.
        return Say("Only in " + parents[first.empty() ? 1 : 0].name + ": " + (first.empty() ? second : first), kDiffer);
      }
      if (both_exist && IsSameLink(sides)) return 0;
      return both_exist ? ReportSpecial(sides) : CompareFiles(sides, depth);
    }
    return CompareFiles(sides, depth);
  }

  ExitStatus ReportSpecial(const Sides& sides) {
    if (sides[0].attributes.is_symlink() && sides[1].attributes.is_symlink()) return ReportLinks(sides);
    return ReportTypes(sides);
  }

  ExitStatus ReportLinks(const Sides& sides) {
    return Say("Symbolic links " + sides[0].name + " and " + sides[1].name + " differ", kDiffer);
  }

  bool IsSameLink(const Sides& sides) {
    if (!sides[0].attributes.is_symlink() || !sides[1].attributes.is_symlink()) return false;
    auto a = in_.fs.ReadLink(sides[0].name);
    auto b = in_.fs.ReadLink(sides[1].name);
    return a && b && *a == *b;
  }

  // The content of a side; absent ones are empty. Errors were reported.
  std::optional<std::string> ReadSide(const Side& side) {
    if (!side.exists) return std::string();
    auto file = InputFile::Open(in_, side.name);
    if (!file) {
      Report(side.name, file.error());
      return std::nullopt;
    }
    std::string text = file->input().ReadAll();
    if (!file->input().status()) {
      Report(side.name, file->input().status().error());
      return std::nullopt;
    }
    return text;
  }

  static void StripCarriageReturns(std::string& text) {
    size_t to = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
      text[to++] = text[i];
    }
    text.resize(to);
  }

  DiffLabel MakeLabel(const Side& side, size_t index) {
    if (index < settings_.labels.size()) return {settings_.labels[index]};
    const Nanoseconds time = side.exists ? side.attributes.modify_time : Nanoseconds(0);
    constexpr int64_t kNanosPerSecond = 1'000'000'000;
    TimePoint moment;
    moment.seconds = time.count() / kNanosPerSecond;
    int64_t nanos = time.count() % kNanosPerSecond;
    if (nanos < 0) {
      nanos += kNanosPerSecond;
      --moment.seconds;
    }
    moment.nanos = static_cast<int32_t>(nanos);
    const bool is_old = settings_.layout.style == DiffStyle::kContext && IsPosixLocale(in_.env, "LC_TIME");
    return {HeaderName(side.name) + "\t" +
            FormatTime(is_old ? "%a %b %e %T %Y" : "%Y-%m-%d %H:%M:%S.%N %z", zone_.ToLocal(moment.seconds), moment, in_.budget)};
  }

  ExitStatus CompareFiles(const Sides& sides, int depth) {
    if (sides[0].exists && sides[1].exists && settings_.no_dereference &&
        (sides[0].attributes.is_symlink() || sides[1].attributes.is_symlink())) {
      if (IsSameLink(sides)) return 0;
      return ReportSpecial(sides);
    }
    const ExitStatus status = CompareContents(sides, depth);
    if (status == 0 && settings_.report_same) {
      Say("Files " + NameOf(sides, 0) + " and " + NameOf(sides, 1) + " are identical", 0);
    }
    return status;
  }

  std::string NameOf(const Sides& sides, size_t i) const {
    return i < settings_.labels.size() ? settings_.labels[i] : sides[i].name;
  }

  ExitStatus CompareContents(const Sides& sides, int depth) {
    const bool shows_same = settings_.layout.style == DiffStyle::kIfdef ||
                            settings_.layout.style == DiffStyle::kSideBySide;
    if (sides[0].is_stdin && sides[1].is_stdin && (!shows_same || settings_.brief)) return 0;   // without reading it
    auto first = ReadSide(sides[0]);
    auto second = sides[0].is_stdin && sides[1].is_stdin ? first : ReadSide(sides[1]);
    if (!first || !second) return kTrouble;
    if (*first == *second && (!shows_same || settings_.brief)) {
      return CheckNewlines(sides, *first, *second, 0);
    }
    const auto is_binary = [](const std::string& text) {
      return std::string_view(text).substr(0, kBinaryProbe).find('\0') != std::string_view::npos;
    };
    if (!settings_.text && (is_binary(*first) || is_binary(*second))) {
      if (*first == *second) return 0;
      return Say((settings_.brief ? "Files " : "Binary files ") + NameOf(sides, 0) + " and " + NameOf(sides, 1) + " differ",
                 kDiffer);
    }
    if (settings_.rules.strip_carriage_return) {
      StripCarriageReturns(*first);
      StripCarriageReturns(*second);
    }
    const DiffText a(std::move(*first));
    const DiffText b(std::move(*second));
    const DiffPair pair(a, b, settings_.rules, in_.budget);
    const bool has_changes = pair.HasChanges();
    if (settings_.brief) {
      if (!has_changes) return 0;
      return Say("Files " + NameOf(sides, 0) + " and " + NameOf(sides, 1) + " differ", kDiffer);
    }
    if (has_changes || shows_same) {
      if (depth > 0) {
        in_.out.Write("diff" + settings_.switches + " " + HeaderName(NameOf(sides, 0)) + " " +
                      HeaderName(NameOf(sides, 1)) + "\n");
      }
      const std::array<DiffLabel, 2> labels = {MakeLabel(sides[0], 0), MakeLabel(sides[1], 1)};
      DiffPrinter(pair, settings_.layout, labels, in_.out).Print();
    }
    return CheckNewlines(sides, a.text(), b.text(), has_changes ? kDiffer : 0);
  }

  static bool IsSameFile(const Sides& sides) {
    return sides[0].exists && sides[1].exists && sides[0].attributes.device == sides[1].attributes.device &&
           sides[0].attributes.inode == sides[1].attributes.inode;
  }

  // An ed script cannot leave the last newline out.
  ExitStatus CheckNewlines(const Sides& sides, std::string_view a, std::string_view b, ExitStatus status) {
    if (settings_.rules.keeps_missing_newline || settings_.brief || IsSameFile(sides)) return status;
    const std::string_view texts[] = {a, b};
    for (size_t i = 0; i < 2; ++i) {
      if (texts[i].empty() || texts[i].back() == '\n') continue;
      in_.Fail(NameOf(sides, i) + ": No newline at end of file\n");
      status = kTrouble;
    }
    return status;
  }

  Invocation& in_;
  const DiffSettings& settings_;
  const TimeZone zone_;
};

ExitStatus RunWithOptions(Invocation& in, const DiffOptions& options, const std::vector<std::string>& operands) {
  if (options.help || options.version) {
    in.out.Write(options.help ? HelpText(in.command, in.name_in_messages()) : VersionText(in.command, in.name()));
    return 0;
  }
  auto settings = MakeDiffSettings(in, options);
  if (!settings) {
    if (settings.error().code == Code::kSyntax) return DiffutilsUsage(in, settings.error().Text());
    return in.Fail(settings.error().Text(), kTrouble);
  }
  // What stands before the operands is repeated in the output for directories.
  for (size_t i = 1; i < in.args.size(); ++i) {
    const bool is_operand = std::find(operands.begin(), operands.end(), in.args[i]) != operands.end();
    if (!is_operand) settings->switches += " " + QuoteText(in.args[i], QuotingStyle::kShell, true);
  }
  if (options.from_file && options.to_file) {
    return in.Fail("--from-file and --to-file both specified", kTrouble);
  }
  Comparer comparer(in, *settings);
  ExitStatus status = 0;
  if (options.from_file || options.to_file) {
    for (const std::string& operand : operands) {
      status = std::max(status, options.to_file ? comparer.CompareOperands(operand, *options.to_file)
                                                : comparer.CompareOperands(*options.from_file, operand));
    }
    return status;
  }
  if (operands.size() < 2) {
    const std::string last = operands.empty() ? in.args.back() : operands.back();
    return DiffutilsUsage(in, "missing operand after '" + last + "'");
  }
  if (operands.size() > 2) return DiffutilsUsage(in, "extra operand '" + operands[2] + "'");
  return comparer.CompareOperands(operands[0], operands[1]);
}

ExitStatus Run(Invocation& in) {
  DiffOptions options;
  auto parsed = ParseOptions(in.args, kDiffOptions, &options);
  if (!parsed) {
    if (parsed.error().code == Code::kInvalid) return in.Fail(parsed.error().Text(), kTrouble);
    return DiffutilsUsage(in, parsed.error().Text());
  }
  return RunWithOptions(in, options, parsed->operands);
}

}  // namespace

extern const Command kCommand_diff;
const Command kCommand_diff = {
    .name = "diff",
    .summary = "compare files line by line",
    .synopsis = "[OPTION]... FILES",
    .details = "\nFILES are 'FILE1 FILE2' or 'DIR1 DIR2' or 'DIR FILE' or 'FILE DIR'.\n"
               "If a FILE is '-', read standard input.\n"
               "Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.\n",
    .options = kDiffOptions,
    .usage_status = 2,
    .run = Run,
};

}  // namespace paddock
