// Secrets: placeholders that stand for values inside, and where the values may go.
//
// A placeholder is replaced in the header fields of a request whose destination, port, method and header a binding names,
// also within the Base64 of "Authorization: Basic". Anywhere else in a head it is a denial. In a WebSocket's messages it is replaced
// where the binding says so, else a denial. Whatever comes back from a bound destination is searched for the values.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egress/egress.h"
#include "text/http_head.h"
#include "policy/network_verdict.h"

namespace paddock::egress {

// Texts to be replaced by others.
struct Replacement {
  std::string value;
  std::string by;
};

// Replaces in a stream of pieces; keeps back only what may be the beginning of a value.
class Scrubber {
 public:
  // `replacements` in the order of preference where several begin at one place; outlives the scrubber.
  explicit Scrubber(const std::vector<Replacement>& replacements);
  // What may be passed on after this piece.
  std::string Feed(std::string_view piece);
  // The rest, at the end.
  std::string Finish();

 private:
  std::string Scan(bool is_end);

  const std::vector<Replacement>& replacements_;
  bool begins_[256] = {};
  std::string held_;
};

class SecretStore {
 public:
  // Errors: kInvalid for values, names or hosts that cannot be; names the secret, never its value.
  static Result<std::unique_ptr<SecretStore>> Make(std::vector<Secret> secrets);

  std::vector<std::pair<std::string, std::string>> Placeholders() const;
  std::string Redact(std::string_view text) const;      // any thread
  Status Revoke(const std::string& name);               // any thread

  // Does any binding name this destination? Then TLS to it is opened and its answers are searched.
  bool IsBound(const policy::Host& host, uint16_t port) const;
  const std::vector<Replacement>& replacements() const { return replacements_; }

  struct Request {
    const policy::Host& host;
    uint16_t port;
    std::string_view method;
    std::string_view target;
    bool is_tls;
  };
  struct Use {
    std::string name;
    std::string origin;
  };
  struct Outcome {
    std::string denial;      // why the request must not go out; empty when it may
    std::string origin;      // of the binding that denies
    std::vector<Use> used;   // each secret once
  };
  // Puts values into `headers` where a binding allows it. On a denial `headers` are not to be sent.
  Outcome Apply(const Request& request, std::vector<HeaderField>* headers) const;
  // Does any binding allow messages of WebSockets to this destination?
  bool AllowsMessages(const policy::Host& host, uint16_t port) const;
  // The same for a message on the WebSocket that the request opened. Also a denial: what would get longer than `most` bytes.
  Outcome ApplyToMessage(const Request& request, size_t most, std::string* message) const;

 private:
  struct Destination {
    policy::HostPattern host;
    policy::SecretBinding::Destination rule;
  };
  struct Entry {
    Secret secret;
    std::string placeholder;
    std::vector<Destination> destinations;
    std::atomic<bool> is_revoked{false};
  };
  // Why the secret may not go into that header, or a message when there is none; empty when it may.
  static std::string Refusal(const Entry& entry, const Request& request, std::optional<std::string_view> header);
  static void AddUse(const Entry& entry, Outcome* outcome);
  // Replaces all placeholders in `text`; adds to the outcome.
  void ReplaceIn(std::string* text, const Request& request, std::string_view header, Outcome* outcome) const;

  std::vector<std::unique_ptr<Entry>> entries_;
  std::vector<Replacement> replacements_;   // value in all its spellings to placeholder, the longest first
};

}  // namespace paddock::egress
