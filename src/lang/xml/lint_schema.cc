#include "lang/xml/lint_schema.h"

#include <libxml/relaxng.h>
#include <libxml/schematron.h>
#include <libxml/valid.h>
#include <libxml/xmlreader.h>
#include <libxml/xmlschemas.h>

#include <cstring>
#include <memory>

#include "lang/xml/library.h"
#include "lang/xml/lint.h"
#include "lang/xml/sources.h"

namespace paddock::xml {
namespace {

constexpr int kNoDtd = 2, kNotValid = 3, kNoSchema = 5;
// Schematron's XPath and the keys of XML Schema compare nodes with each other, and the library looks at no clock meanwhile.
constexpr size_t kMostNodesToCompare = 30'000;

using Schema = Owned<xmlSchema, xmlSchemaFree>;
using RelaxNg = Owned<xmlRelaxNG, xmlRelaxNGFree>;
using Schematron = Owned<xmlSchematron, xmlSchematronFree>;

// The library knows this pair, and then says which part of it complains.
using Complainer = void (*)(void* stream, const char* format, ...);
Complainer ToStream() { return reinterpret_cast<Complainer>(reinterpret_cast<void (*)()>(&std::fprintf)); }

Schema CompileSchema(const std::string& file, const LibraryCall& call) {
  const Owned<xmlSchemaParserCtxt, xmlSchemaFreeParserCtxt> parser(xmlSchemaNewParserCtxt(file.c_str()));
  if (parser == nullptr) return nullptr;
  xmlSchemaSetParserErrors(parser.get(), ToStream(), ToStream(), call.stream());
  Schema schema(xmlSchemaParse(parser.get()));
  if (call.is_too_complex()) schema.reset();
  return schema;
}

RelaxNg CompileRelaxNg(const std::string& file, const LibraryCall& call) {
  const Owned<xmlRelaxNGParserCtxt, xmlRelaxNGFreeParserCtxt> parser(xmlRelaxNGNewParserCtxt(file.c_str()));
  if (parser == nullptr) return nullptr;
  xmlRelaxNGSetParserErrors(parser.get(), ToStream(), ToStream(), call.stream());
  RelaxNg schema(xmlRelaxNGParse(parser.get()));
  if (call.is_too_complex()) schema.reset();
  return schema;
}

Schematron CompileSchematron(const std::string& file) {
  const Owned<xmlSchematronParserCtxt, xmlSchematronFreeParserCtxt> parser(xmlSchematronNewParserCtxt(file.c_str()));
  return parser == nullptr ? nullptr : Schematron(xmlSchematronParse(parser.get()));
}

bool MayHaveKeys(std::string_view text) {
  for (const char* sign : {"unique", "key", "<!ENTITY"}) {
    if (text.find(sign) != std::string_view::npos) return true;
  }
  return text.find('\0') != std::string_view::npos;
}

int ReadText(void* context, char* buffer, int size) {
  auto& rest = *static_cast<std::string_view*>(context);
  const size_t taken = std::min(rest.size(), static_cast<size_t>(size));
  std::memcpy(buffer, rest.data(), taken);
  rest.remove_prefix(taken);
  return static_cast<int>(taken);
}

}  // namespace

size_t CountNodes(const xmlDoc* document) {
  size_t count = 0;
  const xmlNode* node = document->children;
  while (node != nullptr) {
    ++count;
    if (node->type == XML_ELEMENT_NODE) {
      for (const xmlAttr* attribute = node->properties; attribute != nullptr; attribute = attribute->next) ++count;
      if (node->children != nullptr) {
        node = node->children;
        continue;
      }
    }
    while (node != nullptr && node->next == nullptr) {
      node = node->parent;
      if (node == nullptr || node->type == XML_DOCUMENT_NODE || node->type == XML_HTML_DOCUMENT_NODE) return count;
    }
    if (node != nullptr) node = node->next;
  }
  return count;
}

int Validator::Fails(const char* kind, const std::string& file) {
  if (call_.is_too_complex()) errors_ += file + ": a content model of more than 1000 optional parts, or a pattern of more than 1000 bytes\n";
  errors_ += std::string(kind) + " schema " + file + " failed to compile\n";
  return kNoSchema;
}

// In the order in which xmllint prefers them; what comes later is not looked at.
int Validator::CompileAll() {
  int status = 0;
  if (settings_.schematron && CompileSchematron(*settings_.schematron) == nullptr) status = Fails("Schematron", *settings_.schematron);
  if (settings_.relaxng) {
    if (CompileRelaxNg(*settings_.relaxng, call_) == nullptr) status = Fails("Relax-NG", *settings_.relaxng);
  } else if (settings_.schema && CompileSchema(*settings_.schema, call_) == nullptr) {
    status = Fails(settings_.is_stream ? "XSD" : "WXS", *settings_.schema);
  }
  return status;
}

int Validator::Tell(int result, const std::string& internal_error) {
  if (result == 0) {
    if (!settings_.is_quiet) errors_ += name_ + " validates\n";
    return 0;
  }
  errors_ += name_ + (result > 0 ? " fails to validate\n" : internal_error);
  return kNotValid;
}

bool Validator::IsTooLarge(const xmlDoc* document, const char* kind) {
  if (CountNodes(document) <= kMostNodesToCompare) return false;
  errors_ += name_ + ": more than 30000 nodes, which is too many for " + kind + "\n";
  return true;
}

Validator::Dtd Validator::ParseDtd() {
  const std::string& file = settings_.dtd ? *settings_.dtd : *settings_.dtd_identifier;
  const auto* name = reinterpret_cast<const xmlChar*>(file.c_str());
  return Dtd(settings_.dtd ? xmlParseDTD(nullptr, name) : xmlParseDTD(name, nullptr));
}

int Validator::ValidateByDtd(xmlDoc* document, xmlDtd* dtd) {
  const std::string& file = settings_.dtd ? *settings_.dtd : *settings_.dtd_identifier;
  if (dtd == nullptr) {
    errors_ += "Could not parse DTD " + file + "\n";
    return kNoDtd;
  }
  const Owned<xmlValidCtxt, xmlFreeValidCtxt> context(xmlNewValidCtxt());
  if (context == nullptr) return kNotValid;
  context->userData = xmlGenericErrorContext;
  context->error = xmlGenericError;
  context->warning = xmlGenericError;
  if (xmlValidateDtd(context.get(), document, dtd) != 0) return 0;
  errors_ += "Document " + name_ + " does not validate against " + file + "\n";
  return kNotValid;
}

// The complaints of compiling were made by CompileAll().
int Validator::ValidateBySchemas(xmlDoc* document) {
  if (settings_.schematron) {
    if (IsTooLarge(document, "Schematron")) return kNotValid;
    call_.Mute(true);
    const Schematron schema = CompileSchematron(*settings_.schematron);
    call_.Mute(false);
    // Its other forms of output go past all handlers, to the host's standard error.
    const int flags = XML_SCHEMATRON_OUT_ERROR | (settings_.is_silent ? XML_SCHEMATRON_OUT_QUIET : 0);
    const Owned<xmlSchematronValidCtxt, xmlSchematronFreeValidCtxt> context(schema == nullptr ? nullptr : xmlSchematronNewValidCtxt(schema.get(), flags));
    if (context == nullptr) return kNotValid;
    if (const int status = Tell(xmlSchematronValidateDoc(context.get(), document), " validation generated an internal error\n"); status != 0) return status;
  }
  if (settings_.relaxng) {
    call_.Mute(true);
    const RelaxNg schema = CompileRelaxNg(*settings_.relaxng, call_);
    call_.Mute(false);
    const Owned<xmlRelaxNGValidCtxt, xmlRelaxNGFreeValidCtxt> context(schema == nullptr ? nullptr : xmlRelaxNGNewValidCtxt(schema.get()));
    if (context == nullptr) return kNotValid;
    xmlRelaxNGSetValidErrors(context.get(), ToStream(), ToStream(), call_.stream());
    return Tell(xmlRelaxNGValidateDoc(context.get(), document), " validation generated an internal error\n");
  }
  if (!settings_.schema) return 0;
  if (sources_.Mention(MayHaveKeys) && IsTooLarge(document, "keys of XML Schema")) return kNotValid;
  call_.Mute(true);
  const Schema schema = CompileSchema(*settings_.schema, call_);
  call_.Mute(false);
  const Owned<xmlSchemaValidCtxt, xmlSchemaFreeValidCtxt> context(schema == nullptr ? nullptr : xmlSchemaNewValidCtxt(schema.get()));
  if (context == nullptr) return kNotValid;
  xmlSchemaSetValidErrors(context.get(), ToStream(), ToStream(), call_.stream());
  return Tell(xmlSchemaValidateDoc(context.get(), document), " validation generated an internal error\n");
}

int Validator::ValidateStream(std::string_view text) {
  const Owned<xmlTextReader, xmlFreeTextReader> reader(xmlReaderForIO(ReadText, nullptr, &text, name_.c_str(), nullptr, settings_.parse_options));
  if (reader == nullptr) return 1;
  const bool is_relaxng = settings_.relaxng.has_value();
  const std::string& file = is_relaxng ? *settings_.relaxng : *settings_.schema;
  const int is_wrong = is_relaxng ? xmlTextReaderRelaxNGValidate(reader.get(), file.c_str()) : xmlTextReaderSchemaValidate(reader.get(), file.c_str());
  if (is_wrong != 0 || call_.is_too_complex()) return Fails(is_relaxng ? "Relax-NG" : "XSD", file);
  int result = 1;
  while (result == 1) result = xmlTextReaderRead(reader.get());
  if (result != 0) {
    errors_ += name_ + " : failed to parse\n";
    return 1;
  }
  return Tell(xmlTextReaderIsValid(reader.get()) == 1 ? 0 : 1, "");
}

}  // namespace paddock::xml
