#include "commands/text/split_pieces.h"

#include "commands/file_facts.h"
#include "proc/kernel.h"
#include "text/quote.h"
#include "vfs/pipe.h"

namespace paddock::split {

std::optional<std::string> Names::Next() {
  if (digits_.empty()) {
    digits_.assign(naming_.length, 0);
    const std::string& start = naming_.start;
    const size_t shift = naming_.length - std::min(naming_.length, start.size());
    for (size_t i = 0; i < start.size(); ++i) digits_[shift + i] = naming_.alphabet.find(start[i]);
  } else if (!Advance()) {
    return std::nullopt;
  }
  std::string name = naming_.prefix + grown_;
  for (const size_t digit : digits_) name += naming_.alphabet[digit];
  return name + naming_.additional;
}

bool Names::Advance() {
  const size_t last = naming_.alphabet.size() - 1;
  for (size_t i = digits_.size(); i-- > 0;) {
    if (digits_[i] < last) {
      ++digits_[i];
      // The last letter in front is kept for names of the next length.
      if (i == 0 && naming_.can_grow && digits_[0] == last) {
        grown_ += naming_.alphabet[last];
        digits_.assign(digits_.size() + 1, 0);
      }
      return true;
    }
    digits_[i] = 0;
  }
  return false;
}

PieceWriter::PieceWriter(Invocation& in, const PieceSettings& settings, const vfs::OpenFile* input)
    : in_(in), settings_(settings) {
  if (input == nullptr) return;
  if (auto found = input->GetAttributes()) input_ = *found;
}

Error PieceWriter::Fail(std::string_view message, ExitStatus status) {
  status_ = in_.Fail(message, status);
  return Code::kCancelled;
}

Error PieceWriter::Fail(std::string_view subject, const Error& error) {
  status_ = in_.Fail(subject, error);
  return Code::kCancelled;
}

Status PieceWriter::Open(Piece& piece) {
  in_.budget.Step();
  const bool is_utf8 = in_.locale.is_utf8;
  if (settings_.is_verbose) {
    in_.out.WriteLine(settings_.filter ? "executing with FILE=" + QuoteSubject(piece.name, is_utf8)
                                       : "creating file " + QuoteFile(piece.name, is_utf8));
  }
  piece.is_abandoned = false;
  return settings_.filter ? OpenFilter(piece) : OpenFile(piece);
}

Status PieceWriter::OpenFile(Piece& piece) {
  auto file = in_.fs.Open(piece.name, {.write = true, .create = true});
  if (!file) return Fail(QuoteSubject(piece.name, in_.locale.is_utf8), file.error());
  const auto attributes = (*file)->GetAttributes();
  if (attributes && input_ && IsSameFile(*attributes, *input_)) {
    return Fail(QuoteFile(piece.name, in_.locale.is_utf8) + " would overwrite input; aborting");
  }
  if (attributes && attributes->is_file() && attributes->size > 0) {
    if (const Status cut = (*file)->Truncate(0); !cut) {
      return Fail(QuoteSubject(piece.name, in_.locale.is_utf8) + ": error truncating", cut.error());
    }
  }
  piece.file = std::move(*file);
  return {};
}

Status PieceWriter::OpenFilter(Piece& piece) {
  Environment environment = in_.env;
  environment.Set("FILE", piece.name);
  vfs::PipeEnds ends = vfs::MakePipe(in_.kernel.scheduler());
  const std::string shell(in_.env.Get("SHELL", "/bin/sh"));
  ChildSpec spec;
  spec.args = {shell, "-c", *settings_.filter};
  spec.environment = &environment;
  spec.in = std::move(ends.read);
  const auto pid = in_.launcher.Spawn(in_.process, spec);
  if (!pid) return Fail("failed to run command: \"" + shell + " -c " + *settings_.filter + "\"", pid.error());
  piece.file = std::move(ends.write);
  piece.filter_pid = *pid;
  return {};
}

Status PieceWriter::Write(Piece& piece, std::string_view bytes) {
  if (bytes.empty() || piece.is_abandoned) return {};
  const Status written = piece.file->Write(bytes);
  if (written) return {};
  if (settings_.filter && written.error().code == Code::kBrokenPipe) {
    piece.is_abandoned = true;
    return {};
  }
  return Fail(QuoteSubject(piece.name, in_.locale.is_utf8), written.error());
}

Status PieceWriter::Close(Piece& piece) {
  piece.file.reset();
  if (piece.filter_pid == 0) return {};
  const auto ended = in_.kernel.Wait(in_.process, piece.filter_pid, Nanoseconds::max(),
                                     proc::Kernel::OnSignal::kWaitOn);
  piece.filter_pid = 0;
  if (!ended) return {};
  const std::string lead = "with FILE=" + QuoteSubject(piece.name, in_.locale.is_utf8) + ", ";
  if (ended->signal != 0 && ended->signal != proc::kSigPipe) {
    return Fail(lead + "signal " + proc::SignalName(ended->signal) + " from command: " + *settings_.filter,
                128 + ended->signal);
  }
  if (ended->signal == 0 && ended->status != 0) {
    return Fail(lead + "exit " + std::to_string(ended->status) + " from command: " + *settings_.filter,
                ended->status);
  }
  return {};
}

Status Pieces::Begin() {
  PADDOCK_TRY(End());
  PADDOCK_ASSIGN(current_.name, NextName());
  return writer_.Open(current_);
}

Status Pieces::End() { return current_.file == nullptr ? Status() : writer_.Close(current_); }

Result<std::string> Pieces::NextName() {
  auto name = names_.Next();
  if (!name) return writer_.Fail("output file suffixes exhausted");
  return std::move(*name);
}

}  // namespace paddock::split
