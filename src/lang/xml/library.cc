#include "lang/xml/library.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlmemory.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/termination.h"

namespace paddock::xml {
namespace {

constexpr size_t kBytesBetweenLooks = 256 << 10;
constexpr int kCallsBetweenLooks = 256;

struct Work {
  Budget* budget = nullptr;
  std::string* errors = nullptr;
  size_t bytes = 0;
  int calls = 0;
  bool is_refused = false;
};
thread_local Work work;

// Room in front of a block for its size, which realloc needs.
constexpr size_t kHeader = 16;

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

void* Take(size_t size) {
  if (!MayGoOn(size)) return nullptr;
  auto* block = static_cast<char*>(::operator new(size + kHeader, std::nothrow));
  if (block == nullptr) {
    work.is_refused = true;
    return nullptr;
  }
  std::memcpy(block, &size, sizeof(size));
  return block + kHeader;
}

void Give(void* block) {
  if (block != nullptr) ::operator delete(static_cast<char*>(block) - kHeader);
}

void* Change(void* block, size_t size) {
  void* larger = Take(size);
  if (block == nullptr || larger == nullptr) return larger;
  size_t old = 0;
  std::memcpy(&old, static_cast<char*>(block) - kHeader, sizeof(old));
  std::memcpy(larger, block, std::min(old, size));
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
  constexpr size_t kMostComplaints = 1 << 20;
  if (work.errors == nullptr || work.errors->size() > kMostComplaints) return static_cast<ssize_t>(size);
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

void Nothing(void*, const char*, ...) {}

bool Install() {
  xmlMemSetup(Give, Take, Change, Copy);
  xmlSetExternalEntityLoader(LoadNothing);
  xmlInitParser();
  return true;
}

// Before main(): the allocator has to be there before the first allocation, and threads may not meet in the initialisation.
const bool is_installed = Install();

}  // namespace

LibraryCall::LibraryCall(Budget& budget, std::string& errors, const char* indent) {
  work = {&budget, &errors};
  stream_ = fopencookie(nullptr, "w", {nullptr, Complain, nullptr, nullptr});
  if (stream_ != nullptr) std::setvbuf(stream_, nullptr, _IONBF, 0);
  xmlSetGenericErrorFunc(stream_, is_installed && stream_ != nullptr ? reinterpret_cast<xmlGenericErrorFunc>(reinterpret_cast<void (*)()>(&std::fprintf)) : Nothing);
  xmlTreeIndentString = indent;
}

LibraryCall::~LibraryCall() {
  xmlResetLastError();
  xmlSetGenericErrorFunc(nullptr, nullptr);
  if (stream_ != nullptr) std::fclose(stream_);
  xmlTreeIndentString = "  ";
  work = {};
}

bool LibraryCall::is_refused() const { return work.is_refused; }

}  // namespace paddock::xml
