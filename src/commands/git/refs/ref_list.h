// What for-each-ref, branch and tag have in common: which references they list, and in what order.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/option_tables.h"
#include "commands/git/refs/ref_field.h"
#include "commands/git/refs/revision.h"

namespace paddock::git {

struct RefListOptions {
  std::vector<std::string> contains, no_contains, merged, no_merged, points_at, sorts;
  std::string format;
  bool ignores_case = false, colours = false;
  // Whether there is a condition.
  bool HasFilter() const { return !contains.empty() || !no_contains.empty() || !merged.empty() || !no_merged.empty() || !points_at.empty(); }
};

Status TakeRefColour(RefListOptions& options, std::string_view value);
template <class O>
Status TakeListColour(O& options, std::string_view value) { return TakeRefColour(options, value); }

template <class O>
constexpr auto RefListOptionTable() {
  return std::array{
      Value<&O::format>(0, "format", "FORMAT", "what is shown of each"),
      CallOptional<TakeListColour<O>>(0, "color", "WHEN", "with colours: always, never, or auto, which means never, too"),
      Set<&O::colours, false>(0, "no-color", "without colours (the default)"),
      Value<&O::sorts>(0, "sort", "FIELD", "in order of FIELD, '-' before it turns that round"),
      Value<&O::points_at>(0, "points-at", "OBJECT", "only those of OBJECT"),
      Value<&O::merged>(0, "merged", "COMMIT", "only what COMMIT contains"),
      Value<&O::no_merged>(0, "no-merged", "COMMIT", "only what it does not"),
      Value<&O::contains>(0, "contains", "COMMIT", "only what contains COMMIT"),
      Value<&O::no_contains>(0, "no-contains", "COMMIT", "only what does not"),
  };
}
// --contains and its like take the next argument, whatever it is, or HEAD at the end.
std::vector<std::string> WithCommits(std::vector<std::string> args);

// The conditions, looked up once.
class RefFilter {
 public:
  // Nothing when a name is wrong; that is told, with the status in `status`.
  static Result<std::optional<RefFilter>> Make(Git& git, const RefListOptions& options, ExitStatus& status);
  Result<bool> Keeps(const Oid& id);

 private:
  explicit RefFilter(Git& git) : git_(git), history_(git) {}
  Result<bool> ContainsOne(const std::vector<Oid>& commits, const Oid& id);

  Git& git_;
  History history_;
  std::vector<Oid> contains_, no_contains_, points_at_;
  std::optional<std::set<Oid>> merged_, no_merged_;
};

template <class O, auto kRun>
constexpr Subcommand DefineRefList(Subcommand subcommand) {
  subcommand.run = [](Invocation& in, const Subcommand& self, Git* git, std::vector<std::string> args) -> ExitStatus {
    return DefineSubcommand<O, kRun>(self).run(in, self, git, WithCommits(std::move(args)));
  };
  return subcommand;
}

}  // namespace paddock::git
