// The fields of for-each-ref and its like. Source: git-for-each-ref(1) "FIELD NAMES".
#include "commands/git/refs/ref_field.h"

#include <algorithm>
#include <iterator>

#include "commands/git/colour_spec.h"
#include "commands/git/history/pretty.h"
#include "commands/git/mail/trailers.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "commands/git/work/status.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr std::string_view kRoles[] = {"author", "committer", "tagger", "creator"};

Error Unrecognized(const RefField& field) { return {Code::kInvalid, "unrecognized %(" + field.name + ") argument: " + *field.argument}; }

std::optional<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  if (!ParseOptionValue(text, number)) return std::nullopt;
  return number;
}

// "short", "lstrip=2", "rstrip=-1" of a name.
bool IsNameForm(std::string_view form) {
  if (form == "short") return true;
  for (const std::string_view lead : {"lstrip=", "strip=", "rstrip="}) {
    if (form.starts_with(lead)) return Number(form.substr(lead.size())).has_value();
  }
  return false;
}
std::string Shaped(Git& git, const std::string& name, const std::string& form) {
  if (form.empty()) return name;
  if (form == "short") return UnambiguousRef(git, name);
  const bool from_right = form.starts_with("rstrip=");
  const int64_t count = Number(form.substr(form.find('=') + 1)).value_or(0), parts = 1 + std::count(name.begin(), name.end(), '/');
  // A count below 0 tells how many parts are left.
  int64_t away = count >= 0 ? count : std::max<int64_t>(parts + count, 0);
  if (away >= parts) return "";
  std::string rest = name;
  for (; away > 0; --away) {
    if (from_right) rest.resize(rest.rfind('/'));
    else rest.erase(0, rest.find('/') + 1);
  }
  return rest;
}

bool IsShortForm(std::string_view form) { return form == "short" || (form.starts_with("short=") && Number(form.substr(6)).value_or(0) > 0); }
std::string ShownId(Git& git, const Oid& id, const std::optional<std::string>& form) {
  if (!form || form->empty()) return id.Hex();
  return git.objects.Abbreviate(id, form->starts_with("short=") ? static_cast<size_t>(std::clamp<int64_t>(*Number(form->substr(6)), 4, 40)) : 0);
}

// Where a message's parts begin: the subject, the body, the signature.
struct MessageParts {
  std::string_view whole, subject, body, signature;
};
MessageParts PartsOf(std::string_view message) {
  MessageParts parts;
  while (message.starts_with('\n')) message.remove_prefix(1);
  parts.whole = message;
  size_t signature = message.size();
  for (const std::string_view lead : {"-----BEGIN PGP SIGNATURE-----", "-----BEGIN PGP MESSAGE-----", "-----BEGIN SSH SIGNATURE-----", "-----BEGIN SIGNED MESSAGE-----"}) {
    for (size_t at = 0; (at = message.find(lead, at)) != std::string_view::npos; ++at) {
      if (at == 0 || message[at - 1] == '\n') signature = std::min(signature, at);
    }
  }
  parts.signature = message.substr(signature);
  const std::string_view text = message.substr(0, signature);
  size_t end = 0;
  while (end < text.size()) {
    const std::string_view line = text.substr(end, text.find('\n', end) - end);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) break;
    end = std::min(text.size(), end + line.size() + 1);
  }
  parts.subject = text.substr(0, end);
  while (end < text.size() && text[end] == '\n') ++end;
  parts.body = message.substr(end);
  return parts;
}

bool IsContentsForm(std::string_view form) {
  if (form == "body" || form == "size" || form == "signature" || form == "subject" || form == "trailers" || form.starts_with("trailers:")) return true;
  return form.starts_with("lines=") && Number(form.substr(6)).value_or(-1) >= 0;
}

