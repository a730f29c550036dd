// The places in which the cases of FileSystem's conformance run: one for each kind of sandbox that has files.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "sandbox/sandbox.h"
#include "vfs/file_system.h"

namespace paddock::conformance {

// A sandbox's files and an empty directory in them that its user may write to.
class FilesHome {
 public:
  virtual ~FilesHome() = default;
  virtual vfs::FileSystem& files() = 0;
  virtual const std::string& root() const = 0;   // absolute, canonical
  // Null where there are files and no programs.
  virtual sandbox::Sandbox* sandbox() { return nullptr; }
  // Whether files may be used while a program runs.
  virtual bool is_concurrent() const { return true; }
  // Whether they are seen by the tools of an image, and what those cannot do cannot be done.
  virtual bool is_by_tools() const { return false; }
};

// The kinds: "Virtual", "Guest" (an agent without a wall around it), "Process", "ProcessOverlay", "Container" (where the suite `engines` names an
// engine), "PlainContainer" (the same where the agent cannot run), "Oci" (a container without one, where the suite `oci` names a runtime). kUnavailable says what this host lacks.
Result<std::unique_ptr<FilesHome>> MakeFilesHome(const std::string& kind);

// Skips the test where the place cannot be had.
class FilesTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override;
  std::string At(std::string_view name) const { return home_->root() + "/" + std::string(name); }
  void Put(std::string_view name, std::string_view content, uint32_t mode = 0666);
  std::string Get(std::string_view name);
  // A script's stdout; fails the test unless it exits with 0.
  std::string Run(const std::string& script);
  vfs::FileSystem& files() { return home_->files(); }
  bool is_root() { return files().credentials().uid == 0; }

  std::unique_ptr<FilesHome> home_;
};

// Every kind runs every case.
#define PADDOCK_FILES_CONFORMANCE(suite)                                                                       \
  INSTANTIATE_TEST_SUITE_P(Files, suite, testing::Values("Virtual", "Guest", "Process", "ProcessOverlay", "Container", "PlainContainer", "Oci"), \
                           [](const auto& kind) { return kind.param; })

#define EXPECT_CODE(expression, expected)                                                 \
  do {                                                                                    \
    const auto& paddock_result = (expression);                                             \
    ASSERT_FALSE(paddock_result) << #expression;                                          \
    EXPECT_EQ(paddock_result.error().code, expected) << paddock_result.error().Text();    \
  } while (false)

#define ASSERT_OK(expression)                                                      \
  do {                                                                             \
    const auto& paddock_result = (expression);                                      \
    ASSERT_TRUE(paddock_result) << #expression << ": " << paddock_result.error().Text(); \
  } while (false)

}  // namespace paddock::conformance
