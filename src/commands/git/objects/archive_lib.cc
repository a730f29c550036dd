// git archive: a tree as tar or zip.
#include <algorithm>

#include "codec/coder.h"
#include "codec/tar.h"
#include "codec/zip.h"
#include "commands/file_facts.h"
#include "commands/git/history/pretty.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/remote.h"
#include "commands/git/work/attributes.h"

namespace paddock::git {
namespace {

struct Options {
  std::string format, prefix, output;
  std::vector<std::string> added;   // files, with the prefix before a NUL
  std::optional<int> level;
  bool lists = false, verbose = false, worktree_attributes = false;
  std::optional<std::string> remote;
  std::string exec;
};
Status AddFile(Options& options, std::string_view value) {
  options.added.push_back(options.prefix + '\0' + std::string(value));
  return {};
}
Status AddVirtualFile(Options& options, std::string_view value) {
  const size_t colon = value.find(':');
  if (colon == std::string_view::npos) return Error(Code::kInvalid, "missing colon: '" + std::string(value) + "'");
  options.added.push_back('\1' + std::string(value));
  return {};
}
constexpr Option kOptions[] = {
    Value<&Options::format>(0, "format", "FORMAT", "tar, zip, tgz or tar.gz"),
    Value<&Options::prefix>(0, "prefix", "TEXT", "put TEXT before names"),
    Call<AddFile>(0, "add-file", "FILE", "add a file that git does not know"),
    Call<AddVirtualFile>(0, "add-virtual-file", "NAME:CONTENT", "add a file that is not there"),
    Value<&Options::output>('o', "output", "FILE", "write to FILE"),
    Flag<&Options::verbose>('v', "verbose", "tell the names on standard error"),
    Flag<&Options::lists>('l', "list", "list the formats"),
    Flag<&Options::worktree_attributes>(0, "worktree-attributes", "also as .gitattributes of the working tree says"),
    Value<&Options::remote>(0, "remote", "REPOSITORY", "of this repository (not over HTTP)"),
    Value<&Options::exec>(0, "exec", "PROGRAM", "with --remote: the program at the other end, git-upload-archive"),
};
bool TakeLevel(void* options, std::string_view argument) {
  if (argument.size() != 2 || argument[0] != '-' || argument[1] < '0' || argument[1] > '9') return false;
  static_cast<Options*>(options)->level = argument[1] - '0';
  return true;
}

struct Member {
  std::string path;
  uint32_t mode = 0;
  std::string content;   // or the target of a link
};

// One form of archive; members come in order.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual Status Add(const Member& member) = 0;
  virtual Status Finish() = 0;
};

class TarWriter final : public Writer {
 public:
  TarWriter(ByteSink& out, int64_t time, const std::optional<Oid>& commit) : out_(out), time_(time) {
    // The commit that the archive was made of, as git get-tar-commit-id finds it.
    if (commit) comment_ = "52 comment=" + commit->Hex() + "\n";
  }

  Status Start() {
    if (comment_.empty()) return {};
    codec::TarMember member;
    member.name = "pax_global_header";
    member.type = 'g';
    member.mode = 0666;
    return Put(member, comment_);
  }
  Status Add(const Member& file) override {
    codec::TarMember member;
    member.name = file.path;
    const bool is_directory = (file.mode & 0170000) == 0040000 || file.mode == kModeCommit;
    if (is_directory) {
      member.type = '5';
      member.mode = 0775;
      if (!member.name.ends_with('/')) member.name += '/';
      return Put(member, "");
    }
    if (file.mode == kModeLink) {
      member.type = '2';
      member.mode = 0777;
      member.link = file.content;
      return Put(member, "");
    }
    member.mode = (file.mode & 0100) != 0 ? 0775 : 0664;
    return Put(member, file.content);
  }
  Status Finish() override {
    const uint64_t record = 20 * codec::kTarBlock;
    const uint64_t rest = record - written_ % record;
    return Write(std::string(rest < 2 * codec::kTarBlock ? rest + record : rest, '\0'));
  }

