// What rsync says of each entry, and at the end.
#include <algorithm>

#include "commands/file/rsync_receiver.h"

namespace paddock::rsync {
namespace {

char KindLetter(const vfs::Attributes& attributes) {
  switch (attributes.type) {
    case vfs::FileType::kDirectory: return 'd';
    case vfs::FileType::kSymlink: return 'L';
    case vfs::FileType::kCharDevice:
    case vfs::FileType::kBlockDevice: return 'D';
    case vfs::FileType::kFifo:
    case vfs::FileType::kSocket: return 'S';
    default: return 'f';
  }
}

std::string ItemText(const Entry& entry, const Changes& changes) {
  std::string text(11, '.');
  text[0] = changes.is_linked ? 'h' : changes.is_transferred ? '>' : changes.is_local ? 'c' : '.';
  text[1] = KindLetter(entry.attributes);
  if (changes.is_new) return text.replace(2, 9, "+++++++++");
  if (changes.content) text[2] = 'c';
  if (changes.size) text[3] = 's';
  if (changes.time) text[4] = 't';
  if (changes.transfer_time) text[4] = 'T';
  if (changes.mode) text[5] = 'p';
  if (changes.owner) text[6] = 'o';
  if (changes.group) text[7] = 'g';
  if (!changes.any() || (text[0] == '.' && text.find_first_not_of('.', 2) == std::string::npos)) text.replace(2, 9, "         ");
  if (text.find_first_not_of('.', 2) == std::string::npos && text[0] != '.') text.replace(2, 9, ".........");
  return text;
}

// " 100%", of what there is to do.
std::string Percent(uint64_t done, uint64_t all) {
  std::string text = std::to_string(all == 0 ? 100 : static_cast<uint64_t>(100.0 * static_cast<double>(done) / static_cast<double>(all)));
  text.insert(0, text.size() < 4 ? 4 - text.size() : 0, ' ');
  return text + "%";
}

}  // namespace

std::string Counts::Text(int human) const {
  std::string text = NumberText(files + directories + links + specials, human);
  std::string parts;
  const auto part = [&](const char* name, uint64_t count) {
    if (count > 0) parts += std::string(parts.empty() ? "" : ", ") + name + ": " + NumberText(count, human);
  };
  part("reg", files);
  part("dir", directories);
  part("link", links);
  part("special", specials);
  return parts.empty() ? text : text + " (" + parts + ")";
}

void Receiver::Report(const Entry& entry, const Changes& changes, const std::string& link_to) {
  if (changes.is_new) created_.Add(entry.attributes);
  const bool shows_all = s_.itemize > 1 || (s_.itemize > 0 && s_.InfoLevel("NAME") > 1);
  if (!changes.any() && !shows_all) {
    if (s_.InfoLevel("NAME") > 1 && s_.itemize == 0 && !entry.is_directory()) session_.Say(Shown(entry.name) + " is uptodate");
    return;
  }
  const std::string name = Shown(entry.name) + (entry.is_directory() ? "/" : "");
  const std::string to = entry.attributes.is_symlink() ? " -> " + Shown(entry.target) : !link_to.empty() ? " => " + Shown(link_to) : "";
  if (session_.log && changes.any() && !(s_.dry_run && changes.is_transferred)) session_.Log(Formatted(s_.log_format.empty() ? "%i %n%L" : s_.log_format, entry, changes, name, to));
  if (!s_.out_format.empty()) {
    session_.Say(Formatted(s_.out_format, entry, changes, name, to));
  } else if (s_.itemize > 0) {
    session_.Say(ItemText(entry, changes) + " " + name + to);
  } else if (s_.InfoLevel("NAME") > 0) {
    session_.Say(name + to);
  }
}

std::string Receiver::Shown(const std::string& name) const {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 32 && byte != 127) || c == '\t') {
      out += c;
      continue;
    }
    char buffer[8];
    std::snprintf(buffer, sizeof buffer, "\\#%03o", byte);
    out += buffer;
  }
  return out;
}

std::string Receiver::Formatted(const std::string& format, const Entry& entry, const Changes& changes, const std::string& name, const std::string& to) {
  std::string out;
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 >= format.size()) {
      out += format[i];
      continue;
    }
    const TimePoint moment = ToTimePoint(entry.attributes.modify_time), now = Now(in_.clock);
    switch (format[++i]) {
      case 'i': out += ItemText(entry, changes); break;
      case 'n': out += name; break;
      case 'L': out += to; break;
      case 'l': out += std::to_string(entry.attributes.size); break;
      case 'f': out += Shown(entry.source.ends_with('/') ? entry.source + "." : entry.source); break;
      case 'o': out += "send"; break;
      case 'B': out += ModeText(entry.attributes).substr(1); break;
      case 'M': out += FormatTime("%Y/%m/%d-%H:%M:%S", zone_.ToLocal(moment.seconds), moment, in_.budget); break;
      case 't': out += FormatTime("%Y/%m/%d %H:%M:%S", zone_.ToLocal(now.seconds), now, in_.budget); break;
      case 'p': out += "0"; break;
      case 'U': out += std::to_string(entry.attributes.uid); break;
      case 'G': out += std::to_string(entry.attributes.gid); break;
      case '%': out += '%'; break;
      default: out += format.substr(i - 1, 2);
    }
  }
  return out;
}

