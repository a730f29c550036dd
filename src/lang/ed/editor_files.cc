// Files and shell commands.

#include "lang/ed/editor_state.h"

namespace paddock::ed {

Status Editor::OpenFirst() {
  if (o_.file[0] != '!') {
    PADDOCK_TRY(CheckName(o_.file));
    file_ = o_.file;
  }
  return ReadInto(0, o_.file, true);
}

Status Editor::CheckName(const std::string& name) const {
  if (!o_.is_restricted) return {};
  if (name.starts_with('!')) return Bad("Shell access restricted");
  if (name == ".." || name.find('/') != std::string::npos) return Bad("Directory access restricted");
  return {};
}

Result<std::string> Editor::TakeName() {
  if (!is_at_end() && !IsBlank(Look())) return Bad("Unexpected command suffix");
  SkipBlanks();
  std::string name = line_.substr(at_);
  at_ = line_.size();
  PADDOCK_TRY(CheckName(name));
  return name;
}

Result<std::string> Editor::NameOrDefault(const std::string& name) const {
  if (!name.empty()) return name;
  if (file_.empty()) return Bad("No current filename");
  return file_;
}

Status Editor::ReadInto(size_t after, const std::string& name, bool is_first) {
  std::string text;
  if (name.starts_with('!')) {
    const auto status = host_.ReadFrom(name.substr(1), text);
    if (!status) return Bad("Cannot open input file");
    PADDOCK_TRY(AddText(after, text));
    if (*status != 0) {
      Complain(name + ": Success");
      return Bad("Cannot close input file");
    }
  } else {
    auto read = host_.Read(name);
    if (!read) {
      Complain(name + ": " + std::string(read.error().Text()));
      // A file that is yet to be is no mistake.
      if (is_first && read.error().code == Code::kNoEntry) return {};
      return Bad(read.error().code == Code::kIsDirectory ? "Cannot read input file" : "Cannot open input file");
    }
    text = std::move(*read);
    PADDOCK_TRY(AddText(after, text));
  }
  return {};
}

Status Editor::AddText(size_t after, std::string_view text) {
  size_t bytes = text.size();
  std::vector<LinePtr> lines;
  const bool is_binary = text.find('\0') != std::string_view::npos;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    budget_.Step(static_cast<int64_t>(1 + line.size() / 32));
    if (o_.strips_returns && line.ends_with('\r')) line.remove_suffix(1), --bytes;
    lines.push_back(std::make_shared<Line>(line));
    if (end == std::string_view::npos) {
      if (is_binary) {
        lacks_newline_ = true;
      } else {
        ++bytes;
        host_.out().Write("Newline appended\n");
      }
      break;
    }
    text.remove_prefix(end + 1);
  }
  if (!o_.is_script) host_.out().Write(std::to_string(bytes) + "\n");
  const size_t count = lines.size();
  buffer_.Insert(after, std::move(lines));
  buffer_.set_current(after + count);
  return {};
}

Status Editor::WriteLines(size_t first, size_t last, const std::string& name, bool appends) {
  std::string text;
  for (size_t number = first; number > 0 && number <= last; ++number) {
    const std::string& line = buffer_.at(number)->text;
    budget_.Step(static_cast<int64_t>(1 + line.size() / 32));
    if (text.size() + line.size() + 1 > text.capacity()) budget_.WillAllocate(2 * (text.size() + line.size() + 1));
    text.append(line).append(number == buffer_.size() && lacks_newline_ ? "" : "\n");
  }
  if (name.starts_with('!')) {
    const auto status = host_.WriteTo(name.substr(1), text);
    if (!status) return Bad("Cannot open output file");
    if (*status != 0) {
      Complain(name + ": Success");
      return Bad("Cannot close output file");
    }
  } else if (const Status status = host_.Write(name, text, appends); !status) {
    Complain(name + ": " + std::string(status.error().Text()));
    return Bad(status.error().code == Code::kNoSpace ? "Cannot write file" : "Cannot open output file");
  }
  if (!o_.is_script) host_.out().Write(std::to_string(text.size()) + "\n");
  const bool is_all = last == buffer_.size() && first <= 1;
  if (is_all && !name.starts_with('!')) buffer_.set_modified(false);
  return {};
}

