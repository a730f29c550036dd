#include "commands/git/diff/diff_driver.h"

#include "commands/child_output.h"
#include "commands/git/work/convert.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

// Lines of patterns: the first that matches tells what is shown; with ! in front, that nothing is.
HeadingRule RuleOf(std::string_view patterns, RegexDialect dialect, Budget& budget) {
  struct One {
    bool excludes;
    Regex regex;
  };
  auto all = std::make_shared<std::vector<One>>();
  while (!patterns.empty()) {
    const size_t end = std::min(patterns.find('\n'), patterns.size());
    std::string_view one = patterns.substr(0, end);
    patterns.remove_prefix(std::min(end + 1, patterns.size()));
    const bool excludes = one.starts_with('!');
    if (excludes) one.remove_prefix(1);
    auto regex = Regex::Compile(one, {.dialect = dialect});
    if (!regex) return {};
    all->push_back({excludes, std::move(*regex)});
  }
  return [all, &budget](std::string_view line) -> std::optional<std::string> {
    if (line.ends_with('\n')) line.remove_suffix(1);
    for (const One& one : *all) {
      std::vector<RegexGroup> groups(2);
      const auto found = one.regex.Search(line, 0, &groups, budget);
      if (!found || !*found) continue;
      if (one.excludes) return std::nullopt;
      const RegexGroup& shown = groups[1].is_set() ? groups[1] : groups[0];
      return std::string(line.substr(shown.begin, shown.end - shown.begin));
    }
    return std::nullopt;
  };
}

}  // namespace

DiffDriver DriverOf(Git& git, const std::string& path) {
  DiffDriver driver;
  const std::string name = DiffDriverOf(git, path);
  driver.is_binary = name == "-";
  driver.is_text = name == "+";
  if (name.empty() || driver.is_binary || driver.is_text) return driver;
  const std::string key = "diff." + name + ".";
  if (const auto binary = git.config.Get(key + "binary")) {
    const auto is_on = ParseConfigBool(*binary);
    driver.is_binary = is_on.value_or(false);
    driver.is_text = is_on.has_value() && !*is_on;
  }
  if (const auto patterns = git.config.Get(key + "xfuncname")) driver.heading = RuleOf(*patterns, RegexDialect::kExtended, git.in.budget);
  else if (const auto basic = git.config.Get(key + "funcname")) driver.heading = RuleOf(*basic, RegexDialect::kBasic, git.in.budget);
  else driver.heading = HeadingRuleOf(name, git.in.budget);
  driver.word_pattern = git.config.Get(key + "wordregex", "");
  driver.textconv = git.config.Get(key + "textconv", "");
  driver.command = git.config.Get(key + "command", "");
  return driver;
}

Result<std::unique_ptr<TemporaryFile>> TemporaryFile::Make(Git& git, std::string_view name, std::string_view content) {
  auto file = std::make_unique<TemporaryFile>(git);
  const std::string root(git.in.env.Get("TMPDIR", "/tmp"));
  PADDOCK_TRY(vfs::MakeDirectories(git.in.fs, root));
  for (size_t i = 0;; ++i) {
    git.in.budget.Step();
    const std::string directory = vfs::JoinPath(root, "git-blob-" + std::to_string(git.in.process.pid()) + "." + std::to_string(i));
    const Status made = git.in.fs.MakeDirectory(directory, 0700);
    if (!made && made.error().code == Code::kExists && i < 1000) continue;
    PADDOCK_TRY(made);
    file->directory_ = directory;
    break;
  }
  file->path_ = file->directory_ + "/" + std::string(name.substr(name.rfind('/') + 1));
  PADDOCK_TRY(vfs::WriteFile(git.in.fs, file->path_, content));
  return file;
}

TemporaryFile::~TemporaryFile() {
  if (directory_.empty()) return;
  static_cast<void>(git_.in.fs.RemoveFile(path_).has_value());
  static_cast<void>(git_.in.fs.RemoveDirectory(directory_).has_value());
}

Result<std::string> ConvertedText(Git& git, const DiffDriver& driver, const std::string& path, std::string content, bool is_file) {
  if (driver.textconv.empty()) return content;
  if (!is_file) {
    PADDOCK_ASSIGN(content, ToWorkTree(git, path, std::move(content)));
  }
  PADDOCK_ASSIGN(const auto file, TemporaryFile::Make(git, path, content));
  git.in.out.Flush();
  PADDOCK_ASSIGN(ChildOutput output, StandardOutput(git.in, {"sh", "-c", driver.textconv + " \"$@\"", driver.textconv, file->path()}, git.in.env));
  if (output.status != 0) return Error(Code::kInvalid, "unable to read files to diff");
  return std::move(output.text);
}

Result<std::string> ExternalDiff(Git& git, const std::string& command, const FileDiff& file) {
  std::vector<std::string> args = {"sh", "-c", command + " \"$@\"", command, file.new_path};
  std::vector<std::unique_ptr<TemporaryFile>> files;
  for (const bool is_new : {false, true}) {
    const uint32_t mode = is_new ? file.new_mode : file.old_mode;
    if (file.status == 'U') break;
    if (mode == 0) {
      args.insert(args.end(), {"/dev/null", ".", "."});
      continue;
    }
    const bool is_file = is_new ? file.new_is_file : file.old_is_file;
    const std::string& path = is_new ? file.new_path : file.old_path;
    std::string place = path;
    if (!is_file) {
      PADDOCK_ASSIGN(const std::string content, ContentOf(git, file, is_new));
      PADDOCK_ASSIGN(auto made, TemporaryFile::Make(git, path, content));
      place = made->path();
      files.push_back(std::move(made));
    }
    args.insert(args.end(), {place, is_file ? std::string(40, '0') : (is_new ? file.new_id : file.old_id).Hex(), ModeText(mode)});
  }
  if (file.status == 'R' || file.status == 'C') args[4] = file.old_path, args.insert(args.end(), {file.new_path, std::string("similarity index ") + std::to_string(file.score) + "%\n" + (file.status == 'R' ? "rename" : "copy") + " from " + file.old_path + "\n" + (file.status == 'R' ? "rename" : "copy") + " to " + file.new_path + "\n"});
  git.in.out.Flush();
  std::string text;
  ChildSpec spec{.args = std::move(args), .environment = &git.in.env};
  if (!git.work_tree.empty()) spec.cwd = git.work_tree;
  spec.out = TextSink(git.in.budget, text);
  const auto status = git.in.launcher.Run(git.in.process, spec);
  if (!status || *status != 0) {
    git.Print(text);
    return Error(Code::kInvalid, "external diff died, stopping at " + file.new_path);
  }
  return text;
}

}  // namespace paddock::git
