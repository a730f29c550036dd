#include "store/records/postgres_library.h"

#include <dlfcn.h>

namespace paddock::records {
namespace {

template <class Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

Result<std::shared_ptr<const PostgresLibrary>> PostgresLibrary::Load() {
  // Never unloaded: libraries below it have handlers that run when the program ends.
  void* const library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    return Error(Code::kNotSupported, "libpq.so.5 is needed for a postgresql:// database: install the package libpq5");
  }
  PostgresLibrary table;
  const bool is_complete =
      Find(library, "PQclear", table.Clear) && Find(library, "PQcmdStatus", table.CommandStatus) &&
      Find(library, "PQcmdTuples", table.CommandTuples) && Find(library, "PQconnectdbParams", table.Connect) &&
      Find(library, "PQconninfoFree", table.InfoFree) && Find(library, "PQconninfoParse", table.InfoParse) &&
      Find(library, "PQerrorMessage", table.ErrorMessage) && Find(library, "PQexec", table.Execute) &&
      Find(library, "PQfinish", table.Finish) && Find(library, "PQfreemem", table.FreeMemory) &&
      Find(library, "PQgetResult", table.GetResult) && Find(library, "PQgetisnull", table.IsNull) &&
      Find(library, "PQgetlength", table.Length) && Find(library, "PQgetvalue", table.GetValue) &&
      Find(library, "PQntuples", table.TupleCount) && Find(library, "PQpingParams", table.Ping) &&
      Find(library, "PQprepare", table.Prepare) && Find(library, "PQresultErrorField", table.ErrorField) &&
      Find(library, "PQresultStatus", table.ResultStatus) && Find(library, "PQsendQueryPrepared", table.SendPrepared) &&
      Find(library, "PQsetNoticeProcessor", table.SetNoticeProcessor) &&
      Find(library, "PQsetSingleRowMode", table.SetSingleRowMode) && Find(library, "PQstatus", table.ConnectionStatus) &&
      Find(library, "PQtransactionStatus", table.TransactionStatus);
  if (!is_complete) return Error(Code::kNotSupported, "libpq.so.5 lacks functions: install PostgreSQL 9.2's or newer");
  return std::make_shared<const PostgresLibrary>(table);
}

}  // namespace paddock::records
