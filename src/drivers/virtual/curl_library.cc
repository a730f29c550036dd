#include "drivers/virtual/curl_library.h"

#include <dlfcn.h>

namespace paddock::sandbox {
namespace {

constexpr unsigned kLeastVersion = 0x075500;   // 7.85: CURLOPT_PROTOCOLS_STR

template <class F>
bool Find(void* library, const char* name, F* function) {
  *function = reinterpret_cast<F>(dlsym(library, name));
  return *function != nullptr;
}

Result<const CurlLibrary*> LoadOnce() {
  static CurlLibrary curl;
  void* const library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Error(Code::kUnavailable, "libcurl.so.4 is not on this host (package libcurl4)");
  const bool is_whole =
      Find(library, "curl_global_init", &curl.global_init) && Find(library, "curl_version_info", &curl.version_info) &&
      Find(library, "curl_easy_init", &curl.easy_init) && Find(library, "curl_easy_reset", &curl.easy_reset) &&
      Find(library, "curl_easy_cleanup", &curl.easy_cleanup) && Find(library, "curl_easy_setopt", &curl.easy_setopt) &&
      Find(library, "curl_easy_getinfo", &curl.easy_getinfo) && Find(library, "curl_easy_pause", &curl.easy_pause) &&
      Find(library, "curl_easy_strerror", &curl.easy_strerror) && Find(library, "curl_multi_init", &curl.multi_init) &&
      Find(library, "curl_multi_cleanup", &curl.multi_cleanup) && Find(library, "curl_multi_setopt", &curl.multi_setopt) &&
      Find(library, "curl_multi_add_handle", &curl.multi_add_handle) && Find(library, "curl_multi_remove_handle", &curl.multi_remove_handle) &&
      Find(library, "curl_multi_socket_action", &curl.multi_socket_action) && Find(library, "curl_multi_info_read", &curl.multi_info_read) &&
      Find(library, "curl_slist_append", &curl.slist_append) && Find(library, "curl_slist_free_all", &curl.slist_free_all) &&
      Find(library, "curl_mime_init", &curl.mime_init) && Find(library, "curl_mime_free", &curl.mime_free) &&
      Find(library, "curl_mime_addpart", &curl.mime_addpart) && Find(library, "curl_mime_name", &curl.mime_name) &&
      Find(library, "curl_mime_data", &curl.mime_data) && Find(library, "curl_mime_filename", &curl.mime_filename) &&
      Find(library, "curl_mime_type", &curl.mime_type) && Find(library, "curl_mime_headers", &curl.mime_headers) &&
      Find(library, "curl_url", &curl.url) && Find(library, "curl_url_cleanup", &curl.url_cleanup) &&
      Find(library, "curl_url_set", &curl.url_set) && Find(library, "curl_url_get", &curl.url_get) && Find(library, "curl_free", &curl.free);
  if (!is_whole || curl.version_info(CURLVERSION_NOW)->version_num < kLeastVersion) {
    return Error(Code::kUnavailable, "libcurl.so.4 of this host is older than 7.85");
  }
  if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return Error(Code::kUnavailable, "libcurl.so.4 of this host does not start");
  return &curl;
}

}  // namespace

Result<const CurlLibrary*> CurlLibrary::Load() {
  static const Result<const CurlLibrary*> loaded = LoadOnce();
  return loaded;
}

}  // namespace paddock::sandbox
