#include "commands/archive/7z_writer.h"

#include <algorithm>

#include "base/budget.h"
#include "codec/tar.h"
#include "commands/archive/packed_file.h"

namespace paddock::seven_zip {

ExitStatus ArchiveWriter::Run() {
  type_ = TypeByName(o_);
  const std::string base = vfs::BaseName(o_.archive);
  if (base.find('.') == std::string::npos) o_.archive += "." + (type_ == "gzip" ? "gz" : type_ == "bzip2" ? "bz2" : type_);
  if (!o_.volumes.empty() && in_.fs.Stat(o_.archive + ".001")) return in_.Fail(o_.archive + ".001: volumes are not updated", kFatal);
  const bool exists = !o_.to_stdout && o_.volumes.empty() && in_.fs.Stat(o_.archive).has_value();
  if (type_ == "zstd") return System("E_NOTIMPL : Not implemented");
  if (o_.to_stdout && (type_ == "7z" || type_ == "zip")) return in_.Fail("archives of the type " + type_ + " are not written to standard output", kFatal);
  if (exists) {
    if (type_ != "7z" && type_ != "zip") return in_.Fail(o_.archive + ": archives of the type " + type_ + " are not updated", kFatal);
    if (const ExitStatus status = OpenOld(); status != 0) return status;
  }
  const bool adds = o_.command == "a" || o_.command == "u";
  if (adds && o_.stdin_name) FindStdin();
  else if (adds) Scan(exists);
  if ((!adds || o_.stdin_name) && !exists) Say("\n");
  Plan();
  Say((exists ? "Updating archive: " : "Creating archive: ") + o_.archive + "\n\n");
  Counts removed, kept, added;
  for (const size_t item : removed_) removed.Add(Old(item).is_directory, Old(item).size);
  for (const Kept& one : kept_) kept.Add(Old(one.item).is_directory, Old(one.item).size);
  for (const Found& found : found_) added.Add(found.attributes.is_directory(), found.size());
  if (!removed.is_empty()) Say("\nDelete data from archive: " + removed.Text() + "\n");
  if (!kept.is_empty()) Say("Keep old data in archive: " + kept.Text() + "\n");
  Say("Add new data to archive: " + added.Text() + "\n\n");
  const auto written = WriteArchive();
  if (!written) return Problem(written.error());
  Say("\nFiles read from disk: " + std::to_string(read_) + "\nArchive size: " + SizeText(*written) + "\n" + (cut_ > 0 ? "Volumes: " + std::to_string(cut_) + "\n" : ""));
  if (o_.deletes_sources) DeleteSources();
  if (missing_.empty()) {
    Say("Everything is Ok\n");
    return 0;
  }
  std::string text = "\nScan WARNINGS for files and folders:\n\n";
  for (const auto& [path, why] : missing_) text += path + " : " + why + "\n";
  text += "----------------\nScan WARNINGS: " + std::to_string(missing_.size()) + "\n";
  if (o_.messages == '0') TellError(in_, o_, text);   // these are told nevertheless
  else Say(text);
  return kWarning;
}

void ArchiveWriter::Say(const std::string& text) {
  if (says_) StreamOf(in_, o_.messages).Write(text);
}

ExitStatus ArchiveWriter::System(const std::string& what) {
  in_.out.Flush();
  TellError(in_, o_, "\n\n\nSystem ERROR:\n" + what + "\n");
  return kFatal;
}

ExitStatus ArchiveWriter::Problem(const Error& error) {
  if (error.code == Code::kInvalid) return System("E_INVALIDARG : One or more arguments are invalid");
  return System(Reason(error));
}

Result<uint64_t> ArchiveWriter::WriteArchive() {
  if (o_.to_stdout) {
    OutputSink out(in_.out);
    return type_ == "tar" ? WriteTar(out) : WriteAlone(out);
  }
  const std::string draft = (o_.work ? vfs::JoinPath(*o_.work, vfs::BaseName(o_.archive)) : o_.archive) + ".tmp";
  PADDOCK_ASSIGN(vfs::OpenFilePtr file, in_.fs.Open(draft, {.read = true, .write = true, .create = true, .truncate = true}));
  FileSink sink(file);
  auto written = type_ == "7z" ? WriteSevenZip(*file, sink) : type_ == "zip" ? WriteZip(file) : type_ == "tar" ? WriteTar(sink) : WriteAlone(sink);
  file.reset();
  old_.reset();
  if (written && !o_.volumes.empty()) {
    const auto cut = CutVolumes(in_.fs, draft, o_.archive, o_.volumes, in_.budget);
    if (cut) cut_ = *cut;
    else written = cut.error();
  } else if (written) {
    Status moved = in_.fs.Rename(draft, o_.archive);
    if (!moved && moved.error().code == Code::kCrossDevice) moved = MoveAcross(draft);
    if (!moved) written = moved.error();
  }
  if (!written) static_cast<void>(in_.fs.RemoveFile(draft));
  return written;
}

Status ArchiveWriter::MoveAcross(const std::string& draft) {
  PADDOCK_ASSIGN(const vfs::OpenFilePtr from, in_.fs.Open(draft, vfs::OpenFlags::Read()));
  PADDOCK_ASSIGN(const vfs::OpenFilePtr to, in_.fs.Open(o_.archive, {.write = true, .create = true, .truncate = true}));
  while (true) {
    PADDOCK_ASSIGN(const Block block, from->ReadBlock(128 << 10));
    if (block.bytes.empty()) return in_.fs.RemoveFile(draft);
    in_.budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
    PADDOCK_TRY(to->Write(block.bytes));
  }
}

void ArchiveWriter::Announce(const Found& found) {
  if (o_.log > 0 && !found.attributes.is_directory()) Say((found.replaces ? "U " : "+ ") + found.name + "\n");
}

Status ArchiveWriter::ReadFound(const Found& found, const std::function<Status(std::string_view)>& take) {
  if (found.is_stdin) return take(stdin_text_);
  if (found.attributes.is_symlink()) return take(found.link);
  PADDOCK_ASSIGN(const vfs::OpenFilePtr file, in_.fs.Open(found.path, vfs::OpenFlags::Read()));
  while (true) {
    PADDOCK_ASSIGN(const Block block, file->ReadBlock(128 << 10));
    if (block.bytes.empty()) return {};
    in_.budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
    PADDOCK_TRY(take(block.bytes));
  }
}

SevenZipItem ArchiveWriter::Describe(const Found& found) const {
  SevenZipItem item;
  item.name = found.name;
  item.is_directory = found.attributes.is_directory();
  item.has_stream = found.has_data();
  item.modified = TicksOf(found.attributes);
  const uint32_t type = item.is_directory ? 0040000 : found.attributes.is_symlink() ? 0120000 : 0100000;
  item.attributes = (item.is_directory ? 0x10u : 0x20u) | 0x8000u | (type | found.attributes.mode) << 16;
  return item;
}

Result<uint64_t> ArchiveWriter::WriteSevenZip(vfs::OpenFile& file, FileSink& sink) {
  codec::SevenZipArchive made;
  PADDOCK_TRY(sink.Write(std::string(codec::kSevenZipStart, '\0')));
  AddEmpty(made);
  std::vector<SevenZipItem> filled;
  PADDOCK_TRY(KeepOld(sink, made, filled));
  std::vector<const Found*> data;
  for (const Found& found : found_) {
    if (found.has_data()) data.push_back(&found);
  }
  std::sort(data.begin(), data.end(), [](const Found* a, const Found* b) { return IsBefore(a->name, b->name); });
  const bool is_stored = o_.method.level == 0 || o_.method.id == codec::kSevenZipCopy;
  const size_t at_once = o_.is_solid && !is_stored ? data.size() : 1;
  for (size_t i = 0; i < data.size(); i += at_once) {
    PADDOCK_TRY(Pack(sink, made, std::vector<const Found*>(data.begin() + static_cast<ptrdiff_t>(i), data.begin() + static_cast<ptrdiff_t>(std::min(i + at_once, data.size()))), filled));
  }
  made.items.insert(made.items.end(), std::make_move_iterator(filled.begin()), std::make_move_iterator(filled.end()));
  PADDOCK_ASSIGN(const codec::SevenZipHeaders headers, codec::EncodeSevenZipHeaders(made, o_.hides_names ? o_.password : std::nullopt, in_.budget));
  PADDOCK_TRY(sink.Write(headers.end));
  PADDOCK_TRY(file.Seek(0, vfs::Whence::kStart));
  PADDOCK_TRY(sink.Write(headers.start));
  uint64_t size = codec::kSevenZipStart + headers.end.size();
  for (const codec::SevenZipStream& stream : made.streams) size += stream.size;
  return size;
}

void ArchiveWriter::AddEmpty(codec::SevenZipArchive& made) {
  for (const Kept& kept : kept_) {
    if (Old(kept.item).has_stream) continue;
    made.items.push_back(Old(kept.item));
    made.items.back().name = kept.name;
  }
  for (const Found& found : found_) {
    if (!found.has_data()) {
      Announce(found);
      made.items.push_back(Describe(found));
    }
  }
  std::sort(made.items.begin(), made.items.end(), [](const SevenZipItem& a, const SevenZipItem& b) { return a.is_directory != b.is_directory ? a.is_directory : IsBefore(a.name, b.name); });
}

Status ArchiveWriter::Pack(FileSink& sink, codec::SevenZipArchive& made, const std::vector<const Found*>& data, std::vector<SevenZipItem>& filled) {
  uint64_t size = 0;
  for (const Found* found : data) size += found->size();
  const size_t first = filled.size();
  CountingSink counted(sink);
  PADDOCK_ASSIGN(codec::SevenZipFolder folder, codec::PackSevenZipFolder(counted, o_.method, size, o_.password, [&](ByteSink& to) -> Status {
    for (const Found* found : data) {
      Announce(*found);
      ++read_;
      SevenZipItem item = Describe(*found);
      uint32_t crc = 0;
      PADDOCK_TRY(ReadFound(*found, [&](std::string_view bytes) {
        crc = codec::Crc32(crc, bytes);
        item.size += bytes.size();
        return to.Write(bytes);
      }));
      item.has_stream = item.size > 0;   // it may have become empty meanwhile
      if (item.has_stream) item.crc = crc;
      item.folder = made.folders.size();
      filled.push_back(std::move(item));
    }
    return {};
  }, in_.budget));
  FinishFolder(made, std::move(folder), counted.count(), filled, first);
  return {};
}

void ArchiveWriter::FinishFolder(codec::SevenZipArchive& made, codec::SevenZipFolder folder, uint64_t packed, const std::vector<SevenZipItem>& filled, size_t first) {
  folder.items = static_cast<uint64_t>(std::count_if(filled.begin() + static_cast<ptrdiff_t>(first), filled.end(), [](const SevenZipItem& item) { return item.has_stream; }));
  folder.first_packed = made.streams.size();
  made.folders.push_back(std::move(folder));
  made.streams.push_back({0, packed});
}

Status ArchiveWriter::KeepOld(FileSink& sink, codec::SevenZipArchive& made, std::vector<SevenZipItem>& filled) {
  if (old_ == nullptr) return {};
  const codec::SevenZipArchive& old = old_->archive;
  std::vector<std::vector<size_t>> members(old.folders.size());
  for (size_t i = 0; i < old.items.size(); ++i) {
    if (old.items[i].has_stream) members[old.items[i].folder].push_back(i);
  }
  std::map<size_t, const Kept*> stays;
  for (const Kept& kept : kept_) stays[kept.item] = &kept;
  for (size_t i = 0; i < old.folders.size(); ++i) {
    in_.budget.Step(4);
    const auto count = static_cast<size_t>(std::count_if(members[i].begin(), members[i].end(), [&](size_t item) { return stays.contains(item); }));
    if (count == 0) continue;
    const size_t first = filled.size();
    for (const size_t index : members[i]) {
      const auto kept = stays.find(index);
      if (kept == stays.end()) continue;
      SevenZipItem item = old.items[index];
      item.name = kept->second->name;
      item.folder = made.folders.size();
      filled.push_back(std::move(item));
    }
    if (count == members[i].size()) PADDOCK_TRY(CopyFolder(sink, made, old.folders[i]));
    else PADDOCK_TRY(PackAgain(sink, made, i, members[i], stays, filled, first));
  }
  return {};
}

Status ArchiveWriter::CopyFolder(FileSink& sink, codec::SevenZipArchive& made, codec::SevenZipFolder folder) {
  const size_t from = folder.first_packed;
  folder.first_packed = made.streams.size();
  for (size_t i = 0; i < folder.packed.size(); ++i) {
    if (from + i >= old_->archive.streams.size()) return Error(Code::kCorrupt, "Headers Error");
    const codec::SevenZipStream& stream = old_->archive.streams[from + i];
    for (uint64_t done = 0; done < stream.size;) {
      PADDOCK_ASSIGN(const std::string bytes, old_->read(stream.at + done, static_cast<size_t>(std::min<uint64_t>(stream.size - done, 128 << 10))));
      if (bytes.empty()) return Error(Code::kCorrupt, "Unexpected end of data");
      PADDOCK_TRY(sink.Write(bytes));
      done += bytes.size();
    }
    made.streams.push_back({0, stream.size});
  }
  made.folders.push_back(std::move(folder));
  return {};
}

Status ArchiveWriter::PackAgain(FileSink& sink, codec::SevenZipArchive& made, size_t folder, const std::vector<size_t>& members, const std::map<size_t, const Kept*>& stays, const std::vector<SevenZipItem>& filled, size_t first) {
  PADDOCK_ASSIGN(const std::unique_ptr<ByteSource> source, old_->open(folder));
  uint64_t size = 0;
  for (size_t i = first; i < filled.size(); ++i) size += filled[i].size;
  const auto password = old_->archive.folders[folder].is_encrypted() ? o_.password : std::nullopt;
  CountingSink counted(sink);
  PADDOCK_ASSIGN(codec::SevenZipFolder packed, codec::PackSevenZipFolder(counted, o_.method, size, password, [&](ByteSink& to) -> Status {
    for (const size_t index : members) {
      for (uint64_t left = Old(index).size; left > 0;) {
        PADDOCK_ASSIGN(const Block block, source->ReadBlock(static_cast<size_t>(std::min<uint64_t>(left, 128 << 10))));
        if (block.bytes.empty()) return Error(Code::kCorrupt, "Unexpected end of data");
        in_.budget.Step(static_cast<int64_t>(block.bytes.size() / 64 + 1));
        left -= block.bytes.size();
        if (stays.contains(index)) PADDOCK_TRY(to.Write(block.bytes));
      }
    }
    return {};
  }, in_.budget));
  FinishFolder(made, std::move(packed), counted.count(), filled, first);
  return {};
}

void ArchiveWriter::DeleteSources() {
  for (auto found = found_.rbegin(); found != found_.rend(); ++found) {
    if (found->is_stdin) continue;
    static_cast<void>(found->attributes.is_directory() ? in_.fs.RemoveDirectory(found->path) : in_.fs.RemoveFile(found->path));
  }
  Say("\n");
}

ExitStatus Write(Invocation& in, Options& options) { return ArchiveWriter(in, options).Run(); }

}  // namespace paddock::seven_zip
