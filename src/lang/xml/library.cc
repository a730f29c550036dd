#include "lang/xml/library.h"

#include <iconv.h>
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
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/termination.h"
#include "lang/xml/sources.h"

extern "C" {
iconv_t __real_iconv_open(const char* to, const char* from);
int __real_iconv_close(iconv_t converter);
}

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
  bool is_refused = false;    // the exec must end
  bool is_broken_off = false; // a throw left the library's things half done
  int freeing = 0;
  LibraryCall::Extras extras;
  size_t held = 0;
  bool is_too_complex = false;
  bool is_muted = false;
};
constinit thread_local Work work;
thread_local std::map<const void*, int> epsilons;   // of each automaton that is being made
thread_local std::vector<iconv_t> converters;       // that the call has open

// In front of each block.
struct Mark {
  size_t size = 0;    // which realloc needs
  size_t units = 0;   // of the cell that it is; 0: it was taken alone, and Links are in front of this
};
// Its place among the call's blocks that were taken alone; null when it was taken in no call.
struct Links {
  Links* before = nullptr;
  Links* after = nullptr;
};
// A document is made of millions of small blocks. They are cells of slabs, which go all at once when the call ends; cells that are given
// back wait for the next of their size.
constexpr size_t kUnit = 16;   // keeps what follows as aligned as malloc does
static_assert(sizeof(Mark) == kUnit && sizeof(Links) == kUnit);
constexpr size_t kMostUnits = 32;
constexpr size_t kSlab = 64 << 10;
#ifdef PADDOCK_SANITIZE
constexpr bool kUsesCells = false;   // it looks at each block
#else
constexpr bool kUsesCells = true;
#endif
struct FreeCell {
  FreeCell* next = nullptr;
};
struct Slab {
  Slab* next = nullptr;
};
static_assert(sizeof(Slab) <= kUnit);
struct Heap {
  bool is_open = false;   // while a call lasts
  Links alone;            // a ring through this one then
  Slab* slabs = nullptr;
  char* at = nullptr;     // what is left of the last slab
  char* end = nullptr;
  FreeCell* free[kMostUnits + 1] = {};   // by units
};
constinit thread_local Heap heap;

// Throws when the exec must end.
void LookAtLimits(size_t size) {
  if (work.budget == nullptr || work.freeing > 0) return;
  if (work.is_refused) LibraryCall::Refuse();
  work.bytes += size;
  if (++work.calls < kCallsBetweenLooks && work.bytes < kBytesBetweenLooks) return;
  work.calls = 0;
  work.bytes = 0;
  work.is_broken_off = true;
  work.budget->CheckNow();
  work.is_broken_off = false;
}

void LookAtRoom(size_t size) {
  const size_t most = work.extras.most_memory;
  if (most == 0 || work.held + size <= most || work.freeing > 0) return;
  try {
    if (work.errors->size() < kMostComplaints) work.errors->append("Ran out of memory needs > " + std::to_string(most) + " bytes\n");
  } catch (const std::bad_alloc&) {
    LibraryCall::Refuse();
  }
  work.is_broken_off = true;
  throw LibraryCall::NoRoom();
}

char* TakeCell(size_t units) {
  if (FreeCell* cell = heap.free[units]; cell != nullptr) {
    heap.free[units] = cell->next;
    return reinterpret_cast<char*>(cell);
  }
  const size_t size = units * kUnit;
  if (static_cast<size_t>(heap.end - heap.at) < size) {
    auto* room = static_cast<char*>(::operator new(kSlab, std::nothrow));
    if (room == nullptr) return nullptr;
    heap.slabs = std::construct_at(reinterpret_cast<Slab*>(room), heap.slabs);
    heap.at = room + kUnit;
    heap.end = room + kSlab;
  }
  return std::exchange(heap.at, heap.at + size);
}

char* TakeAlone(size_t size) {
  if (size > SIZE_MAX - 2 * kUnit) return nullptr;
  auto* room = static_cast<char*>(::operator new(size + 2 * kUnit, std::nothrow));
  if (room == nullptr) return nullptr;
  auto* links = std::construct_at(reinterpret_cast<Links*>(room));
  if (heap.is_open) {
    *links = {&heap.alone, heap.alone.after};
    heap.alone.after->before = links;
    heap.alone.after = links;
  }
  return room + kUnit;
}

