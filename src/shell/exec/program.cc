#include "shell/exec/program.h"

#include <algorithm>

#include "shell/shell.h"
#include "shell/state/initial.h"

namespace paddock::shell {
namespace {

constexpr std::string_view kMarker("\x7fPADDOCK\0", 9);
constexpr size_t kMaxInterpreterLine = 256;
constexpr size_t kSniffed = 80;
constexpr int kMaxInterpreters = 4;
constexpr const char* kShells[] = {"bash", "sh", "rbash"};

bool IsShellName(std::string_view name) {
  return std::find(std::begin(kShells), std::end(kShells), name) != std::end(kShells);
}

// The first line of a script after "#!": interpreter and at most one argument, as the Linux kernel splits.
struct Interpreter {
  std::string path;
  std::string argument;
};

std::optional<Interpreter> InterpreterOf(std::string_view content) {
  if (!content.starts_with("#!")) return std::nullopt;
  std::string_view line = content.substr(2, std::min(content.find('\n'), kMaxInterpreterLine) - 2);
  const auto trim = [](std::string_view text) {
    const size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return std::string_view();
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
  };
  line = trim(line);
  if (line.empty()) return std::nullopt;
  const size_t space = line.find_first_of(" \t");
  Interpreter interpreter;
  interpreter.path = line.substr(0, space);
  if (space != std::string_view::npos) interpreter.argument = trim(line.substr(space));
  return interpreter;
}

// Bash's test for a binary: an ELF header, or a NUL in the first line.
bool LooksBinary(std::string_view content) {
  if (content.starts_with("\x7f" "ELF")) return true;
  const std::string_view head = content.substr(0, kSniffed);
  return head.substr(0, head.find('\n')).find('\0') != std::string_view::npos;
}

}  // namespace

ShellHost::ShellHost(std::span<const Command* const> commands) : commands_(commands), initial_variables_(MakeInitialVariables()) {
  for (const Command* command : commands) {
    by_name_[command->name] = command;
    for (const char* alias : command->aliases) by_name_[alias] = command;
  }
}

const Command* ShellHost::FindCommand(std::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::vector<std::string> ShellHost::ProgramNames() const {
  std::vector<std::string> names(std::begin(kShells), std::end(kShells));
  for (const auto& [name, command] : by_name_) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string ShellHost::ProgramFile(std::string_view name) {
  return std::string(kMarker) + std::string(name) + "\n";
}

std::string_view ProgramName(std::string_view content) {
  if (!content.starts_with(kMarker)) return {};
  content.remove_prefix(kMarker.size());
  return content.substr(0, content.find('\n'));
}

Status ShellHost::CheckExecutable(proc::Process& process, const std::string& path) const {
  auto stat = process.files().Stat(path);
  if (!stat) return stat.error();
  if (stat->is_directory()) return Code::kIsDirectory;
  if (!stat->is_file()) return Code::kAccess;
  return process.files().Access(path, 1);
}

Status ShellHost::CheckStarts(proc::Process& process, std::string path) const {
  for (int level = 0; level < kMaxInterpreters; ++level) {
    PADDOCK_TRY(CheckExecutable(process, path));
    PADDOCK_ASSIGN(const vfs::OpenFilePtr file, process.files().Open(path, vfs::OpenFlags::Read()));
    PADDOCK_ASSIGN(const Block head, file->ReadBlock(kMaxInterpreterLine));
    const auto interpreter = InterpreterOf(head.bytes);
    if (!interpreter) return ProgramName(head.bytes).empty() && LooksBinary(head.bytes) ? Status(Code::kExecFormat) : Status();
    path = interpreter->path;
  }
  return Code::kLoop;
}

void ChargeCopy(const Environment& environment, Budget& budget) {
  constexpr size_t kBytesPerStep = 16;
  size_t bytes = 0;
  for (const Environment::Variable& variable : environment.variables()) {
    bytes += variable.name.size() + variable.value.size() + 1;
  }
  budget.Step(static_cast<int64_t>(bytes / kBytesPerStep));
}

Result<ExitStatus> ShellHost::Execute(proc::Process& process, const std::string& program,
                                      std::vector<std::string> args,
                                      std::shared_ptr<const Environment> environment) const {
  ChargeCopy(*environment, process.kernel().budget());
  std::string path = program;
  for (int level = 0; level < kMaxInterpreters; ++level) {
    PADDOCK_TRY(CheckExecutable(process, path));
    std::string content;
    {
      // Without read permission a program still runs; only root's view of it is needed here.
      PADDOCK_ASSIGN(vfs::OpenFilePtr file, process.files().Open(path, vfs::OpenFlags::Read()));
      PADDOCK_ASSIGN(Block head, file->ReadBlock(kMaxInterpreterLine));
      content = head.bytes;
    }
    process.set_arguments(args);
    if (const std::string_view name = ProgramName(content); !name.empty()) {
      if (IsShellName(name)) return RunBash(process, *this, args, *environment);
      const Command* command = FindCommand(name);
      if (command == nullptr) return Code::kExecFormat;
      return RunCommand(*command, process, args, *environment, const_cast<ShellHost&>(*this));
    }
    if (const auto interpreter = InterpreterOf(content)) {
      std::vector<std::string> next = {interpreter->path};
      if (!interpreter->argument.empty()) next.push_back(interpreter->argument);
      next.push_back(path);
      next.insert(next.end(), args.begin() + 1, args.end());
      if (auto stat = process.files().Stat(interpreter->path); !stat) {
        return Error(stat.error().code, "cannot execute: required file not found");
      }
      args = std::move(next);
      path = interpreter->path;
      continue;
    }
    if (LooksBinary(content)) return Code::kExecFormat;
    // Text without "#!": the shell runs it itself.
    args[0] = path;
    args.insert(args.begin(), "bash");
    return RunBash(process, *this, args, *environment);
  }
  return Code::kLoop;
}

Result<std::string> ShellHost::FindProgram(proc::Process& parent, const Environment& environment,
                                           std::string_view name) {
  if (name.find('/') != std::string_view::npos) return std::string(name);
  std::string_view path = environment.Get("PATH", "/usr/local/bin:/usr/bin:/bin");
  Code code = Code::kNoEntry;
  while (!name.empty()) {
    const size_t colon = path.find(':');
    const std::string_view directory = path.substr(0, colon);
    const std::string candidate = vfs::JoinPath(directory.empty() ? "." : directory, name);
    const Status status = CheckExecutable(parent, candidate);
    if (status) return candidate;
    if (status.error().code == Code::kAccess) code = Code::kAccess;
    if (colon == std::string_view::npos) break;
    path.remove_prefix(colon + 1);
  }
  return code;
}

namespace {

// What a ChildSpec asks for beyond the program itself.
void Prepare(proc::Process& child, const ChildSpec& spec) {
  if (spec.in) child.descriptors().Set(0, spec.in);
  if (spec.out) child.descriptors().Set(1, spec.out);
  if (spec.err) child.descriptors().Set(2, spec.err);
  if (spec.own_group) child.set_group(child.pid());
  if (spec.cwd) [[maybe_unused]] const Status ignored = child.files().ChangeDirectory(*spec.cwd);
  for (const int signal : spec.ignored_signals) {
    child.set_disposition(signal, proc::Process::Disposition::kIgnore);
  }
  child.descriptors().CloseOnExec();
}

}  // namespace

Result<ExitStatus> ShellHost::Run(proc::Process& parent, const ChildSpec& spec) {
  PADDOCK_ASSIGN(auto child, Plan(parent, spec));
  Result<ExitStatus> result = Code::kInternal;
  const proc::WaitStatus ended = parent.kernel().RunInline(
      parent, [&](proc::Process& process) { Prepare(process, spec); },
      [&](proc::Process& process) {
        result = Execute(process, child.path, spec.args, child.environment);
        return result ? *result : 126;
      });
  if (ended.signal != 0) return ended.status;
  return result;
}

Result<int> ShellHost::Spawn(proc::Process& parent, const ChildSpec& spec) {
  PADDOCK_ASSIGN(auto child, Plan(parent, spec));
  proc::Process& started = parent.kernel().Start(
      parent, [&](proc::Process& process) { Prepare(process, spec); },
      [this, child, args = spec.args](proc::Process& process) {
        auto status = Execute(process, child.path, args, child.environment);
        return status ? *status : 126;
      });
  return started.pid();
}

Result<ShellHost::Planned> ShellHost::Plan(proc::Process& parent, const ChildSpec& spec) {
  if (spec.args.empty()) return Code::kInvalid;
  Planned planned;
  if (spec.environment != nullptr) ChargeCopy(*spec.environment, parent.kernel().budget());
  planned.environment = std::make_shared<Environment>(spec.environment == nullptr ? Environment() : *spec.environment);
  PADDOCK_ASSIGN(planned.path, FindProgram(parent, *planned.environment, spec.args[0]));
  const Status status = CheckStarts(parent, planned.path);
  if (!status) return status.error().code == Code::kIsDirectory ? Code::kAccess : status.error().code;
  return planned;
}

}  // namespace paddock::shell
