// git get-tar-commit-id: the commit that an archive was made of, which git archive leaves in its first header.
#include <array>
#include <charconv>

#include "commands/git/git.h"

namespace paddock::git {
namespace {

constexpr size_t kBlock = 512;

// The id in the text of a global header: "52 comment=ID\n"; empty if there is none.
std::string IdIn(std::string_view text) {
  size_t length = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), length);
  const size_t digits = static_cast<size_t>(read.ptr - text.data());
  constexpr std::string_view kName = " comment=";
  if (read.ec != std::errc{} || !text.substr(digits).starts_with(kName)) return {};
  const size_t begin = digits + kName.size();
  return length == begin + 41 ? std::string(text.substr(begin, 41)) : std::string();
}

ExitStatus RunTarCommit(Invocation& in, const Subcommand&, Git*, std::vector<std::string> args) {
  if (args.size() != 1) {
    in.out.Flush();
    in.err.Write("usage: git get-tar-commit-id\n");
    return 129;
  }
  std::array<char, 2 * kBlock> bytes{};
  const std::string_view head(bytes.data(), in.in.Read(bytes.data(), bytes.size()));
  if (head.size() != bytes.size()) return Die(in, Error(Code::kCorrupt, "git get-tar-commit-id: EOF before reading tar header: No such file or directory"));
  if (head[156] != 'g') return 1;
  const std::string id = IdIn(head.substr(kBlock));
  in.out.Write(id);
  return id.empty() ? 1 : 0;
}

}  // namespace

extern const Subcommand kGetTarCommitId;
const Subcommand kGetTarCommitId = {.name = "get-tar-commit-id", .summary = "tell the commit that an archive was made of", .synopsis = "", .needs = Subcommand::Needs::kNothing, .run = RunTarCommit};

}  // namespace paddock::git
