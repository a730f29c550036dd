// git init, config and the plumbing: hash-object, cat-file, rev-parse, ls-files, ls-tree, show-ref, symbolic-ref, write-tree …
#include <algorithm>

#include "commands/git/revision.h"
#include "commands/git/worktree.h"
#include "commands/input_files.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

struct InitOptions {
  bool quiet = false, bare = false;
  std::string branch;
};
constexpr Option kInitOptions[] = {
    Flag<&InitOptions::quiet>('q', "quiet", "say nothing"),
    Flag<&InitOptions::bare>(0, "bare", "without a working tree"),
    Value<&InitOptions::branch>('b', "initial-branch", "NAME", "the name of the first branch"),
};

Result<ExitStatus> Init(Invocation& in, Git*, InitOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (operands.size() > 1) return Error(Code::kInvalid, "too many arguments");
  std::string directory = operands.empty() ? "." : operands[0];
  if (!operands.empty()) {
    if (const Status made = vfs::MakeDirectories(in.fs, directory); !made) return Error(made.error().code, "cannot mkdir " + directory + ": " + std::string(made.error().Text()));
  }
  PADDOCK_ASSIGN(directory, in.fs.Canonical(directory));
  PADDOCK_ASSIGN(const Config config, ReadConfig(in, nullptr));
  const std::string git_dir = options.bare ? directory : vfs::JoinPath(directory, ".git");
  const bool is_again = IsGitDirectory(in.fs, git_dir);
  std::string branch = options.branch;
  if (branch.empty()) branch = config.Get("init.defaultbranch", "");
  if (branch.empty()) {
    branch = "master";
    if (!options.quiet && !is_again) {
      in.err.Write("hint: Using 'master' as the name for the initial branch. This default branch name\nhint: is subject to change. To configure the initial branch name to use in all\n"
                   "hint: of your new repositories, which will suppress this warning, call:\nhint: \nhint: \tgit config --global init.defaultBranch <name>\nhint: \n"
                   "hint: Names commonly chosen instead of 'master' are 'main', 'trunk' and\nhint: 'development'. The just-created branch can be renamed via this command:\nhint: \nhint: \tgit branch -m <name>\n");
    }
  }
  if (!IsRefName("refs/heads/" + branch)) return Error(Code::kInvalid, "invalid initial branch name: '" + branch + "'");
  if (is_again && !options.branch.empty()) in.err.Write("warning: re-init: ignored --initial-branch=" + options.branch + "\n");
  PADDOCK_TRY(CreateRepository(in, git_dir, options.bare, branch));
  if (!options.quiet) in.out.Write(std::string(is_again ? "Reinitialized existing" : "Initialized empty") + " Git repository in " + git_dir + "/\n");
  return 0;
}

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

struct HashOptions {
  bool writes = false, from_stdin = false;
  std::string type = "blob";
};
constexpr Option kHashOptions[] = {
    Value<&HashOptions::type>('t', nullptr, "TYPE", "the type of the object"),
    Flag<&HashOptions::writes>('w', nullptr, "write the object"),
    Flag<&HashOptions::from_stdin>(0, "stdin", "read standard input"),
};
Result<ExitStatus> RunHashObject(Invocation& in, Git* git, HashOptions& options, Args& args) {
  const auto type = TypeOf(options.type);
  if (!type) return Error(Code::kInvalid, "invalid object type \"" + options.type + "\"");
  if (options.writes && git == nullptr) return Error(Code::kNoEntry, std::string(kNoRepository));
  const auto take = [&](const std::string& data) -> Status {
    if (*type == ObjectType::kTree) PADDOCK_TRY(ParseTree(data, in.budget));
    if (*type == ObjectType::kCommit) PADDOCK_TRY(ParseCommit(data, in.budget));
    if (*type == ObjectType::kTag) PADDOCK_TRY(ParseTag(data));
    Oid id = HashObject(*type, data);
    if (options.writes) {
      PADDOCK_ASSIGN(id, git->objects.Write(*type, data));
    }
    in.out.Write(id.Hex() + "\n");
    return {};
  };
  if (options.from_stdin) PADDOCK_TRY(take(in.in.ReadAll()));
  for (const std::string& name : args.All()) {
    const auto text = vfs::ReadFile(in.fs, name);
    if (!text) return Error(text.error().code, "could not open '" + name + "' for reading: " + std::string(text.error().Text()));
    PADDOCK_TRY(take(*text));
  }
  return 0;
}