// The argument of %(align): a width and, before or behind it, a position.
Status CheckAlign(const std::optional<std::string>& argument) {
  if (!argument) return Error(Code::kInvalid, "expected format: %(align:<width>,<position>)");
  bool has_width = false;
  std::string_view rest = *argument;
  while (!rest.empty()) {
    std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    if (one.starts_with("position=")) {
      one.remove_prefix(9);
      if (one != "left" && one != "right" && one != "middle") return Error(Code::kInvalid, "unrecognized position:" + std::string(one));
    } else if (one.starts_with("width=")) {
      if (Number(one.substr(6)).value_or(-1) < 0) return Error(Code::kInvalid, "unrecognized width:" + std::string(one.substr(6)));
      has_width = true;
    } else if (Number(one).value_or(-1) >= 0) {
      has_width = true;
    } else if (one != "left" && one != "right" && one != "middle") {
      return Error(Code::kInvalid, "unrecognized %(align) argument: " + std::string(one));
    }
  }
  if (!has_width) return Error(Code::kInvalid, "positive width expected with the %(align) atom");
  return {};
}

}  // namespace

Result<RefField> ParseRefField(Git& git, std::string_view text) {
  const std::string whole(text);
  RefField field;
  if (text.starts_with('*')) {
    field.is_peeled = true;
    text.remove_prefix(1);
  }
  const size_t colon = text.find(':');
  field.name = text.substr(0, colon);
  if (colon != std::string_view::npos) field.argument = text.substr(colon + 1);
  const std::string& name = field.name;
  const std::string argument = field.argument.value_or("");
  const auto no_argument = [&]() -> Result<RefField> {
    if (field.argument) return Error(Code::kInvalid, "%(" + name + ") does not take arguments");
    return field;
  };
  if (name.empty()) return Error(Code::kInvalid, "malformed field name: " + whole);
  if (name == "HEAD") return field;
  for (const char* plain : {"objecttype", "deltabase", "object", "type", "tag", "numparent", "flag", "worktreepath", "then", "else", "end", "body", "author", "committer", "tagger", "creator"}) {
    if (name == plain) return no_argument();
  }
  if (name == "refname" || name == "symref") {
    if (!argument.empty() && !IsNameForm(argument)) return Error(Code::kInvalid, "unrecognized %(" + whole + ") argument: " + argument);
    return field;
  }
  if (name == "upstream" || name == "push") {
    std::string_view rest = argument;
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), one.size() + 1));
      if (one != "track" && one != "trackshort" && one != "nobracket" && one != "remotename" && one != "remoteref" && !IsNameForm(one)) return Error(Code::kInvalid, "unrecognized %(" + whole + ") argument: " + std::string(one));
    }
    return field;
  }
  if (name == "objectname" || name == "tree" || name == "parent") {
    if (argument.starts_with("short=") && !IsShortForm(argument)) return Error(Code::kInvalid, "positive value expected '" + argument.substr(6) + "' in %(" + whole + ")");
    if (!argument.empty() && !IsShortForm(argument)) return Unrecognized(field);
    return field;
  }
  if (name == "objectsize") {
    if (argument == "disk") return Error(Code::kNotSupported, "%(objectsize:disk) is not supported");
    if (field.argument) return Unrecognized(field);
    return field;
  }
  if (name == "subject") {
    if (!argument.empty() && argument != "sanitize") return Unrecognized(field);
    return field;
  }
  if (name == "raw") {
    if (!argument.empty() && argument != "size") return Unrecognized(field);
    return field;
  }
  if (name == "contents") {
    if (!argument.empty() && !IsContentsForm(argument)) return Unrecognized(field);
    if (argument.starts_with("trailers:") && !ParseTrailerOptions(std::string_view(argument).substr(9))) return Error(Code::kInvalid, "unknown %(trailers) argument: " + argument.substr(9));
    return field;
  }
  if (name == "trailers") {
    std::string unknown;
    if (!ParseTrailerOptions(argument, &unknown)) return Error(Code::kInvalid, unknown == "key" ? "expected %(trailers:key=<value>)" : "unknown %(trailers) argument: " + unknown);
    return field;
  }
  if (name == "if") {
    if (field.argument && !argument.starts_with("equals=") && !argument.starts_with("notequals=")) return Unrecognized(field);
    return field;
  }
  if (name == "color") {
    if (!field.argument) return Error(Code::kInvalid, "expected format: %(color:<color>)");
    if (!ColourSequence(argument)) {
      git.Complain("invalid color value: " + argument);
      return Error(Code::kInvalid, "unrecognized color: %(color:" + argument + ")");
    }
    return field;
  }
  if (name == "align") {
    PADDOCK_TRY(CheckAlign(field.argument));
    return field;
  }
  for (const std::string_view role : kRoles) {
    if (!std::string_view(name).starts_with(role)) continue;
    const std::string part = name.substr(role.size());
    if (part == "date") {
      if (!argument.empty() && !IsDateMode(argument)) return Error(Code::kInvalid, "unknown date format " + argument);
      return field;
    }
    if (part == "name" && role != "creator") return field.argument ? Result<RefField>(Unrecognized(field)) : field;
    if (part == "email" && role != "creator") {
      if (!argument.empty() && argument != "trim" && argument != "localpart") return Error(Code::kInvalid, "unrecognized email option: " + argument);
      return field;
    }
  }
  return Error(Code::kInvalid, "unknown field name: " + whole);
}

