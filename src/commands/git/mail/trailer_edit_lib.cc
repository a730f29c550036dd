#include "commands/git/mail/trailer_edit.h"

#include <strings.h>

#include <algorithm>
#include <list>

#include "commands/child_output.h"

namespace paddock::git {
namespace {

// A new one, and by which rules it goes in.
struct Addition {
  std::string token, value;
  TrailerRule rule;
  bool goes_behind() const { return rule.where == TrailerWhere::kAfter || rule.where == TrailerWhere::kEnd; }
  bool is_relative() const { return rule.where == TrailerWhere::kAfter || rule.where == TrailerWhere::kBefore; }
};

std::string_view Bare(std::string_view token) {
  const auto is_alnum = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  while (!token.empty() && !is_alnum(token.back())) token.remove_suffix(1);
  return token;
}
bool HasToken(const Trailer& one, const Addition& other) {
  if (!one.token) return false;
  const std::string_view a = Bare(*one.token), b = Bare(other.token);
  return strncasecmp(a.data(), b.data(), std::min(a.size(), b.size())) == 0;
}
bool IsSame(const Trailer& one, const Addition& other) { return HasToken(one, other) && strcasecmp(one.value.c_str(), other.value.c_str()) == 0; }

class TrailerEditor {
 public:
  TrailerEditor(Invocation& in, const TrailerRules& rules, std::list<Trailer> block) : in_(in), rules_(rules), block_(std::move(block)) {}

  void Add(Addition addition) {
    using Place = std::list<Trailer>::iterator;
    Place found = block_.end();
    if (addition.goes_behind()) {
      for (Place at = block_.end(); at != block_.begin() && found == block_.end();) {
        in_.budget.Step();
        if (HasToken(*--at, addition)) found = at;
      }
    } else {
      found = std::find_if(block_.begin(), block_.end(), [&](const Trailer& one) {
        in_.budget.Step();
        return HasToken(one, addition);
      });
    }
    if (found == block_.end()) {
      if (addition.rule.if_missing == TrailerMissing::kDoNothing) return;
      RunCommand(addition, {});
      Insert(addition.goes_behind() ? block_.end() : block_.begin(), addition);
      return;
    }
    const Place beside = addition.is_relative() ? found : addition.goes_behind() ? std::prev(block_.end()) : block_.begin();
    const TrailerExists exists = addition.rule.if_exists;
    if (exists == TrailerExists::kDoNothing) return;
    RunCommand(addition, found->value);
    if (exists == TrailerExists::kAddIfDifferent && HasSame(found, addition)) return;
    if (exists == TrailerExists::kAddIfDifferentNeighbor && IsSame(*beside, addition)) return;
    Insert(addition.goes_behind() ? std::next(beside) : beside, addition);
    if (exists == TrailerExists::kReplace) block_.erase(found);
  }

  std::string Text(const TrailerEdit& edit) const {
    std::string text;
    for (const Trailer& one : block_) {
      in_.budget.Step();
      if ((edit.trims_empty && one.value.empty()) || (edit.only_trailers && !one.token)) continue;
      if (!one.token) {
        text += one.value + "\n";
        continue;
      }
      const size_t last = one.token->find_last_not_of(" \t\r\n");
      if (last == std::string::npos) continue;
      text += *one.token;
      if (rules_.separators.find((*one.token)[last]) == std::string::npos) text += (rules_.separators.empty() ? std::string() : std::string(1, rules_.separators[0])) + " ";
      text += one.value + "\n";
    }
    return text;
  }

