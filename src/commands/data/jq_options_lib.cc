// jq's options are its own: some take two arguments, and what an operand is changes on the way.
#include <charconv>

#include "commands/data/jq_options.h"
#include "commands/input_files.h"
#include "lang/jq/json_reader.h"

namespace paddock::data {
namespace {

using jq::Value;

struct Switch {
  char short_name;
  const char* long_name;
  void (*apply)(JqOptions& options);
};

constexpr Switch kSwitches[] = {
    {'s', "slurp", [](JqOptions& o) { o.slurp = true; }},
    {'r', "raw-output", [](JqOptions& o) { o.raw_output = true; }},
    {0, "raw-output0", [](JqOptions& o) { o.raw_output = o.join_output = o.nul_output = true; }},
    {'j', "join-output", [](JqOptions& o) { o.raw_output = o.join_output = true; }},
    {'c', "compact-output", [](JqOptions& o) { o.indent = 0, o.uses_tabs = false; }},
    {'C', "color-output", [](JqOptions& o) { o.forces_color = true, o.refuses_color = false; }},
    {'M', "monochrome-output", [](JqOptions& o) { o.refuses_color = true, o.forces_color = false; }},
    {'a', "ascii-output", [](JqOptions& o) { o.is_ascii = true; }},
    {0, "unbuffered", [](JqOptions& o) { o.unbuffered = true; }},
    {'S', "sort-keys", [](JqOptions& o) { o.sorts_keys = true; }},
    {'R', "raw-input", [](JqOptions& o) { o.raw_input = true; }},
    {'n', "null-input", [](JqOptions& o) { o.null_input = true; }},
    {'f', "from-file", [](JqOptions& o) { o.from_file = true; }},
    {0, "tab", [](JqOptions& o) { o.uses_tabs = true, o.indent = 1; }},
    {0, "seq", [](JqOptions& o) { o.seq = true; }},
    {0, "stream", [](JqOptions& o) { o.stream = true; }},
    {0, "stream-errors", [](JqOptions& o) { o.stream = o.stream_errors = true; }},
    {'e', "exit-status", [](JqOptions& o) { o.exit_status = true; }},
    {'h', "help", [](JqOptions& o) { o.wants_help = true; }},
    {'V', "version", [](JqOptions& o) { o.wants_version = true; }},
    {0, "build-configuration", [](JqOptions& o) { o.wants_configuration = true; }},
};

class Parser {
 public:
  Parser(Invocation& in, JqOptions& options) : in_(in), options_(options) {}

  bool Parse() {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    options_.positional = Value::Array();
    for (at_ = 1; at_ < in_.args.size(); ++at_) {
      in_.budget.Step();
      const std::string& argument = in_.args[at_];
      // "-1" is a program: options begin with letters.
      if (only_operands_ || argument.size() < 2 || argument[0] != '-' || (argument[1] != '-' && !is_letter(argument[1]))) {
        if (!Operand(argument)) return false;
      } else if (argument == "--") {
        only_operands_ = true;
      } else if (!Option(argument)) {
        return false;
      }
    }
    return true;
  }

 private:
  enum class Rest { kFiles, kStrings, kJson };

  bool Complain(const std::string& message) {
    const std::string name(in_.name());
    in_.err.Write(name + ": " + message + "\nUse " + name + " --help for help with command-line options,\n" +
                  "or see the jq manpage, or online docs  at https://jqlang.github.io/jq\n");
    return false;
  }

  bool Operand(const std::string& text) {
    if (!options_.has_program) {
      options_.has_program = true;
      options_.program = text;
      return true;
    }
    if (rest_ == Rest::kFiles) {
      options_.files.push_back(text);
    } else if (rest_ == Rest::kStrings) {
      options_.positional.Append(jq::StringFromBytes(text));
    } else {
      Value value;
      std::string error;
      if (!jq::ParseJson(text, in_.budget, value, error)) return Complain("invalid JSON text passed to --jsonargs");
      options_.positional.Append(std::move(value));
    }
    return true;
  }

  bool Option(const std::string& argument) {
    if (argument[1] == '-') return LongOption(argument.substr(2));
    if (argument[1] == 'L') {
      if (argument.size() > 2) return AddLibrary(argument.substr(2));
      if (at_ + 1 >= in_.args.size()) return Complain("-L takes a parameter: (e.g. -L /search/path or -L/search/path)");
      return AddLibrary(in_.args[++at_]);
    }
    for (const char letter : argument.substr(1)) {
      bool is_known = false;
      for (const Switch& option : kSwitches) {
        if (option.short_name != letter) continue;
        option.apply(options_);
        is_known = true;
      }
      if (!is_known) return Complain("Unknown option " + argument);
    }
    // Within one argument the last word on colors is M's.
    if (argument.find('M') != std::string::npos) options_.forces_color = false, options_.refuses_color = true;
    return true;
  }

  bool LongOption(const std::string& name) {
    for (const Switch& option : kSwitches) {
      if (name != option.long_name) continue;
      option.apply(options_);
      return true;
    }
    if (name == "args" || name == "jsonargs") {
      rest_ = name == "args" ? Rest::kStrings : Rest::kJson;
      return true;
    }
    if (name == "indent") return Indent();
    if (name == "arg" || name == "argjson" || name == "slurpfile" || name == "rawfile" || name == "argfile") return NamedValue(name);
    return Complain("Unknown option --" + name);
  }

  bool AddLibrary(const std::string& path) {
    if (!has_libraries_) options_.library_paths.clear();
    has_libraries_ = true;
    options_.library_paths.push_back(path);
    return true;
  }

