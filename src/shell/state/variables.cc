#include "shell/state/variables.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"

namespace paddock::shell {
namespace {

// An index this far beyond the dense run starts the sparse part instead of growing the vector.
constexpr int64_t kDenseSlack = 64;
constexpr size_t kFirstBuckets = 1024;   // Bash's size of a new associative array
constexpr size_t kMaxLoad = 2;           // entries per bucket before it grows
constexpr size_t kGrowth = 4;
constexpr size_t kMostBuckets = size_t{1} << 24;

}  // namespace

bool IsName(std::string_view text) {
  if (text.empty()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!is_letter && (i == 0 || c < '0' || c > '9')) return false;
  }
  return true;
}

// --- IndexedArray ----------------------------------------------------------------------------------

const std::string* IndexedArray::Get(int64_t index) const {
  if (index < 0) return nullptr;
  if (static_cast<size_t>(index) < dense_.size()) {
    const auto& slot = dense_[static_cast<size_t>(index)];
    return slot ? &*slot : nullptr;
  }
  const auto it = sparse_.find(index);
  return it == sparse_.end() ? nullptr : &it->second;
}

std::string& IndexedArray::At(int64_t index) {
  PADDOCK_CHECK(index >= 0);
  const auto end = static_cast<int64_t>(dense_.size());
  if (index < end + kDenseSlack && (sparse_.empty() || index < sparse_.begin()->first)) {
    if (index >= end) dense_.resize(static_cast<size_t>(index) + 1);
    auto& slot = dense_[static_cast<size_t>(index)];
    if (!slot) {
      slot.emplace();
      ++count_;
    }
    return *slot;
  }
  const auto [it, is_new] = sparse_.try_emplace(index);
  if (is_new) ++count_;
  return it->second;
}

void IndexedArray::Unset(int64_t index) {
  if (index < 0) return;
  if (static_cast<size_t>(index) < dense_.size()) {
    auto& slot = dense_[static_cast<size_t>(index)];
    if (slot) --count_;
    slot.reset();
    while (!dense_.empty() && !dense_.back()) dense_.pop_back();
    return;
  }
  count_ -= sparse_.erase(index);
}

int64_t IndexedArray::max_index() const {
  if (!sparse_.empty()) return sparse_.rbegin()->first;
  return static_cast<int64_t>(dense_.size()) - 1;
}

std::vector<int64_t> IndexedArray::Keys() const {
  std::vector<int64_t> keys;
  keys.reserve(count_);
  ForEach([&](int64_t index, const std::string&) { keys.push_back(index); });
  return keys;
}

// --- AssociativeArray ------------------------------------------------------------------------------

int32_t AssociativeArray::FindEntry(std::string_view key, uint32_t hash) const {
  if (buckets_.empty()) return -1;
  int32_t i = buckets_[hash & (buckets_.size() - 1)];
  while (i >= 0) {
    const Entry& entry = entries_[static_cast<size_t>(i)];
    if (entry.hash == hash && entry.key == key) return i;
    i = entry.next;
  }
  return -1;
}

const std::string* AssociativeArray::Get(std::string_view key) const {
  const int32_t found = FindEntry(key, HashName(key));
  return found < 0 ? nullptr : &entries_[static_cast<size_t>(found)].value;
}

std::string& AssociativeArray::At(std::string_view key) {
  const uint32_t hash = HashName(key);
  if (const int32_t found = FindEntry(key, hash); found >= 0) {
    return entries_[static_cast<size_t>(found)].value;
  }
  if (buckets_.empty()) buckets_.assign(kFirstBuckets, -1);
  if (count_ >= buckets_.size() * kMaxLoad) Grow();
  int32_t index = free_;
  if (index >= 0) {
    free_ = entries_[static_cast<size_t>(index)].next;
  } else {
    index = static_cast<int32_t>(entries_.size());
    entries_.emplace_back();
  }
  Entry& entry = entries_[static_cast<size_t>(index)];
  int32_t& head = buckets_[hash & (buckets_.size() - 1)];
  entry.key = key;
  entry.value.clear();
  entry.hash = hash;
  entry.next = head;
  head = index;
  ++count_;
  return entry.value;
}

void AssociativeArray::Grow() {
  std::vector<int32_t> bigger(buckets_.size() * kGrowth, -1);
  for (const int32_t head : buckets_) {
    for (int32_t i = head; i >= 0;) {
      Entry& entry = entries_[static_cast<size_t>(i)];
      const int32_t next = entry.next;
      int32_t& slot = bigger[entry.hash & (bigger.size() - 1)];
      entry.next = slot;
      slot = i;
      i = next;
    }
  }
  buckets_ = std::move(bigger);
}

