#include "drivers/process/escape/probe.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <vector>

namespace paddock::escape {

Facts::Facts(std::span<char* const> arguments) {
  for (const std::string_view argument : arguments) {
    const size_t equals = argument.find('=');
    if (equals != std::string_view::npos) values_.emplace(argument.substr(0, equals), argument.substr(equals + 1));
  }
}

std::string Facts::Text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string() : found->second;
}

int64_t Facts::Number(std::string_view name) const {
  const std::string text = Text(name);
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Verdict Held(std::string text) { return {Outcome::kHeld, std::move(text)}; }
Verdict Escaped(std::string text) { return {Outcome::kEscaped, std::move(text)}; }
Verdict NotApplicable(std::string text) { return {Outcome::kNotApplicable, std::move(text)}; }

Verdict Judge(std::string_view what, long result) {
  const int error = errno;
  if (result >= 0) return Escaped(std::string(what) + " is allowed");
  return Held(std::string(what) + ": " + std::strerror(error));
}

Verdict JudgeRight(std::string_view what, long result) {
  const int error = errno;
  if (result >= 0 || (error != EPERM && error != EACCES && error != ENOSYS)) {
    return Escaped(std::string(what) + " is within its rights" + (result >= 0 ? "" : std::string(" (") + std::strerror(error) + ")"));
  }
  return Held(std::string(what) + ": " + std::strerror(error));
}

std::span<const Probe* const> AllProbes() {
  static const std::vector<const Probe*> all = [] {
    std::vector<const Probe*> list;
    for (const auto theme : {FileProbes(), ProcessProbes(), IpcProbes(), KernelProbes(), NetworkProbes(), NameProbes(), LimitProbes()}) {
      for (const Probe& probe : theme) list.push_back(&probe);
    }
    return list;
  }();
  return all;
}

}  // namespace paddock::escape
