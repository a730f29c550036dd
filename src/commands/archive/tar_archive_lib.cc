#include <algorithm>

#include "commands/archive/packed_file.h"
#include "commands/archive/tar.h"
#include "proc/kernel.h"
#include "vfs/pipe.h"

namespace paddock::tar {
namespace {

using codec::Format;

// The tool that packs a format, as it is named in complaints.
const char* ToolOf(Format format) {
  switch (format) {
    case Format::kGzip: return "gzip";
    case Format::kBzip2: return "bzip2";
    case Format::kXz: return "xz";
    case Format::kLzma: return "xz";
    case Format::kZstd: return "zstd";
    case Format::kCompress: return "compress";
    case Format::kLzip: return "lzip";
    case Format::kLzop: return "lzop";
    case Format::kPlain: break;
  }
  return "";
}

codec::CoderPtr DecoderFor(Format format, Budget* budget) {
  switch (format) {
    case Format::kGzip: return codec::NewGzipDecoder(budget);
    case Format::kBzip2: return codec::NewBzip2Decoder(budget);
    case Format::kXz: return codec::NewXzDecoder(budget, {.format = codec::XzDecoderOptions::Format::kAuto});
    case Format::kLzma: return codec::NewXzDecoder(budget, {.format = codec::XzDecoderOptions::Format::kAuto});
    case Format::kZstd: return codec::NewZstdDecoder(budget);
    default: return nullptr;
  }
}

codec::CoderPtr EncoderFor(Format format, Budget* budget) {
  switch (format) {
    case Format::kGzip: return codec::NewGzipEncoder(budget, 6);
    case Format::kBzip2: return codec::NewBzip2Encoder(budget, 9);
    case Format::kXz: return codec::NewXzEncoder(budget);
    case Format::kLzma: return codec::NewXzEncoder(budget);   // as Debian's tar does it
    case Format::kZstd: return codec::NewZstdEncoder(budget);
    default: return nullptr;
  }
}

// What the packing tool would say about bytes that it cannot unpack, and the status it would leave with.
struct ToolComplaint {
  std::string text;
  int status;
};
ToolComplaint ComplaintOf(Format format, const Error& error) {
  const std::string message(error.Text());
  switch (format) {
    case Format::kGzip: return {"\ngzip: stdin: " + message + "\n", 1};
    case Format::kBzip2:
      if (error.code == Code::kSyntax) return {"bzip2: (stdin) is not a bzip2 file.\n", 2};
      return {"\nbzip2: " + message + "\n", 2};
    case Format::kZstd: return {"zstd: /*stdin*\\: " + message + " \n", 1};
    default: return {"xz: (stdin): " + message + "\n", 1};
  }
}

Error ChildFailed(Context& context, int status) {
  context.Warn("Child returned status " + std::to_string(status));
  return context.Fatal("");
}

// The words that a child of the real tar leaves when it cannot open the archive.
Error ChildCannotOpen(Context& context, const std::string& name, const Error& error) {
  context.in.out.Flush();
  context.in.err.Write("tar (child): " + context.Shown(name) + ": Cannot open: " + std::string(error.Text()) + "\ntar (child): Error is not recoverable: exiting now\n");
  return ChildFailed(context, 2);
}

// A name with a host in it. No host can be reached from here.
Status CheckLocal(Context& context, const std::string& name) {
  const size_t colon = name.find(':');
  if (context.o.is_local || colon == std::string::npos || colon == 0 || name.find('/') < colon) return {};
  std::string host = name.substr(0, colon);
  host.erase(0, host.find('@') + 1);
  constexpr int kNoHost = 128;
  if (context.o.has_compression || !context.o.compress_program.empty()) {
    context.in.out.Flush();
    context.in.err.Write("tar (child): Cannot connect to " + host + ": resolve failed\n");
    return ChildFailed(context, kNoHost);
  }
  context.Warn("Cannot connect to " + host + ": resolve failed");
  context.status = kNoHost;
  return Reported();
}

class Reading final : public ArchiveInput {
 public:
  explicit Reading(Context& context) : context_(context) {}

