// git am's options, and what it keeps in .git/rebase-apply, as git does.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

enum class AmResume { kNo, kContinue, kSkip, kAbort, kQuit, kShow, kAllowEmpty };
enum class OnEmptyMail { kStop, kDrop, kKeep };

struct AmOptions {
  bool three_way = false, no_three_way = false, quiet = false, signoff = false, keeps = false, keeps_non_patch = false, scissors = false, no_scissors = false, message_id = false;
  bool ignores_date = false, commits_at_author_date = false;
  AmResume resume = AmResume::kNo;
  OnEmptyMail on_empty = OnEmptyMail::kStop;
  bool shows_diff = false;
  std::optional<int64_t> strip, context;
  std::string directory, whitespace;
  std::vector<std::pair<bool, std::string>> limits;
  bool keeps_returns = false, drops_returns = false, rejects = false, ignores_blanks = false, is_interactive = false, is_mbox = false;
  std::optional<bool> recodes;
  std::string quoted_return;            // nowarn, warn or strip
  std::optional<std::string> advice;    // instead of ours, when it stops
  std::optional<std::string> gpg_sign;
  bool no_gpg_sign = false, rerere = false, no_rerere = false;
  bool is_rebasing = false;             // for rebase --apply: mails name commits, and the state stays
};

// The mail at work.
struct CurrentMail {
  std::string name, email, date, message, patch;
};

class AmState {
 public:
  explicit AmState(Git& git) : git_(git) {}
  std::string Path(std::string_view name) const { return git_.GitPath("rebase-apply/" + std::string(name)); }
  // Files of text, which end in a newline that does not count; one that is not there is empty.
  Status Write(std::string_view name, std::string_view text);
  std::string Read(std::string_view name) const;
  // Any bytes. Errors: as the files'.
  Result<std::string> ReadWhole(std::string_view name) const;
  Status Remove();
  // What mail `number` is called.
  static std::string Number(int64_t number);

  Status WriteOptions(const AmOptions& options);
  // Joins what is kept to what was asked for now. Errors: kSyntax.
  Status ReadOptions(AmOptions& options) const;
  // Errors: kSyntax.
  Result<std::pair<int64_t, int64_t>> ReadNextAndLast() const;
  Status WriteAuthor(const CurrentMail& mail);
  // A mail that was read before. Errors: kSyntax.
  Result<CurrentMail> ReadCurrent() const;
  // The message as the user or a hook has left it.
  std::string ReadMessage() const;

 private:
  Status TakeApplyWords(std::string_view text, AmOptions& options) const;

  Git& git_;
};

}  // namespace paddock::git
