#include "git/pack_files.h"

namespace paddock::git {

Result<PackIndex> WritePackFiles(vfs::FileSystem& fs, const std::string& temporary, const std::string& start, const WritePackTo& write, bool first_version, Budget& budget) {
  PADDOCK_ASSIGN(vfs::OpenFilePtr file, fs.Open(temporary, vfs::OpenFlags{.write = true, .create = true, .exclusive = true, .no_follow = true}, 0444));
  auto made = write([&file](std::string_view bytes) { return file->Write(bytes); });
  file.reset();
  if (!made) {
    static_cast<void>(fs.RemoveFile(temporary).has_value());
    return made.error();
  }
  const std::string stem = start + "-" + made->name;
  PADDOCK_TRY(fs.Rename(temporary, stem + ".pack"));
  // What belonged to an older pack of that name.
  for (const char* end : {".idx", ".rev", ".bitmap", ".mtimes"}) static_cast<void>(fs.RemoveFile(stem + end).has_value());
  const auto first = first_version ? FirstVersionIndex(made->bytes, budget) : std::nullopt;
  PADDOCK_TRY(vfs::WriteFile(fs, stem + ".idx", first ? *first : made->bytes, 0444));
  return made;
}

Result<PackIndex> WriteOwnPackFiles(vfs::FileSystem& fs, ObjectStore& objects, const WritePackTo& write, Budget& budget) {
  PADDOCK_ASSIGN(const std::string path, objects.NewPackPath());
  auto made = WritePackFiles(fs, path, objects.directory() + "/pack/pack", write, false, budget);
  objects.ForgetPacks();
  return made;
}

Result<Pack> OpenPack(vfs::FileSystem& fs, const std::string& stem) {
  PADDOCK_ASSIGN(std::string index, vfs::ReadFile(fs, stem + ".idx"));
  PADDOCK_ASSIGN(const vfs::Attributes facts, fs.Stat(stem + ".pack"));
  return Pack::Open(std::move(index), PackBytes([&fs, stem] { return fs.Open(stem + ".pack", vfs::OpenFlags::Read()); }, facts.size));
}

Result<std::vector<Oid>> PackedIds(vfs::FileSystem& fs, const std::string& stem, Budget& budget) {
  PADDOCK_ASSIGN(const Pack pack, OpenPack(fs, stem));
  budget.WillAllocate(pack.count() * sizeof(Oid));
  std::vector<Oid> ids;
  for (size_t i = 0; i < pack.count(); ++i) {
    budget.Step();
    ids.push_back(pack.IdAt(i));
  }
  return ids;
}

}  // namespace paddock::git
