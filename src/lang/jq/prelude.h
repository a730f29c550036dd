// Functions that are defined in the language itself; compiled when a program uses them.
#pragma once

#include <span>
#include <string_view>

namespace paddock::jq {

struct PreludeFunction {
  std::string_view name;
  int arity;
  std::string_view definition;   // "def …;"
};

std::span<const PreludeFunction> Prelude();
const PreludeFunction* FindPrelude(std::string_view name, size_t arity);

}  // namespace paddock::jq
