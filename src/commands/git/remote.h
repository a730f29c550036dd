// Another repository, as clone, fetch, push and ls-remote deal with it: one of this sandbox, by its path, or one behind HTTP.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

struct RemoteRefs {
  std::map<std::string, Oid> ids;      // by full name; HEAD among them when it leads to a commit
  std::map<std::string, Oid> peeled;   // what annotated tags lead to
  std::optional<std::string> head;     // the branch that HEAD names; absent where it is detached or not told
};

inline constexpr uint32_t kWholeDepth = 0x7fffffff;
// Of --depth. Errors: kInvalid in git's words.
Result<uint32_t> ParseDepth(std::string_view text);

struct FetchRequest {
  std::vector<Oid> wanted;
  std::optional<uint32_t> depth;   // commits of history; kWholeDepth: what a shallow repository lacks, too
  size_t unpack_limit = 0;         // fewer objects than that become loose ones
  bool is_quiet = false;
};

// A reference that is to change there.
struct RefUpdate {
  std::string ref;
  Oid before, after;     // null: does not exist, shall not exist
  std::string refusal;   // set by Push(): why the other side did not do it, printable
};

class Remote {
 public:
  virtual ~Remote() = default;
  // Errors: when it cannot be reached, in git's words.
  virtual Result<RemoteRefs> ReadRefs(bool is_for_push) = 0;
  // Puts all that the wanted objects need into the repository, and its list of shallow commits right. ReadRefs() was called before.
  virtual Status Fetch(Git& git, const FetchRequest& request) = 0;
  // `quiet`: passes on no messages of the other side. ReadRefs(true) was called before.
  virtual Status Push(Git& git, std::vector<RefUpdate>& updates, bool quiet) = 0;
};

// Whether it is one, and no path.
bool IsUrl(std::string_view text);
// After url.<base>.insteadOf (and pushInsteadOf).
std::string RewriteUrl(const Config& config, const std::string& url, bool is_for_push = false);
// Without a password; `is_source`: also without slashes and ".git" at the end, as "From …" has it.
std::string ShownUrl(const std::string& url, bool is_source = false);
// The repository behind a path or URL.
Result<std::unique_ptr<Remote>> OpenRemote(Invocation& in, const Config& config, const std::string& url);
std::unique_ptr<Remote> OpenHttpRemote(Invocation& in, const Config& config, const std::string& url);

// The commits whose parents are not there, of the file "shallow".
std::vector<Oid> ReadShallow(Git& git);
Status WriteShallow(Git& git, const std::vector<Oid>& commits);

// Sets a key of the repository's own file.
Status EditConfigFile(Git& git, const std::string& key, std::optional<std::string_view> value, bool adds = false);
// The name that commands use when none is given.
std::string DefaultRemote(Git& git);
std::vector<std::string> RemoteNames(Git& git);

// "+refs/heads/*:refs/remotes/origin/*".
struct Refspec {
  std::string from, to;
  bool is_forced = false, has_target = false, is_negative = false;
  bool is_pattern() const { return from.find('*') != std::string::npos; }
  // What a name becomes; nothing if it is not meant.
  std::optional<std::string> Map(std::string_view name) const;
};
// Errors: kInvalid ("invalid refspec 'x'").
Result<Refspec> ParseRefspec(std::string_view text);

// One line of what a transfer changed. `width`: of the names.
std::string ChangeLine(char flag, std::string what, const std::string& from, const std::string& to, const std::string& note = "", size_t width = 10);

// git fetch; `action` begins the lines of the reflog.
struct FetchOptions {
  bool quiet = false, verbose = false, all = false, prune = false, prune_tags = false, force = false, append = false, dry_run = false, unshallow = false, keep = false;
  bool tags = false, no_tags = false, update_head_ok = false;
  std::optional<uint32_t> depth, deepen;
  std::string action = "fetch";
};
// "fetch origin main", of the words as they were given.
std::string ActionText(Git& git, const char* name);
Result<ExitStatus> FetchFrom(Git& git, const FetchOptions& options, const std::string& name, const std::vector<std::string>& specs);

}  // namespace paddock::git
