#include "drivers/docker/engine/names.h"

#include <algorithm>

#include "text/digest.h"

namespace paddock::docker {
namespace {

constexpr std::string_view kLowerHex = "0123456789abcdef";
constexpr size_t kMostReference = 512;

std::string SessionDigits(std::string_view session) { return HexOf(DigestOf(DigestAlgorithm::kSha256, session)).substr(0, 16); }

std::string WithName(std::string base, std::string_view name) {
  if (!name.empty()) base.append("-").append(name);
  return base;
}

// A part of a repository's path: words of lower case letters and digits, with one ".", one or two "_" or some dashes between two.
bool IsPathComponent(std::string_view part) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (part.empty() || !is_word(part.front()) || !is_word(part.back())) return false;
  for (size_t at = 0; at < part.size();) {
    if (is_word(part[at])) {
      ++at;
      continue;
    }
    const size_t end = std::min(part.find_first_not_of(part[at], at), part.size());
    const size_t most = part[at] == '.' ? 1 : part[at] == '_' ? 2 : part[at] == '-' ? part.size() : 0;
    if (end - at > most || !is_word(part[end])) return false;
    at = end;
  }
  return true;
}

bool IsTag(std::string_view tag) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  if (tag.empty() || tag.size() > 128 || !is_word(tag.front())) return false;
  return std::all_of(tag.begin(), tag.end(), [&](char c) { return is_word(c) || c == '.' || c == '-'; });
}

bool IsDigest(std::string_view digest) {
  return digest.starts_with("sha256:") && digest.size() == 7 + 64 && digest.substr(7).find_first_not_of(kLowerHex) == digest.npos;
}

bool IsRegistry(std::string_view host) {
  const auto is_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  if (host.empty() || !is_word(host.front()) || !is_word(host.back())) return false;
  return std::all_of(host.begin(), host.end(), [&](char c) { return is_word(c) || c == '.' || c == '-' || c == ':'; });
}

}  // namespace

bool IsFullId(std::string_view text) { return text.size() == 64 && text.find_first_not_of(kLowerHex) == text.npos; }

std::string ContainerName(std::string_view prefix, std::string_view session, std::string_view name) {
  return WithName(std::string(prefix) + "-" + SessionDigits(session) + "-sandbox", name);
}

std::string NetworkName(std::string_view session, std::string_view name) { return WithName("sandbox-" + SessionDigits(session), name); }

std::string FullReference(std::string_view reference) {
  if (reference.size() > kMostReference) return "";
  std::string_view digest, tag;
  if (const size_t at = reference.find('@'); at != reference.npos) {
    digest = reference.substr(at + 1);
    reference = reference.substr(0, at);
    if (!IsDigest(digest)) return "";
  }
  const size_t last_slash = reference.rfind('/');
  if (const size_t colon = reference.rfind(':'); colon != reference.npos && (last_slash == reference.npos || colon > last_slash)) {
    tag = reference.substr(colon + 1);
    reference = reference.substr(0, colon);
    if (!IsTag(tag)) return "";
  }
  std::string registry = "docker.io";
  const size_t slash = reference.find('/');
  if (slash != reference.npos) {
    const std::string_view first = reference.substr(0, slash);
    if (first == "localhost" || first.find_first_of(".:") != first.npos) {
      if (!IsRegistry(first)) return "";
      registry = first;
      reference = reference.substr(slash + 1);
    }
  }
  if (registry == "index.docker.io") registry = "docker.io";
  std::string path(reference);
  if (registry == "docker.io" && path.find('/') == path.npos) path = "library/" + path;
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    if (!IsPathComponent(std::string_view(path).substr(at, end - at))) return "";
    at = end + 1;
  }
  std::string full = registry + "/" + path;
  if (!tag.empty()) full.append(":").append(tag);
  if (!digest.empty()) full.append("@").append(digest);
  if (tag.empty() && digest.empty()) full += ":latest";
  return full.size() > kMostReference ? "" : full;
}

}  // namespace paddock::docker
