// xmllint - check, format and query XML and HTML
//
// usage: xmllint [OPTION]... FILE...
// Options have one dash or two; - is standard input.
//
// libxml2 itself does the work (lang/xml): its parser's complaints are what people know, and XPath and canonical XML are
// what it makes of them. It gets the text and nothing else: no external entity, no DTD, no network, no file.
//
// Exit status: 0; 1 a file that is not well-formed or cannot be read, or wrong usage; 3 and 4 not valid; 6 output
// failed; 10 an XPath expression that is wrong or finds nothing.
// Source: xmllint of libxml2 2.9.14.
// Differs: nothing outside the document is loaded, so external entities and DTDs are missing, and the options that load
//          something (--dtdvalid, --schema, --xinclude …) are refused, as are --huge and the library's self-tests.
//          Encodings that only ICU knows are missing, and EBCDIC. A tag has at most 10000 attributes. An XPath
//          expression may take 20 million steps; one that merges what several paths find (a//b, |, following::…)
//          has fewer of them the more nodes a document has.
#include <charconv>

#include "commands/input_files.h"
#include "lang/xml/lint.h"

namespace paddock {
namespace {

using xml::LintSettings;

struct Settings {
  LintSettings lint;
  std::string output;
  std::vector<std::string> files;
  bool wants_version = false;
};

struct Switch {
  const char* name;
  const char* help;
  void (*apply)(LintSettings& settings);
};

template <int kBits>
void AddBits(LintSettings& settings) {
  settings.parse_options |= kBits;
}
void Nothing(LintSettings&) {}
// Canonical XML has neither entities nor CDATA, and its attributes are all there.
template <xml::Canonical kForm>
void Canonicalize(LintSettings& settings) {
  settings.canonical = kForm;
  settings.parse_options |= xml::kReplaceEntities | xml::kLoadDtd | xml::kDefaultAttributes | xml::kNoCdata;
}

constexpr Switch kSwitches[] = {
    {"recover", "write what could be read of a broken document", AddBits<xml::kRecover>},
    {"noent", "replace entities of the document by their value", AddBits<xml::kReplaceEntities>},
    {"noenc", "ignore the encoding that the document names", AddBits<xml::kIgnoreEncoding>},
    {"noout", "write no document", [](LintSettings& s) { s.is_silent = true; }},
    {"nonet", "read nothing over the network, which is always so here", AddBits<xml::kNoNetwork>},
    {"nocatalogs", "use no catalogs, which is always so here", Nothing},
    {"memory", "parse from memory, which is always so here", Nothing},
    {"nocompact", "no compact text nodes", [](LintSettings& s) { s.parse_options &= ~xml::kCompact; }},
    {"valid", "check the document against its own DTD", [](LintSettings& s) { s.validates = true, s.parse_options |= xml::kValidate; }},
    {"postvalid", "the same, after parsing", [](LintSettings& s) { s.validates_later = true, s.parse_options |= xml::kLoadDtd; }},
    {"quiet", "say nothing of success", Nothing},
    {"html", "parse HTML", [](LintSettings& s) { s.is_html = true; }},
    {"xmlout", "write XML after --html", [](LintSettings& s) { s.writes_xml = true; }},
    {"nodefdtd", "no default DOCTYPE for HTML", AddBits<xml::kNoDefaultDtd>},
    {"nowarning", "no warnings", [](LintSettings& s) { s.parse_options = (s.parse_options | xml::kNoWarnings) & ~xml::kPedantic; }},
    {"noblanks", "drop blanks between elements", [](LintSettings& s) { s.drops_blanks = true; }},
    {"nocdata", "CDATA becomes text", AddBits<xml::kNoCdata>},
    {"format", "indent the output", [](LintSettings& s) { s.drops_blanks = true, s.format = 1; }},
    {"dropdtd", "drop the DOCTYPE", [](LintSettings& s) { s.drops_dtd = true; }},
    {"c14n", "write canonical XML 1.0 (with comments)", Canonicalize<xml::Canonical::k10>},
    {"c14n11", "write canonical XML 1.1 (with comments)", Canonicalize<xml::Canonical::k11>},
    {"exc-c14n", "write exclusive canonical XML (with comments)", Canonicalize<xml::Canonical::kExclusive>},
    // Other ways of the library to the same result.
    {"push", "parse in pieces, with the same result", Nothing},
    {"pushsmall", "likewise, in smaller ones", Nothing},
    {"copy", "write a copy, which is the same", Nothing},
    {"sax1", "parse with the library's old interface, with the same result", Nothing},
    {"testIO", "read by the library's own functions, with the same result", Nothing},
    {"chkregister", "check the library's counts, with the same result", Nothing},
    {"nowrap", "no page around the output", Nothing},
    {"noxincludenode", "XInclude without its nodes; there is no XInclude", Nothing},
    {"nofixup-base-uris", "XInclude without xml:base; likewise", Nothing},
    {"stream", "read only, and write no document", [](LintSettings& s) { s.is_silent = true; }},
    {"walker", "likewise", [](LintSettings& s) { s.is_silent = true; }},
    {"repeat", "parse and write a hundred times", [](LintSettings& s) { s.repeats = true; }},
    {"load-trace", "say what is read", [](LintSettings& s) { s.tells_loads = true; }},
    {"nsclean", "drop namespace declarations that repeat", AddBits<xml::kCleanNamespaces>},
    {"oldxml10", "the rules of XML 1.0 before its fifth edition", AddBits<xml::kOld10>},
};

std::string Usage() {
  std::string text = "Usage : xmllint [options] XMLfiles ...\n\tParse the XML files and output the result of the parsing\n";
  const auto add = [&](const std::string& name, const std::string& help) { text += "\t--" + name + " : " + help + "\n"; };
  add("version", "show the version of the library");
  for (const Switch& option : kSwitches) add(option.name, option.help);
  add("pretty STYLE", "0 as it is, 1 as --format, 2 blanks inside tags");
  add("encode encoding", "write in this encoding");
  add("output file or -o file", "write into a file");
  add("xpath expr", "write what the XPath expression finds, and not the document");
  return text;
}

class Parser {
 public:
  Parser(Invocation& in, Settings& settings) : in_(in), settings_(settings) {}

