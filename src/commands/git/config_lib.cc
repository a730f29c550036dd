// git config.
#include <algorithm>
#include <functional>

#include "commands/file_facts.h"
#include "commands/git/colour_spec.h"
#include "commands/git/config_files.h"
#include "commands/git/refs/revision.h"
#include "git/config_edit.h"
#include "text/date/date_parse.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

struct ConfigOptions {
  bool global = false, local = false, system = false, list = false, get = false, get_all = false, unset = false, unset_all = false, add = false, nul = false, name_only = false, show_origin = false, show_scope = false;
  bool is_bool = false, is_int = false, is_path = false, replace_all = false, remove_section = false, rename_section = false, edit = false;
  std::string file, by_default;
  bool has_default = false, get_regexp = false, fixed_value = false, is_bool_or_int = false, is_bool_or_string = false, get_urlmatch = false, is_any = false;
  std::string blob;
  bool is_expiry = false, is_colour = false, get_colour = false, get_colour_bool = false, includes = false, no_includes = false, worktree = false;
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
  else if (value == "bool-or-int") options.is_bool_or_int = true;
  else if (value == "bool-or-str") options.is_bool_or_string = true;
  else if (value == "expiry-date") options.is_expiry = true;
  else if (value == "color") options.is_colour = true;
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
    Flag<&ConfigOptions::is_bool_or_int>(0, "bool-or-int", "the value is true, false or a number"),
    Flag<&ConfigOptions::is_bool_or_string>(0, "bool-or-str", "the value is true, false or a text"),
    Flag<&ConfigOptions::is_expiry>(0, "expiry-date", "the value is a date"),
    Call<TakeType>('t', "type", "TYPE", "bool, int, bool-or-int, bool-or-str, path, expiry-date or color"),
    Flag<&ConfigOptions::get_colour>(0, "get-color", "show a colour as a terminal takes it: NAME [DEFAULT]"),
    Flag<&ConfigOptions::get_colour_bool>(0, "get-colorbool", "whether there are colours: NAME [WHETHER-A-TERMINAL]"),
    Flag<&ConfigOptions::includes>(0, "includes", "follow include.path (the default without a file)"),
    Flag<&ConfigOptions::no_includes>(0, "no-includes", "do not"),
    Flag<&ConfigOptions::worktree>(0, "worktree", "the file of the working tree"),
    Flag<&ConfigOptions::is_any>(0, "no-type", "the value is a text (the default)"),
    Flag<&ConfigOptions::fixed_value>(0, "fixed-value", "VALUE-PATTERN is the whole value"),
    Flag<&ConfigOptions::get_urlmatch>(0, "get-urlmatch", "the value for a URL: SECTION[.NAME] URL"),
    Value<&ConfigOptions::blob>(0, "blob", "OBJECT", "this object"),
    Flag<&ConfigOptions::edit>('e', "edit", "open an editor"),
    Flag<&ConfigOptions::show_origin>(0, "show-origin", "show the file of a value"),
    Flag<&ConfigOptions::nul>('z', "null", "end values with NUL"),
    Flag<&ConfigOptions::name_only>(0, "name-only", "show names alone"),
    Flag<&ConfigOptions::show_scope>(0, "show-scope", "show where a value holds"),
    Call<TakeDefault>(0, "default", "VALUE", "with --get: what is shown if there is none"),
};

// Numbers are true and false, too.
std::optional<bool> TruthOf(const std::string& value) {
  if (const auto truth = ParseConfigBool(value)) return truth;
  std::string digits = value;
  if (!digits.empty() && std::string_view("kKmMgG").find(digits.back()) != std::string_view::npos) digits.pop_back();
  int64_t number = 0;
  if (digits.size() > 9 || !ParseOptionValue(digits, number)) return std::nullopt;
  return number != 0;
}

