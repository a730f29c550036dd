// git tag.
#include <strings.h>

#include <algorithm>

#include "commands/git/commit.h"
#include "commands/git/ref_field.h"
#include "commands/git/revision.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

struct TagOptions {
  bool annotates = false, force = false, deletes = false, list = false;
  std::vector<std::string> messages, contains, no_contains, merged, no_merged, points_at, sorts;
  bool edit = false, ignores_case = false;
  std::string file, format, cleanup;
  std::optional<int64_t> lines;
};
template <auto kMember>
Status TakeTagCommit(TagOptions& options, std::string_view value) {
  (options.*kMember).emplace_back(value);
  return {};
}
Status TakeLines(TagOptions& options, std::string_view value) {
  int64_t lines = 1;
  if (!value.empty()) PADDOCK_TRY(ParseOptionValue(value, lines));
  options.lines = lines;
  return {};
}
constexpr Option kTagOptions[] = {
    Flag<&TagOptions::annotates>('a', "annotate", "make a tag with a message"), Flag<&TagOptions::force>('f', "force", "replace a tag"),
    Flag<&TagOptions::deletes>('d', "delete", "delete tags"), Flag<&TagOptions::list>('l', "list", "list tags that match"),
    Value<&TagOptions::messages>('m', "message", "TEXT", "the message"), Value<&TagOptions::file>('F', "file", "FILE", "the message is in FILE"),
    CallOptional<TakeLines>('n', nullptr, "N", "list with N lines of the message"), 
    CallOptional<TakeTagCommit<&TagOptions::contains>>(0, "contains", "COMMIT", "tags that contain COMMIT"), CallOptional<TakeTagCommit<&TagOptions::no_contains>>(0, "no-contains", "COMMIT", "tags that do not"),
    CallOptional<TakeTagCommit<&TagOptions::merged>>(0, "merged", "COMMIT", "tags that COMMIT contains"), CallOptional<TakeTagCommit<&TagOptions::no_merged>>(0, "no-merged", "COMMIT", "tags that it does not"),
    CallOptional<TakeTagCommit<&TagOptions::points_at>>(0, "points-at", "OBJECT", "tags of OBJECT"), Value<&TagOptions::sorts>(0, "sort", "FIELD", "in order of FIELD, '-' before it turns that round"),
    Value<&TagOptions::format>(0, "format", "FORMAT", "as of git for-each-ref"), Flag<&TagOptions::ignores_case>('i', "ignore-case", "A and a are the same, in order and in patterns"),
    Flag<&TagOptions::edit>('e', "edit", "edit the message"), Value<&TagOptions::cleanup>(0, "cleanup", "MODE", "strip, whitespace or verbatim"), 
};

Result<bool> IsWanted(Git& git, History& history, const TagOptions& options, const Oid& id, const Oid& tagged) {
  const bool is_commit = git.objects.Peel(tagged, ObjectType::kCommit).has_value();
  for (const auto& [names, wants] : {std::pair<const std::vector<std::string>*, bool>{&options.contains, true}, {&options.no_contains, false}}) {
    for (const std::string& name : *names) {
      if (!is_commit) return false;
      PADDOCK_ASSIGN(const Oid commit, ResolveCommit(git, name));
      PADDOCK_ASSIGN(const bool contains, history.IsAncestor(commit, tagged));
      if (contains != wants) return false;
    }
  }
  for (const auto& [names, wants] : {std::pair<const std::vector<std::string>*, bool>{&options.merged, true}, {&options.no_merged, false}}) {
    for (const std::string& name : *names) {
      if (!is_commit) return false;
      PADDOCK_ASSIGN(const Oid commit, ResolveCommit(git, name));
      PADDOCK_ASSIGN(const bool is_in, history.IsAncestor(tagged, commit));
      if (is_in != wants) return false;
    }
  }
  for (const std::string& name : options.points_at) {
    auto object = ResolveObject(git, name);
    if (!object) return Error(Code::kNoEntry, "malformed object name '" + name + "'");
    if (*object != id && *object != tagged) return false;
  }
  return true;
}

// The first lines of a tag's or a commit's message, those behind the first one further in.
std::string FirstLines(Git& git, const Oid& id, int64_t count) {
  std::string message;
  const auto object = git.objects.Read(id);
  if (object && object->type == ObjectType::kTag) {
    if (const auto tag = ParseTag(object->data)) message = tag->message;
  } else if (object && object->type == ObjectType::kCommit) {
    if (const auto commit = git.objects.ReadCommit(id)) message = commit->message;
  }
  std::string text;
  for (size_t at = 0; at < message.size() && count > 0; --count) {
    const size_t end = std::min(message.find('\n', at), message.size());
    text += (at == 0 ? "" : "\n    ") + message.substr(at, end - at);
    at = end + 1;
  }
  return text;
}

