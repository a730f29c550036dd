// hostname - show the host's name
//
// usage: hostname [-a|-A|-b|-d|-f|-i|-I|-s|-y]
//
// Exit status: 0; 1 when asked to set the name, which needs root.
// Source: Debian hostname 3.23.
// Differs: the sandbox has no network: -i, -I and -A show 127.0.1.1 and the name.

#include "proc/command.h"
#include "proc/kernel.h"

namespace paddock {
namespace {

struct Options {
  bool brief = false;
  bool full = false;
  bool domain = false;
  bool address = false;
  bool addresses = false;
  bool all = false;
  bool alias = false;
  bool boot = false;
  bool nis = false;
  bool wants_version = false;
  std::optional<std::string> file;
};
constexpr Option kOptions[] = {
    Flag<&Options::alias>('a', "alias", "alias names"),
    Flag<&Options::boot>('b', "boot", "set the host name given if none is set"),
    Flag<&Options::nis>('y', "yp", "NIS domain name"),
    Flag<&Options::nis>(0, "nis", "likewise"),
    Flag<&Options::brief>('s', "short", "short host name"),
    Flag<&Options::full>('f', "fqdn", "long host name (FQDN)"),
    Flag<&Options::full>(0, "long", "likewise"),
    Flag<&Options::domain>('d', "domain", "DNS domain name"),
    Flag<&Options::address>('i', "ip-address", "addresses for the host name"),
    Flag<&Options::addresses>('I', "all-ip-addresses", "all addresses for the host"),
    Value<&Options::file>('F', "file", "FILE", "set the host name from FILE"),
    Flag<&Options::all>('A', "all-fqdns", "all long host names (FQDNs)"),
    Flag<&Options::wants_version>('V', nullptr, "output version information and exit"),
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  const bool is_query =
      options.brief || options.full || options.domain || options.address || options.addresses || options.all ||
      options.alias;
  if (options.file) {
    if (const auto stat = in.fs.Stat(*options.file); !stat) return in.Fail(stat.error().Text());
  }
  if (options.nis && !operands.empty()) return in.Fail("you must be root to change the domain name");
  if (options.nis) {   // this complaint alone goes to stdout
    in.out.WriteLine(in.args[0] + ": Local domain name not set");
    return 1;
  }
  if (options.file || (!operands.empty() && !is_query)) return in.Fail("you must be root to change the host name");
  const std::string name = in.kernel.hostname();
  if (options.alias) {
    in.out.WriteLine("");
  } else if (options.address || options.addresses) {
    in.out.WriteLine("127.0.1.1");
  } else if (options.domain) {
    const size_t dot = name.find('.');
    in.out.WriteLine(dot == std::string::npos ? "" : name.substr(dot + 1));
  } else {
    in.out.WriteLine(options.brief ? name.substr(0, name.find('.')) : name);
  }
  return 0;
}

}  // namespace

extern const Command kCommand_hostname;
const Command kCommand_hostname = Define<Options, Run>({
    .name = "hostname",
    .summary = "show the system's host name",
    .synopsis = "[OPTION]",
    .options = kOptions,
    .usage_status = 255,
});

}  // namespace paddock
