#include "shell/builtins/completion_generator.h"

#include <algorithm>
#include <set>

#include "proc/signals.h"
#include "shell/builtins/completion_rules.h"
#include "shell/builtins/lookup.h"
#include "shell/exec/jobs.h"
#include "shell/expand/expander.h"
#include "shell/parser/parser.h"
#include "shell/state/assign.h"
#include "text/pattern.h"

namespace paddock::shell {
namespace {

class Generator {
 public:
  Generator(Shell& shell, const CompletionRule& rule, std::string word, const CompletionSite* site)
      : shell_(shell), rule_(rule), word_(std::move(word)), site_(site) {}

  std::vector<std::string> Generate() {
    AddShellNames();
    AddSystemNames();
    if (rule_.glob) AddAll(Glob(shell_, *rule_.glob), false);
    if (rule_.words) AddWords();
    if (rule_.function) AddFromFunction();
    if (rule_.command) AddFromCommand();
    Filter();
    for (std::string& found : found_) found = rule_.prefix.value_or("") + found + rule_.suffix.value_or("");
    const bool wants_directories = (found_.empty() && HasOption("dirnames")) || HasOption("plusdirs");
    if (wants_directories) AddFiles(true);
    if (found_.empty() && HasOption("default")) AddFiles(false);
    return std::move(found_);
  }

 private:
  bool Wants(CompletionAction action) const { return Has(rule_, action); }
  bool HasOption(std::string_view name) const { return (rule_.options & *FindCompletionOption(name)) != 0; }

  void Add(const std::string& candidate) {
    shell_.budget().Step();
    if (candidate.starts_with(word_)) found_.push_back(candidate);
  }
  void AddAll(std::vector<std::string> candidates, bool by_prefix = true) {
    for (std::string& candidate : candidates) {
      if (by_prefix) Add(candidate);
      else found_.push_back(std::move(candidate));
    }
  }
  void AddSorted(std::vector<std::string> candidates) {
    std::sort(candidates.begin(), candidates.end());
    AddAll(std::move(candidates));
  }

  void AddVariables(bool (*wanted)(const Variable&)) {
    for (const std::string& name : shell_.variables.Names(word_)) {
      const Variable* variable = shell_.variables.Find(Name(name));
      if (variable != nullptr && wanted(*variable)) Add(name);
    }
  }

  void AddBuiltins(bool enabled, bool disabled) {
    for (const Builtin* builtin : AllBuiltins()) {
      if (IsDisabled(shell_, builtin->name) ? disabled : enabled) Add(builtin->name);
    }
  }

  void AddJobs(bool running, bool stopped) {
    for (const Job& job : shell_.jobs().jobs()) {
      if (job.is_done() || !(job.is_stopped ? stopped : running)) continue;
      Add(job.text.substr(0, job.text.find(' ')));
    }
  }

  void AddShellNames() {
    using A = CompletionAction;
    if (Wants(A::kAlias)) AddAliases();
    if (Wants(A::kArrayvar)) AddVariables([](const Variable& v) { return v.is_array(); });
    if (Wants(A::kBuiltin)) AddBuiltins(true, true);
    if (Wants(A::kDisabled)) AddBuiltins(false, true);
    if (Wants(A::kEnabled)) AddBuiltins(true, false);
    if (Wants(A::kExport)) AddVariables([](const Variable& v) { return v.has(kExported); });
    if (Wants(A::kFunction)) AddAll(shell_.FunctionNames());
    if (Wants(A::kHelptopic)) AddBuiltins(true, true);
    if (Wants(A::kHostname)) AddHosts();
    if (Wants(A::kJob)) AddJobs(true, true);
    if (Wants(A::kKeyword)) AddKeywords();
    if (Wants(A::kRunning)) AddJobs(true, false);
    if (Wants(A::kService)) AddTable("/etc/services", " \t");
    if (Wants(A::kSetopt)) {
      for (const SetOptionInfo& info : SetOptions()) Add(info.name);
    }
    if (Wants(A::kShopt)) {
      for (const ShoptOptionInfo& info : ShoptOptions()) Add(info.name);
    }
    if (Wants(A::kSignal)) AddSignals();
    if (Wants(A::kStopped)) AddJobs(false, true);
    if (Wants(A::kVariable)) AddVariables([](const Variable&) { return true; });
  }

