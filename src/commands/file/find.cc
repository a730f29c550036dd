// find - search for files in a directory hierarchy
//
// usage: find [-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]
//
// Exit status: 0, or 1 after any error.
// Source: POSIX find, GNU findutils 4.9.
// Differs: -D only takes help; files have no birth time (-newerBt, %B) and no SELinux context.

#include "commands/file/find.h"

#include <algorithm>

#include "commands/stat_ahead.h"
#include "text/quote.h"
#include "vfs/file_system.h"

namespace paddock::find {

using vfs::Attributes;
using vfs::Follow;

std::string_view NameOf(const File& file) {
  const std::string_view path = file.path;
  const size_t last = path.find_last_not_of('/');
  if (last == std::string_view::npos) return path.substr(0, 1);
  const size_t slash = path.find_last_of('/', last);
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view BareNameOf(const File& file) {
  const std::string_view name = NameOf(file);
  const size_t last = name.find_last_not_of('/');
  return last == std::string_view::npos ? name : name.substr(0, last + 1);
}

Context::Context(Invocation& invocation)
    : in(invocation), names(invocation.fs, invocation.budget), zone(LocalZone(invocation.env)), now(Now(invocation.clock)) {}
Context::~Context() = default;

std::string Context::Quoted(std::string_view text) const { return Quote(text, in.locale.is_utf8); }

void Context::Fail(std::string_view path, const Error& error) {
  in.Fail(Quoted(path), error);
  status = 1;
}

Output* Context::Open(const std::string& name) {
  if (name == "/dev/stdout") return &in.out;
  if (name == "/dev/stderr") return &in.err;
  auto it = files_.find(name);
  if (it == files_.end()) {
    auto opened = in.fs.Open(name, vfs::OpenFlags::Write());
    if (!opened) {
      in.Fail(Quoted(name), opened.error());
      return nullptr;
    }
    it = files_.emplace(name, std::make_unique<Destination>(*opened)).first;
  }
  return &it->second->out();
}

void Context::FlushAll() {
  in.out.Flush();
  for (const auto& [name, file] : files_) {
    if (file->out().Flush()) continue;
    in.Fail(Quoted(name), file->out().status().error());
    file->out().ClearStatus();
    status = 1;
  }
}

bool Evaluate(Context& context, const Node& node, const File& file) {
  context.in.budget.Step();
  switch (node.kind) {
    case Node::Kind::kTest: return node.test(context, file);
    case Node::Kind::kNot: return !Evaluate(context, *node.children[0], file);
    case Node::Kind::kAnd:
    case Node::Kind::kOr: {
      const bool goes_on = node.kind == Node::Kind::kAnd;
      for (const auto& child : node.children) {
        const bool value = Evaluate(context, *child, file);
        if (value != goes_on || context.has_quit) return value;
      }
      return goes_on;
    }
    case Node::Kind::kList: {
      bool value = false;
      for (const auto& child : node.children) {
        value = Evaluate(context, *child, file);
        if (context.has_quit) break;
      }
      return value;
    }
  }
  return false;
}

namespace {

// Walks the trees below the starting points, with a stack of its own: no path is too deep for it.
class Walk {
 public:
  Walk(Context& context, const Plan& plan) : context_(context), plan_(plan) {}

  void From(const std::string& start) {
    File file{.path = start, .start_length = start.size()};
    const bool follows = plan_.follow != FollowLinks::kNever;
    if (!Look(file, follows)) return;
    device_ = file.attributes.device;
    Enter(std::move(file));
    while (!levels_.empty() && !context_.has_quit) Continue();
    levels_.clear();
  }

 private:
  struct Level {
    File file;
    std::vector<vfs::DirectoryEntry> entries;
    size_t next = 0;
    StatAhead ahead;
  };

  bool Look(File& file, bool follows) {
    auto found = context_.in.fs.Stat(file.path, follows ? Follow::kYes : Follow::kNo);
    if (!found && follows) {
      // A link that leads nowhere is looked at itself; one through what is no directory, too, after a complaint; a loop is not.
      const Error problem = found.error();
      if (problem.code == Code::kNotDirectory && !levels_.empty()) {
        context_.FlushAll();
        context_.Fail(file.path, problem);
      }
      if (problem.code != Code::kLoop) found = context_.in.fs.Stat(file.path, Follow::kNo);
      if (!found || !found->is_symlink()) found = problem;
    }
    if (!found) {
      context_.FlushAll();
      context_.Fail(file.path, found.error());
      return false;
    }
    file.attributes = *found;
    return true;
  }

  void Test(const File& file) {
    if (file.depth < plan_.min_depth || context_.has_quit) return;
    Evaluate(context_, *plan_.expression, file);
  }

  // True if `file` is a directory that it lies in itself, by a followed link.
  bool IsLoop(const File& file) {
    if (plan_.follow != FollowLinks::kAlways) return false;
    const auto it = std::find_if(levels_.begin(), levels_.end(),
                                 [&](const Level& level) { return IsSameFile(level.file.attributes, file.attributes); });
    if (it == levels_.end()) return false;
    context_.FlushAll();
    context_.in.Fail("File system loop detected; " + context_.Quoted(file.path) + " is part of the same file system loop as " +
                     context_.Quoted(it->file.path) + ".");
    context_.status = 1;
    return true;
  }

  void Enter(File file) {
    context_.in.budget.Step();
    const bool is_directory = file.attributes.is_directory();
    if (is_directory && IsLoop(file)) return;
    context_.is_pruned = false;
    if (!context_.depth_first || !is_directory) Test(file);
    if (!is_directory || context_.has_quit) return;
    const bool is_closed = (context_.is_pruned && !context_.depth_first) || file.depth >= plan_.max_depth ||
                           (plan_.one_file_system && file.attributes.device != device_);
    if (is_closed) {
      if (context_.depth_first) Test(file);
      return;
    }
    auto entries = context_.in.fs.List(file.path);
    if (!entries) {
      context_.FlushAll();
      context_.Fail(file.path, entries.error());
      if (context_.depth_first) Test(file);
      return;
    }
    levels_.push_back({std::move(file), std::move(*entries)});
  }

  void Continue() {
    Level& level = levels_.back();
    if (level.next == level.entries.size()) {
      const File file = std::move(level.file);
      levels_.pop_back();
      if (context_.depth_first) Test(file);
      return;
    }
    const size_t index = level.next++;
    const vfs::DirectoryEntry& entry = level.entries[index];
    const std::string& name = entry.name;
    File file{.start_length = level.file.start_length, .depth = level.file.depth + 1};
    file.path.reserve(level.file.path.size() + name.size() + 1);
    file.path = level.file.path;
    if (!file.path.ends_with('/')) file.path += '/';
    file.path += name;
    const bool is_type_enough = !plan_.needs_attributes && !plan_.one_file_system && plan_.follow != FollowLinks::kAlways;
    bool is_known = is_type_enough;
    if (is_type_enough) {
      file.attributes.type = entry.type;
    } else if (!plan_.acts && plan_.follow != FollowLinks::kAlways) {
      const Result<vfs::Attributes>& seen = level.ahead.Of(context_.in.fs, level.file.path, level.entries, index);
      is_known = seen.has_value();
      if (is_known) file.attributes = *seen;
    }
    if (is_known || Look(file, plan_.follow == FollowLinks::kAlways)) Enter(std::move(file));
  }

  Context& context_;
  const Plan& plan_;
  uint64_t device_ = 0;
  std::vector<Level> levels_;
};

}  // namespace
}  // namespace paddock::find

namespace paddock {
namespace {

ExitStatus RunFind(Invocation& in) {
  find::Context context(in);
  ExitStatus status = 0;
  const auto plan = find::ParseCommandLine(context, &status);
  if (!plan) return status;
  find::Walk walk(context, *plan);
  for (const std::string& start : plan->starts) {
    walk.From(start);
    if (context.has_quit) break;
  }
  for (const auto& finish : context.at_end) finish(context);
  context.FlushAll();
  return context.status;
}

}  // namespace

extern const Command kCommand_find;
const Command kCommand_find = {
    .name = "find",
    .summary = "search for files in a directory hierarchy",
    .synopsis = "[-H] [-L] [-P] [-Olevel] [-D debugopts] [path...] [expression]",
    .details =
        "Default path is the current directory; default expression is -print.\n"
        "Operators (decreasing precedence): ( EXPR )  ! EXPR  -not EXPR  EXPR1 -a EXPR2  EXPR1 -and EXPR2  EXPR1 EXPR2\n"
        "      EXPR1 -o EXPR2  EXPR1 -or EXPR2  EXPR1 , EXPR2\n"
        "Options: -depth -daystart -files0-from FILE -follow -ignore_readdir_race -noignore_readdir_race -maxdepth N -mindepth N -mount -noleaf\n"
        "      -regextype TYPE -warn -nowarn -xdev --help --version\n"
        "Tests: -amin N -anewer FILE -atime N -cmin N -cnewer FILE -ctime N -empty -executable -false -fstype TYPE -gid N\n"
        "      -group NAME -ilname PATTERN -iname PATTERN -inum N -ipath PATTERN -iregex PATTERN -iwholename PATTERN\n"
        "      -links N -lname PATTERN -mmin N -mtime N -name PATTERN -newer FILE -newerXY REFERENCE -nogroup -nouser\n"
        "      -path PATTERN -perm [-/]MODE -readable -regex PATTERN -samefile FILE -size N[bcwkMG] -true -type [bcdpfls]\n"
        "      -uid N -used N -user NAME -wholename PATTERN -writable -xtype [bcdpfls]\n"
        "Actions: -delete -exec COMMAND ; -exec COMMAND {} + -execdir COMMAND ; -execdir COMMAND {} + -fls FILE\n"
        "      -fprint FILE -fprint0 FILE -fprintf FILE FORMAT -ls -ok COMMAND ; -okdir COMMAND ; -print -print0\n"
        "      -printf FORMAT -prune -quit\n",
    .parses_options = false,
    .run = RunFind,
};

}  // namespace paddock
