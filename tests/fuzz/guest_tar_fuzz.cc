// Fuzz target of archives: the pieces in which one comes make no difference, what is read can be written and read again, and an
// unpacker in the agent makes nothing outside of its directory.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/check.h"
#include "guest/agent/file_streams.h"
#include "guest/agent/tree_walk.h"
#include "guest/protocol/tar.h"

namespace {

namespace fs = std::filesystem;
using namespace paddock::guest;

class Collector final : public TarReader::Visitor {
 public:
  void Begin(const TarEntry& entry) override {
    PADDOCK_CHECK(!is_open);
    is_open = true;
    left = entry.size;
    entries.push_back(entry);
    text += "\n" + std::to_string(static_cast<int>(entry.kind)) + " " + entry.name + " > " + entry.target + " " +
            std::to_string(entry.size) + " " + std::to_string(entry.modified_ns) + ": ";
  }
  void Data(std::string_view bytes) override {
    PADDOCK_CHECK(is_open && !bytes.empty() && bytes.size() <= left);
    left -= bytes.size();
    text += bytes;
  }
  void End() override {
    PADDOCK_CHECK(is_open && left == 0);
    is_open = false;
  }

  std::vector<TarEntry> entries;
  std::string text;
  uint64_t left = 0;
  bool is_open = false;
};

Collector Read(std::string_view archive, size_t piece) {
  Collector seen;
  TarReader reader;
  for (; !archive.empty(); archive.remove_prefix(std::min(piece, archive.size()))) {
    if (const auto fed = reader.Feed(archive.substr(0, piece), seen); !fed) {
      seen.text += "!";
      return seen;
    }
  }
  seen.text += reader.Finish() ? "." : "?";
  return seen;
}

// Makes each block's checksum fit, as if it were a header: by chance alone none ever would.
void FixChecksums(std::string& archive) {
  for (size_t at = 0; at + kTarBlock <= archive.size(); at += kTarBlock) {
    if (archive[at] == '\0') continue;
    archive.replace(at + 148, 8, "        ");
    unsigned sum = 0;
    for (size_t i = at; i < at + kTarBlock; ++i) sum += static_cast<unsigned char>(archive[i]);
    char text[8];
    std::snprintf(text, sizeof text, "%06o", sum);
    archive.replace(at + 148, 7, text, 7);
  }
}

void CheckNames(const TarEntry& entry) {
  for (const std::string& name : {entry.name, entry.target}) {
    std::vector<std::string> components;
    int error = 0;
    if (!SplitName(name, components, error)) {
      PADDOCK_CHECK(error != 0);
      continue;
    }
    for (const std::string& component : components) {
      PADDOCK_CHECK(!component.empty() && component != "." && component != ".." && component.size() <= 255);
      PADDOCK_CHECK(component.find('/') == std::string::npos && component.find('\0') == std::string::npos);
    }
  }
}

void CheckRoundTrip(TarEntry entry) {
  if (entry.kind == TarEntry::Kind::kOther || entry.name.empty() || entry.name.size() + entry.target.size() > 60'000) return;
  Collector seen;
  TarReader reader;
  PADDOCK_CHECK(reader.Feed(EncodeTarHeader(entry), seen).has_value());
  PADDOCK_CHECK(seen.entries.size() == 1);
  const TarEntry& again = seen.entries[0];
  // A NUL ends what is in a header, and not what is in a record.
  const auto is_same = [](const std::string& one, const std::string& other) {
    return one == other || one.substr(0, one.find('\0')) == other;
  };
  PADDOCK_CHECK(is_same(entry.name, again.name) && is_same(entry.target, again.target));
  PADDOCK_CHECK(again.size == entry.size && again.mode == entry.mode && again.modified_ns == entry.modified_ns);
}

// A directory with an exit on the way, and the place where that leads to.
struct Place {
  Place() {
    std::string name = std::string(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/paddock-tar-fuzz-XXXXXX";
    PADDOCK_CHECK(mkdtemp(name.data()) != nullptr);
    path = name;
    fs::create_directory(path + "/out");
  }
  ~Place() { fs::remove_all(path); }
  void Fresh() {
    if (fs::exists(path + "/in")) {
      for (fs::recursive_directory_iterator at(path + "/in"), end; at != end; ++at) {
        if (at->is_directory() && !at->is_symlink()) fs::permissions(at->path(), fs::perms::owner_all);
      }
      fs::remove_all(path + "/in");
    }
    fs::create_directory(path + "/in");
    fs::create_directory_symlink("../out", path + "/in/link");
  }
  std::string path;
};

void Unpack(std::string_view archive) {
  static Place place;
  static const int answers = memfd_create("answers", MFD_CLOEXEC);
  PADDOCK_CHECK(ftruncate(answers, 0) == 0 && lseek(answers, 0, SEEK_SET) == 0);
  place.Fresh();
  EventLoop loop;
  Outbox outbox;
  std::vector<uint32_t> finished;
  auto stream = UnpackStream({loop, outbox, finished, 1}, {.path = place.path + "/in"});
  PADDOCK_CHECK(stream != nullptr);
  for (; !archive.empty() && finished.empty(); archive.remove_prefix(std::min<size_t>(1000, archive.size()))) {
    const std::string_view piece = archive.substr(0, 1000);
    const FrameHeader header{static_cast<uint32_t>(piece.size()), 1, FrameType::kData, kChannelIn};
    PADDOCK_CHECK(stream->Receive({header, piece}).has_value());
  }
  PADDOCK_CHECK(stream->Receive({{0, 1, FrameType::kEnd, kChannelIn}, {}}).has_value());
  for (int turn = 0; turn < 1000 && finished.empty(); ++turn) PADDOCK_CHECK(outbox.Flush(answers));
  PADDOCK_CHECK(finished.size() == 1);
  stream.reset();
  PADDOCK_CHECK(fs::is_empty(place.path + "/out"));
  PADDOCK_CHECK(std::distance(fs::directory_iterator(place.path), fs::directory_iterator()) == 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1 || size > 64 * 1024) return 0;
  std::string archive(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((data[0] & 1) != 0) FixChecksums(archive);
  const Collector whole = Read(archive, archive.size() + 1);
  PADDOCK_CHECK(whole.text == Read(archive, 1).text && whole.text == Read(archive, 700).text);
  for (const TarEntry& entry : whole.entries) {
    CheckNames(entry);
    CheckRoundTrip(entry);
  }
  if ((data[0] & 2) != 0) Unpack(archive);
  return 0;
}
