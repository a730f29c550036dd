#include "api/config/load.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "api/config/settings.h"
#include "policy/document.h"
#include "policy/field.h"
#include "policy/write.h"
#include "text/utf8.h"

namespace paddock::api {
namespace {

using policy::Field;
using policy::Value;

constexpr size_t kMaxName = 128;  // of an owner, a harness, an agent

// A value before it is understood.
struct Given {
  std::string text;
  std::string origin;
  std::string place;  // before an error: the origin, and the setting where the origin does not name it
};

struct Draft {
  std::map<std::string, Given> values;                         // by setting; "quota.sandboxes" too
  std::map<std::string, std::map<std::string, Given>> owners;  // by owner, then "sandboxes"
  std::vector<Definition> harnesses;
  std::vector<Definition> agents;
};

struct Known {
  std::string name;
  Notation notation;
  std::string standard;
};

// Every setting, those of [quota] before those of [retention].
std::vector<Known> AllKnown() {
  std::vector<Known> known;
  bool has_quota = false;
  for (const Setting& setting : Settings()) {
    if (!has_quota && std::string_view(setting.name).starts_with("retention.")) {
      for (const QuotaSetting& quota : QuotaSettings())
        known.push_back({"quota." + std::string(quota.name), quota.notation, quota.standard});
      has_quota = true;
    }
    known.push_back({setting.name, setting.notation, setting.standard});
  }
  return known;
}

std::string NumberText(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

Result<Given> ReadValue(const Field& field, Notation notation) {
  const Value& value = *field.value;
  Given given{.origin = field.Origin(), .place = field.Origin() + ": " + field.path};
  const bool is_none = value.kind == Value::Kind::kString && value.text == "none";
  if (notation == Notation::kText || (is_none && notation != Notation::kText)) {
    PADDOCK_ASSIGN(given.text, field.Text());
    return given;
  }
  if (notation == Notation::kList) {
    PADDOCK_ASSIGN(const std::vector<std::string> items, field.Texts());
    for (const std::string& item : items) {
      if (item.find(',') != std::string::npos) return field.Fail("an item holds a comma");
      given.text += (given.text.empty() ? "" : ",") + item;
    }
    return given;
  }
  if (value.kind == Value::Kind::kInteger) {
    given.text = std::to_string(value.integer);
    return given;
  }
  if (notation == Notation::kNumber && value.kind == Value::Kind::kNumber) {
    given.text = NumberText(value.number);
    return given;
  }
  return field.Fail(std::string("must be a number or \"none\", not ") + policy::KindName(value.kind));
}

Error Unknown(const Field& field, const std::vector<std::string>& names) {
  const std::vector<std::string_view> known(names.begin(), names.end());
  return policy::UnknownKey(field, known);
}

Status CheckName(const Field& field, const std::string& name) {
  if (name.empty() || name.size() > kMaxName) return field.Fail("the name is empty or longer than 128 bytes");
  if (HarmlessLine(name) != name) return field.Fail("the name holds what cannot be shown");
  return {};
}

Status ReadOwners(const Field& table, Draft& draft) {
  PADDOCK_TRY(table.CheckKind(Value::Kind::kTable));
  std::vector<std::string> names;
  for (const QuotaSetting& setting : QuotaSettings()) names.emplace_back(setting.name);
  for (const auto& [owner, child] : table.value->members) {
    const Field owned = table.Member(owner, child);
    PADDOCK_TRY(CheckName(owned, owner));
    PADDOCK_TRY(owned.CheckKind(Value::Kind::kTable));
    auto& values = draft.owners[owner];
    for (const auto& [name, value] : child.members) {
      const Field field = owned.Member(name, value);
      const auto is_it = [&](const QuotaSetting& setting) { return name == setting.name; };
      const auto found = std::find_if(QuotaSettings().begin(), QuotaSettings().end(), is_it);
      if (found == QuotaSettings().end()) return Unknown(field, names);
      PADDOCK_ASSIGN(values[name], ReadValue(field, found->notation));
    }
  }
  return {};
}

Status ReadDefinitions(const Field& table, std::vector<Definition>& into) {
  PADDOCK_TRY(table.CheckKind(Value::Kind::kTable));
  for (const auto& [name, child] : table.value->members) {
    const Field field = table.Member(name, child);
    PADDOCK_TRY(CheckName(field, name));
    PADDOCK_TRY(field.CheckKind(Value::Kind::kTable));
    into.push_back({name, policy::JsonText(child), field.Origin()});
  }
  return {};
}

// A section: a table of settings.
Status ReadSection(const Field& section, const std::string& name, const std::vector<Known>& known, Draft& draft) {
  PADDOCK_TRY(section.CheckKind(Value::Kind::kTable));
  for (const auto& [key, child] : section.value->members) {
    const Field field = section.Member(key, child);
    if (name == "quota" && key == "owners") {
      PADDOCK_TRY(ReadOwners(field, draft));
      continue;
    }
    const std::string full = name + "." + key;
    const auto found = std::find_if(known.begin(), known.end(), [&](const Known& one) { return one.name == full; });
    if (found == known.end()) {
      std::vector<std::string> names;
      for (const Known& one : known) {
        if (one.name.starts_with(name + ".")) names.push_back(one.name.substr(name.size() + 1));
      }
      if (name == "quota") names.emplace_back("owners");
      return Unknown(field, names);
    }
    PADDOCK_ASSIGN(draft.values[full], ReadValue(field, found->notation));
  }
  return {};
}

std::vector<std::string> SectionNames(const std::vector<Known>& known) {
  std::vector<std::string> names;
  for (const Known& one : known) {
    const std::string section = one.name.substr(0, one.name.find('.'));
    if (names.empty() || names.back() != section) names.push_back(section);
  }
  return names;
}

Status ReadFile(const Sources& sources, const std::vector<Known>& known, Draft& draft) {
  if (!sources.file_text) return {};
  const auto document = policy::ParseTomlDocument(*sources.file_text);
  if (!document) return Error(document.error().code, sources.file_name + ":" + std::string(document.error().Text()));
  const Field whole{&*document, "", sources.file_name};
  std::vector<std::string> names = SectionNames(known);
  for (const auto& [name, child] : document->members) {
    const Field field = whole.Member(name, child);
    if (name == "harness") {
      PADDOCK_TRY(ReadDefinitions(field, draft.harnesses));
    } else if (name == "agent") {
      PADDOCK_TRY(ReadDefinitions(field, draft.agents));
    } else if (std::find(names.begin(), names.end(), name) != names.end()) {
      PADDOCK_TRY(ReadSection(field, name, known, draft));
    } else {
      names.insert(names.end(), {"harness", "agent"});
      return Unknown(field, names);
    }
  }
  return {};
}

Status ReadEnvironment(const Sources& sources, const std::vector<Known>& known, Draft& draft) {
  for (const auto& [variable, text] : sources.environment) {
    const auto is_it = [&](const Known& one) { return EnvironmentName(one.name) == variable; };
    if (const auto found = std::find_if(known.begin(), known.end(), is_it); found != known.end()) {
      draft.values[found->name] = {text, variable, variable};
      continue;
    }
    for (const std::string& section : SectionNames(known)) {
      if (!variable.starts_with(EnvironmentName(section) + "_")) continue;
      std::string names;
      for (const Known& one : known) {
        if (one.name.starts_with(section + ".")) names += (names.empty() ? "" : ", ") + EnvironmentName(one.name);
      }
      return Error(Code::kInvalid, HarmlessLine(variable) + ": there is no such setting; those of its section are " + names);
    }
  }
  return {};
}

Status ReadOverrides(const Sources& sources, const std::vector<Known>& known, Draft& draft) {
  for (const Override& given : sources.overrides) {
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const Known& one) { return one.name == given.setting; });
    if (!is_known) return Error(Code::kInvalid, given.origin + ": there is no setting " + HarmlessLine(given.setting));
    draft.values[given.setting] = {given.text, given.origin, given.origin};
  }
  return {};
}

Status At(const Given& given, const Status& status) {
  if (status) return {};
  return Error(status.error().code, given.place + ": " + std::string(status.error().Text()));
}

// A URL may hold a user and a password.
std::string Shown(const std::string& text) {
  const size_t scheme = text.find("://");
  if (scheme == std::string::npos) return HarmlessLine(text);
  if (text.find("password") != std::string::npos) return text.substr(0, scheme + 3) + "…";
  const size_t at = text.rfind('@');
  return HarmlessLine(at == std::string::npos ? text : text.substr(0, scheme + 3) + "…" + text.substr(at));
}

Status CheckWhole(const Config& config) {
  const auto invalid = [](const char* text) { return Error(Code::kInvalid, text); };
  if (config.server.tls_certificate.empty() != config.server.tls_key.empty()) {
    return invalid("server.tls_certificate and server.tls_key are set together or not at all");
  }
  const auto& [ttl, idle, most, action] = config.lease;
  if (most && ttl && *ttl > *most) return invalid("lease.ttl is longer than lease.max_lifetime");
  if (most && idle && *idle > *most) return invalid("lease.idle_ttl is longer than lease.max_lifetime");
  return {};
}

}  // namespace