  bool Parse() {
    settings_.lint.parse_options = xml::kCompact | xml::kBigLines;
    for (at_ = 1; at_ < in_.args.size(); ++at_) {
      in_.budget.Step();
      const std::string& argument = in_.args[at_];
      if (argument.empty() || argument[0] != '-' || argument == "-") {
        settings_.files.push_back(argument);
      } else if (!Option(argument)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool Option(const std::string& argument) {
    const std::string name = argument.substr(argument.starts_with("--") ? 2 : 1);
    for (const Switch& option : kSwitches) {
      if (name != option.name) continue;
      option.apply(settings_.lint);
      return true;
    }
    if (name == "version" || name == "V") {
      settings_.wants_version = true;
      return true;
    }
    const bool has_value = at_ + 1 < in_.args.size();
    if (has_value && (name == "xpath" || name == "encode" || name == "output" || name == "o" || name == "pretty")) {
      Apply(name, in_.args[++at_]);
      return true;
    }
    in_.err.Write("Unknown option " + argument + "\n" + Usage());
    return false;
  }

  void Apply(const std::string& name, const std::string& value) {
    LintSettings& lint = settings_.lint;
    if (name == "xpath") {
      lint.xpath = value;
    } else if (name == "encode") {
      lint.encoding = value;
    } else if (name == "pretty") {
      int style = 0;
      std::from_chars(value.data(), value.data() + value.size(), style);
      lint.format = style;
      if (style == 1) lint.drops_blanks = true;
    } else {
      settings_.output = value;
    }
  }

  Invocation& in_;
  Settings& settings_;
  size_t at_ = 1;
};

ExitStatus LintFile(Invocation& in, const Settings& settings, const std::string& name) {
  Result<InputFile> file = InputFile::Open(in, name);
  std::string text;
  if (file) text = file->input().ReadAll();
  if (!file || !file->input().status()) {
    in.err.Write("warning: failed to load external entity \"" + name + "\"\n");
    return 1;
  }
  std::string out, errors;
  if (settings.lint.tells_loads && name != "-") in.err.Write("Loaded URL=\"" + name + "\" ID=\"(null)\"\n");
  int status = 0;
  for (int i = 0; i < (settings.lint.repeats ? 100 : 1); ++i) {
    in.budget.Step(static_cast<int64_t>(text.size() / 32) + 1);
    in.budget.WillAllocate(2 * out.size());
    status = xml::Lint(text, name, settings.lint, out, errors, in.budget);
  }
  if (!settings.output.empty() && !out.empty()) {
    if (const Status written = vfs::WriteFile(in.fs, settings.output, out); !written) {
      in.err.Write(errors + "failed save to " + settings.output + "\n");
      return 6;
    }
  } else {
    in.out.Write(out);
    in.out.Flush();
  }
  in.err.Write(errors);
  return status;
}

ExitStatus Run(Invocation& in) {
  Settings settings;
  if (in.args.size() == 2 && in.args[1] == "--help") {
    in.out.Write(Usage());
    return 0;
  }
  if (!Parser(in, settings).Parse()) return 1;
  if (settings.wants_version) in.err.Write("xmllint: using libxml version 20914\n");
  if (settings.files.empty()) {
    if (settings.wants_version) return 0;
    in.err.Write(Usage());
    return 1;
  }
  settings.lint.indent = in.env.Get("XMLLINT_INDENT", "  ");
  ExitStatus status = 0;
  for (const std::string& name : settings.files) {
    if (const ExitStatus one = LintFile(in, settings, name); one != 0) status = one;
  }
  return status;
}

}  // namespace

extern const Command kCommand_xmllint;
const Command kCommand_xmllint = {
    .name = "xmllint",
    .summary = "check, format and query XML and HTML",
    .synopsis = "[OPTION]... FILE...",
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
