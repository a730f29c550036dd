#include "cli/line_editor.h"

#include <fcntl.h>
#include <histedit.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cwchar>
#include <utility>

#include "base/clock.h"
#include "cli/history_file.h"
#include "cli/terminal_signals.h"

namespace paddock::cli {
namespace {

constexpr size_t kAskAbove = 100;   // candidates, as readline has it
constexpr size_t kColumnGap = 2;

// Keys that libedit's emacs mode binds otherwise, or not, as a user of bash knows them.
constexpr const char* kBindings[][2] = {
    {"^I", "paddock-complete"},         {"^D", "paddock-delete-or-end"},   {"^R", "em-inc-search-prev"},
    {"^S", "em-inc-search-next"},       {"^U", "vi-kill-line-prev"},       {"^W", "ed-delete-prev-word"},
    {"\\e[3~", "ed-delete-next-char"},  {"\\e[1~", "ed-move-to-beg"},      {"\\e[4~", "ed-move-to-end"},
    {"\\e[1;5C", "em-next-word"},       {"\\e[1;5D", "ed-prev-word"},      {"\\e[1;3C", "em-next-word"},
    {"\\e[1;3D", "ed-prev-word"},       {"\\e\\^?", "ed-delete-prev-word"},
};

// Characters of UTF-8 text.
size_t CountCharacters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string Printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 32 || byte == 127) (shown += '^') += static_cast<char>(byte ^ 64);
    else shown += c;
  }
  return shown;
}

}  // namespace

struct LineEditor::Impl {
  Impl(int output, TerminalSignals& signals_in, Callbacks callbacks_in)
      : signals(signals_in), callbacks(std::move(callbacks_in)) {
    // The sandbox speaks UTF-8 whatever the host's locale is; libedit reads and shows by this.
    if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) std::setlocale(LC_CTYPE, "");
    in.reset(fdopen(fcntl(0, F_DUPFD_CLOEXEC, 3), "r"));
    out.reset(fdopen(fcntl(output, F_DUPFD_CLOEXEC, 3), "w"));
    edit.reset(el_init("paddock", in.get(), out.get(), out.get()));
    history.reset(history_init());
    HistEvent event;
    ::history(history.get(), &event, H_SETSIZE, static_cast<int>(HistoryFile::kMaxEntries));
    EditLine* const el = edit.get();
    el_set(el, EL_CLIENTDATA, this);
    el_set(el, EL_EDITOR, "emacs");
    el_set(el, EL_HIST, ::history, history.get());
    el_set(el, EL_PROMPT_ESC, GetPrompt, '\1');
    el_set(el, EL_GETCFN, GetCharacter);
    el_set(el, EL_ADDFN, "paddock-complete", "Complete the word at the cursor", Complete);
    el_set(el, EL_ADDFN, "paddock-delete-or-end", "Delete a character, or end an empty input", DeleteOrEnd);
    for (const auto& [key, function] : kBindings) el_set(el, EL_BIND, key, function, nullptr);
  }

  static Impl& Of(EditLine* el) {
    void* self = nullptr;
    el_get(el, EL_CLIENTDATA, &self);
    return *static_cast<Impl*>(self);
  }

  static char* GetPrompt(EditLine* el) { return Of(el).prompt.data(); }

  // One character of the terminal: 1, or 0 at its end and -1 when something else ends the line.
  static int GetCharacter(EditLine* el, wchar_t* character) {
    Impl& self = Of(el);
    std::mbstate_t state{};
    while (true) {
      char byte = 0;
      const int count = self.GetByte(el, &byte);
      if (count != 1) return count;
      const size_t length = std::mbrtowc(character, &byte, 1, &state);
      if (length == static_cast<size_t>(-2)) continue;   // more bytes of it to come
      if (length != static_cast<size_t>(-1)) return 1;
      state = {};   // not UTF-8: dropped
    }
  }

  int GetByte(EditLine* el, char* byte) {
    while (true) {
      if (signals.TakeResize()) {
        callbacks.resized();
        el_resize(el);
      }
      if (signals.TakeInterrupt()) return Finish(End::kInterrupt);
      if (signals.hang_up() != 0) return Finish(End::kHangUp);
      if (SystemClock().MonotonicNow() >= deadline) return Finish(End::kTimeout);
      callbacks.idle(0, deadline);
      if (!signals.WaitReadable(0, deadline)) continue;
      const ssize_t count = read(0, byte, 1);
      if (count == 1) return 1;
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      return Finish(count == 0 ? End::kEndOfInput : End::kHangUp);
    }
  }

  int Finish(End why) {
    end = why;
    return -1;
  }

  static unsigned char DeleteOrEnd(EditLine* el, int) {
    const LineInfo* line = el_line(el);
    if (line->lastchar == line->buffer) return CC_EOF;
    if (line->cursor == line->lastchar) return CC_ERROR;
    el_cursor(el, 1);
    el_deletestr(el, 1);
    return CC_REFRESH;
  }

  static unsigned char Complete(EditLine* el, int) {
    Impl& self = Of(el);
    const LineInfo* info = el_line(el);
    const std::string line(info->buffer, info->lastchar);
    const auto cursor = static_cast<size_t>(info->cursor - info->buffer);
    const sandbox::Completions found = self.callbacks.complete(line, cursor);
    const std::string_view typed = std::string_view(line).substr(found.from, cursor - found.from);
    if (!found.replacement.empty() && found.replacement != typed) {
      if (!typed.empty()) el_deletestr(el, static_cast<int>(CountCharacters(typed)));
      if (el_insertstr(el, found.replacement.c_str()) != 0) return CC_ERROR;
      return CC_REFRESH;
    }
    if (found.shown.size() < 2) return CC_ERROR;
    // As in bash, the first Tab that leads no further only beeps; another one lists.
    const std::string place = line.substr(0, cursor);
    if (std::exchange(self.ambiguous, place) != place) return CC_ERROR;
    self.List(el, found.shown);
    return CC_REDISPLAY;
  }

  void List(EditLine* el, const std::vector<std::string>& candidates) {
    std::fputs("\n", out.get());
    if (candidates.size() > kAskAbove) {
      std::fprintf(out.get(), "Display all %zu possibilities? (y or n)", candidates.size());
      std::fflush(out.get());
      const bool is_wanted = IsConfirmed(el);
      std::fputs("\n", out.get());
      if (!is_wanted) return;
    }
    size_t widest = 1;
    std::vector<std::string> shown;
    for (const std::string& candidate : candidates) {
      shown.push_back(Printable(candidate));
      widest = std::max(widest, CountCharacters(shown.back()));
    }
    const size_t width = widest + kColumnGap;
    const size_t columns = std::max<size_t>(1, GetWindowSize(fileno(out.get())).columns / width);
    const size_t rows = (shown.size() + columns - 1) / columns;
    for (size_t row = 0; row < rows; ++row) {
      std::string text;
      for (size_t i = row; i < shown.size(); i += rows) {
        text += shown[i];
        if (i + rows < shown.size()) text.append(width - CountCharacters(shown[i]), ' ');
      }
      std::fprintf(out.get(), "%s\n", text.c_str());
    }
  }

  // Waits for a yes or no; Ctrl-C is a no.
  static bool IsConfirmed(EditLine* el) {
    constexpr std::wstring_view kYes = L"yY ";
    constexpr std::wstring_view kNo = L"nN\b\x7f";
    for (wchar_t key = 0; GetCharacter(el, &key) == 1;) {
      if (kYes.find(key) != std::wstring_view::npos) return true;
      if (kNo.find(key) != std::wstring_view::npos) return false;
    }
    Of(el).end = End::kEndOfInput;
    return false;
  }

  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  struct EndEdit {
    void operator()(EditLine* el) const { el_end(el); }
  };
  struct EndHistory {
    void operator()(History* entries) const { history_end(entries); }
  };
  TerminalSignals& signals;
  Callbacks callbacks;
  std::unique_ptr<std::FILE, CloseFile> in, out;
  std::unique_ptr<History, EndHistory> history;
  std::unique_ptr<EditLine, EndEdit> edit;
  std::string prompt;
  std::string ambiguous;   // the text before the cursor when Tab last met several candidates
  std::chrono::nanoseconds deadline = std::chrono::nanoseconds::max();
  End end = End::kEndOfInput;
};

