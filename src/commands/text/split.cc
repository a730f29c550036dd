// split - cut a file into pieces
//
// usage: split [OPTION]... [FILE [PREFIX]]
// Writes FILE (default: standard input) to PREFIXaa, PREFIXab and so on: by lines, by bytes, by bytes of whole
// lines, or as a number of pieces.
//
// Exit status: 0, 1 on errors, or that of a filter that failed.
// Source: POSIX split; GNU coreutils 9.1.
// Differs: hexadecimal suffixes also count on from a start value with letters in it.

#include <algorithm>

#include "commands/input_files.h"
#include "commands/text/split_pieces.h"
#include "commands/text/split_plan.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

using split::Piece;
using split::Pieces;
using split::PieceWriter;
using split::Plan;
using split::Way;

struct Options {
  std::vector<split::Word> words;   // what depends on order
  bool skips_empty = false;
  bool is_unbuffered = false;
};

template <char kLetter>
Status AddWord(Options& options, std::string_view text) {
  options.words.push_back({kLetter, std::string(text)});
  return {};
}
template <char kDigit>
Status AddDigit(Options& options, std::string_view) {
  auto& words = options.words;
  if (words.empty() || words.back().letter != '0') words.push_back({'0', ""});
  words.back().text += kDigit;
  return {};
}

constexpr Option kOptions[] = {
    Call<AddWord<'a'>>('a', "suffix-length", "N", "generate suffixes of length N (default 2)"),
    Call<AddWord<'A'>>(0, "additional-suffix", "SUFFIX", "append an additional SUFFIX to file names"),
    Call<AddWord<'b'>>('b', "bytes", "SIZE", "put SIZE bytes per output file"),
    Call<AddWord<'C'>>('C', "line-bytes", "SIZE", "put at most SIZE bytes of records per output file"),
    Call<AddWord<'d'>>('d', nullptr, nullptr, "use numeric suffixes starting at 0, not alphabetic"),
    CallOptional<AddWord<'d'>>(0, "numeric-suffixes", "FROM", "same as -d, but allow setting the start value"),
    Call<AddWord<'x'>>('x', nullptr, nullptr, "use hex suffixes starting at 0, not alphabetic"),
    CallOptional<AddWord<'x'>>(0, "hex-suffixes", "FROM", "same as -x, but allow setting the start value"),
    Flag<&Options::skips_empty>('e', "elide-empty-files", "do not generate empty output files with '-n'"),
    Call<AddWord<'f'>>(0, "filter", "COMMAND", "write to shell COMMAND; file name is $FILE"),
    Call<AddWord<'l'>>('l', "lines", "NUMBER", "put NUMBER lines/records per output file"),
    Call<AddWord<'n'>>('n', "number", "CHUNKS", "generate CHUNKS output files; see explanation below"),
    Call<AddWord<'t'>>('t', "separator", "SEP",
                       "use SEP instead of newline as the record separator; '\\0' (zero) specifies the NUL character"),
    Flag<&Options::is_unbuffered>('u', "unbuffered", "immediately copy input to output with '-n r/...'"),
    Call<AddWord<'v'>>(0, "verbose", nullptr, "print a diagnostic just before each output file is opened"),
    Call<AddWord<'B'>>(0, "-io-blksize", "SIZE", nullptr),   // ---io-blksize: bytes read at once
    Call<AddDigit<'0'>>('0', nullptr, nullptr, nullptr),
    Call<AddDigit<'1'>>('1', nullptr, nullptr, nullptr),
    Call<AddDigit<'2'>>('2', nullptr, nullptr, nullptr),
    Call<AddDigit<'3'>>('3', nullptr, nullptr, nullptr),
    Call<AddDigit<'4'>>('4', nullptr, nullptr, nullptr),
    Call<AddDigit<'5'>>('5', nullptr, nullptr, nullptr),
    Call<AddDigit<'6'>>('6', nullptr, nullptr, nullptr),
    Call<AddDigit<'7'>>('7', nullptr, nullptr, nullptr),
    Call<AddDigit<'8'>>('8', nullptr, nullptr, nullptr),
    Call<AddDigit<'9'>>('9', nullptr, nullptr, nullptr),
};

// -NUM, the old form of -l NUM; a later one counts.
bool TakeOldForm(void* where, std::string_view argument) {
  if (argument[0] != '-' || argument.find_first_not_of("0123456789", 1) != std::string_view::npos) return false;
  static_cast<Options*>(where)->words.push_back({'0', std::string(argument.substr(1))});
  return true;
}