// `where`: " in file X".
Result<std::string> Typed(Invocation& in, const ConfigOptions& original, const std::string& key, const std::string& value, const std::string& where = "") {
  ConfigOptions options = original;
  if (options.is_bool_or_string) {
    if (!TruthOf(value)) return value;
    options.is_bool = true;
  }
  if (options.is_bool_or_int) {
    const bool is_number = !value.empty() && (value[0] == '-' || (value[0] >= '0' && value[0] <= '9'));
    (is_number ? options.is_int : options.is_bool) = true;
  }
  if (options.is_bool) {
    const auto truth = TruthOf(value);
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
    if (digits.size() > 9 || !ParseOptionValue(digits, number)) return Error(Code::kInvalid, "bad numeric config value '" + value + "' for '" + key + "'" + where + ": invalid unit");
    return std::to_string(number * factor);
  }
  if (options.is_expiry) {
    if (value == "never" || value == "false") return std::string("0");
    if (value == "all" || value == "now") return std::string("18446744073709551615");
    const LooseDate date = ReadDate(in, value);
    if (!date.is_understood) {
      in.err.Write("error: '" + value + "' for '" + key + "' is not a valid timestamp\n");
      return Error(Code::kInvalid, "bad config variable '" + key + "'" + where);
    }
    return std::to_string(date.seconds);
  }
  if (options.is_colour) {
    auto sequence = ColourSequence(value);
    if (sequence) return *sequence;
    in.err.Write("error: invalid color value: " + value + "\n");
    return Error(Code::kInvalid, "cannot parse color '" + value + "'");
  }
  if (options.is_path && value.starts_with("~/")) return std::string(in.env.Get("HOME", "")) + value.substr(1);
  return value;
}

// What --show-scope and --show-origin put before a value.
class Origins {
 public:
  Origins(const ConfigOptions& options, std::vector<ConfigFile> files, std::string file, const Git* git) : options_(options), files_(std::move(files)), file_(std::move(file)), git_(git) {}

  std::string Before(const ConfigEntry& entry) const {
    const char end = options_.nul ? '\0' : '\t';
    const bool is_file = !file_.empty() || entry.origin < files_.size();
    std::string text;
    if (options_.show_scope) {
      const std::string scope = !options_.file.empty() || !options_.blob.empty() ? "command" : !file_.empty() ? (options_.global ? "global" : options_.system ? "system" : "local") : is_file ? files_[entry.origin].scope : "command";
      text += scope + end;
    }
    if (options_.show_origin) {
      std::string path = !file_.empty() ? file_ : is_file ? files_[entry.origin].path : "";
      // The repository's own file reads as from the top.
      path = Shown(path);
      text += (!options_.blob.empty() ? "blob:" + options_.blob : !is_file ? "command line:" : options_.nul ? "file:" + path : "file:" + QuotePath(path, true)) + end;
    }
    return text;
  }

  // " in file X", for complaints about a value.
  std::string Where(const ConfigEntry& entry) const {
    const std::string path = !file_.empty() ? file_ : entry.origin < files_.size() ? files_[entry.origin].path : "";
    return path.empty() ? "" : " in file " + Shown(path);
  }

 private:
  std::string Shown(const std::string& path) const {
    const bool is_own = git_ != nullptr && options_.file.empty() && path.starts_with(git_->git_dir + "/") && !git_->is_bare && git_->prefix.empty();
    return is_own ? ".git" + path.substr(git_->git_dir.size()) : path;
  }

  const ConfigOptions& options_;
  std::vector<ConfigFile> files_;
  std::string file_;
  const Git* git_;
};

// A VALUE-PATTERN: an expression, "!" before one, or with --fixed-value the value itself.
Result<std::function<Result<bool>(std::string_view)>> ValueMatcher(Invocation& in, const ConfigOptions& options, const std::string& pattern) {
  using Matcher = std::function<Result<bool>(std::string_view)>;
  if (options.fixed_value) return Matcher([pattern](std::string_view value) -> Result<bool> { return value == pattern; });
  const bool inverts = pattern.starts_with('!');
  auto regex = Regex::Compile(std::string_view(pattern).substr(inverts ? 1 : 0), {.dialect = RegexDialect::kExtended});
  if (!regex) return Error(Code::kSyntax, "invalid pattern: " + pattern);
  auto shared = std::make_shared<Regex>(std::move(*regex));
  return Matcher([shared, inverts, &in](std::string_view value) -> Result<bool> {
    PADDOCK_ASSIGN(const bool found, shared->Search(value, 0, nullptr, in.budget));
    return found != inverts;
  });
}

