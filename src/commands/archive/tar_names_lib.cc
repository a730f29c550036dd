#include <algorithm>

#include "commands/archive/packed_file.h"
#include "commands/archive/tar.h"
#include "lang/sed/parser.h"
#include "lang/sed/replacement.h"

namespace paddock::tar {
namespace {

std::string WithoutSlashes(std::string text) {
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

bool HasWildcards(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

// Reads a -T or -X list.
Result<std::vector<std::string>> ReadList(Context& context, const std::string& name, char delimiter) {
  auto file = InputFile::Open(context.in, name);
  if (!file) return context.Fatal(context.Shown(name) + ": Cannot open: " + std::string(file.error().Text()));
  std::vector<std::string> lines;
  while (const auto line = file->input().ReadLine(delimiter)) {
    const std::string_view text = line->text;
    if (delimiter == '\n' && text.find('\0') != std::string_view::npos) {
      // A list of find -print0, most likely.
      context.Warn("filename-with-nuls", context.Shown(name) + ": file name read contains nul character");
      delimiter = '\0';
      for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find('\0', at), text.size());
        lines.emplace_back(text.substr(at, end - at));
        at = end + 1;
      }
    } else {
      lines.emplace_back(text);
    }
  }
  if (!file->input().status()) return context.Fatal(context.Shown(name) + ": Read error: " + std::string(file->input().status().error().Text()));
  return lines;
}

std::string Joined(const std::string& directory, const std::string& further) { return directory.empty() ? further : vfs::JoinPath(directory, further); }

constexpr const char* kVcsNames[] = {"CVS", ".cvsignore", "RCS", "SCCS", ".git", ".gitignore", ".gitattributes", ".gitmodules", ".svn", ".arch-ids", "{arch}", "=RELEASE-ID",
                                     "=meta-update", "=update", ".bzr", ".bzrignore", ".bzrtags", ".hg", ".hgignore", ".hgrags", "_darcs"};

}  // namespace

std::string Unquote(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    constexpr std::string_view kLetters = "abfnrtv\\?";
    constexpr std::string_view kMeant = "\a\b\f\n\r\t\v\\\177";
    const char next = text[++i];
    if (const size_t at = kLetters.find(next); at != std::string_view::npos) {
      plain += kMeant[at];
    } else if (next >= '0' && next <= '7') {
      unsigned value = 0;
      size_t digits = 0;
      for (; digits < 3 && i < text.size() && text[i] >= '0' && text[i] <= '7'; ++digits, ++i) value = value * 8 + static_cast<unsigned>(text[i] - '0');
      --i;
      plain += static_cast<char>(value);
    } else {
      plain += '\\';
      plain += next;
    }
  }
  return plain;
}

namespace {

// Puts what the command line names into one list, with what its -T lists hold.
class NameExpander {
 public:
  explicit NameExpander(Context& context) : context_(context) {}

  Status Run() {
    for (const NameItem& item : context_.o.items) {
      ++position_;
      if (item.kind == NameItem::Kind::kName) {
        Add(item.text, item.flags, false);
      } else if (item.kind == NameItem::Kind::kDirectory) {
        directory_ = Joined(directory_, item.text);
        unused_.push_back("-C " + context_.Word(item.text));
      } else if (item.kind == NameItem::Kind::kMark) {
        unused_.push_back(item.text);
      } else {
        MatchFlags flags = item.flags;
        PADDOCK_TRY(TakeList(item.text, item.is_verbatim, flags, "command line"));
        unused_.clear();
      }
    }
    return {};
  }

  std::vector<Name> TakeNames() { return std::move(names_); }
  const std::string& directory() const { return directory_; }
  const std::vector<std::string>& unused() const { return unused_; }

 private:
  void Add(const std::string& text, const MatchFlags& flags, bool is_verbatim) {
    names_.push_back({context_.o.unquotes && !is_verbatim ? Unquote(text) : text, directory_, flags, position_});
    unused_.clear();
  }