  void AddSystemNames() {
    using A = CompletionAction;
    if (Wants(A::kCommand)) AddCommands();
    if (Wants(A::kFile)) AddFiles(false);
    if (Wants(A::kUser)) AddTable("/etc/passwd", ":");
    if (Wants(A::kGroup)) AddTable("/etc/group", ":");
    if (Wants(A::kDirectory)) AddFiles(true);
  }

  void AddAliases() {
    for (const auto& [name, alias] : *shell_.aliases) Add(name);
  }

  void AddKeywords() {
    static constexpr const char* kWords[] = {"if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until",
                                             "do", "done", "in", "function", "time", "{", "}", "!", "[[", "]]", "coproc"};
    for (const char* word : kWords) Add(word);
  }

  void AddSignals() {
    Add("EXIT");
    for (int signal = 1; signal < kTrapDebug; ++signal) {
      const std::string name = proc::SignalName(signal);
      if (!name.empty() && (name[0] < '0' || name[0] > '9')) Add("SIG" + name);
    }
    Add("DEBUG");
    Add("ERR");
    Add("RETURN");
  }

  // The first fields of the lines of a table such as /etc/passwd.
  void AddTable(const char* path, std::string_view separators) {
    const auto text = vfs::ReadFile(shell_.files(), path);
    if (!text) return;
    for (const std::string& line : SplitFields(*text, "\n")) {
      const std::string name = line.substr(0, line.find_first_of(separators));
      if (!name.empty() && name[0] != '#') Add(name);
    }
  }

  void AddHosts() {
    const auto text = vfs::ReadFile(shell_.files(), "/etc/hosts");
    if (!text) return;
    for (const std::string& line : SplitFields(*text, "\n")) {
      const auto fields = SplitFields(line.substr(0, line.find('#')), " \t");
      for (size_t i = 1; i < fields.size(); ++i) Add(fields[i]);
    }
  }

  void AddCommands() {
    std::set<std::string> names;
    for (const auto& [name, alias] : *shell_.aliases) names.insert(name);
    for (const std::string& name : shell_.FunctionNames()) names.insert(name);
    for (const Builtin* builtin : AllBuiltins()) names.insert(builtin->name);
    std::string_view rest = shell_.Get("PATH").value_or("");
    while (!rest.empty()) {
      const size_t colon = rest.find(':');
      const std::string directory(colon == 0 ? "." : rest.substr(0, colon));
      if (const auto entries = shell_.files().List(directory)) {
        for (const vfs::DirectoryEntry& entry : *entries) {
          shell_.budget().Step();
          if (!entry.name.starts_with(word_)) continue;
          const std::string path = vfs::JoinPath(directory, entry.name);
          const auto stat = shell_.files().Stat(path);
          if (stat && stat->is_file() && shell_.files().Access(path, 1)) names.insert(entry.name);
        }
      }
      if (colon == std::string_view::npos) break;
      rest.remove_prefix(colon + 1);
    }
    AddKeywords();
    AddAll({names.begin(), names.end()});
  }

  void AddFiles(bool directories_only) {
    const size_t slash = word_.find_last_of('/');
    const std::string lead = slash == std::string::npos ? "" : word_.substr(0, slash + 1);
    const auto entries = shell_.files().List(lead.empty() ? "." : lead);
    if (!entries) return;
    for (const vfs::DirectoryEntry& entry : *entries) {
      const std::string path = lead + entry.name;
      if (!path.starts_with(word_)) continue;
      if (directories_only) {
        const auto stat = shell_.files().Stat(path);
        if (!stat || !stat->is_directory()) continue;
      }
      Add(path);
    }
  }

  // -W: the list is split by IFS outside quotes, then each piece is expanded.
  void AddWords() {
    const std::string& list = *rule_.words;
    const std::string ifs = shell_.ifs();
    std::string piece;
    char quote = 0;
    int nesting = 0;
    const auto finish = [&] {
      if (piece.empty()) return;
      const auto word = ParseWord(piece, shell_.parser_options(), shell_.budget());
      std::vector<std::string> fields;
      if (word && ExpandListWord(*word, &fields)) AddAll(std::move(fields));
      piece.clear();
    };
    for (size_t i = 0; i < list.size(); ++i) {
      shell_.budget().Step();
      const char c = list[i];
      if (c == '\\' && quote != '\'' && i + 1 < list.size()) {
        piece += c;
        piece += list[++i];
        continue;
      }
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '(' || c == '{') {
        nesting += i > 0 && (list[i - 1] == '$' || nesting > 0) ? 1 : 0;
      } else if ((c == ')' || c == '}') && nesting > 0) {
        --nesting;
      } else if (nesting == 0 && ifs.find(c) != std::string::npos) {
        finish();
        continue;
      }
      piece += c;
    }
    finish();
  }

