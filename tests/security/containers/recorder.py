"""A socket in front of a container engine that passes everything on and keeps what clients sent, for looking at it afterwards."""

import contextlib
import json
import socket
import threading

MOST = 1 << 20   # bytes kept of one connection

# Fields that open a container, wherever they stand in a request (docs/security-model.md, Containers).
FORBIDDEN = {"Privileged", "Binds", "CapAdd", "Devices", "DeviceRequests", "DeviceCgroupRules", "PidMode", "UTSMode", "UsernsMode", "VolumesFrom", "Links",
             "CgroupParent", "Sysctls", "OomKillDisable", "OomScoreAdj", "PortBindings", "PublishAllPorts", "ExtraHosts", "GroupAdd", "ContainerIDFile"}


class Recorder:
    def __init__(self, upstream, path):
        self.upstream, self.path = str(upstream), str(path)
        self.requests = []   # bytes of each connection, as far as they are kept
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(64)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self.upstream)
            except OSError:
                client.close()
                continue
            kept = bytearray()
            with self.lock:
                self.requests.append(kept)
            threading.Thread(target=self.carry, args=(client, server, kept), daemon=True).start()
            threading.Thread(target=self.carry, args=(server, client, None), daemon=True).start()

    @staticmethod
    def carry(source, target, kept):
        with contextlib.suppress(OSError):
            while True:
                piece = source.recv(1 << 16)
                if not piece:
                    break
                if kept is not None and len(kept) < MOST:
                    kept += piece
                target.sendall(piece)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def close(self):
        self.listener.close()

    def seen(self):
        """(method, path, body) of every request; each has a connection of its own."""
        with self.lock:
            everything = [bytes(one) for one in self.requests]
        for one in everything:
            head, _, body = one.partition(b"\r\n\r\n")
            words = head.split(b"\r\n")[0].decode("latin-1").split(" ")
            if len(words) == 3:
                yield words[0], words[1], body


def objections(method, path, body):
    """What a request asks for that it must not, one line each."""
    try:
        said = json.loads(body) if body.startswith(b"{") else None
    except ValueError:
        said = None
    found = []

    def look(value, at):
        if isinstance(value, dict):
            for key, inner in value.items():
                if key in FORBIDDEN:
                    found.append(f"{at}.{key}")
                look(inner, f"{at}.{key}")
        elif isinstance(value, list):
            for inner in value:
                look(inner, at)
    look(said, f"{method} {path.split('?')[0]}")
    host = (said or {}).get("HostConfig", {})
    if "/containers/create" in path:
        if said is None:
            found.append("a create without a body that can be read")
        if host.get("CapDrop") != ["ALL"]:
            found.append("capabilities are kept")
        options = host.get("SecurityOpt", [])
        if "no-new-privileges" not in options or any(word in one for one in options for word in ("unconfined", "disable")):
            found.append(f"SecurityOpt {[one[:40] for one in options]}")
        if host.get("NetworkMode", "").startswith(("host", "container:", "bridge", "default")) or not host.get("NetworkMode"):
            found.append(f"NetworkMode {host.get('NetworkMode')}")
        if host.get("IpcMode") not in ("private", "none") or host.get("CgroupnsMode") != "private":
            found.append("a namespace of the host's")
        for mount in host.get("Mounts", []):
            if mount.get("Type") != "volume" or "/" in mount.get("Source", ""):
                found.append(f"mount {mount}")
    return found
