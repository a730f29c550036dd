#!/usr/bin/env python3
"""The network commands of the virtual tier (curl, wget, host, dig, nslookup, git) against a server of this script's own.

    run_virtual_net.py [--paddock FILE] [--filter RE] [-v]

A case of tests/virtual_net/*.cases is a script that runs twice against the same server: with the real tools, and in a virtual sandbox whose
policy allows that server. Standard output, standard error and exit status must be the same. Cases of the policy (denials, attacks)
follow here, in Python: what must not be reached is a second server, which counts its connections. The last line is "N passed, N failed, N skipped".
"""

import argparse
import gzip
import http.server
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "virtual_net"


# A small site for wget -r: text by path.
SITE = {
    "/site/index.html": '<html><head><link rel="stylesheet" href="style.css"></head><body background="back.png"><!-- <a href="hidden.html"> -->'
                        '<a href="a.html#part">a</a> <a href="sub/b.html?x=1&amp;y=2">b</a> <img src="/site/img.png"> <a href="/other/c.html">c</a>'
                        '<a href=missing.html>m</a> <a href="doc.TXT">t</a> <A HREF=\'sub/\'>s</A> <a href="mailto:x@y">x</a> <a href="#top">top</a></body></html>\n',
    "/site/a.html": '<a href="index.html">up</a> <a href="sub/deep/d.html">d</a> <a href="doc.TXT">t</a> <script src="s.js"></script><style>p { background: url(\'sub/p.png\') }</style>\n',
    "/site/style.css": '@import "more.css";\nbody { background: url(back.png) }\n',
    "/site/more.css": "p { color: red }\n", "/site/back.png": "back\n", "/site/img.png": "img\n", "/site/doc.TXT": "text\n", "/site/s.js": "var s;\n",
    "/site/sub/": '<a href="../a.html">a</a> <img src=p.png>\n', "/site/sub/b.html": '<a href="/site/">root</a> <a href="deep/d.html">d</a>\n', "/site/sub/p.png": "p\n",
    "/site/sub/deep/d.html": '<a href="e.html">e</a>\n', "/site/sub/deep/e.html": "last\n", "/other/c.html": "<a href='/site/a.html'>a</a>\n", "/site/page": "<a href='a.html'>a</a>\n",
}
SITE_TYPES = {".css": "text/css", ".png": "image/png", ".TXT": "text/plain", ".js": "text/javascript"}


# What a case finds on the server: a repository of every kind, made anew by a request to /gitnew/NAME?KIND.
GIT_WHO = {"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@x.org", "GIT_AUTHOR_DATE": "1700000000 +0100", "GIT_COMMITTER_NAME": "Con",
           "GIT_COMMITTER_EMAIL": "con@x.org", "GIT_COMMITTER_DATE": "1700000100 +0000"}
GIT_KINDS = {
    "empty": "git init -q --bare -b main NAME.git",
    "small": "git init -q -b main w; cd w; seq 9 > f; mkdir d; echo g > d/g; git add .; git commit -qm one; git tag -a v1 -m v1; git tag light; seq 20 > f; git commit -qam two; git branch side; "
             "echo x > x; ln -s f l; git add .; git commit -qm three; cd ..; git clone -q --bare w NAME.git",
    # Many versions of one file in a pack of differences.
    "packed": "git init -q -b main w; cd w; seq 2000 > f; for i in $(seq 40); do seq $i 10 $((2000 + i)) >> f; sed -i \"${i}d\" f; git add f; git commit -qm c$i; done; git gc -q; cd ..; "
              "git clone -q --bare w NAME.git",
}
GIT_SETTINGS = "git -C NAME.git config http.receivepack true; git -C NAME.git config uploadpack.allowAnySHA1InWant true; rm -rf w"


class GitServer:
    """Repositories behind git http-backend, in a directory of its own."""

    def __init__(self):
        self.directory = tempfile.TemporaryDirectory(prefix="paddock-git-")
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.directory.name, "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", **GIT_WHO}

    def script(self, script, name):
        return subprocess.run(["bash", "-e", "-c", script.replace("NAME", name)], cwd=self.directory.name, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60).stdout

    def new(self, name, kind):
        shutil.rmtree(f"{self.directory.name}/{name}.git", ignore_errors=True)
        return self.script(f"{GIT_KINDS[kind]}; cd {self.directory.name}; {GIT_SETTINGS}", name)

    def backend(self, handler, path, query, body):
        environment = {**self.environment, "GIT_PROJECT_ROOT": self.directory.name, "GIT_HTTP_EXPORT_ALL": "1", "REQUEST_METHOD": handler.command, "PATH_INFO": path, "QUERY_STRING": query,
                       "CONTENT_TYPE": handler.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)), "REMOTE_ADDR": "127.0.0.1", "REMOTE_USER": "someone",
                       "HTTP_CONTENT_ENCODING": handler.headers.get("Content-Encoding", "")}
        done = subprocess.run(["git", "http-backend"], env=environment, input=body, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60).stdout
        head, _, content = done.partition(b"\r\n\r\n")
        fields = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n") if ": " in line]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        handler.answer(status, content, [field for field in fields if field[0] not in ("Status", "Content-Length")])


