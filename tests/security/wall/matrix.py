"""The page that compares walls, from the rows of a run."""

TITLES = {"paddock": "paddock", "bwrap": "bwrap", "srt": "srt"}
HEAD = """# The process wall and its peers

How many of the probes in `tests/security/wall` each wall holds, as root and as an ordinary user. Written by

    {command}

on {day}, Linux {kernel}, {machine}. Not edited by hand.

- **paddock**: `paddock run --isolation process --preset workspace`, with `--allow-host` for the network's probes and
  `--limits` for those of resources.
- **bwrap** {bwrap}: `--unshare-all --die-with-parent --new-session --cap-drop ALL --ro-bind / / --dev /dev --proc /proc`,
  `--tmpfs` on /tmp, /run and the home, `--bind` of the workspace: what agents' wrappers pass. It has no proxy, so nothing gets out.
- **srt** {srt} (`@anthropic-ai/sandbox-runtime`): `allowWrite` the workspace, `denyRead` the home with the workspace given back by
  `allowRead`, `allowedDomains` as above.

A probe holds when no trace of an escape is found, on the host wherever there can be one. Each probe was also played without
a wall; the last column says for how many it then showed the escape. For the others the host's own kernel already refuses the
user, or (named below) the trick needs a wall to be one.
"""


def page(selected, rows, skipped, facts):
    names = [one for one in selected if any(row[0] == one.name for row in rows)]
    walls = [wall for wall in TITLES if any(row[1] == wall for row in rows)]
    users = [user for user in ("root", "ordinary") if any(row[2] == user for row in rows)]
    parts = [HEAD.format(**facts), *counts(names, rows, walls, users), *failures(names, rows, walls, users)]
    if skipped:
        parts += ["", "## Not played on this machine", "", "| probe | reason |", "|---|---|"]
        parts += [f"| {name} | {reason} |" for name, reason in sorted(skipped.items())]
    return "\n".join(parts) + "\n"


def counts(names, rows, walls, users):
    pairs = [(wall, user) for wall in walls for user in users]
    themes = [theme for theme in dict.fromkeys(one.theme for one in names) if theme != "useful"]
    yield "## Held, of those played"
    yield ""
    yield "| theme | " + " | ".join(f"{wall}, {user}" for wall, user in pairs) + " | " + " | ".join(f"bites without a wall, {user}" for user in users) + " |"
    yield "|---|" + "---|" * (len(pairs) + len(users))
    for theme in [*themes, None, "useful"]:
        inside = [one for one in names if (one.theme == theme if theme else one.theme != "useful")]
        cells = []
        for wall, user in [*pairs, *(("none", user) for user in users)]:
            words = [rows[(one.name, wall, user)] for one in inside if (one.name, wall, user) in rows]
            good = sum(word in ("held", "bites") for word in words)
            cells.append(f"{good}/{len(words)}" if theme else f"**{good}/{len(words)}**")
        yield f"| {'useful: what works' if theme == 'useful' else theme or '**all**'} | " + " | ".join(cells) + " |"


def failures(names, rows, walls, users):
    """Every probe that some wall did not hold; `error` is a wall that ended before the probe could run."""
    yield ""
    yield "## What got through"
    yield ""
    yield "`r` as root, `o` as an ordinary user; `?` where the wall's sandbox ended before the probe was played."
    yield ""
    yield "| probe | trick | " + " | ".join(walls) + " |"
    yield "|---|---|" + "---|" * len(walls)
    for one in (one for one in names if one.theme != "useful"):
        cells = []
        for wall in walls:
            cell = "".join(user[0] for user in users if rows.get((one.name, wall, user)) == "escaped")
            cell += "".join(user[0] + "?" for user in users if rows.get((one.name, wall, user)) == "error")
            cells.append(cell)
        if any(cells):
            yield f"| {one.name} | {one.trick.replace('|', ' ')} | " + " | ".join(cells) + " |"
    quiet = [one.name for one in names if not one.bites and one.theme != "useful"]
    if quiet:
        yield ""
        yield "Without a wall these show nothing, by their nature: " + ", ".join(quiet) + "."
