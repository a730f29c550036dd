#include "codec/library_memory.h"

#include <new>

#include "base/budget.h"

namespace paddock::codec {

void* LibraryMemory::Take(size_t size) {
  void* block = ::operator new(size, std::nothrow);  // allow(raw-new): a C library's allocator
  if (block == nullptr) refused_ = size;
  return block;
}

void LibraryMemory::GiveBack(void* block) {
  ::operator delete(block);  // allow(raw-new): a C library's allocator
}

Error LibraryMemory::Refusal() {
  if (budget_ != nullptr && refused_ > 0) budget_->WillAllocate(refused_);
  return Code::kNoMemory;
}

}  // namespace paddock::codec