GIT = None


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers that are the same whoever asks: what differs between two runs (dates, the order of fields) is left out."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def version_string(self):
        return "Case"

    def date_time_string(self, timestamp=None):
        return "Mon, 01 Jan 2024 00:00:00 GMT"

    def answer(self, status, body=b"", fields=()):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def read_body(self):
        if self.headers.get("Transfer-Encoding", "") == "chunked":
            body = b""
            while True:
                size = int(self.rfile.readline().split(b";")[0], 16)
                body += self.rfile.read(size)
                self.rfile.readline()
                if size == 0:
                    return body
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def echo(self, body):
        boundary = re.search(r"boundary=(\S+)", self.headers.get("Content-Type", ""))
        fields = sorted(f"{name.lower()}: {value}" for name, value in self.headers.items() if name.lower() not in ("connection",))
        text = f"{self.command} {self.path}\n" + "\n".join(fields) + "\n\n" + body.decode("latin1") + "\n"
        if boundary:
            text = text.replace(boundary[1], "BOUNDARY")
        return text.replace(f":{self.server.server_port}", ":PORT").encode("latin1")

    def go(self):
        self.server.requests.append(str(self.headers))
        body = self.read_body()
        path, _, query = self.path.partition("?")
        words = path.strip("/").split("/")
        text = [("Content-Type", "text/plain")]
        if words[0] == "echo":
            self.answer(200, self.echo(body), text)
        elif words[0] == "status":
            self.answer(int(words[1]), b"" if words[1] == "204" else b"status %s\n" % words[1].encode(), text)
        elif words[0] == "to":  # /to/301/3: three redirects, then /echo; /to/302?URL: there
            left = int(words[2]) if len(words) > 2 else 1
            target = query or (f"/to/{words[1]}/{left - 1}" if left > 1 else "/echo")
            self.answer(int(words[1]), b"moved\n", [("Location", target)])
        elif words[0] == "text":
            self.answer(200, b"one\ntwo\nthree\n", text + [("Last-Modified", "Tue, 02 Jan 2024 03:04:05 GMT")])
        elif words[0] == "bytes":
            data = bytes(i % 251 for i in range(int(words[1])))
            span = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
            if span and int(span[1]) >= len(data):
                self.answer(416, b"", [("Content-Range", f"bytes */{len(data)}")])
            elif span:
                first, last = int(span[1]), min(int(span[2] or len(data) - 1), len(data) - 1)
                self.answer(206, data[first:last + 1], [("Content-Type", "application/octet-stream"), ("Content-Range", f"bytes {first}-{last}/{len(data)}")])
            else:
                self.answer(200, data, [("Content-Type", "application/octet-stream"), ("Accept-Ranges", "bytes")])
        elif words[0] == "gzip":
            self.answer(200, gzip.compress(b"packed text\n", mtime=0), text + [("Content-Encoding", "gzip")])
        elif words[0] == "bomb":  # a gigabyte of zeros in a megabyte
            import zlib
            packer = zlib.compressobj(9, zlib.DEFLATED, 31)
            packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(1024)) + packer.flush()
            self.answer(200, packed, text + [("Content-Encoding", "gzip")])
        elif words[0] == "cookie":
            self.answer(200, b"set\n", text + [("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/; HttpOnly")])
        elif words[0] == "etag":
            if self.headers.get("If-None-Match") == '"tag-1"':
                self.answer(304, b"", [("ETag", '"tag-1"')])
            else:
                self.answer(200, b"tagged\n", text + [("ETag", '"tag-1"')])
        elif words[0] == "name":
            self.answer(200, b"named\n", text + [("Content-Disposition", f'attachment; filename="{query}"')])
        elif words[0] == "auth":
            if self.headers.get("Authorization") == "Basic dTpw":  # u:p
                self.answer(200, b"in\n", text)
            else:
                self.answer(401, b"out\n", text + [("WWW-Authenticate", 'Basic realm="r"')])
        elif words[0] == "slow":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            try:
                for _ in range(100):
                    self.wfile.write(b"x")
                    self.wfile.flush()
                    time.sleep(0.1)
            except OSError:
                pass
        elif words[0] == "gitnew":
            self.answer(200, GIT.new(words[1], query), text)
        elif words[0] == "gitdo":  # a command in the repository there
            self.answer(200, GIT.script("cd NAME.git; " + body.decode(), words[1]), text)
        elif words[0] == "git":
            GIT.backend(self, path[4:], query, body)
        elif words[0] == "gitmoved":
            self.answer(302, b"", [("Location", self.path.replace("/gitmoved/", "/git/"))])
        elif words[0] == "gitauth":
            if self.headers.get("Authorization") == "Basic dTpw":  # u:p
                GIT.backend(self, path[8:], query, body)
            else:
                self.answer(401, b"out\n", text + [("WWW-Authenticate", 'Basic realm="r"')])
        elif words[0] == "githeader":
            if self.headers.get("X-Token") == "t":
                GIT.backend(self, path[10:], query, body)
            else:
                self.answer(403, b"out\n", text)
        elif words[0] == "githostile":
            self.answer(200, hostile_git(words[1], path, body), [("Content-Type", "application/x-git-upload-pack-" + ("advertisement" if "info/refs" in path else "result"))])
        elif words[0] == "heads":  # a bomb of fields
            try:
                self.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: %s\r\n" % (i, b"y" * 1000) for i in range(20000)) + b"Content-Length: 0\r\n\r\n")
            except OSError:
                pass
            self.close_connection = True
        elif words[0] == "forged":
            self.answer(403, b"paddock denied GET http://x/\n", text + [("X-Paddock", "egress")])
        elif words[0] == "endless":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(bytes(1 << 16))
            except OSError:
                self.close_connection = True
        elif words[0] == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"half\n")
            self.close_connection = True
        elif words[0] == "maze":  # pages without end
            number = int(words[1])
            self.answer(200, f"<a href='/maze/{2 * number}'>l</a><a href='/maze/{2 * number + 1}'>r</a><a href='/../../../escape'>e</a>".encode(), [("Content-Type", "text/html")])
        elif path in SITE:
            kind = SITE_TYPES.get(path[path.rfind("."):], "text/html")
            self.answer(200, SITE[path].encode(), [("Content-Type", kind), ("Last-Modified", "Tue, 02 Jan 2024 03:04:05 GMT")])
        elif words[0] == "page.html" or path == "/":
            self.answer(200, b"<html>page</html>\n", [("Content-Type", "text/html")])
        else:
            self.answer(404, b"not here\n", text)

    do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = do_PATCH = do_OPTIONS = go


