// Fuzz target of encodings of characters: whatever the bytes, each step takes some and no more than there are, and a character that is
// read is written and read again as itself. The first byte chooses the encoding.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "bounded_run.h"
#include "text/char_encoding.h"

namespace paddock {
namespace {

constexpr auto kNames = std::to_array<const char*>({"UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE", "ASCII", "ISO-8859-1", "ISO-8859-7", "CP1252", "KOI8-R",
                                                    "CP437", "ISO-8859-15//TRANSLIT"});

void RunOne(std::string_view name, std::string_view bytes, Budget& budget) {
  const auto found = CharEncoding::Find(name);
  if (!found) return;
  size_t mark = 0;
  const CharEncoding encoding = found->Settled(bytes, &mark);
  PADDOCK_CHECK(mark <= bytes.size());
  for (bytes.remove_prefix(mark); !bytes.empty();) {
    budget.Step();
    const CharEncoding::Decoded decoded = encoding.Decode(bytes);
    if (decoded.state == CharEncoding::Decoded::State::kIncomplete) return;
    PADDOCK_CHECK(decoded.length > 0 && decoded.length <= bytes.size());
    if (decoded.state == CharEncoding::Decoded::State::kChar) {
      std::string written;
      PADDOCK_CHECK(encoding.Encode(decoded.code, written));
      const CharEncoding::Decoded again = encoding.Decode(written);
      PADDOCK_CHECK(again.state == decoded.state && again.code == decoded.code && again.length == written.size());
      static_cast<void>(Transliterate(decoded.code));
    }
    bytes.remove_prefix(decoded.length);
  }
}

}  // namespace
}  // namespace paddock

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    if (data[0] < 128) return paddock::RunOne(paddock::kNames[data[0] % paddock::kNames.size()], text, budget);
    static_cast<void>(paddock::CharEncoding::Find(text));   // a name of any kind
  });
  return 0;
}
