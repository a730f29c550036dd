// git merge-file.
#include <algorithm>
#include <charconv>

#include "commands/git/merge/merge.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

using Favour = MergeStyle::Favour;
using Markers = MergeStyle::Markers;

struct Options {
  bool prints = false, quiet = false;
  std::vector<std::string> labels;
  std::optional<Favour> favour;
  std::optional<Markers> markers;
  std::string marker_size;
};
template <Favour kFavour>
Status TakeFavour(Options& options, std::string_view) {
  options.favour = kFavour;
  return {};
}
template <Markers kMarkers>
Status TakeMarkers(Options& options, std::string_view) {
  options.markers = kMarkers;
  return {};
}
constexpr Option kOptions[] = {
    Flag<&Options::prints>('p', "stdout", "write the result to standard output"),
    Call<TakeMarkers<Markers::kBase>>(0, "diff3", nullptr, "show conflicts with their base"),
    Call<TakeMarkers<Markers::kShortBase>>(0, "zdiff3", nullptr, "likewise, without what both sides have at the ends"),
    Call<TakeFavour<Favour::kOurs>>(0, "ours", nullptr, "take our side of conflicts"),
    Call<TakeFavour<Favour::kTheirs>>(0, "theirs", nullptr, "take their side of conflicts"),
    Call<TakeFavour<Favour::kUnion>>(0, "union", nullptr, "take both sides of conflicts"),
    Value<&Options::marker_size>(0, "marker-size", "N", "markers of N characters"),
    Flag<&Options::quiet>('q', "quiet", "say nothing of errors"),
    Value<&Options::labels>('L', nullptr, "NAME", "what the first, then the base, then the second file is called"),
};

constexpr size_t kMaxFile = size_t{1} << 30;
constexpr int64_t kMaxMarker = 1 << 16;

Result<ExitStatus> Run(Invocation& in, Git* git, Options& options, Args& args) {
  const std::vector<std::string> files = args.All();
  const auto complain = [&](const std::string& text, ExitStatus status) {
    if (!options.quiet || status == 129) in.err.Write("error: " + text + "\n");
    return status;
  };
  if (options.labels.size() > 3) return complain("too many labels on the command line", 129);
  if (files.size() != 3) {
    in.err.Write("usage: git merge-file [<options>] [-L <name1> [-L <orig> [-L <name2>]]] <file1> <orig-file> <file2>\n");
    return 129;
  }
  MergeStyle style;
  if (git != nullptr) {
    PADDOCK_ASSIGN(style, ConfiguredStyle(*git));
  }
  if (options.markers) style.markers = *options.markers;
  style.favour = options.favour.value_or(Favour::kNone);
  int64_t marker_size = 0;
  const char* const end = options.marker_size.data() + options.marker_size.size();
  if (const auto read = std::from_chars(options.marker_size.data(), end, marker_size); !options.marker_size.empty() && (read.ec != std::errc{} || read.ptr != end)) {
    return complain("option `marker-size' expects a numerical value", 129);
  }
  if (marker_size > kMaxMarker) return Error(Code::kNotSupported, "markers of more than " + std::to_string(kMaxMarker) + " characters are not supported");
  if (marker_size > 0) style.marker_size = static_cast<size_t>(marker_size);
  style.joins_at_blank = true;
  std::string texts[3];
  for (size_t i = 0; i < 3; ++i) {
    auto text = vfs::ReadFile(in.fs, files[i], kMaxFile);
    if (!text) return complain((text.error().code == Code::kNoEntry ? "Could not stat " : "Could not open ") + files[i] + ": " + std::string(text.error().Text()), 255);
    texts[i] = std::move(*text);
    if (LooksBinary(texts[i])) return complain("Cannot merge binary files: " + files[i], 255);
  }
  const auto name = [&](size_t i) { return i < options.labels.size() ? options.labels[i] : files[i]; };
  const TextMerge merge = MergeTexts(texts[1], texts[0], texts[2], {name(0), name(2), name(1)}, style, in.budget);
  if (options.prints) in.out.Write(merge.text);
  else PADDOCK_TRY(vfs::WriteFile(in.fs, files[0], merge.text));
  return static_cast<ExitStatus>(std::min<size_t>(merge.conflicts, 127));
}

}  // namespace

extern const Subcommand kMergeFile;
const Subcommand kMergeFile = DefineFreeSubcommand<Options, Run>({.name = "merge-file", .summary = "merge the changes of two files", .synopsis = "[<options>] [-L <name1> [-L <orig> [-L <name2>]]] <file1> <orig-file> <file2>", .options = kOptions, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
