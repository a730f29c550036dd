"""The cases of tests/run_srt.py: settings, a command, and what must come of it under srt and `paddock srt` alike.

Every case runs in a fresh world: HOME is world/home, the current directory world/home/w with

    w/open.txt "open"  w/.env "env"  w/sec/f "s"  w/sec/pub/f "p"  w/ro/f "r"  w/link -> sec  ../out.txt "out"  ../key.txt "key"

{port} is a server on the host's loopback that answers "served X-KEY", or "served the secret" for secret-value-1 unless it is
asked for /echo, {other} one that answers the same, {world} the world's path.
"""


class Case:
    def __init__(self, name, shell=None, *, args=None, deny_read=(), allow_read=None, allow_write=(), deny_write=(), files=None,
                 domains=(), denied=(), network=None, more=None, raw=None, out="", status=0, after=None, env=None, stdin="",
                 control=None, srt=None, why="", stderr="", settings_file=True):
        self.name, self.status, self.out, self.stderr = name, status, out, stderr
        self.args = args if args is not None else ["-c", shell]
        self.after = after or {}
        self.env, self.stdin, self.control = env or {}, stdin, control
        self.srt = srt or {}  # what differs there: out, status, after
        self.why = why        # and why it may
        self.settings_file = settings_file
        filesystem = {"denyRead": list(deny_read), "allowWrite": list(allow_write), "denyWrite": list(deny_write), **(files or {})}
        if allow_read is not None:
            filesystem["allowRead"] = list(allow_read)
        self.settings = {"network": {"allowedDomains": list(domains), "deniedDomains": list(denied), **(network or {})},
                         "filesystem": filesystem, **(more or {})} if raw is None else raw


TRY = "{ %s; } 2>/dev/null && echo yes || echo no"


def reads(path):
    return TRY % f"cat {path}"


def writes(path):
    return TRY % f"echo new > {path}"


FETCH = "curl -s -o /dev/null -w '%%{http_code}\\n' --noproxy '' %s"
BOTH_SECTIONS = '{"network":{"allowedDomains":[],"deniedDomains":[]},"filesystem":{"denyRead":[],"allowWrite":[],"denyWrite":[]}%s}'

COMMANDS = [
    Case("words stand for themselves", args=["printf", "%s|", "a", "b c", "d'e", "$HOME", ";", "*", ""], out="a|b c|d'e|$HOME|;|*||"),
    Case("one word is one name", args=["echo hi"], status=127),
    Case("builtins run", args=["exit", "3"], status=3),
    Case("assignment in front", args=["A=1", "printenv", "A"], out="1\n"),
    Case("options behind the command are srt's until two dashes", args=["--", "echo", "-d", "x"], out="-d x\n"),
    Case("unknown options are the command's", args=["echo", "-n", "x"], out="x"),
    Case("string runs as a shell does", "echo $# && false || exit 7", out="0\n", status=7),
    Case("the last string counts", args=["-c", "echo A", "-c", "echo B"], out="B\n"),
    Case("words beside a string are left out", args=["-c", "echo A", "echo", "B"], out="A\n"),
    Case("status of what is not found", args=["no-such-command"], status=127),
    Case("status of what cannot run", args=["/etc/passwd"], status=126),
    Case("status of SIGTERM", "kill -TERM $$", status=143),
    Case("status of SIGKILL", "sh -c 'kill -KILL $$'", status=137),
    Case("status of SIGINT", "kill -INT $$", status=130),
    Case("standard input passes through", args=["cat"], stdin="data\n", out="data\n"),
    Case("both outputs pass through", "echo out; echo err >&2", out="out\n", stderr="err"),
    Case("current directory", "pwd", out="{world}/home/w\n"),
    Case("home", "echo $HOME", out="{world}/home\n"),
    Case("variables pass", "echo $PLAIN $A_TOKEN", env={"PLAIN": "p", "A_TOKEN": "t"}, out="p t\n"),
    Case("no command", args=[], status=1, stderr="No command specified"),
    Case("empty string is no command", args=["-c", ""], status=1, stderr="No command specified"),
    Case("missing argument", args=["-c"], status=1, stderr="argument missing"),
    Case("bad control descriptor", args=["--control-fd", "2", "true"], status=1, stderr="invalid"),
    Case("closed control descriptor", args=["--control-fd", "9", "true"], status=1, stderr="--control-fd 9"),
    Case("unknown option in front", args=["--bogus", "x"], status=2),
]

