"""Tricks with unix sockets that a shell cannot do: unix.py TRICK HOST_SOCKET WORD. They send WORD to the host's socket."""
import ctypes
import os
import socket
import struct
import sys
import threading

ROUNDS = 3000
LIBC = ctypes.CDLL(None, use_errno=True)


def send(path, word, kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_UNIX, kind) as client:
        client.connect(path)
        client.send(word)


def address(path):
    return struct.pack("=H108s", socket.AF_UNIX, path.encode())


def listen(path):
    """A server of our own, which takes connections and forgets them."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(100)

    def serve():
        while True:
            server.accept()[0].close()
    threading.Thread(target=serve, daemon=True).start()
    return server


def plain(path, word):
    send(path, word)


def relative(path, word):
    os.chdir(os.path.dirname(path))
    send(os.path.basename(path), word)


def link(path, word):
    os.symlink(path, "/tmp/late-link")
    send("/tmp/late-link", word)


def hard_link(path, word):
    os.link(path, path + "-2")
    send(path + "-2", word)


def renamed(path, word):
    """Takes the place of a socket of our own that was connected to before."""
    own = path + "-own"
    server = listen(own)
    send(own, b"x")
    os.rename(path, own)
    send(own, word)
    server.close()


def descriptor(path, word):
    number = os.open(path, os.O_PATH)
    send(f"/proc/self/fd/{number}", word)


def directory(path, word):
    number = os.open(os.path.dirname(path), os.O_PATH)
    for place in (f"/proc/self/fd/{number}", f"/dev/fd/{number}", f"/proc/{os.getpid()}/fd/{number}", f"/proc/thread-self/fd/{number}", "/proc/self/cwd", "/proc/1/root" + os.path.dirname(path)):
        try:
            send(f"{place}/{os.path.basename(path)}", word)
        except OSError as error:
            print(place, error)


def sequenced(path, word):
    send(path, word, socket.SOCK_SEQPACKET)


def datagram(path, word):
    send(path, word, socket.SOCK_DGRAM)


def datagram_to(path, word):
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(word, path)


def datagram_message(path, word):
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendmsg([word], [], 0, path)


def datagram_raw(path, word):
    """SOCK_RAW of the unix family is a datagram socket under another name."""
    socket.socket(socket.AF_UNIX, socket.SOCK_RAW).sendto(word, path)


def datagram_pair(path, word):
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(word, path)


def race(path, word, swap, undo=None):
    """Connects while another thread changes what is connected to."""
    own = "/tmp/late-own"
    listen(own)
    buffer = ctypes.create_string_buffer(address(own), 110)
    state = {"over": False}
    both = [address(own), address(path)]

    def swapping():
        while not state["over"]:
            swap(buffer, both)
    thread = threading.Thread(target=swapping)
    sys.setswitchinterval(1e-5)
    thread.start()
    for _ in range(ROUNDS):
        client = socket.socket(socket.AF_UNIX)
        if LIBC.connect(client.fileno(), buffer, 110) == 0:
            try:
                client.send(word)
            except OSError:
                pass
        client.close()
    state["over"] = True
    thread.join()


def race_memory(path, word):
    def swap(buffer, both):
        for one in both:
            ctypes.memmove(buffer, one, 110)
    race(path, word, swap)


def race_link(path, word):
    """The name stays; a link in it turns around."""
    os.symlink("/tmp/late-own", "/tmp/late-a")
    os.symlink(path, "/tmp/late-b")
    os.symlink("/tmp/late-own", "/tmp/late-turn")

    def swap(buffer, _):
        for target in ("/tmp/late-own", path):
            os.symlink(target, "/tmp/late-new")
            os.rename("/tmp/late-new", "/tmp/late-turn")
    both = address("/tmp/late-turn")

    def first(buffer, unused):
        ctypes.memmove(buffer, both, 110)
        swap(buffer, unused)
    race(path, word, first)


def race_descriptor(path, word):
    """The number names a TCP socket when the call is made, and a unix one soon after."""
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(100)
    state = {"over": False}
    number = os.dup(server.fileno())

    def swapping():
        while not state["over"]:
            tcp, unix = socket.socket(), socket.socket(socket.AF_UNIX)
            os.dup2(tcp.fileno(), number)
            os.dup2(unix.fileno(), number)
            tcp.close()
            unix.close()
    thread = threading.Thread(target=swapping)
    sys.setswitchinterval(1e-5)
    thread.start()
    buffer = ctypes.create_string_buffer(address(path), 110)
    for _ in range(ROUNDS):
        if LIBC.connect(number, buffer, 110) == 0:
            os.write(number, word)
    state["over"] = True
    thread.join()


def many(path, word):
    """Every thread that answers is kept busy by a full queue; then once more."""
    slow = socket.socket(socket.AF_UNIX)
    slow.bind("/tmp/late-slow")
    slow.listen(0)

    def wait():
        try:
            socket.socket(socket.AF_UNIX).connect("/tmp/late-slow")
        except OSError:
            pass
    for _ in range(60):
        threading.Thread(target=wait, daemon=True).start()
    client = socket.socket(socket.AF_UNIX)
    client.setblocking(False)
    threading.Thread(target=lambda: send(path, word), daemon=True).start()
    threading.Event().wait(1)
    os._exit(0)


def no_memory(path, word):
    """The address in memory that nobody can read any more when it is asked for; lengths that are none."""
    buffer = ctypes.create_string_buffer(address(path), 110)
    for size in (0, 1, 2, 3, 109, 110, 111, 128, 129, 2**31 - 1, -1):
        client = socket.socket(socket.AF_UNIX)
        if LIBC.connect(client.fileno(), buffer, size) == 0:
            client.send(word)
    LIBC.connect(client.fileno(), ctypes.c_void_p(1), 110)


def take(path, word):
    """Asks the host's socket for a directory and looks into it: what it holds, and what it lets be made."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        directory = socket.recv_fds(client, 1, 1)[1][0]
    for attempt in (lambda: os.read(os.open("secret", os.O_RDONLY, dir_fd=directory), 4096).decode(),
                    lambda: os.listdir(directory),
                    lambda: os.open(word, os.O_WRONLY | os.O_CREAT, dir_fd=directory)):
        try:
            print(attempt())
        except OSError as problem:
            print(problem)


if __name__ == "__main__":
    trick, place, text = sys.argv[1:4]
    try:
        globals()[trick](place, text.encode())
    except OSError as problem:
        print(trick, problem)
