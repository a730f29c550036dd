#include <algorithm>

#include "text/utf8.h"
#include "tools/capability/capability.h"

namespace paddock::tools {
namespace {

constexpr const char* kStatuses[] = {"available", "coming_soon", "deprecated"};
constexpr const char* kRisks[] = {"low", "medium", "high"};
constexpr const char* kContainerFlag = "FEATURE_CONTAINER_SANDBOX";
constexpr const char* kOldContainerFlag = "FEATURE_DOCKER_CAPABILITY";
constexpr size_t kMaxAttachments = 100;

bool IsIdentifier(std::string_view id) {
  return !id.empty() && id.size() <= 64 && id[0] >= 'a' && id[0] <= 'z' &&
         std::all_of(id.begin(), id.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

Result<Attachment> ParseAttachment(const json::value& item, const std::string& where) {
  Attachment attachment;
  if (item.is_string()) {
    attachment.ref = item.get_string().c_str();
  } else if (item.is_object()) {
    for (const auto& member : item.get_object()) {
      if (member.key() == "ref" && member.value().is_string()) attachment.ref = member.value().get_string().c_str();
      else if (member.key() == "config" && member.value().is_object()) attachment.config = member.value().get_object();
      else if (member.key() == "ref" || member.key() == "config") return BadValue(where + "." + std::string(member.key()), std::string("must be ") + (member.key() == "ref" ? "a string" : "an object") + ", not " + KindOf(member.value()));
      else return BadValue(where, "unknown key '" + HarmlessLine(std::string_view(member.key()).substr(0, 60)) + "'; the keys are ref, config");
    }
    if (attachment.ref.empty()) return BadValue(where, "missing key 'ref': the capability's id");
  } else {
    return BadValue(where, std::string("must be a capability's id or {\"ref\": …, \"config\": …}, not ") + KindOf(item));
  }
  if (attachment.ref.empty() || attachment.ref.size() > 200) return BadValue(where, "must be a capability's id");
  return attachment;
}

}  // namespace

std::span<const char* const> NamesOf(CapabilityStatus) { return kStatuses; }
std::span<const char* const> NamesOf(RiskLevel) { return kRisks; }

Result<bool> ParseFlag(std::string_view name, std::string_view value) {
  for (const std::string_view on : {"true", "1", "prod", "dev", "preview", "adoption"}) {
    if (value == on) return true;
  }
  if (value.empty() || value == "false" || value == "0") return false;
  return Error(Code::kInvalid, std::string(name) + ": must be true, false, 1, 0, or one of dev, preview, adoption, prod; not '" + HarmlessLine(value.substr(0, 60)) + "'");
}

Result<std::set<std::string>> FeaturesOf(const std::function<const char*(const char* name)>& get) {
  std::set<std::string> features;
  for (const char* const name : {kContainerFlag, kOldContainerFlag}) {
    const char* const value = get(name);
    if (value == nullptr) continue;
    PADDOCK_ASSIGN(const bool is_on, ParseFlag(name, value));
    if (is_on) features.insert("container_sandbox");
    break;   // the new name wins
  }
  return features;
}

Status Catalog::Add(Capability capability) {
  std::vector<std::string> ids = capability.aliases;
  ids.push_back(capability.id);
  for (const std::string& id : ids) {
    if (!IsIdentifier(id)) return Error(Code::kInvalid, "capability id '" + HarmlessLine(id) + "' must be lower-case letters, digits and _, beginning with a letter");
    if (Find(id) != nullptr) return Error(Code::kExists, "capability id '" + id + "' is taken by '" + Find(id)->id + "'");
  }
  all_.push_back(std::make_unique<Capability>(std::move(capability)));
  return {};
}

const Capability* Catalog::Find(std::string_view id) const {
  for (const auto& capability : all_) {
    if (capability->id == id || std::find(capability->aliases.begin(), capability->aliases.end(), id) != capability->aliases.end()) return capability.get();
  }
  return nullptr;
}

Result<std::vector<Attachment>> ParseAttachments(const json::value& list, const std::string& where) {
  if (!list.is_array()) return BadValue(where, std::string("must be a list, not ") + KindOf(list));
  if (list.get_array().size() > kMaxAttachments) return BadValue(where, "must hold at most 100 capabilities");
  std::vector<Attachment> attachments;
  for (const json::value& item : list.get_array()) {
    PADDOCK_ASSIGN(Attachment attachment, ParseAttachment(item, where + "[" + std::to_string(attachments.size()) + "]"));
    attachments.push_back(std::move(attachment));
  }
  return attachments;
}

json::array WriteAttachments(const std::vector<Attachment>& attachments) {
  json::array list;
  for (const Attachment& attachment : attachments) list.push_back(json::object{{"ref", attachment.ref}, {"config", attachment.config}});
  return list;
}

}  // namespace paddock::tools
