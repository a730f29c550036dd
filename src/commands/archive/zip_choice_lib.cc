#include "commands/archive/zip.h"

#include <algorithm>

#include "commands/archive/packed_file.h"
#include "commands/archive/zip_split.h"
#include "proc/process.h"
#include "text/date/date_parse.h"
#include "text/pattern.h"

namespace paddock::zip {

ExitStatus Zipper::Run() {
  target_ = o_.operands.front();
  const bool is_stdout = target_ == "-";
  shown_ = is_stdout ? &in_.err : &in_.out;
  if (!is_stdout && !o_.adjusts && vfs::BaseName(target_).find('.') == std::string::npos) target_ += ".zip";
  if (!is_stdout && in_.fs.Stat(target_)) {
    if (const auto status = OpenOld()) return *status;
  } else if (o_.adjusts || o_.junks_lead) {
    return Fail("Missing or empty zip file (" + target_ + ")", kMissing, Code::kOk);
  }
  if (o_.shows_files && o_.operands.size() == 1 && old_) return ShowOld();
  if (const auto status = CheckSplit()) return *status;
  if (const auto status = Prepare()) return *status;
  if (o_.shows_files) return ShowFound();
  return Write(is_stdout);
}

std::optional<ExitStatus> Zipper::OpenOld() {
  auto old = OpenArchive(in_, target_);
  if (!old && old.error().code == Code::kSyntax) {
    Warn("missing end signature--probably not a zip file (did you");
    Warn("remember to use binary mode when you transferred it?)");
    Warn("(if you are trying to read a damaged archive try -F)");
  }
  if (!old) return Fail("Zip file structure invalid (" + target_ + ")", kFormat, old.error());
  if (old->zip == nullptr) {
    shown_->Write("\nCould not find:\n  " + old->missing + "\n");
    return Fail("Zip file structure invalid (" + target_ + ")", kFormat, Code::kOk);
  }
  old_ = std::move(old->zip);
  old_part_size_ = old->part_size;
  const int64_t off = old_->directory().displacement;
  if (o_.adjusts && off > 0) Say("Zip entry offsets appear off by " + std::to_string(off) + " bytes - correcting...\n");
  else if (off != 0) return Fail("Zip file structure invalid (" + target_ + ")", kFormat, Code::kOk);
  else if (o_.adjusts) Say("Zip entry offsets do not need adjusting\n");
  return std::nullopt;
}

std::optional<ExitStatus> Zipper::CheckSplit() {
  const auto refuse = [&](const std::string& why) { return Fail("Invalid command arguments (" + why + ")", kBadUsage, Code::kOk); };
  const uint64_t asked = o_.part_size.value_or(0);
  if (asked > 0 && !o_.output.value_or(target_).ends_with(".zip")) return refuse("archive name must end in .zip for splits");
  if (old_ && (old_part_size_ > 0 || asked > 0)) {
    if (!o_.output) {
      Warn("cannot update a split archive (use --out option)");
      return refuse(target_);
    }
    if (*o_.output == target_) return refuse("--out path must be different than in path: " + target_);
    if (!o_.part_size) o_.part_size = std::max(old_part_size_, kLeastPart);
  }
  if (o_.part_size.value_or(0) > 0 && o_.tests) return refuse("-T does not test a split archive: join it with -s 0 first");
  return std::nullopt;
}

ExitStatus Zipper::Fail(const std::string& message, ExitStatus status, const Error& why) {
  if (why.code != Code::kOk && why.code < Code::kSyntax) shown_->Write("zip I/O error: " + std::string(why.Text()) + "\n");
  shown_->Write((why.code != Code::kOk && why.code < Code::kSyntax ? "zip error: " : "\nzip error: ") + message + "\n");
  return status;
}

void Zipper::Warn(const std::string& message) {
  shown_->Write("\tzip warning: " + message + "\n");
}

void Zipper::Say(const std::string& text) {
  if (!o_.quiet) shown_->Write(text);
}

bool Zipper::Matches(const std::string& pattern, const std::string& name) const {
  if (o_.no_wildcards) return pattern == name;
  const Pattern compiled(pattern, {.extglob = false, .ignore_case = o_.ignores_case, .is_utf8 = in_.locale.is_utf8, .is_path = o_.stops_at_slash});
  return compiled.Matches(name, in_.budget);
}

bool Zipper::MatchesAny(const std::vector<std::string>& patterns, const std::string& name) const {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return Matches(pattern, name); });
}

bool Zipper::IsChosen(const std::string& name) const {
  if (!o_.included.empty() && !MatchesAny(o_.included, name)) return false;
  return !MatchesAny(o_.excluded, name);
}

