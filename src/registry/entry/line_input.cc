#include "registry/entry/line_input.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace paddock::registry {
namespace {

constexpr auto kTwice = std::chrono::seconds(1);

}  // namespace

std::string ForTerminal(std::string_view bytes) {
  std::string shown;
  shown.reserve(bytes.size() + bytes.size() / 16);
  for (const char c : bytes) {
    if (c == '\n') shown += '\r';
    shown += c;
  }
  return shown;
}

Result<std::unique_ptr<LineInput>> LineInput::Make() {
  std::unique_ptr<LineInput> input(new LineInput());   // allow(raw-new): private constructor
  input->near_.Reset(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  const int near = input->near_.get();
  if (near < 0 || unlockpt(near) != 0) return Error(static_cast<Code>(errno), "cannot make a pseudo-terminal");
  input->far_.Reset(ioctl(near, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios mode{};
  if (!input->far_.is_open() || tcgetattr(input->far_.get(), &mode) != 0) return Error(static_cast<Code>(errno), "cannot open a pseudo-terminal");
  // Lines, and an end by Ctrl-D.
  mode.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ISIG | IEXTEN);
  mode.c_iflag |= IUTF8 | ICRNL;
  mode.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  if (tcsetattr(input->far_.get(), TCSANOW, &mode) != 0 || fcntl(near, F_SETFL, O_NONBLOCK) != 0) {
    return Error(static_cast<Code>(errno), "cannot set up a pseudo-terminal");
  }
  return input;
}

std::string LineInput::Type(std::string_view keys, const std::function<void(int)>& signal) {
  std::string passed, shown;
  const auto interrupt = [&](int number, const char* sign) {
    shown += sign;
    shown += "\r\n";
    passed.clear();
    typed_ = 0;
    tcflush(far_.get(), TCIFLUSH);
    const auto now = std::chrono::steady_clock::now();
    signal(now - interrupted_ < kTwice ? SIGKILL : number);
    interrupted_ = now;
  };
  for (const char c : keys) {
    if (c == 0x03) {
      interrupt(SIGINT, "^C");
    } else if (c == 0x1c) {
      interrupt(SIGQUIT, "^\\");
    } else {
      passed += c;
      if (c == '\r' || c == '\n') shown += "\r\n", typed_ = 0;
      else if (c == 0x7f) shown += typed_ > 0 ? (--typed_, "\b \b") : "";
      else if (c == 0x15) while (typed_ > 0) shown += "\b \b", --typed_;
      else if (static_cast<unsigned char>(c) >= 0x20) {
        shown += c;
        if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) ++typed_;
      }
    }
  }
  while (!passed.empty()) {
    const ssize_t written = write(near_.get(), passed.data(), passed.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return shown + "\a";   // as a real one: what has no room is dropped
    passed.erase(0, static_cast<size_t>(written));
  }
  return shown;
}

std::string LineInput::TakeBack(size_t max) {
  std::string keys;
  termios mode{};
  if (tcgetattr(far_.get(), &mode) != 0) return keys;
  termios raw = mode;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  if (tcsetattr(far_.get(), TCSANOW, &raw) != 0) return keys;
  char buffer[4096];
  for (ssize_t got = 0; keys.size() < max && (got = read(far_.get(), buffer, sizeof buffer)) > 0;) keys.append(buffer, static_cast<size_t>(got));
  (void)tcsetattr(far_.get(), TCSANOW, &mode);
  return keys;
}

}  // namespace paddock::registry
