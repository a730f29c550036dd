#include "commands/sys/manual.h"

#include <algorithm>

#include "proc/option_complaint.h"
#include "text/pattern.h"
#include "text/regex.h"

namespace paddock::manual {
namespace {

constexpr size_t kIndent = 7, kDeepIndent = 14;
constexpr size_t kNameColumns = 20;

std::string Capital(std::string_view text) {
  std::string capital(text);
  for (char& c : capital) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return capital;
}

// Fills lines with the words of `text`.
void AddWrapped(std::string& page, std::string_view text, size_t indent, size_t width) {
  std::string line(indent, ' ');
  bool has_word = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (has_word && line.size() + 1 + word.size() > width) {
      page += line + "\n";
      line.assign(indent, ' ');
      has_word = false;
    }
    if (has_word) line += ' ';
    line += word;
    has_word = true;
  }
  if (has_word) page += line + "\n";
}

std::string OptionHead(const Option& option) {
  std::string head;
  if (option.short_name != 0) head = std::string("-") + option.short_name;
  if (option.long_name != nullptr) head += (head.empty() ? "--" : ", --") + std::string(option.long_name);
  if (option.value_name == nullptr) return head;
  const bool is_optional = option.argument == OptionArgument::kOptional;
  const std::string value = (option.long_name != nullptr ? "=" : is_optional ? "" : " ") + std::string(option.value_name);
  return head + (is_optional ? "[" + value + "]" : value);
}

std::string ThreeParts(std::string_view left, std::string_view middle, std::string_view right, size_t width) {
  std::string line(left);
  const size_t used = left.size() + middle.size() + right.size();
  const size_t room = width > used ? width - used : 2;
  line.append(std::max<size_t>(room / 2, 1), ' ').append(middle);
  return line.append(std::max<size_t>(room - room / 2, 1), ' ').append(right) + "\n";
}

void AddOptions(std::string& page, const Command& command, size_t width, Budget& budget) {
  page += "\nOPTIONS\n";
  for (const Option& option : command.options) {
    budget.Step();
    if (option.help == nullptr) continue;
    page.append(kIndent, ' ').append(OptionHead(option)) += "\n";
    AddWrapped(page, option.help, kDeepIndent, width);
    page += "\n";
  }
  const auto has = [&](std::string_view name) {
    return std::any_of(command.options.begin(), command.options.end(), [&](const Option& option) { return option.long_name != nullptr && option.long_name == name; });
  };
  if (!has("help")) page += "       --help\n              display this help and exit\n\n";
  if (!has("version")) page += "       --version\n              output version information and exit\n\n";
  page.pop_back();
}

bool IsWordByte(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}
bool HasWord(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !IsWordByte(text[at - 1])) && (end == text.size() || !IsWordByte(text[end]))) return true;
  }
  return false;
}

// One keyword of a search.
class Keyword {
 public:
  static Result<Keyword> Parse(const std::string& text, const Query& query) {
    Keyword keyword(text, query);
    if (query.look == Look::kRegex) {
      PADDOCK_ASSIGN(keyword.regex_, Regex::Compile(text, {.dialect = RegexDialect::kExtended, .ignore_case = true}));
    }
    return keyword;
  }
  const std::string& text() const { return text_; }

  // Fails when a regular expression needs more steps than a search may take.
  Result<bool> Matches(const Entry& entry, Budget& budget) const {
    const std::string name = Lower(entry.name);
    const std::string summary = Lower(entry.command->summary);
    switch (query_->look) {
      case Look::kName: return name == lower_;
      case Look::kExact: return name == lower_ || (!query_->names_only && !lower_.empty() && HasWord(summary, lower_));
      case Look::kRegex: {
        PADDOCK_ASSIGN(const bool is_named, regex_->Search(entry.name, 0, nullptr, budget));
        if (is_named || query_->names_only) return is_named;
        return regex_->Search(entry.command->summary, 0, nullptr, budget);
      }
      case Look::kWildcard: return MatchesWildcard(name, summary, budget);
    }
    return false;
  }

 private:
  Keyword(const std::string& text, const Query& query) : text_(text), lower_(Lower(text)), query_(&query), pattern_(lower_, PatternFlags{.extglob = false}) {}

  bool MatchesWildcard(const std::string& name, std::string_view summary, Budget& budget) const {
    if (pattern_.Matches(name, budget)) return true;
    if (query_->names_only) return false;
    while (!summary.empty()) {
      const size_t end = std::min(summary.find(' '), summary.size());
      if (pattern_.Matches(summary.substr(0, end), budget)) return true;
      summary.remove_prefix(std::min(end + 1, summary.size()));
    }
    return false;
  }