  Status Start(const std::string& name) {
    const bool is_stdin = name == "-";
    PADDOCK_TRY(CheckLocal(context_, name));
    if (is_stdin) file_ = context_.in.process.descriptors().Get(0);
    else {
      auto opened = context_.in.fs.Open(name, vfs::OpenFlags::Read());
      if (!opened && context_.o.has_compression) return ChildCannotOpen(context_, name, opened.error());
      if (!opened) return context_.Fatal(context_.Shown(name) + ": Cannot open: " + std::string(opened.error().Text()));
      file_ = *opened;
    }
    bool& is_file = is_file_;
    if (file_) {
      if (const auto found = file_->GetAttributes()) {
        is_file = found->is_file();
        is_pipe_ = found->type == vfs::FileType::kFifo;
        if (found->is_directory()) {
          context_.Warn(context_.Shown(name) + ": Cannot read: Is a directory");
          context_.Warn("At beginning of tape, quitting now");
          return context_.Fatal("");
        }
      }
    }
    if (!context_.o.compress_program.empty()) return StartChild(context_.o.compress_program);
    if (!is_stdin) own_ = std::make_unique<Input>(*file_, context_.in.budget);
    raw_ = std::make_unique<InputSource>(own_ ? *own_ : context_.in.in);
    format_ = context_.o.compression;
    if (!context_.o.has_compression) {
      const auto head = raw_->Look(10);
      if (!head) return context_.Fatal(context_.Shown(name) + ": Cannot read: " + std::string(head.error().Text()));
      PADDOCK_TRY(Detect(*head, is_file));
    }
    if (format_ == Format::kPlain) return {};
    codec::CoderPtr decoder = DecoderFor(format_, &context_.in.budget);
    if (decoder == nullptr) {
      if (is_stdin) return context_.Fatal("Archive is compressed with " + std::string(ToolOf(format_)));
      own_.reset();
      if (const auto back = file_->Seek(0, vfs::Whence::kStart); !back) return context_.Fatal(context_.Shown(name) + ": Cannot seek: " + std::string(back.error().Text()));
      return StartChild(ToolOf(format_));
    }
    decoded_ = std::make_unique<codec::DecodingSource>(*raw_, std::move(decoder), &context_.in.budget);
    return {};
  }

  ByteSource& source() override { return decoded_ ? static_cast<ByteSource&>(*decoded_) : child_out_ ? static_cast<ByteSource&>(*child_out_) : *raw_; }

  bool is_packed() const override { return decoded_ != nullptr || child_.has_value(); }
  bool is_seekable() const override { return is_file_ && !is_packed(); }

  Status Close(const Error* error) override {
    if (decoded_) {
      if (error == nullptr) {
        // What follows the archive is unpacked too, so that damage is seen.
        const CopyResult rest = Drain(*decoded_);
        if (!rest.status) return Complain(rest.status.error());
        if (decoded_->has_garbage() && format_ == Format::kGzip) {
          context_.in.out.Flush();
          context_.in.err.Write("\ngzip: stdin: decompression OK, trailing garbage ignored\n");
          return ChildFailed(context_, 2);
        }
        return {};
      }
      return Complain(*error);
    }
    if (child_) {
      if (error == nullptr) static_cast<void>(Drain(*child_out_));
      child_out_.reset();
      return child_->Wait(context_);
    }
    if (error == nullptr && is_pipe_) static_cast<void>(Drain(*raw_));
    return {};
  }

