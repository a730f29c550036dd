// Byte streams: where commands read and write, and the buffered ends they hold.
//
// ByteSource and ByteSink are implemented by open files, pipes and capture buffers. Input and Output are
// the buffered wrappers that commands use. Reads hand out views into the source's own memory wherever
// that is possible, so that a pass over a big file copies nothing.
//
// A read or write may suspend the fiber. A write to a pipe that nobody reads ends the process
// (Termination, SIGPIPE) unless it ignores the signal; then it is an error kBrokenPipe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace paddock {

class Budget;

// Some bytes and what keeps them alive and unchanged.
struct Block {
  std::shared_ptr<const void> keep;
  std::string_view bytes;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Takes up to `max` bytes; waits for at least one. Empty bytes mean the end.
  virtual Result<Block> ReadBlock(size_t max) = 0;
  // Gives back the last `count` bytes taken, if the source can seek; otherwise does nothing.
  virtual void GiveBack(size_t count) = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // Writes all of `bytes` or fails.
  virtual Status Write(std::string_view bytes) = 0;
};

// One line, without its delimiter.
struct Line {
  std::string_view text;
  bool is_terminated;  // false for a last line without delimiter
};

// Buffered reading. Charges the budget for every line and block.
class Input {
 public:
  // Both outlive the Input.
  Input(ByteSource& source, Budget& budget) : source_(&source), budget_(&budget) {}
  ~Input() { Finish(); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // The next line, or nothing at the end or on error (see status()). The text is valid until the next
  // call on this Input.
  std::optional<Line> ReadLine(char delimiter = '\n');

  // The bytes at hand, waiting for some if there are none; empty at the end or on error. Valid until the
  // next call that is not Consume().
  std::string_view Peek();
  // Skips bytes that Peek() showed.
  void Consume(size_t count);

  // One byte, or -1 at the end or on error.
  int Get();
  // Fills `buffer` as far as the stream reaches; returns the number of bytes.
  size_t Read(char* buffer, size_t size);
  // Everything up to the end, as one string.
  std::string ReadAll();

  // Reads in pieces of at most this size from now on (1 makes it unbuffered). Default 64 KiB.
  void set_block_size(size_t bytes) { block_size_ = bytes; }

  // The first error met, or success.
  const Status& status() const { return status_; }
  bool at_end() { return Peek().empty(); }
  // True when more bytes are at hand: asking for them will not invalidate what was read before.
  bool has_buffered() const { return !rest_.empty(); }

  // Gives unread bytes back to a source that can seek, so that the next reader of the same open file
  // continues where this one logically stopped. Called by the destructor.
  void Finish();

 private:
  bool Fill();

  ByteSource* source_;
  Budget* budget_;
  Block block_;
  std::string_view rest_;   // what of block_ is not consumed
  std::string spill_;       // a line that spans blocks
  size_t block_size_ = 64 << 10;
  bool is_at_end_ = false;
  Status status_;
};

// Buffered writing. Errors stick: after the first one, writes do nothing and status() tells.
class Output {
 public:
  // `sink` outlives the Output. Unflushed bytes are lost if the process is killed, as with stdio.
  explicit Output(ByteSink& sink) : sink_(&sink) {}
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void Write(std::string_view bytes) {
    if (bytes.size() <= capacity_ - size_) [[likely]] {
      if (bytes.empty()) return;  // neither side need have memory
      __builtin_memcpy(buffer_.get() + size_, bytes.data(), bytes.size());
      size_ += bytes.size();
      return;
    }
    WriteSlow(bytes);
  }
  void Put(char byte) {
    if (size_ < capacity_) [[likely]] {
      buffer_[size_++] = byte;
      return;
    }
    WriteSlow(std::string_view(&byte, 1));
  }
  void WriteLine(std::string_view bytes) {
    Write(bytes);
    Put('\n');
  }
  void WriteInt(int64_t value);

  // Hands everything to the sink.
  const Status& Flush();
  // Makes every write go to the sink at once (stderr), or only at Flush() and when the buffer is full.
  void set_unbuffered(bool is_unbuffered) { is_unbuffered_ = is_unbuffered; }

  const Status& status() const { return status_; }
  // Takes the error away so that it is reported once.
  void ClearStatus() { status_ = {}; }
  size_t buffered_bytes() const { return size_; }
  // Flushes and gives the memory back; the next write takes some again.
  void ReleaseBuffer();

 private:
  void WriteSlow(std::string_view bytes);

  static constexpr size_t kFirstCapacity = 1 << 10;
  static constexpr size_t kFullCapacity = 32 << 10;
  ByteSink* sink_;
  std::unique_ptr<char[]> buffer_;
  size_t size_ = 0;
  size_t capacity_ = 0;
  bool is_unbuffered_ = false;
  Status status_;
};

// A sink that keeps everything in a string.
class StringSink final : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    text.append(bytes);
    return {};
  }
  std::string text;
};

// A source over a string that outlives it.
class StringSource final : public ByteSource {
 public:
  explicit StringSource(std::string_view text) : text_(text) {}
  Result<Block> ReadBlock(size_t max) override {
    const std::string_view taken = text_.substr(offset_, max);
    offset_ += taken.size();
    return Block{nullptr, taken};
  }
  void GiveBack(size_t count) override { offset_ -= count; }

 private:
  std::string_view text_;
  size_t offset_ = 0;
};

}  // namespace paddock
