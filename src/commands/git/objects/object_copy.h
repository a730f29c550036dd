// From one repository of this sandbox to another: objects, and where the history ends.
#pragma once

#include "commands/git/remote/remote.h"

namespace paddock::git {

// Puts all that the request wants into `git`, and its list of shallow commits right. Errors: in the words of git's server.
Status FetchObjects(Git& there, Git& git, const FetchRequest& request);
// Takes every file of the objects over, needed or not. `links`: one file for both where that is possible.
Status CopyObjectFiles(Git& there, Git& git, bool links);

}  // namespace paddock::git
