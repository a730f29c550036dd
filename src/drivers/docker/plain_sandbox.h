// PlainSandbox: a container in which the agent cannot run, with what can be done all the same: programs, files, pausing, measuring.
//
// Everything that keeps code in is as with an agent (seccomp, capabilities, limits, network); what is missing are the ways through the agent: rules for the
// network and published ports, which are refused, and watching files, snapshots, forks, changing rules.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/docker/docker_sandbox.h"
#include "drivers/docker/plain/plain_files.h"

namespace paddock::docker {

class PlainSandbox final : public sandbox::Sandbox,
                           public sandbox::HasFiles,
                           public sandbox::Metered,
                           public sandbox::TellsPosture,
                           public sandbox::Freezable,
                           public sandbox::MayEnd {
 public:
  // `body`: one that was made without an agent, and has begun; `why` it has none.
  PlainSandbox(std::unique_ptr<DockerSandbox> body, const std::string& why);
  ~PlainSandbox() override;

  const std::string& id() const override { return body_->id(); }
  Result<std::unique_ptr<sandbox::Process>> Start(sandbox::ExecSpec spec, sandbox::StdinSource input, sandbox::OutputHandler handler) override;
  std::vector<std::string> Close() override;
  std::vector<std::string> Warnings() const override;
  vfs::FileSystem& files() override { return files_; }
  bool has_concurrent_files() const override { return true; }
  sandbox::Measured Measure() const override;
  sandbox::Posture GetPosture() const override { return body_->GetPosture(); }
  Status Freeze() override { return inside_->Freeze(); }
  Status Thaw() override { return inside_->Thaw(); }
  bool HasEnded() const override { return inside_->HasEnded(); }

  const DockerSandbox& body() const { return *body_; }

 private:
  const std::unique_ptr<DockerSandbox> body_;
  const std::shared_ptr<Inside> inside_;
  const std::string why_;
  PlainFileSystem files_;
};

// Why no agent can run in what is asked for, as far as that is known.
std::optional<std::string> KnownWithoutAgent(Workshop& workshop, const sandbox::ContainerChoice& choice);
// Makes a sandbox with an agent, or, where that cannot be executed, without, if nothing was asked for that takes one.
Result<std::unique_ptr<sandbox::Sandbox>> MakeContainer(const sandbox::SandboxSpec& spec, std::shared_ptr<Workshop> workshop, Identity identity);
// A kept one as it was made.
Result<std::unique_ptr<sandbox::Sandbox>> ReopenContainer(const sandbox::SandboxSpec& spec, std::shared_ptr<Workshop> workshop, const std::string& key);

}  // namespace paddock::docker
