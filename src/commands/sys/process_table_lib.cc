#include <algorithm>
#include <charconv>
#include <map>

#include "commands/sys/process_table.h"
#include "proc/kernel.h"
#include "proc/process.h"

namespace paddock {

std::string ProcessFacts::CommandLine() const {
  if (arguments.empty()) return "[" + name + "]";
  std::string text;
  for (const std::string& argument : arguments) {
    if (!text.empty()) text += ' ';
    for (const char c : argument) text += static_cast<unsigned char>(c) < 32 || c == 127 ? '?' : c;
  }
  return state == 'Z' ? "[" + name + "] <defunct>" : text;
}

std::string ProcessFacts::StateText() const {
  std::string text(1, state);
  if (niceness < 0) text += '<';
  if (niceness > 0) text += 'N';
  if (is_leader()) text += 's';
  if (is_foreground) text += '+';
  return text;
}

std::vector<ProcessFacts> ListProcesses(Invocation& in) {
  std::vector<ProcessFacts> table;
  std::map<int, int> parents;
  for (proc::Process* process : in.kernel.List()) {
    in.budget.Step();
    ProcessFacts facts;
    facts.pid = process->pid();
    facts.parent = process->parent_pid();
    facts.group = process->group();
    facts.niceness = process->niceness();
    facts.age = in.clock.MonotonicNow() - process->start_time();
    facts.uid = process->files().credentials().uid;
    facts.gid = process->files().credentials().gid;
    facts.arguments = process->arguments();
    facts.name = vfs::BaseName(facts.arguments.empty() ? "sh" : facts.arguments[0]).substr(0, 15);
    if (facts.name.starts_with('-')) facts.name.erase(0, 1);
    if (process->state() == proc::Process::State::kStopped) facts.state = 'T';
    else if (process->state() == proc::Process::State::kExited) facts.state = 'Z';
    else if (process == &in.process) facts.state = 'R';
    const vfs::OpenFilePtr& input = process->descriptors().Get(0);
    facts.has_terminal = in.kernel.foreground_group() != 0 || (input && input->is_terminal());
    facts.is_foreground = facts.has_terminal && facts.group == in.kernel.foreground_group();
    parents[facts.pid] = facts.parent;
    table.push_back(std::move(facts));
  }
  for (ProcessFacts& facts : table) {
    facts.session = facts.pid;
    for (size_t i = 0; i < table.size(); ++i) {
      const auto parent = parents.find(parents[facts.session]);
      if (parent == parents.end()) break;
      facts.session = parent->first;
    }
  }
  return table;
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> items;
  while (!text.empty()) {
    const size_t end = text.find_first_of(", \t");
    if (end != 0) items.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return items;
}

std::optional<int> ParsePid(std::string_view text) {
  int pid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc() || end != text.data() + text.size() || pid < 0) return std::nullopt;
  return pid;
}

std::optional<uint32_t> FindUserId(UserNames& names, std::string_view text) {
  if (const UserRecord* user = names.User(text)) return user->uid;
  const auto number = ParsePid(text);
  if (!number) return std::nullopt;
  return static_cast<uint32_t>(*number);
}

std::optional<uint32_t> FindGroupId(UserNames& names, std::string_view text) {
  if (const GroupRecord* group = names.Group(text)) return group->gid;
  const auto number = ParsePid(text);
  if (!number) return std::nullopt;
  return static_cast<uint32_t>(*number);
}

}  // namespace paddock
