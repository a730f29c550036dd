#include <algorithm>
#include <cstdio>
#include <map>

#include "commands/net/curl.h"

namespace paddock::curl {
namespace {

struct Value {
  std::string text;
  bool is_number = false;
};

std::string Seconds(int64_t microseconds) {
  char text[48];
  std::snprintf(text, sizeof text, "%lld.%06lld", static_cast<long long>(microseconds / 1000000), static_cast<long long>(microseconds % 1000000));
  return text;
}

std::string Quoted(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': json += "\\\""; break;
      case '\\': json += "\\\\"; break;
      case '\n': json += "\\n"; break;
      case '\r': json += "\\r"; break;
      case '\t': json += "\\t"; break;
      case '\b': json += "\\b"; break;
      case '\f': json += "\\f"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          char escaped[8];
          std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
          json += escaped;
        } else {
          json += c;
        }
    }
  }
  return json + "\"";
}

bool IsSameName(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return std::tolower(x) == std::tolower(y); });
}

// "Name: value\r\n": nothing for other lines.
std::optional<std::pair<std::string, std::string>> FieldOf(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || line.starts_with("HTTP/")) return std::nullopt;
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == '\r' || value.back() == '\n' || value.back() == ' ')) value.remove_suffix(1);
  return std::pair(std::string(line.substr(0, colon)), std::string(value));
}

std::string HeaderJson(Invocation& in, const std::vector<std::string>& lines) {
  std::vector<std::pair<std::string, std::vector<std::string>>> fields;
  for (const std::string& line : lines) {
    in.budget.Step(static_cast<int64_t>(1 + fields.size() / 8));
    auto field = FieldOf(line);
    if (!field) continue;
    std::transform(field->first.begin(), field->first.end(), field->first.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto known = std::find_if(fields.begin(), fields.end(), [&](const auto& one) { return one.first == field->first; });
    if (known != fields.end()) known->second.push_back(std::move(field->second));
    else fields.push_back({std::move(field->first), {std::move(field->second)}});
  }
  std::string json = "{";
  for (size_t i = 0; i < fields.size(); ++i) {
    json += (i > 0 ? ",\n" : "") + Quoted(fields[i].first) + ":[";
    for (size_t j = 0; j < fields[i].second.size(); ++j) json += (j > 0 ? "," : "") + Quoted(fields[i].second[j]);
    json += "]";
  }
  return json + "\n}";
}

std::map<std::string, Value, std::less<>> Values(const WriteOutFacts& facts) {
  const proc::HttpOutcome& outcome = facts.outcome;
  const auto number = [](int64_t value) { return Value{std::to_string(value), true}; };
  const auto text = [](const std::string& value) { return Value{value, false}; };
  const auto seconds = [](int64_t value) { return Value{Seconds(value), true}; };
  char code[24];
  std::snprintf(code, sizeof code, "%03lld", static_cast<long long>(outcome.response_code));
  // CURL_HTTP_VERSION_*: 1 is 1.0, 2 is 1.1, 3 is 2.
  const char* const version = outcome.http_version == 1 ? "1.0" : outcome.http_version == 2 ? "1.1" : outcome.http_version == 3 ? "2" : "0";
  return {{"content_type", text(outcome.content_type)},
          {"errormsg", text(outcome.message)},
          {"exitcode", number(outcome.error)},
          {"filename_effective", text(facts.filename)},
          {"ftp_entry_path", text("")},
          {"http_code", {code, true}},
          {"http_connect", {"000", true}},
          {"http_version", text(version)},
          {"local_ip", text("")},
          {"local_port", number(0)},
          {"method", text(outcome.effective_method)},
          {"num_connects", number(outcome.connects)},
          {"num_headers", number(static_cast<int64_t>(std::count_if(facts.header_lines.begin(), facts.header_lines.end(),
                                                                    [](const std::string& line) { return FieldOf(line).has_value(); })))},
          {"num_redirects", number(outcome.redirects)},
          {"proxy_ssl_verify_result", number(0)},
          {"redirect_url", text(outcome.redirect_url)},
          {"referer", text(outcome.referer)},
          {"remote_ip", text(outcome.remote_ip)},
          {"remote_port", number(outcome.remote_port)},
          {"response_code", {code, true}},
          {"scheme", text(outcome.scheme)},
          {"size_download", number(outcome.downloaded)},
          {"size_header", number(outcome.header_bytes)},
          {"size_request", number(outcome.request_bytes)},
          {"size_upload", number(outcome.uploaded)},
          {"speed_download", number(outcome.download_speed)},
          {"speed_upload", number(outcome.upload_speed)},
          {"ssl_verify_result", number(outcome.verify_result)},
          {"time_appconnect", seconds(outcome.time_appconnect)},
          {"time_connect", seconds(outcome.time_connect)},
          {"time_namelookup", seconds(outcome.time_namelookup)},
          {"time_pretransfer", seconds(outcome.time_pretransfer)},
          {"time_redirect", seconds(outcome.time_redirect)},
          {"time_starttransfer", seconds(outcome.time_starttransfer)},
          {"time_total", seconds(outcome.time_total)},
          {"url", text(facts.url)},
          {"url_effective", text(outcome.effective_url)},
          {"urlnum", number(static_cast<int64_t>(facts.url_number))}};
}

std::string Json(const std::map<std::string, Value, std::less<>>& values) {
  std::string json = "{";
  for (const auto& [name, value] : values) {
    std::string shown = value.is_number ? value.text : value.text.empty() ? "null" : Quoted(value.text);
    if (name == "http_code" || name == "response_code" || name == "http_connect") shown = std::to_string(std::stoll(value.text));
    json += (json.size() > 1 ? "," : "") + Quoted(name) + ":" + shown;
  }
  return json + ",\"curl_version\":\"libcurl/" + kVersion + "\"}";
}

}  // namespace

