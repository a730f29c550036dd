#include "guest/sandbox/workspace_trees.h"

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace paddock::guest {
namespace {

constexpr std::chrono::minutes kPatience{30};   // for a whole tree
constexpr size_t kMostNames = 1'000'000;

// The first of what was left out and should not have been: sockets have no place in an archive.
Status Whole(const TreeReport& report, const char* what) {
  const auto is_real = [](const TreeProblem& problem) { return problem.error_number != EOPNOTSUPP; };
  const auto first = std::find_if(report.problems.begin(), report.problems.end(), is_real);
  if (first == report.problems.end() && report.problem_count <= report.problems.size()) return {};
  if (first == report.problems.end()) return Error(Code::kIo, std::string(what) + " " + std::to_string(report.problem_count) + " files");
  const auto code = static_cast<Code>(first->error_number);
  return Error(code, std::string(what) + " '" + first->name.substr(0, 200) + "': " + std::string(CodeText(code)));
}

class AgentTreeWriter final : public sandbox::TreeWriter {
 public:
  explicit AgentTreeWriter(std::unique_ptr<GuestUnpacker> unpacker) : unpacker_(std::move(unpacker)) {}
  Status Write(std::string_view bytes) override { return unpacker_->Write(bytes, In(kPatience)); }
  Status Commit() override {
    PADDOCK_ASSIGN(const TreeReport report, unpacker_->Commit(In(kPatience)));
    return Whole(report, "cannot make");
  }

 private:
  const std::unique_ptr<GuestUnpacker> unpacker_;
};

}  // namespace

Status PackDirectory(Client& client, const std::string& directory, const std::function<Status(std::string_view)>& sink) {
  PADDOCK_ASSIGN(const TreeReport report, client.trees().Pack({.path = directory, .stays_on_device = true, .has_exact_times = true}, sink, In(kPatience)));
  return Whole(report, "cannot read");
}

Result<std::unique_ptr<sandbox::TreeWriter>> UnpackDirectory(Client& client, const std::string& directory) {
  PADDOCK_ASSIGN(const std::vector<DirectoryEntry> there, client.files().List(directory, kMostNames, In(kPatience)));
  for (const DirectoryEntry& one : there) PADDOCK_TRY(client.files().Remove(directory + "/" + one.name, true, In(kPatience)));
  PADDOCK_ASSIGN(auto unpacker, client.trees().OpenUnpacker({.path = directory}, In(kPatience)));
  return std::unique_ptr<sandbox::TreeWriter>(std::make_unique<AgentTreeWriter>(std::move(unpacker)));
}

}  // namespace paddock::guest
