// getent - get entries from administrative databases
//
// usage: getent [OPTION]... DATABASE [KEY]...
// The databases are the files of the sandbox's own /etc.
//
// Exit status: 0; 1 for an unknown database or wrong use; 2 when a key was not found; 3 when a database cannot be listed; 64 for an
// option that is none.
// Source: glibc 2.36.
// Differs: names of hosts come from /etc/hosts only. netgroup, aliases, ethers and rpc have nothing but what a file there says.

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "commands/user_names.h"
#include "proc/command.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

constexpr ExitStatus kNotFound = 2, kCannotList = 3, kWrongOption = 64;

struct Options {
  bool no_idn = false, no_addrconfig = false, wants_help = false, wants_usage = false, wants_version = false;
  std::vector<std::string> services;
};
constexpr Option kOptions[] = {
    Flag<&Options::no_addrconfig>('A', "no-addrconfig", "do not filter out unsupported IPv4/IPv6 addresses (with ahosts*)"),
    Flag<&Options::no_idn>('i', "no-idn", "disable IDN encoding"),
    Value<&Options::services>('s', "service", "CONFIG", "service configuration to be used: files is what there is"),
    Flag<&Options::wants_help>('?', "help", "give this help list"),
    Flag<&Options::wants_usage>(0, "usage", "give a short usage message"),
    Flag<&Options::wants_version>('V', "version", "print program version"),
};

std::vector<std::string> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string> words;
  for (size_t at = text.find_first_not_of(separators); at != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(separators, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(separators, end);
  }
  return words;
}

class Databases {
 public:
  explicit Databases(Invocation& in) : in_(in) {}

  ExitStatus Look(std::string_view database, std::span<const std::string> keys) {
    if (database == "passwd" || database == "group") return Colons(database, keys, true);
    if (database == "shadow" || database == "gshadow") return Colons(database, keys, false);
    if (database == "hosts" || database == "ahosts" || database == "ahostsv4" || database == "ahostsv6") return Hosts(database, keys);
    if (database == "services" || database == "protocols" || database == "networks" || database == "rpc") return Numbers(database, keys);
    if (database == "initgroups") return Groups(keys);
    if (database == "aliases") return Aliases(keys);
    if (database == "ethers" || database == "netgroup") {
      if (!keys.empty()) return kNotFound;
      return CannotList(database);
    }
    // The hint goes to standard output, as in the real one.
    in_.err.Write("Unknown database: " + std::string(database) + "\n");
    in_.out.Write("Try `getent --help' or `getent --usage' for more information.\n");
    return 1;
  }

 private:
  ExitStatus CannotList(std::string_view database) {
    in_.err.Write("Enumeration not supported on " + std::string(database) + "\n");
    return kCannotList;
  }
  // The lines of a file of /etc, without comments.
  std::vector<std::string> Lines(std::string_view name) {
    std::vector<std::string> lines;
    const auto text = vfs::ReadFile(in_.fs, "/etc/" + std::string(name), 16 << 20);
    for (std::string& line : Split(text ? std::string_view(*text) : std::string_view(), "\n")) {
      in_.budget.Step();
      line.resize(std::min(line.find('#'), line.size()));
      if (line.find_first_not_of(" \t") != std::string::npos) lines.push_back(std::move(line));
    }
    return lines;
  }
  // Prints the lines that `matches` a key, the first for each; all without keys.
  template <class Matches, class Print>
  ExitStatus Each(const std::vector<std::string>& lines, std::span<const std::string> keys, Matches matches, Print print) {
    if (keys.empty()) {
      for (const std::string& line : lines) print(line, std::string_view());
      return 0;
    }
    ExitStatus status = 0;
    for (const std::string& key : keys) {
      in_.budget.Step(static_cast<int64_t>(lines.size()) + 1);
      const auto found = std::ranges::find_if(lines, [&](const std::string& line) { return matches(line, key); });
      if (found == lines.end()) status = kNotFound;
      else print(*found, key);
    }
    return status;
  }

  // passwd and the like: a key is the first field, or the number in the third.
  ExitStatus Colons(std::string_view database, std::span<const std::string> keys, bool has_numbers) {
    const auto field = [](std::string_view line, int index) {
      for (; index > 0; --index) line.remove_prefix(std::min(line.find(':'), line.size() - 1) + 1);
      return line.substr(0, line.find(':'));
    };
    return Each(
        Lines(database), keys,
        [&](const std::string& line, const std::string& key) {
          const bool is_number = has_numbers && !key.empty() && key.find_first_not_of("0123456789") == std::string::npos;
          return std::ranges::count(line, ':') >= 3 && field(line, is_number ? 2 : 0) == key;
        },
        [&](const std::string& line, std::string_view) { in_.out.WriteLine(line); });
  }

