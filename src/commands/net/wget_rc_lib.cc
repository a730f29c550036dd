// The commands of .wgetrc and -e.
#include <algorithm>
#include <string>

#include "commands/net/wget.h"
#include "vfs/file_system.h"

namespace paddock::wget {
namespace {

// A switch: the member and what it is when the command says "on".
struct Switch {
  std::string_view name;
  bool Options::*member;
  bool when_on = true;
};
constexpr Switch kSwitches[] = {
    {"addhostdir", &Options::names_no_host, false},
    {"adjustextension", &Options::adjusts_extension},
    {"htmlextension", &Options::adjusts_extension},
    {"authnochallenge", &Options::sends_auth_first},
    {"background", &Options::goes_to_background},
    {"backupconverted", &Options::backs_up_converted},
    {"cache", &Options::no_cache, false},
    {"checkcertificate", &Options::is_insecure, false},
    {"contentdisposition", &Options::content_disposition},
    {"contentonerror", &Options::content_on_error},
    {"continue", &Options::continues},
    {"convertfileonly", &Options::converts_names},
    {"convertlinks", &Options::converts_links},
    {"cookies", &Options::refuses_cookies, false},
    {"debug", &Options::debugs},
    {"deleteafter", &Options::deletes_after},
    {"dirstruct", &Options::forces_directories},
    {"forcehtml", &Options::forces_html},
    {"httpkeepalive", &Options::closes_connections, false},
    {"httpsonly", &Options::https_only},
    {"ifmodifiedsince", &Options::asks_head_first, false},
    {"ignorecase", &Options::ignores_case},
    {"ignorelength", &Options::ignores_length},
    {"keepsessioncookies", &Options::keeps_session_cookies},
    {"noclobber", &Options::no_clobber},
    {"noparent", &Options::stays_below},
    {"pagerequisites", &Options::needs_requisites},
    {"protocoldirectories", &Options::names_scheme},
    {"randomwait", &Options::waits_randomly},
    {"recursive", &Options::is_recursive},
    {"relativeonly", &Options::relative_only},
    {"retryconnrefused", &Options::retries_refused},
    {"saveheaders", &Options::saves_heads},
    {"serverresponse", &Options::shows_heads},
    {"showprogress", &Options::shows_progress},
    {"spanhosts", &Options::spans_hosts},
    {"spider", &Options::spider},
    {"strictcomments", &Options::has_strict_comments},
    {"timestamping", &Options::timestamps},
    {"trustservernames", &Options::trusts_redirects},
    {"unlink", &Options::unlinks},
    {"useservertimestamps", &Options::keeps_own_time, false},
};

// Commands that are an option with another name, or with the same one.
struct Renamed {
  std::string_view name;
  std::string_view option;
};
constexpr Renamed kRenamed[] = {
    {"accept", "accept"},
    {"acceptregex", "accept-regex"},
    {"base", "base"},
    {"bodydata", "body-data"},
    {"bodyfile", "body-file"},
    {"cacertificate", "ca-certificate"},
    {"cadirectory", "ca-directory"},
    {"certificate", "certificate"},
    {"certificatetype", "certificate-type"},
    {"compression", "compression"},
    {"connecttimeout", "connect-timeout"},
    {"cutdirs", "cut-dirs"},
    {"defaultpage", "default-page"},
    {"dirprefix", "directory-prefix"},
    {"dnstimeout", "dns-timeout"},
    {"domains", "domains"},
    {"excludedirectories", "exclude-directories"},
    {"excludedomains", "exclude-domains"},
    {"followtags", "follow-tags"},
    {"header", "header"},
    {"httppassword", "http-password"},
    {"httpuser", "http-user"},
    {"ignoretags", "ignore-tags"},
    {"includedirectories", "include-directories"},
    {"input", "input-file"},
    {"limitrate", "limit-rate"},
    {"loadcookies", "load-cookies"},
    {"logfile", "output-file"},
    {"maxredirect", "max-redirect"},
    {"method", "method"},
    {"outputdocument", "output-document"},
    {"password", "password"},
    {"pinnedpubkey", "pinnedpubkey"},
    {"postdata", "post-data"},
    {"postfile", "post-file"},
    {"privatekey", "private-key"},
    {"privatekeytype", "private-key-type"},
    {"progress", "progress"},
    {"quota", "quota"},
    {"readtimeout", "read-timeout"},
    {"reclevel", "level"},
    {"referer", "referer"},
    {"regextype", "regex-type"},
    {"reject", "reject"},
    {"rejectedlog", "rejected-log"},
    {"rejectregex", "reject-regex"},
    {"reportspeed", "report-speed"},
    {"restrictfilenames", "restrict-file-names"},
    {"retryonhttperror", "retry-on-http-error"},
    {"savecookies", "save-cookies"},
    {"secureprotocol", "secure-protocol"},
    {"startpos", "start-pos"},
    {"timeout", "timeout"},
    {"tries", "tries"},
    {"user", "user"},
    {"useragent", "user-agent"},
    {"wait", "wait"},
    {"waitretry", "waitretry"},
};

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}
std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\f\v";
  const size_t first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

Result<bool> ParseSwitch(std::string_view name, std::string_view value) {
  const std::string lower = Lower(value);
  if (lower == "on" || lower == "yes" || lower == "1") return true;
  if (lower == "off" || lower == "no" || lower == "0") return false;
  return Error(Code::kInvalid, std::string(name) + ": Invalid boolean ‘" + std::string(value) + "’; use `on' or `off'.");
}

// What a switch is that is no bool member.
Status SetNoise(Options& options, Noise noise, bool is_on) {
  options.noise = is_on ? noise : Noise::kNormal;
  return {};
}

}  // namespace

