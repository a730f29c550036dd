#include "text/path_glob.h"

#include "base/budget.h"

namespace paddock {

PathGlob::PathGlob(std::string_view pattern, const PathGlobFlags& flags) : ignores_case_(flags.ignore_case) {
  bool is_at_component = true;   // a slash, or nothing, stands before
  while (!pattern.empty() && !is_malformed_) {
    const char c = pattern.front();
    const bool was_at_component = is_at_component;
    is_at_component = c == '/';
    if (c == '*') {
      size_t stars = 0;
      while (stars < pattern.size() && pattern[stars] == '*') ++stars;
      const std::string_view rest = pattern.substr(stars);
      pattern = rest;
      if (stars != 2 || !was_at_component || !(rest.empty() || rest.starts_with('/'))) {
        tokens_.push_back({Token::Kind::kStar});
      } else if (rest.empty()) {
        tokens_.push_back({Token::Kind::kAnything});
      } else {
        tokens_.push_back({Token::Kind::kDirectories});
        pattern.remove_prefix(1);
        is_at_component = true;
      }
      continue;
    }
    pattern.remove_prefix(1);
    if (c == '[') {
      is_malformed_ = !TakeSet(pattern, flags);
    } else if (c == '?') {
      std::bitset<256> any;
      any.set();
      if (!flags.any_matches_slash) any.reset('/');
      tokens_.push_back({Token::Kind::kSet, 0, static_cast<uint32_t>(sets_.size())});
      sets_.push_back(any);
    } else if (c == '\\') {
      is_malformed_ = pattern.empty();
      if (is_malformed_) break;
      tokens_.push_back({Token::Kind::kByte, Folded(pattern.front())});
      pattern.remove_prefix(1);
    } else {
      tokens_.push_back({Token::Kind::kByte, Folded(c)});
    }
  }
}

bool PathGlob::TakeSet(std::string_view& rest, const PathGlobFlags& flags) {
  std::bitset<256> set;
  const bool is_negated = rest.starts_with('^') || (flags.bang_negates && rest.starts_with('!'));
  if (is_negated) rest.remove_prefix(1);
  const auto take = [&](unsigned char& c) {
    if (rest.starts_with('\\')) rest.remove_prefix(1);
    if (rest.empty()) return false;
    c = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    return true;
  };
  while (!rest.starts_with(']')) {
    unsigned char first = 0;
    if (!take(first)) return false;
    unsigned char last = first;
    if (rest.starts_with('-')) {
      rest.remove_prefix(1);
      if (rest.starts_with(']') || !take(last)) return false;
    }
    for (unsigned c = first; c <= last; ++c) {
      set.set(c);
      if (!ignores_case_) continue;
      if (c >= 'A' && c <= 'Z') set.set(c - 'A' + 'a');
    }
  }
  rest.remove_prefix(1);
  if (is_negated) set.flip();
  if (!flags.any_matches_slash) set.reset('/');
  tokens_.push_back({Token::Kind::kSet, 0, static_cast<uint32_t>(sets_.size())});
  sets_.push_back(set);
  return true;
}

void PathGlob::Enter(size_t at, std::vector<bool>& states) const {
  for (; !states[at]; ++at) {
    states[at] = true;
    if (at == tokens_.size()) return;
    const Token::Kind kind = tokens_[at].kind;
    if (kind == Token::Kind::kByte || kind == Token::Kind::kSet) return;
  }
}

// A state is the token that is to be matched next. Inside kDirectories ("**/") a second one, behind all tokens'
// own, says that a component has begun and its slash is awaited.
bool PathGlob::Matches(std::string_view path, Budget& budget) const {
  if (is_malformed_) return false;
  const size_t count = tokens_.size();
  std::vector<bool> now(2 * count + 1), next(2 * count + 1);
  Enter(0, now);
  for (const char raw : path) {
    const char c = Folded(raw);
    budget.Step(1 + static_cast<int64_t>(count / 16));
    next.assign(next.size(), false);
    for (size_t at = 0; at < count; ++at) {
      const Token& token = tokens_[at];
      if (now[count + 1 + at] || (now[at] && token.kind == Token::Kind::kDirectories)) {
        if (c == '/') Enter(at, next);
        else next[count + 1 + at] = true;
      }
      if (!now[at]) continue;
      switch (token.kind) {
        case Token::Kind::kByte:
          if (c == token.byte) Enter(at + 1, next);
          break;
        case Token::Kind::kSet:
          if (sets_[token.set][static_cast<unsigned char>(c)]) Enter(at + 1, next);
          break;
        case Token::Kind::kStar:
          if (c != '/') Enter(at, next);
          break;
        case Token::Kind::kAnything: Enter(at, next); break;
        case Token::Kind::kDirectories: break;
      }
    }
    now.swap(next);
  }
  return now[count];
}

}  // namespace paddock
