// Archives of several volumes (-M): which file comes next, and what stands at the front of each.
//
// Source: GNU tar's manual, "Using Multiple Tapes"; its archives.

#include <algorithm>
#include <charconv>

#include "commands/archive/packed_file.h"
#include "commands/archive/tar.h"
#include "commands/file_facts.h"
#include "proc/process.h"
#include "vfs/pipe.h"

namespace paddock::tar {
namespace {

using codec::kTarBlock;
using codec::TarFormat;

constexpr int kMostWrongVolumes = 1000;    // in a row
constexpr size_t kLongestAnswer = 64 << 10;
constexpr uint64_t kLongestGlobal = 1 << 20;

uint64_t RecordSize(const Context& context) { return context.o.record_blocks * kTarBlock; }

// The part of a pax archive's member that a volume begins with is called after it.
std::string PartName(const std::string& name, int volume) {
  const size_t slash = name.rfind('/');
  return (slash == std::string::npos ? "." : name.substr(0, slash)) + "/GNUFileParts/" + name.substr(slash == std::string::npos ? 0 : slash + 1) + "." + std::to_string(volume);
}

class VolumeOutput final : public ArchiveOutput {
 public:
  explicit VolumeOutput(Context& context) : context_(context), size_(RecordSize(context)) {}

  Status Start(const std::string& name) {
    const Status opened = Open(name);
    if (!opened) return context_.Fatal(context_.Shown(name) + ": Cannot open: " + std::string(opened.error().Text()));
    return {};
  }
  void BeginContent(const std::string& name, uint64_t size) override {
    parts_.push_back({name, given_, given_ + size});
    std::erase_if(parts_, [&](const Part& part) { return part.end <= at_; });
  }
  Status Write(std::string_view bytes) override {
    given_ += bytes.size();
    while (!bytes.empty()) {
      context_.in.budget.Step();
      if (record_.size() == size_) PADDOCK_TRY(Flush());
      const size_t part = std::min<size_t>(bytes.size(), size_ - record_.size());
      context_.in.budget.WillAllocate(record_.size() + part);
      record_ += bytes.substr(0, part);
      bytes.remove_prefix(part);
    }
    return {};
  }
  Status Finish() override {
    PADDOCK_TRY(Write(std::string(2 * kTarBlock, '\0')));
    // More than once where the headers of a new volume go in front.
    while (!record_.empty()) PADDOCK_TRY(Flush());
    return {};
  }
  std::optional<vfs::Attributes> attributes() const override {
    const auto found = file_->GetAttributes();
    return found && found->is_file() ? std::optional(*found) : std::nullopt;
  }
  uint64_t bytes() const override { return bytes_; }

 private:
  struct Part {
    std::string name;
    uint64_t begin, end;
  };

