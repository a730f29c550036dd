#include <algorithm>
#include <vector>

#include "commands/sys/man_page.h"
#include "text/utf8.h"

namespace paddock::manual {
namespace {

constexpr size_t kLinesOnPage = 66;
constexpr int kTop = 800, kLeft = 40, kLeading = 11;   // points, on A4

// What Latin-1, the encoding of the font, has not.
char Nearest(char32_t code) {
  constexpr std::pair<char32_t, char> kKnown[] = {{0x2010, '-'}, {0x2011, '-'}, {0x2012, '-'}, {0x2013, '-'}, {0x2014, '-'}, {0x2018, '\''}, {0x2019, '\''},
                                                  {0x201c, '"'}, {0x201d, '"'}, {0x2022, 'o'}, {0x2212, '-'}, {0x2500, '-'}, {0x2502, '|'}};
  const auto found = std::find_if(std::begin(kKnown), std::end(kKnown), [code](const auto& one) { return one.first == code; });
  return found == std::end(kKnown) ? '?' : found->second;
}

// A string of PostScript.
std::string Quoted(std::string_view line) {
  std::string text = "(";
  while (!line.empty()) {
    const DecodedChar decoded = DecodeUtf8(line);
    char32_t code = decoded.is_valid ? decoded.code : static_cast<unsigned char>(line[0]);
    line.remove_prefix(std::max<size_t>(decoded.length, 1));
    if (code > 0xff) code = static_cast<unsigned char>(Nearest(code));
    if (code == '(' || code == ')' || code == '\\') text += '\\';
    if (code >= ' ' && code < 0x7f) {
      text += static_cast<char>(code);
      continue;
    }
    char octal[8];
    std::snprintf(octal, sizeof octal, "\\%03o", static_cast<unsigned>(code));
    text += octal;
  }
  return text + ")";
}

}  // namespace

std::string PostScript(std::string_view text, Budget& budget) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    budget.Step();
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const size_t pages = std::max<size_t>((lines.size() + kLinesOnPage - 1) / kLinesOnPage, 1);
  std::string made =
      "%!PS-Adobe-3.0\n%%Creator: paddock\n%%DocumentNeededResources: font Courier\n%%Pages: " + std::to_string(pages) +
      "\n%%PageOrder: Ascend\n%%DocumentMedia: Default 595 842 0 () ()\n%%Orientation: Portrait\n%%EndComments\n%%BeginProlog\n"
      "/Courier findfont dup length dict begin {1 index /FID ne {def} {pop pop} ifelse} forall\n"
      "/Encoding ISOLatin1Encoding def currentdict end /Page-Font exch definefont pop\n"
      "/L {moveto show} bind def\n%%EndProlog\n";
  for (size_t page = 0; page < pages; ++page) {
    const std::string number = std::to_string(page + 1);
    made += "%%Page: " + number + " " + number + "\n/Page-Font findfont 10 scalefont setfont\n";
    for (size_t i = 0; i < kLinesOnPage && page * kLinesOnPage + i < lines.size(); ++i) {
      budget.Step();
      const std::string_view line = lines[page * kLinesOnPage + i];
      if (line.empty()) continue;
      budget.WillAllocate(made.size() / 64 + line.size());
      made += Quoted(line) + " " + std::to_string(kLeft) + " " + std::to_string(kTop - kLeading * static_cast<int>(i)) + " L\n";
    }
    made += "showpage\n";
  }
  return made + "%%Trailer\n%%EOF\n";
}

}  // namespace paddock::manual
