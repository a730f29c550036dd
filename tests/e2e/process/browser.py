"""A browser."""

import struct

from .case import driven

FLAGS = "--headless --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync"
PAGE = """<!doctype html><meta charset=utf-8><title>page</title><body style="margin:0;background:#fff"><h1>Hello</h1>
<canvas id=c width=100 height=100></canvas><script>
document.getElementById('c').getContext('2d').fillRect(0, 0, 100, 100)
document.title = [1, 2, 3].map((n) => n * n).join()
</script>"""


def size_of_png(path):
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:20]
    return struct.unpack("!II", data[16:24])


@driven("browser/screenshot", "chromium", "a page served inside is rendered to a PNG by headless Chromium (`--no-sandbox`: the wall is the sandbox)",
        needs=("chromium",), files={"index.html": PAGE})
def screenshot(box):
    box.run(f"""set -e
python3 -m http.server --bind 127.0.0.1 8000 >/dev/null 2>&1 &
for i in $(seq 50); do (exec 3<>/dev/tcp/127.0.0.1/8000) 2>/dev/null && break; sleep 0.1; done
chromium {FLAGS} --no-sandbox --window-size=640,480 --screenshot=shot.png http://127.0.0.1:8000/index.html
""", check=0)
    assert size_of_png(box.workspace / "shot.png") == (640, 480)


@driven("browser/own-sandbox", "chromium", "with `kernel.nested` Chromium's own sandbox works inside the wall", needs=("chromium",),
        policy="[kernel]\nnested = true\n", files={"index.html": PAGE})
def own_sandbox(box):
    ended = box.run(f"chromium {FLAGS} --dump-dom file://$PWD/index.html", check=0)
    assert "<title>1,4,9</title>" in ended.out, ended
