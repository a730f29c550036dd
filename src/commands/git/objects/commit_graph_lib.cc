// git commit-graph: commits with their parents and dates in one file, for quick walks of other gits.
//
// Source: gitformat-commit-graph(5), version 1, with topological levels for generations.
#include <algorithm>

#include "commands/git/objects/changed_paths.h"
#include "commands/git/refs/revision.h"
#include "commands/git/remote/remote.h"
#include "git/big_endian.h"
#include "git/pack_files.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

constexpr uint32_t kNoParent = 0x70000000, kMore = 0x80000000, kMostGeneration = 0x3fffffff;
constexpr size_t kHeader = 8, kTableEntry = 12, kChecksum = 20, kRecord = 36;
constexpr std::string_view kFilterHeader("\0\0\0\1\0\0\0\7\0\0\0\12", 12);   // version 1, 7 hashes, 10 bits an entry

struct Options {
  bool reachable = false, from_commits = false, from_packs = false, appends = false, progress = false, shallow = false;
  std::optional<bool> changed_paths;
  std::optional<int64_t> most_filters;
  std::optional<std::string> split;
  std::string directory;
};
Status TakeSplit(Options& options, std::string_view text) {
  if (!text.empty() && text != "no-merge" && text != "replace") return Error(Code::kRange, "unrecognized --split argument, " + std::string(text));
  options.split = std::string(text);
  return {};
}
constexpr Option kOptions[] = {
    Value<&Options::directory>(0, "object-dir", "DIRECTORY", "of these objects"),
    Flag<&Options::reachable>(0, "reachable", "write: what references lead to"),
    Flag<&Options::from_packs>(0, "stdin-packs", "write: the commits of the packs that standard input names"),
    Flag<&Options::from_commits>(0, "stdin-commits", "write: what the commits of standard input lead to"),
    Flag<&Options::appends>(0, "append", "write: with what the file has"),
    CallOptional<TakeSplit>(0, "split", "HOW", "write: as a chain of files (of one)"),
    Set<&Options::changed_paths, true>(0, "changed-paths", "write: with filters of the paths that each commit changed"),
    Set<&Options::changed_paths, false>(0, "no-changed-paths", "write: without them"),
    Value<&Options::most_filters>(0, "max-new-filters", "N", "write: at most so many new ones"),
    Flag<&Options::progress>(0, "progress", "show progress (git does after two seconds; this is done by then)"),
    Set<&Options::progress, false>(0, "no-progress", "show none"),
    Flag<&Options::shallow>(0, "shallow", "verify: only the last file of a chain"),
};

// A file taken apart; what it says is not believed.
struct Graph {
  std::string bytes;
  size_t names = 0, records = 0, edges = 0, edges_end = 0, count = 0;
  size_t filter_ends = 0, filters = 0, filters_size = 0;   // of changed paths; 0: none

