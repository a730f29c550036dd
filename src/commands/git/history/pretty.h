// How commits are shown: formats, dates, decorations.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"
#include "commands/git/history/mailmap.h"

namespace paddock::git {

// `mode`: default, iso, iso-strict, short, rfc, raw, unix, relative, human, local forms ("iso-local") and "format:…".
std::string DateText(const Git& git, const Signature& signature, std::string_view mode);
// Whether that is a form of dates.
bool IsDateMode(std::string_view mode);

// A reference that is at a commit.
struct Decoration {
  enum class Kind { kBranch, kRemote, kTag, kStash, kHead, kGrafted } kind = Kind::kBranch;
  std::string name;         // as it is shown
  std::string branch = {};  // of a HEAD: where it points
};
// Which references decorate: --decorate-refs and --decorate-refs-exclude.
struct DecorationFilter {
  std::vector<std::string> wanted, unwanted;
  bool is_clear = false;   // all of them
};

struct PrettyOptions {
  std::string format = "medium";   // a name, "format:…" or "tformat:…"
  std::string date = "default";
  bool abbreviates = false;        // ids
  size_t digits = 0;               // of short ids; 0: as many as it takes
  enum class Decorate { kNo, kShort, kFull } decorate = Decorate::kNo;
  DecorationFilter decoration_filter;
  bool has_decorations = false;    // they were looked for
  std::map<Oid, std::vector<Decoration>> decorations;
  std::string reflog_name, reflog_short, reflog_message, reflog_who;   // of log -g
  std::string mark;                                      // of left-right
  bool is_left = false;                                  // on the left of A...B
  std::string from_parent;                               // of a merge that is shown against each parent
  std::string id_suffix;                                 // parents or children, behind the id
  std::string source;                                    // the name by which it was found
  bool shows_source = false;
  bool colours = false, has_log_size = false;
  size_t tab_width = 8;                                  // in messages; 0: tabs stay
  std::string encoding;                                  // of the output; empty: UTF-8
  std::shared_ptr<const Mailmap> mailmap;                // for all names; null: as they are
  std::shared_ptr<const Mailmap> format_mailmap;         // for %aN and its like
  size_t graph_width = 0;                                // columns to the left
  std::map<Oid, Oid> notes;                              // blobs, by what they are about
  bool hides_notes = false;                              // --no-notes
  std::string notes_title;                               // "Notes" or "Notes (x)"
};
// Reads the notes of a reference, if it is there.
Status FindNotes(Git& git, std::string_view ref, PrettyOptions& options);
// Fills in the decorations.
void FindDecorations(Git& git, PrettyOptions& options);
// " (main, tag: v1)": with these around and between; nothing when there is none.
std::string DecorationText(Git& git, const Oid& id, const PrettyOptions& options, std::string_view lead, std::string_view end, bool colours);
// The commit, without a newline behind formats of one's own ("format:"); with one otherwise.
std::string PrettyCommit(Git& git, const Oid& id, const Commit& commit, const PrettyOptions& options);
// Whether commits in this format are separated (true) or ended by newlines.
bool IsSeparated(const PrettyOptions& options);
// A user's format ("%h %s").
std::string ExpandFormat(Git& git, std::string_view format, const Oid& id, const Commit& commit, const PrettyOptions& options);
// Errors: a colour that is none.
Status CheckFormat(Git& git, std::string_view format, bool colours);
// "0001-subject" without the number: what %f is.
std::string SlugOf(std::string_view subject);
// Paragraphs folded at `width`; 0: only indented.
std::string WrapText(std::string_view text, int64_t width, int64_t first_indent, int64_t indent, Budget& budget);
// Columns on a terminal, without the sequences that colour a text.
size_t ShownWidth(std::string_view text);

// From one encoding to another; the text as it is when it cannot be.
std::string Recoded(const std::string& text, std::string_view from, std::string_view to);

}  // namespace paddock::git
