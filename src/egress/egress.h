// Egress: the one engine through which code behind a wall reaches the network.
//
// A driver makes listening sockets where the code inside can reach them (in the sandbox's network namespace) and gives
// their descriptors to the engine. It accepts on them from outside, on a thread of its own, finds out the name that a client
// wants, judges it by policy::NetworkRules, resolves it on the host, checks the address, and dials exactly that address.
// Nothing inside relays bytes. What no rule allows is refused, and the engine's end closes every way out.
// docs/egress.md tells what each protocol's check is worth.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace paddock::egress {

// Which addresses of a name are dialled: all in the resolver's order, those of one family alone, or those of one family first.
enum class AddressFamily { kAny, kV4, kV6, kV4First, kV6First };

enum class ListenerKind {
  kProxy,         // TCP: HTTP proxy, CONNECT, SOCKS5 and SOCKS4a on one port, told apart by the first byte
  kTransparent,   // TCP: any connection; its own local address (getsockname) is where the client wanted to go
  kHostPort,      // TCP: every connection goes to 127.0.0.1:`host_port` of the host, while NetworkRules::host_ports has it
  kDnsUdp,        // UDP, bound
  kDnsTcp,        // TCP
};

// A bound socket (TCP: listening). The engine owns `fd` from the call that takes the listener on, also when that fails,
// and makes it non-blocking. Its network namespace may be another than the caller's.
struct Listener {
  int fd = -1;
  ListenerKind kind = ListenerKind::kProxy;
  uint16_t host_port = 0;   // kHostPort only
  AddressFamily family = AddressFamily::kAny;   // of a kProxy client's tunnels
};

// A secret and the value that its binding's source held. Values: 8 … 16,384 bytes, without control characters.
struct Secret {
  policy::SecretBinding binding;
  std::string value;
};

// One verdict. Texts hold placeholders where a secret's value would be.
struct Event {
  enum class Kind {
    kAllowed,      // a connection, a request or a name was let through
    kDenied,
    kFailed,       // allowed, but the far end could not be resolved, reached or trusted
    kSecretUsed,   // a secret's value went into a request; `secret` names it
  };
  std::chrono::system_clock::time_point time;
  Kind kind = Kind::kDenied;
  std::string protocol;   // "http", "https", "connect", "socks5", "socks4", "transparent", "dns", "host-port"
  std::string host;       // the canonical name or address; empty when it could not be read
  uint16_t port = 0;
  std::string method;     // of a request that was seen, else empty
  std::string path;       // the same; without the query
  std::string address;    // what was dialled or refused by address, else empty
  std::string rule;       // NetworkRule::origin, or SecretBinding::origin; empty: no rule
  std::string reason;     // of a denial or failure
  std::string secret;     // SecretBinding::name
  uint64_t dropped_before = 0;   // events lost just before this one because the handler was too slow

  // One line without a line feed: "denied connect example.org:443: no rule allows it".
  std::string Text() const;
};

struct Limits {
  size_t connections = 4096;               // at once; further ones wait in the listener's queue
  std::chrono::seconds connect_timeout{10};
  std::chrono::seconds resolve_timeout{10};
  std::chrono::seconds head_timeout{20};   // from the first byte of a request or handshake to its last
  std::chrono::seconds idle_timeout{900};  // without a byte in either direction; also between two requests
  size_t events = 4096;                    // waiting for the handler
};

struct EgressOptions {
  policy::NetworkRules rules;
  std::vector<Secret> secrets;
  std::vector<Listener> listeners;

  // Called for every event, in order, on a thread of the engine's own that does nothing else: it may be slow (then
  // events are dropped and counted) and may call the engine, but for Stop and FlushEvents. May be empty.
  std::function<void(const Event&)> on_event;

  // Resolves a name to IP addresses in text form; may block, is called on threads of the resolver, several at once,
  // and must outlive the engine by whatever time a call takes. Empty: the host's resolver.
  std::function<Result<std::vector<std::string>>(const std::string& name)> resolve;

  std::string extra_trust_pem;   // certificates that upstream servers may chain to, besides the system's store
  Limits limits;
};

// Bytes of the connections that the engine made for the code inside, as their sockets carried them (TLS with its records), since it began.
struct Traffic {
  uint64_t in_bytes = 0, out_bytes = 0;   // from and to the far end
};

class Egress {
 public:
  // Starts the engine's thread. Errors: kInvalid for rules, secrets or trust that do not parse (names which),
  // kTooManyFiles and the like from the system.
  static Result<std::unique_ptr<Egress>> Start(EgressOptions options);

  virtual ~Egress() = default;   // stops it

  // Every function below is safe from any thread.

  // One more listener, for ports that are made later.
  virtual Status AddListener(Listener listener) = 0;

  // Serves a stream that a bridge brings instead of a listener; owns `fd` at once. `destination` ("192.0.2.1" and port) is where
  // a kTransparent client wanted to go; kHostPort takes the port from there. kDnsUdp is not a stream: kInvalid.
  virtual Status AcceptConnected(int fd, ListenerKind kind, const std::string& destination = {}, uint16_t port = 0,
                                 AddressFamily family = AddressFamily::kAny) = 0;

  // Replaces the rules. Holds for every verdict from the return on; tunnels and exchanges under way that the new rules
  // would not allow are cut. Errors: kInvalid, and the old rules stay.
  virtual Status UpdateRules(policy::NetworkRules rules) = 0;

  // Takes a secret's value away: from now on its placeholder is denied wherever it appears. The value is still redacted. Errors:
  // kNoEntry.
  virtual Status Revoke(const std::string& name) = 0;

  // What the variable of each secret holds inside, in the order of EgressOptions::secrets: (SecretBinding::name, placeholder).
  virtual std::vector<std::pair<std::string, std::string>> Placeholders() const = 0;

  virtual Traffic traffic() const = 0;

  // `text` with every secret's value (also percent-encoded, JSON-escaped and in Base64) replaced by its placeholder.
  virtual std::string Redact(const std::string& text) const = 0;

  // The certificate of the engine's own authority, made at the first call or use; and the same preceded by the
  // host's trusted roots, for variables that replace a program's store (SSL_CERT_FILE, CURL_CA_BUNDLE, …). PEM.
  virtual Result<std::string> CaCertificatePem() = 0;
  virtual Result<std::string> CaBundlePem() = 0;

  // Returns when the handler has seen every event of a verdict given before the call.
  virtual void FlushEvents() = 0;

  // Closes listeners and connections, delivers the events that wait, joins the threads. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace paddock::egress
