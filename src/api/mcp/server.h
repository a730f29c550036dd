// Server: a session's tools and files for clients of the Model Context Protocol, without a transport: a request comes in, its
// outcome goes out. Who may ask, and in which order, is the transport's matter (dialog.h, http.h).
//
// Revisions with a handshake and the stateless one are answered side by side; the request says which holds for it.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "api/mcp/message.h"
#include "api/mcp/progress.h"
#include "api/mcp/subscriptions.h"
#include "api/mcp/tasks.h"
#include "tools/capability/capability.h"

namespace paddock::mcp {

struct ServerSettings {
  std::string version;   // of the program
  std::shared_ptr<tools::SessionAccess> session;
  std::shared_ptr<const tools::Equipment> equipment;
  std::function<void(const std::string& line)> log;   // what a client must not see; any thread; may be null
  std::shared_ptr<Progress> progress;                 // may be shared by several servers; null: one of its own
  std::shared_ptr<Tasks> tasks;                       // the same
};

// How a request came.
struct Context {
  Revision revision = kNewestWithHandshake;
  std::stop_token stop;   // the client cancelled it, or has gone
  Notify notify;          // null where the transport has no way for notifications
  std::shared_ptr<Subscriber> subscriber = nullptr;   // the client's, or this request's own; null where it cannot listen
};

// Any thread.
class Server {
 public:
  explicit Server(ServerSettings settings);

  // Blocks until it is done. "initialize" is the transport's to allow; here it is answered at any time, and so is everything
  // else.
  Outcome Answer(const Message& request, const Context& context);
  // What "subscriptions/listen" agreed on: the notification that comes first, and from then on, in the subscriber's feed, those that it
  // names. Resources that cannot be watched are left out.
  Outcome Listen(const Message& request, const Context& context);
  // Whether the answer comes at once, without waiting for a sandbox.
  bool IsQuick(const Message& request) const;
  // Whether it may take longer than clients and proxies wait in silence.
  bool MayTakeLong(const Message& request) const;

 private:
  using Handler = Outcome (Server::*)(const json::object& params, const Context& context);
  struct Method {
    const char* name;
    Handler handler;
    bool has_handshake, is_stateless;   // the revisions that have it
    bool is_quick;
  };
  static const Method kMethods[];
  static const Method* FindMethod(std::string_view name, Revision revision);

  Outcome Initialize(const json::object& params, const Context& context);
  Outcome Discover(const json::object& params, const Context& context);
  Outcome Ping(const json::object& params, const Context& context);
  Outcome ListTools(const json::object& params, const Context& context);
  Outcome CallTool(const json::object& params, const Context& context);
  Outcome ListResources(const json::object& params, const Context& context);
  Outcome ListTemplates(const json::object& params, const Context& context);
  Outcome ReadResource(const json::object& params, const Context& context);
  Outcome Subscribe(const json::object& params, const Context& context);
  Outcome Unsubscribe(const json::object& params, const Context& context);
  Outcome GetTask(const json::object& params, const Context& context);
  Outcome UpdateTask(const json::object& params, const Context& context);
  Outcome CancelTask(const json::object& params, const Context& context);
  // Only of 2025-11-25.
  Outcome TaskResult(const json::object& params, const Context& context);
  Outcome ListTasks(const json::object& params, const Context& context);
  Outcome OldTask(const json::object& params, bool cancels);
  json::object Capabilities(Revision revision) const;
  json::object Implementation() const;

  const ServerSettings settings_;   // whole
};

// The revision of a request that stands for itself, or why it cannot be one: what is missing in params._meta, or a revision that
// is not spoken here.
std::variant<Revision, RpcError> ReadStateless(const Message& request);
// The answer to "subscriptions/listen" when this end closes it.
json::object EndOfListening(const json::value& id);
// Whether a request is meant to stand for itself: its params._meta names a revision, or only such revisions have its method.
bool IsMeantStateless(const Message& request);
// The revision that a handshake agrees on: what the client asks for, else the newest that has one. An error without a
// protocolVersion.
std::variant<Revision, RpcError> ReadHandshake(const Message& initialize);

}  // namespace paddock::mcp
