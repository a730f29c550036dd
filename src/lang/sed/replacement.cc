#include "lang/sed/replacement.h"

#include <algorithm>

#include "text/utf8.h"

namespace paddock::sed {

void ParseReplacement(std::string_view text, Substitution& substitution, bool has_cases) {
  auto& parts = substitution.parts;
  const auto put = [&parts](char c) {
    if (parts.empty() || parts.back().kind != ReplacementPart::Kind::kText) parts.emplace_back();
    parts.back().text.push_back(c);
  };
  const auto put_group = [&](int group) {
    parts.push_back({ReplacementPart::Kind::kGroup, {}, group, 0});
    substitution.highest_group = std::max(substitution.highest_group, group);
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '&') {
      put_group(0);
    } else if (c != '\\' || i + 1 >= text.size()) {
      put(c);
    } else {
      const char escaped = text[++i];
      switch (escaped) {
        case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
          put_group(escaped - '0');
          break;
        case 'U': case 'L': case 'E': case 'u': case 'l':
          if (!has_cases) {
            put(escaped);
            break;
          }
          parts.push_back({ReplacementPart::Kind::kCase, {}, 0, escaped});
          substitution.has_cases = true;
          break;
        case 'n': put('\n'); break;
        default: put(escaped);
      }
    }
  }
}

namespace {

std::string_view GroupText(std::string_view text, const std::vector<RegexGroup>& groups, int number) {
  const auto index = static_cast<size_t>(number);
  if (index >= groups.size() || !groups[index].is_set()) return {};
  return text.substr(groups[index].begin, groups[index].end - groups[index].begin);
}

char32_t MapAscii(char32_t c, bool to_upper) { return to_upper ? ToUpper(c) : ToLower(c); }

// Puts text through \U, \L, \u and \l.
class CaseMapper {
 public:
  CaseMapper(bool is_utf8, std::string& out) : is_utf8_(is_utf8), out_(out) {}

  void Set(char letter) {
    if (letter == 'u' || letter == 'l') {
      once_ = letter;
    } else {
      mode_ = letter;
      once_ = 0;
    }
  }

  void Append(std::string_view text) {
    while (!text.empty()) {
      const char how = once_ != 0 ? once_ : mode_;
      once_ = 0;
      const DecodedChar c = is_utf8_ ? DecodeUtf8(text) : DecodedChar{static_cast<unsigned char>(text[0]), 1, false};
      const bool to_upper = how == 'U' || how == 'u';
      const bool has_case = how != 'E' && (c.is_valid || c.code < 128);
      if (has_case) {
        AppendUtf8(out_, MapAscii(c.code, to_upper));
      } else {
        out_.append(text.substr(0, c.length));
      }
      text.remove_prefix(c.length);
    }
  }

 private:
  bool is_utf8_;
  std::string& out_;
  char mode_ = 'E';
  char once_ = 0;
};

}  // namespace

void AppendReplacement(const Substitution& substitution, std::string_view text,
                       const std::vector<RegexGroup>& groups, bool is_utf8, std::string& out) {
  if (!substitution.has_cases) {
    for (const ReplacementPart& part : substitution.parts) {
      if (part.kind == ReplacementPart::Kind::kText) {
        out.append(part.text);
      } else {
        out.append(GroupText(text, groups, part.group));
      }
    }
    return;
  }
  CaseMapper mapper(is_utf8, out);
  for (const ReplacementPart& part : substitution.parts) {
    switch (part.kind) {
      case ReplacementPart::Kind::kText: mapper.Append(part.text); break;
      case ReplacementPart::Kind::kGroup: mapper.Append(GroupText(text, groups, part.group)); break;
      case ReplacementPart::Kind::kCase: mapper.Set(part.letter); break;
    }
  }
}

}  // namespace paddock::sed
