#include "drivers/virtual/base_tree.h"

#include "base/check.h"
#include "shell/exec/program.h"
#include "vfs/namespace.h"
#include "vfs/view.h"

namespace paddock::sandbox {
namespace {

constexpr BaseDirectory kDirectories[] = {
    {"/boot", 0755},       {"/dev", 0755},           {"/etc", 0755},       {"/home", 0755},      {"/media", 0755},
    {"/mnt", 0755},        {"/opt", 0755},           {"/proc", 0555},      {"/root", 0700},      {"/run", 0755},
    {"/srv", 0755},        {"/sys", 0555},           {"/tmp", 01777},      {"/usr", 0755},       {"/usr/bin", 0755},
    {"/usr/lib", 0755},    {"/usr/local", 0755},     {"/usr/local/bin", 0755}, {"/usr/local/lib", 0755},
    {"/usr/sbin", 0755},   {"/usr/share", 0755},     {"/var", 0755},       {"/var/log", 0755},   {"/var/tmp", 01777},
    {"/var/lib", 0755},    {"/usr/local/sbin", 0755}, {"/usr/include", 0755}, {"/dev/shm", 01777}, {"/var/cache", 0755},
};

constexpr BaseLink kLinks[] = {
    {"/bin", "usr/bin"}, {"/sbin", "usr/sbin"}, {"/lib", "usr/lib"}, {"/etc/mtab", "../proc/self/mounts"},
    {"/var/run", "/run"},
};

void Must(const Status& status) { PADDOCK_CHECK(status.has_value()); }

// Straight into the volume: a hundred look-ups of /usr/bin would be felt at every start.
void AddPrograms(vfs::MemoryVolume& volume, const std::vector<std::string>& programs) {
  const vfs::NodeId usr = *volume.Lookup(volume.root(), "usr");
  const vfs::NodeId bin = *volume.Lookup(usr, "bin");
  for (const std::string& program : programs) {
    PADDOCK_CHECK(volume.CreateFile(bin, program, 0755, shell::ShellHost::ProgramFile(program)).has_value());
  }
}

}  // namespace

std::span<const BaseDirectory> BaseDirectories() { return kDirectories; }
std::span<const BaseLink> BaseLinks() { return kLinks; }

std::string PasswdLine(const SandboxSpec& spec) {
  return spec.user + ":x:" + std::to_string(spec.uid) + ":" + std::to_string(spec.gid) + ":" + spec.user + ":" + HomeOf(spec) + ":/bin/bash\n";
}
std::string GroupLine(const SandboxSpec& spec) { return spec.user + ":x:" + std::to_string(spec.gid) + ":\n"; }

std::shared_ptr<vfs::MemoryVolume> MakeBaseTree(const Clock& clock, const std::vector<std::string>& programs,
                                                const SandboxSpec& spec) {
  auto volume = std::make_shared<vfs::MemoryVolume>(clock, vfs::Quota{});
  vfs::Namespace names(volume);
  vfs::View root(names, clock, vfs::Credentials{0, 0}, 0);
  for (const BaseDirectory& directory : kDirectories) Must(root.MakeDirectory(directory.path, directory.mode));
  for (const BaseLink& link : kLinks) Must(root.MakeSymlink(link.target, link.path));
  AddPrograms(*volume, programs);
  const std::string home = HomeOf(spec);
  Must(vfs::WriteFile(root, "/etc/passwd",
                      "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n" + PasswdLine(spec) +
                          "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
                      0644));
  Must(vfs::WriteFile(root, "/etc/group",
                      "root:x:0:\ndaemon:x:1:\nsys:x:3:\n" + GroupLine(spec) + "nogroup:x:65534:\n", 0644));
  Must(vfs::WriteFile(root, "/etc/hostname", spec.hostname + "\n", 0644));
  Must(vfs::WriteFile(root, "/etc/hosts", "127.0.0.1\tlocalhost\n127.0.1.1\t" + spec.hostname + "\n", 0644));
  Must(vfs::WriteFile(root, "/etc/shells", "/bin/sh\n/bin/bash\n", 0644));
  Must(vfs::WriteFile(root, "/etc/shadow", "root:*:19700:0:99999:7:::\n", 0640));
  Must(vfs::WriteFile(root, "/etc/debian_version", "12.0\n", 0644));
  Must(vfs::WriteFile(root, "/etc/os-release",
                      "PRETTY_NAME=\"Paddock virtual (Debian 12 compatible)\"\nNAME=\"Paddock virtual\"\nVERSION_ID=\"12\"\n"
                      "ID=paddock\nID_LIKE=debian\n",
                      0644));
  // Read once: later readers have no access time to stamp, so a sandbox that only reads changes nothing.
  for (const char* name : {"passwd", "group", "hostname", "hosts", "shells", "shadow", "debian_version", "os-release"}) {
    Must(vfs::ReadFile(root, std::string("/etc/") + name).has_value() ? Status() : Status(Code::kIo));
  }
  Must(root.MakeDirectory(home, 0755));
  Must(root.SetOwner(home, spec.uid, spec.gid));
  return volume;
}

}  // namespace paddock::sandbox
