#include "commands/git/hook_input.h"

#include "commands/child_output.h"
#include "commands/git/hooks.h"
#include "proc/process.h"

namespace paddock::git {

ExitStatus RunHookWithInput(Git& git, const HookCall& call, std::string* output) {
  if (!HasHook(git, call.name)) return 0;
  Environment environment = git.in.env;
  if (call.is_receiving) environment.Set("GIT_DIR", ".");
  else if (git.git_dir == git.FilePath(".git")) environment.Unset("GIT_DIR");
  else environment.Set("GIT_DIR", git.git_dir);
  for (const auto& [name, value] : call.environment) environment.Set(name, value);
  std::string folder = git.config.Get("core.hookspath", git.GitPath("hooks"));
  if (!folder.starts_with('/')) folder = vfs::JoinPath(git.work_tree.empty() ? git.git_dir : git.work_tree, folder);
  ChildSpec spec{.args = {folder + "/" + std::string(call.name)}, .environment = &environment};
  spec.args.insert(spec.args.end(), call.args.begin(), call.args.end());
  spec.cwd = call.is_receiving || git.work_tree.empty() ? git.git_dir : git.work_tree;
  // What it reads waits in a file without a name.
  const std::string path = git.GitPath("hook_input.tmp");
  if (const Status written = vfs::WriteFile(git.in.fs, path, call.input, 0600); !written) return 1;
  auto input = git.in.fs.Open(path, vfs::OpenFlags::Read());
  static_cast<void>(git.in.fs.RemoveFile(path).has_value());
  if (!input) return 1;
  spec.in = *input;
  if (output != nullptr) spec.out = spec.err = TextSink(git.in.budget, *output);
  else if (call.writes_errors) spec.out = git.in.process.descriptors().Get(2);
  git.in.out.Flush();
  const auto status = git.in.launcher.Run(git.in.process, spec);
  return status ? *status : 1;
}

}  // namespace paddock::git
