#include "files_home.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "commands/table.h"
#include "drivers/docker/docker_driver.h"
#include "drivers/docker/foreign_program_for_test.h"
#include "drivers/oci/oci_driver.h"
#include "drivers/process/process_driver.h"
#include "drivers/virtual/virtual_driver.h"
#include "guest/client/agent_for_test.h"
#include "guest/files/guest_file_system.h"
#include "guest/sandbox/guest_program.h"
#include "policy/preset.h"

namespace paddock::conformance {
namespace {

namespace fs = std::filesystem;

// A directory of the host that goes with the object.
class Scratch {
 public:
  Scratch() {
    std::string name = "/tmp/paddock-conformance-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Scratch() {
    std::error_code error;
    // The kernel makes a directory without any permission in an overlay's working place.
    for (fs::recursive_directory_iterator at(path_, error), end; !error && at != end; at.increment(error)) {
      if (at->is_directory(error) && !at->is_symlink(error)) fs::permissions(at->path(), fs::perms::owner_all, error);
    }
    fs::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class SandboxHome final : public FilesHome {
 public:
  SandboxHome(std::unique_ptr<sandbox::Driver> driver, std::unique_ptr<Scratch> scratch,
              std::unique_ptr<sandbox::Sandbox> sandbox, std::string root, bool is_by_tools = false)
      : scratch_(std::move(scratch)), driver_(std::move(driver)), sandbox_(std::move(sandbox)),
        files_(dynamic_cast<sandbox::HasFiles*>(sandbox_.get())), root_(std::move(root)), is_by_tools_(is_by_tools) {}

  vfs::FileSystem& files() override { return files_->files(); }
  const std::string& root() const override { return root_; }
  sandbox::Sandbox* sandbox() override { return sandbox_.get(); }
  bool is_concurrent() const override { return files_->has_concurrent_files(); }
  bool is_by_tools() const override { return is_by_tools_; }

 private:
  std::unique_ptr<Scratch> scratch_;
  std::unique_ptr<sandbox::Driver> driver_;
  std::unique_ptr<sandbox::Sandbox> sandbox_;
  sandbox::HasFiles* files_;
  std::string root_;
  const bool is_by_tools_;
};

class GuestHome final : public FilesHome {
 public:
  GuestHome()
      : client_(agent_.Connect()),
        files_(client_->files(), {.cwd = "/", .credentials = {.uid = geteuid(), .gid = getegid()}}) {}
  vfs::FileSystem& files() override { return files_; }
  const std::string& root() const override { return scratch_.path(); }

 private:
  Scratch scratch_;
  guest::AgentForTest agent_;
  std::unique_ptr<guest::Client> client_;
  guest::GuestFileSystem files_;
};

Result<std::unique_ptr<FilesHome>> MakeVirtualHome() {
  auto driver = sandbox::MakeVirtualDriver(AllCommands());
  PADDOCK_ASSIGN(auto made, driver->Create({}));
  const std::string root = "/home/agent/conformance";
  auto home = std::make_unique<SandboxHome>(std::move(driver), nullptr, std::move(made), root);
  PADDOCK_TRY(home->files().MakeDirectory(root));
  return std::unique_ptr<FilesHome>(std::move(home));
}

Result<std::unique_ptr<FilesHome>> MakeProcessHome(policy::WorkspaceMode mode) {
  auto scratch = std::make_unique<Scratch>();
  policy::HostContext context;
  context.home = scratch->path() + "/home";
  context.workspace = scratch->path() + "/work";
  context.user = "agent";
  context.search_path = {"/usr/local/bin", "/usr/bin", "/bin"};
  for (const std::string& path : {context.home, context.workspace}) {
    if (mkdir(path.c_str(), 0755) != 0) return Error(static_cast<Code>(errno), path);
  }
  sandbox::SandboxSpec spec;
  PADDOCK_ASSIGN(spec.policy, policy::MakePreset("workspace", context));
  spec.policy->files.workspace_mode = mode;
  spec.state_directory = scratch->path() + "/state";
  auto driver = sandbox::MakeProcessDriver();
  PADDOCK_ASSIGN(auto made, driver->Create(spec));
  const std::string root = context.workspace;
  return std::unique_ptr<FilesHome>(std::make_unique<SandboxHome>(std::move(driver), std::move(scratch), std::move(made), root));
}

Result<std::unique_ptr<FilesHome>> MakeContainerHome(bool has_agent) {
  const char* engines = std::getenv("PADDOCK_TEST_ENGINES");   // allow(getenv): the suite says what there is
  if (engines == nullptr) return Error(Code::kUnavailable, "PADDOCK_TEST_ENGINES names no container engine");
  const std::string first = std::string(engines).substr(0, std::string(engines).find(' '));
  docker::DockerSettings settings{.engine = {.host = first.substr(first.find('=') + 1)}, .image = "localhost/base:1", .memory_bytes = 256 << 20, .deployment = "conformance"};
  auto scratch = std::make_unique<Scratch>();
  if (!has_agent) {
    settings.agent_program = scratch->path() + "/paddock-guest";
    std::ofstream(settings.agent_program, std::ios::binary) << docker::ForeignProgram();
  }
  auto driver = docker::MakeDockerDriver(std::move(settings), [](const char*) { return nullptr; });
  PADDOCK_ASSIGN(auto made, driver->Create({}));
  return std::unique_ptr<FilesHome>(std::make_unique<SandboxHome>(std::move(driver), std::move(scratch), std::move(made), "/workspace", !has_agent));
}

Result<std::unique_ptr<FilesHome>> MakeOciHome() {
  const char* runtime = std::getenv("PADDOCK_TEST_OCI");         // allow(getenv): the suite says what there is
  const char* folder = std::getenv("PADDOCK_TEST_OCI_FOLDER");   // allow(getenv): likewise
  if (runtime == nullptr || folder == nullptr) return Error(Code::kUnavailable, "PADDOCK_TEST_OCI names no container runtime");
  PADDOCK_ASSIGN(std::string agent, guest::FindGuestProgram());
  auto driver = oci::MakeOciDriver({.runtime = runtime,
                                    .state_directory = std::string(folder) + "/state",
                                    .deployment = "conformance",
                                    .agent_program = std::move(agent),
                                    .root = std::string(folder) + "/root"});
  const std::string root = "/workspace/conformance";
  PADDOCK_ASSIGN(auto made, driver->Create({.working_directory = root}));
  return std::unique_ptr<FilesHome>(std::make_unique<SandboxHome>(std::move(driver), nullptr, std::move(made), root));
}

}  // namespace

Result<std::unique_ptr<FilesHome>> MakeFilesHome(const std::string& kind) {
  if (kind == "Virtual") return MakeVirtualHome();
  if (kind == "Guest") return std::unique_ptr<FilesHome>(std::make_unique<GuestHome>());
  if (kind == "Container") return MakeContainerHome(true);
  if (kind == "PlainContainer") return MakeContainerHome(false);
  if (kind == "Oci") return MakeOciHome();
  return MakeProcessHome(kind == "ProcessOverlay" ? policy::WorkspaceMode::kOverlay : policy::WorkspaceMode::kDirect);
}

void FilesTest::SetUp() {
  auto made = MakeFilesHome(GetParam());
  if (!made && made.error().code == Code::kUnavailable) GTEST_SKIP() << "no such wall on this host: " << made.error().Text();
  ASSERT_TRUE(made) << made.error().Text();
  home_ = std::move(*made);
}

void FilesTest::Put(std::string_view name, std::string_view content, uint32_t mode) {
  const Status written = vfs::WriteFile(files(), At(name), content, mode);
  ASSERT_TRUE(written) << name << ": " << written.error().Text();
}

std::string FilesTest::Get(std::string_view name) {
  auto content = vfs::ReadFile(files(), At(name));
  EXPECT_TRUE(content) << name << ": " << content.error().Text();
  return content ? *content : std::string();
}

std::string FilesTest::Run(const std::string& script) {
  sandbox::ExecSpec spec;
  spec.script = script;
  spec.cwd = home_->root();
  auto process = home_->sandbox()->Start(std::move(spec), {}, nullptr);
  EXPECT_TRUE(process) << process.error().Text();
  if (!process) return {};
  const sandbox::ExecResult result = (*process)->Wait();
  EXPECT_EQ(result.exit_code, 0) << result.stderr_text;
  return result.stdout_text;
}

}  // namespace paddock::conformance
