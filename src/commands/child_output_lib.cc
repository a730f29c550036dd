#include "commands/child_output.h"

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

}  // namespace

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

}  // namespace paddock
