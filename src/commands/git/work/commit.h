// Making commits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "commands/git/git.h"

namespace paddock::git {

// Without blanks at the ends of lines, empty lines at both ends and more than one in a row; `strips_comments`: nor lines with '#'.
std::string CleanMessage(std::string_view message, bool strips_comments);
// The first paragraph as one line.
std::string SubjectOf(std::string_view message);
// Whether the last paragraph (and not the only one) is made of lines like "Reviewed-by: x".
bool EndsWithTrailers(std::string_view message);
// The variables by which a child knows that this is the author.
void SetAuthor(Environment& environment, std::string_view author);
// With a line "Signed-off-by:" at the end, in the paragraph of such lines if there is one; only once.
std::string WithSignoff(std::string_view message, const Signature& who);
// Writes a commit and moves HEAD to it.
Result<Oid> MakeCommit(Git& git, const Commit& commit, std::string_view log_message);
// "[main 1234567] subject" and what changed.
Result<std::string> CommitSummary(Git& git, const Oid& id, bool shows_date, bool is_root);
// Removes MERGE_HEAD and its like.
void ForgetMerge(Git& git);

}  // namespace paddock::git
