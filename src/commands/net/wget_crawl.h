// The links of pages, and the walk along them: wget -r and -p.
#pragma once

#include <deque>
#include <map>
#include <set>

#include "commands/net/wget_fetch.h"

namespace paddock::wget {

struct Link {
  size_t begin = 0, end = 0;    // of the target in the page's text
  std::string target;           // without entities and fragment
  std::string fragment;
  bool is_requisite = false;    // the page needs it to be shown
  bool is_base = false;
  bool is_quoted = true;
};
// Those of an HTML page, or of a style sheet.
std::vector<Link> FindLinks(std::string_view text, bool is_css, const Options& options, Budget& budget);

// A link of a page whose URL is `base`, as a URL.
std::string Join(const std::string& base, const std::string& link);

class Crawl {
 public:
  explicit Crawl(Fetcher& fetcher) : fetcher_(fetcher), options_(fetcher.options_), in_(fetcher.in_) {}
  ExitStatus Run(const std::string& url);
  // Converts links, and deletes what was for following links alone.
  void Finish();

 private:
  struct Task {
    std::string url, referer;
    int64_t depth = 0;
    bool is_requisite = false;
  };
  struct Page {
    std::string url;
    bool is_css = false;
  };
  void AddLinks(const Task& task, const Fetcher::Got& got);
  // Why a URL is not followed; nothing when it is.
  const char* Reason(const Task& parent, const Link& link, const std::string& url);
  bool IsAllowedByRobots(const std::string& url);
  bool HasAcceptedName(const std::string& url) const;
  bool HasAcceptedHost(const std::string& host) const;
  bool HasAcceptedDirectory(const std::string& path) const;
  void Convert(const std::string& file, const Page& page);
  void Note(const char* reason, const std::string& url, const std::string& parent);

  Fetcher& fetcher_;
  const Options& options_;
  Invocation& in_;
  Url start_;
  std::deque<Task> tasks_;
  std::set<std::string> seen_;
  std::map<std::string, std::string> files_;   // by URL
  std::map<std::string, Page> pages_;          // by file
  std::map<std::string, std::vector<std::string>> robots_;   // what a host forbids
  vfs::OpenFilePtr rejected_;
};

}  // namespace paddock::wget
