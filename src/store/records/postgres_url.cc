#include "store/records/postgres_url.h"

#include <algorithm>
#include <map>

#include "text/utf8.h"

namespace paddock::records {

std::string PostgresUrl::Scrubbed(std::string_view text) const {
  std::string out(text);
  if (password.empty()) return out;
  for (size_t at = 0; (at = out.find(password, at)) != std::string::npos; at += 3) out.replace(at, password.size(), "***");
  return out;
}

Result<PostgresUrl> ReadPostgresUrl(const PostgresLibrary& library, const std::string& url) {
  const Error wrong(Code::kInvalid,
                    "database URL does not parse: write postgresql://user:password@host:port/database, with @ : / ? # % of "
                    "the password as %40 %3A %2F %3F %23 %25");
  const size_t scheme = url.find("://");
  if (scheme == std::string::npos || (url.substr(0, scheme) != "postgresql" && url.substr(0, scheme) != "postgres")) {
    return Error(Code::kInvalid, "database URL starts neither with postgresql:// nor is it a path");
  }
  if (url.find('\0') != std::string::npos) return wrong;
  // A password with one of these characters as it is would end up in the host's name, and in messages.
  const std::string_view rest = std::string_view(url).substr(scheme + 3);
  const std::string_view before_query = rest.substr(0, rest.find('?'));
  const size_t slash = before_query.find('/');
  if (std::count(before_query.begin(), before_query.end(), '@') > 1) return wrong;
  if (slash != std::string_view::npos && before_query.find('@', slash) != std::string_view::npos) return wrong;
  if (before_query.find('#') != std::string_view::npos) return wrong;
  if (before_query.size() < rest.size() && before_query.find('@') == std::string_view::npos &&
      before_query.find(':') != std::string_view::npos && rest.find('@') != std::string_view::npos) {
    return wrong;
  }

  char* message = nullptr;
  PQconninfoOption* const options = library.InfoParse(url.c_str(), &message);
  if (message != nullptr) library.FreeMemory(message);
  if (options == nullptr) return wrong;
  std::map<std::string, std::string> fields;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    if (option->val != nullptr) fields[option->keyword] = option->val;
  }
  library.InfoFree(options);

  const std::string port = fields["port"];
  if (port.find_first_not_of("0123456789,") != std::string::npos) return wrong;
  PostgresUrl read{.url = url, .shown = "postgresql://", .password = fields["password"]};
  const std::string host = fields["host"].empty() ? fields["hostaddr"] : fields["host"];
  const bool is_socket = host.starts_with('/') || host.empty();
  if (!fields["user"].empty()) read.shown += fields["user"] + "@";
  if (!is_socket) read.shown += host + (port.empty() ? "" : ":" + port);
  read.shown += "/" + fields["dbname"];
  if (is_socket && !host.empty()) read.shown += "?host=" + host + (port.empty() ? "" : "&port=" + port);
  read.shown = HarmlessLine(read.shown);
  return read;
}

}  // namespace paddock::records
