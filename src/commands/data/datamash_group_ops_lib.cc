// Operations of datamash that make one value of all values of a group.
#include <strings.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/budget.h"
#include "base/random.h"
#include "commands/data/datamash_names.h"

namespace paddock::datamash {
namespace {

using Values = std::vector<long double>;
constexpr long double kNothing = std::numeric_limits<long double>::quiet_NaN();

template <class T>
void Append(std::vector<T>& to, T value, Budget& budget) {
  budget.Step();
  if (to.size() == to.capacity()) budget.WillAllocate(2 * (to.size() + 1) * sizeof(T));
  to.push_back(std::move(value));
}

long double Mean(const Values& values) {
  long double sum = 0;
  for (const long double value : values) sum += value;
  return sum / static_cast<long double>(values.size());
}
// The mean of the powers of the distances from the mean.
long double Moment(const Values& values, int power) {
  const long double mean = Mean(values);
  long double sum = 0;
  for (const long double value : values) {
    long double product = 1;
    for (int i = 0; i < power; ++i) product *= value - mean;
    sum += product;
  }
  return sum / static_cast<long double>(values.size());
}
long double Variance(const Values& values, bool is_sample) {
  const auto n = static_cast<long double>(values.size());
  if (!is_sample) return Moment(values, 2);
  return values.size() < 2 ? kNothing : Moment(values, 2) * n / (n - 1);
}
// Of sorted values, as GNU R's type 7.
long double Quantile(const Values& sorted, long double part) {
  const long double place = part * static_cast<long double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(std::floor(place));
  const long double low = sorted[below];
  return below + 1 < sorted.size() ? low + (place - static_cast<long double>(below)) * (sorted[below + 1] - low) : low;
}
long double TrimmedMean(const Values& sorted, long double part) {
  if (part >= 0.5L) return Quantile(sorted, 0.5L);
  const auto cut = static_cast<size_t>(std::floor(part * static_cast<long double>(sorted.size())));
  return Mean(Values(sorted.begin() + static_cast<std::ptrdiff_t>(cut), sorted.end() - static_cast<std::ptrdiff_t>(cut)));
}
// The value that stands most often (or least often) in the sorted row; the smallest of several.
long double Mode(const Values& sorted, bool is_least) {
  long double found = sorted[0];
  size_t found_count = 0;
  for (size_t i = 0, end; i < sorted.size(); i = end) {
    for (end = i + 1; end < sorted.size() && sorted[end] == sorted[i];) ++end;
    const size_t count = end - i;
    if (found_count == 0 || (is_least ? count < found_count : count > found_count)) found = sorted[i], found_count = count;
  }
  return found;
}
long double AbsoluteDeviation(const Values& sorted, Budget& budget) {
  const long double median = Quantile(sorted, 0.5L);
  Values distances;
  for (const long double value : sorted) Append(distances, std::fabs(value - median), budget);
  std::ranges::sort(distances);
  return Quantile(distances, 0.5L);
}
long double Skewness(const Values& values, bool is_sample) {
  const auto n = static_cast<long double>(values.size());
  if (values.size() < (is_sample ? 3 : 2)) return kNothing;
  const long double skew = Moment(values, 3) / std::pow(Moment(values, 2), 1.5L);
  return is_sample ? skew * std::sqrt(n * (n - 1)) / (n - 2) : skew;
}
long double Kurtosis(const Values& values, bool is_sample) {
  const auto n = static_cast<long double>(values.size());
  if (values.size() < (is_sample ? 4 : 2)) return kNothing;
  const long double second = Moment(values, 2);
  const long double kurtosis = Moment(values, 4) / (second * second) - 3;
  return is_sample ? (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * kurtosis + 6) : kurtosis;
}
// How likely a chi-squared value with two degrees of freedom is to be this large.
long double ChiSquaredTail(long double value) { return std::exp(-value / 2); }
long double JarqueBera(const Values& values) {
  if (values.size() < 2) return kNothing;
  const long double skew = Skewness(values, false), kurtosis = Kurtosis(values, false);
  return ChiSquaredTail(static_cast<long double>(values.size()) / 6 * (skew * skew + kurtosis * kurtosis / 4));
}
// D'Agostino and Pearson's omnibus test, by the standard errors of skewness and kurtosis.
long double Omnibus(const Values& values) {
  if (values.size() < 4) return kNothing;
  const auto n = static_cast<long double>(values.size());
  const long double skew_error = std::sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)));
  const long double kurtosis_error = 2 * skew_error * std::sqrt((n * n - 1) / ((n - 3) * (n + 5)));
  const long double skew = Skewness(values, true) / skew_error, kurtosis = Kurtosis(values, true) / kurtosis_error;
  return ChiSquaredTail(skew * skew + kurtosis * kurtosis);
}

