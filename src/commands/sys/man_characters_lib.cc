#include "commands/sys/man_characters.h"

#include <algorithm>

#include "text/utf8.h"

namespace paddock::manual {
namespace {

struct Character {
  std::string_view name;
  uint32_t code;
};
constexpr Character kCharacters[] = {
    {"!=", 0x2260}, {"'A", 0xc1}, {"'E", 0xc9}, {"'I", 0xcd}, {"'O", 0xd3}, {"'U", 0xda}, {"'a", 0xe1}, {"'e", 0xe9}, {"'i", 0xed}, {"'o", 0xf3}, {"'u", 0xfa},
    {"*a", 0x3b1}, {"*b", 0x3b2}, {"*d", 0x3b4}, {"*e", 0x3b5}, {"*g", 0x3b3}, {"*l", 0x3bb}, {"*m", 0xb5}, {"*p", 0x3c0}, {"*s", 0x3c3}, {"*w", 0x3c9}, {"*W", 0x3a9}, {"*D", 0x394}, {"*S", 0x3a3},
    {"+-", 0xb1}, {",C", 0xc7}, {",c", 0xe7}, {"->", 0x2192}, {"12", 0xbd}, {"14", 0xbc}, {"34", 0xbe}, {"<-", 0x2190}, {"<=", 0x2264}, {"<>", 0x2194}, {"==", 0x2261}, {">=", 0x2265},
    {":A", 0xc4}, {":O", 0xd6}, {":U", 0xdc}, {":a", 0xe4}, {":e", 0xeb}, {":i", 0xef}, {":o", 0xf6}, {":u", 0xfc}, {"Bq", 0x201e}, {"Cs", 0xa4}, {"Do", '$'}, {"Eu", 0x20ac}, {"Fc", 0xbb}, {"Fo", 0xab},
    {"Po", 0xa3}, {"Ye", 0xa5}, {"^A", 0xc2}, {"^E", 0xca}, {"^a", 0xe2}, {"^e", 0xea}, {"^i", 0xee}, {"^o", 0xf4}, {"^u", 0xfb}, {"`A", 0xc0}, {"`E", 0xc8}, {"`a", 0xe0}, {"`e", 0xe8}, {"`i", 0xec},
    {"`o", 0xf2}, {"`u", 0xf9}, {"~A", 0xc3}, {"~N", 0xd1}, {"~O", 0xd5}, {"~a", 0xe3}, {"~n", 0xf1}, {"~o", 0xf5}, {"oA", 0xc5}, {"oa", 0xe5}, {"AE", 0xc6}, {"ae", 0xe6}, {"/O", 0xd8}, {"/o", 0xf8},
    {"aa", 0xb4}, {"aq", '\''}, {"at", '@'}, {"ba", '|'}, {"bq", 0x201a}, {"br", 0x2502}, {"bu", 0x2022}, {"bv", 0x23aa}, {"ci", 0x25cb}, {"co", 0xa9}, {"cq", 0x2019}, {"ct", 0xa2}, {"dA", 0x21d3},
    {"da", 0x2193}, {"dd", 0x2021}, {"de", 0xb0}, {"dg", 0x2020}, {"di", 0xf7}, {"dq", '"'}, {"em", 0x2014}, {"en", 0x2013}, {"eq", '='}, {"es", 0x2205}, {"fc", 0x203a}, {"fm", 0x2032}, {"fo", 0x2039},
    {"ga", '`'}, {"ha", '^'}, {"hA", 0x21d4}, {"if", 0x221e}, {"is", 0x222b}, {"la", 0x27e8}, {"ra", 0x27e9}, {"lA", 0x21d0}, {"lB", '['}, {"lC", '{'}, {"lh", 0x261c}, {"lq", 0x201c}, {"md", 0x22c5},
    {"mi", 0x2212}, {"mu", 0xd7}, {"nb", 0x2284}, {"no", 0xac}, {"oe", 0x153}, {"oq", 0x2018}, {"pc", 0xb7}, {"pl", '+'}, {"pd", 0x2202}, {"ps", 0xb6}, {"rA", 0x21d2}, {"rB", ']'}, {"rC", '}'},
    {"rg", 0xae}, {"rh", 0x261e}, {"rn", 0x203e}, {"rq", 0x201d}, {"rs", '\\'}, {"ru", '_'}, {"sc", 0xa7}, {"sh", '#'}, {"sl", '/'}, {"sq", 0x25a1}, {"sr", 0x221a}, {"ss", 0xdf}, {"te", 0x2203},
    {"ti", '~'}, {"tm", 0x2122}, {"tp", 0xfe}, {"uA", 0x21d1}, {"ua", 0x2191}, {"ul", '_'}, {"va", 0x2195}, {"lt", 0x23a7}, {"sp", ' '}, {"hy", 0x2010}, {"OK", 0x2713}, {"fa", 0x2200}, {"mo", 0x2208},
    {"an", '&'}, {"or", '|'}, {"fi", 0xfb01}, {"fl", 0xfb02}, {"Sd", 0xf0}, {"r!", 0xa1}, {"r?", 0xbf}, {"bb", 0xa6}, {"S1", 0xb9}, {"S2", 0xb2}, {"S3", 0xb3}, {"Of", 0xaa}, {"Om", 0xba}, {"~~", 0x2248},
    {"~=", 0x2248}, {"=~", 0x2245}, {"ap", 0x223c}, {"tf", 0x2234}, {"coproduct", 0x2210}, {"product", 0x220f}, {"sum", 0x2211}, {"dotmath", 0x22c5}, {"u2010", 0x2010}, {"Fn", 0x192}, {"CR", 0x21b5},
};

// What groff's ASCII and Latin-1 devices write instead.
struct Fallback {
  uint32_t code;
  std::string_view text;
};
constexpr Fallback kFallbacks[] = {
    {0x2010, "-"}, {0x2013, "-"}, {0x2014, "--"}, {0x2018, "`"}, {0x2019, "'"}, {0x201a, ","}, {0x201c, "\""}, {0x201d, "\""}, {0x201e, ",,"}, {0x2020, "<*>"}, {0x2021, "<**>"}, {0x2022, "o"}, {0x2032, "'"},
    {0x2039, "<"}, {0x203a, ">"}, {0x20ac, "EUR"}, {0x2122, "tm"}, {0x2190, "<-"}, {0x2191, "^"}, {0x2192, "->"}, {0x2193, "v"}, {0x2194, "<->"}, {0x21d0, "<="}, {0x21d2, "=>"}, {0x21d4, "<=>"}, {0x2212, "-"},
    {0x221e, "oo"}, {0x2248, "~~"}, {0x223c, "~"}, {0x2260, "!="}, {0x2261, "=="}, {0x2264, "<="}, {0x2265, ">="}, {0x22c5, "."}, {0x23aa, "|"}, {0x2502, "|"}, {0x25a1, "[]"}, {0x25cb, "O"}, {0x261c, "<="}, {0x261e, "=>"},
    {0x27e8, "<"}, {0x27e9, ">"}, {0x2205, "{}"}, {0x203e, "-"}, {0x21b5, "<cr>"}, {0x153, "oe"}, {0x192, "f"}, {0x3b1, "<alpha>"}, {0x3b2, "<beta>"}, {0x3b3, "<gamma>"}, {0x3b4, "<delta>"}, {0x3bb, "<lambda>"},
    {0x3c0, "<pi>"}, {0x3c3, "<sigma>"}, {0x3c9, "<omega>"},
};
constexpr Fallback kAsciiFallbacks[] = {
    {0xa9, "(C)"}, {0xae, "(R)"}, {0xab, "<<"}, {0xbb, ">>"}, {0xb1, "+-"}, {0xd7, "x"}, {0xf7, "/"}, {0xb7, "."}, {0xb4, "'"}, {0xb5, "u"}, {0xdf, "ss"}, {0xe4, "a"}, {0xf6, "o"}, {0xfc, "u"}, {0xe9, "e"}, {0xe8, "e"},
    {0xbd, "1/2"}, {0xbc, "1/4"}, {0xbe, "3/4"}, {0xb0, "<degree>"}, {0xa7, "<section>"}, {0xb6, "<paragraph>"}, {0xac, "~"}, {0xa2, "/c"}, {0xa3, "-L"}, {0xa5, "=Y"}, {0xc6, "AE"}, {0xe6, "ae"}, {0xa6, "|"},
};

std::string Utf8(uint32_t code) {
  std::string text;
  AppendUtf8(text, code);
  return text;
}

}  // namespace

std::optional<std::string> NamedCharacter(std::string_view name) {
  if (name == "-" || name == "hyphen") return name == "-" ? "-" : "\x01";
  for (const Character& one : kCharacters) {
    if (one.name == name) return Utf8(one.code);
  }
  if (name.size() >= 5 && name.size() <= 7 && name[0] == 'u') {
    uint32_t code = 0;
    for (const char c : name.substr(1)) {
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
      if (digit < 0) return std::nullopt;
      code = code * 16 + static_cast<uint32_t>(digit);
    }
    if (code >= ' ' && code < 0x110000 && (code < 0xd800 || code > 0xdfff)) return Utf8(code);
  }
  return std::nullopt;
}

std::string ShownOn(std::string_view text, PageStyle::Encoding encoding, Budget& budget) {
  if (encoding == PageStyle::Encoding::kUtf8) return std::string(text);
  const bool is_ascii = encoding == PageStyle::Encoding::kAscii;
  const auto look = [](uint32_t code, const auto& table) -> const Fallback* {
    const auto* found = std::find_if(std::begin(table), std::end(table), [&](const Fallback& one) { return one.code == code; });
    return found == std::end(table) ? nullptr : found;
  };
  std::string result;
  while (!text.empty()) {
    const DecodedChar decoded = DecodeUtf8(text);
    const std::string_view bytes = text.substr(0, decoded.length);
    text.remove_prefix(decoded.length);
    if (!decoded.is_valid || decoded.code < 0x80) {
      result += bytes;
      continue;
    }
    budget.Step();
    if (!is_ascii && decoded.code <= 0xff) {
      result += bytes;
      continue;
    }
    const Fallback* fallback = look(decoded.code, kFallbacks);
    if (fallback == nullptr && is_ascii) fallback = look(decoded.code, kAsciiFallbacks);
    if (decoded.code == 0xa0) result += bytes;
    else if (fallback != nullptr) result += fallback->text;
  }
  return result;
}

}  // namespace paddock::manual
