// The functions of make on words.
#include <algorithm>
#include <charconv>

#include "lang/make/expand.h"
#include "lang/make/words.h"

namespace paddock::make {
namespace {

void AddWord(std::string& out, std::string_view word) {
  if (!out.empty()) out += ' ';
  out += word;
}

std::string Subst(Session& s, Arguments a) { return ReplaceAll(a[2], a[0], a[1], s.budget()); }
std::string PatSubst(Session& s, Arguments a) { return SubstitutePattern(a[2], a[0], a[1], s.budget()); }

std::string Strip(Session& s, Arguments a) {
  std::string out;
  for (const std::string_view word : SplitWords(a[0], s.budget())) AddWord(out, word);
  return out;
}

std::string FindString(Session& s, Arguments a) {
  s.budget().Step(1 + static_cast<int64_t>(a[1].size() / 32));
  return a[1].find(a[0]) == std::string::npos ? "" : a[0];
}

std::string FilterWords(Session& s, Arguments a, bool keeps) {
  std::vector<PercentPattern> patterns;
  std::set<std::string> literals;
  for (const std::string_view word : SplitWords(a[0], s.budget())) {
    PercentPattern pattern(word);
    if (pattern.has_percent()) {
      patterns.push_back(std::move(pattern));
    } else {
      literals.insert(pattern.prefix());
    }
  }
  std::string out;
  for (const std::string_view word : SplitWords(a[1], s.budget())) {
    bool matches = literals.contains(std::string(word));
    for (size_t i = 0; i < patterns.size() && !matches; ++i) {
      s.budget().Step();
      matches = patterns[i].Match(word).has_value();
    }
    if (matches == keeps) AddWord(out, word);
  }
  return out;
}
std::string Filter(Session& s, Arguments a) { return FilterWords(s, a, true); }
std::string FilterOut(Session& s, Arguments a) { return FilterWords(s, a, false); }

std::string Sort(Session& s, Arguments a) {
  std::vector<std::string_view> words = SplitWords(a[0], s.budget());
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::string out;
  for (const std::string_view word : words) AddWord(out, word);
  return out;
}

// A number of a function's argument; nothing after a complaint.
std::optional<int64_t> Number(Session& s, std::string_view text, std::string_view message) {
  const std::string_view digits = Trim(text);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    s.Fatal(s.ExpansionPlace(), std::string(message) + ": '" + std::string(text) + "'");
    return std::nullopt;
  }
  if (error != std::errc()) value = INT64_MAX;
  return value;
}

std::string Word(Session& s, Arguments a) {
  const auto index = Number(s, a[0], "non-numeric first argument to 'word' function");
  if (!index) return {};
  if (*index == 0) {
    s.Fatal(s.ExpansionPlace(), "first argument to 'word' function must be greater than 0");
    return {};
  }
  std::string_view rest = a[1];
  std::string_view word;
  for (int64_t i = 0; i < *index; ++i) {
    s.budget().Step();
    word = TakeWord(rest);
    if (word.empty()) break;
  }
  return std::string(word);
}

std::string WordList(Session& s, Arguments a) {
  const auto first = Number(s, a[0], "non-numeric first argument to 'wordlist' function");
  if (!first) return {};
  const auto last = Number(s, a[1], "non-numeric second argument to 'wordlist' function");
  if (!last) return {};
  if (*first == 0) {
    s.Fatal(s.ExpansionPlace(), "invalid first argument to 'wordlist' function: '" + a[0] + "'");
    return {};
  }
  const std::vector<std::string_view> words = SplitWords(a[2], s.budget());
  std::string out;
  if (*first > static_cast<int64_t>(words.size()) || *last < *first) return out;
  const std::string_view from = words[static_cast<size_t>(*first) - 1];
  const std::string_view to = words[std::min(static_cast<size_t>(*last), words.size()) - 1];
  return std::string(from.data(), to.data() + to.size());
}

std::string CountWords(Session& s, Arguments a) { return std::to_string(SplitWords(a[0], s.budget()).size()); }

std::string FirstWord(Session&, Arguments a) {
  std::string_view text = a[0];
  return std::string(TakeWord(text));
}

std::string LastWord(Session&, Arguments a) {
  const std::string_view text = Trim(a[0]);
  size_t begin = text.size();
  while (begin > 0 && !IsSpace(text[begin - 1])) --begin;
  return std::string(text.substr(begin));
}

std::string Affix(Session& s, Arguments a, bool is_prefix) {
  std::string out;
  for (const std::string_view word : SplitWords(a[1], s.budget())) {
    s.budget().Step(1 + static_cast<int64_t>(a[0].size() / 32));
    if (out.size() + a[0].size() + word.size() >= out.capacity()) s.budget().WillAllocate(2 * (out.size() + a[0].size() + word.size()));
    if (!out.empty()) out += ' ';
    if (is_prefix) out += a[0];
    out += word;
    if (!is_prefix) out += a[0];
  }
  return out;
}
std::string AddPrefix(Session& s, Arguments a) { return Affix(s, a, true); }
std::string AddSuffix(Session& s, Arguments a) { return Affix(s, a, false); }

std::string Join(Session& s, Arguments a) {
  const auto left = SplitWords(a[0], s.budget());
  const auto right = SplitWords(a[1], s.budget());
  std::string out;
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    if (i > 0) out += ' ';
    if (i < left.size()) out += left[i];
    if (i < right.size()) out += right[i];
  }
  return out;
}

