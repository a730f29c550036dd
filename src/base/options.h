// Option tables: a command's options declared once, for parsing, `--help`, completion and error wording.
//
// A table ties each -x/--long to a member of the command's own options struct:
//
//   struct Options { bool number = false; int64_t width = 6; std::vector<std::string> expressions; };
//   constexpr Option kOptions[] = {
//       Flag<&Options::number>('n', "number", "number all output lines"),
//       Value<&Options::width>('w', "width", "NUMBER", "use NUMBER columns for line numbers"),
//       Value<&Options::expressions>('e', "expression", "SCRIPT", "add SCRIPT"),   // repeated: appends
//       Set<&Options::mode, Mode::kAll>('A', "show-all", "equivalent to -vET"),
//       Call<AddExpression>('f', "file", "FILE", "…"),       // Status AddExpression(Options&, string_view)
//   };
//
// Parsing follows GNU getopt_long: combined short options, `-n5`, `--long=5`, unambiguous abbreviations,
// `--`, and operands in between unless `stop_at_operand`. Errors have getopt's wording.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace paddock {

enum class OptionArgument { kNone, kRequired, kOptional };

struct Option {
  char short_name;            // 0 if none
  const char* long_name;      // null if none
  OptionArgument argument;
  const char* value_name;     // for --help, null if no argument
  const char* help;           // one line; null hides the option from --help
  // Stores the value (empty view with null data when an optional argument is absent).
  Status (*apply)(void* options, std::string_view value);
};

// Parses one value. The error's message is the part after "NAME: " in the command's complaint;
// overloads for other types may be added next to the type (found by argument-dependent look-up).
Status ParseOptionValue(std::string_view text, std::string& value);
Status ParseOptionValue(std::string_view text, int64_t& value);   // decimal, "invalid number: 'x'"
Status ParseOptionValue(std::string_view text, uint64_t& value);
Status ParseOptionValue(std::string_view text, double& value);
template <class T>
Status ParseOptionValue(std::string_view text, std::optional<T>& value) {
  T parsed{};
  PADDOCK_TRY(ParseOptionValue(text, parsed));
  value = std::move(parsed);
  return {};
}
template <class T>
Status ParseOptionValue(std::string_view text, std::vector<T>& values) {
  T parsed{};
  PADDOCK_TRY(ParseOptionValue(text, parsed));
  values.push_back(std::move(parsed));
  return {};
}

namespace option_internal {
template <class M>
struct MemberOf;
template <class C, class T>
struct MemberOf<T C::*> {
  using Class = C;
};
template <class F>
struct FirstArgument;
template <class C>
struct FirstArgument<Status (*)(C&, std::string_view)> {
  using Class = C;
};

// `Class` repeats what kMember says, because g++ gives a function internal linkage for a type argument out
// of an unnamed namespace but not for a member pointer into one: without it the functions of all commands
// with an `Options::zero` would be taken for one and the same by the linker.
template <class Class, auto kMember>
Status ApplyFlag(void* options, std::string_view) {
  static_cast<Class*>(options)->*kMember = true;
  return {};
}
template <class Class, auto kMember, auto kValue>
Status ApplySet(void* options, std::string_view) {
  static_cast<Class*>(options)->*kMember = kValue;
  return {};
}
template <class Class, auto kMember>
Status ApplyValue(void* options, std::string_view text) {
  return ParseOptionValue(text, static_cast<Class*>(options)->*kMember);
}
template <class Class, auto kFunction>
Status ApplyCall(void* options, std::string_view text) {
  return kFunction(*static_cast<Class*>(options), text);
}
template <auto kMember>
using MemberClass = typename MemberOf<decltype(kMember)>::Class;
template <auto kFunction>
using ArgumentClass = typename FirstArgument<decltype(kFunction)>::Class;
}  // namespace option_internal

// Sets a bool member to true.
template <auto kMember>
constexpr Option Flag(char short_name, const char* long_name, const char* help) {
  return {short_name, long_name, OptionArgument::kNone, nullptr, help,
          option_internal::ApplyFlag<option_internal::MemberClass<kMember>, kMember>};
}
// Sets a member to a constant.
template <auto kMember, auto kValue>
constexpr Option Set(char short_name, const char* long_name, const char* help) {
  return {short_name, long_name, OptionArgument::kNone, nullptr, help,
          option_internal::ApplySet<option_internal::MemberClass<kMember>, kMember, kValue>};
}
// Parses the argument into a member; a vector member collects repeated options.
template <auto kMember>
constexpr Option Value(char short_name, const char* long_name, const char* value_name, const char* help) {
  return {short_name, long_name, OptionArgument::kRequired, value_name, help,
          option_internal::ApplyValue<option_internal::MemberClass<kMember>, kMember>};
}
// Calls `Status F(Options&, std::string_view)`: with the argument (value_name given) or an empty view.
template <auto kFunction>
constexpr Option Call(char short_name, const char* long_name, const char* value_name, const char* help) {
  return {short_name, long_name,
          value_name == nullptr ? OptionArgument::kNone : OptionArgument::kRequired, value_name, help,
          option_internal::ApplyCall<option_internal::ArgumentClass<kFunction>, kFunction>};
}
// Like Call, for `--color[=WHEN]`.
template <auto kFunction>
constexpr Option CallOptional(char short_name, const char* long_name, const char* value_name,
                              const char* help) {
  return {short_name, long_name, OptionArgument::kOptional, value_name, help,
          option_internal::ApplyCall<option_internal::ArgumentClass<kFunction>, kFunction>};
}

struct ParsedOptions {
  std::vector<std::string> operands;
  bool wants_help = false;     // --help was met (and the table has no such option of its own)
  bool wants_version = false;
};

struct OptionRules {
  bool stop_at_operand = false;   // like '+' in getopt: env, xargs, timeout
  // An argument like -5 or +5 that is not in the table is given to this first; true means taken.
  bool (*numeric_shorthand)(void* options, std::string_view argument) = nullptr;
};

// Parses args[1…]. On failure the message is getopt's complaint without the program name
// ("invalid option -- 'z'", "option requires an argument -- 'w'"); code kSyntax for getopt's own
// complaints, the option's own code for a value it refused.
Result<ParsedOptions> ParseOptions(std::span<const std::string> args, std::span<const Option> table,
                                   void* options, const OptionRules& rules = {});

// The aligned "  -n, --number   number all output lines" block of --help.
std::string OptionHelp(std::span<const Option> table);

}  // namespace paddock
