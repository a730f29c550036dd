// ulimit - shows and sets resource limits

#include <charconv>

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
constexpr Resource kResources[] = {
    {'R', "real-time non-blocking time", "microseconds", kUnlimited, kUnlimited},
    {'c', "core file size", "blocks", 0, kUnlimited},
    {'d', "data seg size", "kbytes", kUnlimited, kUnlimited},
    {'e', "scheduling priority", nullptr, 0, 0},
    {'f', "file size", "blocks", kUnlimited, kUnlimited},
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

ResourceLimit LimitOf(const Shell& shell, const Resource& resource) {
  const auto it = shell.resource_limits.find(resource.letter);
  return it == shell.resource_limits.end() ? ResourceLimit{resource.soft, resource.hard} : it->second;
}

struct Mode {
  bool soft = false;
  bool hard = false;
};

void Show(Shell& shell, const Resource& resource, const Mode& mode, bool with_name) {
  const ResourceLimit limit = LimitOf(shell, resource);
  const uint64_t value = mode.hard && !mode.soft ? limit.hard : limit.soft;
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

int Set(Shell& shell, const Resource& resource, Mode mode, const std::string& text) {
  ResourceLimit limit = LimitOf(shell, resource);
  uint64_t value = 0;
  if (text == "unlimited") {
    value = kUnlimited;
  } else if (text == "hard") {
    value = limit.hard;
  } else if (text == "soft") {
    value = limit.soft;
  } else {
    if (text.find_first_not_of("0123456789") != std::string::npos || text.empty()) {
      shell.Complain("ulimit", text + ": invalid number");
      return 1;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value > kUnlimited / 1024) {
      shell.Complain("ulimit", text + ": limit out of range");
      return 1;
    }
  }
  const auto refuse = [&](const char* reason) {
    shell.Complain("ulimit", std::string(resource.name) + ": cannot modify limit: " + reason);
    return 1;
  };
  if (resource.letter == 'p') return refuse("Invalid argument");
  if (!mode.soft && !mode.hard) mode.soft = mode.hard = true;
  if (mode.hard && value > limit.hard) return refuse("Operation not permitted");
  if (mode.hard) limit.hard = value;
  if (mode.soft) limit.soft = value;
  if (limit.soft > limit.hard) return refuse("Invalid argument");
  shell.resource_limits[resource.letter] = limit;
  return 0;
}

struct Request {
  const Resource* resource;
  std::optional<std::string> value;
};

int Run(Shell& shell, const BuiltinCall& call) {
  const Builtin& self = *FindBuiltin("ulimit");
  Mode mode;
  bool shows_all = false;
  std::vector<Request> requests;
  size_t i = 1;
  for (; i < call.args.size(); ++i) {
    const std::string& word = call.args[i];
    if (word == "--") {
      ++i;
      break;
    }
    if (word.size() < 2 || word[0] != '-') {
      // A value may follow the letter that it is for.
      if (requests.empty() || requests.back().value) break;
      requests.back().value = word;
      continue;
    }
    for (size_t j = 1; j < word.size(); ++j) {
      const Resource* resource = FindResource(word[j]);
      if (word[j] == 'S') mode.soft = true;
      else if (word[j] == 'H') mode.hard = true;
      else if (word[j] == 'a') shows_all = true;
      else if (resource != nullptr) requests.push_back({resource, std::nullopt});
      else {
        shell.Complain("ulimit", std::string("-") + word[j] + ": invalid option");
        return UsageError(shell, self);
      }
    }
  }
  if (shows_all) {
    for (const Resource& resource : kResources) Show(shell, resource, mode, true);
    return 0;
  }
  if (requests.empty()) requests.push_back({FindResource('f'), std::nullopt});
  if (i < call.args.size() && !requests.back().value) requests.back().value = call.args[i];
  for (const Request& request : requests) {
    if (request.value) {
      if (const int status = Set(shell, *request.resource, mode, *request.value); status != 0) return status;
    } else {
      Show(shell, *request.resource, mode, requests.size() > 1);
    }
  }
  return 0;
}

}  // namespace

extern const Builtin kBuiltin_ulimit;
const Builtin kBuiltin_ulimit = {
    .name = "ulimit",
    .usage = "[-SHabcdefiklmnpqrstuvxPRT] [limit]",
    .help = "Modify shell resource limits. They are kept and inherited, but what really bounds a script is the budget of "
            "its sandbox.",
    .run = Run,
};

}  // namespace paddock::shell
