#include "commands/data/sqlite_memory.h"

#include <malloc.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <vector>

#include "base/budget.h"

namespace paddock::data {
namespace {

constexpr int kAlignment = 8;   // SQLite asks for multiples of it

constexpr size_t kBytesBetweenLooks = 256 << 10;
constexpr int kCallsBetweenLooks = 256;

thread_local bool was_refused = false;
thread_local std::vector<Budget*> budgets;   // of those who use SQLite
thread_local size_t bytes_taken = 0;         // since the last look
thread_local int calls_made = 0;

// Some functions of SQLite copy their result for each piece they append: hours, without a turn of its machine.
bool MayGoOn(size_t size) {
  if (budgets.empty()) return true;
  if (was_refused) return false;
  bytes_taken += size;
  if (++calls_made < kCallsBetweenLooks && bytes_taken < kBytesBetweenLooks) return true;
  bytes_taken = 0;
  calls_made = 0;
  Budget& budget = *budgets.back();
  was_refused = budget.steps_used() > budget.limits().steps;
  try {
    budget.CheckNow();
  } catch (const Termination&) {
    was_refused = true;   // SqliteGuard::Check() throws it again
  }
  return !was_refused;
}

// These are called from C, so they throw nothing: null is "out of memory" there.
void* Take(int size) {
  if (size <= 0 || !MayGoOn(static_cast<size_t>(size))) return nullptr;
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

SqliteMemoryUser::SqliteMemoryUser(Budget& budget) : budget_(budget) { budgets.push_back(&budget); }

SqliteMemoryUser::~SqliteMemoryUser() { budgets.erase(std::find(budgets.begin(), budgets.end(), &budget_)); }

bool TakeSqliteRefusal() { return std::exchange(was_refused, false); }

}  // namespace paddock::data