// config --get-urlmatch SECTION[.NAME] URL: http.<url>.name, the one that fits best.
Result<ExitStatus> ShowUrlMatch(Invocation& in, const ConfigOptions& options, const Config& config, const std::vector<std::string>& operands) {
  if (operands.size() != 2) {
    in.err.Write("error: wrong number of arguments, should be 2\n");
    return 129;
  }
  std::string section = operands[0], wanted;
  if (const size_t dot = section.find('.'); dot != std::string::npos) {
    wanted = section.substr(dot + 1);
    section.resize(dot);
  }
  for (char& c : section) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (char& c : wanted) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::string& url = operands[1];
  std::map<std::string, std::pair<size_t, std::string>> best;
  for (const ConfigEntry& entry : config.entries()) {
    in.budget.Step();
    if (!entry.key.starts_with(section + ".")) continue;
    const size_t last = entry.key.rfind('.');
    const std::string name = entry.key.substr(last + 1);
    if (!wanted.empty() && name != wanted) continue;
    size_t score = 0;
    if (last > section.size()) {
      std::string base = entry.key.substr(section.size() + 1, last - section.size() - 1);
      while (base.ends_with('/')) base.pop_back();
      if (!url.starts_with(base) || (url.size() > base.size() && url[base.size()] != '/')) continue;
      score = base.size();
    }
    auto& known = best[name];
    if (score >= known.first) known = {score, entry.value.value_or("true")};
  }
  if (best.empty()) return 1;
  const char end = options.nul ? '\0' : '\n';
  for (const auto& [name, value] : best) {
    PADDOCK_ASSIGN(const std::string shown, Typed(in, options, section + "." + name, value.second));
    in.out.Write((wanted.empty() ? section + "." + name + (options.nul ? '\n' : ' ') : std::string()) + shown + end);
  }
  return 0;
}

// config --get-regexp NAME-PATTERN [VALUE-PATTERN].
Result<ExitStatus> ShowMatching(Invocation& in, const ConfigOptions& options, const Config& config, std::vector<std::string> operands, const Origins& origins) {
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
    in.out.Write(origins.Before(entry) + text + (options.nul ? '\0' : '\n'));
  }
  return found ? 0 : 1;
}

// config --get-color NAME [DEFAULT].
Result<ExitStatus> ShowColour(Invocation& in, const Config& config, const std::vector<std::string>& operands) {
  if (operands.empty() || operands.size() > 2) {
    in.err.Write("error: wrong number of arguments, should be from 1 to 2\n");
    return 129;
  }
  const auto key = FoldConfigKey(operands[0]);
  const auto value = key ? config.Get(*key) : std::nullopt;
  if (!value && operands.size() < 2) return 0;
  const auto sequence = ColourSequence(value ? *value : operands[1]);
  if (!sequence) {
    in.err.Write("error: invalid color value: " + (value ? *value : operands[1]) + "\n");
    return Error(Code::kInvalid, value ? "unable to parse '" + *key + "'" : "unable to parse default color value");
  }
  in.out.Write(*sequence);
  return 0;
}

// config --get-colorbool NAME [WHETHER-A-TERMINAL].
Result<ExitStatus> ShowColourBool(Invocation& in, const Config& config, const std::vector<std::string>& operands) {
  if (operands.empty() || operands.size() > 2) {
    in.err.Write("error: wrong number of arguments, should be from 1 to 2\n");
    return 129;
  }
  const auto key = FoldConfigKey(operands[0]);
  auto value = key ? config.Get(*key) : std::nullopt;
  if (!value) value = config.Get("color.ui", "auto");
  const std::string_view terminal = in.env.Get("TERM", "dumb");
  const bool may_colour = operands.size() > 1 && ParseConfigBool(operands[1]).value_or(false) && terminal != "dumb" && !terminal.empty();
  const bool is_on = *value == "always" || (*value != "never" && ParseConfigBool(*value).value_or(true) && may_colour);
  if (operands.size() < 2) return is_on ? 0 : 1;
  in.out.Write(is_on ? "true\n" : "false\n");
  return 0;
}