  ExitStatus Hosts(std::string_view database, std::span<const std::string> keys) {
    const auto lines = Lines("hosts");
    const auto print_host = [&](const std::string& line, std::string_view) {
      const auto words = Split(line, " \t");
      char text[64];
      std::snprintf(text, sizeof text, "%-15.46s", words[0].c_str());
      std::string shown = text;
      for (size_t i = 1; i < words.size(); ++i) shown += " " + words[i];
      in_.out.WriteLine(shown);
    };
    if (database == "hosts" || keys.empty()) {
      return Each(lines, keys, [&](const std::string& line, const std::string& key) {
        const auto words = Split(line, " \t");
        return std::ranges::find(words, key) != words.end();
      }, print_host);
    }
    const bool wants_four = database == "ahostsv4", wants_six = database == "ahostsv6";
    return Each(
        lines, keys,
        [&](const std::string& line, const std::string& key) {
          const auto words = Split(line, " \t");
          const bool is_six = words[0].find(':') != std::string::npos;
          return (!wants_four || !is_six) && std::ranges::find(words, key) != words.end();
        },
        [&](const std::string& line, std::string_view key) {
          const auto words = Split(line, " \t");
          const bool is_six = words[0].find(':') != std::string::npos;
          const std::string address = (wants_six && !is_six ? "::ffff:" : "") + words[0];
          for (const char* kind : {"STREAM", "DGRAM", "RAW"}) {
            char text[96];
            std::snprintf(text, sizeof text, "%-15.46s %-6s ", address.c_str(), kind);
            in_.out.WriteLine(text + std::string(std::string_view(kind) == "STREAM" ? (words.size() > 1 ? words[1] : std::string(key)) : ""));
          }
        });
  }

  // services, protocols, networks, rpc: "name number aliases".
  ExitStatus Numbers(std::string_view database, std::span<const std::string> keys) {
    const bool is_rpc = database == "rpc";
    return Each(
        Lines(database), keys,
        [&](const std::string& line, const std::string& key) {
          const auto words = Split(line, " \t");
          if (words.size() < 2) return false;
          // A service may be asked for by its protocol: "domain/udp", "53/udp".
          const size_t slash = database == "services" ? key.find('/') : std::string::npos;
          const std::string name = key.substr(0, slash);
          const std::string number = words[1].substr(0, words[1].find('/'));
          if (slash != std::string::npos && words[1].substr(words[1].find('/') + 1) != key.substr(slash + 1)) return false;
          return words[0] == name || number == name || std::find(words.begin() + 2, words.end(), name) != words.end();
        },
        [&](const std::string& line, std::string_view) {
          const auto words = Split(line, " \t");
          if (words.size() < 2) return;
          char text[160];
          std::snprintf(text, sizeof text, is_rpc ? "%-15.60s %.40s%s" : "%-21.60s %.40s%s", words[0].c_str(), words[1].c_str(), is_rpc && words.size() > 2 ? " " : "");
          std::string shown = text;
          for (size_t i = 2; i < words.size(); ++i) shown += " " + words[i];
          in_.out.WriteLine(shown);
        });
  }

  ExitStatus Groups(std::span<const std::string> keys) {
    if (keys.empty()) return CannotList("initgroups");
    UserNames names(in_.fs, in_.budget);
    for (const std::string& key : keys) {
      char text[80];
      std::snprintf(text, sizeof text, "%-21.60s", key.c_str());
      std::string shown = text;
      for (const uint32_t gid : names.GroupsOf(key)) shown += " " + std::to_string(gid);
      in_.out.WriteLine(shown);
    }
    return 0;
  }
  ExitStatus Aliases(std::span<const std::string> keys) {
    return Each(
        Lines("aliases"), keys, [](const std::string& line, const std::string& key) { return line.substr(0, line.find(':')) == key; },
        [&](const std::string& line, std::string_view) {
          const size_t colon = std::min(line.find(':'), line.size());
          std::string shown = line.substr(0, colon) + ": ";
          for (const std::string& word : Split(std::string_view(line).substr(std::min(colon + 1, line.size())), " \t,")) shown += " " + word;
          in_.out.WriteLine(shown);
        });
  }

  Invocation& in_;
};

ExitStatus Run(Invocation& in) {
  constexpr std::string_view kHint = "Try `getent --help' or `getent --usage' for more information.\n";
  Options options;
  const auto parsed = ParseOptions(in.args, kOptions, &options);
  if (!parsed) {
    ComplainOfOption(in, parsed.error().Text());
    in.err.Write(kHint);
    return kWrongOption;
  }
  if (options.wants_help) {
    in.out.Write("Usage: getent [OPTION...] database [key ...]\nGet entries from administrative database.\n\n" + OptionHelp(kOptions) +
                 "\nSupported databases:\nahosts ahostsv4 ahostsv6 aliases ethers group gshadow hosts initgroups\n"
                 "netgroup networks passwd protocols rpc services shadow\n");
    return 0;
  }
  if (options.wants_usage) {
    in.out.Write("Usage: getent [-Ai?V] [-s CONFIG] [--no-addrconfig] [--no-idn]\n            [--service=CONFIG] [--help] [--usage] [--version]\n            database [key ...]\n");
    return 0;
  }
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  for (const std::string& service : options.services) {
    if (service != "files" && !service.ends_with(":files")) return in.Fail("service configuration '" + service + "': not supported");
  }
  if (parsed->operands.empty()) {
    in.err.Write("getent: wrong number of arguments\n");
    in.out.Write(kHint);
    return 1;
  }
  return Databases(in).Look(parsed->operands[0], std::span(parsed->operands).subspan(1));
}

}  // namespace

extern const Command kCommand_getent;
const Command kCommand_getent = {
    .name = "getent",
    .summary = "get entries from administrative databases",
    .synopsis = "[OPTION]... DATABASE [KEY]...",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
