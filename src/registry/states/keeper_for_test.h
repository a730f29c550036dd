// Keepers for tests that need a sandbox to outlive a registry, and none of a real one's ways of keeping.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "registry/states/keeper.h"
#include "vfs/file_system.h"

namespace paddock::registry {

// Keeps one file, /home/agent/kept, as a file of the host: gone when that is.
class FileKeeperForTest final : public Keeper {
 public:
  FileKeeperForTest(sandbox::Driver& driver, std::string directory) : driver_(driver), directory_(std::move(directory)) {}

  Result<std::unique_ptr<sandbox::Sandbox>> Load() override {
    PADDOCK_ASSIGN(auto live, driver_.Create(sandbox::SandboxSpec{}));
    std::filesystem::create_directories(directory_);
    std::ifstream file(directory_ + "/kept", std::ios::binary);
    const std::string kept{std::istreambuf_iterator<char>(file), {}};
    PADDOCK_TRY(vfs::WriteFile(Files(*live), "/home/agent/kept", kept));
    return live;
  }
  Status Keep(sandbox::Sandbox& live) override {
    PADDOCK_ASSIGN(const std::string kept, vfs::ReadFile(Files(live), "/home/agent/kept"));
    std::ofstream(directory_ + "/kept", std::ios::binary) << kept;
    return {};
  }
  Status Remove() override {
    std::filesystem::remove_all(directory_);
    return {};
  }

 private:
  static vfs::FileSystem& Files(sandbox::Sandbox& live) { return dynamic_cast<sandbox::HasFiles&>(live).files(); }
  sandbox::Driver& driver_;
  const std::string directory_;
};

}  // namespace paddock::registry
