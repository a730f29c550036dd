#include "policy/host_pattern.h"

#include <algorithm>

#include "policy/amount.h"

namespace paddock::policy {
namespace {

Error Bad(std::string_view text, std::string_view why) {
  return Error(Code::kInvalid, "'" + std::string(text.substr(0, 300)) + "' " + std::string(why));
}

Result<Cidr> ParseBlock(std::string_view text) {
  if (!IpAddress::Parse(text.substr(0, text.find('/')))) return Bad(text, "is not an address; write 192.0.2.7 or 10.0.0.0/8");
  const auto block = Cidr::Parse(text);
  if (!block) return Bad(text, "has a bad prefix length, or bits set behind its prefix");
  return *block;
}

std::string BlockText(const Cidr& block) { return block.base.Text() + (block.IsSingle() ? "" : "/" + std::to_string(block.prefix)); }

}  // namespace

Result<HostPattern> HostPattern::Parse(std::string_view text) {
  HostPattern pattern;
  if (text == "*") {
    pattern.kind_ = Kind::kAnyName;
    return pattern;
  }
  if (text.find('/') != std::string_view::npos) {
    pattern.kind_ = Kind::kBlock;
    PADDOCK_ASSIGN(pattern.block_, ParseBlock(text));
    return pattern;
  }
  const bool is_below = text.starts_with("*.");
  const std::string_view name = text.substr(is_below ? 2 : 0);
  if (name.find('*') != std::string_view::npos) return Bad(text, "has a star inside; '*' stands alone or as the first label, '*.example.org'");
  if (name.ends_with('.')) return Bad(text, "ends with a dot; leave it out");
  if (name.starts_with('[')) return Bad(text, "has brackets, which an address has before a port only");
  PADDOCK_ASSIGN(const Host host, ParseHost(name));
  if (is_below && host.address) return Bad(text, "is no pattern: '*.' stands before names only");
  pattern.kind_ = is_below ? Kind::kBelow : host.address ? Kind::kBlock : Kind::kName;
  pattern.name_ = (is_below ? "." : "") + host.text;
  if (host.address) pattern.block_ = Cidr{*host.address, host.address->is_v6 ? 128 : 32};
  return pattern;
}

std::string HostPattern::Text() const {
  switch (kind_) {
    case Kind::kAnyName: return "*";
    case Kind::kBelow: return "*" + name_;
    case Kind::kName: return name_;
    case Kind::kBlock: return BlockText(block_);
  }
  return {};
}

bool HostPattern::Matches(const Host& host) const {
  switch (kind_) {
    case Kind::kAnyName: return !host.address;
    case Kind::kBelow: return !host.address && host.text.size() > name_.size() && host.text.ends_with(name_);
    case Kind::kName: return !host.address && host.text == name_;
    case Kind::kBlock: return host.address && block_.Contains(*host.address);
  }
  return false;
}

Result<std::string> ParseAddressRange(std::string_view text) {
  PADDOCK_ASSIGN(const Cidr block, ParseBlock(text));
  return BlockText(block);
}

Result<HostAndPorts> ParseHostAndPorts(std::string_view text) {
  std::string_view host = text;
  std::string_view ports;
  bool has_ports = false;
  if (text.starts_with('[')) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return Bad(text, "has '[' without ']'");
    host = text.substr(1, close - 1);
    if (host.find(':') == std::string_view::npos) return Bad(text, "has brackets around what is no IPv6 address");
    const std::string_view rest = text.substr(close + 1);
    has_ports = rest.starts_with(':');
    if (!has_ports && !rest.empty()) return Bad(text, "has text behind ']'; write [ADDRESS]:PORT");
    if (has_ports) ports = rest.substr(1);
  } else if (std::count(text.begin(), text.end(), ':') == 1) {
    const size_t colon = text.find(':');
    host = text.substr(0, colon);
    ports = text.substr(colon + 1);
    has_ports = true;
  }
  HostAndPorts result;
  PADDOCK_ASSIGN(const HostPattern pattern, HostPattern::Parse(host));
  result.host = pattern.Text();
  while (has_ports) {
    const size_t comma = ports.find(',');
    PADDOCK_ASSIGN(const PortRange range, ParsePorts(ports.substr(0, comma)));
    result.ports.push_back(range);
    if (comma == std::string_view::npos) break;
    ports.remove_prefix(comma + 1);
  }
  return result;
}

std::string HostAndPortsText(std::string_view host, const std::vector<PortRange>& ports) {
  if (ports.empty()) return std::string(host);
  const bool needs_brackets = host.find(':') != std::string_view::npos;
  return (needs_brackets ? "[" + std::string(host) + "]" : std::string(host)) + ":" + PortsText(ports);
}

Result<PublishedPort> ParsePublishedPort(std::string_view text) {
  const auto one = [](std::string_view number) -> Result<uint16_t> {
    PADDOCK_ASSIGN(const PortRange range, ParsePorts(number));
    if (range.first != range.last) return Error(Code::kInvalid, "must be one port, not a range");
    return range.first;
  };
  PublishedPort port;
  const size_t colon = text.find(':');
  PADDOCK_ASSIGN(port.guest, one(colon == std::string_view::npos ? text : text.substr(colon + 1)));
  if (colon == std::string_view::npos) port.host = port.guest;
  if (colon != std::string_view::npos && colon > 0) {
    PADDOCK_ASSIGN(port.host, one(text.substr(0, colon)));
  }
  return port;
}

std::string PublishedPortText(const PublishedPort& port) {
  return (port.host == 0 ? "" : std::to_string(port.host)) + ":" + std::to_string(port.guest);
}

Result<NetworkRules> AllowHosts(const std::vector<std::string>& texts, const std::string& key) {
  NetworkRules network;
  for (const std::string& text : texts) {
    auto host = ParseHostAndPorts(text);
    if (!host) return Error(Code::kInvalid, key + ": '" + text + "': " + std::string(host.error().Text()));
    network.mode = NetworkMode::kRules;
    network.rules.push_back({.host = std::move(host->host), .ports = std::move(host->ports), .origin = key});
  }
  return network;
}

}  // namespace paddock::policy
