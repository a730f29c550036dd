#include "commands/git/option_spec.h"

#include <algorithm>

#include "commands/git/shell_words.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr int kRefused = 129;
constexpr size_t kHelpColumn = 26;

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

Result<ScriptOption> ParseOption(std::string_view line) {
  ScriptOption option;
  const size_t end = static_cast<size_t>(std::find_if(line.begin(), line.end(), IsBlank) - line.begin());
  std::string_view help = line.substr(end);
  help.remove_prefix(static_cast<size_t>(std::find_if_not(help.begin(), help.end(), IsBlank) - help.begin()));
  if (end == 0 || end == line.size()) {
    option.is_heading = true;
    option.help = end == 0 ? help : line;
    return option;
  }
  option.help = help;
  std::string_view names = line.substr(0, end);
  const size_t flags = std::min(names.find_first_of("*=?!"), names.size());
  std::string_view rest = names.substr(flags);
  names = names.substr(0, flags);
  if (names.empty()) return Error(Code::kSyntax, "missing opt-spec before option flags");
  if (names.size() == 1 || names[1] == ',') option.short_name = names[0];
  if (names.size() > 1) option.long_name = names[1] == ',' ? names.substr(2) : names;
  for (; !rest.empty() && std::string_view("*=?!").find(rest[0]) != std::string_view::npos; rest.remove_prefix(1)) {
    option.takes_value |= rest[0] == '=' || rest[0] == '?';
    option.is_optional |= rest[0] == '?';
    option.is_hidden |= rest[0] == '*';
    option.has_no_negation |= rest[0] == '!';
  }
  option.hint = rest;
  return option;
}

std::string HintText(const ScriptOption& option) {
  const bool is_literal = option.hint.find_first_of("()<>[]|") != std::string::npos;
  const std::string hint = option.hint.empty() ? "..." : is_literal ? option.hint : "<" + option.hint + ">";
  if (!option.is_optional) return " " + hint;
  return (option.long_name.empty() ? "[" : "[=") + hint + "]";
}

}  // namespace

Result<OptionSpec> OptionSpec::Parse(std::string_view text, Budget& budget) {
  OptionSpec spec;
  bool is_usage = true;
  for (std::string_view line : SplitLines(text)) {
    budget.WillAllocate(line.size() + 160);
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (is_usage && line == "--") {
      if (spec.usage_.empty()) return Error(Code::kSyntax, "no usage string given before the `--' separator");
      is_usage = false;
    } else if (is_usage) {
      spec.usage_.emplace_back(line);
    } else if (!line.empty()) {
      PADDOCK_ASSIGN(ScriptOption option, ParseOption(line));
      spec.options_.push_back(std::move(option));
    }
  }
  if (is_usage) return Error(Code::kSyntax, "premature end of input");
  return spec;
}

std::string OptionSpec::UsageText(bool is_full) const {
  std::string text;
  bool is_below = false;   // behind an empty line
  for (size_t i = 0; i < usage_.size(); ++i) {
    is_below |= usage_[i].empty();
    if (!is_below) text += (i == 0 ? "usage: " : "   or: ") + usage_[i] + "\n";
    else text += usage_[i].empty() ? "\n" : "    " + usage_[i] + "\n";
  }
  bool needs_line = true;
  for (const ScriptOption& option : options_) {
    if (option.is_heading) {
      text += "\n" + (option.help.empty() ? "" : option.help + "\n");
      needs_line = false;
      continue;
    }
    if (option.is_hidden && !is_full) continue;
    if (needs_line) text += "\n";
    needs_line = false;
    std::string head = "    ";
    if (option.short_name != 0) head += std::string("-") + option.short_name;
    if (option.short_name != 0 && !option.long_name.empty()) head += ", ";
    if (!option.long_name.empty()) head += "--" + option.long_name;
    if (option.takes_value) head += HintText(option);
    const size_t width = static_cast<size_t>(std::count_if(head.begin(), head.end(), [](char c) { return (c & 0xC0) != 0x80; }));
    head += width <= kHelpColumn - 2 ? std::string(kHelpColumn - width, ' ') : "\n" + std::string(kHelpColumn, ' ');
    text += head + option.help + "\n";
  }
  return text + "\n";
}

// Reads one command line.
class ScriptReader {
 public:
  ScriptReader(const OptionSpec& spec, const std::vector<std::string>& args, const ScriptRules& rules, Budget& budget) : spec_(spec), args_(args), rules_(rules), budget_(budget) {}

  ScriptAnswer Read() {
    std::vector<std::string> operands;
    for (; next_ < args_.size() && !answer_; ++next_) {
      budget_.WillAllocate(args_[next_].size() + 40);
      const std::string_view arg = args_[next_];
      if (arg == "--" || arg == "--end-of-options") {
        if (arg != "--" || !rules_.keeps_dashes) ++next_;
        break;
      }
      if (!arg.starts_with('-') || arg == "-") {
        if (rules_.stops_at_operand) break;
        operands.emplace_back(arg);
      } else if (arg == "-h" && args_.size() == 1) {
        Help(false);
      } else if (arg[1] != '-') {
        ReadShort(arg.substr(1));
      } else if (arg == "--help-all" || arg == "--help") {
        Help(arg == "--help-all");
      } else {
        ReadLong(arg.substr(2));
      }
    }
    if (answer_) return *answer_;
    for (; next_ < args_.size(); ++next_) operands.push_back(args_[next_]);
    text_ += " --";
    for (const std::string& operand : operands) text_ += " " + InShellQuotes(operand);
    return {text_ + "\n", "", 0};
  }

