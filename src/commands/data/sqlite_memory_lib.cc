#include "commands/data/sqlite_memory.h"

#include <malloc.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace paddock::data {
namespace {

constexpr int kAlignment = 8;   // SQLite asks for multiples of it

thread_local bool was_refused = false;

// These are called from C, so they throw nothing: null is "out of memory" there.
void* Take(int size) {
  if (size <= 0) return nullptr;
  void* block = ::operator new(static_cast<size_t>(size), std::nothrow);
  if (block == nullptr) was_refused = true;
  return block;
}
void Give(void* block) { ::operator delete(block); }
int SizeOf(void* block) { return block == nullptr ? 0 : static_cast<int>(malloc_usable_size(block)); }
int RoundUp(int size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

void* Change(void* block, int size) {
  void* larger = Take(size);
  if (larger == nullptr) return nullptr;
  std::memcpy(larger, block, static_cast<size_t>(std::min(SizeOf(block), size)));
  Give(block);
  return larger;
}

int Begin(void*) { return SQLITE_OK; }
void End(void*) {}

bool Install() {
  sqlite3_mem_methods methods{.xMalloc = Take, .xFree = Give, .xRealloc = Change, .xSize = SizeOf, .xRoundup = RoundUp, .xInit = Begin, .xShutdown = End, .pAppData = nullptr};
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK;
}

// Before main(): SQLite takes an allocator only as long as nothing has been allocated.
const bool is_metered = Install();

}  // namespace

bool IsSqliteMetered() { return is_metered; }

bool TakeSqliteRefusal() { return std::exchange(was_refused, false); }

}  // namespace paddock::data