 private:
  Status Put(codec::TarMember& member, std::string_view content) {
    member.size = member.stored = content.size();
    member.modified = time_;
    member.user = member.group = "root";
    codec::TarHeaderOptions options;
    options.format = codec::TarFormat::kUstar;
    auto header = codec::EncodeTarHeader(member, options);
    if (!header) {
      options.format = codec::TarFormat::kPax;
      PADDOCK_ASSIGN(*header, codec::EncodeTarHeader(member, options));
    }
    // git writes the sum with seven digits.
    if (header->size() == codec::kTarBlock) header->replace(148, 8, "0" + header->substr(148, 6) + '\0');
    PADDOCK_TRY(Write(*header));
    PADDOCK_TRY(Write(content));
    return Write(std::string((codec::kTarBlock - content.size() % codec::kTarBlock) % codec::kTarBlock, '\0'));
  }
  Status Write(std::string_view bytes) {
    written_ += bytes.size();
    return out_.Write(bytes);
  }

  ByteSink& out_;
  int64_t time_;
  std::string comment_;
  uint64_t written_ = 0;
};

// Raw deflate of a whole content.
Result<std::string> Deflated(std::string_view content, int level, Budget& budget) {
  const codec::CoderPtr coder = codec::NewDeflater(&budget, level);
  std::string packed, buffer(1 << 16, '\0');
  while (true) {
    budget.Step(64);
    PADDOCK_ASSIGN(const codec::Coder::Step step, coder->Run(content, true, buffer.data(), buffer.size()));
    content.remove_prefix(step.taken);
    packed.append(buffer, 0, step.made);
    if (content.empty() && step.is_between) return packed;
    budget.WillAllocate(step.made);
  }
}

class ZipWriter final : public Writer {
 public:
  ZipWriter(ByteSink& out, int level, const CalendarTime& time, int64_t seconds, const std::optional<Oid>& commit, Budget& budget)
      : out_(out), level_(level), seconds_(seconds), budget_(budget), comment_(commit ? commit->Hex() : std::string()) {
    const int64_t year = std::clamp<int64_t>(time.year, 1980, 2107);
    time_ = static_cast<uint16_t>(time.second / 2 + time.minute * 32 + time.hour * 2048);
    date_ = static_cast<uint16_t>(time.day + time.month * 32 + (year - 1980) * 512);
  }

  Status Add(const Member& file) override {
    codec::ZipEntry entry;
    entry.name = file.path;
    const bool is_directory = (file.mode & 0170000) == 0040000 || file.mode == kModeCommit;
    if (is_directory && !entry.name.ends_with('/')) entry.name += '/';
    const bool is_link = file.mode == kModeLink, is_executable = !is_link && (file.mode & 0111) != 0 && !is_directory;
    entry.dos_time = time_;
    entry.dos_date = date_;
    entry.host = is_link || is_executable ? 3 : 0;
    entry.version = is_link || is_executable ? 2 : 0;
    if (is_link) entry.external = (0120000u | 0777u) << 16;
    else if (is_executable) entry.external = file.mode << 16;
    else if (is_directory) entry.external = 16;
    for (const char c : entry.name) {
      if (static_cast<unsigned char>(c) > 127) entry.flags |= codec::kZipIsUtf8;
    }
    std::string packed = file.content;
    if (!is_directory && !is_link && level_ != 0 && !file.content.empty()) {
      PADDOCK_ASSIGN(packed, Deflated(file.content, level_, budget_));
      entry.method = codec::kZipDeflated;
      if (packed.size() >= file.content.size()) {
        packed = file.content;
        entry.method = codec::kZipStored;
      }
    }
    entry.needed = 10;
    entry.crc = codec::Crc32(0, file.content);
    entry.size = file.content.size();
    entry.packed = packed.size();
    entry.offset = written_;
    // The time since 1970, as Info-ZIP has it.
    std::string extra = "UT\5";
    extra += '\0';
    extra += '\1';
    for (int shift = 0; shift < 32; shift += 8) extra += static_cast<char>(seconds_ >> shift & 255);
    entry.extra = extra;
    PADDOCK_TRY(Write(codec::EncodeZipLocal(entry, extra)));
    PADDOCK_TRY(Write(packed));
    directory_ += codec::EncodeZipRecord(entry);
    ++count_;
    return {};
  }
  Status Finish() override {
    const uint64_t start = written_;
    PADDOCK_TRY(Write(directory_));
    return Write(codec::EncodeZipEnd(count_, start, directory_.size(), comment_));
  }