bool AssociativeArray::Unset(std::string_view key) {
  const uint32_t hash = HashName(key);
  if (buckets_.empty()) return false;
  int32_t* link = &buckets_[hash & (buckets_.size() - 1)];
  while (*link >= 0) {
    Entry& entry = entries_[static_cast<size_t>(*link)];
    if (entry.hash == hash && entry.key == key) {
      const int32_t index = *link;
      *link = entry.next;
      entry = Entry{{}, {}, 0, free_};
      free_ = index;
      --count_;
      return true;
    }
    link = &entry.next;
  }
  return false;
}

bool AssociativeArray::Restore(size_t bucket_count, std::vector<std::pair<std::string, std::string>> entries) {
  *this = AssociativeArray();
  if (bucket_count == 0) return entries.empty();
  size_t possible = kFirstBuckets;
  while (possible < bucket_count && possible < kMostBuckets) possible *= kGrowth;
  if (possible != bucket_count || entries.size() > bucket_count * kMaxLoad) return false;
  buckets_.assign(bucket_count, -1);
  // Each goes to the front of its bucket, so the last comes first.
  size_t last_bucket = bucket_count;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const size_t bucket = HashName(entry->first) & (bucket_count - 1);
    if (bucket > last_bucket || FindEntry(entry->first, HashName(entry->first)) >= 0) return false;
    last_bucket = bucket;
    At(entry->first) = std::move(entry->second);
  }
  return true;
}

std::vector<std::string> AssociativeArray::Keys() const {
  std::vector<std::string> keys;
  keys.reserve(count_);
  ForEach([&](const std::string& key, const std::string&) { keys.push_back(key); });
  return keys;
}

// --- Variable --------------------------------------------------------------------------------------

IndexedArray& Variable::MutableIndexed() {
  if (!indexed) {
    indexed = std::make_shared<IndexedArray>();
  } else if (indexed.use_count() > 1) {
    indexed = std::make_shared<IndexedArray>(*indexed);
  }
  return *indexed;
}

AssociativeArray& Variable::MutableAssociative() {
  if (!associative) {
    associative = std::make_shared<AssociativeArray>();
  } else if (associative.use_count() > 1) {
    associative = std::make_shared<AssociativeArray>(*associative);
  }
  return *associative;
}

const std::string* Variable::Scalar() const {
  if (!is_set) return nullptr;
  if (has(kIndexed)) return indexed ? indexed->Get(0) : nullptr;
  if (has(kAssociative)) return associative ? associative->Get("0") : nullptr;
  return &text;
}

// --- VariableTable ---------------------------------------------------------------------------------

// The slot that holds `name`, or the one where it would be inserted.
size_t VariableTable::Probe(const Name& name) const {
  const size_t mask = slots_.size() - 1;
  // Multiplying spreads FNV-1's weak low bits.
  size_t i = (name.hash * 0x9E3779B1u >> 7) & mask;
  size_t insert_at = slots_.size();
  while (true) {
    const Slot& slot = slots_[i];
    if (slot.variable) {
      if (slot.name.hash == name.hash && slot.name.text == name.text) return i;
    } else if (slot.is_deleted) {
      if (insert_at == slots_.size()) insert_at = i;
    } else {
      return insert_at == slots_.size() ? i : insert_at;
    }
    i = (i + 1) & mask;
  }
}

const std::shared_ptr<Variable>* VariableTable::Find(const Name& name) const {
  if (slots_.empty()) return nullptr;
  const Slot& slot = slots_[Probe(name)];
  return slot.variable ? &slot.variable : nullptr;
}

std::shared_ptr<Variable>* VariableTable::Find(const Name& name) {
  if (slots_.empty()) return nullptr;
  Slot& slot = slots_[Probe(name)];
  return slot.variable ? &slot.variable : nullptr;
}

std::shared_ptr<Variable>& VariableTable::Insert(const Name& name) {
  if (slots_.empty() || (used_ + 1) * 4 > slots_.size() * 3) {
    Rehash(std::max<size_t>(8, count_ * 2 + 2 > slots_.size() ? slots_.size() * 2 : slots_.size()));
  }
  Slot& slot = slots_[Probe(name)];
  if (!slot.variable) {
    if (!slot.is_deleted) ++used_;
    slot.name = name;
    slot.is_deleted = false;
    slot.variable = std::make_shared<Variable>();
    ++count_;
  }
  return slot.variable;
}

