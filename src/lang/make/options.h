// make's options: of the command line, of MAKEFLAGS and of a makefile that sets it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/options.h"
#include "lang/make/session.h"

namespace paddock::make {

namespace options {
Status Jobs(Settings& settings, std::string_view text);
Status NoRules(Settings& settings, std::string_view text);
Status Stop(Settings& settings, std::string_view text);
Status NotSilent(Settings& settings, std::string_view text);
Status NoDirectory(Settings& settings, std::string_view text);
Status Ignored(Settings& settings, std::string_view text);
Status Load(Settings& settings, std::string_view text);
Status OutputSync(Settings& settings, std::string_view text);
Status Debug(Settings& settings, std::string_view text);
}  // namespace options

inline constexpr Option kOptions[] = {
    Call<options::Ignored>('b', nullptr, nullptr, "ignored for compatibility, as m is"),
    Call<options::Ignored>('m', nullptr, nullptr, nullptr),
    Flag<&Settings::always_makes>('B', "always-make", "make all targets, up to date or not"),
    Value<&Settings::directories>('C', "directory", "DIRECTORY", "change to DIRECTORY before doing anything"),
    Flag<&Settings::environment_wins>('e', "environment-overrides", "variables of the environment win over those of makefiles"),
    CallOptional<options::Debug>(0, "debug", "FLAGS", "print what is decided: b basic, v verbose, m makefiles, n none"),
    Value<&Settings::evals>('E', "eval", "STRING", "evaluate STRING as a makefile statement"),
    Value<&Settings::makefiles>('f', "file", "FILE", "read FILE as a makefile"),
    Value<&Settings::makefiles>(0, "makefile", "FILE", "the same"),
    Flag<&Settings::shows_help>('h', nullptr, "print this help and exit"),
    Flag<&Settings::ignores_errors>('i', "ignore-errors", "ignore errors of recipes"),
    Value<&Settings::include_directories>('I', "include-dir", "DIRECTORY", "search DIRECTORY for included makefiles"),
    CallOptional<options::Jobs>('j', "jobs", "N", "allow N jobs at once; without N, any number"),
    Flag<&Settings::keeps_going>('k', "keep-going", "keep going when some targets cannot be made"),
    CallOptional<options::Load>('l', "load-average", "N", "start no further job while N or more run, as each is a load of one; without N, no such limit"),
    CallOptional<options::Load>(0, "max-load", "N", "the same"),
    Flag<&Settings::checks_symlink_times>('L', "check-symlink-times", "the time of a symlink counts when it is newer"),
    Value<&Settings::jobserver>(0, "jobserver-auth", "FDS", nullptr),
    Value<&Settings::jobserver>(0, "jobserver-fds", "FDS", nullptr),
    Flag<&Settings::just_print>('n', "just-print", "print recipes, do not run them"),
    Flag<&Settings::just_print>(0, "dry-run", "the same"),
    Flag<&Settings::just_print>(0, "recon", "the same"),
    Value<&Settings::old_files>('o', "old-file", "FILE", "take FILE as very old and do not remake it"),
    Value<&Settings::old_files>(0, "assume-old", "FILE", "the same"),
    CallOptional<options::OutputSync>('O', "output-sync", "TYPE", "print what parallel jobs write together: by target, line, recurse or none"),
    Flag<&Settings::prints_data_base>('p', "print-data-base", "print variables, rules and files"),
    Flag<&Settings::asks>('q', "question", "run no recipe; the exit status says whether all is up to date"),
    Flag<&Settings::has_no_rules>('r', "no-builtin-rules", "without the built-in implicit rules"),
    Call<options::NoRules>('R', "no-builtin-variables", nullptr, "without the built-in variables"),
    Flag<&Settings::is_silent>('s', "silent", "do not echo recipes"),
    Flag<&Settings::is_silent>(0, "quiet", "the same"),
    Call<options::NotSilent>(0, "no-silent", nullptr, "echo recipes again"),
    Call<options::Stop>('S', "no-keep-going", nullptr, "turn -k off"),
    Call<options::Stop>(0, "stop", nullptr, "the same"),
    Flag<&Settings::touches>('t', "touch", "touch targets instead of remaking them"),
    Flag<&Settings::traces>(0, "trace", "print why each recipe runs"),
    Flag<&Settings::shows_version>('v', nullptr, "print the version and exit"),
    Flag<&Settings::prints_directory>('w', "print-directory", "print the working directory"),
    Call<options::NoDirectory>(0, "no-print-directory", nullptr, "turn -w off, even where it is implied"),
    Value<&Settings::new_files>('W', "what-if", "FILE", "take FILE as infinitely new"),
    Value<&Settings::new_files>(0, "new-file", "FILE", "the same"),
    Value<&Settings::new_files>(0, "assume-new", "FILE", "the same"),
    Flag<&Settings::warns_undefined>(0, "warn-undefined-variables", "warn when a variable is used that is not defined"),
};

// Reads words like those of a command line into `settings`. Operands are assignments and goals (goals count only with `takes_goals`).
Status ParseWords(std::span<const std::string> words, Settings& settings, bool takes_goals);
// The same for the value of MAKEFLAGS.
Status ParseFlags(std::string_view flags, Settings& settings);

}  // namespace paddock::make
