// shred - overwrite a file to hide its contents, and optionally delete it
//
// usage: shred [OPTION]... FILE...
//
// Exit status: 0, or 1 when something failed.
// Source: GNU coreutils 9.1.
// Differs: which fixed patterns more than three passes write; the file's earlier content is overwritten in the sandbox's own tree; snapshots that were made before keep it, and the
// host's memory is not wiped.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "base/random.h"
#include "proc/command.h"
#include "proc/process.h"
#include "text/choice.h"
#include "text/numbers.h"
#include "text/quote.h"

namespace paddock {
namespace {

enum class Removal { kNone, kUnlink, kWipe, kWipeSync };

struct Options {
  bool force = false, verbose = false, exact = false, zero = false;
  Removal removal = Removal::kNone;
  std::optional<std::string> removal_word, passes, random_source, size;
};
Status SetRemove(Options& o, std::string_view how) {
  o.removal = Removal::kWipeSync;
  if (how.data() != nullptr) o.removal_word = how;
  return {};
}
constexpr Option kOptions[] = {
    Flag<&Options::force>('f', "force", "change permissions to allow writing if necessary"),
    Value<&Options::passes>('n', "iterations", "N", "overwrite N times instead of the default (3)"),
    Value<&Options::random_source>(0, "random-source", "FILE", "get random bytes from FILE"),
    Value<&Options::size>('s', "size", "N", "shred this many bytes (suffixes like K, M, G accepted)"),
    Call<SetRemove>('u', nullptr, nullptr, "deallocate and remove the file after overwriting"),
    CallOptional<SetRemove>(0, "remove", "HOW", "like -u; HOW is unlink, wipe (the name, too) or wipesync (the default)"),
    Flag<&Options::verbose>('v', "verbose", "show progress"),
    Flag<&Options::exact>('x', "exact", "do not round file sizes up to the next full block"),
    Flag<&Options::zero>('z', "zero", "add a final overwrite with zeros"),
};

constexpr Choice kRemovals[] = {{"unlink", static_cast<int>(Removal::kUnlink)},
                                {"wipe", static_cast<int>(Removal::kWipe)},
                                {"wipesync", static_cast<int>(Removal::kWipeSync)}};

class Shredder {
 public:
  Shredder(Invocation& in, const Options& o) : in_(in), o_(o) {}

  std::optional<ExitStatus> Prepare() {
    const auto quoted = [&](const std::string& text) { return Quote(text, in_.locale.is_utf8); };
    removal_ = o_.removal;
    if (o_.removal_word) {
      const auto found = FindChoice("--remove", *o_.removal_word, kRemovals, in_.locale.is_utf8);
      if (!found) return in_.Usage(found.error().message);
      removal_ = static_cast<Removal>(*found);
    }
    if (o_.passes) {
      const auto count = ParseSizeBetween(*o_.passes, 0, UINT64_MAX / 16, "");
      if (!count) return in_.Fail(NumberComplaint("invalid number of passes", *o_.passes, count.error(), in_.locale.is_utf8));
      passes_ = *count;
    }
    if (o_.size) {
      const SizeNumber constant = ParseConstant(*o_.size);
      const auto size = constant.state == NumberState::kOk && constant.value <= INT64_MAX
                            ? Result<uint64_t>(constant.value)
                            : ParseSizeBetween(*o_.size, 0, INT64_MAX, "cbBkKMGTPEZY0");
      if (!size) return in_.Fail(NumberComplaint("invalid file size", *o_.size, size.error(), in_.locale.is_utf8));
      size_ = *size;
    }
    if (o_.random_source) {
      auto opened = in_.fs.Open(*o_.random_source, vfs::OpenFlags::Read());
      if (!opened) return in_.Fail(QuoteSubject(*o_.random_source, in_.locale.is_utf8), opened.error());
      random_ = std::move(*opened);
      random_name_ = quoted(*o_.random_source);
    }
    return std::nullopt;
  }