// Reads the input and hands it out. An error of its functions has been reported.
class Splitter {
 public:
  Splitter(Invocation& in, const Options& options, const Plan& plan, InputFile& input)
      : in_(in), plan_(plan), options_(options), file_(input), input_(input.input()),
        writer_(in, plan.pieces, input.file()), pieces_(writer_, plan.naming) {}

  ExitStatus Run() {
    Status done;
    switch (plan_.way) {
      case Way::kBytes: done = ByBytes(); break;
      case Way::kLineBytes: done = ByLineBytes(); break;
      case Way::kChunks: done = plan_.chosen != 0 ? OneChunk() : IntoChunks(); break;
      case Way::kLineChunks: done = IntoLineChunks(); break;
      case Way::kRoundRobin: done = plan_.chosen != 0 ? OneOfRoundRobin() : IntoRoundRobin(); break;
      default: done = ByLines(); break;
    }
    if (done && !input_.status()) done = writer_.Fail(QuoteSubject(file_.name(), in_.locale.is_utf8), input_.status().error());
    if (done) done = pieces_.End();
    return done ? FlushChosen() : writer_.status();
  }

 private:
  // A chunk on standard output is reported under the name "-".
  ExitStatus FlushChosen() {
    if (plan_.chosen == 0) return 0;
    const Status flushed = in_.out.Flush();
    if (flushed) return 0;
    in_.out.ClearStatus();
    return in_.Fail("-", flushed.error());
  }

  Status ByLines() {
    bool is_at_start = true;
    uint64_t left = 0;
    for (std::string_view block = input_.Peek(); !block.empty(); block = input_.Peek()) {
      size_t at = 0;
      while (at < block.size()) {
        if (is_at_start) {
          PADDOCK_TRY(pieces_.Begin());
          is_at_start = false;
          left = plan_.amount;
        }
        size_t end = at;
        while (left > 0 && end < block.size()) {
          const size_t found = block.find(plan_.separator, end);
          end = found == std::string_view::npos ? block.size() : found + 1;
          if (found != std::string_view::npos) --left;
        }
        in_.budget.Step();
        PADDOCK_TRY(pieces_.Write(block.substr(at, end - at)));
        is_at_start = left == 0;
        at = end;
      }
      input_.Consume(block.size());
    }
    return {};
  }

  Status ByBytes() {
    uint64_t left = 0;
    for (std::string_view block = input_.Peek(); !block.empty(); block = input_.Peek()) {
      if (left == 0) {
        PADDOCK_TRY(pieces_.Begin());
        left = plan_.amount;
      }
      block = block.substr(0, left);
      PADDOCK_TRY(pieces_.Write(block));
      left -= block.size();
      input_.Consume(block.size());
    }
    return {};
  }

  // Whole lines as long as they fit; a line that is too long by itself is cut.
  Status ByLineBytes() {
    std::string held;        // the start of a line that may not fit behind the lines before it
    uint64_t written = 0;
    bool has_line = false;   // the piece holds a whole line
    bool is_open = false;
    for (std::string_view block = input_.Peek(); !block.empty(); block = input_.Peek()) {
      in_.budget.Step();
      const uint64_t room = plan_.amount - written - held.size();
      if (is_open && room == 0) {
        is_open = false;
        continue;
      }
      if (!is_open) {
        PADDOCK_TRY(pieces_.Begin());
        PADDOCK_TRY(pieces_.Write(held));
        is_open = true;
        written = held.size();
        held.clear();
        has_line = false;
        if (written > 0) continue;
      }
      block = block.substr(0, plan_.amount - written - held.size());
      const size_t newline = block.rfind(plan_.separator);
      size_t fits = newline == std::string_view::npos ? 0 : newline + 1;
      if (fits == 0 && !has_line) fits = block.size();
      if (fits > 0) {
        PADDOCK_TRY(pieces_.Write(held));
        PADDOCK_TRY(pieces_.Write(block.substr(0, fits)));
        written += held.size() + fits;
        held.clear();
        has_line = has_line || newline != std::string_view::npos;
        input_.Consume(fits);
        continue;
      }
      if (held.size() + block.size() > held.capacity()) in_.budget.WillAllocate(held.size() + block.size());
      held += block;
      input_.Consume(block.size());
    }
    if (held.empty()) return {};
    if (!is_open || written + held.size() == plan_.amount) PADDOCK_TRY(pieces_.Begin());
    return pieces_.Write(held);
  }

