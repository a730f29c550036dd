// The scripts of git filter-branch: filters are run by one shell, so that what one of them sets is there for the next.
#pragma once

#include <string_view>

#include "commands/git/git.h"
#include "commands/git/work/worktree.h"

namespace paddock::git {

// What filters may call.
inline constexpr std::string_view kFilterFunctions = R"SH(warn() { echo "$*" >&2; }
die() { echo "$*" >&2; exit 1; }
map() { if [ -r "$workdir/../map/$1" ]; then cat "$workdir/../map/$1"; else echo "$1"; fi; }
skip_commit() { shift; while [ -n "$1" ]; do map "$2"; shift 2; done; }
git_commit_non_empty_tree() {
  case $#,$1 in
    1,4b825dc642cb6eb9a060e54bf8d69288fbee4904) return 0 ;;
    3,*) if [ "$1" = "$(git rev-parse "$3^{tree}")" ]; then map "$3"; return; fi ;;
  esac
  git commit-tree "$@"
}
)SH";

// One commit after the other: `revs` names it and its parents, who/ID and text/ID are what it says, map/ID gets what became of it.
inline constexpr std::string_view kFilterLoop = R"SH(eval "$filter_setup" </dev/null || die "filter setup failed: $filter_setup"
number=0 next_look=0 started=$(date +%s) progress=
while read -r commit parents <&9; do
  number=$((number + 1))
  if [ $number -gt $next_look ]; then
    elapsed=$(($(date +%s) - started))
    if [ $elapsed -gt 0 ]; then next_look=$(((elapsed + 1) * number / elapsed)); else next_look=$((next_look + 1)); fi
    progress=" ($elapsed seconds passed, remaining $(((commits - number) * elapsed / number)) predicted)"
  fi
  printf '\rRewrite %s (%s/%s)%s    ' "$commit" $number "$commits" "$progress"
  if [ -n "$filter_subdir" ]; then
    if git rev-parse -q --verify "$commit:$filter_subdir" >/dev/null; then git read-tree -i -m "$commit:$filter_subdir" || die "Could not initialize the index"
    else rm -f "$GIT_INDEX_FILE"; fi
  elif [ -n "$need_index" ]; then git read-tree -i -m $commit || die "Could not initialize the index"
  fi
  GIT_COMMIT=$commit; export GIT_COMMIT
  . "$tempdir/who/$commit"
  eval "$filter_env" </dev/null || die "env filter failed: $filter_env"
  if [ -n "$filter_tree" ]; then
    git checkout-index -f -u -a || die "Could not checkout the index"
    git clean -d -q -f -x
    eval "$filter_tree" </dev/null || die "tree filter failed: $filter_tree"
    (cd "$workdir" && git add -A -f) || exit
  fi
  eval "$filter_index" </dev/null || die "index filter failed: $filter_index"
  set --
  for parent in $parents; do
    for new in $(map $parent); do
      case " $* " in *" -p $new "*) ;; *) set -- "$@" -p $new ;; esac
    done
  done
  if [ -n "$filter_parent" ]; then set -- $(echo "${1:+ }$*" | eval "$filter_parent" || echo failed); [ "$1" != failed ] || die "parent filter failed: $filter_parent"; fi
  (eval "$filter_msg") <"$tempdir/text/$commit" >"$tempdir/message" || die "msg filter failed: $filter_msg"
  if [ -n "$need_index" ]; then tree=$(git write-tree); else tree=$(git rev-parse "$commit^{tree}"); fi
  workdir=$workdir sh -c "$filter_commit" "git commit-tree" $tree "$@" <"$tempdir/message" >"$tempdir/map/$commit" || die "could not write rewritten commit"
done 9<"$tempdir/revs"
)SH";

// The new names of tags, a line each.
inline constexpr std::string_view kTagLoop = R"SH(eval "$filter_setup" </dev/null >/dev/null 2>&1
while read -r GIT_COMMIT name <&9; do
  export GIT_COMMIT
  new=$(echo "$name" | eval "$filter_tag_name") || die "tag name filter failed: $filter_tag_name"
  echo "$new"
done 9<"$tempdir/tags"
)SH";

}  // namespace paddock::git