  bool Shred(const std::string& name) {
    subject_ = QuoteSubject(name, in_.locale.is_utf8);
    if (name == "-") {
      const vfs::OpenFilePtr& out = in_.process.descriptors().Get(1);
      if (!out) return Fail("fcntl failed", Code::kBadDescriptor);
      return Overwrite(*out, false);
    }
    auto file = in_.fs.Open(name, {.write = true});
    if (!file && o_.force && file.error().code == Code::kAccess && in_.fs.SetMode(name, 0200)) {
      file = in_.fs.Open(name, {.write = true});
    }
    if (!file) return Fail("failed to open for writing", file.error());
    if (!Overwrite(**file, removal_ != Removal::kNone)) return false;
    file = Code::kNoEntry;
    return removal_ == Removal::kNone || Remove(name);
  }

 private:
  bool Fail(const std::string& what, const Error& error) {
    in_.Fail(subject_ + ": " + what, error);
    return false;
  }
  void Say(const std::string& what) {
    if (o_.verbose) in_.Fail(what);
  }

  bool Overwrite(vfs::OpenFile& file, bool cuts) {
    const auto attributes = file.GetAttributes();
    if (!attributes) return Fail("fstat failed", attributes.error());
    if (attributes->type == vfs::FileType::kFifo || attributes->type == vfs::FileType::kSocket || file.is_terminal()) {
      in_.Fail(subject_ + ": invalid file type");
      return false;
    }
    const bool is_device = !attributes->is_file();
    uint64_t size = size_.value_or(attributes->size);
    constexpr uint64_t kBlock = 4096;
    if (!size_ && !o_.exact && !is_device) size = (size + kBlock - 1) / kBlock * kBlock;
    if (is_device && !size_) size = UINT64_MAX;   // until there is no more room: for ever
    MakePasses();
    const size_t total = patterns_.size() + (o_.zero ? 1 : 0);
    for (size_t i = 0; size > 0 && i < total; ++i) {
      if (!Pass(file, i < patterns_.size() ? patterns_[i] : 0, i + 1, total, size)) return false;
    }
    if (cuts && attributes->is_file()) {
      if (const Status cut = file.Truncate(0); !cut) return Fail("error truncating", cut.error());
    }
    return true;
  }

  static constexpr int kRandom = -1;

  // Which pattern each pass writes: random ones at both ends and spread between, fixed ones in the rest.
  void MakePasses() {
    static constexpr std::array<int, 14> kFixed = {0xfff, 0x555, 0xaaa, 0x249, 0x6db, 0x000, 0x492, 0x924, 0xb6d, 0xdb6, 0x111, 0x222, 0x333, 0x777};
    patterns_.clear();
    in_.budget.WillAllocate(SaturatingMultiply(passes_, sizeof(int)));
    if (passes_ <= 3) {
      patterns_.assign(passes_, kRandom);
      return;
    }
    const uint64_t randoms = 3 + passes_ / 10;
    size_t fixed = 0;
    for (uint64_t i = 0; i < passes_; ++i) {
      in_.budget.Step();
      const uint64_t before = i * (randoms - 1) / (passes_ - 1);
      const uint64_t last = i == 0 ? UINT64_MAX : (i - 1) * (randoms - 1) / (passes_ - 1);
      patterns_.push_back(before != last ? kRandom : kFixed[fixed++ % kFixed.size()]);
    }
  }

  static std::string PatternName(int pattern) {
    if (pattern == kRandom) return "random";
    const int high = pattern >> 4, low = (pattern & 15) << 4 | pattern >> 8, rest = pattern & 255;
    char text[16];
    std::snprintf(text, sizeof text, "%02x%02x%02x", static_cast<unsigned>(high), static_cast<unsigned>(low), static_cast<unsigned>(rest));
    return text;
  }

