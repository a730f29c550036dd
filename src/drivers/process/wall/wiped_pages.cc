#include "drivers/process/wall/wiped_pages.h"

#include <sys/mman.h>

namespace paddock::process_wall {

WipedPages::WipedPages(size_t size) {
  void* const pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;
  if (madvise(pages, size, MADV_WIPEONFORK) != 0) {
    munmap(pages, size);
    return;
  }
  data_ = static_cast<char*>(pages);
  size_ = size;
}

WipedPages& WipedPages::operator=(WipedPages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

WipedPages::~WipedPages() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace paddock::process_wall
