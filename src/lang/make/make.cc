#include "lang/make/make.h"

#include <algorithm>
#include <charconv>

#include "lang/make/data_base.h"
#include "lang/make/options.h"
#include "lang/make/reader.h"
#include "lang/make/updater.h"

namespace paddock::make {
namespace {

class Program {
 public:
  Program(const Settings& settings, Host& host) : session_(settings, host), graph_(session_), reader_(session_, graph_) {}

  int Go(bool* again) {
    JoinJobs();
    DefineVariables();
    DefineFlags(false);
    const Settings& settings = session_.settings();
    // Where output is kept together, each piece says the directory itself.
    const bool says_directory = settings.prints_directory && !settings.never_prints_directory && (settings.sync <= Settings::Sync::kNone || settings.jobs == 1);
    bool has_entered = false;
    if (says_directory) {
      session_.host().before_output = [this, &has_entered] {
        has_entered = true;
        Directory("Entering");
      };
    }
    session_.Debug(false, 0, "Reading makefiles...");
    bool has_makefile = false;
    {
      const OutputPiece piece(session_);
      has_makefile = reader_.ReadAll();
    }
    for (const Makefile& makefile : reader_.makefiles()) {
      if (!makefile.is_missing) session_.Debug(true, 0, "Reading makefile '" + makefile.name + "'...");
    }
    if (!session_.is_over()) ShareJobs();
    if (!session_.is_over()) {
      DefineFlags(true);
      graph_.Finish();
      graph_.is_closed = true;
    }
    Updater updater(session_, graph_);
    session_.Debug(false, 0, "Updating makefiles....");
    if (!session_.is_over()) *again = RemakeMakefiles(updater);
    if (!session_.is_over() && !*again) Goals(updater, has_makefile);
    updater.Finish();
    if (settings.prints_data_base && !*again) PrintDataBase(session_, graph_);
    session_.host().before_output = nullptr;
    if (has_entered) Directory("Leaving");
    CountTokens();
    return session_.exit_status();
  }

 private:
  void Directory(std::string_view verb) {
    const std::string name = "directory '" + session_.host().Cwd() + "'";
    session_.Say(std::string(verb) + " " + name);
  }

  void DefineVariables() {
    const Settings& settings = session_.settings();
    for (const std::string& text : settings.assignments) {
      session_.Define(session_.globals(), ParseAssignment(text), Origin::kCommandLine, false, {});
    }
    std::string goals;
    for (const std::string& goal : settings.goals) goals += (goals.empty() ? "" : " ") + goal;
    session_.Set(session_.globals(), "MAKECMDGOALS", goals, Origin::kDefault, false);
    if (goals.empty()) session_.globals().variables.erase("MAKECMDGOALS");
    session_.Set(session_.globals(), "MAKEOVERRIDES", session_.Overrides(), Origin::kDefault);
  }
  void DefineFlags(bool is_all) {
    session_.Set(session_.globals(), "MAKEFLAGS", session_.FlagsValue(is_all), Origin::kFile);
    session_.Set(session_.globals(), "MFLAGS", MFlags(is_all), Origin::kFile);
  }

  // Joins the makes that share their jobs.
  void JoinJobs() {
    Settings& settings = session_.settings();
    if (!settings.jobserver) return;
    int read = 0, write = 0;
    if (!ParseTokens(*settings.jobserver, &read, &write)) {
      return session_.Fatal({}, "internal error: invalid --jobserver-auth string '" + *settings.jobserver + "'");
    }
    if (!settings.has_typed_jobs && session_.host().JoinTokens(read, write)) {
      settings.shares_jobs = true;
      return;
    }
    if (!settings.has_typed_jobs) {
      session_.Warn({}, "warning: jobserver unavailable: using -j1.  Add '+' to parent make rule.");
      settings.jobs = 1;
      settings.has_jobs = true;
    } else if (settings.restarts == 0) {
      session_.Warn({}, "warning: -j" + std::to_string(settings.jobs) + " forced in submake: resetting jobserver mode.");
    }
    settings.jobserver.reset();
  }
  // Begins to share jobs with the makes below.
  void ShareJobs() {
    Settings& settings = session_.settings();
    if (settings.shares_jobs || settings.jobs <= 1) return;
    constexpr size_t kMostTokens = 65'536;
    own_tokens_ = std::min(settings.jobs - 1, kMostTokens);
    settings.jobserver = session_.host().MakeTokens(own_tokens_);
    settings.shares_jobs = true;
  }
  static bool ParseTokens(std::string_view text, int* read, int* write) {
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, *read);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != ',') return false;
    const auto second = std::from_chars(first.ptr + 1, end, *write);
    return second.ec == std::errc() && *read >= 0 && *write >= 0;
  }
  // All that were made must have come back.
  void CountTokens() {
    if (own_tokens_ == 0) return;
    const size_t left = session_.host().DrainTokens();
    if (left == own_tokens_) return;
    session_.host().Err(session_.Prefix() + "INTERNAL: Exiting with " + std::to_string(left + 1) + " jobserver tokens available; should be " +
                        std::to_string(own_tokens_ + 1) + "!\n");
  }

