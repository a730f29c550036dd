// Fuzz target of HTML to Markdown and to text: any text becomes some. The first byte chooses the settings.
#include <cstdint>
#include <string>

#include "bounded_run.h"
#include "lang/html/markdown.h"
#include "lang/html/text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    if ((data[0] & 4) != 0) paddock::html::ToText(text, {size_t{1} + data[0] / 8, (data[0] & 1) != 0}, budget);
    else paddock::html::ToMarkdown(text, {(data[0] & 1) != 0, (data[0] & 2) != 0, '*'}, budget);
  });
  return 0;
}
