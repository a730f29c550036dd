// Merging by the attribute "merge".
#include "commands/git/merge/merge_driver.h"

#include <charconv>

#include "commands/git/shell_words.h"
#include "commands/git/work/attributes.h"
#include "proc/process.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr uint64_t kLargestResult = 256 << 20;
constexpr int kMostNames = 10000;

// The files that a program merges, at the top of the working tree as long as it runs.
class DriverFiles {
 public:
  explicit DriverFiles(Git& git) : git_(git), folder_(git.work_tree.empty() ? git.git_dir : git.work_tree) {}
  DriverFiles(const DriverFiles&) = delete;
  DriverFiles& operator=(const DriverFiles&) = delete;
  ~DriverFiles() {
    for (const std::string& name : names_) static_cast<void>(git_.in.fs.RemoveFile(PathOf(name)).has_value());
  }
  Result<std::string> Add(std::string_view content) {
    for (int i = 0; i < kMostNames; ++i) {
      git_.in.budget.Step();
      std::string digits = std::to_string(100000 + i + static_cast<int>(names_.size()) * 100000);
      const std::string name = ".merge_file_" + digits;
      if (git_.in.fs.Stat(PathOf(name), vfs::Follow::kNo)) continue;
      PADDOCK_TRY(vfs::WriteFile(git_.in.fs, PathOf(name), content, 0600));
      names_.push_back(name);
      return name;
    }
    return Error(Code::kExists, "unable to create temp-file");
  }
  std::string PathOf(const std::string& name) const { return folder_ + "/" + name; }
  const std::string& folder() const { return folder_; }

 private:
  Git& git_;
  std::string folder_;
  std::vector<std::string> names_;
};

// What the program leaves in the file of our side.
Result<std::optional<TextMerge>> RunDriver(Git& git, const std::string& command, const MergeInput& input, size_t marker_size) {
  DriverFiles files(git);
  PADDOCK_ASSIGN(const std::string base, files.Add(input.base));
  PADDOCK_ASSIGN(const std::string ours, files.Add(input.ours));
  PADDOCK_ASSIGN(const std::string theirs, files.Add(input.theirs));
  std::string line;
  for (size_t i = 0; i < command.size(); ++i) {
    git.in.budget.Step();
    const char next = i + 1 < command.size() ? command[i + 1] : '\0';
    const std::string* file = next == 'O' ? &base : next == 'A' ? &ours : next == 'B' ? &theirs : nullptr;
    if (command[i] != '%' || (file == nullptr && next != 'L' && next != 'P' && next != '%')) {
      line += command[i];
      continue;
    }
    ++i;
    if (file != nullptr) line += *file;
    else if (next == 'L') line += std::to_string(marker_size);
    else if (next == 'P') line += InShellQuotes(input.path);
    else line += '%';
  }
  git.in.out.Flush();
  ChildSpec spec{.args = {"sh", "-c", line}, .environment = &git.in.env};
  spec.cwd = files.folder();
  const auto status = git.in.launcher.Run(git.in.process, spec);
  auto text = vfs::ReadFile(git.in.fs, files.PathOf(ours), kLargestResult);
  if (!status || !text) return Error(Code::kInvalid, "failed to execute internal merge");
  TextMerge merge;
  merge.text = std::move(*text);
  merge.has_conflict = *status != 0;
  merge.conflicts = merge.has_conflict ? 1 : 0;
  return std::optional<TextMerge>(std::move(merge));
}

}  // namespace

Result<std::optional<TextMerge>> MergeContents(Git& git, const MergeInput& input, const Sides& labels, const MergeStyle& style) {
  if (!git.attributes) git.attributes = std::make_shared<Attributes>(git);
  MergeStyle wanted = style;
  const std::string size = git.attributes->Get(input.path, "conflict-marker-size");
  size_t marker_size = 0;
  std::from_chars(size.data(), size.data() + size.size(), marker_size);
  if (marker_size > 0 && marker_size < 1000) wanted.marker_size = marker_size;
  std::string driver = git.attributes->Get(input.path, "merge");
  if (driver == "unspecified") driver = git.config.Get("merge.default", "set");
  if (driver == "unset") driver = "binary";
  if (const auto command = git.config.Get("merge." + driver + ".driver"); command && driver != "set") return RunDriver(git, *command, input, wanted.marker_size);
  if (driver == "binary" || LooksBinary(input.ours) || LooksBinary(input.theirs) || LooksBinary(input.base)) return std::optional<TextMerge>();
  if (driver == "union") wanted.favour = MergeStyle::Favour::kUnion;
  return std::optional<TextMerge>(MergeTexts(input.base, input.ours, input.theirs, labels, wanted, git.in.budget));
}

}  // namespace paddock::git