 private:
  Status Write(std::string_view bytes) {
    written_ += bytes.size();
    return out_.Write(bytes);
  }
  ByteSink& out_;
  int level_;
  int64_t seconds_;
  Budget& budget_;
  std::string comment_, directory_;
  uint16_t time_ = 0, date_ = 0;
  uint64_t written_ = 0, count_ = 0;
};

class Archiver {
 public:
  Archiver(Git& git, const Options& options, Pathspec& paths, Writer& writer, const Oid& id, const std::optional<Commit>& commit) : git_(git), options_(options), paths_(paths), writer_(writer), attributes_(git), id_(id), commit_(commit) {}

  Status Run(const Oid& tree) {
    // What the tree itself says of its files counts.
    if (!options_.worktree_attributes) {
      PADDOCK_ASSIGN(const FlatTree files, git_.Flatten(tree));
      attributes_.UseFiles(files, true);
    }
    if (!options_.prefix.empty() && options_.prefix.ends_with('/')) PADDOCK_TRY(Add({options_.prefix, kModeTree, ""}));
    PADDOCK_TRY(AddTree(tree, ""));
    for (const std::string& added : options_.added) {
      if (added[0] == '\1') {
        const size_t colon = added.find(':');
        PADDOCK_TRY(Add({added.substr(1, colon - 1), kModeFile, added.substr(colon + 1)}));
        continue;
      }
      const size_t nul = added.find('\0');
      const std::string name = added.substr(nul + 1);
      const auto facts = git_.in.fs.Stat(name);
      if (!facts || !facts->is_file()) return Error(Code::kNoEntry, "File not found: " + name);
      PADDOCK_ASSIGN(std::string content, vfs::ReadFile(git_.in.fs, name));
      PADDOCK_TRY(Add({added.substr(0, nul) + vfs::BaseName(name), (facts->mode & 0100) != 0 ? kModeExecutable : kModeFile, std::move(content)}));
    }
    return {};
  }

 private:
  Status Add(const Member& member) {
    git_.in.budget.Step(static_cast<int64_t>(8 + member.content.size() / 64));
    if (options_.verbose) git_.Say(member.path + "\n");
    return writer_.Add(member);
  }

  // A directory is written when the first file in it is.
  Status AddTree(const Oid& tree, const std::string& below) {
    git_.in.budget.CheckStack();
    if (below.size() > 4096) return Error(Code::kNameTooLong, "path in tree is too long");
    PADDOCK_ASSIGN(const std::vector<TreeEntry> entries, git_.objects.ReadTree(tree));
    for (const TreeEntry& entry : entries) {
      const std::string path = below + entry.name;
      const bool is_directory = entry.is_tree() || entry.mode == kModeCommit;
      if (attributes_.Get(path, "export-ignore") == "set") continue;
      if (!paths_.empty() && !paths_.Matches(path, git_.in.budget) && !(is_directory && paths_.MayMatchBelow(path, git_.in.budget))) continue;
      if (is_directory) {
        const bool is_whole = paths_.empty() || paths_.Matches(path, git_.in.budget);
        if (is_whole) PADDOCK_TRY(AddPending());
        pending_.push_back({options_.prefix + path + "/", kModeTree, ""});
        if (is_whole) PADDOCK_TRY(AddPending());
        if (entry.is_tree()) PADDOCK_TRY(AddTree(entry.id, path + "/"));
        if (!is_whole && !pending_.empty()) pending_.pop_back();
        continue;
      }
      PADDOCK_TRY(AddPending());
      PADDOCK_ASSIGN(std::string content, git_.ReadBlob(entry.id));
      if (commit_ && entry.mode != kModeLink && attributes_.Get(path, "export-subst") == "set") content = Substituted(content);
      PADDOCK_TRY(Add({options_.prefix + path, entry.mode, std::move(content)}));
    }
    return {};
  }
  Status AddPending() {
    for (const Member& member : pending_) PADDOCK_TRY(Add(member));
    pending_.clear();
    return {};
  }

