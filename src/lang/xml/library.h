// libxml2 inside an exec: its memory is counted, its calls end when the exec must, its complaints are kept, and it
// loads nothing but what Sources has. Not an interface of the folder.
//
// The library does not survive an allocation that fails: it goes on with places in a buffer that is gone. So a block that may not be had
// throws through its functions; what they leave half done is never looked at again, and goes with the call.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "base/budget.h"

namespace paddock::xml {

class Sources;

// While one exists, the thread's calls of libxml2 work for `budget`; no fiber may run meanwhile, so nothing inside may
// call Budget::Step(). `errors` gets what the library says. What the library has taken meanwhile is freed at the end: no
// document may outlive it.
class LibraryCall {
 public:
  struct Extras {
    Sources* sources = nullptr;      // null: it loads nothing
    bool tells_loads = false;        // names in `errors` what it loads
    bool tells_entities = false;     // and the entities that the parser goes into
    size_t most_memory = 0;          // bytes that the library may hold, 0 for what the exec may
  };
  LibraryCall(Budget& budget, std::string& errors, const char* indent);
  LibraryCall(Budget& budget, std::string& errors, const char* indent, const Extras& extras);
  ~LibraryCall();
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;

  // Thrown when the library wants more than Extras::most_memory; the complaint is there already.
  struct NoRoom {};

  // Ends the exec from inside of a call, because memory is used up.
  [[noreturn]] static void Refuse();
  // While one exists, nothing is thrown: for destructors. What was left half done by a throw stays as it is.
  class Freeing {
   public:
    Freeing();
    ~Freeing();
    Freeing(const Freeing&) = delete;
    Freeing& operator=(const Freeing&) = delete;
    bool is_wanted() const;
  };

  // True when a complaint could not be kept: the exec must end.
  bool is_refused() const;
  // True when a content model had more optional parts than the library can put together in reasonable time.
  bool is_too_complex() const;
  // What the library says meanwhile is dropped.
  void Mute(bool is_muted) const;
  // Where complaints go that the library is to call by their part of it: for the pair fprintf and this.
  std::FILE* stream() const { return stream_; }

 private:
  std::FILE* stream_ = nullptr;
};

// What the library made, and frees by kFree.
template <class T, void (*kFree)(T*)>
struct Freer {
  void operator()(T* thing) const {
    const LibraryCall::Freeing freeing;
    if (freeing.is_wanted()) kFree(thing);
  }
};
template <class T, void (*kFree)(T*)>
using Owned = std::unique_ptr<T, Freer<T, kFree>>;

}  // namespace paddock::xml
