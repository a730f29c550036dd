// xmllint - check, format and query XML and HTML
//
// usage: xmllint [OPTION]... FILE...
// Options have one dash or two; - is standard input.
//
// libxml2 itself does the work (lang/xml): its parser's complaints are what people know, and XPath, schemas and canonical XML are
// what it makes of them. DTDs, entities, schemas and included documents come from the sandbox's files, and from nowhere else.
//
// Exit status: 0; 1 a file that is not well-formed or cannot be read, or wrong usage; 2 no such DTD; 3 and 4 not valid; 5 a schema
// that does not compile; 6 output failed; 10 an XPath expression that is wrong or finds nothing.
// Source: xmllint of libxml2 2.9.14.
// Differs: nothing comes over the network, there are no catalogs (--catalogs is refused) and no --pattern. --shell reads all of its
//          commands before it does anything; free and relaxng are not among them, set works 8 times, and help is in other words.
//          Complaints of Schematron have the document's name and line in front, and no line for each pattern.
//          Encodings that only ICU knows are missing, and EBCDIC. A tag has at most 10000 attributes. An XPath
//          expression may take 20 million steps; one that merges what several paths find (a//b, |, following::…)
//          has fewer of them the more nodes a document has. With --huge too, elements nest 3000 deep at most. Schemas are 1 MiB at
//          most, in 200 files, with 1000 optional parts to a content model; keys of them and Schematron want 30000 nodes at most.
#include <charconv>

#include "commands/input_files.h"
#include "lang/xml/lint.h"
#include "lang/xml/sources.h"

