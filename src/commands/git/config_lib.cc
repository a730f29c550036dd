// git config.
#include <algorithm>

#include "commands/git/git.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

struct ConfigOptions {
  bool global = false, local = false, system = false, list = false, get = false, get_all = false, unset = false, unset_all = false, add = false, nul = false, name_only = false, show_origin = false, show_scope = false;
  bool is_bool = false, is_int = false, is_path = false, replace_all = false, remove_section = false, rename_section = false, edit = false;
  std::string file, by_default;
  bool has_default = false, get_regexp = false;
};
Status TakeDefault(ConfigOptions& options, std::string_view value) {
  options.by_default = value;
  options.has_default = true;
  return {};
}
Status TakeType(ConfigOptions& options, std::string_view value) {
  if (value == "bool") options.is_bool = true;
  else if (value == "int") options.is_int = true;
  else if (value == "path") options.is_path = true;
  else return Error(Code::kInvalid, "unrecognized --type argument, " + std::string(value));
  return {};
}
constexpr Option kConfigOptions[] = {
    Flag<&ConfigOptions::global>(0, "global", "the file of the user"),
    Flag<&ConfigOptions::local>(0, "local", "the file of the repository"),
    Flag<&ConfigOptions::system>(0, "system", "the file of the system"),
    Value<&ConfigOptions::file>('f', "file", "FILE", "this file"),
    Flag<&ConfigOptions::get>(0, "get", "show a value"),
    Flag<&ConfigOptions::get_all>(0, "get-all", "show all values"),
    Flag<&ConfigOptions::get_regexp>(0, "get-regexp", "show all whose name matches"),
    Flag<&ConfigOptions::replace_all>(0, "replace-all", "replace all values"),
    Flag<&ConfigOptions::add>(0, "add", "add a value"),
    Flag<&ConfigOptions::unset>(0, "unset", "take a value out"),
    Flag<&ConfigOptions::unset_all>(0, "unset-all", "take all values out"),
    Flag<&ConfigOptions::rename_section>(0, "rename-section", "rename a section"),
    Flag<&ConfigOptions::remove_section>(0, "remove-section", "remove a section"),
    Flag<&ConfigOptions::list>('l', "list", "show all"),
    Flag<&ConfigOptions::is_bool>(0, "bool", "the value is true or false"),
    Flag<&ConfigOptions::is_int>(0, "int", "the value is a number"),
    Flag<&ConfigOptions::is_path>(0, "path", "the value is a path, with ~"),
    Call<TakeType>(0, "type", "TYPE", "bool, int or path"),
    Flag<&ConfigOptions::nul>('z', "null", "end values with NUL"),
    Flag<&ConfigOptions::name_only>(0, "name-only", "show names alone"),
    Flag<&ConfigOptions::show_scope>(0, "show-scope", "show where a value holds"),
    Call<TakeDefault>(0, "default", "VALUE", "with --get: what is shown if there is none"),
};

Result<std::string> Typed(Invocation& in, const ConfigOptions& options, const std::string& key, const std::string& value) {
  if (options.is_bool) {
    const auto truth = ParseConfigBool(value);
    if (!truth) return Error(Code::kInvalid, "bad boolean config value '" + value + "' for '" + key + "'");
    return std::string(*truth ? "true" : "false");
  }
  if (options.is_int) {
    int64_t number = 0, factor = 1;
    std::string digits = value;
    if (!digits.empty() && std::string_view("kKmMgG").find(digits.back()) != std::string_view::npos) {
      factor = digits.back() == 'k' || digits.back() == 'K' ? 1 << 10 : digits.back() == 'm' || digits.back() == 'M' ? 1 << 20 : 1 << 30;
      digits.pop_back();
    }
    if (digits.size() > 9 || !ParseOptionValue(digits, number)) return Error(Code::kInvalid, "bad numeric config value '" + value + "' for '" + key + "': invalid unit");
    return std::to_string(number * factor);
  }
  if (options.is_path && value.starts_with("~/")) return std::string(in.env.Get("HOME", "")) + value.substr(1);
  return value;
}

