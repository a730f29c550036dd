// git tag.
#include <algorithm>

#include "commands/git/column_layout.h"
#include "commands/git/history/pretty.h"
#include "commands/git/objects/signature_check.h"
#include "commands/git/refs/ref_list.h"
#include "commands/git/work/commit.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

struct TagOptions : RefListOptions {
  bool annotates = false, force = false, deletes = false, list = false, edit = false, signs = false, verifies = false, reflog = false;
  std::vector<std::string> messages;
  std::string file, cleanup, key;
  std::optional<int64_t> lines;
  ColumnOptions columns;
};
Status TakeColumn(TagOptions& options, std::string_view value) { return ParseColumnOptions(value, options.columns); }
Status TakeNoColumn(TagOptions& options, std::string_view) {
  options.columns.is_on = false;
  return {};
}
Status TakeLines(TagOptions& options, std::string_view value) {
  int64_t lines = 1;
  if (!value.empty()) PADDOCK_TRY(ParseOptionValue(value, lines));
  options.lines = lines;
  return {};
}
constexpr auto kTagOptions = JoinTables(RefListOptionTable<TagOptions>(), std::array{
    Flag<&TagOptions::annotates>('a', "annotate", "make a tag with a message"), Flag<&TagOptions::force>('f', "force", "replace a tag"),
    Flag<&TagOptions::deletes>('d', "delete", "delete tags"), Flag<&TagOptions::list>('l', "list", "list tags that match"),
    Value<&TagOptions::messages>('m', "message", "TEXT", "the message"), Value<&TagOptions::file>('F', "file", "FILE", "the message is in FILE"),
    CallOptional<TakeLines>('n', nullptr, "N", "list with N lines of the message"), Flag<&TagOptions::ignores_case>('i', "ignore-case", "A and a are the same, in order and in patterns"),
    Flag<&TagOptions::edit>('e', "edit", "edit the message"), Value<&TagOptions::cleanup>(0, "cleanup", "MODE", "strip, whitespace or verbatim"),
    CallOptional<TakeColumn>(0, "column", "STYLE", "list in columns: column, row, plain, dense, ..."), Call<TakeNoColumn>(0, "no-column", nullptr, "not in columns"),
    Flag<&TagOptions::reflog>(0, "create-reflog", "with a reflog"), Flag<&TagOptions::verifies>('v', "verify", "check the signatures of tags"),
    Flag<&TagOptions::signs>('s', "sign", "make a signed tag (fails: there are no keys)"), Value<&TagOptions::key>('u', "local-user", "KEY", "likewise, with KEY"),
});

Result<ExitStatus> ListTags(Git& git, const TagOptions& options, const std::vector<std::string>& patterns) {
  std::string form = options.format;
  if (form.empty()) form = options.lines ? "%(align:15)%(refname:lstrip=2)%(end) %(contents:lines=" + std::to_string(*options.lines) + ")" : "%(refname:lstrip=2)";
  PADDOCK_ASSIGN(const RefFormat format, RefFormat::Parse(git, form, RefQuote::kNone, options.colours));
  ExitStatus status = 0;
  PADDOCK_ASSIGN(auto filter, RefFilter::Make(git, options, status));
  if (!filter) return status;
  PatternFlags flags;
  flags.extglob = false;
  flags.ignore_case = options.ignores_case;
  std::vector<NamedRef> refs;
  for (const auto& [ref, id] : git.refs.List("refs/tags/")) {
    git.in.budget.Step();
    const std::string name = ref.substr(10);
    if (!patterns.empty() && std::none_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return Pattern(pattern, flags).Matches(name, git.in.budget); })) continue;
    PADDOCK_ASSIGN(const bool keeps, filter->Keeps(id));
    if (keeps) refs.push_back({ref, id});
  }
  std::vector<std::string> sorts = options.sorts;
  if (sorts.empty()) sorts = git.config.GetAll("tag.sort");
  PADDOCK_TRY(SortRefs(git, refs, sorts, options.ignores_case));
  RefFields fields(git);
  std::vector<std::string> lines;
  for (const NamedRef& ref : refs) {
    PADDOCK_ASSIGN(std::string line, format.Expand(fields, ref, git.in.budget));
    lines.push_back(std::move(line));
  }
  git.Print(InColumns(lines, options.columns, TerminalColumns(git.in.env.Get("COLUMNS", "")), 2));
  return 0;
}

