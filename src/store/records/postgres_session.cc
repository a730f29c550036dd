#include "store/records/postgres_session.h"

#include <array>
#include <boost/endian/conversion.hpp>
#include <cstdlib>

#include "base/check.h"
#include "text/utf8.h"

namespace paddock::records {
namespace {

constexpr size_t kMaxStatements = 200;  // kept prepared; lists with many terms make new texts

// PostgreSQL's numbers of types.
constexpr Oid kBytea = 17;
constexpr Oid kInt8 = 20;
constexpr Oid kTextType = 25;

// What a connection is told before anything else. A URL that says otherwise wins.
constexpr std::array<std::pair<const char*, const char*>, 7> kDefaults = {{
    {"application_name", "paddock"},
    {"client_encoding", "UTF8"},
    {"connect_timeout", "5"},
    {"keepalives_idle", "30"},
    {"keepalives_interval", "10"},
    {"keepalives_count", "3"},
    {"tcp_user_timeout", "20000"},
}};

class PostgresRow : public Row {
 public:
  PostgresRow(const PostgresLibrary& library, const PGresult* result, int row) : library_(library), result_(result), row_(row) {}

  bool IsNull(int column) const override { return library_.IsNull(result_, row_, column) == 1; }
  int64_t Integer(int column) const override {
    const auto* bytes = reinterpret_cast<const unsigned char*>(library_.GetValue(result_, row_, column));
    const int length = library_.Length(result_, row_, column);
    PADDOCK_CHECK(length == 8 || length == 4);
    return length == 8 ? boost::endian::load_big_s64(bytes) : boost::endian::load_big_s32(bytes);
  }
  std::string_view Bytes(int column) const override {
    return {library_.GetValue(result_, row_, column), static_cast<size_t>(library_.Length(result_, row_, column))};
  }

 private:
  const PostgresLibrary& library_;
  const PGresult* result_;
  int row_;
};

Oid TypeOf(const Value& value) {
  switch (value.type) {
    case Value::Type::kNull:
      return 0;  // the server infers it from where the parameter stands
    case Value::Type::kInteger:
      return kInt8;
    case Value::Type::kText:
      return kTextType;
    case Value::Type::kBlob:
      return kBytea;
  }
  return 0;
}

// An error's class (its SQLSTATE) as one of our codes.
Code CodeOf(std::string_view state) {
  if (state == "53100") return Code::kNoSpace;
  if (state == "53200") return Code::kNoMemory;
  if (state == "23505") return Code::kExists;
  if (state == "25006") return Code::kReadOnly;
  if (state == "42501") return Code::kAccess;
  if (state == "55P03" || state == "57014") return Code::kBusy;
  if (state.starts_with("XX00") && state != "XX000") return Code::kCorrupt;
  if (state.starts_with("08") || state.starts_with("53") || state.starts_with("57P")) return Code::kUnavailable;
  return Code::kIo;
}

std::string FirstLine(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  return HarmlessLine(text);
}

}  // namespace

PostgresSession::PostgresSession(std::shared_ptr<const PostgresLibrary> library, const PostgresUrl& url)
    : library_(std::move(library)), url_(url), connection_(nullptr, FinishConnection{library_.get()}) {}

Result<std::unique_ptr<PostgresSession>> PostgresSession::Connect(std::shared_ptr<const PostgresLibrary> library,
                                                                  const PostgresUrl& url, const std::string& schema,
                                                                  bool* may_help_to_wait) {
  std::array<const char*, kDefaults.size() + 2> names{};
  std::array<const char*, kDefaults.size() + 2> values{};
  for (size_t i = 0; i < kDefaults.size(); ++i) {
    names[i] = kDefaults[i].first;
    values[i] = kDefaults[i].second;
  }
  names[kDefaults.size()] = "dbname";
  values[kDefaults.size()] = url.url.c_str();
  auto session =
      std::unique_ptr<PostgresSession>(new PostgresSession(library, url));  // allow(raw-new): the constructor is private
  *may_help_to_wait = false;
  session->connection_.reset(library->Connect(names.data(), values.data(), 1));
  if (session->connection_ == nullptr) return Error(Code::kNoMemory);
  if (session->is_lost()) {
    // A server that answers has said no: the password, the database's name, too many connections. Or it has come up
    // since: a second attempt tells which.
    const PGPing state = library->Ping(names.data(), values.data(), 1);
    *may_help_to_wait = state == PQPING_REJECT || state == PQPING_NO_RESPONSE;
    if (state == PQPING_OK) session->connection_.reset(library->Connect(names.data(), values.data(), 1));
    if (session->connection_ == nullptr) return Error(Code::kNoMemory);
  }
  PGconn* const connection = session->connection_.get();
  library->SetNoticeProcessor(connection, [](void*, const char*) {}, nullptr);
  if (session->is_lost()) {
    return Error(Code::kUnavailable,
                 "database " + url.shown + " is not reachable: " + url.Scrubbed(FirstLine(library->ErrorMessage(connection))));
  }
  const Status is_set = session->Execute("SET search_path TO " + schema +
                                         "; SET statement_timeout = '30s'; SET lock_timeout = '10s';"
                                         " SET idle_in_transaction_session_timeout = '60s'; SET client_min_messages = error");
  if (!is_set) {
    *may_help_to_wait = session->is_lost();
    return is_set.error();
  }
  return session;
}

Error PostgresSession::FailureOf(const PGresult* result) {
  const char* const field = result != nullptr ? library_->ErrorField(result, PG_DIAG_SQLSTATE) : nullptr;
  const char* const primary = result != nullptr ? library_->ErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : nullptr;
  const std::string state = field != nullptr ? field : "";
  const std::string said = url_.Scrubbed(FirstLine(primary != nullptr ? primary : library_->ErrorMessage(connection_.get())));
  if (is_lost() || state.starts_with("57P") || state.starts_with("08")) {
    trouble_ = Trouble::kLost;
    return Error(Code::kUnavailable, "database " + url_.shown + ": the connection was lost: " + said);
  }
  trouble_ = state == "40001" || state == "40P01" ? Trouble::kRepeat : Trouble::kOther;
  const Code code = trouble_ == Trouble::kRepeat ? Code::kBusy : CodeOf(state);
  return Error(code, "database " + url_.shown + ": " + said);
}

Status PostgresSession::Execute(const std::string& sql) {
  const ResultHandle result = Own(library_->Execute(connection_.get(), sql.c_str()));
  const ExecStatusType status = library_->ResultStatus(result.get());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) return {};
  return FailureOf(result.get());
}

