// The command line of yq, tomlq and xq: their own options, jq's, and some of the Go program that is also called yq.
#include <charconv>

#include "commands/data/transcode.h"

namespace paddock::data {
namespace {

struct JqOption {
  const char* name;
  int arguments;   // -1: all that follow
};
constexpr JqOption kJqOptions[] = {{"--indent", 1},    {"-f", 1},          {"--from-file", 1}, {"-L", 1},    {"--arg", 2},     {"--argjson", 2},
                                   {"--slurpfile", 2}, {"--rawfile", 2}, {"--args", -1},     {"--jsonargs", -1}};

constexpr std::string_view kYamlUsage =
    "usage: yq [-h] [--yaml-output] [--yaml-roundtrip]\n"
    "          [--yaml-output-grammar-version {1.1,1.2}] [--width WIDTH]\n"
    "          [--indentless-lists] [--in-place] [--version]\n"
    "          [jq_filter] [files ...]\n";
constexpr std::string_view kXmlUsage =
    "usage: xq [-h] [--xml-output] [--xml-dtd] [--xml-root XML_ROOT]\n"
    "          [--xml-force-list XML_FORCE_LIST] [--in-place] [--version]\n"
    "          [jq_filter] [files ...]\n";
constexpr std::string_view kTomlUsage = "usage: tomlq [-h] [--toml-output] [--in-place] [--version] [jq_filter] [files ...]\n";

std::string UsageOf(DocumentFormat format) { return std::string(format == DocumentFormat::kToml ? kTomlUsage : format == DocumentFormat::kXml ? kXmlUsage : kYamlUsage); }

class Parser {
 public:
  Parser(Invocation& in, TranscodeOptions& options) : in_(in), options_(options), own_(options.input), is_yaml_(own_ == DocumentFormat::kYaml) {}

  bool Parse() {
    size_t at = 1;
    if (is_yaml_ && in_.args.size() > 2 && (in_.args[1] == "e" || in_.args[1] == "eval")) {
      is_go_form_ = options_.writes_bare_scalars = true;
      options_.output = DocumentFormat::kYaml;
      at = 2;
    }
    for (at_ = at; at_ < in_.args.size(); ++at_) {
      in_.budget.Step();
      const std::string& argument = in_.args[at_];
      if (only_operands_ || argument.size() < 2 || argument[0] != '-') {
        operands_.push_back(argument);
      } else if (argument == "--") {
        only_operands_ = true;
      } else if (!Option(argument)) {
        return false;
      }
    }
    return Finish();
  }

 private:
  bool Complain(const std::string& message) {
    in_.err.Write(UsageOf(own_) + in_.command.name + ": error: " + message + "\n");
    return false;
  }

  // The argument of an option: behind '=', or the next word.
  bool Argument(const std::string& shown, const std::optional<std::string>& joined, std::string& value) {
    if (joined) {
      value = *joined;
      return true;
    }
    if (at_ + 1 >= in_.args.size()) return Complain("argument " + shown + ": expected one argument");
    value = in_.args[++at_];
    return true;
  }

  bool Option(const std::string& argument) {
    std::string name = argument;
    std::optional<std::string> joined;
    if (const size_t equals = argument.find('='); equals != std::string::npos && (argument[1] == '-' || equals == 2)) {
      name = argument.substr(0, equals);
      joined = argument.substr(equals + 1);
    } else if (argument.size() > 2 && (argument[1] == 'w' || argument[1] == 'o' || argument[1] == 'p') && argument[1] != '-') {
      name = argument.substr(0, 2);
      joined = argument.substr(2);
    }
    if (joined || name == "-w" || name == "-o" || name == "-p" || name.starts_with("--")) {
      bool is_good = true;
      if (ValueOption(name, joined, is_good)) return is_good;
    }
    if (!joined && FlagOption(name)) return true;
    for (const JqOption& option : kJqOptions) {
      if (argument == option.name) return PassOn(option);
    }
    return argument[1] == '-' ? PassOn(argument) : Letters(argument);
  }

