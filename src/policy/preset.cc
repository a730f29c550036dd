#include "policy/preset.h"

#include <algorithm>
#include <iterator>

#include "policy/verdict.h"

namespace paddock::policy {
namespace {

// Stores of keys, tokens and histories below home: denied, whatever wider rule shows what is around them.
constexpr const char* kCredentials[] = {
    ".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".netrc", ".npmrc", ".yarnrc.yml", ".pypirc", ".pgpass", ".my.cnf",
    ".git-credentials", ".config/git/credentials", ".config/gh", ".config/glab-cli", ".config/hub", ".config/gcloud",
    ".config/doctl", ".config/op", ".config/rclone", ".config/containers", ".config/sops", ".config/age", ".config/stripe",
    ".config/fly", ".fly", ".config/configstore", ".config/netlify", ".config/heroku", ".config/wrangler", ".wrangler",
    ".config/pip", ".pip", ".config/pypoetry", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware",
    ".config/Code/User/globalStorage", ".config/Slack", ".config/Signal", ".mozilla", ".thunderbird", ".password-store",
    ".local/share/keyrings", ".local/share/kwalletd", ".terraform.d", ".terraformrc", ".vault-token", ".boto", ".s3cfg",
    ".databrickscfg", ".snowsql", ".cache/huggingface/token", ".huggingface", ".kaggle", ".cargo/credentials",
    ".cargo/credentials.toml", ".gem/credentials", ".bundle/config", ".m2/settings.xml", ".m2/settings-security.xml",
    ".gradle/gradle.properties", ".ivy2/.credentials", ".sbt/credentials", ".composer/auth.json", ".config/composer/auth.json",
    ".nuget/NuGet/NuGet.Config", ".claude", ".claude.json", ".codex", ".gemini", ".config/github-copilot", ".cursor",
    ".config/opencode", ".local/share/opencode", ".aider", ".bash_history", ".zsh_history", ".python_history",
    ".node_repl_history", ".psql_history", ".mysql_history", ".sqlite_history", ".lesshst", ".viminfo",
    ".local/share/fish", ".Xauthority", ".ICEauthority", ".config/paddock",
    // Tokens of tools that lie beside their programs.
    ".local/share/uv/credentials", ".config/uv", ".condarc", ".conda/.condarc", ".continuum", ".config/binstar", ".dotnet/corefx",
    ".dotnet/NuGet", ".config/NuGet", ".config/pnpm", ".config/npm", ".yarnrc", ".bunfig.toml", ".pub-cache/credentials.json",
    ".hex", ".Renviron", ".config/pdm", ".jupyter", ".local/share/jupyter/runtime", ".streamlit", ".config/wandb", ".config/dvc",
    ".android/adbkey", ".expo", ".sentryclirc", ".config/helm", ".config/argocd", ".argocd", ".minikube", ".lima", ".colima",
    ".vagrant.d", ".pulumi/credentials.json", ".chef", ".vault", ".oci", ".aliyun", ".bluemix", ".config/hcloud",
    ".config/linode-cli", ".config/scw", ".config/exercism", ".mc", ".minio", ".gsutil", ".config/ngrok", ".ngrok2",
    ".cloudflared", ".config/vercel", ".vercel", ".local/share/com.vercel.cli", ".netlify", ".railway", ".supabase",
    ".config/supabase", ".config/tailscale", ".tsh", ".step", ".acme.sh", ".lego", ".config/solana", ".ethereum", ".bitcoin",
    ".electrum", ".authinfo", ".authinfo.gpg", ".netrc.gpg", ".msmtprc", ".config/msmtp", ".mbsyncrc", ".offlineimaprc",
    ".fetchmailrc", ".muttrc", ".mutt", ".config/mutt", ".config/neomutt", ".mail", "Mail", ".config/evolution",
    ".local/share/evolution", ".subversion/auth", ".hgrc", ".git-credential-cache", ".cache/git/credential", ".mylogin.cnf",
    ".mongorc.js", ".dbshell", ".rediscli_history", ".influxdbv2", ".dbeaver", ".local/share/DBeaverData", ".pgadmin",
    ".config/pgcli", ".config/mycli", ".config/filezilla", ".config/remmina", ".local/share/remmina", ".config/lftp",
    ".local/share/lftp", ".config/Bitwarden", ".config/1Password", ".config/keepassxc", ".config/discord", ".config/Element",
    ".config/Microsoft", ".local/share/TelegramDesktop", ".purple", ".weechat", ".config/weechat", ".irssi", ".config/hexchat",
    ".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".config/Cursor", ".config/Code/User/History",
    ".config/Code/Backups", ".config/JetBrains", ".vscode-server/data", ".cache/mozilla", ".cache/google-chrome",
    ".cache/chromium", "snap", ".var/app", ".pki", ".cert", ".config/obs-studio", ".config/Postman", ".config/Insomnia",
    ".config/nextcloud", ".dropbox", ".gdfuse", ".qwen", ".config/goose", ".config/amp", ".local/share/amp", ".factory",
    ".continue", ".copilot", ".config/io.datasette.llm", ".openai", ".config/openai", ".history", ".sh_history", ".ash_history",
    ".zhistory", ".config/nushell/history.txt", ".local/share/atuin", ".local/share/zoxide", ".irb_history", ".pry_history",
    ".ipython/profile_default/history.sqlite", ".duckdb_history", ".julia/logs", ".Rhistory", ".gdb_history", ".wget-hsts",
    ".config/pulse/cookie", ".local/state/bash", ".local/state/zsh", ".local/share/recently-used.xbel", ".recently-used",
};

// Secrets of the system that root can read below the host view.
constexpr const char* kSystemSecrets[] = {
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssl/private",
    "/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_dsa_key",
    "/etc/krb5.keytab", "/etc/kubernetes", "/etc/rancher", "/etc/wireguard", "/etc/openvpn", "/etc/NetworkManager/system-connections",
    "/etc/letsencrypt", "/etc/security/opasswd", "/etc/docker", "/etc/boto.cfg",
};

// Tools that live below home. Without their configuration, which may hold tokens.
constexpr const char* kTools[] = {
    ".pyenv", ".nvm", ".rustup", ".cargo/bin", ".cargo/env", ".local/bin", ".local/lib", ".local/share/pnpm", ".local/share/uv",
    ".local/share/mise", ".local/share/fnm", ".local/share/pipx", ".local/share/virtualenvs", ".local/share/nvim/mason",
    ".local/pipx", ".asdf", ".mise", ".fnm", ".volta", ".rbenv", ".rvm", ".sdkman", ".jenv", ".ghcup", ".opam", ".elan",
    ".juliaup", ".deno/bin", ".bun/bin", ".bun/install/global", ".dotnet", ".conda", "miniconda3", "anaconda3", "miniforge3",
    "go/bin", ".go", "bin", ".linuxbrew", ".nix-profile", ".gitconfig", ".config/git",
};

// Caches of packages, useful to read where there is no network to fill a fresh one.
constexpr const char* kPackageCaches[] = {
    ".cargo/registry", ".cargo/git", "go/pkg/mod", ".m2/repository", ".gradle/caches", ".cache/uv", ".cache/pip", ".npm/_cacache",
};

// What `trusted` lets programs write below home.
constexpr const char* kWritableCaches[] = {
    ".cache", ".npm", ".cargo/registry", ".cargo/git", "go/pkg", ".m2/repository", ".gradle/caches", ".gradle/daemon",
    ".local/share/pnpm/store", ".yarn/berry/cache", ".bun/install/cache", ".nuget/packages",
};

constexpr const char* kPassedVariables[] = {"PATH", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "TZ", "NO_COLOR", "FORCE_COLOR", "CI"};

struct Registry {
  const char* host;
  bool has_plain_http = false;
};
constexpr Registry kRegistries[] = {
    // Python, JavaScript
    {"pypi.org"}, {"files.pythonhosted.org"}, {"registry.npmjs.org"}, {"registry.yarnpkg.com"}, {"nodejs.org"}, {"jsr.io"}, {"npm.jsr.io"},
    {"deno.land"}, {"bun.sh"},
    // Rust, Go, Java, Ruby, PHP, .NET
    {"crates.io"}, {"static.crates.io"}, {"index.crates.io"}, {"static.rust-lang.org"}, {"proxy.golang.org"}, {"sum.golang.org"},
    {"go.dev"}, {"dl.google.com"}, {"repo.maven.apache.org"}, {"repo1.maven.org"}, {"plugins.gradle.org"}, {"services.gradle.org"},
    {"rubygems.org"}, {"index.rubygems.org"}, {"repo.packagist.org"}, {"packagist.org"}, {"api.nuget.org"},
    // Systems
    {"deb.debian.org", true}, {"security.debian.org", true}, {"archive.ubuntu.com", true}, {"security.ubuntu.com", true},
    {"ports.ubuntu.com", true}, {"dl-cdn.alpinelinux.org", true},
    // Sources
    {"github.com"}, {"codeload.github.com"}, {"objects.githubusercontent.com"}, {"raw.githubusercontent.com"},
    {"release-assets.githubusercontent.com"}, {"gitlab.com"},
};

struct ModelApi {
  const char* variable;
  const char* host;
  std::vector<const char*> headers;
};
const std::vector<ModelApi>& ModelApis() {
  static const std::vector<ModelApi> apis = {
      {"ANTHROPIC_API_KEY", "api.anthropic.com", {"x-api-key", "authorization"}},
      {"OPENAI_API_KEY", "api.openai.com", {"authorization"}},
      {"GEMINI_API_KEY", "generativelanguage.googleapis.com", {"x-goog-api-key"}},
  };
  return apis;
}

constexpr PresetInfo kPresets[] = {
    {"read-only", "reads the system and the workspace; writes only its private /tmp; no network"},
    {"workspace", "writes the workspace; home hidden but for tools; no network"},
    {"agent", "as workspace, with package registries and brokered model APIs"},
    {"trusted", "reads home but for credentials, writes workspace and caches, any public address"},
    {"codex:read-only", "as Codex's read-only: reads everything but credentials, writes nothing"},
    {"codex:workspace-write", "as Codex's workspace-write: also writes the workspace; no network"},
};

class Builder {
 public:
  Builder(std::string_view name, const HostContext& context) : context_(context) {
    policy_.name = name;
    origin_ = "preset " + policy_.name;
    policy_.files.protected_names = DefaultProtectedNames();
    policy_.files.workspace = context.workspace;
    policy_.files.home = context.home;
    policy_.limits.memory_bytes = 4ull << 30;
    policy_.limits.processes = 1024;
    policy_.limits.open_files = 4096;
    for (const char* variable : kPassedVariables) policy_.environment.pass.emplace_back(variable);
    Deny("/", kSystemSecrets);
    if (!context.home.empty()) Deny(context.home, kCredentials);
  }

