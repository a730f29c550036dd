// Fuzz target of the reader of git's configuration: any text is refused or read, and what is read as safe stays safe when it is
// written the way git writes it.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "bounded_run.h"
#include "drivers/process/protect/git_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock::process_wall;
  const paddock::fuzz::CpuGuard guard;
  const auto settings = ReadGitConfig({reinterpret_cast<const char*>(data), size});
  if (!settings) return 0;
  std::string text;
  for (const GitSetting& setting : *settings) {
    text += "[" + setting.section + (setting.subsection.empty() ? "" : " \"" + setting.subsection + "\"") + "]\n";
    text += "\t" + setting.key + " = \"" + setting.value + "\"\n";
  }
  if (text.size() > kMaxGitConfig) return 0;
  const auto again = ReadGitConfig(text);
  PADDOCK_CHECK(again && again->size() == settings->size());
  for (size_t i = 0; i < settings->size(); ++i) {
    PADDOCK_CHECK((*again)[i].section == (*settings)[i].section && (*again)[i].subsection == (*settings)[i].subsection &&
                  (*again)[i].key == (*settings)[i].key && (*again)[i].value == (*settings)[i].value);
  }
  PADDOCK_CHECK(CheckGitSettings(*again).has_value() == CheckGitSettings(*settings).has_value());
  return 0;
}