  Status Open(const std::string& name) {
    if (name == "-") {
      context_.in.out.Flush();
      file_ = context_.in.process.descriptors().Get(1);
      if (!file_) return Code::kBadDescriptor;
    } else {
      PADDOCK_ASSIGN(file_, context_.in.fs.Open(name, vfs::OpenFlags::Write()));
    }
    shown_ = name;
    volume_bytes_ = 0;
    return {};
  }
  // The last record is filled up. False: the volume has no room for it.
  Result<bool> WriteRecord(std::string record) {
    record.resize(size_, '\0');
    if (context_.o.tape_length != 0 && context_.o.tape_length <= volume_bytes_) return false;
    if (const Status written = file_->Write(record); !written) {
      if (written.error().code != Code::kNoSpace || volume_bytes_ == 0) return context_.Fatal(context_.Shown(shown_) + ": Cannot write: " + std::string(written.error().Text()));
      static_cast<void>(file_->Truncate(volume_bytes_));
      return false;
    }
    volume_bytes_ += record.size();
    bytes_ += record.size();
    context_.checkpoints.Reached(context_, bytes_ / size_);
    return true;
  }
  Status Flush() {
    PADDOCK_ASSIGN(const bool written, WriteRecord(record_));
    if (written) {
      at_ += record_.size() - headers_;
      headers_ = 0;
      record_.clear();
      return {};
    }
    PADDOCK_TRY(context_.volumes.Next(context_, [&](const std::string& name) { return Open(name); }));
    PADDOCK_TRY(context_.volumes.Count(context_));
    const std::string front = Front();
    headers_ += front.size();
    record_ = front + record_;
    while (record_.size() > size_) {
      PADDOCK_ASSIGN(const bool has_room, WriteRecord(record_.substr(0, size_)));
      if (!has_room) return context_.Fatal(context_.Shown(shown_) + ": Cannot write: " + std::string(CodeText(Code::kNoSpace)));
      const uint64_t taken = std::min<uint64_t>(headers_, size_);
      headers_ -= taken;
      at_ += size_ - taken;
      record_.erase(0, size_);
    }
    return {};
  }
  // What stands at the front of a volume: its label, and which file goes on in it.
  std::string Front() {
    const bool is_pax = context_.o.format == TarFormat::kPax;
    const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& one) { return one.begin <= at_ && at_ < one.end; });
    const bool goes_on = part != parts_.end() && headers_ == 0;
    if (!is_pax) {
      std::string front = context_.o.label.empty() ? std::string() : VolumeLabel(context_, 0, {});
      if (!goes_on) return front;
      if (part->name.size() > 100) context_.Warn(context_.Shown(part->name) + ": file name too long to be stored in a GNU multivolume header, truncated");
      return front + codec::EncodeTarContinuation(part->name, part->end - at_, at_ - part->begin);
    }
    if (!goes_on && context_.o.label.empty()) return {};
    std::vector<std::pair<std::string, std::string>> records;
    if (goes_on) records = {{"GNU.volume.filename", part->name}, {"GNU.volume.size", std::to_string(part->end - at_)}, {"GNU.volume.offset", std::to_string(at_ - part->begin)}};
    const int number = context_.volumes.number();
    std::string front = VolumeLabel(context_, static_cast<uint64_t>(number) - (context_.o.label.empty() ? 1 : 0), std::move(records));
    if (!goes_on) return front;
    codec::TarMember member;
    member.name = PartName(part->name, number);
    member.mode = 0644;
    member.user = member.group = "root";
    member.stored = part->end - at_;
    member.accessed = member.changed = Nanoseconds(0);
    codec::TarHeaderOptions options;
    options.format = TarFormat::kPax;
    return front + codec::EncodeTarHeader(member, options).value_or("");
  }

  Context& context_;
  uint64_t size_;             // of a record
  vfs::OpenFilePtr file_;
  std::string shown_;
  std::string record_;        // not written yet
  uint64_t headers_ = 0;      // of it, what is there only because a volume begins
  uint64_t at_ = 0, given_ = 0;   // bytes of the archive as if it were one: in front of record_, and in all
  uint64_t bytes_ = 0, volume_bytes_ = 0;
  std::vector<Part> parts_;
};

// Passes on a block at a time, so that a reader of headers takes nothing that follows them.
class BlockwiseSource final : public ByteSource {
 public:
  explicit BlockwiseSource(ByteSource& in) : in_(in) {}
  Result<Block> ReadBlock(size_t max) override {
    PADDOCK_ASSIGN(Block block, in_.ReadBlock(std::min<size_t>(max, kTarBlock - taken_ % kTarBlock)));
    taken_ += block.bytes.size();
    return block;
  }
  void GiveBack(size_t) override {}

 private:
  ByteSource& in_;
  uint64_t taken_ = 0;
};

class VolumeInput final : public ArchiveInput, public ByteSource {
 public:
  explicit VolumeInput(Context& context) : context_(context) {}

  Status Start(const std::string& name) {
    const Status opened = Open(name);
    if (!opened) return context_.Fatal(context_.Shown(name) + ": Cannot open: " + std::string(opened.error().Text()));
    return {};
  }
  ByteSource& source() override { return *this; }
  void Follow(const codec::TarReader& reader) override { reader_ = &reader; }
  uint64_t volume_blocks() const override { return blocks_; }
  Status Close(const Error*) override { return {}; }

  Result<Block> ReadBlock(size_t max) override {
    while (true) {
      auto block = raw_->ReadBlock(max);
      if (!block) return context_.Fatal(context_.Shown(shown_) + ": Cannot read: " + std::string(block.error().Text()));
      if (!block->bytes.empty()) {
        idle_ = 0;
        return block;
      }
      // The first volume is none without content.
      if (reader_ == nullptr || reader_->bytes_taken() == 0) return block;
      PADDOCK_TRY(GoOn());
    }
  }
  void GiveBack(size_t) override {}

