// What xmllint does with one document: parse, complain, evaluate XPath, write it out, validate. libxml2 does the work, so that
// results and complaints are those of the real tool; nothing is read but the given text and what Sources has.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace paddock {
class Budget;
}

namespace paddock::xml {

class Sources;

// libxml2's own parser options, by its numbers: those who include this need not see its headers.
inline constexpr int kRecover = 1 << 0;
inline constexpr int kReplaceEntities = 1 << 1;
inline constexpr int kLoadDtd = 1 << 2;
inline constexpr int kDefaultAttributes = 1 << 3;
inline constexpr int kValidate = 1 << 4;
inline constexpr int kNoWarnings = 1 << 6;
inline constexpr int kPedantic = 1 << 7;
inline constexpr int kXInclude = 1 << 10;
inline constexpr int kNoNetwork = 1 << 11;
inline constexpr int kCleanNamespaces = 1 << 13;
inline constexpr int kNoCdata = 1 << 14;
inline constexpr int kNoXIncludeNodes = 1 << 15;
inline constexpr int kCompact = 1 << 16;
inline constexpr int kOld10 = 1 << 17;
inline constexpr int kNoBaseFixup = 1 << 18;
inline constexpr int kHuge = 1 << 19;
inline constexpr int kIgnoreEncoding = 1 << 21;
inline constexpr int kBigLines = 1 << 22;
inline constexpr int kNoDefaultDtd = 1 << 2;   // of HTML

enum class Canonical { kNo, k10, k11, kExclusive };

// Of --shell: commands for one document after the other, as lines.
struct ShellSession {
  std::string commands;
  size_t begin = 0, end = 0;                                 // of those for the document at hand
  std::vector<std::pair<std::string, std::string>> saved;    // names and contents of files that it wants written
};

struct LintSettings {
  int parse_options = 0;           // those above
  bool is_html = false;
  bool writes_xml = false;         // for HTML
  bool drops_blanks = false;
  bool drops_dtd = false;
  bool validates = false;          // against its own DTD, while parsing
  bool validates_later = false;
  bool is_silent = false;          // writes no document
  bool repeats = false;            // the command parses it a hundred times
  bool tells_loads = false;        // says what is read
  bool tells_entities = false;
  bool tells_times = false;
  bool is_quiet = false;           // says nothing of documents that are valid
  bool is_stream = false;          // validates while it reads, and writes no document
  bool is_generated = false;       // the document has no name
  bool inserts = false;            // says which elements may be put under the root
  bool is_dump = false;            // writes the tree as the library holds it
  bool is_saved_plainly = false;   // by the library's short way, which knows no format and no encoding
  bool tells_sax = false;          // writes the parser's calls and makes no tree
  bool is_html_output = false;     // complaints of the parser are HTML
  size_t most_memory = 0;
  int format = 0;                  // 1 indents, 2 puts blanks inside tags
  Canonical canonical = Canonical::kNo;
  std::string encoding;
  std::string indent = "  ";
  std::optional<std::string> xpath;
  ShellSession* shell = nullptr;
  std::optional<std::string> dtd, dtd_identifier;             // validate against these, after parsing
  std::optional<std::string> schema, relaxng, schematron;     // files
};

// Returns xmllint's exit status for this document. `out` and `errors` are appended to.
int Lint(std::string_view text, const std::string& name, const LintSettings& settings, Sources& sources, std::string& out, std::string& errors, Budget& budget);

// Compiles what documents are to be validated against; 0, or 5 after complaints: then no document can be.
int CheckSchemas(const LintSettings& settings, Sources& sources, std::string& errors, Budget& budget);

}  // namespace paddock::xml
