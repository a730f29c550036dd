// What the configuration says of trailers. Source: git-interpret-trailers(1), "CONFIGURATION VARIABLES".
#include <strings.h>

#include <algorithm>

#include "commands/git/mail/trailers.h"

namespace paddock::git {
namespace {

bool IsAlnum(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsSame(std::string_view text, const char* word) { return text.size() == std::string_view(word).size() && strncasecmp(text.data(), word, text.size()) == 0; }

// Sets what a name behind "trailer." or "trailer.KIND." sets; false: the value is none of its.
bool TakePlacement(TrailerRule& rule, std::string_view name, std::string_view value) {
  if (name == "where") {
    const auto where = ParseTrailerWhere(value);
    rule.where = where.value_or(rule.where);
    return where.has_value();
  }
  if (name == "ifexists") {
    const auto exists = ParseTrailerExists(value);
    rule.if_exists = exists.value_or(rule.if_exists);
    return exists.has_value();
  }
  if (name == "ifmissing") {
    const auto missing = ParseTrailerMissing(value);
    rule.if_missing = missing.value_or(rule.if_missing);
    return missing.has_value();
  }
  return true;
}

}  // namespace

std::optional<TrailerWhere> ParseTrailerWhere(std::string_view text) {
  if (IsSame(text, "after")) return TrailerWhere::kAfter;
  if (IsSame(text, "before")) return TrailerWhere::kBefore;
  if (IsSame(text, "end")) return TrailerWhere::kEnd;
  if (IsSame(text, "start")) return TrailerWhere::kStart;
  return std::nullopt;
}
std::optional<TrailerExists> ParseTrailerExists(std::string_view text) {
  if (IsSame(text, "addIfDifferent")) return TrailerExists::kAddIfDifferent;
  if (IsSame(text, "addIfDifferentNeighbor")) return TrailerExists::kAddIfDifferentNeighbor;
  if (IsSame(text, "add")) return TrailerExists::kAdd;
  if (IsSame(text, "replace")) return TrailerExists::kReplace;
  if (IsSame(text, "doNothing")) return TrailerExists::kDoNothing;
  return std::nullopt;
}
std::optional<TrailerMissing> ParseTrailerMissing(std::string_view text) {
  if (IsSame(text, "doNothing")) return TrailerMissing::kDoNothing;
  if (IsSame(text, "add")) return TrailerMissing::kAdd;
  return std::nullopt;
}

bool TrailerRule::IsMeantBy(std::string_view token) const {
  while (!token.empty() && !IsAlnum(token.back())) token.remove_suffix(1);
  const auto begins = [token](const std::string& text) { return text.size() >= token.size() && strncasecmp(text.data(), token.data(), token.size()) == 0; };
  return begins(name) || (key && begins(*key));
}

const TrailerRule* TrailerRules::Find(std::string_view token, Budget& budget) const {
  budget.Step(static_cast<int64_t>(kinds.size()));
  const auto found = std::find_if(kinds.begin(), kinds.end(), [token](const TrailerRule& rule) { return rule.IsMeantBy(token); });
  return found == kinds.end() ? nullptr : &*found;
}

size_t TrailerRules::SeparatorOf(std::string_view line, std::string_view more) const {
  bool has_blank = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (separators.find(c) != std::string::npos || more.find(c) != std::string_view::npos) return i;
    if (!has_blank && (c == '-' || IsAlnum(c))) continue;
    if (i == 0 || (c != ' ' && c != '\t')) return std::string_view::npos;
    has_blank = true;
  }
  return std::string_view::npos;
}

TrailerRules TrailerRules::Load(const Config& config, Budget& budget, const std::function<void(const std::string&)>& warn) {
  TrailerRules rules;
  const auto complain = [&warn](const std::string& text) {
    if (warn) warn(text);
  };
  const auto refuse = [&complain](const ConfigEntry& entry) { complain("unknown value '" + entry.value.value_or("") + "' for key '" + entry.key + "'"); };
  if (const auto comment = config.Get("core.commentchar"); comment && comment->size() == 1) rules.comment = (*comment)[0];
  for (const ConfigEntry& entry : config.entries()) {
    budget.Step();
    if (!entry.key.starts_with("trailer.") || entry.key.find('.', 8) != std::string::npos) continue;
    const std::string name = entry.key.substr(8);
    if (name == "separators") rules.separators = entry.value.value_or("");
    else if (!TakePlacement(rules.other, name, entry.value.value_or(""))) refuse(entry);
  }
  for (const ConfigEntry& entry : config.entries()) {
    budget.Step();
    const size_t dot = entry.key.rfind('.');
    if (!entry.key.starts_with("trailer.") || dot < 8) continue;
    const std::string kind = entry.key.substr(8, dot - 8), name = entry.key.substr(dot + 1);
    static constexpr std::string_view kNames[] = {"key", "command", "cmd", "where", "ifexists", "ifmissing"};
    if (std::find(std::begin(kNames), std::end(kNames), name) == std::end(kNames)) continue;
    budget.Step(static_cast<int64_t>(rules.kinds.size()));
    auto rule = std::find_if(rules.kinds.begin(), rules.kinds.end(), [&kind](const TrailerRule& one) { return strcasecmp(one.name.c_str(), kind.c_str()) == 0; });
    if (rule == rules.kinds.end()) {
      budget.WillAllocate(sizeof(TrailerRule) + kind.size());
      rules.kinds.push_back(rules.other);
      rule = rules.kinds.end() - 1;
      rule->name = kind;
    }
    std::optional<std::string>* const text = name == "key" ? &rule->key : name == "command" ? &rule->command : name == "cmd" ? &rule->cmd : nullptr;
    if (text != nullptr) {
      if (*text) complain("more than one " + entry.key);
      *text = entry.value.value_or("");
    } else if (!TakePlacement(*rule, name, entry.value.value_or(""))) {
      refuse(entry);
    }
  }
  return rules;
}

}  // namespace paddock::git
