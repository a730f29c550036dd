#include "commands/text/locale_name.h"

#include "proc/command.h"

namespace paddock {

std::string_view LocaleName(const Environment& environment, std::string_view category) {
  for (const std::string_view variable : {std::string_view("LC_ALL"), category, std::string_view("LANG")}) {
    const std::string_view value = environment.Get(variable, "");
    if (!value.empty()) return value;
  }
  return "C";
}

bool IsPosixLocale(const Environment& environment, std::string_view category) {
  const std::string_view name = LocaleName(environment, category);
  return name == "C" || name == "POSIX";
}

}  // namespace paddock
