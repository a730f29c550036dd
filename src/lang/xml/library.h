// libxml2 inside an exec: its memory is counted, its calls end when the exec must, its complaints are kept, and it
// loads nothing. Not an interface of the folder.
#pragma once

#include <cstdio>
#include <string>

#include "base/budget.h"

namespace paddock::xml {

// While one exists, the thread's calls of libxml2 work for `budget`; no fiber may run meanwhile, so nothing inside may
// call Budget::Step(). `errors` gets what the library says.
class LibraryCall {
 public:
  LibraryCall(Budget& budget, std::string& errors, const char* indent);
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

  // True when the exec must end: memory or time was refused.
  bool is_refused() const;

 private:
  std::FILE* stream_ = nullptr;
};

}  // namespace paddock::xml