template <class Cut>
std::string EachWord(Session& s, std::string_view text, Cut cut) {
  std::string out;
  for (const std::string_view word : SplitWords(text, s.budget())) {
    const std::string_view part = cut(word);
    if (part.data() != nullptr) AddWord(out, part);
  }
  return out;
}
// Where the suffix begins; npos without one.
size_t SuffixAt(std::string_view word) {
  const size_t dot = word.rfind('.');
  const size_t slash = word.rfind('/');
  return dot == std::string_view::npos || (slash != std::string_view::npos && slash > dot) ? std::string_view::npos : dot;
}
std::string Dir(Session& s, Arguments a) {
  return EachWord(s, a[0], [](std::string_view word) { return DirectoryPart(word).empty() ? std::string_view("./") : DirectoryPart(word); });
}
std::string NotDir(Session& s, Arguments a) {
  return EachWord(s, a[0], [](std::string_view word) { return word.substr(DirectoryPart(word).size()); });
}
std::string Suffix(Session& s, Arguments a) {
  return EachWord(s, a[0], [](std::string_view word) {
    const size_t at = SuffixAt(word);
    return at == std::string_view::npos ? std::string_view() : word.substr(at);
  });
}
std::string BaseName(Session& s, Arguments a) {
  return EachWord(s, a[0], [](std::string_view word) { return word.substr(0, SuffixAt(word)); });
}

constexpr Function kFunctions[] = {
    {"subst", 3, 3, false, Subst},           {"patsubst", 3, 3, false, PatSubst},
    {"strip", 0, 1, false, Strip},           {"findstring", 2, 2, false, FindString},
    {"filter", 2, 2, false, Filter},         {"filter-out", 2, 2, false, FilterOut},
    {"sort", 0, 1, false, Sort},             {"word", 2, 2, false, Word},
    {"wordlist", 3, 3, false, WordList},     {"words", 0, 1, false, CountWords},
    {"firstword", 0, 1, false, FirstWord},   {"lastword", 0, 1, false, LastWord},
    {"addprefix", 2, 2, false, AddPrefix},   {"addsuffix", 2, 2, false, AddSuffix},
    {"join", 2, 2, false, Join},             {"dir", 0, 1, false, Dir},
    {"notdir", 0, 1, false, NotDir},         {"suffix", 0, 1, false, Suffix},
    {"basename", 0, 1, false, BaseName},
};

}  // namespace

std::span<const Function> TextFunctions() { return kFunctions; }

}  // namespace paddock::make
