#include "lang/xml/lint.h"

#include <libxml/HTMLparser.h>
#include <libxml/HTMLtree.h>
#include <libxml/c14n.h>
#include <libxml/debugXML.h>
#include <libxml/parser.h>
#include <libxml/valid.h>
#include <libxml/xinclude.h>
#include <libxml/xmlsave.h>
#include <libxml/xpath.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "base/budget.h"
#include "lang/xml/library.h"
#include "lang/xml/lint_sax.h"
#include "lang/xml/lint_schema.h"
#include "lang/xml/shell.h"
#include "lang/xml/sources.h"

namespace paddock::xml {
namespace {

static_assert(kRecover == XML_PARSE_RECOVER);
static_assert(kReplaceEntities == XML_PARSE_NOENT);
static_assert(kNoDefaultDtd == HTML_PARSE_NODEFDTD);
static_assert(kLoadDtd == XML_PARSE_DTDLOAD);
static_assert(kDefaultAttributes == XML_PARSE_DTDATTR);
static_assert(kValidate == XML_PARSE_DTDVALID);
static_assert(kNoWarnings == XML_PARSE_NOWARNING);
static_assert(kPedantic == XML_PARSE_PEDANTIC);
static_assert(kXInclude == XML_PARSE_XINCLUDE);
static_assert(kNoXIncludeNodes == XML_PARSE_NOXINCNODE);
static_assert(kNoBaseFixup == XML_PARSE_NOBASEFIX);
static_assert(kHuge == XML_PARSE_HUGE);
static_assert(kNoNetwork == XML_PARSE_NONET);
static_assert(kCleanNamespaces == XML_PARSE_NSCLEAN);
static_assert(kNoCdata == XML_PARSE_NOCDATA);
static_assert(kCompact == XML_PARSE_COMPACT);
static_assert(kOld10 == XML_PARSE_OLD10);
static_assert(kIgnoreEncoding == XML_PARSE_IGNORE_ENC);
static_assert(kBigLines == XML_PARSE_BIG_LINES);

constexpr int kUnclassified = 1, kNotValid = 3, kNotRead = 4, kNoSchema = 5, kNotWritten = 6, kXPath = 10;
constexpr unsigned long kMostXPathSteps = 20'000'000;
// libxml2 compares each attribute of a tag with all before it, and each node that several paths found with all others,
// and looks at no clock meanwhile.
constexpr size_t kMostAttributes = 10'000;
constexpr size_t kMostComparisons = 1'000'000'000;
constexpr size_t kMostNodesToMerge = 30'000;
// Parts of the library call themselves for each level, on 16 MiB of stack.
constexpr int kMostLevels = 3000;
// XPointers compare nodes too, and have no limit of steps.
constexpr size_t kMostTextForXPointers = 200'000;
constexpr size_t kMostSchemaText = 1 << 20;
constexpr size_t kMostInsertions = 256;

using Document = Owned<xmlDoc, xmlFreeDoc>;
using XPathContext = Owned<xmlXPathContext, xmlXPathFreeContext>;
using XPathObject = Owned<xmlXPathObject, xmlXPathFreeObject>;

const xmlChar* Chars(const std::string& text) { return reinterpret_cast<const xmlChar*>(text.c_str()); }
const char* EncodingOf(const LintSettings& settings) { return settings.encoding.empty() ? nullptr : settings.encoding.c_str(); }

int ReadText(void* context, char* buffer, int size) {
  auto& rest = *static_cast<std::string_view*>(context);
  const size_t taken = std::min(rest.size(), static_cast<size_t>(size));
  std::memcpy(buffer, rest.data(), taken);
  rest.remove_prefix(taken);
  return static_cast<int>(taken);
}

int WriteText(void* context, const char* bytes, int size) {
  try {
    static_cast<std::string*>(context)->append(bytes, static_cast<size_t>(size));
  } catch (const std::bad_alloc&) {
    return -1;
  }
  return size;
}

// Whether a tag may have too many attributes: '=' and a quote, in any of the encodings that are superset of ASCII or UTF-16.
bool HasTooManyAttributes(std::string_view text) {
  size_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') count = 0;
    if (text[i] != '=') continue;
    size_t next = i + 1;
    while (next < text.size() && (text[next] == '\0' || text[next] == ' ' || text[next] == '\t' || text[next] == '\n' || text[next] == '\r')) ++next;
    if (next < text.size() && (text[next] == '"' || text[next] == '\'') && ++count > kMostAttributes) return true;
    i = next - 1;
  }
  return false;
}

// Whether the document names an encoding in which the look above sees nothing.
bool HasOddEncoding(std::string_view text) {
  if (text.starts_with("\x4c\x6f\xa7\x94")) return true;   // EBCDIC
  std::string head;
  for (const char c : text.substr(0, 400)) {
    if (c != '\0') head += static_cast<char>(c >= 'a' && c <= 'z' ? c - 0x20 : c);
  }
  if (!head.starts_with("<?XML") && !head.substr(0, 3).ends_with("<?X") && head.find("<?XML") > 4) return false;
  const size_t at = head.find("ENCODING");
  if (at == std::string::npos || at > head.find("?>")) return false;
  const size_t quote = head.find_first_of("\"'", at);
  if (quote == std::string::npos) return false;
  const std::string_view name = std::string_view(head).substr(quote + 1);
  for (const char* known : {"UTF-8", "UTF8", "UTF-16", "UTF16", "ISO-8859", "ISO8859", "ISO_8859", "LATIN", "US-ASCII", "ASCII", "WINDOWS-", "CP125", "KOI8", "EUC-", "SHIFT_JIS",
                            "SHIFT-JIS", "SJIS", "GB", "BIG5", "TIS-620", "HTML"}) {
    if (name.starts_with(known)) return false;
  }
  return name.starts_with("IBM") || name.starts_with("CP") || name.starts_with("EBCDIC") || name.starts_with("ISO-10646") || name.starts_with("UC") ||
         name.starts_with("UTF") || name.starts_with("CS") || name[0] == '0' || name.starts_with("OSF");
}

bool IsTooDeep(const xmlDoc* document) {
  int level = 0;
  const xmlNode* node = document->children;
  while (node != nullptr) {
    if (node->type == XML_ELEMENT_NODE && node->children != nullptr) {
      if (++level > kMostLevels) return true;
      node = node->children;
      continue;
    }
    while (node != nullptr && node->next == nullptr) {
      --level;
      node = node->parent;
      if (node == nullptr || node->type != XML_ELEMENT_NODE) return false;
    }
    if (node != nullptr) node = node->next;
  }
  return false;
}

// Whether a document may have XPointers: named, or put together of entities or of an encoding that is not looked through.
bool MayHaveXPointers(std::string_view text) {
  return text.find("xpointer") != std::string_view::npos || text.find("<!ENTITY") != std::string_view::npos || text.find('\0') != std::string_view::npos;
}

// Whether an expression has steps that may find a node more than once.
bool MayMerge(std::string_view expression) {
  char quote = 0, before = 0;
  for (size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '|') return true;
    for (const char* axis : {"following", "preceding", "ancestor", "descendant"}) {
      if (expression.substr(i).starts_with(axis)) return true;
    }
    if (c == '/' && expression.substr(i).starts_with("//")) {
      if (before != 0 && std::string_view("([,=<>+-").find(before) == std::string_view::npos) return true;
      ++i;
    }
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') before = c;
  }
  return false;
}

