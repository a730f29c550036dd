"""Listeners on the scratch host. Each records what it receives; what it answers is a secret of its own."""

import os
import socket
import struct
import threading

ALLOWED_ADDRESS, DENIED_ADDRESS = "93.184.215.14", "93.184.215.99"
METADATA_ADDRESS, PRIVATE_ADDRESS = "169.254.169.254", "10.1.2.3"
RESOLVER_ADDRESS = "10.255.255.53"
LOOPBACK_PORT, LOOPBACK6_PORT, DEV_PORT, UDP_PORT = 18081, 18082, 3000, 9999
READ_S, MAX_BYTES, MAX_RECORDS = 2, 1 << 16, 20000

# name -> A or AAAA answers; a list of lists is served in turn.
ZONE = {
    "allowed.example": ["A", [ALLOWED_ADDRESS]],
    "sub.allowed.example": ["A", [DENIED_ADDRESS]],
    "denied.example": ["A", [DENIED_ADDRESS]],
    "loopback.example": ["A", ["127.0.0.1"]],
    "private.example": ["A", [PRIVATE_ADDRESS]],
    "metadata.example": ["A", [METADATA_ADDRESS]],
    "mapped.example": ["AAAA", ["::ffff:127.0.0.1"]],
    "loopback6.example": ["AAAA", ["::1"]],
    "zero.example": ["A", ["0.0.0.0"]],
    "mixed.example": ["A", ["127.0.0.1", ALLOWED_ADDRESS]],
    "nat64.example": ["AAAA", ["64:ff9b::7f00:1"]],
    "sixtofour.example": ["AAAA", ["2002:7f00:1::"]],
    "allowed.example.denied.example": ["A", [DENIED_ADDRESS]],
    "notallowed.example": ["A", [DENIED_ADDRESS]],
    "rebind.example": ["A", [ALLOWED_ADDRESS], ["127.0.0.1"]],
}


def question_name(query):
    labels, at = [], 12
    while at < len(query) and query[at]:
        labels.append(query[at + 1:at + 1 + query[at]])
        at += 1 + query[at]
    return b".".join(labels).decode("latin-1").lower(), at + 5


class Servers:
    """Threads that live as long as the process. `records` is a list of (server, bytes)."""

    def __init__(self, tokens):
        self.tokens, self.records, self.lock, self.turns = tokens, [], threading.Lock(), {}
        self.keep = []

    def record(self, name, data):
        with self.lock:
            if len(self.records) < MAX_RECORDS:
                self.records.append((name, data))

    def listen(self, sock, serve):
        self.keep.append(sock)
        threading.Thread(target=serve, args=(sock,), daemon=True).start()

    def answer(self, name):
        body = (self.tokens.get(name) or self.tokens["server"]) + "\n"
        return f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode()

    def serve_stream(self, sock, name_of):
        while True:
            client, _ = sock.accept()
            threading.Thread(target=self.serve_client, args=(client, name_of(client)), daemon=True).start()

    def serve_client(self, client, name):
        data = b""
        with client:
            client.settimeout(READ_S)
            try:
                while len(data) < MAX_BYTES and b"\n\r\n" not in data and b"\n\n" not in data:
                    more = client.recv(MAX_BYTES)
                    if not more:
                        break
                    data += more
                    if not data[:1].isalpha() and b"\n" in data:
                        break
            except OSError:
                pass
            self.record(name, data)  # an empty one is a connection too
            try:
                client.sendall(self.answer(name.partition(" ")[0]))
                # what comes after the first request: smuggled, or pipelined
                client.settimeout(0.3)
                more = client.recv(MAX_BYTES)
                if more:
                    self.record(name, more)
            except OSError:
                pass

    def tcp(self, address, port, name=None, family=socket.AF_INET):
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind((address, port))
        sock.listen(64)

        def name_of(client):
            where = client.getsockname()[0]
            if name:
                return name
            return ("allowed" if where == ALLOWED_ADDRESS else "metadata" if where == METADATA_ADDRESS else "tcp") \
                + f" {where}:{port}"
        self.listen(sock, lambda s: self.serve_stream(s, name_of))

    def unix(self, path, name, mode=0o666, owner=None):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.bind(path)
        sock.listen(64)
        if not path.startswith("\0"):
            os.chmod(path, mode)
            if owner is not None:
                os.chown(path, *owner)
        self.listen(sock, lambda s: self.serve_stream(s, lambda _: name))

    def unix_datagram(self, path, name):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        sock.bind(path)
        if not path.startswith("\0"):
            os.chmod(path, 0o666)

        def serve(one):
            while True:
                self.record(name, one.recv(MAX_BYTES))
        self.listen(sock, serve)

    def udp(self, port, name):
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.bind(("0.0.0.0", port))

        def serve(one):
            while True:
                data, peer = one.recvfrom(MAX_BYTES)
                self.record(name, data)
                one.sendto(self.tokens["server"].encode(), peer)
        self.listen(sock, serve)

    def dns(self):
        sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        sock.setsockopt(socket.IPPROTO_IP, 8, 1)  # IP_PKTINFO: answer from the address that was asked
        sock.bind(("0.0.0.0", 53))

        def serve(one):
            while True:
                data, ancillary, _, peer = one.recvmsg(4096, 256)
                if len(data) < 17:
                    self.record("dns", data)
                    continue
                self.record("dns", data + b" " + question_name(data)[0].encode("latin-1"))
                control = [(level, kind, value[:4] + value[8:12] + b"\0\0\0\0") for level, kind, value in ancillary]
                one.sendmsg([self.resolve(data)], control, 0, peer)
        self.listen(sock, serve)

    def resolve(self, query):
        name, end = question_name(query)
        entry = ZONE.get(name)
        if entry is None:
            return query[:2] + b"\x81\x83" + query[4:6] + b"\0\0\0\0\0\0" + query[12:end]
        kind, *turns = entry
        wanted = struct.unpack("!H", query[end - 4:end - 2])[0]
        answers = []
        if wanted == {"A": 1, "AAAA": 28}[kind]:
            with self.lock:
                turn = self.turns[name] = self.turns.get(name, -1) + 1
            answers = turns[min(turn, len(turns) - 1)]
        family = socket.AF_INET if kind == "A" else socket.AF_INET6
        packed = [socket.inet_pton(family, one) for one in answers]
        body = b"".join(b"\xc0\x0c" + struct.pack("!HHIH", wanted, 1, 0, len(one)) + one for one in packed)
        return query[:2] + b"\x81\x80\0\1" + struct.pack("!H", len(packed)) + b"\0\0\0\0" + query[12:end] + body

    def packets(self):
        """Everything but TCP that crosses the scratch host's loopback, which carries every route."""
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        sock.bind(("lo", 0))

        def serve(one):
            while True:
                data = one.recv(MAX_BYTES)
                protocol = data[9] if data[0] >> 4 == 4 else data[6]
                if protocol != socket.IPPROTO_TCP:
                    self.record(f"packet {protocol}", data)
        self.listen(sock, serve)