  // `from`: who asks for the list.
  Status TakeList(const std::string& file, bool is_verbatim, MatchFlags& flags, const std::string& from) {
    for (const auto& [open, asked_by] : open_) {
      if (open != file || file == "-") continue;
      context_.Fail(context_.Shown(file) + ": file list requested from " + context_.Shown(from) + " already read from " + asked_by);
      return {};
    }
    open_.emplace_back(file, from);
    PADDOCK_ASSIGN(const std::vector<std::string> lines, ReadList(context_, file, context_.o.is_null ? '\0' : '\n'));
    is_verbatim |= context_.o.is_null;
    for (const std::string& line : lines) {
      context_.in.budget.Step();
      if (line.empty()) continue;
      if (is_verbatim || line[0] != '-' || line == "-") Add(line, flags, is_verbatim);
      else PADDOCK_TRY(TakeOption(file, line, flags));
    }
    open_.pop_back();
    return {};
  }

  // An option in a list: what says where files are and how they are walked.
  Status TakeOption(const std::string& file, const std::string& line, MatchFlags& flags) {
    const auto argument = [&line](std::string_view letter, std::string_view word) -> std::optional<std::string> {
      std::string_view rest = line;
      if (rest.starts_with(letter)) rest.remove_prefix(letter.size());
      else if (rest.starts_with(word) && rest.size() > word.size() && (rest[word.size()] == '=' || rest[word.size()] == ' ')) rest.remove_prefix(word.size() + 1);
      else return std::nullopt;
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      return std::string(rest);
    };
    if (const auto to = argument("-C", "--directory")) directory_ = Joined(directory_, *to);
    else if (const auto list = argument("-T", "--files-from")) return TakeList(*list, false, flags, file);
    else if (line.starts_with("--add-file=")) Add(line.substr(11), flags, false);
    else if (line == "--recursion" || line == "--no-recursion") flags.recursive = line == "--recursion";
    else return context_.Fatal(context_.Shown(file) + ": of options only -C, -T, --add-file, --recursion and --no-recursion may stand in a list of files");
    return {};
  }

  Context& context_;
  std::vector<Name> names_;
  std::string directory_;
  std::vector<std::string> unused_;   // options behind the last name
  std::vector<std::pair<std::string, std::string>> open_;   // lists that are being read, and who asked
  size_t position_ = 0;
};

}  // namespace

Result<std::vector<Name>> ExpandNames(Context& context, std::string* last_directory) {
  NameExpander expander(context);
  PADDOCK_TRY(expander.Run());
  std::vector<Name> names = expander.TakeNames();
  if (last_directory != nullptr) *last_directory = expander.directory();
  const Mode mode = context.o.mode;
  if (!names.empty() && (mode == Mode::kCreate || mode == Mode::kUpdate)) context.unused_options = expander.unused();
  return names;
}

void ComplainOfUnused(Context& context) {
  if (context.unused_options.empty()) return;
  context.Fail(
      "The following options were used after any non-optional arguments in archive create or update mode.  These options are positional and affect only arguments that "
      "follow them.  Please, rearrange them properly.");
  for (const std::string& option : context.unused_options) context.Fail(option + " has no effect");
}

Matcher::Matcher(const std::string& text, const MatchFlags& flags, bool wildcards, bool anchored, bool is_utf8)
    : pattern_(wildcards ? text : QuotePattern(text),
               {.extglob = false, .ignore_case = flags.ignore_case, .is_utf8 = is_utf8, .is_path = !flags.match_slash}),
      anchored_(anchored),
      recursive_(flags.recursive) {}

bool Matcher::MatchesAt(std::string_view name, Budget& budget) const {
  if (pattern_.Matches(name, budget)) return true;
  if (!recursive_) return false;
  if (pattern_.is_literal()) {
    const std::string& text = pattern_.literal();
    return name.size() > text.size() && name.starts_with(text) && (name[text.size()] == '/' || (!text.empty() && text.back() == '/'));
  }
  for (size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
    if (slash > 0 && pattern_.Matches(name.substr(0, slash), budget)) return true;
  }
  return false;
}

bool Matcher::Matches(std::string_view name, Budget& budget) const {
  budget.Step();
  if (MatchesAt(name, budget)) return true;
  if (anchored_) return false;
  for (size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
    if (slash + 1 < name.size() && name[slash + 1] != '/' && MatchesAt(name.substr(slash + 1), budget)) return true;
  }
  return false;
}