void Receiver::Progress(uint64_t size) {
  const int level = s_.InfoLevel("PROGRESS");
  if (level == 0 || s_.quiet) return;
  uint64_t all = 0;
  for (const Entry& entry : session_.entries) all += level > 1 && entry.attributes.is_file() ? entry.attributes.size : 0;
  std::string text = NumberText(level > 1 ? transferred_bytes_ : size, s_.human);
  if (text.size() < 15) text.insert(0, 15 - text.size(), ' ');
  session_.messages().Write("\r" + text + Percent(level > 1 ? transferred_bytes_ : 1, level > 1 ? all : 1) + "    0.00kB/s    0:00:00 (xfr#" + std::to_string(transferred_) + ", to-chk=" + std::to_string(left_) + "/" + std::to_string(session_.entries.size()) + ")" + (level > 1 && left_ > 0 ? "" : "\n"));
}

void Receiver::Totals() {
  // What would go through the pipe between the two halves of the real program: names, attributes, contents.
  uint64_t sent = 40, received = 20 + 19 * transferred_ + deleted_.files * 10;
  for (const Entry& entry : session_.entries) sent += vfs::BaseName(entry.name).size() + entry.target.size() + 14;
  if (!s_.dry_run) sent += transferred_bytes_ + 26 * transferred_;
  if (s_.InfoLevel("STATS") > 1) Stats(sent, received);
  session_.Log("sent " + std::to_string(sent) + " bytes  received " + std::to_string(received) + " bytes  total size " + std::to_string(total_size_));
  if (s_.InfoLevel("STATS") == 0) return;
  session_.Say("");
  char rate[64], speedup[64];
  const auto both = static_cast<double>(sent + received);
  std::string per_second = NumberText(static_cast<uint64_t>(both * 2), s_.human);
  std::snprintf(rate, sizeof rate, "%s%s bytes/sec", per_second.c_str(), s_.human == 1 || per_second == std::to_string((sent + received) * 2) ? ".00" : "");
  std::snprintf(speedup, sizeof speedup, "%.2f", static_cast<double>(total_size_) / both);
  session_.Say("sent " + NumberText(sent, s_.human) + " bytes  received " + NumberText(received, s_.human) + " bytes  " + rate);
  session_.Say("total size is " + NumberText(total_size_, s_.human) + "  speedup is " + speedup + (s_.dry_run ? " (DRY RUN)" : ""));
}

void Receiver::Stats(uint64_t sent, uint64_t received) {
  Counts all;
  for (const Entry& entry : session_.entries) all.Add(entry.attributes);
  const auto number = [&](uint64_t n) { return NumberText(n, s_.human); };
  session_.Say("");
  session_.Say("Number of files: " + all.Text(s_.human));
  session_.Say("Number of created files: " + created_.Text(s_.human));
  session_.Say("Number of deleted files: " + deleted_.Text(s_.human));
  session_.Say("Number of regular files transferred: " + number(transferred_));
  session_.Say("Total file size: " + number(total_size_) + " bytes");
  session_.Say("Total transferred file size: " + number(transferred_bytes_) + " bytes");
  session_.Say("Literal data: " + number(s_.dry_run ? 0 : transferred_bytes_) + " bytes");
  session_.Say("Matched data: 0 bytes");
  session_.Say("File list size: 0");
  session_.Say("File list generation time: 0.001 seconds");
  session_.Say("File list transfer time: 0.000 seconds");
  session_.Say("Total bytes sent: " + number(sent));
  session_.Say("Total bytes received: " + number(received));
}

ExitStatus Receiver::Finish() {
  Totals();
  in_.out.Flush();
  if (session_.limit_reached) {
    in_.err.WriteLine("Deletions stopped due to --max-delete limit (" + std::to_string(kept_by_limit_) + " skipped)");
  }
  if (session_.has_failed) {
    const std::string line = "rsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1394) [sender=3.5.0]";
    in_.err.WriteLine(line);
    session_.Log(line);
    return 23;
  }
  if (session_.limit_reached) {
    in_.err.WriteLine("rsync error: the --max-delete limit stopped deletions (code 25) at main.c(1394) [sender=3.5.0]");
    return 25;
  }
  return 0;
}

}  // namespace paddock::rsync
