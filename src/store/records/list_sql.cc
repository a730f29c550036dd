#include "store/records/list_sql.h"

#include <boost/endian/conversion.hpp>

#include "store/records/record_rows.h"
#include "text/digest.h"

namespace paddock::records {
namespace {

constexpr size_t kMarkBytes = 8;  // of the query's digest in a cursor
constexpr size_t kTimeBytes = 8;

// Builds the text and the parameters side by side.
class Builder {
 public:
  void Add(std::string_view text) { sql_ += text; }
  void Add(std::string_view text, Value value) {
    sql_ += text;
    parameters_.push_back(value);
    sql_ += "$" + std::to_string(parameters_.size());
  }
  ListStatement Take() { return {std::move(sql_), std::move(parameters_)}; }

 private:
  std::string sql_;
  std::vector<Value> parameters_;
};

// FROM and WHERE. When labels are asked for, the first one leads: its index holds the order too.
// Returns the table whose `created` and `id` order the rows.
std::string_view AddSource(Builder& builder, const Filter& filter) {
  const bool is_by_label = !filter.labels.empty();
  const std::string_view lead = is_by_label ? "l" : "r";
  if (is_by_label) {
    const auto& [key, value] = *filter.labels.begin();
    builder.Add(" FROM labels l CROSS JOIN records r WHERE r.kind = l.kind AND r.id = l.id");
    builder.Add(" AND l.kind = ", filter.kind);
    builder.Add(" AND l.key = ", key);
    builder.Add(" AND l.value = ", value);
    if (filter.owner) builder.Add(" AND l.owner = ", *filter.owner);
    for (auto other = std::next(filter.labels.begin()); other != filter.labels.end(); ++other) {
      builder.Add(" AND EXISTS (SELECT 1 FROM labels m WHERE m.kind = l.kind AND m.id = l.id AND m.key = ", other->first);
      builder.Add(" AND m.value = ", other->second);
      builder.Add(")");
    }
  } else {
    builder.Add(" FROM records r WHERE r.kind = ", filter.kind);
    if (filter.owner) builder.Add(" AND r.owner = ", *filter.owner);
  }
  if (filter.parent) {
    builder.Add(" AND r.parent = ", *filter.parent);
    if (!filter.parent->empty()) builder.Add(" AND r.parent <> ''");  // as the index says
  }
  if (filter.name) {
    builder.Add(" AND r.name = ", *filter.name);
    if (!filter.name->empty()) builder.Add(" AND r.name <> ''");
  }
  if (filter.states.size() == 1) builder.Add(" AND r.state = ", filter.states[0]);
  if (filter.states.size() > 1) {
    std::string_view before = " AND r.state IN (";
    for (const auto& state : filter.states) {
      builder.Add(before, state);
      before = ", ";
    }
    builder.Add(")");
  }
  const std::string created = " AND " + std::string(lead) + ".created ";
  if (filter.created_from) builder.Add(created + ">= ", *filter.created_from);
  if (filter.created_before) builder.Add(created + "< ", *filter.created_before);
  return lead;
}

void AddField(std::string& out, std::string_view text) {
  out += std::to_string(text.size()) + ":" + std::string(text);
}

// What a cursor belongs to: everything that decides which rows there are and in which order.
std::string MarkOf(const ListQuery& query) {
  const Filter& filter = query.filter;
  std::string text;
  AddField(text, filter.kind);
  for (const auto& field : {filter.owner, filter.parent, filter.name}) {
    text += field ? '+' : '-';
    AddField(text, field.value_or(""));
  }
  text += std::to_string(filter.states.size()) + ",";
  for (const auto& state : filter.states) AddField(text, state);
  for (const auto& [key, value] : filter.labels) {
    AddField(text, key);
    AddField(text, value);
  }
  for (const auto& time : {filter.created_from, filter.created_before}) {
    text += time ? std::to_string(time->time_since_epoch().count()) + "," : "-,";
  }
  text += query.is_newest_first ? 'n' : 'o';
  return DigestOf(DigestAlgorithm::kSha256, text).substr(0, kMarkBytes);
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

ListStatement MakeListStatement(const ListQuery& query, const std::optional<Position>& after) {
  Builder builder;
  std::string columns = "SELECT r.kind";
  for (const char c : kRecordColumns.substr(4)) columns += c == ' ' ? " r." : std::string(1, c);
  if (!query.has_bodies) columns.resize(columns.rfind(','));
  builder.Add(columns);
  const std::string lead(AddSource(builder, query.filter));
  if (after) {
    builder.Add(" AND (" + lead + ".created, " + lead + ".id) " + (query.is_newest_first ? "<" : ">") + " (", after->created);
    builder.Add(", ", after->id);
    builder.Add(")");
  }
  const std::string way = query.is_newest_first ? " DESC" : "";
  builder.Add(" ORDER BY " + lead + ".created" + way + ", " + lead + ".id" + way);
  builder.Add(" LIMIT ", static_cast<int64_t>(query.limit) + 1);
  return builder.Take();
}

ListStatement MakeCountStatement(const Filter& filter, size_t most) {
  Builder builder;
  builder.Add("SELECT count(*) FROM (SELECT 1");
  AddSource(builder, filter);
  builder.Add(" LIMIT ", static_cast<int64_t>(std::min<size_t>(most, INT32_MAX)));
  builder.Add(") matches");
  return builder.Take();
}

std::string WriteCursor(const ListQuery& query, const Position& position) {
  std::string bytes = MarkOf(query);
  uint8_t time[kTimeBytes];
  boost::endian::store_big_s64(time, position.created.time_since_epoch().count());
  bytes.append(time, time + kTimeBytes);
  return HexOf(bytes + position.id);
}

Result<Position> ReadCursor(const ListQuery& query) {
  const Error wrong(Code::kInvalid, "cursor does not belong to this list: start again without one");
  const std::string& text = query.cursor;
  if (text.size() % 2 != 0 || text.size() > 2 * (kMarkBytes + kTimeBytes + kMaxId)) return wrong;
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = HexDigit(text[i]);
    const int low = HexDigit(text[i + 1]);
    if (high < 0 || low < 0) return wrong;
    bytes += static_cast<char>(high * 16 + low);
  }
  if (bytes.size() <= kMarkBytes + kTimeBytes || bytes.substr(0, kMarkBytes) != MarkOf(query)) return wrong;
  uint8_t time[kTimeBytes] = {};
  bytes.copy(reinterpret_cast<char*>(time), kTimeBytes, kMarkBytes);
  Position position{Time(Duration(boost::endian::load_big_s64(time))), bytes.substr(kMarkBytes + kTimeBytes)};
  if (!CheckText("id", position.id, kMaxId, false)) return wrong;
  return position;
}

}  // namespace paddock::records
