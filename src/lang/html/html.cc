#include "lang/html/html.h"

#include <gumbo.h>

#include <csetjmp>
#include <cstddef>
#include <cstring>
#include <new>

#include "base/budget.h"
#include "base/termination.h"

namespace paddock::html {
namespace {

constexpr int kCallsBetweenLooks = 256;
constexpr size_t kBytesBetweenLooks = 1 << 20;

// Every block is in a list, so that all go at once: gumbo's own way to free a tree recurses into it.
struct alignas(std::max_align_t) Block {
  Block* previous;
  Block* next;
};

}  // namespace

struct Document::Memory {
  explicit Memory(Budget& its_budget) : budget(its_budget) { first.previous = first.next = &first; }
  ~Memory() {
    while (first.next != &first) Give(nullptr, first.next + 1);
  }

  bool MayGoOn(size_t size) {
    bytes += size;
    if (++calls < kCallsBetweenLooks && bytes < kBytesBetweenLooks) return true;
    calls = 0;
    bytes = 0;
    try {
      budget.CheckNow();
    } catch (const Termination&) {
      return false;   // thrown again where there is no C below
    }
    return true;
  }

  // gumbo does not look whether it gets memory, so a refusal leaves it by a jump: there is nothing but C in between, and what it
  // holds is in the list.
  static void* Take(void* self, size_t size) {
    auto& memory = *static_cast<Memory*>(self);
    void* place = memory.MayGoOn(size) ? ::operator new(sizeof(Block) + size, std::nothrow) : nullptr;
    if (place == nullptr) std::longjmp(memory.way_out, 1);
    auto* block = static_cast<Block*>(place);
    block->previous = memory.first.previous;
    block->next = &memory.first;
    block->previous->next = block;
    memory.first.previous = block;
    return block + 1;
  }

  static void Give(void*, void* address) {
    if (address == nullptr) return;
    Block* block = static_cast<Block*>(address) - 1;
    block->previous->next = block->next;
    block->next->previous = block->previous;
    ::operator delete(block);
  }

  // Null when the exec must end. Nothing here has a destructor.
  const GumboNode* Parse(std::string_view text) {
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = Take;
    options.deallocator = Give;
    options.userdata = this;
    options.max_errors = 0;
    if (setjmp(way_out) != 0) return nullptr;
    return gumbo_parse_with_options(&options, text.data(), text.size())->root;
  }

  Budget& budget;
  Block first;
  std::jmp_buf way_out;
  int calls = 0;
  size_t bytes = 0;
};

Document::Document(std::string_view text, Budget& budget) : memory_(std::make_unique<Memory>(budget)) {
  budget.CheckNow();
  budget.Step(static_cast<int64_t>(text.size() / 16));
  root_ = memory_->Parse(text);
  if (root_ != nullptr) return;
  budget.CheckNow();
  budget.Stop(LimitKind::kMemory);
}

Document::~Document() = default;

}  // namespace paddock::html
