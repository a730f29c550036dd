// Router: takes a request to its operation: who asks, which path, what it carries; and its failure to the client.
#pragma once

#include <functional>

#include "api/rest/operation.h"

namespace paddock::api {

// Errors: kAccess (401: no key, or none that holds).
using Authenticate = std::function<Result<Identity>(const net::Request& request)>;

// Any thread.
class Router {
 public:
  // `services` outlives it.
  Router(Services& services, Authenticate authenticate) : services_(services), authenticate_(std::move(authenticate)) {}

  // A net::Handler. Answers always.
  void Handle(net::Exchange& exchange);

 private:
  Status Route(CountedExchange& exchange);

  Services& services_;
  const Authenticate authenticate_;
};

}  // namespace paddock::api