// Says of each whether somebody signed it.
Result<ExitStatus> VerifyTags(Git& git, const TagOptions& options, const std::vector<std::string>& names) {
  ExitStatus status = 0;
  for (const std::string& name : names) {
    const auto id = git.refs.Read("refs/tags/" + name);
    if (!id) {
      status = git.Complain("tag '" + name + "' not found.");
      continue;
    }
    PADDOCK_ASSIGN(const bool is_good, VerifyTag(git, *id, name, options.format.empty(), false, !options.format.empty()));
    if (!is_good) status = 1;
    if (!is_good || options.format.empty()) continue;
    PADDOCK_ASSIGN(const std::string text, ExpandRefFormat(git, {name, *id}, options.format));
    git.Print(text + "\n");
  }
  return status;
}

Result<ExitStatus> RunTag(Git& git, TagOptions& options, Args& args) {
  std::vector<std::string> operands = args.All();
  if (options.verifies) return VerifyTags(git, options, operands);
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
  if (options.columns.is_on && options.lines) return Error(Code::kInvalid, "options '--column' and '-n' cannot be used together");
  if (options.list || operands.empty() || options.lines || options.HasFilter()) return ListTags(git, options, operands);
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
  if (options.signs || !options.key.empty()) {
    git.Say("error: gpg failed to sign the data\nerror: unable to sign the tag\n");
    return 128;
  }
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
    if (read.type == ObjectType::kTag && git.config.GetBool("advice.nestedtag", true)) {
      git.Say("hint: You have created a nested tag. The object referred to by your new tag is\nhint: already a tag. If you meant to tag the object that it points to, use:\nhint: \nhint: \tgit tag -f " + name + " " + target + "^{}\nhint: Disable this message with \"git config advice.nestedTag false\"\n");
    }
    tag.message = options.cleanup == "verbatim" ? message : CleanMessage(message, options.cleanup.empty() ? options.messages.empty() : options.cleanup == "strip");
    PADDOCK_ASSIGN(id, git.objects.Write(ObjectType::kTag, tag.Text()));
  }
  PADDOCK_TRY(git.refs.WriteDirect(ref, id));
  if (options.reflog) {
    const auto commit = git.objects.ReadCommit(*object);
    const std::string what = commit ? " (" + SubjectOf(commit->message) + ", " + DateText(git, ParseSignature(commit->committer), "short") + ")" : std::string();
    std::vector<ReflogEntry> log = git.refs.ReadLog(ref);
    log.push_back({old.value_or(Oid{}), id, git.Who(), "tag: tagging " + git.objects.Abbreviate(*object) + what});
    PADDOCK_TRY(vfs::MakeDirectories(git.in.fs, vfs::DirectoryName(git.GitPath("logs/" + ref))));
    PADDOCK_TRY(git.refs.WriteLog(ref, log));
  }
  if (old && *old != id) git.Print("Updated tag '" + name + "' (was " + git.objects.Abbreviate(*old) + ")\n");
  return 0;
}

}  // namespace

extern const Subcommand kTag;
const Subcommand kTag = DefineRefList<TagOptions, RunTag>({.name = "tag", .summary = "list, create and delete tags", .synopsis = "[-a | -f] [-m <text>] <tagname> [<object>]\n-d <tagname>...\n[-n[<num>]] [-l] [<pattern>...]", .options = kTagOptions});

}  // namespace paddock::git