SETTINGS = [
    Case("no default file means no network and no writes", f"{reads('open.txt')}; {writes('open.txt')}", settings_file=False, out="open\nyes\nno\n",
         after={"w/open.txt": "open\n"}),
    Case("named file is missing", args=["-s", "/nonexistent/s.json", "true"], status=1, stderr="does not exist"),
    Case("file is a directory", args=["-s", "/etc", "true"], status=1, stderr="could not be read"),
    Case("file is empty", "true", raw="", status=1, stderr="is empty"),
    Case("file is blank", "true", raw=" \n", status=1, stderr="is empty"),
    Case("file is no JSON", "true", raw="xx", status=1, stderr="is not valid JSON"),
    Case("file is a list", "true", raw="[]", status=1, stderr="Refusing to run"),
    Case("sections are missing", "true", raw="{}", status=1, stderr="filesystem"),
    Case("wrong types", "true", raw=BOTH_SECTIONS % ',"mandatoryDenySearchDepth":11,"allowPty":1', status=1, stderr="allowPty"),
    Case("too broad a domain", "true", domains=["*.com"], status=1, stderr="network.allowedDomains.0"),
    Case("domain with a path", "true", domains=["a.org/x"], status=1, stderr="network.allowedDomains.0"),
    Case("domain with a bad port", "true", domains=["a.org:99999"], status=1, stderr="network.allowedDomains.0"),
    Case("IPv6 without brackets", "true", domains=["2001:db8::1:443"], status=1, stderr="network.allowedDomains.0"),
    Case("bad address range", "true", network={"deniedResolvedAddresses": ["10.0.0.0/99"]}, status=1, stderr="deniedResolvedAddresses"),
    Case("masking without TLS", "true", more={"credentials": {"envVars": [{"name": "T", "mode": "mask"}]}}, status=1, stderr="tlsTerminate"),
    Case("misspelt field", "true", raw=BOTH_SECTIONS % ',"filesytem":{}', status=1, stderr="filesytem",
         srt={"status": 0, "stderr": ""}, why="srt drops unknown fields; a misspelt rule then silently protects nothing"),
    Case("field that stands twice", "true", raw=BOTH_SECTIONS % ',"filesystem":{"denyRead":[],"allowWrite":["/"],"denyWrite":[]}', status=1,
         stderr="valid JSON", srt={"status": 0, "stderr": ""}, why="srt takes the last one"),
    Case("number written as another", "true", domains=["0x7f.1"], status=1, stderr="allowedDomains.0", srt={"status": 0, "stderr": ""},
         why="some resolvers take it for 127.0.0.1"),
]