// The file of a working tree: its own, or the repository's where there is no other tree.
Result<std::string> WorktreeFile(const Git& git) {
  if (git.config.GetBool("extensions.worktreeconfig", false)) return git.GitPath("config.worktree");
  const auto list = git.in.fs.List(git.GitPath("worktrees"));
  if (list && !list->empty()) {
    return Error(Code::kInvalid, "--worktree cannot be used with multiple working trees unless the config\nextension worktreeConfig is enabled. Please read \"CONFIGURATION FILE\"\nsection in \"git help worktree\" for details");
  }
  return git.GitPath("config");
}

// The file that is meant, or empty for all of them. Git's complaint where there is none.
Result<std::string> MeantFile(Invocation& in, Git* git, const ConfigOptions& options, bool writes) {
  std::string file = options.file;
  if (file.empty() && options.global) {
    file = std::string(in.env.Get("GIT_CONFIG_GLOBAL", std::string(in.env.Get("HOME", "")) + "/.gitconfig"));
    if (in.env.Get("HOME", "").empty() && !in.env.Get("GIT_CONFIG_GLOBAL")) return Error(Code::kInvalid, "$HOME not set");
  }
  if (file.empty() && options.system) file = "/etc/gitconfig";
  if (options.worktree && git == nullptr) return Error(Code::kInvalid, "--worktree can only be used inside a git repository");
  if (file.empty() && options.worktree) {
    PADDOCK_ASSIGN(file, WorktreeFile(*git));
  }
  if (file.empty() && (options.local || (writes && git != nullptr))) file = git->GitPath("config");
  if (file.empty() && writes) return Error(Code::kInvalid, "not in a git directory");
  return file;
}

// What is asked about: a blob, a file, or all files. `files` gets those that were read.
Result<Config> ReadMeant(Invocation& in, Git* git, const ConfigOptions& options, const std::string& file, std::vector<ConfigFile>* files) {
  Config config;
  if (!options.blob.empty()) {
    if (git == nullptr) return Error(Code::kInvalid, "--blob can only be used inside a git repository");
    const auto id = ResolveObject(*git, options.blob);
    if (!id) {
      in.err.Write("error: unable to resolve config blob '" + options.blob + "'\n");
      return Error(Code::kNoEntry, "error processing config file(s)");
    }
    PADDOCK_ASSIGN(const std::string text, git->ReadBlob(*id));
    auto entries = ParseConfig(text, in.budget);
    if (!entries) return Error(Code::kSyntax, std::string(entries.error().Text()) + " in blob " + options.blob);
    config.Add(std::move(*entries));
  } else if (!file.empty() && options.includes && options.file != "-") {
    PADDOCK_ASSIGN(config, ReadOneConfigFile(in, git, {file, "local"}, *files));
  } else if (!file.empty()) {
    const auto text = options.file == "-" ? Result<std::string>(in.in.ReadAll()) : vfs::ReadFile(in.fs, file, 4 << 20);
    if (!text && !options.file.empty() && options.list) return Error(Code::kNoEntry, "unable to read config file '" + file + "': " + std::string(text.error().Text()));
    if (text) {
      auto entries = ParseConfig(*text, in.budget);
      if (!entries) return Error(Code::kSyntax, std::string(entries.error().Text()) + " in file " + file);
      config.Add(std::move(*entries));
    }
  } else {
    PADDOCK_ASSIGN(config, ReadConfigFiles(in, git, *files));
    if (options.no_includes) {
      const size_t own = ConfigFiles(in, git).size();
      std::vector<ConfigEntry> kept = config.entries();
      std::erase_if(kept, [&](const ConfigEntry& entry) { return entry.origin >= own && entry.origin < files->size(); });
      config = Config();
      config.Add(std::move(kept));
    }
  }
  return config;
}