Result<Excludes> Excludes::Make(Context& context) {
  Excludes result;
  for (const ExcludePattern& exclude : context.o.excludes) {
    const auto add = [&](const std::string& text, const MatchFlags& flags) {
      result.items_.push_back({exclude.position, Matcher(text, flags, flags.wildcards.value_or(true), flags.anchored.value_or(false), context.in.locale.is_utf8)});
    };
    if (exclude.kind == ExcludePattern::Kind::kPattern) {
      add(exclude.text, exclude.flags);
    } else if (exclude.kind == ExcludePattern::Kind::kFile) {
      PADDOCK_ASSIGN(const std::vector<std::string> lines, ReadList(context, exclude.text, context.o.is_null ? '\0' : '\n'));
      for (const std::string& line : lines) {
        const size_t end = line.find_last_not_of(" \t");
        if (end != std::string::npos) add(line.substr(0, end + 1), exclude.flags);
      }
    } else {
      MatchFlags flags;
      flags.wildcards = false;
      for (const char* name : kVcsNames) add(name, flags);
    }
  }
  return result;
}

bool Excludes::IsExcluded(std::string_view name, size_t position, Budget& budget) const {
  return std::any_of(items_.begin(), items_.end(), [&](const Item& item) { return item.position < position && item.matcher.Matches(name, budget); });
}

Result<Selection> Selection::Make(Context& context) {
  Selection selection;
  selection.context_ = &context;
  PADDOCK_ASSIGN(selection.names_, ExpandNames(context, &selection.all_.directory));
  PADDOCK_ASSIGN(selection.excludes_, Excludes::Make(context));
  for (Name& name : selection.names_) {
    name.text = WithoutSlashes(name.text);
    selection.matchers_.emplace_back(name.text, name.flags, name.flags.wildcards.value_or(false), name.flags.anchored.value_or(true), context.in.locale.is_utf8);
  }
  return selection;
}

const Name* Selection::Find(std::string_view member) {
  while (member.size() > 1 && member.ends_with('/')) member.remove_suffix(1);
  Budget& budget = context_->in.budget;
  const Name* found = nullptr;
  if (names_.empty()) found = &all_;
  for (size_t i = 0; i < names_.size() && found == nullptr; ++i) {
    if (!matchers_[i].Matches(member, budget)) continue;
    ++names_[i].found;
    if (context_->o.occurrence && names_[i].found != *context_->o.occurrence) return nullptr;
    found = &names_[i];
  }
  if (found != nullptr && excludes_.IsExcluded(member, SIZE_MAX, budget)) return nullptr;
  return found;
}

bool Selection::IsAllFound() const {
  return context_->o.occurrence && !names_.empty() &&
         std::all_of(names_.begin(), names_.end(), [&](const Name& name) { return name.found >= *context_->o.occurrence; });
}

void Selection::Finish(Context& context) {
  bool warned = false;
  for (const Name& name : names_) {
    if (name.found > 0 && (!context.o.occurrence || name.found >= *context.o.occurrence)) continue;
    if (!warned && HasWildcards(name.text) && !name.flags.wildcards) {
      context.Warn("Pattern matching characters used in file names");
      context.Warn("Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning");
      warned = true;
    }
    context.Fail(context.Shown(name.text) + (name.found > 0 ? ": Required occurrence not found in archive" : ": Not found in archive"));
  }
}

// --- transformation

