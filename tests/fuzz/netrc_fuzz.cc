// Fuzz target of .netrc: whatever the file holds, it is read in bounded time, and what is found for a host has no more than the file.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "bounded_run.h"
#include "text/netrc.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    for (const char* const host : {"example.org", "a", ""}) {
      for (const char* const name : {"", "user"}) {
        const auto login = paddock::FindNetrcLogin(text, host, name, budget);
        if (!login) continue;
        PADDOCK_CHECK(login->name.size() + login->password.size() <= size);
        PADDOCK_CHECK(*name == '\0' || login->name == name);
      }
    }
  });
  return 0;
}