  // True when it is one of those that have an argument; `is_good` tells whether all is well.
  bool ValueOption(const std::string& name, const std::optional<std::string>& joined, bool& is_good) {
    std::string value;
    if (name == "--width" || name == "-w") {
      is_good = Argument("--width/-w", joined, value) && Number("--width/-w", value, options_.emit.width);
    } else if (name == "--max-expansion-factor") {
      is_good = Argument(name, joined, value) && Number(name, value, options_.read.expansion_factor);
    } else if (name == "--yaml-output-grammar-version" || name == "--yml-out-ver") {
      const std::string shown = "--yaml-output-grammar-version/--yml-out-ver";
      is_good = Argument(shown, joined, value);
      if (is_good && value != "1.1" && value != "1.2") is_good = Complain("argument " + shown + ": invalid choice: '" + value + "' (choose from '1.1', '1.2')");
      options_.emit.grammar = value == "1.2" ? yaml::Grammar::k12 : yaml::Grammar::k11;
    } else if (name == "--xml-root") {
      is_good = Argument(name, joined, options_.xml_output.root);
    } else if (name == "--xml-force-list") {
      is_good = Argument(name, joined, value);
      options_.xml_input.lists.push_back(value);
    } else if (name == "--xml-item-depth") {
      is_good = Argument(name, joined, value) && Number(name, value, options_.xml_input.item_depth);
    } else if (name == "--output-format" || name == "-o") {
      is_good = Argument(name, joined, value) && Format(name, value, options_.output);
    } else if (name == "--input-format" || name == "-p") {
      is_good = Argument(name, joined, value) && Format(name, value, options_.input);
    } else {
      return false;
    }
    return true;
  }

  bool Number(const std::string& shown, const std::string& text, size_t& number) {
    const char* end = text.data() + text.size();
    if (const auto read = std::from_chars(text.data(), end, number); read.ec == std::errc() && read.ptr == end) return true;
    return Complain("argument " + shown + ": invalid int value: '" + text + "'");
  }

  bool Format(const std::string& shown, const std::string& name, DocumentFormat& format) {
    constexpr std::pair<std::string_view, DocumentFormat> kFormats[] = {
        {"json", DocumentFormat::kJson}, {"j", DocumentFormat::kJson},   {"yaml", DocumentFormat::kYaml},
        {"y", DocumentFormat::kYaml},    {"toml", DocumentFormat::kToml}, {"annotated_yaml", DocumentFormat::kAnnotatedYaml},
        {"xml", DocumentFormat::kXml},   {"x", DocumentFormat::kXml}};
    for (const auto& [known, its] : kFormats) {
      if (name != known) continue;
      format = its;
      return true;
    }
    return Complain("argument " + shown + ": unknown format '" + name + "' (choose from 'yaml', 'json', 'toml', 'xml')");
  }

  bool FlagOption(const std::string& name) {
    const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
      for (const std::string_view known : names) {
        if (name == known) return true;
      }
      return false;
    };
    if (is_one_of({"--yaml-output", "--yml-output", "--prettyPrint", "-P"})) {
      options_.output = DocumentFormat::kYaml;
    } else if (is_one_of({"--yaml-roundtrip", "--yml-roundtrip"})) {
      options_.output = DocumentFormat::kAnnotatedYaml;
    } else if (is_one_of({"--toml-output"})) {
      options_.output = DocumentFormat::kToml;
    } else if (is_one_of({"--xml-output"})) {
      options_.output = DocumentFormat::kXml;
    } else if (is_one_of({"--xml-dtd"})) {
      options_.xml_output.is_full_document = true;
    } else if (is_one_of({"--indentless-lists", "--indentless"})) {
      options_.emit.is_indentless = true;
    } else if (is_one_of({"--explicit-start"})) {
      options_.emit.starts_explicitly = true;
    } else if (is_one_of({"--explicit-end"})) {
      options_.emit.ends_explicitly = true;
    } else if (is_one_of({"--no-expand-aliases"})) {
      options_.read.expands_aliases = false;
    } else if (is_one_of({"--in-place", "--inplace"})) {
      options_.is_in_place = true;
    } else if (is_one_of({"--null-input"})) {
      options_.reads_nothing = true;
      options_.jq_arguments.push_back(name);
    } else if (is_one_of({"--help", "-h"})) {
      options_.wants_help = true;
    } else if (is_one_of({"--version"})) {
      options_.wants_version = true;
    } else {
      return false;
    }
    return true;
  }

  bool PassOn(const JqOption& option) {
    const std::string name = option.name;
    if (option.arguments < 0) {
      rest_.push_back(name);
      while (at_ + 1 < in_.args.size()) rest_.push_back(in_.args[++at_]);
      return true;
    }
    if (at_ + static_cast<size_t>(option.arguments) >= in_.args.size()) {
      return Complain("argument " + name + ": expected " + (option.arguments == 1 ? "1 argument" : "2 arguments"));
    }
    if (name == "-f" || name == "--from-file") has_filter_file_ = true;
    options_.jq_arguments.push_back(name);
    for (int i = 0; i < option.arguments; ++i) options_.jq_arguments.push_back(in_.args[++at_]);
    return true;
  }