std::string Zipper::NameOf(const std::string& path) const {
  std::string_view name = path;
  while (true) {
    if (name.starts_with('/')) name.remove_prefix(1);
    else if (name.starts_with("./")) name.remove_prefix(2);
    else break;
  }
  if (name == ".") return {};
  if (o_.junks) {
    std::string_view plain = name;
    while (plain.ends_with('/')) plain.remove_suffix(1);
    name.remove_prefix(plain.rfind('/') == std::string_view::npos ? 0 : plain.rfind('/') + 1);
  }
  return std::string(name);
}

std::optional<ExitStatus> Zipper::Prepare() {
  for (const auto& [text, value, least] : {std::tuple{&o_.from_date, &from_, true}, std::tuple{&o_.before_date, &before_, false}}) {
    static_cast<void>(least);
    if (text->empty()) continue;
    std::string date = *text;
    if (date.size() == 8 && date.find('-') == std::string::npos) date = date.substr(4) + "-" + date.substr(0, 2) + "-" + date.substr(2, 2);
    const auto moment = ParseDate(date, Now(in_.clock), zone_, in_.budget);
    if (!moment) return Fail("Invalid command arguments (invalid date entered for " + std::string(value == &from_ ? "-t" : "-tt") + " option - use mmddyyyy or yyyy-mm-dd)", kBadUsage, Code::kOk);
    *value = moment->seconds;
  }
  std::vector<std::string> names(o_.operands.begin() + 1, o_.operands.end());
  if (o_.names_from_stdin) {
    while (const auto line = in_.in.ReadLine()) {
      if (!line->text.empty()) names.emplace_back(line->text);
    }
  }
  if (o_.entry_comments && o_.action == Action::kDelete) Warn("invalid option(s) used with -d; ignored.");
  if (o_.entry_comments && o_.action == Action::kCopy) Warn("can't set method, move, recurse, or comments with copy mode.");
  if (o_.action == Action::kDelete || o_.action == Action::kCopy) return ChooseOld(names);
  if (o_.recursive_patterns) Walk(".", &names);
  else if (names.empty() && old_ && o_.action == Action::kFreshen) FindOld();
  else if (names.empty() && (!old_ || !ChangesWhole())) return NothingToDo("");
  else for (const std::string& name : names) Find(name);
  if (has_repeated_) return Fail("Invalid command arguments (cannot repeat names in zip file)", kBadUsage, Code::kOk);
  if (missing_ > 0 && o_.must_match) return Fail("File not found or no read permission", kUnreadable, Code::kOk);
  if (found_.empty() && !(old_ && (ChangesWhole() || o_.action == Action::kSync))) {
    return NothingToDo(missing_ > 0 && o_.recursive && !old_ ? names.front() : "");
  }
  return std::nullopt;
}

ExitStatus Zipper::NothingToDo(const std::string& hint) {
  if (o_.action == Action::kFreshen && missing_ == 0) return kNothing;
  return Fail("Nothing to do! (" + (hint.empty() ? target_ : "try: zip -r " + target_ + " . -i " + hint) + ")", kNothing, Code::kOk);
}

std::optional<ExitStatus> Zipper::ChooseOld(const std::vector<std::string>& patterns) {
  if (!old_) {
    Warn(target_ + " not found or empty");
    return Fail("Nothing to do! (" + target_ + ")", kNothing, Code::kOk);
  }
  for (const std::string& pattern : patterns) {
    bool is_used = false;
    for (const ZipEntry& entry : old_->directory().entries) {
      if (!Matches(pattern, entry.name) || !IsInTime(entry.modified().value_or(0))) continue;
      is_used = true;
      chosen_.insert_or_assign(entry.name, true);
    }
    if (!is_used) Warn("name not matched: " + pattern);
  }
  if (chosen_.empty()) return Fail("Nothing to do! (" + target_ + ")", kNothing, Code::kOk);
  return std::nullopt;
}

void Zipper::FindOld() {
  for (const ZipEntry& entry : old_->directory().entries) {
    if (in_.fs.Stat(entry.name)) Find(entry.name);
  }
}

void Zipper::Find(const std::string& path) {
  if (path == "-") {
    vfs::Attributes attributes;
    attributes.mode = 0600;
    attributes.modify_time = attributes.access_time = in_.clock.RealNow();
    Insert("-", {"-", attributes});
    return;
  }
  const auto attributes = in_.fs.Stat(path, o_.keeps_links ? vfs::Follow::kNo : vfs::Follow::kYes);
  if (!attributes) {
    // A pattern that no shell took apart may mean entries of the archive.
    bool is_used = false;
    if (old_ && (o_.action != Action::kAdd)) {
      for (const ZipEntry& entry : old_->directory().entries) {
        if (!Matches(path, entry.name)) continue;
        is_used = true;
        if (in_.fs.Stat(entry.name)) Find(entry.name);
      }
    }
    if (is_used) return;
    Warn("name not matched: " + path);
    ++missing_;
    return;
  }
  if (!attributes->is_directory()) {
    Consider(path, *attributes);
    return;
  }
  const std::string folder = path.ends_with('/') ? path : path + "/";
  if (!o_.no_directories && !o_.junks) Consider(folder, *attributes);
  if (o_.recursive) Walk(path, nullptr);
}

