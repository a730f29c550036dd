// Expansion of $(…): variables and functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lang/make/session.h"

namespace paddock::make {

using Arguments = std::span<const std::string>;

struct Function {
  std::string_view name;
  size_t least;
  size_t most;      // 0: any number
  bool is_lazy;     // gets its arguments as they stand
  std::string (*run)(Session& session, Arguments arguments);
};

// Null if there is none of that name.
const Function* FindFunction(std::string_view name);
std::string CallFunction(Session& session, const Function& function, Arguments arguments);

// The tables of the three files of functions.
std::span<const Function> TextFunctions();
std::span<const Function> FileFunctions();
std::span<const Function> ControlFunctions();

}  // namespace paddock::make
