#include "text/regex_perl.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>

#include "base/budget.h"
#include "base/check.h"
#include "text/regex_re2.h"
#include "text/utf8.h"

namespace paddock {
namespace {

// What PCRE2 allows by default, and memory for its backtracking. It does not tell how much it has worked, so a
// search begins with a small limit and gets ten times more for what it has been charged.
constexpr uint32_t kMatchLimit = 10'000'000;
constexpr uint32_t kFirstMatchLimit = 1000;
constexpr uint32_t kMatchLimitGrowth = 10;
constexpr uint32_t kHeapLimitKib = 64 << 10;
// Longer text is not looked through for bytes from 128 on.
constexpr size_t kShortText = 4096;

template <auto kFree>
struct Freer {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using CodePtr = std::unique_ptr<pcre2_code, Freer<pcre2_code_free>>;
using MatchDataPtr = std::unique_ptr<pcre2_match_data, Freer<pcre2_match_data_free>>;
using ContextPtr = std::unique_ptr<pcre2_match_context, Freer<pcre2_match_context_free>>;

std::string Message(int code) {
  PCRE2_UCHAR buffer[256];
  const int length = pcre2_get_error_message(code, buffer, sizeof buffer);
  if (length < 0) return "internal error in regular expression";
  return std::string(reinterpret_cast<const char*>(buffer), static_cast<size_t>(length));
}

Error MatchError(int code) {
  switch (code) {
    case PCRE2_ERROR_MATCHLIMIT: return Error(Code::kLimit, "exceeded PCRE's backtracking limit");
    case PCRE2_ERROR_DEPTHLIMIT: return Error(Code::kLimit, "exceeded PCRE's nested backtracking limit");
    case PCRE2_ERROR_HEAPLIMIT: return Error(Code::kLimit, "exceeded PCRE's heap limit");
    default: return Error(Code::kLimit, "internal PCRE error: " + std::to_string(code));
  }
}

}  // namespace

struct PerlMatcher::Code {
  CodePtr code;
  ContextPtr context;
  uint32_t group_count = 0;
  // Searches ASCII lines several times faster, without the JIT that PCRE2 would need for it.
  std::unique_ptr<Re2Matcher> automaton;
  mutable MatchDataPtr spare;
};

PerlMatcher::PerlMatcher(std::unique_ptr<Code> code) : code_(std::move(code)) {}
PerlMatcher::~PerlMatcher() = default;

Result<std::unique_ptr<PerlMatcher>> PerlMatcher::Make(std::string_view pattern, const RegexFlags& flags) {
  uint32_t options = PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C;
  if (flags.ignore_case) options |= PCRE2_CASELESS;
  if (flags.multiline) options |= PCRE2_MULTILINE;
  if (flags.is_literal) options |= PCRE2_LITERAL;
  if (flags.is_utf8) options |= PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
  std::string text(pattern);
  if (flags.extent == RegexExtent::kWholeWords) text = "(?<!\\w)(?:" + text + ")(?!\\w)";
  if (flags.extent == RegexExtent::kWholeLine) text = "^(?:" + text + ")$";
  int error = 0;
  size_t offset = 0;
  auto code = std::make_unique<Code>();
  code->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), options, &error, &offset,
                                 nullptr));
  if (code->code == nullptr) return Error(paddock::Code::kSyntax, Message(error));
  pcre2_pattern_info(code->code.get(), PCRE2_INFO_CAPTURECOUNT, &code->group_count);
  code->context.reset(pcre2_match_context_create(nullptr));
  PADDOCK_CHECK(code->context != nullptr);
  pcre2_set_heap_limit(code->context.get(), kHeapLimitKib);
  if (!flags.is_literal && !flags.multiline) code->automaton = Re2Matcher::MakePerl(text, flags.ignore_case);
  return std::unique_ptr<PerlMatcher>(new PerlMatcher(std::move(code)));  // allow(raw-new): private constructor
}

Result<bool> PerlMatcher::Search(std::string_view text, size_t from, bool is_line_start,
                                 std::vector<RegexGroup>* groups, Budget& budget) const {
  budget.Step(8 + static_cast<int64_t>((text.size() - from) / 8));
  const bool wants_groups = groups != nullptr && groups->size() > 1;
  if (code_->automaton != nullptr && !wants_groups && is_line_start && text.size() - from <= kShortText &&
      IsAscii(text.substr(from > 0 ? from - 1 : 0))) {
    const size_t wanted = groups == nullptr ? 0 : groups->size();
    return code_->automaton->Search(text, from, wanted == 0 ? nullptr : groups->data(), wanted);
  }
  MatchDataPtr data = std::move(code_->spare);
  if (data == nullptr) data.reset(pcre2_match_data_create_from_pattern(code_->code.get(), nullptr));
  PADDOCK_CHECK(data != nullptr);
  int count = PCRE2_ERROR_MATCHLIMIT;
  for (uint32_t limit = kFirstMatchLimit; limit <= kMatchLimit && count == PCRE2_ERROR_MATCHLIMIT;
       limit *= kMatchLimitGrowth) {
    pcre2_set_match_limit(code_->context.get(), limit);
    count = pcre2_match(code_->code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                        is_line_start ? 0 : PCRE2_NOTBOL, data.get(), code_->context.get());
    if (count == PCRE2_ERROR_MATCHLIMIT) budget.Step(limit);
  }
  if (count >= 0 && groups != nullptr) {
    const size_t* offsets = pcre2_get_ovector_pointer(data.get());
    for (size_t i = 0; i < groups->size(); ++i) {
      (*groups)[i] = {};
      if (i >= static_cast<size_t>(count) || offsets[2 * i] == PCRE2_UNSET) continue;
      // \K in a look-ahead can put the start behind the end.
      (*groups)[i] = {std::min(offsets[2 * i], offsets[2 * i + 1]), offsets[2 * i + 1]};
    }
  }
  code_->spare = std::move(data);
  if (count >= 0) return true;
  if (count == PCRE2_ERROR_NOMATCH) return false;
  return MatchError(count);
}

size_t PerlMatcher::group_count() const { return code_->group_count; }

std::string PerlRegexVersion() {
  char text[64] = {};
  if (pcre2_config(PCRE2_CONFIG_VERSION, nullptr) > static_cast<int>(sizeof text) || pcre2_config(PCRE2_CONFIG_VERSION, text) < 0) return "?";
  return std::string(text).substr(0, std::string_view(text).find(' '));
}

}  // namespace paddock
