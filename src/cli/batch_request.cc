#include "cli/batch_request.h"

#include <boost/json.hpp>

#include "cli/base64.h"
#include "cli/cli.h"
#include "vfs/file_system.h"

namespace paddock::cli {
namespace {

namespace json = boost::json;

constexpr size_t kMaxFileReply = 64u << 20;

struct Request {
  std::string id;
  sandbox::ExecSpec exec;
  std::vector<std::pair<std::string, std::string>> files;
  std::optional<std::string> input;
  bool wants_files = false;
};

Result<std::string> StringField(const json::object& object, std::string_view name, bool is_required) {
  const json::value* value = object.if_contains(name);
  if (value == nullptr || value->is_null()) {
    if (is_required) return Error(Code::kInvalid, "field '" + std::string(name) + "' is missing");
    return std::string();
  }
  if (!value->is_string()) return Error(Code::kInvalid, "field '" + std::string(name) + "' must be a string");
  return std::string(value->as_string());
}

Status ParseFiles(const json::value& value, Request& request) {
  if (!value.is_object()) return Error(Code::kInvalid, "field 'files' must be an object");
  for (const auto& [path, entry] : value.as_object()) {
    const std::string name(path);
    if (!name.starts_with('/')) return Error(Code::kInvalid, "file '" + name + "' must be an absolute path");
    if (!entry.is_object()) return Error(Code::kInvalid, "file '" + name + "' must be {\"text\":…} or {\"b64\":…}");
    const json::object& content = entry.as_object();
    if (content.size() != 1) return Error(Code::kInvalid, "file '" + name + "' must have exactly text or b64");
    if (content.contains("text")) {
      PADDOCK_ASSIGN(std::string text, StringField(content, "text", true));
      request.files.emplace_back(name, std::move(text));
    } else {
      PADDOCK_ASSIGN(const std::string encoded, StringField(content, "b64", true));
      PADDOCK_ASSIGN(std::string bytes, DecodeBase64(encoded));
      request.files.emplace_back(name, std::move(bytes));
    }
  }
  return {};
}

Status ParseField(std::string_view key, const json::value& value, const json::object& object, Request& request) {
  if (key == "v") {
    if (!value.is_int64() || value.as_int64() != 1) return Error(Code::kInvalid, "unsupported protocol version; this is 1");
  } else if (key == "id") {
    PADDOCK_ASSIGN(request.id, StringField(object, "id", true));
  } else if (key == "script") {
    PADDOCK_ASSIGN(request.exec.script, StringField(object, "script", true));
  } else if (key == "cwd") {
    PADDOCK_ASSIGN(request.exec.cwd, StringField(object, "cwd", false));
  } else if (key == "env") {
    if (!value.is_object()) return Error(Code::kInvalid, "field 'env' must be an object");
    for (const auto& [name, entry] : value.as_object()) {
      if (!entry.is_string()) return Error(Code::kInvalid, "env '" + std::string(name) + "' must be a string");
      request.exec.environment.Set(std::string_view(name), std::string_view(entry.as_string()));
    }
  } else if (key == "files") {
    if (!value.is_null()) return ParseFiles(value, request);
  } else if (key == "stdin") {
    if (!value.is_null()) {
      PADDOCK_ASSIGN(request.input, StringField(object, "stdin", true));
    }
  } else if (key == "timeout_ms") {
    // Boost reads 0e400 as not a number.
    if (!value.is_number() || !(value.to_number<double>() >= 0)) {
      return Error(Code::kInvalid, "field 'timeout_ms' must be a number that is not negative");
    }
    request.exec.limits.time = Nanoseconds(static_cast<int64_t>(std::min(value.to_number<double>(), 1e12) * 1e6));
  } else if (key == "want_files") {
    if (!value.is_bool()) return Error(Code::kInvalid, "field 'want_files' must be a boolean");
    request.wants_files = value.as_bool();
  } else {
    return Error(Code::kInvalid, "unknown field '" + std::string(key) + "'");
  }
  return {};
}

// Fills what it can even when it fails, so that the reply has the id.
Status ParseRequest(std::string_view line, Request& request) {
  boost::system::error_code error;
  const json::value document = json::parse(line, error);
  if (error) return Error(Code::kSyntax, "not JSON: " + error.message());
  if (!document.is_object()) return Error(Code::kSyntax, "a request must be a JSON object");
  const json::object& object = document.as_object();
  if (const json::value* id = object.if_contains("id"); id != nullptr && id->is_string()) {
    request.id = std::string(id->as_string());
  }
  for (const auto& [key, value] : object) PADDOCK_TRY(ParseField(key, value, object, request));
  if (!request.exec.script) return Error(Code::kInvalid, "field 'script' is missing");
  return {};
}

Status PlaceFiles(vfs::FileSystem& files, const Request& request) {
  if (!request.exec.cwd.empty()) PADDOCK_TRY(vfs::MakeDirectories(files, request.exec.cwd));
  for (const auto& [path, content] : request.files) {
    PADDOCK_TRY(vfs::MakeDirectories(files, vfs::DirectoryName(path)));
    PADDOCK_TRY(vfs::WriteFile(files, path, content));
  }
  return {};
}

// Gathers the files below a directory, by relative path, as far as a reply may grow.
class FileCollector {
 public:
  explicit FileCollector(vfs::FileSystem& files) : files_(files) {}

