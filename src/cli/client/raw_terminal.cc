#include "cli/client/raw_terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace paddock::cli {
namespace {

constexpr std::string_view kFullScreens[] = {"\x1b[?1049", "\x1b[?1047", "\x1b[?47"};
constexpr size_t kTail = 8;
// The cursor is shown; no bracketed paste, mouse, focus reports; arrow and number keys as usual; plain letters.
constexpr std::string_view kPlain = "\x1b[?25h\x1b[?2004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?1l\x1b>\x1b[0m";

}  // namespace

RawTerminal::RawTerminal() { Enter(); }
RawTerminal::~RawTerminal() { Leave(); }

void RawTerminal::Enter() {
  termios now{};
  if (before_ || tcgetattr(STDIN_FILENO, &now) != 0) return;
  before_ = now;
  cfmakeraw(&now);
  tcsetattr(STDIN_FILENO, TCSANOW, &now);
}

void RawTerminal::Leave() {
  if (before_) tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
  before_.reset();
}

bool RawTerminal::Show(std::string_view bytes, int stop) {
  const std::string seen = tail_ + std::string(bytes);
  for (size_t at = seen.find("\x1b[?"); at != std::string::npos; at = seen.find("\x1b[?", at + 1)) {
    for (const std::string_view one : kFullScreens) {
      if (seen.compare(at, one.size(), one) != 0 || at + one.size() >= seen.size()) continue;
      const char end = seen[at + one.size()];
      if (end == 'h' || end == 'l') is_full_screen_ = end == 'h';
    }
  }
  tail_ = seen.substr(seen.size() - std::min(seen.size(), kTail));
  while (!bytes.empty()) {
    pollfd waits[2] = {{STDOUT_FILENO, POLLOUT, 0}, {stop, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return false;
    if (waits[1].revents != 0) return false;
    if (waits[0].revents == 0) continue;
    const ssize_t wrote = write(STDOUT_FILENO, bytes.data(), std::min<size_t>(bytes.size(), 4096));
    if (wrote < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  return true;
}

void RawTerminal::Tidy() {
  if (isatty(STDOUT_FILENO) != 1) return;
  std::string text(kPlain);
  if (is_full_screen_) text += "\x1b[?1049l";
  text += "\r\n";
  static_cast<void>(!write(STDOUT_FILENO, text.data(), text.size()));   // nobody may be there any more
}

sandbox::WindowSize RawTerminal::CurrentSize() {
  winsize size{};
  for (const int terminal : {STDOUT_FILENO, STDIN_FILENO}) {
    if (ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
      return {.columns = std::min<uint32_t>(size.ws_col, 1000), .lines = std::min<uint32_t>(size.ws_row, 1000)};
    }
  }
  return {.columns = 80, .lines = 24};
}

}  // namespace paddock::cli
