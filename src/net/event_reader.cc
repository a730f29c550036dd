#include "net/event_reader.h"

#include <algorithm>
#include <charconv>

namespace paddock::net {

Status EventParser::EndLine() {
  std::string line = std::exchange(line_, {});
  if (std::exchange(is_first_line_, false) && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
  if (line.empty()) {
    Dispatch();
    return {};
  }
  const size_t colon = line.find(':');
  const std::string_view field = std::string_view(line).substr(0, colon);
  std::string_view value = colon == std::string::npos ? std::string_view() : std::string_view(line).substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "data") {
    if (data_.size() + value.size() >= event_bytes_) {
      return Error(Code::kLimit, "an event with more than " + std::to_string(event_bytes_) + " bytes");
    }
    if (has_data_) data_ += '\n';
    data_ += value;
    has_data_ = true;
  } else if (field == "event") {
    name_ = value;
  } else if (field == "id") {
    if (value.find('\0') == std::string_view::npos) id_ = value;
  } else if (field == "retry") {
    uint64_t number = 0;
    const bool is_number = !value.empty() && std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (is_number && std::from_chars(value.data(), value.data() + value.size(), number).ec == std::errc()) retry_ms_ = number;
  }
  return {};
}

void EventParser::Dispatch() {
  std::string name = std::exchange(name_, {}), data = std::exchange(data_, {});
  if (std::exchange(has_data_, false)) events_.push_back({id_, std::move(name), std::move(data)});
}

Status EventParser::Feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (std::exchange(was_return_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const size_t end = bytes.find_first_of("\r\n");
    line_.append(bytes.substr(0, end));
    if (line_.size() > event_bytes_)
      return Error(Code::kLimit, "a line of events with more than " + std::to_string(event_bytes_) + " bytes");
    if (end == std::string_view::npos) break;
    was_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    PADDOCK_TRY(EndLine());
  }
  return {};
}

Status EventReader::Check(const Response& response) {
  const std::string* type = response.Header("content-type");
  const std::string_view essence = type == nullptr ? "" : TrimHeaderSpace(std::string_view(*type).substr(0, type->find(';')));
  if (response.status() == 200 && EqualsIgnoringCase(essence, "text/event-stream")) return {};
  return Error(Code::kInvalid, "the answer with status " + std::to_string(response.status()) + " is no event stream");
}

Result<std::optional<Event>> EventReader::Next() {
  while (parser_.events().empty()) {
    char bytes[16 << 10];
    PADDOCK_ASSIGN(const size_t count, response_->Read(bytes));
    if (count == 0) return std::optional<Event>();
    PADDOCK_TRY(parser_.Feed({bytes, count}));
  }
  Event event = std::move(parser_.events().front());
  parser_.events().pop_front();
  return std::optional<Event>(std::move(event));
}

}  // namespace paddock::net
