#include <algorithm>
#include <map>

#include "text/nearest.h"
#include "text/utf8.h"
#include "tools/capability/capability.h"

namespace paddock::tools {
namespace {

struct Chosen {
  const Capability* capability;
  json::object config;
  std::string level;
};

// By capability, in order of the first attachment.
Result<std::vector<Chosen>> Merge(const Catalog& catalog, const std::vector<Level>& levels) {
  std::vector<Chosen> merged;
  for (const Level& level : levels) {
    std::set<const Capability*> in_level;
    for (const Attachment& attachment : level.capabilities) {
      const Capability* const capability = catalog.Find(attachment.ref);
      if (capability == nullptr) {
        std::vector<std::string_view> known;
        for (const auto& each : catalog.all()) known.emplace_back(each->id);
        std::string text = level.name + ": unknown capability '" + HarmlessLine(attachment.ref.substr(0, 100)) + "'";
        if (attachment.ref.find(':') != std::string::npos) return Error(Code::kUnavailable, text + "; references of this kind (mcp:, declarative:, skill:, plugin:) are not available here");
        if (const std::string_view nearest = NearestWord(attachment.ref, known); !nearest.empty()) return Error(Code::kInvalid, text + "; did you mean '" + std::string(nearest) + "'?");
        for (size_t i = 0; i < known.size(); ++i) text += (i == 0 ? "; there are " : ", ") + std::string(known[i]);
        return Error(Code::kInvalid, text);
      }
      if (!in_level.insert(capability).second) return Error(Code::kInvalid, level.name + ": capability '" + capability->id + "' stands twice in the list; keep one");
      auto found = std::find_if(merged.begin(), merged.end(), [&](const Chosen& chosen) { return chosen.capability == capability; });
      if (found == merged.end()) found = merged.insert(merged.end(), Chosen{capability, {}, level.name});
      found->level = level.name;
      for (const auto& member : attachment.config) {
        if (member.value().is_null()) found->config.erase(member.key());
        else found->config[member.key()] = member.value();
      }
    }
  }
  return merged;
}

// Adds a capability behind those that it depends on.
class Order {
 public:
  Order(const Catalog& catalog, std::vector<ActiveCapability>& into) : catalog_(catalog), into_(into) {}

  // Iterative: the chain is as deep as the catalogue makes it.
  Status Add(const Chosen& chosen) {
    struct Step {
      const Capability* capability;
      std::string attached_by;
      size_t next = 0;
    };
    std::vector<Step> open;
    open.push_back({chosen.capability, chosen.level});
    if (IsDone(chosen.capability)) return {};
    while (!open.empty()) {
      Step& step = open.back();
      if (step.next < step.capability->dependencies.size()) {
        const std::string& id = step.capability->dependencies[step.next++];
        const Capability* const needed = catalog_.Find(id);
        if (needed == nullptr || IsDone(needed)) continue;
        for (size_t i = 0; i < open.size(); ++i) {
          if (open[i].capability != needed) continue;
          std::string circle;
          for (size_t j = i; j < open.size(); ++j) circle += open[j].capability->id + " → ";
          return Error(Code::kInvalid, "capabilities depend on each other in a circle: " + circle + needed->id);
        }
        std::string by = "dependency of " + step.capability->id;   // push_back moves `step`
        open.push_back({needed, std::move(by)});
        continue;
      }
      if (into_.size() >= kMaxCapabilities) return Error(Code::kInvalid, "more than " + std::to_string(kMaxCapabilities) + " capabilities with those that they depend on; attach fewer");
      into_.push_back({step.capability, {}, step.attached_by});
      open.pop_back();
    }
    return {};
  }

 private:
  bool IsDone(const Capability* capability) const {
    return std::any_of(into_.begin(), into_.end(), [&](const ActiveCapability& active) { return active.capability == capability; });
  }

  const Catalog& catalog_;
  std::vector<ActiveCapability>& into_;
};

template <class T>
void AddOnce(std::vector<T>& list, const T& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

Status Activate(ActiveCapability& active, const Deployment& deployment, Equipment& equipment) {
  const Capability& capability = *active.capability;
  const std::string place = active.attached_by + ": capability '" + capability.id + "'";
  if (capability.status == CapabilityStatus::kComingSoon) return Error(Code::kUnavailable, place + " is not available yet");
  if (capability.check_config != nullptr) {
    auto checked = capability.check_config(active.config);
    if (!checked) return Error(Code::kInvalid, place + ": config: " + std::string(checked.error().Text()));
    active.config = std::move(*checked);
  } else if (!active.config.empty()) {
    return Error(Code::kInvalid, place + ": takes no config");
  }
  if (capability.availability != nullptr) {
    if (const Status available = capability.availability(deployment, active.config); !available) {
      return Error(Code::kUnavailable, place + " is not available: " + std::string(available.error().Text()));
    }
  }
  for (const Tool* const tool : capability.tools) {
    if (const Tool* const other = equipment.FindTool(tool->name); other != nullptr && other != tool) {
      return Error(Code::kInvalid, place + " has a tool '" + tool->name + "' and so has another capability; attach only one of them");
    }
    AddOnce(equipment.tools, tool);
  }
  for (const std::string& feature : capability.features) AddOnce(equipment.features, feature);
  equipment.mounts.insert(equipment.mounts.end(), capability.mounts.begin(), capability.mounts.end());
  equipment.risk = std::max(equipment.risk, capability.risk);
  if (capability.apply != nullptr) capability.apply(active.config, equipment.defaults, equipment.rules);
  const std::string prompt = capability.prompt == nullptr ? "" : capability.prompt(active.config);
  if (!prompt.empty()) equipment.system_prompt += "<capability id=\"" + capability.id + "\">\n" + prompt + "\n</capability>\n\n";
  return {};
}

}  // namespace

const Tool* Equipment::FindTool(std::string_view name) const {
  for (const Tool* const tool : tools) {
    if (name == tool->name) return tool;
  }
  return nullptr;
}

Result<Equipment> Resolve(const Catalog& catalog, const Deployment& deployment, const std::vector<Level>& levels) {
  PADDOCK_ASSIGN(const std::vector<Chosen> chosen, Merge(catalog, levels));
  Equipment equipment;
  Order order(catalog, equipment.capabilities);
  for (const Chosen& each : chosen) PADDOCK_TRY(order.Add(each));
  const Capability* maker = nullptr;
  for (ActiveCapability& active : equipment.capabilities) {
    for (const Chosen& each : chosen) {
      if (each.capability != active.capability) continue;
      active.config = each.config;
      active.attached_by = each.level;
    }
    if (active.capability->makes_sandboxes && maker != nullptr) {
      return Error(Code::kInvalid, active.attached_by + ": capabilities '" + maker->id + "' and '" + active.capability->id +
                                       "' both make sandboxes, and their tools have the same names; attach only one of them");
    }
    if (active.capability->makes_sandboxes) maker = active.capability;
    PADDOCK_TRY(Activate(active, deployment, equipment));
  }
  for (const Level& level : levels) {
    if (!level.prompt.empty()) equipment.system_prompt += level.prompt + (level.prompt.ends_with('\n') ? "\n" : "\n\n");
  }
  while (equipment.system_prompt.ends_with("\n\n")) equipment.system_prompt.pop_back();
  return equipment;
}

}  // namespace paddock::tools
