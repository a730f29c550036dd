// Bundles: references and a pack in one file, which clone, fetch and ls-remote take as a repository.
//
// Source: gitformat-bundle(5), versions 2 and 3.
#pragma once

#include "commands/git/remote/remote.h"

namespace paddock::git {

// Whether the path is a file that begins as a bundle does.
bool IsBundle(Invocation& in, const std::string& path);
Result<std::unique_ptr<Remote>> OpenBundle(Invocation& in, const std::string& path);

// The names of its references, as they stand in it.
Result<std::vector<std::string>> BundleOrder(Invocation& in, const std::string& path);

}  // namespace paddock::git
