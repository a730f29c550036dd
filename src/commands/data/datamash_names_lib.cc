#include <algorithm>
#include <cmath>

#include "commands/data/datamash_names.h"

namespace paddock::datamash {
namespace {

constexpr Operation Line(std::string_view name, LineOperation id, ValueKind value = ValueKind::kText) {
  return {name, OperationKind::kLine, value, static_cast<int>(id)};
}
constexpr Operation Group(std::string_view name, GroupOperation id, ValueKind value = ValueKind::kNumber) {
  return {name, OperationKind::kGroup, value, static_cast<int>(id)};
}

constexpr Operation kOperations[] = {
    Line("base64", LineOperation::kBase64), Line("debase64", LineOperation::kDebase64), Line("md5", LineOperation::kMd5),
    Line("sha1", LineOperation::kSha1), Line("sha224", LineOperation::kSha224), Line("sha256", LineOperation::kSha256),
    Line("sha384", LineOperation::kSha384), Line("sha512", LineOperation::kSha512), Line("bin", LineOperation::kBin, ValueKind::kNumber),
    Line("strbin", LineOperation::kStrbin), Line("round", LineOperation::kRound, ValueKind::kNumber),
    Line("floor", LineOperation::kFloor, ValueKind::kNumber), Line("ceil", LineOperation::kCeil, ValueKind::kNumber),
    Line("trunc", LineOperation::kTrunc, ValueKind::kNumber), Line("frac", LineOperation::kFrac, ValueKind::kNumber),
    Line("dirname", LineOperation::kDirname), Line("basename", LineOperation::kBasename), Line("barename", LineOperation::kBarename),
    Line("extname", LineOperation::kExtname), Line("getnum", LineOperation::kGetnum), Line("cut", LineOperation::kCut),
    Group("sum", GroupOperation::kSum), Group("min", GroupOperation::kMin), Group("max", GroupOperation::kMax),
    Group("absmin", GroupOperation::kAbsMin), Group("absmax", GroupOperation::kAbsMax), Group("range", GroupOperation::kRange),
    Group("count", GroupOperation::kCount, ValueKind::kText), Group("first", GroupOperation::kFirst, ValueKind::kText),
    Group("last", GroupOperation::kLast, ValueKind::kText), Group("rand", GroupOperation::kRand, ValueKind::kText),
    Group("unique", GroupOperation::kUnique, ValueKind::kText), Group("collapse", GroupOperation::kCollapse, ValueKind::kText),
    Group("countunique", GroupOperation::kCountUnique, ValueKind::kText), Group("mean", GroupOperation::kMean),
    Group("geomean", GroupOperation::kGeoMean), Group("harmmean", GroupOperation::kHarmMean), Group("trimmean", GroupOperation::kTrimMean),
    Group("median", GroupOperation::kMedian), Group("q1", GroupOperation::kQ1), Group("q3", GroupOperation::kQ3), Group("iqr", GroupOperation::kIqr),
    Group("perc", GroupOperation::kPerc), Group("mode", GroupOperation::kMode), Group("antimode", GroupOperation::kAntimode),
    Group("pstdev", GroupOperation::kPstdev), Group("sstdev", GroupOperation::kSstdev), Group("pvar", GroupOperation::kPvar),
    Group("svar", GroupOperation::kSvar), Group("mad", GroupOperation::kMad), Group("madraw", GroupOperation::kMadRaw),
    Group("pskew", GroupOperation::kPskew), Group("sskew", GroupOperation::kSskew), Group("pkurt", GroupOperation::kPkurt),
    Group("skurt", GroupOperation::kSkurt), Group("dpo", GroupOperation::kDpo), Group("jarque", GroupOperation::kJarque),
    Group("pcov", GroupOperation::kPcov, ValueKind::kPair), Group("scov", GroupOperation::kScov, ValueKind::kPair),
    Group("ppearson", GroupOperation::kPpearson, ValueKind::kPair), Group("spearson", GroupOperation::kSpearson, ValueKind::kPair),
};

bool Is(const Operation& operation, LineOperation id) { return operation.kind == OperationKind::kLine && operation.id == static_cast<int>(id); }
bool Is(const Operation& operation, GroupOperation id) { return operation.kind == OperationKind::kGroup && operation.id == static_cast<int>(id); }

Error Bad(std::string message) { return {Code::kInvalid, std::move(message)}; }

}  // namespace

const Operation* FindOperation(std::string_view name) {
  const auto found = std::ranges::find(kOperations, name, &Operation::name);
  return found == std::end(kOperations) ? nullptr : found;
}

std::optional<long double> ParseNumber(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const long double value = std::strtold(text.c_str(), &end);
  if (end != text.c_str() + text.size()) return std::nullopt;
  return value;
}

Result<Parameter> ParseParameter(const Operation& operation, std::optional<std::string_view> text) {
  Parameter parameter;
  if (Is(operation, LineOperation::kGetnum)) {
    parameter.letter = text && !text->empty() ? text->front() : 'p';
    if (std::string_view("nidpho").find(parameter.letter) == std::string_view::npos) {
      return Bad("invalid getnum type '" + std::string(text->substr(0, 1)) + "'");
    }
    return parameter;
  }
  const bool is_bin = Is(operation, LineOperation::kBin), is_strbin = Is(operation, LineOperation::kStrbin);
  const bool is_percentile = Is(operation, GroupOperation::kPerc), is_trim = Is(operation, GroupOperation::kTrimMean);
  if (is_bin) parameter.number = 100;
  if (is_strbin) parameter.number = 10;
  if (is_percentile) parameter.number = 95;
  if (!text) return parameter;
  const std::string quoted = " for operation ‘" + std::string(operation.name) + "’";
  if (!is_bin && !is_strbin && !is_percentile && !is_trim) return Bad("too many parameters" + quoted);
  const std::string word(*text);
  const auto value = ParseNumber(word);
  const bool is_whole = !is_percentile && !is_strbin;
  if (!value || word[0] == '-' || (!is_whole && (*value != std::trunc(*value) || *value > 1e18L))) {
    return Bad("invalid parameter " + (word.starts_with('-') ? std::string("-") : word) + quoted);
  }
  if (is_percentile && (*value < 1 || *value > 100)) return Bad("invalid percentile value " + word);
  if (is_trim && *value > 0.5L) return Bad("invalid trim mean value " + word + " (expected 0 <= X <= 0.5)");
  if (is_strbin && *value == 0) return Bad("strbin bucket size must not be zero");
  parameter.number = *value;
  return parameter;
}

}  // namespace paddock::datamash