// Sums and extremes: nothing is kept but the figure.
class Running final : public Accumulator {
 public:
  explicit Running(GroupOperation operation) : operation_(operation) {}
  void Add(long double value, Budget&) override {
    switch (operation_) {
      case GroupOperation::kMin: Take(value, !has_value_ || value < value_); break;
      case GroupOperation::kMax: Take(value, !has_value_ || value > value_); break;
      case GroupOperation::kAbsMin: Take(value, !has_value_ || std::fabs(value) < std::fabs(value_)); break;
      case GroupOperation::kAbsMax: Take(value, !has_value_ || std::fabs(value) > std::fabs(value_)); break;
      case GroupOperation::kRange:
        least_ = has_value_ ? std::min(least_, value) : value;
        most_ = has_value_ ? std::max(most_, value) : value;
        break;
      case GroupOperation::kGeoMean: value_ += std::log(value); break;
      case GroupOperation::kHarmMean: value_ += 1 / value; break;
      default: value_ += value;
    }
    has_value_ = true;
    ++count_;
  }
  Answer Finish(Budget&) override {
    const auto n = static_cast<long double>(count_);
    if (operation_ == GroupOperation::kSum) return {.number = value_, .text = {}};
    if (!has_value_) return {.number = kNothing, .text = {}};
    if (operation_ == GroupOperation::kRange) return {.number = most_ - least_, .text = {}};
    if (operation_ == GroupOperation::kMean) return {.number = value_ / n, .text = {}};
    if (operation_ == GroupOperation::kGeoMean) return {.number = std::isnan(value_) ? kNothing : std::exp(value_ / n), .text = {}};
    if (operation_ == GroupOperation::kHarmMean) return {.number = n / value_, .text = {}};
    return {.number = value_, .text = {}};
  }

 private:
  void Take(long double value, bool is_better) {
    if (is_better) value_ = value;
  }
  GroupOperation operation_;
  bool has_value_ = false;
  uint64_t count_ = 0;
  long double value_ = 0, least_ = 0, most_ = 0;
};

class Kept final : public Accumulator {
 public:
  Kept(GroupOperation operation, const Parameter& parameter) : operation_(operation), parameter_(parameter) {}
  void Add(long double value, Budget& budget) override { Append(values_, value, budget); }
  Answer Finish(Budget& budget) override {
    budget.Step(static_cast<int64_t>(values_.size()));
    if (values_.empty()) return {.number = kNothing, .text = {}};
    return {.number = Value(budget), .text = {}};
  }

 private:
  long double Value(Budget& budget) {
    switch (operation_) {
      case GroupOperation::kPstdev: return std::sqrt(Variance(values_, false));
      case GroupOperation::kSstdev: return std::sqrt(Variance(values_, true));
      case GroupOperation::kPvar: return Variance(values_, false);
      case GroupOperation::kSvar: return Variance(values_, true);
      case GroupOperation::kPskew: return Skewness(values_, false);
      case GroupOperation::kSskew: return Skewness(values_, true);
      case GroupOperation::kPkurt: return Kurtosis(values_, false);
      case GroupOperation::kSkurt: return Kurtosis(values_, true);
      case GroupOperation::kDpo: return Omnibus(values_);
      case GroupOperation::kJarque: return JarqueBera(values_);
      default: break;
    }
    // An order that NaN does not break.
    std::ranges::sort(values_, [&](long double a, long double b) {
      budget.Step();
      return std::isnan(b) ? !std::isnan(a) : a < b;
    });
    switch (operation_) {
      case GroupOperation::kTrimMean: return TrimmedMean(values_, parameter_.number);
      case GroupOperation::kMedian: return Quantile(values_, 0.5L);
      case GroupOperation::kQ1: return Quantile(values_, 0.25L);
      case GroupOperation::kQ3: return Quantile(values_, 0.75L);
      case GroupOperation::kIqr: return Quantile(values_, 0.75L) - Quantile(values_, 0.25L);
      case GroupOperation::kPerc: return Quantile(values_, parameter_.number / 100);
      case GroupOperation::kMode: return Mode(values_, false);
      case GroupOperation::kAntimode: return Mode(values_, true);
      case GroupOperation::kMad: return 1.4826L * AbsoluteDeviation(values_, budget);
      default: return AbsoluteDeviation(values_, budget);
    }
  }

  GroupOperation operation_;
  Parameter parameter_;
  Values values_;
};

