#include "commands/git/history/log_filter.h"

#include <algorithm>

namespace paddock::git {

Result<Filter> Filter::Make(Git& git, const LogOptions& options) {
  Filter filter(git, options);
  PADDOCK_TRY(filter.Compile(options.authors, filter.authors_));
  PADDOCK_TRY(filter.Compile(options.committers, filter.committers_));
  PADDOCK_TRY(filter.Compile(options.greps, filter.greps_));
  PADDOCK_TRY(filter.Compile(options.grep_reflogs, filter.entries_));
  if ((!options.authors.empty() || !options.committers.empty()) && options.use_mailmap.value_or(git.config.GetBool("log.mailmap", true))) filter.mailmap_ = Mailmap::Load(git);
  PADDOCK_TRY(filter.TakeTime(options.since, filter.since_));
  PADDOCK_TRY(filter.TakeTime(options.until, filter.until_));
  return filter;
}

Result<bool> Filter::Keeps(const Commit& commit) {
  const int64_t parents = static_cast<int64_t>(commit.parents.size());
  if (options_.min_parents && parents < *options_.min_parents) return false;
  if (options_.max_parents && *options_.max_parents >= 0 && parents > *options_.max_parents) return false;
  if (options_.max_age || options_.min_age || since_ || until_) {
    const int64_t time = SignatureTime(commit.committer);
    if ((options_.max_age && time < *options_.max_age) || (options_.min_age && time > *options_.min_age)) return false;
    if ((since_ && time < *since_) || (until_ && time > *until_)) return false;
  }
  const auto is_by = [this](const std::vector<Regex>& patterns, const std::string& text) -> Result<bool> {
    if (patterns.empty()) return true;
    const Signature who = mailmap_ ? mailmap_->Map(ParseSignature(text)) : ParseSignature(text);
    return AnyMatches(patterns, who.name + " <" + who.email + ">", false);
  };
  PADDOCK_ASSIGN(const bool by_author, is_by(authors_, commit.author));
  PADDOCK_ASSIGN(const bool by_committer, is_by(committers_, commit.committer));
  if (!by_author || !by_committer) return false;
  if (greps_.empty()) return true;
  PADDOCK_ASSIGN(const bool matches, AnyMatches(greps_, commit.message, options_.all_match));
  return matches != options_.invert;
}

Status Filter::Compile(const std::vector<std::string>& patterns, std::vector<Regex>& out) {
  RegexFlags flags;
  flags.dialect = options_.perl ? RegexDialect::kPerl : options_.extended ? RegexDialect::kGrepExtended : RegexDialect::kGrepBasic;
  flags.ignore_case = options_.ignores_case;
  flags.is_literal = options_.fixed;
  flags.multiline = true;
  flags.newline_is_text = false;
  flags.is_utf8 = git_.in.locale.is_utf8;
  for (const std::string& pattern : patterns) {
    auto regex = Regex::Compile(pattern, flags);
    if (!regex) return Error(Code::kInvalid, "command line, '" + pattern + "': " + std::string(regex.error().Text()));
    out.push_back(std::move(*regex));
  }
  return {};
}

Status Filter::TakeTime(const std::string& text, std::optional<int64_t>& out) {
  if (text.empty()) return {};
  out = git_.ReadDate(text).seconds;
  return {};
}

Result<bool> Filter::AnyMatches(const std::vector<Regex>& patterns, const std::string& text, bool all) {
  if (patterns.empty()) return true;
  for (const Regex& pattern : patterns) {
    PADDOCK_ASSIGN(const bool matches, pattern.Search(text, 0, nullptr, git_.in.budget));
    if (matches != all) return matches;
  }
  return all;
}

}  // namespace paddock::git
