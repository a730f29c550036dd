// Finding a repository, its configuration and who commits.
#include <algorithm>
#include <charconv>

#include "commands/file_facts.h"
#include "commands/git/config_files.h"
#include "proc/process.h"
#include "text/date/date_parse.h"
#include "text/pattern.h"

namespace paddock::git {
namespace {

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

// Without what may not stand at the ends of a name.
std::string CleanName(std::string_view name) {
  const auto is_crud = [](char c) { return static_cast<unsigned char>(c) <= 32 || std::string_view(".,:;<>\"\\'").find(c) != std::string_view::npos; };
  while (!name.empty() && is_crud(name.front())) name.remove_prefix(1);
  while (!name.empty() && is_crud(name.back())) name.remove_suffix(1);
  std::string clean;
  for (const char c : name) {
    if (c != '<' && c != '>' && c != '\n') clean += c;
  }
  return clean;
}

bool AllDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// The minutes of "+HHMM", "+HH" or "+HH:MM" behind seconds; 0 for what is none, or too far away. Behind "@SECONDS" four digits hold whatever they are.
int64_t RawZone(std::string_view text, bool has_at) {
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return 0;
  const int64_t sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = [&text](size_t at) { return int64_t{text[at] - '0'} * 10 + (text[at + 1] - '0'); };
  if (digits == 4 && text.size() == 4 && has_at) return sign * (number(0) * 60 + number(2));
  if (digits != 2 && digits != 4) return 0;
  const bool has_colon = digits == 2 && text.size() >= 5 && text[2] == ':' && AllDigits(text.substr(3, 2));
  const int64_t hours = number(0), minutes = digits == 4 ? number(2) : has_colon ? number(3) : 0;
  return hours < 24 && minutes < 60 ? sign * (hours * 60 + minutes) : 0;
}

// "+0200" at the end of a date.
std::optional<std::string_view> ZoneAtEnd(std::string_view text) {
  if (text.size() < 5) return std::nullopt;
  const std::string_view zone = text.substr(text.size() - 5);
  if ((zone[0] != '+' && zone[0] != '-') || !AllDigits(zone.substr(1))) return std::nullopt;
  // 2024-01-05 has no zone.
  if (text.size() > 5 && text.find(':') == std::string_view::npos && text[text.size() - 6] != ' ') return std::nullopt;
  return zone;
}

std::vector<std::pair<std::string, std::string>> EnvironmentConfig(Invocation& in) {
  std::vector<std::pair<std::string, std::string>> pairs;
  int64_t count = 0;
  const std::string_view text = in.env.Get("GIT_CONFIG_COUNT", "0");
  std::from_chars(text.data(), text.data() + text.size(), count);
  for (int64_t i = 0; i < std::min<int64_t>(count, 1000); ++i) {
    const auto key = in.env.Get("GIT_CONFIG_KEY_" + std::to_string(i)), value = in.env.Get("GIT_CONFIG_VALUE_" + std::to_string(i));
    if (key && value) pairs.emplace_back(*key, *value);
  }
  return pairs;
}

}  // namespace

std::string CommonDirectory(vfs::FileSystem& fs, const std::string& git_dir) {
  const auto text = vfs::ReadFile(fs, git_dir + "/commondir", 4096);
  if (!text || Trimmed(*text).empty()) return git_dir;
  const std::string named = vfs::JoinPath(git_dir, Trimmed(*text));
  auto canonical = fs.Canonical(named);
  return canonical ? std::move(*canonical) : named;
}

std::optional<std::string> FollowGitFile(Invocation& in, const std::string& path) {
  const auto text = vfs::ReadFile(in.fs, path, 4096);
  if (!text || !text->starts_with("gitdir: ")) return std::nullopt;
  return vfs::JoinPath(vfs::DirectoryName(path), Trimmed(std::string_view(*text).substr(8)));
}

bool IsGitDirectory(vfs::FileSystem& fs, const std::string& path) {
  const std::string common = CommonDirectory(fs, path);
  const auto is_directory = [&fs](const std::string& name) {
    const auto facts = fs.Stat(name);
    return facts && facts->is_directory();
  };
  return fs.Stat(path + "/HEAD", vfs::Follow::kNo).has_value() && is_directory(common + "/objects") && is_directory(common + "/refs");
}

Result<Place> FindRepository(Invocation& in, std::string_view git_dir, std::string_view work_tree) {
  std::string named(git_dir.empty() ? in.env.Get("GIT_DIR", "") : git_dir);
  std::string tree(work_tree.empty() ? in.env.Get("GIT_WORK_TREE", "") : work_tree);
  PADDOCK_ASSIGN(const std::string here, in.fs.Canonical("."));
  if (!tree.empty()) {
    PADDOCK_ASSIGN(tree, in.fs.Canonical(tree, vfs::FileSystem::MustExist::kParent));
  }
  const auto place = [&in](const std::string& directory, std::string top) { return Place{directory, std::move(top), CommonDirectory(in.fs, directory), false}; };
  if (!named.empty()) {
    if (!IsGitDirectory(in.fs, named)) {
      const auto followed = FollowGitFile(in, named);
      if (!followed || !IsGitDirectory(in.fs, *followed)) return Error(Code::kNoEntry, "not a git repository: '" + named + "'");
      named = *followed;
    }
    PADDOCK_ASSIGN(std::string directory, in.fs.Canonical(named));
    return place(directory, tree.empty() ? here : tree);
  }
  for (std::string at = here;; at = vfs::DirectoryName(at)) {
    in.budget.Step();
    const std::string dot_git = vfs::JoinPath(at, ".git");
    if (IsGitDirectory(in.fs, dot_git)) {
      PADDOCK_ASSIGN(std::string directory, in.fs.Canonical(dot_git));
      return place(directory, tree.empty() ? at : tree);
    }
    if (const auto followed = FollowGitFile(in, dot_git); followed && IsGitDirectory(in.fs, *followed)) {
      PADDOCK_ASSIGN(std::string directory, in.fs.Canonical(*followed));
      return place(directory, tree.empty() ? at : tree);
    }
    if (IsGitDirectory(in.fs, at)) {
      Place found = place(at, tree);
      found.is_bare = tree.empty();
      return found;
    }
    if (at == "/") return Error(Code::kNoEntry, std::string(kNoRepository));
  }
}

std::vector<ConfigFile> ConfigFiles(Invocation& in, const Git* git) {
  std::vector<ConfigFile> files;
  files.push_back({"/etc/gitconfig", "system"});
  if (const auto global = in.env.Get("GIT_CONFIG_GLOBAL")) {
    files.push_back({std::string(*global), "global"});
  } else if (const std::string home(in.env.Get("HOME", "")); !home.empty()) {
    const std::string xdg(in.env.Get("XDG_CONFIG_HOME", home + "/.config"));
    files.push_back({xdg + "/git/config", "global"});
    files.push_back({home + "/.gitconfig", "global"});
  }
  if (git != nullptr) {
    files.push_back({git->GitPath("config"), "local"});
    files.push_back({git->GitPath("config.worktree"), "worktree"});
  }
  return files;
}

namespace {

// Reads files of configuration, and those that they include.
class ConfigReader {
 public:
  ConfigReader(Invocation& in, const Git* git, std::vector<ConfigFile>& files) : in_(in), git_(git), files_(files) {}

