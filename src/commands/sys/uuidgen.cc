// uuidgen - create a new UUID value
//
// usage: uuidgen [options]
//
// Exit status: 0, or 1 for a usage error.
// Source: util-linux 2.38; RFC 4122.
// Differs: the node of a time-based UUID is random (with the multicast bit), as of a machine without a network card.

#include <array>

#include "base/random.h"
#include "proc/command.h"
#include "text/digest.h"

namespace paddock {
namespace {

struct Options {
  bool random = false, time = false, md5 = false, sha1 = false, hex = false, wants_help = false, wants_version = false;
  std::optional<std::string> space, name;
};
constexpr Option kOptions[] = {
    Flag<&Options::random>('r', "random", "generate a random UUID (the default)"),
    Flag<&Options::time>('t', "time", "generate a time-based UUID"),
    Value<&Options::space>('n', "namespace", "NS", "hash in this namespace: a UUID, @dns, @url, @oid or @x500"),
    Value<&Options::name>('N', "name", "NAME", "hash this name"),
    Flag<&Options::md5>('m', "md5", "hash with MD5"),
    Flag<&Options::sha1>('s', "sha1", "hash with SHA-1"),
    Flag<&Options::hex>('x', "hex", "NAME is a string of hexadecimal digits"),
    Flag<&Options::wants_help>('h', nullptr, "display this help and exit"),
    Flag<&Options::wants_version>('V', nullptr, "output version information and exit"),
};

using Uuid = std::array<uint8_t, 16>;

std::string Text(const Uuid& uuid) {
  std::string hex = HexOf(std::string_view(reinterpret_cast<const char*>(uuid.data()), uuid.size()));
  for (const size_t at : {20u, 16u, 12u, 8u}) hex.insert(at, "-");
  return hex;
}

void Stamp(Uuid& uuid, int version) {
  uuid[6] = static_cast<uint8_t>((uuid[6] & 0x0f) | version << 4);
  uuid[8] = static_cast<uint8_t>((uuid[8] & 0x3f) | 0x80);
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = static_cast<char>(c | 32);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

std::optional<std::string> FromHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = HexValue(text[i]), low = HexValue(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

// The bytes of a namespace: a name of RFC 4122's appendix C, or a UUID.
std::optional<std::string> NamespaceBytes(std::string text) {
  constexpr std::pair<std::string_view, char> kKnown[] = {{"@dns", '0'}, {"@url", '1'}, {"@oid", '2'}, {"@x500", '4'}};
  for (const auto& [name, digit] : kKnown) {
    if (text == name) text = std::string("6ba7b81") + digit + "-9dad-11d1-80b4-00c04fd430c8";
  }
  if (text.size() != 36) return std::nullopt;
  for (const size_t at : {23u, 18u, 13u, 8u}) {
    if (text[at] != '-') return std::nullopt;
    text.erase(at, 1);
  }
  return FromHex(text);
}

Uuid FromTime(const Clock& clock) {
  Uuid uuid{};
  FillRandom(uuid);
  // 100 ns since the Gregorian calendar's beginning.
  const auto ticks = static_cast<uint64_t>(clock.RealNow().count() / 100) + 0x01b21dd213814000ull;
  const auto put = [&uuid](size_t at, size_t size, uint64_t value) {
    for (size_t i = 0; i < size; ++i) uuid[at + i] = static_cast<uint8_t>(value >> (8 * (size - 1 - i)));
  };
  put(0, 4, ticks & 0xffffffff);
  put(4, 2, ticks >> 32 & 0xffff);
  put(6, 2, ticks >> 48 & 0x0fff);
  uuid[10] |= 1;
  return uuid;
}

ExitStatus Run(Invocation& in, const Options& options, const std::vector<std::string>&) {
  if (options.wants_help) return in.out.Write(HelpText(in.command, in.name())), 0;
  if (options.wants_version) return in.out.Write(VersionText(in.command, in.name())), 0;
  const bool is_hash = options.md5 || options.sha1;
  if (options.space) {
    if (!options.name) return in.Usage("--namespace requires --name argument");
    if (!is_hash || options.random || options.time) return in.Usage("--namespace requires --md5 or --sha1");
  } else {
    if (options.name) return in.Usage("--name requires --namespace argument");
    if (is_hash) return in.Usage("--md5 or --sha1 requires --namespace argument");
  }
  Uuid uuid{};
  if (options.space) {
    std::string name = *options.name;
    if (options.hex) {
      const auto bytes = FromHex(name);
      if (!bytes) return in.Usage("not a valid hex string");
      name = *bytes;
    }
    const auto space = NamespaceBytes(*options.space);
    if (!space) return in.Usage("invalid uuid for namespace: '" + *options.space + "'");
    const std::string digest = DigestOf(options.md5 ? DigestAlgorithm::kMd5 : DigestAlgorithm::kSha1, *space + name);
    for (size_t i = 0; i < uuid.size(); ++i) uuid[i] = static_cast<uint8_t>(digest[i]);
    Stamp(uuid, options.md5 ? 3 : 5);
  } else if (options.time) {
    uuid = FromTime(in.clock);
    Stamp(uuid, 1);
  } else {
    FillRandom(uuid);
    Stamp(uuid, 4);
  }
  in.out.WriteLine(Text(uuid));
  return 0;
}

}  // namespace

extern const Command kCommand_uuidgen;
const Command kCommand_uuidgen = Define<Options, Run>({
    .name = "uuidgen",
    .summary = "create a new UUID value",
    .synopsis = "[options]",
    .options = kOptions,
    .cuts_own_name = true,
});

}  // namespace paddock