def packet(content):
    content = content if isinstance(content, bytes) else content.encode()
    return b"%04x" % (len(content) + 4) + content


def hostile_git(trick, path, body):
    """A server of git's protocol that means harm."""
    import hashlib
    import zlib
    one = b"1" * 40
    if "info/refs" in path:
        names = {"names": ["refs/heads/../../../escape", "refs/heads/a..b", "refs/heads/x.lock", "../../etc/passwd", "refs/heads/-x", "refs/heads/good"]}.get(trick, ["refs/heads/main"])
        service = packet("# service=git-upload-pack\n") + b"0000"
        if trick == "length":
            return service + b"zzzz"
        if trick == "endless":
            return service + b"ffff" + bytes(100)
        if trick == "refs":  # a million references
            return service + packet(one + b" HEAD\0side-band-64k\n") + b"".join(packet(b"%040x refs/heads/b%d\n" % (i, i)) for i in range(300000)) + b"0000"
        lines = [packet(one + b" " + name.encode() + (b"\0 side-band-64k ofs-delta shallow symref=HEAD:refs/heads/../../x" if i == 0 else b"") + b"\n") for i, name in enumerate(names)]
        return service + b"".join(lines) + b"0000"
    head = packet("NAK\n")
    if trick == "error":
        return packet("ERR \x1b]0;title\x07 go away\n")
    if trick == "messages":
        return head + packet(b"\x02\x1b[2Jcleared\x1b]0;x\x07\n") * 3 + packet(b"\x03broken\n") + b"0000"
    if trick == "band":
        return head + packet(b"\x01PACK") + packet(b"\x09x") + b"0000"

    def pack(entries, count=None):
        data = b"PACK\0\0\0\2" + (len(entries) if count is None else count).to_bytes(4, "big") + b"".join(entries)
        return data + hashlib.sha1(data).digest()

    def entry(kind, size, content, extra=b""):
        first = kind << 4 | (size & 15)
        size >>= 4
        out = b""
        while size:
            out += bytes([first | 128])
            first = size & 127
            size >>= 7
        return out + bytes([first]) + extra + zlib.compress(content)

    packs = {
        "count": lambda: pack([entry(3, 2, b"hi")], 0xffffffff),
        "bomb": lambda: pack([entry(3, 1 << 30, bytes(1 << 30))]),
        "cycle": lambda: pack([entry(7, 4, b"\2\2\x90\2", bytes(20))]),
        "offset": lambda: pack([entry(6, 4, b"\2\2\x90\2", b"\x05")]),
        "junk": lambda: pack([entry(3, 2, b"hi"), b"junk"], 1),
        "sum": lambda: pack([entry(3, 2, b"hi")])[:-20] + bytes(20),
        "names": lambda: pack([entry(3, 2, b"hi")]),
    }
    data = packs.get(trick, lambda: b"PACK")()
    return head + b"".join(packet(b"\x01" + data[i:i + 65000]) for i in range(0, len(data), 65000)) + b"0000"