std::string OctalMode(uint32_t mode) {
  std::string text;
  for (int shift = 15; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7));
  return text;
}

struct CatOptions {
  bool pretty = false, type = false, size = false, exists = false, batch = false, batch_check = false;
};
constexpr Option kCatOptions[] = {
    Flag<&CatOptions::pretty>('p', nullptr, "show the object"),
    Flag<&CatOptions::type>('t', nullptr, "show its type"),
    Flag<&CatOptions::size>('s', nullptr, "show its size"),
    Flag<&CatOptions::exists>('e', nullptr, "only tell whether it exists"),
    Flag<&CatOptions::batch>(0, "batch", "show all objects that standard input names"),
    Flag<&CatOptions::batch_check>(0, "batch-check", "show their types and sizes"),
};
Result<ExitStatus> RunCatFile(Git& git, CatOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  if (options.batch || options.batch_check) {
    while (const auto line = git.in.in.ReadLine()) {
      const std::string name(line->text);
      const auto id = ResolveObject(git, name);
      const auto object = id ? git.objects.Read(*id) : Result<Object>(Code::kNoEntry);
      if (!object) {
        git.Print(name + " missing\n");
        continue;
      }
      git.Print(id->Hex() + " " + std::string(TypeName(object->type)) + " " + std::to_string(object->data.size()) + "\n");
      if (options.batch) git.Print(object->data + "\n");
    }
    return 0;
  }
  const bool has_mode = options.pretty || options.type || options.size || options.exists;
  if (operands.size() != (has_mode ? 1u : 2u)) {
    git.Say("fatal: only two arguments allowed in <type> <object> mode, not " + std::to_string(operands.size()) + "\n");
    return 129;
  }
  auto id = ResolveObject(git, operands.back());
  if (!id) return Error(Code::kNoEntry, id.error().message.empty() ? "Not a valid object name " + operands.back() : id.error().message);
  auto object = git.objects.Read(*id);
  if (options.exists) return object ? 0 : 1;
  if (!object) return Error(Code::kNoEntry, "Not a valid object name " + operands.back());
  if (options.type) git.Print(std::string(TypeName(object->type)) + "\n");
  if (options.size) git.Print(std::to_string(object->data.size()) + "\n");
  if (!has_mode) {
    const auto type = TypeOf(operands[0]);
    if (!type) return Error(Code::kInvalid, "invalid object type \"" + operands[0] + "\"");
    PADDOCK_ASSIGN(const Oid peeled, git.objects.Peel(*id, type));
    PADDOCK_ASSIGN(*object, git.objects.Read(peeled));
    git.Print(object->data);
  }
  if (!options.pretty) return 0;
  if (object->type != ObjectType::kTree) {
    git.Print(object->data);
    return 0;
  }
  PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, ParseTree(object->data, git.in.budget));
  for (const TreeEntry& entry : entries) git.Print(OctalMode(entry.mode) + (entry.is_tree() ? " tree " : entry.mode == kModeCommit ? " commit " : " blob ") + entry.id.Hex() + "\t" + git.Quoted(entry.name) + "\n");
  return 0;
}

