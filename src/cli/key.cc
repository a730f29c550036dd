// paddock key: who may use the daemon.

#include <cstdio>

#include "api/daemon.h"
#include "api/keys/key_ring.h"
#include "cli/cli.h"
#include "cli/daemon_config.h"
#include "cli/present.h"
#include "policy/amount.h"

namespace paddock::cli {
namespace {

struct KeyOptions {
  DaemonOptions daemon;   // first: the table begins with its options
  std::string role = "user";
  std::string label;
  std::string expires;
  bool is_json = false;
};

constexpr Option kOptions[] = {
    kDataOptions[0],
    kDataOptions[1],
    Value<&KeyOptions::role>('r', "role", "ROLE", "of a new key: user (default), read, admin"),
    Value<&KeyOptions::label>('l', "label", "TEXT", "of a new key: what it is for"),
    Value<&KeyOptions::expires>('e', "expires", "TIME", "of a new key: after so long (30d, 12h)"),
    Flag<&KeyOptions::is_json>('j', "json", "with list: print JSON"),
};

constexpr const char* kHelp =
    "Usage: paddock key create [OPTION]... OWNER\n"
    "  or:  paddock key list [OPTION]... [OWNER]\n"
    "  or:  paddock key revoke [OPTION]... ID\n"
    "Keys of the daemon's API, in the database of its configuration; it may be running.\n"
    "A key reaches what its OWNER has: read looks, user makes and changes, admin does\n"
    "so for everybody. create prints the key, once; only a digest of it is kept.\n\n";

constexpr const char* kHelpEnd = "\nExit status: 0, 1 when it could not be done, 2 for a usage error.\n";

std::string DateText(const std::optional<records::Time>& time) {
  if (!time) return "-";
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%MZ", &parts));
}

Status Create(api::KeyRing& keys, const KeyOptions& options, const std::string& owner) {
  api::KeyRequest request{.owner = owner, .label = options.label};
  PADDOCK_ASSIGN(request.role, api::ParseRole(options.role));
  if (!options.expires.empty()) {
    PADDOCK_ASSIGN(const std::chrono::nanoseconds time, policy::ParseTimeSpan(options.expires));
    request.expires = std::chrono::time_point_cast<records::Duration>(std::chrono::system_clock::now() + std::chrono::duration_cast<records::Duration>(time));
  }
  PADDOCK_ASSIGN(const api::NewKey key, keys.Create(request));
  std::fprintf(stderr, "%s, of %s, %s; it is shown this once:\n", key.info.id.c_str(), owner.c_str(), api::RoleName(key.info.role));
  std::printf("%s\n", key.text.c_str());
  return {};
}

Status List(api::KeyRing& keys, const KeyOptions& options, const std::optional<std::string>& owner) {
  std::vector<std::vector<std::string>> rows;
  json::array all;
  const auto time_or_null = [](const std::optional<records::Time>& time) { return time ? json::value(DateText(time)) : json::value(nullptr); };
  std::string cursor;
  do {
    PADDOCK_ASSIGN(const api::KeyPage page, keys.List(owner, 100, cursor));
    for (const api::KeyInfo& key : page.keys) {
      rows.push_back({key.id, key.owner, api::RoleName(key.role), DateText(key.expires), DateText(key.last_used), DateText(key.revoked), key.label});
      all.push_back({{"id", key.id}, {"owner", key.owner}, {"role", api::RoleName(key.role)}, {"label", key.label}, {"created_at", DateText(key.created)},
                     {"expires_at", time_or_null(key.expires)}, {"last_used_at", time_or_null(key.last_used)}, {"revoked_at", time_or_null(key.revoked)}});
    }
    cursor = page.next;
  } while (!cursor.empty());
  std::fputs((options.is_json ? Indented(all) : Table({"ID", "OWNER", "ROLE", "EXPIRES", "LAST USED", "REVOKED", "LABEL"}, rows)).c_str(), stdout);
  return {};
}

}  // namespace

int RunKey(const sandbox::DriverSet&, std::span<const std::string> args) {
  std::vector<std::string> own = {"key"};
  own.insert(own.end(), args.begin(), args.end());
  KeyOptions options;
  auto parsed = ParseOptions(own, kOptions, &options);
  if (!parsed) return Fail("key", std::string(parsed.error().Text()) + "; 'paddock key --help' lists the options");
  if (parsed->wants_help) {
    std::fputs((std::string(kHelp) + OptionHelp(kOptions) + kHelpEnd).c_str(), stdout);
    return 0;
  }
  const std::vector<std::string>& words = parsed->operands;
  const std::string verb = words.empty() ? "" : words[0];
  const bool takes_one = verb == "create" || verb == "revoke";
  if ((!takes_one && verb != "list") || words.size() > 2 || (takes_one && words.size() != 2)) {
    return Fail("key", "write 'create OWNER', 'list [OWNER]' or 'revoke ID'; 'paddock key --help' explains them");
  }
  const auto loaded = LoadDaemonConfig(options.daemon);
  if (!loaded) return Fail("key", loaded.error().Text());
  const auto records = api::OpenRecords(loaded->config.data);
  Status done = records ? Status() : Status(records.error());
  if (done) {
    api::KeyRing keys(**records);
    if (verb == "create") done = Create(keys, options, words[1]);
    else if (verb == "list") done = List(keys, options, words.size() == 2 ? std::optional(words[1]) : std::nullopt);
    else if (const auto revoked = keys.Revoke(words[1]); !revoked) done = revoked.error();
  }
  if (done) return 0;
  Fail("key", done.error().Text());
  return 1;
}

}  // namespace paddock::cli
