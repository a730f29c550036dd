// paddock serve: the daemon, in the foreground.

#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "api/daemon.h"
#include "cli/cli.h"
#include "cli/daemon_config.h"
#include "tools/capability/capability.h"

namespace paddock::cli {
namespace {

constexpr Option kOptions[] = {
    kDataOptions[0],
    kDataOptions[1],
    Value<&DaemonOptions::address>('a', "address", "ADDRESS", "listen there (default: 127.0.0.1)"),
    Value<&DaemonOptions::port>('p', "port", "PORT", "listen on this port; 0 takes any free one (default: 7420)"),
};

constexpr const char* kHelp =
    "Usage: paddock serve [OPTION]...\n"
    "Serves sandboxes over HTTP until it is interrupted; what is in them outlives it.\n"
    "GET /v1/openapi.json describes the API, docs/rest.md shows its use.\n\n"
    "The first start makes a key of an administrator and says where it lies. Processes of\n"
    "the same user need none on the socket 'paddock.sock' in the data directory.\n\n";

constexpr const char* kHelpEnd =
    "\nEvery setting of docs/configuration.md may stand in the configuration file or in the\n"
    "environment. SIGINT or SIGTERM: requests that run get ten seconds; a second one ends\n"
    "them at once.\n\n"
    "Exit status: 0 when it was asked to end, 1 when it could not start, 2 for a usage error.\n";

constexpr auto kGrace = std::chrono::seconds(10);

// A connection takes one, a sandbox at work some more; most systems start programs with 1,024.
void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::string Shown(const net::Address& address, bool has_tls) {
  return address.is_unix ? net::FormatAddress(address) : (has_tls ? "https://" : "http://") + net::FormatAddress(address);
}

}  // namespace

int RunServe(const sandbox::DriverSet& drivers, std::span<const std::string> args) {
  std::vector<std::string> own = {"serve"};
  own.insert(own.end(), args.begin(), args.end());
  DaemonOptions options;
  auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("serve", std::string(parsed.error().Text()) + "; 'paddock serve --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  if (!parsed->operands.empty()) return Fail("serve", "takes no argument '" + parsed->operands[0] + "'");
  auto loaded = LoadDaemonConfig(options);
  if (!loaded) return Fail("serve", loaded.error().Text());

  // All threads begin with these blocked, so that one place waits for them.
  sigset_t ending;
  sigemptyset(&ending);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, number);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);

  RaiseDescriptorLimit();
  const bool has_tls = !loaded->config.server.tls_certificate.empty();
  auto features = tools::FeaturesOf([](const char* name) -> const char* { return std::getenv(name); });   // allow(getenv): documented switches
  if (!features) return Fail("serve", features.error().Text());
  auto daemon = api::Daemon::Open({.config = std::move(loaded->config), .version = kVersion, .drivers = &drivers, .features = std::move(*features),
                                   .log = [](const std::string& line) { std::fprintf(stderr, "paddock serve: %s\n", line.c_str()); }});
  if (!daemon) {
    Fail("serve", daemon.error().Text());
    return 1;
  }
  for (const net::Address& address : (*daemon)->addresses()) std::printf("listening on %s\n", Shown(address, has_tls).c_str());
  if (!(*daemon)->new_key_file().empty()) std::printf("a key of an administrator lies in %s\n", (*daemon)->new_key_file().c_str());
  std::printf("%zu sandboxes\n", (*daemon)->sandboxes());
  std::fflush(stdout);

  int number = 0;
  sigwait(&ending, &number);
  pthread_sigmask(SIG_UNBLOCK, &ending, nullptr);   // the next one kills
  std::printf("ending\n");
  std::fflush(stdout);
  (*daemon)->Stop(kGrace);
  daemon->reset();
  return 0;
}

}  // namespace paddock::cli
