// Fuzz target of tool arguments and of what capabilities are told: JSON of any kind against every tool's table, attachments and
// documents. What is refused has words; what passes is written back the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "bounded_run.h"
#include "text/utf8.h"
#include "tools/capability/capability.h"
#include "tools/capability/harness.h"
#include "tools/capability/sandbox_config.h"
#include "tools/content/glob.h"
#include "tools/content/output_budget.h"
#include "tools/offer/sandbox_choice.h"
#include "tools/schema/parse_json.h"

namespace {

using namespace paddock::tools;

template <class T>
void ReadBack(const json::value& value) {
  const auto read = ReadAs<T>(value);
  if (!read) {
    if (read.error().message.empty() || !paddock::IsValidUtf8(read.error().message)) std::abort();
    return;
  }
  json::object written = Json<T>::Write(*read).as_object();
  for (auto member = written.begin(); member != written.end();) member = member->value().is_null() ? written.erase(member) : std::next(member);
  if (!ReadAs<T>(json::value(written))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const paddock::fuzz::CpuGuard guard;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string clean = CleanOutput(text);
  if (!paddock::IsValidUtf8(clean) || CleanOutput(clean) != clean) std::abort();
  if (!paddock::IsValidUtf8(CutMiddle(clean, size / 2, "session file /outputs/x")) || CutMiddle(clean, size / 2, "").size() > size / 2) std::abort();
  const auto value = ParseJson(text);
  if (!value) return 0;
  ReadBack<SandboxConfig>(*value);
  ReadBack<ContainerConfig>(*value);
  static_cast<void>(ParseHarness(*value));
  static_cast<void>(ParseAgent(*value));
  const auto attachments = ParseAttachments(*value, "capabilities");
  if (!attachments) return 0;
  static const Catalog catalog = BuiltInCapabilities();
  const Deployment deployment{.isolations = {"virtual", "container"}, .features = {"container_sandbox"}};
  const auto equipment = Resolve(catalog, deployment, {{"session", *attachments, ""}});
  if (!equipment && !paddock::IsValidUtf8(equipment.error().message)) std::abort();
  return 0;
}
