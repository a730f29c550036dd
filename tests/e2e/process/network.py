"""The network, as far as the policy allows it."""

import http.server
import signal
import socket
import socketserver
import ssl
import subprocess
import threading
import time
import urllib.request

from .case import Skip, driven, script

PYPI = "pypi.org"

script("network/curl-and-wget", "curl, wget, python3 urllib", "https to an allowed host, with certificates checked", f"""
curl -fsS -o /dev/null -w '%{{http_code}}\\n' https://{PYPI}/simple/six/
wget -q -O - https://{PYPI}/simple/six/ | grep -c -m1 six
python3 -c 'import urllib.request as u; print(u.urlopen("https://{PYPI}/simple/six/").status)'
""", out="200\n1\n200", preset="agent", needs=("curl", "wget"), registry=PYPI)

script("network/without-proxy-variables", "curl, python3", "programs that know no proxy reach the allowed host too, and only it", f"""
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
curl -fsS -o /dev/null -w '%{{http_code}}\\n' https://{PYPI}/simple/six/
python3 -c 'import socket; socket.create_connection(("{PYPI}", 443), 10); print("connected")'
curl -sS -m 10 -o /dev/null https://example.org/ 2>/dev/null || echo refused
""", out="200\nconnected\nrefused", preset="agent", needs=("curl",), registry=PYPI)

script("network/denial-names-the-host", "curl", "what no rule allows is refused, and the run says so", """
curl -sS -m 10 -o /dev/null -w '%{http_code} ' https://example.org/ 2>&1 || echo refused
""", match=r"example\.org|403", preset="agent", needs=("curl",))

script("network/none", "curl", "`workspace` has no network but its own loopback", """
curl -sS -m 10 https://example.org/ 2>/dev/null || echo refused
ls /sys/class/net 2>/dev/null | grep -v '^lo$' || echo 'nothing but lo'
""", out="refused\nnothing but lo", needs=("curl",))


def own_address():
    """An address of this machine that is not loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))   # sends nothing
        except OSError as error:
            raise Skip(f"this machine has no address but loopback: {error}") from None
        address = probe.getsockname()[0]
    if address.startswith("127."):
        raise Skip("this machine has no address but loopback")
    return address


@driven("network/socks", "curl --socks5, python3, bash /dev/tcp", "raw TCP as ssh speaks it, through SOCKS and without, to an allowed address", preset="workspace", needs=("curl",))
def raw_tcp(box):
    class Banner(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.sendall(b"SSH-2.0-probe\r\n")
            self.request.sendall(b"echo " + self.request.recv(100))

    address = own_address()
    with socketserver.ThreadingTCPServer((address, 0), Banner) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        box.write("work.py", f"""
import os, socket, struct
proxy = os.environ["ALL_PROXY"].split("//")[1].split(":")
for direct in (True, False):
    with socket.create_connection(("{address}", {port}) if direct else (proxy[0], int(proxy[1])), 10) as client:
        file = client.makefile("rb")
        if not direct:
            client.sendall(b"\\5\\1\\0")
            assert file.read(2) == b"\\5\\0"
            client.sendall(b"\\5\\1\\0\\1" + socket.inet_aton("{address}") + struct.pack("!H", {port}))
            assert file.read(10)[:2] == b"\\5\\0"
        print(file.readline().decode().strip(), end=" ")
        client.sendall(b"hi\\n")
        print(file.readline().decode().strip())
""")
        ended = box.run(f"python3 work.py; exec 3<>/dev/tcp/{address}/{port}; head -1 <&3",
                        options=("--allow-host", f"{address}:{port}"), check=0)
        server.shutdown()
    assert ended.out.replace("\r", "") == "SSH-2.0-probe echo hi\n" * 2 + "SSH-2.0-probe\n", ended


@driven("network/http-of-a-private-server", "curl", "a server of this machine's own network, by an explicit rule; another port of it is refused", needs=("curl",))
def private_server(box):
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"page")

        def log_message(self, *_):
            pass

    address = own_address()
    with http.server.ThreadingHTTPServer((address, 0), Page) as server, http.server.ThreadingHTTPServer((address, 0), Page) as other:
        for one in (server, other):
            threading.Thread(target=one.serve_forever, daemon=True).start()
        port = server.server_address[1]
        ended = box.run(f"curl -fsS http://{address}:{port}/; curl -fsS http://{address}:{other.server_address[1]}/ || echo refused",
                        options=("--allow-host", f"{address}:{port}"), check=0)
        for one in (server, other):
            one.shutdown()
    assert ended.out in ("pagerefused\n",), ended


def make_certificate(directory, address):
    """A certificate authority and a server's certificate for an address, as PEM files: (authority, chain with key)."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=directory)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Company Root", "-days", "2")
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server")
    (directory / "names").write_text(f"subjectAltName=IP:{address}\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", "server.pem",
            "-days", "2", "-extfile", "names")
    chain = directory / "chain.pem"
    chain.write_text((directory / "server.pem").read_text() + (directory / "server.key").read_text())
    (directory / "ca.pem").chmod(0o644)
    return directory / "ca.pem", chain