struct LsFilesOptions {
  bool cached = false, deleted = false, modified = false, others = false, ignored = false, stage = false, unmerged = false, nul = false, standard = false, full_name = false, fails = false, directory = false;
};
constexpr Option kLsFilesOptions[] = {
    Flag<&LsFilesOptions::cached>('c', "cached", "show what is in the index (the default)"),
    Flag<&LsFilesOptions::deleted>('d', "deleted", "show deleted files"),
    Flag<&LsFilesOptions::modified>('m', "modified", "show changed files"),
    Flag<&LsFilesOptions::others>('o', "others", "show untracked files"),
    Flag<&LsFilesOptions::stage>('s', "stage", "show modes, objects and stages"),
    Flag<&LsFilesOptions::unmerged>('u', "unmerged", "show unmerged files"),
    Flag<&LsFilesOptions::nul>('z', nullptr, "end lines with NUL"),
    Flag<&LsFilesOptions::standard>(0, "exclude-standard", "with -o: without ignored files"),
    Flag<&LsFilesOptions::full_name>(0, "full-name", "paths from the top"),
    Flag<&LsFilesOptions::fails>(0, "error-unmatch", "fail when an operand matches nothing"),
};
Result<ExitStatus> RunLsFiles(Git& git, LsFilesOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  const bool has_operands = !operands.empty();
  if (!has_operands && !git.prefix.empty()) operands.push_back(".");
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  const char end = options.nul ? '\0' : '\n';
  const auto shown = [&](const std::string& path) {
    if (options.nul) return options.full_name || !path.starts_with(git.prefix) ? path : path.substr(git.prefix.size());
    return options.full_name ? git.Quoted(path) : git.Shown(path);
  };
  if (options.others) {
    PADDOCK_ASSIGN(const Untracked found, FindUntracked(git, index, UntrackedMode::kAll, paths, false));
    std::vector<std::string> files = found.files;
    if (!options.standard) return Error(Code::kNotSupported, "ls-files --others needs --exclude-standard here");
    for (const std::string& path : files) git.Print(shown(path) + end);
  }
  const bool is_listing = options.cached || options.stage || options.unmerged || !(options.deleted || options.modified || options.others);
  for (const IndexEntry& entry : index.entries()) {
    git.in.budget.Step();
    if (!paths.empty() && !paths.Matches(entry.path, git.in.budget)) continue;
    if (is_listing && (!options.unmerged || entry.stage != 0)) {
      const std::string lead = options.stage || options.unmerged ? OctalMode(entry.mode) + " " + entry.id.Hex() + " " + std::to_string(entry.stage) + "\t" : "";
      git.Print(lead + shown(entry.path) + end);
    }
    if (!options.deleted && !options.modified) continue;
    PADDOCK_ASSIGN(const auto file, StageFile(git, entry.path, false));
    if (!file && options.deleted) git.Print(shown(entry.path) + end);
    if (options.modified && (!file || file->id != entry.id || file->mode != entry.mode)) git.Print(shown(entry.path) + end);
  }
  if (options.fails && has_operands && !paths.Unmatched().empty()) {
    git.Complain("pathspec '" + paths.Unmatched()[0] + "' did not match any file(s) known to git");
    git.Say("Did you forget to 'git add'?\n");
    return 1;
  }
  return 0;
}

