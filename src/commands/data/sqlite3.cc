// sqlite3 - query and change SQLite databases
//
// usage: sqlite3 [OPTION]... [FILENAME [SQL]...]
//
// SQL and dot-commands come from the command line or standard input. The engine is the SQLite library itself; its files are those of the
// virtual tree (sqlite_files.h) and what hostile SQL may do is bounded in sqlite_database.h.
//
// exit: 0 success; 1 an error in the input; SQLite's code for SQL of the command line that fails while it runs.
//
// Source: sqlite.org's page on the command line shell; sqlite3 3.40.1.
// Differs: no extensions are loaded; a database is always opened defensively, so no writable_schema; ATTACH takes only a name that is
//          written out; pragmas that set limits, threads or directories of the whole process are refused; 'localtime' is the
//          machine's zone; a value holds at most a part of the memory limit; LIKE and GLOB do not use an index; REGEXP is
//          Perl's; edit() and the decimal functions are not there; .help is shorter. limits are only lowered. .stats tells of the
//          connection alone. Refused are the options -zip and -append (other archives) and -memtrace, .log and the parts of .testctrl
//          that are about the whole process, and .expert.
#include "commands/data/sqlite_shell.h"
#include "commands/input_files.h"
#include "proc/process.h"

#include <cstdlib>

namespace paddock {
namespace {

using data::SqliteMode;
using data::SqliteShell;

constexpr const char* kOptionsText =
    "   -A ARGS...           run \".archive ARGS\" and end\n"
    "   -ascii               rows and columns end with control characters\n"
    "   -bail                stop after an error\n"
    "   -batch               never show a prompt\n"
    "   -box                 rows in a box\n"
    "   -column              rows in columns\n"
    "   -cmd COMMAND         run COMMAND first\n"
    "   -csv                 rows as CSV\n"
    "   -deserialize         read the database into memory, and leave the file as it is\n"
    "   -echo                show each command before it runs\n"
    "   -init FILENAME       run the script FILENAME first\n"
    "   -[no]header          show the names of columns, or do not\n"
    "   -help                this text\n"
    "   -html                rows as HTML\n"
    "   -interactive         show a prompt\n"
    "   -json                rows as JSON\n"
    "   -line                a value on each line\n"
    "   -list                values with a separator between\n"
    "   -lookaside SIZE N    memory for small things, which the library has its own way for\n"
    "   -markdown            rows as a table of Markdown\n"
    "   -maxsize N           the most bytes of a database of -deserialize\n"
    "   -mmap N              map as much of files: they are read\n"
    "   -newline SEP         what ends a row\n"
    "   -nofollow            open no symbolic links\n"
    "   -nonce STRING        what .nonce has to say\n"
    "   -nullvalue TEXT      what stands for NULL\n"
    "   -pagecache SIZE N    memory for pages, which the library has its own way for\n"
    "   -quote               rows as SQL literals\n"
    "   -readonly            do not change the database\n"
    "   -safe                no other files and no commands\n"
    "   -separator SEP       what stands between columns\n"
    "   -stats               show what each statement took\n"
    "   -table               rows in a table\n"
    "   -tabs                columns end with tabs\n"
    "   -version             show the version of SQLite\n"
    "   -vfs NAME            use another file system: there is none\n";

struct ModeOption {
  const char* name;
  SqliteMode mode;
  const char* column_separator;
  const char* row_separator;
};

constexpr ModeOption kModes[] = {
    {"html", SqliteMode::kHtml, nullptr, nullptr},   {"list", SqliteMode::kList, nullptr, nullptr},
    {"quote", SqliteMode::kQuote, ",", "\n"},        {"line", SqliteMode::kLine, nullptr, nullptr},
    {"column", SqliteMode::kColumn, nullptr, nullptr}, {"json", SqliteMode::kJson, nullptr, nullptr},
    {"markdown", SqliteMode::kMarkdown, nullptr, nullptr}, {"table", SqliteMode::kTable, nullptr, nullptr},
    {"box", SqliteMode::kBox, nullptr, nullptr},     {"csv", SqliteMode::kCsv, ",", nullptr},
    {"ascii", SqliteMode::kAscii, "\x1f", "\x1e"},   {"tabs", SqliteMode::kList, "\t", "\n"},
};

class CommandLine {
 public:
  explicit CommandLine(Invocation& in) : in_(in), shell_(in) {}

