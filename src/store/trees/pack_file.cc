#include "store/trees/pack_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/crc32c.h"
#include "base/random.h"
#include "store/trees/wire.h"

namespace paddock::trees {
namespace {

constexpr uint32_t kFileMagic = 0x31504450;   // "PDP1"
constexpr uint32_t kBlockMagic = 0x314b4250;  // "PBK1"
constexpr size_t kHeaderCopy = 16;
constexpr size_t kFileHeader = 2 * kHeaderCopy;  // twice the same, for one of them may decay
constexpr size_t kBlockHeader = 32;
constexpr size_t kObjectHeader = ObjectId::kSize + 1 + 4;

}  // namespace

struct PackFile::Header {
  uint32_t count = 0;
  uint32_t raw = 0;
  uint32_t stored = 0;
  bool is_compressed = false;
  uint32_t body_checksum = 0;
  std::vector<PackedObject> objects;
  size_t prefix() const { return kBlockHeader + size_t{count} * kObjectHeader; }
  uint64_t size() const { return prefix() + stored; }
};

Error HostError(int error_number, const std::string& what) {
  return {static_cast<Code>(error_number), what + ": " + std::strerror(error_number)};
}

std::string PackFile::NameOf(uint64_t number) {
  char name[32];
  std::snprintf(name, sizeof(name), "%016llx.pack", static_cast<unsigned long long>(number));
  return name;
}

Error PackFile::Damaged(uint64_t offset, std::string_view what) const {
  return {Code::kIo, "pack " + NameOf(number_) + " is damaged at byte " + std::to_string(offset) + ": " + std::string(what)};
}

Result<std::shared_ptr<PackFile>> PackFile::Create(int directory, uint64_t number) {
  const std::string name = NameOf(number);
  Descriptor file(openat(directory, name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return HostError(errno, "pack " + name);
  uint64_t salt = 0;
  FillRandom({reinterpret_cast<uint8_t*>(&salt), sizeof(salt)});
  WireWriter copy;
  copy.Fixed32(kFileMagic);
  copy.Fixed64(salt);
  copy.Fixed32(Crc32c(copy.text()));
  const std::string head = copy.text() + copy.text();
  if (pwrite(file.get(), head.data(), head.size(), 0) != static_cast<ssize_t>(head.size())) {
    const int failure = errno == 0 ? EIO : errno;
    unlinkat(directory, name.c_str(), 0);
    return HostError(failure, "pack " + name);
  }
  return std::shared_ptr<PackFile>(
      new PackFile(std::move(file), number, kFileHeader, salt));  // allow(raw-new): private constructor
}

Result<std::shared_ptr<PackFile>> PackFile::Open(int directory, uint64_t number) {
  const std::string name = NameOf(number);
  Descriptor file(openat(directory, name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return HostError(errno, "pack " + name);
  struct stat facts {};
  if (fstat(file.get(), &facts) != 0) return HostError(errno, "pack " + name);
  const auto size = static_cast<uint64_t>(facts.st_size);
  char head[kFileHeader];
  const ssize_t got = pread(file.get(), head, sizeof(head), 0);
  if (got < 0) return HostError(errno, "pack " + name);
  for (size_t at = 0; at + kHeaderCopy <= static_cast<size_t>(got); at += kHeaderCopy) {
    const std::string_view copy(head + at, kHeaderCopy);
    WireReader in(copy);
    const bool is_ours = in.Fixed32() == kFileMagic;
    const uint64_t salt = in.Fixed64();
    if (!is_ours || in.Fixed32() != Crc32c(copy.substr(0, kHeaderCopy - 4))) continue;
    return std::shared_ptr<PackFile>(
        new PackFile(std::move(file), number, std::max(size, uint64_t{kFileHeader}), salt));  // allow(raw-new): private constructor
  }
  return Error(Code::kIo, "pack " + name + " is damaged at byte 0: no file header");
}

Status PackFile::Read(uint64_t offset, char* bytes, size_t count) const {
  while (count > 0) {
    const ssize_t got = pread(file_.get(), bytes, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return HostError(errno, "pack " + NameOf(number_));
    if (got == 0) return Damaged(offset, "it ends too early");
    bytes += got;
    offset += static_cast<uint64_t>(got);
    count -= static_cast<size_t>(got);
  }
  return {};
}

uint32_t PackFile::HeaderChecksum(uint64_t offset, std::string_view head, std::string_view list) const {
  WireWriter place;
  place.Fixed64(salt_);
  place.Fixed64(offset);
  return Crc32c(list, Crc32c(head, Crc32c(place.text())));
}

Result<uint32_t> PackFile::Append(const std::vector<PackedObject>& objects, std::string_view bodies, std::string_view stored,
                                  bool is_compressed) {
  const uint64_t offset = size_;
  WireWriter list;
  for (const PackedObject& object : objects) {
    list.Id(object.id);
    list.Byte(static_cast<uint8_t>(object.kind));
    list.Fixed32(object.length);
  }
  WireWriter head;
  head.Fixed32(kBlockMagic);
  head.Fixed32(static_cast<uint32_t>(objects.size()));
  head.Fixed32(static_cast<uint32_t>(bodies.size()));
  head.Fixed32(static_cast<uint32_t>(stored.size()));
  head.Fixed32(is_compressed ? 1 : 0);
  head.Fixed32(Crc32c(stored));
  head.Fixed32(0);
  head.Fixed32(HeaderChecksum(offset, head.text(), list.text()));

  iovec parts[3] = {{const_cast<char*>(head.text().data()), head.size()},
                    {const_cast<char*>(list.text().data()), list.size()},
                    {const_cast<char*>(stored.data()), stored.size()}};
  const uint64_t total = head.size() + list.size() + stored.size();
  uint64_t done = 0;
  while (done < total) {
    iovec rest[3];
    int count = 0;
    uint64_t skip = done;
    for (const iovec& part : parts) {
      if (skip >= part.iov_len) {
        skip -= part.iov_len;
        continue;
      }
      rest[count++] = {static_cast<char*>(part.iov_base) + skip, part.iov_len - static_cast<size_t>(skip)};
      skip = 0;
    }
    const ssize_t wrote = pwritev(file_.get(), rest, count, static_cast<off_t>(offset + done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      const int failure = wrote == 0 ? ENOSPC : errno;
      // What cannot be cut off now is overwritten by the next block or found torn by the next scan.
      static_cast<void>(Cut(offset));
      return HostError(failure, "pack " + NameOf(number_));
    }
    done += static_cast<uint64_t>(wrote);
  }
  size_ = offset + total;
  return static_cast<uint32_t>(offset);
}

Status PackFile::Sync() {
  if (fdatasync(file_.get()) != 0) return HostError(errno, "pack " + NameOf(number_));
  return {};
}

Status PackFile::Cut(uint64_t size) {
  if (ftruncate(file_.get(), static_cast<off_t>(size)) != 0) return HostError(errno, "pack " + NameOf(number_));
  size_ = size;
  return {};
}

Result<PackFile::Header> PackFile::ReadHeader(uint64_t offset) const {
  const uint64_t end = size_;
  if (offset > end || end - offset < kBlockHeader) return Damaged(offset, "a block's header is cut off");
  std::string bytes(kBlockHeader, '\0');
  PADDOCK_TRY(Read(offset, bytes.data(), bytes.size()));
  WireReader in(bytes);
  if (in.Fixed32() != kBlockMagic) return Damaged(offset, "no block starts here");
  Header header;
  header.count = in.Fixed32();
  header.raw = in.Fixed32();
  header.stored = in.Fixed32();
  const uint32_t codec = in.Fixed32();
  header.body_checksum = in.Fixed32();
  const uint32_t reserved = in.Fixed32();
  const uint32_t checksum = in.Fixed32();
  header.is_compressed = codec == 1;
  if (header.count > kMaxObjects || header.raw > kMaxBlockBytes || header.stored > header.raw || codec > 1 || reserved != 0 ||
      (codec == 0 && header.raw != header.stored)) {
    return Damaged(offset, "impossible sizes of a block");
  }
  if (header.size() > end - offset) return Damaged(offset, "a block is cut off");
  std::string list(size_t{header.count} * kObjectHeader, '\0');
  PADDOCK_TRY(Read(offset + kBlockHeader, list.data(), list.size()));
  if (HeaderChecksum(offset, std::string_view(bytes).substr(0, kBlockHeader - 4), list) != checksum) {
    return Damaged(offset, "the checksum of a block's header does not match");
  }
  WireReader entries(list);
  uint64_t total = 0;
  for (uint32_t i = 0; i < header.count; ++i) {
    PackedObject object;
    object.id = entries.Id();
    object.kind = static_cast<ObjectKind>(entries.Byte());
    object.length = entries.Fixed32();
    total += object.length;
    header.objects.push_back(object);
  }
  if (total != header.raw) return Damaged(offset, "a block's objects do not fill it");
  return header;
}

Result<std::shared_ptr<const std::string>> PackFile::ReadBlock(uint32_t offset) const {
  PADDOCK_ASSIGN(const Header header, ReadHeader(offset));
  std::string stored(header.stored, '\0');
  PADDOCK_TRY(Read(offset + header.prefix(), stored.data(), stored.size()));
  if (!header.is_compressed) return std::shared_ptr<const std::string>(std::make_shared<std::string>(std::move(stored)));
  auto raw = std::make_shared<std::string>(header.raw, '\0');
  const size_t size = ZSTD_decompress(raw->data(), raw->size(), stored.data(), stored.size());
  if (ZSTD_isError(size) || size != raw->size()) return Damaged(offset, "a block does not decompress");
  return std::shared_ptr<const std::string>(std::move(raw));
}

Result<uint64_t> PackFile::FindHeader(uint64_t offset) const {
  constexpr size_t kWindow = 1 << 20;
  std::string bytes;
  while (offset < size_) {
    bytes.resize(static_cast<size_t>(std::min<uint64_t>(kWindow, size_ - offset)));
    PADDOCK_TRY(Read(offset, bytes.data(), bytes.size()));
    for (size_t at = bytes.find("PBK1"); at != std::string::npos; at = bytes.find("PBK1", at + 1)) {
      if (ReadHeader(offset + at)) return offset + at;
    }
    if (bytes.size() < kWindow) break;
    offset += bytes.size() - 3;
  }
  return size_.load();
}

Result<PackFile::ScanEnd> PackFile::Scan(uint64_t offset, bool checks_bodies,
                                         const std::function<void(ScannedBlock)>& visit) const {
  ScanEnd end;
  if (offset < kFileHeader) offset = kFileHeader;
  end.good = offset;
  std::string body;
  while (offset < size_) {
    auto header = ReadHeader(offset);
    if (!header) {
      PADDOCK_ASSIGN(const uint64_t next, FindHeader(offset + 1));
      if (next >= size_) {
        end.is_torn = true;
        break;
      }
      end.damaged_bytes += next - offset;
      offset = next;
      continue;
    }
    ScannedBlock block;
    block.offset = static_cast<uint32_t>(offset);
    block.stored_bytes = header->size();
    block.is_whole = true;
    if (checks_bodies) {
      body.resize(header->stored);
      PADDOCK_TRY(Read(offset + header->prefix(), body.data(), body.size()));
      block.is_whole = Crc32c(body) == header->body_checksum;
    }
    block.objects = std::move(header->objects);
    offset += header->size();
    end.good = offset;
    visit(std::move(block));
  }
  return end;
}

}  // namespace paddock::trees