  bool Fill(std::string& block, int pattern, uint64_t offset) {
    if (pattern != kRandom) {
      const unsigned char bytes[3] = {static_cast<unsigned char>(pattern >> 4),
                                      static_cast<unsigned char>((pattern & 15) << 4 | pattern >> 8),
                                      static_cast<unsigned char>(pattern & 255)};
      for (size_t i = 0; i < block.size(); ++i) block[i] = static_cast<char>(bytes[(offset + i) % 3]);
      return true;
    }
    if (!random_) {
      FillRandom({reinterpret_cast<uint8_t*>(block.data()), block.size()});
      return true;
    }
    for (size_t at = 0; at < block.size();) {
      in_.budget.Step();
      const auto bytes = random_->ReadBlock(block.size() - at);
      if (!bytes || bytes->bytes.empty()) {
        in_.Fail(random_name_ + ": " + std::string(bytes ? "end of file" : bytes.error().Text()));
        return false;
      }
      std::memcpy(block.data() + at, bytes->bytes.data(), bytes->bytes.size());
      at += bytes->bytes.size();
    }
    return true;
  }

  bool Pass(vfs::OpenFile& file, int pattern, size_t number, size_t total, uint64_t size) {
    Say(subject_ + ": pass " + std::to_string(number) + "/" + std::to_string(total) + " (" + PatternName(pattern) + ")...");
    if (const auto moved = file.Seek(0, vfs::Whence::kStart); !moved && number > 1) return Fail("cannot rewind", moved.error());
    for (uint64_t done = 0; done < size;) {
      std::string block(static_cast<size_t>(std::min<uint64_t>(size - done, 65536)), '\0');
      in_.budget.Step(static_cast<int64_t>(block.size() / 32));
      if (!Fill(block, pattern, done)) return false;
      if (const Status written = file.Write(block); !written) {
        return Fail("error writing at offset " + std::to_string(done), written.error());
      }
      done += block.size();
    }
    return true;
  }

  // Gives the file shorter and shorter names before it goes.
  bool Remove(const std::string& name) {
    Say(subject_ + ": removing");
    std::string path = name;
    const std::string directory = name.find('/') == std::string::npos ? "" : name.substr(0, name.rfind('/') + 1);
    const bool wipes = removal_ != Removal::kUnlink;
    bool is_first = true;
    for (size_t length = wipes ? name.size() - directory.size() : 0; length > 0; --length) {
      in_.budget.Step();
      const auto target = FreeName(directory, length);
      if (!target || !in_.fs.Rename(path, *target, true)) continue;
      Say((is_first ? subject_ : QuoteSubject(path, in_.locale.is_utf8)) + ": renamed to " + *target);
      is_first = false;
      path = *target;
    }
    if (const Status removed = in_.fs.RemoveFile(path); !removed) return Fail("failed to remove", removed.error());
    Say(subject_ + ": removed");
    return true;
  }

  // A name of `length` characters that is not taken: "000", "001" …; few are tried.
  std::optional<std::string> FreeName(const std::string& directory, size_t length) {
    static constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    std::string name(length, '0');
    for (int tries = 0; tries < 4096; ++tries) {
      in_.budget.Step();
      if (!in_.fs.Stat(directory + name, vfs::Follow::kNo)) return directory + name;
      size_t at = length;
      while (at-- > 0) {
        const size_t letter = kLetters.find(name[at]);
        if (letter + 1 < kLetters.size()) {
          name[at] = kLetters[letter + 1];
          break;
        }
        name[at] = '0';
      }
      if (at == std::string::npos) return std::nullopt;
    }
    return std::nullopt;
  }

  Invocation& in_;
  const Options& o_;
  Removal removal_ = Removal::kNone;
  uint64_t passes_ = 3;
  std::optional<uint64_t> size_;
  vfs::OpenFilePtr random_;
  std::string random_name_, subject_;
  std::vector<int> patterns_;
};

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>& operands) {
  Shredder shredder(in, options);
  if (const auto failed = shredder.Prepare()) return *failed;
  if (operands.empty()) return in.Usage("missing file operand");
  ExitStatus status = 0;
  for (const std::string& name : operands) {
    if (!shredder.Shred(name)) status = 1;
  }
  return status;
}

}  // namespace

extern const Command kCommand_shred;
const Command kCommand_shred = Define<Options, Run>({
    .name = "shred",
    .summary = "overwrite the specified FILE(s) repeatedly, to hide what they held",
    .synopsis = "[OPTION]... FILE...",
    .details = "FILE - is standard output. Files are not removed unless -u or --remove is given.\n",
    .options = kOptions,
});

}  // namespace paddock
