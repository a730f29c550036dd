#include "lang/xml/lint_sax.h"

#include <libxml/parserInternals.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <new>

namespace paddock::xml {
namespace {

// What a handler is given: the parser's user data.
void Say(void* out, const char* format, ...) __attribute__((format(printf, 2, 3)));
void Say(void* out, const char* format, ...) {
  if (out == nullptr) return;
  std::array<char, 4096> text{};
  std::va_list values;
  va_start(values, format);
  const int size = std::vsnprintf(text.data(), text.size(), format, values);
  va_end(values);
  try {
    static_cast<std::string*>(out)->append(text.data(), std::min(text.size() - 1, static_cast<size_t>(std::max(size, 0))));
  } catch (const std::bad_alloc&) {
    return;   // the next block that the library asks for is refused too
  }
}
const char* Text(const xmlChar* text) { return reinterpret_cast<const char*>(text); }
const char* OrNull(const xmlChar* text) { return text == nullptr ? "(null)" : Text(text); }
const char* OrNothing(const xmlChar* text) { return text == nullptr ? "" : Text(text); }

void Piece(void* out, const char* call, const xmlChar* text, int size, int most) {
  Say(out, "SAX.%s(%.*s, %d)\n", call, std::min(size, most), Text(text), size);
}

void StartElement(void* out, const xmlChar* name, const xmlChar* prefix, const xmlChar* uri, int namespace_count, const xmlChar** namespaces, int attribute_count,
                  int default_count, const xmlChar** attributes) {
  Say(out, "SAX.startElementNs(%s", Text(name));
  if (prefix == nullptr) Say(out, ", NULL");
  else Say(out, ", %s", Text(prefix));
  if (uri == nullptr) Say(out, ", NULL");
  else Say(out, ", '%s'", Text(uri));
  Say(out, ", %d", namespace_count);
  for (int i = 0; i < namespace_count; ++i) {
    if (namespaces[2 * i] != nullptr) Say(out, ", xmlns:%s='%s'", Text(namespaces[2 * i]), OrNothing(namespaces[2 * i + 1]));
    else Say(out, ", xmlns='%s'", OrNothing(namespaces[2 * i + 1]));
  }
  Say(out, ", %d, %d", attribute_count, default_count);
  for (int i = 0; i < attribute_count; ++i) {
    const xmlChar** attribute = attributes + 5 * static_cast<ptrdiff_t>(i);
    Say(out, attribute[1] == nullptr ? ", " : ", %s:", OrNothing(attribute[1]));
    // The library's own program shows four bytes, whether or not the value has them.
    Say(out, "%s='%.4s...', %d", Text(attribute[0]), Text(attribute[3]), static_cast<int>(attribute[4] - attribute[3]));
  }
  Say(out, ")\n");
}

void EndElement(void* out, const xmlChar* name, const xmlChar* prefix, const xmlChar* uri) {
  Say(out, "SAX.endElementNs(%s", Text(name));
  if (prefix == nullptr) Say(out, ", NULL");
  else Say(out, ", %s", Text(prefix));
  if (uri == nullptr) Say(out, ", NULL)\n");
  else Say(out, ", '%s')\n", Text(uri));
}

void SayError(void* out, const char* format, ...) {
  std::array<char, 4096> text{};
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(text.data(), text.size(), format, values);
  va_end(values);
  Say(out, "SAX.error: %s", text.data());
}

void SayWarning(void* out, const char* format, ...) {
  std::array<char, 4096> text{};
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(text.data(), text.size(), format, values);
  va_end(values);
  Say(out, "SAX.warning: %s", text.data());
}

xmlSAXHandler Tellers() {
  xmlSAXHandler sax{};
  sax.initialized = XML_SAX2_MAGIC;
  sax.internalSubset = [](void* out, const xmlChar* name, const xmlChar* identifier, const xmlChar* url) {
    Say(out, "SAX.internalSubset(%s, %s, %s)\n", Text(name), OrNothing(identifier), OrNothing(url));
  };
  sax.externalSubset = [](void* out, const xmlChar* name, const xmlChar* identifier, const xmlChar* url) {
    Say(out, "SAX.externalSubset(%s, %s, %s)\n", Text(name), OrNothing(identifier), OrNothing(url));
  };
  sax.isStandalone = [](void*) { return 0; };
  sax.hasInternalSubset = [](void*) { return 0; };
  sax.hasExternalSubset = [](void*) { return 0; };
  sax.getEntity = [](void* out, const xmlChar* name) -> xmlEntityPtr {
    Say(out, "SAX.getEntity(%s)\n", Text(name));
    return nullptr;
  };
  sax.getParameterEntity = [](void* out, const xmlChar* name) -> xmlEntityPtr {
    Say(out, "SAX.getParameterEntity(%s)\n", Text(name));
    return nullptr;
  };
  sax.entityDecl = [](void* out, const xmlChar* name, int type, const xmlChar* identifier, const xmlChar* url, xmlChar* content) {
    Say(out, "SAX.entityDecl(%s, %d, %s, %s, %s)\n", Text(name), type, OrNull(identifier), OrNull(url), OrNull(content));
  };
  sax.notationDecl = [](void* out, const xmlChar* name, const xmlChar* identifier, const xmlChar* url) {
    Say(out, "SAX.notationDecl(%s, %s, %s)\n", Text(name), OrNull(identifier), OrNull(url));
  };
  sax.attributeDecl = [](void* out, const xmlChar* element, const xmlChar* name, int type, int rule, const xmlChar* value, xmlEnumerationPtr names) {
    Say(out, "SAX.attributeDecl(%s, %s, %d, %d, %s, ...)\n", Text(element), Text(name), type, rule, value == nullptr ? "NULL" : Text(value));
    xmlFreeEnumeration(names);
  };
  sax.elementDecl = [](void* out, const xmlChar* name, int type, xmlElementContentPtr) { Say(out, "SAX.elementDecl(%s, %d, ...)\n", Text(name), type); };
  sax.unparsedEntityDecl = [](void* out, const xmlChar* name, const xmlChar* identifier, const xmlChar* url, const xmlChar* notation) {
    Say(out, "SAX.unparsedEntityDecl(%s, %s, %s, %s)\n", Text(name), OrNull(identifier), OrNull(url), OrNull(notation));
  };
  sax.setDocumentLocator = [](void* out, xmlSAXLocatorPtr) { Say(out, "SAX.setDocumentLocator()\n"); };
  sax.startDocument = [](void* out) { Say(out, "SAX.startDocument()\n"); };
  sax.endDocument = [](void* out) { Say(out, "SAX.endDocument()\n"); };
  sax.startElementNs = StartElement;
  sax.endElementNs = EndElement;
  sax.reference = [](void* out, const xmlChar* name) { Say(out, "SAX.reference(%s)\n", Text(name)); };
  sax.characters = [](void* out, const xmlChar* text, int size) { Piece(out, "characters", text, size, 30); };
  sax.ignorableWhitespace = [](void* out, const xmlChar* text, int size) { Piece(out, "ignorableWhitespace", text, size, 30); };
  sax.cdataBlock = [](void* out, const xmlChar* text, int size) { Piece(out, "pcdata", text, size, 20); };
  sax.processingInstruction = [](void* out, const xmlChar* target, const xmlChar* data) {
    Say(out, "SAX.processingInstruction(%s, %s)\n", Text(target), data == nullptr ? "NULL" : Text(data));
  };
  sax.comment = [](void* out, const xmlChar* text) { Say(out, "SAX.comment(%s)\n", Text(text)); };
  sax.error = SayError;
  sax.warning = SayWarning;
  return sax;
}

// The place in the input: as much of the line as fits in eighty columns, and a mark below.
std::string Place(const xmlParserInput& input) {
  const auto is_end = [](xmlChar c) { return c == '\n' || c == '\r'; };
  const xmlChar* at = input.cur;
  while (at > input.base && is_end(*at)) --at;
  const xmlChar* start = at;
  for (int n = 0; n < 80 && start > input.base && !is_end(start[-1]); ++n) --start;
  const xmlChar* end = start;
  while (end - start < 79 && *end != 0 && !is_end(*end)) ++end;
  return HtmlText(std::string_view(Text(start), static_cast<size_t>(end - start))) + "\n" + std::string(static_cast<size_t>(at - start), ' ') + "^\n";
}

void Complain(void* data, const char* kind, const char* message) {
  const auto* parser = static_cast<const xmlParserCtxt*>(data);
  auto* stream = static_cast<std::FILE*>(xmlGenericErrorContext);
  if (stream == nullptr || parser == nullptr) return;
  try {
    const xmlParserInput* input = parser->input;
    if (input != nullptr && input->filename == nullptr && parser->inputNr > 1) input = parser->inputTab[parser->inputNr - 2];
    std::string text = "<p>";
    if (input != nullptr) text += (input->filename != nullptr ? std::string(input->filename) + ":" : std::string("Entity: line ")) + std::to_string(input->line) + ": ";
    text += "<b>" + std::string(kind) + "</b>: " + HtmlText(message) + "</p>\n";
    if (input != nullptr) text += "<pre>\n" + Place(*input) + "</pre>";
    std::fwrite(text.data(), 1, text.size(), stream);
  } catch (const std::bad_alloc&) {
    return;
  }
}

template <const char* kKind>
void InHtml(void* data, const char* format, ...) {
  std::array<char, 4096> text{};
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(text.data(), text.size(), format, values);
  va_end(values);
  Complain(data, kKind, text.data());
}

constexpr char kError[] = "error", kWarning[] = "warning", kValidityError[] = "validity error", kValidityWarning[] = "validity warning";

}  // namespace

void TellCalls(xmlParserCtxt& parser, std::string* out) {
  *parser.sax = Tellers();
  parser.userData = out;
}

void ComplainInHtml(xmlParserCtxt& parser) {
  parser.sax->error = InHtml<kError>;
  parser.sax->warning = InHtml<kWarning>;
  parser.vctxt.error = InHtml<kValidityError>;
  parser.vctxt.warning = InHtml<kValidityWarning>;
}

std::string HtmlText(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '&': result += "&amp;"; break;
      default: result += c;
    }
  }
  return result;
}

}  // namespace paddock::xml