unsigned long XPathSteps(const std::string& expression, const xmlDoc* document) {
  if (!MayMerge(expression)) return kMostXPathSteps;
  const size_t nodes = CountNodes(document) + 1;
  return std::min<unsigned long>(kMostXPathSteps, kMostComparisons / nodes + (nodes <= kMostNodesToMerge ? nodes : 0));
}

class Linter {
 public:
  Linter(const std::string& name, const LintSettings& settings, const LibraryCall& call, Sources& sources, std::string& out, std::string& errors, Budget& budget)
      : name_(name), settings_(settings), call_(call), sources_(sources), out_(out), errors_(errors), budget_(budget) {}

  int Run(std::string_view text) {
    Validator validator(name_, settings_, call_, sources_, errors_);
    if (settings_.tells_sax) return RunSax(text);
    if (settings_.is_stream && (settings_.schema || settings_.relaxng)) return validator.ValidateStream(text);
    Document document;
    Time("Parsing", [&] { document = Parse(text); });
    if (document == nullptr) return kUnclassified;
    if (!settings_.is_html && IsTooDeep(document.get())) return Refuse("elements in more than 3000 others");
    if (settings_.drops_dtd) DropDtd(document.get());
    if ((settings_.parse_options & kXInclude) != 0) {
      if (text.size() + sources_.bytes() > kMostTextForXPointers && (MayHaveXPointers(text) || sources_.Mention(MayHaveXPointers))) {
        return Refuse("more than 200000 bytes, which are too many for XPointers");
      }
      Time("Xinclude processing", [&] {
        if (xmlXIncludeProcessFlags(document.get(), settings_.parse_options) < 0) status_ = kUnclassified;
      });
      if (IsTooDeep(document.get())) return Refuse("elements in more than 3000 others");
    }
    if (settings_.shell != nullptr) GoThrough(document.get());
    if (settings_.xpath) {
      status_ = Evaluate(document.get());
    } else {
      if (settings_.inserts) TellInsertions(document.get());
      if (!settings_.is_silent) Time("Saving", [&] { Save(document.get()); });
    }
    if (settings_.validates_later) Time("Validating", [&] { Validate(document.get()); });
    if (settings_.dtd || settings_.dtd_identifier) {
      Validator::Dtd dtd;
      Time("Parsing DTD", [&] { dtd = validator.ParseDtd(); });
      Time("Validating against DTD", [&] { Keep(validator.ValidateByDtd(document.get(), dtd.get())); });
    }
    if (settings_.schematron || settings_.relaxng || settings_.schema) Time("Validating", [&] { Keep(validator.ValidateBySchemas(document.get())); });
    if (settings_.tells_entities && !settings_.is_html) DumpTo(errors_, [&](std::FILE* file) { xmlDebugDumpEntities(file, document.get()); });
    Time("Freeing", [&] { document.reset(); });
    return status_;
  }