  Status Read(size_t number, int depth) {
    const ConfigFile file = files_[number];
    if (file.scope == "worktree" && !config_.GetBool("extensions.worktreeconfig", false)) return {};
    const auto text = vfs::ReadFile(in_.fs, file.path, 4 << 20);
    if (!text) return {};
    auto entries = ParseConfig(*text, in_.budget);
    if (!entries) {
      const std::string shown = git_ != nullptr && file.path == git_->GitPath("config") && !git_->is_bare ? ".git/config" : file.path;
      return Error(Code::kSyntax, std::string(entries.error().Text()) + " in file " + shown);
    }
    for (ConfigEntry& entry : *entries) {
      entry.origin = number;
      const bool includes = entry.value && (entry.key == "include.path" || (entry.key.starts_with("includeif.") && entry.key.ends_with(".path") && Holds(entry.key.substr(10, entry.key.size() - 15), file.path)));
      const std::string target = includes ? *entry.value : "";
      std::vector<ConfigEntry> one;
      one.push_back(std::move(entry));
      config_.Add(std::move(one));
      if (target.empty()) continue;
      if (depth >= kDeepestInclude) return Error(Code::kLimit, "exceeded maximum include depth (" + std::to_string(kDeepestInclude) + ") while including\n\t" + target + "\nfrom\n\t" + file.path + "\nThis might be due to circular includes.");
      files_.push_back({Expanded(target, file.path), file.scope});
      if (files_.size() > kMostFiles) return Error(Code::kLimit, "too many files of configuration are included");
      PADDOCK_TRY(Read(files_.size() - 1, depth + 1));
    }
    return {};
  }
  Config& config() { return config_; }