class Quiet(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        pass  # clients leave


class Server(Quiet):
    daemon_threads = True

    def __init__(self, certificate=None, client_authority=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.connections = 0
        self.requests = []   # the fields of each
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            if client_authority:
                context.load_verify_locations(client_authority)
                context.verify_mode = ssl.CERT_REQUIRED
            self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def verify_request(self, request, client_address):
        self.connections += 1
        return True


class Names(threading.Thread):
    """A name server for the real tools that answers as the policy does: an address for ok.example, no such name for the rest; classes but IN are refused."""

    def __init__(self):
        super().__init__(daemon=True)
        while True:   # until a port is free for both
            self.listener = socket.create_server(("127.0.0.1", 0))
            self.port = self.listener.getsockname()[1]
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            try:
                self.socket.bind(("127.0.0.1", self.port))
                break
            except OSError:
                self.socket.close()
                self.listener.close()
        threading.Thread(target=self.serve_streams, daemon=True).start()
        self.start()

    @staticmethod
    def answer(message):
        end = message.index(b"\0", 12) + 1
        kind, klass = int.from_bytes(message[end:end + 2], "big"), int.from_bytes(message[end + 2:end + 4], "big")
        is_known = message[12:end] == b"\x02ok\x07example\0"
        status = 5 if klass != 1 else 0 if is_known else 3
        record = b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc6\x12\0\1" if status == 0 and kind == 1 else b""
        flags = bytes([0x80 | message[2] & 1, 0x80 | status])
        return message[:2] + flags + b"\0\1\0" + bytes([1 if record else 0]) + bytes(4) + message[12:end + 4] + record

    def run(self):
        while True:
            message, client = self.socket.recvfrom(4096)
            self.socket.sendto(self.answer(message), client)

    def serve_streams(self):
        while True:
            stream = self.listener.accept()[0]
            with stream, stream.makefile("rwb") as file:
                while len(length := file.read(2)) == 2:
                    answer = self.answer(file.read(int.from_bytes(length, "big")))
                    file.write(len(answer).to_bytes(2, "big") + answer)
                    file.flush()


class Runner:
    def __init__(self, arguments):
        global GIT
        GIT = GitServer()
        self.arguments = arguments
        self.server = Server()
        self.other = Server()
        self.passed = self.failed = self.skipped = 0

    @property
    def port(self):
        return self.server.server_port

    def inside(self, script, *options, hosts=None, timeout=60):
        """A script in a virtual sandbox: its result as --json tells it."""
        hosts = [f"127.0.0.1:{self.port}"] if hosts is None else hosts
        command = [self.arguments.paddock, "run", "--json"] + [word for host in hosts for word in ("--allow-host", host)] + list(options)
        done = subprocess.run(command + [script], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, cwd="/",
                              env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "http_proxy": "http://127.0.0.1:1", "https_proxy": "http://127.0.0.1:1"})
        if not done.stdout:
            return {"stdout": "", "stderr": done.stderr, "exit_code": done.returncode, "denials": [], "termination": {"reason": "start"}}
        return json.loads(done.stdout)

    def outside(self, script):
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(["bash", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, cwd=home,
                                  env={"PATH": "/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8"})
            return done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"), done.returncode

    def report(self, name, problem, shown=""):
        if problem:
            self.failed += 1
            print(f"FAIL {name}: {problem}\n{shown}")
        else:
            self.passed += 1
            if self.arguments.verbose:
                print(f"ok {name}")

    def compare(self, name, script):
        script = script.replace("$S", f"http://127.0.0.1:{self.port}").replace("$P", str(self.port))
        real = self.outside(script)
        ours = self.inside(script, hosts=[f"127.0.0.1:{self.port}", f"localhost:{self.port}"])
        mine = (ours["stdout"], ours["stderr"], ours["exit_code"])
        # Times and speeds differ, as do temporary places.
        plain = lambda text: re.sub(r"after \d+ ms", "after N ms", re.sub(r"bash: line \d+: ", "", text))
        problems = [what for what, a, b in zip(("stdout", "stderr", "status"), real, mine) if (plain(a) if isinstance(a, str) else a) != (plain(b) if isinstance(b, str) else b)]
        self.report(name, ", ".join(problems), f"--- script\n{script}--- real\n{real[0]}{real[1]}status {real[2]}\n--- ours\n{mine[0]}{mine[1]}status {mine[2]}\n")

    def run_cases(self):
        chosen = re.compile(self.arguments.filter)
        for path in sorted(CASES.glob("*.cases")):
            tool = path.stem
            for block in path.read_text(encoding="utf-8").split("#### ")[1:]:
                title, _, script = block.partition("\n")
                if not chosen.search(f"{tool}: {title}"):
                    continue
                if shutil.which(tool, path="/usr/bin:/bin") is None:
                    self.skipped += 1
                    continue
                self.compare(f"{tool}: {title}", script)
        for name in sorted(vars(type(self))):
            if name.startswith("check_") and chosen.search(name):
                getattr(self, name)()

    def check(self, name, condition, result=None):
        self.report(name, "" if condition else "is not so", json.dumps(result, indent=1)[:3000] if result else "")

    # What the policy decides.

    def check_absent_without_hosts(self):
        result = self.inside("curl -V; wget -V; host x; dig x; nslookup x; ls /usr/bin/curl", hosts=[])
        self.check("commands are absent without hosts", result["stderr"].count("command not found") == 5 and "No such file" in result["stderr"], result)
        listed = json.loads(subprocess.run([self.arguments.paddock, "commands", "--json"], capture_output=True, text=True, timeout=20).stdout)
        marked = sorted(one["name"] for one in (listed if isinstance(listed, list) else listed["commands"]) if one["needs_network"])
        self.check("paddock commands marks them", marked == ["curl", "dig", "host", "nslookup", "wget"], marked)

    def denied(self, name, script, hosts=None, text="denied by the sandbox's policy"):
        before = self.other.connections
        result = self.inside(script, hosts=hosts)
        self.check(name, result["exit_code"] != 0 and text in result["stderr"] and result["denials"] and self.other.connections == before, result)

    def check_denials(self):
        other = self.other.server_port
        self.denied("a host that no rule allows", "curl -sS http://example.com/")
        self.denied("another port of an allowed host", f"curl -sS http://127.0.0.1:{other}/")
        self.denied("a redirect to another port", f"curl -sSL 'http://127.0.0.1:{self.port}/to/302?http://127.0.0.1:{other}/'")
        self.denied("a redirect to a private address", f"curl -sSL 'http://127.0.0.1:{self.port}/to/302?http://10.1.2.3/'")
        self.denied("a redirect to a metadata service", f"curl -sSL 'http://127.0.0.1:{self.port}/to/302?http://169.254.169.254/'")
        self.denied("a metadata service by a wide rule", "curl -sS http://169.254.169.254/", hosts=["169.254.0.0/16"])
        self.denied("loopback by a rule for names", f"curl -sS http://127.0.0.1:{other}/", hosts=["*"])
        self.denied("loopback in other spellings", f"curl -sS http://0x7f000001:{other}/", hosts=["*"])
        self.denied("loopback as a decimal number", f"curl -sS http://2130706433:{other}/", hosts=["*"])
        self.denied("loopback as IPv6", f"curl -sS 'http://[::ffff:127.0.0.1]:{other}/'", hosts=["*"])
        self.denied("a name of loopback by a rule for names", f"curl -sS http://localhost:{other}/", hosts=["*"])
        result = self.inside(f"curl -sS -H 'Host: other.example' http://localhost:{self.port}/echo", hosts=[f"localhost:{self.port}"])
        self.check("a Host field that is not the URL's", result["exit_code"] == 7 and "denied by the sandbox's policy: Host names other.example" in result["stderr"], result)
        result = self.inside(f"wget -nv http://127.0.0.1:{other}/ http://example.com/")
        self.check("wget says the policy refused it", result["exit_code"] == 4 and result["stderr"].count("denied by the sandbox's policy") == 2 and len(result["denials"]) == 2, result)
        self.denied("a redirect of wget's to another port", f"wget -nv 'http://127.0.0.1:{self.port}/to/302?http://127.0.0.1:{other}/'")
        self.denied("TLS to a host that is not allowed", f"curl -sSk https://127.0.0.1:{other}/")
        self.denied("credentials in the URL change no host", f"curl -sS http://127.0.0.1:{self.port}@127.0.0.1:{other}/")

    def check_git_policy(self):
        other = self.other.server_port
        self.denied("git: a host that no rule allows", "git clone https://example.com/x.git")
        self.denied("git: another port of an allowed host", f"git clone http://127.0.0.1:{other}/x.git")
        self.denied("git: a redirect to another port", f"git clone 'http://127.0.0.1:{self.port}/to/302?http://127.0.0.1:{other}/'")
        self.denied("git: a redirect to a metadata service", f"git ls-remote 'http://127.0.0.1:{self.port}/to/302?http://169.254.169.254/'")
        result = self.inside(f"git ls-remote http://127.0.0.1:{self.port}/git/x.git; git ls-remote https://example.com/x", hosts=[])
        self.check("git: no network without hosts", result["stderr"].count("this sandbox has no network") == 2, result)
        for url in ("ext::sh -c id", "git@127.0.0.1:x", "ssh://127.0.0.1/x", "ftp://127.0.0.1/x", "git://127.0.0.1/x"):
            result = self.inside(f"git clone '{url}' out; echo $?; ls")
            self.check(f"git: no {url}", result["stdout"].startswith("128\n") and "uid=" not in result["stdout"], result)
        # A password goes to the host that it is for: here a redirect leads to another port, whose log shows what came.
        self.server.requests.clear()
        self.other.requests.clear()
        self.inside(f"git ls-remote 'http://u:p@127.0.0.1:{self.port}/to/302?http://127.0.0.1:{other}/gitauth/none.git/info/refs?service=git-upload-pack'",
                    hosts=[f"127.0.0.1:{self.port}", f"127.0.0.1:{other}"])
        self.check("git: a password follows no redirect to another place", self.other.requests and not any("Authorization" in one for one in self.other.requests), self.other.requests)

    def check_git_attacks(self):
        base = f"http://127.0.0.1:{self.port}/githostile"
        said = {"length": "bad line length character", "endless": "bad line length character", "error": "remote error: ", "band": "bad band #9", "count": "bad object at its end", "bomb": "", "cycle": "unresolved deltas",
                "offset": "", "junk": "junk at the end", "sum": "SHA1 mismatch", "names": "did not send all necessary objects", "messages": "hung up upon contact"}
        for trick, text in said.items():
            result = self.inside(f"git clone {base}/{trick}/x.git out; echo status $?; ls -A out 2>&1; ls -A / ~", timeout=120)
            self.check(f"git: {trick}", result["termination"]["reason"] in ("exit", "oom") and text in result["stderr"] and "\x1b" not in result["stderr"] and
                       ("status 128" in result["stdout"] and "No such file" in result["stdout"] or result["termination"]["reason"] == "oom") and "escape" not in result["stdout"], result)
        result = self.inside(f"git ls-remote {base}/refs/x.git | wc -l", timeout=120)
        self.check("git: very many references", result["stdout"].strip() == "300001", result)
        result = self.inside(f"git ls-remote {base}/names/x.git; git init -q r; cd r; git fetch {base}/names/x.git '+refs/*:refs/*'; find .git -name '*escape*' -o -name passwd", timeout=60)
        self.check("git: names that are no references", result["stdout"] == "".join("1" * 40 + f"\trefs/heads/{name}\n" for name in ("-x", "good")) and result["stderr"].count("broken name") == 8 and
                   "did not send all" in result["stderr"], result)

    def check_other_protocols(self):
        for url in ("file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1:1/x", "dict://127.0.0.1/x", "scp://127.0.0.1/x", "telnet://127.0.0.1"):
            result = self.inside(f"curl -sS {url}")
            self.check(f"no {url}", result["exit_code"] == 1 and "not supported or disabled" in result["stderr"] and result["stdout"] == "", result)
            scheme = url.partition(":")[0]
            for option in (f"--proto ={scheme}", f"--proto +{scheme}", "--proto all", f"--proto-redir +{scheme}"):
                result = self.inside(f"curl -sS {option} {url}")
                self.check(f"no {scheme} by {option}", result["exit_code"] == 1 and result["stdout"] == "", result)
        result = self.inside(f"curl -sSL --proto-redir all,+file 'http://127.0.0.1:{self.port}/to/302?file:///etc/passwd'")
        self.check("no redirect to file: by --proto-redir", result["exit_code"] == 1 and "root:" not in result["stdout"], result)
        result = self.inside(f"curl -sSL 'http://127.0.0.1:{self.port}/to/302?file:///etc/passwd'")
        self.check("no redirect to file:", result["exit_code"] == 1 and "root:" not in result["stdout"], result)

    def check_host_files(self):
        marker = tempfile.NamedTemporaryFile(mode="w", prefix="paddock_net_", delete=False)
        marker.write("of the host\n")
        marker.close()
        name = marker.name
        for option in (f"-d @{name}", f"-T {name}", f"-F x=@{name}", f"-K {name}", f"-H @{name}", f"-b {name}", f"--data-urlencode @{name}", f"--url-query @{name}", f"--etag-compare {name}",
                       f"--netrc-file {name}", f"-z {name}"):
            result = self.inside(f"curl -s {option} http://127.0.0.1:{self.port}/echo")
            self.check(f"no file of the host by {option.split()[0]}", "of the host" not in result["stdout"], result)
        self.inside(f"curl -s -o {name} -D {name} -c {name} --stderr {name} http://127.0.0.1:{self.port}/text")
        self.check("no file of the host is written", pathlib.Path(name).read_text() == "of the host\n")
        os.unlink(name)

    def check_attacks(self):
        base = f"http://127.0.0.1:{self.port}"
        result = self.inside(f"curl -sS --compressed {base}/bomb | wc -c", "--limits", "memory=200M,time=60s", timeout=90)
        self.check("a gzip bomb streams in bounded memory", result["stdout"].strip() == str(1 << 30), result)
        result = self.inside(f"curl -sS --compressed -o f {base}/bomb; echo $?; stat -c %s f", "--limits", "disk=20M,time=60s", timeout=90)
        self.check("a gzip bomb stops at the disk's limit", result["stdout"].startswith("23") or result["termination"]["reason"] == "disk", result)
        result = self.inside(f"curl -sS -o f {base}/endless", "--limits", "disk=5M,time=30s", timeout=60)
        self.check("an endless body stops at the disk's limit", result["exit_code"] == 23 or result["termination"]["reason"] == "disk", result)
        result = self.inside(f"curl -sS {base}/endless | head -c 100 | wc -c", "--limits", "time=30s")
        self.check("a reader that leaves ends the transfer", result["stdout"].strip() == "100", result)
        result = self.inside(f"curl -sS {base}/heads | wc -c", "--limits", "memory=100M,time=20s")
        self.check("a bomb of header fields ends", result["termination"]["reason"] in ("exit",) and result["stderr"] != "", result)
        result = self.inside(f"wget -q -r -l inf {base}/maze/1; echo $?", "--limits", "time=2s", timeout=30)
        self.check("a site without end stops at the exec's time", result["termination"]["reason"] == "timeout", result)
        result = self.inside(f"mkdir w; cd w; wget -q -r -l 1 -nH {base}/maze/1; cd ..; find . -type f | sort")
        self.check("links that lead up stay below the directory", result["stdout"] == "./w/maze/1\n./w/maze/2\n./w/maze/3\n", result)
        result = self.inside("yes '<script>url(' | head -c 20000000 > f; yes '<a href=x' | head -c 20000000 >> f; wget -q -F -i f; echo $?", "--limits", "time=30s", timeout=60)
        self.check("a page of open tags is read in linear time", result["termination"]["reason"] == "exit", result)
        result = self.inside(f"curl -sS {base}/slow", "--limits", "time=1s")
        self.check("a slow body ends with the exec's time", result["termination"]["reason"] == "timeout" and result["duration_ms"] < 4000, result)
        result = self.inside(f"curl -sS -m 0.5 {base}/slow; echo $?")
        self.check("a slow body ends with -m", result["stdout"].endswith("28\n"), result)
        result = self.inside(f"curl -sS {base}/forged; echo $?")
        self.check("a server cannot forge a denial", result["stdout"] == "paddock denied GET http://x/\n0\n" and not result["denials"], result)
        begun = time.monotonic()
        result = self.inside("; ".join(["for i in $(seq 40); do curl -sS -m 3 -o /dev/null " + base + "/slow & done", "sleep 0.3", "echo alive", "wait"]), "--limits", "time=20s")
        self.check("transfers block nobody else", result["stdout"].startswith("alive") and time.monotonic() - begun < 15, result)
        result = self.inside(f"timeout 0.3 curl -s {base}/slow; echo $?; (curl -s {base}/slow & p=$!; sleep 0.2; kill -9 $p; wait $p; echo $?)")
        self.check("a signal ends a transfer", result["stdout"].replace("x", "") == "124\n137\n", result)

    def check_names(self):
        """host, dig and nslookup: the real ones ask a name server that answers as the policy does."""
        names = Names()

        def plain(text):
            text = re.sub(r"Using domain server:\nName: .*\nAddress: .*\nAliases: \n\n", "", text)
            text = re.sub(r"; <<>> DiG.*|; \(1 server found\)\n|;; (Query time|SERVER|WHEN).*\n", "", text)
            text = re.sub(r"id: \d+|in \d+ ms|198\.18\.\d+\.\d+|127\.0\.0\.1#\d+", "N", text)
            text = re.sub(r"(Received .*\n)\1", r"\1", text)
            return re.sub(r"(ok\.example\.\s+)\d+", r"\1N", text)

        for words in ("host ok.example", "host no.example", "host -t A ok.example", "host -t AAAA ok.example", "host -t mx ok.example", "host 1.2.3.4", "host -v -t A ok.example",
                      "host -t nothing ok.example", "host -a ok.example", "host -a no.example", "host -A ok.example", "host -a -t AAAA ok.example", "host -t AAAA -a ok.example", "host -v -t A no.example",
                      "host -a 1.2.3.4", "host -c IN -v ok.example", "host -c CH ok.example", "host -c hs -v ok.example", "host -c any -t A no.example", "host -c nothing ok.example",
                      "host -c CLASS70000 ok.example", "host -c CH 1.2.3.4", "host -C ok.example", "host -C no.example", "host -C -v ok.example", "host -d -t A ok.example", "host -l ok.example",
                      "host -l no.example", "host -a -l ok.example", "host -l -t A ok.example", "host -t AXFR ok.example", "host -m record ok.example", "host -m x -N 2 ok.example",
                      "host -N -1 no.example", "host -p 1 ok.example", "host -p 65537 -v ok.example", "host -r -v -t A ok.example", "host -r no.example", "host -R 3 ok.example", "host -R x ok.example",
                      "host -s ok.example", "host -s no.example", "host -T ok.example", "host -T no.example", "host -U ok.example", "host -w ok.example", "host -W 3 ok.example", "host -W x no.example",
                      "host -V", "host -4 ok.example", "host -6 ok.example", "host -6 -v ok.example", "host -4 -6 ok.example", "host -t HTTPS ok.example", "host -t type65 ok.example", "host -W", "dig ok.example", "dig no.example", "dig +short ok.example", "dig +short no.example", "dig +noall +answer ok.example",
                      "dig -x 1.2.3.4", "dig ok.example AAAA", "dig -t AAAA -q ok.example", "dig +nostats +nocomments ok.example", "dig +noquestion ok.example A ok.example AAAA",
                      "dig AAAA ok.example +short", "nslookup ok.example", "nslookup no.example", "nslookup -type=AAAA ok.example", "nslookup 1.2.3.4", "nslookup -type=A ok.example"):
            tool, _, rest = words.partition(" ")
            if shutil.which(tool, path="/usr/bin:/bin") is None:
                self.skipped += 1
                continue
            real = self.outside({"host": f"host -p {names.port} {rest} 127.0.0.1", "dig": f"dig -p {names.port} +noedns @127.0.0.1 {rest}",
                                 "nslookup": f"nslookup -port={names.port} {rest} 127.0.0.1"}[tool])
            ours = self.inside(words, hosts=["ok.example"])
            same = plain(real[0]) == plain(ours["stdout"]) and real[2] == ours["exit_code"]
            self.report(words, "" if same else "is another answer", f"--- real\n{plain(real[0])}{real[1]}status {real[2]}\n--- ours\n{plain(ours['stdout'])}{ours['stderr']}status {ours['exit_code']}\n")
        result = self.inside("host secret-data.evil.example; dig +short x.evil.example; nslookup y.evil.example", hosts=["ok.example"])
        self.check("names that no rule allows are denials", len(result["denials"]) == 3 and result["stderr"].count("denied by the sandbox's policy") == 3, result)
        result = self.inside("dig @8.8.8.8 ok.example; echo $?; host ok.example 8.8.8.8; echo $?; nslookup ok.example 8.8.8.8; echo $?", hosts=["ok.example"])
        self.check("other servers are refused", result["stdout"] == "9\n1\n1\n" and result["stderr"].count("no other server can be asked") == 3, result)
        result = self.inside("dig $(printf 'a%.0s' {1..70}).example; dig a..b; host $(printf 'aa.%.0s' {1..200})", hosts=["*"])
        self.check("names that are none", result["stderr"].count("not a legal name") == 3, result)

    def check_policy(self):
        """--policy and --preset: the network, limits and variables; no file of the host; what cannot be kept is refused."""
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            def run(document, script, *options):
                path = pathlib.Path(folder, "policy.toml")
                path.write_text("[files]\nworkspace = false\n" + document)
                return self.inside(script, "--policy", str(path), *options, hosts=[])

            network = f'[network]\nallow = [{{host = "127.0.0.1", ports = [{self.port}], allow_private = true}}]\n'
            result = run(network + '[environment]\nset = {GREETING = "hi"}\n', f'echo $GREETING; curl -sS http://127.0.0.1:{self.port}/text; ls {folder} 2>&1 | wc -l')
            self.check("a document's network and variables hold, its files do not show", result["stdout"] == "hi\none\ntwo\nthree\n1\n" and result["exit_code"] == 0, result)
            result = run('[limits]\noutput = "1K"\n', "yes")
            self.check("a document's limits hold", result["termination"]["limit"] == "output", result)
            result = run("", "curl http://x/")
            self.check("a document without hosts has no curl", result["exit_code"] == 127, result)
            for key, text in (("network.publish", "[network]\npublish = [3000]\n"), ("network.host_ports", "[network]\nhost_ports = [3000]\n"), ("limits.cpus", "[limits]\ncpus = 0.5\n")):
                result = run(text, "true")
                self.check(f"{key} is refused by name", result["exit_code"] == 2 and key in result["stderr"], result)
        result = self.inside("curl -sS https://example.org/; echo $?", "--preset", "agent", hosts=[])
        self.check("a preset's hosts are the only ones", result["stdout"] == "7\n" and "denied" in result["stderr"], result)

    def check_tls(self):
        with tempfile.TemporaryDirectory() as folder:
            pem = pathlib.Path(folder, "server.pem")
            made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                                   "-addext", "subjectAltName=DNS:localhost", "-keyout", str(pem), "-out", folder + "/certificate.pem"], capture_output=True)
            if made.returncode != 0:
                self.skipped += 1
                return
            certificate = pathlib.Path(folder, "certificate.pem").read_text()
            pem.write_text(pem.read_text() + certificate)
            server = Server(str(pem))
            here, hosts = f"https://localhost:{server.server_port}", [f"localhost:{server.server_port}"]
            result = self.inside(f"curl -sS {here}/text; echo $?; wget -q -O - {here}/text; echo $?", hosts=hosts)
            self.check("an unknown authority is not trusted", result["stdout"] == "60\n5\n" and "SSL certificate problem" in result["stderr"], result)
            result = self.inside(f"curl -sSk {here}/text; wget -q --no-check-certificate -O - {here}/text; cat > ca.pem <<'E'\n{certificate}E\ncurl -sS --cacert ca.pem {here}/text; "
                                 f"wget -q --ca-certificate ca.pem -O - {here}/text", hosts=hosts)
            self.check("TLS", result["stdout"] == "one\ntwo\nthree\n" * 4 and result["stderr"] == "", result)
            self.tls_of_wget(folder, pem, certificate, here, hosts)
            result = self.inside(f"curl -sS --cacert {folder}/certificate.pem {here}/text", hosts=hosts)
            self.check("no authority of the host's files", result["exit_code"] == 77, result)
            result = self.inside(f"curl -sSk -H 'Host: other.example' {here}/echo; curl -sSLk {here}/to/302?https://127.0.0.1:{self.other.server_port}/; echo $?", hosts=hosts)
            self.check("a redirect within TLS is judged", result["stdout"].endswith("7\n") and "denied by the sandbox's policy" in result["stderr"], result)
            os.environ["NET_CASE_SECRET"] = "s3cr3t-value-of-the-case"
            command = [self.arguments.paddock, "run", "--allow-host", hosts[0], "--secret", "KEY=env:NET_CASE_SECRET@" + hosts[0], "--tls-trust", folder + "/certificate.pem",
                       f'curl -sS -H "X-Key: $KEY" {here}/status/200; curl -sS -H "X-Key: $KEY" {here}/echo | grep -c "x-key: $KEY"']
            done = subprocess.run(command, capture_output=True, text=True, timeout=20, cwd="/")
            self.check("a secret goes to its host and comes back as its placeholder", done.stdout == "status 200\n1\n" and "s3cr3t" not in done.stdout + done.stderr,
                       [done.stdout, done.stderr])

    def tls_of_wget(self, folder, pem, certificate, here, hosts):
        key = subprocess.run(f"openssl x509 -pubkey -noout -in {folder}/certificate.pem | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64", shell=True,
                             capture_output=True, text=True, check=True).stdout.strip()
        files = f"mkdir d; cat > d/ca.pem <<'E'\n{certificate}E\ncat > both.pem <<'E'\n{pem.read_text()}E\n"
        only = "-q -O - --ca-directory d --tries 1"
        result = self.inside(files + f"wget {only} {here}/text; wget -q --ca-directory . -O - {here}/text; mkdir e; wget -q --ca-directory e -O - {here}/text; echo $?", hosts=hosts)
        self.check("wget trusts the authorities of a directory, and those alone", result["stdout"] == "one\ntwo\nthree\n" * 2 + "5\n", result)
        result = self.inside(files + f"wget {only} --pinnedpubkey 'sha256//{key}' {here}/text; wget {only} --pinnedpubkey 'sha256//{'A' * 43}=' {here}/text; echo $?; "
                             f"wget {only} --pinnedpubkey both.pem {here}/text; echo $?; wget {only} --pinnedpubkey /etc/passwd {here}/text; echo $?", hosts=hosts)
        self.check("wget pins keys", result["stdout"] == "one\ntwo\nthree\n4\n1\n1\n", result)
        result = self.inside(files + "".join(f"wget {only} --secure-protocol={one} {here}/text | tail -1; " for one in ("auto", "TLSv1_2", "TLSv1_3", "PFS")), hosts=hosts)
        self.check("wget and versions of TLS", result["stdout"] == "three\n" * 4, result)
        asking = Server(str(pem), folder + "/certificate.pem")
        there, hosts = f"https://localhost:{asking.server_port}", [f"localhost:{asking.server_port}"]
        split = "sed -n '/PRIVATE/,/PRIVATE/p' both.pem > key.pem; sed -n '2,/^-----END/p' d/ca.pem | grep -v -e - | base64 -d > c.der; grep -v -e - key.pem | base64 -d > k.der\n"
        result = self.inside(files + split + f"wget {only} {there}/text; echo $?; wget {only} --certificate both.pem {there}/text; wget {only} --certificate d/ca.pem --private-key key.pem {there}/text; "
                             f"wget {only} --certificate c.der --certificate-type DER --private-key k.der --private-key-type=DER {there}/text; "
                             f"wget {only} --certificate d/ca.pem --certificate-type PEM --private-key nothing {there}/text; echo $?", hosts=hosts)
        self.check("wget shows its certificate", result["stdout"] == "4\n" + "one\ntwo\nthree\n" * 3 + "1\n", result)
        result = self.inside(f"wget {only.replace('--ca-directory d', '--no-check-certificate')} --certificate {pem} {there}/text; echo $?", hosts=hosts)
        self.check("no certificate of the host's files", result["stdout"] == "1\n", result)

    def check_secrets(self):
        os.environ["NET_CASE_SECRET"] = "s3cr3t-value-of-the-case"
        command = [self.arguments.paddock, "run", "--allow-host", f"127.0.0.1:{self.port}", "--secret", "KEY=env:NET_CASE_SECRET@127.0.0.1",
                   f'echo "$KEY"; curl -sS -H "Authorization: Bearer $KEY" http://127.0.0.1:{self.port}/echo; echo $?']
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        self.check("a secret's value never enters", "s3cr3t" not in done.stdout + done.stderr, done.stdout + done.stderr)
        self.check("a secret does not go out in plain text", "denied" in done.stderr, done.stdout + done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--paddock", default=str(ROOT / "build" / "release" / "bin" / "paddock"))
    parser.add_argument("--filter", default="")
    parser.add_argument("-v", "--verbose", action="store_true")
    runner = Runner(parser.parse_args())
    runner.run_cases()
    print(f"{runner.passed} passed, {runner.failed} failed, {runner.skipped} skipped")
    return 1 if runner.failed else 0


if __name__ == "__main__":
    sys.exit(main())
