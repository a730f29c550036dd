#include "commands/archive/zip.h"

#include <algorithm>

#include "commands/archive/packed_file.h"
#include "commands/archive/zip_split.h"
#include "commands/archive/zip_tools.h"

namespace paddock::zip {

bool Zipper::IsStoredBySuffix(const std::string& name) const {
  std::string_view rest = o_.suffixes;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find_first_of(":,;"), rest.size());
    const std::string_view suffix = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!suffix.empty() && name.size() > suffix.size() && name.ends_with(suffix)) return true;
  }
  return false;
}

ZipEntry Zipper::Describe(const std::string& name, const vfs::Attributes& attributes, ZipMemberOptions& member) const {
  ZipEntry entry;
  entry.name = name;
  if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }) && in_.locale.is_utf8) entry.flags = codec::kZipIsUtf8;
  const int64_t seconds = ToTimePoint(attributes.modify_time).seconds;
  const CalendarTime time = zone_.ToLocal((seconds + 1) & ~int64_t{1});   // two seconds are the least that DOS knows
  if (time.year >= 1980 && time.year < 2108) {
    entry.dos_date = static_cast<uint16_t>((time.year - 1980) << 9 | time.month << 5 | time.day);
    entry.dos_time = static_cast<uint16_t>(time.hour << 11 | time.minute << 5 | time.second / 2);
  }
  const uint32_t type = attributes.is_directory() ? 040000 : attributes.is_symlink() ? 0120000 : 0100000;
  entry.external = (type | (attributes.mode & 07777)) << 16 | (attributes.is_directory() ? 0x10u : 0) | ((attributes.mode & 0200) == 0 ? 1u : 0);
  if (o_.no_extra || name == "-") return entry;
  const auto put = [](std::string& to, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
  };
  std::string owner("ux\x0b\0\1", 5);
  for (const uint32_t id : {attributes.uid, attributes.gid}) {
    put(owner, 4, 1);
    put(owner, id, 4);
  }
  std::string local("UT\x09\0\3", 5), central("UT\5\0\3", 5);
  put(local, static_cast<uint64_t>(seconds), 4);
  put(local, static_cast<uint64_t>(ToTimePoint(attributes.access_time).seconds), 4);
  put(central, static_cast<uint64_t>(seconds), 4);
  member.local_extra = local + owner;
  entry.extra = central + owner;
  return entry;
}

std::string Zipper::Share(uint64_t size, uint64_t packed) {
  if (size == 0 || packed >= size) return "0%";
  return std::to_string((200 * (size - packed) / size + 1) / 2) + "%";
}

std::optional<ExitStatus> Zipper::Add(ZipWriter& writer, const std::string& name, const char* what, std::string comment) {
  const Found& found = found_.at(name);
  ZipMemberOptions member = o_.member;
  if (IsStoredBySuffix(name)) member.method = codec::kZipStored;
  ZipEntry entry = Describe(name, found.attributes, member);
  std::unique_ptr<ByteSource> source;
  vfs::OpenFilePtr file;
  std::string text;
  ByteSource* bytes = nullptr;
  if (found.path == "-") {
    source = std::make_unique<InputSource>(in_.in);
  } else if (found.attributes.is_directory()) {
    source = std::make_unique<StringSource>("");
  } else if (found.attributes.is_symlink()) {
    text = in_.fs.ReadLink(found.path).value_or("");
    member.method = codec::kZipStored;
    member.line_ends = 0;
    source = std::make_unique<StringSource>(text);
  } else {
    auto opened = in_.fs.Open(found.path, vfs::OpenFlags::Read());
    if (!opened) {
      Say(what + name + "\n");
      Warn("could not open for reading: " + found.path);
      ++unreadable_;
      skipped_bytes_ += found.attributes.size;
      return std::nullopt;
    }
    file = *opened;
    bytes = file.get();
  }
  if (bytes == nullptr) bytes = source.get();
  Say(what + name);
  entry.comment = std::move(comment);
  const ZipWriter::Outcome outcome = writer.Add(entry, *bytes, member);
  if (!outcome.written) return Fail("Output file write failure (" + std::string(outcome.written.error().Text()) + ")", kCannotWrite, Code::kOk);
  if (!outcome.read) {
    Say("\n");
    Warn("could not read input file: " + found.path);
    ++unreadable_;
    return std::nullopt;
  }
  const uint64_t data = entry.is_encrypted() ? entry.packed - 12 : entry.packed;
  in_bytes_ += entry.size;
  out_bytes_ += data;
  ++added_;
  latest_ = std::max(latest_, ToTimePoint(found.attributes.modify_time).seconds);
  Say((o_.verbose ? "\t(in=" + std::to_string(entry.size) + ") (out=" + std::to_string(data) + ")" : "") +
      (entry.method == codec::kZipStored ? " (stored 0%)\n" : (entry.method == codec::kZipBzip2 ? " (bzipped " : " (deflated ") + Share(entry.size, data) + ")\n"));
  done_.push_back(found.path);
  named_.insert(name);
  return std::nullopt;
}

