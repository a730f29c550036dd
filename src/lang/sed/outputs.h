// Where a sed script writes to: standard output or the new content of a file that is edited in place, the files of `w`, and what waits
// for the end of a cycle (`a`, `r`, `R`).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/sed/executor.h"

namespace paddock::sed {

// Somewhere lines are written to. A last line without its newline is completed when more follows.
struct Sink {
  std::shared_ptr<ByteSink> keep;
  std::unique_ptr<Output> own;
  Output* output = nullptr;
  bool lacks_newline = false;
};

class Outputs {
 public:
  // All outlive it.
  Outputs(const Program& program, const RunOptions& options, Host& host, Budget& budget) : program_(program), options_(options), host_(host), budget_(budget) {}

  // Creates the files of `w`. Its errors carry the complaint.
  Status Open();
  // The content of an input that is edited in place begins, and has come whole. Nothing happens without -i.
  Status BeginFile(const std::string& name);
  Status EndFile(const std::string& name);

  // Standard output, or the file that is edited in place.
  Sink& main() { return *main_; }
  // Of a command that writes to a file.
  Sink& file(int index) { return files_[static_cast<size_t>(index)]; }

  void Print(std::string_view text, bool has_newline, Sink& sink);
  // Writes the newline that the last line of an input lacked.
  void EndLine(Sink& sink);
  // Text with its own newline, or none.
  void PrintText(std::string_view text, Sink& sink);
  // The text of `i` and `c`: its last newline is a line's end, whatever ends lines.
  void PrintGivenText(const SedCommand& command);
  // `l`: with escapes, in lines of `width` characters (0: in one).
  void PrintUnambiguously(std::string_view text, int64_t width);
  Status CopyFile(std::string_view name);

  // What is written when the cycle ends: the text of `a` (which outlives it), a file, and for `R` the next line of one.
  void AppendText(std::string_view text) { appendices_.push_back({Appendix::Kind::kText, text, {}}); }
  void AppendFile(std::string_view name) { appendices_.push_back({Appendix::Kind::kFile, name, {}}); }
  void AppendLine(const SedCommand& command);
  Status FlushAppendices();

  // Readers of the files that `w` writes see all of it.
  void FlushFiles();
  // `R` begins again at the first line.
  void RestartFiles() {
    for (auto& file : read_files_) file.reset();
  }

 private:
  // Text that waits for the end of the cycle.
  struct Appendix {
    enum class Kind { kText, kFile } kind;
    std::string_view text;  // of an `a`, or the name of a file
    std::string own;        // a line read by R
  };

  const Program& program_;
  const RunOptions& options_;
  Host& host_;
  Budget& budget_;
  Sink stdout_;
  Sink replacement_;  // the new content of a file edited in place
  Sink* main_ = &stdout_;
  std::vector<Sink> files_;  // by index of Program::output_files
  std::vector<std::optional<SourceFile>> read_files_;
  std::vector<Appendix> appendices_;
};

}  // namespace paddock::sed
