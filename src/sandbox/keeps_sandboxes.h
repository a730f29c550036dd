// Facets of walls whose sandboxes stand outside this process: they outlive it, and can be frozen where they are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sandbox/sandbox.h"

namespace paddock::sandbox {

// Whose a kept sandbox is. The session's id is not told to anybody who can look at the wall from outside.
struct KeptOwner {
  std::string sandbox;   // its id
  std::string session;   // empty: of none
};

// Facet of a Driver. Any thread. Closing or destroying a kept sandbox ends what runs in it; its files stay.
class KeepsSandboxes {
 public:
  virtual ~KeepsSandboxes() = default;
  // One that outlives this process. `remember` gets the key that finds it again, before anything is made; its error ends the creation.
  // Errors: those of Driver::Create().
  virtual Result<std::unique_ptr<Sandbox>> Make(const SandboxSpec& spec, const KeptOwner& owner, const std::function<Status(const std::string& key)>& remember) = 0;
  // Some like this may be asked for soon: what can be made ahead is. Costs the caller nothing.
  virtual void Expect(const SandboxSpec&) {}
  // The sandbox of that key with the files that it had, begun again. Errors: kNoEntry when it is not there any more, those of Make().
  virtual Result<std::unique_ptr<Sandbox>> Reopen(const SandboxSpec& spec, const std::string& key) = 0;
  // Takes it away with all that is its own. Idempotent.
  virtual Status Remove(const SandboxSpec& spec, const std::string& key) = 0;
  // Takes away what belongs to this deployment and no sandbox that `is_kept` knows: what a process that was killed has left. One line for
  // each thing. Others' things are never looked at.
  virtual Result<std::vector<std::string>> Sweep(const std::function<bool(const std::string& key)>& is_kept) = 0;
};

// Facet of a Sandbox that something else may end.
class MayEnd {
 public:
  virtual ~MayEnd() = default;
  // It was ended from outside, and is of no use any more. Any thread.
  virtual bool HasEnded() const = 0;
};

// Facet of a Sandbox: what runs in it can be made to stand still, and goes on as if nothing had been.
class Freezable {
 public:
  virtual ~Freezable() = default;
  // Both idempotent. While it is frozen every use of it waits or fails with kTimedOut.
  virtual Status Freeze() = 0;
  virtual Status Thaw() = 0;
};

}  // namespace paddock::sandbox