// config --get-regexp NAME-PATTERN [VALUE-PATTERN].
Result<ExitStatus> ShowMatching(Invocation& in, const ConfigOptions& options, const Config& config, std::vector<std::string> operands) {
  if (operands.size() > 2) {
    in.err.Write("error: wrong number of arguments, should be from 1 to 2\n");
    return 129;
  }
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  // Sections and variables are in lower case; what stands between dots is not.
  std::string& name = operands[0];
  const size_t last = name.rfind('.'), first = name.find('.');
  for (size_t i = 0; i < name.size(); ++i) {
    if (first == std::string::npos || i < first || i > last) name[i] = lower(name[i]);
  }
  const auto regex = Regex::Compile(name, {.dialect = RegexDialect::kExtended});
  if (!regex) {
    in.err.Write("error: invalid key pattern: " + name + "\n");
    return 6;
  }
  std::string pattern = operands.size() > 1 ? operands[1] : "";
  const bool inverts = pattern.starts_with('!');
  if (inverts) pattern.erase(0, 1);
  const auto value_regex = Regex::Compile(pattern, {.dialect = RegexDialect::kExtended});
  if (!value_regex) {
    in.err.Write("error: invalid pattern: " + pattern + "\n");
    return 6;
  }
  bool found = false;
  for (const ConfigEntry& entry : config.entries()) {
    in.budget.Step();
    PADDOCK_ASSIGN(const bool matches, regex->Search(entry.key, 0, nullptr, in.budget));
    if (!matches) continue;
    PADDOCK_ASSIGN(const bool has_value, value_regex->Search(entry.value.value_or(""), 0, nullptr, in.budget));
    if (operands.size() > 1 && has_value == inverts) continue;
    found = true;
    std::string text = entry.key;
    if (!options.name_only && (entry.value || options.is_bool)) {
      PADDOCK_ASSIGN(const std::string shown, Typed(in, options, entry.key, entry.value.value_or("true")));
      text += (options.nul ? '\n' : ' ') + shown;
    }
    in.out.Write(text + (options.nul ? '\0' : '\n'));
  }
  return found ? 0 : 1;
}

