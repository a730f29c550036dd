// git apply for others: am.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/git/git.h"
#include "git/patch.h"

namespace paddock::git {

struct ApplyOptions {
  bool reverse = false, check = false, stat = false, numstat = false, summary = false, index = false, cached = false, apply = false;
  bool verbose = false, quiet = false, nul = false, zero = false, allow_empty = false;
  bool no_add = false, recounts = false, inaccurate_eof = false, allows_overlap = false, rejects = false, ignores_blanks = false, intends = false, unsafe_paths = false, three_way = false;
  std::optional<std::string> fake_ancestor;
  bool is_silent = false;   // no word of what does not apply, either
  Index* target = nullptr;  // with cached: this index instead of the repository's
  std::optional<int64_t> strip, context;
  std::string directory, whitespace;
  std::vector<std::pair<bool, std::string>> limits;   // whether the pattern includes
};
// Applies the patches of a text, which is called `name` in warnings. 0: all of them were.
Result<ExitStatus> ApplyPatchText(Git& git, ApplyOptions& options, const std::string& text, const std::string& name);

// The blob whose id begins so; nothing if there is none, or several.
std::optional<Oid> FindBlob(Git& git, const std::string& digits);
// Puts the files that the patches were made for, as their index lines tell, into `base`. The text: what is wrong.
std::string TakeAncestor(Git& git, const std::vector<FilePatch>& patches, const FlatTree& ours, Index& base);

}  // namespace paddock::git
