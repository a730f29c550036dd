#include "store/records/record_rows.h"

#include <boost/json.hpp>

#include "text/utf8.h"

namespace paddock::records {
namespace {

Labels LabelsOf(std::string_view text) {
  Labels labels;
  if (text.size() <= 2) return labels;
  boost::system::error_code error;
  const auto value = boost::json::parse(boost::json::string_view(text.data(), text.size()), error);
  if (error || !value.is_object()) return labels;
  for (const auto& [key, label] : value.get_object()) {
    if (label.is_string()) labels.emplace(std::string(key), std::string(label.get_string()));
  }
  return labels;
}

Status CheckLabels(const Labels& labels) {
  if (labels.size() > kMaxLabels) return Error(Code::kInvalid, "more than " + std::to_string(kMaxLabels) + " labels");
  for (const auto& [key, value] : labels) {
    PADDOCK_TRY(CheckText("label's key", key, kMaxLabelKey, false));
    PADDOCK_TRY(CheckText("value of label '" + key + "'", value, kMaxLabelValue, true));
  }
  return {};
}

}  // namespace

Record ReadRecord(const Row& row, bool has_body) {
  Record record;
  const auto text = [&](int column) { return std::string(row.Bytes(column)); };
  const auto time = [&](int column) { return Time(Duration(row.Integer(column))); };
  record.kind = text(0);
  record.id = text(1);
  record.owner = text(2);
  record.parent = text(3);
  record.name = text(4);
  record.state = text(5);
  record.expires = row.TimeOrNone(6);
  record.claimed_by = text(7);
  record.claimed_until = row.TimeOrNone(8);
  record.created = time(9);
  record.updated = time(10);
  record.version = row.Integer(11);
  record.labels = LabelsOf(row.Bytes(12));
  if (has_body) record.body = text(13);
  return record;
}

std::string LabelsText(const Labels& labels) {
  if (labels.empty()) return "{}";
  boost::json::object object;
  for (const auto& [key, value] : labels) object[key] = value;
  return boost::json::serialize(object);
}

Status CheckText(std::string_view field, std::string_view text, size_t most, bool may_be_empty) {
  const auto wrong = [&](const std::string& what) { return Error(Code::kInvalid, std::string(field) + " " + what); };
  if (text.empty()) return may_be_empty ? Status() : wrong("is empty");
  if (text.size() > most) return wrong("is longer than " + std::to_string(most) + " bytes");
  if (text.find('\0') != std::string_view::npos) return wrong("holds a NUL byte");
  if (!IsValidUtf8(text)) return wrong("is not UTF-8");
  return {};
}

Status CheckRecord(const Record& record) {
  PADDOCK_TRY(CheckText("kind", record.kind, kMaxKind, false));
  PADDOCK_TRY(CheckText("id", record.id, kMaxId, false));
  PADDOCK_TRY(CheckText("owner", record.owner, kMaxOwner, true));
  PADDOCK_TRY(CheckText("parent", record.parent, kMaxId, true));
  PADDOCK_TRY(CheckText("name", record.name, kMaxName, true));
  PADDOCK_TRY(CheckText("state", record.state, kMaxState, true));
  PADDOCK_TRY(CheckText("claimer", record.claimed_by, kMaxId, true));
  PADDOCK_TRY(CheckLabels(record.labels));
  if (record.body.size() > kMaxBody) {
    return Error(Code::kInvalid, "body is longer than " + std::to_string(kMaxBody) + " bytes");
  }
  return {};
}

Status CheckFilter(const Filter& filter) {
  constexpr size_t kMaxTerms = 16;
  PADDOCK_TRY(CheckText("kind", filter.kind, kMaxKind, false));
  PADDOCK_TRY(CheckText("owner", filter.owner.value_or(""), kMaxOwner, true));
  PADDOCK_TRY(CheckText("parent", filter.parent.value_or(""), kMaxId, true));
  PADDOCK_TRY(CheckText("name", filter.name.value_or(""), kMaxName, true));
  if (filter.states.size() > kMaxTerms) return Error(Code::kInvalid, "more than 16 states in a filter");
  if (filter.labels.size() > kMaxTerms) return Error(Code::kInvalid, "more than 16 labels in a filter");
  for (const auto& state : filter.states) PADDOCK_TRY(CheckText("state", state, kMaxState, true));
  return CheckLabels(filter.labels);
}

std::string Named(std::string_view kind, std::string_view id) {
  return HarmlessLine(kind) + " " + HarmlessLine(id);
}

}  // namespace paddock::records