  ExitStatus Run() {
    const ExitStatus status = RunAll();
    shell_.Finish();
    return status;
  }

 private:
  ExitStatus RunAll() {
    shell_.is_interactive = IsTerminal(0) && IsTerminal(1);
    if (!Sort()) return status_;
    const auto found = has_database_ ? in_.fs.Stat(shell_.database_name) : Result<vfs::Attributes>(Code::kNoEntry);
    shell_.is_safe = false;
    if (!ReadStartScript()) return status_;
    for (size_t i = 0; i < options_.size(); ++i) {
      if (!Apply(i)) return status_;
    }
    if (found && !shell_.Open()) return 1;
    if (archive_) return shell_.RunArchive(*archive_), 0;
    if (!commands_.empty()) {
      for (const std::string& command : commands_) {
        const ExitStatus status = shell_.RunArgument(command);
        if (shell_.ended()) return *shell_.ended();
        if (status != 0) return status;
        if (command.starts_with(".q") || command.starts_with(".exit")) return 0;
      }
      return 0;
    }
    if (shell_.is_interactive) Greet();
    const bool is_good = shell_.ReadScript(in_.in, true);
    if (shell_.ended()) return *shell_.ended();
    return is_good ? 0 : 1;
  }

  bool IsTerminal(int number) const {
    const vfs::OpenFilePtr& file = in_.process.descriptors().Get(number);
    return file != nullptr && file->is_terminal();
  }

  void Greet() {
    in_.out.Write("SQLite version " + std::string(sqlite3_libversion()) + " " + std::string(sqlite3_sourceid()).substr(0, 19) +
                  "\nEnter \".help\" for usage hints.\n");
  }

  bool End(ExitStatus status) {
    status_ = status;
    return false;
  }

  static bool HasValue(std::string_view option) {
    for (const char* name : {"separator", "newline", "nullvalue", "cmd", "init", "vfs", "nonce", "maxsize", "mmap", "lookaside", "pagecache"}) {
      if (option == name) return true;
    }
    return false;
  }

  // The name of the database, SQL, and options, wherever they stand.
  bool Sort() {
    for (size_t i = 1; i < in_.args.size(); ++i) {
      const std::string& word = in_.args[i];
      if (!word.starts_with('-')) {
        if (has_database_) {
          commands_.push_back(word);
        } else {
          shell_.database_name = word;
          has_database_ = true;
        }
        continue;
      }
      if (word.starts_with("-A") || word.starts_with("--A")) {   // the rest is its
        const size_t letters = word.starts_with("--") ? 3 : 2;
        archive_.emplace(in_.args.begin() + static_cast<std::ptrdiff_t>(i) + 1, in_.args.end());
        if (word.size() > letters) archive_->insert(archive_->begin(), word.substr(letters));
        return true;
      }
      Option option = {word, word.substr(word.starts_with("--") ? 2 : 1), ""};
      if (HasValue(option.name)) {
        if (i + 1 == in_.args.size()) {
          in_.err.Write(std::string(in_.name_in_messages()) + ": Error: missing argument to " + word + "\n");
          return End(1);
        }
        option.value = in_.args[++i];
        if ((option.name == "lookaside" || option.name == "pagecache") && i + 1 < in_.args.size()) ++i;   // the second number
      }
      if (option.name == "deserialize") shell_.is_image = true;
      if (option.name == "maxsize") shell_.most_image = std::atoll(option.value.c_str());
      if (option.name == "init") start_script_ = option.value;
      if (option.name == "batch") shell_.is_interactive = false;
      if (option.name == "readonly") shell_.is_read_only = true;
      if (option.name == "nofollow") shell_.follows_links = false;
      if (option.name == "bail") shell_.stops_at_error = true;
      if (option.name == "nonce") shell_.nonce = option.value;
      if (option.name == "vfs") {
        in_.err.Write("no such VFS: \"" + option.value + "\"\n");
        return End(1);
      }
      options_.push_back(std::move(option));
    }
    return true;
  }

