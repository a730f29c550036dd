// git column.
//
// Source: git-column(1), column.* of git-config(1).
#include <algorithm>

#include "commands/git/column_layout.h"
#include "commands/git/git.h"

namespace paddock::git {
namespace {

struct ColumnCommandOptions {
  std::string command, indent, end = "\n";
  std::vector<std::pair<bool, std::string>> modes;   // --mode (true) and --raw-mode, as they come
  int64_t width = 0, padding = 1;
};
Status TakeMode(ColumnCommandOptions& options, std::string_view value) {
  ColumnOptions probe;
  PADDOCK_TRY(ParseColumnOptions(value, probe));
  options.modes.emplace_back(true, std::string(value));
  return {};
}
Status ForgetMode(ColumnCommandOptions& options, std::string_view) {
  options.modes.emplace_back(true, "never");
  return {};
}
Status TakeRawMode(ColumnCommandOptions& options, std::string_view value) {
  int64_t bits = 0;
  if (!ParseOptionValue(value, bits)) return Error(Code::kRange, "option `raw-mode' expects a numerical value");
  options.modes.emplace_back(false, std::string(value));
  return {};
}

constexpr Option kOptions[] = {
    Value<&ColumnCommandOptions::command>(0, "command", "NAME", "as the configuration says of this command (the first option)"),
    CallOptional<TakeMode>(0, "mode", "STYLE", "always, never, auto, column, row, plain, dense, nodense"), Call<ForgetMode>(0, "no-mode", nullptr, "no columns"),
    Call<TakeRawMode>(0, "raw-mode", "N", "the same as a number: 16 always, 1 row, 15 plain, 128 dense"), Value<&ColumnCommandOptions::width>(0, "width", "N", "of a line"),
    Value<&ColumnCommandOptions::indent>(0, "indent", "TEXT", "before each line"), Value<&ColumnCommandOptions::end>(0, "nl", "TEXT", "behind each line, instead of its end"),
    Value<&ColumnCommandOptions::padding>(0, "padding", "N", "blanks between columns (1)"),
};

// A layout alone means always; what says neither changes nothing of that.
Status TakeConfigured(const Config& config, const std::string& key, ColumnOptions& style) {
  const auto value = config.Get(key);
  if (!value) return {};
  const bool before = style.is_on;
  if (const Status taken = ParseColumnOptions(*value, style); !taken) return Error(Code::kInvalid, "invalid column." + key.substr(7) + " mode " + *value);
  static constexpr std::string_view kDeciding[] = {"always", "never", "auto", "plain", "column", "row"};
  std::string_view rest = *value;
  bool decides = false;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find_first_of(" ,"));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    decides |= std::find(std::begin(kDeciding), std::end(kDeciding), word) != std::end(kDeciding);
  }
  if (!decides) style.is_on = before;
  return {};
}

Result<ExitStatus> RunColumn(Invocation& in, Git* git, ColumnCommandOptions& options, Args& args) {
  if (!args.All().empty()) {
    in.err.Write("usage: git column [<options>]\n");
    return 129;
  }
  if (options.padding < 0) return Error(Code::kInvalid, "--padding must be non-negative");
  Config outside;
  if (git == nullptr) {
    PADDOCK_ASSIGN(outside, ReadConfig(in, nullptr));
  }
  const Config& config = git != nullptr ? git->config : outside;
  ColumnOptions style;
  PADDOCK_TRY(TakeConfigured(config, "column.ui", style));
  if (!options.command.empty()) PADDOCK_TRY(TakeConfigured(config, "column." + options.command, style));
  for (const auto& [is_word, text] : options.modes) {
    if (is_word) {
      PADDOCK_TRY(ParseColumnOptions(text, style));
      continue;
    }
    int64_t bits = 0;
    PADDOCK_TRY(ParseOptionValue(text, bits));
    style.is_on = (bits & 0x30) == 0x10;
    style.order = (bits & 15) == 15 ? ColumnOptions::Order::kPlain : (bits & 15) == 1 ? ColumnOptions::Order::kRows : ColumnOptions::Order::kColumns;
    style.is_dense = (bits & 0x80) != 0;
  }
  std::vector<std::string> items;
  while (const auto line = in.in.ReadLine()) {
    in.budget.WillAllocate(line->text.size() + 64);
    items.emplace_back(line->text);
  }
  const size_t padding = std::min<size_t>(static_cast<size_t>(options.padding), 10000);
  size_t width = options.width > 0 ? static_cast<size_t>(std::min<int64_t>(options.width, 100000)) + 1 : TerminalColumns(in.env.Get("COLUMNS", ""));
  width = width > options.indent.size() + 2 ? width - options.indent.size() : 2;
  in.budget.Step(static_cast<int64_t>(items.size()));
  const std::string text = InColumns(items, style, width, padding);
  if (!style.is_on || (options.indent.empty() && options.end == "\n")) {
    in.out.Write(text);
    return 0;
  }
  for (size_t at = 0; at < text.size();) {
    in.budget.Step();
    const size_t newline = text.find('\n', at);
    in.out.Write(options.indent);
    in.out.Write(std::string_view(text).substr(at, newline - at));
    in.out.Write(options.end);
    at = newline + 1;
  }
  return 0;
}

}  // namespace

extern const Subcommand kColumn;
const Subcommand kColumn = DefineFreeSubcommand<ColumnCommandOptions, RunColumn>({.name = "column", .summary = "put lines into columns", .synopsis = "[<options>]", .options = kOptions, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