  // The filter of a commit; empty where there is none.
  std::string_view FilterAt(size_t number) const {
    if (filters == 0) return {};
    const size_t begin = number == 0 ? 0 : Read32(bytes, filter_ends + (number - 1) * 4), end = Read32(bytes, filter_ends + number * 4);
    return begin > end || end > filters_size ? std::string_view() : std::string_view(bytes).substr(filters + begin, end - begin);
  }
  Oid IdAt(size_t number) const { return Oid::FromBytes(std::string_view(bytes).substr(names + number * 20)); }
};
Result<Graph> ReadGraph(std::string bytes, Budget& budget) {
  Graph graph;
  const std::string_view text = bytes;
  if (text.size() < kHeader + kTableEntry + kChecksum) return Error(Code::kCorrupt, "commit-graph file is too small");
  if (!text.starts_with("CGPH")) return Error(Code::kCorrupt, "commit-graph signature does not match signature 43475048");
  const size_t chunks = static_cast<uint8_t>(text[6]);
  if (text.size() < kHeader + (chunks + 1) * kTableEntry + kChecksum) return Error(Code::kCorrupt, "commit-graph file is too small to hold " + std::to_string(chunks) + " chunks");
  size_t table = 0, names_end = 0, records_end = 0, filter_count = 0;
  for (size_t i = 0; i < chunks; ++i) {
    budget.Step();
    const size_t at = kHeader + i * kTableEntry;
    const uint64_t begin = uint64_t{Read32(text, at + 4)} << 32 | Read32(text, at + 8), end = uint64_t{Read32(text, at + 16)} << 32 | Read32(text, at + 20);
    if (begin > end || end > text.size() - kChecksum) return Error(Code::kCorrupt, "improper chunk offset(s)");
    const std::string_view id = text.substr(at, 4);
    if (id == "OIDF" && end - begin == 256 * 4) table = begin;
    if (id == "OIDL") {
      graph.names = begin;
      names_end = end;
    }
    if (id == "CDAT") {
      graph.records = begin;
      records_end = end;
    }
    if (id == "BIDX" && end - begin >= 4) {
      graph.filter_ends = begin;
      filter_count = (end - begin) / 4;
    }
    if (id == "BDAT" && text.substr(begin, kFilterHeader.size()) == kFilterHeader) {
      graph.filters = begin + kFilterHeader.size();
      graph.filters_size = end - graph.filters;
    }
    if (id == "EDGE") {
      graph.edges = begin;
      graph.edges_end = end;
    }
  }
  if (table == 0) return Error(Code::kCorrupt, "commit-graph is missing the OID Fanout chunk");
  if (graph.names == 0) return Error(Code::kCorrupt, "commit-graph is missing the OID Lookup chunk");
  if (graph.records == 0) return Error(Code::kCorrupt, "commit-graph is missing the Commit Data chunk");
  graph.count = Read32(text, table + 255 * 4);
  if (graph.count * 20 > names_end - graph.names || graph.count * kRecord > records_end - graph.records) return Error(Code::kCorrupt, "commit-graph is too small for its commits");
  if (filter_count != graph.count || graph.filters == 0) graph.filter_ends = graph.filters = 0;
  graph.bytes = std::move(bytes);
  return graph;
}

class Writing {
 public:
  explicit Writing(Git& git) : git_(git), history_(git) {}

