// What the files of wget share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proc/command.h"
#include "proc/network.h"

namespace paddock::wget {

enum class Noise { kNormal, kBrief, kQuiet };   // -nv, -q

struct Options {
  Noise noise = Noise::kNormal;
  bool continues = false, timestamps = false, no_clobber = false, spider = false, shows_heads = false, is_insecure = false, content_disposition = false,
       keeps_own_time = false, content_on_error = false, help = false, version = false, no_directories = false, no_cache = false, holds_always = false, retries_refused = false;
  int64_t tries = 20, max_redirects = 20;
  uint64_t rate = 0;
  Nanoseconds timeout{0}, connect_timeout{0}, wait{0};
  std::string output, prefix, user_agent = "Wget/1.21.3", referer, user, password, log, log_append, input, ca_file, method, default_page = "index.html";
  std::vector<std::string> headers;
  std::optional<std::string> post_data, post_file, body_data, body_file;
};

// Fetches the URLs; the exit status.
ExitStatus Fetch(Invocation& in, const Options& options, std::vector<std::string> urls);

// 2024-01-02 03:04:05, in UTC.
std::string TimeText(Nanoseconds time);
// 512, 1.5K, 10K, 3.2M.
std::string Human(int64_t bytes);
// 512 B/s, 2.81 KB/s.
std::string Speed(int64_t bytes, Nanoseconds time);
// The columns of dots, one for each KiB.
class Dots {
 public:
  Dots(Output& out, int64_t total) : out_(out), total_(total) {}
  void Add(int64_t bytes, Nanoseconds now);
  void Finish(Nanoseconds now);

 private:
  void Row(Nanoseconds now);

  Output& out_;
  const int64_t total_;
  int64_t bytes_ = 0, dots_ = 0;
  Nanoseconds begun_{0}, row_begun_{0};
};

}  // namespace paddock::wget
