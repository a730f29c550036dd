// zipsplit - split a zip archive into several that are small enough
//
// usage: zipsplit [-tipqs] [-n SIZE] [-r ROOM] [-b PATH] ZIPFILE
//
// Exit status: 0; 3 for no zip archive, 6 for a file that fits nowhere, 9 when there is no archive, 15 when an output
// cannot be written, 16 for a usage error.
// Source: Info-ZIP Zip 3.0.
// Differs: a ROOM larger than SIZE leaves the first archive empty, where the real one computes with a huge number.

#include <algorithm>
#include <cstdio>
#include <map>

#include "commands/archive/zip.h"
#include "commands/archive/zip_tools.h"
#include "commands/archive/zip_writer.h"
#include "text/numbers.h"

namespace paddock {
namespace {

constexpr uint64_t kLeastSize = 100, kEndSize = 22, kLocalSize = 30, kRecordSize = 46, kDescriptorSize = 16;
constexpr ExitStatus kTooBig = 6;
constexpr const char* kIndexName = "zipsplit.idx";

struct Options {
  bool only_tells = false, makes_index = false, pauses = false, is_sequential = false;
  uint64_t size = 36000, room = 0;
  std::string directory;
  std::optional<std::string> file;
};

// Which archive each entry goes into, from 0.
struct Plan {
  std::vector<size_t> places;
  size_t count = 0;
};

class Splitter {
 public:
  Splitter(Invocation& in, const Options& options) : in_(in), o_(options), path_(*options.file) {}

  ExitStatus Run() {
    if (const ExitStatus status = zip::OpenTool(in_, path_, zip_); status != 0) return status;
    if (entries().empty()) return 0;
    const uint64_t capacity = o_.size - kEndSize;
    if (const ExitStatus status = Measure(capacity); status != 0) return status;
    const uint64_t reserved = o_.room + (o_.makes_index ? IndexSize() : 0);
    const uint64_t first = capacity - std::min(capacity, reserved);
    Plan plan = InOrder(capacity, first);
    if (!o_.is_sequential) {
      Plan other = BestFit(capacity, first);
      if (other.count < plan.count) plan = std::move(other);
    }
    uint64_t total = 0;
    for (const uint64_t size : sizes_) total += size;
    const uint64_t least = (total + capacity - 1) / capacity;
    const uint64_t share = (200 * least / plan.count + 1) / 2;
    in_.out.Write(std::to_string(plan.count) + " zip files w" + (o_.only_tells ? "ould" : "ill") + " be made (" + std::to_string(share) + "% efficiency)\n");
    return o_.only_tells ? 0 : Write(plan);
  }

 private:
  const std::vector<codec::ZipEntry>& entries() const { return zip_->directory().entries; }

  ExitStatus Measure(uint64_t capacity) {
    for (const codec::ZipEntry& entry : entries()) {
      in_.budget.Step(4);
      const auto data = zip_->DataOf(entry);
      const uint64_t start = entry.offset + static_cast<uint64_t>(zip_->directory().displacement);
      if (!data || *data < start + kLocalSize) return zip::ToolError(in_, "Zip file structure invalid (" + path_ + ")", zip::kToolInvalid);
      const bool has_descriptor = (entry.flags & codec::kZipHasDescriptor) != 0;
      const uint64_t size = *data - start + entry.packed + (has_descriptor ? kDescriptorSize : 0) + kRecordSize + entry.name.size() + entry.extra.size() + entry.comment.size();
      if (size > capacity) {
        zip::ToolWarning(in_, "Entry is larger than max split size of: " + std::to_string(capacity));
        zip::ToolWarning(in_, "use -n to set split size");
        return zip::ToolError(in_, "Entry too big to split, read, or write (" + entry.name + ")", kTooBig);
      }
      sizes_.push_back(size);
    }
    return 0;
  }
  static std::string IndexLine(size_t number, const std::string& name) {
    char text[32];
    std::snprintf(text, sizeof text, "%5zu ", number);
    return text + name + "\n";
  }
  uint64_t IndexSize() const {
    uint64_t size = 0;
    for (const codec::ZipEntry& entry : entries()) size += IndexLine(1, entry.name).size();
    return size;
  }

  Plan InOrder(uint64_t capacity, uint64_t left) {
    Plan plan{.places = {}, .count = 1};
    for (const uint64_t size : sizes_) {
      in_.budget.Step();
      if (size > left) {
        ++plan.count;
        left = capacity;
      }
      left -= size;
      plan.places.push_back(plan.count - 1);
    }
    return plan;
  }
  // The largest first, each to where it leaves the least room.
  Plan BestFit(uint64_t capacity, uint64_t first) {
    std::vector<size_t> order(sizes_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return sizes_[a] > sizes_[b]; });
    Plan plan{.places = std::vector<size_t>(sizes_.size()), .count = 1};
    std::multimap<uint64_t, size_t> by_left{{first, 0}};   // of equal ones, the first comes first
    for (const size_t i : order) {
      in_.budget.Step(4);
      auto best = by_left.lower_bound(sizes_[i]);
      if (best == by_left.end()) best = by_left.emplace(capacity, plan.count++);
      const size_t place = best->second;
      const uint64_t rest = best->first - sizes_[i];
      by_left.erase(best);
      by_left.emplace(rest, place);
      plan.places[i] = place;
    }
    return plan;
  }

  // The archive's name, cut so that it has eight characters with the number.
  std::string NameOf(size_t number, size_t count) const {
    std::string base(vfs::BaseName(path_));
    base = base.substr(0, base.find('.'));
    const size_t digits = std::to_string(count).size();
    const std::string text = std::to_string(number);
    return o_.directory + base.substr(0, digits < 8 ? 8 - digits : 0) + std::string(digits - text.size(), '0') + text + ".zip";
  }