READS = [
    Case("everything is readable", f"{reads('sec/f')}; {reads('../key.txt')}; {TRY % 'cat /etc/hostname >&2'}", out="s\nyes\nkey\nyes\nyes\n"),
    Case("denied directory", f"{reads('sec/f')}; {reads('link/f')}", deny_read=["sec"], out="no\nno\n"),
    Case("denied file", reads("../key.txt"), deny_read=["../key.txt"], out="no\n"),
    Case("denied below home", reads("~/key.txt"), deny_read=["~/key.txt"], out="no\n"),
    Case("denied through a link", f"{reads('sec/f')}; {reads('link/f')}", deny_read=["link"], out="no\nno\n"),
    Case("readable again inside", f"{reads('sec/f')}; {reads('sec/pub/f')}; {writes('sec/pub/n')}", deny_read=["sec"], allow_read=["sec/pub"], allow_write=["."],
         out="no\np\nyes\nno\n", after={"w/sec/pub/n": None}),
    Case("writable inside the denied", f"{reads('../key.txt')}; {reads('sec/f')}; {writes('n')}", deny_read=["~"], allow_write=["."], out="no\ns\nyes\nyes\n",
         after={"w/n": "new\n"}),
    Case("a denied file inside the re-allowed stays denied", f"{reads('.env')}; {reads('open.txt')}", deny_read=[".env"], allow_read=["."], out="no\nopen\nyes\n"),
    Case("the same path allowed wins", reads("sec/f"), deny_read=["sec"], allow_read=["sec"], out="s\nyes\n"),
    Case("pattern at any depth", f"{reads('sec/f')}; {reads('sec/pub/f')}; {reads('open.txt')}", deny_read=["**/f"], out="no\nno\nopen\nyes\n"),
    Case("pattern in one directory", f"{reads('sec/f')}; {reads('open.txt')}; {reads('.env')}", deny_read=["./*.txt"], out="s\nyes\nno\nenv\nyes\n"),
    Case("pattern of a subtree", f"{reads('sec/f')}; {reads('sec/pub/f')}", deny_read=["sec/**"], out="no\nno\n"),
    Case("denied file cannot be removed", f"{TRY % 'rm -f .env'}", deny_read=[".env"], allow_write=["."], out="no\n", after={"w/.env": "env\n"}),
    Case("denied directory cannot be moved", f"{TRY % 'mv sec s2'}", deny_read=["sec"], allow_write=["."], out="no\n", after={"w/sec/f": "s\n"}),
    Case("nor can what leads to it", f"{TRY % 'mv sec s2'}", deny_read=["sec/pub"], allow_write=["."], out="no\n", after={"w/sec/pub/f": "p\n"}),
    Case("a file that is denied shows no content", "wc -c < .env 2>/dev/null; ls -A sec 2>/dev/null | wc -l", deny_read=[".env", "sec"], out="0\n"),
    Case("denied directory takes no files", f"{writes('sec/n')}", deny_read=["sec"], allow_write=["."], out="no\n", srt={"out": "yes\n"},
         why="srt shows an empty directory, and what is written there is lost without a word"),
    Case("credential file is hidden", reads("../key.txt"), more={"credentials": {"files": [{"path": "~/key.txt", "mode": "deny"}]}}, out="no\n"),
    Case("the host's /tmp is not the command's", "ls -d /tmp/* 2>/dev/null | grep -c wt-visible-{tag}; true", out="0\n", srt={"out": "1\n"},
         why="srt shows the host's /tmp"),
]