 private:
  void Help(bool is_full) { answer_ = {"cat <<\\EOF\n" + spec_.UsageText(is_full) + "EOF\n", "", kRefused}; }
  void Refuse(const std::string& what, bool with_usage = false) { answer_ = {"", "error: " + what + "\n" + (with_usage ? spec_.UsageText(false) : ""), kRefused}; }

  void ReadShort(std::string_view letters) {
    for (bool is_first = true; !letters.empty() && !answer_; is_first = false) {
      const char letter = letters[0];
      const auto option = std::find_if(spec_.options_.begin(), spec_.options_.end(), [letter](const ScriptOption& one) { return !one.is_heading && one.short_name == letter; });
      if (option == spec_.options_.end()) {
        if (is_first && IsTypo(letters)) return;
        if (letter == 'h') return Help(false);
        if (static_cast<unsigned char>(letter) < 128) return Refuse(std::string("unknown switch `") + letter + "'", true);
        return Refuse("unknown non-ascii option in string: `" + args_[next_] + "'", true);
      }
      letters.remove_prefix(1);
      if (!option->takes_value) {
        Take(*option, {});
        if (is_first && !letters.empty() && IsTypo(args_[next_].substr(1))) return;
        continue;
      }
      if (!letters.empty()) return Take(*option, std::string(letters));
      return TakeNext(*option, std::string("switch `") + letter + "'");
    }
  }
  // Long names behind one dash.
  bool IsTypo(std::string_view word) {
    if (word.size() < 3) return false;
    const bool is_long = word.starts_with("no-") || std::any_of(spec_.options_.begin(), spec_.options_.end(), [word](const ScriptOption& one) { return !one.long_name.empty() && one.long_name.starts_with(word); });
    if (is_long) Refuse("did you mean `--" + std::string(word) + "` (with two dashes)?");
    return is_long;
  }

  struct Found {
    const ScriptOption* option = nullptr;
    bool is_negated = false;
    std::string Name() const { return (is_negated ? "no-" : "") + option->long_name; }
  };
  void ReadLong(std::string_view text) {
    const size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    std::optional<std::string> value;
    if (equals != std::string_view::npos) value = std::string(text.substr(equals + 1));
    std::optional<Found> part, other;   // what `name` begins
    for (const ScriptOption& option : spec_.options_) {
      budget_.Step();
      if (option.long_name.empty()) continue;
      bool is_exact = false;
      const auto match = Match(option, name, is_exact);
      if (match && is_exact) return TakeLong(*match, value);
      if (!match) continue;
      if (part) other = part;
      part = match;
    }
    if (other) {
      Help(false);
      answer_->err = "error: ambiguous option: " + std::string(text) + " (could be --" + other->Name() + " or --" + part->Name() + ")\n";
      return;
    }
    if (part) return TakeLong(*part, value);
    Refuse("unknown option `" + std::string(text) + "'", true);
  }
  // An option "no-x" is denied by "--x".
  static std::optional<Found> Match(const ScriptOption& option, std::string_view name, bool& is_exact) {
    is_exact = name == option.long_name;
    if (is_exact || option.long_name.starts_with(name)) return Found{&option, false};
    if (option.has_no_negation) return std::nullopt;
    if (std::string_view("no-").starts_with(name)) return Found{&option, true};
    std::string_view positive = option.long_name, denied = name;
    if (name.starts_with("no-")) denied.remove_prefix(3);
    else if (positive.starts_with("no-")) positive.remove_prefix(3);
    else return std::nullopt;
    is_exact = positive == denied;
    if (is_exact || positive.starts_with(denied)) return Found{&option, true};
    return std::nullopt;
  }
  void TakeLong(const Found& found, const std::optional<std::string>& value) {
    const ScriptOption& option = *found.option;
    if (value && (found.is_negated || !option.takes_value)) return Refuse("option `" + found.Name() + "' takes no value");
    if (found.is_negated) {
      text_ += " --no-" + option.long_name;
    } else if (value || !option.takes_value) {
      Take(option, value);
    } else {
      TakeNext(option, "option `" + found.Name() + "'");
    }
  }
  // The value is the next word, unless the option can do without.
  void TakeNext(const ScriptOption& option, const std::string& shown) {
    if (option.is_optional) return Take(option, {});
    if (next_ + 1 >= args_.size()) return Refuse(shown + " requires a value");
    Take(option, args_[++next_]);
  }
  void Take(const ScriptOption& option, const std::optional<std::string>& value) {
    const bool is_short = option.short_name != 0 && (option.long_name.empty() || !rules_.sticks_long);
    text_ += is_short ? std::string(" -") + option.short_name : " --" + option.long_name;
    if (!value) return;
    if (!rules_.sticks_long) text_ += " ";
    else if (!option.long_name.empty()) text_ += "=";
    text_ += InShellQuotes(*value);
  }

  const OptionSpec& spec_;
  const std::vector<std::string>& args_;
  const ScriptRules& rules_;
  Budget& budget_;
  size_t next_ = 0;
  std::string text_ = "set --";
  std::optional<ScriptAnswer> answer_;
};

ScriptAnswer OptionSpec::Read(const std::vector<std::string>& args, const ScriptRules& rules, Budget& budget) const { return ScriptReader(*this, args, rules, budget).Read(); }

}  // namespace paddock::git
