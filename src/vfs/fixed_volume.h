// FixedVolume: what volumes share whose tree is made by code and cannot be changed from inside.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "vfs/volume.h"

namespace paddock::vfs {

class FixedVolume : public Volume {
 public:
  Result<NodeId> Create(NodeId, std::string_view, const NewNode&) override {
    return Code::kNotPermitted;
  }
  Status Link(NodeId, std::string_view, NodeId) override { return Code::kNotPermitted; }
  Status Remove(NodeId, std::string_view, bool) override { return Code::kNotPermitted; }
  Status Rename(NodeId, std::string_view, NodeId, std::string_view, bool) override {
    return Code::kNotPermitted;
  }
  Status SetAttributes(NodeId, const AttributeChange&) override { return Code::kNotPermitted; }
};

// A made-up text, open for reading.
class GeneratedText final : public OpenFile {
 public:
  GeneratedText(std::string text, const Attributes& attributes)
      : text_(std::make_shared<const std::string>(std::move(text))), attributes_(attributes) {}

  Result<Block> ReadBlock(size_t max) override {
    if (offset_ >= text_->size()) return Block{};
    const std::string_view taken =
        std::string_view(*text_).substr(static_cast<size_t>(offset_), max);
    offset_ += taken.size();
    return Block{text_, taken};
  }
  void GiveBack(size_t count) override { offset_ -= std::min<uint64_t>(offset_, count); }
  Status Write(std::string_view) override { return Code::kBadDescriptor; }
  Result<uint64_t> Seek(int64_t offset, Whence whence) override {
    const uint64_t base = whence == Whence::kCurrent ? offset_
                          : whence == Whence::kEnd   ? text_->size()
                                                     : 0;
    int64_t result;
    if (__builtin_add_overflow(static_cast<int64_t>(base), offset, &result)) return Code::kOverflow;
    if (result < 0) return Code::kInvalid;
    offset_ = static_cast<uint64_t>(result);
    return offset_;
  }
  Result<Attributes> GetAttributes() const override { return attributes_; }
  bool is_readable() const override { return true; }
  bool is_writable() const override { return false; }
  std::string description() const override { return path_; }
  void set_path(std::string path) override { path_ = std::move(path); }

 private:
  const std::shared_ptr<const std::string> text_;
  const Attributes attributes_;
  uint64_t offset_ = 0;
  std::string path_;
};

// The number that a decimal name stands for ("7", not "07"), or -1 past 2^20 and for anything else.
int ParseSmallNumber(std::string_view name);

}  // namespace paddock::vfs
