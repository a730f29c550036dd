// The regular expressions of a running program: compiled once, found again by their text.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "lang/awk/value.h"
#include "text/regex.h"

namespace paddock {
class Budget;
}

namespace paddock::awk {

// A regular expression. Plain text, which is what most patterns are, is searched without an engine.
class AwkPattern {
 public:
  // With literal escapes a character written as a number is no operator, as in the first awk.
  static Result<AwkPattern> Compile(std::string_view source, bool ignore_case, bool is_utf8, bool has_literal_escapes = false);

  // The leftmost longest match at or after `from`. Groups as in Regex::Search, null for the answer alone.
  Result<bool> Search(std::string_view text, size_t from, std::vector<RegexGroup>* groups,
                      Budget& budget) const;
  size_t group_count() const { return regex_ ? regex_->group_count() : 0; }
  // True when a longer text can't make the match at its end longer.
  bool is_plain() const { return !regex_; }
  // False when it matters nowhere where the text starts.
  bool has_caret() const { return has_caret_; }

 private:
  AwkPattern() = default;
  std::optional<Regex> regex_;  // absent for plain text
  std::string plain_;
  bool is_at_start_ = false;    // plain text after ^
  bool has_caret_ = false;
};

// The characters of `source` behind a backslash that mean nothing there, which gawk warns of once each.
class UnknownEscapes {
 public:
  void Report(std::string_view source, const std::function<void(const std::string&)>& warn);

 private:
  std::string seen_;
};

class PatternCache {
 public:
  PatternCache(bool is_utf8, Budget& budget) : is_utf8_(is_utf8), budget_(budget) {}

  // What was reported already, and where further warnings go.
  void WarnOfEscapes(const UnknownEscapes& known, std::function<void(const std::string&)> warn) {
    escapes_ = known;
    warn_ = std::move(warn);
  }
  void ReportEscapes(std::string_view source) { escapes_.Report(source, warn_); }

  // The compiled form; valid until the next call of Find or FindText.
  Result<const AwkPattern*> Find(const Value& value, std::string_view convfmt);
  Result<const AwkPattern*> FindText(std::string_view source);

  bool ignore_case() const { return ignore_case_; }
  void set_ignore_case(bool ignore_case) {
    if (ignore_case == ignore_case_) return;
    ignore_case_ = ignore_case;
    ForgetRecent();
  }
  void set_literal_escapes() { has_literal_escapes_ = true; }

 private:
  struct Recent {
    Value text;  // keeps the text alive, so that its address says which one it is
    const AwkPattern* pattern = nullptr;
  };
  void ForgetRecent();

  static constexpr size_t kRecent = 16;
  static constexpr size_t kMaxPatterns = 512;

  UnknownEscapes escapes_;
  std::function<void(const std::string&)> warn_;
  bool is_utf8_;
  bool has_literal_escapes_ = false;
  bool ignore_case_ = false;
  Budget& budget_;
  Recent recent_[kRecent];
  std::unordered_map<std::string, std::unique_ptr<AwkPattern>> patterns_[2];
};

}  // namespace paddock::awk
