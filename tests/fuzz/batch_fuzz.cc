// Fuzz target of the batch protocol: any line gets one reply of JSON with the request's id, and its script
// runs in a sandbox that limits end. The sandbox has no commands, only the shell.
#include <boost/json.hpp>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "bounded_run.h"
#include "cli/batch_request.h"
#include "drivers/virtual/virtual_driver.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace json = boost::json;
  using namespace paddock;
  static const auto driver = sandbox::MakeVirtualDriver({});
  const std::string line(reinterpret_cast<const char*>(data), size);
  Limits limits = fuzz::kInputLimits;
  limits.output_bytes = 64 << 10;
  limits.time = std::chrono::milliseconds(100);
  sandbox::SandboxSpec spec;
  spec.disk_bytes = 1 << 20;
  spec.disk_inodes = 2000;

  const fuzz::CpuGuard guard;
  json::parse_options names_are_bytes;
  names_are_bytes.allow_invalid_utf8 = true;
  const json::value reply = json::parse(cli::AnswerRequest(*driver, line, limits, spec), {}, names_are_bytes);
  const int64_t status = reply.at("status").as_int64();
  PADDOCK_CHECK(status >= 0 && status <= 255);
  boost::system::error_code error;
  const json::value request = json::parse(line, error);
  if (error || !request.is_object()) return 0;
  const json::value* id = request.as_object().if_contains("id");
  if (id != nullptr && id->is_string()) PADDOCK_CHECK(reply.at("id") == *id);
  return 0;
}