class EchoHead(http.server.BaseHTTPRequestHandler):
    """Answers with what it was asked, and how."""

    def do_GET(self):
        self.server.keys.append(self.headers.get("X-Key"))
        text = f"{self.command} {self.path} key={self.headers.get('X-Key')} other={self.headers.get('X-Other')}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_GET

    def log_message(self, *_):
        pass


class TlsServer:
    """An HTTPS server of the host's with a certificate of a company's own authority."""

    def __init__(self, box):
        self.address = own_address()
        directory = box.base / "tls"
        directory.mkdir()
        self.authority, chain = make_certificate(directory, self.address)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(chain)
        self.server = http.server.ThreadingHTTPServer((self.address, 0), EchoHead)
        self.server.keys = []   # values of X-Key as they came
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.place = f"{self.address}:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@driven("network/opened-tls", "curl, python3", "TLS to a server of a company's own authority is opened: methods and paths are judged; an unknown authority is refused",
        policy="# the case writes its own", needs=("curl", "openssl"))
def opened_tls(box):
    with TlsServer(box) as server:
        rule = f"""extends = "workspace"
[network]
allow = [{{host = "{server.place}", methods = ["GET"], paths = ["/api"], terminate_tls = true, allow_private = true}}]
"""
        box.policy.write_text(rule + f'tls_trust = ["{server.authority}"]\n', encoding="utf-8")
        work = f"""
curl -sS https://{server.place}/api/one
curl -sS -o /dev/null -w '%{{http_code}}\n' -X POST https://{server.place}/api/one
curl -sS -o /dev/null -w '%{{http_code}}\n' https://{server.place}/apix
python3 -c 'import urllib.request as u; print(u.urlopen("https://{server.place}/api/two").read().decode().strip())'
"""
        ended = box.run(work, check=0)
        assert ended.out == "GET /api/one key=None other=None\n403\n403\nGET /api/two key=None other=None\n", ended
        box.policy.write_text(rule, encoding="utf-8")
        ended = box.run(f"curl -sS -o /dev/null -w '%{{http_code}}' https://{server.place}/api/one", check=0)
        assert ended.out == "502", ended


@driven("network/secret", "curl", "a secret's value reaches its own host, in its own header; inside there is a placeholder, and output shows no value",
        policy="# the case writes its own", needs=("curl", "openssl"))
def secret(box):
    with TlsServer(box) as server:
        box.environment["HOST_KEY"] = "s3cr3t-of-the-host"
        box.policy.write_text(f"""extends = "workspace"
[network]
allow = [{{host = "{server.place}", allow_private = true}}]
tls_trust = ["{server.authority}"]
[secrets.API_KEY]
from = "env:HOST_KEY"
hosts = [{{host = "{server.place}", header = "X-Key"}}]
""", encoding="utf-8")
        ended = box.run(f"""
case "$API_KEY" in *s3cr3t*) echo leaked;; '') echo none;; *) echo placeholder;; esac
curl -sS -H "X-Key: $API_KEY" https://{server.place}/a | sed "s/$API_KEY/placeholder/"
curl -sS -H "X-Other: $API_KEY" https://{server.place}/b | sed "s/$API_KEY/placeholder/"
env | grep -c s3cr3t || true
""", check=0)
        assert server.server.keys == ["s3cr3t-of-the-host"], server.server.keys   # the second request was refused
        assert "s3cr3t" not in ended.out + ended.err, ended
        lines = ended.out.splitlines()
        assert lines[:2] == ["placeholder", "GET /a key=placeholder other=None"] and lines[-1] == "0", ended   # the echo shows none
        assert "secret API_KEY is not bound to header X-Other" in ended.out + ended.err, ended


