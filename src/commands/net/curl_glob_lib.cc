#include <charconv>

#include "commands/net/curl.h"

namespace paddock::curl {
namespace {

constexpr size_t kMostUrls = 100000;

Error Bad(const std::string& what, const std::string& pattern, size_t at) {
  return Error(Code::kSyntax, what + " in URL position " + std::to_string(at + 1) + ":\n" + pattern + "\n" + std::string(at, ' ') + "^");
}

// The texts that "{…}" stands for; `at` is behind the opening brace and ends behind the closing one.
Result<std::vector<std::string>> ReadSet(const std::string& pattern, size_t* at) {
  const size_t begin = *at;
  std::vector<std::string> items(1);
  for (; *at < pattern.size(); ++*at) {
    const char c = pattern[*at];
    if (c == '{' || c == '[') return Bad("nested brace", pattern, *at);
    if (c == ']') return Bad("unexpected close bracket", pattern, *at);
    if (c == '}') {
      if (*at == begin) return Bad("empty string within braces", pattern, begin);
      return ++*at, items;
    }
    if (c == ',') items.emplace_back();
    else if (c == '\\' && *at + 1 < pattern.size()) items.back() += pattern[++*at];
    else items.back() += c;
  }
  return Bad("unmatched brace", pattern, begin > 0 ? begin - 1 : 0);
}

Result<std::vector<std::string>> ReadRange(Budget& budget, const std::string& pattern, size_t* at) {
  const size_t begin = *at, close = pattern.find(']', begin);
  const auto bad = [&] { return Bad("bad range", pattern, close == std::string::npos ? pattern.size() : close + 1); };
  if (close == std::string::npos) return bad();
  std::string_view text = std::string_view(pattern).substr(begin, close - begin);
  uint64_t step = 1;
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view of = text.substr(colon + 1);
    const auto [end, problem] = std::from_chars(of.data(), of.data() + of.size(), step);
    if (problem != std::errc() || end != of.data() + of.size() || step == 0) return bad();
    text = text.substr(0, colon);
  }
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos) return bad();
  const std::string_view first = text.substr(0, dash), last = text.substr(dash + 1);
  std::vector<std::string> items;
  *at = close + 1;
  const auto is_letter = [](std::string_view one) { return one.size() == 1 && std::isalpha(static_cast<unsigned char>(one[0])) != 0; };
  if (is_letter(first) && is_letter(last)) {
    if (first[0] > last[0]) return bad();
    for (uint64_t c = static_cast<unsigned char>(first[0]); c <= static_cast<unsigned char>(last[0]); c += step) items.emplace_back(1, static_cast<char>(c));
    return items;
  }
  uint64_t from = 0, to = 0;
  const auto read = [](std::string_view one, uint64_t* value) {
    const auto [end, problem] = std::from_chars(one.data(), one.data() + one.size(), *value);
    return problem == std::errc() && end == one.data() + one.size();
  };
  if (!read(first, &from) || !read(last, &to) || from > to) return bad();
  if ((to - from) / step >= kMostUrls) return Bad("range overflow", pattern, begin);
  const size_t width = first.size() > 1 && first[0] == '0' ? first.size() : 0;
  for (uint64_t value = from; value <= to; value += step) {
    budget.Step();
    std::string item = std::to_string(value);
    if (item.size() < width) item.insert(0, width - item.size(), '0');
    items.push_back(std::move(item));
    if (to - value < step) break;
  }
  return items;
}

bool IsAddress(const std::string& pattern, size_t at) {
  const size_t close = pattern.find(']', at);
  if (close == std::string::npos) return false;
  const std::string_view inside = std::string_view(pattern).substr(at, close - at);
  return inside.find(':') != std::string_view::npos && inside.find_first_not_of("0123456789abcdefABCDEF:.%") == std::string_view::npos &&
         inside.find('-') == std::string_view::npos;
}

}  // namespace

Result<std::vector<GlobbedUrl>> Glob(Budget& budget, const std::string& pattern) {
  std::vector<GlobbedUrl> urls(1);
  const auto append = [&](std::string_view text) {
    for (GlobbedUrl& url : urls) url.url += text;
  };
  for (size_t at = 0; at < pattern.size();) {
    budget.Step(static_cast<int64_t>(urls.size()));
    const char c = pattern[at];
    if (c == '}' || c == ']') return Bad("unmatched close brace/bracket", pattern, at);
    if ((c != '{' && c != '[') || (c == '[' && IsAddress(pattern, at + 1))) {
      if (c == '[') {
        const size_t close = pattern.find(']', at);
        append(std::string_view(pattern).substr(at, close + 1 - at));
        at = close + 1;
        continue;
      }
      if (c == '\\' && at + 1 < pattern.size() && std::string_view("{}[]").find(pattern[at + 1]) != std::string_view::npos) ++at;
      append(std::string_view(pattern).substr(at++, 1));
      continue;
    }
    ++at;
    PADDOCK_ASSIGN(const std::vector<std::string> items, c == '{' ? ReadSet(pattern, &at) : ReadRange(budget, pattern, &at));
    if (urls.size() > kMostUrls / items.size()) return Bad("range overflow", pattern, at - 1);
    std::vector<GlobbedUrl> next;
    next.reserve(urls.size() * items.size());
    for (const GlobbedUrl& url : urls) {
      for (const std::string& item : items) {
        budget.Step();
        next.push_back(url);
        next.back().url += item;
        next.back().parts.push_back(item);
      }
    }
    urls = std::move(next);
  }
  return urls;
}

std::string FillIn(const std::string& name, const std::vector<std::string>& parts) {
  std::string filled;
  for (size_t at = 0; at < name.size(); ++at) {
    size_t number = 0, end = at + 1;
    while (name[at] == '#' && end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0 && number < 1000) number = number * 10 + static_cast<size_t>(name[end++] - '0');
    if (number == 0 || number > parts.size()) {
      filled += name[at];
      continue;
    }
    filled += parts[number - 1];
    at = end - 1;
  }
  return filled;
}

}  // namespace paddock::curl
