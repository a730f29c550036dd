#include "text/pattern_matcher.h"

#include <algorithm>
#include <iterator>

#include "base/budget.h"

namespace paddock {

bool MatchesCharacter(const PatternProgram& program, const PatternNode& node, std::string_view text, size_t at,
                      bool is_utf8) {
  if (node.kind == PatternNode::Kind::kAny) return true;
  const char32_t code = is_utf8 ? DecodeUtf8(text.substr(at)).code : static_cast<unsigned char>(text[at]);
  if (node.kind == PatternNode::Kind::kSet) return program.sets[node.begin].Contains(code);
  return code == node.begin || ((is_utf8 || code < 128) && ToLower(code) == node.begin);
}

size_t PatternMatcher::Next(size_t at) const {
  return flags_.is_utf8 ? at + DecodeUtf8(text_.substr(at)).length : at + 1;
}

size_t PatternMatcher::Previous(size_t at) const {
  --at;
  if (!flags_.is_utf8) return at;
  for (size_t start = at; start + 3 >= at && (static_cast<unsigned char>(text_[start]) & 0xC0) == 0x80; --start) {
    if (start == 0) break;
    if (start - 1 + DecodeUtf8(text_.substr(start - 1)).length == at + 1) return start - 1;
  }
  return at;
}

// Whether ?, * and [...] may take the character here.
bool PatternMatcher::IsWild(size_t at) const {
  const char c = text_[at];
  if (flags_.is_path && c == '/') return false;
  if (c != '.' || !flags_.leading_dot_special) return true;
  return at != 0 && !(flags_.is_path && text_[at - 1] == '/');
}

bool PatternMatcher::MatchesOne(const PatternNode& node, size_t at) const {
  if (node.kind != PatternNode::Kind::kFoldChar && !IsWild(at)) return false;
  return MatchesCharacter(program_, node, text_, at, flags_.is_utf8);
}

template <bool kBackward>
PatternMatcher::Positions PatternMatcher::Run(const PatternSequence& sequence, Positions positions) {
  budget_.CheckStack();
  budget_.Step();
  if constexpr (kBackward) {
    for (auto node = sequence.rbegin(); node != sequence.rend() && !positions.empty(); ++node) {
      positions = Apply<true>(*node, positions);
    }
  } else {
    for (auto node = sequence.begin(); node != sequence.end() && !positions.empty(); ++node) {
      positions = Apply<false>(*node, positions);
    }
  }
  return positions;
}

template <bool kBackward>
PatternMatcher::Positions PatternMatcher::Apply(const PatternNode& node, const Positions& positions) {
  budget_.Step(static_cast<int64_t>(positions.size() + 1));
  work_ += positions.size();
  Positions reached;
  switch (node.kind) {
    case PatternNode::Kind::kLiteral: {
      const std::string_view literal = program_.Literal(node);
      for (const size_t at : positions) {
        if constexpr (kBackward) {
          if (at >= literal.size() && text_.substr(at - literal.size(), literal.size()) == literal) {
            reached.push_back(at - literal.size());
          }
        } else {
          if (text_.substr(at).starts_with(literal)) reached.push_back(at + literal.size());
        }
      }
      break;
    }
    case PatternNode::Kind::kFoldChar:
    case PatternNode::Kind::kAny:
    case PatternNode::Kind::kSet:
      for (const size_t at : positions) {
        if constexpr (kBackward) {
          if (at == 0) continue;
          const size_t previous = Previous(at);
          if (MatchesOne(node, previous)) reached.push_back(previous);
        } else {
          if (at < text_.size() && MatchesOne(node, at)) reached.push_back(Next(at));
        }
      }
      break;
    case PatternNode::Kind::kStar: return Span<kBackward>(positions);
    case PatternNode::Kind::kGroup: return ApplyGroup<kBackward>(node, positions);
    case PatternNode::Kind::kNothing: break;
  }
  return reached;
}

// Everything that any number of wild characters reaches.
template <bool kBackward>
PatternMatcher::Positions PatternMatcher::Span(const Positions& positions) {
  Positions reached;
  if constexpr (kBackward) {
    size_t at = text_.size() + 1;  // the lowest offset reached so far
    for (auto from = positions.rbegin(); from != positions.rend(); ++from) {
      if (*from >= at) continue;
      reached.push_back(at = *from);
      while (at > 0) {
        const size_t previous = Previous(at);
        if (!IsWild(previous)) break;
        reached.push_back(at = previous);
      }
    }
    std::reverse(reached.begin(), reached.end());
  } else {
    for (const size_t from : positions) {
      if (!reached.empty() && from <= reached.back()) continue;
      size_t at = from;
      reached.push_back(at);
      while (at < text_.size() && IsWild(at)) reached.push_back(at = Next(at));
    }
  }
  budget_.Step(static_cast<int64_t>(reached.size() / 4));
  work_ += reached.size();
  return reached;
}

namespace {

PatternMatcher::Positions Union(const PatternMatcher::Positions& a, const PatternMatcher::Positions& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  PatternMatcher::Positions all;
  all.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

PatternMatcher::Positions Difference(const PatternMatcher::Positions& a, const PatternMatcher::Positions& b) {
  PatternMatcher::Positions rest;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(rest));
  return rest;
}

}  // namespace

template <bool kBackward>
PatternMatcher::Positions PatternMatcher::ApplyGroup(const PatternNode& node, const Positions& positions) {
  switch (node.op) {
    case '@': return Alternatives<kBackward>(node, positions);
    case '?': return Union(positions, Alternatives<kBackward>(node, positions));
    case '*': return Union(positions, Repeat<kBackward>(node, positions));
    case '+': return Repeat<kBackward>(node, positions);
    default: return Complement<kBackward>(node, positions);
  }
}

template <bool kBackward>
PatternMatcher::Positions PatternMatcher::Alternatives(const PatternNode& node, const Positions& positions) {
  Positions reached;
  for (uint32_t i = 0; i < node.size; ++i) {
    reached = Union(reached, Run<kBackward>(program_.sequences[node.begin + i], positions));
  }
  budget_.Step(static_cast<int64_t>(reached.size()));
  return reached;
}

// One or more times.
template <bool kBackward>
PatternMatcher::Positions PatternMatcher::Repeat(const PatternNode& node, const Positions& positions) {
  Positions reached = Alternatives<kBackward>(node, positions);
  for (Positions fresh = reached; !fresh.empty();) {
    fresh = Difference(Alternatives<kBackward>(node, fresh), reached);
    reached = Union(reached, fresh);
    budget_.Step(static_cast<int64_t>(reached.size()));
  }
  return reached;
}

template <bool kBackward>
PatternMatcher::Positions PatternMatcher::Complement(const PatternNode& node, const Positions& positions) {
  Positions reached;
  for (const size_t from : positions) {
    const Positions matched = Alternatives<kBackward>(node, {from});
    reached = Union(reached, Difference(Span<kBackward>({from}), matched));
    budget_.Step(static_cast<int64_t>(reached.size() + matched.size()));
  }
  return reached;
}

template PatternMatcher::Positions PatternMatcher::Run<false>(const PatternSequence&, Positions);
template PatternMatcher::Positions PatternMatcher::Run<true>(const PatternSequence&, Positions);

}  // namespace paddock
