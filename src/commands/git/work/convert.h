// What lies between the content of files in the working tree and in the repository: ends of lines, $Id$, encodings and filters, as
// attributes (text, eol, ident, working-tree-encoding, filter) and core.autocrlf, core.eol, core.safecrlf have it.
#pragma once

#include <string>
#include <string_view>

#include "commands/git/git.h"

namespace paddock::git {

// Whether what a conversion would not give back is told (or refused, as core.safecrlf has it).
enum class RoundTrip { kSilent, kChecked, kRenormalized };

// A file's content on its way into the repository. Errors: a filter that has to work failed; core.safecrlf refuses it.
Result<std::string> ToRepository(Git& git, const std::string& path, std::string content, RoundTrip check = RoundTrip::kSilent);
// The way out, of a blob that is to stand at the path.
Result<std::string> ToWorkTree(Git& git, const std::string& path, std::string content);

// "text=auto eol=lf" and its like, as ls-files --eol shows what holds for a file.
std::string EolAttributes(Git& git, const std::string& path);

// While files are switched, attributes come from where the switch goes; the files of a tree, or an index.
void AttributesFrom(Git& git, const FlatTree& files);
// From the working tree again.
void AttributesFromFiles(Git& git);

}  // namespace paddock::git
