// Other ears for libxml2's parser: xmllint --sax, which writes down each call, and --htmlout, whose complaints are HTML.
// Inside of a LibraryCall. Not an interface of the folder.
#pragma once

#include <libxml/parser.h>

#include <string>

namespace paddock::xml {

// The parser then makes no tree, and tells `out` what it would have made it of; `out` outlives the parser. Null: it tells nothing.
void TellCalls(xmlParserCtxt& parser, std::string* out);

// Complaints are written to the LibraryCall's stream as HTML.
void ComplainInHtml(xmlParserCtxt& parser);
std::string HtmlText(std::string_view text);

}  // namespace paddock::xml
