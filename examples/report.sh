#!/bin/bash
# An agent's data job: reads a folder of texts, a package list and a commit log, writes a Markdown report.
#   report.sh DATA        DATA/licenses/*, DATA/tables/packages.tsv, DATA/tables/commits.tsv
# It runs unchanged on the machine's own bash and GNU tools and gives the same bytes there.
set -euo pipefail
export LC_ALL=C
data=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

words_of() { tr -cs 'A-Za-z' '\n' <"$1" | tr 'A-Z' 'a-z' | awk 'length($0) > 4'; }

section() { printf '\n## %s\n\n' "$1"; }

echo '# What is on this machine'

section 'Licence texts'
printf '| text | lines | words | distinct long words | its words |\n|---|---:|---:|---:|---|\n'
declare -A lines_of
total=0
for path in "$data"/licenses/*; do
  [[ -f $path && ! -L $path ]] || continue
  name=${path##*/}
  read -r lines words _ < <(wc -lw "$path")
  words_of "$path" | sort | uniq -c | sort -k1,1nr -k2,2 >"$work/words"
  awk '{ print $2 }' "$work/words" | sort >"$work/list.$name"
  top=$(head -n 4 "$work/words" | awk '{ printf "%s%s (%d)", sep, $2, $1; sep = ", " }')
  printf '| %s | %d | %d | %d | %s |\n' "$name" "$lines" "$words" "$(wc -l <"$work/words")" "$top"
  lines_of[$name]=$lines
  ((total += lines))
done
printf '\n%d texts, %d lines. ' "${#lines_of[@]}" "$total"
common=""
for list in "$work"/list.*; do
  if [[ -z $common ]]; then cp "$list" "$work/common"; common=yes; continue; fi
  comm -12 "$work/common" "$list" >"$work/next"
  mv "$work/next" "$work/common"
done
printf 'Long words that all of them use: %s.\n' "$(paste -sd ' ' "$work/common")"

section 'Copyleft, by grep'
grep -ilE 'copyleft|derivative works?' "$data"/licenses/* | sed 's|.*/||' | sort | paste -sd, | sed 's/,/, /g; s/^/Texts that speak of copyleft or derivatives: /'

section 'Packages by section'
tables=$data/tables
awk -F'\t' '{ n[$2]++ } END { for (s in n) print s "\t" n[s] }' "$tables/packages.tsv" | sort >"$work/counts"
sort -t $'\t' -k2,2 -k3,3nr -k1,1 "$tables/packages.tsv" |
  awk -F'\t' '$2 != last { print $2 "\t" $1 "\t" $3; last = $2 }' | sort >"$work/largest"
printf '| section | packages | largest | MB | |\n|---|---:|---|---:|---|\n'
join -t $'\t' "$work/counts" "$work/largest" | sort -t $'\t' -k2,2nr -k1,1 | head -n 12 |
  awk -F'\t' '{ bar = sprintf("%*s", int($2 / 12) + 1, ""); gsub(/ /, "#", bar)
                printf "| %s | %d | %s | %.1f | `%s` |\n", $1, $2, $3, $4 / 1024, bar }'
awk -F'\t' '{ size += $3 } END { printf "\n%d packages, %.1f MB installed.\n", NR, size / 1024 }' "$tables/packages.tsv"

section 'Commits of this repository by area'
printf '| area | commits | longest summary |\n|---|---:|---|\n'
cut -f 2 "$tables/commits.tsv" | sed -nE 's/^([a-z_\/]+)[^:]*: (.*)/\1\t\2/p' |
  awk -F'\t' '{ n[$1]++; if (length($2) > length(long[$1])) long[$1] = $2 }
              END { for (a in n) printf "%d\t%s\t%s\n", n[a], a, long[a] }' |
  sort -t $'\t' -k1,1nr -k2,2 | head -n 8 |
  while IFS=$'\t' read -r count area summary; do
    printf '| %s | %d | %s |\n' "$area" "$count" "${summary//|/\\|}"
  done
mapfile -t days < <(cut -f 1 "$tables/commits.tsv" | sort -u)
printf '\n%d commits on %d days, from %s to %s.\n' "$(wc -l <"$tables/commits.tsv")" "${#days[@]}" "${days[0]}" "${days[-1]}"
