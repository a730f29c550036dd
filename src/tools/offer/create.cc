// sandbox_create: a new sandbox, never more than the operator allows.

#include <algorithm>

#include "base/budget.h"
#include "text/pattern.h"
#include "text/utf8.h"
#include "tools/content/file_access.h"
#include "tools/offer/offer.h"
#include "tools/offer/sandbox_choice.h"

namespace paddock::tools {
namespace {

struct UploadFile {
  std::string session_path, sandbox_path;
};
constexpr Field kUploadFields[] = {
    Required<&UploadFile::session_path>("session_path", "Path in session storage.", kPathRules),
    Required<&UploadFile::sandbox_path>("sandbox_path", "Where it goes in the sandbox.", kPathRules),
};
std::span<const Field> FieldsOf(const UploadFile*) { return kUploadFields; }

struct Arguments {
  std::optional<std::string> image, name, title;
  std::map<std::string, std::string> env;
  std::vector<UploadFile> upload_files;
  std::optional<ByteAmount> memory_limit;
  std::optional<CoreAmount> cpu_limit;
  std::optional<int64_t> pids_limit;
  std::optional<ByteAmount> disk_limit;
  std::optional<std::string> runtime;
  std::optional<NetworkReach> network;
  std::optional<int64_t> auto_stop_minutes;
  std::optional<std::string> idempotency_key;
};
constexpr Field kArguments[] = {
    Optional<&Arguments::image>("image", "Container image, such as ubuntu:24.04. Left out: the configured one.",
                                {.min_length = 1, .max_length = 512, .pattern = {"^[A-Za-z0-9][A-Za-z0-9._:/@-]*$", "must be an image reference such as ubuntu:24.04"}}),
    Optional<&Arguments::name>("name", "A short name, unique in the session, that works wherever an id does. Left out: one is made up.",
                               {.pattern = {"^[a-z0-9][a-z0-9-]{0,31}$", "must be 1 to 32 lower-case letters, digits and '-', beginning with no '-'"}}),
    Optional<&Arguments::title>("title", "What it is for, to show to people.", {.max_length = 200}),
    Optional<&Arguments::env>("env", "Variables for every command in it.", kEnvironmentRules),
    Optional<&Arguments::upload_files>("upload_files", "Files of session storage to put into it.", {.max_items = 64}),
    Optional<&Arguments::memory_limit>("memory_limit", "Bytes, or text such as \"512m\" or \"2g\". May only lower the configured limit.", {.min = 6 << 20}),
    Optional<&Arguments::cpu_limit>("cpu_limit", "Processor cores, such as 0.5 or 2. May only lower the configured limit."),
    Optional<&Arguments::pids_limit>("pids_limit", "Processes at once. May only lower the configured limit.", {.min = 1, .max = 1 << 20}),
    Optional<&Arguments::disk_limit>("disk_limit", "Bytes, or text such as \"1g\", for its own files. May only lower the configured limit.", {.min = 1 << 20}),
    Optional<&Arguments::runtime>("runtime", "Container runtime: runc, sysbox-runc, kata or gvisor, as far as it is installed.", {.min_length = 1, .max_length = 64}),
    Optional<&Arguments::network>("network", "What code inside may reach. May only be stricter than configured, from bridge over egress and isolated to none."),
    Optional<&Arguments::auto_stop_minutes>("auto_stop_minutes", "Stop it after so many minutes without use; its files stay.", {.min = 1, .max = 60}),
    Optional<&Arguments::idempotency_key>("idempotency_key", "The same key gives the same sandbox again instead of a second one.", {.min_length = 1, .max_length = 200}),
};
std::span<const Field> FieldsOf(const Arguments*) { return kArguments; }

// "ubuntu" and "docker.io/library/ubuntu:latest" are one image.
std::string NormalImage(std::string image) {
  const size_t first = image.find('/');
  const std::string host = first == std::string::npos ? "" : image.substr(0, first);
  const bool has_host = host.find('.') != std::string::npos || host.find(':') != std::string::npos || host == "localhost";
  if (!has_host) image = (first == std::string::npos ? "docker.io/library/" : "docker.io/") + image;
  const size_t name = image.rfind('/');
  const bool has_version = image.find('@') != std::string::npos || image.find(':', name) != std::string::npos || image.ends_with('*');
  if (!has_version) image += ":latest";
  return image;
}

// An entry allows what it matches: "ubuntu" only that tag, "ubuntu:*" every one, "ghcr.io/acme/*" everything there.
bool IsAllowed(const std::string& image, const std::vector<std::string>& allowed) {
  if (allowed.empty()) return true;
  Budget budget(Limits{.memory_bytes = kUnlimited}, SystemClock());
  return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& entry) {
    return Pattern(NormalImage(entry)).Matches(NormalImage(image), budget);
  });
}

template <class T, class U>
Status Lower(const char* name, const std::optional<T>& asked, std::optional<U>& limit) {
  if (!asked) return {};
  const U wanted = static_cast<U>(*asked);
  if (limit && wanted > *limit) return Error(Code::kInvalid, std::string(name) + ": may be at most " + (std::is_integral_v<U> ? std::to_string(static_cast<uint64_t>(*limit)) : std::to_string(*limit)) + ", which is configured");
  limit = wanted;
  return {};
}