 private:
  Status Detect(std::string_view head, bool is_file) {
    // What would be the first name of an archive decides, too: lzma has no magic to speak of.
    const Format found = codec::Recognize(head);
    if (found == Format::kPlain || (found == Format::kLzma && head.size() < 10)) return {};
    if (!is_file) {
      const char* option = found == Format::kGzip ? "-z" : found == Format::kBzip2 ? "-j" : found == Format::kXz ? "-J" : found == Format::kLzma ? "--lzma"
                           : found == Format::kZstd ? "--zstd" : found == Format::kCompress ? "-Z" : found == Format::kLzip ? "--lzip" : "--lzop";
      return context_.Fatal(std::string("Archive is compressed. Use ") + option + " option");
    }
    format_ = found;
    return {};
  }
  Status StartChild(const std::string& program) {
    vfs::PipeEnds ends = vfs::MakePipe(context_.in.kernel.scheduler());
    auto child = Child::Start(context_, program + " -d", context_.in.env, file_, ends.write);
    if (!child) return child.error();
    child_ = *child;
    child_out_ = ends.read;
    return {};
  }
  CopyResult Drain(ByteSource& source) {
    NullSink nowhere;
    return CopyStream(context_.in.budget, source, nowhere);
  }
  Error Complain(const Error& error) {
    if (error.code != Code::kSyntax && error.code != Code::kCorrupt && error.code != Code::kLimit && error.code != Code::kNotSupported) {
      return context_.Fatal("Cannot read: " + std::string(error.Text()));
    }
    const ToolComplaint complaint = ComplaintOf(format_, error);
    context_.in.out.Flush();
    context_.in.err.Write(complaint.text);
    return ChildFailed(context_, complaint.status);
  }

  Context& context_;
  vfs::OpenFilePtr file_;
  std::unique_ptr<Input> own_;
  std::unique_ptr<InputSource> raw_;
  std::unique_ptr<codec::DecodingSource> decoded_;
  std::optional<Child> child_;
  vfs::OpenFilePtr child_out_;
  Format format_ = Format::kPlain;
  bool is_pipe_ = false, is_file_ = false;
};

class Writing final : public ArchiveOutput {
 public:
  explicit Writing(Context& context) : context_(context) {}

  Status Start(const std::string& name) {
    name_ = name;
    PADDOCK_TRY(CheckLocal(context_, name));
    if (name == "-") {
      sink_ = std::make_unique<OutputSink>(context_.in.out);
      file_ = context_.in.process.descriptors().Get(1);
      if (file_ && file_->is_terminal()) return context_.Fatal("Refusing to write archive contents to terminal (missing -f option?)");
    } else {
      auto opened = context_.in.fs.Open(name, vfs::OpenFlags::Write());
      const bool has_child = context_.o.has_compression || !context_.o.compress_program.empty();
      if (!opened && has_child) return ChildCannotOpen(context_, name, opened.error());
      if (!opened) return context_.Fatal(context_.Shown(name) + ": Cannot open: " + std::string(opened.error().Text()));
      file_ = *opened;
      buffer_ = std::make_unique<Output>(*file_);
      sink_ = std::make_unique<OutputSink>(*buffer_);
    }
    if (!context_.o.compress_program.empty()) return StartChild(context_.o.compress_program);
    if (context_.o.compression == Format::kPlain) return {};
    codec::CoderPtr encoder = EncoderFor(context_.o.compression, &context_.in.budget);
    if (encoder == nullptr) return StartChild(ToolOf(context_.o.compression));
    encoded_ = std::make_unique<codec::EncodingSink>(*sink_, std::move(encoder), &context_.in.budget);
    return {};
  }

  Status Write(std::string_view bytes) override {
    bytes_ += bytes.size();
    // A full record is written when something follows it.
    if (bytes_ > 0) context_.checkpoints.Reached(context_, (bytes_ - 1) / (context_.o.record_blocks * codec::kTarBlock));
    return WriteRaw(bytes);
  }
  Status Finish() override {
    const uint64_t record = context_.o.record_blocks * codec::kTarBlock;
    const std::string zeros(64 * codec::kTarBlock, '\0');
    uint64_t left = 2 * codec::kTarBlock;
    left += (record - (bytes_ + left) % record) % record;
    while (left > 0) {
      context_.in.budget.Step();
      const uint64_t part = std::min<uint64_t>(left, zeros.size());
      PADDOCK_TRY(Write(std::string_view(zeros).substr(0, part)));
      left -= part;
    }
    context_.checkpoints.Reached(context_, bytes_ / record);
    if (encoded_) PADDOCK_TRY(Checked(encoded_->Finish()));
    if (child_) {
      child_in_.reset();
      return child_->Wait(context_);
    }
    if (buffer_) return Checked(buffer_->Flush());
    return {};
  }
  std::optional<vfs::Attributes> attributes() const override {
    if (!file_) return std::nullopt;
    const auto found = file_->GetAttributes();
    return found && found->is_file() ? std::optional(*found) : std::nullopt;
  }
  uint64_t bytes() const override { return bytes_; }