Result<ExitStatus> RunConfig(Invocation& in, Git* git, ConfigOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  const bool writes = options.add || options.unset || options.unset_all || options.replace_all || options.remove_section || options.rename_section ||
                      (operands.size() >= 2 && !options.get && !options.get_all && !options.get_regexp && !options.list);
  if (options.local && git == nullptr) return Error(Code::kInvalid, "--local can only be used inside a git repository");
  std::string file = options.file;
  if (file.empty() && options.global) {
    file = std::string(in.env.Get("GIT_CONFIG_GLOBAL", std::string(in.env.Get("HOME", "")) + "/.gitconfig"));
    if (in.env.Get("HOME", "").empty() && !in.env.Get("GIT_CONFIG_GLOBAL")) return Error(Code::kInvalid, "$HOME not set");
  }
  if (file.empty() && options.system) file = "/etc/gitconfig";
  if (file.empty() && (options.local || (writes && git != nullptr))) file = git->GitPath("config");
  if (file.empty() && writes) return Error(Code::kInvalid, "not in a git directory");
  const char end = options.nul ? '\0' : '\n';
  if (!writes) {
    Config config;
    std::vector<ConfigFile> files = ConfigFiles(in, git);
    if (!file.empty()) {
      const auto text = vfs::ReadFile(in.fs, file, 4 << 20);
      if (!text && !options.file.empty() && options.list) return Error(Code::kNoEntry, "unable to read config file '" + file + "': " + std::string(text.error().Text()));
      if (text) {
        auto entries = ParseConfig(*text, in.budget);
        if (!entries) return Error(Code::kSyntax, std::string(entries.error().Text()) + " in file " + file);
        config.Add(std::move(*entries));
      }
    } else {
      PADDOCK_ASSIGN(config, ReadConfig(in, git));
    }
    if (options.list) {
      for (const ConfigEntry& entry : config.entries()) {
        if (options.show_scope) in.out.Write((file.empty() && entry.origin < files.size() ? files[entry.origin].scope : std::string(options.global ? "global" : options.local ? "local" : "command")) + (options.nul ? '\0' : '\t'));
        in.out.Write(entry.key + (entry.value && !options.name_only ? (options.nul ? "\n" : "=") + *entry.value : "") + end);
      }
      return 0;
    }
    if (operands.empty()) {
      in.err.Write("error: no action specified\n");
      return 129;
    }
    if (options.get_regexp) return ShowMatching(in, options, config, operands);
    const auto key = FoldConfigKey(operands[0]);
    if (!key) {
      in.err.Write(operands[0].find('.') == std::string::npos ? "error: key does not contain a section: " + operands[0] + "\n" : "error: invalid key: " + operands[0] + "\n");
      return 1;
    }
    std::vector<std::string> values = config.GetAll(*key);
    if (values.empty() && options.has_default) values.push_back(options.by_default);
    if (values.empty()) return 1;
    if (!options.get_all) values.erase(values.begin(), values.end() - 1);
    for (const std::string& value : values) {
      PADDOCK_ASSIGN(const std::string shown, Typed(in, options, *key, value));
      in.out.Write(shown + end);
    }
    return 0;
  }
  const auto old = vfs::ReadFile(in.fs, file, 4 << 20);
  const std::string text = old ? *old : "";
  if (auto parsed = ParseConfig(text, in.budget); !parsed) return Error(Code::kSyntax, std::string(parsed.error().Text()) + " in file " + file);
  if (options.remove_section || options.rename_section) {
    if (operands.size() != (options.rename_section ? 2u : 1u)) return 129;
    const auto edited = EditConfigSection(text, operands[0], options.rename_section ? std::optional<std::string_view>(operands[1]) : std::nullopt);
    if (!edited) return Error(Code::kNoEntry, "no such section: " + operands[0]);
    PADDOCK_TRY(vfs::WriteFile(in.fs, file, *edited));
    return 0;
  }
  if (operands.empty()) return 129;
  const auto key = FoldConfigKey(operands[0]);
  if (!key) {
    in.err.Write(operands[0].find('.') == std::string::npos ? "error: key does not contain a section: " + operands[0] + "\n" : "error: invalid key: " + operands[0] + "\n");
    return operands[0].find('.') == std::string::npos ? 2 : 1;
  }
  PADDOCK_ASSIGN(const std::vector<ConfigEntry> entries, ParseConfig(text, in.budget));
  const auto count = std::count_if(entries.begin(), entries.end(), [&](const ConfigEntry& entry) { return entry.key == *key; });
  std::string edited = text;
  if (options.unset || options.unset_all) {
    if (count == 0) return 5;
    if (count > 1 && options.unset) {
      in.err.Write("warning: " + *key + " has multiple values\n");
      return 5;
    }
    edited = EditConfig(text, *key, std::nullopt, false);
  } else {
    if (operands.size() != 2) return Error(Code::kInvalid, "wrong number of arguments");
    if (count > 1 && !options.add && !options.replace_all) {
      in.err.Write("warning: " + *key + " has multiple values\nerror: cannot overwrite multiple values with a single value\n       Use a regexp, --add or --replace-all to change " + operands[0] + ".\n");
      return 5;
    }
    PADDOCK_ASSIGN(const std::string value, Typed(in, options, *key, operands[1]));
    if (options.replace_all && count > 1) edited = EditConfig(edited, *key, std::nullopt, false);
    edited = EditConfig(edited, *key, value, options.add);
  }
  if (const Status written = vfs::WriteFile(in.fs, file, edited); !written) {
    in.err.Write("error: could not lock config file " + file + ": " + std::string(written.error().Text()) + "\n");
    return 255;
  }
  return 0;
}

}  // namespace

extern const Subcommand kConfig;
const Subcommand kConfig = DefineFreeSubcommand<ConfigOptions, RunConfig>({.name = "config", .summary = "show and set options", .synopsis = "[<options>] [<name> [<value>]]", .options = kConfigOptions, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