struct LsTreeOptions {
  bool recursive = false, trees = false, with_trees = false, name_only = false, size = false, nul = false;
};
constexpr Option kLsTreeOptions[] = {
    Flag<&LsTreeOptions::recursive>('r', nullptr, "go into trees"),
    Flag<&LsTreeOptions::trees>('d', nullptr, "only trees"),
    Flag<&LsTreeOptions::with_trees>('t', nullptr, "with -r: show trees, too"),
    Flag<&LsTreeOptions::name_only>(0, "name-only", "names alone"),
    Flag<&LsTreeOptions::name_only>(0, "name-status", "likewise"),
    Flag<&LsTreeOptions::size>('l', "long", "with sizes"),
    Flag<&LsTreeOptions::nul>('z', nullptr, "end lines with NUL"),
};
Status ListTree(Git& git, const LsTreeOptions& options, const Oid& tree, const std::string& prefix, Pathspec& paths) {
  git.in.budget.CheckStack();
  PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, git.objects.ReadTree(tree));
  for (const TreeEntry& entry : entries) {
    git.in.budget.Step();
    const std::string path = prefix + entry.name;
    if (!paths.empty() && !paths.Matches(path, git.in.budget)) {
      if (entry.is_tree() && paths.MayMatchBelow(path, git.in.budget)) PADDOCK_TRY(ListTree(git, options, entry.id, path + "/", paths));
      continue;
    }
    const bool goes_in = entry.is_tree() && options.recursive;
    if ((!goes_in || options.with_trees) && (!options.trees || entry.is_tree())) {
      std::string line;
      if (!options.name_only) {
        line = OctalMode(entry.mode) + (entry.is_tree() ? " tree " : entry.mode == kModeCommit ? " commit " : " blob ") + entry.id.Hex();
        if (options.size) {
          std::string size = "-";
          if (!entry.is_tree() && entry.mode != kModeCommit) {
            PADDOCK_ASSIGN(const std::string data, git.ReadBlob(entry.id));
            size = std::to_string(data.size());
          }
          line += " " + std::string(size.size() < 7 ? 7 - size.size() : 0, ' ') + size;
        }
        line += "\t";
      }
      git.Print(line + (options.nul ? path + '\0' : git.Quoted(path) + "\n"));
    }
    if (goes_in) PADDOCK_TRY(ListTree(git, options, entry.id, path + "/", paths));
  }
  return {};
}
Result<ExitStatus> RunLsTree(Git& git, LsTreeOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  if (operands.empty()) {
    git.Say("usage: git ls-tree [<options>] <tree-ish> [<path>...]\n");
    return 129;
  }
  auto id = ResolveObject(git, operands[0]);
  if (!id) return Error(Code::kNoEntry, "Not a valid object name " + operands[0]);
  auto tree = git.objects.Peel(*id, ObjectType::kTree);
  if (!tree) return Error(Code::kInvalid, "not a tree object");
  operands.erase(operands.begin());
  PADDOCK_ASSIGN(Pathspec paths, git.ParsePaths(operands));
  PADDOCK_TRY(ListTree(git, options, *tree, "", paths));
  return 0;
}

