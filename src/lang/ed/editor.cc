#include "lang/ed/editor.h"

#include "lang/ed/editor_state.h"

namespace paddock::ed {
namespace {

constexpr int kUnsaved = 2;

}  // namespace

int Editor::Run() {
  if (!o_.file.empty()) {
    Report(OpenFirst());
    buffer_.set_modified(false);
    buffer_.DropStep();
  }
  InputCommands commands(host_);
  while (!has_quit_) {
    budget_.Step();
    if (prompts_) {
      host_.out().Write(o_.prompt);
      host_.out().Flush();
    }
    std::optional<std::string> line = commands.Next();
    if (!line) {
      // The end of the commands is a q, once.
      if (buffer_.is_modified() && !was_warned_) {
        Report(Bad("Warning: buffer modified"), commands.line_count());
        return o_.is_loose ? 0 : kUnsaved;
      }
      break;
    }
    buffer_.BeginStep();
    is_warning_ = false;
    const Status done = Execute(*line, commands);
    Report(done, commands.line_count());
    if (!done && o_.is_regular_script) break;   // nobody is there to notice
    was_warned_ = is_warning_;
  }
  return has_failed_ && !o_.is_loose ? 1 : 0;
}

void Editor::Report(const Status& status, size_t script_line) {
  if (status) return;
  has_failed_ = true;
  last_error_ = status.error().Text();
  host_.out().Write("?\n");
  const std::string place = o_.is_regular_script && script_line > 0 ? "script, line " + std::to_string(script_line) + ": " : "";
  if (is_verbose_) host_.out().Write(place + last_error_ + "\n");
  host_.out().Flush();
}

void Editor::Complain(const std::string& text) {
  if (o_.is_quiet) return;
  host_.out().Flush();
  host_.err().Write(text + "\n");
}

Status Editor::CheckNone(const Range& range) {
  if (range.count > 0) return Bad("Unexpected address");
  return {};
}

Status Editor::Execute(const std::string& line, CommandSource& commands) {
  line_ = line;
  at_ = 0;
  budget_.Step(static_cast<int64_t>(1 + line.size() / 32));
  PADDOCK_ASSIGN(Range range, TakeRange());
  SkipBlanks();
  if (is_at_end()) return PrintNext(range, commands.is_global());
  const char command = Take();
  switch (command) {
    case 'a': {
      PADDOCK_ASSIGN(const size_t after, Single(range, buffer_.current()));
      return AppendText(after, commands);
    }
    case 'i': {
      PADDOCK_ASSIGN(const size_t before, Single(range, buffer_.current()));
      return AppendText(before > 0 ? before - 1 : 0, commands);
    }
    case 'c': return Change(range, commands);
    case 'd':
      PADDOCK_TRY(SettleCurrent(range));
      return Finish([&]() -> Status { return Delete(range.first, range.second), Status(); });
    case 'j':
      PADDOCK_TRY(Settle(range, buffer_.current(), buffer_.current() + 1));
      return Finish([&] { return Join(range.first, range.second); });
    case 'm': {
      PADDOCK_TRY(SettleCurrent(range));
      PADDOCK_ASSIGN(const size_t after, TakeDestination());
      return Finish([&] { return Move(range.first, range.second, after); });
    }
    case 't': {
      PADDOCK_TRY(SettleCurrent(range));
      PADDOCK_ASSIGN(const size_t after, TakeDestination());
      return Finish([&]() -> Status {
        buffer_.Insert(after, CopyOf(range.first, range.second));
        buffer_.set_current(after + range.second - range.first + 1);
        return {};
      });
    }
    case 'y':
      PADDOCK_TRY(SettleCurrent(range));
      return Finish([&]() -> Status { return Cut(range.first, range.second), Status(); });
    case 'x': return Paste(range);
    case 's': return Substituted(range, commands);
    case 'g':
    case 'v':
    case 'G':
    case 'V': return Global(range, command, commands);
    case 'k': return Mark(range);
    case 'p':
    case 'n':
    case 'l': {
      PADDOCK_TRY(SettleCurrent(range));
      PrintFlags flags;
      (command == 'p' ? flags.plain : command == 'n' ? flags.numbered : flags.listed) = true;
      PADDOCK_ASSIGN(flags, TakePrintFlags(flags));
      return Print(range.first, range.second, flags);
    }
    case 'z': return Scroll(range);
    case '=': {
      PADDOCK_ASSIGN(const size_t number, Single(range, buffer_.size()));
      return Finish([&]() -> Status { return host_.out().Write(std::to_string(number) + "\n"), Status(); });
    }
    case 'u':
      PADDOCK_TRY(CheckNone(range));
      return Finish([&]() -> Status { return buffer_.Undo() ? Status() : Bad("Nothing to undo"); });
    case '#':
      at_ = line_.size();
      return {};
    case '!':
      PADDOCK_TRY(CheckNone(range));
      return RunShell();
    default: return ExecuteOnFile(command, range);
  }
}

int Edit(const EditorOptions& options, Host& host, Budget& budget) { return Editor(options, host, budget).Run(); }

}  // namespace paddock::ed
