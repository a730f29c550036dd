// getopt - parse the options of a shell script
//
// usage: getopt OPTSTRING PARAMETER...
//        getopt [options] [--] OPTSTRING PARAMETER...
//        getopt [options] -o OPTSTRING [options] [--] PARAMETER...
//
// Exit status: 0; 1 if the parameters were wrong, 2 if getopt's own were, 4 for -T.
// Source: util-linux 2.38.
// Differs: nothing known.

#include <algorithm>

#include "proc/command.h"
#include "proc/option_complaint.h"

namespace paddock {
namespace {

struct Options {
  bool alternative = false, quiet = false, quiet_output = false, test = false, unquoted = false, wants_help = false;
  bool wants_version = false, is_csh = false;
  std::vector<std::string> long_options;
  std::optional<std::string> name, short_options;
};
Status SetShell(Options& o, std::string_view shell) {
  if (shell == "sh" || shell == "bash") o.is_csh = false;
  else if (shell == "csh" || shell == "tcsh") o.is_csh = true;
  else return Error(Code::kSyntax, "unknown shell after -s or --shell argument");
  return {};
}
constexpr Option kOptions[] = {
    Flag<&Options::alternative>('a', "alternative", "allow long options starting with a single -"),
    Value<&Options::long_options>('l', "longoptions", "LONGOPTS", "the long options to be recognized"),
    Value<&Options::name>('n', "name", "PROGNAME", "the name under which errors are reported"),
    Value<&Options::short_options>('o', "options", "OPTSTRING", "the short options to be recognized"),
    Flag<&Options::quiet>('q', "quiet", "report no errors"),
    Flag<&Options::quiet_output>('Q', "quiet-output", "no normal output"),
    Call<SetShell>('s', "shell", "SHELL", "quote as SHELL wants it (sh, bash, csh, tcsh)"),
    Flag<&Options::test>('T', "test", "test for this version of getopt: status 4"),
    Flag<&Options::unquoted>('u', "unquoted", "do not quote the output"),
    Flag<&Options::wants_help>('h', nullptr, "display this help and exit"),
    Flag<&Options::wants_version>('V', nullptr, "output version information and exit"),
};

// Whether an option takes an argument: no colon, one, two.
enum class Takes { kNothing, kArgument, kMaybe };
struct LongOption {
  std::string name;
  Takes takes;
};

Takes TakesAfter(std::string_view rest) {
  return rest.starts_with("::") ? Takes::kMaybe : rest.starts_with(":") ? Takes::kArgument : Takes::kNothing;
}

class Scanner {
 public:
  Scanner(Invocation& in, const Options& o, std::string short_options, std::string name)
      : in_(in), o_(o), letters_(std::move(short_options)), name_(std::move(name)) {
    if (letters_.starts_with('+')) stops_ = true;
    else if (letters_.starts_with('-')) in_order_ = true;
    if (stops_ || in_order_) letters_.erase(0, 1);
    if (in.env.Get("POSIXLY_CORRECT")) stops_ = true;
    if (letters_.starts_with(':')) {
      letters_.erase(0, 1);
      is_silent_ = true;
    }
  }

  std::optional<ExitStatus> AddLongOptions() {
    for (const std::string& list : o_.long_options) {
      std::string_view rest = list;
      while (!rest.empty()) {
        in_.budget.Step();
        const size_t end = rest.find_first_of(", \t\n");
        std::string_view name = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (name.empty()) continue;
        Takes takes = Takes::kNothing;
        if (name.ends_with("::")) takes = Takes::kMaybe, name.remove_suffix(2);
        else if (name.ends_with(":")) takes = Takes::kArgument, name.remove_suffix(1);
        if (name.empty()) {
          in_.Usage("empty long option after -l or --long argument");
          return 2;
        }
        longs_.push_back({std::string(name), takes});
      }
    }
    return std::nullopt;
  }

  ExitStatus Run(const std::vector<std::string>& words) {
    size_t i = 0;
    for (; i < words.size(); ++i) {
      in_.budget.Step(1 + static_cast<int64_t>(longs_.size()));
      const std::string& word = words[i];
      if (word == "--") {
        ++i;
        break;
      }
      if (word.size() < 2 || word[0] != '-') {
        if (stops_) break;
        if (in_order_) Put(" " + Quoted(word));
        else operands_.push_back(word);
        continue;
      }
      if (word[1] == '-') Long(std::string_view(word).substr(2), "--", words, i);
      else if (!o_.alternative || longs_.empty() || !Alternative(word, words, i)) Short(std::string_view(word).substr(1), words, i);
    }
    if (o_.quiet_output) return status_;
    Put(" --");
    for (const std::string& operand : operands_) Put(" " + Quoted(operand));
    for (; i < words.size(); ++i) Put(" " + Quoted(words[i]));
    in_.out.Put('\n');
    return status_;
  }

 private:
  void Put(const std::string& text) {
    in_.budget.Step();
    if (!o_.quiet_output) in_.out.Write(text);
  }
  void Fail(const std::string& message) {
    status_ = 1;
    if (!o_.quiet && !is_silent_) {
      in_.out.Flush();
      in_.err.Write(name_ + ": " + message + "\n");
    }
  }

  std::string Quoted(std::string_view text) const {
    if (o_.unquoted) return std::string(text);
    std::string quoted = "'";
    for (const char c : text) {
      if (c == '\'') quoted += "'\\''";
      else if (o_.is_csh && c == '\\') quoted += "\\\\";
      else if (o_.is_csh && c == '!') quoted += "'\\!'";
      else if (o_.is_csh && c == '\n') quoted += "\\n";
      else if (o_.is_csh && (c == ' ' || (c >= '\t' && c <= '\r'))) quoted += std::string("'\\") + c + "'";
      else quoted += c;
    }
    return quoted + "'";
  }

