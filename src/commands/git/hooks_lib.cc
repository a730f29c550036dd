#include "commands/git/hooks.h"

#include "proc/process.h"

namespace paddock::git {

namespace {

std::string PathOf(Git& git, std::string_view name) {
  std::string folder = git.config.Get("core.hookspath", git.GitPath("hooks"));
  if (!folder.starts_with('/') && !git.work_tree.empty()) folder = git.FilePath(folder);
  return folder + "/" + std::string(name);
}

}  // namespace

bool HasHook(Git& git, std::string_view name) {
  const auto facts = git.in.fs.Stat(PathOf(git, name));
  return facts && !facts->is_directory() && (facts->mode & 0111) != 0;
}

ExitStatus RunHook(Git& git, std::string_view name, const std::vector<std::string>& args) {
  const std::string path = PathOf(git, name);
  const auto facts = git.in.fs.Stat(path);
  if (!facts || facts->is_directory()) return 0;
  if ((facts->mode & 0111) == 0) {
    if (git.config.GetBool("advice.ignoredhook", true)) {
      git.Say("hint: The '" + std::string(git.config.Get("core.hookspath") ? path : ".git/hooks/" + std::string(name)) + "' hook was ignored because it's not set as executable.\nhint: You can disable this warning with `git config advice.ignoredHook false`.\n");
    }
    return 0;
  }
  Environment environment = git.in.env;
  if (!git.work_tree.empty() && git.git_dir == git.FilePath(".git")) environment.Unset("GIT_DIR");
  else environment.Set("GIT_DIR", git.git_dir);
  ChildSpec spec{.args = {path}, .environment = &environment};
  spec.args.insert(spec.args.end(), args.begin(), args.end());
  spec.cwd = git.work_tree.empty() ? git.git_dir : git.work_tree;
  spec.out = git.in.process.descriptors().Get(2);
  git.in.out.Flush();
  const auto status = git.in.launcher.Run(git.in.process, spec);
  return status ? *status : 1;
}

}  // namespace paddock::git