struct RevParseOptions {
  bool verify = false, quiet = false, is_short = false, abbrev_ref = false, symbolic = false, top = false, git_dir = false, absolute = false, inside = false, inside_git = false, bare = false, prefix = false, cdup = false, all = false, common = false;
  int64_t digits = 0;
};
Status TakeShort(RevParseOptions& options, std::string_view value) {
  options.is_short = options.verify = true;
  return value.empty() ? Status() : ParseOptionValue(value, options.digits);
}
constexpr Option kRevParseOptions[] = {
    Flag<&RevParseOptions::verify>(0, "verify", "one object, or fail"),
    Flag<&RevParseOptions::quiet>('q', "quiet", "with --verify: fail in silence"),
    CallOptional<TakeShort>(0, "short", "N", "a short id"),
    Flag<&RevParseOptions::abbrev_ref>(0, "abbrev-ref", "the short name of a reference"),
    Flag<&RevParseOptions::symbolic>(0, "symbolic-full-name", "the full name of a reference"),
    Flag<&RevParseOptions::all>(0, "all", "all references"),
    Flag<&RevParseOptions::top>(0, "show-toplevel", "the top of the working tree"),
    Flag<&RevParseOptions::prefix>(0, "show-prefix", "the working directory from the top"),
    Flag<&RevParseOptions::cdup>(0, "show-cdup", "the top from the working directory"),
    Flag<&RevParseOptions::git_dir>(0, "git-dir", "the directory of the repository"),
    Flag<&RevParseOptions::common>(0, "git-common-dir", "likewise"),
    Flag<&RevParseOptions::absolute>(0, "absolute-git-dir", "likewise, absolute"),
    Flag<&RevParseOptions::inside>(0, "is-inside-work-tree", "true in a working tree"),
    Flag<&RevParseOptions::inside_git>(0, "is-inside-git-dir", "true below .git"),
    Flag<&RevParseOptions::bare>(0, "is-bare-repository", "true for a bare repository"),
};
Result<ExitStatus> RunRevParse(Git& git, RevParseOptions& options, Args& args) {
  PADDOCK_ASSIGN(const std::string here, git.in.fs.Canonical("."));
  const bool in_git = here == git.git_dir || here.starts_with(git.git_dir + "/");
  if (options.top) {
    if (git.work_tree.empty() || in_git) return Error(Code::kInvalid, std::string(kNeedsWorkTree));
    git.Print(git.work_tree + "\n");
  }
  if (options.prefix) git.Print(git.prefix + "\n");
  if (options.cdup) {
    for (const char c : git.prefix) git.Print(c == '/' ? "../" : "");
    git.Print("\n");
  }
  if (options.git_dir || options.common) git.Print((git.git_dir == vfs::JoinPath(here, ".git") ? ".git" : git.git_dir == here ? "." : git.git_dir) + "\n");
  if (options.absolute) git.Print(git.git_dir + "\n");
  if (options.inside) git.Print(!git.work_tree.empty() && !in_git ? "true\n" : "false\n");
  if (options.inside_git) git.Print(in_git ? "true\n" : "false\n");
  if (options.bare) git.Print(git.is_bare ? "true\n" : "false\n");
  if (options.all) {
    for (const auto& [name, id] : git.refs.List("refs/")) git.Print(id.Hex() + "\n");
  }
  const Error single(Code::kNoEntry, "Needed a single revision");
  if (options.verify && args.operands.size() != 1) return options.quiet ? Result<ExitStatus>(1) : Result<ExitStatus>(single);
  for (const std::string& name : args.operands) {
    git.in.budget.Step();
    if (options.abbrev_ref || options.symbolic) {
      std::string ref = name == "@" ? "HEAD" : name;
      if (name.ends_with("@{u}") || name.ends_with("@{upstream}")) {
        const std::string branch = name[0] == '@' ? ShortRef(git.HeadBranch().value_or("")) : name.substr(0, name.find('@'));
        const auto upstream = UpstreamOf(git, branch);
        if (!upstream) return Error(Code::kNoEntry, "no upstream configured for branch '" + branch + "'");
        ref = *upstream;
      } else if (ref == "HEAD") {
        if (!git.Head()) {
          git.Print("HEAD\n");
          return AmbiguousArgument(name);
        }
        ref = git.HeadBranch().value_or("HEAD");
      } else if (const auto found = FindRef(git, ref)) {
        ref = *found;
      } else if (!ResolveObject(git, name)) {
        return AmbiguousArgument(name);
      } else {
        continue;
      }
      git.Print((options.abbrev_ref ? ShortRef(ref) : ref) + "\n");
      continue;
    }
    Selection selection;
    if (!options.verify && (name.find("..") != std::string::npos || name.starts_with('^'))) {
      PADDOCK_ASSIGN(const bool taken, TakeRevision(git, name, selection));
      if (taken) {
        for (size_t i = selection.included.size(); i-- > 0;) git.Print(selection.included[i].Hex() + "\n");
        for (const Oid& id : selection.excluded) git.Print("^" + id.Hex() + "\n");
        continue;
      }
    }
    auto id = ResolveObject(git, name);
    if (!id && options.verify) return options.quiet ? Result<ExitStatus>(1) : Result<ExitStatus>(single);
    if (!id) {
      if (!git.work_tree.empty() && git.in.fs.Stat(name)) {
        git.Print(name + "\n");
        continue;
      }
      git.Print(name + "\n");
      return id.error().message.empty() ? AmbiguousArgument(name) : id.error();
    }
    git.Print((options.is_short ? git.objects.Abbreviate(*id, static_cast<size_t>(options.digits)) : id->Hex()) + "\n");
  }
  for (const std::string& path : args.paths) git.Print(path + "\n");
  return 0;
}