// config NAME [PATTERN], --get and --get-all.
Result<ExitStatus> ShowValues(Invocation& in, const ConfigOptions& options, const Config& config, const std::vector<std::string>& operands, const Origins& origins) {
  const char end = options.nul ? '\0' : '\n';
  const auto key = FoldConfigKey(operands[0]);
  if (!key) {
    in.err.Write(operands[0].find('.') == std::string::npos ? "error: key does not contain a section: " + operands[0] + "\n" : "error: invalid key: " + operands[0] + "\n");
    return 1;
  }
  std::vector<ConfigEntry> found;
  std::optional<std::function<Result<bool>(std::string_view)>> matches;
  if (operands.size() > 1) {
    auto matcher = ValueMatcher(in, options, operands[1]);
    if (!matcher) {
      in.err.Write("error: " + std::string(matcher.error().Text()) + "\n");
      return 6;
    }
    matches = std::move(*matcher);
  }
  for (const ConfigEntry& entry : config.entries()) {
    in.budget.Step();
    if (entry.key != *key) continue;
    if (matches) {
      PADDOCK_ASSIGN(const bool is_meant, (*matches)(entry.value.value_or("")));
      if (!is_meant) continue;
    }
    found.push_back(entry);
  }
  if (found.empty() && options.has_default) found.push_back({*key, options.by_default, SIZE_MAX, 0});
  if (found.empty()) return 1;
  if (!options.get_all) found.erase(found.begin(), found.end() - 1);
  const bool is_typed = options.is_bool || options.is_int || options.is_bool_or_int;
  for (const ConfigEntry& entry : found) {
    PADDOCK_ASSIGN(const std::string shown, Typed(in, options, *key, entry.value.value_or(is_typed ? "true" : ""), origins.Where(entry)));
    in.out.Write(origins.Before(entry) + shown + end);
  }
  return 0;
}

Result<ExitStatus> Show(Invocation& in, Git* git, const ConfigOptions& options, const std::string& file, const std::vector<std::string>& operands) {
  const char end = options.nul ? '\0' : '\n';
  std::vector<ConfigFile> files;
  PADDOCK_ASSIGN(const Config config, ReadMeant(in, git, options, file, &files));
  if (options.get_colour) return ShowColour(in, config, operands);
  if (options.get_colour_bool) return ShowColourBool(in, config, operands);
  const Origins origins(options, files, file, git);
  if (options.list) {
    for (const ConfigEntry& entry : config.entries()) {
      in.out.Write(origins.Before(entry) + entry.key + (entry.value && !options.name_only ? (options.nul ? "\n" : "=") + *entry.value : "") + end);
    }
    return 0;
  }
  if (operands.empty() && (options.get || options.get_all || options.get_regexp || options.get_urlmatch)) {
    in.err.Write(options.get_urlmatch ? "error: wrong number of arguments, should be 2\n" : "error: wrong number of arguments, should be from 1 to 2\n");
    return 129;
  }
  if (operands.empty()) {
    in.err.Write("error: no action specified\n");
    return 129;
  }
  if (options.get_regexp) return ShowMatching(in, options, config, operands, origins);
  if (options.get_urlmatch) return ShowUrlMatch(in, options, config, operands);
  return ShowValues(in, options, config, operands, origins);
}