  // "-foo" with -a. False when it is a bundle of letters after all.
  bool Alternative(const std::string& word, const std::vector<std::string>& words, size_t& i) {
    const std::string_view text = std::string_view(word).substr(1);
    const std::string_view name = text.substr(0, text.find('='));
    const bool is_letter = letters_.find(word[1]) != std::string::npos && word[1] != ':';
    if (is_letter && word.size() == 2) return false;
    const bool known = std::any_of(longs_.begin(), longs_.end(), [&](const LongOption& l) { return l.name.starts_with(name); });
    if (!known && is_letter) return false;
    Long(text, "-", words, i);
    return true;
  }

  void Long(std::string_view text, const char* dashes, const std::vector<std::string>& words, size_t& i) {
    const size_t equals = text.find('=');
    const std::string name(text.substr(0, equals));
    std::vector<const LongOption*> found;
    for (const LongOption& option : longs_) {
      if (!option.name.starts_with(name)) continue;
      if (option.name == name) {
        found = {&option};
        break;
      }
      found.push_back(&option);
    }
    const bool is_ambiguous = found.size() > 1 && std::any_of(found.begin(), found.end(), [&](const LongOption* l) { return l->name != found[0]->name; });
    if (is_ambiguous) {
      std::string list;
      for (const LongOption* option : found) list += " '" + std::string(dashes) + option->name + "'";
      return Fail("option '" + std::string(dashes) + std::string(text) + "' is ambiguous; possibilities:" + list);
    }
    if (found.empty()) return Fail("unrecognized option '" + std::string(dashes) + std::string(text) + "'");
    const LongOption& option = *found[0];
    const std::string full = dashes + option.name;
    if (equals != std::string::npos && option.takes == Takes::kNothing) return Fail("option '" + full + "' doesn't allow an argument");
    if (equals == std::string::npos && option.takes == Takes::kArgument && i + 1 >= words.size()) return Fail("option '" + full + "' requires an argument");
    Put(" --" + option.name);
    if (option.takes == Takes::kNothing) return;
    if (equals != std::string::npos) Put(" " + Quoted(text.substr(equals + 1)));
    else Put(" " + (option.takes == Takes::kMaybe ? Quoted("") : Quoted(words[++i])));
  }

  void Short(std::string_view text, const std::vector<std::string>& words, size_t& i) {
    while (!text.empty()) {
      in_.budget.Step();
      const char letter = text[0];
      text.remove_prefix(1);
      const size_t at = letter == ':' || letter == ';' ? std::string::npos : letters_.find(letter);
      if (at == std::string::npos) {
        Fail(std::string("invalid option -- '") + letter + "'");
        continue;
      }
      const Takes takes = TakesAfter(std::string_view(letters_).substr(at + 1));
      if (takes == Takes::kArgument && text.empty() && i + 1 >= words.size()) {
        return Fail(std::string("option requires an argument -- '") + letter + "'");
      }
      Put(std::string(" -") + letter);
      if (takes == Takes::kNothing) continue;
      if (!text.empty() || takes == Takes::kMaybe) Put(" " + Quoted(text));
      else Put(" " + Quoted(words[++i]));
      return;
    }
  }

  Invocation& in_;
  const Options& o_;
  std::string letters_, name_;
  std::vector<LongOption> longs_;
  std::vector<std::string> operands_;
  bool stops_ = false, in_order_ = false, is_silent_ = false;
  ExitStatus status_ = 0;
};

ExitStatus Run(Invocation& in) {
  const bool is_compatible = in.env.Get("GETOPT_COMPATIBLE").has_value();
  Options options;
  if (in.args.size() == 1) {
    if (!is_compatible) return in.Usage("missing optstring argument");
    in.out.Write(" --\n");
    return 0;
  }
  std::vector<std::string> words(in.args.begin() + 1, in.args.end());
  const std::string own_name(in.name());
  if (!words[0].starts_with('-') || is_compatible) {
    // The old form: the first word holds the letters, and nothing is quoted.
    options.unquoted = true;
    std::string letters = words[0];
    letters.erase(0, std::min(letters.find_first_not_of("-+"), letters.size()));
    words.erase(words.begin());
    return Scanner(in, options, letters, in.args[0]).Run(words);
  }
  const auto parsed = ParseOptions(in.args, kOptions, &options, {.stop_at_operand = true});
  if (!parsed) return OptionUsage(in, parsed.error().Text());
  if (parsed->wants_help || options.wants_help) return in.out.Write(HelpText(in.command, own_name)), 0;
  if (parsed->wants_version || options.wants_version) return in.out.Write(VersionText(in.command, own_name)), 0;
  if (options.test) return 4;
  words = parsed->operands;
  if (!options.short_options) {
    if (words.empty()) return in.Usage("missing optstring argument");
    options.short_options = words[0];
    words.erase(words.begin());
  }
  Scanner scanner(in, options, *options.short_options, options.name.value_or(in.args[0]));
  if (const auto failed = scanner.AddLongOptions()) return *failed;
  return scanner.Run(words);
}

}  // namespace

extern const Command kCommand_getopt;
const Command kCommand_getopt = {
    .name = "getopt",
    .summary = "parse command options",
    .synopsis = "<optstring> <parameters>\n[options] [--] <optstring> <parameters>\n"
                "[options] -o|--options <optstring> [options] [--] <parameters>",
    .options = kOptions,
    .usage_status = 2,
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
