#include "commands/git/remote/credential.h"

#include <algorithm>

#include "commands/child_output.h"
#include "commands/git/shell_words.h"
#include "text/netrc.h"

namespace paddock::git {
namespace {

std::string BaseUrl(const Credential& credential) { return credential.protocol + "://" + credential.host; }

// A value with a line feed would be another line to a helper.
bool IsOneLine(std::string_view text) { return text.find_first_of(std::string_view("\n\r\0", 3)) == std::string_view::npos; }

std::string HelperText(const Credential& credential) {
  std::string text = "protocol=" + credential.protocol + "\nhost=" + credential.host + "\n";
  if (!credential.path.empty()) text += "path=" + credential.path + "\n";
  if (!credential.user.empty()) text += "username=" + credential.user + "\n";
  if (!credential.password.empty()) text += "password=" + credential.password + "\n";
  return text;
}

void TakeHelperText(Budget& budget, std::string_view text, Credential& credential) {
  while (!text.empty()) {
    budget.Step();
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("username=")) credential.user = line.substr(9);
    if (line.starts_with("password=")) credential.password = line.substr(9);
  }
}

// One of the configuration's helpers: "store" is done here, anything else is a command.
class Helper {
 public:
  Helper(Invocation& in, const std::string& name) : in_(in), name_(name) {}

  void Fill(Credential& credential) {
    if (IsStore()) {
      for (const std::string& line : StoreLines()) {
        in_.budget.Step();
        const auto kept = ParseLine(line);
        if (!kept || !IsFor(*kept, credential)) continue;
        credential.user = kept->user;
        credential.password = kept->password;
        return;
      }
      return;
    }
    if (const auto answer = Ask("get", credential)) TakeHelperText(in_.budget, *answer, credential);
  }

  void Keep(const Credential& credential) {
    if (!IsStore()) {
      static_cast<void>(Ask("store", credential).has_value());
      return;
    }
    std::string text = PercentEncoded(credential.user) + ":" + PercentEncoded(credential.password) + "@" + PercentEncoded(credential.host);
    text = credential.protocol + "://" + text + (credential.path.empty() ? "" : "/" + credential.path) + "\n";
    for (const std::string& line : StoreLines()) {
      const auto kept = ParseLine(line);
      if (!kept || !IsFor(*kept, credential)) text += line + "\n";
    }
    Write(text);
  }

  void Forget(const Credential& credential) {
    if (!IsStore()) {
      static_cast<void>(Ask("erase", credential).has_value());
      return;
    }
    std::string text;
    bool has_changed = false;
    for (const std::string& line : StoreLines()) {
      const auto kept = ParseLine(line);
      if (kept && IsFor(*kept, credential) && (credential.password.empty() || kept->password == credential.password)) has_changed = true;
      else text += line + "\n";
    }
    if (has_changed) Write(text);
  }

 private:
  bool IsStore() const { return name_ == "store" || name_.starts_with("store "); }

  std::string StorePath() const {
    const size_t file = name_.find("--file");
    if (file != std::string::npos && file + 7 < name_.size()) {
      std::string path = name_.substr(file + 7);
      while (path.starts_with(' ')) path.erase(0, 1);
      if (path.starts_with("~/")) path = std::string(in_.env.Get("HOME", "/")) + path.substr(1);
      return path;
    }
    return std::string(in_.env.Get("HOME", "/")) + "/.git-credentials";
  }
  std::vector<std::string> StoreLines() const {
    std::vector<std::string> lines;
    const auto text = vfs::ReadFile(in_.fs, StorePath(), 1 << 20);
    if (!text) return lines;
    for (size_t begin = 0; begin < text->size();) {
      in_.budget.Step();
      const size_t end = std::min(text->find('\n', begin), text->size());
      if (end > begin) lines.push_back(text->substr(begin, end - begin));
      begin = end + 1;
    }
    return lines;
  }
  void Write(const std::string& text) const { static_cast<void>(vfs::WriteFile(in_.fs, StorePath(), text, 0600).has_value()); }

  // "https://user:password@host/path".
  static std::optional<Credential> ParseLine(std::string_view line) {
    const size_t scheme = line.find("://");
    if (scheme == std::string_view::npos) return std::nullopt;
    Credential credential;
    credential.protocol = line.substr(0, scheme);
    line.remove_prefix(scheme + 3);
    const size_t slash = std::min(line.find('/'), line.size()), at = line.find('@'), colon = line.find(':');
    if (at == std::string_view::npos || at > slash || colon > at) return std::nullopt;
    credential.user = PercentDecoded(line.substr(0, colon));
    credential.password = PercentDecoded(line.substr(colon + 1, at - colon - 1));
    credential.host = PercentDecoded(line.substr(at + 1, slash - at - 1));
    credential.path = PercentDecoded(line.substr(std::min(slash + 1, line.size())));
    return credential;
  }
  static bool IsFor(const Credential& kept, const Credential& asked) {
    return kept.protocol == asked.protocol && kept.host == asked.host && (asked.path.empty() || kept.path == asked.path) && (asked.user.empty() || kept.user == asked.user);
  }

  // Runs "helper ACTION" with the credential on standard input.
  std::optional<std::string> Ask(const std::string& action, const Credential& credential) {
    if (name_.empty()) return std::nullopt;
    std::string command = name_;
    if (name_[0] == '!') command = name_.substr(1);
    else if (name_[0] != '/') command = "git credential-" + name_;
    const std::string script = "printf %s " + InShellQuotes(HelperText(credential)) + " | " + (name_[0] == '!' ? "{ " + command + " " + action + "\n}" : command + " " + action);
    auto answer = StandardOutput(in_, {"sh", "-c", script}, in_.env);
    if (!answer || answer->status != 0) return std::nullopt;
    return std::move(answer->text);
  }

