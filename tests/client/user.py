"""Runs the client's subcommands for the cases of run_client.py."""

import os
import subprocess


class Cases(list):
    """A decorator that names a case, and the (name, function) pairs that it collected."""

    def __call__(self, name):
        def add(function):
            self.append((name, function))
            return function
        return add


class User:
    """Runs paddock with the daemon's socket, as the user whose daemon it is."""

    def __init__(self, daemon, **environment):
        self.daemon = daemon
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PADDOCK_")}
        self.environment["PADDOCK_SERVER"] = f"unix:{daemon.data}/paddock.sock"
        self.environment.update(environment)

    def run(self, *words, input=None):
        return subprocess.run([self.daemon.paddock, *words], capture_output=True, timeout=60, env=self.environment, input=input)

    def text(self, *words, status=0, input=None):
        done = self.run(*words, input=input)
        assert done.returncode == status, f"{words}: {done.returncode}: {done.stdout!r} {done.stderr!r}"
        return done.stdout.decode()

    def complaint(self, *words, status):
        done = self.run(*words)
        assert done.returncode == status, f"{words}: {done.returncode}: {done.stdout!r} {done.stderr!r}"
        return done.stderr.decode()

    def start(self, *words, **more):
        return subprocess.Popen([self.daemon.paddock, *words], env=self.environment, **more)


def isolations(daemon):
    """Those that need nothing beside Paddock: containers have suites of their own."""
    return [one for one in daemon.ask("GET", "/v1/isolations").json()["isolations"] if one in ("virtual", "process")]
