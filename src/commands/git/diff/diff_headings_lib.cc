// What hunk headers say behind @@, by the languages that .gitattributes names (diff=python).
#include "commands/git/diff/diff.h"
#include "text/regex.h"

namespace paddock::git {
namespace {

struct Driver {
  std::string_view name;
  std::string_view pattern;    // of a line that begins something; the first group is what is shown
  std::string_view excluded;   // of lines that look so and are none
};
// In our own words, for the definitions of each language.
constexpr Driver kDrivers[] = {
    {"python", R"(^[ \t]*((class|(async[ \t]+)?def)[ \t].*)$)", ""},
    {"ruby", R"(^[ \t]*((class|module|def)[ \t].*)$)", ""},
    {"golang", R"(^[ \t]*(func[ \t]*.*(\{[ \t]*)?)|^[ \t]*(type[ \t].*(struct|interface)[ \t]*(\{[ \t]*)?))", ""},
    {"rust", R"(^[\t ]*((pub(\([^)]+\))?[\t ]+)?((async|const|unsafe|extern([\t ]+"[^"]+"))[\t ]+)?(struct|enum|union|mod|trait|fn|impl|macro_rules!)[< \t]+[^;]*)$)", ""},
    {"java", R"(^[ \t]*((([a-z-]+[ \t]+)*(class|enum|interface|record)[ \t]+.*)|([A-Za-z_<>&][][?&<>.,A-Za-z_0-9]*[ \t]+)+[A-Za-z_][A-Za-z_0-9]*[ \t]*\([^;]*)$)", R"(^[ \t]*(catch|do|for|if|instanceof|new|return|switch|throw|while))"},
    {"cpp", R"(^((::[[:space:]]*)?[A-Za-z_].*)$)", R"(^[ \t]*[A-Za-z_][A-Za-z_0-9]*:[[:space:]]*($|/[/*]))"},
    {"markdown", R"(^ {0,3}(#{1,6}([ \t].*|$)))", ""},
    {"css", R"(^[ \t]*([_a-z0-9].*|[:.#\[].*)$)", ""},
    {"html", R"(^[ \t]*(<[Hh][1-6]([ \t].*)?>.*)$)", ""},
    {"php", R"(^[\t ]*((((abstract|final)[\t ]+)?class|enum|interface|trait)[ \t].*|((public|protected|private|static|abstract|final)[\t ]+)*function.*)$)", ""},
    {"perl", R"(^[ \t]*((package|sub) .*[^;{]?)|^(BEGIN|END|INIT|CHECK|UNITCHECK|AUTOLOAD|DESTROY|=head[0-9] .*))", ""},
    {"bash", R"(^[ \t]*(([a-zA-Z_][a-zA-Z0-9_]*[ \t]*\([ \t]*\)|function[ \t]+[a-zA-Z_][a-zA-Z0-9_]*([ \t]*\([ \t]*\)|[ \t]+)).*)$)", ""},
};

}  // namespace

HeadingRule HeadingRuleOf(std::string_view driver, Budget& budget) {
  for (const Driver& one : kDrivers) {
    if (one.name != driver) continue;
    auto pattern = Regex::Compile(one.pattern, {.dialect = RegexDialect::kExtended});
    if (!pattern) return {};
    auto shared = std::make_shared<Regex>(std::move(*pattern));
    std::shared_ptr<Regex> excluded;
    if (!one.excluded.empty()) {
      if (auto compiled = Regex::Compile(one.excluded, {.dialect = RegexDialect::kExtended})) excluded = std::make_shared<Regex>(std::move(*compiled));
    }
    return [shared, excluded, &budget](std::string_view line) -> std::optional<std::string> {
      if (line.ends_with('\n')) line.remove_suffix(1);
      if (excluded) {
        const auto found = excluded->Search(line, 0, nullptr, budget);
        if (found && *found) return std::nullopt;
      }
      std::vector<RegexGroup> groups(3);
      const auto found = shared->Search(line, 0, &groups, budget);
      if (!found || !*found) return std::nullopt;
      for (size_t i = 1; i < groups.size(); ++i) {
        if (groups[i].is_set()) return std::string(line.substr(groups[i].begin, groups[i].end - groups[i].begin));
      }
      return std::string(line.substr(groups[0].begin, groups[0].end - groups[0].begin));
    };
  }
  return {};
}

}  // namespace paddock::git
