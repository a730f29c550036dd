"""Network tricks, run inside a wall: net.py TRICK [ARGUMENT…]. The word to deliver is in $MARK.

Through a proxy when the environment names one, else straight: that is what the run without a wall does.
"""

import base64
import ctypes
import os
import re
import select
import socket
import ssl
import struct
import sys
import urllib.parse

MARK = os.environ["MARK"].encode()
TIMEOUT_S = 2
socket.setdefaulttimeout(TIMEOUT_S)


def variable(*names):
    for name in names:
        for spelled in (name, name.lower()):
            if os.environ.get(spelled):
                return urllib.parse.urlsplit(os.environ[spelled])
    return None


HTTP_PROXY = variable("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
SOCKS_PROXY = variable("ALL_PROXY", "FTP_PROXY", "SOCKS_PROXY") or HTTP_PROXY


def dial(proxy):
    return socket.create_connection((proxy.hostname, proxy.port or 80))


def credentials(proxy):
    if not proxy.username:
        return b""
    text = f"{urllib.parse.unquote(proxy.username)}:{urllib.parse.unquote(proxy.password or '')}"
    return b"Proxy-Authorization: Basic " + base64.b64encode(text.encode()) + b"\r\n"


def drain(sock):
    data = b""
    try:
        while len(data) < 65536:
            more = sock.recv(65536)
            if not more:
                break
            data += more
    except OSError:
        pass
    print(data.decode("latin-1"))
    return data


def send(sock, data):
    sock.sendall(data)
    drain(sock)


def tcp(host, port, text=MARK):
    send(socket.create_connection((host, int(port))), text + b"\n\n")


def ask(host, port):
    send(socket.create_connection((host, int(port))), b"GET / HTTP/1.1\r\nHost: " + host.encode() + b"\r\n\r\n")


def spelled(host, port):
    """A name that the C library, not Python, takes apart."""
    for family, kind, _, _, address in socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM):
        with socket.socket(family, kind) as sock:
            sock.connect(address)
            send(sock, MARK + b"\n\n")


def udp(host, port, text=MARK):
    sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    sock.sendto(text, (host, int(port)))
    drain_one(sock)


def drain_one(sock):
    try:
        print(sock.recv(65536).decode("latin-1"))
    except OSError as e:
        print(e)


def udp_message(host, port):
    """sendmsg, with the address in the message, on a socket that never connects."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.sendmsg([MARK], [], 0, (host, int(port)))
    drain_one(sock)


def udp_lite(host, port):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 136)
    sock.sendto(MARK, (host, int(port)))


def question(name):
    body = b"".join(bytes([len(part)]) + part for part in name.encode().split(b".")) + b"\0"
    return b"\x12\x34\1\0\0\1\0\0\0\0\0\0" + body + b"\0\1\0\1"


def dns(server, name):
    udp(server, 53, question(MARK.decode() + "." + name))


def lookup(name):
    print(socket.getaddrinfo(MARK.decode() + "." + name, 80))


def ping(host):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
    sock.sendto(b"\x08\0" + b"\0\0\0\1\0\1" + MARK, (host, 0))
    drain_one(sock)


def raw(host, protocol):
    sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, int(protocol))
    sock.sendto(b"\x08\0\xf7\xfe\0\0\0\0" + MARK, (host, 0))


def raw_header(host):
    sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28 + len(MARK), 1, 0, 64, 17, 0, socket.inet_aton("10.9.8.7"),
                         socket.inet_aton(host))
    sock.sendto(header + struct.pack("!HHHH", 5, 9999, 8 + len(MARK), 0) + MARK, (host, 0))


def fast_open(host, port):
    """Data with the first packet: no connect() is called."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setblocking(True)
    sock.sendto(MARK + b"\n\n", socket.MSG_FASTOPEN, (host, int(port)))
    drain(sock)


def multipath(host, port):
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
    sock.connect((host, int(port)))
    send(sock, MARK + b"\n\n")


