#include "commands/git/remote/remote_answer.h"

namespace paddock::git {
namespace {

constexpr uint64_t kMostText = 64 << 20;   // of a list of references, a report
constexpr size_t kLongestLine = 4096;      // of a message

Error Bad(std::string_view what) { return {Code::kCorrupt, std::string(what)}; }

}  // namespace

std::string_view WithoutNewline(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

std::string Printable(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, 1000)) shown += static_cast<uint8_t>(c) < 32 || c == 127 ? '?' : c;
  return shown;
}

Status TextAnswer::OnBody(std::string_view bytes) {
  if (text.size() + bytes.size() > kMostText) return Error(Code::kFileTooBig);
  budget_.WillAllocate(bytes.size());
  text += bytes;
  return {};
}

RemoteMessages::~RemoteMessages() {
  if (!line_.empty()) End('\n');
}

void RemoteMessages::Take(std::string_view text) {
  for (const char c : text) {
    if (c == '\n' || c == '\r') End(c);
    else if (const auto byte = static_cast<uint8_t>(c); byte >= 32 && byte != 127) line_.push_back(c);
    else if (c == '\t') line_.push_back(c);
    else line_ += {'^', static_cast<char>(c ^ 64)};
    if (line_.size() > kLongestLine) End('\n');
  }
}

void RemoteMessages::End(char end) {
  if (!is_quiet_) err_.Write("remote: " + line_ + (line_.empty() ? "" : fill_) + end);
  line_.clear();
}

Status SideBand::Take(std::string_view packet) {
  if (!IsBand(packet)) return Bad("protocol error: bad band #" + std::to_string(packet.empty() ? 0 : static_cast<uint8_t>(packet[0])));
  if (packet[0] == 1) return data_(packet.substr(1));
  messages_.Take(packet.substr(1));
  if (packet[0] == 3) return Bad("the remote end hung up upon contact");
  return {};
}

PackAnswer::PackAnswer(Invocation& in, vfs::OpenFile& file, bool tells_shallow, bool is_quiet)
    : in_(in), messages_(in.err, is_quiet), band_(messages_, [&file](std::string_view bytes) { return file.Write(bytes); }),
      reader_([this](std::string_view packet, bool is_flush) { return Take(packet, is_flush); }), is_in_shallow_(tells_shallow) {}

Status PackAnswer::OnBody(std::string_view bytes) {
  in_.budget.Step(static_cast<int64_t>(1 + bytes.size() / 64));
  if (const Status taken = reader_.Feed(bytes); !taken) {
    problem = taken.error();
    return taken;
  }
  return {};
}

Status PackAnswer::Take(std::string_view packet, bool is_flush) {
  in_.budget.Step();
  if (is_flush) {
    is_in_shallow_ = false;
    return {};
  }
  if (has_pack_ || SideBand::IsBand(packet)) {
    has_pack_ = true;
    return band_.Take(packet);
  }
  const std::string_view line = WithoutNewline(packet);
  if (line.starts_with("ERR ")) return Bad("remote error: " + Printable(line.substr(4)));
  const size_t space = line.find(' ');
  const auto id = space == std::string_view::npos ? std::nullopt : Oid::FromHex(line.substr(space + 1, 40));
  if (is_in_shallow_ && id && line.starts_with("shallow ")) shallow.insert(*id);
  else if (is_in_shallow_ && id && line.starts_with("unshallow ")) unshallow.insert(*id);
  else if (line != "NAK" && !line.starts_with("ACK ")) return Bad("expected shallow/unshallow, got " + Printable(line.substr(0, 100)));
  return {};
}

}  // namespace paddock::git
