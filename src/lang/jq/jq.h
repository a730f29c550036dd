// The jq language, version 1.7: compiles a program and runs it on values.
//
// Where to look: value, containers, number, order (data); json_reader, json_stream, json_writer (JSON); lexer, ast,
// parser* (text to tree); compiler*, program, modules, prelude (tree to instructions); machine* (running); native*,
// operators, paths, format (what is written in C++); host.h (what the world gives).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lang/jq/host.h"
#include "lang/jq/machine.h"
#include "lang/jq/value.h"

namespace paddock::jq {

// A program and its run.
class Runner {
 public:
  explicit Runner(Host& host);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Compiles; complaints (whole lines, without the last newline) when it cannot be.
  bool Compile(std::string_view source, const std::vector<std::pair<std::string, Value>>& variables,
               std::vector<std::string>& complaints);

  void Start(Value input) { machine_->Start(std::move(input)); }
  Machine::Got Next(Value& output) { return machine_->Next(output); }
  // After kHalt.
  int halt_status() const;
  const Value& halt_message() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace paddock::jq
