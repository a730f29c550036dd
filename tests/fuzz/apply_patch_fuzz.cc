// Fuzz target of V4A patches: the first line is a file's text (with \n for its line ends), the rest a patch or a diff. Whatever fits
// must leave text that no part of the diff's heads is in, and whatever does not must be refused in time.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bounded_run.h"
#include "tools/content/replace_text.h"
#include "tools/content/v4a.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock::tools;
  const paddock::fuzz::CpuGuard guard;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find('\n'), input.size());
  std::string text;
  for (size_t i = 0; i < end; ++i) {
    const bool is_newline = input[i] == '\\' && i + 1 < end && input[i + 1] == 'n';
    text += is_newline ? '\n' : input[i];
    i += is_newline;
  }
  const std::string_view patch = input.substr(std::min(end + 1, size));
  if (const auto operations = ParsePatch(patch)) {
    if (operations->empty()) std::abort();
    for (const PatchOperation& operation : *operations) {
      if (operation.path.empty() || operation.path.find('\0') != std::string::npos) std::abort();
      static_cast<void>(operation.kind == PatchOperation::Kind::kAdd ? CreateFromDiff(operation.diff) : ApplyDiff(text, operation.diff));
    }
  }
  if (const auto applied = ApplyDiff(text, patch)) {
    if (applied->size() > text.size() * 2 + patch.size() * 2) std::abort();   // it only adds what the diff has
  }
  if (const auto replaced = ReplaceText(text, patch, "x", true)) {
    if (replaced->count == 0 || replaced->lines.empty()) std::abort();
  }
  return 0;
}
