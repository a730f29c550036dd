"""How each wall is started. A wall is a function from a world and a command to an argument list."""

import json
import os

SRT_CLI = "node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js"


def paddock(_world, command, hosts, limits, options=()):
    words = ["/opt/paddock/bin/paddock", "run", "--isolation", "process", *(() if {"--preset", "--policy"} & set(options) else ("--preset", "workspace")), *options]
    for host in hosts:
        words += ["--allow-host", host]
    if limits:
        words += ["--limits", ",".join(limits)]
    return [*words, "--", *command]


def bwrap(world, command, _hosts, _limits, _options=()):
    """The set that agents' wrappers use: everything read-only, home hidden, private /tmp and /run, no network."""
    home, work = world.variables["H"], world.variables["W"]
    return ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
            "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run",
            "--tmpfs", home, "--bind", work, work, "--chdir", work, "--", *command]


def srt(world, command, hosts, _limits, _options=()):
    """Its own defaults, with the home hidden and the workspace given back."""
    home, work = world.variables["H"], world.variables["W"]
    settings = {"network": {"allowedDomains": list(hosts), "deniedDomains": []},
                "filesystem": {"denyRead": [home], "allowRead": [work], "allowWrite": [work], "denyWrite": []}}
    path = "/opt/srt-settings.json"
    with open(path, "w", encoding="utf-8") as file:
        json.dump(settings, file)
    os.chmod(path, 0o644)
    return ["node", f"/opt/peers/{SRT_CLI}", "-s", path, "--", *command]


def none(_world, command, _hosts, _limits, _options=()):
    return list(command)


WALLS = {"paddock": paddock, "bwrap": bwrap, "srt": srt, "none": none}
