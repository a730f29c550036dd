// git for-each-ref.
#include <algorithm>

#include "commands/git/commit.h"
#include "commands/git/pretty.h"
#include "commands/git/ref_field.h"
#include "commands/git/revision.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

struct Options {
  std::string format = "%(objectname) %(objecttype)\t%(refname)";
  std::optional<int64_t> count;
  std::vector<std::string> sorts;
};
constexpr Option kOptions[] = {
    Value<&Options::format>(0, "format", "FORMAT", "what is shown of each"),
    Value<&Options::count>(0, "count", "N", "only the first N"),
    Value<&Options::sorts>(0, "sort", "FIELD", "in order of FIELD, '-' before it turns that round"),
};

struct Ref {
  std::string name;
  Oid id;
};

Result<std::string> Person(Git& git, const std::string& text, std::string_view part, bool is_sorting) {
  const Signature person = ParseSignature(text);
  if (text.empty()) return std::string();
  if (part.empty()) return text;
  if (part == "name") return person.name;
  if (part == "email") return "<" + person.email + ">";
  if (part == "date" && is_sorting) return std::string(20 - std::min<size_t>(20, std::to_string(person.time).size()), '0') + std::to_string(person.time);
  if (part == "date") return DateText(git, person, "default");
  if (part.starts_with("date:") && IsDateMode(part.substr(5))) return DateText(git, person, part.substr(5));
  return Error(Code::kInvalid, "unknown field name: " + std::string(part));
}

// What %(FIELD) is.
Result<std::string> Field(Git& git, const Ref& ref, std::string_view field, bool is_sorting) {
  if (field == "refname") return ref.name;
  if (field == "refname:short") return ShortRef(ref.name);
  if (field == "objectname") return ref.id.Hex();
  if (field == "objectname:short") return git.objects.Abbreviate(ref.id);
  if (field == "HEAD") return std::string(git.HeadBranch() == ref.name ? "*" : " ");
  PADDOCK_ASSIGN(const Object object, git.objects.Read(ref.id));
  if (field == "objecttype") return std::string(TypeName(object.type));
  std::string author, committer, tagger, message;
  if (object.type == ObjectType::kCommit) {
    PADDOCK_ASSIGN(const Commit commit, ParseCommit(object.data, git.in.budget));
    author = commit.author;
    committer = commit.committer;
    message = commit.message;
  } else if (object.type == ObjectType::kTag) {
    PADDOCK_ASSIGN(const Tag tag, ParseTag(object.data));
    tagger = tag.tagger;
    message = tag.message;
  }
  if (field == "subject") return SubjectOf(message);
  for (const auto& [role, text] : {std::pair<std::string_view, const std::string&>{"author", author}, {"committer", committer}, {"tagger", tagger}, {"creator", object.type == ObjectType::kTag ? tagger : committer}}) {
    if (field.starts_with(role)) return Person(git, text, field.substr(role.size()), is_sorting);
  }
  return Error(Code::kInvalid, "unknown field name: " + std::string(field));
}

Result<std::string> Expand(Git& git, const Ref& ref, std::string_view format) {
  std::string text;
  for (size_t i = 0; i < format.size(); ++i) {
    git.in.budget.Step();
    const size_t end = format.substr(i).starts_with("%(") ? format.find(')', i) : std::string_view::npos;
    if (end != std::string_view::npos) {
      PADDOCK_ASSIGN(const std::string value, Field(git, ref, format.substr(i + 2, end - i - 2), false));
      text += value;
      i = end;
    } else if (format.substr(i).starts_with("%%")) {
      text += '%';
      ++i;
    } else {
      text += format[i];
    }
  }
  return text;
}

Result<ExitStatus> Run(Git& git, Options& options, Args& args) {
  const std::vector<std::string> patterns = args.All();
  std::vector<Ref> refs;
  for (const auto& [name, id] : git.refs.List("refs/")) {
    git.in.budget.Step();
    const auto matches = [&, &name = name](const std::string& pattern) {
      PatternFlags flags;
      flags.extglob = false;
      flags.is_path = true;
      const bool is_below = name.starts_with(pattern) && (name.size() == pattern.size() || pattern.ends_with('/') || name[pattern.size()] == '/');
      return is_below || Pattern(pattern, flags).Matches(name, git.in.budget);
    };
    if (patterns.empty() || std::any_of(patterns.begin(), patterns.end(), matches)) refs.push_back({name, id});
  }
  // The last --sort counts first; names are the last resort, in order as they came.
  for (const std::string& sort : options.sorts) {
    const bool is_reversed = sort.starts_with('-');
    std::vector<std::pair<std::string, Ref>> keyed;
    for (const Ref& ref : refs) {
      PADDOCK_ASSIGN(std::string key, Field(git, ref, sort.substr(is_reversed ? 1 : 0), true));
      keyed.emplace_back(std::move(key), ref);
    }
    std::stable_sort(keyed.begin(), keyed.end(), [is_reversed](const auto& a, const auto& b) { return is_reversed ? a.first > b.first : a.first < b.first; });
    refs.clear();
    for (auto& [key, ref] : keyed) refs.push_back(std::move(ref));
  }
  if (options.count && *options.count >= 0 && refs.size() > static_cast<size_t>(*options.count) && *options.count > 0) refs.resize(static_cast<size_t>(*options.count));
  for (const Ref& ref : refs) {
    PADDOCK_ASSIGN(const std::string text, Expand(git, ref, options.format));
    git.Print(text + "\n");
  }
  return 0;
}

}  // namespace

Result<std::string> ExpandRefFormat(Git& git, const NamedRef& ref, std::string_view format) { return Expand(git, {ref.name, ref.id}, format); }

Status SortRefs(Git& git, std::vector<NamedRef>& refs, const std::vector<std::string>& fields) {
  for (const std::string& sort : fields) {
    const bool is_reversed = sort.starts_with('-');
    const std::string field = sort.substr(is_reversed ? 1 : 0);
    std::vector<std::pair<std::string, NamedRef>> keyed;
    for (const NamedRef& ref : refs) {
      git.in.budget.Step();
      if (field != "version:refname" && field != "v:refname") {
        PADDOCK_ASSIGN(std::string key, Field(git, {ref.name, ref.id}, field, true));
        keyed.emplace_back(std::move(key), ref);
        continue;
      }
      std::string key;
      for (size_t i = 0; i < ref.name.size();) {
        size_t end = i;
        while (end < ref.name.size() && ref.name[end] >= '0' && ref.name[end] <= '9') ++end;
        if (end > i) key += std::string(20 - std::min<size_t>(20, end - i), '0') + ref.name.substr(i, end - i);
        else key += ref.name[end++];
        i = end;
      }
      keyed.emplace_back(std::move(key), ref);
    }
    std::stable_sort(keyed.begin(), keyed.end(), [is_reversed](const auto& a, const auto& b) { return is_reversed ? a.first > b.first : a.first < b.first; });
    refs.clear();
    for (auto& [key, ref] : keyed) refs.push_back(std::move(ref));
  }
  return {};
}

extern const Subcommand kForEachRef;
const Subcommand kForEachRef = DefineSubcommand<Options, Run>({.name = "for-each-ref", .summary = "list references in a form of one's own", .synopsis = "[<options>] [<pattern>...]", .options = kOptions});

}  // namespace paddock::git
