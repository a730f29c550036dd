// The awk language, faithful to gawk 5.2: compiles a program and runs it against a host.
//
// Where to look: lexer, parser, ast (text to tree), compiler, program (tree to instructions), interpreter
// with variables, io and builtins* (running), value, number, array, format (data), fields, record_reader,
// streams, pattern_cache (input and output), big_* (the numbers of -M), extension* (the libraries of @load).
#pragma once

#include <string>
#include <vector>

#include "lang/awk/host.h"
#include "lang/awk/interpreter.h"
#include "lang/awk/parser.h"
#include "lang/awk/source.h"

namespace paddock::awk {

// A program file: as it is named when that has a slash, else from the folders of `search` (AWKPATH; empty is the
// default); with ".awk" behind the name when there is none without.
Result<ProgramFile> ReadProgramFile(Host& host, std::string_view path, std::string_view search);

// Compiles and runs the program that the sources make up, in order. Complaints go to the host's standard
// error. Returns the exit status: 1 for a program that does not parse, 2 for a fatal error.
int RunAwk(std::vector<Source> sources, const RunOptions& options, Host& host);

}  // namespace paddock::awk
