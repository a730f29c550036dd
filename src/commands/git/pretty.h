// How commits are shown: formats, dates, decorations.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// `mode`: default, iso, iso-strict, short, rfc, raw, unix, relative, local forms ("iso-local") and "format:…".
std::string DateText(const Git& git, const Signature& signature, std::string_view mode);
// Whether that is a form of dates.
bool IsDateMode(std::string_view mode);

struct PrettyOptions {
  std::string format = "medium";   // a name, "format:…" or "tformat:…"
  std::string date = "default";
  bool abbreviates = false;        // ids
  bool has_oneline_ids = false;
  enum class Decorate { kNo, kShort, kFull } decorate = Decorate::kNo;
  std::map<Oid, std::vector<std::string>> decorations;   // as %D has them
  std::string reflog_name, reflog_message;               // of log -g
  std::string mark;                                      // of left-right
  std::string from_parent;                               // of a merge that is shown against each parent
  bool colours = false;
  std::map<Oid, Oid> notes;                              // blobs, by what they are about
  std::string notes_title;                               // "Notes" or "Notes (x)"
};
// Reads the notes of a reference, if it is there.
Status FindNotes(Git& git, std::string_view ref, PrettyOptions& options);
// Fills in the decorations.
void FindDecorations(Git& git, PrettyOptions& options);
// The commit, without a newline behind formats of one's own ("format:"); with one otherwise.
std::string PrettyCommit(Git& git, const Oid& id, const Commit& commit, const PrettyOptions& options);
// Whether commits in this format are separated (true) or ended by newlines.
bool IsSeparated(const PrettyOptions& options);
// A user's format ("%h %s").
std::string ExpandFormat(Git& git, std::string_view format, const Oid& id, const Commit& commit, const PrettyOptions& options);
// "0001-subject" without the number: what %f is.
std::string SlugOf(std::string_view subject);

}  // namespace paddock::git