  std::string MFlags(bool is_all) {
    const std::string flags = session_.MakeFlags(is_all);
    const std::string own = flags.substr(0, std::min(flags.find(" -- "), flags.find(" --eval=")));
    return own.empty() || own[0] == ' ' || own[0] == '-' ? std::string(TrimFront(own)) : "-" + own;
  }

  // True when one was remade, so that all of them have to be read again.
  bool RemakeMakefiles(Updater& updater) {
    std::vector<File*> files;
    std::vector<const Makefile*> missing;
    for (const Makefile& makefile : reader_.makefiles()) {
      if (makefile.name == "-") continue;   // standard input
      File* const file = graph_.Enter(makefile.name);
      // Without prerequisites a :: rule would be run for ever.
      if (file->is_double_colon && file->deps.empty() && file->recipe != nullptr) continue;
      if (file->is_phony) continue;
      if (std::find(files.begin(), files.end(), file) == files.end()) {
        files.push_back(file);
        file->dont_care = makefile.is_optional;
      }
      file->dont_care = file->dont_care && makefile.is_optional;
      if (!makefile.is_missing) continue;
      missing.push_back(&makefile);
      if (!makefile.is_optional) {
        const Location& at = makefile.where;
        const std::string place = at.file.empty() ? session_.Prefix() : at.file + ":" + std::to_string(at.line) + ": ";
        updater.SetGoalError(*file, place + makefile.name + ": " + makefile.reason);
      }
    }
    std::reverse(files.begin(), files.end());   // the one read last comes first
    Settings& settings = session_.settings();
    const Settings before = settings;
    settings.just_print = settings.asks = settings.touches = settings.always_makes = settings.debugs = false;
    const auto reset = [&] {
      settings.just_print = before.just_print;
      settings.asks = before.asks;
      settings.debugs = before.debugs;
      settings.touches = before.touches;
      settings.always_makes = before.always_makes;
    };
    std::vector<std::optional<Nanoseconds>> times;
    for (const Makefile& makefile : reader_.makefiles()) times.push_back(session_.host().ModifyTime(makefile.name));
    updater.UpdateGoals(files, true);
    reset();
    if (session_.is_over()) return false;
    if (settings.restarts > 0) graph_.MarkNewFiles();
    bool changed = false;
    for (size_t i = 0; i < times.size(); ++i) {
      const Makefile& makefile = reader_.makefiles()[i];
      const File* const file = graph_.Enter(makefile.name);
      const auto now = session_.host().ModifyTime(makefile.name);
      if (file->was_remade && file->recipe != nullptr && file->outcome == Outcome::kSuccess && now && now != times[i]) {
        changed = true;
      }
    }
    for (const Makefile* makefile : missing) {
      const File* const file = graph_.Enter(makefile->name);
      if (makefile->is_optional || session_.host().ModifyTime(makefile->name)) continue;
      if (updater.HasGoalError(*file)) session_.Warn(makefile->where, makefile->name + ": " + makefile->reason);
      if (settings.keeps_going && file->outcome == Outcome::kFailed) {
        session_.Warn({}, "Failed to remake makefile '" + makefile->name + "'.");
        lacks_makefile_ = true;
        continue;
      }
      if (file->recipe != nullptr && file->outcome != Outcome::kFailed) continue;
      session_.Fatal({}, file->outcome == Outcome::kFailed && file->recipe != nullptr
                             ? "Failed to remake makefile '" + makefile->name + "'"
                             : "No rule to make target '" + makefile->name + "'");
      return false;
    }
    for (File* file : files) file->dont_care = false;
    return changed;
  }

  void Goals(Updater& updater, bool has_makefile) {
    std::vector<std::string> names = session_.settings().goals;
    if (names.empty()) {
      const std::string goal = session_.ValueOf(".DEFAULT_GOAL");
      if (graph_.Find(goal) != nullptr) {   // a name with blanks in it
        names.push_back(goal);
      } else {
        for (const std::string_view name : SplitWords(goal, session_.budget())) names.emplace_back(name);
      }
      if (names.size() > 1) return session_.Fatal({}, ".DEFAULT_GOAL contains more than one target");
    }
    if (names.empty()) {
      return session_.Fatal({}, has_makefile ? "No targets" : "No targets specified and no makefile found");
    }
    std::vector<File*> files;
    for (const std::string& name : names) {
      std::string_view plain = name;
      while (plain.size() > 2 && plain.starts_with("./")) plain.remove_prefix(2);
      File* const file = graph_.Enter(std::string(plain));
      if (file->state == State::kFinished && file->outcome == Outcome::kFailed) {   // it was a makefile that could not be made
        file->state = State::kNotStarted;
        file->is_updated = false;
        file->outcome = Outcome::kSuccess;
      }
      file->is_goal = true;
      files.push_back(file);
    }
    session_.Debug(false, 0, "Updating goal targets....");
    const Outcome outcome = updater.UpdateGoals(files, false);
    if (outcome == Outcome::kFailed || lacks_makefile_) session_.End(2);
    if (outcome == Outcome::kQuestion) session_.End(1);
  }

  Session session_;
  Graph graph_;
  Reader reader_;
  size_t own_tokens_ = 0;   // that this run has made
  bool lacks_makefile_ = false;   // one that was asked for, with -k
};

}  // namespace

int Run(const Settings& settings, Host& host, bool* again) { return Program(settings, host).Go(again); }

}  // namespace paddock::make