  Invocation& in_;
  std::string name_;
};

// What the program of GIT_ASKPASS answers.
std::optional<std::string> AskProgram(Invocation& in, const Config& config, const std::string& prompt) {
  std::string program(in.env.Get("GIT_ASKPASS", ""));
  if (program.empty()) program = config.Get("core.askpass", "");
  if (program.empty()) program = in.env.Get("SSH_ASKPASS", "");
  if (program.empty()) return std::nullopt;
  in.out.Flush();
  auto answer = StandardOutput(in, {program, prompt}, in.env);
  if (!answer) {
    in.err.Write("fatal: cannot run " + program + ": " + std::string(answer.error().Text()) + "\n");
    return std::nullopt;
  }
  if (answer->status != 0) {
    in.err.Write("error: unable to read askpass response from '" + program + "'\n");
    return std::nullopt;
  }
  return answer->text.substr(0, answer->text.find_first_of("\r\n"));
}

Status AskFor(Invocation& in, const Config& config, const std::string& what, const std::string& url, std::string& value) {
  if (!value.empty()) return {};
  if (auto answer = AskProgram(in, config, what + " for '" + url + "': ")) {
    value = std::move(*answer);
    return {};
  }
  const bool is_forbidden = !ParseConfigBool(in.env.Get("GIT_TERMINAL_PROMPT", "1")).value_or(true);
  return Error(Code::kNoEntry, "could not read " + what + " for '" + url + "': " + (is_forbidden ? "terminal prompts disabled" : "No such device or address"));
}

std::vector<Helper> Helpers(Invocation& in, const Config& config, const Credential& credential) {
  std::vector<Helper> helpers;
  for (const std::string& name : UrlConfig(config, "credential", "helper", BaseUrl(credential) + "/" + credential.path)) helpers.emplace_back(in, name);
  return helpers;
}

}  // namespace

Status FillCredential(Invocation& in, const Config& config, Credential& credential) {
  if (!IsOneLine(credential.host) || !IsOneLine(credential.path) || !IsOneLine(credential.user)) return Error(Code::kInvalid, "credential value contains newline");
  const auto is_full = [&credential] { return !credential.user.empty() && !credential.password.empty(); };
  if (!is_full()) {
    const std::string host = credential.host.substr(0, credential.host.rfind(':'));
    const auto text = vfs::ReadFile(in.fs, vfs::JoinPath(in.env.Get("HOME", "/"), ".netrc"), 1 << 20);
    if (const auto login = text ? FindNetrcLogin(*text, host, credential.user, in.budget) : std::nullopt) {
      credential.user = login->name;
      credential.password = login->password;
    }
  }
  if (credential.user.empty()) {
    const auto names = UrlConfig(config, "credential", "username", BaseUrl(credential) + "/" + credential.path);
    if (!names.empty()) credential.user = names.back();
  }
  for (Helper& helper : Helpers(in, config, credential)) {
    if (is_full()) break;
    helper.Fill(credential);
  }
  PADDOCK_TRY(AskFor(in, config, "Username", BaseUrl(credential), credential.user));
  return AskFor(in, config, "Password", credential.protocol + "://" + PercentEncoded(credential.user) + "@" + credential.host, credential.password);
}

void ApproveCredential(Invocation& in, const Config& config, const Credential& credential) {
  for (Helper& helper : Helpers(in, config, credential)) helper.Keep(credential);
}

void RejectCredential(Invocation& in, const Config& config, const Credential& credential) {
  for (Helper& helper : Helpers(in, config, credential)) helper.Forget(credential);
}

std::vector<std::string> UrlConfig(const Config& config, std::string_view section, std::string_view name, std::string_view url) {
  // "https://host/a" is below "https://host" and "https://host/a", not below "https://ho".
  const auto is_below = [url](std::string_view base) {
    while (base.ends_with('/')) base.remove_suffix(1);
    std::string plain(url);
    if (const size_t scheme = plain.find("://"), at = plain.find('@'); scheme != std::string::npos && at != std::string::npos && at < plain.find('/', scheme + 3) && base.find('@') == std::string_view::npos) {
      plain.erase(scheme + 3, at + 1 - scheme - 3);
    }
    return plain.starts_with(base) && (plain.size() == base.size() || plain[base.size()] == '/');
  };
  std::vector<std::string> values;
  const std::string begin = std::string(section) + ".", end = "." + std::string(name);
  for (const ConfigEntry& entry : config.entries()) {
    const bool is_plain = entry.key == begin + std::string(name);
    const bool is_of_url = !is_plain && entry.key.size() > begin.size() + end.size() && entry.key.starts_with(begin) && entry.key.ends_with(end) &&
                           is_below(std::string_view(entry.key).substr(begin.size(), entry.key.size() - begin.size() - end.size()));
    if (!is_plain && !is_of_url) continue;
    if (entry.value && entry.value->empty()) values.clear();
    else values.push_back(entry.value.value_or("true"));
  }
  return values;
}

std::string PercentDecoded(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; };
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      plain.push_back(static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])));
      i += 2;
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

std::string PercentEncoded(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' || c == '~';
    if (is_plain) encoded.push_back(c);
    else encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return encoded;
}

}  // namespace paddock::git
