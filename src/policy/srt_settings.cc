#include "policy/srt_settings.h"

#include <algorithm>
#include <map>
#include <span>

#include "policy/document.h"
#include "policy/host_pattern.h"
#include "policy/ip_address.h"

namespace paddock::policy {
namespace {

using Kind = Value::Kind;

constexpr size_t kMostProblems = 20;
constexpr size_t kMostItems = 10'000;

const char* WordFor(Kind kind) {
  switch (kind) {
    case Kind::kNull: return "null";
    case Kind::kBool: return "boolean";
    case Kind::kInteger:
    case Kind::kNumber: return "number";
    case Kind::kString: return "string";
    case Kind::kList: return "array";
    case Kind::kTable: return "object";
  }
  return "value";
}

bool IsGlob(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

bool IsVariableName(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

// Why `text` is no domain pattern as srt has them; empty if it is one.
std::string DomainProblem(std::string_view text, bool may_be_star) {
  if (may_be_star && (text == "*" || text.starts_with("*:"))) {
    const auto read = ParseHostAndPorts(text);
    return read && read->ports.size() <= 1 ? "" : "has a bad port; write *:PORT";
  }
  if (text.find('/') != std::string_view::npos) return "is no domain pattern: paths and address ranges do not belong here";
  if (!text.starts_with('[') && std::count(text.begin(), text.end(), ':') > 1) return "is ambiguous; write IPv6 addresses as [ADDRESS] or [ADDRESS]:PORT";
  const auto read = ParseHostAndPorts(text);
  if (!read) return "is no domain pattern: " + std::string(read.error().Text());
  if (read->ports.size() > 1 || (read->ports.size() == 1 && (read->ports[0].first != read->ports[0].last || read->ports[0].first == 0))) {
    return "has more than one port; write an entry for each";
  }
  const std::string& host = read->host;
  if (IpAddress::Parse(host) || host == "localhost") return "";
  const auto labels = std::count(host.begin(), host.end(), '.');
  if (host == "*" || (host.starts_with("*.") && labels < 2)) return "is too broad; a wildcard needs two labels behind it, as in *.example.com";
  if (labels == 0) return "has no dot; write the whole domain name";
  return "";
}

class Reader {
 public:
  explicit Reader(SrtSettings& settings) : settings_(settings) {}

  void Read(const Value& root);
  Status Finish() const;

 private:
  using Path = const std::string&;

  void Problem(Path path, std::string text) {
    ++problem_count_;
    if (problems_.size() < kMostProblems) problems_.push_back((path.empty() ? "(root)" : path) + ": " + std::move(text));
  }
  void Refuse(Path path, std::string reason) {
    if (refused_.size() < kMostProblems) refused_.push_back(path + ": " + std::move(reason));
  }
  void Note(Path path, std::string reason) { settings_.without_effect.push_back({path, std::move(reason)}); }

  bool Is(Path path, const Value& value, Kind kind) {
    if (value.kind == kind) return true;
    Problem(path, std::string("expected ") + WordFor(kind) + ", received " + WordFor(value.kind));
    return false;
  }
  // The member, or null; tells of one that is required and absent.
  const Value* Member(Path path, const Value& table, std::string_view key, bool is_required = false) {
    const Value* value = table.Find(key);
    if (value == nullptr && is_required) Problem(Join(path, key), "required");
    return value;
  }
  static std::string Join(Path path, std::string_view key) {
    std::string shown(key.substr(0, 64));
    std::replace_if(shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
    return path.empty() ? shown : path + "." + shown;
  }

  // True when it is a table with none but known keys.
  bool Table(Path path, const Value& value, std::initializer_list<std::string_view> known);
  bool Flag(Path path, const Value& table, std::string_view key);
  std::string Text(Path path, const Value& value);
  std::string TextMember(Path path, const Value& table, std::string_view key, bool is_required = false);
  std::vector<std::string> Texts(Path path, const Value& table, std::string_view key, bool is_required = false);
  std::vector<std::string> Paths(Path path, const Value& table, std::string_view key, bool is_required, bool denies);
  std::vector<std::string> Domains(Path path, const Value& table, std::string_view key, bool is_required, bool may_be_star);
  void CheckPath(Path path, const std::string& text, bool denies);
  void Number(Path path, const Value& table, std::string_view key, int64_t least, int64_t most);
  void Choice(Path path, const Value& table, std::string_view key, std::initializer_list<std::string_view> choices);

  void ReadNetwork(Path path, const Value& table);
  void ReadTls(Path path, const Value& table);
  void ReadProxies(Path path, const Value& table);
  void ReadFiles(Path path, const Value& table);
  void ReadCredentials(Path path, const Value& table);
  void ReadCredential(Path path, const Value& table, bool is_file);
  void ReadAws(Path path, const Value& table);
  void ReadForeign(const Value& root);
  void CheckTogether();

  SrtSettings& settings_;
  std::vector<std::string> problems_;
  std::vector<std::string> refused_;
  size_t problem_count_ = 0;
};

bool Reader::Table(Path path, const Value& value, std::initializer_list<std::string_view> known) {
  if (!Is(path, value, Kind::kTable)) return false;
  for (const auto& [name, child] : value.members) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      Problem(Join(path, name), "is no field of srt's settings; remove it or correct the name");
    }
  }
  return true;
}

bool Reader::Flag(Path path, const Value& table, std::string_view key) {
  const Value* value = Member(path, table, key);
  return value != nullptr && Is(Join(path, key), *value, Kind::kBool) && value->boolean;
}

std::string Reader::Text(Path path, const Value& value) {
  if (!Is(path, value, Kind::kString)) return {};
  const bool has_control = std::any_of(value.text.begin(), value.text.end(),
                                       [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (has_control) Problem(path, "holds a control character");
  return value.text;
}

std::string Reader::TextMember(Path path, const Value& table, std::string_view key, bool is_required) {
  const Value* value = Member(path, table, key, is_required);
  return value == nullptr ? std::string() : Text(Join(path, key), *value);
}

std::vector<std::string> Reader::Texts(Path path, const Value& table, std::string_view key, bool is_required) {
  std::vector<std::string> texts;
  const Value* value = Member(path, table, key, is_required);
  const std::string name = Join(path, key);
  if (value == nullptr || !Is(name, *value, Kind::kList)) return texts;
  if (value->items.size() > kMostItems) {
    Problem(name, "has more than " + std::to_string(kMostItems) + " items");
    return texts;
  }
  for (size_t i = 0; i < value->items.size(); ++i) texts.push_back(Text(name + "." + std::to_string(i), value->items[i]));
  return texts;
}

void Reader::CheckPath(Path path, const std::string& text, bool denies) {
  if (text.empty()) Problem(path, "path cannot be empty");
  else if (text.size() > 4095) Problem(path, "is longer than a path may be");
  else if (denies && IsGlob(text) && text.ends_with('/')) Problem(path, "a pattern that ends in '/' matches nothing; write /data/* or add a ** segment");
}

std::vector<std::string> Reader::Paths(Path path, const Value& table, std::string_view key, bool is_required, bool denies) {
  std::vector<std::string> texts = Texts(path, table, key, is_required);
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string name = Join(path, key) + "." + std::to_string(i);
    const Value& item = table.Find(key)->items[i];
    if (item.kind == Kind::kString) CheckPath(name, texts[i], denies);
  }
  return texts;
}

std::vector<std::string> Reader::Domains(Path path, const Value& table, std::string_view key, bool is_required, bool may_be_star) {
  std::vector<std::string> texts = Texts(path, table, key, is_required);
  for (size_t i = 0; i < texts.size(); ++i) {
    if (table.Find(key)->items[i].kind != Kind::kString) continue;
    if (const std::string problem = DomainProblem(texts[i], may_be_star); !problem.empty()) {
      Problem(Join(path, key) + "." + std::to_string(i), "'" + texts[i].substr(0, 100) + "' " + problem);
    }
  }
  return texts;
}

void Reader::Number(Path path, const Value& table, std::string_view key, int64_t least, int64_t most) {
  const Value* value = Member(path, table, key);
  if (value == nullptr) return;
  const std::string name = Join(path, key);
  if (value->kind != Kind::kInteger) {
    Problem(name, std::string("expected integer, received ") + WordFor(value->kind));
  } else if (value->integer < least || value->integer > most) {
    Problem(name, "must be from " + std::to_string(least) + " to " + std::to_string(most));
  }
}

void Reader::Choice(Path path, const Value& table, std::string_view key, std::initializer_list<std::string_view> choices) {
  const Value* value = Member(path, table, key);
  if (value == nullptr) return;
  if (value->kind == Kind::kString && std::find(choices.begin(), choices.end(), value->text) != choices.end()) return;
  std::string words;
  for (const std::string_view choice : choices) words += (words.empty() ? "" : ", ") + std::string(choice);
  Problem(Join(path, key), "must be one of " + words);
}

void Reader::ReadNetwork(Path path, const Value& table) {
  if (!Table(path, table, {"allowedDomains", "deniedDomains", "deniedDomainReasons", "strictAllowlist", "deniedResolvedAddresses",
                           "allowUnixSockets", "allowAllUnixSockets", "allowLocalBinding", "allowMachLookup", "httpProxyPort",
                           "socksProxyPort", "mitmProxy", "filterRequest", "tlsTerminate", "parentProxy"})) {
    return;
  }
  settings_.allowed_domains = Domains(path, table, "allowedDomains", true, false);
  settings_.denied_domains = Domains(path, table, "deniedDomains", true, true);
  if (const Value* reasons = Member(path, table, "deniedDomainReasons"); reasons != nullptr && Is(path + ".deniedDomainReasons", *reasons, Kind::kTable)) {
    for (const auto& [entry, text] : reasons->members) {
      const std::string name = Join(path + ".deniedDomainReasons", entry);
      settings_.denied_reasons.emplace_back(entry, Text(name, text));
      const auto& denied = settings_.denied_domains;
      if (std::find(denied.begin(), denied.end(), entry) == denied.end()) Note(name, "no entry of deniedDomains is spelt like this");
    }
  }
  Flag(path, table, "strictAllowlist");   // nobody could be asked on a command line: unknown hosts are always denied
  settings_.denied_addresses = Texts(path, table, "deniedResolvedAddresses");
  for (size_t i = 0; i < settings_.denied_addresses.size(); ++i) {
    const std::string& text = settings_.denied_addresses[i];
    if (!text.empty() && !ParseAddressRange(text)) {
      Problem(path + ".deniedResolvedAddresses." + std::to_string(i), "'" + text.substr(0, 100) + "' is neither an address nor a range like 10.0.0.0/8");
    }
  }
  settings_.unix_sockets = Paths(path, table, "allowUnixSockets", false, false);
  if (Flag(path, table, "allowAllUnixSockets")) {
    Refuse(path + ".allowAllUnixSockets", "would open every socket of the host, a container engine's included; programs inside use sockets among "
                                          "themselves without it, and allowUnixSockets names those of the host");
  }
  if (Flag(path, table, "allowLocalBinding")) Note(path + ".allowLocalBinding", "the command has a loopback of its own and may always bind there");
  if (!Texts(path, table, "allowMachLookup").empty()) Note(path + ".allowMachLookup", "macOS only");
  if (table.Find("filterRequest") != nullptr) Problem(path + ".filterRequest", "must be a function, which a file cannot hold");
  ReadProxies(path, table);
  if (const Value* tls = Member(path, table, "tlsTerminate")) ReadTls(path + ".tlsTerminate", *tls);
}

void Reader::ReadTls(Path path, const Value& table) {
  if (!Table(path, table, {"caCertPath", "caKeyPath", "excludeDomains", "extraCaCertPaths"})) return;
  settings_.terminates_tls = true;
  settings_.tls_excluded = Domains(path, table, "excludeDomains", false, false);
  for (const char* key : {"caCertPath", "caKeyPath"}) {
    if (!TextMember(path, table, key).empty()) {
      Refuse(Join(path, key), "every run gets an authority of its own, whose certificate the command trusts; leave it out");
    }
  }
  if (!Texts(path, table, "extraCaCertPaths").empty()) {
    Refuse(path + ".extraCaCertPaths", "the command trusts the host's roots and the run's authority; add the certificate to the host's roots");
  }
}

void Reader::ReadProxies(Path path, const Value& table) {
  for (const char* key : {"httpProxyPort", "socksProxyPort"}) {
    Number(path, table, key, 1, 65535);
    if (table.Find(key) != nullptr) Refuse(Join(path, key), "all traffic passes Paddock's own proxy; to chain to another one use parentProxy");
  }
  if (const Value* mitm = Member(path, table, "mitmProxy"); mitm != nullptr && Table(path + ".mitmProxy", *mitm, {"socketPath", "domains"})) {
    TextMember(path + ".mitmProxy", *mitm, "socketPath", true);
    Domains(path + ".mitmProxy", *mitm, "domains", true, false);
    Refuse(path + ".mitmProxy", "requests cannot be sent through a proxy on a unix socket; to chain to another one use parentProxy");
  }
  if (const Value* parent = Member(path, table, "parentProxy"); parent != nullptr && Table(path + ".parentProxy", *parent, {"http", "https", "noProxy"})) {
    const std::string name = path + ".parentProxy";
    settings_.parent_proxy = SrtParentProxy{TextMember(name, *parent, "http"), TextMember(name, *parent, "https"), TextMember(name, *parent, "noProxy")};
  }
}

void Reader::ReadFiles(Path path, const Value& table) {
  if (!Table(path, table, {"disabled", "denyRead", "allowRead", "allowWrite", "denyWrite", "allowGitConfig"})) return;
  settings_.files_disabled = Flag(path, table, "disabled");
  settings_.deny_read = Paths(path, table, "denyRead", true, true);
  settings_.allow_read = Paths(path, table, "allowRead", false, false);
  settings_.allow_write = Paths(path, table, "allowWrite", true, false);
  settings_.deny_write = Paths(path, table, "denyWrite", true, true);
  settings_.allow_git_config = Flag(path, table, "allowGitConfig");
}

void Reader::ReadCredential(Path path, const Value& table, bool is_file) {
  const bool is_known = is_file ? Table(path, table, {"path", "mode", "extract", "onExtractNoMatch", "decode", "maskClaims", "maskDuplicates", "injectHosts"})
                                : Table(path, table, {"name", "mode", "extract", "onExtractNoMatch", "decode", "maskClaims", "injectHosts"});
  if (!is_known) return;
  SrtCredential credential{.field = path, .subject = {}, .mode = SrtCredential::Mode::kDeny, .inject_hosts = std::nullopt};
  credential.subject = TextMember(path, table, is_file ? "path" : "name", true);
  const std::string mode = TextMember(path, table, "mode", true);
  Choice(path, table, "mode", {"deny", "mask"});
  if (mode == "mask") credential.mode = SrtCredential::Mode::kMask;
  if (is_file && table.Find("path") != nullptr) CheckPath(path + ".path", credential.subject, credential.mode == SrtCredential::Mode::kDeny);
  if (!is_file && table.Find("name") != nullptr && !IsVariableName(credential.subject)) {
    Problem(path + ".name", "must begin with a letter or '_' and hold only letters, digits and '_'");
  }
  for (const char* key : {"extract", "onExtractNoMatch", "decode", "maskClaims", "maskDuplicates"}) {
    if (table.Find(key) != nullptr) Refuse(Join(path, key), "a placeholder stands for a whole value; parts of one cannot be masked");
  }
  if (table.Find("injectHosts") != nullptr) credential.inject_hosts = Domains(path, table, "injectHosts", false, false);
  if (is_file && mode == "mask") {
    Refuse(path + ".mode", "placeholders stand in variables, not in files; write \"deny\" and give the value as one of credentials.envVars");
  }
  (is_file ? settings_.credential_files : settings_.credential_variables).push_back(std::move(credential));
}

void Reader::ReadAws(Path path, const Value& table) {
  if (const Value* pairs = Member(path, table, "awsPairs"); pairs != nullptr && Is(path + ".awsPairs", *pairs, Kind::kList) && !pairs->items.empty()) {
    Refuse(path + ".awsPairs", "requests are not signed again at the edge; give the command a short-lived key of its own");
  }
  if (const Value* signing = Member(path, table, "sigv4"); signing != nullptr && Table(path + ".sigv4", *signing, {"streaming", "presigned", "sigv4a"})) {
    for (const char* key : {"streaming", "presigned", "sigv4a"}) Choice(path + ".sigv4", *signing, key, {"deny", "passthrough"});
    Refuse(path + ".sigv4", "requests are not signed again at the edge");
  }
}

void Reader::ReadCredentials(Path path, const Value& table) {
  if (!Table(path, table, {"files", "envVars", "allowPlaintextInject", "awsPairs", "sigv4"})) return;
  for (const bool is_file : {true, false}) {
    const std::string name = path + (is_file ? ".files" : ".envVars");
    const Value* list = table.Find(is_file ? "files" : "envVars");
    if (list == nullptr || !Is(name, *list, Kind::kList)) continue;
    if (list->items.size() > 1000) Problem(name, "has more than 1000 items");
    for (size_t i = 0; i < list->items.size() && i < 1000; ++i) ReadCredential(name + "." + std::to_string(i), list->items[i], is_file);
  }
  settings_.allow_plaintext = Flag(path, table, "allowPlaintextInject");
  ReadAws(path, table);
}

// What belongs to other systems, or to the programs that srt is made of.
void Reader::ReadForeign(const Value& root) {
  if (Flag("", root, "enableWeakerNestedSandbox")) {
    Refuse("enableWeakerNestedSandbox", "is not needed: Paddock's wall says what it cannot build in a container, and never becomes weaker for it; remove it");
  }
  for (const char* key : {"enableWeakerNetworkIsolation", "allowAppleEvents", "allowPty"}) {
    if (Flag("", root, key)) Note(key, "macOS only");
  }
  Number("", root, "mandatoryDenySearchDepth", 1, 10);
  if (root.Find("mandatoryDenySearchDepth") != nullptr) Note("mandatoryDenySearchDepth", "protected names hold at any depth");
  for (const char* key : {"bwrapPath", "socatPath", "javaAgentJarPath"}) {
    const std::string text = TextMember("", root, key);
    if (!text.empty() && text[0] != '/') Problem(key, "must be an absolute path");
    if (root.Find(key) != nullptr) Note(key, "the program is not used");
  }
  if (const Value* ripgrep = root.Find("ripgrep"); ripgrep != nullptr && Table("ripgrep", *ripgrep, {"command", "args", "argv0"})) {
    TextMember("ripgrep", *ripgrep, "command", true);
    Texts("ripgrep", *ripgrep, "args");
    TextMember("ripgrep", *ripgrep, "argv0");
    Note("ripgrep", "the program is not used");
  }
  if (const Value* seccomp = root.Find("seccomp"); seccomp != nullptr && Table("seccomp", *seccomp, {"applyPath", "argv0"})) {
    TextMember("seccomp", *seccomp, "applyPath");
    TextMember("seccomp", *seccomp, "argv0");
    Note("seccomp", "the program is not used; the filter is built in");
  }
  if (const Value* windows = root.Find("windows");
      windows != nullptr && Table("windows", *windows, {"sandboxUser", "sublayerGuid", "wfpSublayerGuid", "proxyPortRange", "srtWin"})) {
    Note("windows", "Windows only");
  }
}

void Reader::CheckTogether() {
  const auto is_masked = [this](std::string_view name) {
    return std::any_of(settings_.credential_variables.begin(), settings_.credential_variables.end(), [&](const SrtCredential& credential) {
      return credential.mode == SrtCredential::Mode::kMask && (name.empty() || credential.subject == name);
    });
  };
  if (is_masked("") && !settings_.terminates_tls && !settings_.allow_plaintext) {
    Problem("credentials", "mode mask needs network.tlsTerminate, so that values are put in behind a verified TLS connection only; add \"tlsTerminate\": {}");
  }
  if (is_masked("AWS_SECRET_ACCESS_KEY")) {
    Refuse("credentials.envVars", "AWS_SECRET_ACCESS_KEY signs requests and is never sent, so a placeholder in its place would sign wrongly; write mode deny");
  }
  std::map<std::string_view, const std::string*> names;
  for (const SrtCredential& credential : settings_.credential_variables) {
    const auto [at, is_new] = names.emplace(credential.subject, &credential.field);
    if (!is_new) Problem(credential.field + ".name", "stands already at " + *at->second);
  }
}

void Reader::Read(const Value& root) {
  if (!Table("", root, {"network", "filesystem", "credentials", "ignoreViolations", "enableWeakerNestedSandbox", "enableWeakerNetworkIsolation",
                        "allowAppleEvents", "allowPty", "ripgrep", "mandatoryDenySearchDepth", "seccomp", "bwrapPath", "socatPath",
                        "javaAgentJarPath", "windows", "git"})) {
    return;
  }
  if (const Value* network = Member("", root, "network", true)) ReadNetwork("network", *network);
  if (const Value* files = Member("", root, "filesystem", true)) ReadFiles("filesystem", *files);
  if (const Value* credentials = root.Find("credentials")) ReadCredentials("credentials", *credentials);
  if (const Value* ignored = root.Find("ignoreViolations"); ignored != nullptr && Is("ignoreViolations", *ignored, Kind::kTable)) {
    for (const auto& [pattern, paths] : ignored->members) {
      settings_.ignored.emplace_back(pattern, Texts("ignoreViolations", *ignored, pattern));
    }
  }
  if (const Value* git = root.Find("git"); git != nullptr && Table("git", *git, {"safeDirectories"})) {
    settings_.safe_directories = Texts("git", *git, "safeDirectories");
    if (settings_.safe_directories.size() > 100) Problem("git.safeDirectories", "has more than 100 items");
  }
  ReadForeign(root);
  CheckTogether();
}

Status Reader::Finish() const {
  const std::vector<std::string>& lines = problem_count_ > 0 ? problems_ : refused_;
  if (lines.empty()) return {};
  std::string text = problem_count_ > 0 ? "does not hold a valid config: " : "asks for what Paddock does not do: ";
  for (size_t i = 0; i < lines.size(); ++i) text += (i == 0 ? "" : "; ") + lines[i];
  if (problem_count_ > problems_.size()) text += "; and " + std::to_string(problem_count_ - problems_.size()) + " more";
  return Error(problem_count_ > 0 ? Code::kInvalid : Code::kNotSupported, text);
}

}  // namespace

Result<SrtSettings> ParseSrtSettings(std::string_view text) {
  const auto root = ParseJsonDocument(text);
  if (!root) return Error(root.error().code, "is not valid JSON: line " + std::string(root.error().Text()));
  SrtSettings settings;
  Reader reader(settings);
  reader.Read(*root);
  PADDOCK_TRY(reader.Finish());
  return settings;
}

}  // namespace paddock::policy
