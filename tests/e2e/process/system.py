"""What programs ask of the system around them."""

from .case import script

script("system/who-and-where", "id, getent, date, locale", "the user has a name, a home and groups; local time and UTF-8 work", r"""
test "$(id -un)" = "$USER" && test "$(getent passwd "$USER" | cut -d: -f6)" = "$HOME" && echo named
python3 -c 'import getpass, os, pwd; print(pwd.getpwuid(os.getuid()).pw_name == getpass.getuser())'
id -Gn >/dev/null && getent group "$(id -g)" >/dev/null && echo grouped
TZ=Asia/Tokyo date -d @0 +%H:%M
python3 -c 'import datetime, zoneinfo; print(datetime.datetime.fromtimestamp(0, zoneinfo.ZoneInfo("America/New_York")).hour)'
LC_ALL=C.UTF-8 bash -c 'x=ü; echo ${#x}'
test -d ~ && test -w ~ && echo home
""", out="named\nTrue\ngrouped\n09:00\n19\n1\nhome")

script("system/loopback", "python3", "names and addresses of loopback: IPv4, IPv6, localhost, the host's own name", "python3 work.py",
       out="['127.0.0.1', '::1'] v4 v6 localhost udp own", files={"work.py": """
import socket, threading
names = sorted({entry[4][0] for entry in socket.getaddrinfo("localhost", 80)})
said = []
for family, address, word in ((socket.AF_INET, "127.0.0.1", "v4"), (socket.AF_INET6, "::1", "v6"), (socket.AF_INET, "localhost", "localhost")):
    server = socket.create_server((address, 0), family=family)
    threading.Thread(target=lambda: server.accept()[0].sendall(word.encode())).start()
    with socket.create_connection((address, server.getsockname()[1])) as client: said.append(client.recv(100).decode())
    server.close()
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); one.bind(("127.0.0.1", 0))
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"udp", one.getsockname())
said.append(one.recv(10).decode())
socket.getaddrinfo(socket.gethostname(), 80); said.append("own")
print(names, *said)
"""})

script("system/ipc", "python3", "unix sockets (also abstract, with descriptors passed), memfd, eventfd, System V and POSIX IPC", "python3 work.py",
       out="stream abstract passed memfd eventfd sem shm msg mq", files={"work.py": r'''
import array, ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
said = []
def check(result):
    assert result >= 0, os.strerror(ctypes.get_errno())
    return result
for name, word in (("socket", "stream"), ("\0paddock-e2e", "abstract")):
    server = socket.socket(socket.AF_UNIX); server.bind(name); server.listen()
    client = socket.socket(socket.AF_UNIX); client.connect(name)
    client.sendall(word.encode()); said.append(server.accept()[0].recv(20).decode())
left, right = socket.socketpair()
memory = os.memfd_create("memory"); os.write(memory, b"memfd")
socket.send_fds(left, [b"passed"], [memory])
data, (other,), _, _ = socket.recv_fds(right, 20, 1)
said += [data.decode(), os.pread(other, 5, 0).decode()]
event = check(libc.eventfd(0, 0)); os.write(event, (7).to_bytes(8, "little"))
if int.from_bytes(os.read(event, 8), "little") == 7: said.append("eventfd")
check(libc.semget(1234, 1, 0o1600)); said.append("sem")
block = check(libc.shmget(1234, 4096, 0o1600))
libc.shmat.restype = ctypes.c_void_p
address = libc.shmat(block, None, 0)
ctypes.memmove(address, b"shm", 3); said.append(ctypes.string_at(address, 3).decode())
queue = check(libc.msgget(1234, 0o1600))
class Message(ctypes.Structure): _fields_ = [("type", ctypes.c_long), ("text", ctypes.c_char * 8)]
check(libc.msgsnd(queue, ctypes.byref(Message(1, b"msg")), 8, 0))
got = Message(); check(libc.msgrcv(queue, ctypes.byref(got), 8, 0, 0)); said.append(got.text.decode())
rt = ctypes.CDLL("librt.so.1", use_errno=True)
class Attributes(ctypes.Structure): _fields_ = [("v", ctypes.c_long * 8)]
a = Attributes(); a.v[1] = 4; a.v[2] = 16
mq = check(rt.mq_open(b"/queue", os.O_CREAT | os.O_RDWR, 0o600, ctypes.byref(a)))
check(rt.mq_send(mq, b"mq", 2, 0)); buffer = ctypes.create_string_buffer(16)
check(rt.mq_receive(mq, buffer, 16, None)); said.append(buffer.value.decode())
print(*said)
'''})

script("system/resources", "nproc, free, ps, ulimit, nice", "what the machine has can be asked; processes inside can be listed and made nicer", r"""
test "$(nproc)" -ge 1 && free -m | grep -q '^Mem' && cat /proc/loadavg /proc/uptime /proc/meminfo /proc/cpuinfo /proc/stat >/dev/null && echo asked
ps -e -o comm= | grep -c '^ps$'
df -h . >/dev/null && mount >/dev/null && uname -a >/dev/null && uptime >/dev/null && echo told
nice -n 5 nice; ulimit -n >/dev/null; timeout 0.2 sleep 5 || echo $?
""", out="asked\n1\ntold\n5\n124")

script("system/randomness-and-hashes", "openssl, uuidgen", "random numbers, digests, keys", r"""
head -c 16 /dev/urandom | wc -c
printf abc | sha256sum | cut -c1-8
openssl rand -hex 4 | wc -c; openssl genpkey -algorithm ed25519 | openssl pkey -pubout | head -1
cat /proc/sys/kernel/random/uuid | wc -c
""", out="16\nba7816bf\n9\n-----BEGIN PUBLIC KEY-----\n37", needs=("openssl",))

script("system/no-root", "sudo, apt-get, mount, unshare", "nobody is root inside: packages are installed outside, or below home by the language's own tool", r"""
for command in 'apt-get install -y hello' 'mount -t tmpfs x /tmp' 'unshare -Ur true' 'chown 0 .' 'su -c true'; do
  $command >/dev/null 2>&1 </dev/null && echo "worked: $command"
done
echo refused
""", out="refused")

script("system/refused-calls", "python3, chmod, mknod", "what the page lists as closed says 'not permitted': set-id bits, devices, io_uring, raw sockets, user namespaces", r"""
mkdir d; touch f
chmod 2755 d 2>/dev/null || echo setgid; chmod 4755 f 2>/dev/null || echo setuid
mknod null c 1 3 2>/dev/null || echo device
python3 - <<'END'
import ctypes, errno, socket
libc = ctypes.CDLL(None, use_errno=True)
for word, number in (("io_uring", 425), ("ptrace", 101), ("perf", 298), ("bpf", 321), ("mount", 165)):
    ctypes.set_errno(0)
    print(word, libc.syscall(number, 0, 0, 0, 0, 0) == -1 and errno.errorcode[ctypes.get_errno()])
try: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP); print("raw works")
except PermissionError: print("raw")
END
""", out="setgid\nsetuid\ndevice\nio_uring EPERM\nptrace EPERM\nperf EPERM\nbpf EPERM\nmount EPERM\nraw")

script("system/sandbox-inside", "bwrap, unshare", "with `kernel.nested` a sandbox works inside the wall", r"""
unshare -Urm bash -c 'mount -t tmpfs none /tmp && id -u && ls /tmp | wc -l'
bwrap --ro-bind / / --unshare-all --dev /dev bash -c 'echo inside; touch /usr/x 2>/dev/null || echo read-only' || echo "status $?"
""", match=r"^0\n0\ninside\nread-only$", policy="[kernel]\nnested = true\n", needs=("bwrap",))