Result<const RefFields::Parts*> RefFields::Open(bool is_peeled) {
  std::optional<Parts>& parts = objects_[is_peeled ? 1 : 0];
  if (parts) return &*parts;
  Oid id = ref_->id;
  if (is_peeled) {
    // One step, even when that is a tag, too.
    const auto tag = git_.objects.ReadTag(id);
    if (!tag) return nullptr;
    id = tag->object;
  }
  auto object = git_.objects.Read(id);
  if (!object) return Error(Code::kNoEntry, "missing object " + id.Hex() + " for " + ref_->name);
  Parts made{id, std::move(*object), std::nullopt, std::nullopt};
  if (made.object.type == ObjectType::kCommit) {
    PADDOCK_ASSIGN(made.commit, ParseCommit(made.object.data, git_.in.budget));
  } else if (made.object.type == ObjectType::kTag) {
    PADDOCK_ASSIGN(made.tag, ParseTag(made.object.data));
  }
  parts = std::move(made);
  return &*parts;
}

std::string RefFields::PersonLine(const Parts& parts, std::string_view role) const {
  if (role == "creator") role = parts.tag ? "tagger" : "committer";
  if (parts.commit && role == "author") return parts.commit->author;
  if (parts.commit && role == "committer") return parts.commit->committer;
  return parts.tag && role == "tagger" ? parts.tag->tagger : std::string();
}

std::optional<std::string> RefFields::PushTarget(const std::string& branch) const {
  const auto remote = git_.config.Get("branch." + branch + ".pushremote");
  const std::string usual = git_.config.Get("branch." + branch + ".remote", "origin");
  const std::string to = remote ? *remote : git_.config.Get("remote.pushdefault", usual);
  const std::string how = git_.config.Get("push.default", "simple");
  if (how == "nothing") return std::nullopt;
  if (how == "upstream" || how == "tracking") return UpstreamOf(git_, branch);
  if (!git_.config.Get("remote." + to + ".url")) return std::nullopt;
  if (how == "simple" && to == usual) {
    const auto upstream = UpstreamOf(git_, branch);
    return upstream && git_.config.Get("branch." + branch + ".merge") == "refs/heads/" + branch ? upstream : std::nullopt;
  }
  return "refs/remotes/" + to + "/" + branch;
}

Result<std::string> RefFields::TrackValue(const std::string& upstream, const std::string& argument) {
  bool is_bare = false, tracks = false, is_brief = false, names = false, refs = false;
  std::string form;
  std::string_view rest = argument;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    if (one == "nobracket") is_bare = true;
    else if (one == "track") tracks = true;
    else if (one == "trackshort") is_brief = true;
    else if (one == "remotename") names = true;
    else if (one == "remoteref") refs = true;
    else form = one;
  }
  const std::string branch = ref_->name.substr(11);
  if (names) return git_.config.Get("branch." + branch + ".remote", "");
  if (refs) return git_.config.Get("branch." + branch + ".merge", "");
  if (!tracks && !is_brief) return Shaped(git_, upstream, form);
  const auto theirs = git_.refs.Read(upstream);
  if (!theirs) return std::string(is_brief ? "" : is_bare ? "gone" : "[gone]");
  History history(git_);
  PADDOCK_ASSIGN(const std::set<Oid> a, history.Ancestors({ref_->id}));
  PADDOCK_ASSIGN(const std::set<Oid> b, history.Ancestors({*theirs}));
  const auto ahead = std::count_if(a.begin(), a.end(), [&b](const Oid& id) { return !b.contains(id); });
  const auto behind = std::count_if(b.begin(), b.end(), [&a](const Oid& id) { return !a.contains(id); });
  if (is_brief) return std::string(ahead > 0 ? (behind > 0 ? "<>" : ">") : behind > 0 ? "<" : "=");
  std::string text;
  if (ahead > 0) text = "ahead " + std::to_string(ahead);
  if (behind > 0) text += (text.empty() ? "behind " : ", behind ") + std::to_string(behind);
  return text.empty() || is_bare ? text : "[" + text + "]";
}

