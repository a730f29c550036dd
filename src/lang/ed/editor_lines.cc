// Commands that show lines, and those that move them.

#include "lang/ed/editor_state.h"

#include <algorithm>
#include <cstdio>

namespace paddock::ed {
namespace {

constexpr size_t kListWidth = 72;   // columns of a line of l

}  // namespace

Result<PrintFlags> Editor::TakePrintFlags(PrintFlags flags) {
  while (!is_at_end()) {
    const char c = Take();
    if (c == 'p') flags.plain = true;
    else if (c == 'n') flags.numbered = true;
    else if (c == 'l') flags.listed = true;
    else return Bad("Invalid command suffix");
  }
  return flags;
}

Status Editor::PrintCurrent(const PrintFlags& flags) {
  if (!flags.any()) return {};
  if (buffer_.current() == 0) return Bad("Invalid address");
  return Print(buffer_.current(), buffer_.current(), flags);
}

Status Editor::Print(size_t first, size_t last, const PrintFlags& flags) {
  if (last == 0) return Bad("Invalid address");
  for (size_t number = first; number <= last; ++number) {
    const std::string& text = buffer_.at(number)->text;
    budget_.Step(static_cast<int64_t>(1 + text.size() / 32));
    std::string head;
    if (flags.numbered) head = std::to_string(number) + "\t";
    host_.out().Write(head);
    if (flags.listed) List(text, head.empty() ? 0 : 8);
    else host_.out().Write(text);
    host_.out().Put('\n');
  }
  buffer_.set_current(last);
  return {};
}

void Editor::List(std::string_view text, size_t column) {
  for (const char c : text) {
    constexpr std::string_view kLetters = "\a\b\f\n\r\t\v\\$", kNames = "abfnrtv\\$";
    std::string shown(1, c);
    const size_t known = kLetters.find(c);
    if (known != std::string_view::npos) {
      shown = {'\\', kNames[known]};
    } else if (c < ' ' || c > '~') {
      char octal[8];
      std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
      shown = octal;
    }
    if (column + shown.size() > kListWidth) {
      host_.out().Write("\\\n");
      column = 0;
    }
    host_.out().Write(shown);
    column += shown.size();
  }
  host_.out().Put('$');
}

std::vector<LinePtr> Editor::TakeText(CommandSource& commands) {
  std::vector<LinePtr> lines;
  while (true) {
    budget_.Step();
    const auto line = commands.Next();
    if (!line || *line == ".") return lines;
    lines.push_back(std::make_shared<Line>(*line));
  }
}

Status Editor::AppendText(size_t after, CommandSource& commands) {
  PADDOCK_ASSIGN(const PrintFlags flags, TakePrintFlags());
  std::vector<LinePtr> lines = TakeText(commands);
  const size_t count = lines.size();
  buffer_.Insert(after, std::move(lines));
  buffer_.set_current(after + count);
  return PrintCurrent(flags);
}

void Editor::Cut(size_t first, size_t last) {
  cut_.clear();
  for (size_t number = first; number <= last; ++number) {
    budget_.Step();
    cut_.push_back(std::make_shared<Line>(buffer_.at(number)->text));
  }
}

void Editor::Delete(size_t first, size_t last) {
  Cut(first, last);
  buffer_.Replace(first - 1, last - first + 1, {});
  buffer_.set_current(std::min(first, buffer_.size()));
}

std::vector<LinePtr> Editor::CopyOf(size_t first, size_t last) {
  std::vector<LinePtr> lines;
  for (size_t number = first; number <= last; ++number) {
    budget_.Step(static_cast<int64_t>(1 + buffer_.at(number)->text.size() / 32));
    lines.push_back(std::make_shared<Line>(buffer_.at(number)->text));
  }
  return lines;
}

Status Editor::Join(size_t first, size_t last) {
  if (first == last) return {};
  std::string text;
  for (size_t number = first; number <= last; ++number) {
    budget_.Step(static_cast<int64_t>(1 + buffer_.at(number)->text.size() / 32));
    text += buffer_.at(number)->text;
  }
  Cut(first, last);
  std::vector<LinePtr> lines{std::make_shared<Line>(text)};
  buffer_.Replace(first - 1, last - first + 1, std::move(lines));
  buffer_.set_current(first);
  return {};
}

Status Editor::Move(size_t first, size_t last, size_t after) {
  if (after >= first && after < last) return Bad("Invalid destination");
  const size_t count = last - first + 1;
  if (after == last || after + 1 == first) {
    buffer_.set_current(last);
    return {};
  }
  std::vector<LinePtr> lines;
  for (size_t number = first; number <= last; ++number) lines.push_back(buffer_.at(number));
  buffer_.Replace(first - 1, count, {});
  if (after > last) after -= count;
  buffer_.Insert(after, std::move(lines));
  buffer_.set_current(after + count);
  return {};
}

Status Editor::PrintNext(Range range, bool is_global) {
  const size_t number = range.count > 0 ? range.second : buffer_.current() + (is_global ? 0 : 1);
  if (number < 1 || number > buffer_.size()) return Bad("Invalid address");
  return Print(number, number, {.plain = true});
}

Status Editor::Change(Range range, CommandSource& commands) {
  PADDOCK_TRY(SettleCurrent(range));
  PADDOCK_ASSIGN(const PrintFlags flags, TakePrintFlags());
  std::vector<LinePtr> lines = TakeText(commands);
  const size_t count = lines.size();
  Cut(range.first, range.second);
  buffer_.Replace(range.first - 1, range.second - range.first + 1, std::move(lines));
  buffer_.set_current(count > 0 ? range.first + count - 1 : std::min(range.first, buffer_.size()));
  return PrintCurrent(flags);
}

Status Editor::Paste(const Range& range) {
  PADDOCK_ASSIGN(const size_t after, Single(range, buffer_.current()));
  return Finish([&]() -> Status {
    if (cut_.empty()) return Bad("Nothing to put");
    std::vector<LinePtr> lines;
    for (const LinePtr& line : cut_) {
      budget_.Step();
      lines.push_back(std::make_shared<Line>(line->text));
    }
    buffer_.Insert(after, std::move(lines));
    buffer_.set_current(after + cut_.size());
    return {};
  });
}

Status Editor::Mark(const Range& range) {
  PADDOCK_ASSIGN(const size_t number, Single(range, buffer_.current()));
  if (number == 0) return Bad("Invalid address");
  const char name = Take();
  if (name < 'a' || name > 'z') return Bad("Invalid mark character");
  return Finish([&]() -> Status {
    marks_[name - 'a'] = buffer_.at(number);
    return {};
  });
}

Status Editor::Scroll(const Range& range) {
  PADDOCK_ASSIGN(const size_t first, Single(range, buffer_.current() + 1));
  if (first == 0) return Bad("Invalid address");
  if (IsDigit(Look())) {
    if (Look() == '0') return Bad("Invalid command suffix");
    PADDOCK_ASSIGN(window_, TakeNumber());
  }
  PADDOCK_ASSIGN(const PrintFlags flags, TakePrintFlags());
  return Print(first, std::min(buffer_.size(), first + window_ - 1), flags);
}

}  // namespace paddock::ed
