#include "overlay/upper.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace paddock::overlay {

UpperEntry ReadUpper(int upper, const std::string& path) {
  UpperEntry entry;
  const auto refuse = [&](std::string why) {
    entry.kind = UpperEntry::Kind::kRefused;
    entry.refusal = std::move(why);
    return entry;
  };
  const auto opened = OpenBeneath(upper, path, O_PATH | O_NOFOLLOW);
  if (!opened) return refuse("cannot be read: " + std::string(CodeText(opened.error().code)));
  const auto facts = FactsOf(opened->get(), path);
  if (!facts) return refuse("cannot be read: " + std::string(CodeText(facts.error().code)));
  entry.facts = *facts;
  switch (entry.facts.type) {
    case FileFacts::Type::kWhiteout:
      entry.kind = UpperEntry::Kind::kWhiteout;
      return entry;
    case FileFacts::Type::kSymlink:
      entry.kind = UpperEntry::Kind::kContent;
      return entry;
    case FileFacts::Type::kDirectory: {
      if (!AttributeOf(opened->get(), "user.overlay.redirect").empty()) return refuse("a redirected directory");
      const std::string opaque = AttributeOf(opened->get(), "user.overlay.opaque");
      if (!opaque.empty() && opaque != "y" && opaque != "x") return refuse("a directory with an unknown overlay attribute");
      entry.kind = opaque == "y" ? UpperEntry::Kind::kOpaque : UpperEntry::Kind::kMerged;
      return entry;
    }
    case FileFacts::Type::kFile:
      if (!AttributeOf(opened->get(), "user.overlay.metacopy").empty() || !AttributeOf(opened->get(), "user.overlay.redirect").empty()) {
        return refuse("a file without its content");
      }
      if (!AttributeOf(opened->get(), "user.overlay.whiteout").empty()) {
        if (entry.facts.size != 0) return refuse("a whiteout with content");
        entry.kind = UpperEntry::Kind::kWhiteout;
        return entry;
      }
      if ((entry.facts.mode & (S_ISUID | S_ISGID)) != 0) return refuse("a program that would run as another user or group (set-id)");
      entry.kind = UpperEntry::Kind::kContent;
      return entry;
    default: return refuse(std::string("a ") + TypeName(entry.facts.type));
  }
}

}  // namespace paddock::overlay
