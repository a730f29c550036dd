// Facet of a Sandbox whose own files go out and in as a whole, as a tar archive: what its user keeps, and not the root below.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace paddock::sandbox {

// An archive that is being unpacked. Dropped before Commit(), it stops where it is.
class TreeWriter {
 public:
  virtual ~TreeWriter() = default;
  virtual Status Write(std::string_view bytes) = 0;
  // The archive is complete. Errors: what of it could not be made, by name.
  virtual Status Commit() = 0;
};

// Nothing should run meanwhile. The archive is as hostile as what runs inside. Any thread.
class MovesTrees {
 public:
  virtual ~MovesTrees() = default;
  // Paths are relative to the workspace, which comes first. Errors: those of `sink`, what could not be read; kNotSupported where the
  // workspace is not all that the user changes.
  virtual Status PackWorkspace(const std::function<Status(std::string_view)>& sink) = 0;
  // In the place of what is there, which goes at once.
  virtual Result<std::unique_ptr<TreeWriter>> UnpackWorkspace() = 0;
};

}  // namespace paddock::sandbox