class Paired final : public Accumulator {
 public:
  explicit Paired(GroupOperation operation) : operation_(operation) {}
  void AddPart(long double value, bool is_second, Budget& budget) override { Append(is_second ? y_ : x_, value, budget); }
  bool has_pairs() const override { return x_.size() == y_.size(); }
  Answer Finish(Budget& budget) override {
    budget.Step(static_cast<int64_t>(x_.size()));
    if (x_.empty()) return {.number = kNothing, .text = {}};
    const bool is_sample = operation_ == GroupOperation::kScov || operation_ == GroupOperation::kSpearson;
    const bool is_covariance = operation_ == GroupOperation::kScov || operation_ == GroupOperation::kPcov;
    const auto n = static_cast<long double>(x_.size());
    const long double x_mean = Mean(x_), y_mean = Mean(y_);
    long double sum = 0;
    for (size_t i = 0; i < x_.size(); ++i) sum += (x_[i] - x_mean) * (y_[i] - y_mean);
    const long double covariance = sum / (is_sample ? n - 1 : n);
    if (is_covariance) return {.number = covariance, .text = {}};
    return {.number = covariance / (std::sqrt(Variance(x_, is_sample)) * std::sqrt(Variance(y_, is_sample))), .text = {}};
  }

 private:
  GroupOperation operation_;
  Values x_, y_;
};

class Texts final : public Accumulator {
 public:
  Texts(GroupOperation operation, const TextRules& rules) : operation_(operation), rules_(rules) {}
  void AddText(std::string_view text, Budget& budget) override {
    ++count_;
    if (operation_ == GroupOperation::kCount) return;
    if (operation_ == GroupOperation::kUnique || operation_ == GroupOperation::kCountUnique) return Append(texts_, std::string(text), budget);
    if (operation_ == GroupOperation::kCollapse) {
      if (count_ > 1) text_ += ',';
      text_ += text;
      return;
    }
    const bool is_taken = operation_ == GroupOperation::kLast || count_ == 1 || (operation_ == GroupOperation::kRand && IsDrawn());
    if (is_taken) text_ = text;
  }
  Answer Finish(Budget& budget) override {
    if (operation_ == GroupOperation::kCount) return {.number = static_cast<long double>(count_), .text = {}};
    if (operation_ != GroupOperation::kUnique && operation_ != GroupOperation::kCountUnique) return {.number = {}, .text = std::move(text_)};
    std::ranges::stable_sort(texts_, [&](const std::string& a, const std::string& b) {
      budget.Step(1 + static_cast<int64_t>(std::min(a.size(), b.size()) / 32));
      return Compare(a, b) < 0;
    });
    const auto rest = std::ranges::unique(texts_, [&](const std::string& a, const std::string& b) { return Compare(a, b) == 0; });
    texts_.erase(rest.begin(), rest.end());
    if (operation_ == GroupOperation::kCountUnique) return {.number = static_cast<long double>(texts_.size()), .text = {}};
    std::string joined;
    for (size_t i = 0; i < texts_.size(); ++i) joined.append(i > 0 ? "," : "").append(texts_[i]);
    return {.number = {}, .text = std::move(joined)};
  }

 private:
  int Compare(const std::string& a, const std::string& b) const { return rules_.ignores_case ? strcasecmp(a.c_str(), b.c_str()) : a.compare(b); }
  // One chance in as many as there were, so that each value is as likely in the end.
  bool IsDrawn() const {
    uint64_t number = 0;
    FillRandom({reinterpret_cast<uint8_t*>(&number), sizeof number});
    return number % count_ == 0;
  }

  GroupOperation operation_;
  TextRules rules_;
  uint64_t count_ = 0;
  std::string text_;
  std::vector<std::string> texts_;
};

}  // namespace

std::unique_ptr<Accumulator> NewAccumulator(const Operation& operation, const Parameter& parameter, const TextRules& rules) {
  const auto id = static_cast<GroupOperation>(operation.id);
  if (operation.value == ValueKind::kPair) return std::make_unique<Paired>(id);
  if (operation.value == ValueKind::kText) return std::make_unique<Texts>(id, rules);
  switch (id) {
    case GroupOperation::kSum:
    case GroupOperation::kMin:
    case GroupOperation::kMax:
    case GroupOperation::kAbsMin:
    case GroupOperation::kAbsMax:
    case GroupOperation::kRange:
    case GroupOperation::kMean:
    case GroupOperation::kGeoMean:
    case GroupOperation::kHarmMean: return std::make_unique<Running>(id);
    default: return std::make_unique<Kept>(id, parameter);
  }
}

}  // namespace paddock::datamash
