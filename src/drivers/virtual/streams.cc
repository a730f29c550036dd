#include "drivers/virtual/streams.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

namespace paddock::sandbox {
namespace {

vfs::Attributes PipeAttributes(uint64_t inode) {
  return vfs::Attributes{.type = vfs::FileType::kFifo, .mode = 0600, .uid = 1000, .gid = 1000, .inode = inode};
}

class OutputFile final : public vfs::OpenFile {
 public:
  OutputFile(proc::Kernel& kernel, std::shared_ptr<OutputRoute> route, Stream stream, bool is_terminal)
      : kernel_(kernel), route_(std::move(route)), stream_(stream), is_terminal_(is_terminal) {}
  Result<Block> ReadBlock(size_t) override { return Code::kBadDescriptor; }
  void GiveBack(size_t) override {}
  Status Write(std::string_view bytes) override {
    if (!route_->handler) {
      route_->dropped_bytes += bytes.size();
      return {};
    }
    const uint64_t left = kernel_.budget().limits().output_bytes - std::min(kernel_.budget().limits().output_bytes,
                                                                            kernel_.budget().output_used());
    const std::string_view delivered = bytes.substr(0, left);
    route_->dropped_bytes += bytes.size() - delivered.size();
    if (!delivered.empty()) route_->handler(stream_, delivered);
    kernel_.budget().ChargeOutput(bytes.size());
    return {};
  }
  Result<vfs::Attributes> GetAttributes() const override {
    vfs::Attributes attributes = PipeAttributes(stream_ == Stream::kStdout ? 1 : 2);
    if (is_terminal_) attributes.type = vfs::FileType::kCharDevice;
    return attributes;
  }
  bool is_terminal() const override { return is_terminal_; }
  bool is_readable() const override { return false; }
  bool is_writable() const override { return true; }
  std::string description() const override { return stream_ == Stream::kStdout ? "pipe:[1]" : "pipe:[2]"; }

 private:
  proc::Kernel& kernel_;
  std::shared_ptr<OutputRoute> route_;
  Stream stream_;
  bool is_terminal_;
};

class TextInput final : public vfs::OpenFile {
 public:
  explicit TextInput(std::string text) : text_(std::make_shared<const std::string>(std::move(text))) {}
  Result<Block> ReadBlock(size_t max) override {
    const std::string_view bytes = std::string_view(*text_).substr(offset_, max);
    offset_ += bytes.size();
    return Block{text_, bytes};
  }
  void GiveBack(size_t) override {}
  Status Write(std::string_view) override { return Code::kBadDescriptor; }
  Result<vfs::Attributes> GetAttributes() const override { return PipeAttributes(3); }
  bool is_readable() const override { return true; }
  bool is_writable() const override { return false; }
  std::string description() const override { return "pipe:[0]"; }

 private:
  std::shared_ptr<const std::string> text_;
  size_t offset_ = 0;
};

class HostInput final : public vfs::OpenFile {
 public:
  HostInput(proc::Kernel& kernel, io::PollWaiter& waiter, int descriptor)
      : kernel_(kernel), waiter_(waiter), descriptor_(descriptor) {}
  Result<Block> ReadBlock(size_t max) override {
    proc::Process& reader = *kernel_.current();
    if (is_terminal()) StopInBackground(reader);
    while (!IsReadReady()) {
      if (reader.HasCaught()) return Code::kInterrupted;
      waiter_.WaitReadable(kernel_.scheduler(), descriptor_);
    }
    auto buffer = std::make_shared<std::string>(std::min<size_t>(max, 64 << 10), '\0');
    const ssize_t count = read(descriptor_, buffer->data(), buffer->size());
    if (count < 0) return Code::kIo;
    buffer->resize(static_cast<size_t>(count));
    const std::string_view bytes = *buffer;
    return Block{std::move(buffer), bytes};
  }
  void GiveBack(size_t count) override {
    [[maybe_unused]] const off_t ignored = lseek(descriptor_, -static_cast<off_t>(count), SEEK_CUR);
  }
  Status Write(std::string_view) override { return Code::kBadDescriptor; }
  Result<vfs::Attributes> GetAttributes() const override {
    vfs::Attributes attributes = PipeAttributes(3);
    if (is_terminal()) attributes.type = vfs::FileType::kCharDevice;
    return attributes;
  }
  bool is_terminal() const override { return isatty(descriptor_) == 1; }
  bool IsReadReady() const override {
    pollfd polled{descriptor_, POLLIN, 0};
    return poll(&polled, 1, 0) != 0;
  }
  bool is_readable() const override { return true; }
  bool is_writable() const override { return false; }
  std::string description() const override { return "pipe:[0]"; }

 private:
  // As a terminal does: only the foreground group reads from it.
  void StopInBackground(proc::Process& reader) const {
    while (kernel_.foreground_group() != 0 && reader.group() != kernel_.foreground_group()) {
      if (reader.disposition(proc::kSigTtin) == proc::Process::Disposition::kIgnore) return;
      reader.Raise(proc::kSigTtin);
      reader.Poll();
    }
  }

  proc::Kernel& kernel_;
  io::PollWaiter& waiter_;
  int descriptor_;
};

}  // namespace

vfs::OpenFilePtr MakeOutputFile(proc::Kernel& kernel, std::shared_ptr<OutputRoute> route, Stream stream,
                                bool is_terminal) {
  return std::make_shared<OutputFile>(kernel, std::move(route), stream, is_terminal);
}

vfs::OpenFilePtr MakeInputFile(proc::Kernel& kernel, io::PollWaiter& waiter, StdinSource source) {
  if (source.kind == StdinSource::Kind::kHostDescriptor) {
    return std::make_shared<HostInput>(kernel, waiter, source.descriptor);
  }
  return std::make_shared<TextInput>(std::move(source.text));
}

}  // namespace paddock::sandbox