bool VariableTable::Erase(const Name& name) {
  if (slots_.empty()) return false;
  Slot& slot = slots_[Probe(name)];
  if (!slot.variable) return false;
  slot.variable.reset();
  slot.is_deleted = true;
  --count_;
  return true;
}

void VariableTable::Rehash(size_t capacity) {
  std::vector<Slot> old = std::move(slots_);
  slots_ = std::vector<Slot>(capacity);
  used_ = count_;
  for (Slot& slot : old) {
    if (slot.variable) slots_[Probe(slot.name)] = std::move(slot);
  }
}

// --- InitialVariables ------------------------------------------------------------------------------

void InitialVariables::Add(Name name, Variable variable) {
  PADDOCK_CHECK(entries_.size() < kMax && Find(name) == kMax);
  size_t at = name.hash % index_.size();
  while (index_[at] != 0) at = (at + 1) % index_.size();
  entries_.push_back({std::move(name), std::move(variable)});
  index_[at] = static_cast<uint8_t>(entries_.size());
}

size_t InitialVariables::Find(const Name& name) const {
  for (size_t at = name.hash % index_.size(); index_[at] != 0; at = (at + 1) % index_.size()) {
    const size_t i = index_[at] - size_t{1};
    if (entries_[i].name.hash == name.hash && entries_[i].name.text == name.text) return i;
  }
  return kMax;
}

// --- Variables -------------------------------------------------------------------------------------

Variables::Variables() { scopes_.push_back(Scope{std::make_shared<VariableTable>(), false}); }

const Variable* Variables::Read(const Variable& variable) const {
  if (variable.dynamic == nullptr || variable.dynamic->refresh == nullptr || shell_ == nullptr) return &variable;
  Variable& computed = computed_.values[variable.dynamic];
  computed = variable;
  variable.dynamic->refresh(*shell_, computed);
  return &computed;
}

size_t Variables::FindInitial(const Name& name) const {
  if (!initial_) return InitialVariables::kMax;
  const size_t i = initial_->Find(name);
  return i < InitialVariables::kMax && !IsHiddenInitial(i) ? i : InitialVariables::kMax;
}

const Variable* Variables::Find(const Name& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (!scope->table) continue;
    const VariableTable& table = *scope->table;
    if (const auto* found = table.Find(name)) return Read(**found);
  }
  const size_t initial = FindInitial(name);
  return initial < InitialVariables::kMax ? Read(initial_->variable(initial)) : nullptr;
}

VariableTable& Variables::MutableTable(Scope& scope) {
  if (!scope.table) {
    scope.table = std::make_shared<VariableTable>();
  } else if (scope.table.use_count() > 1) {
    scope.table = std::make_shared<VariableTable>(*scope.table);
  }
  return *scope.table;
}

Variable& Variables::MutableIn(Scope& scope, const Name& name) {
  const size_t initial = &scope == &scopes_.front() ? FindInitial(name) : InitialVariables::kMax;
  std::shared_ptr<Variable>& variable = MutableTable(scope).Insert(name);
  if (initial < InitialVariables::kMax) {
    variable = std::make_shared<Variable>(initial_->variable(initial));
    hidden_initial_ |= uint64_t{1} << initial;
  } else if (variable.use_count() > 1) {
    variable = std::make_shared<Variable>(*variable);
  }
  if (const Variable* computed = Read(*variable); computed != variable.get()) *variable = *computed;
  if (variable->has(kExported)) NoteExport();
  if (name.text.front() == 'L') ++locale_generation_;
  return *variable;
}

Variable* Variables::FindMutable(const Name& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (!scope->table || std::as_const(*scope->table).Find(name) == nullptr) continue;
    return &MutableIn(*scope, name);
  }
  return FindInitial(name) < InitialVariables::kMax ? &MutableIn(scopes_.front(), name) : nullptr;
}

Variable& Variables::Obtain(const Name& name) {
  Variable* found = FindMutable(name);
  return found != nullptr ? *found : MutableIn(scopes_.front(), name);
}

Variable& Variables::ObtainLocal(const Name& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (scope->is_function) return MutableIn(*scope, name);
  }
  return MutableIn(scopes_.front(), name);
}

Variable& Variables::ObtainGlobal(const Name& name) { return MutableIn(scopes_.front(), name); }

Variable& Variables::ObtainTemporary(const Name& name) { return MutableIn(scopes_.back(), name); }