Status Editor::RunShell() {
  if (o_.is_restricted) return Bad("Shell access restricted");
  std::string command;
  bool has_changed = false;
  if (Look() == '!') {
    ++at_;
    if (!shell_command_) return Bad("No previous command");
    command = *shell_command_;
    has_changed = true;
  }
  while (!is_at_end()) {
    const char c = Take();
    if (c == '%') {
      if (file_.empty()) return Bad("No current filename");
      command += file_;
      has_changed = true;
    } else if (c == '\\' && Look() == '%') {
      command += Take();
    } else {
      command += c;
    }
  }
  shell_command_ = command;
  if (has_changed) host_.out().Write(command + "\n");
  host_.out().Flush();
  const auto status = host_.Run(command);
  if (!status) return Bad("Can't create shell process");
  if (!o_.is_script) host_.out().Write("!\n");
  return {};
}

Status Editor::NameFile(const Range& range) {
  PADDOCK_TRY(CheckNone(range));
  const Result<std::string> name = TakeName();
  if (!name) return name.error();
  if (name->starts_with('!')) return Bad("Invalid redirection");
  if (!name->empty()) file_ = *name;
  if (file_.empty()) return Bad("No current filename");
  host_.out().Write(file_ + "\n");
  return {};
}

Status Editor::ExecuteOnFile(char command, Range range) {
  switch (command) {
    case 'r': {
      PADDOCK_ASSIGN(const size_t after, Single(range, buffer_.size()));
      PADDOCK_ASSIGN(std::string name, TakeName());
      if (!name.empty() && file_.empty() && !name.starts_with('!')) file_ = name;
      PADDOCK_ASSIGN(name, NameOrDefault(name));
      return ReadInto(after, name, false);
    }
    case 'w':
    case 'W': return WriteOut(command, range);
    case 'e':
    case 'E': {
      PADDOCK_TRY(CheckNone(range));
      PADDOCK_ASSIGN(std::string name, TakeName());
      PADDOCK_ASSIGN(name, NameOrDefault(name));
      if (command == 'e') {
        PADDOCK_TRY(CheckSaved());
      }
      buffer_.Clear();
      lacks_newline_ = false;
      if (!name.starts_with('!')) file_ = name;
      const Status status = ReadInto(0, name, false);
      buffer_.set_modified(false);
      buffer_.DropStep();
      return status;
    }
    case 'f': return NameFile(range);
    case 'q':
    case 'Q':
      PADDOCK_TRY(CheckNone(range));
      if (!is_at_end()) return Bad("Invalid command suffix");
      if (command == 'q') {
        PADDOCK_TRY(CheckSaved());
      }
      has_quit_ = true;
      return {};
    case 'h':
      PADDOCK_TRY(CheckNone(range));
      return Finish([&]() -> Status { return ShowError(), Status(); });
    case 'H':
      PADDOCK_TRY(CheckNone(range));
      return Finish([&]() -> Status {
        is_verbose_ = !is_verbose_;
        if (is_verbose_) ShowError();
        return {};
      });
    case 'P':
      PADDOCK_TRY(CheckNone(range));
      return Finish([&]() -> Status { return prompts_ = !prompts_, Status(); });
    default: return Bad("Unknown command");
  }
}

void Editor::ShowError() {
  if (!last_error_.empty()) host_.out().Write(last_error_ + "\n");
}

Status Editor::CheckSaved() {
  if (!buffer_.is_modified() || was_warned_) return {};
  is_warning_ = true;
  return Bad("Warning: buffer modified");
}

Status Editor::WriteOut(char command, Range range) {
  const bool quits = command == 'w' && (Look() == 'q' || Look() == 'Q');
  if (quits) ++at_;
  PADDOCK_ASSIGN(std::string name, TakeName());
  // An empty buffer can be written, too.
  if (range.count == 0 && buffer_.size() == 0) range.first = range.second = 0;
  else {
    PADDOCK_TRY(Settle(range, 1, buffer_.size()));
  }
  if (!name.empty() && file_.empty() && !name.starts_with('!')) file_ = name;
  PADDOCK_ASSIGN(name, NameOrDefault(name));
  PADDOCK_TRY(WriteLines(range.first, range.second, name, command == 'W'));
  if (quits) {
    PADDOCK_TRY(CheckSaved());
    has_quit_ = true;
  }
  return {};
}

}  // namespace paddock::ed
