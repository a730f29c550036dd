#include "shell/interactive/completer.h"

#include <algorithm>

#include "base/options.h"
#include "shell/builtins/builtin.h"
#include "shell/builtins/completion_generator.h"
#include "shell/builtins/completion_rules.h"
#include "shell/exec/jobs.h"
#include "shell/exec/program.h"
#include "shell/interactive/command_site.h"
#include "shell/shell.h"
#include "shell/state/name.h"
#include "vfs/file_system.h"

namespace paddock::shell {
namespace {

// In place of a quote: what a rule of `complete` gives is typed as it is.
constexpr char kAsItIs = 1;
constexpr std::string_view kQuotedOutside = " \t|&;()<>*?[]{}$`\"'\\!#~";

struct Candidate {
  std::string text;
  bool is_directory = false;
};

// Text as it is typed inside the quotes that are open, or with backslashes outside of any.
std::string QuoteFor(std::string_view text, char quote) {
  std::string quoted;
  for (const char c : text) {
    if (quote == '\'' && c == '\'') {
      quoted += "'\\''";
    } else if (quote == 0 && (c == '\n' || static_cast<unsigned char>(c) < 32)) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "$'\\%03o'", static_cast<unsigned char>(c));
      quoted += escape;
    } else {
      const std::string_view special = quote == 0 ? kQuotedOutside : quote == '"' ? "$`\"\\" : "";
      if (special.find(c) != std::string_view::npos) quoted += '\\';
      quoted += c;
    }
  }
  return quoted;
}

// What all begin with, not cut inside a character.
std::string CommonBeginning(const std::vector<Candidate>& candidates) {
  std::string common = candidates.front().text;
  for (const Candidate& candidate : candidates) {
    const auto [end, other] = std::mismatch(common.begin(), common.end(), candidate.text.begin(), candidate.text.end());
    common.erase(end, common.end());
  }
  const bool is_whole = std::all_of(candidates.begin(), candidates.end(), [&](const Candidate& candidate) {
    return candidate.text.size() == common.size() || (candidate.text[common.size()] & 0xC0) != 0x80;
  });
  while (!is_whole && !common.empty()) {
    const bool is_lead = (common.back() & 0xC0) == 0xC0;
    common.pop_back();
    if (is_lead) break;
  }
  return common;
}

class Completer {
 public:
  Completer(Shell& shell, std::string_view line, size_t cursor)
      : shell_(shell), line_(line), cursor_(cursor), site_(FindSite(line, cursor)) {}

  LineCompletion Complete() {
    if (site_.variable != std::string::npos) return CompleteVariable();
    if (site_.is_target) return CompleteFile(false);
    if (site_.is_command) return CompleteCommand();
    if (auto found = CompleteByRule()) return std::move(*found);
    const bool ends_options = std::find(site_.words.begin(), site_.words.end(), "--") != site_.words.end();
    if (site_.text.starts_with('-') && !ends_options) {
      if (auto found = CompleteOption()) return std::move(*found);
    }
    return CompleteArgument();
  }

