// What all parts of one run of make share: settings, variables, messages, and whether it has to end.
//
// A fatal error is said once by Fatal(); from then on is_over() is true, expansions are empty and every loop ends.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lang/make/host.h"
#include "lang/make/variables.h"

namespace paddock::make {

struct Settings {
  std::string program = "make";         // as it was called
  Words makefiles;                      // -f
  Words directories;                    // -C, already gone to
  Words include_directories;            // -I
  Words goals;
  Words assignments;                    // NAME=VALUE
  Words evals;                          // --eval
  Words old_files, new_files;           // -o, -W
  bool just_print = false;              // -n
  bool is_silent = false;               // -s
  bool keeps_going = false;             // -k
  bool ignores_errors = false;          // -i
  bool always_makes = false;            // -B
  bool touches = false;                 // -t
  bool asks = false;                    // -q
  bool environment_wins = false;        // -e
  bool has_no_rules = false;            // -r
  bool has_no_variables = false;        // -R
  bool prints_directory = false;        // -w
  bool never_prints_directory = false;  // --no-print-directory
  bool warns_undefined = false;
  bool checks_symlink_times = false;
  bool traces = false;
  enum class Sync { kNotAsked, kNone, kLine, kTarget, kRecurse } sync = Sync::kNotAsked;   // -O
  bool prints_data_base = false;        // -p
  bool debugs = false;                  // --debug: what is made, and why
  bool debugs_more = false;             // --debug=v: and what is not
  Words debug_levels;                   // as they were asked for
  bool shows_help = false;              // -h
  bool shows_version = false;           // -v
  size_t jobs = 1;                      // 0: without limit
  bool has_jobs = false;
  bool has_typed_jobs = false;          // -j of the command line, which a makefile does not change
  std::optional<std::string> jobserver; // of a make above, or its own: what names the tokens that are shared
  bool shares_jobs = false;             // takes a token for each job but the first
  double most_load = -1;                // -l; negative: without limit
  int level = 0;                        // MAKELEVEL
  int restarts = 0;
  NamedValues environment;
};

class Session {
 public:
  Session(Settings settings, Host& host);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Host& host() { return host_; }
  Budget& budget() { return host_.budget(); }
  Settings& settings() { return settings_; }

  // Of --debug: `depth` blanks and the text.
  void Debug(bool is_more, size_t depth, std::string_view text);
  // "make[1]: TEXT".
  void Say(std::string_view text);
  // "make: *** TEXT", or "FILE:LINE: *** TEXT".
  void Error(const Location& where, std::string_view text);
  // "make: warning: …" style: without stars.
  void Warn(const Location& where, std::string_view text);
  // Error() with ".  Stop." behind it; the run is over with status 2.
  void Fatal(const Location& where, std::string_view text);
  void End(int status) {
    if (!is_over_) exit_status_ = status;
    is_over_ = true;
  }
  bool is_over() const { return is_over_; }
  int exit_status() const { return exit_status_; }
  std::string Prefix() const;

  // Variables.
  Scope& globals() { return globals_; }
  Scope* scope() { return scope_; }
  void set_scope(Scope* scope) { scope_ = scope; }
  Variable* Find(std::string_view name);
  Variable* FindGlobal(std::string_view name);
  // Sets a variable unless one of higher rank is there.
  Variable* Set(Scope& scope, std::string_view name, std::string value, Origin origin, bool is_recursive = true);
  // Carries an assignment out. `is_target`: `scope` is that of a target or a pattern.
  void Define(Scope& scope, const Assignment& assignment, Origin origin, bool is_target, const Location& where);
  void Undefine(std::string_view name, Origin origin);
  std::string ValueOf(std::string_view name);   // expanded
  // The text of a variable: with what an appending one goes behind.
  std::string RawValue(std::string_view name);

  std::string Expand(std::string_view text);
  // Where messages of an expansion come from.
  Location where;
  // Where a misused function or reference stands: in the variable that is expanded, if a makefile set it.
  const Location& ExpansionPlace() const { return variable_place_.file.empty() ? where : variable_place_; }

  bool exports_all = false;
  NamedValues ChildEnvironment();
  // Before all makefiles are read, only the options without arguments. Not expanded yet.
  std::string MakeFlags(bool is_all);
  std::string FlagsValue(bool is_all) {  // with MAKEOVERRIDES, which a makefile may set itself
    return MakeFlags(is_all) + (is_all && settings_.assignments.empty() ? "$(if $(MAKEOVERRIDES), -- $(MAKEOVERRIDES))" : "");
  }
  std::string Overrides();   // the assignments of the command line
  // What a command writes, on one line; without the last newline, or without all at the end.
  std::string ShellOutput(std::string_view command, bool trims_all = true);
  // Of a file, or of a member of an archive.
  std::optional<Nanoseconds> TimeOfName(const std::string& name);
  // The words of the command line that runs `line`, straight or with the shell. Empty: there is nothing to run.
  Words CommandWords(std::string_view line, bool always_shell);

  // Set by the reader, for $(eval).
  void (*eval)(void* reader, const std::string& text) = nullptr;
  void* eval_reader = nullptr;

 private:
  void AddArguments(std::string& flags) const;
  void ImportEnvironment();
  void SetDefaults();
  std::vector<Variable*> AppendedChain(std::string_view name);
  std::string ExpandValue(std::string_view name, Variable& variable);

  Settings settings_;
  Host& host_;
  Scope globals_;
  Scope* scope_;
  Location variable_place_;
  bool is_over_ = false;
  int exit_status_ = 0;
};

// Where output is kept together (-O), a piece of it that make itself writes says the directory before and behind.
class OutputPiece {
 public:
  explicit OutputPiece(Session& session);
  OutputPiece(const OutputPiece&) = delete;
  OutputPiece& operator=(const OutputPiece&) = delete;
  ~OutputPiece();

 private:
  Session& session_;
  bool is_active_ = false;
  bool has_entered_ = false;
};

// Names of files that match a pattern with *, ? and []; sorted. `~` is the home directory.
std::vector<std::string> Glob(Session& session, const std::string& pattern);
bool HasWildcard(std::string_view name);

}  // namespace paddock::make