void WriteOut(Invocation& in, const std::string& format, const WriteOutFacts& facts) {
  const auto values = Values(facts);
  Output* out = &in.out;
  for (size_t at = 0; at < format.size(); ++at) {
    in.budget.Step();
    const std::string_view rest = std::string_view(format).substr(at);
    if (rest.starts_with("\\") && rest.size() > 1) {
      ++at;
      switch (rest[1]) {
        case 'n': out->Put('\n'); break;
        case 'r': out->Put('\r'); break;
        case 't': out->Put('\t'); break;
        default: out->Write(rest.substr(0, 2));
      }
      continue;
    }
    if (rest.starts_with("%%")) {
      out->Put('%');
      ++at;
      continue;
    }
    const bool is_header = rest.starts_with("%header{");
    if (!is_header && !rest.starts_with("%{")) {
      out->Put(rest[0]);
      continue;
    }
    const size_t close = rest.find('}');
    if (close == std::string_view::npos) {
      out->Put(rest[0]);
      continue;
    }
    const size_t open = rest.find('{') + 1;
    const std::string_view name = rest.substr(open, close - open);
    at += close;
    if (is_header) {
      for (const std::string& line : facts.header_lines) {
        const auto field = FieldOf(line);
        if (!field || !IsSameName(field->first, name)) continue;
        out->Write(field->second);
        break;
      }
    } else if (name == "stderr" || name == "stdout") {
      out->Flush();
      out = name == "stderr" ? &in.err : &in.out;
    } else if (name == "onerror") {
      if (facts.outcome.error == 0) return;
    } else if (name == "json") {
      out->Write(Json(values));
    } else if (name == "header_json") {
      out->Write(HeaderJson(in, facts.header_lines));
    } else if (const auto found = values.find(name); found != values.end()) {
      out->Write(found->second.text);
    } else {
      in.err.Write("curl: unknown --write-out variable: '" + std::string(name) + "'\n");
    }
  }
}

}  // namespace paddock::curl
