#include "git/object.h"

#include <algorithm>
#include <charconv>

#include "git/tree_reader.h"
#include "text/digest.h"

namespace paddock::git {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// What `name` sorts by: a directory as if it ended in a slash.
bool TreeLess(const TreeEntry& a, const TreeEntry& b) {
  const size_t common = std::min(a.name.size(), b.name.size());
  if (const int order = std::string_view(a.name).substr(0, common).compare(std::string_view(b.name).substr(0, common)); order != 0) return order < 0;
  const auto next = [common](const TreeEntry& entry) -> int {
    if (common < entry.name.size()) return static_cast<unsigned char>(entry.name[common]);
    return entry.is_tree() ? '/' : 0;
  };
  return next(a) < next(b);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// A name that NTFS takes for .git: with dots, blanks or a stream behind it, or its short form.
bool IsDotGit(std::string_view part) {
  const std::string lower = Lower(part);
  size_t used = 0;
  if (lower.starts_with(".git")) used = 4;
  else if (lower.starts_with("git~1")) used = 5;
  else return false;
  const std::string_view rest = std::string_view(lower).substr(used);
  const size_t end = rest.find_first_not_of(" .");
  return end == std::string_view::npos || rest[end] == ':' || rest[end] == '\\';
}

// Takes a header line "KEY VALUE\n" off the front, if it has that key.
std::optional<std::string_view> TakeHeader(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key) || text.size() <= key.size() || text[key.size()] != ' ') return std::nullopt;
  const size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view value = text.substr(key.size() + 1, end - key.size() - 1);
  text.remove_prefix(end + 1);
  return value;
}

Error Bad(std::string_view what) { return {Code::kCorrupt, std::string(what)}; }

}  // namespace

std::string Oid::Hex() const { return HexOf(View()); }

