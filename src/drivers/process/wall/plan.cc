#include "drivers/process/wall/plan.h"

#include <cstring>
#include <type_traits>

namespace paddock::process_wall {
namespace {

// Both directions visit the same fields in the same order, so that they cannot drift apart.
class Writer {
 public:
  template <class T>
  void Number(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void Text(const std::string& text) {
    Number(static_cast<uint32_t>(text.size()));
    bytes_ += text;
  }
  template <class T, class F>
  void List(const std::vector<T>& list, F visit) {
    Number(static_cast<uint32_t>(list.size()));
    for (const T& item : list) visit(*this, item);
  }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  void Number(T& value) {
    if (bytes_.size() < sizeof value) return Fail();
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
  }
  void Text(std::string& text) {
    uint32_t size = 0;
    Number(size);
    if (bytes_.size() < size) return Fail();
    text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
  }
  template <class T, class F>
  void List(std::vector<T>& list, F visit) {
    uint32_t count = 0;
    Number(count);
    for (uint32_t i = 0; i < count && !failed_; ++i) visit(*this, list.emplace_back());
  }
  bool is_complete() const { return !failed_ && bytes_.empty(); }

 private:
  void Fail() {
    failed_ = true;
    bytes_ = {};
  }
  std::string_view bytes_;
  bool failed_ = false;
};

template <class Visitor, class Plan>
void VisitPlan(Visitor& v, Plan& plan) {
  v.Number(plan.uid);
  v.Number(plan.gid);
  v.Number(plan.host_uid);
  v.Number(plan.host_gid);
  v.Number(plan.is_root);
  v.Text(plan.hostname);
  v.List(plan.mounts, [](auto& visitor, auto& step) {
    visitor.Number(step.kind);
    visitor.Text(step.target);
    visitor.Text(step.source);
    visitor.Text(step.extra);
    visitor.Number(step.size);
    visitor.Number(step.mode);
    visitor.Number(step.writable);
    visitor.Number(step.optional);
    visitor.Number(step.is_alone);
    visitor.Number(step.owners);
  });
  v.List(plan.cgroups, [](auto& visitor, auto& path) { visitor.Text(path); });
  v.List(plan.limits, [](auto& visitor, auto& limit) {
    visitor.Number(limit.resource);
    visitor.Number(limit.value);
  });
  v.Number(plan.captures_network);
  v.List(plan.listeners, [](auto& visitor, auto& listener) {
    visitor.Number(listener.kind);
    visitor.Number(listener.is_any);
    visitor.Number(listener.port);
  });
  v.Number(plan.seccomp);
  v.Number(plan.uses_landlock);
  v.Number(plan.guards_sockets);
  v.List(plan.host_sockets, [](auto& visitor, auto& path) { visitor.Text(path); });
}

}  // namespace

std::string WallPlan::Encode() const {
  Writer writer;
  VisitPlan(writer, *this);
  return writer.Take();
}

Result<WallPlan> WallPlan::Decode(std::string_view bytes) {
  WallPlan plan;
  Reader reader(bytes);
  VisitPlan(reader, plan);
  if (!reader.is_complete()) return Error(Code::kInvalid, "the wall's plan is damaged");
  return plan;
}

}  // namespace paddock::process_wall