void* Take(size_t size) {
  LookAtLimits(size);
  LookAtRoom(size);
  const bool is_cell = kUsesCells && heap.is_open && size <= (kMostUnits - 1) * kUnit;
  const size_t units = is_cell ? (size + sizeof(Mark) + kUnit - 1) / kUnit : 0;
  char* room = is_cell ? TakeCell(units) : TakeAlone(size);
  if (room == nullptr) {
    if (work.budget != nullptr && work.freeing == 0) LibraryCall::Refuse();
    return nullptr;
  }
  std::construct_at(reinterpret_cast<Mark*>(room), size, units);
  work.held += size;
  return room + sizeof(Mark);
}

Mark* MarkOf(void* block) { return reinterpret_cast<Mark*>(static_cast<char*>(block) - sizeof(Mark)); }

void Give(void* block) {
  if (block == nullptr || work.is_broken_off) return;
  Mark* mark = MarkOf(block);
  work.held -= std::min(work.held, mark->size);   // what was taken before this call is not counted
  if (const size_t units = mark->units; units > 0) {
    heap.free[units] = std::construct_at(reinterpret_cast<FreeCell*>(mark), heap.free[units]);
    return;
  }
  auto* links = reinterpret_cast<Links*>(reinterpret_cast<char*>(mark) - kUnit);
  if (links->after != nullptr) {
    links->before->after = links->after;
    links->after->before = links->before;
  }
  ::operator delete(links);
}

// What the library forgets to free in a call that breaks off (2.9.14: two nodes of each broken XInclude, and more when memory is
// refused) would stay for as long as the process lives. Nothing of a call outlives it.
void KeepBlocks() {
  heap = {};
  heap.is_open = true;
  heap.alone = {&heap.alone, &heap.alone};
}

void FreeBlocks() {
  for (const iconv_t converter : converters) __real_iconv_close(converter);
  converters.clear();
  for (Links* links = heap.alone.after; links != &heap.alone;) ::operator delete(std::exchange(links, links->after));
  for (Slab* slab = heap.slabs; slab != nullptr;) ::operator delete(std::exchange(slab, slab->next));
  heap = {};
}

void* Change(void* block, size_t size) {
  void* larger = Take(size);
  if (block == nullptr || larger == nullptr) return larger;
  std::memcpy(larger, block, std::min(MarkOf(block)->size, size));
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
    LibraryCall::Refuse();
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
  epsilons.clear();
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
  epsilons.clear();
}

void LibraryCall::Refuse() {
  work.is_broken_off = true;
  work.budget->CheckNow();   // what came first is the reason
  work.budget->Stop(LimitKind::kMemory);
}

LibraryCall::Freeing::Freeing() { ++work.freeing; }
LibraryCall::Freeing::~Freeing() { --work.freeing; }
bool LibraryCall::Freeing::is_wanted() const { return !work.is_broken_off; }

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
iconv_t __wrap_iconv_open(const char* to, const char* from);
int __wrap_iconv_close(iconv_t converter);

// A converter takes memory that is none of the call's.
iconv_t __wrap_iconv_open(const char* to, const char* from) {
  const iconv_t converter = __real_iconv_open(to, from);
  if (!paddock::xml::heap.is_open || reinterpret_cast<intptr_t>(converter) == -1) return converter;
  try {
    paddock::xml::converters.push_back(converter);
  } catch (const std::bad_alloc&) {
    __real_iconv_close(converter);
    paddock::xml::LibraryCall::Refuse();
  }
  return converter;
}

int __wrap_iconv_close(iconv_t converter) {
  std::erase(paddock::xml::converters, converter);
  return __real_iconv_close(converter);
}

xmlAutomataStatePtr __wrap_xmlAutomataNewEpsilon(xmlAutomataPtr automaton, xmlAutomataStatePtr from, xmlAutomataStatePtr to) {
  using paddock::xml::work;
  try {
    if (work.budget != nullptr && ++paddock::xml::epsilons[automaton] > paddock::xml::kMostEpsilons) work.is_too_complex = true;
  } catch (const std::bad_alloc&) {
    paddock::xml::LibraryCall::Refuse();
  }
  return __real_xmlAutomataNewEpsilon(automaton, from, to);
}

xmlRegexpPtr __wrap_xmlAutomataCompile(xmlAutomataPtr automaton) {
  const auto found = paddock::xml::epsilons.find(automaton);
  if (found != paddock::xml::epsilons.end() && found->second > paddock::xml::kMostEpsilons) return nullptr;
  return __real_xmlAutomataCompile(automaton);
}

void __wrap_xmlFreeAutomata(xmlAutomataPtr automaton) {
  paddock::xml::epsilons.erase(automaton);
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
