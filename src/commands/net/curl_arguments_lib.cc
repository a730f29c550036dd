// The command line of curl and its configuration files.
#include <algorithm>

#include "commands/net/curl.h"

namespace paddock::curl {
namespace {

ExitStatus Complain(Invocation& in, const std::string& what) {
  in.out.Flush();
  in.err.Write("curl: " + what + "\ncurl: try 'curl --help' or 'curl --manual' for more information\n");
  return 2;
}

const Option* FindShort(char name) {
  const std::span<const Option> options = OptionTable();
  const auto found = std::find_if(options.begin(), options.end(), [name](const Option& option) { return option.short_name == name; });
  return found == options.end() ? nullptr : &*found;
}

// "no-" in front of a switch takes it back.
struct Switch {
  std::string_view name;
  bool Options::* member;
};
constexpr Switch kSwitches[] = {
    {"compressed", &Options::compressed}, {"create-dirs", &Options::create_dirs}, {"disallow-username-in-url", &Options::refuses_user_in_url},
    {"fail", &Options::fail}, {"fail-early", &Options::fail_early}, {"fail-with-body", &Options::fail_with_body}, {"get", &Options::get},
    {"globoff", &Options::glob_off}, {"ignore-content-length", &Options::ignores_length}, {"include", &Options::include},
    {"insecure", &Options::insecure}, {"junk-session-cookies", &Options::junk_session}, {"location", &Options::follow}, {"location-trusted", &Options::trusted},
    {"path-as-is", &Options::path_as_is}, {"post301", &Options::post301}, {"post302", &Options::post302}, {"post303", &Options::post303},
    {"progress-bar", &Options::bar}, {"raw", &Options::is_raw}, {"remote-header-name", &Options::header_name}, {"remote-name-all", &Options::all_remote_names},
    {"remote-time", &Options::keeps_time}, {"remove-on-error", &Options::remove_on_error}, {"retry-all-errors", &Options::retry_all},
    {"retry-connrefused", &Options::retry_refused}, {"show-error", &Options::show_error}, {"silent", &Options::silent}, {"verbose", &Options::verbose},
};
const Switch* FindSwitch(std::string_view name) {
  if (!name.starts_with("no-")) return nullptr;
  name.remove_prefix(3);
  const auto found = std::find_if(std::begin(kSwitches), std::end(kSwitches), [name](const Switch& one) { return one.name == name; });
  return found == std::end(kSwitches) ? nullptr : found;
}

// The option of that name, or the only one that begins so. `is_ambiguous` when there are several.
const Option* FindLong(std::string_view name, bool* is_ambiguous) {
  const Option* begins = nullptr;
  *is_ambiguous = false;
  for (const Option& option : OptionTable()) {
    const std::string_view full = option.long_name;
    if (full == name) return *is_ambiguous = false, &option;
    if (!full.starts_with(name)) continue;
    *is_ambiguous = begins != nullptr;
    begins = &option;
  }
  return *is_ambiguous ? nullptr : begins;
}

class Parser {
 public:
  Parser(Invocation& in, Options* options) : in_(in), options_(options), first_(options) {}

  std::optional<ExitStatus> Arguments(std::span<const std::string> args) {
    bool are_options_over = false;
    for (size_t i = 0; i < args.size(); ++i) {
      in_.budget.Step();
      const std::string& arg = args[i];
      if (are_options_over || arg.size() < 2 || arg[0] != '-') {
        options_->urls.push_back(arg);
        continue;
      }
      if (arg == "--") {
        are_options_over = true;
        continue;
      }
      if (arg[1] == '-') {
        bool is_ambiguous = false;
        if (const Switch* const taken_back = FindSwitch(std::string_view(arg).substr(2))) {
          options_->*taken_back->member = false;
          continue;
        }
        const Option* const option = FindLong(std::string_view(arg).substr(2), &is_ambiguous);
        if (option == nullptr) return Complain(in_, "option " + arg + ": is " + (is_ambiguous ? "ambiguous" : "unknown"));
        if (const auto ended = Take(*option, arg, std::nullopt, args, &i)) return ended;
        continue;
      }
      for (size_t at = 1; at < arg.size(); ++at) {
        const Option* const option = FindShort(arg[at]);
        if (option == nullptr) return Complain(in_, "option " + arg + ": is unknown");
        const bool takes_rest = option->argument != OptionArgument::kNone && at + 1 < arg.size();
        const auto rest = takes_rest ? std::optional<std::string>(arg.substr(at + 1)) : std::nullopt;
        if (const auto ended = Take(*option, arg, rest, args, &i)) return ended;
        if (option->argument != OptionArgument::kNone) break;
      }
    }
    return std::nullopt;
  }

