// Submodules: repositories at places of the working tree, as .gitmodules and the index name them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

struct Submodule {
  std::string name, path, url, branch, update;   // as .gitmodules has them; empty: nothing
  Oid id;                                        // of the index
  bool is_unmerged = false;
};

class Submodules {
 public:
  explicit Submodules(Git& git) : git_(git) {}

  // Of the index, those that are meant. Errors: an operand that matches none, in git's words.
  Result<std::vector<Submodule>> List(const std::vector<std::string>& operands);
  bool IsActive(const Submodule& module);
  // Whether its working tree has a repository.
  // Tells of a symbolic link on the way to the submodule, behind which nothing of it may be written or looked at.
  bool IsBehindLink(const Submodule& module);
  bool IsPopulated(const Submodule& module);
  std::string Top(const Submodule& module) const { return git_.FilePath(module.path); }
  // Where its repository is or is to be: .git/modules/NAME.
  std::string GitDirectory(const std::string& name) const { return git_.GitPath("modules/" + name); }
  // What it has checked out.
  std::optional<Oid> Head(const Submodule& module);
  // A URL that begins with ./ or ../ holds from the repository's own remote on. `warns`: when there is none.
  std::string ResolveUrl(const std::string& url, bool warns);
  // Runs git with these words in it; its exit status.
  ExitStatus Run(const Submodule& module, std::vector<std::string> words);
  // The same; what it wrote on standard output. Nothing when it failed.
  std::optional<std::string> Ask(const Submodule& module, std::vector<std::string> words);
  // Sets a key of .gitmodules.
  Status Edit(const std::string& key, std::optional<std::string_view> value);

  struct CloneRequest {
    bool quiet = false, progress = false, dissociate = false;
    std::optional<bool> single_branch;
    std::optional<int64_t> depth;
    std::vector<std::string> references;
  };
  // Makes its repository and a working tree without files.
  Result<bool> Clone(const Submodule& module, const std::string& url, const CloneRequest& request);

 private:
  Git& git_;
};

// Runs git in another directory, with the repository's own variables taken away.
ExitStatus RunGitIn(Git& git, const std::string& directory, std::vector<std::string> words);

struct SubmoduleOptions {
  bool quiet = false, cached = false, recursive = false, force = false, all = false, init = false, remote = false, no_fetch = false, files = false, progress = false, dissociate = false, is_default = false, requires_init = false;
  std::optional<bool> single_branch, shallow;
  enum class Update { kConfigured, kCheckout, kMerge, kRebase } update = Update::kConfigured;
  std::string branch, name, filter;
  std::optional<int64_t> depth, jobs, limit;
  std::vector<std::string> references;
};
Status InitSubmodules(Git& git, const SubmoduleOptions& options, const std::vector<Submodule>& modules);
Result<ExitStatus> UpdateSubmodules(Git& git, const SubmoduleOptions& options, const std::vector<std::string>& operands);
Result<ExitStatus> AddSubmodule(Git& git, const SubmoduleOptions& options, std::vector<std::string> operands);
Result<ExitStatus> SummarizeSubmodules(Git& git, const SubmoduleOptions& options, std::vector<std::string> operands);

}  // namespace paddock::git
