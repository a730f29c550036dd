// A series of commits as mails: what git format-patch is asked for, and how it is written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/git/diff/diff.h"
#include "commands/git/refs/revision.h"

namespace paddock::git {

struct PatchSeriesOptions : DiffOptions {
  bool to_stdout = false, numbered_files = false, patch_alone = false, root = false, keeps_subject = false, rfc = false, no_binary = false, zero_commit = false, quiet_names = false, with_empty = false;
  std::optional<bool> cover_letter, signoff, numbered, body_from;   // absent: as configured
  bool has_progress = false, ignores_upstream = false;
  std::optional<int64_t> count, start, name_length, creation_factor;
  std::optional<std::string> directory, suffix, prefix, signature, signature_file, cover_mode, interdiff, range_diff;
  std::string version, in_reply_to;
  std::vector<std::string> to, cc, headers;
  bool no_to = false, no_cc = false, no_headers = false;       // not those that are configured, either
  std::optional<std::string> thread;                           // shallow or deep; empty: none
  std::optional<std::string> from, base;                       // an identity, "" the committer's; a commit or "auto"
  bool no_from = false, no_base = false, may_lack_base = false;
  std::optional<std::string> boundary;                         // the patch is a part of its own
  bool no_attach = false, is_inline = false;
};

struct PatchSeries {
  std::vector<Oid> commits;                  // oldest first
  std::optional<Oid> origin;                 // what all of them are on
  std::string branch;                        // whose description the cover letter takes; empty: none
  std::optional<Oid> interdiff;              // the old state
  std::string range_diff, range_diff_title;  // the text, when it is asked for
  std::string interdiff_title;
  std::string base;                          // the lines that tell what the series is made for
};
Result<ExitStatus> WritePatchSeries(Git& git, PatchSeriesOptions& options, const PatchSeries& series, Pathspec& paths);

// "base-commit: ID" and a line for each commit that lies between it and the series; empty when there is none that is due.
Result<std::string> SeriesBaseText(Git& git, History& history, const PatchSeriesOptions& options, const std::vector<Oid>& commits);

}  // namespace paddock::git