Result<ExitStatus> ListTags(Git& git, const TagOptions& options, const std::vector<std::string>& patterns) {
  History history(git);
  std::vector<NamedRef> refs;
  for (const auto& [ref, id] : git.refs.List("refs/tags/")) refs.push_back({ref, id});
  std::vector<std::string> sorts = options.sorts;
  if (const auto configured = git.config.Get("tag.sort"); sorts.empty() && configured) sorts.push_back(*configured);
  if (options.ignores_case) std::stable_sort(refs.begin(), refs.end(), [](const NamedRef& a, const NamedRef& b) { return strcasecmp(a.name.c_str(), b.name.c_str()) < 0; });
  PADDOCK_TRY(SortRefs(git, refs, sorts));
  for (const auto& [ref, id] : refs) {
    const std::string name = ref.substr(10);
    git.in.budget.Step();
    PatternFlags flags;
    flags.ignore_case = options.ignores_case;
    if (!patterns.empty() && std::none_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return Pattern(pattern, flags).Matches(name, git.in.budget); })) continue;
    PADDOCK_ASSIGN(const Oid tagged, git.objects.Peel(id, std::nullopt));
    PADDOCK_ASSIGN(const bool is_wanted, IsWanted(git, history, options, id, tagged));
    if (!is_wanted) continue;
    if (!options.format.empty()) {
      PADDOCK_ASSIGN(const std::string text, ExpandRefFormat(git, {ref, id}, options.format));
      git.Print(text + "\n");
      continue;
    }
    std::string line = name;
    if (options.lines) {
      line.resize(std::max<size_t>(line.size(), 15), ' ');
      line += " " + FirstLines(git, id, *options.lines);
    }
    git.Print(line + "\n");
  }
  return 0;
}

Result<ExitStatus> RunTag(Git& git, TagOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  // --contains COMMIT, too: the commit may be left out only at the end.
  for (auto* commits : {&options.contains, &options.no_contains, &options.merged, &options.no_merged, &options.points_at}) {
    for (std::string& commit : *commits) {
      if (!commit.empty()) continue;
      commit = operands.empty() ? "HEAD" : operands[0];
      if (!operands.empty()) operands.erase(operands.begin());
    }
  }
  for (const std::string& name : options.points_at) {
    if (!ResolveObject(git, name)) return git.Complain("malformed object name '" + name + "'", 129);
  }
  if (options.deletes) {
    ExitStatus status = 0;
    for (const std::string& name : operands) {
      const auto id = git.refs.Read("refs/tags/" + name);
      if (!id) {
        status = git.Complain("tag '" + name + "' not found.");
        continue;
      }
      PADDOCK_TRY(git.refs.Remove("refs/tags/" + name));
      git.Print("Deleted tag '" + name + "' (was " + git.objects.Abbreviate(*id) + ")\n");
    }
    return status;
  }
  if (options.list || operands.empty() || options.lines || !options.contains.empty() || !options.no_contains.empty() || !options.merged.empty() || !options.no_merged.empty() || !options.points_at.empty()) return ListTags(git, options, operands);
  if (operands.size() > 2) return Error(Code::kInvalid, "too many arguments");
  const std::string& name = operands[0];
  const std::string ref = "refs/tags/" + name;
  if (!IsRefName(ref) || name.starts_with('-')) return Error(Code::kInvalid, "'" + name + "' is not a valid tag name.");
  const std::string target = operands.size() == 2 ? operands[1] : "HEAD";
  auto object = ResolveObject(git, target);
  if (!object) return Error(Code::kNoEntry, "Failed to resolve '" + target + "' as a valid ref.");
  const auto old = git.refs.Read(ref);
  if (old && !options.force) return Error(Code::kExists, "tag '" + name + "' already exists");
  Oid id = *object;
  if (options.annotates || !options.messages.empty() || !options.file.empty()) {
    std::string message;
    for (const std::string& part : options.messages) message += (message.empty() ? "" : "\n\n") + part;
    if (!options.file.empty()) {
      PADDOCK_ASSIGN(message, vfs::ReadFile(git.in.fs, options.file));
    }
    if (message.empty() || options.edit) {
      PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("TAG_EDITMSG"), !message.empty() ? message : "\n#\n# Write a message for tag:\n#   " + name + "\n# Lines starting with '#' will be ignored.\n"));
      PADDOCK_TRY(git.Edit(git.GitPath("TAG_EDITMSG")));
      PADDOCK_ASSIGN(message, vfs::ReadFile(git.in.fs, git.GitPath("TAG_EDITMSG")));
      if (CleanMessage(message, true).empty()) return Error(Code::kInvalid, "no tag message?");
    }
    Tag tag;
    tag.object = *object;
    PADDOCK_ASSIGN(const Object read, git.objects.Read(*object));
    tag.type = read.type;
    tag.name = name;
    PADDOCK_ASSIGN(tag.tagger, git.Committer());
    tag.message = options.cleanup == "verbatim" ? message : CleanMessage(message, options.cleanup.empty() ? options.messages.empty() : options.cleanup == "strip");
    PADDOCK_ASSIGN(id, git.objects.Write(ObjectType::kTag, tag.Text()));
  }
  PADDOCK_TRY(git.refs.WriteDirect(ref, id));
  if (old && *old != id) git.Print("Updated tag '" + name + "' (was " + git.objects.Abbreviate(*old) + ")\n");
  return 0;
}

}  // namespace

extern const Subcommand kTag;
const Subcommand kTag = DefineSubcommand<TagOptions, RunTag>({.name = "tag", .summary = "list, create and delete tags", .synopsis = "[-a | -f] [-m <text>] <tagname> [<object>]\n-d <tagname>...\n[-n[<num>]] [-l] [<pattern>...]", .options = kTagOptions});

}  // namespace paddock::git
