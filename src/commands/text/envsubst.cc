// envsubst - substitute the values of environment variables
//
// usage: envsubst [OPTION] [SHELL-FORMAT]
// Copies standard input and puts the values in place of $NAME and ${NAME}; with SHELL-FORMAT only of the variables that stand in it.
//
// Exit status: 0, or 1 for a usage error.
// Source: GNU gettext 0.21.
// Differs: nothing known.

#include <set>

#include "proc/command.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

struct Options {
  bool lists_variables = false;
  bool wants_help = false;
  bool wants_version = false;
};

constexpr Option kOptions[] = {
    Flag<&Options::lists_variables>('v', "variables", "output the variables occurring in SHELL-FORMAT"),
    Flag<&Options::wants_help>('h', "help", "display this help and exit"),
    Flag<&Options::wants_version>('V', "version", "output version information and exit"),
};

bool IsFirst(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsRest(int c) { return IsFirst(c) || (c >= '0' && c <= '9'); }

// Reads bytes and tells references apart from text. What looked like one and is none stays text.
class Scanner {
 public:
  explicit Scanner(Budget& budget) : budget_(budget) {}

  // `text` gets what is no reference, `reference` the name and the text of one.
  template <class Text, class Reference>
  void Take(char c, const Text& text, const Reference& reference) {
    budget_.Step();
    if (seen_.empty()) {
      if (c == '$') seen_ = "$";
      else text(std::string_view(&c, 1));
      return;
    }
    const bool is_braced = seen_.size() > 1 && seen_[1] == '{';
    const size_t start = is_braced ? 2 : 1;
    if (!is_braced && seen_.size() == 1 && c == '{') {
      seen_ += c;
      return;
    }
    const bool belongs = seen_.size() == start ? IsFirst(static_cast<unsigned char>(c)) : IsRest(static_cast<unsigned char>(c));
    if (belongs) {
      seen_ += c;
      return;
    }
    if (is_braced && c == '}' && seen_.size() > start) {
      const std::string name = seen_.substr(start);
      seen_ += c;
      reference(name, std::string_view(seen_));
      seen_.clear();
      return;
    }
    End(text, reference);
    Take(c, text, reference);
  }
  template <class Text, class Reference>
  void End(const Text& text, const Reference& reference) {
    if (seen_.size() > 1 && seen_[1] != '{') reference(seen_.substr(1), std::string_view(seen_));
    else text(seen_);
    seen_.clear();
  }

 private:
  Budget& budget_;
  std::string seen_;   // "$", "${NA", "$NAM" …
};

ExitStatus Run(Invocation& in) {
  Options options;
  ExitStatus status = 0;
  auto operands = PrepareWithLetters(in, options, &status);
  if (!operands) return status;
  if (operands->size() > 1) return in.Fail("too many arguments");
  if (options.lists_variables && operands->empty()) return in.Fail("missing arguments");
  const bool is_restricted = !operands->empty();
  std::set<std::string, std::less<>> wanted;
  const auto no_text = [](std::string_view) {};
  if (is_restricted) {
    Scanner scanner(in.budget);
    const auto note = [&](const std::string& name, std::string_view) {
      if (options.lists_variables) in.out.WriteLine(name);
      wanted.insert(name);
    };
    for (const char c : (*operands)[0]) scanner.Take(c, no_text, note);
    scanner.End(no_text, note);
    if (options.lists_variables) return 0;
  }
  const auto text = [&in](std::string_view bytes) { in.out.Write(bytes); };
  const auto value = [&](const std::string& name, std::string_view reference) {
    if (is_restricted && !wanted.contains(name)) in.out.Write(reference);
    else in.out.Write(in.env.Get(name, ""));
  };
  Scanner scanner(in.budget);
  for (int c = in.in.Get(); c >= 0 && in.out.status(); c = in.in.Get()) scanner.Take(static_cast<char>(c), text, value);
  scanner.End(text, value);
  if (!in.in.status()) return in.Fail("error while reading \"standard input\"", in.in.status().error());
  return 0;
}

}  // namespace

extern const Command kCommand_envsubst;
const Command kCommand_envsubst = {
    .name = "envsubst",
    .summary = "substitute the values of environment variables",
    .synopsis = "[OPTION] [SHELL-FORMAT]",
    .options = kOptions,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
