// Another repository, as clone, fetch, push and ls-remote deal with it: one of this sandbox, by its path, or one behind HTTP.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
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

// How much of the history is asked for.
struct Deepening {
  std::optional<uint32_t> depth;        // commits of history; kWholeDepth: what a shallow repository lacks, too
  std::optional<int64_t> since;         // seconds since 1970: only what is newer
  std::vector<std::string> excluded;    // references there: without what they lead to
  bool is_relative = false;             // `depth` counts from the commits at which the history ends here
  bool is_any() const { return depth || since || !excluded.empty(); }
};

struct FetchRequest {
  std::vector<Oid> wanted;
  Deepening deepening;
  size_t unpack_limit = 0;         // fewer objects than that become loose ones
  bool is_quiet = false;
  bool shows_progress = false;
  bool is_again = false;           // also what is here
  std::optional<std::vector<Oid>> tips;   // what is told to be known here; absent: all references
  // A clone of a path takes all there is, as files.
  enum class Files { kNone, kCopied, kLinked } files = Files::kNone;
};

// A reference that is to change there.
struct RefUpdate {
  std::string ref;
  Oid before, after;     // null: does not exist, shall not exist
  std::string refusal;   // set by Push(): why the other side did not do it, printable
};

struct PushRequest {
  bool is_quiet = false;        // passes on no messages of the other side
  bool is_atomic = false;       // all of the updates, or none
  bool shows_progress = false;
  bool sends_options = false;   // the other side's hooks get `options`
  std::vector<std::string> options;
};

class Remote {
 public:
  virtual ~Remote() = default;
  // Errors: when it cannot be reached, in git's words.
  virtual Result<RemoteRefs> ReadRefs(bool is_for_push) = 0;
  // Puts all that the wanted objects need into the repository, and its list of shallow commits right. ReadRefs() was called before.
  virtual Status Fetch(Git& git, const FetchRequest& request) = 0;
  // ReadRefs(true) was called before. Errors: kNotSupported when the other side cannot do what is asked for, in git's words.
  virtual Status Push(Git& git, std::vector<RefUpdate>& updates, const PushRequest& request) = 0;
  // Those of `wanted` whose history ends early there, at commits where it does not end here.
  virtual Result<std::set<Oid>> EndsEarly(Git&, const std::vector<Oid>&) { return std::set<Oid>(); }
  // Whether the history ends early there.
  virtual bool IsShallow() { return false; }
  // Whether it can be asked for a part of the objects (partial clones).
  virtual bool HasFilters() { return false; }
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
// Of --upload-pack and --receive-pack, which name the program at the other end. Errors: it is another than git's own (`service`).
Status CheckRemoteProgram(const std::string& program, const std::string& service, const std::string& url);
// Where the repository of a path is; empty if there is none.
std::string FindPathRepository(Invocation& in, const std::string& url);
// What the other side does with a push, when it is a repository of this sandbox (receive-pack): hooks, rules, references.
Status ReceivePush(Git& there, Git& git, std::vector<RefUpdate>& updates, const PushRequest& request);
// Copies what the ids need from one store to another; those that were written.
Result<std::vector<Oid>> CopyObjects(Invocation& in, ObjectStore& from, ObjectStore& to, const std::vector<Oid>& wanted, size_t unpack_limit);
// Lines of progress, as git shows them where standard error is no terminal: one for each step.
void ShowProgress(Invocation& in, const std::string& lead, const std::string& title, size_t count);

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

// How a reference is told: without what is the same for all branches, tags or remote branches.
std::string PrettyRef(const std::string& ref);
// One line of what a transfer changed. `width`: of the names.
std::string ChangeLine(char flag, std::string what, const std::string& from, const std::string& to, const std::string& note = "", size_t width = 10);

// "fetch origin main", of the words as they were given.
std::string ActionText(Git& git, const char* name);
struct FetchOptions;   // fetch.h
Result<ExitStatus> FetchFrom(Git& git, const FetchOptions& options, const std::string& name, const std::vector<std::string>& specs);

}  // namespace paddock::git
