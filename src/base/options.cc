#include "base/options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace paddock {
namespace {

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

template <class T>
Status ParseInteger(std::string_view text, T& value) {
  std::string_view digits = text;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) {
    return Error(Code::kRange, "invalid number: " + Quoted(text) + ": Numerical result out of range");
  }
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return Error(Code::kInvalid, "invalid number: " + Quoted(text));
  }
  return {};
}

// What every table has at its end, unless it has its own.
constexpr std::string_view kImplied[] = {"help", "version"};

// Index of the long option that `text` names or abbreviates, before a '='; from table.size() on, of kImplied.
Result<size_t> FindLong(std::string_view text, std::span<const Option> table) {
  const std::string_view name = text.substr(0, text.find('='));
  std::optional<size_t> found;
  std::string candidates;
  bool is_ambiguous = false;
  const auto is_own = [&](std::string_view implied) {
    return std::any_of(table.begin(), table.end(), [&](const Option& option) { return option.long_name != nullptr && option.long_name == implied; });
  };
  for (size_t i = 0; i < table.size() + std::size(kImplied); ++i) {
    const bool is_implied = i >= table.size();
    if (!is_implied && table[i].long_name == nullptr) continue;
    const std::string_view candidate = is_implied ? kImplied[i - table.size()] : table[i].long_name;
    if (!candidate.starts_with(name) || (is_implied && is_own(candidate))) continue;
    if (candidate == name) return i;
    if (found && (is_implied || table[*found].apply != table[i].apply)) is_ambiguous = true;
    if (!found) found = i;
    candidates += " '--" + std::string(candidate) + "'";
  }
  if (is_ambiguous) {
    return Error(Code::kSyntax,
                 "option '--" + std::string(text) + "' is ambiguous; possibilities:" + candidates);
  }
  if (!found) return Error(Code::kNoEntry);
  return *found;
}

const Option* FindShort(char name, std::span<const Option> table) {
  for (const Option& option : table) {
    if (option.short_name == name && name != 0) return &option;
  }
  return nullptr;
}

class Parser {
 public:
  Parser(std::span<const std::string> args, std::span<const Option> table, void* options,
         const OptionRules& rules)
      : args_(args), table_(table), options_(options), rules_(rules) {}

  Result<ParsedOptions> Parse() {
    for (index_ = 1; index_ < args_.size(); ++index_) {
      const std::string& arg = args_[index_];
      if (arg == "--") {
        TakeRest(index_ + 1);
        break;
      }
      if (rules_.numeric_shorthand != nullptr && arg.size() > 1 &&
          rules_.numeric_shorthand(options_, arg)) {
        continue;
      }
      if (arg.size() > 2 && arg.starts_with("--")) {
        PADDOCK_TRY(TakeLong(std::string_view(arg).substr(2)));
        if (parsed_.wants_help || parsed_.wants_version) return std::move(parsed_);
      } else if (arg.size() > 1 && arg[0] == '-') {
        PADDOCK_TRY(TakeShorts(arg));
      } else if (rules_.stop_at_operand) {
        TakeRest(index_);
        break;
      } else {
        parsed_.operands.push_back(arg);
      }
    }
    return std::move(parsed_);
  }

 private:
  void TakeRest(size_t from) {
    parsed_.operands.insert(parsed_.operands.end(), args_.begin() + static_cast<std::ptrdiff_t>(from),
                            args_.end());
  }

  Status TakeLong(std::string_view text) {
    const size_t equals = text.find('=');
    auto found = FindLong(text, table_);
    if (!found) {
      if (found.error().code != Code::kNoEntry) return found.error();
      return Error(Code::kSyntax, "unrecognized option '--" + std::string(text) + "'");
    }
    if (*found >= table_.size()) {
      const std::string_view implied = kImplied[*found - table_.size()];
      if (equals != std::string_view::npos) return Error(Code::kSyntax, "option '--" + std::string(implied) + "' doesn't allow an argument");
      (implied == "help" ? parsed_.wants_help : parsed_.wants_version) = true;
      return {};
    }
    const Option& option = table_[*found];
    const std::string long_name = option.long_name;
    if (equals != std::string_view::npos) {
      if (option.argument == OptionArgument::kNone) {
        return Error(Code::kSyntax, "option '--" + long_name + "' doesn't allow an argument");
      }
      return option.apply(options_, text.substr(equals + 1));
    }
    if (option.argument == OptionArgument::kRequired) {
      if (index_ + 1 >= args_.size()) {
        return Error(Code::kSyntax, "option '--" + long_name + "' requires an argument");
      }
      return option.apply(options_, args_[++index_]);
    }
    return option.apply(options_, std::string_view());
  }

  Status TakeShorts(const std::string& arg) {
    for (size_t i = 1; i < arg.size(); ++i) {
      const Option* option = FindShort(arg[i], table_);
      if (option == nullptr) {
        return Error(Code::kSyntax, std::string("invalid option -- '") + arg[i] + "'");
      }
      if (option->argument == OptionArgument::kNone) {
        PADDOCK_TRY(option->apply(options_, std::string_view()));
        continue;
      }
      if (i + 1 < arg.size()) return option->apply(options_, std::string_view(arg).substr(i + 1));
      if (option->argument == OptionArgument::kOptional) {
        return option->apply(options_, std::string_view());
      }
      if (index_ + 1 >= args_.size()) {
        return Error(Code::kSyntax, std::string("option requires an argument -- '") + arg[i] + "'");
      }
      return option->apply(options_, args_[++index_]);
    }
    return {};
  }

  std::span<const std::string> args_;
  std::span<const Option> table_;
  void* options_;
  const OptionRules& rules_;
  ParsedOptions parsed_;
  size_t index_ = 1;
};

}  // namespace

Status ParseOptionValue(std::string_view text, std::string& value) {
  value = text;
  return {};
}
Status ParseOptionValue(std::string_view text, int64_t& value) { return ParseInteger(text, value); }
Status ParseOptionValue(std::string_view text, uint64_t& value) { return ParseInteger(text, value); }
Status ParseOptionValue(std::string_view text, double& value) {
  const std::string copy(text);
  char* end = nullptr;
  value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || end != copy.c_str() + copy.size()) {
    return Error(Code::kInvalid, "invalid number: " + Quoted(text));
  }
  return {};
}

Result<ParsedOptions> ParseOptions(std::span<const std::string> args, std::span<const Option> table,
                                   void* options, const OptionRules& rules) {
  return Parser(args, table, options, rules).Parse();
}

std::string OptionHelp(std::span<const Option> table) {
  constexpr size_t kHelpColumn = 29;
  std::string text;
  for (const Option& option : table) {
    if (option.help == nullptr) continue;
    std::string line = "  ";
    if (option.short_name != 0) {
      line += '-';
      line += option.short_name;
      if (option.long_name != nullptr) line += ", ";
    } else {
      line += "    ";
    }
    if (option.long_name != nullptr) line += "--" + std::string(option.long_name);
    if (option.value_name != nullptr) {
      const bool is_optional = option.argument == OptionArgument::kOptional;
      if (is_optional) line += '[';
      if (option.long_name != nullptr) line += '=';
      else line += is_optional ? "" : " ";
      line += option.value_name;
      if (is_optional) line += ']';
    }
    if (line.size() + 2 > kHelpColumn) {
      line += "\n" + std::string(kHelpColumn, ' ');
    } else {
      line.append(kHelpColumn - line.size(), ' ');
    }
    text += line + option.help + "\n";
  }
  return text;
}

}  // namespace paddock
