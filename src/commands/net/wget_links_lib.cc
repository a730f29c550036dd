// The links of HTML pages and style sheets.
#include <algorithm>

#include "commands/net/wget_crawl.h"

namespace paddock::wget {
namespace {

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

struct LinkAttribute {
  std::string_view tag, attribute;
  bool is_requisite;
};
constexpr LinkAttribute kLinkAttributes[] = {
    {"a", "href", false},       {"area", "href", false},    {"base", "href", false},  {"body", "background", true}, {"embed", "src", true},
    {"frame", "src", true},     {"iframe", "src", true},    {"img", "src", true},     {"input", "src", true},       {"link", "href", false},
    {"object", "data", true},   {"script", "src", true},    {"table", "background", true}, {"td", "background", true}, {"th", "background", true},
    {"bgsound", "src", true},   {"layer", "src", true},     {"overlay", "src", true}, {"audio", "src", true},       {"video", "src", true},
    {"video", "poster", true},  {"source", "src", true},    {"applet", "code", true}, {"fig", "src", true},
};

std::string WithoutEntities(std::string_view text) {
  constexpr std::pair<std::string_view, char> kEntities[] = {{"&amp;", '&'}, {"&quot;", '"'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&#39;", '\''}};
  std::string out;
  while (!text.empty()) {
    const auto found = std::find_if(std::begin(kEntities), std::end(kEntities), [&](const auto& entity) { return text.starts_with(entity.first); });
    if (text[0] == '&' && found != std::end(kEntities)) {
      out += found->second;
      text.remove_prefix(found->first.size());
    } else {
      out += text[0];
      text.remove_prefix(1);
    }
  }
  return out;
}

class Finder {
 public:
  Finder(std::string_view text, const Options& options, Budget& budget) : text_(text), options_(options), budget_(budget) {}

  std::vector<Link> Html() {
    while (true) {
      at_ = std::min(text_.find('<', at_), text_.size());
      if (at_ == text_.size()) return std::move(links_);
      budget_.Step(8);
      if (text_.substr(at_).starts_with("<!--")) {
        const size_t end = text_.find(options_.has_strict_comments ? ">" : "-->", at_ + 4);
        at_ = end == std::string_view::npos ? text_.size() : end + 1;
        continue;
      }
      ++at_;
      Tag();
    }
  }
  std::vector<Link> Css() {
    CssPart(0, text_.size());
    return std::move(links_);
  }

 private:
  struct Attribute {
    std::string name;
    size_t begin = 0, end = 0;
    bool is_quoted = true;
  };

  void Tag() {
    size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0)) ++end;
    const std::string tag = Lower(text_.substr(at_, end - at_));
    at_ = end;
    if (tag.empty()) return;
    std::vector<Attribute> attributes;
    while (at_ < text_.size() && text_[at_] != '>') {
      budget_.Step();
      if (IsSpace(text_[at_]) || text_[at_] == '/') ++at_;
      else attributes.push_back(TakeAttribute());
    }
    if (Wants(tag)) AddFrom(tag, attributes);
    if (tag != "style" && tag != "script") return;
    // Their text is no markup.
    const std::string closing = "</" + tag;
    size_t stop = at_;
    while (stop < text_.size() && Lower(text_.substr(stop, closing.size())) != closing) {
      budget_.Step();
      ++stop;
    }
    if (tag == "style") CssPart(at_, stop);
    at_ = stop;
  }
  Attribute TakeAttribute() {
    Attribute out;
    const size_t begin = at_;
    while (at_ < text_.size() && !IsSpace(text_[at_]) && text_[at_] != '=' && text_[at_] != '>') ++at_;
    if (at_ == begin) ++at_;   // a lone '='
    out.name = Lower(text_.substr(begin, at_ - begin));
    size_t next = at_;
    while (next < text_.size() && IsSpace(text_[next])) ++next;
    out.begin = out.end = at_;
    if (next >= text_.size() || text_[next] != '=') return out;
    at_ = next + 1;
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      out.begin = at_ + 1;
      out.end = std::min(text_.find(text_[at_], out.begin), text_.size());
      at_ = std::min(out.end + 1, text_.size());
      return out;
    }
    out.begin = at_;
    out.is_quoted = false;
    while (at_ < text_.size() && !IsSpace(text_[at_]) && text_[at_] != '>') ++at_;
    out.end = at_;
    return out;
  }
  bool Wants(const std::string& tag) const {
    const auto has = [&](const std::vector<std::string>& tags) { return std::find(tags.begin(), tags.end(), tag) != tags.end(); };
    return (options_.followed_tags.empty() || has(options_.followed_tags)) && !has(options_.ignored_tags);
  }
  void AddFrom(const std::string& tag, const std::vector<Attribute>& attributes) {
    std::string rel, refresh;
    for (const Attribute& attribute : attributes) {
      if (attribute.name == "rel") rel = Lower(text_.substr(attribute.begin, attribute.end - attribute.begin));
      if (attribute.name == "http-equiv") refresh = Lower(text_.substr(attribute.begin, attribute.end - attribute.begin));
    }
    for (const Attribute& attribute : attributes) {
      if (attribute.name == "style") CssPart(attribute.begin, attribute.end);
      if (tag == "meta" && refresh == "refresh" && attribute.name == "content") {
        const std::string content = Lower(text_.substr(attribute.begin, attribute.end - attribute.begin));
        if (const size_t url = content.find("url="); url != std::string::npos) Add(attribute.begin + url + 4, attribute.end, false);
      }
      for (const LinkAttribute& known : kLinkAttributes) {
        if (known.tag != tag || known.attribute != attribute.name) continue;
        const bool is_style = tag == "link" && (rel.find("stylesheet") != std::string::npos || rel.find("icon") != std::string::npos);
        Add(attribute.begin, attribute.end, known.is_requisite || is_style);
        links_.back().is_base = tag == "base";
        links_.back().is_quoted = attribute.is_quoted;
      }
    }
  }
  void CssPart(size_t begin, size_t end) {
    const std::string_view part = text_.substr(0, end);
    size_t url = part.find("url(", begin), import = part.find("@import", begin);
    for (size_t at = begin; at < end;) {
      budget_.Step();
      // Each is looked for behind the last one only: the text is read twice at most.
      if (url < at) url = part.find("url(", at);
      if (import < at) import = part.find("@import", at);
      at = std::min(url, import);
      if (at >= end) return;
      at += at == url ? 4 : 7;
      while (at < end && IsSpace(part[at])) ++at;
      if (at < end && part.substr(at).starts_with("url(")) continue;
      const bool is_quoted = at < end && (part[at] == '"' || part[at] == '\'');
      size_t stop = is_quoted ? part.find(part[at], at + 1) : part.find_first_of(") \t\n;", at);
      if (stop == std::string_view::npos || stop > end) return;
      Add(at + (is_quoted ? 1 : 0), stop, true);
      at = stop;
    }
  }
  void Add(size_t begin, size_t end, bool is_requisite) {
    while (begin < end && IsSpace(text_[begin])) ++begin;
    while (end > begin && IsSpace(text_[end - 1])) --end;
    Link link{.begin = begin, .end = end, .target = WithoutEntities(text_.substr(begin, end - begin)), .fragment = {}, .is_requisite = is_requisite};
    budget_.WillAllocate(sizeof(Link) + link.target.size());
    if (const size_t hash = link.target.find('#'); hash != std::string::npos) {
      link.fragment = link.target.substr(hash);
      link.target.resize(hash);
    }
    links_.push_back(std::move(link));
  }