  std::optional<ExitStatus> File(const std::string& path, bool must_exist) {
    constexpr int kMostLevels = 20;
    if (++level_ > kMostLevels) return Complain(in_, "option --config: too many levels of config files");
    std::string text;
    if (path == "-") {
      text = in_.in.ReadAll();
    } else if (auto content = vfs::ReadFile(in_.fs, path, 10 << 20)) {
      text = std::move(*content);
    } else if (must_exist) {
      in_.err.Write("curl: cannot read config from '" + path + "'\n");
      Complain(in_, "option -K: error encountered when reading a file");
      return 26;
    }
    std::string_view rest = text;
    for (size_t number = 1; !rest.empty(); ++number) {
      in_.budget.Step();
      const size_t end = rest.find('\n');
      const std::string where = (path == "-" ? "<stdin>" : path) + ":" + std::to_string(number);
      if (const auto ended = ConfigLine(rest.substr(0, end), where)) return ended;
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    --level_;
    return std::nullopt;
  }

 private:
  std::optional<ExitStatus> Take(const Option& option, const std::string& shown, std::optional<std::string> value, std::span<const std::string> args, size_t* at) {
    if (option.argument != OptionArgument::kNone && !value) {
      if (*at + 1 >= args.size()) return Complain(in_, "option " + shown + ": requires parameter");
      value = args[++*at];
    }
    return Apply(option, shown, value.value_or(""));
  }

  std::optional<ExitStatus> Apply(const Option& option, const std::string& shown, const std::string& value) {
    if (option.short_name == ':') return Next();
    const Status applied = option.apply(options_, value);
    if (!options_->warning.empty() && !options_->silent) in_.err.Write("Warning: " + options_->warning + "\n");
    options_->warning.clear();
    if (!applied && applied.error().code == Code::kExists) in_.err.Write("curl: --metalink is disabled\n");
    if (!applied && applied.error().code == Code::kUnavailable) in_.err.Write("curl: unsupported --rate unit\n");
    if (!applied && applied.error().code == Code::kRange && !options_->silent) in_.err.Write("Warning: unsupported rate unit. Use G, M, K or B!\n");
    if (!applied) {
      const ExitStatus status = Complain(in_, "option " + shown + ": " + std::string(applied.error().Text()));
      return applied.error().code == Code::kNotSupported ? 1 : status;
    }
    if (option.short_name == 'K') return File(value, true);
    return std::nullopt;
  }

  // --next: what holds for all transfers goes on.
  std::optional<ExitStatus> Next() {
    if (options_->urls.empty()) return std::nullopt;
    Options following;
    const Options& last = *options_;
    following.silent = last.silent;
    following.show_error = last.show_error;
    following.verbose = last.verbose;
    following.fail_early = last.fail_early;
    following.bar = last.bar;
    following.no_progress = last.no_progress;
    following.stderr_file = last.stderr_file;
    first_->next.push_back(std::move(following));
    options_ = &first_->next.back();
    return std::nullopt;
  }

  // "name = value", "name: value", "-n value", "name "quoted"".
  // What is wrong there is only warned of.
  std::optional<ExitStatus> ConfigLine(std::string_view line, const std::string& where) {
    const auto warn = [&](const std::string& name, std::string_view what) {
      if (!options_->silent) in_.err.Write("Warning: " + where + ": warning: '" + name + "' " + std::string(what) + "\n");
      return std::optional<ExitStatus>();
    };
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
    if (line.empty() || line[0] == '#') return std::nullopt;
    size_t end = 0;
    while (end < line.size() && !is_space(line[end]) && line[end] != '=' && line[end] != ':') ++end;
    std::string name(line.substr(0, end));
    line.remove_prefix(end);
    while (!line.empty() && (is_space(line.front()) || line.front() == '=' || line.front() == ':')) line.remove_prefix(1);
    const std::string value = line.starts_with('"') ? Unquoted(line.substr(1)) : std::string(line.substr(0, line.find_first_of(" \t")));
    if (const Switch* const taken_back = FindSwitch(name.starts_with("--") ? std::string_view(name).substr(2) : std::string_view(name))) {
      options_->*taken_back->member = false;
      return std::nullopt;
    }
    const Option* option = nullptr;
    bool is_ambiguous = false;
    if (name.size() == 2 && name[0] == '-') option = FindShort(name[1]);
    else option = FindLong(name.starts_with("--") ? std::string_view(name).substr(2) : std::string_view(name), &is_ambiguous);
    if (option == nullptr) return warn(name, is_ambiguous ? "is ambiguous" : "is unknown");
    if (option->argument != OptionArgument::kNone && value.empty() && line.empty()) return warn(name, "requires parameter");
    if (option->short_name == 'K') return Apply(*option, name, value);
    const Status applied = option->apply(options_, value);
    return applied ? std::nullopt : warn(name, applied.error().Text());
  }

  static std::string Unquoted(std::string_view text) {
    std::string plain;
    for (size_t i = 0; i < text.size() && text[i] != '"'; ++i) {
      if (text[i] != '\\' || i + 1 >= text.size()) {
        plain += text[i];
        continue;
      }
      switch (text[++i]) {
        case 't': plain += '\t'; break;
        case 'n': plain += '\n'; break;
        case 'r': plain += '\r'; break;
        case 'v': plain += '\v'; break;
        default: plain += text[i];
      }
    }
    return plain;
  }

  Invocation& in_;
  Options* options_;         // of the transfers that are read about now
  Options* const first_;
  int level_ = 0;
};

}  // namespace

std::optional<ExitStatus> Parse(Invocation& in, Options* options) {
  Parser parser(in, options);
  const bool reads_own = in.args.size() < 2 || !(in.args[1] == "--disable" || (in.args[1].size() > 1 && in.args[1][0] == '-' && in.args[1][1] == 'q'));
  if (const auto home = in.env.Get("HOME"); home && reads_own) {
    if (const auto ended = parser.File(vfs::JoinPath(*home, ".curlrc"), false)) return ended;
  }
  if (const auto ended = parser.Arguments(in.args.subspan(1))) return ended;
  if (options->help || options->version || options->shows_manual || options->engine == "list") return std::nullopt;
  if (!options->urls.empty()) return std::nullopt;
  if (in.args.size() > 1) return Complain(in, "no URL specified!"), 2;
  in.err.Write("curl: try 'curl --help' or 'curl --manual' for more information\n");
  return 2;
}

}  // namespace paddock::curl
