// make -p: prints all that make knows.
#pragma once

#include "lang/make/graph.h"
#include "lang/make/session.h"

namespace paddock::make {

// Variables, pattern rules, files and search paths, each by name.
void PrintDataBase(Session& session, Graph& graph);

}  // namespace paddock::make