  const std::string_view text_;
  const Options& options_;
  Budget& budget_;
  size_t at_ = 0;
  std::vector<Link> links_;
};

}  // namespace

std::vector<Link> FindLinks(std::string_view text, bool is_css, const Options& options, Budget& budget) {
  Finder finder(text, options, budget);
  return is_css ? finder.Css() : finder.Html();
}

std::string Join(const std::string& base, const std::string& link) {
  const size_t colon = link.find(':');
  if (colon != std::string::npos && colon > 0 && link.find_first_of("/?#") > colon) return link;
  const size_t scheme = base.find("://");
  if (scheme == std::string::npos) return link;
  if (link.starts_with("//")) return base.substr(0, scheme + 1) + link;
  const size_t root = std::min(base.find_first_of("/?#", scheme + 3), base.size());
  std::string path = base.substr(root);
  path.resize(std::min(path.find('#'), path.size()));
  if (link.empty()) return base.substr(0, root) + path;
  path.resize(std::min(path.find('?'), path.size()));
  if (link.starts_with('?')) return base.substr(0, root) + path + link;
  const size_t query = std::min(link.find('?'), link.size());
  std::string joined = link.starts_with('/') ? link.substr(0, query) : path.substr(0, path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1) + link.substr(0, query);
  if (!joined.starts_with('/')) joined.insert(0, "/");
  const bool ends_in_directory = joined.ends_with('/') || joined.ends_with("/.") || joined.ends_with("/..");
  std::string plain = vfs::NormalizePath(joined);
  if (ends_in_directory && !plain.ends_with('/')) plain += '/';
  return base.substr(0, root) + plain + link.substr(query);
}

}  // namespace paddock::wget
