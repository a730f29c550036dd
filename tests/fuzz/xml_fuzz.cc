// Fuzz target of xmllint: any text as XML or HTML, as a schema for itself, any XPath expression, any form of output, within the budget. The
// first two bytes choose, then comes the expression and, behind a line "--", the document. The one file that it can name is "itself".
#include <cstdint>
#include <string>

#include "bounded_run.h"
#include "lang/xml/lint.h"
#include "lang/xml/sources.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const unsigned choice = data[0], form = data[1];
  paddock::xml::LintSettings settings;
  constexpr int kOptions[] = {paddock::xml::kRecover, paddock::xml::kReplaceEntities, paddock::xml::kValidate, paddock::xml::kNoCdata, paddock::xml::kCleanNamespaces, paddock::xml::kIgnoreEncoding};
  for (unsigned i = 0; i < 6; ++i) {
    if ((choice & (1u << i)) != 0) settings.parse_options |= kOptions[i];
  }
  settings.is_html = (choice & 64) != 0;
  settings.drops_blanks = (choice & 128) != 0;
  settings.format = static_cast<int>(form & 3);
  settings.canonical = static_cast<paddock::xml::Canonical>((form >> 2) & 3);
  settings.writes_xml = (form & 16) != 0;
  settings.validates_later = (form & 32) != 0;
  settings.encoding = (form & 64) != 0 ? "ISO-8859-1" : "";
  switch (form >> 6) {
    case 1: settings.schema = "itself"; break;
    case 2: settings.relaxng = "itself"; break;
    case 3: settings.parse_options |= paddock::xml::kLoadDtd | paddock::xml::kXInclude; break;
    default: break;
  }
  settings.tells_sax = (choice & 66) == 2 && (form & 48) == 48;
  if (const size_t end = text.find("\n--\n"); end != std::string_view::npos) {
    settings.xpath = std::string(text.substr(0, end));
    text.remove_prefix(end + 4);
  }
  paddock::fuzz::RunBounded([&](paddock::Budget& budget) {
    std::string out, errors;
    paddock::xml::Sources sources([&](const std::string& path) { return path == "itself" ? std::optional<std::string>(text) : std::nullopt; });
    paddock::xml::Lint(text, "fuzz", settings, sources, out, errors, budget);
  });
  return 0;
}
