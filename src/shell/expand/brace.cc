// Brace expansion.
//
// Source: Bash manual "Brace Expansion". Only unquoted source text has brace characters; every other part
// of the word is opaque.

#include "shell/expand/brace.h"

#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "shell/shell.h"

namespace paddock::shell {
namespace {

// The word, flattened: a byte of unquoted text or a whole part.
struct Atom {
  char byte;
  const WordPart* part;   // null for a byte
};

struct Node;
using Sequence = std::vector<Node>;

struct Node {
  enum class Kind : uint8_t { kText, kPart, kChoice, kRange };
  Kind kind;
  std::string text;
  const WordPart* part = nullptr;
  std::vector<Sequence> choices;
  int64_t first = 0;
  int64_t last = 0;
  uint64_t step = 1;
  size_t width = 0;        // numbers are padded with zeros to this width
  bool is_letter = false;

  explicit Node(Kind k) : kind(k) {}
};

std::optional<int64_t> ParseNumber(std::string_view text) {
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool IsLetter(std::string_view text) {
  return text.size() == 1 && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
}

bool IsPadded(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0';
}

// "1..5", "a..e..2".
std::optional<Node> ParseRange(std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::string_view first = text.substr(0, dots);
  std::string_view last = text.substr(dots + 2);
  Node node(Node::Kind::kRange);
  if (const size_t more = last.find(".."); more != std::string_view::npos) {
    const auto step = ParseNumber(last.substr(more + 2));
    if (!step) return std::nullopt;
    node.step = *step < 0 ? 0 - static_cast<uint64_t>(*step) : static_cast<uint64_t>(*step);
    if (node.step == 0) node.step = 1;
    last = last.substr(0, more);
  }
  if (IsLetter(first) && IsLetter(last)) {
    node.is_letter = true;
    node.first = first[0];
    node.last = last[0];
    return node;
  }
  const auto from = ParseNumber(first);
  const auto to = ParseNumber(last);
  if (!from || !to) return std::nullopt;
  node.first = *from;
  node.last = *to;
  if (IsPadded(first) || IsPadded(last)) node.width = std::max(first.size(), last.size());
  return node;
}

class BraceParser {
 public:
  BraceParser(Shell& shell, const Word& word) : shell_(shell) {
    for (const WordPart& part : word.parts) {
      if (part.kind != WordPart::Kind::kLiteral) {
        atoms_.push_back({'\0', &part});
        continue;
      }
      for (const char byte : part.text) atoms_.push_back({byte, nullptr});
    }
  }

  Sequence Parse() { return Parse(0, atoms_.size()); }

 private:
  bool Is(size_t i, char byte) const { return atoms_[i].part == nullptr && atoms_[i].byte == byte; }

  static constexpr uint32_t kNone = UINT32_MAX;

  // Fills the tables below, from the end to the start, so that no search walks a second time over what stands behind it.
  void FindPartners() {
    const size_t size = atoms_.size();
    shell_.budget().WillAllocate(4 * sizeof(uint32_t) * (size + 1));
    shell_.budget().Step(1 + static_cast<int64_t>(size / 16));
    partner_.assign(size, kNone);
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < size; ++i) {
      if (Is(i, '{')) open.push_back(i);
      if (!Is(i, '}') || open.empty()) continue;
      partner_[open.back()] = i;
      open.pop_back();
    }
    plain_close_.assign(size + 1, kNone);
    separated_close_.assign(size + 1, kNone);
    next_comma_.assign(size + 1, kNone);
    for (uint32_t i = static_cast<uint32_t>(size); i-- > 0;) {
      next_comma_[i] = Is(i, ',') ? i : next_comma_[i + 1];
      if (Is(i, '{')) {
        if (partner_[i] == kNone) continue;
        plain_close_[i] = plain_close_[partner_[i] + 1];
        separated_close_[i] = separated_close_[partner_[i] + 1];
        continue;
      }
      const bool is_range = Is(i, '.') && i + 1 < size && Is(i + 1, '.') && !(i + 2 < size && Is(i + 2, '}'));
      plain_close_[i] = is_range || Is(i, ',') ? separated_close_[i + 1] : plain_close_[i + 1];
      separated_close_[i] = Is(i, '}') ? i : separated_close_[i + 1];
    }
  }

  // The '}' that closes a '{' whose inside starts at `begin`: the first one at its level behind a comma or
  // a "..". Nothing if there is none before `end`.
  std::optional<size_t> FindClose(size_t begin, size_t end) {
    if (partner_.empty()) FindPartners();
    shell_.budget().Step();
    const size_t close = plain_close_[begin];
    return close < end ? std::optional(close) : std::nullopt;
  }

  void AddAtom(Sequence& sequence, const Atom& atom) {
    if (atom.part != nullptr) {
      sequence.emplace_back(Node::Kind::kPart);
      sequence.back().part = atom.part;
      return;
    }
    if (sequence.empty() || sequence.back().kind != Node::Kind::kText) {
      sequence.emplace_back(Node::Kind::kText);
    }
    sequence.back().text += atom.byte;
  }

  Sequence Parse(size_t begin, size_t end) {
    shell_.budget().CheckStack();
    Sequence sequence;
    size_t start = begin;   // of the word, or behind the last expression: "{}" is plain text there
    for (size_t i = begin; i < end; ++i) {
      const bool is_open = Is(i, '{') && !(i == start && i + 1 < end && Is(i + 1, '}'));
      const auto close = is_open ? FindClose(i + 1, end) : std::nullopt;
      if (!close) {
        AddAtom(sequence, atoms_[i]);
        continue;
      }
      if (auto node = ParseInside(i + 1, *close)) {
        sequence.push_back(std::move(*node));
      } else {
        for (size_t k = i; k <= *close; ++k) AddAtom(sequence, atoms_[k]);
      }
      i = *close;
      start = i + 1;
    }
    return sequence;
  }

  // What stands between braces. Without any comma it can only be a range.
  std::optional<Node> ParseInside(size_t begin, size_t end) {
    if (next_comma_[begin] >= end) {
      std::string text;
      for (size_t i = begin; i < end; ++i) {
        if (atoms_[i].part != nullptr || text.size() > 80) return std::nullopt;
        text += atoms_[i].byte;
      }
      return ParseRange(text);
    }
    Node node(Node::Kind::kChoice);
    for (size_t i = begin; i < end; ++i) {
      if (Is(i, '{')) i = partner_[i];
      if (i >= end) break;
      if (!Is(i, ',')) continue;
      node.choices.push_back(Parse(begin, i));
      begin = i + 1;
    }
    node.choices.push_back(Parse(begin, end));
    return node;
  }

  Shell& shell_;
  std::vector<Atom> atoms_;
  std::vector<uint32_t> partner_;           // of each '{': the '}' that ends its level
  std::vector<uint32_t> plain_close_;       // from each place: the '}' that closes the level which it is in
  std::vector<uint32_t> separated_close_;   // the same where a separator has come before
  std::vector<uint32_t> next_comma_;
};

class BraceWriter {
 public:
  BraceWriter(Shell& shell, const std::function<bool(std::span<const BracePiece>)>& emit)
      : shell_(shell), emit_(emit) {}