def bound(host, port):
    """From an address that is bound first."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.bind(("0.0.0.0", 0))
    sock.connect((host, int(port)))
    send(sock, MARK + b"\n\n")


def mapped(host, port):
    sock = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
    sock.connect((f"::ffff:{host}", int(port)))
    send(sock, MARK + b"\n\n")


def unspecified(port):
    """Connecting to nowhere means loopback."""
    tcp("0.0.0.0", port)


def later(host, port):
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setblocking(False)
    sock.connect_ex((host, int(port)))
    sock.settimeout(TIMEOUT_S)
    select.select([], [sock], [], TIMEOUT_S)
    send(sock, MARK + b"\n\n")


def reconnect(good, good_port, bad, bad_port):
    """One socket that was allowed once, dissolved and connected elsewhere."""
    libc = ctypes.CDLL(None, use_errno=True)
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.connect((good, int(good_port)))
    except OSError as e:
        print(e)
    libc.connect(sock.fileno(), bytes(16), 16)
    sock.connect((bad, int(bad_port)))
    send(sock, MARK + b"\n\n")


def listen(port, seconds):
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("0.0.0.0", int(port)))
    sock.listen(8)
    sock.settimeout(float(seconds))
    client, _ = sock.accept()
    drain(client)


def unescape(text):
    return text.encode("latin-1").decode("unicode_escape").encode("latin-1")


def as_read(name, port):
    """The (host, port) that a careless reader makes of a name."""
    name = urllib.parse.unquote(re.split(rb"[\0 \r\n]", name.rpartition(b"@")[2])[0].decode("latin-1"))
    found = re.fullmatch(r"(\[[^]]*\]|[^:]*)(?::(\d+))?", name)
    return found[1].strip("[]"), int(found[2] or port)


def get(target, host_header, *more):
    """GET of an absolute URI, as proxies want it; straight to its host when there is no proxy. `more`: lines of
    further header, and after an empty one a body, with escapes. @MARK@ is the word."""
    target = unescape(target)
    head = b"GET %s HTTP/1.1\r\nHost: %s\r\n%s%s\r\n" % (
        target, unescape(host_header), credentials(HTTP_PROXY) if HTTP_PROXY else b"",
        b"".join(unescape(line) + b"\r\n" for line in more if not line.startswith("\\r\\n")))
    head += b"".join(unescape(line)[2:] for line in more if line.startswith("\\r\\n"))
    head = head.replace(b"@MARK@", MARK)
    if HTTP_PROXY:
        sock = dial(HTTP_PROXY)
    else:
        sock = socket.create_connection(as_read(re.match(rb"[a-z]+://([^/?#\\]*)", target)[1], 80))
    send(sock, head)


def tunnel(target, *payload):
    """CONNECT, then bytes; straight when there is no proxy."""
    name = unescape(target)
    data = b"".join(unescape(part) for part in payload).replace(b"@MARK@", MARK) or MARK + b"\n\n"
    if not HTTP_PROXY:
        return send(socket.create_connection(as_read(name, 443)), data)
    sock = dial(HTTP_PROXY)
    sock.sendall(b"CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n" % (name, name, credentials(HTTP_PROXY)))
    answer = sock.recv(65536)
    print(answer.decode("latin-1"))
    if b" 200" in answer.split(b"\r\n")[0]:
        send(sock, data)
    return None


def hello(name):
    outgoing = ssl.MemoryBIO()
    tls = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname=name)
    try:
        tls.do_handshake()
    except ssl.SSLError:
        pass
    return outgoing.read()


def fronted(target, name):
    """A tunnel to one host with the TLS name of another; the word travels as a part of the name."""
    data = hello(MARK.decode() + "." + name)
    tunnel(target, "".join(f"\\x{byte:02x}" for byte in data))


def socks_open(command, kind, address, port):
    sock = dial(SOCKS_PROXY)
    methods = b"\5\2\0\2" if SOCKS_PROXY.username else b"\5\1\0"
    sock.sendall(methods)
    if sock.recv(2)[1:] == b"\2":
        user, password = (urllib.parse.unquote(part or "").encode() for part in (SOCKS_PROXY.username, SOCKS_PROXY.password))
        sock.sendall(b"\1" + bytes([len(user)]) + user + bytes([len(password)]) + password)
        sock.recv(2)
    body = {1: lambda: socket.inet_aton(address), 4: lambda: socket.inet_pton(socket.AF_INET6, address),
            3: lambda: bytes([len(unescape(address))]) + unescape(address)}[kind]()
    sock.sendall(b"\5" + bytes([command, 0, kind]) + body + struct.pack("!H", int(port)))
    answer = sock.recv(300)
    print(answer)
    return sock, answer


def socks(kind, address, port):
    if not SOCKS_PROXY:
        return tcp(unescape(address).split(b"\0")[0].decode(), port)
    sock, answer = socks_open(1, int(kind), address, port)
    if answer[1:2] == b"\0":
        send(sock, MARK + b"\n\n")
    return None


def socks_udp(address, port):
    if not SOCKS_PROXY:
        return udp(address, port)
    sock, answer = socks_open(3, 1, "0.0.0.0", 0)
    if answer[1:2] == b"\0":
        relay = (socket.inet_ntoa(answer[4:8]) if answer[4:8] != bytes(4) else SOCKS_PROXY.hostname,
                 struct.unpack("!H", answer[8:10])[0])
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        out.sendto(b"\0\0\0\1" + socket.inet_aton(address) + struct.pack("!H", int(port)) + MARK, relay)
        drain_one(out)
    return sock.close()


def socks4(address, port):
    if not SOCKS_PROXY:
        return tcp(address, port)
    sock = dial(SOCKS_PROXY)
    sock.sendall(b"\4\1" + struct.pack("!H", int(port)) + socket.inet_aton(address) + b"\0")
    if sock.recv(8)[1:2] == b"\x5a":
        send(sock, MARK + b"\n\n")
    return None


def repeat(count, trick, *arguments):
    for _ in range(int(count)):
        try:
            TRICKS[trick](*arguments)
        except OSError as e:
            print(e)


TRICKS = {name.replace("_", "-"): made for name, made in list(globals().items())
          if callable(made) and not name.startswith("_") and getattr(made, "__module__", "") == "__main__"}

if __name__ == "__main__":
    try:
        TRICKS[sys.argv[1]](*sys.argv[2:])
    except (OSError, ValueError, IndexError, AttributeError) as error:
        print("refused:", error)
        sys.exit(1)