# Echoes messages over TLS, and prints what came and how long it was: server.py ADDRESS CHAIN.
MESSAGE_SERVER = """
import asyncio, ssl, sys, websockets
async def serve(client):
    async for message in client:
        text = message if isinstance(message, str) else message.decode()
        print(type(message).__name__, text[:100], len(text), flush=True)
        await client.send(message)
async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2])
    async with websockets.serve(serve, sys.argv[1], 0, ssl=context, max_size=None) as server:
        print(server.sockets[0].getsockname()[1], flush=True)
        await asyncio.Future()
asyncio.run(main())
"""

MESSAGE_CLIENT = """
import asyncio, os, sys, websockets
key = os.environ["API_KEY"]
async def main():
    async with websockets.connect(sys.argv[1], max_size=None) as client:
        for message in ('{"token": "%s"}' % key, ["in fragments ", key[:7], key[7:]], b"bytes " + key.encode(), key + "x" * 100000, "y" * 1000000):
            await client.send(message)
            back = await client.recv()
            whole = "".join(message) if isinstance(message, list) else message
            print("same" if back == whole else back[:100])
asyncio.run(main())
"""


def needs_websockets():
    if subprocess.run(["/usr/bin/python3", "-c", "import websockets"], capture_output=True, check=False).returncode != 0:
        raise Skip("python3-websockets is not installed")


@driven("network/secret-in-messages", "python3 websockets", "a secret's value goes into messages of a WebSocket where the policy says so, and comes back as the placeholder",
        policy="# the case writes its own", needs=("openssl",))
def secret_in_messages(box):
    needs_websockets()
    address = own_address()
    directory = box.base / "tls"
    directory.mkdir()
    authority, chain = make_certificate(directory, address)
    box.environment["HOST_KEY"] = "s3cr3t-of-the-host"
    box.write("client.py", MESSAGE_CLIENT)
    with subprocess.Popen(["/usr/bin/python3", "-c", MESSAGE_SERVER, address, chain], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            place = f"{address}:{int(server.stdout.readline())}"

            def connected(words):
                box.policy.write_text(f"""extends = "workspace"
[network]
allow = [{{host = "{place}", allow_private = true}}]
tls_trust = ["{authority}"]
[secrets.API_KEY]
from = "env:HOST_KEY"
hosts = [{{host = "{place}"{words}}}]
""", encoding="utf-8")
                return box.run(f"/usr/bin/python3 client.py wss://{place}/ 2>&1 | tail -5")

            ended = connected(", websocket = true")
            assert ended.out == "same\n" * 5, ended
            came = [server.stdout.readline() for _ in range(5)]
            assert came[0] == 'str {"token": "s3cr3t-of-the-host"} 31\n', came
            assert came[1] == "str in fragments s3cr3t-of-the-host 31\n" and came[2] == "bytes bytes s3cr3t-of-the-host 24\n", came
            assert came[3].startswith("str s3cr3t-of-the-hostxxx") and came[3].endswith(" 100018\n") and came[4].endswith("y 1000000\n"), came
            ended = connected("")
            assert "same" not in ended.out and "secret API_KEY is put into header fields only" in ended.out + ended.err, ended
        finally:
            server.kill()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def fetch(url, seconds=60):
    """What a server that is about to start answers."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return answer.read().decode()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


@driven("network/published-port", "python3 -m http.server, node", "the host reaches a development server inside through `--publish`", needs=("python3", "node"))
def published_port(box):
    for server in ("python3 -m http.server --bind 127.0.0.1 8000",
                   "node -e 'require(\"http\").createServer((q, a) => a.end(require(\"fs\").readFileSync(\"page\"))).listen(8000)'"):
        port = free_port()
        box.write("page", f"page {port}")
        child = box.start(f"exec {server}", options=("--publish", f"{port}:8000"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
        try:
            assert fetch(f"http://127.0.0.1:{port}/page") == f"page {port}"
            box.write("page", f"changed {port}" * 100_000)   # what a development server is for
            assert fetch(f"http://127.0.0.1:{port}/page") == f"changed {port}" * 100_000
            with socket.socket() as probe:
                assert probe.connect_ex(("127.0.0.1", 8000)) != 0 or port == 8000, "the port inside is open on the host, too"
        finally:
            child.send_signal(signal.SIGINT)
            message = child.communicate(timeout=30)
        assert child.returncode in (0, 130), (child.returncode, message)   # Python's server ends orderly
