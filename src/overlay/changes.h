// What an overlay would change in its workspace, read from the two directory trees.
//
// The upper tree is whatever hostile code left there: it is read by descriptor, no link is followed, every count is
// bounded, and what should never reach the host is told as refused instead of left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "overlay/bases.h"
#include "overlay/beneath.h"

namespace paddock::overlay {

struct Change {
  enum class Kind {
    kAdded,
    kModified,      // the content, or what a link points to; perhaps the mode too
    kDeleted,
    kMode,          // nothing but the permission bits
    kType,          // something of another type stands there
  };
  Kind kind = Kind::kAdded;
  std::string path;           // relative to the workspace
  FileFacts before;           // in the workspace, now
  FileFacts after;            // in the overlay; kAbsent for kDeleted
  std::string refusal;        // why it is never applied; empty if it may be
  std::string conflict;       // what the workspace did meanwhile; empty if nothing
  std::string protected_name; // the policy's name that the path falls under; empty if none
  std::string renamed;        // of an added file: the deleted one with the same content; of that one: the new path
  uint32_t renamed_mode = 0;  // of the deleted one

  // The permission bits that differ or are new.
  bool changes_mode() const { return after.exists() && before.exists() && before.mode != after.mode && !after.is_symlink(); }
};

// 'A', 'M', 'D', 'T'; modes are 'M' too.
char LetterOf(Change::Kind kind);

// All changes, ordered by path; those of a directory come before those in it. `bases` may be null: then no conflicts are
// looked for. Errors: kLimit for more than kMostEntries, and what reading the directories at the top says.
Result<std::vector<Change>> FindChanges(int workspace, int upper, const Bases* bases);

// Pairs added with deleted files of the same content, as far as that is cheap.
void MarkRenames(int workspace, int upper, std::vector<Change>& changes);

// Fills in Change::protected_name. A name protects the directory it names, all below, and the same in other letters.
void MarkProtected(const std::vector<std::string>& names, std::vector<Change>& changes);

// Whether two files or links hold the same; false where one cannot be read.
bool IsSameContent(int a_directory, const std::string& a, const FileFacts& a_facts, int b_directory, const std::string& b,
                   const FileFacts& b_facts);

// Whether `path` is `directory` or lies below; both relative.
bool IsAtOrBelow(std::string_view path, std::string_view directory);

}  // namespace paddock::overlay
