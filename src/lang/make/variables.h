// make's variables: where they come from, how they are kept, and the chain of sets that a name is looked up in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace paddock::make {

// A place in a makefile; without a file, none.
struct Location {
  std::string file;
  size_t line = 0;
};

// Where a value comes from; a later one wins over an earlier one.
enum class Origin : uint8_t { kDefault, kEnvironment, kFile, kEnvironmentOverride, kCommandLine, kOverride, kAutomatic };

enum class Export : uint8_t { kDefault, kYes, kNo };

struct Variable {
  std::string value;
  Origin origin = Origin::kFile;
  bool is_recursive = true;
  bool is_private = false;
  bool appends = false;      // of a target: goes behind what the name means further out
  Export export_mode = Export::kDefault;
  int depth = 0;             // expansions in progress
  Location where;
};

struct Scope {
  std::map<std::string, Variable, std::less<>> variables;
  Scope* next = nullptr;
  bool next_is_parent = false;   // `next` belongs to the target that needs this one: private names end there
};

enum class Assign : uint8_t { kNone, kRecursive, kSimple, kAppend, kConditional, kShell, kDefine };

// The words in front of an assignment and what it assigns.
struct Assignment {
  Assign how = Assign::kNone;
  bool is_override = false;
  bool is_private = false;
  bool is_define = false;
  bool is_undefine = false;
  bool has_more = false;   // text behind the operator of a `define`
  Export export_mode = Export::kDefault;
  std::string name;    // not expanded
  std::string value;   // as it stands
};

// Reads `NAME = VALUE` with its modifiers out of a line; nothing (kNone) if it is none. `define NAME` and `undefine NAME`, too.
Assignment ParseAssignment(std::string_view line);

}  // namespace paddock::make
