#include "commands/archive/packed_tools.h"

#include "proc/kernel.h"
#include "proc/process.h"

namespace paddock {
namespace {

struct Ending {
  PackFamily family;
  std::string_view text;
  std::string_view plain;      // what takes its place
  std::string_view unpacker;   // the program that undoes it
};
constexpr Ending kEndings[] = {
    {PackFamily::kGzip, ".gz", "", "gzip"},     {PackFamily::kGzip, "-gz", "", "gzip"},      {PackFamily::kGzip, ".z", "", "gzip"},
    {PackFamily::kGzip, "-z", "", "gzip"},      {PackFamily::kGzip, ".Z", "", "gzip"},       {PackFamily::kGzip, "-Z", "", "gzip"},
    {PackFamily::kGzip, ".tgz", ".tar", "gzip"}, {PackFamily::kGzip, ".taz", ".tar", "gzip"}, {PackFamily::kBzip2, ".bz2", "", "bzip2"},
    {PackFamily::kBzip2, ".bz", "", "bzip2"},   {PackFamily::kBzip2, ".tbz", ".tar", "bzip2"}, {PackFamily::kBzip2, ".tbz2", ".tar", "bzip2"},
    {PackFamily::kXz, ".xz", "", "xz"},         {PackFamily::kXz, "-xz", "", "xz"},          {PackFamily::kXz, ".lzma", "", "xz"},
    {PackFamily::kXz, "-lzma", "", "xz"},       {PackFamily::kXz, ".txz", ".tar", "xz"},     {PackFamily::kXz, ".tlz", ".tar", "xz"},
    {PackFamily::kXz, ".gz", "", "gzip"},       {PackFamily::kXz, "-gz", "", "gzip"},        {PackFamily::kXz, ".tgz", ".tar", "gzip"},
    {PackFamily::kXz, ".bz2", "", "bzip2"},     {PackFamily::kXz, "-bz2", "", "bzip2"},      {PackFamily::kXz, ".tbz", ".tar", "bzip2"},
    {PackFamily::kXz, ".tbz2", ".tar", "bzip2"}, {PackFamily::kXz, ".zst", "", "zstd"},      {PackFamily::kXz, ".tzst", ".tar", "zstd"},
    {PackFamily::kZstd, ".zst", "", "zstd"},
};

const Ending* EndingOf(PackFamily family, std::string_view file) {
  for (const Ending& ending : kEndings) {
    if (ending.family == family && file.size() > ending.text.size() && file.ends_with(ending.text)) return &ending;
  }
  return nullptr;
}

ChildSpec UnpackSpec(Invocation& in, PackFamily family, const std::string& file, vfs::OpenFilePtr out) {
  ChildSpec spec;
  spec.args = UnpackCommand(family, file);
  spec.environment = &in.env;
  spec.out = std::move(out);
  return spec;
}

}  // namespace

PackFamily FamilyOf(std::string_view command_name) {
  if (command_name.starts_with("zstd")) return PackFamily::kZstd;
  if (command_name.starts_with("bz")) return PackFamily::kBzip2;
  if (command_name.starts_with("xz") || command_name.starts_with("lz")) return PackFamily::kXz;
  return PackFamily::kGzip;
}

std::vector<std::string> UnpackCommand(PackFamily family, const std::string& file) {
  std::string program = family == PackFamily::kGzip ? "gzip" : family == PackFamily::kBzip2 ? "bzip2" : family == PackFamily::kXz ? "xz" : "zstd";
  const Ending* ending = EndingOf(family, file);
  if (ending != nullptr) program = ending->unpacker;
  // zstd takes a lone - behind -- for a file.
  if (file == "-") return {program, family == PackFamily::kZstd ? "-cdf" : "-cdfq", file};
  return {program, family == PackFamily::kZstd ? "-cdf" : "-cdfq", "--", file};
}

bool HasPackedName(PackFamily family, std::string_view file) { return EndingOf(family, file) != nullptr; }

std::string WithoutPackedEnding(PackFamily family, std::string_view file) {
  const Ending* ending = EndingOf(family, file);
  if (ending == nullptr) return std::string(file);
  return std::string(file.substr(0, file.size() - ending->text.size())) + std::string(ending->plain);
}

Result<ExitStatus> Unpack(Invocation& in, PackFamily family, const std::string& file, vfs::OpenFilePtr out) {
  in.out.Flush();
  return in.launcher.Run(in.process, UnpackSpec(in, family, file, std::move(out)));
}
Result<int> SpawnUnpack(Invocation& in, PackFamily family, const std::string& file, vfs::OpenFilePtr out) {
  in.out.Flush();
  return in.launcher.Spawn(in.process, UnpackSpec(in, family, file, std::move(out)));
}

std::string ScriptName(Invocation& in, const std::string& name) {
  const std::string& called = in.args[0];
  if (in.name() == name && called.find('/') != std::string::npos) return called;
  return in.launcher.FindProgram(in.process, in.env, name).value_or(name);
}

}  // namespace paddock
