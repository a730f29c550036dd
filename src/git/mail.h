// Mails that carry patches: what git am makes of one, and how names and subjects are written into their headers.
//
// Nothing here is believed: a part inside of a part has a limit, and an unknown encoding is left as it is.
// Source: git-mailinfo(1), git-mailsplit(1), RFC 2045, RFC 2047, RFC 5322.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/result.h"

namespace paddock::git {

struct MailReading {
  bool keeps_subject = false;     // as it is written
  bool keeps_non_patch = false;   // [x] stays where x does not say PATCH
  bool recodes = true;            // what is in another encoding becomes UTF-8
  bool strips_return = false;     // CR LF becomes LF
  bool has_scissors = false;      // what stands above a line "-- >8 --" is no part of the message
  bool has_inner_headers = true;  // "From: …" at the start of the message holds instead of the mail's
};
struct Mail {
  std::string name, email, date, subject, message_id;   // of the header, or of the lines that the message begins with
  std::string body;                                     // without the subject
  bool has_return = false;                              // there was CR LF
  std::string patch;                                    // from "---" or the first header of a patch
};
// Errors: kSyntax when there are too many parts inside of each other.
Result<Mail> ReadMail(std::string_view text, const MailReading& reading, Budget& budget);

// The mails of an mbox, each with its line "From "; a text that begins without one is one mail.
std::vector<std::string_view> SplitMbox(std::string_view text, Budget& budget);
// With LF where CR LF stands.
std::string WithoutReturns(std::string_view text);
// Whether a text begins like a mail: "From ", "From:", or nothing but header lines up to the first empty one.
bool LooksLikeMail(std::string_view text);

// "Subject: …" or "From: …" with a newline, folded before column 78, and encoded where it has to be.
std::string SubjectHeader(std::string_view prefix, std::string_view subject);
std::string PersonHeader(std::string_view field, std::string_view name, std::string_view email);
// Words folded at `width`; lines behind the first are indented.
std::string WrapWords(std::string_view text, size_t first_column, size_t indent, size_t width);

}  // namespace paddock::git
