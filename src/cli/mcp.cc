// paddock mcp: a session's tools and files for one client of the Model Context Protocol, on stdin and stdout.

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "api/mcp/dialog.h"
#include "base/descriptor.h"
#include "base/options.h"
#include "cli/cli.h"
#include "cli/equipment_options.h"
#include "tools/content/file_access.h"
#include "tools/session/direct_session.h"

namespace paddock::cli {
namespace {

struct McpOptions {
  std::vector<std::string> capabilities;
  std::string harness;
};

constexpr Option kOptions[] = {
    Value<&McpOptions::capabilities>('c', "capability", "ID[=JSON]", "attach a capability, with its configuration; repeat it"),
    Value<&McpOptions::harness>('H', "harness", "ID", "start from a built-in harness: generic, coding-container"),
};

constexpr const char* kHelp =
    "Usage: paddock mcp [OPTION]...\n"
    "Serves a session of its own to one client of the Model Context Protocol: tools to make and\n"
    "use sandboxes, and files as resources. Messages come on stdin and go to stdout, one a line;\n"
    "revisions 2026-07-28, 2025-11-25, 2025-06-18 and 2025-03-26. No daemon is needed. The sandboxes\n"
    "are virtual; when the client closes stdin, the session and its sandboxes go.\n\n"
    "Without --capability the client has 'bashkit_shell' and 'sandbox'; 'paddock tools' prints\n"
    "what capabilities offer. A client is told, for example:\n"
    "  {\"mcpServers\": {\"paddock\": {\"command\": \"paddock\", \"args\": [\"mcp\"]}}}\n\n";

constexpr const char* kHelpEnd =
    "\nSIGINT or SIGTERM ends what runs; a second one kills. docs/mcp.md tells more.\n\n"
    "Exit status: 0 when the client closed stdin or a signal came, 1 when stdin or stdout\n"
    "failed, 2 for a usage error or a capability that is not available here.\n";

// Calls that run when stdin ends, as in `paddock mcp < requests`, may end by themselves within this.
constexpr auto kPatience = std::chrono::milliseconds(1500);

// The way to the client. Whatever else writes to descriptor 1 reaches stderr.
class Output {
 public:
  bool Open() {
    file_.Reset(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    return file_.is_open() && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
  }
  void Write(const std::string& frame) {
    const std::string line = frame + "\n";
    for (size_t done = 0; done < line.size() && !has_failed_;) {
      const ssize_t count = write(file_.get(), line.data() + done, line.size() - done);
      if (count > 0) done += static_cast<size_t>(count);
      else if (errno != EINTR) has_failed_ = true;
    }
  }
  bool has_failed() const { return has_failed_; }

 private:
  Descriptor file_;
  std::atomic<bool> has_failed_{false};
};

// Lines of stdin, of bounded length.
class Lines {
 public:
  explicit Lines(mcp::Dialog& dialog) : dialog_(dialog) {}

  void Add(std::string_view bytes) {
    while (!bytes.empty()) {
      const size_t end = bytes.find('\n');
      const std::string_view piece = bytes.substr(0, end);
      // One byte more than allowed is kept, so that the dialog refuses it.
      line_.append(piece.substr(0, mcp::kMostFrameBytes + 1 - line_.size()));
      if (end == std::string_view::npos) return;
      Finish();
      bytes.remove_prefix(end + 1);
    }
  }
  void Finish() {
    if (line_.ends_with('\r')) line_.pop_back();
    if (!line_.empty()) dialog_.Receive(line_);
    line_.clear();
    if (line_.capacity() > (1u << 20)) line_.shrink_to_fit();
  }

 private:
  mcp::Dialog& dialog_;
  std::string line_;
};

// Until stdin ends, stdout fails or a signal comes. The exit status.
int Serve(mcp::Dialog& dialog, const Output& output, const Descriptor& signals) {
  Lines lines(dialog);
  std::vector<char> buffer(64 << 10);
  while (!output.has_failed()) {
    pollfd ready[] = {{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                      {.fd = signals.get(), .events = POLLIN, .revents = 0}};
    if (poll(ready, 2, -1) < 0 && errno != EINTR) return 1;
    if (ready[1].revents != 0) return 0;
    if (ready[0].revents == 0) continue;
    const ssize_t count = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return 1;
    if (count == 0) {
      lines.Finish();
      dialog.Close(kPatience);
      return output.has_failed() ? 1 : 0;
    }
    lines.Add({buffer.data(), static_cast<size_t>(count)});
  }
  return 1;
}

}  // namespace

int RunMcp(const sandbox::DriverSet& drivers, std::span<const std::string> args) {
  std::vector<std::string> own = {"mcp"};
  own.insert(own.end(), args.begin(), args.end());
  McpOptions options;
  const auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("mcp", std::string(parsed.error().Text()) + "; 'paddock mcp --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  if (!parsed->operands.empty()) return Fail("mcp", "takes no argument '" + parsed->operands[0] + "'");
  const tools::Catalog catalog = tools::BuiltInCapabilities();
  auto equipment = Equip(catalog, {.capabilities = options.capabilities, .harness = options.harness}, {"virtual"});
  if (!equipment) return Fail("mcp", equipment.error().Text());

  // All threads begin with these blocked, so that one place sees them.
  sigset_t ending;
  sigemptyset(&ending);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, number);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  const Descriptor signals(signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK));
  Output output;
  if (!signals.is_open() || !output.Open()) {
    Fail("mcp", "cannot use stdout: " + std::string(CodeText(static_cast<Code>(errno))));
    return 1;
  }

  const auto session = std::make_shared<tools::DirectSession>(drivers, tools::DirectSettings{});
  for (const tools::Mount& mount : equipment->mounts) {
    auto files = session->Files();
    if (!files) return Fail("mcp", files.error().Text());
    if ((*files)->Stat(mount.path)) continue;
    const auto written = tools::WriteRegularFile(**files, mount.path, mount.content, {});
    if (!written) return Fail("mcp", written.error().Text());
  }
  mcp::Server server({.version = kVersion,
                      .session = session,
                      .equipment = std::make_shared<const tools::Equipment>(std::move(*equipment)),
                      .log = [](const std::string& line) { std::fprintf(stderr, "paddock mcp: %s\n", line.c_str()); }});
  mcp::Dialog dialog(server, [&output](const std::string& frame) { output.Write(frame); });
  const int status = Serve(dialog, output, signals);
  // The next signal kills: what runs may take its time to end.
  signalfd_siginfo seen;
  while (read(signals.get(), &seen, sizeof seen) == sizeof seen) continue;
  pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);
  dialog.Close(std::chrono::milliseconds(0));
  return status;
}

}  // namespace paddock::cli
