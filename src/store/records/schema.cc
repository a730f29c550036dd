#include "store/records/schema.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace paddock::records {
namespace {

// {text} compares by bytes, {blob} takes any; {flat} keeps a table in the order of its primary key.
// The body comes last: a long one lies outside of the row's page, and what stands before it is read without it.
constexpr std::string_view kSteps[] = {R"(
CREATE TABLE records (
  kind {text} NOT NULL,
  id {text} NOT NULL,
  owner {text} NOT NULL,
  parent {text} NOT NULL,
  name {text} NOT NULL,
  state {text} NOT NULL,
  labels {text} NOT NULL,
  expires BIGINT,
  claimed_by {text} NOT NULL,
  claimed_until BIGINT,
  created BIGINT NOT NULL,
  updated BIGINT NOT NULL,
  version BIGINT NOT NULL,
  body {blob} NOT NULL,
  PRIMARY KEY (kind, id)
);
CREATE UNIQUE INDEX records_by_name ON records (kind, owner, parent, name) WHERE name <> '';
CREATE INDEX records_in_order ON records (kind, created, id);
CREATE INDEX records_by_owner ON records (kind, owner, created, id);
CREATE INDEX records_by_parent ON records (kind, parent, created, id) WHERE parent <> '';
CREATE INDEX records_by_state ON records (kind, state, created, id);
CREATE INDEX records_by_expiry ON records (kind, expires) WHERE expires IS NOT NULL;

CREATE TABLE labels (
  kind {text} NOT NULL,
  id {text} NOT NULL,
  key {text} NOT NULL,
  value {text} NOT NULL,
  owner {text} NOT NULL,
  created BIGINT NOT NULL,
  PRIMARY KEY (kind, id, key)
) {flat};
CREATE INDEX labels_by_value ON labels (kind, key, value, owner, created, id);

CREATE TABLE streams (
  stream {text} PRIMARY KEY NOT NULL,
  last BIGINT NOT NULL
) {flat};
CREATE TABLE events (
  stream {text} NOT NULL,
  sequence BIGINT NOT NULL,
  at BIGINT NOT NULL,
  type {text} NOT NULL,
  subject {text} NOT NULL,
  body {blob} NOT NULL,
  PRIMARY KEY (stream, sequence)
);

CREATE TABLE request_keys (
  owner {text} NOT NULL,
  key {text} NOT NULL,
  digest {text} NOT NULL,
  expires BIGINT NOT NULL,
  result {blob},
  PRIMARY KEY (owner, key)
);
CREATE INDEX request_keys_by_expiry ON request_keys (expires);

CREATE TABLE counters (
  owner {text} NOT NULL,
  name {text} NOT NULL,
  value BIGINT NOT NULL,
  PRIMARY KEY (owner, name)
) {flat};
)"};
static_assert(std::size(kSteps) == kSchemaVersion);

}  // namespace

std::string SchemaStep(int64_t version, Dialect dialect) {
  PADDOCK_CHECK(version >= 0 && version < kSchemaVersion);
  const bool is_sqlite = dialect == Dialect::kSqlite;
  const std::array<std::pair<std::string_view, std::string_view>, 3> words = {{
      {"{text}", is_sqlite ? "TEXT" : "TEXT COLLATE \"C\""},
      {"{blob}", is_sqlite ? "BLOB" : "BYTEA"},
      {"{flat}", is_sqlite ? "WITHOUT ROWID" : ""},
  }};
  std::string text(kSteps[version]);
  for (const auto& [word, meaning] : words) {
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += meaning.size()) {
      text.replace(at, word.size(), meaning);
    }
  }
  return text;
}

}  // namespace paddock::records
