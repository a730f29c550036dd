// Fuzz target of the commands themselves: what a script reads from the file "in", in a fresh sandbox that limits end. Input: a byte
// that chooses the script, or, when it is higher than all scripts, that and the next byte choose a command that gets the file's lines
// as its arguments. For the parsers that live inside commands; those of text/ and lang/ have targets of their own, which are faster.
// Continuous integration leaves this one out: only here the commands are needed with sanitizers.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "bounded_run.h"
#include "commands/table.h"
#include "drivers/virtual/virtual_driver.h"
#include "proc/command.h"

using namespace paddock;

namespace {

constexpr std::string_view kRepository =
    "git init -q r && cd r && echo one >a.c && mkdir d && echo two >d/b && git add . && git -c user.name=n -c user.email=e commit -qm one && echo more >>a.c; ";

struct Script {
  bool in_repository;
  std::string_view text;
};

constexpr auto kScripts = std::to_array<Script>({
    {false, "tar -tvf in; mkdir x; tar -xf in -C x; tar -df in; tar --delete -f in a"},
    {false, "mkdir x; echo t >x/t; tar -g in -cf /dev/null x; tar -g in -cf /dev/null x; tar -tG -f in"},
    {false, "zip -q -FF in --out o.zip; zip -q -F in --out p.zip; zipnote in; zipinfo -v in; zipsplit -n 1000 in; funzip <in"},
    {false, "unzip -l in; unzip -t in; unzip -o -P p in -d x; zip -q -d in a; zip -q in in"},
    {false, "7z l in; 7z t -pp in; 7z x -y -pp -ox in; 7z a in in"},
    {false, "ar tv in; ar x in; ar d in a; cpio -itv <in; mkdir x; cd x; cpio -id <../in"},
    {false, "cp in in.Z; zcat in.Z; gzip -l in.Z; cp in in.gz; gzip -tv in.gz; xz -l in; xz -dc in; zstd -l in; zstd -dc in; bzip2recover in; lzma -dc in"},
    {true, "cp ../in .gitattributes; git check-attr -a a.c d/b; git status; git diff; git add a.c; git archive HEAD"},
    {true, "cp ../in .gitignore; git check-ignore -v a.c d/b d/c d; git status --ignored; git clean -ndx"},
    {true, "cp ../in .git/config; git config -l; git config --get-regexp .; git status; git remote -v; git log"},
    {true, "cp ../in .git/index; git ls-files -s; git status; git diff --cached; git add a.c; git fsck"},
    {true, "git apply --stat --numstat --summary ../in; git apply ../in; git apply --index --reject ../in; git apply -R --3way ../in; git am ../in; git am --skip"},
    {true, "git unpack-objects <../in; git index-pack --stdin <../in; git bundle verify ../in; git clone ../in x; git fetch ../in"},
    {true, "cp ../in .git/packed-refs; git branch -a; git tag; git for-each-ref; cp ../in .git/HEAD; git log; git status; git fsck"},
    {true, "cp ../in .mailmap; git log --use-mailmap; git shortlog -se; git log --format=\"$(head -c 200 ../in)\" -1; git for-each-ref --format=\"$(head -c 200 ../in)\""},
    {true, "git hash-object -t tree -w --literally ../in; git hash-object -t commit -w --literally ../in; for o in .git/objects/*/*; do i=${o%/*}; git cat-file -p ${i##*/}${o##*/}; git show ${i##*/}${o##*/}; done; git mktree <../in; git mktag <../in"},
    {true, "git update-index --index-info <../in; git update-ref --stdin <../in; git fast-import <../in; git rev-list --stdin <../in; git cat-file --batch <../in"},
    {true, "git blame --contents ../in a.c; cp ../in a.c; git diff --word-diff; git diff --patience; git diff --histogram; git diff --color-moved; git blame a.c; git merge-file -p a.c d/b ../in; git commit -qam x; git log -p -L1,2:a.c"},
    {true, "cp ../in .git/git-rebase-todo; GIT_SEQUENCE_EDITOR='cp ../in' git rebase -i --root; git rebase --skip; git interpret-trailers ../in; git stripspace -s <../in; git mailinfo m p <../in; git patch-id <../in"},
    {false, "sqlite3 in .dump; sqlite3 in 'select * from sqlite_master'; sqlite3 x <in"},
    {false, "jq . in; jq -f in in; yq . in; yq -p xml . in; tomlq . in; gron in; gron -u in; jo -a <in"},
    {false, "csv sort -k 1 in; csv stats in; csv select 1 in; datamash -s -g 1 count 1 <in; column -t in; column -J -N a,b in"},
    {false, "html2text in; html-to-markdown in; xmllint in; xmllint --html in; xmllint --xinclude in; xmllint --schema in in; xmllint --relaxng in in"},
    {false, "sed -f in in; sed -n -f in in; awk -f in in; gawk -o- -f in; gawk -p- -f in in"},
    {false, "bc -q in </dev/null; dc in; m4 in; make -n -f in; make -p -f in; make -f in"},
    {false, "patch -p0 <in; patch -p1 --dry-run <in; ed -s in <in; echo a >b; diff b in; diff -y b in; diff3 b in in; sdiff -s b in; cmp -l b in"},
    {false, "file in; file -z in; file -i in; file -m in in; file -C -m in; man -l in; strings -a -t x in"},
    {false, "xxd -r in; xxd -r -p in; base64 -d in; base32 -d in; basenc --z85 -d in; basenc --base2msbf -d in; uudecode -o - in; iconv -f utf-16 in; iconv -f gb18030 in; openssl enc -base64 -d -in in"},
    {false, "date -f in; dircolors in; ts <in; look a in; ptx in; nl in; fmt in; pr in; fold -s in; envsubst <in; sort -V in; sort -h in; numfmt --field=- <in; tsort in; factor <in; ul in; col <in; colcrt in"},
    {false, "xargs -a in echo; xargs -0 -a in echo; parallel -a in echo; parallel --colsep , -a in echo {1} {2}; parallel --pipe cat <in; find -files0-from in; du --files0-from=in; wc --files0-from=in"},
    {false, "bash in; bash -n in; . ./in; read -r a <in; printf \"$a\" 1 2; echo $((a)); eval \"$a\"; [[ $a =~ $a ]]; echo ${!a} ${a@P}"},
    {false, "md5sum -c in; sha256sum -c in; cksum -c in; b2sum -c in; rsync --files-from=in . x; rsync --exclude-from=in -r . y; tar -cf /dev/null -T in; tar -cf /dev/null -X in ."},
    {false, "grep -f in in; grep -E -f in in; grep -F -f in in; grep -P \"$(head -c 100 in)\" in; rg -f in in; find . -regex \"$(head -c 100 in)\"; expr \"$(cat in)\" : \"$(cat in)\""},
    {false, "openssl enc -d -aes-128-cbc -pbkdf2 -iter 10 -k p -in in; openssl enc -d -a -aes-256-ctr -K 0 -iv 0 -in in; split -b 100 in o.z; cp in o.zip; zip -q -s 0 o.zip --out p.zip; tar -tM -f in -f in; tar -xM --to-command=cat -f in"},
    {true, "git column --mode=dense <../in; git interpret-trailers --parse <../in; git interpret-trailers --trailer \"$(head -c 100 ../in)\" ../in; git fast-import --force <../in; git fast-export --all; git rerere"},
    {false, "rsync -r --filter='merge in' . x; rsync -r --filter='dir-merge in' . y; sort --files0-from=in; pv -F \"$(head -c 100 in)\" in; parallel --rpl \"$(head -c 100 in)\" echo ::: a; make -f in MAKEFILES=in"},
    {false, "curl -K in; wget -i in; openssl passwd -stdin <in; infocmp in; tput -S <in; mlr --icsv cat in; msgfmt in; jc --csv <in"},
});

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  static const auto driver = sandbox::MakeVirtualDriver(AllCommands());
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  std::string script = "mkdir /w; cd /w; cat >in; ";
  if (const size_t choice = data[0]; choice < kScripts.size()) {
    if (kScripts[choice].in_repository) script += kRepository;
    script += kScripts[choice].text;
    bytes.remove_prefix(1);
  } else {
    const auto commands = AllCommands();
    const Command& command = *commands[(choice * 256 + data[1]) % commands.size()];
    script += "mapfile -t a <in; printf 'b 2\\na 10\\n' >data; " + Quoted(command.name) + " \"${a[@]}\" <data; " + Quoted(command.name) + " \"${a[@]}\" data";
    bytes.remove_prefix(2);
  }

  sandbox::SandboxSpec spec;
  spec.disk_bytes = 4 << 20;
  spec.disk_inodes = 2000;
  auto box = driver->Create(spec);
  PADDOCK_CHECK(box.has_value());
  sandbox::ExecSpec exec;
  exec.script = script;
  exec.limits = fuzz::kInputLimits;
  exec.limits.steps = 1'000'000;
  exec.limits.output_bytes = 256 << 10;
  exec.limits.time = std::chrono::seconds(5);
  auto process = (*box)->Start(std::move(exec), {.kind = sandbox::StdinSource::Kind::kText, .text = std::string(bytes)}, nullptr);
  PADDOCK_CHECK(process.has_value());
  static_cast<void>((*process)->Wait());
  return 0;
}