  bool Indent() {
    if (at_ + 1 >= in_.args.size()) return Complain("--indent takes one parameter");
    const std::string& text = in_.args[++at_];
    int width = 0;
    std::from_chars(text.data(), text.data() + text.size(), width);
    if (width < -1 || width > 7) return Complain("--indent takes a number between -1 and 7");
    options_.uses_tabs = width < 0;
    options_.indent = width < 0 ? 1 : width;
    return true;
  }

  bool NamedValue(const std::string& option) {
    const bool is_file = option == "slurpfile" || option == "rawfile" || option == "argfile";
    if (at_ + 2 >= in_.args.size()) {
      const std::string example = is_file ? "filename" : (option == "arg" ? "value" : "text");
      return Complain("--" + option + " takes two parameters (e.g. --" + option + " varname " + example + ")");
    }
    const std::string& name = in_.args[at_ + 1];
    const std::string& text = in_.args[at_ + 2];
    at_ += 2;
    Value value;
    if (option == "arg") {
      value = jq::StringFromBytes(text);
    } else if (option == "argjson") {
      std::string error;
      if (!jq::ParseJson(text, in_.budget, value, error)) return Complain("invalid JSON text passed to --argjson");
    } else if (!FileValue(option, name, text, value)) {
      return false;
    }
    for (const auto& [known, old] : options_.variables) {
      if (known == name) return true;   // the first one counts
    }
    options_.variables.emplace_back(name, std::move(value));
    return true;
  }

  bool FileValue(const std::string& option, const std::string& name, const std::string& path, Value& value) {
    const auto refuse = [&](std::string_view why) {
      in_.err.Write(std::string(in_.name()) + ": Bad JSON in --" + option + " " + name + " " + path + ": " +
                    std::string(why) + "\n");
      return false;
    };
    Result<InputFile> file = InputFile::OpenPath(in_, path);
    if (!file) return refuse("Could not open " + path + ": " + std::string(file.error().Text()));
    const std::string text = file->input().ReadAll();
    if (!file->input().status()) {
      return refuse("Could not open " + path + ": " + std::string(file->input().status().error().Text()));
    }
    if (option == "rawfile") {
      value = jq::StringFromBytes(text);
      return true;
    }
    bool is_given = false;
    jq::JsonReader reader(
        [&] {
          const std::string_view block = is_given ? std::string_view() : std::string_view(text);
          is_given = true;
          return block;
        },
        {}, in_.budget);
    value = Value::Array();
    for (;;) {
      Value one;
      const jq::JsonReader::Got got = reader.Next(one);
      if (got == jq::JsonReader::Got::kEnd) {
        // --argfile, which is older: one value is not put into an array.
        if (option == "argfile" && value.array_size() == 1) value = Value(value.At(0));
        return true;
      }
      if (got == jq::JsonReader::Got::kError) return refuse(reader.error());
      value.Append(std::move(one));
    }
  }

  Invocation& in_;
  JqOptions& options_;
  size_t at_ = 1;
  bool only_operands_ = false;
  bool has_libraries_ = false;
  Rest rest_ = Rest::kFiles;
};

}  // namespace

bool ParseJqOptions(Invocation& in, JqOptions& options) { return Parser(in, options).Parse(); }

std::string JqUsage(std::string_view program) {
  const std::string name(program);
  return "jq - commandline JSON processor [version 1.7.1]\n\n"
         "Usage:\t" + name + " [options] <jq filter> [file...]\n"
         "\t" + name + " [options] --args <jq filter> [strings...]\n"
         "\t" + name + " [options] --jsonargs <jq filter> [JSON_TEXTS...]\n\n"
         "Applies the filter to each JSON value of the files, or of standard input, and\n"
         "writes what comes out of it as JSON.\n\n"
         "Example:\n\n\t$ echo '{\"foo\": 0}' | jq .\n\t{\n\t  \"foo\": 0\n\t}\n\n"
         "Command options:\n"
         "  -n, --null-input          run once, with null as input;\n"
         "  -R, --raw-input           each line is a string, not JSON;\n"
         "  -s, --slurp               all inputs at once, as one array;\n"
         "  -c, --compact-output      one line for each output;\n"
         "  -r, --raw-output          strings without quotes and escapes;\n"
         "      --raw-output0         -r, and NUL after each output;\n"
         "  -j, --join-output         -r, and nothing after each output;\n"
         "  -a, --ascii-output        escapes for all that is not ASCII;\n"
         "  -S, --sort-keys           objects sorted by key;\n"
         "  -C, --color-output        colors, whatever the output is;\n"
         "  -M, --monochrome-output   no colors;\n"
         "      --tab                 indent by tabs;\n"
         "      --indent n            indent by n spaces (at most 7);\n"
         "      --unbuffered          flush after each output;\n"
         "      --stream              inputs as events of path and leaf;\n"
         "      --stream-errors       --stream, with parse errors among the events;\n"
         "      --seq                 records of application/json-seq in and out;\n"
         "  -f, --from-file file      the filter is in this file;\n"
         "  -L directory              look for modules there;\n"
         "      --arg name value      $name is this string;\n"
         "      --argjson name value  $name is this JSON value;\n"
         "      --slurpfile name file $name is an array of the values in the file;\n"
         "      --argfile name file   $name is the value in the file, or an array of several (deprecated);\n"
         "      --rawfile name file   $name is the content of the file;\n"
         "      --args                other operands are strings for $ARGS.positional;\n"
         "      --jsonargs            other operands are JSON for $ARGS.positional;\n"
         "  -e, --exit-status         the exit status tells about the last output;\n"
         "  -V, --version             show the version;\n"
         "      --build-configuration show how jq was built;\n"
         "  -h, --help                show this help;\n"
         "  --                        what follows are operands.\n\n"
         "Named arguments are also in $ARGS.named, other operands in $ARGS.positional.\n";
}

}  // namespace paddock::data
