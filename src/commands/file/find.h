// The parts of find: the expression, what it is evaluated on, and what its actions write to.
//
// find.cc walks the trees, find_parser_lib.cc reads the command line, find_tests_lib.cc makes the tests,
// find_actions_lib.cc the actions and find_format_lib.cc the texts of -printf and -ls.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands/file_facts.h"
#include "commands/user_names.h"
#include "proc/command.h"

namespace paddock::find {

enum class FollowLinks { kNever, kOperands, kAlways };   // -P, -H, -L

// One file of the walk.
struct File {
  std::string path;          // as it is printed
  size_t start_length = 0;   // of the starting point that begins `path`
  int64_t depth = 0;
  vfs::Attributes attributes;   // of the target when links are followed here; the type alone unless Plan::needs_attributes
};
// The last component: "/" and "d/" stay as they are written.
std::string_view NameOf(const File& file);
// The same without slashes at its end, as -name compares it.
std::string_view BareNameOf(const File& file);

// Where an action writes: standard output or a file of -fprint and its like.
class Destination {
 public:
  Destination(vfs::OpenFilePtr file) : file_(std::move(file)), out_(*file_) {}   // NOLINT
  Output& out() { return out_; }

 private:
  vfs::OpenFilePtr file_;
  Output out_;
};

class Context;
// A test or an action: true or false for a file.
using Test = std::function<bool(Context&, const File&)>;

// What tests and actions share.
class Context {
 public:
  explicit Context(Invocation& invocation);
  // Writes the rest of every file.
  ~Context();

  Invocation& in;
  UserNames names;
  TimeZone zone;
  TimePoint now;
  bool follows = false;        // -H or -L: how the reference files of -newer are looked at
  bool follows_all = false;    // -L
  ExitStatus status = 0;
  bool is_pruned = false;      // -prune was met for this file
  bool has_quit = false;
  bool depth_first = false;
  std::vector<std::function<void(Context&)>> at_end;   // what -exec + still holds

  // "find: ‘PATH’: reason", and status 1.
  void Fail(std::string_view path, const Error& error);
  std::string Quoted(std::string_view text) const;
  // The output called `name`, the same one for the same name; null after a complaint.
  Output* Open(const std::string& name);
  void FlushAll();

 private:
  std::map<std::string, std::unique_ptr<Destination>> files_;
};

struct Node {
  enum class Kind { kTest, kNot, kAnd, kOr, kList };
  Kind kind = Kind::kTest;
  Test test;
  std::vector<std::unique_ptr<Node>> children;   // evaluated in order
};
bool Evaluate(Context& context, const Node& node, const File& file);

// The command line, understood.
struct Plan {
  FollowLinks follow = FollowLinks::kNever;
  bool one_file_system = false;
  bool needs_attributes = false;   // some test or action looks at more than names and types
  bool acts = false;   // some action may change files
  int64_t min_depth = 0;
  int64_t max_depth = INT64_MAX;
  std::vector<std::string> starts;
  std::unique_ptr<Node> expression;
};
// Nothing when the command is already answered, with `status`.
std::optional<Plan> ParseCommandLine(Context& context, ExitStatus* status);

// A test's arguments on the command line.
class Arguments {
 public:
  Arguments(std::span<const std::string> args, size_t index) : args_(args), index_(index) {}
  bool empty() const { return index_ >= args_.size(); }
  const std::string& Peek() const { return args_[index_]; }
  const std::string& Take() { return args_[index_++]; }
  size_t index() const { return index_; }

 private:
  std::span<const std::string> args_;
  size_t index_;
};

// What the maker of a test or action is told and tells.
struct Making {
  Context& context;
  std::string name;            // "-name"
  Arguments& arguments;
  std::string regex_type = "findutils-default";
  bool day_start = false;
  bool warns = false;
  bool has_action = false;     // set by actions: no implied -print
  bool wants_depth = false;    // set by -delete
};
// Whether there is a test of that name; kFailed after a complaint.
enum class Made { kUnknown, kFailed, kDone };
Made MakeTest(Making& making, Test* test);
Made MakeAction(Making& making, Test* test);
// The next argument, or null after "missing argument to".
const std::string* NeedArgument(Making& making);
// "invalid argument `x' to `-inum'".
Made InvalidArgument(Making& making, std::string_view argument);

// True for a name that -regextype takes.
bool IsRegexType(std::string_view type);

// -printf: nothing after a complaint.
std::optional<std::function<void(Context&, Output&, const File&)>> CompileFormat(Context& context, std::string_view format);
// A line of -ls.
void WriteListing(Context& context, Output& out, const File& file);

}  // namespace paddock::find