// What needs no object; an error of kNoEntry without words when it does.
Result<std::string> RefFields::RefValue(const RefField& field) {
  const std::string argument = field.argument.value_or("");
  if (field.name == "refname") return (ref_->title.empty() ? Shaped(git_, ref_->name, argument) : ref_->title) + (field.is_peeled ? "^{}" : "");
  if (field.name == "symref") {
    const auto target = ref_->title.empty() ? git_.refs.ReadSymbolic(ref_->name) : std::nullopt;
    return target ? Shaped(git_, *target, argument) : std::string();
  }
  if (field.name == "HEAD") return std::string(git_.HeadBranch() == ref_->name || !ref_->title.empty() ? "*" : " ");
  if (field.name == "worktreepath") return git_.HeadBranch() == ref_->name ? git_.work_tree : std::string();
  if (field.name == "flag") {
    std::string text = git_.refs.ReadSymbolic(ref_->name) ? "symref" : "";
    const auto packed = vfs::ReadFile(git_.in.fs, git_.GitPath("packed-refs"), 64 << 20);
    if (packed && packed->find(" " + ref_->name + "\n") != std::string::npos && !git_.in.fs.Stat(git_.GitPath(ref_->name))) text += text.empty() ? "packed" : ",packed";
    return text;
  }
  if (field.name == "upstream" || field.name == "push") {
    if (!ref_->name.starts_with("refs/heads/")) return std::string();
    const std::string branch = ref_->name.substr(11);
    if (field.name == "push" && argument == "remotename") return git_.config.Get("branch." + branch + ".pushremote", git_.config.Get("remote.pushdefault", git_.config.Get("branch." + branch + ".remote", "")));
    if (field.name == "push" && argument == "remoteref") return std::string();
    const auto target = field.name == "upstream" ? UpstreamOf(git_, branch) : PushTarget(branch);
    return target ? TrackValue(*target, argument) : std::string();
  }
  return Error(Code::kNoEntry);
}