  // How many bytes there are to share out; at least one for each chunk.
  Result<uint64_t> InputSize() {
    const auto attributes = file_.file() == nullptr ? Result<vfs::Attributes>(Code::kBadDescriptor)
                                                    : file_.file()->GetAttributes();
    const std::string complaint = QuoteSubject(file_.name(), in_.locale.is_utf8) + ": cannot determine file size";
    if (!attributes) return writer_.Fail(complaint, attributes.error());
    if (attributes->is_directory()) return writer_.Fail(complaint, Code::kIsDirectory);
    uint64_t size = 0;
    if (attributes->is_file()) {
      const auto offset = file_.file()->Seek(0, vfs::Whence::kCurrent);
      size = attributes->size - std::min(attributes->size, offset ? *offset : 0);
    } else if (attributes->type != vfs::FileType::kCharDevice) {
      return writer_.Fail(complaint);
    } else if (!input_.Peek().empty()) {
      return writer_.Fail(complaint, Code::kOverflow);
    }
    if (plan_.amount > split::kMostBytes) {
      return writer_.Fail("invalid number of chunks: " + Quote(std::to_string(plan_.amount), in_.locale.is_utf8),
                          Code::kOverflow);
    }
    return std::max<uint64_t>(size, plan_.amount);
  }

  Status IntoChunks() {
    PADDOCK_ASSIGN(const uint64_t size, InputSize());
    const uint64_t chunk_bytes = size / plan_.amount;
    for (uint64_t chunk = 1; chunk <= plan_.amount; ++chunk) {
      in_.budget.Step();
      uint64_t left = chunk < plan_.amount ? chunk_bytes : std::numeric_limits<uint64_t>::max();
      std::string_view block = input_.Peek();
      if (block.empty() && options_.skips_empty) return {};
      PADDOCK_TRY(pieces_.Begin());
      for (; left > 0 && !block.empty(); block = input_.Peek()) {
        block = block.substr(0, left);
        PADDOCK_TRY(pieces_.Write(block));
        left -= block.size();
        input_.Consume(block.size());
      }
    }
    return {};
  }

  Status OneChunk() {
    PADDOCK_ASSIGN(const uint64_t size, InputSize());
    const uint64_t chunk_bytes = size / plan_.amount;
    uint64_t skip = (plan_.chosen - 1) * chunk_bytes;
    uint64_t left = plan_.chosen == plan_.amount ? std::numeric_limits<uint64_t>::max() : chunk_bytes;
    while (left > 0) {
      std::string_view block = input_.Peek();
      if (block.empty()) break;
      if (skip > 0) {
        const size_t skipped = std::min<uint64_t>(skip, block.size());
        skip -= skipped;
        input_.Consume(skipped);
        continue;
      }
      block = block.substr(0, left);
      in_.out.Write(block);
      if (!in_.out.status()) break;
      left -= block.size();
      input_.Consume(block.size());
    }
    return {};
  }

  // A line belongs to the chunk that its first byte is in.
  Status IntoLineChunks() {
    PADDOCK_ASSIGN(const uint64_t size, InputSize());
    const uint64_t chunk_bytes = size / plan_.amount;
    uint64_t chunk = 0;       // the current one, from 1
    uint64_t position = 0;
    bool is_in_line = false;
    for (std::string_view block = input_.Peek(); !block.empty(); block = input_.Peek()) {
      if (!is_in_line) {
        const uint64_t wanted = std::min(plan_.amount, position / chunk_bytes + 1);
        if (plan_.chosen != 0 && wanted > plan_.chosen) return {};
        PADDOCK_TRY(BeginLineChunk(chunk, wanted));
        chunk = wanted;
      }
      const uint64_t end = chunk == plan_.amount ? std::numeric_limits<uint64_t>::max() : chunk * chunk_bytes;
      // Up to the chunk's last byte it does not matter where lines end.
      const size_t blind = position + 1 < end ? std::min<uint64_t>(block.size(), end - position - 1) : 0;
      const size_t newline = block.find(plan_.separator, blind);
      is_in_line = newline == std::string_view::npos;
      if (!is_in_line) block = block.substr(0, newline + 1);
      PADDOCK_TRY(WriteLineChunk(chunk, block));
      if (!in_.out.status()) return {};
      position += block.size();
      input_.Consume(block.size());
    }
    if (plan_.chosen != 0) return {};
    return BeginLineChunk(chunk, plan_.amount + 1);
  }

  // Creates what is between two chunks, and the second one.
  Status BeginLineChunk(uint64_t from, uint64_t to) {
    if (plan_.chosen != 0 || from == to) return {};
    while (!options_.skips_empty && ++from < to) PADDOCK_TRY(pieces_.Begin());
    return to > plan_.amount ? Status() : pieces_.Begin();
  }