const Variable* Variables::FindGlobal(const Name& name) const {
  const VariableTable& table = *scopes_.front().table;
  if (const auto* found = table.Find(name)) return Read(**found);
  const size_t initial = FindInitial(name);
  return initial < InitialVariables::kMax ? Read(initial_->variable(initial)) : nullptr;
}

const Variable* Variables::FindLocal(const Name& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (!scope->is_function) continue;
    if (!scope->table) return nullptr;
    const VariableTable& table = *scope->table;
    const auto* found = table.Find(name);
    return found == nullptr ? nullptr : found->get();
  }
  return nullptr;
}

bool Variables::Unset(const Name& name, bool keeps_locals) {
  bool is_innermost_function = true;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (scope->table && std::as_const(*scope->table).Find(name) != nullptr) {
      const bool was_exported = (*std::as_const(*scope->table).Find(name))->has(kExported);
      if (was_exported) NoteExport();
      ++locale_generation_;
      if (scope->is_function && (is_innermost_function || keeps_locals)) {
        // Stays as a local without value or attributes, hiding outer ones until the function returns.
        Variable& variable = MutableIn(*scope, name);
        variable = Variable{};
        variable.attributes = kHidden;
      } else {
        MutableTable(*scope).Erase(name);
      }
      return true;
    }
    if (scope->is_function) is_innermost_function = false;
  }
  const size_t initial = FindInitial(name);
  if (initial == InitialVariables::kMax) return false;
  hidden_initial_ |= uint64_t{1} << initial;
  ++locale_generation_;
  return true;
}

std::vector<std::string> Variables::UnsetInitial() const {
  std::vector<std::string> names;
  for (size_t i = 0; initial_ && i < initial_->size(); ++i) {
    const bool is_gone = IsHiddenInitial(i) && std::as_const(*scopes_.front().table).Find(initial_->name(i)) == nullptr;
    if (is_gone) names.push_back(initial_->name(i).text);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void Variables::Restore(const Name& name, Variable variable) {
  const size_t initial = FindInitial(name);
  if (initial < InitialVariables::kMax) hidden_initial_ |= uint64_t{1} << initial;
  if (variable.has(kExported)) NoteExport();
  MutableTable(scopes_.front()).Insert(name) = std::make_shared<Variable>(std::move(variable));
  ++locale_generation_;
}

void Variables::PushScope(bool is_function) { scopes_.push_back(Scope{nullptr, is_function}); }

void Variables::PopScope() {
  PADDOCK_CHECK(scopes_.size() > 1);
  if (scopes_.back().table) {
    bool has_exported = false;
    scopes_.back().table->ForEach(
        [&](const Name&, const Variable& variable) { has_exported |= variable.has(kExported); });
    if (has_exported) NoteExport();
    ++locale_generation_;
  }
  scopes_.pop_back();
}

bool Variables::in_function() const {
  return std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& scope) { return scope.is_function; });
}

size_t Variables::ScopeOf(const Name& name) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    if (scopes_[i].table && std::as_const(*scopes_[i].table).Find(name) != nullptr) return i;
  }
  return 0;
}

bool Variables::IsTemporary(const Name& name) const {
  const size_t scope = ScopeOf(name);
  return scope > 0 && !scopes_[scope].is_function;
}

std::vector<std::string> Variables::Names(std::string_view prefix) const {
  std::set<std::string> names;
  for (const Scope& scope : scopes_) {
    if (!scope.table) continue;
    scope.table->ForEach([&](const Name& name, const Variable&) {
      if (name.text.starts_with(prefix)) names.insert(name.text);
    });
  }
  for (size_t i = 0; initial_ && i < initial_->size(); ++i) {
    if (!IsHiddenInitial(i) && initial_->name(i).text.starts_with(prefix)) names.insert(initial_->name(i).text);
  }
  return {names.begin(), names.end()};
}

void Variables::ForEachExported(const std::function<void(const std::string&, const Variable&)>& f) const {
  std::vector<const Name*> names;
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (!scope->table) continue;
    scope->table->ForEach([&](const Name& name, const Variable& variable) {
      if (variable.has(kExported)) names.push_back(&name);
    });
  }
  std::sort(names.begin(), names.end(), [](const Name* a, const Name* b) { return a->text < b->text; });
  const auto same = [](const Name* a, const Name* b) { return a->text == b->text; };
  names.erase(std::unique(names.begin(), names.end(), same), names.end());
  for (const Name* name : names) {
    const Variable* variable = Find(*name);   // an inner scope may hide it
    if (variable->has(kExported) && variable->is_set && !variable->is_array()) f(name->text, *variable);
  }
}

}  // namespace paddock::shell
