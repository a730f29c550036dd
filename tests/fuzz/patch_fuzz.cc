// Fuzz target of patch: any text is read as patches or refused, hunks hold as many lines as they say, and what is applied to a text adds no
// more than the patch has. The first line is the text to patch (with \n for its line ends), the rest the patch.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "bounded_run.h"
#include "text/diff/patch_apply.h"
#include "text/diff/patch_parser.h"

namespace paddock {
namespace {

void CheckHunk(const PatchHunk& hunk) {
  int64_t old_lines = 0, new_lines = 0;
  for (const PatchLine& line : hunk.lines) {
    if (line.mark != ' ' && line.mark != '-' && line.mark != '+') std::abort();
    old_lines += line.mark != '+';
    new_lines += line.mark != '-';
  }
  if (old_lines != hunk.count[0] || new_lines != hunk.count[1]) std::abort();
  if (hunk.prefix_context > hunk.lines.size() || hunk.suffix_context > hunk.lines.size()) std::abort();
}

void RunOne(std::string_view original, std::string_view patch, PatchKind kind, Budget& budget) {
  PatchParser parser(std::string(patch), kind, false, TimeZone(), budget);
  PatchedText text(original, kind == PatchKind::kContext, budget);
  size_t added = 0;
  while (true) {
    const auto header = parser.NextHeader();
    if (!header || !*header) break;
    if ((*header)->lead_begin > (*header)->begin || (*header)->begin > parser.text().size()) std::abort();
    if ((*header)->kind == PatchKind::kEd) {
      static_cast<void>(RunEdScript(original, parser, budget));
      break;
    }
    if ((*header)->is_git_binary) continue;
    while (true) {
      auto hunk = parser.NextHunk();
      if (!hunk || !*hunk) break;
      CheckHunk(**hunk);
      for (const PatchLine& line : (*hunk)->lines) added += line.text.size();
      static_cast<void>(UnifiedHunkText(**hunk, 1));
      static_cast<void>(ContextHunkText(**hunk, (*header)->kind, 1));
      for (int64_t fuzz = 0; fuzz < 3; ++fuzz) {
        const int64_t where = text.Locate(**hunk, fuzz);
        if (where == 0) continue;
        static_cast<void>(text.HasOtherLineEnding(**hunk, where));
        text.Apply(**hunk, where, fuzz == 1 ? std::optional<std::string>("X") : std::nullopt);
        break;
      }
      (*hunk)->Reverse();
      CheckHunk(**hunk);
      static_cast<void>(text.Locate(**hunk, 0));
    }
  }
  constexpr size_t kConditionals = 64;   // of --ifdef, for each line
  if (text.Finish().size() > original.size() * 2 + added * (1 + kConditionals) + kConditionals) std::abort();
}

}  // namespace
}  // namespace paddock

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const fuzz::CpuGuard guard;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find('\n'), input.size());
  std::string text;
  for (size_t i = 0; i < end; ++i) {
    const bool is_newline = input[i] == '\\' && i + 1 < end && input[i + 1] == 'n';
    text += is_newline ? '\n' : input[i];
    i += is_newline;
  }
  const std::string_view patch = input.substr(std::min(end + 1, size));
  for (const PatchKind kind : {PatchKind::kNone, PatchKind::kContext, PatchKind::kNormal, PatchKind::kEd}) {
    fuzz::RunBounded([&](Budget& budget) { RunOne(text, patch, kind, budget); });
  }
  return 0;
}
