#include "git/conflict_text.h"

#include <algorithm>

#include "text/diff/unified_diff.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

constexpr int kMostDepth = 100;

class ConflictReader {
 public:
  ConflictReader(std::string_view text, size_t marker_size, Budget& budget) : lines_(SplitLines(text)), marker_size_(marker_size), budget_(budget), digest_(MakeDigester(DigestAlgorithm::kSha1)) {}

  std::optional<ConflictText> Run() {
    ConflictText result;
    while (at_ < lines_.size()) {
      budget_.Step();
      const std::string_view line = lines_[at_++];
      if (!IsMarker(line, '<')) {
        result.text += line;
        continue;
      }
      auto conflict = Conflict(0);
      if (!conflict) return std::nullopt;
      result.text += *conflict;
      result.has_conflict = true;
    }
    result.id = HexOf(digest_->Finish());
    return result;
  }

 private:
  bool IsMarker(std::string_view line, char mark) const {
    if (line.size() < marker_size_ + 1 || line.substr(0, marker_size_).find_first_not_of(mark) != std::string_view::npos) return false;
    const char next = line[marker_size_];
    const bool wants_space = mark == '<' || mark == '>';
    return wants_space ? next == ' ' : next == ' ' || next == '\n' || next == '\r' || next == '\t';
  }
  std::string Marker(char mark) const { return std::string(marker_size_, mark) + "\n"; }

  // From behind <<<<<<< to >>>>>>>.
  std::optional<std::string> Conflict(int depth) {
    if (depth > kMostDepth) return std::nullopt;
    budget_.CheckStack();
    enum class Part { kOne, kBase, kTwo } part = Part::kOne;
    std::string one, two;
    while (at_ < lines_.size()) {
      budget_.Step();
      const std::string_view line = lines_[at_++];
      if (IsMarker(line, '<')) {
        const auto inner = Conflict(depth + 1);
        if (!inner) return std::nullopt;
        if (part != Part::kBase) (part == Part::kOne ? one : two) += *inner;
      } else if (IsMarker(line, '|') && part == Part::kOne) {
        part = Part::kBase;
      } else if (IsMarker(line, '=') && part != Part::kTwo) {
        part = Part::kTwo;
      } else if (IsMarker(line, '>')) {
        if (part != Part::kTwo) return std::nullopt;
        if (one > two) std::swap(one, two);
        if (depth == 0) {
          for (const std::string* side : {&one, &two}) {
            digest_->Update(*side);
            digest_->Update(std::string_view("\0", 1));
          }
        }
        return Marker('<') + one + Marker('=') + two + Marker('>');
      } else if (part != Part::kBase) {
        (part == Part::kOne ? one : two) += line;
      }
    }
    return std::nullopt;
  }

  std::vector<std::string_view> lines_;
  size_t at_ = 0, marker_size_;
  Budget& budget_;
  std::unique_ptr<Digester> digest_;
};

}  // namespace

std::optional<ConflictText> NormalizeConflicts(std::string_view text, size_t marker_size, Budget& budget) { return ConflictReader(text, marker_size, budget).Run(); }

}  // namespace paddock::git