Result<std::string> RefFields::ObjectValue(const RefField& field, const Parts& parts) {
  const std::string& name = field.name;
  const std::string argument = field.argument.value_or("");
  if (name == "objectname") return ShownId(git_, parts.id, field.argument);
  if (name == "objecttype") return std::string(TypeName(parts.object.type));
  if (name == "objectsize" || (name == "raw" && argument == "size")) return std::to_string(parts.object.data.size());
  if (name == "raw") return parts.object.data;
  if (name == "deltabase") return Oid{}.Hex();
  if (name == "tree") return parts.commit ? ShownId(git_, parts.commit->tree, field.argument) : std::string();
  if (name == "numparent") return parts.commit ? std::to_string(parts.commit->parents.size()) : std::string();
  if (name == "parent") {
    std::string text;
    for (const Oid& parent : parts.commit ? parts.commit->parents : std::vector<Oid>()) text += (text.empty() ? "" : " ") + ShownId(git_, parent, field.argument);
    return text;
  }
  if (name == "object") return parts.tag ? parts.tag->object.Hex() : std::string();
  if (name == "type") return parts.tag ? std::string(TypeName(parts.tag->type)) : std::string();
  if (name == "tag") return parts.tag ? parts.tag->name : std::string();
  const std::string message = parts.message();
  if (name == "subject") return argument.empty() ? SubjectOf(message) : SlugOf(SubjectOf(message));
  const MessageParts text = PartsOf(message);
  if (name == "body") return std::string(text.body);
  if (name == "trailers" || (name == "contents" && argument.starts_with("trailers"))) {
    std::string_view options = argument;
    if (name == "contents") options.remove_prefix(std::min<size_t>(9, options.size()));
    return TrailersText(message, ParseTrailerOptions(options).value_or(TrailerOptions{}), TrailerRules::Load(git_.config, git_.in.budget), git_.in.budget);
  }
  if (name == "contents") {
    if (argument.empty()) return std::string(text.whole);
    if (argument == "size") return parts.commit || parts.tag ? std::to_string(text.whole.size()) : std::string();
    if (argument == "subject") return SubjectOf(message);
    if (argument == "body") return std::string(text.body.substr(0, text.body.size() - text.signature.size()));
    if (argument == "signature") return std::string(text.signature);
    int64_t count = Number(argument.substr(6)).value_or(0);
    std::string lines;
    for (std::string_view line : SplitLines(text.whole.substr(0, text.whole.size() - text.signature.size()))) {
      if (count-- <= 0) break;
      if (line.ends_with('\n')) line.remove_suffix(1);
      lines += (lines.empty() ? "" : "\n    ") + std::string(line);
    }
    return lines;
  }
  for (const std::string_view role : kRoles) {
    if (!std::string_view(name).starts_with(role)) continue;
    const std::string part = name.substr(role.size()), line = PersonLine(parts, role);
    if (line.empty()) return std::string();
    if (part.empty()) return line;
    const Signature who = ParseSignature(line);
    if (part == "name") return who.name;
    if (part == "date") return DateText(git_, who, argument.empty() ? "default" : argument);
    if (argument == "localpart") return who.email.substr(0, who.email.find('@'));
    return argument == "trim" ? who.email : "<" + who.email + ">";
  }
  return std::string();
}

Result<std::string> RefFields::Value(const RefField& field) {
  auto value = RefValue(field);
  if (value || !value.error().message.empty()) return value;
  PADDOCK_ASSIGN(const Parts* parts, Open(field.is_peeled));
  return parts == nullptr ? std::string() : ObjectValue(field, *parts);
}

Result<RefFields::Key> RefFields::SortKey(const RefField& field) {
  Key key;
  const std::string_view name = field.name;
  if (name.ends_with("date") || name == "objectsize" || name == "numparent") {
    PADDOCK_ASSIGN(const Parts* parts, Open(field.is_peeled));
    if (parts == nullptr) return key;
    if (name == "objectsize") key.number = static_cast<int64_t>(parts->object.data.size());
    else if (name == "numparent") key.number = parts->commit ? static_cast<int64_t>(parts->commit->parents.size()) : 0;
    else if (const std::string line = PersonLine(*parts, name.substr(0, name.size() - 4)); !line.empty()) key.number = ParseSignature(line).time;
    if (!name.ends_with("date") || !field.argument || field.argument->empty()) return key;
  }
  key.number = 0;
  PADDOCK_ASSIGN(key.text, Value(field));
  return key;
}

std::string UnambiguousRef(Git& git, const std::string& name) {
  static constexpr struct {
    std::string_view lead, end;
  } kRules[] = {{"", ""}, {"refs/", ""}, {"refs/tags/", ""}, {"refs/heads/", ""}, {"refs/remotes/", ""}, {"refs/remotes/", "/HEAD"}};
  const bool is_strict = git.config.GetBool("core.warnambiguousrefs", true);
  for (size_t i = std::size(kRules) - 1; i-- > 1;) {   // the last one is only what a short name may mean
    const std::string_view lead = kRules[i].lead;
    if (name.size() <= lead.size() || !name.starts_with(lead)) continue;
    const std::string brief = name.substr(lead.size());
    bool is_taken = false;
    for (size_t j = 0; j < (is_strict ? std::size(kRules) : i) && !is_taken; ++j) {
      const std::string other = std::string(kRules[j].lead) + brief + std::string(kRules[j].end);
      is_taken = j != i && IsRefName(other, true) && (j > 0 || other.starts_with("refs/") || other.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string::npos) && git.refs.Exists(other);
    }
    if (!is_taken) return brief;
  }
  return name;
}

}  // namespace paddock::git