struct ShowRefOptions {
  bool heads = false, tags = false, dereference = false, hash = false, quiet = false, verify = false, with_head = false;
};
constexpr Option kShowRefOptions[] = {
    Flag<&ShowRefOptions::heads>(0, "heads", "only branches"), Flag<&ShowRefOptions::tags>(0, "tags", "only tags"),
    Flag<&ShowRefOptions::dereference>('d', "dereference", "with what tags name"), Flag<&ShowRefOptions::hash>('s', "hash", "only ids"),
    Flag<&ShowRefOptions::quiet>('q', "quiet", "show nothing"), Flag<&ShowRefOptions::verify>(0, "verify", "names are whole"),
    Flag<&ShowRefOptions::with_head>(0, "head", "with HEAD"),
};
Result<ExitStatus> RunShowRef(Git& git, ShowRefOptions& options, Args& args) {
  bool found = false;
  const auto show = [&](const std::string& name, const Oid& id) {
    found = true;
    if (options.quiet) return;
    git.Print(id.Hex() + (options.hash ? "\n" : " " + name + "\n"));
    if (!options.dereference) return;
    if (const auto peeled = git.objects.Peel(id, std::nullopt); peeled && *peeled != id) git.Print(peeled->Hex() + (options.hash ? "\n" : " " + name + "^{}\n"));
  };
  if (options.with_head) {
    if (const auto head = git.Head()) show("HEAD", *head);
  }
  for (const auto& [name, id] : git.refs.List("refs/")) {
    if ((options.heads || options.tags) && !(options.heads && name.starts_with("refs/heads/")) && !(options.tags && name.starts_with("refs/tags/"))) continue;
    const bool matches = args.operands.empty() || std::any_of(args.operands.begin(), args.operands.end(), [&, &full = name](const std::string& wanted) { return full == wanted || (!options.verify && full.ends_with("/" + wanted)); });
    if (matches) show(name, id);
  }
  if (options.verify && !found && !options.quiet && !args.operands.empty()) return Error(Code::kNoEntry, "'" + args.operands[0] + "' - not a valid ref");
  return found ? 0 : 1;
}

struct NoOptions {};
struct SymbolicOptions {
  bool is_short = false, quiet = false;
};
constexpr Option kSymbolicOptions[] = {Flag<&SymbolicOptions::is_short>(0, "short", "a short name"), Flag<&SymbolicOptions::quiet>('q', "quiet", "fail in silence")};
Result<ExitStatus> RunSymbolicRef(Git& git, SymbolicOptions& options, Args& args) {
  if (args.operands.empty() || args.operands.size() > 2) return 129;
  if (args.operands.size() == 2) {
    if (args.operands[0] == "HEAD" && !args.operands[1].starts_with("refs/")) return Error(Code::kInvalid, "Refusing to point HEAD outside of refs/");
    if (!IsRefName(args.operands[1])) return Error(Code::kInvalid, "Refusing to set '" + args.operands[0] + "' to invalid ref '" + args.operands[1] + "'");
    PADDOCK_TRY(git.refs.WriteSymbolic(args.operands[0], args.operands[1]));
    return 0;
  }
  const auto target = git.refs.ReadSymbolic(args.operands[0]);
  if (!target) return options.quiet ? Result<ExitStatus>(1) : Result<ExitStatus>(Error(Code::kInvalid, "ref " + args.operands[0] + " is not a symbolic ref"));
  git.Print((options.is_short ? ShortRef(*target) : *target) + "\n");
  return 0;
}
Result<ExitStatus> RunWriteTree(Git& git, NoOptions&, Args&) {
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  PADDOCK_ASSIGN(const Oid id, git.WriteTree(index));
  git.Print(id.Hex() + "\n");
  return 0;
}
struct CheckIgnoreOptions {
  bool quiet = false;
};
constexpr Option kCheckIgnoreOptions[] = {Flag<&CheckIgnoreOptions::quiet>('q', "quiet", "only tell by the exit status")};
Result<ExitStatus> RunCheckIgnore(Git& git, CheckIgnoreOptions& options, Args& args) {
  if (args.All().empty()) return Error(Code::kInvalid, "no path specified");
  bool found = false;
  PADDOCK_ASSIGN(const Index index, git.ReadIndex());
  for (const std::string& operand : args.All()) {
    PADDOCK_ASSIGN(const std::string path, git.RepositoryPath(operand));
    const auto facts = git.in.fs.Stat(git.FilePath(path), vfs::Follow::kNo);
    if (path.empty() || index.Find(path) != nullptr || !IsIgnored(git, path, operand.ends_with('/') || (facts && facts->is_directory()))) continue;
    found = true;
    if (!options.quiet) git.Print(git.Quoted(operand) + "\n");
  }
  return found ? 0 : 1;
}

}  // namespace