  void Put(std::string path, Access access) {
    SetPathRule(policy_.files, {.path = std::move(path), .access = access, .optional = true, .origin = origin_});
  }
  template <size_t N>
  void Grant(const char* const (&names)[N], Access access) {
    if (context_.home.empty()) return;
    for (const char* name : names) Put(context_.home + "/" + name, access);
  }
  // Directories of PATH that nothing shows yet. One that holds home or the workspace would show too much.
  void GrantSearchPath() {
    for (const std::string& directory : context_.search_path) {
      const auto path = NormalPath(directory);
      if (!path || *path == "/" || IsWithin(context_.home, *path) || IsWithin(context_.workspace, *path)) continue;
      if (!context_.workspace.empty() && IsWithin(*path, context_.workspace)) continue;
      const bool is_ruled = std::any_of(policy_.files.paths.begin(), policy_.files.paths.end(),
                                        [&](const PathRule& rule) { return IsWithin(*path, rule.path); });
      const auto host_view = HostViewDirectories();
      const bool is_in_view = std::any_of(host_view.begin(), host_view.end(), [&](const char* shown) { return IsWithin(*path, shown); });
      if (!is_ruled && !is_in_view) Put(*path, Access::kRead);
    }
  }
  void Allow(std::string host, std::vector<PortRange> ports, bool opens_tls = false) {
    policy_.network.mode = NetworkMode::kRules;
    policy_.network.rules.push_back(
        {.host = std::move(host), .ports = std::move(ports), .terminate_tls = opens_tls, .origin = origin_});
  }
  void BrokerModelApis() {
    for (const ModelApi& api : ModelApis()) {
      if (!context_.HasVariable(api.variable)) continue;
      Allow(api.host, {{443, 443}}, true);
      SecretBinding secret{.name = api.variable, .from = api.variable, .origin = origin_};
      for (const char* header : api.headers) {
        secret.destinations.push_back({.host = api.host, .ports = {{443, 443}}, .header = header});
      }
      policy_.secrets.push_back(std::move(secret));
    }
  }