 private:
  template <class Work>
  void Time(const char* what, const Work& work) {
    const Nanoseconds start = budget_.clock().MonotonicNow();
    work();
    if (!settings_.tells_times || settings_.repeats) return;
    errors_ += std::string(what) + " took " + std::to_string((budget_.clock().MonotonicNow() - start).count() / 1'000'000) + " ms\n";
  }

  void Keep(int status) {
    if (status != 0) status_ = status;
  }

  int Refuse(const char* why) {
    errors_ += name_ + ": " + why + "\n";
    return kUnclassified;
  }

  int RunSax(std::string_view text) {
    const Owned<xmlParserCtxt, xmlFreeParserCtxt> parser(xmlNewParserCtxt());
    if (parser == nullptr) return kUnclassified;
    TellCalls(*parser, settings_.is_silent ? nullptr : &out_);
    const Document none(xmlCtxtReadIO(parser.get(), ReadText, nullptr, &text, name_.c_str(), nullptr, 0));
    return 0;
  }

  // What there is room for behind the last child of the first node that has some: with a DTD inside, that is the DTD.
  void TellInsertions(xmlDoc* document) {
    const xmlNode* root = document->children;
    while (root != nullptr && root->last == nullptr) root = root->next;
    if (root == nullptr) return;
    std::array<const xmlChar*, kMostInsertions> names{};
    const int count = xmlValidGetValidElements(root->last, nullptr, names.data(), static_cast<int>(names.size()));
    if (count < 0) {
      errors_ += "could not get valid list of elements\n";
    } else if (count == 0) {
      errors_ += "No element can be inserted under root\n";
    } else {
      errors_ += std::to_string(count) + " element types can be inserted under root:\n";
      for (int i = 0; i < count; ++i) errors_ += std::string(reinterpret_cast<const char*>(names[static_cast<size_t>(i)])) + "\n";
    }
  }