WRITES = [
    Case("nothing is writable", f"{writes('open.txt')}; {writes('n')}; {writes('../out.txt')}", out="no\nno\nno\n", after={"w/open.txt": "open\n", "out.txt": "out\n"}),
    Case("allowed directory", f"{writes('open.txt')}; {writes('../out.txt')}", allow_write=["."], out="yes\nno\n", after={"w/open.txt": "new\n", "out.txt": "out\n"}),
    Case("allowed file", f"{writes('open.txt')}; {writes('.env')}", allow_write=["open.txt"], out="yes\nno\n", after={"w/open.txt": "new\n", "w/.env": "env\n"}),
    Case("denied file in the allowed", f"{writes('.env')}; {writes('n')}; {TRY % 'rm .env'}", allow_write=["."], deny_write=[".env"], out="no\nyes\nno\n",
         after={"w/.env": "env\n", "w/n": "new\n"}),
    Case("denied directory in the allowed", f"{writes('ro/f')}; {TRY % 'mv ro r2'}; {reads('ro/f')}", allow_write=["."], deny_write=["ro"], out="no\nno\nr\nyes\n",
         after={"w/ro/f": "r\n"}),
    Case("denied before it exists", "echo new > later 2>/dev/null; true", allow_write=["."], deny_write=["later"], after={"w/later": None}),
    Case("a mark of a subtree means the directory", writes("ro/f"), allow_write=["ro/**"], out="yes\n", after={"w/ro/f": "new\n"}),
    Case("a pattern allows nothing", writes("open.txt"), allow_write=["o*"], out="no\n", after={"w/open.txt": "open\n"}),
    Case("an absent path allows nothing", TRY % "mkdir later", allow_write=["later"], out="no\n", after={"w/later": None}),
    Case("link out of the allowed", writes("away/out.txt"), allow_write=["."], out="no\n", after={"out.txt": "out\n"}),
    Case("relative, home and absolute paths", f"{writes('ro/f')}; {writes('open.txt')}; {writes('../out.txt')}", allow_write=["./ro/", "{world}/home/w/open.txt", "~/out.txt"],
         out="yes\nyes\nyes\n", after={"w/ro/f": "new\n", "out.txt": "new\n"}),
    Case("a denial above the allowed wins", writes("ro/f"), allow_write=["ro"], deny_write=["."], out="no\n", after={"w/ro/f": "r\n"},
         srt={"out": "yes\n", "after": {"w/ro/f": "new\n"}}, why="srt 0.0.78 does not apply a denyWrite above the only allowWrite, though its manual says that it wins"),
    Case("files switched off", f"{reads('sec/f')}; {writes('../out.txt')}", deny_read=["sec"], files={"disabled": True}, out="s\nyes\nyes\n", after={"out.txt": "new\n"}),
    Case("the kernel's settings stay the host's", TRY % "cat /proc/sys/kernel/core_pattern > /tmp/c; cat /tmp/c > /proc/sys/kernel/core_pattern", files={"disabled": True},
         out="no\n", srt={"out": "yes\n"}, why="srt as root leaves /proc/sys writable"),
]

NAMES = [
    *(Case(f"protected: {name}", f"mkdir -p $(dirname {name}) 2>/dev/null; echo new > {name} 2>/dev/null; true", allow_write=["."], after={f"w/{name}": None})
      for name in (".bashrc", ".gitconfig", ".mcp.json", ".vscode/tasks.json", ".claude/commands/x")),
    Case("protected hook, before there is a repository", "mkdir -p .git/hooks; echo new > .git/hooks/h", allow_write=["."], after={"w/.git/hooks/h": None},
         srt={"after": {"w/.git/hooks/h": "new\n"}}, why="srt protects .git only where it exists at the start"),
    Case("protected names that exist hold", "echo new > deep/a/b/c/.bashrc 2>/dev/null; true", allow_write=["."], after={"w/deep/a/b/c/.bashrc": "mine\n"},
         srt={"after": {"w/deep/a/b/c/.bashrc": "new\n"}}, why="srt looks three levels deep"),
]

NETWORK = [
    Case("allowed name and port", FETCH % "http://localhost:{port}/", domains=["localhost:{port}"], out="200\n"),
    Case("another port", FETCH % "http://localhost:{other}/", domains=["localhost:{port}"], out="403\n"),
    Case("another name of the same place", FETCH % "http://127.0.0.1:{port}/", domains=["localhost"], out="403\n"),
    Case("allowed address", FETCH % "http://127.0.0.1:{port}/", domains=["127.0.0.1"], out="200\n"),
    Case("nothing is allowed", FETCH % "http://localhost:{port}/", out="403\n"),
    Case("a denial wins", FETCH % "http://localhost:{port}/", domains=["localhost"], denied=["localhost:{port}"], out="403\n"),
    Case("a denial of another port does not", FETCH % "http://localhost:{port}/", domains=["localhost"], denied=["*:22"], out="200\n"),
    Case("everything denied", FETCH % "http://127.0.0.1:{port}/", domains=["127.0.0.1", "localhost"], denied=["*"], out="403\n"),
    Case("a tunnel to nowhere allowed", "curl -s -o /dev/null https://example.org/; echo $?", out="56\n"),
    Case("no way past the proxy", TRY % "exec 3<>/dev/tcp/127.0.0.1/{port}", domains=["localhost"], out="no\n"),
    Case("the denial's reason reaches the command", "curl -s --noproxy '' http://localhost:{port}/ | grep -c 'use the other server'", domains=["localhost"],
         denied=["localhost:{port}"], network={"deniedDomainReasons": {"localhost:{port}": "use the other server"}}, out="1\n", srt={"out": "0\n", "status": 1},
         why="srt keeps it for the embedding program"),
    Case("control lines change the network", "f() { " + FETCH % "http://localhost:{port}/" + "; }; f; echo go >&2; "
         "for i in $(seq 50); do sleep 0.1; r=$(f); [ $r = 200 ] && break; done; echo $r", control=["garbage", {"allowedDomains": ["localhost"]}], out="403\n200\n"),
    Case("the command does not get the control channel", "[ -p /proc/self/fd/{control} ] && echo open || echo none", control=[], out="none\n"),
]

