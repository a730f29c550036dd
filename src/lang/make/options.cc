#include "lang/make/options.h"

#include <charconv>

#include "lang/make/words.h"

namespace paddock::make {
namespace options {

Status Jobs(Settings& settings, std::string_view text) {
  settings.has_jobs = true;
  settings.jobs = 0;
  if (text.data() == nullptr) return {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), settings.jobs);
  if (error != std::errc() || end != text.data() + text.size() || settings.jobs == 0) {
    return Error(Code::kInvalid, "the '-j' option requires a positive integer argument");
  }
  return {};
}
Status NoRules(Settings& settings, std::string_view) {
  settings.has_no_variables = settings.has_no_rules = true;
  return {};
}
Status Stop(Settings& settings, std::string_view) {
  settings.keeps_going = false;
  return {};
}
Status NotSilent(Settings& settings, std::string_view) {
  settings.is_silent = false;
  return {};
}
Status NoDirectory(Settings& settings, std::string_view) {
  settings.never_prints_directory = true;
  settings.prints_directory = false;
  return {};
}
Status Ignored(Settings&, std::string_view) { return {}; }
Status Load(Settings& settings, std::string_view text) {
  settings.most_load = -1;
  if (text.data() == nullptr) return {};
  settings.most_load = 0;   // of what is no number
  std::from_chars(text.data(), text.data() + text.size(), settings.most_load);
  return {};
}
Status OutputSync(Settings& settings, std::string_view text) {
  if (text.data() == nullptr || text == "target") {
    settings.sync = Settings::Sync::kTarget;
  } else if (text == "line") {
    settings.sync = Settings::Sync::kLine;
  } else if (text == "recurse") {
    settings.sync = Settings::Sync::kRecurse;
  } else if (text == "none") {
    settings.sync = Settings::Sync::kNone;
  } else {
    return Error(Code::kInvalid, "*** unknown output-sync type '" + std::string(text) + "'.  Stop.");
  }
  return {};
}
Status Debug(Settings& settings, std::string_view text) {
  if (text.data() == nullptr) text = "basic";
  settings.debug_levels.emplace_back(text);
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = std::min(rest.find_first_of(", "), rest.size());
    switch (rest[0]) {
      case 'b':
      case 'm': settings.debugs = true; break;
      case 'v': settings.debugs = settings.debugs_more = true; break;
      case 'n': settings.debugs = settings.debugs_more = false; break;
      case 'a':
      case 'i':
      case 'j': return Error(Code::kInvalid, "*** debug level '" + std::string(rest.substr(0, end)) + "' is not supported.  Stop.");
      default: return Error(Code::kInvalid, "*** unknown debug level specification '" + std::string(rest) + "'.  Stop.");
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

}  // namespace options

Status ParseWords(std::span<const std::string> words, Settings& settings, bool takes_goals) {
  PADDOCK_ASSIGN(const ParsedOptions parsed, ParseOptions(words, kOptions, &settings));
  for (const std::string& operand : parsed.operands) {
    if (ParseAssignment(operand).how != Assign::kNone) {
      settings.assignments.push_back(operand);
    } else if (takes_goals && !operand.empty()) {
      settings.goals.push_back(operand);
    }
  }
  if (settings.has_no_variables) settings.has_no_rules = true;
  return {};
}

Status ParseFlags(std::string_view flags, Settings& settings) {
  std::vector<std::string> words{"make"};
  std::string word;
  bool has_word = false;
  for (size_t i = 0; i <= flags.size(); ++i) {
    if (i == flags.size() || IsSpace(flags[i])) {
      if (has_word) words.push_back(std::move(word));
      word.clear();
      has_word = false;
      continue;
    }
    if (flags[i] == '\\' && i + 1 < flags.size()) ++i;
    if (flags[i] == '$' && i + 1 < flags.size() && flags[i + 1] == '$') ++i;
    word += flags[i];
    has_word = true;
  }
  if (words.size() == 1) return {};
  if (words[1][0] != '-' && words[1].find('=') == std::string::npos) words[1].insert(0, "-");
  return ParseWords(words, settings, false);
}

}  // namespace paddock::make