Result<CreateRequest> MakeRequest(const CallContext& context, const Arguments& arguments) {
  CreateRequest request = context.defaults.create;
  if (arguments.image) request.image = arguments.image;
  if (request.image && !IsAllowed(*request.image, context.defaults.image_allowlist)) {
    std::string allowed;
    for (const std::string& entry : context.defaults.image_allowlist) allowed += (allowed.empty() ? "" : ", ") + entry;
    return Error(Code::kNotPermitted, "image: " + HarmlessLine(*request.image) + " is not allowed here; allowed are " + allowed);
  }
  request.name = arguments.name.value_or("");
  request.title = arguments.title.value_or("");
  for (const auto& [name, value] : arguments.env) request.environment[name] = value;
  std::optional<uint64_t> memory, disk;
  std::optional<double> cores;
  if (arguments.memory_limit) memory = arguments.memory_limit->bytes;
  if (arguments.disk_limit) disk = arguments.disk_limit->bytes;
  if (arguments.cpu_limit) cores = arguments.cpu_limit->cores;
  PADDOCK_TRY(Lower("memory_limit", memory, request.limits.memory_bytes));
  PADDOCK_TRY(Lower("disk_limit", disk, request.limits.disk_bytes));
  PADDOCK_TRY(Lower("cpu_limit", cores, request.limits.cpus));
  PADDOCK_TRY(Lower("pids_limit", arguments.pids_limit, request.limits.processes));
  if (arguments.runtime) request.runtime = arguments.runtime;
  if (arguments.network) {
    if (request.network && *arguments.network > *request.network) {
      return Error(Code::kInvalid, std::string("network: may be at most '") + NamesOf(*request.network)[static_cast<size_t>(*request.network)] + "', which is configured");
    }
    request.network = arguments.network;
  }
  if (arguments.auto_stop_minutes) request.auto_stop = std::chrono::minutes(*arguments.auto_stop_minutes);
  request.idempotency_key = arguments.idempotency_key.value_or("");
  return request;
}

// Reads all before the sandbox is made, so that a wrong path costs none.
Result<std::vector<std::string>> ReadUploads(CallContext& context, const std::vector<UploadFile>& uploads) {
  std::vector<std::string> contents;
  if (uploads.empty()) return contents;
  PADDOCK_ASSIGN(const FileLease files, context.session.Files());
  for (const UploadFile& upload : uploads) {
    PADDOCK_ASSIGN(const std::string path, SessionPath(upload.session_path, "upload_files.session_path"));
    PADDOCK_ASSIGN(std::string content, ReadRegularFile(*files, path));
    contents.push_back(std::move(content));
  }
  return contents;
}

Result<Answer<ShownSandbox>> Run(CallContext& context, const Arguments& arguments) {
  PADDOCK_ASSIGN(const CreateRequest request, MakeRequest(context, arguments));
  PADDOCK_ASSIGN(const std::vector<std::string> contents, ReadUploads(context, arguments.upload_files));
  PADDOCK_ASSIGN(const std::shared_ptr<SandboxAccess> sandbox, context.session.Create(request));
  if (!contents.empty()) {
    Status written;
    {
      PADDOCK_ASSIGN(const FileLease files, sandbox->Files());
      for (size_t i = 0; i < contents.size() && written; ++i) {
        const auto wrote = WriteRegularFile(*files, arguments.upload_files[i].sandbox_path, contents[i], {});
        if (!wrote) written = wrote.error();
      }
    }
    if (!written) {
      // Of a call that fails nothing stays.
      [[maybe_unused]] const auto removed = sandbox->Manage({.action = ManageAction::kRemove, .force = true});
      return written.error();
    }
  }
  Answer<ShownSandbox> answer{.data = Show(sandbox->Inspect()), .text = {}};
  const ShownSandbox& shown = answer.data;
  answer.text = "Sandbox " + shown.sandbox_id + " (" + shown.name + ") " + (shown.state == SandboxState::kRunning ? "runs" : "is made") + ". Isolation: " + shown.isolation +
                (shown.image ? ", image " + *shown.image : "") + ". Working directory: " + shown.working_dir + ".";
  for (const ShownPort& port : shown.ports) answer.text += " Port " + std::to_string(port.port) + " is reached from outside at " + port.address + ".";
  for (const std::string& warning : shown.warnings) answer.text += "\nWarning: " + warning;
  return answer;
}

}  // namespace

const Tool kSandboxCreate = DefineTool<Arguments, ShownSandbox, Run>({
    .name = "sandbox_create",
    .title = "Create a sandbox",
    .description = "Creates and starts an isolated computer with its own files and processes. Do this once, then use the other sandbox tools; "
                   "remove it with sandbox_manage when the work is done. Every argument may be left out.",
    .hints = {.is_long_running = true},
    .is_open_by_network = true,
});

}  // namespace paddock::tools
