// The list of a rebase: its lines, read and written.
#include <algorithm>

#include "commands/git/merge/rebase.h"
#include "commands/git/refs/revision.h"
#include "commands/git/work/commit.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr size_t kMostItems = 100000;

struct Name {
  TodoItem::Verb verb;
  char letter;
  std::string_view name;
};
using Verb = TodoItem::Verb;
constexpr Name kNames[] = {{Verb::kPick, 'p', "pick"}, {Verb::kReword, 'r', "reword"}, {Verb::kEdit, 'e', "edit"}, {Verb::kSquash, 's', "squash"}, {Verb::kFixup, 'f', "fixup"},
                           {Verb::kExec, 'x', "exec"}, {Verb::kBreak, 'b', "break"}, {Verb::kLabel, 'l', "label"}, {Verb::kReset, 't', "reset"},
                           {Verb::kMerge, 'm', "merge"}, {Verb::kUpdateRef, 'u', "update-ref"}, {Verb::kDrop, 'd', "drop"}, {Verb::kNoop, 0, "noop"}};

std::string_view NextWord(std::string_view& text) {
  const size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  const size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// The error's message may be empty.
Result<TodoItem> ParseLine(Git& git, std::string_view line) {
  TodoItem item;
  const std::string_view word = NextWord(line);
  const auto known = std::find_if(std::begin(kNames), std::end(kNames), [word](const Name& name) { return word == name.name || (word.size() == 1 && word[0] == name.letter); });
  if (known == std::end(kNames)) return Error(Code::kInvalid);
  item.verb = known->verb;
  const auto rest = [](std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return std::string(text);
  };
  if (item.verb == Verb::kNoop || item.verb == Verb::kBreak) {
    if (!rest(line).empty()) return Error(Code::kInvalid, std::string(known->name) + " does not accept arguments: '" + rest(line) + "'");
    return item;
  }
  const bool has_name = item.verb == Verb::kExec || item.verb == Verb::kLabel || item.verb == Verb::kReset || item.verb == Verb::kUpdateRef;
  if (has_name || item.verb == Verb::kMerge) {
    item.text = rest(line);
    if (item.text.empty()) return Error(Code::kInvalid, "missing arguments for " + std::string(known->name));
    if (has_name) return item;
  }
  std::string_view words = line, name = NextWord(words);
  if ((item.verb == Verb::kFixup || item.verb == Verb::kMerge) && (name == "-C" || name == "-c")) {
    item.fixup = name[1];
    name = NextWord(words);
  } else if (item.verb == Verb::kMerge) {
    return item;
  }
  line = words;
  if (name.empty() && item.verb == Verb::kMerge) return Error(Code::kInvalid, "could not parse ''");
  if (name.empty()) return Error(Code::kInvalid, "missing arguments for " + std::string(known->name));
  auto id = ResolveCommit(git, name);
  if (!id) return Error(Code::kInvalid, "could not parse '" + std::string(name) + "'");
  item.commit = *id;
  item.text = rest(line);
  return item;
}

}  // namespace

std::string_view VerbName(Verb verb) { return kNames[static_cast<size_t>(verb)].name; }

std::string TodoLine(Git& git, const TodoItem& item, bool is_short) {
  if (item.verb == Verb::kComment) return item.text + "\n";
  std::string line(VerbName(item.verb));
  if (item.fixup != 0) line += std::string(" -") + item.fixup;
  if (item.commit) line += " " + (is_short ? git.objects.Abbreviate(*item.commit) : item.commit->Hex()) + " " + item.text;
  else if (!item.text.empty()) line += " " + item.text;
  return line + "\n";
}

