#include <algorithm>
#include <cstdio>

#include "commands/archive/zstd_modes.h"

namespace paddock::zstd {
namespace {

// Takes what a coder writes.
class TextSink final : public ByteSink {
 public:
  explicit TextSink(std::string& text) : text_(text) {}
  Status Write(std::string_view bytes) override {
    text_ += bytes;
    return {};
  }

 private:
  std::string& text_;
};

class Benchmark {
 public:
  Benchmark(Invocation& in, const BenchOptions& options) : in_(in), o_(options) {}

  ExitStatus Run(const std::vector<std::string>& names) {
    if (names.empty()) return Measure({Synthetic()}, "Synthetic 50%");
    std::vector<std::string> texts;
    uint64_t total = 0;
    for (const std::string& name : names) {
      const auto found = in_.fs.Stat(name);
      if (!found || found->is_directory()) {
        if (found) Say(2, "Ignoring " + name + " directory...       \n");
        continue;
      }
      if (o_.shown > 1) in_.out.Write("Loading " + name + "...       \r");
      auto text = vfs::ReadFile(in_.fs, name);
      if (!text) {
        Say(1, "Error 10 : impossible to open file " + name + " \n");
        return 10;
      }
      total += text->size();
      in_.budget.WillAllocate(4 * total);   // with what it packs to
      if (o_.each_alone) {
        const ExitStatus status = Measure({std::move(*text)}, vfs::BaseName(name));
        if (status != 0) return status;
        continue;
      }
      texts.push_back(std::move(*text));
    }
    if (o_.each_alone) return 0;
    if (total == 0) {
      Say(1, "Error 9 : Error loading files \n");
      return 1;
    }
    return Measure(texts, texts.size() == 1 ? vfs::BaseName(names[0]) : " " + std::to_string(names.size()) + " files");
  }

 private:
  void Say(int level, const std::string& text) {
    in_.out.Flush();
    if (o_.shown >= level) in_.err.Write(text);
  }

  // Ten million bytes, half of which come again.
  std::string Synthetic() {
    constexpr size_t kSize = 10'000'000;
    in_.budget.WillAllocate(2 * kSize);
    std::string text;
    text.reserve(kSize);
    uint64_t state = 1;
    const auto next = [&state] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
    while (text.size() < kSize) {
      in_.budget.Step();
      const size_t length = std::min<size_t>(4 + next() % 28, kSize - text.size());
      if (text.size() > 64 && next() % 2 == 0) {
        const size_t from = text.size() - 1 - next() % std::min<size_t>(text.size() - 1, 1 << 16);
        for (size_t i = 0; i < length; ++i) text += text[from + i % (text.size() - from)];
      } else {
        for (size_t i = 0; i < length; ++i) text += static_cast<char>(' ' + next() % 64);
      }
    }
    return text;
  }

  std::vector<std::string> Pieces(const std::vector<std::string>& texts) const {
    if (o_.piece == 0 || o_.only_unpacks) return texts;
    std::vector<std::string> pieces;
    for (const std::string& text : texts) {
      for (size_t at = 0; at < text.size(); at += o_.piece) pieces.push_back(text.substr(at, o_.piece));
    }
    return pieces;
  }
  Result<std::string> Packed(const std::string& piece, int level) {
    codec::ZstdEncoderOptions options = o_.encoder;
    options.level = level;
    options.size = piece.size();
    std::string packed;
    TextSink sink(packed);
    codec::EncodingSink encoder(sink, codec::NewZstdEncoder(&in_.budget, options), &in_.budget);
    PADDOCK_TRY(encoder.Write(piece));
    PADDOCK_TRY(encoder.Finish());
    return packed;
  }
  // The size of what comes out.
  Result<uint64_t> UnpackedSize(const std::string& packed) {
    StringSource source(packed);
    codec::DecodingSource decoder(source, codec::NewZstdDecoder(&in_.budget, {.dictionary = o_.encoder.dictionary}), &in_.budget);
    for (;;) {
      in_.budget.Step();
      PADDOCK_ASSIGN(const Block block, decoder.ReadBlock(1 << 17));
      if (block.bytes.empty()) return decoder.bytes_out();
    }
  }

