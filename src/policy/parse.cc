#include "policy/parse.h"

#include <algorithm>

#include "policy/draft.h"
#include "policy/preset.h"
#include "policy/verdict.h"

namespace paddock::policy {
namespace {

constexpr int kMaxDocuments = 8;

Status ReadName(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(draft.policy.name, field.Text());
  return {};
}
Status ReadDescription(const Field& field, Draft& draft) {
  PADDOCK_ASSIGN(draft.policy.description, field.Text());
  return {};
}
Status ReadNothing(const Field&, Draft&) { return {}; }   // `extends` was read first

constexpr Key<Draft> kKeys[] = {
    {"name", ReadName},         {"description", ReadDescription}, {"extends", ReadNothing},
    {"files", ReadFiles},       {"network", ReadNetwork},         {"secrets", ReadSecrets},
    {"limits", ReadLimits},     {"environment", ReadEnvironment}, {"kernel", ReadKernel},
};

Result<Policy> Parse(const DocumentSource& source, const HostContext& context, const DocumentFetcher& fetch, int count);

// The policy that the document starts from: of its preset, of another document, or nothing but the protected names.
Result<Policy> BaseOf(const Field& root, const DocumentSource& source, const HostContext& context,
                      const DocumentFetcher& fetch, int count) {
  const Value* extends = root.value->Find("extends");
  if (extends == nullptr) {
    Policy policy;
    policy.files.protected_names = DefaultProtectedNames();
    policy.files.workspace = context.workspace;
    policy.files.home = context.home;
    return policy;
  }
  const Field field = root.Member("extends", *extends);
  PADDOCK_ASSIGN(const std::string name, field.Text());
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".toml") || name.ends_with(".json");
  if (!is_path) {
    auto preset = MakePreset(name, context);
    if (!preset) return field.Fail(std::string(preset.error().Text()) + "; a document is named by its path");
    return preset;
  }
  if (!fetch) return field.Fail("only presets can be extended here; put the rules of '" + name + "' in this document");
  if (count >= kMaxDocuments) return field.Fail("more than 8 documents extend each other; is one of them its own base?");
  auto path = ExpandPath(name, context, source.directory);
  if (!path) return field.FailAs(path.error());
  auto base = fetch(*path);
  if (!base) return field.FailAs(base.error());
  return Parse(*base, context, fetch, count + 1);
}

Result<Policy> Parse(const DocumentSource& source, const HostContext& context, const DocumentFetcher& fetch, int count) {
  auto tree = source.format == DocumentFormat::kJson ? ParseJsonDocument(source.text) : ParseTomlDocument(source.text);
  if (!tree) return Error(tree.error().code, source.name + ":" + std::string(tree.error().Text()));
  const Field root{&*tree, "", source.name};
  Draft draft;
  draft.context = context;
  draft.directory = source.directory;
  PADDOCK_ASSIGN(draft.policy, BaseOf(root, source, context, fetch, count));
  draft.policy.name = source.name;
  PADDOCK_TRY(ReadTable(root, kKeys, draft));
  for (const PathRule& rule : draft.path_rules) {
    std::erase_if(draft.policy.files.paths, [&](const PathRule& old) { return old.path == rule.path; });
  }
  auto& paths = draft.policy.files.paths;
  paths.insert(paths.end(), std::make_move_iterator(draft.path_rules.begin()), std::make_move_iterator(draft.path_rules.end()));
  if (!draft.names_network_mode && !draft.policy.network.rules.empty()) draft.policy.network.mode = NetworkMode::kRules;
  return std::move(draft.policy);
}

}  // namespace

Result<DocumentFormat> FormatOf(std::string_view path) {
  if (path.ends_with(".json")) return DocumentFormat::kJson;
  if (path.ends_with(".toml")) return DocumentFormat::kToml;
  return Error(Code::kInvalid, "policy document '" + std::string(path) + "' must be named .toml or .json");
}

Status CheckPolicy(const Policy& policy, const std::string& name) {
  const FileRules& files = policy.files;
  if (files.workspace == "/" && files.workspace_mode != WorkspaceMode::kReadOnly) {
    return Error(Code::kInvalid, name + ": files.workspace: the workspace is the whole host; name a directory");
  }
  for (const SecretBinding& secret : policy.secrets) {
    const auto clash = std::find_if(policy.environment.set.begin(), policy.environment.set.end(),
                                    [&](const auto& variable) { return variable.first == secret.name; });
    if (clash != policy.environment.set.end()) {
      return Error(Code::kInvalid, secret.origin + ": secrets." + secret.name + ": environment.set has the same variable; drop one");
    }
    if (secret.source != SecretBinding::Source::kFile) continue;
    if (const FileVerdict verdict = AccessOf(files, secret.from); verdict.access != Access::kDeny && !verdict.is_private) {
      return Error(Code::kInvalid, secret.origin + ": secrets." + secret.name + ": its file " + secret.from +
                                       " can be read inside (" + verdict.rule + "); add it to files.deny");
    }
  }
  return {};
}

Result<Policy> ParsePolicy(const DocumentSource& source, const HostContext& context, const DocumentFetcher& fetch) {
  PADDOCK_ASSIGN(Policy policy, Parse(source, context, fetch, 1));
  PADDOCK_TRY(CheckPolicy(policy, source.name));
  return policy;
}

}  // namespace paddock::policy