  void GoThrough(xmlDoc* document) {
    const ShellHost host = {.load = [this](const std::string& name) { return Load(name); }, .xpath_steps = XPathSteps};
    RunShell(document, name_, *settings_.shell, host, out_, errors_);
  }
  // Another document for the shell; null after a complaint.
  xmlDoc* Load(const std::string& name) {
    const Sources::Found found = sources_.Find(name);
    if (found.is_wanted) return nullptr;   // this run is for nothing
    if (found.text == nullptr) {
      errors_ += "warning: failed to load external entity \"" + name + "\"\n";
      return nullptr;
    }
    std::string_view text = *found.text;
    if (HasTooManyAttributes(text) || HasOddEncoding(text)) return nullptr;
    const Owned<xmlParserCtxt, xmlFreeParserCtxt> parser(xmlNewParserCtxt());
    if (parser == nullptr) return nullptr;
    Document document(xmlCtxtReadIO(parser.get(), ReadText, nullptr, &text, name.c_str(), nullptr, 0));
    return document == nullptr || IsTooDeep(document.get()) ? nullptr : document.release();
  }

  void Save(xmlDoc* document) {
    if (settings_.is_dump) DumpTo(out_, [&](std::FILE* file) { xmlDebugDumpDocument(file, document); });
    else Keep(Write(document));
  }

  template <class Dump>
  void DumpTo(std::string& text, const Dump& dump) {
    struct Closer {
      void operator()(std::FILE* file) const { std::fclose(file); }
    };
    const std::unique_ptr<std::FILE, Closer> file(
        fopencookie(&text, "w", {nullptr, [](void* to, const char* bytes, size_t size) -> ssize_t { return WriteText(to, bytes, static_cast<int>(size)); }, nullptr, nullptr}));
    if (file != nullptr) dump(file.get());
  }

  Document Parse(std::string_view text) {
    if (settings_.is_generated) return MakeUp();
    if (settings_.is_html) {
      const Owned<htmlParserCtxt, htmlFreeParserCtxt> parser(htmlNewParserCtxt());
      if (parser == nullptr) return nullptr;
      if (settings_.drops_blanks) KeepNoBlanks(*parser);
      return Document(htmlCtxtReadIO(parser.get(), ReadText, nullptr, &text, name_.c_str(), nullptr, settings_.parse_options));
    }
    const Owned<xmlParserCtxt, xmlFreeParserCtxt> parser(xmlNewParserCtxt());
    if (parser == nullptr) return nullptr;
    if (settings_.is_html_output) ComplainInHtml(*parser);
    if (settings_.drops_blanks) KeepNoBlanks(*parser);
    Document document(xmlCtxtReadIO(parser.get(), ReadText, nullptr, &text, name_.c_str(), nullptr, settings_.parse_options));
    static constexpr std::string_view kFromText = "new input from I/O\n";
    if (settings_.tells_entities && errors_.find(kFromText) != std::string::npos) errors_.replace(errors_.find(kFromText), kFromText.size(), "new input from file: " + name_ + "\n");
    if (settings_.validates && document != nullptr && parser->valid == 0) status_ = settings_.is_html_output ? kNotValid : kNotRead;
    return document;
  }

  static Document MakeUp() {
    const auto chars = [](const char* text) { return reinterpret_cast<const xmlChar*>(text); };
    Document document(xmlNewDoc(chars("1.0")));
    if (document == nullptr) return nullptr;
    xmlNodePtr root = xmlNewDocNode(document.get(), nullptr, chars("info"), nullptr);
    if (root == nullptr) return nullptr;
    xmlNodeSetContent(root, chars("abc"));
    xmlDocSetRootElement(document.get(), root);
    return document;
  }

  static void KeepNoBlanks(xmlParserCtxt& parser) {
    parser.keepBlanks = 0;
    parser.sax->ignorableWhitespace = xmlSAX2IgnorableWhitespace;
  }

  static void DropDtd(xmlDoc* document) {
    xmlDtdPtr dtd = xmlGetIntSubset(document);
    if (dtd == nullptr) return;
    xmlUnlinkNode(reinterpret_cast<xmlNodePtr>(dtd));
    document->intSubset = nullptr;
    xmlFreeDtd(dtd);
  }

  void Validate(xmlDoc* document) {
    const Owned<xmlValidCtxt, xmlFreeValidCtxt> context(xmlNewValidCtxt());
    if (context == nullptr) return;
    context->userData = xmlGenericErrorContext;
    context->error = xmlGenericError;
    context->warning = xmlGenericError;
    if (xmlValidateDocument(context.get(), document) != 0) return;
    errors_ += "Document " + name_ + " does not validate\n";
    status_ = kNotValid;
  }

