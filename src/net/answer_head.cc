#include "net/answer_head.h"

#include <time.h>

#include <array>

namespace paddock::net {
namespace {

// The date in the form of RFC 9110 §5.6.7, made once a second in every thread.
std::string_view DateNow() {
  thread_local time_t made = -1;
  thread_local std::array<char, 40> text;
  thread_local size_t size = 0;
  const time_t now = time(nullptr);
  if (now != made) {
    constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    tm parts{};
    gmtime_r(&now, &parts);
    size = static_cast<size_t>(std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                                             kDays[parts.tm_wday], parts.tm_mday, kMonths[parts.tm_mon], parts.tm_year + 1900,
                                             parts.tm_hour, parts.tm_min, parts.tm_sec));
    made = now;
  }
  return {text.data(), size};
}

bool IsReserved(std::string_view name) {
  for (const std::string_view ours : {"content-length", "transfer-encoding", "connection", "date", "keep-alive", "trailer"}) {
    if (EqualsIgnoringCase(name, ours)) return true;
  }
  return false;
}

}  // namespace

Status AppendAnswerHead(std::string* out, int status, const Headers& headers, AnswerFraming framing, ConnectionField connection) {
  if (status != 101 && (status < 200 || status > 599)) {
    return Error(Code::kInvalid, "status " + std::to_string(status) + " cannot end a request");
  }
  for (const HeaderField& field : headers) {
    if (!IsHeaderName(field.name) || !IsHeaderValue(field.value))
      return Error(Code::kInvalid, "header '" + field.name + "' cannot be sent");
    if (IsReserved(field.name)) return Error(Code::kInvalid, "header '" + field.name + "' is the server's to set");
  }
  const std::string_view reason = ReasonOf(status);
  out->reserve(out->size() + 256);
  out->append("HTTP/1.1 ")
      .append(std::to_string(status))
      .append(" ")
      .append(reason)
      .append("\r\nDate: ")
      .append(DateNow())
      .append("\r\n");
  for (const HeaderField& field : headers) out->append(field.name).append(": ").append(field.value).append("\r\n");
  switch (framing.kind) {
    case AnswerFraming::Kind::kLength:
      out->append("Content-Length: ").append(std::to_string(framing.length)).append("\r\n");
      break;
    case AnswerFraming::Kind::kChunked: out->append("Transfer-Encoding: chunked\r\n"); break;
    case AnswerFraming::Kind::kNone:
    case AnswerFraming::Kind::kUntilEnd: break;
  }
  switch (connection) {
    case ConnectionField::kClose: out->append("Connection: close\r\n"); break;
    case ConnectionField::kKeepAlive: out->append("Connection: keep-alive\r\n"); break;
    case ConnectionField::kUpgrade: out->append("Connection: Upgrade\r\n"); break;
    case ConnectionField::kNone: break;
  }
  out->append("\r\n");
  return {};
}

}  // namespace paddock::net
