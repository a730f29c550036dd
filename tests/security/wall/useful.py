"""The other way round: what a wall must let through. Without these, a wall that stops everything would hold every probe.
Here the evidence is of something that does not work, so the run without a wall shows nothing."""

from .probe import NOBODY, probe

ALLOWED = ("allowed.example:80", "allowed.example:443")


def fails_unless(text):
    return lambda look: None if text.format(mark=look.mark, **look.world.tokens) in look.out else "it does not work"


def on_host(look):
    try:
        with open(f"{look.world.work}/made", encoding="utf-8") as file:
            return None if file.read().strip() == look.mark else "the host has something else"
    except OSError:
        return "the host does not have it"


probe("useful/workspace", "a file written to the workspace is there on the host", "echo $MARK > made", on_host, bites=NOBODY)
probe("useful/own-tmp", "/tmp can be written", "echo $MARK > /tmp/mine && cat /tmp/mine", fails_unless("{mark}"), bites=NOBODY)
probe("useful/python", "a program of the system runs", "/usr/bin/python3 -c \"import os; print(os.environ['MARK'])\"", fails_unless("{mark}"), bites=NOBODY)
probe("useful/git", "git reads and commits", "git add README && git -c user.name=x -c user.email=x@example.org commit -qm $MARK && git log --format=%s",
      fails_unless("{mark}"), bites=NOBODY)
probe("useful/children", "forty processes and a pipe between two", "for i in $(seq 40); do sleep 0.2 & done; wait; echo $MARK | cat", fails_unless("{mark}"), bites=NOBODY)
probe("useful/own-loopback", "a server and its client inside", "/usr/bin/python3 .wall/net.py listen 4321 3 & sleep 1; /usr/bin/python3 .wall/net.py tcp 127.0.0.1 4321; wait",
      fails_unless("{mark}"), bites=NOBODY)
probe("useful/allowed", "an allowed host, with the proxy that the environment names", "/usr/bin/python3 .wall/net.py get http://allowed.example/ allowed.example",
      fails_unless("{allowed}"), bites=NOBODY, hosts=ALLOWED)
probe("useful/allowed-tunnel", "an allowed host through a tunnel", "/usr/bin/python3 .wall/net.py tunnel allowed.example:80 'GET / HTTP/1.1\\r\\nHost: allowed.example\\r\\n\\r\\n'",
      fails_unless("{allowed}"), bites=NOBODY, hosts=ALLOWED)
probe("useful/allowed-straight", "an allowed host by a program that knows no proxy", "/usr/bin/python3 .wall/net.py ask allowed.example 80",
      fails_unless("{allowed}"), bites=NOBODY, hosts=ALLOWED)
OWN_SOCKETS = """/usr/bin/python3 - <<'END'
import os, socket, threading
def serve(place, kind):
    server = socket.socket(socket.AF_UNIX, kind)
    server.bind(place)
    server.listen(4)
    threading.Thread(target=lambda: server.accept()[0].send(os.environ['MARK'].encode()), daemon=True).start()
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
    for place in ('own.sock', os.getcwd() + '/two.sock', '/tmp/own.sock', os.environ['HOME'] + '/own.sock', '/dev/shm/own.sock', '\\0own'):
        serve(place, kind)
        client = socket.socket(socket.AF_UNIX, kind)
        client.connect(place)
        assert client.recv(100).decode() == os.environ['MARK'], place
        if place[0] != '\\0': os.remove(place)
print(os.environ['MARK'])
END"""
probe("useful/own-sockets", "unix sockets of a program's own, in the workspace and everywhere else", OWN_SOCKETS, fails_unless("{mark}"), bites=NOBODY)
probe("useful/left-socket", "a socket's name that a dead program left answers so, as clients expect",
      "/usr/bin/python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('left.sock')\"; /usr/bin/python3 -c \"import os, socket; "
      "print(os.environ['MARK'] if socket.socket(socket.AF_UNIX).connect_ex('left.sock') == 111 else 'other')\"", fails_unless("{mark}"), bites=NOBODY)