void Zipper::Walk(const std::string& path, const std::vector<std::string>* patterns) {
  in_.budget.CheckStack();
  const auto entries = in_.fs.List(path);
  if (!entries) {
    Warn("could not open for reading: " + path);
    ++unreadable_;
    return;
  }
  for (const vfs::DirectoryEntry& entry : *entries) {
    in_.budget.Step(4);
    const std::string child = path == "." ? entry.name : vfs::JoinPath(path, entry.name);
    const auto attributes = in_.fs.Stat(child, o_.keeps_links ? vfs::Follow::kNo : vfs::Follow::kYes);
    if (!attributes) {
      Warn("could not open for reading: " + child);
      ++unreadable_;
      continue;
    }
    const bool is_meant = patterns == nullptr || std::any_of(patterns->begin(), patterns->end(), [&](const std::string& pattern) {
      return Matches(pattern, entry.name) || Matches(pattern, child);
    });
    if (!attributes->is_directory()) {
      if (is_meant) Consider(child, *attributes);
      continue;
    }
    if (std::find(above_.begin(), above_.end(), attributes->inode) != above_.end()) continue;   // a followed symlink leads back
    if (patterns == nullptr && !o_.no_directories && !o_.junks) Consider(child + "/", *attributes);
    above_.push_back(attributes->inode);
    Walk(child, patterns);
    above_.pop_back();
  }
}

void Zipper::Consider(const std::string& path, const vfs::Attributes& attributes) {
  const std::string name = NameOf(path);
  if (name.empty() || !IsChosen(name)) return;
  if (!IsInTime(ToTimePoint(attributes.modify_time).seconds) && !attributes.is_directory()) return;
  if (attributes.type == vfs::FileType::kFifo) {
    Warn("ignoring FIFO (Named Pipe) - use -FI to read: " + path);
    return;
  }
  if (!attributes.is_directory() && !attributes.is_file() && !attributes.is_symlink()) {
    Warn("ignoring special file: " + path);
    return;
  }
  if (const auto archive = in_.fs.Stat(target_); archive && IsSameFile(*archive, attributes)) return;
  Insert(name, {path, attributes});
}

void Zipper::Insert(const std::string& name, Found found) {
  const auto it = found_.find(name);
  if (it != found_.end()) {
    if (it->second.path != found.path) {
      const auto& [first, second] = std::minmax(it->second.path, found.path);
      Warn("  first full name: " + first + "\n                      second full name: " + second + "\n                     name in zip file repeated: " + name);
      has_repeated_ = true;
    }
    return;
  }
  order_.push_back(name);
  found_.emplace(name, std::move(found));
}

ExitStatus Zipper::ShowOld() {
  uint64_t bytes = 0;
  in_.out.Write("Archive contains:\n");
  for (const ZipEntry& entry : old_->directory().entries) {
    in_.out.Write("  " + entry.name + "\n");
    bytes += entry.size;
  }
  in_.out.Write("Total " + std::to_string(old_->directory().entries.size()) + " entries (" + std::to_string(bytes) + " bytes)\n");
  return 0;
}

ExitStatus Zipper::ShowFound() {
  uint64_t bytes = 0, count = 0;
  const bool is_old = o_.action == Action::kDelete || o_.action == Action::kCopy;
  in_.out.Write(o_.action == Action::kDelete ? "Would Delete:\n" : o_.action == Action::kCopy ? "Would Copy:\n" : o_.action == Action::kFreshen ? "Would Freshen:\n" : "Would Add/Update:\n");
  if (is_old) {
    for (const ZipEntry& entry : old_->directory().entries) {
      if (!chosen_.contains(entry.name)) continue;
      in_.out.Write("  " + entry.name + "\n");
      bytes += entry.size;
      ++count;
    }
  }
  for (const std::string& name : order_) {
    in_.out.Write("  " + name + "\n");
    bytes += found_.at(name).attributes.is_file() ? found_.at(name).attributes.size : 0;
    ++count;
  }
  in_.out.Write("Total " + std::to_string(count) + " entries (" + std::to_string(bytes) + " bytes)\n");
  return 0;
}

}  // namespace paddock::zip