  ExitStatus Write(const Plan& plan) {
    if (o_.makes_index) {
      if (const ExitStatus status = WriteIndex(plan); status != 0) return status;
    }
    std::vector<std::vector<size_t>> members(plan.count);
    for (size_t i = 0; i < plan.places.size(); ++i) members[plan.places[i]].push_back(i);
    for (size_t number = 1; number <= plan.count; ++number) {
      const std::string name = NameOf(number, plan.count);
      if (o_.pauses) {
        in_.out.Write("Insert disk #" + std::to_string(number) + " of " + std::to_string(plan.count) + " and hit return: ");
        in_.out.Flush();
        static_cast<void>(in_.in.ReadLine());
      }
      in_.out.Write("creating: " + name + "\n");
      if (const ExitStatus status = WriteOne(name, members[number - 1]); status != 0) return status;
    }
    if (o_.pauses) in_.out.Write("Done.\n");
    return 0;
  }
  ExitStatus WriteIndex(const Plan& plan) {
    const std::string name = o_.directory + kIndexName;
    in_.out.Write("creating: " + name + "\n");
    auto file = in_.fs.Open(name, vfs::OpenFlags::Write());
    if (!file) return CannotCreate(name, file.error());
    Output out(**file);
    for (size_t i = 0; i < plan.places.size(); ++i) {
      in_.budget.Step();
      out.Write(IndexLine(plan.places[i] + 1, entries()[i].name));
    }
    const Status written = out.Flush();
    return written ? 0 : CannotWrite(written.error());
  }
  ExitStatus WriteOne(const std::string& name, const std::vector<size_t>& members) {
    auto file = in_.fs.Open(name, {.read = true, .write = true, .create = true, .truncate = true});
    if (!file) return CannotCreate(name, file.error());
    ZipWriter writer(in_, *file, nullptr);
    for (const size_t member : members) {
      in_.budget.Step(4);
      if (const Status copied = writer.Copy(*zip_, entries()[member]); !copied) return CannotWrite(copied.error());
    }
    const Status written = writer.Finish("");
    return written ? 0 : CannotWrite(written.error());
  }
  ExitStatus CannotCreate(const std::string& name, const Error& error) {
    in_.out.Flush();
    in_.err.Write("zipsplit error: " + std::string(error.Text()) + "\n");
    return zip::ToolError(in_, "Could not create output file (" + name + ")", zip::kCannotCreate);
  }
  ExitStatus CannotWrite(const Error& error) { return zip::ToolCopyError(in_, path_, error); }

  Invocation& in_;
  const Options& o_;
  std::string path_;
  std::unique_ptr<ZipFile> zip_;
  std::vector<uint64_t> sizes_;   // what each entry takes, with its record in the directory
};

ExitStatus Run(Invocation& in) {
  Options options;
  if (in.args.size() < 2) return in.out.Write(HelpText(in.command, in.name())), 0;
  char wants = '\0';   // the option whose value comes next
  for (const std::string& word : in.args.subspan(1)) {
    const bool is_option = word.size() > 1 && word[0] == '-';
    if (wants != '\0' && is_option) return zip::BadWords(in, "options are separate and precede zip file");
    if (wants == 'b') options.directory = word.ends_with('/') ? word : word + "/";
    if (wants == 'n' || wants == 'r') {
      const auto number = ParseCount(word);
      if (wants == 'n' && (!number || *number < kLeastSize)) return zip::BadWords(in, "invalid size given. Use option -h for help.");
      if (wants == 'r' && !number) return zip::BadWords(in, "invalid room given. Use option -h for help.");
      (wants == 'n' ? options.size : options.room) = *number;
    }
    if (wants != '\0') {
      wants = '\0';
      continue;
    }
    ExitStatus status = 0;
    const zip::ToolWord kind = zip::ReadToolWord(in, word, options.file, status);
    if (kind == zip::ToolWord::kEnd) return status;
    if (kind == zip::ToolWord::kFile) continue;
    for (const char letter : word.substr(1)) {
      if (zip::TellToolFacts(in, letter)) return 0;
      switch (letter) {
        case 't': options.only_tells = true; break;
        case 'i': options.makes_index = true; break;
        case 'p': options.pauses = true; break;
        case 's': options.is_sequential = true; break;
        case 'q': break;   // there is nothing that it would leave out
        case 'n':
        case 'r':
        case 'b':
          if (wants != '\0') return zip::BadWords(in, "options are separate and precede zip file");
          wants = letter;
          break;
        default: return zip::BadWords(in, "Use option -h for help.");
      }
    }
  }
  if (!options.file) return zip::BadWords(in, "need to specify zip file");
  return Splitter(in, options).Run();
}

}  // namespace

extern const Command kCommand_zipsplit;
const Command kCommand_zipsplit = {
    .name = "zipsplit",
    .summary = "split a zip archive into several that are small enough",
    .synopsis = "[-tipqs] [-n SIZE] [-r ROOM] [-b PATH] ZIPFILE",
    .details =
        "  -n SIZE   bytes of an output at most; 36000\n"
        "  -r ROOM   leave ROOM bytes free in the first\n"
        "  -b PATH   write to the directory PATH\n"
        "  -i        write zipsplit.idx, which tells where each file is, and count it in the first\n"
        "  -t        tell how many there would be, and write nothing\n"
        "  -s        keep the order of the files, even if that takes more archives\n"
        "  -p        wait for a line before each\n"
        "  -q        say less\n"
        "  -h        this help; -v and -L: the version\n",
    .cuts_own_name = true,
    .parses_options = false,
    .run = Run,
};

}  // namespace paddock