namespace paddock {
namespace {

using xml::LintSettings;

struct Settings {
  LintSettings lint;
  std::string output;
  std::vector<std::string> files, directories;
  bool wants_version = false;
  bool has_no_wrap = false;        // no page around complaints in HTML
  bool has_shell = false;
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
    {"quiet", "say nothing of documents that are valid", [](LintSettings& s) { s.is_quiet = true; }},
    {"loaddtd", "load the external DTD", AddBits<xml::kLoadDtd>},
    {"dtdattr", "likewise, and add the attributes that it gives", AddBits<xml::kLoadDtd | xml::kDefaultAttributes>},
    {"xinclude", "put in what XInclude names", AddBits<xml::kXInclude>},
    {"noxincludenode", "likewise, without the nodes around it", AddBits<xml::kXInclude | xml::kNoXIncludeNodes>},
    {"nofixup-base-uris", "likewise, without xml:base", AddBits<xml::kXInclude | xml::kNoBaseFixup>},
    {"huge", "no limits of the library but that of levels, 3000 here", AddBits<xml::kHuge>},
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
    {"htmlout", "complaints of the parser are HTML", [](LintSettings& s) { s.is_html_output = true; }},
    {"stream", "read only, and write no document", [](LintSettings& s) { s.is_silent = s.is_stream = true; }},
    {"walker", "likewise", [](LintSettings& s) { s.is_silent = true; }},
    {"repeat", "parse and write a hundred times", [](LintSettings& s) { s.repeats = true; }},
    {"timing", "say how long each step took", [](LintSettings& s) { s.tells_times = true; }},
    {"compress", "write plainly: without format and encoding, and not compressed either", [](LintSettings& s) { s.is_saved_plainly = true; }},
    {"debug", "write the tree as the library holds it", [](LintSettings& s) { s.is_dump = true; }},
    {"debugent", "say which entities are gone into, and which there are", [](LintSettings& s) { s.tells_entities = true; }},
    {"insert", "say which elements may be put under the root", [](LintSettings& s) { s.inserts = true; }},
    {"sax", "write the calls of the parser", [](LintSettings& s) { s.tells_sax = true; }},
    {"auto", "a document made up, behind the others", [](LintSettings& s) { s.is_generated = true; }},
    {"load-trace", "say what is read", [](LintSettings& s) { s.tells_loads = true; }},
    {"nsclean", "drop namespace declarations that repeat", AddBits<xml::kCleanNamespaces>},
    {"oldxml10", "the rules of XML 1.0 before its fifth edition", AddBits<xml::kOld10>},
};

struct Valued {
  const char* name;
  const char* value;
  const char* help;
  void (*apply)(Settings& settings, const std::string& value);
};

int Number(const std::string& value) {
  int number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

constexpr Valued kValued[] = {
    {"pretty", "STYLE", "0 as it is, 1 as --format, 2 blanks inside tags",
     [](Settings& s, const std::string& value) {
       s.lint.format = Number(value);
       if (s.lint.format == 1) s.lint.drops_blanks = true;
     }},
    {"encode", "encoding", "write in this encoding", [](Settings& s, const std::string& value) { s.lint.encoding = value; }},
    {"output", "file or -o file", "write into a file", [](Settings& s, const std::string& value) { s.output = value; }},
    {"path", "'paths'", "directories to look for files in",
     [](Settings& s, const std::string& value) {
       for (size_t at = 0; (at = value.find_first_not_of(" :", at)) != std::string::npos;) {
         const size_t end = std::min(value.find_first_of(" :", at), value.size());
         s.directories.push_back(value.substr(at, end - at));
         at = end;
       }
     }},
    {"maxmem", "nbbytes", "what the library may hold", [](Settings& s, const std::string& value) { s.lint.most_memory = static_cast<size_t>(std::max(Number(value), 0)); }},
    {"dtdvalid", "URL", "check the document against this DTD, after parsing", [](Settings& s, const std::string& value) { s.lint.dtd = value; s.lint.parse_options |= xml::kLoadDtd; }},
    {"dtdvalidfpi", "FPI", "likewise, by its public identifier", [](Settings& s, const std::string& value) { s.lint.dtd_identifier = value; s.lint.parse_options |= xml::kLoadDtd; }},
    {"relaxng", "schema", "check the document against this RELAX NG schema", [](Settings& s, const std::string& value) { s.lint.relaxng = value; s.lint.parse_options |= xml::kReplaceEntities; }},
    {"schema", "schema", "check the document against this XML Schema", [](Settings& s, const std::string& value) { s.lint.schema = value; s.lint.parse_options |= xml::kReplaceEntities; }},
    {"schematron", "schema", "check the document against this Schematron schema", [](Settings& s, const std::string& value) { s.lint.schematron = value; s.lint.parse_options |= xml::kReplaceEntities; }},
    {"xpath", "expr", "write what the XPath expression finds, and not the document", [](Settings& s, const std::string& value) { s.lint.xpath = value; }},
};

std::string Usage() {
  std::string text = "Usage : xmllint [options] XMLfiles ...\n\tParse the XML files and output the result of the parsing\n";
  const auto add = [&](const std::string& name, const std::string& help) { text += "\t--" + name + " : " + help + "\n"; };
  add("version", "show the version of the library");
  for (const Switch& option : kSwitches) add(option.name, option.help);
  add("shell", "take commands from standard input that go through the document");
  add("nowrap", "no page around the complaints of --htmlout");
  for (const Valued& option : kValued) add(std::string(option.name) + " " + option.value, option.help);
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
    if (name == "shell") {
      settings_.has_shell = settings_.lint.is_silent = true;
      return true;
    }
    if (name == "nowrap") {
      settings_.has_no_wrap = true;
      return true;
    }
    for (const Valued& option : kValued) {
      if ((name != option.name && !(name == "o" && std::string_view(option.name) == "output")) || at_ + 1 >= in_.args.size()) continue;
      option.apply(settings_, in_.args[++at_]);
      return true;
    }
    in_.err.Write("Unknown option " + argument + "\n" + Usage());
    return false;
  }

  Invocation& in_;
  Settings& settings_;
  size_t at_ = 1;
};

// Writes what the shell of one document wants written.
ExitStatus EndShell(Invocation& in, xml::ShellSession& shell, ExitStatus status) {
  shell.begin = shell.end;
  for (const auto& [name, text] : std::exchange(shell.saved, {})) {
    if (!vfs::WriteFile(in.fs, name, text)) in.err.Write("Failed to save to " + name + "\n");
  }
  return status;
}

// A document that is made up has no text.
ExitStatus LintText(Invocation& in, const Settings& settings, const std::string& name, const std::string& text, xml::Sources& sources) {
  const LintSettings& lint = settings.lint;
  if (lint.shell != nullptr && lint.shell->end == 0) lint.shell->commands += in.in.ReadAll();
  std::string out, errors;
  int status = 0;
  const Nanoseconds start = in.clock.MonotonicNow();
  for (int i = 0; i < (lint.repeats ? 100 : 1); ++i) {
    in.budget.Step(static_cast<int64_t>(text.size() / 32) + 1);
    in.budget.WillAllocate(2 * out.size());
    status = xml::Lint(text, name, lint, sources, out, errors, in.budget);
  }
  if (lint.repeats && lint.tells_times) errors += "100 iterations took " + std::to_string((in.clock.MonotonicNow() - start).count() / 1'000'000) + " ms\n";
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
  return lint.shell == nullptr ? status : EndShell(in, *lint.shell, status);
}

std::optional<std::string> ReadText(Invocation& in, const std::string& name) {
  Result<InputFile> file = InputFile::Open(in, name);
  if (!file) return std::nullopt;
  std::string text = file->input().ReadAll();
  return file->input().status() ? std::optional(std::move(text)) : std::nullopt;
}

ExitStatus LintFile(Invocation& in, const Settings& settings, const std::string& name, xml::Sources& sources) {
  const LintSettings& lint = settings.lint;
  const std::optional<std::string> text = ReadText(in, name);
  if (!text) {
    const bool is_html = lint.is_html_output && !lint.tells_sax;
    in.err.Write(std::string(is_html ? "<p><b>warning</b>" : "warning") + ": failed to load external entity \"" + name + "\"\n" + (is_html ? "</p>\n" : ""));
    return 1;
  }
  if (lint.tells_loads && name != "-") in.err.Write("Loaded URL=\"" + name + "\" ID=\"(null)\"\n");
  return LintText(in, settings, name, *text, sources);
}

ExitStatus LintAll(Invocation& in, Settings& settings) {
  xml::Sources sources([&](const std::string& path) { return ReadText(in, path); }, settings.directories);
  LintSettings& lint = settings.lint;
  const bool makes_one_up = std::exchange(lint.is_generated, false);
  ExitStatus status = 0;
  if (!lint.is_stream) {
    const Nanoseconds start = in.clock.MonotonicNow();
    std::string errors;
    status = xml::CheckSchemas(lint, sources, errors, in.budget);
    in.err.Write(errors);
    if (lint.tells_times && (lint.schema || lint.relaxng || lint.schematron)) {
      in.err.Write("Compiling the schemas took " + std::to_string((in.clock.MonotonicNow() - start).count() / 1'000'000) + " ms\n");
    }
    if (status != 0) {
      lint.schema.reset();
      lint.relaxng.reset();
      lint.schematron.reset();
    }
  }
  for (const std::string& name : settings.files) {
    if (const ExitStatus one = LintFile(in, settings, name, sources); one != 0) status = one;
  }
  if (!makes_one_up) return status;
  lint.is_generated = true;
  const ExitStatus one = LintText(in, settings, "(null)", std::string(), sources);
  return one != 0 ? one : status;
}

ExitStatus Run(Invocation& in) {
  Settings settings;
  if (in.args.size() == 2 && in.args[1] == "--help") {
    in.out.Write(Usage());
    return 0;
  }
  if (!Parser(in, settings).Parse()) return 1;
  if (settings.wants_version) in.err.Write("xmllint: using libxml version 20914\n");
  if (settings.files.empty() && !settings.lint.is_generated) {
    if (settings.wants_version) return 0;
    in.err.Write(Usage());
    return 1;
  }
  settings.lint.indent = in.env.Get("XMLLINT_INDENT", "  ");
  xml::ShellSession shell;
  if (settings.has_shell) settings.lint.shell = &shell;
  const bool has_page = settings.lint.is_html_output && !settings.has_no_wrap;
  if (has_page) {
    in.err.Write("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.0 Transitional//EN\"\n\t\"http://www.w3.org/TR/REC-html40/loose.dtd\">\n"
                 "<html><head><title>xmllint output</title></head>\n<body bgcolor=\"#ffffff\"><h1 align=\"center\">xmllint output</h1>\n");
  }
  const ExitStatus status = LintAll(in, settings);
  if (has_page) in.err.Write("</body></html>\n");
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
