// The options of git fetch, which git pull has, too.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/git/remote/remote.h"

namespace paddock::git {

struct FetchOptions {
  bool quiet = false, verbose = false, all = false, multiple = false, prune = false, prune_tags = false, force = false, append = false, dry_run = false, unshallow = false, keep = false;
  bool tags = false, no_tags = false, update_head_ok = false, atomic = false, prefetch = false, refetch = false, update_shallow = false, upstream = false, negotiate_only = false, from_stdin = false, progress = false;
  bool writes_head = true, ipv4 = false, ipv6 = false;
  std::optional<bool> shows_forced, maintains, commit_graph, recurses;
  bool is_on_demand = false;   // only submodules whose commits changed
  std::optional<uint32_t> depth;
  std::optional<int64_t> deepen, jobs;
  std::optional<std::string> since, filter, upload_pack;
  std::vector<std::string> excluded, refmaps, tips, server_options;
  bool has_refmaps = false;
  std::string action = "fetch";   // begins the lines of the reflog
};

inline Status SetFetchDepth(FetchOptions& options, std::string_view text) {
  PADDOCK_ASSIGN(options.depth, ParseDepth(text));
  return {};
}
Status AddRefmap(FetchOptions& options, std::string_view text);
Status SetFetchRecursion(FetchOptions& options, std::string_view text);
// A number, or git's complaint of the option: "option `jobs' expects a numerical value".
Result<int64_t> ParseGitNumber(std::string_view text, std::string_view option);
Status SetDeepen(FetchOptions& options, std::string_view text);
Status SetFetchJobs(FetchOptions& options, std::string_view text);

// Whether --filter knows it.
bool IsFilter(const std::string& text);
void WarnOfFilter(Invocation& in, Remote& remote);
// What a partial clone leaves in the configuration.
Status RegisterFilter(Git& git, const std::string& name, const std::string& filter);
// All of git fetch, with its operands.
Result<ExitStatus> RunFetchCommand(Git& git, FetchOptions& options, std::vector<std::string> operands);
// What comes behind every fetch: the graph of commits, packing, if they are asked for.
Result<ExitStatus> FinishFetch(Git& git, const FetchOptions& options);

// The same in the submodules whose commits may have changed, or in all of them.
Status FetchSubmodules(Git& git, const FetchOptions& options);

// The options that both commands have. Options of pull begin with a FetchOptions.
inline constexpr auto kSharedFetchOptions = std::to_array<Option>({
    Flag<&FetchOptions::all>(0, "all", "from all remotes"),
    Flag<&FetchOptions::append>('a', "append", "add to FETCH_HEAD"),
    Call<SetFetchDepth>(0, "depth", "N", "only so many commits of history"),
    Call<SetDeepen>(0, "deepen", "N", "so many commits more"),
    Value<&FetchOptions::since>(0, "shallow-since", "DATE", "only history after DATE"),
    Value<&FetchOptions::excluded>(0, "shallow-exclude", "REF", "without the history of REF there"),
    Flag<&FetchOptions::unshallow>(0, "unshallow", "the whole history"),
    Flag<&FetchOptions::update_shallow>(0, "update-shallow", "also what ends early there"),
    Flag<&FetchOptions::dry_run>(0, "dry-run", "change nothing"),
    Flag<&FetchOptions::force>('f', "force", "also what is no fast-forward"),
    Flag<&FetchOptions::keep>('k', "keep", "keep the pack, however small"),
    Flag<&FetchOptions::prune>('p', "prune", "remove remote branches that are gone"),
    Flag<&FetchOptions::upstream>(0, "set-upstream", "track what is fetched"),
    Call<AddRefmap>(0, "refmap", "SPEC", "where to put what is named, instead of what the configuration says"),
    Value<&FetchOptions::tips>(0, "negotiation-tip", "REVISION", "tell only of what this leads to"),
    Set<&FetchOptions::shows_forced, true>(0, "show-forced-updates", "tell what is no fast-forward (the default)"),
    Set<&FetchOptions::shows_forced, false>(0, "no-show-forced-updates", "do not look"),
    Value<&FetchOptions::upload_pack>(0, "upload-pack", "PROGRAM", "the program at the other end: git-upload-pack"),
    Value<&FetchOptions::server_options>('o', "server-option", "TEXT", "hand TEXT to the server (not over HTTP)"),
    CallOptional<SetFetchRecursion>(0, "recurse-submodules", "WHEN", "also in submodules: yes, no, on-demand"),
    Set<&FetchOptions::recurses, false>(0, "no-recurse-submodules", "not in submodules"),
    Call<SetFetchJobs>('j', "jobs", "N", "so many at once, where there are several"),
    Flag<&FetchOptions::progress>(0, "progress", "show progress"),
    Set<&FetchOptions::progress, false>(0, "no-progress", "show none"),
    Flag<&FetchOptions::ipv4>('4', "ipv4", "use IPv4 (not over HTTP: that is the policy's affair)"),
    Flag<&FetchOptions::ipv6>('6', "ipv6", "likewise"),
});
template <size_t kOwn>
constexpr std::array<Option, kOwn + kSharedFetchOptions.size()> WithFetchOptions(const std::array<Option, kOwn>& own) {
  std::array<Option, kOwn + kSharedFetchOptions.size()> all{};
  std::copy(own.begin(), own.end(), all.begin());
  std::copy(kSharedFetchOptions.begin(), kSharedFetchOptions.end(), all.begin() + kOwn);
  return all;
}

}  // namespace paddock::git