  // What still has to be written behind the current place.
  struct Rest {
    const Sequence* sequence;
    size_t index;
    const Rest* next;
  };

  bool Write(const Rest& rest) {
    shell_.budget().CheckStack();
    if (rest.index == rest.sequence->size()) return rest.next == nullptr ? Emit() : Write(*rest.next);
    const Node& node = (*rest.sequence)[rest.index];
    const Rest behind{rest.sequence, rest.index + 1, rest.next};
    switch (node.kind) {
      case Node::Kind::kText:
        return With(node.text, behind);
      case Node::Kind::kPart:
        return WithPart(node.part, behind);
      case Node::Kind::kChoice: {
        const Rest* const rest_of_word = behind.index == behind.sequence->size() ? behind.next : &behind;
        for (const Sequence& choice : node.choices) {
          if (!Write({&choice, 0, rest_of_word})) return false;
        }
        return true;
      }
      case Node::Kind::kRange:
        return WriteRange(node, behind);
    }
    return true;
  }

 private:
  struct Mark {
    const WordPart* part;
    size_t offset;   // in text_, where the part stands
  };

  bool With(std::string_view text, const Rest& behind) {
    const size_t size = text_.size();
    text_ += text;
    const bool is_good = Write(behind);
    text_.resize(size);
    return is_good;
  }

  bool WithPart(const WordPart* part, const Rest& behind) {
    marks_.push_back({part, text_.size()});
    const bool is_good = Write(behind);
    marks_.pop_back();
    return is_good;
  }

  bool WriteRange(const Node& node, const Rest& behind) {
    const bool is_down = node.last < node.first;
    const uint64_t span = is_down ? static_cast<uint64_t>(node.first) - static_cast<uint64_t>(node.last)
                                  : static_cast<uint64_t>(node.last) - static_cast<uint64_t>(node.first);
    for (uint64_t done = 0;; done += node.step) {
      const auto value = static_cast<int64_t>(is_down ? static_cast<uint64_t>(node.first) - done
                                                      : static_cast<uint64_t>(node.first) + done);
      if (node.is_letter && value == '\\') {
        // The backslash between Z and a quotes nothing and leaves an empty text.
        if (!WithPart(&nothing_, behind)) return false;
      } else if (!With(Format(node, value), behind)) {
        return false;
      }
      if (span - done < node.step) return true;
    }
  }

  static std::string Format(const Node& node, int64_t value) {
    if (node.is_letter) return std::string(1, static_cast<char>(value));
    std::string text = std::to_string(value);
    if (text.size() < node.width) text.insert(value < 0 ? 1 : 0, node.width - text.size(), '0');
    return text;
  }

  bool Emit() {
    shell_.budget().Step();
    pieces_.clear();
    const std::string_view text = text_;
    size_t at = 0;
    for (const Mark& mark : marks_) {
      if (mark.offset > at) pieces_.push_back({nullptr, text.substr(at, mark.offset - at)});
      pieces_.push_back({mark.part, {}});
      at = mark.offset;
    }
    if (at < text.size()) pieces_.push_back({nullptr, text.substr(at)});
    return emit_(pieces_);
  }

  Shell& shell_;
  const std::function<bool(std::span<const BracePiece>)>& emit_;
  const WordPart nothing_{WordPart::Kind::kQuoted};
  std::string text_;
  std::vector<Mark> marks_;
  std::vector<BracePiece> pieces_;
};

}  // namespace

bool ExpandBraces(Shell& shell, const Word& word,
                  const std::function<bool(std::span<const BracePiece>)>& emit) {
  const Sequence sequence = BraceParser(shell, word).Parse();
  return BraceWriter(shell, emit).Write({&sequence, 0, nullptr});
}

}  // namespace paddock::shell