 private:
  Status StartChild(const std::string& program) {
    vfs::PipeEnds ends = vfs::MakePipe(context_.in.kernel.scheduler());
    context_.in.out.Flush();
    auto child = Child::Start(context_, program, context_.in.env, ends.read, file_);
    if (!child) return child.error();
    child_ = *child;
    child_in_ = ends.write;
    return {};
  }
  Status WriteRaw(std::string_view bytes) {
    if (child_) {
      // A child that is gone says so itself.
      if (const Status written = child_in_->Write(bytes); !written) {
        child_in_.reset();
        PADDOCK_TRY(child_->Wait(context_));
        return Checked(written);
      }
      return {};
    }
    return Checked(encoded_ ? encoded_->Write(bytes) : sink_->Write(bytes));
  }
  Status Checked(const Status& status) {
    if (status) return {};
    if (status.error().code == Code::kCancelled) return status;
    if (name_ == "-") context_.in.out.ClearStatus();
    return context_.Fatal(context_.Shown(name_) + ": Cannot write: " + std::string(status.error().Text()));
  }

  Context& context_;
  std::string name_;
  vfs::OpenFilePtr file_;
  std::unique_ptr<Output> buffer_;
  std::unique_ptr<OutputSink> sink_;
  std::unique_ptr<codec::EncodingSink> encoded_;
  std::optional<Child> child_;
  vfs::OpenFilePtr child_in_;
  uint64_t bytes_ = 0;
};

}  // namespace

Result<Child> Child::Start(Context& context, const std::string& command, const Environment& environment, vfs::OpenFilePtr in, vfs::OpenFilePtr out) {
  ChildSpec spec;
  spec.args = {"sh", "-c", command};
  spec.environment = &environment;
  spec.in = std::move(in);
  spec.out = std::move(out);
  auto pid = context.in.launcher.Spawn(context.in.process, spec);
  if (!pid) return context.Fatal(command + ": Cannot exec: " + std::string(pid.error().Text()));
  return Child(*pid);
}
Result<proc::WaitStatus> Child::End(Context& context) const {
  const auto ended = context.in.kernel.Wait(context.in.process, pid_, Nanoseconds::max(), proc::Kernel::OnSignal::kWaitOn);
  if (!ended) return context.Fatal("waitpid: " + std::string(ended.error().Text()));
  return *ended;
}
Status Child::Wait(Context& context) const {
  PADDOCK_ASSIGN(const proc::WaitStatus ended, End(context));
  if (ended.signal != 0) {
    context.Warn("Child died with signal " + std::to_string(ended.signal));
    return context.Fatal("");
  }
  if (ended.status != 0) return ChildFailed(context, ended.status);
  return {};
}

void Context::Warn(const std::string& message) {
  in.out.Flush();
  in.err.Write("tar: " + message + "\n");
}
void Context::Fail(const std::string& message) {
  Warn(message);
  has_errors = true;
  status = 2;
}
bool Context::Asks(const std::string& question) {
  shown->Write(question);
  shown->Flush();
  const auto line = in.in.ReadLine();
  return line && !line->text.empty() && (line->text[0] == 'y' || line->text[0] == 'Y');
}
Error Context::Fatal(const std::string& message) {
  if (!message.empty()) Warn(message);
  Warn("Error is not recoverable: exiting now");
  status = 2;
  has_errors = false;
  return Reported();
}
Error Context::Usage(const std::string& message) {
  Warn(message);
  in.err.Write("Try 'tar --help' or 'tar --usage' for more information.\n");
  status = 2;
  has_errors = false;
  return Reported();
}

Result<std::unique_ptr<ArchiveInput>> ArchiveInput::Open(Context& context, const std::string& name) {
  if (context.o.multi_volume) return OpenVolumes(context, name);
  auto reading = std::make_unique<Reading>(context);
  PADDOCK_TRY(reading->Start(name));
  return std::unique_ptr<ArchiveInput>(std::move(reading));
}

Result<std::unique_ptr<ArchiveOutput>> ArchiveOutput::Create(Context& context, const std::string& name) {
  if (context.o.multi_volume) return CreateVolumes(context, name);
  auto writing = std::make_unique<Writing>(context);
  PADDOCK_TRY(writing->Start(name));
  return std::unique_ptr<ArchiveOutput>(std::move(writing));
}

codec::Format FormatBySuffix(std::string_view name) {
  struct Suffix {
    std::string_view text;
    Format format;
  };
  constexpr Suffix kSuffixes[] = {
      {".gz", Format::kGzip},   {".tgz", Format::kGzip},   {".taz", Format::kGzip},  {".Z", Format::kCompress},  {".taZ", Format::kCompress}, {".bz2", Format::kBzip2},
      {".tz2", Format::kBzip2}, {".tbz2", Format::kBzip2}, {".tbz", Format::kBzip2}, {".lz", Format::kLzip},     {".lzma", Format::kLzma},    {".tlz", Format::kLzma},
      {".lzo", Format::kLzop},  {".xz", Format::kXz},      {".txz", Format::kXz},    {".zst", Format::kZstd},    {".tzst", Format::kZstd}};
  for (const Suffix& suffix : kSuffixes) {
    if (name.size() > suffix.text.size() && name.ends_with(suffix.text)) return suffix.format;
  }
  return Format::kPlain;
}

Error MemberReader::Report(const Error& error) {
  if (error.code == Code::kCancelled) return error;
  if (const Status closed = archive_.Close(&error); !closed) return closed.error();
  return context_.Fatal(std::string(error.Text()));
}

// A list passes over the records of a file that hold content alone.
void MemberReader::CountRecords() {
  const uint64_t blocks = context_.o.record_blocks;
  if (context_.o.mode != Mode::kList || !archive_.is_seekable()) {
    records_ = (reader.block() + blocks - 1) / blocks;
  } else if (last_record_ != reader.member_block() / blocks) {
    last_record_ = reader.member_block() / blocks;
    ++records_;
  }
  context_.checkpoints.Reached(context_, records_);
}

Result<bool> MemberReader::Next(codec::TarMember& member) {
  using Found = codec::TarReader::Found;
  bool is_in_rubble = false;
  while (!is_over_) {
    context_.in.budget.Step();
    const auto found = reader.Next(member);
    if (!found) return Report(found.error());
    if (!IsWriting(context_.o.mode)) CountRecords();
    for (const std::string& complaint : reader.TakeComplaints()) context_.Fail(complaint);
    const bool is_first = std::exchange(is_first_, false);
    end_block_ = reader.member_block() + archive_.volume_blocks();
    switch (*found) {
      case Found::kMember:
        if (context_.o.block_numbers) context_.shown->Write("block " + std::to_string(end_block_) + ": ");
        return true;
      case Found::kZeros: {
        if (context_.o.block_numbers) context_.shown->Write("block " + std::to_string(end_block_) + ": ** Block of NULs **\n");
        if (context_.o.ignores_zeros) break;
        is_over_ = true;
        const auto next = reader.Next(member);
        if (!next) return Report(next.error());
        if (*next != Found::kZeros) context_.Warn("alone-zero-block", "A lone zero block at " + std::to_string(end_block_ + 1));
        break;
      }
      case Found::kBad:
        if (is_first) context_.Fail("This does not look like a tar archive");
        if (!is_in_rubble) context_.Fail("Skipping to next header");
        is_in_rubble = true;
        break;
      case Found::kEnd:
        if (is_first && !archive_.is_packed()) context_.Fail("This does not look like a tar archive");
        if (context_.o.block_numbers) context_.shown->Write("block " + std::to_string(end_block_) + ": ** End of File **\n");
        is_over_ = true;
    }
  }
  return false;
}

Status MemberReader::Finish() { return archive_.Close(nullptr); }

}  // namespace paddock::tar
