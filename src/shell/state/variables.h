// Variables of the shell: scalars, indexed and associative arrays, attributes, dynamic scope.
//
// Pure storage. What an assignment means (integer evaluation, case folding, readonly, special names) is
// decided in state/assign.h. Copying a Variables is cheap: tables and values are shared until one side
// writes, so a subshell costs a handful of pointers.
//
// Source: Bash manual "Shell Parameters", "Arrays".
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shell/state/name.h"

namespace paddock::shell {

// Sparse indexed array. Dense runs from 0 are kept in a vector, far indices in a map.
class IndexedArray {
 public:
  const std::string* Get(int64_t index) const;   // null if unset; index ≥ 0
  std::string& At(int64_t index);                // creates an empty element
  void Set(int64_t index, std::string value) { At(index) = std::move(value); }
  void Unset(int64_t index);
  size_t size() const { return count_; }
  int64_t max_index() const;                     // -1 when empty
  std::vector<int64_t> Keys() const;             // ascending
  // Calls f(index, value) in ascending order.
  template <class F>
  void ForEach(F&& f) const {
    for (size_t i = 0; i < dense_.size(); ++i) {
      if (dense_[i]) f(static_cast<int64_t>(i), *dense_[i]);
    }
    for (const auto& [index, value] : sparse_) f(index, value);
  }

 private:
  std::vector<std::optional<std::string>> dense_;
  std::map<int64_t, std::string> sparse_;   // every key ≥ dense_.size()
  size_t count_ = 0;
};

// Associative array in Bash's order: hash buckets in order, newest first within one.
class AssociativeArray {
 public:
  const std::string* Get(std::string_view key) const;
  std::string& At(std::string_view key);   // creates an empty element
  void Set(std::string_view key, std::string value) { At(key) = std::move(value); }
  bool Unset(std::string_view key);
  size_t size() const { return count_; }
  // How many there are follows from what the array once held, and decides its order.
  size_t bucket_count() const { return buckets_.size(); }
  // An array whose ForEach() gives `entries` in this order, if one can: false if not.
  bool Restore(size_t bucket_count, std::vector<std::pair<std::string, std::string>> entries);
  std::vector<std::string> Keys() const;
  template <class F>
  void ForEach(F&& f) const {
    for (const int32_t head : buckets_) {
      for (int32_t i = head; i >= 0; i = entries_[static_cast<size_t>(i)].next) {
        const Entry& entry = entries_[static_cast<size_t>(i)];
        f(entry.key, entry.value);
      }
    }
  }

 private:
  struct Entry {
    std::string key;
    std::string value;
    uint32_t hash;
    int32_t next;
  };
  int32_t FindEntry(std::string_view key, uint32_t hash) const;
  void Grow();

  std::vector<int32_t> buckets_;   // empty until the first element
  std::vector<Entry> entries_;     // free ones are chained through free_
  int32_t free_ = -1;
  size_t count_ = 0;
};

enum Attribute : uint32_t {
  kExported = 1 << 0,
  kReadonly = 1 << 1,
  kInteger = 1 << 2,
  kLowercase = 1 << 3,
  kUppercase = 1 << 4,
  kCapitalcase = 1 << 5,   // declare -c
  kNameref = 1 << 6,
  kTraced = 1 << 7,        // declare -t
  kIndexed = 1 << 8,
  kAssociative = 1 << 9,
  kUnsettable = 1 << 10,   // cannot be unset (BASHOPTS and friends are readonly; this is for noassign)
  kNoAssign = 1 << 11,     // assignments are ignored (GROUPS, FUNCNAME)
  kHidden = 1 << 12,       // local declared but inherits nothing: not visible as set
};

class Shell;
struct Variable;
// A special variable: computed at each look-up, perhaps reacting to assignment (RANDOM, SECONDS).
struct DynamicVariable {
  void (*refresh)(Shell& shell, Variable& variable);                        // before each read
  void (*assign)(Shell& shell, Variable& variable, std::string_view value);  // null: plain
};

struct Variable {
  uint32_t attributes = 0;
  bool is_set = false;          // false: declared without a value
  std::string text;             // scalar value
  std::shared_ptr<IndexedArray> indexed;           // with kIndexed (null = empty)
  std::shared_ptr<AssociativeArray> associative;   // with kAssociative
  const DynamicVariable* dynamic = nullptr;

  bool is_array() const { return (attributes & (kIndexed | kAssociative)) != 0; }
  bool has(uint32_t attribute) const { return (attributes & attribute) != 0; }
  // For writing: makes the array exist and unshared.
  IndexedArray& MutableIndexed();
  AssociativeArray& MutableAssociative();
  // $name: the scalar, or element 0 / "0" of an array; null if that is unset.
  const std::string* Scalar() const;
};

// A set of variables: one scope.
class VariableTable {
 public:
  struct Slot {
    Name name;
    std::shared_ptr<Variable> variable;   // null: free or deleted
    bool is_deleted = false;
  };
  const std::shared_ptr<Variable>* Find(const Name& name) const;
  std::shared_ptr<Variable>* Find(const Name& name);
  std::shared_ptr<Variable>& Insert(const Name& name);
  bool Erase(const Name& name);
  size_t size() const { return count_; }
  template <class F>
  void ForEach(F&& f) const {
    for (const Slot& slot : slots_) {
      if (slot.variable) f(slot.name, *slot.variable);
    }
  }