 private:
  static constexpr int kDeepestInclude = 10;
  static constexpr size_t kMostFiles = 1000;

  std::string Expanded(const std::string& path, const std::string& from) const {
    if (path.starts_with("~/")) return std::string(in_.env.Get("HOME", "")) + path.substr(1);
    return vfs::JoinPath(vfs::DirectoryName(from), path);
  }
  // Of includeIf.CONDITION.path.
  bool Holds(const std::string& condition, const std::string& from) const {
    if (git_ == nullptr) return false;
    PatternFlags flags;
    flags.extglob = false;
    const bool ignores_case = condition.starts_with("gitdir/i:");
    if (condition.starts_with("gitdir:") || ignores_case) {
      std::string pattern = condition.substr(ignores_case ? 9 : 7), directory = git_->git_dir + "/";
      if (pattern.starts_with("~/")) pattern = std::string(in_.env.Get("HOME", "")) + pattern.substr(1);
      else if (pattern.starts_with("./")) pattern = vfs::DirectoryName(from) + pattern.substr(1);
      else if (!pattern.starts_with('/')) pattern.insert(0, "*/");
      pattern += pattern.ends_with('/') ? "*" : "/";
      if (ignores_case) {
        for (std::string* text : {&pattern, &directory}) {
          for (char& c : *text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
      }
      return Pattern(pattern, flags).Matches(directory, in_.budget);
    }
    if (condition.starts_with("onbranch:")) {
      const auto head = vfs::ReadFile(in_.fs, git_->GitPath("HEAD"), 4096);
      static constexpr std::string_view kLead = "ref: refs/heads/";
      if (!head || !head->starts_with(kLead)) return false;
      std::string pattern = condition.substr(9);
      if (pattern.ends_with('/')) pattern += "*";
      return Pattern(pattern, flags).Matches(Trimmed(std::string_view(*head).substr(kLead.size())), in_.budget);
    }
    return false;
  }

  Invocation& in_;
  const Git* git_;
  std::vector<ConfigFile>& files_;
  Config config_;
};

}  // namespace

Result<Config> ReadConfigFiles(Invocation& in, const Git* git, std::vector<ConfigFile>& files) {
  files = ConfigFiles(in, git);
  const size_t count = files.size();
  ConfigReader reader(in, git, files);
  for (size_t i = 0; i < count; ++i) PADDOCK_TRY(reader.Read(i, 0));
  Config config = std::move(reader.config());
  std::vector<ConfigEntry> more;
  for (auto& [key, value] : EnvironmentConfig(in)) {
    const auto folded = FoldConfigKey(key);
    if (!folded) return Error(Code::kSyntax, "bad config key '" + key + "'");
    more.push_back({*folded, value, SIZE_MAX, 0});
  }
  // -c options travel in the environment of the process, as in git: see git.cc.
  config.Add(std::move(more));
  return config;
}

Result<Config> ReadOneConfigFile(Invocation& in, const Git* git, const ConfigFile& file, std::vector<ConfigFile>& files) {
  files = {file};
  ConfigReader reader(in, git, files);
  PADDOCK_TRY(reader.Read(0, 0));
  return std::move(reader.config());
}

Result<Config> ReadConfig(Invocation& in, const Git* git) {
  std::vector<ConfigFile> files;
  return ReadConfigFiles(in, git, files);
}

std::optional<std::string> DefaultBranch(const Environment& environment, const Config& config) {
  // git's own tests set the variable, and so do scripts that took it from them.
  if (const auto name = environment.Get("GIT_TEST_DEFAULT_INITIAL_BRANCH_NAME"); name && !name->empty()) return std::string(*name);
  return config.Get("init.defaultbranch");
}

Git::Git(Invocation& invocation, std::string git_directory, std::string tree, bool is_bare_one, std::string common_directory)
    : in(invocation), git_dir(std::move(git_directory)), common_dir(common_directory.empty() ? git_dir : std::move(common_directory)), work_tree(std::move(tree)), is_bare(is_bare_one),
      objects(invocation.fs, common_dir + "/objects", invocation.budget), refs(invocation.fs, git_dir, common_dir, invocation.budget) {
  if (const auto here = in.fs.Canonical("."); here && !work_tree.empty()) {
    const std::string top = work_tree == "/" ? "/" : work_tree + "/";
    if (here->starts_with(top) && here->size() > top.size()) prefix = here->substr(top.size()) + "/";
  }
}

// "Tue Nov 14 23:13:20 2023 +0100", as git itself writes dates, with the year before the time.
std::string YearLast(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t begin = text.find_first_not_of(' '); begin != std::string_view::npos;) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(' ', end);
  }
  const bool is_such = (words.size() == 5 || words.size() == 6) && words[3].find(':') != std::string_view::npos && words[4].size() == 4 && AllDigits(words[4]) && AllDigits(words[2]) && !AllDigits(words[1]);
  if (!is_such) return std::string(text);
  std::string ordered(words[2]);
  for (const std::string_view word : {words[1], words[4], words[3], words.size() == 6 ? words[5] : std::string_view()}) ordered += " " + std::string(word);
  return ordered;
}

namespace {

// A date and a time in full, with or without a zone: "TIME ZONE".
Result<std::string> ParseFullDate(Invocation& in, std::string_view text) {
  text = Trimmed(text);
  const std::string_view original = text;
  const bool has_at = text.starts_with('@');
  if (has_at) text.remove_prefix(1);
  const size_t blank = text.find(' ');
  if (AllDigits(text.substr(0, blank)) && (has_at || text.substr(0, blank).size() >= 9)) {
    const int64_t zone = blank == std::string_view::npos ? 0 : RawZone(text.substr(std::min(text.find_first_not_of(" \t", blank), text.size())), has_at);
    return std::string(text.substr(0, blank)) + " " + OffsetText(static_cast<int>(zone));
  }
  if (const size_t digits = text.find_first_not_of("0123456789"); digits == 8 && text[8] == 'T' && text.find_first_not_of("0123456789", 9) >= 15 && text.size() >= 15) {
    return ParseFullDate(in, std::string(text.substr(0, 8)) + " " + std::string(text.substr(9, 2)) + ":" + std::string(text.substr(11, 2)) + ":" + std::string(text.substr(13)));
  }
  const TimeZone local = LocalZone(in.env);
  const auto written = ZoneAtEnd(original);
  // A zone that there cannot be counts as none.
  const bool is_zone = written && (*written)[1] <= '2' && written->substr(1, 2) < "24" && (*written)[3] < '6';
  const auto moment = ParseDate(YearLast(written && !is_zone ? Trimmed(original.substr(0, original.size() - written->size())) : original), Now(in.clock), local, in.budget);
  if (!moment) return Error(Code::kInvalid, "invalid date format: " + std::string(original));
  std::string zone;
  if (is_zone) zone = *written;
  else if (original.ends_with('Z')) zone = "+0000";
  else zone = OffsetText(local.ToLocal(moment->seconds).offset / 60);
  return std::to_string(moment->seconds) + " " + zone;
}

// "@1700000000", "1700000000", "20231115T101500": digits that make a date in full.
bool IsDateOfDigits(std::string_view text) {
  text = Trimmed(text);
  if (text.starts_with('@')) return true;
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  return digits >= 9 || (digits == 8 && text.size() >= 13 && text[8] == 'T');
}

}  // namespace

LooseDate ReadDate(Invocation& in, std::string_view text) {
  LooseDate loose = ReadLooseDate(text, Now(in.clock).seconds, LocalZone(in.env));
  if (!loose.is_complete && !IsDateOfDigits(text)) return loose;
  if (const auto full = ParseFullDate(in, text)) return {ParseSignature("a <b> " + *full).time, true, true};
  return loose;
}

Result<std::string> Git::ParseGitDate(std::string_view text) {
  const LooseDate date = ReadLooseDate(text, Now(in.clock).seconds, LocalZone(in.env));
  if (!date.is_complete && !IsDateOfDigits(text)) return Error(Code::kInvalid, "invalid date format: " + std::string(text));
  auto full = ParseFullDate(in, text);
  // "07.04.2005 22:13:13": what date(1) does not read.
  if (!full && date.is_complete) return std::to_string(date.seconds) + " " + OffsetText(LocalZone(in.env).ToLocal(date.seconds).offset / 60);
  return full;
}

Result<std::string> Git::Identity(bool is_author) {
  const std::string who = is_author ? "AUTHOR" : "COMMITTER";
  const std::string section = is_author ? "author." : "committer.";
  const auto find = [&](const std::string& variable, const std::string& key) -> std::optional<std::string> {
    if (const auto value = in.env.Get("GIT_" + who + "_" + variable)) return std::string(*value);
    if (const auto value = config.Get(section + key)) return value;
    return config.Get("user." + key);
  };
  auto name = find("NAME", "name"), email = find("EMAIL", "email");
  if (!email || email->empty()) {
    if (const auto general = in.env.Get("EMAIL")) email = std::string(*general);
  }
  const bool lacks_email = !email;
  if (lacks_email || !name || CleanName(*name).empty()) {
    const std::string title = is_author ? "Author" : "Committer";
    if (lacks_email || !name) {
      Say(title + " identity unknown\n\n*** Please tell me who you are.\n\nRun\n\n  git config --global user.email \"you@example.com\"\n"
          "  git config --global user.name \"Your Name\"\n\nto set your account's default identity.\n"
          "Omit --global to set the identity only in this repository.\n");
    }
    if (lacks_email) return Error(Code::kInvalid, "unable to auto-detect email address (got '" + std::string(in.env.Get("USER", "user")) + "@" + std::string(in.env.Get("HOSTNAME", "localhost")) + ".(none)')");
    return Error(Code::kInvalid, "empty ident name (for <" + *email + ">) not allowed");
  }
  std::string date;
  if (const auto given = in.env.Get("GIT_" + who + "_DATE"); given && !given->empty()) {
    PADDOCK_ASSIGN(date, ParseGitDate(*given));
  } else {
    const int64_t now = Now(in.clock).seconds;
    date = std::to_string(now) + " " + OffsetText(LocalZone(in.env).ToLocal(now).offset / 60);
  }
  return CleanName(*name) + " <" + CleanName(*email) + "> " + date;
}

Result<std::string> Git::Author() { return Identity(true); }
Result<std::string> Git::Committer() { return Identity(false); }

std::string Git::Who() {
  const bool is_known = (in.env.Get("GIT_COMMITTER_NAME") || config.Get("user.name") || config.Get("committer.name")) &&
                        (in.env.Get("GIT_COMMITTER_EMAIL") || config.Get("user.email") || config.Get("committer.email") || in.env.Get("EMAIL"));
  if (is_known) {
    if (auto committer = Identity(false)) return *committer;
  }
  const int64_t now = Now(in.clock).seconds;
  return "user <user@localhost> " + std::to_string(now) + " +0000";
}

namespace {

// Copies what is there below a template; files that are there stay.
Status CopyTemplate(Invocation& in, const std::string& from, const std::string& to, int depth) {
  in.budget.CheckStack();
  if (depth > 50) return Error(Code::kNameTooLong, "templates are too deep");
  PADDOCK_ASSIGN(const std::vector<vfs::DirectoryEntry> entries, in.fs.List(from));
  PADDOCK_TRY(vfs::MakeDirectories(in.fs, to));
  for (const vfs::DirectoryEntry& entry : entries) {
    in.budget.Step();
    if (entry.name.starts_with('.')) continue;
    const std::string source = from + "/" + entry.name, target = to + "/" + entry.name;
    if (entry.type == vfs::FileType::kDirectory) {
      PADDOCK_TRY(CopyTemplate(in, source, target, depth + 1));
      continue;
    }
    if (in.fs.Stat(target, vfs::Follow::kNo)) continue;
    if (entry.type == vfs::FileType::kSymlink) {
      PADDOCK_ASSIGN(const std::string link, in.fs.ReadLink(source));
      PADDOCK_TRY(in.fs.MakeSymlink(link, target));
      continue;
    }
    PADDOCK_ASSIGN(const vfs::Attributes facts, in.fs.Stat(source));
    PADDOCK_ASSIGN(const std::string text, vfs::ReadFile(in.fs, source, 64 << 20));
    PADDOCK_TRY(vfs::WriteFile(in.fs, target, text, (facts.mode & 0111) != 0 ? 0777 : 0666));
  }
  return {};
}

// Everything becomes readable, and writable, for those who share it.
Status ShareTree(Invocation& in, const std::string& name, int shared, int depth) {
  in.budget.CheckStack();
  const auto facts = in.fs.Stat(name, vfs::Follow::kNo);
  if (depth > 50 || !facts || facts->type == vfs::FileType::kSymlink) return {};
  const bool is_directory = facts->is_directory();
  const uint32_t added = shared == 1 ? 0660 : shared == 2 ? 0664 : static_cast<uint32_t>(-shared);
  uint32_t mode = facts->mode & 07777;
  if (shared < 0) mode &= ~0777u | 0111u;
  mode |= added;
  if (is_directory) mode |= (added & 0444) >> 2 | 02000;
  PADDOCK_TRY(in.fs.SetMode(name, mode));
  if (!is_directory) return {};
  PADDOCK_ASSIGN(const std::vector<vfs::DirectoryEntry> entries, in.fs.List(name));
  for (const vfs::DirectoryEntry& entry : entries) {
    in.budget.Step();
    PADDOCK_TRY(ShareTree(in, name + "/" + entry.name, shared, depth + 1));
  }
  return {};
}

}  // namespace

Status CreateRepository(Invocation& in, const std::string& git_dir, const RepositoryPlan& plan) {
  for (const char* folder : {"objects/info", "objects/pack", "refs/heads", "refs/tags"}) {
    PADDOCK_TRY(vfs::MakeDirectories(in.fs, git_dir + "/" + folder));
  }
  const auto write_new = [&](const std::string& name, const std::string& text) -> Status {
    if (in.fs.Stat(git_dir + "/" + name, vfs::Follow::kNo)) return {};
    return vfs::WriteFile(in.fs, git_dir + "/" + name, text);
  };
  std::optional<std::string> from = plan.template_directory;
  if (!from) {
    if (const auto given = in.env.Get("GIT_TEMPLATE_DIR")) from = std::string(*given);
    else if (const auto config = ReadConfig(in, nullptr)) from = config->Get("init.templatedir");
    if (from && from->starts_with("~/")) from = std::string(in.env.Get("HOME", "")) + from->substr(1);
  }
  if (from && !from->empty()) {
    if (const auto facts = in.fs.Stat(*from); facts && facts->is_directory()) PADDOCK_TRY(CopyTemplate(in, *from, git_dir, 0));
    else in.err.Write("warning: templates not found in " + *from + "\n");
  } else if (!from) {
    for (const char* folder : {"branches", "hooks", "info"}) PADDOCK_TRY(vfs::MakeDirectories(in.fs, git_dir + "/" + folder));
    PADDOCK_TRY(write_new("description", "Unnamed repository; edit this file 'description' to name the repository.\n"));
    PADDOCK_TRY(write_new("info/exclude", "# Patterns of files that are not for this repository, as in .gitignore.\n"));
  }
  PADDOCK_TRY(write_new("HEAD", "ref: refs/heads/" + plan.branch + "\n"));
  const auto config = vfs::ReadFile(in.fs, git_dir + "/config", 4 << 20);
  std::string text = config ? *config : "";
  const auto set = [&text](const char* key, std::string_view value) { text = EditConfig(text, key, value, false); };
  set("core.repositoryformatversion", "0");
  set("core.filemode", "true");
  set("core.bare", plan.is_bare ? "true" : "false");
  if (!plan.is_bare) set("core.logallrefupdates", "true");
  if (plan.shared && *plan.shared != 0) {
    std::string mode = std::to_string(*plan.shared);
    if (*plan.shared < 0) {
      const unsigned bits = static_cast<unsigned>(-*plan.shared);
      mode = "0";
      for (int shift = 6; shift >= 0; shift -= 3) mode += static_cast<char>('0' + (bits >> shift & 7));
    }
    set("core.sharedrepository", mode);
    set("receive.denyNonFastforwards", "true");
  }
  const bool is_again = config.has_value();
  if (!is_again || !plan.is_bare || plan.shared) {
    if (!is_again || text != *config) PADDOCK_TRY(vfs::WriteFile(in.fs, git_dir + "/config", text));
  }
  return plan.shared && *plan.shared != 0 ? ShareTree(in, git_dir, *plan.shared, 0) : Status();
}

}  // namespace paddock::git