 private:
  // The file that goes on, and where.
  struct Continued {
    std::string name;
    uint64_t left = 0, offset = 0;
  };

  Status Open(const std::string& name) {
    raw_.reset();
    own_.reset();
    file_ = nullptr;
    if (name != "-") {
      PADDOCK_ASSIGN(file_, context_.in.fs.Open(name, vfs::OpenFlags::Read()));
      own_ = std::make_unique<Input>(*file_, context_.in.budget);
    }
    raw_ = std::make_unique<InputSource>(own_ ? *own_ : context_.in.in);
    shown_ = name;
    return {};
  }
  Status GoOn() {
    while (true) {
      context_.in.budget.Step(64);
      // A script may name volumes for ever that hold nothing.
      if (++idle_ > kMostWrongVolumes) return context_.Fatal("too many volumes without content");
      PADDOCK_TRY(context_.volumes.Next(context_, [&](const std::string& name) { return Open(name); }));
      const auto fits = Fits();
      if (!fits) return context_.Fatal(context_.Shown(shown_) + ": Cannot read: " + std::string(fits.error().Text()));
      if (*fits) return context_.volumes.Count(context_);
    }
  }
  // Takes the headers at the front. False: it is not the volume that should come, and that was said.
  Result<bool> Fits() {
    std::optional<Continued> continued;
    BlockwiseSource blocks(*raw_);
    codec::TarReader headers(blocks, context_.in.budget);
    codec::TarMember member;
    PADDOCK_ASSIGN(char type, NextType());
    if (type == '\0') {
      context_.Fail("This does not look like a tar archive");
      return false;
    }
    if (type == 'V') {
      PADDOCK_ASSIGN(const auto found, headers.Next(member));
      static_cast<void>(found);
      PADDOCK_ASSIGN(type, NextType());
    }
    if (type == 'M') {
      PADDOCK_ASSIGN(const auto found, headers.Next(member));
      static_cast<void>(found);
      continued = Continued{member.name, member.stored, member.continued_at};
    } else if (type == 'g') {
      PADDOCK_ASSIGN(continued, TakeGlobal());
      if (continued) {
        // The header of the part, which is for readers that know no volumes.
        PADDOCK_ASSIGN(const auto found, headers.Next(member));
        static_cast<void>(found);
      }
    }
    blocks_ += headers.block();
    return reader_->content_left() == 0 || IsRight(continued);
  }
  // The type of the header that comes next; NUL when none does.
  Result<char> NextType() {
    PADDOCK_ASSIGN(const std::string_view head, raw_->Look(kTarBlock));
    return head.size() < kTarBlock ? '\0' : head[156] == '\0' ? '0' : head[156];
  }
  Result<std::optional<Continued>> TakeGlobal() {
    PADDOCK_ASSIGN(const std::string_view head, raw_->Look(kTarBlock));
    uint64_t size = 0;
    std::from_chars(head.data() + 124, head.data() + 135, size, 8);
    std::optional<Continued> continued;
    if (size > kLongestGlobal) return continued;
    const uint64_t whole = kTarBlock + (size + kTarBlock - 1) / kTarBlock * kTarBlock;
    std::string text;
    while (text.size() < whole) {
      PADDOCK_ASSIGN(const Block block, raw_->ReadBlock(static_cast<size_t>(whole - text.size())));
      if (block.bytes.empty()) return continued;
      text += block.bytes;
    }
    blocks_ += whole / kTarBlock;
    const std::string_view records = std::string_view(text).substr(kTarBlock, size);
    const auto name = codec::FindPaxRecord(records, "GNU.volume.filename");
    if (!name) return continued;
    const auto number = [&](const char* key) {
      const std::string digits = codec::FindPaxRecord(records, key).value_or("");
      uint64_t value = 0;
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
      return value;
    };
    return std::optional(Continued{*name, number("GNU.volume.size"), number("GNU.volume.offset")});
  }
  bool IsRight(const std::optional<Continued>& continued) const {
    const std::string& wanted = reader_->content_name();
    const uint64_t total = reader_->content_total(), left = reader_->content_left();
    if (!continued || continued->name != wanted) {
      const bool is_cut = continued && wanted.size() >= 100 && continued->name == wanted.substr(0, 100);
      if (!is_cut) {
        context_.Warn(context_.Word(wanted) + " is not continued on this volume");
        return false;
      }
      context_.Warn(context_.Word(wanted) + " is possibly continued on this volume: header contains truncated name");
    }
    const std::string left_text = std::to_string(continued->left), offset_text = std::to_string(continued->offset), total_text = std::to_string(total);
    if (continued->left > total || continued->left + continued->offset != total || continued->left + continued->offset < continued->offset) {
      context_.Warn(context_.Word(continued->name) + " is the wrong size (" + total_text + " != " + left_text + " + " + offset_text + ")");
      return false;
    }
    if (total - left != continued->offset) {
      context_.Warn("This volume is out of sequence (" + total_text + " - " + std::to_string(left) + " != " + offset_text + ")");
      return false;
    }
    return true;
  }

