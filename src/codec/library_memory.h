// Where the compression libraries get their memory: operator new, which counts it. Not an interface of the folder.
#pragma once

#include <cstddef>

#include "base/error.h"

namespace paddock {
class Budget;
}

namespace paddock::codec {

class LibraryMemory {
 public:
  explicit LibraryMemory(Budget* budget) : budget_(budget) {}

  // Null, and remembered, when it would pass the exec's limit.
  void* Take(size_t size);
  static void GiveBack(void* block);
  // After a library said that it has no memory: stops the exec if that is the limit's doing, else kNoMemory.
  Error Refusal();

 private:
  Budget* budget_;
  size_t refused_ = 0;
};

}  // namespace paddock::codec
