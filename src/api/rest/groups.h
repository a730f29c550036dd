// The groups of operations, each in a file of its own.
#pragma once

#include <vector>

#include "api/rest/operation.h"

namespace paddock::api {

std::vector<Operation> SystemOperations();    // system.cc: health, version, the OpenAPI document
std::vector<Operation> SandboxOperations();   // sandboxes.cc
std::vector<Operation> ExecOperations();      // execs.cc: execs and processes
std::vector<Operation> FileOperations();      // files/files.cc
std::vector<Operation> SnapshotOperations();  // states/snapshots.cc: snapshots, restoring, forks
std::vector<Operation> TemplateOperations();  // states/templates.cc
std::vector<Operation> EventOperations();     // events.cc
std::vector<Operation> SearchOperations();    // files/file_search.cc: finding and replacing text in files
std::vector<Operation> ArchiveOperations();   // files/archives.cc: directories as tar archives
std::vector<Operation> MetricsOperations();   // metrics.cc
std::vector<Operation> TerminalOperations();  // terminal/terminals.cc: terminals, and processes over a WebSocket
std::vector<Operation> SessionOperations();   // sessions.cc
std::vector<Operation> WatchOperations();     // files/file_watch.cc
std::vector<Operation> LogOperations();       // logs.cc
std::vector<Operation> UsageOperations();     // usage.cc
std::vector<Operation> DefinitionOperations();   // definitions.cc: harnesses and agents

}  // namespace paddock::api
