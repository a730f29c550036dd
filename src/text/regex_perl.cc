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
// Bytes for a step: of those that a search goes through, and of those behind its match, which it may look at.
constexpr size_t kBytesSearched = 8;
constexpr size_t kBytesBehind = 4096;

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

CodePtr CompileCode(const std::string& text, uint32_t options, int* error) {
  size_t offset = 0;
  return CodePtr(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), options, error, &offset, nullptr));
}

bool IsInsideCharacter(std::string_view text, size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

}  // namespace

struct PerlMatcher::Code {
  // For text that is known to be well-formed. PCRE2 looks through all that is left of the text in each search of
  // `code`, which is quadratic when a long text has many matches.
  const pcre2_code* Trusting() {
    int error = 0;
    if (trusting == nullptr) trusting = CompileCode(pattern, options & ~PCRE2_MATCH_INVALID_UTF, &error);
    return trusting.get();
  }
  bool is_utf8() const { return (options & PCRE2_UTF) != 0; }

  std::string pattern;
  uint32_t options = 0;
  CodePtr code;
  CodePtr trusting;
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
  auto code = std::make_unique<Code>();
  code->code = CompileCode(text, options, &error);
  if (code->code == nullptr) return Error(paddock::Code::kSyntax, Message(error));
  pcre2_pattern_info(code->code.get(), PCRE2_INFO_CAPTURECOUNT, &code->group_count);
  code->context.reset(pcre2_match_context_create(nullptr));
  PADDOCK_CHECK(code->context != nullptr);
  pcre2_set_heap_limit(code->context.get(), kHeapLimitKib);
  if (!flags.is_literal && !flags.multiline) code->automaton = Re2Matcher::MakePerl(text, flags.ignore_case);
  code->pattern = std::move(text);
  code->options = options;
  return std::unique_ptr<PerlMatcher>(new PerlMatcher(std::move(code)));  // allow(raw-new): private constructor
}

bool PerlMatcher::IsForAutomaton(std::string_view text, size_t from, RegexText kind) const {
  if (code_->automaton == nullptr || kind == RegexText::kUtf8) return false;
  if (kind == RegexText::kAscii) return true;
  return text.size() - from <= kShortText && IsAscii(text.substr(from > 0 ? from - 1 : 0));
}

Result<bool> PerlMatcher::Search(std::string_view text, size_t from, bool is_line_start, RegexText kind,
                                 std::vector<RegexGroup>* groups, Budget& budget) const {
  const bool is_trusted = code_->is_utf8() && kind != RegexText::kUnknown && text.size() > kShortText &&
                          !IsInsideCharacter(text, from) && code_->Trusting() != nullptr;
  const bool looks_through = code_->is_utf8() && !is_trusted;
  const auto charge = [&budget](size_t bytes, size_t for_a_step) { budget.Step(static_cast<int64_t>(bytes / for_a_step)); };
  budget.Step(8);
  charge(text.size() - from, looks_through ? kBytesSearched : kBytesBehind);
  const bool wants_groups = groups != nullptr && groups->size() > 1;
  if (!wants_groups && is_line_start && IsForAutomaton(text, from, kind)) {
    const size_t wanted = groups == nullptr ? 0 : groups->size();
    const bool is_found = code_->automaton->Search(text, from, wanted == 0 ? nullptr : groups->data(), wanted);
    if (!looks_through) charge((is_found && wanted > 0 ? groups->front().end : text.size()) - from, kBytesSearched);
    return is_found;
  }
  MatchDataPtr data = std::move(code_->spare);
  if (data == nullptr) data.reset(pcre2_match_data_create_from_pattern(code_->code.get(), nullptr));
  PADDOCK_CHECK(data != nullptr);
  const uint32_t flags = (is_line_start ? 0 : PCRE2_NOTBOL) | (is_trusted ? PCRE2_NO_UTF_CHECK : 0);
  int count = PCRE2_ERROR_MATCHLIMIT;
  for (uint32_t limit = kFirstMatchLimit; limit <= kMatchLimit && count == PCRE2_ERROR_MATCHLIMIT;
       limit *= kMatchLimitGrowth) {
    pcre2_set_match_limit(code_->context.get(), limit);
    count = pcre2_match(is_trusted ? code_->Trusting() : code_->code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()),
                        text.size(), from, flags, data.get(), code_->context.get());
    if (count == PCRE2_ERROR_MATCHLIMIT) budget.Step(limit);
  }
  const size_t* const offsets = pcre2_get_ovector_pointer(data.get());
  if (!looks_through) charge((count >= 0 ? std::max(offsets[1], from) : text.size()) - from, kBytesSearched);
  if (count >= 0 && groups != nullptr) {
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
