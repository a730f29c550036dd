#include "commands/git/listing_format.h"

#include <charconv>

#include "base/budget.h"

namespace paddock::git {

Result<std::string> ExpandListingFormat(Budget& budget, std::string_view command, std::string_view format,
                                        const std::function<Result<std::optional<std::string>>(std::string_view atom)>& value) {
  const auto bad = [&](const std::string& why) { return Error(Code::kSyntax, "bad " + std::string(command) + " format: " + why); };
  std::string text;
  while (!format.empty()) {
    budget.Step();
    const size_t percent = format.find('%');
    text += format.substr(0, percent);
    if (percent == std::string_view::npos) break;
    format.remove_prefix(percent + 1);
    if (format.starts_with('%')) {
      text += '%';
      format.remove_prefix(1);
      continue;
    }
    unsigned byte = 0;
    if (format.size() > 2 && format[0] == 'x' && std::from_chars(format.data() + 1, format.data() + 3, byte, 16).ptr == format.data() + 3) {
      text += static_cast<char>(byte);
      format.remove_prefix(3);
      continue;
    }
    const size_t end = format.find(')');
    if (!format.starts_with('(')) return bad("element '" + std::string(format) + "' does not start with '('");
    if (end == std::string_view::npos) return bad("element '" + std::string(format) + "' does not end in ')'");
    const std::string_view atom = format.substr(1, end - 1);
    format.remove_prefix(end + 1);
    PADDOCK_ASSIGN(const std::optional<std::string> found, value(atom));
    if (!found) return bad("%(" + std::string(atom) + ")");
    text += *found;
  }
  return text;
}

}  // namespace paddock::git