using Needs = Subcommand::Needs;
extern const Subcommand kInit, kConfig, kHashObject, kCatFile, kLsFiles, kLsTree, kRevParse, kShowRef, kSymbolicRef, kWriteTree, kCheckIgnore;
const Subcommand kInit = DefineFreeSubcommand<InitOptions, Init>({.name = "init", .summary = "create an empty repository", .synopsis = "[-q] [--bare] [-b <branch>] [<directory>]", .options = kInitOptions, .needs = Needs::kNothing});
const Subcommand kConfig = DefineFreeSubcommand<ConfigOptions, RunConfig>({.name = "config", .summary = "show and set options", .synopsis = "[<options>] [<name> [<value>]]", .options = kConfigOptions, .needs = Needs::kMaybeRepository});
const Subcommand kHashObject = DefineFreeSubcommand<HashOptions, RunHashObject>({.name = "hash-object", .summary = "tell the id of a file", .synopsis = "[-t <type>] [-w] [--stdin] [--] <file>...", .options = kHashOptions, .needs = Needs::kMaybeRepository});
const Subcommand kCatFile = DefineSubcommand<CatOptions, RunCatFile>({.name = "cat-file", .summary = "show an object", .synopsis = "<type> <object>\n(-e | -p | -t | -s) <object>\n(--batch | --batch-check)", .options = kCatOptions});
const Subcommand kLsFiles = DefineSubcommand<LsFilesOptions, RunLsFiles>({.name = "ls-files", .summary = "list the files of the index", .synopsis = "[<options>] [<file>...]", .options = kLsFilesOptions});
const Subcommand kLsTree = DefineSubcommand<LsTreeOptions, RunLsTree>({.name = "ls-tree", .summary = "list a tree", .synopsis = "[<options>] <tree-ish> [<path>...]", .options = kLsTreeOptions});
const Subcommand kRevParse = DefineSubcommand<RevParseOptions, RunRevParse>({.name = "rev-parse", .summary = "tell what a name means", .synopsis = "[<options>] <name>...", .options = kRevParseOptions});
const Subcommand kShowRef = DefineSubcommand<ShowRefOptions, RunShowRef>({.name = "show-ref", .summary = "list references", .synopsis = "[<options>] [<pattern>...]", .options = kShowRefOptions});
const Subcommand kSymbolicRef = DefineSubcommand<SymbolicOptions, RunSymbolicRef>({.name = "symbolic-ref", .summary = "show or set a symbolic reference", .synopsis = "[-q] [--short] <name> [<ref>]", .options = kSymbolicOptions});
const Subcommand kWriteTree = DefineSubcommand<NoOptions, RunWriteTree>({.name = "write-tree", .summary = "write the index as a tree", .synopsis = ""});
const Subcommand kCheckIgnore = DefineSubcommand<CheckIgnoreOptions, RunCheckIgnore>({.name = "check-ignore", .summary = "tell which files are ignored", .synopsis = "[-q] <path>...", .options = kCheckIgnoreOptions, .needs = Needs::kWorkTree});

}  // namespace paddock::git
