// Fuzz target of path name expansion: whatever the pattern and the names, what is found exists, is sorted,
// and a quoted name finds itself.
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "shell/expand/expander.h"
#include "shell/shell_for_test.h"
#include "text/pattern.h"
#include "vfs/file_system.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock::shell;
  namespace vfs = paddock::vfs;
  if (size < 2) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const size_t newline = text.find('\n');
  const std::string pattern = text.substr(0, newline);
  WithShell([&](Shell& shell) {
    shell.options.Put(ShoptOption::kExtglob, (data[0] & 1) != 0);
    shell.options.Put(ShoptOption::kGlobstar, (data[0] & 2) != 0);
    shell.options.Put(ShoptOption::kDotglob, (data[0] & 4) != 0);
    shell.options.Put(ShoptOption::kGlobskipdots, (data[0] & 8) != 0);
    // The lines behind the pattern are files.
    std::string_view rest = newline == std::string::npos ? std::string_view() : std::string_view(text).substr(newline + 1);
    while (!rest.empty()) {
      const std::string name = "./" + std::string(rest.substr(0, rest.find('\n')));
      rest.remove_prefix(std::min(name.size() - 1, rest.size()));
      if (!vfs::MakeDirectories(shell.files(), vfs::DirectoryName(name))) continue;
      if (!vfs::WriteFile(shell.files(), name, "")) continue;
      const auto found = Glob(shell, paddock::QuotePattern(name) + "*");
      PADDOCK_CHECK(std::find(found.begin(), found.end(), name) != found.end());
    }
    const auto found = Glob(shell, pattern);
    PADDOCK_CHECK(std::is_sorted(found.begin(), found.end()));
    for (const std::string& path : found) {
      PADDOCK_CHECK(shell.files().Stat(path, vfs::Follow::kNo).has_value());
    }
  });
  return 0;
}
