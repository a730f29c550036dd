// $(…), `…`, <(…) and >(…).

#include <algorithm>

#include "shell/exec/executor.h"
#include "shell/parser/parser.h"
#include "shell/shell.h"
#include "vfs/pipe.h"

namespace paddock::shell {
namespace {

// Where a command substitution's output goes. The object behind the descriptor; when the last holder
// drops it (a background child may outlive the substitution's shell), the waiting parent goes on.
class CaptureFile final : public vfs::OpenFile {
 public:
  struct State {
    std::string text;
    bool is_closed = false;
    Fiber* waiter = nullptr;
  };
  CaptureFile(Scheduler& scheduler, std::shared_ptr<State> state) : scheduler_(scheduler), state_(std::move(state)) {}
  ~CaptureFile() override {
    state_->is_closed = true;
    if (state_->waiter != nullptr) scheduler_.Unpark(state_->waiter);
  }

  Result<Block> ReadBlock(size_t) override { return Code::kBadDescriptor; }
  void GiveBack(size_t) override {}
  Status Write(std::string_view bytes) override {
    state_->text.append(bytes);
    return {};
  }
  Result<vfs::Attributes> GetAttributes() const override {
    return vfs::Attributes{.type = vfs::FileType::kFifo, .mode = 0600};
  }
  bool is_readable() const override { return false; }
  bool is_writable() const override { return true; }
  std::string description() const override { return "pipe:[0]"; }

 private:
  Scheduler& scheduler_;
  std::shared_ptr<State> state_;
};

constexpr int kFirstSubstitutionDescriptor = 63;

void AwaitWriters(Scheduler& scheduler, CaptureFile::State& state) {
  // Park() throws when a signal ends this shell, and a writer that outlives it must find nobody to wake.
  struct Enlisted {
    CaptureFile::State& state;
    ~Enlisted() { state.waiter = nullptr; }
  } enlisted{state};
  state.waiter = scheduler.current();
  while (!state.is_closed) scheduler.Park();
}

template <class Run>
Captured Capture(Shell& shell, Run&& run) {
  shell.out().Flush();
  proc::Kernel& kernel = shell.kernel();
  auto state = std::make_shared<CaptureFile::State>();
  const auto prepare = [&](proc::Process& child) {
    child.descriptors().Set(1, std::make_shared<CaptureFile>(kernel.scheduler(), state));
  };
  const proc::WaitStatus ended = kernel.RunInline(shell.process(), prepare, [&](proc::Process& child) {
    Shell subshell(shell, child);
    subshell.loop_depth = 0;
    subshell.tells_of_signals = false;
    ++subshell.trace_depth;
    if (!shell.options.Get(ShoptOption::kInheritErrexit) && !shell.options.Get(SetOption::kPosix)) {
      subshell.options.Put(SetOption::kErrexit, false);
    }
    return subshell.Finish(run(subshell));
  });
  // A background child may still write: bash reads on until the pipe's last writer is gone.
  AwaitWriters(kernel.scheduler(), *state);
  shell.last_substitution_status = ended.status;
  shell.last_status = ended.status;
  shell.had_substitution = true;
  Captured captured{.text = std::move(state->text)};
  const size_t last = captured.text.find_last_not_of('\n');
  captured.text.resize(last == std::string::npos ? 0 : last + 1);
  if (captured.text.find('\0') != std::string::npos) {
    captured.had_nul = true;
    std::erase(captured.text, '\0');
  }
  return captured;
}

}  // namespace

Captured Shell::Substitute(const StatementList& program, int at_line) {
  (void)at_line;
  budget().CheckStack();
  return Capture(*this, [&](Shell& subshell) { return subshell.ExecuteList(program); });
}

Captured Shell::SubstituteText(std::string_view backquoted, int at_line) {
  budget().CheckStack();
  return Capture(*this, [&](Shell& subshell) {
    --subshell.trace_depth;   // Eval counts itself
    return subshell.Eval(backquoted, at_line > 0 ? at_line : 1, "command substitution");
  });
}

std::string Shell::SubstituteProcess(const StatementList& program, bool is_output) {
  vfs::PipeEnds ends = vfs::MakePipe(kernel().scheduler());
  auto child_shell = std::make_shared<std::unique_ptr<Shell>>();
  const StatementListPtr keep = program.shared_from_this();
  out_.Flush();
  const auto prepare = [&](proc::Process& child) {
    if (is_output) {
      child.descriptors().Set(0, std::move(ends.read));
    } else {
      child.descriptors().Set(1, std::move(ends.write));
    }
    *child_shell = std::make_unique<Shell>(*this, child);
    (*child_shell)->loop_depth = 0;
    (*child_shell)->tells_of_signals = false;
  };
  const int pid = kernel().Start(*process_, prepare, [child_shell, keep](proc::Process&) {
    Shell& own = **child_shell;
    const int status = own.Finish(own.ExecuteList(*keep));
    child_shell->reset();
    return status;
  }).pid();
  last_background_pid = pid;
  proc::DescriptorTable& descriptors = process_->descriptors();
  int number = kFirstSubstitutionDescriptor;
  while (number > 10 && descriptors.Get(number)) --number;
  descriptors.Set(number, is_output ? std::move(ends.write) : std::move(ends.read));
  substitution_descriptors.push_back(number);
  return "/dev/fd/" + std::to_string(number);
}

void CloseSubstitutions(Shell& shell, size_t size) {
  while (shell.substitution_descriptors.size() > size) {
    shell.process().descriptors().Close(shell.substitution_descriptors.back());
    shell.substitution_descriptors.pop_back();
  }
}

}  // namespace paddock::shell
