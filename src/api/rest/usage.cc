// What sandboxes have used, and what that costs.
#include "api/rest/groups.h"
#include "api/rest/price.h"
#include "api/rest/shapes.h"
#include "api/rest/times.h"

namespace paddock::registry {

std::span<const char* const> NamesOf(UsageQuery::Group) {
  static constexpr const char* kNames[] = {"none", "owner", "sandbox", "label"};
  return kNames;
}

}  // namespace paddock::registry

namespace paddock::api {
namespace {

// ---- shapes

struct UsageShape {
  uint64_t execs = 0;
  uint64_t alive_ms = 0, active_ms = 0;
  std::optional<double> cpu_ms, memory_gib_seconds, disk_gib_seconds;
  double reserved_cpu_ms = 0;
  std::optional<double> reserved_memory_gib_seconds;
  uint64_t output_bytes = 0, upload_bytes = 0, download_bytes = 0;
  std::optional<uint64_t> network_in_bytes, network_out_bytes, disk_read_bytes, disk_written_bytes;
};
constexpr Field kUsage[] = {
    Shown<&UsageShape::execs>("execs", "That have ended."),
    Shown<&UsageShape::alive_ms>("alive_ms", "Ready for execs: neither paused nor stopped."),
    Shown<&UsageShape::active_ms>("active_ms", "While at least one exec ran."),
    Optional<&UsageShape::cpu_ms>("cpu_ms", "Processor time."),
    Optional<&UsageShape::memory_gib_seconds>("memory_gib_seconds", "Memory held while active; sampled every few seconds and at the end of each exec."),
    Optional<&UsageShape::disk_gib_seconds>("disk_gib_seconds", "Files, whatever the state."),
    Shown<&UsageShape::reserved_cpu_ms>("reserved_cpu_ms", "While alive, times the limit on cores; without one, one core."),
    Optional<&UsageShape::reserved_memory_gib_seconds>("reserved_memory_gib_seconds", "While alive, times the limit on memory."),
    Shown<&UsageShape::output_bytes>("output_bytes", "Written by execs to stdout and stderr."),
    Shown<&UsageShape::upload_bytes>("upload_bytes", "Of files and archives, into the sandbox."),
    Shown<&UsageShape::download_bytes>("download_bytes", "Of files and archives, out of it."),
    Optional<&UsageShape::network_in_bytes>("network_in_bytes", "From the network."),
    Optional<&UsageShape::network_out_bytes>("network_out_bytes", "Into the network."),
    Optional<&UsageShape::disk_read_bytes>("disk_read_bytes", "Read from the disk."),
    Optional<&UsageShape::disk_written_bytes>("disk_written_bytes", "Written to the disk."),
};
std::span<const Field> FieldsOf(const UsageShape*) { return kUsage; }

struct PriceShape {
  std::string cpu, memory, disk, transfer, total;
};
constexpr Field kPrice[] = {
    Shown<&PriceShape::cpu>("cpu", "A decimal number, exact to nine digits, like the others."),
    Shown<&PriceShape::memory>("memory", "Of memory."),
    Shown<&PriceShape::disk>("disk", "Of files."),
    Shown<&PriceShape::transfer>("transfer", "Of bytes in and out: output, uploads, downloads, network."),
    Shown<&PriceShape::total>("total", "Their sum."),
};
std::span<const Field> FieldsOf(const PriceShape*) { return kPrice; }

struct PricesShape {
  std::string currency;
  PriceShape active, alive;
};
constexpr Field kPrices[] = {
    Shown<&PricesShape::currency>("currency", "Of [rates]."),
    Shown<&PricesShape::active>("active", "By processor time and memory that were used."),
    Shown<&PricesShape::alive>("alive", "By the limits on cores and memory, all the time it was alive."),
};
std::span<const Field> FieldsOf(const PricesShape*) { return kPrices; }

constexpr double kKibMsOfGibSecond = 1024.0 * 1024.0 * 1000.0;

std::optional<double> Scaled(const std::optional<uint64_t>& amount, double unit) {
  if (!amount) return std::nullopt;
  return static_cast<double>(*amount) / unit;
}

UsageShape ShapeOf(const registry::UsageAmounts& used) {
  UsageShape shape;
  shape.execs = used.execs.value_or(0);
  shape.alive_ms = used.alive_ms.value_or(0);
  shape.active_ms = used.active_ms.value_or(0);
  shape.cpu_ms = Scaled(used.cpu_ns, 1e6);
  shape.memory_gib_seconds = Scaled(used.memory_kib_ms, kKibMsOfGibSecond);
  shape.disk_gib_seconds = Scaled(used.disk_kib_ms, kKibMsOfGibSecond);
  shape.reserved_cpu_ms = Scaled(used.reserved_cpu_ns, 1e6).value_or(0);
  shape.reserved_memory_gib_seconds = Scaled(used.reserved_memory_kib_ms, kKibMsOfGibSecond);
  shape.output_bytes = used.output_bytes.value_or(0);
  shape.upload_bytes = used.upload_bytes.value_or(0);
  shape.download_bytes = used.download_bytes.value_or(0);
  shape.network_in_bytes = used.network_in_bytes;
  shape.network_out_bytes = used.network_out_bytes;
  shape.disk_read_bytes = used.disk_read_bytes;
  shape.disk_written_bytes = used.disk_written_bytes;
  return shape;
}

PriceShape ShapeOf(const Price& price) {
  return {.cpu = PriceText(price.cpu), .memory = PriceText(price.memory), .disk = PriceText(price.disk), .transfer = PriceText(price.transfer), .total = PriceText(price.total())};
}

PricesShape PricesOf(const registry::UsageAmounts& used, const RateConfig& rates) {
  return {.currency = rates.currency, .active = ShapeOf(ActivePrice(used, rates)), .alive = ShapeOf(AlivePrice(used, rates))};
}

struct GroupShape {
  std::string key;
  uint64_t sandboxes = 0;
  UsageShape usage;
  PricesShape price;
};
constexpr Field kGroup[] = {
    Shown<&GroupShape::key>("key", "The owner, the sandbox's id, or the label's value; without that label empty."),
    Shown<&GroupShape::sandboxes>("sandboxes", "How many, deleted ones too."),
    Shown<&GroupShape::usage>("usage", "What they used; what is absent was not measured."),
    Shown<&GroupShape::price>("price", "What that costs."),
};
std::span<const Field> FieldsOf(const GroupShape*) { return kGroup; }

GroupShape ShapeOf(const registry::UsageGroup& group, const RateConfig& rates) {
  return {.key = group.key, .sandboxes = group.sandboxes, .usage = ShapeOf(group.amounts), .price = PricesOf(group.amounts, rates)};
}

// ---- one sandbox

struct SpanQuery {
  std::string since, until;
};
constexpr Field kSpanQuery[] = {
    Optional<&SpanQuery::since>("since", "From this time on, RFC 3339; rounded down to the hour. Empty: all that is kept.", {.max_length = 64}),
    Optional<&SpanQuery::until>("until", "To this time, rounded up to the hour. Empty: now.", {.max_length = 64}),
};
std::span<const Field> FieldsOf(const SpanQuery*) { return kSpanQuery; }

struct SandboxUsage {
  std::string since, until;
  UsageShape usage;
  PricesShape price;
};
constexpr Field kSandboxUsage[] = {
    Shown<&SandboxUsage::since>("since", "As it was understood."),
    Shown<&SandboxUsage::until>("until", "The same."),
    Shown<&SandboxUsage::usage>("usage", "What it used; what is absent was not measured."),
    Shown<&SandboxUsage::price>("price", "What that costs."),
};
std::span<const Field> FieldsOf(const SandboxUsage*) { return kSandboxUsage; }

Result<SandboxUsage> OfSandbox(Call& call, const SpanQuery& query, Nothing&) {
  registry::UsageQuery asked{.sandbox = call["sandbox"]};
  PADDOCK_ASSIGN(asked.since, TimeOf("since", query.since));
  PADDOCK_ASSIGN(asked.until, TimeOf("until", query.until));
  PADDOCK_ASSIGN(const registry::UsageAnswer answer, call.services.registry.Usage(call.caller, asked));
  return SandboxUsage{.since = TimeText(answer.since), .until = TimeText(answer.until), .usage = ShapeOf(answer.total.amounts),
                      .price = PricesOf(answer.total.amounts, call.services.rates)};
}

// ---- all of them

struct UsageRequest {
  std::string since, until, owner, label, after;
  registry::UsageQuery::Group group_by = registry::UsageQuery::Group::kNone;
  int64_t limit = 100;
};
constexpr Field kUsageRequest[] = {
    Optional<&UsageRequest::since>("since", "From this time on, RFC 3339; rounded down to the hour. Empty: all that is kept.", {.max_length = 64}),
    Optional<&UsageRequest::until>("until", "To this time, rounded up to the hour. Empty: now.", {.max_length = 64}),
    Optional<&UsageRequest::owner>("owner", "Only this owner's; for admins, who otherwise see all.", {.max_length = 256}),
    Optional<&UsageRequest::group_by>("group_by", "Sums of each owner, sandbox, or value of a label."),
    Optional<&UsageRequest::label>("label", "The label's key, with group_by=label.", {.max_length = 63}),
    Optional<&UsageRequest::limit>("limit", "At most so many groups.", {.min = 1, .max = 1000}),
    Optional<&UsageRequest::after>("after", "Only groups behind this key: what the page before gave as next.", {.max_length = 256}),
};
std::span<const Field> FieldsOf(const UsageRequest*) { return kUsageRequest; }

struct UsageReply {
  std::string since, until;
  uint64_t sandboxes = 0;
  UsageShape usage;
  PricesShape price;
  std::vector<GroupShape> groups;
  std::optional<std::string> next;
};
constexpr Field kUsageReply[] = {
    Shown<&UsageReply::since>("since", "As it was understood."),
    Shown<&UsageReply::until>("until", "The same."),
    Shown<&UsageReply::sandboxes>("sandboxes", "How many, deleted ones too."),
    Shown<&UsageReply::usage>("usage", "Of all of them; what is absent was not measured."),
    Shown<&UsageReply::price>("price", "What that costs."),
    Shown<&UsageReply::groups>("groups", "By key."),
    Shown<&UsageReply::next>("next", "Ask with after=… for the next ones; null: there are none."),
};
std::span<const Field> FieldsOf(const UsageReply*) { return kUsageReply; }

Result<UsageReply> OfAll(Call& call, const UsageRequest& query, Nothing&) {
  const bool is_label = query.group_by == registry::UsageQuery::Group::kLabel;
  if (is_label == query.label.empty()) return Error(Code::kInvalid, "label: give the label's key with group_by=label, and only then");
  registry::UsageQuery asked{.owner = query.owner, .group = query.group_by, .label = query.label, .limit = static_cast<size_t>(query.limit), .after = query.after};
  PADDOCK_ASSIGN(asked.since, TimeOf("since", query.since));
  PADDOCK_ASSIGN(asked.until, TimeOf("until", query.until));
  PADDOCK_ASSIGN(const registry::UsageAnswer answer, call.services.registry.Usage(call.caller, asked));
  const RateConfig& rates = call.services.rates;
  UsageReply reply{.since = TimeText(answer.since), .until = TimeText(answer.until), .sandboxes = answer.total.sandboxes,
                   .usage = ShapeOf(answer.total.amounts), .price = PricesOf(answer.total.amounts, rates), .groups = {}, .next = {}};
  for (const registry::UsageGroup& group : answer.groups) reply.groups.push_back(ShapeOf(group, rates));
  if (answer.has_more) reply.next = answer.groups.back().key;
  return reply;
}

}  // namespace

std::vector<Operation> UsageOperations() {
  return {
      Define<SpanQuery, Nothing, SandboxUsage, OfSandbox>("GET", "/v1/sandboxes/{sandbox}/usage", "getSandboxUsage", "Shows what a sandbox has used, and its price; of a deleted one, too, while that is kept.", Access::kRead),
      Define<UsageRequest, Nothing, UsageReply, OfAll>("GET", "/v1/usage", "getUsage", "Shows what your sandboxes have used, and its price; for an admin everybody's.", Access::kRead),
  };
}

}  // namespace paddock::api
