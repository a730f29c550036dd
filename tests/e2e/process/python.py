"""Python and its usual tools."""

from .case import ORDINARY, script

PYPI = "pypi.org"

script("python/venv-and-pip", "python3, venv, pip", "a virtual environment, and a package from the registry in it", """
python3 -m venv v
v/bin/pip install -q --disable-pip-version-check six==1.16.0
v/bin/python -c 'import six; print(six.__version__)'
""", out="1.16.0", preset="agent", needs=("python3",), registry=PYPI)

script("python/pip-is-refused-without-network", "pip", "`workspace` has no network, and pip says so soon", """
python3 -m venv v
v/bin/pip install -q --disable-pip-version-check --retries 0 --timeout 5 six==1.16.0 2>&1 || echo refused
""", match=r"(?s)six.*refused", needs=("python3",), users=(ORDINARY,))

script("python/pytest", "pytest", "pytest from the registry runs a project's tests, and its failure is the exit status", """
python3 -m venv v
v/bin/pip install -q --disable-pip-version-check pytest==8.3.4
v/bin/pytest -q test_sum.py
""", match=r"1 failed, 2 passed", status=1, preset="agent", registry=PYPI, files={"test_sum.py": """
import pytest

def test_sum(): assert sum([1, 2]) == 3
def test_files(tmp_path): (tmp_path / "a").write_text("a")
def test_fails(): assert False
"""})

script("python/unittest", "unittest", "tests of the standard library's runner", "python3 -m unittest -q test_it.py 2>&1 | tail -1",
       out="OK", files={"test_it.py": """
import unittest

class Test(unittest.TestCase):
    def test_it(self): self.assertEqual("a".upper(), "A")
"""})

script("python/multiprocessing", "python3", "a pool of processes, shared memory, semaphores, a manager's socket", "python3 work.py",
       out="[0, 1, 4, 9] 40 b'shared' ['told']", files={"work.py": """
import multiprocessing as mp
from multiprocessing import shared_memory

def square(n): return n * n

def add(counter):
    for _ in range(10):
        with counter.get_lock(): counter.value += 1

if __name__ == "__main__":
    with mp.Pool(2) as pool: squares = pool.map(square, range(4))
    counter = mp.Value("i", 0)
    workers = [mp.Process(target=add, args=(counter,)) for _ in range(4)]
    for worker in workers: worker.start()
    for worker in workers: worker.join()
    block = shared_memory.SharedMemory(create=True, size=6)
    block.buf[:6] = b"shared"
    again = shared_memory.SharedMemory(name=block.name)
    text = bytes(again.buf[:6])
    again.close(); block.close(); block.unlink()
    with mp.Manager() as manager:
        told = manager.list(); told.append("told"); told = list(told)
    print(squares, counter.value, text, told)
"""})

script("python/asyncio", "python3", "an asyncio server and its client, subprocesses, threads, signals", "python3 work.py",
       out="hello child 8 alarm", files={"work.py": """
import asyncio, signal, sys
from concurrent.futures import ThreadPoolExecutor

async def main():
    async def serve(reader, writer):
        writer.write(await reader.readline()); writer.close()
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"hello\\n")
    line = (await reader.readline()).decode().strip()
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", "print('child')", stdout=asyncio.subprocess.PIPE)
    said = (await child.communicate())[0].decode().strip()
    with ThreadPoolExecutor(8) as pool: count = len(list(pool.map(str, range(8))))
    rung = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGALRM, rung.set)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    await rung.wait()
    print(line, said, count, "alarm")

asyncio.run(main())
"""})

script("python/native-module", "python3, gcc", "a C extension of the project is built and imported", """
gcc -shared -fPIC $(python3-config --includes 2>/dev/null || python3 -c 'import sysconfig; print("-I" + sysconfig.get_path("include"))') \
  -o answer.so answer.c
python3 -c 'import answer; print(answer.answer())'
""", out="42", needs=("gcc", "python3"), files={"answer.c": """
#include <Python.h>
static PyObject* Answer(PyObject* self, PyObject* none) { (void)self; (void)none; return PyLong_FromLong(42); }
static PyMethodDef methods[] = {{"answer", Answer, METH_NOARGS, ""}, {0, 0, 0, 0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "answer", "", -1, methods, 0, 0, 0, 0};
PyMODINIT_FUNC PyInit_answer(void) { return PyModule_Create(&module); }
"""})