std::optional<ExitStatus> Zipper::TakeOld(ZipWriter& writer, const ZipEntry& entry) {
  const auto keep = [&]() -> std::optional<ExitStatus> {
    latest_ = std::max(latest_, entry.modified().value_or(0));
    if (const Status copied = writer.Copy(*old_, entry); !copied) return Fail("Zip file structure invalid (" + target_ + ")", kFormat, copied.error());
    return std::nullopt;
  };
  const auto drop = [&]() -> std::optional<ExitStatus> {
    dropped_.push_back(entry.name);
    ++changed_;
    return std::nullopt;
  };
  const auto it = found_.find(entry.name);
  const bool is_old = o_.action == Action::kDelete || o_.action == Action::kCopy;
  if (is_old) {
    const bool is_chosen = chosen_.contains(entry.name) && (o_.action == Action::kCopy ? IsChosen(entry.name) : true);
    if (o_.action == Action::kDelete) return is_chosen ? drop() : keep();
    if (!is_chosen) return std::nullopt;
    Say(" copying: " + entry.name + "\n");
    return keep();
  }
  if (it == found_.end()) {
    const bool only_copies = o_.output && o_.action == Action::kAdd && o_.operands.size() == 1 && !o_.names_from_stdin;
    if (only_copies) Say(" copying: " + entry.name + "\n");
    return o_.action == Action::kSync ? drop() : keep();
  }
  const int64_t there = ToTimePoint(it->second.attributes.modify_time).seconds;
  const int64_t here = entry.modified().value_or(0);
  const bool is_newer = there > here;
  const bool differs = there != here || (it->second.attributes.is_file() && it->second.attributes.size != entry.size);
  const std::string name = entry.name;
  if ((o_.action == Action::kUpdate || o_.action == Action::kFreshen) && !is_newer) {
    found_.erase(it);
    named_.insert(name);
    return keep();
  }
  if (o_.action == Action::kSync && !differs) {
    found_.erase(it);
    named_.insert(name);
    return keep();
  }
  ++changed_;
  const auto status = Add(writer, name, o_.action == Action::kFreshen ? "freshening: " : "updating: ", entry.comment);
  found_.erase(name);
  return status;
}

std::optional<ExitStatus> Zipper::OpenDraft(const std::string& target, vfs::OpenFilePtr& file, std::string& draft) {
  // Beside the archive, which stays as it is until the new one is whole.
  const std::string directory = o_.draft_directory ? *o_.draft_directory + "/" : target.substr(0, target.rfind('/') + 1);
  auto opened = zip::OpenDraft(in_, directory, draft);
  if (opened) {
    file = *opened;
    return std::nullopt;
  }
  if (o_.draft_directory && opened.error().code != Code::kExists) return Fail("Temporary file failure (" + draft + ")", kNoDraft, opened.error());
  return Fail("Could not create output file (" + target + ")", kCannotCreate, opened.error());
}

ExitStatus Zipper::Write(bool is_stdout) {
  std::string comment = old_ ? old_->directory().comment : "";
  const std::string target = o_.output.value_or(target_);
  vfs::OpenFilePtr file;
  std::string draft;
  OutputSink out(in_.out);
  if (!is_stdout) {
    if (const auto status = OpenDraft(target, file, draft)) return *status;
  }
  ZipWriter writer(in_, file, &out);
  const ExitStatus status = WriteMembers(writer, comment);
  file.reset();
  const bool is_unchanged = old_ && !o_.output && added_ + changed_ == 0 && !o_.comments && !o_.entry_comments && !o_.adjusts && !o_.junks_lead && !o_.latest_time;
  if (status != 0 || (is_unchanged && !is_stdout)) {
    if (!is_stdout) static_cast<void>(in_.fs.RemoveFile(draft));
    if (status != 0) return status;
    if (o_.action == Action::kSync) {
      Say("Archive is current\n");
      return 0;
    }
    return o_.tests ? Test(target) : kNothing;
  }
  if (!is_stdout) {
    if (o_.part_size.value_or(0) > 0) {
      const Status split = WriteParts(in_, draft, target, *o_.part_size);
      static_cast<void>(in_.fs.RemoveFile(draft));
      if (!split) return Fail("Output file write failure (" + std::string(split.error().Text()) + ")", kCannotWrite, Code::kOk);
    } else if (const auto before = in_.fs.Stat(target)) {
      static_cast<void>(in_.fs.SetMode(draft, before->mode));
    }
    const bool is_split = o_.part_size.value_or(0) > 0;
    if (const Status moved = is_split ? Status() : in_.fs.Rename(draft, target); !moved) return Fail("Could not create output file (" + target + ")", kCannotCreate, moved.error());
    if (o_.latest_time) {
      if (const auto time = FromTimePoint({latest_, 0})) static_cast<void>(in_.fs.SetTimes(target, time, time));
    }
  }
  return Conclude(target, is_stdout);
}