Result<LoadedConfig> LoadConfig(const Sources& sources) {
  const std::vector<Known> known = AllKnown();
  Draft draft;
  for (const Known& one : known) draft.values[one.name] = {one.standard, "default", one.name};
  draft.values["data.directory"].text = sources.default_directory;
  PADDOCK_TRY(ReadFile(sources, known, draft));
  PADDOCK_TRY(ReadEnvironment(sources, known, draft));
  PADDOCK_TRY(ReadOverrides(sources, known, draft));

  LoadedConfig loaded;
  Config& config = loaded.config;
  for (const Setting& setting : Settings()) {
    const Given& given = draft.values[setting.name];
    PADDOCK_TRY(At(given, setting.set(config, given.text)));
  }
  for (const QuotaSetting& setting : QuotaSettings()) {
    const Given& given = draft.values["quota." + std::string(setting.name)];
    PADDOCK_TRY(At(given, setting.set(config.quota, given.text)));
  }
  if (config.data.directory.empty())
    return Error(Code::kInvalid, "data.directory is not set, and there is no home directory to choose one in");
  if (config.data.database.empty()) {
    config.data.database = config.data.directory + "/records.db";
    draft.values["data.database"].text = config.data.database;
  }
  for (const Known& one : known)
    loaded.values.push_back({one.name, Shown(draft.values[one.name].text), draft.values[one.name].origin});
  for (const auto& [owner, values] : draft.owners) {
    QuotaConfig& quota = config.owner_quotas[owner] = config.quota;
    for (const QuotaSetting& setting : QuotaSettings()) {
      const auto given = values.find(setting.name);
      if (given == values.end()) continue;
      PADDOCK_TRY(At(given->second, setting.set(quota, given->second.text)));
      loaded.values.push_back({"quota.owners." + owner + "." + setting.name, given->second.text, given->second.origin});
    }
  }
  config.harnesses = std::move(draft.harnesses);
  config.agents = std::move(draft.agents);
  for (const Definition& one : config.harnesses) loaded.values.push_back({"harness." + one.name, "(defined)", one.origin});
  for (const Definition& one : config.agents) loaded.values.push_back({"agent." + one.name, "(defined)", one.origin});
  PADDOCK_TRY(CheckWhole(config));
  return loaded;
}

std::string ConfigText(const LoadedConfig& loaded) {
  size_t name_width = 0;
  size_t value_width = 0;
  for (const EffectiveValue& one : loaded.values) {
    name_width = std::max(name_width, TextWidth(one.setting));
    value_width = std::max(value_width, std::min<size_t>(TextWidth(one.value), 48));
  }
  const auto padded = [](const std::string& text, size_t width) {
    return text + std::string(width > TextWidth(text) ? width - TextWidth(text) : 0, ' ');
  };
  std::string text;
  for (const EffectiveValue& one : loaded.values) {
    text += padded(one.setting, name_width) + "  " + padded(one.value.empty() ? "-" : one.value, value_width) + "  " +
            one.origin + "\n";
  }
  return text;
}

}  // namespace paddock::api