Status ParseTransforms(Context& context) {
  for (const std::string& text : context.o.transform_texts) {
    const auto bad = [&] { return context.Usage("Invalid transform expression"); };
    // Several may stand there, with ';' between them; sed itself parses that, but for the flags that only tar knows.
    std::string_view rest = text;
    while (!rest.empty()) {
      if (rest.starts_with("flags=")) return context.Fatal("Unknown transform flag: flags=");
      if (rest.size() < 2 || rest[0] != 's') return bad();
      const char mark = rest[1];
      size_t at = 2;
      for (int parts = 0; parts < 2 && at < rest.size(); ++at) {
        if (rest[at] == '\\') ++at;
        else if (rest[at] == mark) ++parts;
      }
      if (at > rest.size() || rest[at - 1] != mark) return bad();
      Transform transform;
      std::string expression(rest.substr(0, at));
      bool is_extended = false;
      for (; at < rest.size() && rest[at] != ';'; ++at) {
        switch (const char flag = rest[at]) {
          case 'x': is_extended = true; break;
          case 'r': transform.for_names = true; break;
          case 'R': transform.for_names = false; break;
          case 's': transform.for_symlinks = true; break;
          case 'S': transform.for_symlinks = false; break;
          case 'h': transform.for_hard_links = true; break;
          case 'H': transform.for_hard_links = false; break;
          default:
            if (flag != 'g' && flag != 'i' && (flag < '0' || flag > '9')) return context.Fatal(std::string("Unknown flag in transform expression: ") + flag);
            expression += flag;
        }
      }
      rest.remove_prefix(std::min(at + 1, rest.size()));
      sed::ParseOptions options;
      options.is_extended = is_extended;
      options.is_sandboxed = true;
      options.is_utf8 = context.in.locale.is_utf8;
      auto program = sed::ParseScript({{.text = expression}}, options, context.in.budget);
      if (!program || program->commands.size() != 1 || !program->commands[0].substitution) return bad();
      transform.program = std::move(*program);
      context.o.transforms.push_back(std::move(transform));
    }
  }
  return {};
}

std::string ApplyTransforms(Context& context, std::string name, NameUse use) {
  for (const Transform& transform : context.o.transforms) {
    if (!(use == NameUse::kName ? transform.for_names : use == NameUse::kSymlink ? transform.for_symlinks : transform.for_hard_links)) continue;
    const sed::Substitution& s = *transform.program.commands[0].substitution;
    if (!s.regex) continue;
    std::string result;
    std::vector<RegexGroup> groups(10);
    size_t from = 0;
    uint64_t count = 0;
    while (from <= name.size()) {
      context.in.budget.Step();
      const auto found = s.regex->regex.Search(name, from, &groups, context.in.budget);
      if (!found || !*found) break;
      result.append(name, from, groups[0].begin - from);
      const bool replaces = ++count >= s.number;
      if (replaces) sed::AppendReplacement(s, name, groups, context.in.locale.is_utf8, result);
      else result.append(name, groups[0].begin, groups[0].end - groups[0].begin);
      context.in.budget.WillAllocate(result.size());
      from = groups[0].end;
      if (groups[0].begin == groups[0].end) {
        if (from < name.size()) result += name[from];
        ++from;
      }
      if (replaces && !s.is_global) break;
    }
    if (from < name.size()) result.append(name, from);
    name = std::move(result);
  }
  return name;
}

std::string BelowTop(const std::string& top, const std::string& name) {
  const std::string_view plain = std::string_view(name).substr(name.starts_with("./") ? 2 : 0);
  if (plain == top || plain.starts_with(top + "/")) return name;
  return vfs::JoinPath(top, std::string(plain));
}

std::string StripComponents(std::string_view name, uint64_t count) {
  for (; count > 0; --count) {
    const size_t slash = name.find('/');
    if (slash == std::string_view::npos) return {};
    name.remove_prefix(slash);
    name.remove_prefix(std::min(name.find_first_not_of('/'), name.size()));
  }
  return std::string(name);
}

std::string NameGuard::Safe(Context& context, std::string_view name, bool is_link_target) {
  if (context.o.absolute_names) return std::string(name);
  // Everything up to the last "..", and slashes in front.
  size_t prefix = 0;
  for (size_t at = 0; at < name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    if (name.substr(at, end - at) == "..") prefix = end;
    at = end + 1;
  }
  while (prefix < name.size() && name[prefix] == '/') ++prefix;
  if (prefix > 0 && said_.size() < 1000 && said_.emplace(name.substr(0, prefix), is_link_target).second) {
    context.Warn("Removing leading `" + std::string(name.substr(0, prefix)) + (is_link_target ? "' from hard link targets" : "' from member names"));
  }
  if (prefix < name.size()) return std::string(name.substr(prefix));
  if (name.empty() && !std::exchange(said_empty_, true)) context.Warn(is_link_target ? "Substituting `.' for empty hard link target" : "Substituting `.' for empty member name");
  return ".";
}

}  // namespace paddock::tar
