// SeccompOption: the seccomp profile of one create, in the form that the engine takes: Docker its text, Podman the path of a file.
#pragma once

#include <string>

#include "drivers/docker/engine/engine.h"
#include "seccomp/runtime_profile.h"

namespace paddock::docker {

class SeccompOption {
 public:
  // `directory`: where Podman's service, on this machine, can read the file; empty: the one for temporary files. Errors: kNotSupported for a machine that the profile does not know, those of writing the file.
  static Result<SeccompOption> Make(const Engine& engine, const seccomp::RuntimeProfile& profile, std::string directory);
  ~SeccompOption();   // takes the file back; Podman reads it while it creates
  SeccompOption(SeccompOption&& other) noexcept : value_(std::move(other.value_)), path_(std::exchange(other.path_, {})) {}
  SeccompOption(const SeccompOption&) = delete;
  SeccompOption& operator=(const SeccompOption&) = delete;

  const std::string& value() const { return value_; }   // for ContainerSpec::seccomp

 private:
  SeccompOption() = default;
  std::string value_, path_;
};

}  // namespace paddock::docker
