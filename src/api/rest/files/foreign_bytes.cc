#include "api/rest/files/foreign_bytes.h"

namespace paddock::api {

net::Headers ForeignBytes(const char* type, std::string_view name) {
  return {{"Content-Type", type},
          {"Content-Disposition", "attachment; filename*=UTF-8''" + net::EncodePercent(name.substr(0, 255))},
          {"X-Content-Type-Options", "nosniff"},
          {"Content-Security-Policy", "default-src 'none'; sandbox"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cache-Control", "no-store"}};
}

}  // namespace paddock::api
