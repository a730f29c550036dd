// The files and commands that a program reads and writes by name.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/stream.h"
#include "lang/awk/ast.h"
#include "lang/awk/extension_streams.h"
#include "lang/awk/host.h"
#include "lang/awk/record_reader.h"

namespace paddock::awk {

struct StreamUse {
  Redirect how;
  bool is_output;
};

class Streams {
 public:
  // `before_command` is called before a command starts.
  Streams(Host& host, std::function<void()> before_command);

  // What the loaded libraries do when something is opened.
  void set_libraries(StreamLibraries libraries) { libraries_ = std::move(libraries); }
  const StreamLibraries& libraries() const { return libraries_; }

  Output& standard_output() { return standard_output_; }
  Output& standard_error() { return standard_error_; }
  RecordReader& standard_input() { return standard_input_; }

  // Where print goes; opened when first named. kBadDescriptor: that end of a coprocess was closed.
  Result<Output*> ForOutput(Redirect how, std::string_view name);
  // Where getline reads; opened when first named.
  Result<RecordReader*> ForInput(Redirect how, std::string_view name);

  // What close() returns: 0 or the command's status (256 + signal for one that was killed); -1 when
  // nothing of that name is open. `end` is "to" or "from" for one end of a coprocess, else empty. An
  // error is a failed last write.
  Result<int> Close(std::string_view name, std::string_view end);
  // Nothing when no such output is open; kBadDescriptor for a coprocess whose input was closed.
  std::optional<Status> Flush(std::string_view name);
  void FlushAll();
  // Closes everything in the end: commands first, which may still write, then standard output.
  Status CloseAll();

  // How the open streams of that name are used, the latest first.
  std::vector<StreamUse> UsesOf(std::string_view name) const;

  Result<CommandStatus> System(std::string_view command);

 private:
  struct Stream {
    Redirect how;
    bool is_output;
    std::string name;
    std::unique_ptr<ByteSink> file_sink;
    std::unique_ptr<ByteSource> file_source;
    std::unique_ptr<CommandInput> command_input;
    std::unique_ptr<CommandOutput> command_output;
    std::unique_ptr<Coprocess> coprocess;
    std::unique_ptr<Output> output;
    std::unique_ptr<RecordReader> reader;
    Output* shared_output = nullptr;  // standard output or error under another name
    RecordReader* shared_reader = nullptr;
    bool is_to_closed = false, is_from_closed = false;  // ends of a coprocess
    CommandStatus status;                               // of a coprocess that was waited for

    Output* out() const { return shared_output != nullptr ? shared_output : output.get(); }
    RecordReader* in() const { return shared_reader != nullptr ? shared_reader : reader.get(); }
  };

  Stream* Find(Redirect how, bool is_output, std::string_view name);
  Status OpenOutput(Stream& stream);
  Status OpenInput(Stream& stream);
  Result<int> CloseEnd(std::list<Stream>::iterator at, bool is_to);
  Result<int> CloseStream(std::list<Stream>::iterator at);

  Host& host_;
  StreamLibraries libraries_;
  std::function<void()> before_command_;
  Output standard_output_;
  Output standard_error_;
  RecordReader standard_input_;
  std::list<Stream> streams_;  // the latest first
};

// A command's end as close() and system() show it.
int ToStatus(const CommandStatus& status);

}  // namespace paddock::awk
