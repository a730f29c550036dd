// g, v, G and V.

#include "lang/ed/editor_state.h"

namespace paddock::ed {
namespace {

// An odd number of backslashes at the end continues the line.
bool IsContinued(std::string_view line) {
  const size_t last = line.find_last_not_of('\\');
  return (line.size() - (last == std::string_view::npos ? 0 : last + 1)) % 2 == 1;
}

}  // namespace

Status Editor::Global(Range range, char kind, CommandSource& commands) {
  if (commands.is_global()) return Bad("Cannot nest global commands");
  PADDOCK_TRY(Settle(range, 1, buffer_.size()));
  const bool is_interactive = kind == 'G' || kind == 'V';
  const bool wants_match = kind == 'g' || kind == 'G';
  const char delimiter = Look();
  if (is_at_end() || delimiter == ' ') return Bad("Invalid pattern delimiter");
  ++at_;
  bool is_closed = false;
  PADDOCK_ASSIGN(const std::string pattern, TakePattern(delimiter, is_closed));
  bool ignores_case = false;
  if (is_closed && Look() == 'I') ++at_, ignores_case = true;
  PADDOCK_ASSIGN(const auto regex, Compile(pattern, ignores_case));
  std::vector<LinePtr> lines;
  for (size_t number = range.first; number <= range.second; ++number) {
    PADDOCK_ASSIGN(const bool is_match, Matches(*regex, number));
    if (is_match == wants_match) lines.push_back(buffer_.at(number));
  }
  std::string list;
  if (is_interactive) {
    PADDOCK_ASSIGN(const PrintFlags flags, TakePrintFlags());
    interactive_print_ = flags;
  } else {
    PADDOCK_ASSIGN(list, TakeCommandList(commands));
  }
  buffer_.DropStep();
  buffer_.BeginStep();
  size_t hint = range.first;
  for (const LinePtr& line : lines) {
    budget_.Step();
    const size_t number = buffer_.Find(*line, hint);
    if (number == 0) continue;
    hint = number;
    buffer_.set_current(number);
    if (is_interactive) {
      PADDOCK_TRY(AskForList(commands, list));
      if (list.empty()) continue;
    }
    PADDOCK_TRY(RunList(list));
    if (has_quit_) break;
  }
  return {};
}

Result<std::string> Editor::TakeCommandList(CommandSource& commands) {
  std::string list = line_.substr(at_);
  at_ = line_.size();
  while (IsContinued(list)) {
    budget_.Step();
    const auto next = commands.Next();
    if (!next) return Bad("Unexpected end-of-file");
    list.back() = '\n';
    if (list.size() + next->size() > list.capacity()) budget_.WillAllocate(2 * (list.size() + next->size()));
    list += *next;
  }
  return list.empty() ? "p" : list;
}

Status Editor::AskForList(CommandSource& commands, std::string& list) {
  PADDOCK_TRY(Print(buffer_.current(), buffer_.current(), interactive_print_));
  const auto line = commands.Next();
  if (!line) return Bad("Unexpected end-of-file");
  if (line->empty()) {
    list.clear();
    return {};
  }
  if (*line == "&") {
    if (interactive_list_.empty()) return Bad("No previous command");
    list = interactive_list_;
    return {};
  }
  line_ = *line;
  at_ = 0;
  PADDOCK_ASSIGN(list, TakeCommandList(commands));
  interactive_list_ = list;
  return {};
}

Status Editor::RunList(const std::string& list) {
  ListCommands commands(list);
  while (const auto line = commands.Next()) {
    PADDOCK_TRY(Execute(*line, commands));
    if (has_quit_) break;
  }
  return {};
}

}  // namespace paddock::ed
