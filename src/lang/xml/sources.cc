#include "lang/xml/sources.h"

#include <libxml/uri.h>
#include <libxml/xmlmemory.h>

#include <utility>

namespace paddock::xml {
namespace {

constexpr size_t kMostFiles = 200;

std::string Changed(const std::string& text, char* (*change)(const std::string& text)) {
  char* changed = change(text);
  if (changed == nullptr) return text;
  std::string result(changed);
  xmlFree(changed);
  return result;
}

// The path that a URL means, or "" for one that is no file.
std::string PathOf(std::string url) {
  for (const char* prefix : {"file://localhost/", "file:///", "file:/"}) {
    if (url.starts_with(prefix)) return "/" + url.substr(std::string_view(prefix).size());
  }
  const size_t colon = url.find(':');
  return colon != std::string::npos && url.substr(colon).starts_with("://") ? std::string() : url;
}

}  // namespace

// The library escapes a name or not by whether the host has such a file, so escaped and plain have to mean the same.
Sources::Found Sources::Find(const std::string& url) {
  const std::string escaped = Changed(url, [](const std::string& text) { return reinterpret_cast<char*>(xmlCanonicPath(reinterpret_cast<const xmlChar*>(text.c_str()))); });
  const std::string plain = Changed(escaped, [](const std::string& text) { return xmlURIUnescapeString(text.c_str(), 0, nullptr); });
  const std::string path = PathOf(plain);
  if (path.empty()) return {};
  const auto* text = Look(path);
  if (text == nullptr) return {.is_wanted = true};
  if (*text) return {.text = &**text, .name = escaped == plain ? plain : escaped};
  for (const std::string& directory : directories_) {
    const std::string name = directory + "/" + path.substr(path.rfind('/') + 1);
    text = Look(name);
    if (text == nullptr) return {.is_wanted = true};
    if (*text) return {.text = &**text, .name = name};
  }
  return {};
}

const std::optional<std::string>* Sources::Look(const std::string& path) {
  if (const auto found = texts_.find(path); found != texts_.end()) return &found->second;
  static const std::optional<std::string> kNone;
  if (texts_.size() + wanted_.size() >= kMostFiles) {
    is_exhausted_ = true;
    return &kNone;
  }
  wanted_.push_back(path);
  return nullptr;
}

bool Sources::Mention(bool (*is_like_that)(std::string_view text)) const {
  for (const auto& [path, text] : texts_) {
    if (text && is_like_that(*text)) return true;
  }
  return false;
}

bool Sources::ReadWanted() {
  if (wanted_.empty()) return false;
  for (const std::string& path : std::exchange(wanted_, {})) {
    if (texts_.contains(path)) continue;
    std::optional<std::string> text = read_(path);
    if (text) bytes_ += text->size();
    texts_.emplace(path, std::move(text));
  }
  return true;
}

}  // namespace paddock::xml