Result<RcCommand> ParseRcCommand(std::string_view line) {
  line = Trim(line);
  const size_t end = std::min(std::find_if(line.begin(), line.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_'; }) - line.begin(),
                              static_cast<std::ptrdiff_t>(line.size()));
  const std::string_view rest = Trim(line.substr(end));
  if (end == 0 || !rest.starts_with('=')) return Code::kSyntax;
  return RcCommand{std::string(line.substr(0, end)), std::string(Trim(rest.substr(1)))};
}

Status ApplyRcCommand(Options& options, std::span<const Option> table, const RcCommand& command) {
  std::string name = Lower(command.name);
  std::erase_if(name, [](char c) { return c == '-' || c == '_'; });
  for (const Switch& one : kSwitches) {
    if (one.name != name) continue;
    PADDOCK_ASSIGN(const bool is_on, ParseSwitch(command.name, command.value));
    options.*one.member = is_on == one.when_on;
    return {};
  }
  if (name == "quiet" || name == "verbose") {
    PADDOCK_ASSIGN(const bool is_on, ParseSwitch(command.name, command.value));
    return name == "quiet" ? SetNoise(options, Noise::kQuiet, is_on) : SetNoise(options, Noise::kBrief, !is_on);
  }
  for (const Renamed& one : kRenamed) {
    if (one.name != name) continue;
    const auto option = std::find_if(table.begin(), table.end(), [&](const Option& each) { return each.long_name != nullptr && each.long_name == one.option; });
    if (option == table.end()) break;
    const Status done = option->apply(&options, command.value);
    if (done) return {};
    // Complaints name the command, not the option.
    std::string text(done.error().Text());
    if (const std::string prefix = "--" + std::string(one.option) + ":"; text.starts_with(prefix)) text.replace(0, prefix.size() - 1, command.name);
    return Error(Code::kInvalid, text);
  }
  return Code::kNoEntry;
}

bool ReadRcFile(Invocation& in, Options& options, std::span<const Option> table, const std::string& path) {
  const auto text = vfs::ReadFile(in.fs, path, 1 << 20);
  bool is_good = text.has_value();
  int number = 0;
  for (std::string_view rest = text ? std::string_view(*text) : std::string_view(); !rest.empty();) {
    in.budget.Step();
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = Trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::string place = " in " + path + " at line " + std::to_string(number) + ".";
    const auto command = ParseRcCommand(line);
    const Status done = command ? ApplyRcCommand(options, table, *command) : Status(Code::kSyntax);
    if (done) continue;
    is_good = false;
    if (!command) in.Fail("Syntax error" + place);
    else if (done.error().code == Code::kNoEntry) in.Fail("Unknown command ‘" + command->name + "’" + place);
    else in.Fail(done.error().Text()), in.Fail("Error" + place);
  }
  if (!is_good) in.err.Write("Exiting due to error in " + path + "\n");
  return is_good;
}

}  // namespace paddock::wget
