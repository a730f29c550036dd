#include "commands/child_output.h"

#include "vfs/pipe.h"

namespace paddock {
namespace {

// The write end that a child gets as its standard output.
class TextCapture final : public vfs::OpenFile {
 public:
  explicit TextCapture(Budget& budget) : budget_(budget) {}

  Result<Block> ReadBlock(size_t) override { return Code::kBadDescriptor; }
  void GiveBack(size_t) override {}
  Status Write(std::string_view bytes) override {
    if (text.size() + bytes.size() > text.capacity()) budget_.WillAllocate(text.size() + bytes.size());
    text.append(bytes);
    return {};
  }
  Result<vfs::Attributes> GetAttributes() const override {
    return vfs::Attributes{.type = vfs::FileType::kFifo, .mode = 0600};
  }
  bool is_readable() const override { return false; }
  bool is_writable() const override { return true; }
  std::string description() const override { return "pipe:[0]"; }

  std::string text;

 private:
  Budget& budget_;
};

class TextAppender final : public vfs::OpenFile {
 public:
  TextAppender(Budget& budget, std::string& text) : budget_(budget), text_(text) {}

  Result<Block> ReadBlock(size_t) override { return Code::kBadDescriptor; }
  void GiveBack(size_t) override {}
  Status Write(std::string_view bytes) override {
    if (text_.size() + bytes.size() > text_.capacity()) budget_.WillAllocate(2 * (text_.size() + bytes.size()));
    text_.append(bytes);
    return {};
  }
  Result<vfs::Attributes> GetAttributes() const override { return vfs::Attributes{.type = vfs::FileType::kFifo, .mode = 0600}; }
  bool is_readable() const override { return false; }
  bool is_writable() const override { return true; }
  std::string description() const override { return "pipe:[0]"; }

 private:
  Budget& budget_;
  std::string& text_;
};

}  // namespace

vfs::OpenFilePtr TextSink(Budget& budget, std::string& text) { return std::make_shared<TextAppender>(budget, text); }

Result<std::string> ShellOutput(Invocation& in, const std::string& command) {
  auto capture = std::make_shared<TextCapture>(in.budget);
  ChildSpec spec;
  spec.args = {"sh", "-c", command};
  spec.environment = &in.env;
  spec.out = capture;
  in.out.Flush();
  PADDOCK_TRY(in.launcher.Run(in.process, spec));
  return std::move(capture->text);
}

Result<ChildOutput> StandardOutput(Invocation& in, std::vector<std::string> args, const Environment& environment) {
  auto capture = std::make_shared<TextCapture>(in.budget);
  ChildSpec spec;
  spec.args = std::move(args);
  spec.environment = &environment;
  spec.out = capture;
  in.out.Flush();
  PADDOCK_ASSIGN(const ExitStatus status, in.launcher.Run(in.process, spec));
  return ChildOutput{std::move(capture->text), status};
}

Result<ChildOutput> AllOutput(Invocation& in, std::vector<std::string> args) {
  auto capture = std::make_shared<TextCapture>(in.budget);
  ChildSpec spec;
  spec.args = std::move(args);
  spec.environment = &in.env;
  spec.out = capture;
  spec.err = capture;
  in.out.Flush();
  PADDOCK_ASSIGN(const ExitStatus status, in.launcher.Run(in.process, spec));
  return ChildOutput{std::move(capture->text), status};
}

class ChildReader::Impl {
 public:
  std::shared_ptr<TextCapture> complaints;
  int pid = 0;
};

ChildReader::ChildReader(Invocation& in, std::unique_ptr<Impl> impl, vfs::OpenFilePtr read) : in_(in), impl_(std::move(impl)), read_(std::move(read)) {}
ChildReader::~ChildReader() = default;

Result<std::unique_ptr<ChildReader>> ChildReader::Start(Invocation& in, std::vector<std::string> args, vfs::OpenFilePtr input) {
  vfs::PipeEnds ends = vfs::MakePipe(in.kernel.scheduler());
  auto impl = std::make_unique<Impl>();
  impl->complaints = std::make_shared<TextCapture>(in.budget);
  ChildSpec spec;
  spec.args = std::move(args);
  spec.environment = &in.env;
  spec.in = std::move(input);
  spec.out = std::move(ends.write);
  spec.err = impl->complaints;
  in.out.Flush();
  PADDOCK_ASSIGN(impl->pid, in.launcher.Spawn(in.process, spec));
  return std::make_unique<ChildReader>(in, std::move(impl), std::move(ends.read));
}

Result<proc::WaitStatus> ChildReader::Wait() {
  read_.reset();
  return in_.kernel.Wait(in_.process, impl_->pid, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
}

const std::string& ChildReader::complaints() const { return impl_->complaints->text; }

}  // namespace paddock