  Context& context_;
  vfs::OpenFilePtr file_;
  std::unique_ptr<Input> own_;
  std::unique_ptr<InputSource> raw_;
  std::string shown_;
  const codec::TarReader* reader_ = nullptr;
  uint64_t blocks_ = 0;
  int idle_ = 0;   // volumes since the last one with content
};

}  // namespace

std::string VolumeLabel(Context& context, uint64_t count, std::vector<std::pair<std::string, std::string>> records) {
  std::string label = context.o.label;
  if (!label.empty() && context.o.multi_volume) label += " Volume " + std::to_string(context.volumes.number());
  const int64_t now = Now(context.in.clock).seconds;
  if (context.o.format != TarFormat::kPax) return codec::EncodeTarLabel(label, now);
  if (!label.empty()) records.insert(records.begin(), {"GNU.volume.label", label});
  return codec::EncodeTarGlobal(std::string(context.in.env.Get("TMPDIR", "/tmp")) + "/GlobalHead." + std::to_string(count), now, records);
}

Result<std::unique_ptr<ArchiveInput>> OpenVolumes(Context& context, const std::string& name) {
  auto input = std::make_unique<VolumeInput>(context);
  PADDOCK_TRY(input->Start(name));
  return std::unique_ptr<ArchiveInput>(std::move(input));
}

Result<std::unique_ptr<ArchiveOutput>> CreateVolumes(Context& context, const std::string& name) {
  auto output = std::make_unique<VolumeOutput>(context);
  PADDOCK_TRY(output->Start(name));
  return std::unique_ptr<ArchiveOutput>(std::move(output));
}

Status Volumes::Start(Context& context) {
  names_ = context.o.archives;
  if (context.o.volume_file.empty()) return {};
  const auto text = vfs::ReadFile(context.in.fs, context.o.volume_file);
  if (!text && text.error().code == Code::kNoEntry) return {};
  if (!text) {
    context.Fail(context.o.volume_file, "Cannot open", text.error());
    return {};
  }
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), global_number_);
  if (error != std::errc() || global_number_ < 0) {
    const std::string name = std::exchange(context.o.volume_file, {});   // which is left as it is
    return context.Fatal(context.Shown(name) + ": contains invalid volume number");
  }
  return {};
}

void Volumes::Keep(Context& context) const {
  if (context.o.volume_file.empty()) return;
  const Status written = vfs::WriteFile(context.in.fs, context.o.volume_file, std::to_string(global_number_) + "\n");
  if (!written) context.Fail(context.o.volume_file, "Cannot open", written.error());
}

Status Volumes::Count(Context& context) {
  if (global_number_ == INT32_MAX) return context.Fatal("Volume number overflow");
  ++global_number_;
  ++number_;
  return {};
}

Status Volumes::Next(Context& context, const std::function<Status(const std::string&)>& open) {
  if (++at_ == names_.size()) {
    at_ = 0;
    asks_ = true;
  }
  bool asks = asks_;
  while (true) {
    context.in.budget.Step();
    if (asks) PADDOCK_TRY(context.o.info_script.empty() ? Ask(context) : RunScript(context));
    const Status opened = open(names_[at_]);
    if (opened) return {};
    if (opened.error().code == Code::kCancelled) return opened;
    context.Warn(context.Shown(names_[at_]) + ": Warning: Cannot open: " + std::string(opened.error().Text()));
    asks = true;
  }
}