  // `filters`: those that are known; at most `most` new ones are made. Null: the file gets none.
  Result<std::string> Text(const std::set<Oid>& commits, std::map<Oid, std::string>* filters, int64_t most) {
    const std::vector<Oid> ids(commits.begin(), commits.end());
    PADDOCK_TRY(Measure(ids));
    git_.in.budget.WillAllocate(ids.size() * 80);
    std::string table, names, records, edges;
    size_t at = 0;
    for (unsigned first = 0; first < 256; ++first) {
      while (at < ids.size() && ids[at].bytes[0] <= first) ++at;
      Append32(table, static_cast<uint32_t>(at));
    }
    const auto place = [&ids](const Oid& id) { return static_cast<uint32_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin()); };
    for (const Oid& id : ids) {
      git_.in.budget.Step(4);
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      const std::vector<Oid>& parents = node->commit.parents;
      names += id.View();
      records += node->commit.tree.View();
      Append32(records, parents.empty() ? kNoParent : place(parents[0]));
      if (parents.size() < 3) {
        Append32(records, parents.size() < 2 ? kNoParent : place(parents[1]));
      } else {
        Append32(records, kMore | static_cast<uint32_t>(edges.size() / 4));
        for (size_t i = 1; i < parents.size(); ++i) Append32(edges, place(parents[i]) | (i + 1 == parents.size() ? kMore : 0));
      }
      const uint64_t time = static_cast<uint64_t>(std::max<int64_t>(node->time, 0));
      Append32(records, levels_[id] << 2 | static_cast<uint32_t>(time >> 32 & 3));
      Append32(records, static_cast<uint32_t>(time));
    }
    std::vector<std::pair<std::string, const std::string*>> chunks = {{"OIDF", &table}, {"OIDL", &names}, {"CDAT", &records}};
    if (!edges.empty()) chunks.emplace_back("EDGE", &edges);
    std::string filter_ends, filter_bytes(kFilterHeader);
    if (filters != nullptr) {
      PADDOCK_TRY(MakeFilters(ids, *filters, most));
      for (const Oid& id : ids) {
        filter_bytes += (*filters)[id];
        Append32(filter_ends, static_cast<uint32_t>(filter_bytes.size() - kFilterHeader.size()));
      }
      chunks.emplace_back("BIDX", &filter_ends);
      chunks.emplace_back("BDAT", &filter_bytes);
    }
    std::string text = "CGPH";
    for (const size_t byte : {size_t{1}, size_t{1}, chunks.size(), size_t{0}}) text.push_back(static_cast<char>(byte));
    uint64_t offset = kHeader + (chunks.size() + 1) * kTableEntry;
    const auto entry = [&text](const std::string& id, uint64_t where) {
      text += id;
      Append32(text, static_cast<uint32_t>(where >> 32));
      Append32(text, static_cast<uint32_t>(where));
    };
    for (const auto& [id, bytes] : chunks) {
      entry(id, offset);
      offset += bytes->size();
    }
    entry(std::string(4, '\0'), offset);
    for (const auto& [id, bytes] : chunks) text += *bytes;
    text += DigestOf(DigestAlgorithm::kSha1, text);
    return text;
  }

 private:
  Status MakeFilters(const std::vector<Oid>& ids, std::map<Oid, std::string>& filters, int64_t most) {
    std::vector<std::tuple<uint32_t, int64_t, Oid>> order;
    for (const Oid& id : ids) {
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      order.emplace_back(levels_[id], node->time, id);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [level, time, id] : order) {
      git_.in.budget.Step(4);
      if (!filters[id].empty()) continue;
      if (most >= 0 && most-- == 0) break;
      PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
      PADDOCK_ASSIGN(filters[id], ChangedPathFilter(git_, node->commit));
    }
    return {};
  }

  // The level of each: one more than the highest of its parents.
  Status Measure(const std::vector<Oid>& ids) {
    std::vector<Oid> todo;
    for (const Oid& start : ids) {
      todo.push_back(start);
      while (!todo.empty()) {
        git_.in.budget.Step();
        const Oid id = todo.back();
        if (levels_.contains(id)) {
          todo.pop_back();
          continue;
        }
        PADDOCK_ASSIGN(const History::Node* node, history_.Get(id));
        uint32_t level = 0;
        bool waits = false;
        for (const Oid& parent : node->commit.parents) {
          const auto found = levels_.find(parent);
          if (found == levels_.end()) {
            todo.push_back(parent);
            waits = true;
          } else {
            level = std::max(level, found->second);
          }
        }
        if (waits) continue;
        levels_[id] = std::min(level + 1, kMostGeneration);
        todo.pop_back();
      }
    }
    return {};
  }

  Git& git_;
  History history_;
  std::map<Oid, uint32_t> levels_;
};

class GraphFiles {
 public:
  GraphFiles(Git& git, const std::string& directory) : git_(git), info_((directory.empty() ? git.objects.directory() : directory) + "/info") {}

  std::string Single() const { return info_ + "/commit-graph"; }
  std::string Chain() const { return info_ + "/commit-graphs/commit-graph-chain"; }
  // The file that there is; empty without one. Of a chain: the last.
  std::string Find() const {
    if (git_.in.fs.Stat(Single())) return Single();
    const auto chain = vfs::ReadFile(git_.in.fs, Chain(), 1 << 16);
    if (!chain || chain->size() < 41) return {};
    const std::string hash = chain->substr(chain->size() - 41, 40);
    return Oid::FromHex(hash) ? info_ + "/commit-graphs/graph-" + hash + ".graph" : std::string();
  }