  std::string text_, lower_;
  const Query* query_;
  Pattern pattern_;
  std::optional<Regex> regex_;
};

}  // namespace

std::vector<Entry> AllEntries(Invocation& in) {
  std::vector<Entry> entries;
  for (const Command* command : in.launcher.commands()) {
    in.budget.Step();
    entries.push_back({command->name, command});
    for (const char* alias : command->aliases) entries.push_back({alias, command});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return entries;
}

std::string Page(const Entry& entry, size_t width, Budget& budget) {
  const Command& command = *entry.command;
  const std::string title = Capital(entry.name) + "(1)";
  std::string page = ThreeParts(title, "User Commands", title, width);
  page += "\nNAME\n";
  AddWrapped(page, entry.name + " - " + command.summary, kIndent, width);
  page += "\nSYNOPSIS\n";
  for (std::string_view synopsis = command.synopsis; !synopsis.empty();) {
    const size_t end = std::min(synopsis.find('\n'), synopsis.size());
    page.append(kIndent, ' ').append(entry.name).append(" ").append(synopsis.substr(0, end)) += "\n";
    synopsis.remove_prefix(std::min(end + 1, synopsis.size()));
  }
  page += "\nDESCRIPTION\n";
  std::string summary = command.summary;
  if (!summary.empty()) summary[0] = Capital(summary.substr(0, 1))[0];
  AddWrapped(page, summary + ".", kIndent, width);
  for (std::string_view details = command.details; !details.empty();) {
    budget.Step();
    const size_t end = std::min(details.find('\n'), details.size());
    if (page.ends_with("\n") && details.data() == command.details && end > 0) page += "\n";
    if (end > 0) page.append(kIndent, ' ').append(details.substr(0, end));
    page += "\n";
    details.remove_prefix(std::min(end + 1, details.size()));
  }
  if (!command.options.empty()) AddOptions(page, command, width, budget);
  return page + "\n" + ThreeParts("Paddock", "", title, width);
}

std::string SummaryLine(const Entry& entry, size_t width) {
  std::string line = entry.name + " (1)";
  if (line.size() < kNameColumns) line.append(kNameColumns - line.size(), ' ');
  line += " - ";
  const std::string_view summary = entry.command->summary;
  if (width == 0 || line.size() + summary.size() < width) return line + std::string(summary);
  const size_t room = width > line.size() + 4 ? width - line.size() - 4 : 0;
  return line + std::string(summary.substr(0, room)) + "...";
}

bool HasSection(std::string_view sections) {
  if (sections.empty()) return true;
  while (!sections.empty()) {
    const size_t end = std::min(sections.find_first_of(":,"), sections.size());
    if (sections.substr(0, end) == "1") return true;
    sections.remove_prefix(std::min(end + 1, sections.size()));
  }
  return false;
}

bool IsElsewhere(std::string_view trees) {
  if (trees.empty()) return false;
  while (!trees.empty()) {
    const size_t end = std::min(trees.find(':'), trees.size());
    if (vfs::NormalizePath(trees.substr(0, end)) == "/usr/share/man") return false;
    trees.remove_prefix(std::min(end + 1, trees.size()));
  }
  return true;
}

Trees ReadConfiguration(Invocation& in, const std::string& path) {
  Trees trees;
  const auto text = vfs::ReadFile(in.fs, path);
  if (!text) return trees;   // as man-db, which goes on without
  trees.told = "From the config file " + path + ":\n";
  for (std::string_view rest = *text; !rest.empty();) {
    in.budget.Step();
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::vector<std::string> words;
    while (true) {
      const size_t from = line.find_first_not_of(" \t");
      if (from == std::string_view::npos || words.size() == 3) break;
      line.remove_prefix(from);
      const size_t length = std::min(line.find_first_of(" \t"), line.size());
      words.emplace_back(line.substr(0, length));
      line.remove_prefix(length);
    }
    if (words.size() >= 2 && words[0] == "MANDATORY_MANPATH") {
      trees.paths.push_back(words[1]);
      trees.told += "  Mandatory mandir `" + words[1] + "'.\n";
    } else if (words.size() == 3 && words[0] == "MANPATH_MAP") {
      trees.told += "  Path `" + words[1] + "' mapped to mandir `" + words[2] + "'.\n";
    } else if (words.size() == 3 && words[0] == "MANDB_MAP") {
      trees.told += "  Global mandir `" + words[1] + "', catdir `" + words[2] + "'.\n";
    }
  }
  return trees;
}

ExitStatus Find(Invocation& in, const Query& query, const std::vector<std::string>& keywords) {
  std::vector<Keyword> parsed;
  for (const std::string& text : keywords) {
    auto keyword = Keyword::Parse(text, query);
    if (!keyword) return in.Fail("fatal: regex `" + text + "': Invalid regular expression", 2);
    parsed.push_back(std::move(*keyword));
  }
  if (query.debugs) in.err.Write(ReadConfiguration(in, query.configuration.empty() ? "/etc/manpath.config" : query.configuration).told + "final search path = /usr/share/man\npath=/usr/share/man\n");
  std::vector<bool> is_found(parsed.size());
  std::vector<Entry> found;
  if (HasSection(query.sections) && !query.is_elsewhere) {
    for (Entry& entry : AllEntries(in)) {
      size_t matches = 0;
      for (size_t i = 0; i < parsed.size(); ++i) {
        in.budget.Step();
        const auto is_match = parsed[i].Matches(entry, in.budget);
        if (!is_match) return in.Fail("fatal: regex `" + parsed[i].text() + "': " + std::string(is_match.error().Text()), 2);
        if (!*is_match) continue;
        is_found[i] = true;
        if (query.look == Look::kName) entry.name = parsed[i].text();   // as it was asked for
        ++matches;
      }
      if (matches == 0 || (query.all && matches < parsed.size())) continue;
      if (query.debugs) {
        in.err.Write("name:      " + entry.name + "\nsec. ext:  1\nsection:   1\ncomp. ext: -\nid:        A\npointer:   -\nfilter:    -\nwhatis:    " + entry.command->summary + "\n\n");
      }
      found.push_back(std::move(entry));
    }
  }
  for (size_t i = 0; i < parsed.size(); ++i) {
    if (!is_found[i] || (query.all && found.empty())) in.err.Write(parsed[i].text() + ": nothing appropriate.\n");
  }
  const size_t width = query.is_long ? 0 : Columns(in.env, "MANWIDTH");
  for (const Entry& entry : found) in.out.WriteLine(SummaryLine(entry, width));
  return found.empty() ? kNothingFound : 0;
}

ExitStatus Search(Invocation& in, Look look, bool names_only) {
  SearchOptions options{.look = look};
  ExitStatus status = 0;
  const auto operands = Parse(in, &options, &status);
  if (!operands) return status;
  if (options.wants_help || options.wants_version) return Tell(in, options.wants_help);
  if (operands->empty()) {
    in.out.Write(std::string(in.name()) + " what?\n");
    return 1;
  }
  return Find(in, {.names_only = names_only, .look = options.look, .all = options.all, .is_long = options.is_long, .is_elsewhere = options.is_elsewhere, .sections = options.sections, .configuration = options.configuration, .debugs = options.debugs}, *operands);
}

std::optional<std::vector<std::string>> Parse(Invocation& in, void* options, ExitStatus* status) {
  auto parsed = ParseOptions(in.args, in.command.options, options, in.command.rules);
  *status = 1;
  if (!parsed) {
    ComplainOfOption(in, parsed.error().Text());
    const std::string name(in.name_in_messages());
    in.err.Write("Try '" + name + " --help' or '" + name + " --usage' for more information.\n");
    return std::nullopt;
  }
  if (!parsed->wants_help && !parsed->wants_version) return std::move(parsed->operands);
  *status = Tell(in, parsed->wants_help);
  return std::nullopt;
}

ExitStatus Tell(Invocation& in, bool help) {
  in.out.Write(help ? HelpText(in.command, in.name_in_messages()) : VersionText(in.command, in.name()));
  return 0;
}

size_t Columns(const Environment& environment, std::string_view variable) {
  constexpr size_t kDefault = 80, kLeast = 20, kMost = 1000;
  for (const std::string_view name : {variable, std::string_view("COLUMNS")}) {
    const std::string_view text = environment.Get(name, "");
    if (text.empty() || text.size() > 4 || text.find_first_not_of("0123456789") != std::string_view::npos) continue;
    const size_t columns = std::stoul(std::string(text));
    if (columns > 0) return std::clamp(columns, kLeast, kMost);
  }
  return kDefault;
}

}  // namespace paddock::manual