  bool PassOn(const std::string& argument) {
    options_.jq_arguments.push_back(argument);
    return true;
  }

  // Letters of jq's with the program's own between them.
  bool Letters(const std::string& argument) {
    std::string left = "-";
    for (const char letter : argument.substr(1)) {
      switch (letter) {
        case 'y': options_.output = DocumentFormat::kYaml; break;
        case 'Y': options_.output = DocumentFormat::kAnnotatedYaml; break;
        case 't': options_.output = DocumentFormat::kToml; break;
        case 'i': options_.is_in_place = true; break;
        case 'x': options_.output = DocumentFormat::kXml; break;
        case 'n': options_.reads_nothing = true; [[fallthrough]];
        default: left += letter;
      }
    }
    if (left.size() > 1) options_.jq_arguments.push_back(left);
    return true;
  }

  // Colors and, in the Go form, bare strings are for JSON alone.
  void DropForDocuments() {
    std::vector<std::string> kept;
    for (size_t i = 0; i < options_.jq_arguments.size(); ++i) {
      std::string argument = options_.jq_arguments[i];
      const auto* option = std::find_if(std::begin(kJqOptions), std::end(kJqOptions), [&](const JqOption& o) { return argument == o.name; });
      if (option != std::end(kJqOptions)) {
        for (int n = 0; n <= option->arguments; ++n) kept.push_back(options_.jq_arguments[i + static_cast<size_t>(n)]);
        i += static_cast<size_t>(option->arguments);
        continue;
      }
      if (argument.starts_with('-') && !argument.starts_with("--")) {
        std::erase_if(argument, [&](char c) { return c == 'C' || (is_go_form_ && c == 'r'); });
        if (argument == "-") continue;
      }
      kept.push_back(argument);
    }
    options_.jq_arguments = std::move(kept);
  }

  bool Finish() {
    if (options_.wants_help || options_.wants_version) return true;
    if (options_.output != DocumentFormat::kJson) DropForDocuments();
    options_.jq_arguments.insert(options_.jq_arguments.end(), rest_.begin(), rest_.begin() + (rest_.empty() ? 0 : 1));
    auto files = operands_.begin();
    if (!operands_.empty() && !has_filter_file_) options_.jq_arguments.push_back(*files++);
    if (!rest_.empty()) options_.jq_arguments.insert(options_.jq_arguments.end(), rest_.begin() + 1, rest_.end());
    options_.files.assign(files, operands_.end());
    options_.read.annotates = options_.output == DocumentFormat::kAnnotatedYaml;
    const std::string name(in_.command.name);
    const bool is_yaml_output = options_.output == DocumentFormat::kYaml || options_.output == DocumentFormat::kAnnotatedYaml;
    if (options_.is_in_place && !is_yaml_output && !(options_.output == own_ && !is_yaml_)) {
      in_.err.Write(name + ": -i/--in-place can only be used with -y/-Y\n");
      options_.files.clear();
      is_refused_ = true;
    } else if (options_.is_in_place && (options_.files.empty() || (options_.files.size() == 1 && options_.files[0] == "-"))) {
      in_.err.Write(name + ": -i/--in-place can only be used with filename arguments, not on standard input\n");
      is_refused_ = true;
    }
    return true;
  }

 public:
  bool is_refused() const { return is_refused_; }

 private:
  Invocation& in_;
  TranscodeOptions& options_;
  const DocumentFormat own_;
  const bool is_yaml_;
  bool is_go_form_ = false;
  bool only_operands_ = false;
  bool has_filter_file_ = false;
  bool is_refused_ = false;
  size_t at_ = 1;
  std::vector<std::string> operands_;
  std::vector<std::string> rest_;    // --args and all behind it
};

}  // namespace

std::string TranscodeUsage(const TranscodeOptions& options) {
  return UsageOf(options.input);
}

std::optional<ExitStatus> ParseTranscodeOptions(Invocation& in, TranscodeOptions& options) {
  constexpr ExitStatus kUsage = 2;
  Parser parser(in, options);
  if (!parser.Parse()) return kUsage;
  if (parser.is_refused()) return 1;
  return std::nullopt;
}

}  // namespace paddock::data
