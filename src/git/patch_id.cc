#include "git/patch_id.h"

#include <algorithm>
#include <charconv>
#include <memory>

#include "text/diff/unified_diff.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The id in "commit ID", "From ID" or a line of an id alone.
std::optional<Oid> CommitOf(std::string_view line) {
  if (line.starts_with("commit ")) line.remove_prefix(7);
  else if (line.starts_with("From ")) line.remove_prefix(5);
  return line.size() < 40 ? std::nullopt : Oid::FromHex(line.substr(0, 40));
}

// The line counts of "@@ -1,3 +1,4 @@": one where none is written.
struct HunkSize {
  int64_t before = 1, after = 1;
};
HunkSize SizeOf(std::string_view line) {
  HunkSize size;
  const auto count = [&line](char mark, int64_t& value) {
    const size_t begin = line.find(mark);
    if (begin == std::string_view::npos) return;
    line.remove_prefix(begin + 1);
    const size_t end = std::min(line.find_first_not_of("0123456789"), line.size());
    line.remove_prefix(end);
    if (!line.starts_with(',')) return;
    line.remove_prefix(1);
    std::from_chars(line.data(), line.data() + line.size(), value);
  };
  count('-', size.before);
  count('+', size.after);
  return size;
}

// Reads one patch after the other.
class Reader {
 public:
  // `by_files`: EndFile() is called behind each.
  Reader(PatchIdKind kind, bool by_files, Budget& budget) : kind_(kind), by_files_(by_files), budget_(budget) { Begin(); }

  // False: the patch ended before this line, which belongs to what comes next.
  bool Take(std::string_view line) {
    budget_.Step();
    if (line.starts_with("\\ ") && line.size() > 12) {
      if (kind_ == PatchIdKind::kVerbatim) digest_->Update(line);
      return true;
    }
    if (size_ == 0 && !line.starts_with("diff ")) return true;   // what stands above the patch
    if (place_ == Place::kHead) {
      if (line.starts_with("GIT binary patch") || line.starts_with("Binary files")) {
        digest_->Update(before_id_);
        digest_->Update(after_id_);
        place_ = Place::kBinary;
        if (kind_ != PatchIdKind::kUnstable && !by_files_) Flush();
        return true;
      }
      if (line.starts_with("index ")) {
        TakeIds(line.substr(6));
        return true;
      }
      if (line.starts_with("--- ")) {
        place_ = Place::kHunk;
        left_ = {1, 1};   // the line +++ is what is left
      } else if (line.empty() || !std::isalpha(static_cast<unsigned char>(line[0]))) {
        return false;
      }
    }
    if (place_ == Place::kBinary) {
      if (!line.starts_with("diff ")) return true;
      place_ = Place::kHead;
      return true;
    }
    if (place_ == Place::kHunk && left_.before == 0 && left_.after == 0) {
      if (line.starts_with("@@ -")) {
        left_ = SizeOf(line);
        return true;
      }
      if (!line.starts_with("diff ")) return false;
      if (kind_ != PatchIdKind::kUnstable) Flush();
      place_ = Place::kHead;
    }
    if (place_ == Place::kHunk && !line.empty()) {
      if (line[0] == '-' || line[0] == ' ') --left_.before;
      if (line[0] == '+' || line[0] == ' ') --left_.after;
    }
    Add(line);
    return true;
  }

  void EndFile() {
    Flush();
    place_ = Place::kHead;
  }
  // The patch's id, if there was one; then another begins.
  std::optional<Oid> End() {
    if (!by_files_) Flush();
    const std::optional<Oid> id = size_ > 0 ? std::optional(sum_) : std::nullopt;
    Begin();
    return id;
  }

 private:
  enum class Place { kHead, kBinary, kHunk };

  void Begin() {
    sum_ = {};
    size_ = 0;
    place_ = Place::kHead;
    digest_ = MakeDigester(DigestAlgorithm::kSha1);
  }
  void Add(std::string_view line) {
    if (kind_ == PatchIdKind::kVerbatim) {
      size_ += line.size();
      digest_->Update(line);
      return;
    }
    std::string text;
    text.reserve(line.size());
    std::copy_if(line.begin(), line.end(), std::back_inserter(text), [](char c) { return !IsBlank(c); });
    size_ += text.size();
    digest_->Update(text);
  }
  void TakeIds(std::string_view text) {
    const size_t dots = text.find("..");
    if (dots == std::string_view::npos) return;
    before_id_ = text.substr(0, dots);
    text.remove_prefix(dots + 2);
    after_id_ = text.substr(0, text.find_first_of(" \n"));
  }
  // Ids are sums of 160 bits, lowest byte first: so the order of the parts does not count.
  void Flush() {
    const std::string part = digest_->Finish();
    unsigned carry = 0;
    for (size_t i = 0; i < sum_.bytes.size() && i < part.size(); ++i) {
      carry += sum_.bytes[i] + static_cast<unsigned>(static_cast<unsigned char>(part[i]));
      sum_.bytes[i] = static_cast<uint8_t>(carry);
      carry >>= 8;
    }
    digest_ = MakeDigester(DigestAlgorithm::kSha1);
  }

  PatchIdKind kind_;
  bool by_files_;
  Budget& budget_;
  std::unique_ptr<Digester> digest_;
  Oid sum_;
  size_t size_ = 0;   // of what was digested
  Place place_ = Place::kHead;
  HunkSize left_{};
  std::string before_id_, after_id_;
};

}  // namespace

std::vector<NamedPatchId> PatchIdsOf(std::string_view text, PatchIdKind kind, Budget& budget) {
  std::vector<NamedPatchId> ids;
  Reader reader(kind, false, budget);
  Oid commit;
  const auto end = [&](const Oid& next) {
    if (const auto id = reader.End()) {
      budget.WillAllocate(sizeof(NamedPatchId));
      ids.push_back({*id, commit});
    }
    commit = next;
  };
  for (const std::string_view line : SplitLines(text)) {
    if (const auto next = CommitOf(line)) end(*next);
    else if (!reader.Take(line)) end(Oid{});
  }
  end(Oid{});
  return ids;
}

std::optional<Oid> PatchIdOfFiles(const std::vector<std::string>& patches, Budget& budget) {
  Reader reader(PatchIdKind::kStable, true, budget);
  for (const std::string& patch : patches) {
    for (const std::string_view line : SplitLines(patch)) reader.Take(line);
    reader.EndFile();
  }
  return reader.End();
}

}  // namespace paddock::git