  // $Format:%H$ in files that export-subst is set for.
  std::string Substituted(std::string_view content) {
    std::string text;
    while (true) {
      const size_t start = content.find("$Format:");
      const size_t end = start == std::string_view::npos ? start : content.find('$', start + 8);
      if (end == std::string_view::npos) break;
      text += content.substr(0, start);
      text += ExpandFormat(git_, content.substr(start + 8, end - start - 8), id_, *commit_, PrettyOptions{});
      content.remove_prefix(end + 1);
    }
    return text + std::string(content);
  }

  Git& git_;
  const Options& options_;
  Pathspec& paths_;
  Writer& writer_;
  Attributes attributes_;
  Oid id_;
  const std::optional<Commit>& commit_;
  std::vector<Member> pending_;
};

// A file or standard output.
class Output final : public ByteSink {
 public:
  Output(Git& git, vfs::OpenFilePtr file) : git_(git), file_(std::move(file)) {}
  Status Write(std::string_view bytes) override {
    if (file_) return file_->Write(bytes);
    git_.in.out.Write(bytes);
    return {};
  }

 private:
  Git& git_;
  vfs::OpenFilePtr file_;
};

Result<ExitStatus> MakeArchive(Git& git, const Options& options, std::vector<std::string> operands);

// As the two ends of git say it: what the other one complained of, then that it did.
ExitStatus TellRemoteFailure(Invocation& in, const std::string& complaint) {
  in.err.Write("remote: fatal: " + complaint + "        \nremote: git upload-archive: archiver died with error        \nfatal: sent error to the client: git upload-archive: archiver died with error\n");
  return 1;
}

Result<ExitStatus> Run(Invocation& in, Git* maybe_git, Options& options, Args& args) {
  const std::vector<std::string> operands = args.All();
  if (options.remote) {
    const std::string name = *options.remote, url = maybe_git != nullptr ? RewriteUrl(maybe_git->config, maybe_git->config.Get("remote." + name + ".url", name)) : name;
    if (IsUrl(url)) return Error(Code::kNotSupported, "operation not supported by protocol");
    PADDOCK_TRY(CheckRemoteProgram(options.exec, "upload-archive", url));
    const std::string directory = FindPathRepository(in, url);
    if (directory.empty()) {
      return TellRemoteFailure(in, "'" + url + "' does not appear to be a git repository");
    }
    Git there(in, directory, "", true);
    PADDOCK_ASSIGN(there.config, ReadConfig(in, &there));
    if (options.lists) {
      in.out.Write("tar\ntgz\ntar.gz\nzip\n");
      return 0;
    }
    // Only what a reference names is given away.
    if (!operands.empty() && !FindRef(there, operands[0].substr(0, operands[0].find(':'))) && !there.config.GetBool("uploadarchive.allowunreachable", false)) {
      return TellRemoteFailure(in, "no such ref: " + operands[0]);
    }
    return MakeArchive(there, options, operands);
  }
  if (options.lists) {
    in.out.Write("tar\ntgz\ntar.gz\nzip\n");
    return 0;
  }
  if (maybe_git == nullptr) return Error(Code::kNoEntry, std::string(kNoRepository));
  return MakeArchive(*maybe_git, options, operands);
}

Result<ExitStatus> MakeArchive(Git& git, const Options& options, std::vector<std::string> operands) {
  if (operands.empty()) {
    git.Say("usage: git archive [<options>] <tree-ish> [<path>...]\n");
    return 129;
  }
  std::string format = options.format;
  if (format.empty()) {
    for (const char* known : {"tar.gz", "tgz", "zip", "tar"}) {
      if (format.empty() && options.output.ends_with("." + std::string(known))) format = known;
    }
  }
  if (format.empty()) format = "tar";
  if (format != "tar" && format != "tgz" && format != "tar.gz" && format != "zip") return Error(Code::kInvalid, "Unknown archive format '" + format + "'");
  if (format == "tar" && options.level) return Error(Code::kInvalid, "Argument not supported for format '" + format + "': -" + std::to_string(*options.level));
  auto id = ResolveObject(git, operands[0]);
  if (!id) return Error(Code::kNoEntry, "not a valid object name: " + operands[0]);
  operands.erase(operands.begin());
  std::optional<Oid> commit_id;
  std::optional<Commit> commit;
  if (auto peeled = git.objects.Peel(*id, ObjectType::kCommit)) {
    commit_id = *peeled;
    PADDOCK_ASSIGN(commit, git.objects.ReadCommit(*peeled));
  }
  auto tree = git.objects.Peel(*id, ObjectType::kTree);
  if (!tree) return Error(Code::kInvalid, "not a tree object: " + id->Hex());
  // Below a directory of the working tree only that is archived.
  if (!git.prefix.empty()) {
    auto below = ResolveObject(git, tree->Hex() + ":" + git.prefix.substr(0, git.prefix.size() - 1));
    if (!below) return Error(Code::kNoEntry, "current working directory is untracked");
    *tree = *below;
  }
  PADDOCK_ASSIGN(Pathspec paths, Pathspec::Parse(operands, "", git.work_tree));
  const int64_t time = commit ? ParseSignature(commit->committer).time : Now(git.in.clock).seconds;
  vfs::OpenFilePtr file;
  if (!options.output.empty()) {
    auto opened = git.in.fs.Open(options.output, vfs::OpenFlags{.write = true, .create = true, .truncate = true}, 0666);
    if (!opened) return Error(opened.error().code, "could not create archive file '" + options.output + "': " + std::string(opened.error().Text()));
    file = std::move(*opened);
  }
  Output output(git, std::move(file));
  const auto write = [&](Writer& writer) -> Status {
    PADDOCK_TRY(Archiver(git, options, paths, writer, commit_id.value_or(*tree), commit).Run(*tree));
    return writer.Finish();
  };
  if (format == "zip") {
    const TimeZone zone = LocalZone(git.in.env);
    ZipWriter writer(output, options.level.value_or(6), zone.ToLocal(time), time, commit_id, git.in.budget);
    PADDOCK_TRY(write(writer));
  } else if (format == "tar") {
    TarWriter writer(output, time, commit_id);
    PADDOCK_TRY(writer.Start());
    PADDOCK_TRY(write(writer));
  } else {
    codec::EncodingSink packed(output, codec::NewGzipEncoder(&git.in.budget, options.level.value_or(6)), &git.in.budget);
    TarWriter writer(packed, time, commit_id);
    PADDOCK_TRY(writer.Start());
    PADDOCK_TRY(write(writer));
    PADDOCK_TRY(packed.Finish());
  }
  if (!operands.empty() && !paths.Unmatched().empty()) return Error(Code::kNoEntry, "pathspec '" + paths.Unmatched()[0] + "' did not match any files");
  return 0;
}

}  // namespace

extern const Subcommand kArchive;
const Subcommand kArchive = DefineFreeSubcommand<Options, Run>({.name = "archive", .summary = "make an archive of a tree", .synopsis = "[<options>] <tree-ish> [<path>...]\n--list", .options = kOptions, .rules = {.numeric_shorthand = TakeLevel}, .needs = Subcommand::Needs::kMaybeRepository});

}  // namespace paddock::git
