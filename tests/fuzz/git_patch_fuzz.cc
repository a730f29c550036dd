// Fuzz target of what git apply and git am read: patches (with the contents of binary files) and mails. Names stay without NUL, what is
// reversed twice is as it was, a mail's parts are no longer than the mail, and a header line that is made of its words is folded whole.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "bounded_run.h"
#include "git/mail.h"
#include "git/patch.h"

namespace {

using namespace paddock;

void TryPatch(std::string_view text, Budget& budget) {
  git::PatchReading reading;
  const auto patches = git::ReadPatches(text, reading, budget);
  if (!patches) return;
  for (const git::FilePatch& patch : *patches) {
    PADDOCK_CHECK(!patch.Name().empty());
    PADDOCK_CHECK(patch.added + patch.deleted <= text.size());
    git::FilePatch again = patch;
    git::ReversePatch(again);
    PADDOCK_CHECK(again.old_name == patch.new_name && again.is_new == patch.is_deleted && again.added == patch.deleted);
    git::ReversePatch(again);
    PADDOCK_CHECK(again.old_name == patch.old_name && again.hunks.size() == patch.hunks.size());
  }
}

void TryMails(std::string_view text, Budget& budget) {
  size_t total = 0;
  for (const std::string_view one : git::SplitMbox(text, budget)) {
    total += one.size();
    for (const bool keeps : {false, true}) {
      const auto mail = git::ReadMail(one, {.keeps_subject = keeps, .keeps_non_patch = !keeps, .has_scissors = keeps}, budget);
      if (!mail) continue;
      PADDOCK_CHECK(mail->subject.find('\n') == std::string::npos);
      PADDOCK_CHECK(mail->patch.size() <= one.size());
      TryPatch(mail->patch, budget);
      const std::string header = git::SubjectHeader("[PATCH] ", mail->subject) + git::PersonHeader("From", mail->name, mail->email);
      PADDOCK_CHECK(header.ends_with('\n') && header.find("\n\n") == std::string::npos);
    }
  }
  PADDOCK_CHECK(total <= text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const fuzz::CpuGuard guard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::RunBounded([&](Budget& budget) { TryPatch(text, budget); });
  fuzz::RunBounded([&](Budget& budget) { TryMails(text, budget); });
  return 0;
}