  // Megabytes a second of the best of the rounds that the time allows for.
  template <class Work>
  Result<double> SpeedOf(uint64_t bytes, const Work& work) {
    const Nanoseconds start = in_.clock.MonotonicNow(), most = std::chrono::seconds(o_.seconds);
    double best = 0;
    do {
      const Nanoseconds before = in_.clock.MonotonicNow();
      PADDOCK_TRY(work());
      const auto took = std::max<int64_t>((in_.clock.MonotonicNow() - before).count(), 1);
      best = std::max(best, static_cast<double>(bytes) * 1000 / static_cast<double>(took));
    } while (in_.clock.MonotonicNow() - start < most);
    return best;
  }

  ExitStatus Measure(const std::vector<std::string>& texts, const std::string& name) {
    const std::vector<std::string> pieces = Pieces(texts);
    for (int level = o_.first; level <= std::max(o_.first, o_.last); ++level) {
      if (const Status measured = MeasureLevel(pieces, name, level); !measured) {
        Say(1, "zstd: error : " + std::string(measured.error().Text()) + " \n");
        return 1;
      }
    }
    return 0;
  }
  Status MeasureLevel(const std::vector<std::string>& pieces, const std::string& name, int level) {
    uint64_t plain = 0, packed_size = 0;
    std::vector<std::string> packed = o_.only_unpacks ? pieces : std::vector<std::string>(pieces.size());
    double pack_speed = 0;
    if (o_.only_unpacks) {
      for (const std::string& piece : pieces) {
        PADDOCK_ASSIGN(const uint64_t size, UnpackedSize(piece));
        plain += size;
      }
    } else {
      for (const std::string& piece : pieces) plain += piece.size();
      const auto pack = [&]() -> Status {
        for (size_t i = 0; i < pieces.size(); ++i) {
          PADDOCK_ASSIGN(packed[i], Packed(pieces[i], level));
        }
        return {};
      };
      PADDOCK_ASSIGN(pack_speed, SpeedOf(plain, pack));
    }
    for (const std::string& one : packed) packed_size += one.size();
    const auto unpack = [&]() -> Status {
      for (const std::string& one : packed) {
        PADDOCK_TRY(UnpackedSize(one));
      }
      return {};
    };
    PADDOCK_ASSIGN(const double unpack_speed, SpeedOf(plain, unpack));
    const double ratio = packed_size == 0 ? 0 : static_cast<double>(plain) / static_cast<double>(packed_size);
    char text[256];
    const auto number = [](uint64_t value) { return static_cast<unsigned long long>(value); };
    if (o_.shown < 2) {
      std::snprintf(text, sizeof text, "bench 1.5.4 : input %llu bytes, %llu seconds, %llu KB blocks\n-%-3d%11llu (%5.3f) %6.2f MB/s %6.1f MB/s  ", number(plain), number(o_.seconds),
                    number(o_.piece >> 10), level, number(packed_size), ratio, pack_speed, unpack_speed);
      in_.out.WriteLine(text + name);
      return {};
    }
    std::snprintf(text, sizeof text, "|-%-17.17s :%10llu ->%10llu (x%5.3f), %6.1f MB/s, %6.1f MB/s\r%2d#\n", name.substr(name.size() - std::min<size_t>(name.size(), 17)).c_str(), number(plain), number(packed_size), ratio, pack_speed, unpack_speed, level);
    in_.out.Write(text);
    return {};
  }

  Invocation& in_;
  const BenchOptions& o_;
};

}  // namespace

ExitStatus Bench(Invocation& in, const BenchOptions& options, const std::vector<std::string>& names) { return Benchmark(in, options).Run(names); }

}  // namespace paddock::zstd
