// The address of a PostgreSQL database, and how it is shown.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/records/postgres_library.h"

namespace paddock::records {

struct PostgresUrl {
  std::string url;       // as given; may hold the password
  std::string shown;     // user, host, port and database alone
  std::string password;  // empty when it holds none

  // `text` without the password, should it occur.
  std::string Scrubbed(std::string_view text) const;
};

// kInvalid: it does not parse, or is ambiguous; the text shows nothing of it.
Result<PostgresUrl> ReadPostgresUrl(const PostgresLibrary& library, const std::string& url);

}  // namespace paddock::records
