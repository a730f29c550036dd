#include "lang/xml/library.h"

#include <libxml/catalog.h>
#include <libxml/dict.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/relaxng.h>
#include <libxml/tree.h>
#include <libxml/xmlautomata.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlmemory.h>
#include <libxml/xmlschemastypes.h>
#include <libxml/xpath.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "base/termination.h"
#include "lang/xml/sources.h"

namespace paddock::xml {
namespace {

constexpr size_t kBytesBetweenLooks = 256 << 10;
constexpr int kCallsBetweenLooks = 256;
constexpr size_t kMostComplaints = 1 << 20;
// libxml2 takes the cube of them in steps, without a look at anything: 1000 are some seconds.
constexpr int kMostEpsilons = 1000;

struct Work {
  Budget* budget = nullptr;
  std::string* errors = nullptr;
  size_t bytes = 0;
  int calls = 0;
  bool is_refused = false;
  LibraryCall::Extras extras;
  size_t held = 0;
  std::map<const void*, int> epsilons;   // of each automaton that is being made
  bool is_too_complex = false;
  bool is_muted = false;
};
thread_local Work work;

// In front of each block: its size, which realloc needs, and its place among the blocks of the call, when it was taken in one.
struct Header {
  size_t size = 0;
  Header* before = nullptr;
  Header* after = nullptr;
};
constexpr size_t kHeader = 32;   // keeps what follows as aligned as malloc does
static_assert(sizeof(Header) <= kHeader);
thread_local Header blocks;   // a ring through this one while a call lasts

// These are called from C, so they throw nothing: null is "out of memory" there, which ends every operation.
bool MayGoOn(size_t size) {
  if (work.budget == nullptr) return true;
  if (work.is_refused) return false;
  work.bytes += size;
  if (++work.calls < kCallsBetweenLooks && work.bytes < kBytesBetweenLooks) return true;
  work.calls = 0;
  work.bytes = 0;
  try {
    work.budget->CheckNow();
  } catch (const Termination&) {
    work.is_refused = true;   // whoever called the library looks
    return false;
  }
  return true;
}

bool HasRoom(size_t size) {
  const size_t most = work.extras.most_memory;
  if (most == 0 || work.held + size <= most) return true;
  try {
    if (work.errors->size() < kMostComplaints) work.errors->append("Ran out of memory needs > " + std::to_string(most) + " bytes\n");
  } catch (const std::bad_alloc&) {
    work.is_refused = true;
  }
  return false;
}

void* Take(size_t size) {
  if (!MayGoOn(size) || !HasRoom(size)) return nullptr;
  auto* block = static_cast<char*>(::operator new(size + kHeader, std::nothrow));
  if (block == nullptr) {
    work.is_refused = true;
    return nullptr;
  }
  auto* header = std::construct_at(reinterpret_cast<Header*>(block), size);
  if (blocks.after != nullptr) {
    header->before = &blocks;
    header->after = blocks.after;
    blocks.after->before = header;
    blocks.after = header;
  }
  work.held += size;
  return block + kHeader;
}

Header* HeaderOf(void* block) { return reinterpret_cast<Header*>(static_cast<char*>(block) - kHeader); }

void Give(void* block) {
  if (block == nullptr) return;
  Header* header = HeaderOf(block);
  work.held -= std::min(work.held, header->size);   // what was taken before this call is not counted
  if (header->after != nullptr) {
    header->before->after = header->after;
    header->after->before = header->before;
  }
  ::operator delete(header);
}

// What the library forgets to free in a call that breaks off (2.9.14: two nodes of each broken XInclude, and more when memory is
// refused) would stay for as long as the process lives. Nothing of a call outlives it.
void KeepBlocks() { blocks.before = blocks.after = &blocks; }

void FreeBlocks() {
  for (Header* header = blocks.after; header != &blocks;) {
    Header* next = header->after;
    ::operator delete(header);
    header = next;
  }
  blocks = {};
}

void* Change(void* block, size_t size) {
  void* larger = Take(size);
  if (block == nullptr || larger == nullptr) return larger;
  std::memcpy(larger, block, std::min(HeaderOf(block)->size, size));
  Give(block);
  return larger;
}

char* Copy(const char* text) {
  const size_t size = std::strlen(text) + 1;
  auto* copy = static_cast<char*>(Take(size));
  if (copy != nullptr) std::memcpy(copy, text, size);
  return copy;
}

// What the library says goes through a stdio stream: only for fprintf does it say which part of it complains.
ssize_t Complain(void*, const char* text, size_t size) {
  if (work.errors == nullptr || work.is_muted || work.errors->size() > kMostComplaints) return static_cast<ssize_t>(size);
  try {
    work.errors->append(text, size);
  } catch (const std::bad_alloc&) {
    work.is_refused = true;
  }
  return static_cast<ssize_t>(size);
}

// Nothing outside the document is read, whatever it names.
xmlParserInputPtr LoadNothing(const char* url, const char*, xmlParserCtxtPtr) {
  xmlGenericError(xmlGenericErrorContext, "I/O warning : failed to load external entity \"%s\"\n", url == nullptr ? "" : url);
  return nullptr;
}

int ReadRest(void* context, char* buffer, int size) {
  auto& rest = *static_cast<std::string_view*>(context);
  const size_t taken = std::min(rest.size(), static_cast<size_t>(size));
  std::memcpy(buffer, rest.data(), taken);
  rest.remove_prefix(taken);
  return static_cast<int>(taken);
}

int CloseRest(void* context) {
  xmlFree(context);
  return 0;
}

xmlParserInputPtr Missing(const char* url, xmlParserCtxtPtr parser) {
  xmlResetLastError();
  xmlLastError.domain = XML_FROM_IO;   // by which some callers choose their words
  xmlLastError.code = XML_IO_LOAD_ERROR;
  if (parser != nullptr && parser->sax != nullptr && parser->sax->warning != nullptr && url != nullptr) {
    parser->sax->warning(parser->userData, "failed to load external entity \"%s\"\n", url);
  }
  return nullptr;
}

xmlParserInputPtr Load(const char* url, const char* id, xmlParserCtxtPtr parser) {
  if (work.extras.sources == nullptr) return LoadNothing(url, id, parser);
  if (url == nullptr) return id == nullptr ? nullptr : Missing(id, parser);   // no catalog knows what an identifier stands for
  if (work.extras.tells_entities) xmlGenericError(xmlGenericErrorContext, "new input from file: %s\n", url);
  try {
    const Sources::Found found = work.extras.sources->Find(url);
    if (found.is_wanted) return nullptr;
    if (found.text == nullptr || found.text->size() > INT32_MAX) return Missing(url, parser);
    if (work.extras.tells_loads && !work.is_muted && work.errors->size() < kMostComplaints) {
      work.errors->append("Loaded URL=\"" + found.name + "\" ID=\"" + (id == nullptr ? "(null)" : id) + "\"\n");
    }
    auto* rest = static_cast<std::string_view*>(xmlMalloc(sizeof(std::string_view)));
    if (rest == nullptr) return nullptr;
    std::construct_at(rest, *found.text);
    xmlParserInputBufferPtr buffer = xmlParserInputBufferCreateIO(ReadRest, CloseRest, rest, XML_CHAR_ENCODING_NONE);
    if (buffer == nullptr) {
      xmlFree(rest);
      return nullptr;
    }
    xmlParserDebugEntities = 0;   // it would say that this is no file
    xmlParserInputPtr input = xmlNewIOInputStream(parser, buffer, XML_CHAR_ENCODING_NONE);
    xmlParserDebugEntities = work.extras.tells_entities ? 1 : 0;
    if (input == nullptr) {
      xmlFreeParserInputBuffer(buffer);
      return nullptr;
    }
    input->filename = reinterpret_cast<char*>(xmlStrdup(reinterpret_cast<const xmlChar*>(found.name.c_str())));
    input->directory = xmlParserGetDirectory(found.name.c_str());
    if (parser != nullptr && parser->directory == nullptr && input->directory != nullptr) {
      parser->directory = reinterpret_cast<char*>(xmlStrdup(reinterpret_cast<const xmlChar*>(input->directory)));
    }
    return input;
  } catch (const std::bad_alloc&) {
    work.is_refused = true;
    return nullptr;
  }
}

void Nothing(void*, const char*, ...) {}

bool Install() {
  xmlMemSetup(Give, Take, Change, Copy);
  xmlSetExternalEntityLoader(Load);
  xmlInitParser();
  // All that the library makes once and keeps: made in a call, it would go with that.
  xmlInitializeDict();
  xmlXPathInit();
  xmlSchemaInitTypes();
  xmlRelaxNGInitTypes();
  xmlCatalogSetDefaults(XML_CATA_ALLOW_NONE);
  return true;
}

// Before main(): the allocator has to be there before the first allocation, and threads may not meet in the initialisation.
const bool is_installed = Install();

}  // namespace

LibraryCall::LibraryCall(Budget& budget, std::string& errors, const char* indent) : LibraryCall(budget, errors, indent, Extras()) {}

LibraryCall::LibraryCall(Budget& budget, std::string& errors, const char* indent, const Extras& extras) {
  work = {};
  work.budget = &budget;
  work.errors = &errors;
  work.extras = extras;
  stream_ = fopencookie(nullptr, "w", {nullptr, Complain, nullptr, nullptr});
  if (stream_ != nullptr) std::setvbuf(stream_, nullptr, _IONBF, 0);
  xmlSetGenericErrorFunc(stream_, is_installed && stream_ != nullptr ? reinterpret_cast<xmlGenericErrorFunc>(reinterpret_cast<void (*)()>(&std::fprintf)) : Nothing);
  xmlTreeIndentString = indent;
  xmlLineNumbersDefault(1);
  xmlParserDebugEntities = extras.tells_entities ? 1 : 0;
  xmlResetLastError();
  KeepBlocks();
}

LibraryCall::~LibraryCall() {
  xmlResetLastError();
  FreeBlocks();
  xmlSetGenericErrorFunc(nullptr, nullptr);
  if (stream_ != nullptr) std::fclose(stream_);
  xmlTreeIndentString = "  ";
  xmlParserDebugEntities = 0;
  work = {};
}

bool LibraryCall::is_refused() const { return work.is_refused; }
void LibraryCall::Mute(bool is_muted) const { work.is_muted = is_muted; }
bool LibraryCall::is_too_complex() const { return work.is_too_complex; }

}  // namespace paddock::xml

