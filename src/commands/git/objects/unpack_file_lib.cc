// git unpack-file.
#include "commands/git/refs/revision.h"

namespace paddock::git {
namespace {

constexpr int kMostFiles = 100000;

struct UnpackFileOptions {};

Result<ExitStatus> RunUnpackFile(Git& git, UnpackFileOptions&, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (operands.size() != 1) {
    git.Say("usage: git unpack-file <blob>\n");
    return 129;
  }
  const auto id = ResolveObject(git, operands[0]);
  if (!id) return Error(Code::kNoEntry, "Not a valid object name " + operands[0]);
  const auto text = git.ReadBlob(*id);
  if (!text) return Error(Code::kInvalid, "unable to read blob object " + id->Hex());
  for (int i = 0; i < kMostFiles; ++i) {
    git.in.budget.Step();
    const std::string name = ".merge_file_" + std::to_string(100000 + i);
    if (git.in.fs.Stat(name, vfs::Follow::kNo)) continue;
    PADDOCK_TRY(vfs::WriteFile(git.in.fs, name, *text, 0600));
    git.Print(name + "\n");
    return 0;
  }
  return Error(Code::kExists, "unable to create temp-file");
}

}  // namespace

extern const Subcommand kUnpackFile;
const Subcommand kUnpackFile = DefineSubcommand<UnpackFileOptions, RunUnpackFile>({.name = "unpack-file", .summary = "write a blob to a new file", .synopsis = "<blob>"});

}  // namespace paddock::git
