"""Reading what is not the sandbox's."""

from .probe import ROOT, leaks, probe

probe("files/shadow", "the password file by its path", "cat /etc/shadow", leaks("shadow"), bites=(ROOT,))
probe("files/ssh-key", "the user's SSH key", "cat $H/.ssh/id_ed25519 ~/.ssh/id_ed25519", leaks("ssh"))