// Sets a value, adds one, or takes some out of a file, whose text is `text`.
Result<ExitStatus> ChangeValue(Invocation& in, const ConfigOptions& options, const std::string& file, const std::string& text, const std::vector<std::string>& operands) {
  if (operands.empty()) return 129;
  const auto key = FoldConfigKey(operands[0]);
  if (!key) {
    in.err.Write(operands[0].find('.') == std::string::npos ? "error: key does not contain a section: " + operands[0] + "\n" : "error: invalid key: " + operands[0] + "\n");
    return operands[0].find('.') == std::string::npos ? 2 : 1;
  }
  PADDOCK_ASSIGN(const std::vector<ConfigEntry> entries, ParseConfig(text, in.budget));
  const bool unsets = options.unset || options.unset_all;
  const size_t pattern_at = unsets ? 1 : 2;
  if (operands.size() > pattern_at + 1 || (!unsets && operands.size() < 2)) {
    in.err.Write("error: wrong number of arguments\n");
    return 129;
  }
  std::function<Result<bool>(std::string_view)> matches = [](std::string_view) -> Result<bool> { return true; };
  if (operands.size() > pattern_at) {
    auto matcher = ValueMatcher(in, options, operands[pattern_at]);
    if (!matcher) {
      in.err.Write("error: " + std::string(matcher.error().Text()) + "\n");
      return 6;
    }
    matches = std::move(*matcher);
  }
  size_t count = 0;
  for (const ConfigEntry& entry : entries) {
    if (entry.key != *key) continue;
    PADDOCK_ASSIGN(const bool is_meant, matches(entry.value.value_or("")));
    count += is_meant ? 1 : 0;
  }
  // The lines as they were matched above; a pattern that fails here failed there.
  const ConfigMatch is_meant = [&matches](std::string_view value) {
    const auto found = matches(value);
    return found && *found;
  };
  std::string edited = text;
  if (unsets) {
    if (count == 0) return 5;
    if (count > 1 && options.unset) {
      in.err.Write("warning: " + *key + " has multiple values\n");
      return 5;
    }
    edited = EditConfigMatching(text, *key, "", std::nullopt, is_meant, in.budget).value_or(text);
  } else {
    if (count > 1 && !options.add && !options.replace_all) {
      in.err.Write("warning: " + *key + " has multiple values\nerror: cannot overwrite multiple values with a single value\n       Use a regexp, --add or --replace-all to change " + operands[0] + ".\n");
      return 5;
    }
    PADDOCK_ASSIGN(const std::string value, Typed(in, options, *key, operands[1]));
    const std::string written = key->substr(0, key->rfind('.') + 1) + operands[0].substr(operands[0].rfind('.') + 1);
    std::optional<std::string> replaced;
    if (count > 0 && !options.add) replaced = EditConfigMatching(text, *key, std::string_view(written).substr(written.rfind('.') + 1), value, is_meant, in.budget);
    edited = replaced ? *replaced : EditConfig(text, written, value, true);
  }
  if (const Status written = vfs::WriteFile(in.fs, file, edited); !written) {
    in.err.Write("error: could not lock config file " + file + ": " + std::string(written.error().Text()) + "\n");
    return 255;
  }
  return 0;
}

Result<ExitStatus> Change(Invocation& in, const ConfigOptions& options, const std::string& file, const std::vector<std::string>& operands) {
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
  return ChangeValue(in, options, file, text, operands);
}

Result<ExitStatus> RunConfig(Invocation& in, Git* git, ConfigOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (options.is_bool + options.is_int + options.is_path + options.is_bool_or_int + options.is_bool_or_string + options.is_expiry + options.is_colour > 1) {
    in.err.Write("error: only one type at a time\n");
    return 129;
  }
  const bool writes = options.add || options.unset || options.unset_all || options.replace_all || options.remove_section || options.rename_section ||
                      (operands.size() >= 2 && !options.get && !options.get_colour && !options.get_colour_bool && !options.get_urlmatch && !options.edit && !options.get_all && !options.get_regexp && !options.list);
  if (options.local && git == nullptr) return Error(Code::kInvalid, "--local can only be used inside a git repository");
  PADDOCK_ASSIGN(std::string file, MeantFile(in, git, options, writes));
  if (options.edit) {
    if (file.empty() && git != nullptr) file = git->GitPath("config");
    if (git == nullptr) return Error(Code::kNotSupported, "--edit needs a repository");
    PADDOCK_TRY(git->Edit(file));
    return 0;
  }
  return writes ? Change(in, options, file, operands) : Show(in, git, options, file, operands);
}

}  // namespace

extern const Subcommand kConfig;
const Subcommand kConfig = DefineFreeSubcommand<ConfigOptions, RunConfig>({.name = "config", .summary = "show and set options", .synopsis = "[<options>] [<name> [<value>]]", .options = kConfigOptions, .rules = {.stop_at_operand = true}, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