Result<std::optional<std::vector<TodoItem>>> ParseTodo(Git& git, std::string_view text, bool has_commit) {
  std::vector<TodoItem> items;
  bool is_fine = true;
  size_t number = 0;
  for (std::string_view line : SplitLines(text)) {
    git.in.budget.Step();
    ++number;
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos || line[first] == '#') continue;
    if (items.size() >= kMostItems) return Error(Code::kRange, "the todo list has too many lines");
    auto item = ParseLine(git, line);
    if (!item) {
      if (!item.error().message.empty()) git.Complain(item.error().Text());
      git.Complain("invalid line " + std::to_string(number) + ": " + std::string(line));
      is_fine = false;
      continue;
    }
    if (item->IsFixup() && !has_commit) {
      git.Complain("cannot '" + std::string(VerbName(item->verb)) + "' without a previous commit");
      is_fine = false;
    }
    has_commit |= item->verb < Verb::kDrop;
    git.in.budget.WillAllocate(item->text.size() + sizeof(TodoItem));
    items.push_back(std::move(*item));
  }
  if (!is_fine) return std::optional<std::vector<TodoItem>>();
  return std::optional<std::vector<TodoItem>>(std::move(items));
}

std::string_view TodoHelp() {
  return "#\n# Commands:\n# p, pick <commit> = use commit\n# r, reword <commit> = use commit, but edit the commit message\n# e, edit <commit> = use commit, but stop for amending\n"
         "# s, squash <commit> = use commit, but meld into previous commit\n# f, fixup [-C | -c] <commit> = like \"squash\" but keep only the previous\n#                    commit's log message, unless -C is used, in which case\n"
         "#                    keep only this commit's message; -c is same as -C but\n#                    opens the editor\n# x, exec <command> = run command (the rest of the line) using shell\n"
         "# b, break = stop here (continue rebase later with 'git rebase --continue')\n# d, drop <commit> = remove commit\n"
         "# l, label <label> = label current HEAD with a name\n# t, reset <label> = reset HEAD to a label\n# m, merge [-C <commit> | -c <commit>] <label> [# <oneline>]\n"
         "#         create a merge commit using the original merge commit's\n#         message (or the oneline, if no original merge commit was\n#         specified); use -c <commit> to reword the commit message\n"
         "# u, update-ref <ref> = track a placeholder for the <ref> to be updated\n#                       to this position in the new commits. The <ref> is\n#                       updated at the end of the rebase\n#\n"
         "# These lines can be re-ordered; they are executed from top to bottom.\n#\n";
}

Result<std::vector<TodoItem>> Autosquash(Git& git, const std::vector<TodoItem>& items) {
  std::vector<std::string> subjects;
  for (const TodoItem& item : items) {
    std::string subject;
    if (item.commit) {
      PADDOCK_ASSIGN(const Commit commit, git.objects.ReadCommit(*item.commit));
      subject = SubjectOf(commit.message);
    }
    subjects.push_back(std::move(subject));
  }
  std::vector<std::vector<size_t>> followers(items.size());
  std::vector<size_t> target(items.size(), SIZE_MAX);
  std::vector<TodoItem> changed = items;
  for (size_t i = 0; i < items.size(); ++i) {
    std::string_view rest = subjects[i];
    bool is_any = false;
    for (bool found = true; found;) {
      found = false;
      for (const std::string_view prefix : {"fixup! ", "squash! ", "amend! "}) {
        if (!rest.starts_with(prefix)) continue;
        if (!is_any) {
          changed[i].verb = prefix == "squash! " ? Verb::kSquash : Verb::kFixup;
          if (prefix == "amend! ") changed[i].fixup = 'C';
        }
        rest.remove_prefix(prefix.size());
        is_any = found = true;
      }
    }
    if (!is_any || items[i].verb != Verb::kPick) continue;
    for (int pass = 0; pass < 3 && target[i] == SIZE_MAX; ++pass) {
      for (size_t k = 0; k < i && target[i] == SIZE_MAX; ++k) {
        git.in.budget.Step();
        if (!items[k].commit) continue;
        const bool matches = pass == 0 ? subjects[k] == rest : pass == 1 ? rest.size() >= 4 && items[k].commit->Hex().starts_with(rest) : subjects[k].starts_with(rest);
        if (matches) target[i] = target[k] != SIZE_MAX ? target[k] : k;
      }
    }
    if (target[i] == SIZE_MAX) changed[i] = items[i];
    else followers[target[i]].push_back(i);
  }
  std::vector<TodoItem> ordered;
  for (size_t i = 0; i < items.size(); ++i) {
    if (target[i] != SIZE_MAX) continue;
    ordered.push_back(changed[i]);
    for (const size_t follower : followers[i]) ordered.push_back(changed[follower]);
  }
  return ordered;
}

}  // namespace paddock::git
