// kv_store: small values that the session keeps by name.

#include <algorithm>
#include <array>

#include "tools/offer/offer.h"

namespace paddock::tools {
namespace {

constexpr size_t kMaxValue = 64 << 10;
// Names that begin so belong to the system.
constexpr std::array kReserved = {"paddock:", "container_sandbox:", "session_sandbox:", "sandbox_fleet:", "daytona_sandbox:", "e2b_sandbox:", "deno_sandbox:", "sprites_sandbox:"};

enum class Operation { kSet, kGet, kDelete, kList };
constexpr const char* kOperations[] = {"set", "get", "delete", "list"};
std::span<const char* const> NamesOf(Operation) { return kOperations; }

struct Arguments {
  Operation operation = Operation::kGet;
  std::optional<std::string> key, value;
};
constexpr Field kArguments[] = {
    Required<&Arguments::operation>("operation", "set stores `value` under `key`, over what was there; get reads it; delete removes it; list names the keys, those that begin with `key` if it is given."),
    Optional<&Arguments::key>("key", "Needed but for list.", {.min_length = 1, .max_length = 256, .pattern = {"^[^\\n]*$", "must be one line"}}),
    Optional<&Arguments::value>("value", "For set: any text.", {.max_length = kMaxValue}),
};
std::span<const Field> FieldsOf(const Arguments*) { return kArguments; }

struct Output {
  std::optional<std::string> key, value;
  bool found = false;
  std::vector<std::string> keys;
};
constexpr Field kOutput[] = {
    Shown<&Output::key>("key", "The key."),
    Shown<&Output::value>("value", "Of get; null when there is none."),
    Shown<&Output::found>("found", "Of get and delete: whether there was one."),
    Shown<&Output::keys>("keys", "Of list, sorted."),
};
std::span<const Field> FieldsOf(const Output*) { return kOutput; }

bool IsReserved(std::string_view key) {
  return std::any_of(kReserved.begin(), kReserved.end(), [&](std::string_view prefix) { return key.starts_with(prefix); });
}

Result<Answer<Output>> Run(CallContext& context, const Arguments& arguments) {
  const Operation operation = arguments.operation;
  if (operation != Operation::kList && !arguments.key) return Error(Code::kInvalid, "missing argument 'key': operation " + std::string(NamesOf(operation)[static_cast<size_t>(operation)]) + " needs it");
  if (operation == Operation::kSet && !arguments.value) return Error(Code::kInvalid, "missing argument 'value': operation set needs it");
  if (operation != Operation::kSet && arguments.value) return Error(Code::kInvalid, "value: is only for operation set");
  const std::string key = arguments.key.value_or("");
  if (operation != Operation::kList && IsReserved(key)) return Error(Code::kNotPermitted, "key: names that begin with '" + key.substr(0, key.find(':') + 1) + "' belong to the system; choose another");
  KeyValueStore& store = context.session.keys();
  Answer<Output> answer;
  Output& data = answer.data;
  data.key = arguments.key;
  switch (operation) {
    case Operation::kSet:
      PADDOCK_TRY(store.Set(key, *arguments.value));
      answer.text = "stored";
      break;
    case Operation::kGet: {
      PADDOCK_ASSIGN(data.value, store.Get(key));
      data.found = data.value.has_value();
      answer.text = data.found ? *data.value : "there is no such key";
      if (answer.text.empty()) answer.text = "(empty)";
      break;
    }
    case Operation::kDelete: {
      PADDOCK_ASSIGN(data.found, store.Delete(key));
      answer.text = data.found ? "deleted" : "there is no such key; nothing to delete";
      break;
    }
    case Operation::kList: {
      PADDOCK_ASSIGN(data.keys, store.List(key));
      std::erase_if(data.keys, IsReserved);
      for (const std::string& each : data.keys) answer.text += each + "\n";
      if (data.keys.empty()) answer.text = "there are no keys";
      break;
    }
  }
  return answer;
}

}  // namespace

const Tool kKvStore = DefineTool<Arguments, Output, Run>({
    .name = "kv_store",
    .title = "Session keys",
    .description = "Keeps small texts by name for the length of the session: state, settings, intermediate results. At most 1000 keys of 64 KiB.",
    .hints = {.is_destructive = true, .is_idempotent = true},
});

}  // namespace paddock::tools
