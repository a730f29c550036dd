// WipedPages: memory that is empty in the copy of a process that fork(2) makes.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace paddock::process_wall {

class WipedPages {
 public:
  WipedPages() = default;
  // At least `size` bytes of zeros; without any, data() is null and errno says why.
  explicit WipedPages(size_t size);
  WipedPages(WipedPages&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  WipedPages& operator=(WipedPages&& other) noexcept;
  WipedPages(const WipedPages&) = delete;
  WipedPages& operator=(const WipedPages&) = delete;
  ~WipedPages();

  char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  char* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace paddock::process_wall
