#include <algorithm>

#include "commands/net/curl.h"
#include "vfs/file_system.h"

namespace paddock::curl {
namespace {

constexpr uint64_t kMostBody = 256ull << 20;

Result<std::string> ReadNamed(Invocation& in, const std::string& path) {
  if (path == "-") return in.in.ReadAll();
  return vfs::ReadFile(in.fs, path, kMostBody);
}

void Warn(Invocation& in, const Options& options, const std::string& text) {
  if (!options.silent) in.err.Write("Warning: " + text + "\n");
}

// The content of one item, or nothing where its file cannot be read.
std::string Content(Invocation& in, const Options& options, const DataItem& item) {
  using Kind = DataItem::Kind;
  std::string_view text = item.text;
  const auto file = [&](std::string_view path) {
    auto content = ReadNamed(in, std::string(path));
    if (!content) {
      Warn(in, options, "Couldn't read data from file \"" + std::string(path) + "\", this makes an \nWarning: empty POST.");
      return std::string();
    }
    return std::move(*content);
  };
  if (item.kind == Kind::kUrlEncode) {
    const size_t mark = text.find_first_of("=@");
    if (mark == std::string_view::npos) return UrlEncoded(text, "+");
    const std::string name(text.substr(0, mark));
    const std::string value = text[mark] == '@' ? file(text.substr(mark + 1)) : std::string(text.substr(mark + 1));
    return (name.empty() ? "" : name + "=") + UrlEncoded(value, "+");
  }
  if (item.kind == Kind::kRaw || !text.starts_with('@')) return item.text;
  std::string content = file(text.substr(1));
  if (item.kind == Kind::kAscii) std::erase_if(content, [](char c) { return c == '\n' || c == '\r' || c == '\0'; });
  return content;
}

// "content;type=text/plain;filename=x": takes ";name=value" words off the end.
struct Suffixes {
  std::string type, filename;
  bool has_filename = false;
};
Suffixes TakeSuffixes(std::string* text) {
  Suffixes found;
  size_t semicolon = text->find(';');
  const std::string rest = semicolon == std::string::npos ? "" : text->substr(semicolon);
  size_t at = 0;
  bool is_known = !rest.empty();
  while (is_known && at < rest.size()) {
    ++at;
    while (at < rest.size() && rest[at] == ' ') ++at;
    size_t end = std::min(rest.find(';', at), rest.size());
    std::string word = rest.substr(at, end - at);
    if (word.starts_with("type=")) {
      found.type = word.substr(5);
    } else if (word.starts_with("filename=")) {
      found.filename = word.substr(9);
      if (found.filename.size() >= 2 && found.filename.front() == '"' && found.filename.back() == '"') found.filename = found.filename.substr(1, found.filename.size() - 2);
      found.has_filename = true;
    } else if (!found.type.empty()) {
      found.type += ";" + word;   // text/html;charset=utf-8
    } else {
      is_known = false;
    }
    at = end;
  }
  if (is_known) text->erase(semicolon);
  return found;
}

std::optional<ExitStatus> AddPart(Invocation& in, const Options& options, const FormItem& item, proc::HttpRequest* request) {
  const size_t equals = item.text.find('=');
  if (equals == std::string::npos) {
    Warn(in, options, "Illegally formatted input field!");
    in.err.Write("curl: option -F: is badly used here\ncurl: try 'curl --help' or 'curl --manual' for more information\n");
    return 2;
  }
  proc::FormPart part{.name = item.text.substr(0, equals), .content = item.text.substr(equals + 1), .filename = std::nullopt, .type = "", .headers = {}};
  if (item.is_literal) {
    request->form.push_back(std::move(part));
    return std::nullopt;
  }
  const Suffixes suffixes = TakeSuffixes(&part.content);
  part.type = suffixes.type;
  if (part.content.starts_with('@') || part.content.starts_with('<')) {
    const bool is_file = part.content[0] == '@';
    const std::string path = part.content.substr(1);
    auto content = ReadNamed(in, path);
    if (!content) {
      in.err.Write("curl: (26) Failed to open/read local data from file/application\n");
      return 26;
    }
    part.content = std::move(*content);
    if (is_file) part.filename = vfs::BaseName(path);
  }
  if (suffixes.has_filename) part.filename = suffixes.filename;
  request->form.push_back(std::move(part));
  return std::nullopt;
}

}  // namespace

std::string UrlEncoded(std::string_view text, std::string_view space) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~')) encoded += c;
    else if (c == ' ') encoded += space;
    else encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return encoded;
}

std::string UrlQuery(Invocation& in, const Options& options) {
  std::string query;
  for (const std::string& item : options.url_queries) {
    in.budget.Step();
    if (!query.empty()) query += '&';
    query += item.starts_with('+') ? item.substr(1) : Content(in, options, {DataItem::Kind::kUrlEncode, item});
  }
  return query;
}

std::optional<ExitStatus> ReadBody(Invocation& in, const Options& options, proc::HttpRequest* request, std::string* query) {
  using Kind = proc::HttpRequest::Kind;
  if (!options.form.empty()) {
    if (!options.data.empty() || options.head) {
      Warn(in, options, "You can only select one HTTP request method! What you are asking for \nWarning: is more than one.");
      return 2;
    }
    request->kind = Kind::kForm;
    for (const FormItem& item : options.form) {
      in.budget.Step();
      if (const auto ended = AddPart(in, options, item, request)) return ended;
    }
    return std::nullopt;
  }
  if (options.head && !options.data.empty() && !options.get) {
    Warn(in, options, "You can only select one HTTP request method! What you are asking for \nWarning: is both POST (-d, --data) and HEAD (-I, --head).");
    return 2;
  }
  std::string body;
  bool is_json = false, is_first = true;
  for (const DataItem& item : options.data) {
    in.budget.Step();
    if (!is_first && item.kind != DataItem::Kind::kJson) body += '&';
    body += Content(in, options, item);
    is_json = is_json || item.kind == DataItem::Kind::kJson;
    is_first = false;
  }
  if (options.get) {
    *query = std::move(body);
  } else if (!options.data.empty()) {
    request->kind = Kind::kPost;
    request->body = std::move(body);
  }
  if (is_json) {
    const auto has = [&](std::string_view name) {
      return std::any_of(request->headers.begin(), request->headers.end(), [&](const std::string& header) {
        return header.size() >= name.size() && std::equal(name.begin(), name.end(), header.begin(), [](char a, char b) { return std::tolower(a) == std::tolower(b); });
      });
    };
    if (!has("Content-Type:")) request->headers.emplace_back("Content-Type: application/json");
    if (!has("Accept:")) request->headers.emplace_back("Accept: application/json");
  }
  if (request->kind == Kind::kGet && options.head) request->kind = Kind::kHead;
  return std::nullopt;
}

}  // namespace paddock::curl
