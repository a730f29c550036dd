#include "egress/secrets.h"

#include <algorithm>
#include <set>

#include "base/random.h"
#include "text/base64.h"
#include "text/digest.h"

namespace paddock::egress {
namespace {

constexpr size_t kShortestValue = 8;   // shorter ones would be found everywhere
constexpr size_t kLongestValue = 16 << 10;
constexpr size_t kLongestField = 64 << 10;

// Programs look at how a key begins; what kind of key it is, is no secret.
constexpr std::string_view kKnownBeginnings[] = {"sk-ant-", "sk-proj-", "sk-", "github_pat_", "ghp_", "gho_", "ghs_", "glpat-",
                                                 "xoxb-",   "xoxp-",    "npm_", "pypi-",      "hf_",  "AIza", "AKIA", "key-"};

std::string MakePlaceholder(const std::string& value) {
  uint8_t bytes[16];
  FillRandom(bytes);
  std::string_view beginning;
  for (const std::string_view known : kKnownBeginnings) {
    if (value.starts_with(known)) {
      beginning = known;
      break;
    }
  }
  return std::string(beginning) + "paddock-secret-" + HexOf(std::string_view(reinterpret_cast<const char*>(bytes), sizeof bytes));
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
         c == '~';
}

std::string PercentEncoded(std::string_view value, const char* hex) {
  std::string out;
  for (const char c : value) {
    const auto byte = static_cast<uint8_t>(c);
    if (IsUnreserved(c)) out += c;
    else out += {'%', hex[byte / 16], hex[byte % 16]};
  }
  return out;
}

std::string JsonEscaped(std::string_view value, bool escape_slash) {
  std::string out;
  for (const char c : value) {
    if (c == '"' || c == '\\' || (c == '/' && escape_slash)) out += '\\';
    out += c;
  }
  return out;
}

// The characters of Base64 that depend on nothing but the value, when it begins `shift` bytes into a group.
std::string Base64Core(std::string_view value, size_t shift) {
  std::string text = EncodeBase64(std::string(shift, '\0') + std::string(value));
  const size_t whole = (shift + value.size()) * 8 / 6;   // complete characters
  text.resize(whole);
  return text.substr(shift == 0 ? 0 : shift + 1);
}

std::set<std::string> Spellings(const std::string& value) {
  std::set<std::string> spellings = {value, PercentEncoded(value, "0123456789ABCDEF"), PercentEncoded(value, "0123456789abcdef"),
                                     JsonEscaped(value, false), JsonEscaped(value, true)};
  for (size_t shift = 0; shift < 3; ++shift) {
    std::string core = Base64Core(value, shift);
    std::string for_urls = core;
    std::replace(for_urls.begin(), for_urls.end(), '+', '-');
    std::replace(for_urls.begin(), for_urls.end(), '/', '_');
    spellings.insert(std::move(core));
    spellings.insert(std::move(for_urls));
  }
  return spellings;
}

// False, and nothing done, when the text would be longer than `most`.
bool ReplaceAll(std::string* text, std::string_view what, std::string_view by, size_t most) {
  std::string replaced;
  size_t copied = 0;
  for (size_t at = 0; (at = text->find(what, at)) != std::string::npos; copied = at += what.size()) {
    replaced.append(*text, copied, at - copied).append(by);
    if (replaced.size() > most) return false;
  }
  replaced.append(*text, copied);
  if (replaced.size() > most) return false;
  *text = std::move(replaced);
  return true;
}

constexpr std::string_view kBasic = "basic ";

}  // namespace

Scrubber::Scrubber(const std::vector<Replacement>& replacements) : replacements_(replacements) {
  for (const Replacement& replacement : replacements_) begins_[static_cast<uint8_t>(replacement.value[0])] = true;
}

std::string Scrubber::Feed(std::string_view piece) {
  held_ += piece;
  return Scan(false);
}

std::string Scrubber::Finish() { return Scan(true); }

std::string Scrubber::Scan(bool is_end) {
  std::string out;
  const std::string_view text = held_;
  size_t at = 0, copied = 0;
  while (at < text.size()) {
    if (!begins_[static_cast<uint8_t>(text[at])]) {
      ++at;
      continue;
    }
    const std::string_view rest = text.substr(at);
    const Replacement* found = nullptr;
    bool may_begin = false;
    for (const Replacement& replacement : replacements_) {
      if (rest.starts_with(replacement.value)) {
        found = &replacement;
        break;
      }
      // A longer one may still be coming; it goes before what is found already.
      if (!is_end && std::string_view(replacement.value).starts_with(rest)) {
        may_begin = true;
        break;
      }
    }
    if (may_begin) break;
    if (found == nullptr) {
      ++at;
      continue;
    }
    out += text.substr(copied, at - copied);
    out += found->by;
    at += found->value.size();
    copied = at;
  }
  out += text.substr(copied, at - copied);
  held_.erase(0, at);
  return out;
}

Result<std::unique_ptr<SecretStore>> SecretStore::Make(std::vector<Secret> secrets) {
  auto store = std::make_unique<SecretStore>();
  for (Secret& secret : secrets) {
    const auto bad = [&](const std::string& what) {
      return Error(Code::kInvalid, "secret " + secret.binding.name + ": " + what);
    };
    if (secret.binding.name.empty()) return Error(Code::kInvalid, "a secret without a name");
    if (secret.value.size() < kShortestValue || secret.value.size() > kLongestValue)
      return bad("its value is not of 8 to 16384 bytes");
    if (!IsHeaderValue(secret.value) || secret.value.find('\t') != std::string::npos) return bad("its value has a control byte");
    if (secret.value.front() == ' ' || secret.value.back() == ' ') return bad("its value begins or ends with a space");
    auto entry = std::make_unique<Entry>();
    for (const auto& destination : secret.binding.destinations) {
      auto pattern = policy::HostPattern::Parse(destination.host);
      if (!pattern) return bad(pattern.error().message);
      if (pattern->IsAnyName()) return bad("'*' is no destination");
      if (!destination.header.empty() && !IsHeaderName(destination.header))
        return bad("'" + destination.header + "' is no header name");
      entry->destinations.push_back({std::move(*pattern), destination});
    }
    entry->placeholder = MakePlaceholder(secret.value);
    for (const std::string& spelling : Spellings(secret.value)) store->replacements_.push_back({spelling, entry->placeholder});
    entry->secret = std::move(secret);
    store->entries_.push_back(std::move(entry));
  }
  std::stable_sort(store->replacements_.begin(), store->replacements_.end(),
                   [](const Replacement& a, const Replacement& b) { return a.value.size() > b.value.size(); });
  return store;
}

std::vector<std::pair<std::string, std::string>> SecretStore::Placeholders() const {
  std::vector<std::pair<std::string, std::string>> placeholders;
  for (const auto& entry : entries_) placeholders.emplace_back(entry->secret.binding.name, entry->placeholder);
  return placeholders;
}

std::string SecretStore::Redact(std::string_view text) const {
  if (replacements_.empty()) return std::string(text);
  Scrubber scrubber(replacements_);
  std::string redacted = scrubber.Feed(text);
  return redacted + scrubber.Finish();
}

Status SecretStore::Revoke(const std::string& name) {
  for (const auto& entry : entries_) {
    if (entry->secret.binding.name != name) continue;
    entry->is_revoked = true;
    return {};
  }
  return Error(Code::kNoEntry, "no secret is named '" + name + "'");
}

bool SecretStore::IsBound(const policy::Host& host, uint16_t port) const {
  for (const auto& entry : entries_) {
    for (const Destination& destination : entry->destinations) {
      if (destination.host.Matches(host) && policy::MatchesPort(destination.rule.ports, port)) return true;
    }
  }
  return false;
}

bool SecretStore::AllowsMessages(const policy::Host& host, uint16_t port) const {
  for (const auto& entry : entries_) {
    for (const Destination& destination : entry->destinations) {
      if (destination.rule.allow_messages && destination.host.Matches(host) && policy::MatchesPort(destination.rule.ports, port)) return true;
    }
  }
  return false;
}

std::string SecretStore::Refusal(const Entry& entry, const Request& request, std::optional<std::string_view> header) {
  const std::string& name = entry.secret.binding.name;
  if (entry.is_revoked) return "secret " + name + " was revoked";
  bool has_host = false, has_method = false;
  for (const Destination& destination : entry.destinations) {
    if (!destination.host.Matches(request.host) || !policy::MatchesPort(destination.rule.ports, request.port)) continue;
    has_host = true;
    const auto& methods = destination.rule.methods;
    if (!methods.empty() && std::find(methods.begin(), methods.end(), request.method) == methods.end()) continue;
    has_method = true;
    if (header ? !destination.rule.header.empty() && !EqualsIgnoringCase(destination.rule.header, *header) : !destination.rule.allow_messages) continue;
    if (!request.is_tls && !entry.secret.binding.allow_plaintext) return "secret " + name + " is not sent without TLS";
    if (request.method == "TRACE") return "secret " + name + " is not sent with TRACE";
    return {};
  }
  if (!has_host) return "secret " + name + " is not bound to " + policy::HostPortText(request.host, request.port);
  if (!has_method) return "secret " + name + " is not bound to method " + std::string(request.method);
  if (!header) return "secret " + name + " is put into header fields only; with websocket = true at its host, also into messages of a WebSocket";
  return "secret " + name + " is not bound to header " + std::string(*header);
}

void SecretStore::AddUse(const Entry& entry, Outcome* outcome) {
  const bool is_new = std::none_of(outcome->used.begin(), outcome->used.end(), [&](const Use& use) { return use.name == entry.secret.binding.name; });
  if (is_new) outcome->used.push_back({entry.secret.binding.name, entry.secret.binding.origin});
}

SecretStore::Outcome SecretStore::ApplyToMessage(const Request& request, size_t most, std::string* message) const {
  Outcome outcome;
  for (const auto& entry : entries_) {
    if (message->find(entry->placeholder) == std::string::npos) continue;
    outcome.denial = Refusal(*entry, request, std::nullopt);
    if (outcome.denial.empty() && !ReplaceAll(message, entry->placeholder, entry->secret.value, most)) {
      outcome.denial = "secret " + entry->secret.binding.name + " makes a WebSocket message longer than " + std::to_string(most) + " bytes";
    }
    if (!outcome.denial.empty()) {
      outcome.origin = entry->secret.binding.origin;
      return outcome;
    }
    AddUse(*entry, &outcome);
  }
  return outcome;
}

void SecretStore::ReplaceIn(std::string* text, const Request& request, std::string_view header, Outcome* outcome) const {
  for (const auto& entry : entries_) {
    if (text->find(entry->placeholder) == std::string::npos) continue;
    std::string refusal = Refusal(*entry, request, header);
    if (!refusal.empty()) {
      outcome->denial = std::move(refusal);
      outcome->origin = entry->secret.binding.origin;
      return;
    }
    if (!ReplaceAll(text, entry->placeholder, entry->secret.value, kLongestField)) {
      outcome->denial =
          "secret " + entry->secret.binding.name + " makes header " + std::string(header) + " longer than 65536 bytes";
      return;
    }
    AddUse(*entry, outcome);
  }
}

SecretStore::Outcome SecretStore::Apply(const Request& request, std::vector<HeaderField>* headers) const {
  Outcome outcome;
  for (const auto& entry : entries_) {
    const bool is_in_name = std::any_of(headers->begin(), headers->end(), [&](const HeaderField& field) {
      return field.name.find(entry->placeholder) != std::string::npos;
    });
    if (request.target.find(entry->placeholder) != std::string_view::npos || is_in_name) {
      outcome.denial = "secret " + entry->secret.binding.name + " may stand in header values only";
      outcome.origin = entry->secret.binding.origin;
      return outcome;
    }
  }
  for (HeaderField& field : *headers) {
    ReplaceIn(&field.value, request, field.name, &outcome);
    if (!outcome.denial.empty()) return outcome;
    if (field.value.size() <= kBasic.size() || !EqualsIgnoringCase(field.value.substr(0, kBasic.size()), kBasic)) continue;
    auto decoded = DecodeBase64(std::string_view(field.value).substr(kBasic.size()));
    if (!decoded) continue;
    const std::string before = *decoded;
    ReplaceIn(&*decoded, request, field.name, &outcome);
    if (!outcome.denial.empty()) return outcome;
    if (*decoded != before) field.value = field.value.substr(0, kBasic.size()) + EncodeBase64(*decoded);
  }
  return outcome;
}

}  // namespace paddock::egress