ExitStatus Zipper::WriteMembers(ZipWriter& writer, std::string& comment) {
  if (old_) {
    if (const Status copied = o_.junks_lead || old_part_size_ > 0 ? Status() : writer.CopyLead(*old_); !copied) return Fail("Zip file structure invalid (" + target_ + ")", kFormat, copied.error());
    for (const ZipEntry& entry : old_->directory().entries) {
      in_.budget.Step(4);
      if (const auto status = TakeOld(writer, entry)) return *status;
    }
  }
  for (const std::string& name : dropped_) Say("deleting: " + name + "\n");
  for (const std::string& name : order_) {
    if (!found_.contains(name) || o_.action == Action::kFreshen) continue;
    if (const auto status = Add(writer, name, "  adding: ", "")) return *status;
  }
  if (writer.entries().empty() && (!old_ || !o_.output) && o_.action != Action::kDelete && unreadable_ > 0) return kUnreadable;
  if (o_.entry_comments && o_.action != Action::kDelete && o_.action != Action::kCopy) AskEntryComments(writer);
  if (o_.comments) comment = AskComment();
  if (writer.entries().empty() && o_.action == Action::kDelete) Warn("zip file empty");
  const Status finished = writer.Finish(comment);
  if (!finished) return Fail("Output file write failure (" + std::string(finished.error().Text()) + ")", kCannotWrite, Code::kOk);
  return 0;
}

// A line for each entry that was named, which at the end of input keeps what it has.
void Zipper::AskEntryComments(ZipWriter& writer) {
  for (size_t i = 0; i < writer.entries().size(); ++i) {
    in_.budget.Step(4);
    const std::string& name = writer.entries()[i].name;
    if (!named_.contains(name)) continue;
    Say("Enter comment for " + name + ":\n");
    const auto line = in_.in.ReadLine();
    if (line) writer.SetComment(i, std::string(line->text.substr(0, 0xffff)));
  }
}

std::string Zipper::AskComment() {
  Say("enter new zip file comment (end with .):\n");
  std::string comment;
  while (const auto line = in_.in.ReadLine()) {
    if (line->text == ".") break;
    if (!comment.empty()) comment += "\r\n";
    comment += line->text;
    if (comment.size() > 0xffff) comment.resize(0xffff);
  }
  return comment;
}

ExitStatus Zipper::Conclude(const std::string& target, bool is_stdout) {
  if (o_.verbose && added_ > 0) Say("total bytes=" + std::to_string(in_bytes_) + ", compressed=" + std::to_string(out_bytes_) + " -> " + Share(in_bytes_, out_bytes_) + " savings\n");
  if (o_.tests && !is_stdout) {
    if (const ExitStatus status = Test(target); status != 0) return status;
  }
  if (o_.moves && unreadable_ == 0) {
    for (auto it = done_.rbegin(); it != done_.rend(); ++it) {
      std::string path = *it;
      if (path == "-") continue;
      const bool is_directory = path.ends_with('/');
      while (path.size() > 1 && path.ends_with('/')) path.pop_back();
      static_cast<void>(is_directory ? in_.fs.RemoveDirectory(path) : in_.fs.RemoveFile(path));
    }
  }
  if (unreadable_ == 0) return 0;
  shown_->Write("\nzip warning: Not all files were readable\n  files/entries read:  " + std::to_string(added_) + " (" + std::to_string(in_bytes_) + " bytes)  skipped:  " +
                std::to_string(unreadable_) + " (" + std::to_string(skipped_bytes_) + " bytes)\n");
  return kUnreadable;
}

ExitStatus Zipper::Test(const std::string& target) {
  const auto zip = ZipFile::Open(in_.fs, target, in_.budget);
  bool is_fine = zip.has_value();
  if (is_fine) {
    for (const ZipEntry& entry : (*zip)->directory().entries) {
      if (entry.is_encrypted()) continue;
      const auto data = (*zip)->DataOf(entry);
      codec::CoderPtr decoder = ZipDecoder(entry.method, in_.budget);
      is_fine = data && decoder;
      if (!is_fine) break;
      const auto stored = (*zip)->StoredBytes(*data, entry.packed);
      codec::DecodingSource plain(*stored, std::move(decoder), &in_.budget);
      uint32_t crc = 0;
      struct Sum final : ByteSink {
        explicit Sum(uint32_t& to) : sum(to) {}
        Status Write(std::string_view bytes) override {
          sum = codec::Crc32(sum, bytes);
          return {};
        }
        uint32_t& sum;
      } sum(crc);
      is_fine = CopyStream(in_.budget, plain, sum).status && crc == entry.crc;
      if (!is_fine) break;
    }
  }
  if (!is_fine) return Fail("Zip file invalid, could not spawn unzip, or wrong unzip (original files unmodified)", 8, Code::kOk);
  Say("test of " + target + " OK\n");
  return 0;
}

}  // namespace paddock::zip