 private:
  // Whether one of that kind and value stands at `at` or beyond it, on the way to where a new one would not go.
  bool HasSame(std::list<Trailer>::iterator at, const Addition& addition) {
    while (true) {
      in_.budget.Step();
      if (IsSame(*at, addition)) return true;
      if (addition.goes_behind() ? at == block_.begin() : std::next(at) == block_.end()) return false;
      if (addition.goes_behind()) --at;
      else ++at;
    }
  }
  void Insert(std::list<Trailer>::iterator before, const Addition& addition) {
    in_.budget.WillAllocate(sizeof(Trailer) + addition.token.size() + addition.value.size());
    block_.insert(before, Trailer{addition.token, addition.value});
  }
  // The value becomes what the command of the kind writes. `present`: the value of the one that is there.
  void RunCommand(Addition& addition, const std::string& present) {
    if (!addition.rule.cmd && !addition.rule.command) return;
    const std::string argument = addition.value.empty() ? present : addition.value;
    std::string line = addition.rule.cmd ? *addition.rule.cmd : *addition.rule.command;
    std::vector<std::string> args = {"sh", "-c", line};
    if (addition.rule.cmd) {
      args = {"sh", "-c", line + " \"$@\"", line, argument};
    } else if (const size_t at = line.find("$ARG"); at != std::string::npos) {
      line.replace(at, 4, argument);
      args[2] = line;
    }
    Environment environment = in_.env;
    for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}) environment.Unset(name);
    const auto output = StandardOutput(in_, std::move(args), environment);
    addition.value.clear();
    if (!output || output->status != 0) {
      in_.err.Write("error: running trailer command '" + line + "' failed\n");
      return;
    }
    const size_t begin = output->text.find_first_not_of(" \t\r\n"), end = output->text.find_last_not_of(" \t\r\n");
    if (begin != std::string::npos) addition.value = output->text.substr(begin, end - begin + 1);
  }

  Invocation& in_;
  const TrailerRules& rules_;
  std::list<Trailer> block_;
};

}  // namespace

std::string WithNewTrailers(Invocation& in, std::string_view message, const TrailerRules& rules, const std::vector<NewTrailer>& added, const TrailerEdit& edit) {
  const TrailerPlace place = FindTrailers(message, rules, !edit.no_divider, in.budget);
  const std::string_view block = message.substr(place.begin, place.end - place.begin);
  std::list<Trailer> trailers;
  for (std::string_view line : TrailerLines(block, rules, in.budget)) {
    if (line[0] == rules.comment) continue;
    in.budget.WillAllocate(sizeof(Trailer) + line.size());
    const size_t separator = rules.SeparatorOf(line);
    if (separator != std::string_view::npos && separator > 0) {
      Trailer one = SplitTrailer(line, separator, rules, nullptr, in.budget);
      if (edit.unfolds) one.value = UnfoldedTrailer(one.value);
      trailers.push_back(std::move(one));
    } else if (!edit.only_trailers) {
      if (line.ends_with('\n')) line.remove_suffix(1);
      trailers.push_back({std::nullopt, std::string(line)});
    }
  }
  TrailerEditor editor(in, rules, std::move(trailers));
  if (!edit.only_input) {
    std::vector<Addition> additions;
    for (const TrailerRule& rule : rules.kinds) {
      if (rule.command) additions.push_back({rule.key.value_or(rule.name), "", rule});
    }
    for (const NewTrailer& one : added) {
      const size_t separator = rules.SeparatorOf(one.text, "=");
      if (separator == 0) {
        in.err.Write("error: empty trailer token in trailer '" + one.text + "'\n");
        continue;
      }
      const TrailerRule* rule = nullptr;
      Trailer parts = SplitTrailer(one.text, separator, rules, &rule, in.budget);
      Addition addition{*parts.token, parts.value, *rule};
      addition.rule.where = one.where.value_or(rule->where);
      addition.rule.if_exists = one.if_exists.value_or(rule->if_exists);
      addition.rule.if_missing = one.if_missing.value_or(rule->if_missing);
      additions.push_back(std::move(addition));
    }
    for (Addition& addition : additions) editor.Add(std::move(addition));
  }
  if (edit.only_trailers) return editor.Text(edit);
  return std::string(message.substr(0, place.begin)) + (place.has_gap ? "" : "\n") + editor.Text(edit) + std::string(message.substr(place.end));
}

}  // namespace paddock::git
