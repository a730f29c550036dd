#include "lang/awk/awk.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "lang/awk/compiler.h"
#include "lang/awk/extension_library.h"
#include "lang/awk/number.h"
#include "lang/awk/parser.h"
#include "lang/awk/pretty.h"
#include "text/date/time_format.h"
#include "text/date/time_zone.h"

namespace paddock::awk {
namespace {

Result<std::string> ReadAll(Host& host, const std::string& path) {
  PADDOCK_ASSIGN(const auto file, host.OpenForReading(path));
  std::string text;
  for (;;) {
    PADDOCK_ASSIGN(const Block block, file->ReadBlock(64 << 10));
    if (block.bytes.empty()) return text;
    text.append(block.bytes);
  }
}

// Regular expressions of the program text are checked before it runs. Returns a complaint or "".
std::string CheckPatterns(const Program& program, bool is_utf8) {
  for (size_t i = 0; i < program.code.size(); ++i) {
    const Instruction& instruction = program.code[i];
    const bool has_constant = instruction.op == Op::kPushConstant || instruction.op == Op::kMatchRegex ||
                              instruction.op == Op::kMatchRecord;
    if (!has_constant) continue;
    const Value& constant = program.constants[static_cast<size_t>(instruction.b)];
    if (constant.kind() != Kind::kRegex) continue;
    if (auto pattern = AwkPattern::Compile(constant.view(), false, is_utf8); !pattern) {
      return PlaceName(program.sources, program.places[i]) + ": error: " +
             std::string(pattern.error().Text()) + ": /" + std::string(constant.view()) + "/";
    }
  }
  return "";
}

// The arithmetic of -M, with the precision and rounding that -v sets, which hold for the numbers in the program too.
BigMath MakeMath(const RunOptions& options, Budget& budget) {
  BigMath math(options.reads_non_decimal, budget);
  for (const std::string_view assignment : options.assignments) {
    const std::string_view value = assignment.substr(std::min(assignment.find('=') + 1, assignment.size()));
    if (assignment.starts_with("PREC=")) math.SetPrecision(value, ParseNumber(value).value);
    if (assignment.starts_with("ROUNDMODE=")) math.SetRounding(value);
  }
  return math;
}

// Whether --lint may begin, or end, in the middle of the run.
bool SetsLint(const SyntaxTree& tree, const RunOptions& options) {
  const auto is_lint = [](std::string_view text) { return text.starts_with("LINT="); };
  return std::any_of(options.assignments.begin(), options.assignments.end(), is_lint) ||
         std::any_of(options.operands.begin(), options.operands.end(), is_lint) ||
         std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const Node& node) {
           return node.kind == NodeKind::kVariable && !node.is_local && (node.slot == kSlotLint || node.slot == kSlotSymtab);
         });
}

// The time now as `date` writes it, less the zone.
std::string LocalTimeText(Host& host) {
  std::optional<std::string> zone;
  for (const auto& [name, value] : host.Environment()) {
    if (name == "TZ") zone = value;
  }
  const TimePoint now = {std::chrono::duration_cast<std::chrono::seconds>(host.clock().RealNow()).count(), 0};
  const CalendarTime time = TimeZone::FromTz(zone).ToLocal(now.seconds);
  return FormatTime("%a %b %e %H:%M:%S %Y", time, now, host.budget(), TimeDialect::kLibc);
}

}  // namespace

Result<ProgramFile> ReadProgramFile(Host& host, std::string_view path, std::string_view search) {
  std::vector<std::string> folders;
  if (path.find('/') != std::string_view::npos) {
    folders.emplace_back();
  } else {
    if (search.empty()) search = ".:/usr/local/share/awk";
    for (size_t at = 0; at <= search.size();) {
      const size_t end = std::min(search.find(':', at), search.size());
      const std::string_view folder = search.substr(at, end - at);
      folders.push_back(folder.empty() || folder == "." ? "" : std::string(folder) + "/");
      at = end + 1;
    }
  }
  Result<ProgramFile> first = Code::kNoEntry;
  for (const std::string_view suffix : {"", ".awk"}) {
    for (const std::string& folder : folders) {
      host.budget().Step();
      std::string found = folder + std::string(path) + std::string(suffix);
      auto text = ReadAll(host, found);
      if (text) return ProgramFile{std::move(found), std::move(*text)};
      if (first.error().code == Code::kNoEntry) first = text.error();
    }
  }
  if (const std::string_view built_in = BuiltInProgram(path); !built_in.empty() && first.error().code == Code::kNoEntry) {
    return ProgramFile{std::string(path), std::string(built_in)};
  }
  return first;
}

