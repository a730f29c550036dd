#include "commands/git/objects/signature_check.h"

#include <algorithm>
#include <array>

#include "commands/child_output.h"
#include "commands/git/refs/revision.h"
#include "proc/process.h"
#include "text/diff/unified_diff.h"

namespace paddock::git {
namespace {

constexpr std::array<std::string_view, 4> kBegins = {"-----BEGIN PGP SIGNATURE-----", "-----BEGIN PGP MESSAGE-----", "-----BEGIN SIGNED MESSAGE-----", "-----BEGIN SSH SIGNATURE-----"};

// The words of a line for programs behind "[GNUPG:] "; `count` of them, the last one with all that follows.
std::vector<std::string> Words(std::string_view line, size_t count) {
  std::vector<std::string> words;
  while (!line.empty() && words.size() + 1 < count) {
    const size_t end = std::min(line.find(' '), line.size());
    words.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  words.emplace_back(line);
  words.resize(count);
  return words;
}

void TakeReport(SignatureVerdict& verdict) {
  static constexpr std::pair<std::string_view, char> kResults[] = {{"GOODSIG", 'G'}, {"BADSIG", 'B'}, {"EXPSIG", 'X'}, {"EXPKEYSIG", 'Y'}, {"REVKEYSIG", 'R'}, {"ERRSIG", 'E'}};
  bool has_result = false;
  for (std::string_view line : SplitLines(verdict.report)) {
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (!line.starts_with("[GNUPG:] ")) continue;
    const std::vector<std::string> words = Words(line.substr(9), 3);
    const auto result = std::find_if(std::begin(kResults), std::end(kResults), [&words](const auto& one) { return one.first == words[0]; });
    if (result != std::end(kResults)) {
      if (has_result && result->second != 'E') {   // two of them: neither counts
        const std::string output = verdict.output, report = verdict.report;
        verdict = {};
        verdict.result = 'E';
        verdict.output = output;
        verdict.report = report;
        return;
      }
      has_result |= result->second != 'E';
      verdict.result = result->second;
      verdict.key = words[1];
      if (result->second != 'E') verdict.signer = words[2];
    } else if (words[0] == "VALIDSIG") {
      verdict.fingerprint = words[1];
      const std::vector<std::string> all = Words(line.substr(9), 11);
      verdict.primary_fingerprint = all[10].substr(0, all[10].find(' '));
    } else if (words[0].starts_with("TRUST_")) {
      verdict.trust.clear();
      for (const char c : words[0].substr(6)) verdict.trust += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
  }
}

std::string ShortCommit(Git& git, const Oid& id) { return "Commit " + git.objects.Abbreviate(id); }

}  // namespace

std::optional<SignedText> SplitSignedCommit(std::string_view data) {
  SignedText text;
  bool is_header = true, is_signature = false, has_any = false;
  for (const std::string_view line : SplitLines(data)) {
    if (line == "\n") is_header = false;
    if (is_header && !line.starts_with(' ')) is_signature = line.starts_with("gpgsig ") || line.starts_with("gpgsig-sha256 ");
    if (!is_header || !is_signature) {
      text.payload += line;
      continue;
    }
    if (line.starts_with("gpgsig ")) has_any = true;
    text.signature += line.starts_with(' ') ? line.substr(1) : line.substr(line.find(' ') + 1);
  }
  return has_any ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<SignedText> SplitSignedTag(std::string_view data) {
  std::optional<size_t> begin;
  size_t at = 0;
  for (const std::string_view line : SplitLines(data)) {
    if (std::any_of(kBegins.begin(), kBegins.end(), [line](std::string_view one) { return line.starts_with(one); })) begin = at;
    at += line.size();
  }
  if (!begin) return std::nullopt;
  return SignedText{std::string(data.substr(0, *begin)), std::string(data.substr(*begin))};
}

SignatureVerdict CheckSignature(Git& git, const SignedText& text) {
  SignatureVerdict verdict;
  if (text.signature.starts_with(kBegins[3])) {
    git.Complain("gpg.ssh.allowedSignersFile needs to be configured and exist for ssh signature verification");
    return verdict;
  }
  const bool is_x509 = text.signature.starts_with(kBegins[2]);
  const std::string program = is_x509 ? git.config.Get("gpg.x509.program", "gpgsm") : git.config.Get("gpg.openpgp.program", git.config.Get("gpg.program", "gpg"));
  const std::string signature_path = git.GitPath("signature.tmp"), payload_path = git.GitPath("signed_text.tmp");
  if (!vfs::WriteFile(git.in.fs, signature_path, text.signature, 0600) || !vfs::WriteFile(git.in.fs, payload_path, text.payload, 0600)) return verdict;
  auto input = git.in.fs.Open(payload_path, vfs::OpenFlags::Read());
  static_cast<void>(git.in.fs.RemoveFile(payload_path).has_value());
  if (!input) return verdict;
  ChildSpec spec{.args = {program, "--keyid-format=long", "--status-fd=1", "--verify", signature_path, "-"}, .environment = &git.in.env};
  if (is_x509) spec.args.erase(spec.args.begin() + 1);
  spec.in = *input;
  spec.out = TextSink(git.in.budget, verdict.report);
  spec.err = TextSink(git.in.budget, verdict.output);
  git.in.out.Flush();
  const auto status = git.in.launcher.Run(git.in.process, spec);
  static_cast<void>(git.in.fs.RemoveFile(signature_path).has_value());
  if (!status) {
    git.Complain("cannot run " + program + ": " + std::string(status.error().Text()));
    return verdict;
  }
  TakeReport(verdict);
  verdict.is_good = *status == 0 && verdict.report.find("\n[GNUPG:] GOODSIG ") != std::string::npos && verdict.result == 'G';
  if (verdict.result == 'G' && (verdict.trust == "undefined" || verdict.trust == "never")) verdict.result = 'U';
  return verdict;
}

std::optional<SignatureVerdict> CheckCommitSignature(Git& git, const Oid& id) {
  const auto object = git.objects.ReadTyped(id, ObjectType::kCommit);
  const auto text = object ? SplitSignedCommit(object->data) : std::nullopt;
  return text ? std::optional(CheckSignature(git, *text)) : std::nullopt;
}

Result<bool> VerifyTag(Git& git, const Oid& id, const std::string& name, bool is_verbose, bool is_raw, bool is_silent) {
  PADDOCK_ASSIGN(const Object object, git.objects.Read(id));
  if (object.type != ObjectType::kTag) {
    git.in.err.Write("error: " + name + ": cannot verify a non-tag object of type " + std::string(TypeName(object.type)) + ".\n");
    return false;
  }
  const auto text = SplitSignedTag(object.data);
  if (!text) {
    if (is_verbose) git.Print(object.data);
    git.in.out.Flush();
    git.Complain("no signature found");
    return false;
  }
  const SignatureVerdict verdict = CheckSignature(git, *text);
  if (!is_silent) {
    git.in.err.Write(is_raw ? verdict.report : verdict.output);
    if (is_verbose) git.Print(text->payload);   // it comes when all is told
  }
  return verdict.is_good;
}

Result<std::string> RequireSignature(Git& git, const Oid& id) {
  const auto verdict = CheckCommitSignature(git, id);
  switch (verdict ? verdict->result : 'N') {
    case 'G': return verdict->signer;
    case 'U': return Error(Code::kInvalid, ShortCommit(git, id) + " has an untrusted GPG signature, allegedly by " + verdict->signer + ".");
    case 'B': return Error(Code::kInvalid, ShortCommit(git, id) + " has a bad GPG signature allegedly by " + verdict->signer + ".");
    default: return Error(Code::kInvalid, ShortCommit(git, id) + " does not have a GPG signature.");
  }
}

}  // namespace paddock::git
