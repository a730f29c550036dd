"""C and C++: compilers, build systems, debuggers."""

from .case import script

LIBRARY = {"sum.h": "int Sum(int a, int b);\n", "sum.c": '#include "sum.h"\nint Sum(int a, int b) { return a + b; }\n',
           "main.c": '#include <stdio.h>\n#include "sum.h"\nint main(void) { printf("%d\\n", Sum(40, 2)); return 0; }\n'}

script("native/make", "gcc, make, ar", "a small C project: objects, a static and a shared library, an incremental build", """
make -s -j2
./static; LD_LIBRARY_PATH=. ./shared
touch sum.c; make -j2 | grep -c 'gcc.*-c sum.c'
make -q && echo 'up to date'
""", out="42\n42\n1\nup to date", needs=("gcc", "make"), files={**LIBRARY, "Makefile": """
all: static shared
%.o: %.c sum.h
	gcc -O2 -Wall -fPIC -c $< -o $@
libsum.a: sum.o
	ar rcs $@ $^
libsum.so: sum.o
	gcc -shared -o $@ $^
static: main.o libsum.a
	gcc -o $@ main.o libsum.a
shared: main.o libsum.so
	gcc -o $@ main.o -L. -l:libsum.so
"""})

script("native/cmake-ninja", "g++, cmake, ninja, ctest", "a C++ project is configured, built and tested", """
cmake -G Ninja -B build -DCMAKE_BUILD_TYPE=Release >/dev/null
ninja -C build >/dev/null
ctest --test-dir build 2>&1 | grep -o '100% tests passed'
""", out="100% tests passed", needs=("g++", "cmake", "ninja"), files={"CMakeLists.txt": """
cmake_minimum_required(VERSION 3.20)
project(Words CXX)
set(CMAKE_CXX_STANDARD 20)
enable_testing()
add_executable(words words.cc)
add_test(NAME words COMMAND words)
""", "words.cc": """
#include <algorithm>
#include <iostream>
#include <map>
#include <ranges>
#include <regex>
#include <string>
#include <thread>
int main() {
  std::map<std::string, int> count;
  const std::string text = "the cat and the dog and the bird";
  const std::regex word("[a-z]+");
  for (std::sregex_iterator it(text.begin(), text.end(), word), end; it != end; ++it) ++count[it->str()];
  std::thread thread([&] { count["thread"] = 1; });
  thread.join();
  return count["the"] == 3 && count["thread"] == 1 ? 0 : 1;
}
"""})

GDB = """
gcc -g -o crash crash.c
gdb -q -batch -ex 'break Fail' -ex run -ex 'print code' -ex backtrace -ex continue ./crash 2>&1
"""
CRASH = {"crash.c": "#include <stdlib.h>\nstatic void Fail(int code) { if (code == 7) abort(); }\nint main(void) { Fail(7); }\n"}
PTRACE = "[kernel]\nptrace = true\n"

script("native/gdb", "gdb", "breakpoints, values and a backtrace, where the policy grants `kernel.ptrace`", GDB,
       match=r"(?s)\$1 = 7.*#1 .* main.*SIGABRT", policy=PTRACE, needs=("gcc", "gdb"), files=CRASH)

script("native/gdb-is-refused", "gdb", "without `kernel.ptrace` a debugger can start nothing", GDB.rstrip() + " || true",
       match=r"(?i)(ptrace|operation not permitted)", needs=("gcc", "gdb"), files=CRASH)

script("native/strace", "strace", "traces a program where the policy grants `kernel.ptrace`",
       "strace -f -e trace=openat -o trace cat crash.c >/dev/null; grep -c crash.c trace",
       out="1", policy=PTRACE, needs=("strace",), files=CRASH)

script("native/sanitizers", "gcc -fsanitize", "AddressSanitizer and UBSan find a fault", """
gcc -g -fsanitize=address,undefined -o fault fault.c
./fault 2>&1 | grep -o 'heap-buffer-overflow' | head -1
""", out="heap-buffer-overflow", needs=("gcc",), files={"fault.c": """
#include <stdlib.h>
int main(int count, char** arguments) { (void)arguments; char* block = malloc(8); block[7 + count] = 1; free(block); return 0; }
"""})

script("native/core-tools", "ld, objdump, nm, strip", "binutils on a program of the workspace", """
gcc -o main main.c sum.c
nm main | grep -c ' T Sum'
objdump -d main | grep -c '<Sum>:'
strip main && ./main
""", out="1\n1\n42", needs=("gcc", "objdump"), files=LIBRARY)
