// ulimit - shows and sets resource limits

#include <algorithm>

#include "shell/builtins/builtin.h"

namespace paddock::shell {
namespace {

struct Resource {
  char letter;
  const char* name;
  const char* unit;   // null: a plain number
  uint64_t soft;
  uint64_t hard;
};
constexpr const char* kBlocks = "blocks";
constexpr Resource kResources[] = {
    {'R', "real-time non-blocking time", "microseconds", kUnlimited, kUnlimited},
    {'c', "core file size", kBlocks, 0, kUnlimited},
    {'d', "data seg size", "kbytes", kUnlimited, kUnlimited},
    {'e', "scheduling priority", nullptr, 0, 0},
    {'f', "file size", kBlocks, kUnlimited, kUnlimited},
    {'i', "pending signals", nullptr, 31000, 31000},
    {'l', "max locked memory", "kbytes", 8192, 8192},
    {'m', "max memory size", "kbytes", kUnlimited, kUnlimited},
    {'n', "open files", nullptr, proc::kMaxDescriptors, proc::kMaxDescriptors},
    {'p', "pipe size", "512 bytes", 8, 8},
    {'q', "POSIX message queues", "bytes", 819200, 819200},
    {'r', "real-time priority", nullptr, 0, 0},
    {'s', "stack size", "kbytes", 8192, kUnlimited},
    {'t', "cpu time", "seconds", kUnlimited, kUnlimited},
    {'u', "max user processes", nullptr, 31000, 31000},
    {'v', "virtual memory", "kbytes", kUnlimited, kUnlimited},
    {'x', "file locks", nullptr, kUnlimited, kUnlimited},
};

const Resource* FindResource(char letter) {
  for (const Resource& resource : kResources) {
    if (resource.letter == letter) return &resource;
  }
  return nullptr;
}

proc::ResourceLimit LimitOf(const Shell& shell, const Resource& resource) {
  const proc::ResourceLimits& limits = shell.process().resource_limits();
  const auto it = limits.find(resource.letter);
  return it == limits.end() ? proc::ResourceLimit{resource.soft, resource.hard} : it->second;
}

// Limits in blocks are kept in those of 512 bytes, which posix mode shows; otherwise a block is two of them.
uint64_t KeptPerShown(const Shell& shell, const Resource& resource) {
  return resource.unit == kBlocks && !shell.options.Get(SetOption::kPosix) ? 2 : 1;
}

struct Mode {
  bool soft = false;
  bool hard = false;
};

void Show(Shell& shell, const Resource& resource, const Mode& mode, bool with_name) {
  const proc::ResourceLimit limit = LimitOf(shell, resource);
  const uint64_t kept = mode.hard && !mode.soft ? limit.hard : limit.soft;
  const uint64_t value = kept == kUnlimited ? kept : kept / KeptPerShown(shell, resource);
  std::string line;
  if (with_name) {
    std::string unit = std::string("(") + (resource.unit != nullptr ? std::string(resource.unit) + ", " : "") + "-" +
                       resource.letter + ") ";
    if (unit.size() < 20) unit.insert(0, 20 - unit.size(), ' ');
    line = resource.name;
    if (line.size() < 20) line.append(20 - line.size(), ' ');
    line += " " + unit;
  }
  shell.out().WriteLine(line + (value == kUnlimited ? "unlimited" : std::to_string(value)));
}

// What one of the shown units is in bytes, seconds or pieces.
uint64_t FactorOf(const Resource& resource) {
  const std::string_view unit = resource.unit == nullptr ? "" : resource.unit;
  return unit == "kbytes" || unit == "blocks" ? 1024 : 1;
}

// Digits to a number, without a look at how many: bash's wraps around, too.
std::optional<uint64_t> ParseValue(Shell& shell, const Resource& resource, const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!std::all_of(text.begin(), text.end(), is_digit)) {
    const bool has_zero = text.size() > 1 && text[0] == '0';
    const char* const kind = has_zero && text[1] == 'x' ? "hex " : has_zero && is_digit(text[1]) ? "octal " : "";
    shell.Complain("ulimit", text + ": invalid " + kind + "number");
    return std::nullopt;
  }
  uint64_t value = 0;
  for (const char digit : text) value = value * 10 + static_cast<uint64_t>(digit - '0');
  if (value <= kUnlimited / FactorOf(resource)) return value * KeptPerShown(shell, resource);
  shell.Complain("ulimit", text + ": limit out of range");
  return std::nullopt;
}

int Set(Shell& shell, const Resource& resource, Mode mode, const std::string& text) {
  proc::ResourceLimit limit = LimitOf(shell, resource);
  std::optional<uint64_t> value;
  if (text == "unlimited") value = kUnlimited;
  else if (text == "hard") value = limit.hard;
  else if (text == "soft") value = limit.soft;
  else value = ParseValue(shell, resource, text);
  if (!value) return 1;
  const auto refuse = [&](const char* reason) {
    shell.Complain("ulimit", std::string(resource.name) + ": cannot modify limit: " + reason);
    return 1;
  };
  if (resource.letter == 'p') return refuse("Invalid argument");
  if (!mode.soft && !mode.hard) mode.soft = mode.hard = true;
  // As in bash: the highest that is allowed.
  if (!mode.hard && *value == kUnlimited) value = limit.hard;
  if (mode.hard && *value > limit.hard) return refuse("Operation not permitted");
  if (mode.hard) limit.hard = *value;
  if (mode.soft) limit.soft = *value;
  if (limit.soft > limit.hard) return refuse("Invalid argument");
  proc::ResourceLimits limits = shell.process().resource_limits();
  limits[resource.letter] = limit;
  shell.process().set_resource_limits(limits);
  return 0;
}

struct Request {
  const Resource* resource;
  std::optional<std::string> value;
};

struct Parsed {
  Mode mode;
  bool shows_all = false;
  std::vector<Request> requests;
};

// A letter takes the rest of its word, or else the next word unless that is an option. A status if something is wrong.
std::optional<int> Parse(Shell& shell, const BuiltinCall& call, Parsed& parsed) {
  size_t i = 1;
  for (; i < call.args.size() && call.args[i] != "--"; ++i) {
    const std::string& word = call.args[i];
    if (word.size() < 2 || word[0] != '-') break;
    for (size_t j = 1; j < word.size(); ++j) {
      const Resource* resource = FindResource(word[j]);
      if (word[j] == 'S') parsed.mode.soft = true;
      else if (word[j] == 'H') parsed.mode.hard = true;
      else if (word[j] == 'a') parsed.shows_all = true;
      else if (resource == nullptr) {
        shell.Complain("ulimit", std::string("-") + word[j] + ": invalid option");
        return UsageError(shell, *FindBuiltin("ulimit"));
      } else {
        Request& request = parsed.requests.emplace_back(Request{resource, std::nullopt});
        const bool takes_next = j + 1 == word.size() && i + 1 < call.args.size() && !call.args[i + 1].starts_with('-');
        if (j + 1 < word.size()) request.value = word.substr(j + 1);
        if (takes_next) request.value = call.args[++i];
        break;
      }
    }
  }
  if (i < call.args.size() && call.args[i] == "--") ++i;
  if (parsed.requests.empty()) parsed.requests.push_back({FindResource('f'), std::nullopt});
  if (i < call.args.size() && !parsed.requests.back().value) parsed.requests.back().value = call.args[i];
  return std::nullopt;
}

int Run(Shell& shell, const BuiltinCall& call) {
  Parsed parsed;
  if (const auto status = Parse(shell, call, parsed)) return *status;
  if (parsed.shows_all) {
    for (const Resource& resource : kResources) Show(shell, resource, parsed.mode, true);
    return 0;
  }
  for (const Request& request : parsed.requests) {
    if (request.value) {
      if (const int status = Set(shell, *request.resource, parsed.mode, *request.value); status != 0) return status;
    } else {
      Show(shell, *request.resource, parsed.mode, parsed.requests.size() > 1);
    }
  }
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_ulimit;
const Builtin kBuiltin_ulimit = {
    .name = "ulimit",
    .usage = "[-SHabcdefiklmnpqrstuvxPRT] [limit]",
    .help = "Modify shell resource limits. Those of cpu time (-t), file size (-f), open files (-n), processes (-u) and memory (-d, -v) bound the shell "
            "and what it starts, within the budget of the sandbox: -n the descriptors, not what a command opens for itself; -d and -v what "
            "the whole run holds. The others, the size of the stack among them, are kept and shown.",
    .run = Run,
};

}  // namespace paddock::shell
