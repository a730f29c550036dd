#include "lang/make/make.h"

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
    DefineFlags();
    const Settings& settings = session_.settings();
    // Where output is kept together, each piece says the directory itself.
    const bool says_directory = settings.prints_directory && !settings.never_prints_directory && (settings.sync <= Settings::Sync::kNone || settings.jobs == 1);
    if (says_directory) Directory("Entering");
    session_.Debug(false, 0, "Reading makefiles...");
    const bool has_makefile = reader_.ReadAll();
    for (const Makefile& makefile : reader_.makefiles()) {
      if (!makefile.is_missing) session_.Debug(true, 0, "Reading makefile '" + makefile.name + "'...");
    }
    if (!session_.is_over()) {
      graph_.Finish();
      graph_.is_closed = true;
    }
    Updater updater(session_, graph_);
    session_.Debug(false, 0, "Updating makefiles....");
    if (!session_.is_over()) *again = RemakeMakefiles(updater);
    if (!session_.is_over() && !*again) Goals(updater, has_makefile);
    updater.Finish();
    if (settings.prints_data_base && !*again) PrintDataBase(session_, graph_);
    if (says_directory) Directory("Leaving");
    return session_.exit_status();
  }

 private:
  void Directory(std::string_view verb) {
    const std::string name = "directory '" + session_.host().Cwd() + "'";
    session_.Say(std::string(verb) + " " + name);
  }

  void DefineFlags() {
    const Settings& settings = session_.settings();
    for (const std::string& text : settings.assignments) {
      session_.Define(session_.globals(), ParseAssignment(text), Origin::kCommandLine, false, {});
    }
    std::string goals;
    for (const std::string& goal : settings.goals) goals += (goals.empty() ? "" : " ") + goal;
    session_.Set(session_.globals(), "MAKECMDGOALS", goals, Origin::kDefault, false);
    if (goals.empty()) session_.globals().variables.erase("MAKECMDGOALS");
    session_.Set(session_.globals(), "MAKEFLAGS", session_.MakeFlags(), Origin::kFile);
    session_.Set(session_.globals(), "MFLAGS", MFlags(), Origin::kFile);
  }
  std::string MFlags() {
    const std::string flags = session_.MakeFlags();
    const std::string own = flags.substr(0, flags.find(" -- "));
    return own.empty() || own[0] == ' ' || own[0] == '-' ? std::string(TrimFront(own)) : "-" + own;
  }

  // True when one was remade, so that all of them have to be read again.
  bool RemakeMakefiles(Updater& updater) {
    std::vector<File*> files;
    std::vector<const Makefile*> missing;
    for (const Makefile& makefile : reader_.makefiles()) {
      File* const file = graph_.Enter(makefile.name);
      // Without prerequisites a :: rule would be run for ever.
      if (file->is_double_colon && file->deps.empty() && file->recipe != nullptr) continue;
      if (file->is_phony) continue;
      file->dont_care = true;
      files.push_back(file);
      if (makefile.is_missing) missing.push_back(&makefile);
    }
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
    updater.UpdateGoals(files, true);
    reset();
    if (session_.is_over()) return false;
    bool changed = false;
    for (const Makefile& makefile : reader_.makefiles()) {
      const File* const file = graph_.Enter(makefile.name);
      if (file->was_remade && file->recipe != nullptr && file->outcome == Outcome::kSuccess &&
          session_.host().ModifyTime(makefile.name)) {
        changed = true;
      }
    }
    for (const Makefile* makefile : missing) {
      const File* const file = graph_.Enter(makefile->name);
      if (makefile->is_optional || session_.host().ModifyTime(makefile->name)) continue;
      session_.Warn(makefile->where, makefile->name + ": " + makefile->reason);
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
      for (const std::string_view name : SplitWords(goal, session_.budget())) names.emplace_back(name);
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
      files.push_back(file);
    }
    session_.Debug(false, 0, "Updating goal targets....");
    const Outcome outcome = updater.UpdateGoals(files, false);
    if (outcome == Outcome::kFailed) session_.End(2);
    if (outcome == Outcome::kQuestion) session_.End(1);
  }

  Session session_;
  Graph graph_;
  Reader reader_;
};

}  // namespace

int Run(const Settings& settings, Host& host, bool* again) { return Program(settings, host).Go(again); }

}  // namespace paddock::make