  int Evaluate(xmlDoc* document) {
    const XPathContext context(xmlXPathNewContext(document));
    if (context == nullptr) return kXPath;
    context->node = reinterpret_cast<xmlNodePtr>(document);
    context->opLimit = XPathSteps(*settings_.xpath, document);
    const XPathObject result(xmlXPathEval(Chars(*settings_.xpath), context.get()));
    if (result == nullptr) {
      errors_ += "XPath evaluation failure\n";
      return kXPath;
    }
    return Show(*result);
  }

  int Show(const xmlXPathObject& result) {
    switch (result.type) {
      case XPATH_NODESET: return ShowNodes(result.nodesetval);
      case XPATH_BOOLEAN: out_ += result.boolval != 0 ? "true\n" : "false\n"; return status_;
      case XPATH_NUMBER: {
        std::array<char, 40> text{};
        std::snprintf(text.data(), text.size(), "%0g\n", result.floatval);
        out_ += std::isnan(result.floatval) ? "NaN\n" : std::isinf(result.floatval) ? (result.floatval > 0 ? "Infinity\n" : "-Infinity\n") : text.data();
        return status_;
      }
      case XPATH_STRING: out_ += reinterpret_cast<const char*>(result.stringval); out_ += '\n'; return status_;
      default: errors_ += "XPath object of unexpected type\n"; return kXPath;
    }
  }

  int ShowNodes(const xmlNodeSet* nodes) {
    if (nodes == nullptr || nodes->nodeNr <= 0) {
      errors_ += "XPath set is empty\n";
      return kXPath;
    }
    xmlOutputBufferPtr buffer = xmlOutputBufferCreateIO(WriteText, nullptr, &out_, nullptr);
    if (buffer == nullptr) return kNotWritten;
    for (int i = 0; i < nodes->nodeNr; ++i) {
      xmlNodeDumpOutput(buffer, nullptr, nodes->nodeTab[i], 0, 0, nullptr);
      xmlOutputBufferWrite(buffer, 1, "\n");
    }
    xmlOutputBufferClose(buffer);
    return status_;
  }

  int Write(xmlDoc* document) {
    if (settings_.is_saved_plainly && settings_.canonical == Canonical::kNo && !(settings_.is_html && !settings_.writes_xml)) {
      xmlChar* text = nullptr;
      int size = 0;
      xmlDocDumpMemory(document, &text, &size);
      if (text == nullptr) return kNotWritten;
      WriteText(&out_, reinterpret_cast<const char*>(text), size);
      xmlFree(text);
      return 0;
    }
    if (settings_.is_html && !settings_.writes_xml) return WriteHtml(document);
    if (settings_.canonical != Canonical::kNo) return WriteCanonical(document);
    int options = settings_.format == 1 ? XML_SAVE_FORMAT : settings_.format == 2 ? XML_SAVE_WSNONSIG : 0;
    if (settings_.writes_xml) options |= XML_SAVE_AS_XML;
    xmlSaveCtxtPtr save = xmlSaveToIO(WriteText, nullptr, &out_, EncodingOf(settings_), options);
    const bool is_good = save != nullptr && xmlSaveDoc(save, document) >= 0;
    if (save != nullptr) xmlSaveClose(save);
    if (is_good) return 0;
    errors_ += "failed save to -\n";
    return kNotWritten;
  }

  int WriteCanonical(xmlDoc* document) {
    const int mode = settings_.canonical == Canonical::k10 ? XML_C14N_1_0 : settings_.canonical == Canonical::k11 ? XML_C14N_1_1 : XML_C14N_EXCLUSIVE_1_0;
    xmlChar* text = nullptr;
    const int size = xmlC14NDocDumpMemory(document, nullptr, mode, nullptr, 1, &text);
    if (size < 0) {
      errors_ += "Failed to canonicalize\n";   // its complaints are there already
      return kNotWritten;
    }
    WriteText(&out_, reinterpret_cast<const char*>(text), size);
    xmlFree(text);
    return 0;
  }