 private:
  size_t Probe(const Name& name) const;
  void Rehash(size_t capacity);
  std::vector<Slot> slots_;   // power of two
  size_t count_ = 0;
  size_t used_ = 0;           // with deleted ones
};

// The variables that every shell of a host starts with: constants and computed ones. Immutable once shared,
// by any number of shells on any threads; a shell copies what it changes.
class InitialVariables {
 public:
  static constexpr size_t kMax = 64;   // a shell notes in one word which of them it has changed

  void Add(Name name, Variable variable);   // names are added once
  // Its number, or kMax.
  size_t Find(const Name& name) const;
  size_t size() const { return entries_.size(); }
  const Name& name(size_t i) const { return entries_[i].name; }
  const Variable& variable(size_t i) const { return entries_[i].variable; }

 private:
  struct Entry {
    Name name;
    Variable variable;
  };
  std::vector<Entry> entries_;
  std::array<uint8_t, 4 * kMax> index_{};   // open addressing by hash; a number plus one, or 0
};

class Variables {
 public:
  Variables();

  // What is visible where no scope has a variable of the name. Before any other use.
  void set_initial(std::shared_ptr<const InitialVariables> initial) { initial_ = std::move(initial); }

  // The visible variable of this name, innermost scope first; null if there is none. Namerefs are not
  // followed. Dynamic ones are refreshed.
  const Variable* Find(const Name& name) const;
  // The same for writing: unshared, and exported variables are noted as changed.
  Variable* FindMutable(const Name& name);
  // The visible one, or a new one in the global scope.
  Variable& Obtain(const Name& name);
  // A new (or existing) one in the innermost function scope, or in the global scope outside functions.
  Variable& ObtainLocal(const Name& name);
  Variable& ObtainGlobal(const Name& name);
  // In the innermost scope of any kind: the assignments before a command.
  Variable& ObtainTemporary(const Name& name);
  const Variable* FindGlobal(const Name& name) const;
  // The one in the innermost scope only.
  const Variable* FindLocal(const Name& name) const;
  // Removes the visible one. In the function that declared a local, the local stays as unset
  // (as bash); elsewhere the next outer one becomes visible, unless `keeps_locals` (localvar_unset).
  bool Unset(const Name& name, bool keeps_locals = false);

  // Scopes. A temporary scope holds the assignments before a command (`a=1 f`).
  void PushScope(bool is_function);
  void PopScope();
  size_t depth() const { return scopes_.size(); }
  bool in_function() const;
  // True when the visible variable is an assignment before a command (`x=1 f`).
  bool IsTemporary(const Name& name) const;
  // Which scope holds the visible variable: 0 is global.
  size_t ScopeOf(const Name& name) const;

  // Calls f(name, variable) for what children get: every visible exported variable that is set, sorted by name.
  void ForEachExported(const std::function<void(const std::string& name, const Variable& variable)>& f) const;

  // Every visible name, sorted by bytes; with a prefix if given.
  std::vector<std::string> Names(std::string_view prefix = {}) const;

  // Changes when an exported variable may have changed; the executor caches the environment by it. Equal
  // values of two copies mean equal exports.
  uint64_t export_generation() const { return export_generation_; }
  void NoteExport() { export_generation_ = ++*generations_; }
  // Counts on its own from here on: for a copy that may live on another thread than its original.
  void Detach() { generations_ = std::make_shared<uint64_t>(*generations_); }

  // Changes when a variable named L… (LC_ALL, LC_CTYPE, LANG) may have changed.
  uint64_t locale_generation() const { return locale_generation_; }

  // For keeping them elsewhere. The global scope as it is stored, nothing computed; a pointer that stays the same while
  // nothing in it changes, if it is held; and the initial variables that were unset.
  const std::shared_ptr<VariableTable>& globals() const { return scopes_.front().table; }
  std::vector<std::string> UnsetInitial() const;
  const InitialVariables* initial() const { return initial_.get(); }
  // Puts one into the global scope as it is.
  void Restore(const Name& name, Variable variable);

  // The shell that dynamic variables are computed for.
  void set_shell(Shell* shell) { shell_ = shell; }

 private:
  struct Scope {
    std::shared_ptr<VariableTable> table;   // null until the first variable
    bool is_function = false;
  };
  VariableTable& MutableTable(Scope& scope);
  Variable& MutableIn(Scope& scope, const Name& name);
  // What reading gives: the variable, or for a special one a computed copy, valid until its next reading.
  // Never writes the variable itself, which shells on other threads may share.
  const Variable* Read(const Variable& variable) const;
  // The number of a visible initial variable that no scope hides, or kMax.
  size_t FindInitial(const Name& name) const;
  bool IsHiddenInitial(size_t i) const { return (hidden_initial_ >> i & 1) != 0; }

  // Computed copies, by kind. A copied Variables starts without.
  struct Computed {
    Computed() = default;
    Computed(const Computed&) {}
    Computed& operator=(const Computed&) { return *this; }
    std::map<const DynamicVariable*, Variable> values;
  };

  std::shared_ptr<const InitialVariables> initial_;
  uint64_t hidden_initial_ = 0;   // those changed (then in the global scope) or unset
  mutable Computed computed_;
  std::vector<Scope> scopes_;   // [0] global
  uint64_t export_generation_ = 1;
  std::shared_ptr<uint64_t> generations_ = std::make_shared<uint64_t>(1);   // the last one given to any copy
  uint64_t locale_generation_ = 1;
  Shell* shell_ = nullptr;
};

}  // namespace paddock::shell
