// XPath's translate() in linear time: libxml2 looks through the whole second argument for each character of the first.
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#include <algorithm>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lang/xml/library.h"

namespace paddock::xml {
namespace {

// Takes the character at the front of `rest`.
std::string_view TakeCharacter(std::string_view& rest) {
  const auto is_inside = [&](size_t at) { return at < rest.size() && (static_cast<unsigned char>(rest[at]) & 0xc0) == 0x80; };
  size_t size = 1;
  while (static_cast<unsigned char>(rest[0]) >= 0xc0 && is_inside(size)) ++size;
  const std::string_view character = rest.substr(0, size);
  rest.remove_prefix(size);
  return character;
}

std::string Translated(std::string_view text, std::string_view from, std::string_view to) {
  std::unordered_map<std::string_view, std::string_view> changes;
  while (!from.empty()) {
    const std::string_view character = TakeCharacter(from);
    changes.try_emplace(character, to.empty() ? std::string_view() : TakeCharacter(to));
  }
  std::string result;
  while (!text.empty()) {
    const std::string_view character = TakeCharacter(text);
    const auto change = changes.find(character);
    result += change == changes.end() ? character : change->second;
  }
  return result;
}

void Translate(xmlXPathParserContextPtr ctxt, int nargs) {
  CHECK_ARITY(3);
  xmlChar* const to = xmlXPathPopString(ctxt);
  xmlChar* const from = xmlXPathPopString(ctxt);
  xmlChar* const text = xmlXPathPopString(ctxt);
  const auto view = [](const xmlChar* string) { return string == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(string)); };
  try {
    const std::string result = Translated(view(text), view(from), view(to));
    valuePush(ctxt, xmlXPathNewString(reinterpret_cast<const xmlChar*>(result.c_str())));
  } catch (const std::bad_alloc&) {
    LibraryCall::Refuse();
  }
  xmlFree(to);
  xmlFree(from);
  xmlFree(text);
}

// The context's own functions come after this.
xmlXPathFunction FindFunction(void*, const xmlChar* name, const xmlChar* space) {
  return space == nullptr && xmlStrEqual(name, reinterpret_cast<const xmlChar*>("translate")) != 0 ? Translate : nullptr;
}

}  // namespace
}  // namespace paddock::xml

// The linker puts this in front of the library's own, for the contexts of schemas and of XInclude, too.
extern "C" {
xmlXPathContextPtr __real_xmlXPathNewContext(xmlDocPtr document);
xmlXPathContextPtr __wrap_xmlXPathNewContext(xmlDocPtr document);

xmlXPathContextPtr __wrap_xmlXPathNewContext(xmlDocPtr document) {
  xmlXPathContextPtr context = __real_xmlXPathNewContext(document);
  if (context != nullptr) xmlXPathRegisterFuncLookup(context, paddock::xml::FindFunction, nullptr);
  return context;
}
}