  void Collect(const std::string& directory, const std::string& prefix, size_t depth) {
    const auto entries = files_.List(directory);
    if (!entries) return;
    for (const vfs::DirectoryEntry& entry : *entries) {
      const std::string path = vfs::JoinPath(directory, entry.name);
      const auto stat = files_.Stat(path, vfs::Follow::kNo);
      if (!stat) continue;
      const std::string name = prefix + entry.name;
      if (depth > kMaxDepth || !Take(name.size() + kEntryBytes)) {
        ++left_out;
        continue;
      }
      found[name] = Describe(path, *stat);
      if (stat->is_directory()) Collect(path, name + "/", depth + 1);
    }
  }

  json::object found;
  uint64_t left_out = 0;   // entries; what is below a directory that is left out does not count

 private:
  static constexpr size_t kEntryBytes = 64;
  static constexpr size_t kMaxDepth = 64;

  bool Take(size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }

  json::object Describe(const std::string& path, const vfs::Attributes& stat) {
    json::object described;
    described["mode"] = stat.mode;
    if (stat.is_directory()) {
      described["type"] = "dir";
    } else if (stat.is_symlink()) {
      described["type"] = "link";
      const std::string target = files_.ReadLink(path).value_or("");
      if (Take(target.size())) described["target"] = target;
    } else if (stat.is_file()) {
      described["type"] = "file";
      const auto content = vfs::ReadFile(files_, path, left_);
      if (content && Take(content->size())) described["b64"] = EncodeBase64(*content);
    } else {
      described["type"] = "fifo";
    }
    return described;
  }

  vfs::FileSystem& files_;
  size_t left_ = kMaxFileReply;
};

json::object Failure(const std::string& id, std::string_view message) {
  return {{"id", id}, {"status", 125}, {"stdout_b64", ""}, {"stderr_b64", ""}, {"error", message}, {"ms", 0}};
}

json::object Answer(sandbox::Driver& driver, std::string_view line, const Limits& limits,
                    const sandbox::SandboxSpec& spec) {
  Request request;
  request.exec.limits = limits;
  if (const Status parsed = ParseRequest(line, request); !parsed) return Failure(request.id, parsed.error().Text());
  auto sandbox = driver.Create(spec);
  if (!sandbox) return Failure(request.id, sandbox.error().Text());
  auto* const has_files = dynamic_cast<sandbox::HasFiles*>(sandbox->get());
  if (has_files == nullptr) return Failure(request.id, "this sandbox has no files to look at");
  vfs::FileSystem& files = has_files->files();
  if (const Status placed = PlaceFiles(files, request); !placed) {
    return Failure(request.id, "cannot place the files: " + std::string(placed.error().Text()));
  }
  const std::string cwd = request.exec.cwd;
  sandbox::StdinSource input;
  if (request.input) input = {.kind = sandbox::StdinSource::Kind::kText, .text = std::move(*request.input)};
  auto process = (*sandbox)->Start(std::move(request.exec), std::move(input), nullptr);
  if (!process) return Failure(request.id, process.error().Text());
  const sandbox::ExecResult result = (*process)->Wait();
  json::object reply;
  reply["id"] = request.id;
  reply["status"] = ProcessStatus(result);
  reply["stdout_b64"] = EncodeBase64(result.stdout_text);
  reply["stderr_b64"] = EncodeBase64(result.stderr_text);
  if (!result.exit_code) reply["error"] = StopMessage(result);
  reply["ms"] = static_cast<double>(result.duration.count()) / 1e6;
  if (request.wants_files && !cwd.empty()) {
    FileCollector collector(files);
    collector.Collect(cwd, "", 0);
    reply["files"] = std::move(collector.found);
    if (collector.left_out > 0) reply["files_left_out"] = collector.left_out;
  }
  return reply;
}

}  // namespace

std::string AnswerRequest(sandbox::Driver& driver, std::string_view line, const Limits& limits,
                          const sandbox::SandboxSpec& spec) {
  return json::serialize(Answer(driver, line, limits, spec));
}

}  // namespace paddock::cli