LineEditor::LineEditor(int output, TerminalSignals& signals, Callbacks callbacks)
    : impl_(std::make_unique<Impl>(output, signals, std::move(callbacks))) {}

LineEditor::~LineEditor() = default;

LineEditor::Line LineEditor::Read(const std::string& prompt, std::chrono::nanoseconds until) {
  // libedit draws one line of prompt; what stands above it is written once.
  const size_t newline = prompt.rfind('\n');
  const size_t begin = newline == std::string::npos ? 0 : newline + 1;
  std::string above = prompt.substr(0, begin);
  std::erase_if(above, [](char c) { return c == '\1' || c == '\2'; });
  std::fputs(above.c_str(), impl_->out.get());
  impl_->prompt = prompt.substr(begin);
  std::replace(impl_->prompt.begin(), impl_->prompt.end(), '\2', '\1');   // libedit knows one mark
  impl_->deadline = until;
  impl_->end = End::kEndOfInput;
  impl_->ambiguous.clear();
  int count = 0;
  el_set(impl_->edit.get(), EL_PREP_TERM, 1);   // before the prompt: what is typed at its sight is echoed once
  const char* const text = el_gets(impl_->edit.get(), &count);
  if (text == nullptr || count <= 0) {
    if (impl_->end == End::kInterrupt) std::fputs("^C", impl_->out.get());
    std::fputs("\n", impl_->out.get());
    std::fflush(impl_->out.get());
    return {impl_->end, {}};
  }
  return {End::kLine, text};
}

void LineEditor::Remember(const std::string& entry) {
  HistEvent event;
  ::history(impl_->history.get(), &event, H_ENTER, entry.c_str());
}

sandbox::WindowSize GetWindowSize(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

}  // namespace paddock::cli
