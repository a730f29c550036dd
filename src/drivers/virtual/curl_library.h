// CurlLibrary: libcurl, loaded when the first sandbox needs it. Linked it would bring two dozen libraries into every start of paddock, whose
// other commands have no use for them.
#pragma once

#include <curl/curl.h>

#include "base/result.h"

namespace paddock::sandbox {

struct CurlLibrary {
  decltype(&curl_global_init) global_init;
  decltype(&curl_version_info) version_info;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_reset) easy_reset;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_pause) easy_pause;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_multi_init) multi_init;
  decltype(&curl_multi_cleanup) multi_cleanup;
  decltype(&curl_multi_setopt) multi_setopt;
  decltype(&curl_multi_add_handle) multi_add_handle;
  decltype(&curl_multi_remove_handle) multi_remove_handle;
  decltype(&curl_multi_socket_action) multi_socket_action;
  decltype(&curl_multi_info_read) multi_info_read;
  decltype(&curl_slist_append) slist_append;
  decltype(&curl_slist_free_all) slist_free_all;
  decltype(&curl_mime_init) mime_init;
  decltype(&curl_mime_free) mime_free;
  decltype(&curl_mime_addpart) mime_addpart;
  decltype(&curl_mime_name) mime_name;
  decltype(&curl_mime_data) mime_data;
  decltype(&curl_mime_filename) mime_filename;
  decltype(&curl_mime_type) mime_type;
  decltype(&curl_mime_headers) mime_headers;
  decltype(&curl_url) url;
  decltype(&curl_url_cleanup) url_cleanup;
  decltype(&curl_url_set) url_set;
  decltype(&curl_url_get) url_get;
  decltype(&curl_free) free;

  // kUnavailable names what is missing. Any thread.
  static Result<const CurlLibrary*> Load();
};

}  // namespace paddock::sandbox