Status Volumes::Ask(Context& context) {
  const bool reads = context.o.mode == Mode::kExtract || context.o.mode == Mode::kList || context.o.mode == Mode::kDiff;
  const auto give_up = [&](const char* why) {
    context.Warn(why);
    if (!reads) context.Warn("WARNING: Archive is incomplete");
    return context.Fatal("");
  };
  // What is asked while the archive comes in on standard input is answered at the terminal.
  vfs::OpenFilePtr terminal;
  std::unique_ptr<Input> answers;
  if (reads && names_.front() == "-") {
    auto opened = context.in.fs.Open("/dev/tty", vfs::OpenFlags::Read());
    if (!opened) return give_up("EOF where user reply was expected");
    terminal = *opened;
    answers = std::make_unique<Input>(*terminal, context.in.budget);
  }
  Output& err = context.in.err;
  while (true) {
    context.in.out.Flush();
    context.shown->Flush();
    err.Write("\aPrepare volume #" + std::to_string(global_number_ + 1) + " for " + context.Word(names_[at_]) + " and hit return: ");
    err.Flush();
    const auto line = (answers ? *answers : context.in.in).ReadLine();
    if (!line) return give_up("EOF where user reply was expected");
    const std::string text(line->text);
    if (text.empty() || text[0] == 'y' || text[0] == 'Y') return {};
    switch (text[0]) {
      case '?':
        err.Write(" n name        Give a new file name for the next (and subsequent) volume(s)\n q             Abort tar\n y or newline  Continue operation\n");
        err.Write(" !             Spawn a subshell\n ?             Print this list\n");
        break;
      case 'q': return give_up("No new volume; exiting.\n");
      case 'n': {
        const size_t begin = text.find_first_not_of(" \t", 1);
        if (begin != std::string::npos) {
          names_[at_] = text.substr(begin);
          return {};
        }
        err.Write("File name not specified. Try again.\n");
        break;
      }
      case '!': {
        const auto shell = Child::Start(context, std::string(context.in.env.Get("SHELL", "/bin/sh")), context.in.env, nullptr, nullptr);
        if (!shell) return shell.error();
        PADDOCK_TRY(shell->End(context));
        break;
      }
      default: err.Write("Invalid input. Type ? for help.\n");
    }
  }
}

// The script may write another name to the descriptor that it is told.
Status Volumes::RunScript(Context& context) {
  Keep(context);
  context.in.out.Flush();
  context.shown->Flush();
  vfs::PipeEnds ends = vfs::MakePipe(context.in.kernel.scheduler());
  auto& descriptors = context.in.process.descriptors();
  const int number = descriptors.LowestFree(3);
  if (number < 0) return context.Fatal("too many open files");
  descriptors.Set(number, ends.write);
  Environment environment = ChildEnvironment(context);
  environment.Set("TAR_ARCHIVE", names_[at_]);
  environment.Set("TAR_VOLUME", std::to_string(global_number_ + 1));
  environment.Set("TAR_SUBCOMMAND", std::string("-") + LetterOf(context.o.mode));
  environment.Set("TAR_FD", std::to_string(number));
  const auto child = Child::Start(context, context.o.info_script, environment, nullptr, nullptr);
  descriptors.Close(number);
  ends.write.reset();
  if (!child) return child.error();
  std::string name;
  bool is_over = false;
  while (!is_over && name.size() < kLongestAnswer) {
    const auto block = ends.read->ReadBlock(4096);
    if (!block || block->bytes.empty()) break;
    name += block->bytes;
    is_over = name.find('\n') != std::string::npos;
  }
  ends.read.reset();
  PADDOCK_ASSIGN(const proc::WaitStatus ended, child->End(context));
  if (ended.signal != 0 || ended.status != 0) return context.Fatal(context.Word(context.o.info_script) + " command failed");
  name.resize(std::min(name.find('\n'), name.size()));
  if (!name.empty()) names_[at_] = name;
  return {};
}

}  // namespace paddock::tar