  Policy& policy() { return policy_; }
  Policy Take() { return std::move(policy_); }

 private:
  template <size_t N>
  void Deny(const std::string& base, const char* const (&names)[N]) {
    for (const char* name : names) Put(base == "/" ? name : base + "/" + name, Access::kDeny);
  }

  const HostContext& context_;
  std::string origin_;
  Policy policy_;
};

void BuildReadOnly(Builder& builder) {
  builder.policy().files.workspace_mode = WorkspaceMode::kReadOnly;
  builder.Grant(kTools, Access::kRead);
  builder.GrantSearchPath();
}

void BuildWorkspace(Builder& builder) {
  builder.Grant(kTools, Access::kRead);
  builder.Grant(kPackageCaches, Access::kRead);
  builder.GrantSearchPath();
}

void BuildAgent(Builder& builder) {
  builder.Grant(kTools, Access::kRead);
  builder.GrantSearchPath();
  for (const Registry& registry : kRegistries) {
    std::vector<PortRange> ports = {{443, 443}};
    if (registry.has_plain_http) ports.insert(ports.begin(), PortRange{80, 80});
    builder.Allow(registry.host, std::move(ports));
  }
  builder.BrokerModelApis();
}

void BuildTrusted(Builder& builder, const HostContext& context) {
  if (!context.home.empty()) builder.Put(context.home, Access::kRead);
  builder.policy().files.home.clear();
  builder.Grant(kWritableCaches, Access::kWrite);
  builder.GrantSearchPath();
  for (const char* host : {"*", "0.0.0.0/0", "::/0"}) builder.Allow(host, {});   // names, and addresses without one
  EnvironmentRules& environment = builder.policy().environment;
  environment.inherit = true;
  environment.pass.clear();
}

// Codex shows the whole disk, credentials too, and protects four names at the workspace's root. Here credentials stay
// hidden and all protected names hold; the rest is as there.
void BuildCodex(Builder& builder, const HostContext& context, bool can_write) {
  builder.Put("/", Access::kRead);
  if (!context.home.empty()) builder.Put(context.home, Access::kRead);
  builder.policy().files.home.clear();
  builder.policy().environment.inherit = true;
  builder.policy().environment.pass.clear();
  if (!can_write) builder.policy().files.workspace_mode = WorkspaceMode::kReadOnly;
}

std::string KnownNames() {
  std::string names;
  for (const PresetInfo& preset : kPresets) names += (names.empty() ? "" : ", ") + std::string(preset.name);
  return names;
}

}  // namespace

std::span<const PresetInfo> Presets() { return kPresets; }

void SetPathRule(FileRules& rules, PathRule rule) {
  const auto same = std::find_if(rules.paths.begin(), rules.paths.end(), [&](const PathRule& old) { return old.path == rule.path; });
  if (same != rules.paths.end()) *same = std::move(rule);
  else rules.paths.push_back(std::move(rule));
}

Result<Policy> MakePreset(std::string_view name, const HostContext& context) {
  const auto info = std::find_if(std::begin(kPresets), std::end(kPresets), [&](const PresetInfo& preset) { return preset.name == name; });
  if (info == std::end(kPresets)) {
    if (name == "codex:danger-full-access") {
      return Error(Code::kInvalid, "preset 'codex:danger-full-access' is no wall at all; run the command without paddock");
    }
    return Error(Code::kInvalid, "unknown preset '" + std::string(name.substr(0, 100)) + "'; the presets are " + KnownNames());
  }
  Builder builder(name, context);
  builder.policy().description = info->summary;
  if (name == "read-only") BuildReadOnly(builder);
  else if (name == "workspace") BuildWorkspace(builder);
  else if (name == "agent") BuildAgent(builder);
  else if (name == "trusted") BuildTrusted(builder, context);
  else BuildCodex(builder, context, name == "codex:workspace-write");
  return builder.Take();
}

}  // namespace paddock::policy