  int WriteHtml(xmlDoc* document) {
    const char* encoding = EncodingOf(settings_);
    if (encoding != nullptr) {
      htmlSetMetaEncoding(document, Chars(settings_.encoding));
    } else if (settings_.format == 1) {
      htmlSetMetaEncoding(document, reinterpret_cast<const xmlChar*>("UTF-8"));
    } else if (const xmlChar* meta = htmlGetMetaEncoding(document); meta != nullptr) {
      encoding = reinterpret_cast<const char*>(meta);
    }
    xmlCharEncodingHandlerPtr handler = nullptr;
    if (encoding != nullptr && xmlParseCharEncoding(encoding) != XML_CHAR_ENCODING_UTF8) {
      handler = xmlFindCharEncodingHandler(encoding);
      if (handler == nullptr && !settings_.encoding.empty()) return kNotWritten;
    }
    if (handler == nullptr && encoding == nullptr) handler = xmlFindCharEncodingHandler("HTML");
    xmlOutputBufferPtr buffer = xmlOutputBufferCreateIO(WriteText, nullptr, &out_, handler);
    if (buffer == nullptr) return kNotWritten;
    const bool is_formatted = settings_.encoding.empty() || settings_.format == 1;
    htmlDocContentDumpFormatOutput(buffer, document, encoding, is_formatted ? 1 : 0);
    xmlOutputBufferClose(buffer);
    return 0;
  }

  const std::string& name_;
  const LintSettings& settings_;
  const LibraryCall& call_;
  Sources& sources_;
  std::string& out_;
  std::string& errors_;
  Budget& budget_;
  int status_ = 0;
};

// Runs `work` again and again until the library has asked for nothing that was not there. What it wrote before is dropped.
int RunWithSources(const LintSettings& settings, Sources& sources, std::string* out, std::string& errors, Budget& budget, const std::function<int(const LibraryCall& call)>& work) {
  const size_t out_before = out == nullptr ? 0 : out->size(), errors_before = errors.size();
  const LibraryCall::Extras extras = {.sources = &sources, .tells_loads = settings.tells_loads, .tells_entities = settings.tells_entities, .most_memory = settings.most_memory};
  for (;;) {
    bool is_refused = false;
    int status = 0;
    try {
      LibraryCall call(budget, errors, settings.indent.c_str(), extras);
      status = work(call);
      is_refused = call.is_refused();
    } catch (const LibraryCall::NoRoom&) {
      return kUnclassified;
    }
    budget.CheckNow();
    if (is_refused) budget.Stop(LimitKind::kMemory);
    if (!sources.ReadWanted()) {
      if (sources.is_exhausted()) errors += "more than 200 files are asked for\n";
      return status;
    }
    if (out != nullptr) out->resize(out_before);
    errors.resize(errors_before);
    if (sources.bytes() > kMostSchemaText && (settings.schema || settings.relaxng || settings.schematron)) {
      errors += "schemas of more than 1 MiB\n";
      return kNoSchema;
    }
    budget.Step(static_cast<int64_t>(sources.bytes() / 32) + 1);
  }
}

}  // namespace

int Lint(std::string_view text, const std::string& name, const LintSettings& settings, Sources& sources, std::string& out, std::string& errors, Budget& budget) {
  budget.CheckNow();
  budget.Step(static_cast<int64_t>(text.size() / 32));
  if (HasTooManyAttributes(text) || HasOddEncoding(text)) {
    errors += name + ": " + (HasOddEncoding(text) ? "unsupported encoding" : "more than 10000 attributes in one tag") + "\n";
    return kUnclassified;
  }
  return RunWithSources(settings, sources, &out, errors, budget, [&](const LibraryCall& call) { return Linter(name, settings, call, sources, out, errors, budget).Run(text); });
}

int CheckSchemas(const LintSettings& settings, Sources& sources, std::string& errors, Budget& budget) {
  if (!settings.schema && !settings.relaxng && !settings.schematron) return 0;
  const std::string none;
  return RunWithSources(settings, sources, nullptr, errors, budget, [&](const LibraryCall& call) { return Validator(none, settings, call, sources, errors).CompileAll(); });
}

}  // namespace paddock::xml
