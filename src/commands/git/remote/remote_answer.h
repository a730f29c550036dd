// Answers of a git server, taken apart as they come. Not an interface of the folder.
//
// What the server says is not believed: messages reach a terminal without control characters, lists and reports have a limit.
// Source: gitprotocol-pack(5), gitprotocol-capabilities(5); git 2.39.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "git/object.h"
#include "git/packet.h"
#include "proc/command.h"
#include "proc/network.h"

namespace paddock::git {

std::string_view WithoutNewline(std::string_view line);
// Without what a terminal would obey, and at most 1000 bytes of it.
std::string Printable(std::string_view text);

// An answer; a request may have to be made again, with a password.
class Answer : public proc::HttpObserver {
 public:
  Status OnHeader(std::string_view) override { return {}; }
  virtual void StartAgain() {}
  // What there is to show when it tells an error.
  virtual std::string_view Complaint() const { return {}; }
};

// The body of an answer, as text.
class TextAnswer final : public Answer {
 public:
  explicit TextAnswer(Budget& budget) : budget_(budget) {}
  Status OnBody(std::string_view bytes) override;
  void StartAgain() override { text.clear(); }
  std::string_view Complaint() const override { return text; }
  std::string text;

 private:
  Budget& budget_;
};

// Messages of the other side, each line with "remote: " in front.
class RemoteMessages {
 public:
  // `fill`: behind each line, over what stood there on a terminal.
  RemoteMessages(Output& err, bool is_quiet, std::string fill = "        ") : err_(err), is_quiet_(is_quiet), fill_(std::move(fill)) {}
  ~RemoteMessages();
  void Take(std::string_view text);

 private:
  void End(char end);
  Output& err_;
  bool is_quiet_;
  std::string fill_, line_;
};

// Takes the channels of an answer apart.
class SideBand {
 public:
  SideBand(RemoteMessages& messages, std::function<Status(std::string_view)> data) : messages_(messages), data_(std::move(data)) {}
  static bool IsBand(std::string_view packet) { return !packet.empty() && packet[0] >= 1 && packet[0] <= 3; }
  Status Take(std::string_view packet);

 private:
  RemoteMessages& messages_;
  std::function<Status(std::string_view)> data_;
};

// The answer to a request for objects: shallow commits, what is common, then the pack, which goes to `file`.
class PackAnswer final : public Answer {
 public:
  PackAnswer(Invocation& in, vfs::OpenFile& file, bool tells_shallow, bool is_quiet);
  Status OnBody(std::string_view bytes) override;
  bool is_whole() const { return has_pack_ && reader_.is_between_packets(); }

  Status problem;
  std::set<Oid> shallow, unshallow;

 private:
  Status Take(std::string_view packet, bool is_flush);

  Invocation& in_;
  RemoteMessages messages_;
  SideBand band_;
  PacketReader reader_;
  bool is_in_shallow_, has_pack_ = false;
};

}  // namespace paddock::git