  Status WriteLineChunk(uint64_t chunk, std::string_view bytes) {
    if (plan_.chosen == 0) return pieces_.Write(bytes);
    if (chunk == plan_.chosen) in_.out.Write(bytes);
    return {};
  }

  Status OneOfRoundRobin() {
    uint64_t turn = 1;
    while (const auto line = input_.ReadLine(plan_.separator)) {
      if (turn == plan_.chosen) {
        in_.out.Write(line->text);
        if (line->is_terminated) in_.out.Put(plan_.separator);
        if (options_.is_unbuffered) in_.out.Flush();
        if (!in_.out.status()) return {};
      }
      turn = turn == plan_.amount ? 1 : turn + 1;
    }
    return {};
  }

  Status IntoRoundRobin() {
    in_.budget.WillAllocate(SaturatingMultiply(plan_.amount, sizeof(Piece) + sizeof(std::string)));
    std::vector<Piece> targets(plan_.amount);
    std::vector<std::string> buffers(plan_.amount);
    for (Piece& target : targets) {
      PADDOCK_ASSIGN(target.name, pieces_.NextName());
    }
    uint64_t turn = 0;
    uint64_t abandoned = 0;
    while (abandoned < plan_.amount) {
      const auto line = input_.ReadLine(plan_.separator);
      if (!line) break;
      Piece& piece = targets[turn];
      if (piece.file == nullptr) PADDOCK_TRY(writer_.Open(piece));
      if (!piece.is_abandoned) {
        std::string& buffer = buffers[turn];
        buffer += line->text;
        if (line->is_terminated) buffer += plan_.separator;
        if (options_.is_unbuffered || buffer.size() > kBufferBytes) PADDOCK_TRY(Empty(piece, buffer));
        if (piece.is_abandoned) ++abandoned;
      }
      turn = turn + 1 == plan_.amount ? 0 : turn + 1;
    }
    for (size_t i = 0; i < targets.size(); ++i) {
      in_.budget.Step();
      if (targets[i].file == nullptr && !options_.skips_empty) PADDOCK_TRY(writer_.Open(targets[i]));
      if (targets[i].file == nullptr) continue;
      PADDOCK_TRY(Empty(targets[i], buffers[i]));
      PADDOCK_TRY(writer_.Close(targets[i]));
    }
    return {};
  }

  Status Empty(Piece& piece, std::string& buffer) {
    PADDOCK_TRY(writer_.Write(piece, buffer));
    buffer.clear();
    return {};
  }

  static constexpr size_t kBufferBytes = 4096;
  Invocation& in_;
  const Plan& plan_;
  const Options& options_;
  InputFile& file_;
  Input& input_;
  PieceWriter writer_;
  Pieces pieces_;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  Plan plan;
  if (const auto failed = split::MakePlan(in, options.words, operands, plan)) return *failed;
  const std::string name = operands.empty() ? "-" : operands[0];
  auto input = InputFile::Open(in, name);
  if (!input) return in.Fail("cannot open " + QuoteFile(name, in.locale.is_utf8) + " for reading", input.error());
  if (plan.read_bytes > 0) input->input().set_block_size(static_cast<size_t>(plan.read_bytes));
  return Splitter(in, options, plan, *input).Run();
}

}  // namespace

extern const Command kCommand_split;
const Command kCommand_split = Define<Options, Run>({
    .name = "split",
    .summary = "output pieces of FILE to PREFIXaa, PREFIXab, ...; default size is 1000 lines, and default PREFIX is 'x'",
    .synopsis = "[OPTION]... [FILE [PREFIX]]",
    .details = "The SIZE argument is an integer and optional unit (example: 10K is 10*1024).\n"
               "Units are K,M,G,T,P,E,Z,Y (powers of 1024) or KB,MB,... (powers of 1000).\n"
               "Binary prefixes can be used, too: KiB=K, MiB=M, and so on.\n\n"
               "CHUNKS may be:\n"
               "  N       split into N files based on size of input\n"
               "  K/N     output Kth of N to stdout\n"
               "  l/N     split into N files without splitting lines/records\n"
               "  l/K/N   output Kth of N to stdout without splitting lines/records\n"
               "  r/N     like 'l' but use round robin distribution\n"
               "  r/K/N   likewise but only output Kth of N to stdout\n",
    .options = kOptions,
    .rules = {.numeric_shorthand = TakeOldForm},
});

}  // namespace paddock
