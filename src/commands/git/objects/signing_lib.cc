// Signatures of commits.
#include "commands/git/objects/signing.h"

#include "commands/child_output.h"
#include "commands/git/refs/revision.h"
#include "proc/process.h"

namespace paddock::git {
namespace {

// What the program writes of the text; empty when it does not sign.
std::string Signed(Git& git, const std::string& program, const std::string& key, const std::string& text) {
  const std::string path = git.GitPath("signed_text.tmp");
  if (!vfs::WriteFile(git.in.fs, path, text, 0600)) return {};
  auto input = git.in.fs.Open(path, vfs::OpenFlags::Read());
  static_cast<void>(git.in.fs.RemoveFile(path).has_value());
  if (!input) return {};
  // On standard error it tells how it went, in lines for programs.
  std::string signature, report;
  ChildSpec spec{.args = {program, "--status-fd=2", "-bsau", key}, .environment = &git.in.env};
  spec.in = *input;
  spec.out = TextSink(git.in.budget, signature);
  spec.err = TextSink(git.in.budget, report);
  git.in.out.Flush();
  const auto status = git.in.launcher.Run(git.in.process, spec);
  if (!status) {
    git.Complain("cannot run " + program + ": " + std::string(status.error().Text()));
    return {};
  }
  return *status == 0 && report.find("\n[GNUPG:] SIG_CREATED ") != std::string::npos ? signature : std::string();
}

}  // namespace

Status SignCommit(Git& git, const Commit& commit, std::string& text) {
  if (const std::string format = git.config.Get("gpg.format", "openpgp"); format != "openpgp") return Error(Code::kNotSupported, "signatures of the format '" + format + "' are not supported");
  std::string key = *git.signing_key;
  if (key.empty()) key = git.config.Get("user.signingkey", "");
  if (key.empty()) {
    const Signature who = ParseSignature(commit.committer);
    key = who.name + " <" + who.email + ">";
  }
  const std::string program = git.config.Get("gpg.openpgp.program", git.config.Get("gpg.program", "gpg"));
  const std::string signature = Signed(git, program, key, text);
  if (signature.empty()) {
    git.Complain("gpg failed to sign the data");
    return Error(Code::kInvalid, "failed to write commit object");
  }
  // One header line; the lines behind its first begin with a blank.
  std::string header = "\ngpgsig ";
  for (const char c : signature.ends_with('\n') ? std::string_view(signature).substr(0, signature.size() - 1) : std::string_view(signature)) {
    git.in.budget.Step();
    header += c;
    if (c == '\n') header += ' ';
  }
  text.insert(text.find("\n\n"), header);   // behind the last header
  return {};
}

}  // namespace paddock::git
