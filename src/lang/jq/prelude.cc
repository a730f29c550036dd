#include "lang/jq/prelude.h"

namespace paddock::jq {
namespace {

constexpr PreludeFunction kPrelude[] = {
    {"map", 1, "def map(f): [.[] | f];"},
    {"map_values", 1, "def map_values(f): .[] |= f;"},
    {"values", 0, "def values: select(. != null);"},
    {"nulls", 0, "def nulls: select(. == null);"},
    {"booleans", 0, "def booleans: select(type == \"boolean\");"},
    {"numbers", 0, "def numbers: select(type == \"number\");"},
    {"strings", 0, "def strings: select(type == \"string\");"},
    {"arrays", 0, "def arrays: select(type == \"array\");"},
    {"objects", 0, "def objects: select(type == \"object\");"},
    {"iterables", 0, "def iterables: select(type | . == \"array\" or . == \"object\");"},
    {"scalars", 0, "def scalars: select(type | . != \"array\" and . != \"object\");"},
    {"finites", 0, "def finites: select(isfinite);"},
    {"normals", 0, "def normals: select(isnormal);"},
    {"recurse", 0, "def recurse: recurse(.[]?);"},
    {"recurse", 1, "def recurse(f): def again: ., (f | again); again;"},
    {"recurse", 2, "def recurse(f; cond): def again: ., (f | select(cond) | again); again;"},
    {"range", 3,
     "def range($from; $upto; $by): if $by > 0 then $from | while(. < $upto; . + $by) "
     "elif $by < 0 then $from | while(. > $upto; . + $by) else empty end;"},
    {"while", 2, "def while(cond; update): def again: if cond then ., (update | again) else empty end; again;"},
    {"until", 2, "def until(cond; next): def again: if cond then . else (next | again) end; again;"},
    {"repeat", 1, "def repeat(f): def again: f | (., again); again;"},
    {"last", 0, "def last: .[-1];"},
    {"last", 1, "def last(f): reduce f as $x (null; $x);"},
    {"first", 0, "def first: .[0];"},
    {"nth", 1, "def nth($n): .[$n];"},
    {"nth", 2,
     "def nth($n; f): if $n < 0 then error(\"nth doesn't support negative indices\") else "
     "label $done | foreach f as $x ($n + 1; . - 1; if . <= 0 then $x, break $done else empty end) end;"},
    {"limit", 2,
     "def limit($n; f): if $n > 0 then label $done | foreach f as $x (0; . + 1; $x, if . >= $n then break $done "
     "else empty end) elif $n == 0 then empty else f end;"},
    {"isempty", 1, "def isempty(g): label $done | (g | false, break $done), true;"},
    {"in", 1, "def in(xs): . as $x | xs | has($x);"},
    {"inside", 1, "def inside(xs): . as $x | xs | contains($x);"},
    {"any", 0, "def any: any(.[]; .);"},
    {"any", 1, "def any(f): any(.[]; f);"},
    {"any", 2, "def any(g; cond): isempty(first(g | cond | select(.))) | not;"},
    {"all", 0, "def all: all(.[]; .);"},
    {"all", 1, "def all(f): all(.[]; f);"},
    {"all", 2, "def all(g; cond): isempty(first(g | cond | select(. | not)));"},
    {"sort_by", 1, "def sort_by(f): _sort_by(map([f]));"},
    {"group_by", 1, "def group_by(f): _group_by(map([f]));"},
    {"unique_by", 1, "def unique_by(f): _unique_by(map([f]));"},
    {"min_by", 1, "def min_by(f): _min_by(map([f]));"},
    {"max_by", 1, "def max_by(f): _max_by(map([f]));"},
    {"transpose", 0,
     "def transpose: if type == \"array\" and all(.[]; type == \"array\") then _transpose "
     "else [range(0; map(length) | max // 0) as $i | [.[][$i]]] end;"},
    {"bsearch", 1,
     "def bsearch($x): if type == \"array\" then _bsearch($x) elif length == 0 then -1 else .[0] end;"},
    {"index", 1, "def index($x): indices($x) | .[0];"},
    {"rindex", 1, "def rindex($x): indices($x) | .[-1:][0];"},
    {"todate", 0, "def todate: strftime(\"%Y-%m-%dT%H:%M:%SZ\");"},
    {"fromdateiso8601", 0, "def fromdateiso8601: strptime(\"%Y-%m-%dT%H:%M:%SZ\") | mktime;"},
    {"todateiso8601", 0, "def todateiso8601: strftime(\"%Y-%m-%dT%H:%M:%SZ\");"},
    {"fromdate", 0, "def fromdate: fromdateiso8601;"},
    {"match", 1, "def match($re): _match_arguments($re; null; false) | .[];"},
    {"match", 2, "def match($re; $flags): _match($re; $flags; false) | .[];"},
    {"test", 1, "def test($re): _match_arguments($re; null; true);"},
    {"test", 2, "def test($re; $flags): _match($re; $flags; true);"},
    {"capture", 1, "def capture($re): match($re) | _captures;"},
    {"capture", 2, "def capture($re; $flags): match($re; $flags) | _captures;"},
    {"scan", 1, "def scan($re): scan($re; null);"},
    {"scan", 2,
     "def scan($re; $flags): match($re; \"g\" + $flags) | if (.captures | length) > 0 then [.captures[].string] "
     "else .string end;"},
    {"split", 2, "def split($re; $flags): _pieces($re; $flags + \"g\") as [$edits, $tail] | [$edits[][0], $tail];"},
    {"splits", 1, "def splits($re): splits($re; null);"},
    {"splits", 2, "def splits($re; $flags): split($re; $flags) | .[];"},
    {"sub", 2, "def sub($re; str): sub($re; str; \"\");"},
    {"sub", 3,
     "def sub($re; str; $flags): . as $text | _pieces($re; $flags) as [$edits, $tail] | "
     "[$edits[] as [$gap, $captures] | [$gap, ($captures | str)]] | _assemble($tail) | "
     "if . == [] then $text else .[] end;"},
    {"gsub", 2, "def gsub($re; str): sub($re; str; \"g\");"},
    {"gsub", 3, "def gsub($re; str; $flags): sub($re; str; $flags + \"g\");"},
    {"with_entries", 1, "def with_entries(f): to_entries | map(f) | from_entries;"},
    {"del", 1, "def del(f): delpaths([path(f)]);"},
    {"paths", 0, "def paths: path(..) | select(length > 0);"},
    {"leaf_paths", 0, "def leaf_paths: paths(scalars);"},
    {"paths", 1, "def paths(f): paths as $p | select(getpath($p) | f) | $p;"},
    {"pick", 1, "def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));"},
    {"walk", 1,
     "def walk(f): def w: if type == \"object\" then map_values(w) elif type == \"array\" then map(w) else . end | f; w;"},
    {"_nwise", 1, "def _nwise($n): if length <= $n then . else .[:$n], (.[$n:] | _nwise($n)) end;"},
    {"combinations", 0,
     "def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $rest | [$x] + $rest end;"},
    {"combinations", 1, "def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;"},
    {"tostream", 0,
     "def tostream: path(def again: (.[]? | again), .; again) as $p | getpath($p) | "
     "reduce path(.[]?) as $q ([$p, .]; [$p + $q]);"},
    {"fromstream", 1,
     "def fromstream(f): {x: null, e: false} as $init | foreach f as $i ($init; if .e then $init else . end | "
     "if $i | length == 2 then setpath([\"e\"]; $i[0] | length == 0) | setpath([\"x\"] + $i[0]; $i[1]) "
     "else setpath([\"e\"]; $i[0] | length == 1) end; if .e then .x else empty end);"},
    {"truncate_stream", 1,
     "def truncate_stream(stream): . as $n | null | stream | . as $in | if (.[0] | length) > $n "
     "then setpath([0]; .[0][$n:]) else empty end;"},
    {"inputs", 0, "def inputs: def again: _input_or_end | if . == null then empty else .[0], again end; again;"},
    {"debug", 1, "def debug(msg): (msg | debug | empty), .;"},
    {"halt_error", 0, "def halt_error: halt_error(5);"},
    {"IN", 1, "def IN(s): any(s == .; .);"},
    {"IN", 2, "def IN(src; s): any(src == s; .);"},
    {"INDEX", 1, "def INDEX(f): INDEX(.[]; f);"},
    {"INDEX", 2, "def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);"},
    {"JOIN", 2, "def JOIN($idx; f): [.[] | [., $idx[f]]];"},
    {"JOIN", 3, "def JOIN($idx; stream; f): stream | [., $idx[f]];"},
    {"JOIN", 4, "def JOIN($idx; stream; f; join): stream | [., $idx[f]] | join;"},
};

}  // namespace

std::span<const PreludeFunction> Prelude() { return kPrelude; }

const PreludeFunction* FindPrelude(std::string_view name, size_t arity) {
  for (const PreludeFunction& function : kPrelude) {
    if (function.name == name && static_cast<size_t>(function.arity) == arity && !function.definition.empty()) return &function;
  }
  return nullptr;
}

}  // namespace paddock::jq