std::optional<Oid> Oid::FromHex(std::string_view hex) {
  if (hex.size() != 40) return std::nullopt;
  Oid id;
  for (size_t i = 0; i < 20; ++i) {
    const int high = HexDigit(hex[2 * i]), low = HexDigit(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    id.bytes[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return id;
}

Oid Oid::FromBytes(std::string_view raw) {
  Oid id;
  for (size_t i = 0; i < 20; ++i) id.bytes[i] = static_cast<uint8_t>(raw[i]);
  return id;
}

std::string_view TypeName(ObjectType type) {
  switch (type) {
    case ObjectType::kCommit: return "commit";
    case ObjectType::kTree: return "tree";
    case ObjectType::kBlob: return "blob";
    case ObjectType::kTag: return "tag";
  }
  return "blob";
}

std::optional<ObjectType> TypeOf(std::string_view name) {
  for (const ObjectType type : {ObjectType::kCommit, ObjectType::kTree, ObjectType::kBlob, ObjectType::kTag}) {
    if (TypeName(type) == name) return type;
  }
  return std::nullopt;
}

Object TakeObject(ObjectPtr object) {
  if (object.use_count() > 1) return *object;
  return std::move(*std::const_pointer_cast<Object>(object));
}

Oid HashObject(ObjectType type, std::string_view data) {
  const auto digester = MakeDigester(DigestAlgorithm::kSha1);
  std::string header(TypeName(type));
  header += ' ' + std::to_string(data.size());
  header.push_back('\0');
  digester->Update(header);
  digester->Update(data);
  return Oid::FromBytes(digester->Finish());
}

Result<std::vector<TreeEntry>> ParseTree(std::string_view data, Budget& budget) {
  std::vector<TreeEntry> entries;
  for (TreeReader reader(data);;) {
    budget.Step(4);
    PADDOCK_ASSIGN(const bool is_there, reader.Next());
    if (!is_there) return entries;
    entries.push_back({reader.mode(), std::string(reader.name()), reader.id()});
  }
}

std::string TreeText(std::vector<TreeEntry> entries) {
  std::sort(entries.begin(), entries.end(), TreeLess);
  std::string text;
  for (const TreeEntry& entry : entries) {
    char mode[16];
    const auto end = std::to_chars(mode, mode + sizeof mode, entry.mode, 8).ptr;
    text.append(mode, end);
    text += ' ' + entry.name;
    text.push_back('\0');
    text += entry.id.View();
  }
  return text;
}

std::string OffsetText(int minutes) {
  const int size = minutes < 0 ? -minutes : minutes;
  const int value = size / 60 * 100 + size % 60;
  std::string digits = std::to_string(value);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  return (minutes < 0 ? "-" : "+") + digits;
}

std::string Signature::Text() const { return name + " <" + email + "> " + std::to_string(time) + " " + OffsetText(offset); }

namespace {

// Takes a number off the front, and the blanks before it; 0 where there is none.
int64_t TakeTime(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  int64_t time = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), time);
  text.remove_prefix(static_cast<size_t>(read.ptr - text.data()));
  return read.ec == std::errc{} ? time : 0;
}

}  // namespace

int64_t SignatureTime(std::string_view text) {
  const size_t open = text.find('<'), close = text.rfind('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return 0;
  text.remove_prefix(close + 1);
  return TakeTime(text);
}

Signature ParseSignature(std::string_view text) {
  Signature signature;
  const size_t open = text.find('<'), close = text.rfind('>');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return signature;
  signature.name = text.substr(0, open);
  while (signature.name.ends_with(' ')) signature.name.pop_back();
  signature.email = text.substr(open + 1, close - open - 1);
  std::string_view rest = text.substr(close + 1);
  signature.time = TakeTime(rest);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.size() >= 5 && (rest[0] == '+' || rest[0] == '-')) {
    int value = 0;
    std::from_chars(rest.data() + 1, rest.data() + 5, value);
    signature.offset = (value / 100 * 60 + value % 100) * (rest[0] == '-' ? -1 : 1);
  }
  return signature;
}

std::string Commit::Text() const {
  std::string text = "tree " + tree.Hex() + "\n";
  for (const Oid& parent : parents) text += "parent " + parent.Hex() + "\n";
  text += "author " + author + "\ncommitter " + committer + "\n";
  for (const std::string& line : extra) text += line + "\n";
  return text + "\n" + message;
}

Result<Commit> ParseCommit(std::string_view data, Budget& budget) {
  Commit commit;
  const auto tree = TakeHeader(data, "tree");
  const auto tree_id = tree ? Oid::FromHex(*tree) : std::nullopt;
  if (!tree_id) return Bad("bad tree in commit");
  commit.tree = *tree_id;
  while (const auto parent = TakeHeader(data, "parent")) {
    budget.Step();
    const auto id = Oid::FromHex(*parent);
    if (!id) return Bad("bad parents in commit");
    commit.parents.push_back(*id);
  }
  if (const auto author = TakeHeader(data, "author")) commit.author = *author;
  if (const auto committer = TakeHeader(data, "committer")) commit.committer = *committer;
  while (!data.empty() && data[0] != '\n') {
    budget.Step();
    const size_t end = std::min(data.find('\n'), data.size());
    commit.extra.emplace_back(data.substr(0, end));
    data.remove_prefix(std::min(end + 1, data.size()));
  }
  if (!data.empty()) data.remove_prefix(1);
  commit.message = data;
  return commit;
}

std::string Tag::Text() const {
  return "object " + object.Hex() + "\ntype " + std::string(TypeName(type)) + "\ntag " + name + "\n" + (tagger.empty() ? std::string() : "tagger " + tagger + "\n") + "\n" + message;
}

Result<Tag> ParseTag(std::string_view data) {
  Tag tag;
  const auto object = TakeHeader(data, "object");
  const auto id = object ? Oid::FromHex(*object) : std::nullopt;
  const auto type = TakeHeader(data, "type");
  const auto kind = type ? TypeOf(*type) : std::nullopt;
  const auto name = TakeHeader(data, "tag");
  if (!id || !kind || !name) return Bad("bad tag");
  tag.object = *id;
  tag.type = *kind;
  tag.name = *name;
  if (const auto tagger = TakeHeader(data, "tagger")) tag.tagger = *tagger;
  if (const size_t blank = data.find('\n'); blank == 0) data.remove_prefix(1);
  else if (const size_t end = data.find("\n\n"); end != std::string_view::npos) data.remove_prefix(end + 2);
  tag.message = data;
  return tag;
}

bool IsSafePath(std::string_view path) {
  if (path.empty() || path.size() > 4096) return false;
  while (true) {
    const size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || IsDotGit(part) || part.find('\0') != std::string_view::npos) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace paddock::git
