#include "registry/entry/usage.h"

#include <algorithm>
#include <boost/json.hpp>
#include <limits>

namespace paddock::registry {
namespace {

namespace json = boost::json;
__extension__ using Wide = unsigned __int128;

using A = UsageAmounts;
constexpr A::Member kMembers[] = {
    {"execs", &A::execs},
    {"alive_ms", &A::alive_ms},
    {"active_ms", &A::active_ms},
    {"cpu_ns", &A::cpu_ns},
    {"memory_kib_ms", &A::memory_kib_ms},
    {"disk_kib_ms", &A::disk_kib_ms},
    {"reserved_cpu_ns", &A::reserved_cpu_ns},
    {"reserved_memory_kib_ms", &A::reserved_memory_kib_ms},
    {"output_bytes", &A::output_bytes},
    {"upload_bytes", &A::upload_bytes},
    {"download_bytes", &A::download_bytes},
    {"network_in_bytes", &A::network_in_bytes},
    {"network_out_bytes", &A::network_out_bytes},
    {"disk_read_bytes", &A::disk_read_bytes},
    {"disk_written_bytes", &A::disk_written_bytes},
};

std::optional<uint64_t> NumberOf(const json::value& value) {
  if (value.is_uint64()) return value.get_uint64();
  if (value.is_int64() && value.get_int64() >= 0) return static_cast<uint64_t>(value.get_int64());
  return std::nullopt;
}

}  // namespace

std::span<const UsageAmounts::Member> UsageAmounts::Members() { return kMembers; }

void AddTo(std::optional<uint64_t>& sum, uint64_t amount) {
  const uint64_t before = sum.value_or(0);
  sum = amount > std::numeric_limits<uint64_t>::max() - before ? std::numeric_limits<uint64_t>::max() : before + amount;
}

void UsageAmounts::Add(const UsageAmounts& other) {
  for (const Member& member : kMembers) {
    if (const auto& amount = other.*member.value) AddTo(this->*member.value, *amount);
  }
}

UsageAmounts UsageAmounts::Part(Duration part, Duration whole) const {
  if (part >= whole || whole.count() <= 0) return *this;
  UsageAmounts result;
  const auto numerator = static_cast<uint64_t>(std::max(part, Duration(0)).count());
  for (const Member& member : kMembers) {
    if (const auto& amount = this->*member.value) result.*member.value = static_cast<uint64_t>(Wide{*amount} * numerator / static_cast<uint64_t>(whole.count()));
  }
  return result;
}

std::string UsageText(const UsageStretch& stretch) {
  json::object object;
  object["version"] = 1;
  object["name"] = stretch.name;
  object["isolation"] = stretch.isolation;
  json::object labels;
  for (const auto& [key, value] : stretch.labels) labels[key] = value;
  object["labels"] = std::move(labels);
  object["from"] = stretch.from.time_since_epoch().count();
  object["until"] = stretch.until.time_since_epoch().count();
  object["is_even"] = stretch.is_even;
  object["disk_bytes"] = stretch.disk_bytes;
  for (const A::Member& member : kMembers) {
    if (const auto& amount = stretch.amounts.*member.value) object[member.name] = *amount;
  }
  return json::serialize(object);
}

Status ReadUsage(std::string_view text, UsageStretch& stretch) {
  const Error damaged(Code::kCorrupt, "a record of usage is damaged");
  boost::system::error_code failure;
  json::parse_options options;
  options.max_depth = 4;
  const json::value parsed = json::parse(json::string_view(text.data(), text.size()), failure, {}, options);
  if (failure || !parsed.is_object()) return damaged;
  const json::object& object = parsed.get_object();
  const auto find = [&](const char* name) { return object.if_contains(name); };
  const json::value *version = find("version"), *name = find("name"), *isolation = find("isolation"), *labels = find("labels");
  const json::value *from = find("from"), *until = find("until"), *is_even = find("is_even"), *disk = find("disk_bytes");
  if (version == nullptr || *version != 1) return Error(Code::kNotSupported, "usage was noted by another version of paddock");
  const bool is_good = name != nullptr && name->is_string() && isolation != nullptr && isolation->is_string() && labels != nullptr && labels->is_object() &&
                       from != nullptr && from->is_int64() && until != nullptr && until->is_int64() && until->get_int64() >= from->get_int64() &&
                       is_even != nullptr && is_even->is_bool() && disk != nullptr && NumberOf(*disk);
  if (!is_good) return damaged;
  stretch.name = std::string(name->get_string());
  stretch.isolation = std::string(isolation->get_string());
  for (const auto& [key, value] : labels->get_object()) {
    if (!value.is_string()) return damaged;
    stretch.labels[std::string(key)] = std::string(value.get_string());
  }
  stretch.from = Time(Duration(from->get_int64()));
  stretch.until = Time(Duration(until->get_int64()));
  stretch.is_even = is_even->get_bool();
  stretch.disk_bytes = *NumberOf(*disk);
  for (const A::Member& member : kMembers) {
    const json::value* value = find(member.name);
    if (value == nullptr) continue;
    const auto number = NumberOf(*value);
    if (!number) return damaged;
    stretch.amounts.*member.value = *number;
  }
  return {};
}

Time HourOf(Time time) { return std::chrono::floor<std::chrono::hours>(time); }
Time NextHour(Time time) { return HourOf(time) + std::chrono::hours(1); }

}  // namespace paddock::registry