Status PostgresSession::Commit() {
  const ResultHandle result = Own(library_->Execute(connection_.get(), "COMMIT"));
  if (library_->ResultStatus(result.get()) != PGRES_COMMAND_OK) return FailureOf(result.get());
  if (std::string_view(library_->CommandStatus(result.get())) == "COMMIT") return {};
  trouble_ = Trouble::kOther;
  return Error(Code::kIo, "database " + url_.shown + ": the transaction was rolled back");
}

Result<std::string> PostgresSession::Find(std::string_view sql, std::span<const Value> parameters) {
  if (const auto found = statements_.find(sql); found != statements_.end()) return found->second;
  if (statements_.size() >= kMaxStatements) {
    PADDOCK_TRY(Execute("DEALLOCATE ALL"));
    statements_.clear();
  }
  std::vector<Oid> types;
  for (const Value& value : parameters) types.push_back(TypeOf(value));
  const std::string text(sql);
  const std::string name = "s" + std::to_string(statements_.size());
  const ResultHandle result =
      Own(library_->Prepare(connection_.get(), name.c_str(), text.c_str(), static_cast<int>(types.size()), types.data()));
  if (library_->ResultStatus(result.get()) != PGRES_COMMAND_OK) return FailureOf(result.get());
  statements_.emplace(text, name);
  return name;
}

Result<int64_t> PostgresSession::Send(const std::string& name, std::span<const Value> parameters, const OnRow& on_row) {
  std::vector<std::array<unsigned char, 8>> integers(parameters.size());
  std::vector<const char*> values(parameters.size());
  std::vector<int> lengths(parameters.size());
  const std::vector<int> formats(parameters.size(), 1);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Value& value = parameters[i];
    if (value.type == Value::Type::kInteger) {
      boost::endian::store_big_s64(integers[i].data(), value.integer);
      values[i] = reinterpret_cast<const char*>(integers[i].data());
      lengths[i] = 8;
    } else if (value.type != Value::Type::kNull) {
      values[i] = value.bytes.data() != nullptr ? value.bytes.data() : "";
      lengths[i] = static_cast<int>(value.bytes.size());
    }
  }
  PGconn* const connection = connection_.get();
  if (library_->SendPrepared(connection, name.c_str(), static_cast<int>(parameters.size()), values.data(), lengths.data(),
                             formats.data(), 1) != 1) {
    return FailureOf(nullptr);
  }
  if (on_row) library_->SetSingleRowMode(connection);
  // All results are taken, also after an error or when no more rows are wanted: the connection is free after the last.
  std::optional<Error> error;
  int64_t changed = 0;
  bool wants_more = true;
  while (const ResultHandle result = Own(library_->GetResult(connection))) {
    switch (library_->ResultStatus(result.get())) {
      case PGRES_SINGLE_TUPLE:
        if (wants_more && !error) wants_more = on_row(PostgresRow(*library_, result.get(), 0));
        break;
      case PGRES_TUPLES_OK:
      case PGRES_COMMAND_OK:
        changed = std::atoll(library_->CommandTuples(result.get()));
        break;
      default:
        if (!error) error = FailureOf(result.get());
    }
  }
  if (error) return *error;
  return changed;
}

Result<int64_t> PostgresSession::Run(std::string_view sql, std::span<const Value> parameters, const OnRow& on_row) {
  const auto name = Find(sql, parameters);
  Result<int64_t> changed = name ? Send(*name, parameters, on_row) : Result<int64_t>(name.error());
  if (!changed && failure_) failure_ = changed.error();
  return changed;
}

}  // namespace paddock::records
