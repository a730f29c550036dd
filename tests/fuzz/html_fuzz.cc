// Fuzz target of HTML to Markdown: any text becomes some. The first byte chooses the settings.
#include <cstdint>
#include <string>

#include "bounded_run.h"
#include "lang/html/markdown.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    paddock::html::ToMarkdown({reinterpret_cast<const char*>(data) + 1, size - 1}, {(data[0] & 1) != 0, (data[0] & 2) != 0, '*'}, budget);
  });
  return 0;
}