  Status Write(const std::string& text, bool is_split) {
    PADDOCK_TRY(vfs::MakeDirectories(git_.in.fs, info_ + (is_split ? "/commit-graphs" : "")));
    const auto put = [this](const std::string& path, const std::string& bytes) {
      static_cast<void>(git_.in.fs.RemoveFile(path).has_value());
      return vfs::WriteFile(git_.in.fs, path, bytes, 0444);
    };
    // Another form of it would be older.
    static_cast<void>(git_.in.fs.RemoveFile(Single()).has_value());
    if (const auto old = git_.in.fs.List(info_ + "/commit-graphs")) {
      for (const vfs::DirectoryEntry& entry : *old) {
        const bool is_ours = entry.name.ends_with(".graph") || entry.name == "commit-graph-chain";
        if (is_ours) static_cast<void>(git_.in.fs.RemoveFile(info_ + "/commit-graphs/" + entry.name).has_value());
      }
    }
    if (!is_split) return put(Single(), text);
    const std::string hash = Oid::FromBytes(std::string_view(text).substr(text.size() - kChecksum)).Hex();
    PADDOCK_TRY(put(info_ + "/commit-graphs/graph-" + hash + ".graph", text));
    return put(Chain(), hash + "\n");
  }

 private:
  Git& git_;
  std::string info_;
};

Result<ExitStatus> Write(Git& git, const Options& options) {
  if (options.reachable + options.from_commits + options.from_packs > 1) return Error(Code::kInvalid, "use at most one of --reachable, --stdin-commits, or --stdin-packs");
  std::vector<Oid> starts;
  const auto add = [&](const Oid& id) {
    if (const auto commit = git.objects.Peel(id, ObjectType::kCommit)) starts.push_back(*commit);
  };
  if (options.reachable) {
    for (const auto& [name, id] : git.refs.List("refs/")) add(id);
  } else if (options.from_commits) {
    while (const auto line = git.in.in.ReadLine()) {
      git.in.budget.Step();
      const auto id = Oid::FromHex(line->text);
      if (!id) {
        git.Complain("unexpected non-hex object ID: " + std::string(line->text));
        return 1;
      }
      add(*id);
    }
  } else {
    std::vector<std::string> stems = git.objects.PackStems();
    if (options.from_packs) {
      stems.clear();
      while (const auto line = git.in.in.ReadLine()) {
        std::string name(line->text);
        if (name.ends_with(".idx")) name.resize(name.size() - 4);
        stems.push_back(git.objects.directory() + "/pack/" + name);
      }
    }
    for (const std::string& stem : stems) {
      const auto ids = PackedIds(git.in.fs, stem, git.in.budget);
      if (!ids) return Error(Code::kNoEntry, "error adding pack " + vfs::BaseName(stem) + ".idx");
      for (const Oid& id : *ids) {
        PADDOCK_ASSIGN(const Object object, git.objects.Read(id));
        if (object.type == ObjectType::kCommit) starts.push_back(id);
      }
    }
  }
  GraphFiles files(git, options.directory);
  std::map<Oid, std::string> filters;
  bool has_filters = false;
  const std::string path = files.Find();
  if (auto text = path.empty() ? Result<std::string>(Error(Code::kNoEntry)) : vfs::ReadFile(git.in.fs, path)) {
    if (const auto graph = ReadGraph(std::move(*text), git.in.budget)) {
      has_filters = graph->filters != 0;
      for (size_t i = 0; i < graph->count; ++i) {
        git.in.budget.Step();
        if ((options.appends || options.split) && git.objects.Has(graph->IdAt(i))) starts.push_back(graph->IdAt(i));
        if (has_filters) filters[graph->IdAt(i)] = graph->FilterAt(i);
      }
    }
  }
  PADDOCK_ASSIGN(const std::set<Oid> commits, History(git).Ancestors(starts));
  if (commits.empty()) return 0;
  int64_t most = options.most_filters.value_or(-1);
  if (const auto told = git.config.Get("commitgraph.maxnewfilters"); told && !options.most_filters) PADDOCK_TRY(ParseOptionValue(*told, most));
  PADDOCK_ASSIGN(const std::string text, Writing(git).Text(commits, options.changed_paths.value_or(has_filters) ? &filters : nullptr, most));
  PADDOCK_TRY(files.Write(text, options.split.has_value()));
  return 0;
}

