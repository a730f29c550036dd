#include "store/trees/root_machine.h"

#include <string_view>

#include "store/trees/content.h"
#include "store/trees/lookup.h"

namespace paddock::trees {
namespace {

// The first bytes of an ELF file as far as its machine (elf(5)): magic, class, order of bytes, …, type, machine.
constexpr size_t kHeadBytes = 20;
constexpr size_t kClassAt = 4, kOrderAt = 5, kMachineAt = 18;

struct Machine {
  unsigned number;   // EM_*
  const char* name;
};
constexpr Machine kMachines[] = {{3, "i686"}, {8, "mips"}, {21, "ppc64le"}, {22, "s390x"}, {40, "armv7l"}, {62, "x86_64"}, {183, "aarch64"}, {243, "riscv64"}, {258, "loongarch64"}};

std::string MachineOfElf(std::string_view head) {
  if (head.size() < kHeadBytes || head.substr(0, kClassAt) != "\x7f""ELF") return {};
  const auto first = static_cast<unsigned char>(head[kMachineAt]), second = static_cast<unsigned char>(head[kMachineAt + 1]);
  const unsigned number = head[kOrderAt] == 2 ? first * 256u + second : second * 256u + first;
  for (const Machine& one : kMachines) {
    if (one.number == number) return one.name;
  }
  return {};
}

}  // namespace

Result<std::string> MachineOf(Store& store, const ObjectId& tree) {
  for (const char* const path : {"/bin/sh", "/bin/bash", "/usr/bin/env", "/bin/busybox", "/sbin/init"}) {
    PADDOCK_ASSIGN(const std::optional<Entry> entry, FindByPath(store, tree, path));
    if (!entry || entry->type != vfs::FileType::kFile) continue;
    PADDOCK_ASSIGN(const Block head, ReadContent(store, entry->content, 0, kHeadBytes));
    const std::string machine = MachineOfElf(head.bytes);
    if (!machine.empty()) return machine;
  }
  return std::string();
}

}  // namespace paddock::trees
