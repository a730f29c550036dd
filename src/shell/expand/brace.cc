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
    shell_.budget().Step(1 + static_cast<int64_t>(atoms_.size() / 16));
    FindPartners();
  }

  Sequence Parse() { return Parse(0, atoms_.size()); }

 private:
  bool Is(size_t i, char byte) const { return atoms_[i].part == nullptr && atoms_[i].byte == byte; }

  // Notes for each '{' its '}', and the separators between them.
  void FindPartners() {
    close_.assign(atoms_.size(), 0);
    commas_.resize(atoms_.size());
    std::vector<size_t> open;
    for (size_t i = 0; i < atoms_.size(); ++i) {
      if (Is(i, '{')) {
        open.push_back(i);
      } else if (Is(i, '}') && !open.empty()) {
        close_[open.back()] = i;
        open.pop_back();
      } else if (Is(i, ',') && !open.empty()) {
        commas_[open.back()].push_back(i);
      }
    }
    // What looks like a separator behind a '{' that is never closed is text, also for those around it.
    for (const size_t unclosed : open) commas_[unclosed].clear();
  }

  static void AddText(Sequence& sequence, char byte) {
    if (sequence.empty() || sequence.back().kind != Node::Kind::kText) {
      sequence.emplace_back(Node::Kind::kText);
    }
    sequence.back().text += byte;
  }

  Sequence Parse(size_t begin, size_t end) {
    shell_.budget().CheckStack();
    Sequence sequence;
    for (size_t i = begin; i < end; ++i) {
      if (atoms_[i].part != nullptr) {
        sequence.emplace_back(Node::Kind::kPart);
        sequence.back().part = atoms_[i].part;
        continue;
      }
      if (Is(i, '{') && close_[i] != 0) {
        if (auto node = ParseBraces(i)) {
          sequence.push_back(std::move(*node));
          i = close_[i];
          continue;
        }
      }
      AddText(sequence, atoms_[i].byte);
    }
    return sequence;
  }

  std::optional<Node> ParseBraces(size_t open) {
    const size_t close = close_[open];
    if (commas_[open].empty()) {
      std::string text;
      for (size_t i = open + 1; i < close; ++i) {
        if (atoms_[i].part != nullptr || text.size() > 80) return std::nullopt;
        text += atoms_[i].byte;
      }
      return ParseRange(text);
    }
    Node node(Node::Kind::kChoice);
    size_t begin = open + 1;
    for (const size_t comma : commas_[open]) {
      node.choices.push_back(Parse(begin, comma));
      begin = comma + 1;
    }
    node.choices.push_back(Parse(begin, close));
    return node;
  }

  Shell& shell_;
  std::vector<Atom> atoms_;
  std::vector<size_t> close_;                 // of a '{': the offset of its '}', or 0
  std::vector<std::vector<size_t>> commas_;   // of a '{': offsets of its own commas
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
      case Node::Kind::kPart: {
        marks_.push_back({node.part, text_.size()});
        const bool is_good = Write(behind);
        marks_.pop_back();
        return is_good;
      }
      case Node::Kind::kChoice:
        for (const Sequence& choice : node.choices) {
          if (!Write({&choice, 0, &behind})) return false;
        }
        return true;
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

  bool WriteRange(const Node& node, const Rest& behind) {
    const bool is_down = node.last < node.first;
    const uint64_t span = is_down ? static_cast<uint64_t>(node.first) - static_cast<uint64_t>(node.last)
                                  : static_cast<uint64_t>(node.last) - static_cast<uint64_t>(node.first);
    for (uint64_t done = 0;; done += node.step) {
      const auto value = static_cast<int64_t>(is_down ? static_cast<uint64_t>(node.first) - done
                                                      : static_cast<uint64_t>(node.first) + done);
      if (!With(Format(node, value), behind)) return false;
      if (span - done < node.step) return true;
    }
  }

  static std::string Format(const Node& node, int64_t value) {
    // The backslash between Z and a quotes nothing and disappears.
    if (node.is_letter) return value == '\\' ? std::string() : std::string(1, static_cast<char>(value));
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