int RunAwk(std::vector<Source> sources, const RunOptions& options, Host& host) {
  const auto complain = [&](const std::string& text) { (void)host.standard_error().Write(text); };
  std::vector<std::string> warnings;
  const bool lints = options.lint != LintLevel::kOff || options.lints_for_old_awk;
  const bool is_printed = options.pretty_path || options.profile_path || lints || options.has_big_numbers;
  ParseInput input = {options.name, sources, options.strictness, warnings, is_printed,
                            [&](std::string_view path) { return ReadProgramFile(host, path, options.program_path); }};
  Libraries libraries = 0;
  for (const std::string& name : options.libraries) {
    const auto library = FindLibrary(name);
    if (!library) {
      complain(options.name + ": fatal: cannot open shared library `" + name + "' for reading: No such file or directory\n");
      return 2;
    }
    if (*library == Library::kTime) complain(options.name + ": warning: " + std::string(kTimeIsObsolete) + "\n");
    libraries |= BitOf(*library);
  }
  input.libraries = libraries;
  input.lints = options.lint == LintLevel::kWarn || options.lint == LintLevel::kFatal;
  auto tree = Parse(input, host.budget());
  for (const std::string& warning : warnings) complain(warning + "\n");
  if (!tree) {
    complain(tree.error().message + "\n");
    return tree.error().code == Code::kSyntax ? 1 : 2;
  }
  if (options.lists_translations) {
    (void)host.standard_output().Write(TranslationTemplate(*tree, sources, host.budget()));
    return 0;
  }
  if (options.lint != LintLevel::kOff) {
    for (const Source& source : sources) {
      if (source.name == "cmd. line" || source.text.empty() || source.text.back() == '\n') continue;
      const auto line = std::count(source.text.begin(), source.text.end(), '\n') + 1;
      complain(options.name + ": " + source.name + ":" + std::to_string(line) + ": warning: source file does not end in newline\n");
    }
  }
  bool shadowed = false;
  Place last;
  if (lints) {
    for (const LintWarning& warning : LintProgram(*tree, options.lint, options.lints_for_old_awk, host.budget())) {
      const bool is_fatal = options.lint == LintLevel::kFatal && !warning.is_mild;
      const std::string place = warning.has_place ? PlaceName(sources, warning.place) + ": " : "";
      complain(options.name + ": " + place + (is_fatal ? "fatal: " : "warning: ") + warning.text + "\n");
      if (is_fatal) return 2;
      shadowed |= warning.is_mild;
      last = warning.place;
    }
  }
  if (shadowed && options.lint == LintLevel::kFatal) {
    complain(options.name + ": " + PlaceName(sources, last) + ": fatal: there were shadowed variables\n");
    return 2;
  }
  std::optional<BigMath> math;
  if (options.has_big_numbers) math.emplace(MakeMath(options, host.budget()));
  BigMath* const used_math = math ? &*math : nullptr;
  const CompileOptions compiling = {options.profile_path.has_value(), options.lint != LintLevel::kOff || SetsLint(*tree, options), options.reads_non_decimal,
                                    used_math};
  Program program = Compile(*tree, std::move(sources), compiling, host.budget());
  // What is to be shown at the end has to be kept up to date.
  if (options.dump_path) program.uses_rt = program.uses_symtab = program.uses_functab = program.uses_environ = true;
  if (const std::string complaint = CheckPatterns(program, options.is_utf8); !complaint.empty()) {
    complain(options.name + ": " + complaint + "\n");
    return 1;
  }
  if (options.pretty_path) {
    WriteListing(host, {options.name, *options.pretty_path, "profile", PrettyPrint(*tree, nullptr, host.budget())});
    return 0;
  }
  Interpreter interpreter(program, options, host, used_math);
  const int status = interpreter.Run();
  if (options.profile_path) {
    const std::string start = "\t# gawk profile, created " + LocalTimeText(host) + "\n\n";
    const std::string text = start + PrettyPrint(*tree, &interpreter.counts(), host.budget());
    WriteListing(host, {options.name, *options.profile_path, "profile", text});
  }
  return status;
}

}  // namespace paddock::awk