Result<ExitStatus> Verify(Git& git, const Options& options) {
  const std::string path = GraphFiles(git, options.directory).Find();
  if (path.empty()) return 0;
  auto text = vfs::ReadFile(git.in.fs, path);
  if (!text) return git.Complain("could not open commit-graph '" + path + "'");
  const auto graph = ReadGraph(std::move(*text), git.in.budget);
  if (!graph) return git.Complain(graph.error().Text());
  ExitStatus status = 0;
  const std::string& bytes = graph->bytes;
  const auto complain = [&](const std::string& why) {
    git.Say(why + "\n");
    status = 1;
  };
  if (DigestOf(DigestAlgorithm::kSha1, std::string_view(bytes).substr(0, bytes.size() - kChecksum)) != std::string_view(bytes).substr(bytes.size() - kChecksum)) complain("the commit-graph file has incorrect checksum and is likely corrupt");
  for (size_t i = 0; i < graph->count; ++i) {
    git.in.budget.Step(4);
    const Oid id = graph->IdAt(i);
    if (i > 0 && !(graph->IdAt(i - 1) < id)) complain("commit-graph has incorrect OID order: " + graph->IdAt(i - 1).Hex() + " then " + id.Hex());
    const auto commit = git.objects.ReadCommit(id);
    if (!commit) {
      complain("failed to parse commit " + id.Hex() + " from object database for commit-graph");
      continue;
    }
    const size_t at = graph->records + i * kRecord;
    if (const Oid tree = Oid::FromBytes(std::string_view(bytes).substr(at)); tree != commit->tree) complain("root tree OID for commit " + id.Hex() + " in commit-graph is " + tree.Hex() + " != " + commit->tree.Hex());
    const uint32_t first = Read32(bytes, at + 20);
    const Oid told = first < graph->count ? graph->IdAt(first) : Oid{}, parent = commit->parents.empty() ? Oid{} : commit->parents[0];
    if (told != parent && ReadShallow(git).empty()) complain("commit-graph parent for " + id.Hex() + " is " + told.Hex() + " != " + parent.Hex());
    const uint64_t time = uint64_t{Read32(bytes, at + 28) & 3} << 32 | Read32(bytes, at + 32);
    if (const int64_t date = ParseSignature(commit->committer).time; date >= 0 && static_cast<uint64_t>(date) != time) complain("commit date for commit " + id.Hex() + " in commit-graph is " + std::to_string(time) + " != " + std::to_string(date));
  }
  return status;
}

Result<ExitStatus> Run(Git& git, Options& options, Args& args) {
  const std::vector<std::string> words = args.All();
  if (words.size() == 1 && words[0] == "write") return Write(git, options);
  if (words.size() == 1 && words[0] == "verify") return Verify(git, options);
  if (words.empty()) git.Say("error: need a subcommand\n");
  else if (words[0] != "write" && words[0] != "verify") git.Say("error: unknown subcommand: `" + words[0] + "'\n");
  git.Say("usage: git commit-graph verify [--object-dir <dir>] [--shallow] [--[no-]progress]\n   or: git commit-graph write [--object-dir <dir>] [--append]\n                              [--split[=<strategy>]] [--reachable | --stdin-packs | --stdin-commits]\n                              [--changed-paths] [--[no-]max-new-filters <n>] [--[no-]progress]\n                              <split options>\n\n");
  return 129;
}

}  // namespace

extern const Subcommand kCommitGraph;
const Subcommand kCommitGraph = DefineSubcommand<Options, Run>({.name = "commit-graph", .summary = "write the commits into one file, for quick walks", .synopsis = "write [--object-dir <dir>] [--append] [--split[=<strategy>]] [--reachable | --stdin-packs | --stdin-commits] [--[no-]progress]\nverify [--object-dir <dir>] [--shallow] [--[no-]progress]", .options = kOptions});

}  // namespace paddock::git
