#include "proc/process.h"

#include <algorithm>

#include "base/check.h"
#include "proc/kernel.h"

namespace paddock::proc {
namespace {

constexpr uint64_t Bit(int signal) { return 1ull << (signal - 1); }

constexpr uint64_t kBlockSize = 512;            // of file sizes
constexpr char kMetered[] = {'d', 't', 'v'};    // limits of what only grows as the process runs
constexpr int kTrouble = 2;

}  // namespace

const vfs::OpenFilePtr& DescriptorTable::Get(int number) const {
  static const vfs::OpenFilePtr kClosed;
  for (const Entry& entry : entries_) {
    if (entry.number == number) return entry.file;
  }
  return kClosed;
}

void DescriptorTable::Set(int number, vfs::OpenFilePtr file, bool close_on_exec) {
  auto it = std::lower_bound(entries_.begin(), entries_.end(), number,
                             [](const Entry& entry, int value) { return entry.number < value; });
  if (it != entries_.end() && it->number == number) {
    it->file = std::move(file);
    it->close_on_exec = close_on_exec;
    return;
  }
  entries_.insert(it, Entry{number, close_on_exec, std::move(file)});
}

bool DescriptorTable::Close(int number) {
  const auto it = std::find_if(entries_.begin(), entries_.end(),
                               [number](const Entry& entry) { return entry.number == number; });
  if (it == entries_.end()) return false;
  // The description may end here and wake others: take it out of the table first.
  const vfs::OpenFilePtr closed = std::move(it->file);
  entries_.erase(it);
  return true;
}

int DescriptorTable::LowestFree(int from) const {
  int candidate = from;
  for (const Entry& entry : entries_) {
    if (entry.number < candidate) continue;
    if (entry.number > candidate) break;
    ++candidate;
  }
  return candidate < capacity_ ? candidate : -1;
}

void DescriptorTable::CloseOnExec() {
  std::erase_if(entries_, [](const Entry& entry) { return entry.close_on_exec; });
}

Process::Process(Kernel& kernel, int pid, int parent_pid, const vfs::View& files)
    : kernel_(kernel), pid_(pid), parent_pid_(parent_pid), group_(pid), files_(files) {
  files_.set_descriptor_opener([this](int descriptor) -> Result<vfs::OpenFilePtr> {
    const vfs::OpenFilePtr& file = descriptors_.Get(descriptor);
    if (!file) return Code::kNoEntry;
    return file;
  });
}

Process::~Process() = default;

Status Process::Write(int descriptor, std::string_view bytes) {
  const vfs::OpenFilePtr file = descriptors_.Get(descriptor);
  if (!file) return Code::kBadDescriptor;
  const vfs::FileSizeLimitPtr limit = files_.file_size_limit();
  Status status = limit == nullptr ? file->Write(bytes) : vfs::WriteWithin(*file, false, *limit, bytes);
  if (!status && status.error().code == Code::kBrokenPipe) {
    Raise(kSigPipe);
    Poll();
  }
  return status;
}

const ResourceLimits& Process::resource_limits() const {
  static const ResourceLimits kNone;
  return limits_ == nullptr ? kNone : *limits_;
}

uint64_t Process::SoftLimit(char letter) const {
  if (limits_ == nullptr) return kUnlimited;
  const auto it = limits_->find(letter);
  return it == limits_->end() ? kUnlimited : it->second.soft;
}

void Process::set_resource_limits(const ResourceLimits& limits) {
  limits_ = limits.empty() ? nullptr : std::make_shared<const ResourceLimits>(limits);
  descriptors_.set_capacity(static_cast<int>(std::min<uint64_t>(SoftLimit('n'), kMaxDescriptors)));
  files_.set_file_size_limit(nullptr);
  if (const uint64_t blocks = SoftLimit('f'); blocks != kUnlimited) {
    const auto signal_writer = [&kernel = kernel_] {
      if (Process* writer = kernel.current(); writer != nullptr) {
        writer->Raise(kSigXfsz);
        writer->Poll();
      }
    };
    files_.set_file_size_limit(std::make_shared<vfs::FileSizeLimit>(vfs::FileSizeLimit{.bytes = std::min(blocks, kUnlimited / kBlockSize) * kBlockSize, .on_reached = signal_writer}));
  }
  const bool is_metered = std::any_of(std::begin(kMetered), std::end(kMetered), [this](char letter) { return SoftLimit(letter) != kUnlimited; });
  if (is_metered) kernel_.MeterProcesses();
}

void Process::Inherit(const Process& parent) {
  descriptors_ = parent.descriptors_;
  group_ = parent.group_;
  niceness_ = parent.niceness_;
  ignored_ = parent.ignored_;
  limits_ = parent.limits_;
}

void Process::Charge(Nanoseconds used, uint64_t memory_bytes) {
  if (limits_ == nullptr) return;
  if (const auto cpu = limits_->find('t'); cpu != limits_->end()) {
    const bool is_first = cpu_used_ == Nanoseconds(0);
    const auto before = static_cast<uint64_t>(cpu_used_ / std::chrono::seconds(1));
    cpu_used_ += used;
    const auto after = static_cast<uint64_t>(cpu_used_ / std::chrono::seconds(1));
    if (after >= cpu->second.hard) Raise(kSigKill);
    else if (after >= cpu->second.soft && (after > before || is_first)) Raise(kSigXcpu);   // once a second
  }
  const uint64_t kilobytes = std::min(SoftLimit('d'), SoftLimit('v'));
  if (memory_bytes / 1024 >= kilobytes && memory_bytes > 0) Fail("memory exhausted", kTrouble);
}

void Process::Fail(std::string_view message, int status) {
  failed_status_ = status;
  const std::string name = arguments_.empty() ? "bash" : vfs::BaseName(arguments_[0]);
  if (const vfs::OpenFilePtr file = descriptors_.Get(2)) static_cast<void>(file->Write(name + ": " + std::string(message) + "\n"));
  throw Termination{Termination::Cause::kSignal, LimitKind::kNone, kSigKill, this};
}

void Process::Raise(int signal) {
  if (signal <= 0 || signal > kLastSignal || state_ == State::kExited) return;
  if (signal == kSigCont && state_ == State::kStopped) {
    state_ = State::kRunning;
    if (fiber_ != nullptr) kernel_.scheduler().Unpark(fiber_);
  }
  const bool is_forced = signal == kSigKill || signal == kSigStop;
  if (!is_forced && (ignored_ & Bit(signal)) != 0) return;
  if (!is_forced && (handled_ & Bit(signal)) != 0) {
    caught_ |= Bit(signal);
  } else if (IsIgnoredByDefault(signal)) {
    return;
  } else if (signal == kSigStop || signal == kSigTstp || signal == kSigTtin || signal == kSigTtou) {
    state_ = State::kStopped;
    return;
  } else {
    pending_ |= Bit(signal);
    if (state_ == State::kStopped && signal == kSigKill) state_ = State::kRunning;
  }
  if (fiber_ != nullptr) kernel_.scheduler().Unpark(fiber_);
}

void Process::set_disposition(int signal, Disposition disposition) {
  const uint64_t bit = Bit(signal);
  ignored_ &= ~bit;
  handled_ &= ~bit;
  if (disposition == Disposition::kIgnore) {
    ignored_ |= bit;
    caught_ &= ~bit;
  }
  if (disposition == Disposition::kCatch) handled_ |= bit;
}

Process::Disposition Process::disposition(int signal) const {
  if ((ignored_ & Bit(signal)) != 0) return Disposition::kIgnore;
  if ((handled_ & Bit(signal)) != 0) return Disposition::kCatch;
  return Disposition::kDefault;
}

int Process::TakeCaught() {
  if (caught_ == 0) return 0;
  const int signal = __builtin_ctzll(caught_) + 1;
  caught_ &= ~Bit(signal);
  return signal;
}

bool Process::DropCaught(int signal) {
  const bool has_arrived = (caught_ & Bit(signal)) != 0;
  caught_ &= ~Bit(signal);
  return has_arrived;
}

void Process::Poll() {
  if (kernel_.budget_ != nullptr && kernel_.budget_->stopped_by() != LimitKind::kNone) {
    kernel_.budget_->Stop(kernel_.budget_->stopped_by());
  }
  while (state_ == State::kStopped) kernel_.ParkStopped();
  if (pending_ != 0) {
    const int signal = __builtin_ctzll(pending_) + 1;
    pending_ = 0;
    throw Termination{Termination::Cause::kSignal, LimitKind::kNone, signal, this};
  }
}

Result<Block> DescriptorSource::ReadBlock(size_t max) {
  const vfs::OpenFilePtr file = process_.descriptors().Get(descriptor_);
  if (!file) return Code::kBadDescriptor;
  return file->ReadBlock(max);
}

void DescriptorSource::GiveBack(size_t count) {
  const vfs::OpenFilePtr& file = process_.descriptors().Get(descriptor_);
  if (file) file->GiveBack(count);
}

}  // namespace paddock::proc