 private:
  // The result for words that are inserted as they are from `from` on.
  LineCompletion Finish(std::vector<Candidate> candidates, size_t from, std::string_view typed, char quote,
                        std::string_view ending) {
    LineCompletion result{.from = from, .replacement = {}, .shown = {}};
    if (candidates.empty()) return result;
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.text < b.text; });
    const auto last = std::unique(candidates.begin(), candidates.end(),
                                  [](const Candidate& a, const Candidate& b) { return a.text == b.text; });
    candidates.erase(last, candidates.end());
    if (candidates.size() == 1) {
      const Candidate& only = candidates.front();
      result.replacement = QuoteFor(only.text, quote);
      if (only.is_directory) result.replacement += '/';
      else result.replacement += ending;
      return result;
    }
    const std::string common = CommonBeginning(candidates);
    if (common.size() > typed.size()) result.replacement = QuoteFor(common, quote);
    for (const Candidate& candidate : candidates) {
      result.shown.push_back(candidate.text + (candidate.is_directory ? "/" : ""));
    }
    return result;
  }

  // Closes the word.
  std::string Ending() const { return site_.quote == 0 ? " " : std::string(1, site_.quote) + " "; }

  // Names without a path, in place of the whole word.
  LineCompletion FinishWords(std::vector<std::string> words, std::string_view ending, bool is_quoted = true) {
    std::vector<Candidate> candidates;
    for (std::string& word : words) candidates.push_back({std::move(word), false});
    return Finish(std::move(candidates), site_.begin + (site_.quote == 0 ? 0 : 1), site_.text,
                  is_quoted ? site_.quote : kAsItIs, ending);
  }

  LineCompletion CompleteVariable() {
    const std::string typed(line_.substr(site_.variable, cursor_ - site_.variable));
    std::vector<Candidate> candidates;
    for (const std::string& name : shell_.variables.Names(typed)) candidates.push_back({name, false});
    const bool is_bare = !site_.has_brace && site_.quote == 0;
    LineCompletion result = Finish(std::move(candidates), site_.variable, typed, 0, site_.has_brace ? "}" : "");
    // A directory's variable is the beginning of a path.
    if (result.shown.empty() && !result.replacement.empty() && !site_.has_brace) {
      const auto stat = shell_.files().Stat(shell_.GetOr(result.replacement, ""));
      if (stat && stat->is_directory()) result.replacement += '/';
      else if (is_bare) result.replacement += ' ';
    }
    return result;
  }

  LineCompletion CompleteCommand() {
    const size_t equals = site_.text.find('=');
    if (equals != std::string::npos && IsName(std::string_view(site_.text).substr(0, equals))) {
      return CompleteFile(false, site_.text.find_last_of("=:") + 1);
    }
    if (site_.text.find('/') != std::string::npos || site_.text.starts_with('~')) return CompleteFile(false, 0, true);
    return FinishWords(Generate(CompletionAction::kCommand), Ending());
  }

  std::vector<std::string> Generate(CompletionAction action) {
    CompletionRule rule;
    rule.actions = 1u << static_cast<unsigned>(action);
    return GenerateCompletions(shell_, rule, site_.text);
  }

  // What `complete` says about the command.
  std::optional<LineCompletion> CompleteByRule() {
    if (!shell_.completions || !shell_.options.Get(ShoptOption::kProgcomp)) return std::nullopt;
    const auto& rules = shell_.completions->rules;
    auto it = rules.find(site_.words[0]);
    if (it == rules.end()) it = rules.find(vfs::BaseName(site_.words[0]));
    if (it == rules.end()) it = rules.find("-D");
    if (it == rules.end()) return std::nullopt;
    const CompletionRule rule = it->second;   // a function may change the table
    CompletionSite place{.words = site_.words, .index = site_.words.size(), .line = std::string(line_), .point = cursor_};
    place.words.push_back(site_.text);
    std::vector<std::string> found = GenerateCompletions(shell_, rule, site_.text, &place);
    const auto has = [&](const char* name) { return (rule.options & *FindCompletionOption(name)) != 0; };
    if (found.empty() && has("bashdefault")) return std::nullopt;
    if (!has("filenames") && rule.actions == 0) {
      return FinishWords(std::move(found), has("nospace") ? "" : Ending(), /*is_quoted=*/false);
    }
    std::vector<Candidate> candidates;
    for (std::string& name : found) {
      const auto stat = shell_.files().Stat(name);
      candidates.push_back({std::move(name), stat && stat->is_directory()});
    }
    return Finish(std::move(candidates), site_.begin + (site_.quote == 0 ? 0 : 1), site_.text, site_.quote,
                  has("nospace") ? "" : Ending());
  }

  // Options out of a command's table, or the letters of a builtin's usage.
  std::optional<LineCompletion> CompleteOption() {
    std::vector<Candidate> candidates;
    bool takes_value = false;
    const std::string name = vfs::BaseName(site_.words[0]);
    const Command* command = shell_.FindFunction(name) == nullptr ? shell_.host().FindCommand(name) : nullptr;
    const Builtin* builtin = FindBuiltin(name);
    if (command != nullptr && command->parses_options) {
      const size_t equals = site_.text.find('=');
      if (site_.text.starts_with("--") && equals != std::string::npos) return CompleteFile(false, equals + 1);
      for (const Option& option : command->options) {
        if (option.short_name != 0 && option.help != nullptr) Offer(candidates, std::string("-") + option.short_name);
        if (option.long_name == nullptr || option.help == nullptr) continue;
        const bool needs_value = option.argument == OptionArgument::kRequired;
        if (Offer(candidates, std::string("--") + option.long_name + (needs_value ? "=" : ""))) takes_value = needs_value;
      }
      Offer(candidates, "--help");
      Offer(candidates, "--version");
    } else if (builtin != nullptr) {
      OfferLetters(candidates, builtin->usage);
    }
    if (candidates.empty()) return std::nullopt;
    const bool ends_open = candidates.size() == 1 && takes_value;
    return Finish(std::move(candidates), site_.begin + (site_.quote == 0 ? 0 : 1), site_.text, site_.quote,
                  ends_open ? "" : Ending());
  }

  bool Offer(std::vector<Candidate>& candidates, std::string option) const {
    if (!option.starts_with(site_.text)) return false;
    candidates.push_back({std::move(option), false});
    return true;
  }

  // "[-lnprs] [-u fd]" holds -l -n -p -r -s -u.
  void OfferLetters(std::vector<Candidate>& candidates, std::string_view usage) const {
    for (size_t i = 0; i + 1 < usage.size(); ++i) {
      if (usage[i] != '-' || (i > 0 && usage[i - 1] != '[' && usage[i - 1] != ' ' && usage[i - 1] != '|')) continue;
      for (++i; i < usage.size() && ((usage[i] | 32) >= 'a' && (usage[i] | 32) <= 'z'); ++i) {
        Offer(candidates, std::string("-") + usage[i]);
      }
    }
  }

  // Arguments of builtins that take something else than files.
  LineCompletion CompleteArgument() {
    const std::string& name = site_.words[0];
    const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (is_one_of({"cd", "pushd", "rmdir"})) return CompleteFile(true);
    if (is_one_of({"unset", "export", "readonly", "declare", "typeset", "local"}) && site_.text.find('=') == std::string::npos) {
      return FinishWords(Generate(CompletionAction::kVariable), name == "unset" ? " " : "");
    }
    if (name == "unalias") return FinishWords(Generate(CompletionAction::kAlias), " ");
    if (name == "help") return FinishWords(Generate(CompletionAction::kHelptopic), " ");
    if (name == "shopt") return FinishWords(Generate(CompletionAction::kShopt), " ");
    if (is_one_of({"type", "which", "hash"})) return FinishWords(Generate(CompletionAction::kCommand), " ");
    if (is_one_of({"fg", "bg", "jobs", "kill", "disown", "wait"}) && site_.text.starts_with('%')) return CompleteJob();
    const size_t equals = site_.text.find('=');
    const bool is_assignment = equals != std::string::npos && IsName(std::string_view(site_.text).substr(0, equals));
    return CompleteFile(false, is_assignment ? equals + 1 : 0);
  }

  LineCompletion CompleteJob() {
    std::vector<std::string> numbers;
    for (const Job& job : shell_.jobs().jobs()) {
      const std::string number = "%" + std::to_string(job.number);
      if (number.starts_with(site_.text)) numbers.push_back(number);
    }
    return FinishWords(std::move(numbers), " ");
  }

  // The directory part of a word as a path: `~` and plain variables stand for their values.
  std::string DirectoryOf(std::string_view lead) {
    std::string path;
    size_t i = 0;
    if (lead.starts_with("~/")) {
      path = shell_.GetOr("HOME", "");
      i = 1;
    }
    while (i < lead.size()) {
      if (lead[i] != '$' || site_.quote == '\'') {
        path += lead[i++];
        continue;
      }
      const bool has_brace = i + 1 < lead.size() && lead[i + 1] == '{';
      const size_t begin = i + (has_brace ? 2 : 1);
      size_t end = begin;
      while (end < lead.size() && IsName(lead.substr(begin, end + 1 - begin))) ++end;
      path += shell_.GetOr(lead.substr(begin, end - begin), "");
      i = end + (has_brace && end < lead.size() ? 1 : 0);
    }
    return path;
  }

  // Files for the part of the word from offset `begin` of its text on. What stands before the last slash is
  // left as it was typed.
  LineCompletion CompleteFile(bool directories_only, size_t begin = 0, bool programs_only = false) {
    const std::string_view text = std::string_view(site_.text).substr(begin);
    const size_t slash = text.rfind('/');
    const std::string_view lead = text.substr(0, slash == std::string_view::npos ? 0 : slash + 1);
    const std::string_view base = text.substr(lead.size());
    const size_t from = TypedBegin(base);
    const std::string directory = DirectoryOf(lead);
    std::vector<Candidate> candidates;
    const auto entries = shell_.files().List(directory.empty() ? "." : directory);
    if (!entries) return {.from = from, .replacement = {}, .shown = {}};
    for (const vfs::DirectoryEntry& entry : *entries) {
      shell_.budget().Step();
      if (!entry.name.starts_with(base) || (base.empty() && entry.name.starts_with('.'))) continue;
      const std::string path = directory + entry.name;
      const auto stat = shell_.files().Stat(path);
      const bool is_directory = stat && stat->is_directory();
      if (directories_only && !is_directory) continue;
      if (programs_only && !is_directory && !shell_.files().Access(path, 1)) continue;
      candidates.push_back({entry.name, is_directory});
    }
    return Finish(std::move(candidates), from, base, site_.quote, Ending());
  }

  // Where in the line the typed form of `base`, the end of the word, begins: behind as many characters as give
  // it without quotes.
  size_t TypedBegin(std::string_view base) const {
    size_t from = cursor_;
    for (size_t left = base.size(); left > 0 && from > site_.begin;) {
      --from;
      const char c = line_[from];
      const bool is_quote = c == '\'' || c == '"' || c == '\\';
      const bool is_literal = from > site_.begin && line_[from - 1] == '\\' && site_.quote != '\'';
      if (is_literal && base[left - 1] == c) {
        --from;
        --left;
      } else if (!is_quote || base[left - 1] == c) {
        --left;
      }
    }
    // A quote that opens the base name stays where it is.
    return from;
  }

  Shell& shell_;
  std::string_view line_;
  size_t cursor_;
  CommandSite site_;
};

}  // namespace

LineCompletion CompleteLine(Shell& shell, std::string_view line, size_t cursor) {
  return Completer(shell, line, std::min(cursor, line.size())).Complete();
}

}  // namespace paddock::shell
