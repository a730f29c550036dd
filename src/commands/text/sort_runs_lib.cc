#include "commands/text/sort_runs.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "commands/text/sort_merge.h"
#include "proc/process.h"
#include "text/byte_count.h"
#include "text/quote.h"

namespace paddock {
namespace {

constexpr ExitStatus kFailure = 2;

class RunSorter {
 public:
  RunSorter(Invocation& in, const SortOrder& order, const SortRunSettings& settings) : in_(in), order_(order), settings_(settings), directories_(settings.directories) {
    if (directories_.empty()) directories_.emplace_back(in.env.Get("TMPDIR", "/tmp"));
  }
  ~RunSorter() {
    for (const std::string& name : files_) (void)in_.fs.RemoveFile(name);
  }
  RunSorter(const RunSorter&) = delete;
  RunSorter& operator=(const RunSorter&) = delete;

  // Errors: reported.
  Status Run(std::string_view text, Output& out) {
    std::vector<std::string> runs;
    while (!text.empty()) {
      const std::string_view part = TakeRun(text);
      PADDOCK_ASSIGN(std::string run, Pack([&](Output& plain) { return WriteRun(part, plain); }));
      runs.push_back(std::move(run));
    }
    while (runs.size() > settings_.batch) {
      std::vector<std::string> merged;
      for (size_t at = 0; at < runs.size(); at += settings_.batch) {
        const std::vector<std::string> group(runs.begin() + static_cast<std::ptrdiff_t>(at),
                                             runs.begin() + static_cast<std::ptrdiff_t>(std::min(at + settings_.batch, runs.size())));
        if (group.size() == 1) {
          merged.push_back(group[0]);
          continue;
        }
        PADDOCK_ASSIGN(std::string run, Pack([&](Output& plain) { return Merge(group, plain); }));
        merged.push_back(std::move(run));
      }
      runs = std::move(merged);
    }
    return Merge(runs, out);
  }

 private:
  // As many lines as fit, at least one.
  std::string_view TakeRun(std::string_view& text) const {
    const char delimiter = order_.rules().delimiter;
    size_t end = text.size();
    if (settings_.run_bytes < text.size()) {
      end = text.rfind(delimiter, static_cast<size_t>(std::max<uint64_t>(settings_.run_bytes, 1)) - 1);
      if (end == std::string_view::npos) end = text.find(delimiter);
      ++end;
    }
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(end);
    return part;
  }

  Status WriteRun(std::string_view part, Output& plain) {
    auto lines = SplitSortLines(in_, order_, part);
    if (!lines) return Reported("memory exhausted");
    order_.Sort(*lines);
    for (const SortLine& line : *lines) {
      in_.budget.Step();
      plain.Write(std::string_view(line.text, size_t{line.length} + 1));
    }
    return {};
  }

  Status Merge(const std::vector<std::string>& runs, Output& out) {
    std::vector<std::string> plain;
    for (const std::string& run : runs) {
      PADDOCK_ASSIGN(std::string name, Through(run, true));
      plain.push_back(std::move(name));
    }
    if (MergeFiles(in_, order_, plain, out) != 0) return Code::kIo;
    for (const std::string& name : plain) Drop(name);
    return {};
  }

  // What `write` writes, packed; the name of the file.
  template <class Write>
  Result<std::string> Pack(const Write& write) {
    std::string name;
    {
      PADDOCK_ASSIGN(const vfs::OpenFilePtr file, Create(&name));
      Output plain(*file);
      PADDOCK_TRY(write(plain));
      if (const Status flushed = plain.Flush(); !flushed) {
        plain.ClearStatus();
        return Reported("write failed: " + QuoteSubject(name, in_.locale.is_utf8), &flushed.error());
      }
    }
    return Through(name, false);
  }

  // Runs the program over a file, which is gone afterwards.
  Result<std::string> Through(const std::string& from, bool unpacks) {
    std::string name;
    ChildSpec spec;
    spec.args = {settings_.program};
    if (unpacks) spec.args.emplace_back("-d");
    spec.environment = &in_.env;
    auto source = in_.fs.Open(from, vfs::OpenFlags::Read());
    if (!source) return Reported("open failed: " + QuoteSubject(from, in_.locale.is_utf8), &source.error());
    spec.in = std::move(*source);
    PADDOCK_ASSIGN(spec.out, Create(&name));
    const auto ended = in_.launcher.Run(in_.process, spec);
    if (!ended) in_.err.Write(unpacks ? "couldn't execute compress program (with -d)" : "couldn't execute compress program");
    if (!ended) in_.err.Write(": errno " + std::string(ended.error().code == Code::kNoEntry ? "2" : ended.error().code == Code::kAccess ? "13" : "8") + "\n");
    if (!ended || *ended != 0) return Reported("'" + settings_.program + "'" + (unpacks ? " [-d]" : "") + " terminated abnormally");
    Drop(from);
    return name;
  }

  Result<vfs::OpenFilePtr> Create(std::string* name) {
    constexpr int kMostTries = 100;
    const std::string& directory = directories_[files_made_ % directories_.size()];
    for (int i = 0; i < kMostTries; ++i) {
      in_.budget.Step(8);
      *name = directory + "/sort" + std::to_string(in_.process.pid()) + "." + std::to_string(files_made_++);
      auto file = in_.fs.Open(*name, {.read = true, .write = true, .create = true, .exclusive = true}, 0600);
      if (file) {
        files_.push_back(*name);
        return *file;
      }
      if (file.error().code == Code::kExists) continue;
      return Reported("cannot create temporary file in '" + directory + "'", &file.error());
    }
    return Reported("cannot create temporary file in '" + directory + "': File exists");
  }

  void Drop(const std::string& name) {
    (void)in_.fs.RemoveFile(name);
    std::erase(files_, name);
  }

  Error Reported(const std::string& what, const Error* error = nullptr) {
    in_.Fail(error == nullptr ? what : what + ": " + std::string(error->Text()), kFailure);
    return Error(Code::kIo);
  }

  Invocation& in_;
  const SortOrder& order_;
  const SortRunSettings& settings_;
  std::vector<std::string> directories_;
  std::vector<std::string> files_;   // to be removed
  uint64_t files_made_ = 0;
};

}  // namespace

std::optional<std::vector<SortLine>> SplitSortLines(Invocation& in, const SortOrder& order, std::string_view text) {
  const char delimiter = order.rules().delimiter;
  const uint64_t count = CountByte(text, delimiter);
  in.budget.WillAllocate(count * sizeof(SortLine));
  std::vector<SortLine> lines;
  lines.reserve(count);
  for (size_t at = 0; at < text.size();) {
    const char* start = text.data() + at;
    const void* end = std::memchr(start, delimiter, text.size() - at);
    const auto length = static_cast<size_t>(static_cast<const char*>(end) - start);
    if (length >= std::numeric_limits<uint32_t>::max()) return std::nullopt;
    lines.push_back(order.Prepare({start, length}));
    at += length + 1;
    in.budget.Step(1 + static_cast<int64_t>(length / 64));
  }
  return lines;
}

ExitStatus SortInRuns(Invocation& in, const SortOrder& order, std::string_view text, const SortRunSettings& settings, Output& out) {
  return RunSorter(in, order, settings).Run(text, out) ? 0 : kFailure;
}

}  // namespace paddock