// The linker puts these in front of the library's own (see CMakeLists.txt): only they can see how large an automaton becomes.
extern "C" {
xmlAutomataStatePtr __real_xmlAutomataNewEpsilon(xmlAutomataPtr automaton, xmlAutomataStatePtr from, xmlAutomataStatePtr to);
xmlRegexpPtr __real_xmlAutomataCompile(xmlAutomataPtr automaton);
void __real_xmlFreeAutomata(xmlAutomataPtr automaton);
xmlRegexpPtr __real_xmlRegexpCompile(const xmlChar* pattern);

xmlAutomataStatePtr __wrap_xmlAutomataNewEpsilon(xmlAutomataPtr automaton, xmlAutomataStatePtr from, xmlAutomataStatePtr to);
xmlRegexpPtr __wrap_xmlAutomataCompile(xmlAutomataPtr automaton);
void __wrap_xmlFreeAutomata(xmlAutomataPtr automaton);
xmlRegexpPtr __wrap_xmlRegexpCompile(const xmlChar* pattern);

xmlAutomataStatePtr __wrap_xmlAutomataNewEpsilon(xmlAutomataPtr automaton, xmlAutomataStatePtr from, xmlAutomataStatePtr to) {
  using paddock::xml::work;
  try {
    if (work.budget != nullptr && ++work.epsilons[automaton] > paddock::xml::kMostEpsilons) work.is_too_complex = true;
  } catch (const std::bad_alloc&) {
    work.is_refused = true;
    return nullptr;
  }
  return __real_xmlAutomataNewEpsilon(automaton, from, to);
}

xmlRegexpPtr __wrap_xmlAutomataCompile(xmlAutomataPtr automaton) {
  const auto found = paddock::xml::work.epsilons.find(automaton);
  if (found != paddock::xml::work.epsilons.end() && found->second > paddock::xml::kMostEpsilons) return nullptr;
  return __real_xmlAutomataCompile(automaton);
}

void __wrap_xmlFreeAutomata(xmlAutomataPtr automaton) {
  paddock::xml::work.epsilons.erase(automaton);
  __real_xmlFreeAutomata(automaton);
}

xmlRegexpPtr __wrap_xmlRegexpCompile(const xmlChar* pattern) {
  if (paddock::xml::work.budget != nullptr && xmlStrlen(pattern) > paddock::xml::kMostEpsilons) {
    paddock::xml::work.is_too_complex = true;
    return nullptr;
  }
  return __real_xmlRegexpCompile(pattern);
}
}
