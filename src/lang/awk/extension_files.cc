// Functions of the libraries filefuncs, readfile and inplace.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "lang/awk/interpreter.h"

namespace paddock::awk {
namespace {

// Flags of fts(3).
constexpr int kComFollow = 1, kLogical = 2, kPhysical = 16, kSeeDot = 32, kXdev = 64, kSkip = 512;
constexpr int kMostDepth = 256;

struct TypeWords {
  char letter;
  char shown;             // in front of the permissions
  uint32_t bits;
  std::string_view word;
};
constexpr TypeWords kTypes[] = {
    {'f', '-', 0100000, "file"},       {'d', 'd', 0040000, "directory"}, {'l', 'l', 0120000, "symlink"}, {'p', 'p', 0010000, "fifo"},
    {'c', 'c', 0020000, "chardev"},    {'b', 'b', 0060000, "blockdev"},  {'s', 's', 0140000, "socket"},
};

const TypeWords& WordsOf(char type) {
  for (const TypeWords& words : kTypes) {
    if (words.letter == type) return words;
  }
  return kTypes[0];
}

std::string ModeText(const FileStatus& status) {
  std::string text(1, WordsOf(status.type).shown);
  for (int shift = 6; shift >= 0; shift -= 3) {
    const uint32_t bits = status.permissions >> shift & 7;
    const bool is_special = (status.permissions >> (shift == 6 ? 11 : shift == 3 ? 10 : 9) & 1) != 0;
    const char special = shift == 0 ? 't' : 's';
    text += (bits & 4) != 0 ? 'r' : '-';
    text += (bits & 2) != 0 ? 'w' : '-';
    text += is_special ? ((bits & 1) != 0 ? special : static_cast<char>(special - 32)) : (bits & 1) != 0 ? 'x' : '-';
  }
  return text;
}

// Whether a file of that name can be edited in place.
bool IsEditable(std::string_view path) { return !path.empty() && path != "-" && !path.starts_with("/dev/"); }

double Seconds(Nanoseconds time) { return std::floor(std::chrono::duration<double>(time).count()); }

}  // namespace

// Fills `data` with what is known of the file that is shown as `name`.
void Interpreter::DescribeFile(Array& data, std::string_view name, const std::string& path, const FileStatus& status) {
  const auto set = [&](std::string_view key, double value) { data.Set(key, Value::Number(value), budget_); };
  const TypeWords& words = WordsOf(status.type);
  data.Clear();
  data.Set("name", Value::String(name), budget_);
  set("dev", static_cast<double>(status.device));
  set("ino", static_cast<double>(status.inode));
  set("mode", words.bits | status.permissions);
  set("nlink", static_cast<double>(status.links));
  set("uid", status.uid);
  set("gid", status.gid);
  set("size", static_cast<double>(status.size));
  set("blocks", static_cast<double>(status.blocks));
  set("atime", Seconds(status.access_time));
  set("mtime", Seconds(status.modify_time));
  set("ctime", Seconds(status.change_time));
  if (status.type == 'b' || status.type == 'c') {
    set("rdev", static_cast<double>(status.device_number));
    set("major", static_cast<double>(status.device_number >> 8));
    set("minor", static_cast<double>(status.device_number & 0xff));
  }
  set("blksize", 4096);
  set("devbsize", 512);
  data.Set("pmode", Value::String(ModeText(status)), budget_);
  if (status.type == 'l') {
    if (auto target = host_.ReadLink(path)) data.Set("linkval", Value::String(*target), budget_);
  }
  data.Set("type", Value::String(words.word), budget_);
}

bool Interpreter::StatFunction(size_t count) {
  Array* const data = ExtensionArray(count, 1);
  if (data == nullptr) return Refuse(count, "stat: second argument is not an array", -1);
  data->Clear();
  const std::string path = ExtensionText(count, 0);
  const auto status = host_.Stat(path, count > 2);
  if (!status) return Outcome(count, status.error());
  DescribeFile(*data, path, path, *status);
  return ReturnNumber(count, 0);
}

bool Interpreter::SpaceFunction(size_t count) {
  Array* const data = ExtensionArray(count, 1);
  if (data == nullptr) return Refuse(count, "statvfs: second argument is not an array", -1);
  data->Clear();
  const auto space = host_.Space(ExtensionText(count, 0));
  if (!space) return Outcome(count, space.error());
  const auto set = [&](std::string_view key, uint64_t value) { data->Set(key, Value::Number(static_cast<double>(value)), budget_); };
  set("bsize", space->block_size);
  set("frsize", space->block_size);
  set("blocks", space->blocks);
  set("bfree", space->free_blocks);
  set("bavail", space->free_blocks);
  set("files", space->files);
  set("ffree", space->free_files);
  set("favail", space->free_files);
  set("fsid", 0);
  set("flag", 0);
  set("namemax", 255);
  return ReturnNumber(count, 0);
}

// An element that is an array, empty.
Array* Interpreter::Subarray(Array& array, std::string_view key) {
  Array* const made = Array::Make();
  array.Set(key, Value::FromArray(made), budget_);
  return made;
}

void Interpreter::DescribeWalked(Array& place, std::string_view name, const std::string& path, const FileStatus& status) {
  place.Set("path", Value::String(path), budget_);
  DescribeFile(*Subarray(place, "stat"), name, path, status);
}

void Interpreter::DescribeFailure(Array& place, const std::string& path, const Error& error) {
  place.Set("path", Value::String(path), budget_);
  place.Set("error", Value::String(error.Text()), budget_);
}

// What fts() makes of one file: an element of `parent` under its name, or under its path for a directory that was named. `above` are the directories on the way, by inode.
void Interpreter::WalkFile(Array& parent, const std::string& path, int flags, std::vector<FileStatus>& above) {
  budget_.Step(4);
  budget_.CheckStack();
  const bool is_top = above.empty();
  const bool follows = (flags & kLogical) != 0 || (is_top && (flags & kComFollow) != 0);
  auto status = host_.Stat(path, follows);
  if (!status && follows) status = host_.Stat(path, false);
  const std::string shown = path.substr(path.rfind('/') + 1 == path.size() ? 0 : path.rfind('/') + 1);
  if (!status) return DescribeFailure(*Subarray(parent, shown), path, status.error());
  const bool is_cycle = std::any_of(above.begin(), above.end(), [&](const FileStatus& directory) {
    return directory.inode == status->inode && directory.device == status->device;
  });
  const bool leaves_device = (flags & kXdev) != 0 && !is_top && status->device != above.front().device;
  if (is_cycle) return DescribeFailure(*Subarray(parent, shown), path, Error(Code::kOk, "Success"));
  if (status->type != 'd') return DescribeWalked(*Subarray(parent, shown), shown, path, *status);
  Array* const place = Subarray(parent, is_top ? path : shown);
  DescribeWalked(*Subarray(*place, "."), shown, path, *status);
  if (leaves_device || ((flags & kSkip) != 0 && !is_top)) return;
  if (above.size() >= kMostDepth) return DescribeFailure(*Subarray(*place, "."), path, Code::kNameTooLong);
  const auto entries = host_.ListDirectory(path);
  if (!entries) return DescribeFailure(*Subarray(*place, "."), path, entries.error());
  above.push_back(*status);
  const std::string prefix = path.ends_with('/') ? path : path + "/";
  if ((flags & kSeeDot) != 0) {
    if (const auto outer = host_.Stat(prefix + "..", true)) DescribeWalked(*Subarray(*place, ".."), "..", prefix + "..", *outer);
  }
  for (const FileEntry& entry : *entries) WalkFile(*place, prefix + entry.name, flags, above);
  above.pop_back();
}

bool Interpreter::WalkFunction(size_t count) {
  const Array* const given = stack_.At(count - 1).array();
  if (given == nullptr) return Refuse(count, "fts: first argument is not an array", -1);
  Array* const data = ExtensionArray(count, 2);
  if (data == nullptr) return Refuse(count, "fts: third argument is not an array", -1);
  const double number = stack_.At(count - 2).ToNumber();
  const int flags = number >= 0 && number < 1e6 ? static_cast<int>(number) : 0;
  const bool is_physical = (flags & kPhysical) != 0, is_logical = (flags & kLogical) != 0;
  if (is_physical == is_logical) return Outcome(count, Code::kInvalid);
  const Value holder = stack_.At(count - 1);
  const auto paths = holder.array()->Elements(budget_);
  data->Clear();
  for (const Array::Element& element : paths) {
    if (element.value.array() != nullptr) continue;
    const std::string path(TextOf(element.value, convfmt_).view());
    std::vector<FileStatus> above;
    WalkFile(*data, path, flags, above);
  }
  return ReturnNumber(count, 0);
}

// --- readfile

bool Interpreter::ReadfileFunction(size_t count) {
  const std::string path = ExtensionText(count, 0);
  auto file = host_.OpenForReading(path);
  if (!file) {
    SetErrno(file.error().code == Code::kIsDirectory ? Error(Code::kInvalid) : file.error());
    return Return(count, Value::String(""));
  }
  std::string text;
  for (;;) {
    auto block = (*file)->ReadBlock(64 << 10);
    if (!block) {
      SetErrno(block.error());
      return Return(count, Value::String(""));
    }
    if (block->bytes.empty()) break;
    budget_.WillAllocate(text.size() + block->bytes.size());
    budget_.Step(static_cast<int64_t>(block->bytes.size() / 64));
    text.append(block->bytes);
    if (text.size() > Text::kMaxSize) budget_.Stop(LimitKind::kMemory);
  }
  return Return(count, Value::String(text));
}

// --- inplace

bool Interpreter::InplaceBegin(size_t count) {
  const std::string path = ExtensionText(count, 0);
  if (inplace_) return Fatal("inplace::begin: in-place editing already active");
  if (!IsEditable(path)) {
    return Refuse(count, "inplace::begin: disabling in-place editing for invalid FILENAME `" + path + "'", -1);
  }
  const auto status = host_.Stat(path, true);
  if (!status) {
    const std::string reason(status.error().Text());
    SetErrno(status.error());
    return Refuse(count, "inplace::begin: Cannot stat `" + path + "' (" + reason + ")", -1);
  }
  if (status->type != 'f') return Refuse(count, "inplace::begin: `" + path + "' is not a regular file", -1);
  streams_.FlushAll();
  const size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "" : path.substr(0, slash + 1);
  const std::string target = folder + "gawk." + std::to_string(host_.Ids().pid) + "." + std::to_string(++inplace_count_);
  if (const Status diverted = host_.DivertOutput(target, *status); !diverted) {
    return Fatal("inplace::begin: mkstemp(`" + target + "') failed (" + std::string(diverted.error().Text()) + ")");
  }
  inplace_ = Inplace{path, target};
  return ReturnNumber(count, 0);
}

bool Interpreter::InplaceEnd(size_t count) {
  if (!IsEditable(ExtensionText(count, 0))) return ReturnNumber(count, -1);   // the beginning complained already
  if (!inplace_) return Refuse(count, "inplace::end: in-place editing not active", -1);
  const std::string path = ExtensionText(count, 0), suffix = ExtensionText(count, 1);
  streams_.FlushAll();
  host_.RestoreOutput();
  const Inplace edited = *std::exchange(inplace_, std::nullopt);
  if (!suffix.empty()) {
    const std::string backup = path + suffix;
    (void)host_.Remove(backup);
    if (const Status linked = host_.MakeLink(path, backup); !linked) {
      return Fatal("inplace::end: link(`" + path + "', `" + backup + "') failed (" + std::string(linked.error().Text()) + ")");
    }
  }
  if (const Status moved = host_.Rename(edited.target, path); !moved) {
    return Fatal("inplace::end: rename(`" + edited.target + "', `" + path + "') failed (" + std::string(moved.error().Text()) + ")");
  }
  return ReturnNumber(count, 0);
}

// A run that ends in the middle of a file leaves it as it was.
void Interpreter::DropInplace() {
  if (!inplace_) return;
  streams_.FlushAll();
  host_.RestoreOutput();
  (void)host_.Remove(inplace_->target);
  inplace_.reset();
}

}  // namespace paddock::awk