SECRETS = [
    Case("denied variable", "echo \"[$MYKEY]\"", env={"MYKEY": "secret-value-1"}, more={"credentials": {"envVars": [{"name": "MYKEY", "mode": "deny"}]}}, out="[]\n"),
    Case("masked variable", "[ \"$MYKEY\" != secret-value-1 ] && echo hidden; curl -s --noproxy '' -H \"X-Key: $MYKEY\" http://localhost:{port}/",
         env={"MYKEY": "secret-value-1"}, domains=["localhost"], out="hidden\nserved the secret\n",
         more={"credentials": {"allowPlaintextInject": True, "envVars": [{"name": "MYKEY", "mode": "mask", "injectHosts": ["localhost"]}]}}),
    Case("an answer that echoes the value is redacted", "curl -s --noproxy '' -H \"X-Key: $MYKEY\" http://localhost:{port}/echo | grep -c secret-value-1",
         env={"MYKEY": "secret-value-1"}, domains=["localhost"], out="0\n", status=1, srt={"out": "1\n", "status": 0}, why="srt hands the answer on as it is",
         more={"credentials": {"allowPlaintextInject": True, "envVars": [{"name": "MYKEY", "mode": "mask", "injectHosts": ["localhost"]}]}}),
    Case("masked variable goes nowhere else", "curl -s --noproxy '' -H \"X-Key: $MYKEY\" http://127.0.0.1:{port}/ | grep -c 'the secret'", env={"MYKEY": "secret-value-1"},
         domains=["localhost", "127.0.0.1"], out="0\n", status=1,
         more={"credentials": {"allowPlaintextInject": True, "envVars": [{"name": "MYKEY", "mode": "mask", "injectHosts": ["localhost"]}]}}),
    Case("safe directories of git", "git config --get-all safe.directory", more={"git": {"safeDirectories": ["/x/y"]}}, out="/x/y\n/x/y/*\n"),
]

REFUSED = [
    *(Case(f"refused: {name}", "true", status=1, stderr=name, srt={"status": 0, "stderr": ""}, why="Paddock says what it does not do", **settings)
      for name, settings in {
          "filesystem.allowWrite.0": {"allow_write": ["/"]},
          "httpProxyPort": {"network": {"httpProxyPort": 8080}},
          "allowAllUnixSockets": {"network": {"allowAllUnixSockets": True}},
          "enableWeakerNestedSandbox": {"more": {"enableWeakerNestedSandbox": True}},
          "credentials.sigv4": {"more": {"credentials": {"sigv4": {"streaming": "deny"}}}},
      }.items()),
    Case("other systems' fields have no effect", "echo ok", network={"allowLocalBinding": True, "allowMachLookup": ["com.x.*"]}, out="ok\n",
         more={"allowPty": True, "allowAppleEvents": False, "windows": {}, "mandatoryDenySearchDepth": 5, "ignoreViolations": {"*": ["/x"]}}),
]

CASES = COMMANDS + SETTINGS + READS + WRITES + NAMES + NETWORK + SECRETS + REFUSED