  // Expansion as of a command's word, but without path names.
  bool ExpandListWord(const Word& word, std::vector<std::string>* fields) {
    const bool had_noglob = shell_.options.Get(SetOption::kNoglob);
    shell_.options.Put(SetOption::kNoglob, true);
    const bool expanded = ExpandWord(shell_, word, fields);
    shell_.options.Put(SetOption::kNoglob, had_noglob);
    return expanded;
  }

  void AddFromFunction() {
    if (site_ == nullptr) shell_.Complain("compgen", "warning: -F option may not work as you expect");
    if (shell_.FindFunction(*rule_.function) == nullptr) {
      shell_.Complain("completion: function `" + *rule_.function + "' not found");
      return;
    }
    UnsetVariable(shell_, "COMPREPLY", false);
    const auto given = Arguments();
    if (site_ != nullptr) TellSite();
    shell_.CallFunction(*rule_.function, given);
    for (const char* name : {"COMP_WORDS", "COMP_CWORD", "COMP_LINE", "COMP_POINT", "COMP_KEY", "COMP_TYPE"}) {
      if (site_ != nullptr) UnsetVariable(shell_, name, false);
    }
    const Variable* reply = shell_.variables.Find(Name("COMPREPLY"));
    if (reply != nullptr && reply->has(kIndexed) && reply->indexed) {
      reply->indexed->ForEach([&](int64_t, const std::string& value) { found_.push_back(value); });
    } else if (reply != nullptr && reply->is_set && !reply->is_array()) {
      found_.push_back(reply->text);
    }
    UnsetVariable(shell_, "COMPREPLY", false);
  }

  // $1, $2 and $3 of a function or command: the command, the word, the word before it.
  std::vector<std::string> Arguments() const {
    if (site_ == nullptr) return {"compgen", word_, ""};
    return {site_->words.empty() ? "" : site_->words[0], word_, site_->index == 0 ? "" : site_->words[site_->index - 1]};
  }

  void TellSite() {
    Variable& words = shell_.variables.Obtain(Name("COMP_WORDS"));
    words = Variable{};
    words.attributes |= kIndexed;
    words.indexed = std::make_shared<IndexedArray>();
    words.is_set = true;
    for (size_t i = 0; i < site_->words.size(); ++i) words.indexed->Set(static_cast<int64_t>(i), site_->words[i]);
    shell_.SetShellVariable("COMP_CWORD", std::to_string(site_->index));
    shell_.SetShellVariable("COMP_LINE", site_->line);
    shell_.SetShellVariable("COMP_POINT", std::to_string(site_->point));
    shell_.SetShellVariable("COMP_KEY", "9");
    shell_.SetShellVariable("COMP_TYPE", "9");
  }

  void AddFromCommand() {
    if (site_ == nullptr) shell_.Complain("compgen", "warning: -C option may not work as you expect");
    std::string command = *rule_.command;
    for (const std::string& argument : Arguments()) command += " " + QuoteForReuse(argument);
    const Captured captured = shell_.SubstituteText(command, shell_.line);
    AddAll(SplitFields(captured.text, "\n"), false);
  }

  // -X: a pattern whose '&' is the word; matches go, or with '!' all others.
  void Filter() {
    if (!rule_.filter) return;
    std::string_view text = *rule_.filter;
    const bool keeps_matches = text.starts_with('!');
    if (keeps_matches) text.remove_prefix(1);
    std::string pattern_text;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\' && i + 1 < text.size()) {
        if (text[i + 1] != '&') pattern_text += '\\';
        pattern_text += text[++i];
      } else if (text[i] == '&') {
        pattern_text += QuotePattern(word_);
      } else {
        pattern_text += text[i];
      }
    }
    const Pattern pattern(pattern_text, {.is_utf8 = shell_.locale().is_utf8});
    std::erase_if(found_, [&](const std::string& found) { return pattern.Matches(found, shell_.budget()) != keeps_matches; });
  }

  Shell& shell_;
  const CompletionRule& rule_;
  const std::string word_;
  const CompletionSite* const site_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> GenerateCompletions(Shell& shell, const CompletionRule& rule, const std::string& word,
                                             const CompletionSite* site) {
  return Generator(shell, rule, word, site).Generate();
}

}  // namespace paddock::shell
