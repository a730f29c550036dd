// paddock usage: what the sandboxes of a daemon have used, and what that costs.

#include <cstdio>

#include "cli/cli.h"
#include "cli/client/subcommand.h"
#include "cli/present.h"

namespace paddock::cli {
namespace {

struct UsageOptions {
  LinkOptions link;   // first: the table begins with its options
  std::string since, until, by;
  bool is_json = false;
};
constexpr Option kUsageOptions[] = {
    kLinkOptions[0], kLinkOptions[1], kLinkOptions[2],
    Value<&UsageOptions::since>('s', "since", "TIME", "from this time on, RFC 3339 or a day; rounded down to the hour (default: all that is kept)"),
    Value<&UsageOptions::until>('u', "until", "TIME", "to this time, rounded up to the hour (default: now)"),
    Value<&UsageOptions::by>('b', "by", "GROUP", "a line for each owner, sandbox (the default) or label:KEY"),
    Flag<&UsageOptions::is_json>('j', "json", "print JSON"),
};
constexpr SubcommandText kUsage{.name = "usage",
                                .help = "Usage: paddock usage [OPTION]... [SANDBOX]\n"
                                        "Prints what a sandbox of a daemon has used, or all of yours, and what that costs by what\n"
                                        "was used (ACTIVE) and by what stood ready (ALIVE).\n\n",
                                .least = 0, .most = 1, .operands = "the id or the name of a sandbox; 'paddock ls' lists them"};

// "12.3 s", "2.5 h".
std::string SecondsText(double milliseconds) {
  char text[32];
  const double seconds = milliseconds / 1000;
  if (seconds < 600) std::snprintf(text, sizeof text, "%.3g s", seconds);
  else std::snprintf(text, sizeof text, "%.1f h", seconds / 3600);
  return text;
}

std::string NumberOr(const json::object& usage, const char* name, const char* otherwise) {
  const json::value* value = usage.if_contains(name);
  if (value == nullptr) return otherwise;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value->to_number<double>());
  return text;
}

// Both in MiB: "12.3/0.5"; "-" where neither was measured.
std::string BothOf(const json::object& usage, const char* first, const char* second) {
  if (!usage.contains(first) && !usage.contains(second)) return "-";
  const auto text = [&](const char* name) -> std::string {
    if (!usage.contains(name)) return "-";
    char number[32];
    std::snprintf(number, sizeof number, "%.4g", usage.at(name).to_number<double>() / (1 << 20));
    return number;
  };
  return text(first) + "/" + text(second);
}

std::vector<std::string> RowOf(const std::string& key, const json::object& sums) {
  const json::object& usage = sums.at("usage").as_object();
  const json::object& price = sums.at("price").as_object();
  const auto time = [&](const char* name) { return usage.contains(name) ? SecondsText(usage.at(name).to_number<double>()) : std::string("-"); };
  const auto total = [&](const char* name) { return TextOf(price.at(name).as_object(), "total") + " " + TextOf(price, "currency"); };
  return {key, TextOf(usage, "execs"), time("alive_ms"), time("active_ms"), time("cpu_ms"), NumberOr(usage, "memory_gib_seconds", "-"),
          NumberOr(usage, "disk_gib_seconds", "-"), BothOf(usage, "network_in_bytes", "network_out_bytes"),
          BothOf(usage, "disk_read_bytes", "disk_written_bytes"), total("active"), total("alive")};
}

std::string QueryOf(const UsageOptions& options) {
  std::string query;
  for (const auto& [name, value] : {std::pair{"since", &options.since}, std::pair{"until", &options.until}}) {
    if (!value->empty()) query += std::string(query.empty() ? "?" : "&") + name + "=" + EncodePercent(*value);
  }
  return query;
}

const std::vector<std::string> kColumns = {"", "EXECS", "ALIVE", "ACTIVE", "CPU", "MEM GiB·s", "DISK GiB·s", "NET IN/OUT MiB", "DISK R/W MiB", "PRICE ACTIVE", "PRICE ALIVE"};

Status OfSandbox(Link& link, const UsageOptions& options, const std::string& sandbox) {
  PADDOCK_ASSIGN(const json::value answer, link.Get(SandboxPath(sandbox, "/usage" + QueryOf(options))));
  std::fputs((options.is_json ? Indented(answer) : Table(kColumns, {RowOf(sandbox, answer.as_object())})).c_str(), stdout);
  return {};
}

Status OfAll(Link& link, const UsageOptions& options) {
  const std::string by = options.by.empty() ? "sandbox" : options.by;
  std::string query = QueryOf(options);
  query += std::string(query.empty() ? "?" : "&") + "limit=1000&group_by=" + (by.starts_with("label:") ? "label&label=" + EncodePercent(by.substr(6)) : EncodePercent(by));
  PADDOCK_ASSIGN(json::value answer, link.Get("/v1/usage" + query));
  for (json::value page = answer; !page.at("next").is_null();) {
    PADDOCK_ASSIGN(page, link.Get("/v1/usage" + query + "&after=" + EncodePercent(TextOf(page.as_object(), "next"))));
    for (const json::value& group : page.at("groups").as_array()) answer.at("groups").as_array().push_back(group);
  }
  answer.as_object()["next"] = nullptr;
  if (options.is_json) {
    std::fputs(Indented(answer).c_str(), stdout);
    return {};
  }
  std::vector<std::vector<std::string>> rows;
  for (const json::value& group : answer.at("groups").as_array()) rows.push_back(RowOf(TextOf(group.as_object(), "key"), group.as_object()));
  rows.push_back(RowOf("total", answer.as_object()));
  std::fputs(Table(kColumns, rows).c_str(), stdout);
  return {};
}

}  // namespace

int RunUsage(const sandbox::DriverSet&, std::span<const std::string> args) {
  UsageOptions options;
  const BegunSubcommand begun = BeginSubcommand(kUsage, args, kUsageOptions, &options);
  if (begun.status) return *begun.status;
  return EndSubcommand("usage", [&]() -> Status {
    PADDOCK_ASSIGN(Link link, Link::Open(options.link));
    return begun.operands.empty() ? OfAll(link, options) : OfSandbox(link, options, begun.operands[0]);
  });
}

}  // namespace paddock::cli
