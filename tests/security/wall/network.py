"""The network without a proxy: addresses, protocols and calls that a wall may have forgotten."""

import socket
import threading
import time

from .probe import any_of, leaks, probe, reaches

ALLOWED = ("allowed.example:80", "allowed.example:443")


def net(name, trick, arguments, judge=None, **more):
    inside = "\n".join(f"/usr/bin/python3 .wall/net.py {line}" for line in arguments.split("; "))
    probe(f"network/{name}", trick, inside, judge or reaches(), hosts=ALLOWED, **more)


net("loopback", "a server on the host's 127.0.0.1", "tcp 127.0.0.1 $LO_PORT", any_of(reaches("loopback"), leaks("loopback")))
net("loopback6", "a server on the host's ::1", "tcp ::1 $LO6_PORT", any_of(reaches("loopback6"), leaks("loopback6")))
net("loopback-name", "localhost, a development server", "tcp localhost $DEV_PORT", any_of(reaches("dev-server"), leaks("dev-server")))
net("unspecified", "0.0.0.0, which means loopback", "unspecified $LO_PORT")
net("unspecified6", "::, which means loopback", "tcp :: $LO6_PORT")
net("mapped", "::ffff:127.0.0.1", "mapped 127.0.0.1 $LO_PORT; mapped $DENIED_IP 80")
net("loopback-other", "another address of 127/8", "tcp 127.1.2.3 80")
net("host-name", "the host by its own name", "tcp scratch-host 80; tcp ${HOSTNAME:-scratch-host} 80")
net("metadata", "the cloud's metadata service", "tcp $METADATA_IP 80", any_of(reaches(), leaks("metadata")))
net("metadata6", "the cloud's metadata service by IPv6", "tcp fd00:ec2::254 80")
net("private", "a machine of the local network", "tcp $PRIVATE_IP 80; tcp 192.168.1.1 80; tcp 172.17.0.1 80")
net("public", "an address of the internet", "tcp $DENIED_IP 80; tcp $DENIED_IP 443")
net("public6", "an IPv6 address of the internet", "tcp 2606:4700::1111 443")
net("public-ssh", "SSH", "tcp $DENIED_IP 22")
net("allowed-other-port", "another port of an allowed host", "tcp allowed.example 22; tcp $ALLOWED_IP 22; tcp $ALLOWED_IP 8080",
    lambda look: next((f"{name} received it" for name, data in look.world.received() if look.mark.encode() in data and name.endswith((":22", ":8080"))), None))
net("named", "a name that is not allowed", "tcp denied.example 80; tcp denied.example 443")
net("dns", "a question to the host's name server", "dns $RESOLVER_IP denied.example")
net("dns-public", "a question to a public name server", "dns 9.9.9.9 denied.example; dns 8.8.8.8 denied.example")
net("dns-loopback", "a question to a name server on loopback", "dns 127.0.0.53 denied.example; dns 127.0.0.1 denied.example")
net("dns-library", "a question by the C library: data in a name", "lookup denied.example", reaches("dns"))
net("dns-allowed", "data in a name below an allowed one", "lookup allowed.example", reaches("dns"))
net("dns-tcp", "a name server by TCP", "tcp $DENIED_IP 53; tcp $RESOLVER_IP 53; udp $DENIED_IP 53", reaches())
net("udp", "a datagram", "udp $DENIED_IP $UDP_PORT")
net("udp-loopback", "a datagram to the host's loopback", "udp 127.0.0.1 $UDP_PORT")
net("udp6", "an IPv6 datagram", "udp 2606:4700::1111 $UDP_PORT")
net("udp-message", "a datagram by sendmsg()", "udp-message $DENIED_IP $UDP_PORT")
net("udp-allowed", "a datagram to an allowed host: the rule is for TCP", "udp $ALLOWED_IP $UDP_PORT; udp $ALLOWED_IP 443", reaches())
net("udp-lite", "UDP-Lite, which filters forget", "udp-lite $DENIED_IP $UDP_PORT")
net("broadcast", "a broadcast", "udp 255.255.255.255 $UDP_PORT; udp 10.255.255.255 $UDP_PORT")
net("multicast", "a multicast: names and devices of the local network", "udp 224.0.0.251 5353; udp 239.255.255.250 1900")
net("ping", "an echo request from a datagram socket", "ping $DENIED_IP")
net("raw", "an echo request from a raw socket", "raw $DENIED_IP 1", bites=("root",))
net("raw-header", "a packet with a header of its own and a forged sender", "raw-header $DENIED_IP", bites=("root",))
net("fast-open", "TCP fast open: data without connect()", "fast-open $DENIED_IP 80; fast-open 127.0.0.1 $LO_PORT")
net("multipath", "multipath TCP, which filters on TCP forget", "multipath $DENIED_IP 80; multipath 127.0.0.1 $LO_PORT")
net("bound", "a socket that is bound first", "bound $DENIED_IP 80")
net("later", "a connect that does not wait", "later $DENIED_IP 80")
probe("network/race", "the address rewritten by another thread while connect() is judged",
      "$P race-connect $ALLOWED_IP 80 $DENIED_IP 80 $MARK; $P race-connect $ALLOWED_IP 80 127.0.0.1 $LO_PORT $MARK", reaches(), hosts=ALLOWED, seconds=10)
probe("network/race-send", "the same with the address of a datagram", "$P race-send $ALLOWED_IP 9 $DENIED_IP $UDP_PORT $MARK", reaches("udp"), hosts=ALLOWED, seconds=10)
net("reconnect", "an allowed socket dissolved and connected elsewhere", "reconnect $ALLOWED_IP 80 $DENIED_IP 80")
for name, spelled in (("short", "127.1"), ("hex", "0x7f000001"), ("octal", "0177.0.0.1"), ("decimal", "2130706433"), ("zero", "0"), ("mixed-octal", "0x7f.1"),
                      ("v6-hex", "::ffff:7f00:1"), ("v6-compatible", "0:0:0:0:0:ffff:127.0.0.1")):
    net(f"spelling-{name}", f"loopback written {spelled}", f"spelled {spelled} 80; spelled {spelled} $LO_PORT")

PORT = 17777


def knock(port):
    """The host, or somebody on its network, who keeps trying to connect to a port of the sandbox."""
    def setup(world):
        def run():
            until = time.monotonic() + 40
            while time.monotonic() < until:
                for host in ("127.0.0.1", "::1"):
                    try:
                        with socket.create_connection((host, port), 0.5) as sock:
                            sock.sendall(world.tokens["pipe"].encode())
                            time.sleep(0.2)
                    except OSError:
                        pass
                time.sleep(0.1)
        threading.Thread(target=run, daemon=True).start()
    return setup


net("listen", "a port that listens inside, reached from outside without a rule", f"listen {PORT} 3", leaks("pipe"), setup=knock(PORT))
net("listen-low", "a privileged port inside, reached from outside", "listen 1023 3", leaks("pipe"), setup=knock(1023), bites=("root",))
