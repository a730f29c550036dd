// git tag.
#include <algorithm>

#include "commands/git/commit.h"
#include "commands/git/revision.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

struct TagOptions {
  bool annotates = false, force = false, deletes = false, list = false;
  std::vector<std::string> messages, contains;
  std::string file;
  std::optional<int64_t> lines;
};
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
    CallOptional<TakeLines>('n', nullptr, "N", "list with N lines of the message"), Value<&TagOptions::contains>(0, "contains", "COMMIT", "tags that contain COMMIT"),
};

Result<ExitStatus> ListTags(Git& git, const TagOptions& options, const std::vector<std::string>& patterns) {
  History history(git);
  for (const auto& [ref, id] : git.refs.List("refs/tags/")) {
    const std::string name = ref.substr(10);
    git.in.budget.Step();
    if (!patterns.empty() && std::none_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return Pattern(pattern).Matches(name, git.in.budget); })) continue;
    bool is_wanted = true;
    for (const std::string& wanted : options.contains) {
      PADDOCK_ASSIGN(const Oid commit, ResolveCommit(git, wanted));
      PADDOCK_ASSIGN(const Oid tagged, git.objects.Peel(id, std::nullopt));
      PADDOCK_ASSIGN(is_wanted, history.IsAncestor(commit, tagged));
    }
    if (!is_wanted) continue;
    std::string line = name;
    if (options.lines) {
      line.resize(std::max<size_t>(line.size(), 15), ' ');
      const auto object = git.objects.Read(id);
      if (object && object->type == ObjectType::kTag) line += " " + SubjectOf(ParseTag(object->data).has_value() ? ParseTag(object->data)->message : "");
      else if (object && object->type == ObjectType::kCommit) line += " " + SubjectOf(git.objects.ReadCommit(id)->message);
    }
    git.Print(line + "\n");
  }
  return 0;
}

Result<ExitStatus> RunTag(Git& git, TagOptions& options, Args& args) {
  const std::vector<std::string> operands = args.All();
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
  if (options.list || operands.empty() || options.lines || !options.contains.empty()) return ListTags(git, options, operands);
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
    for (const std::string& part : options.messages) message += (message.empty() ? "" : "\n") + part + "\n";
    if (!options.file.empty()) {
      PADDOCK_ASSIGN(message, vfs::ReadFile(git.in.fs, options.file));
    }
    if (message.empty()) {
      PADDOCK_TRY(vfs::WriteFile(git.in.fs, git.GitPath("TAG_EDITMSG"), "\n#\n# Write a message for tag:\n#   " + name + "\n# Lines starting with '#' will be ignored.\n"));
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
    tag.message = CleanMessage(message, options.messages.empty());
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
