// File operations that take a while: reading, writing, listing, removing whole directories, watching, files that stay open. Each is a stream.
#pragma once

#include <memory>

#include "guest/agent/stream.h"
#include "guest/protocol/open_file_messages.h"
#include "guest/protocol/tree_messages.h"

namespace paddock::guest {

// Each answers with an error and gives null when the operation cannot even begin.
std::unique_ptr<Stream> ReadFileStream(const StreamPlace& place, const ReadRequest& request);
std::unique_ptr<Stream> WriteFileStream(const StreamPlace& place, const WriteRequest& request);
std::unique_ptr<Stream> ListDirectoryStream(const StreamPlace& place, const std::string& path);
// Removes what is at `path` with everything below, some hundred files at a time so that others are served in between.
std::unique_ptr<Stream> RemoveTreeStream(const StreamPlace& place, const std::string& path);
// Whole trees as tar archives.
std::unique_ptr<Stream> PackStream(const StreamPlace& place, const PackRequest& request);
std::unique_ptr<Stream> UnpackStream(const StreamPlace& place, const UnpackRequest& request);
std::unique_ptr<Stream> OpenFile(const StreamPlace& place, const OpenRequest& request);
std::unique_ptr<Stream> WatchStream(const StreamPlace& place, const WatchRequest& request);

}  // namespace paddock::guest