  bool ReadStartScript() {
    if (start_script_) {
      Result<InputFile> file = InputFile::OpenPath(in_, *start_script_);
      if (file) return Continue(shell_.ReadScript(file->input(), false));
      in_.err.Write("cannot open: \"" + *start_script_ + "\"\n");
      return Continue(false);
    }
    const std::string path = std::string(in_.env.Get("HOME", "")) + "/.sqliterc";
    Result<InputFile> file = InputFile::OpenPath(in_, path);
    if (!file) return true;
    if (shell_.is_interactive) in_.err.Write("-- Loading resources from " + path + "\n");
    return Continue(shell_.ReadScript(file->input(), false));
  }

  bool Continue(bool is_good) {
    if (shell_.ended()) return End(*shell_.ended());
    return is_good || !shell_.stops_at_error || End(1);
  }

  bool Apply(size_t at) {
    const Option& option = options_[at];
    for (const ModeOption& mode : kModes) {
      if (option.name != mode.name) continue;
      shell_.style.mode = mode.mode;
      if (mode.column_separator != nullptr) shell_.style.column_separator = mode.column_separator;
      if (mode.row_separator != nullptr) shell_.style.row_separator = mode.row_separator;
      return true;
    }
    if (option.name == "separator") {
      shell_.style.column_separator = option.value;
    } else if (option.name == "newline") {
      shell_.style.row_separator = option.value;
    } else if (option.name == "nullvalue") {
      shell_.style.null_value = option.value;
    } else if (option.name == "header" || option.name == "noheader") {
      shell_.style.has_header = option.name == "header";
      shell_.is_header_set = true;
    } else if (option.name == "echo") {
      shell_.echoes = true;
    } else if (option.name == "stats") {
      return RunFirst(".stats on");
    } else if (option.name == "interactive") {
      shell_.is_interactive = true;
    } else if (option.name == "safe") {
      shell_.is_safe = true;
    } else if (option.name == "version") {
      in_.out.WriteLine(std::string(sqlite3_libversion()) + " " + sqlite3_sourceid());
      return End(0);
    } else if (option.name == "help") {
      return Help();
    } else if (option.name == "cmd") {
      return RunFirst(option.value);
    } else if (option.name != "init" && option.name != "batch" && option.name != "readonly" && option.name != "nofollow" &&
               option.name != "bail" && option.name != "nonce" && option.name != "deserialize" && option.name != "maxsize" && option.name != "mmap" &&
               option.name != "lookaside" && option.name != "pagecache") {
      in_.err.Write(std::string(in_.name_in_messages()) + ": Error: unknown option: " + option.word + "\nUse -help for a list of options.\n");
      return End(1);
    }
    return true;
  }

  bool Help() {
    in_.err.Write("Usage: " + std::string(in_.name_in_messages()) + " [OPTIONS] FILENAME [SQL]\n" +
                  "FILENAME is the name of an SQLite database. A new database is created\n"
                  "if the file does not previously exist.\nOPTIONS include:\n" +
                  kOptionsText);
    return End(1);
  }

  bool RunFirst(const std::string& command) {
    const ExitStatus status = shell_.RunArgument(command);
    if (shell_.ended()) return End(*shell_.ended());
    return status == 0 || !shell_.stops_at_error || End(status);
  }

  struct Option {
    std::string word, name, value;
  };

  Invocation& in_;
  SqliteShell shell_;
  std::vector<Option> options_;
  std::vector<std::string> commands_;
  std::optional<std::string> start_script_;
  std::optional<std::vector<std::string>> archive_;   // behind -A
  bool has_database_ = false;
  ExitStatus status_ = 0;
};

ExitStatus Run(Invocation& in) { return CommandLine(in).Run(); }

}  // namespace

extern const Command kCommand_sqlite3;
const Command kCommand_sqlite3 = {
    .name = "sqlite3",
    .summary = "query and change SQLite databases",
    .synopsis = "[OPTION]... [FILENAME [SQL]...]",
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
