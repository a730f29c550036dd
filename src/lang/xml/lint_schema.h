// Validation of documents by XML Schema, RELAX NG, Schematron and a DTD that the document does not name, with xmllint's words.
// Inside of a LibraryCall. Not an interface of the folder.
#pragma once

#include <libxml/tree.h>

#include <string>
#include <string_view>

#include "lang/xml/library.h"

namespace paddock::xml {

class Sources;
struct LintSettings;

class Validator {
 public:
  // `name` is the document's. All outlive the validator.
  Validator(const std::string& name, const LintSettings& settings, const LibraryCall& call, const Sources& sources, std::string& errors)
      : name_(name), settings_(settings), call_(call), sources_(sources), errors_(errors) {}

  // xmllint's exit statuses: 0, or the first that is not.
  int CompileAll();
  using Dtd = Owned<xmlDtd, xmlFreeDtd>;
  Dtd ParseDtd();
  int ValidateByDtd(xmlDoc* document, xmlDtd* dtd);
  int ValidateBySchemas(xmlDoc* document);
  // Reads and validates at once; the document is thrown away.
  int ValidateStream(std::string_view text);

 private:
  int Tell(int result, const std::string& internal_error);
  // What the library says when a schema does not compile.
  int Fails(const char* kind, const std::string& file);
  bool IsTooLarge(const xmlDoc* document, const char* kind);

  const std::string& name_;
  const LintSettings& settings_;
  const LibraryCall& call_;
  const Sources& sources_;
  std::string& errors_;
};

// The nodes and attributes of a document.
size_t CountNodes(const xmlDoc* document);

}  // namespace paddock::xml
