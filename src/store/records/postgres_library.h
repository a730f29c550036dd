// libpq, loaded when it is first needed: the program starts without it, and runs where it is not installed.
#pragma once

#include <libpq-fe.h>

#include <memory>

#include "base/result.h"

namespace paddock::records {

// The functions that are used, under their own names without the prefix. Stays loaded until the program ends.
struct PostgresLibrary {
  decltype(&PQclear) Clear;
  decltype(&PQcmdStatus) CommandStatus;
  decltype(&PQcmdTuples) CommandTuples;
  decltype(&PQconnectdbParams) Connect;
  decltype(&PQconninfoFree) InfoFree;
  decltype(&PQconninfoParse) InfoParse;
  decltype(&PQerrorMessage) ErrorMessage;
  decltype(&PQexec) Execute;
  decltype(&PQfinish) Finish;
  decltype(&PQfreemem) FreeMemory;
  decltype(&PQgetResult) GetResult;
  decltype(&PQgetisnull) IsNull;
  decltype(&PQgetlength) Length;
  decltype(&PQgetvalue) GetValue;
  decltype(&PQntuples) TupleCount;
  decltype(&PQpingParams) Ping;
  decltype(&PQprepare) Prepare;
  decltype(&PQresultErrorField) ErrorField;
  decltype(&PQresultStatus) ResultStatus;
  decltype(&PQsendQueryPrepared) SendPrepared;
  decltype(&PQsetNoticeProcessor) SetNoticeProcessor;
  decltype(&PQsetSingleRowMode) SetSingleRowMode;
  decltype(&PQstatus) ConnectionStatus;
  decltype(&PQtransactionStatus) TransactionStatus;

  // kNotSupported: it is not installed, or too old.
  static Result<std::shared_ptr<const PostgresLibrary>> Load();
};

}  // namespace paddock::records
