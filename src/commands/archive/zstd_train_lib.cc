#include <algorithm>

#include "commands/archive/zstd_modes.h"

namespace paddock::zstd {
namespace {

Error Wrong() { return Code::kSyntax; }

class Trainer {
 public:
  Trainer(Invocation& in, const TrainOptions& options) : in_(in), o_(options) {}

  ExitStatus Run(std::vector<std::string> names) {
    Shuffle(names);
    constexpr size_t kFewest = 5;
    uint64_t most = codec::MostZstdSamples(o_.training);
    if (o_.memory > 0) {
      Say(2, "!  Warning : setting manual memory limit for dictionary training data at " + std::to_string(o_.memory >> 20) + " MB \n");
      most = std::min(most, o_.memory);
    }
    for (const std::string& name : names) {
      if (!Load(name, most)) return 1;
    }
    if (is_cut_) {
      Say(2, "!  Warning : some sample(s) are very large \n!  Note that dictionary is only useful for small samples. \n!  As a consequence, only the first " +
                 std::to_string(kLongest) + " bytes of each sample are loaded \n");
    }
    if (count_ < kFewest) {
      Say(2, "!  Warning : nb of samples too low for proper processing ! \n!  Please provide _one file per sample_. \n!  Alternatively, split files into fixed-size blocks "
             "representative of samples, with -B# \n");
      Say(1, "Error 14 : nb of samples too low\n");
      return 14;
    }
    if (total_ < o_.capacity * 8) {
      Say(2, "!  Warning : data size of samples too small for target dictionary size \n!  Samples should be about 100x larger than target dictionary size \n");
    }
    if (samples_.size() < total_) {
      Say(1, "Training samples set too large (" + std::to_string(total_ >> 20) + " MB); training on " + std::to_string(samples_.size() >> 20) + " MB only...\n");
    }
    if (o_.training.Sets() > 1) Say(2, "Trying " + std::to_string(o_.training.Sets()) + " different sets of parameters\n");
    const auto made = codec::TrainZstdDictionary(samples_, sizes_, o_.capacity, o_.training, in_.budget);
    if (!made) {
      Say(1, "dictionary training failed : " + std::string(made.error().Text()) + " \n");
      return 1;
    }
    TellBest(made->training);
    Say(2, "Save dictionary of size " + std::to_string(made->bytes.size()) + " into file " + o_.output + " \n");
    auto file = in_.fs.Open(o_.output, vfs::OpenFlags::Write());
    Status written = file ? (*file)->Write(made->bytes) : Status(file.error());
    if (written) return 0;
    Say(1, "Error 3 : Error opening " + o_.output + ": " + std::string(written.error().Text()) + " \n");
    return 3;
  }

 private:
  static constexpr uint64_t kLongest = 128 << 10;

  void Say(int level, const std::string& text) {
    if (o_.shown >= level) in_.err.Write(text);
  }
  // What stands together in a directory is alike; the methods want it spread. The same for every run.
  static void Shuffle(std::vector<std::string>& names) {
    uint64_t state = 0x2545f4914f6cdd1d;
    for (size_t left = names.size(); left > 1; --left) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::swap(names[left - 1], names[(state >> 33) % left]);
    }
  }
  bool Load(const std::string& name, uint64_t most) {
    in_.budget.Step();
    const auto found = in_.fs.Stat(name);
    auto file = found && found->is_file() ? in_.fs.Open(name, vfs::OpenFlags::Read()) : Result<vfs::OpenFilePtr>(Error(Code::kIo));
    if (!file) {
      Say(1, "zstd: can't open " + name + " -- ignored \n");
      return true;
    }
    const uint64_t size = o_.piece > 0 ? found->size : std::min(found->size, kLongest);
    is_cut_ = is_cut_ || (o_.piece == 0 && found->size > kLongest);
    total_ += size;
    const uint64_t piece = o_.piece > 0 ? std::min(o_.piece, kLongest) : kLongest;
    for (uint64_t left = size; left > 0;) {
      const uint64_t wanted = std::min(left, piece);
      left -= wanted;
      ++count_;
      if (samples_.size() + wanted > most) continue;
      in_.budget.WillAllocate(samples_.size() + wanted);
      const size_t before = samples_.size();
      while (samples_.size() - before < wanted) {
        const auto block = (*file)->ReadBlock(wanted - (samples_.size() - before));
        if (!block) {
          Say(1, "Error 11 : Pb reading " + name + ": " + std::string(block.error().Text()) + " \n");
          return false;
        }
        if (block->bytes.empty()) break;
        in_.budget.Step();
        samples_ += block->bytes;
      }
      if (samples_.size() > before) sizes_.push_back(samples_.size() - before);
    }
    return true;
  }
  void TellBest(const codec::ZstdTraining& best) {
    using Method = codec::ZstdTraining::Method;
    if (best.method == Method::kLegacy || o_.training.Sets() == 1) return;
    std::string text = "k=" + std::to_string(best.k) + "\nd=" + std::to_string(best.d) + "\n";
    if (best.method == Method::kFastCover) text += "f=" + std::to_string(best.f) + "\n";
    text += "steps=" + std::to_string(best.steps) + "\nsplit=" + std::to_string(static_cast<unsigned>(best.split * 100)) + "\n";
    if (best.method == Method::kFastCover) text += "accel=" + std::to_string(best.accel) + "\n";
    Say(2, text);
  }

  Invocation& in_;
  const TrainOptions& o_;
  std::string samples_;
  std::vector<size_t> sizes_;
  uint64_t total_ = 0, count_ = 0;
  bool is_cut_ = false;
};

}  // namespace

Status ReadTraining(codec::ZstdTraining& training, std::string_view text) {
  const bool is_legacy = training.method == codec::ZstdTraining::Method::kLegacy;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    if (name == "shrink" && !is_legacy) {
      training.shrinks = true;
      training.shrink_loss = 1;
      if (equals == word.size()) continue;
    }
    if (equals == word.size()) return Wrong();
    PADDOCK_ASSIGN(const uint64_t wide, Amount(word.substr(equals + 1)));
    const auto value = static_cast<uint32_t>(wide);
    if (is_legacy) {
      if (name != "s" && name != "selectivity") return Wrong();
      training.selectivity = value;
    } else if (name == "k") {
      training.k = value;
    } else if (name == "d") {
      training.d = value;
    } else if (name == "steps") {
      training.steps = value;
    } else if (name == "split") {
      training.split = value / 100.0;
    } else if (name == "shrink") {
      training.shrink_loss = value;
    } else if (name == "f" && training.method == codec::ZstdTraining::Method::kFastCover) {
      training.f = value;
    } else if (name == "accel" && training.method == codec::ZstdTraining::Method::kFastCover) {
      training.accel = value;
    } else {
      return Wrong();
    }
  }
  return {};
}

ExitStatus Train(Invocation& in, const TrainOptions& options, const std::vector<std::string>& names) { return Trainer(in, options).Run(names); }

}  // namespace paddock::zstd
