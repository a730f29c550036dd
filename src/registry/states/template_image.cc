#include "registry/states/template_image.h"

#include <algorithm>

#include "registry/request_check.h"
#include "store/trees/image_user.h"
#include "store/trees/lookup.h"

namespace paddock::registry {
namespace {

namespace json = boost::json;

constexpr size_t kMostVariables = 128, kMostVariableBytes = 32 << 10;
constexpr size_t kMostWords = 4096, kMostWordBytes = 64 << 10;
constexpr size_t kShown = 100;   // bytes of what a note quotes
constexpr size_t kMostUserText = 256;

std::string Quoted(std::string_view text) { return "'" + std::string(text.substr(0, kShown)) + "'"; }

// Behind the process wall these say who and where the code is.
bool IsTheWalls(std::string_view name) { return name == "HOME" || name == "USER" || name == "LOGNAME" || name == "TMPDIR"; }

Variables VariablesOf(const std::vector<std::string>& texts, std::vector<std::string>& notes) {
  Variables taken;
  size_t bytes = 0, refused = 0;
  std::string first_refused, of_the_wall;
  for (const std::string& text : texts) {
    const size_t equals = std::min(text.find('='), text.size());
    const std::string name = text.substr(0, equals);
    const Variables one{{name, text.substr(std::min(equals + 1, text.size()))}};
    bytes += text.size();
    if (equals == text.size() || bytes > kMostVariableBytes || taken.size() == kMostVariables || !CheckVariables(one)) {
      if (refused++ == 0) first_refused = name;
      continue;
    }
    if (IsTheWalls(name)) of_the_wall += (of_the_wall.empty() ? "" : ", ") + name;
    taken.insert_or_assign(name, one.at(name));
  }
  if (refused > 0) {
    notes.push_back("environment: " + std::to_string(refused) + " of the image's variables left out, " + Quoted(first_refused) +
                    " first: no name of a variable, or more than 128 of them, or than 32 KiB");
  }
  if (!of_the_wall.empty()) notes.push_back("environment: " + of_the_wall + ": behind the process wall they are the wall's own");
  return taken;
}

// Names in /etc/passwd may be anything; inside, the wall's own /etc/passwd names the user.
bool IsPlainName(std::string_view name) {
  return !name.empty() && name.size() <= 32 && name != "root" && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
  });
}

Status TakeUser(trees::Store& store, const trees::ImportedImage& imported, TemplateImage& image) {
  image.user = imported.config.user.substr(0, kMostUserText);
  constexpr const char* kInstead = "; execs run as the sandbox's own user, who owns all files";
  if (image.user.empty()) return {};   // root, as nearly every image leaves it
  if (image.user.size() < imported.config.user.size()) {
    image.notes.push_back("user: " + Quoted(image.user) + "... is too long" + kInstead);
    return {};
  }
  const auto found = trees::FindImageUser(store, imported.files.tree, image.user);
  if (!found && found.error().code != Code::kNoEntry && found.error().code != Code::kInvalid) return found.error();
  if (!found) {
    image.notes.push_back("user: " + std::string(found.error().Text()) + kInstead);
  } else if (found->uid == 0) {
    image.notes.push_back("user: " + Quoted(image.user) + " is root, whom no isolation has inside" + kInstead);
  } else {
    image.wall_user = {.name = IsPlainName(found->name) ? found->name : "", .uid = found->uid, .gid = found->gid};
    image.notes.push_back("user: " + std::to_string(found->uid) + ":" + std::to_string(found->gid) +
                          " behind the process wall, without other groups, as owner of all files; isolation 'virtual' runs as agent (1000)");
  }
  return {};
}

// A list of words, or none with a note.
std::vector<std::string> WordsOf(const char* field, const std::vector<std::string>& words, std::vector<std::string>& notes) {
  size_t bytes = 0;
  bool is_good = words.size() <= kMostWords;
  for (const std::string& word : words) {
    bytes += word.size() + 1;
    is_good = is_good && word.find('\0') == std::string::npos;
  }
  if (is_good && bytes <= kMostWordBytes && (words.empty() || !words[0].empty())) return words;
  notes.push_back(std::string(field) + ": left out: it holds a NUL, begins with an empty word, or has more than 4096 words or 64 KiB");
  return {};
}

json::value List(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

Error Damaged() { return Error(Code::kIo, "the description of a template is damaged"); }

Result<std::vector<std::string>> ReadList(const json::object& object, const char* name) {
  std::vector<std::string> texts;
  const json::value* value = object.if_contains(name);
  if (value == nullptr) return texts;
  if (!value->is_array()) return Damaged();
  for (const json::value& item : value->get_array()) {
    if (!item.is_string()) return Damaged();
    texts.emplace_back(item.get_string());
  }
  return texts;
}

}  // namespace

Result<ImageSettings> SettingsOf(trees::Store& store, const trees::ImportedImage& imported) {
  const trees::ImageConfig& config = imported.config;
  ImageSettings settings;
  TemplateImage& image = settings.image;
  settings.environment = VariablesOf(config.environment, image.notes);
  PADDOCK_TRY(TakeUser(store, imported, image));
  image.entrypoint = WordsOf("entrypoint", config.entrypoint, image.notes);
  image.command = WordsOf("command", config.command, image.notes);
  const std::string& directory = config.working_directory;
  if (directory.empty()) return settings;
  if (!directory.starts_with('/') || directory.size() >= 4096 || directory.find('\0') != std::string::npos) {
    image.notes.push_back("working_directory: " + Quoted(directory) + " is no absolute path; execs start where the isolation starts them");
    return settings;
  }
  settings.working_directory = directory;
  PADDOCK_ASSIGN(const std::optional<trees::Entry> entry, trees::FindByPath(store, imported.files.tree, directory));
  image.has_working_directory = entry && entry->type == vfs::FileType::kDirectory;
  if (!image.has_working_directory) {
    image.notes.push_back("working_directory: " + Quoted(directory) + " is not in the image: isolation 'virtual' makes it, behind the process wall execs start in the workspace");
  }
  return settings;
}

json::object JsonOf(const TemplateImage& image) {
  json::object object{{"user", image.user}, {"entrypoint", List(image.entrypoint)}, {"command", List(image.command)},
                      {"has_working_directory", image.has_working_directory}, {"notes", List(image.notes)}};
  if (image.wall_user) object["wall_user"] = {{"name", image.wall_user->name}, {"uid", image.wall_user->uid}, {"gid", image.wall_user->gid}};
  return object;
}

Result<TemplateImage> ReadTemplateImage(const json::object& object) {
  TemplateImage image;
  if (const json::value* user = object.if_contains("user")) {
    if (!user->is_string()) return Damaged();
    image.user = std::string(user->get_string());
  }
  PADDOCK_ASSIGN(image.entrypoint, ReadList(object, "entrypoint"));
  PADDOCK_ASSIGN(image.command, ReadList(object, "command"));
  PADDOCK_ASSIGN(image.notes, ReadList(object, "notes"));
  if (const json::value* there = object.if_contains("has_working_directory")) {
    if (!there->is_bool()) return Damaged();
    image.has_working_directory = there->get_bool();
  }
  if (const json::value* ids = object.if_contains("wall_user")) {
    const json::object* members = ids->if_object();
    const json::value *name = members != nullptr ? members->if_contains("name") : nullptr, *uid = members != nullptr ? members->if_contains("uid") : nullptr,
                      *gid = members != nullptr ? members->if_contains("gid") : nullptr;
    if (name == nullptr || uid == nullptr || gid == nullptr || !name->is_string()) return Damaged();
    json::error_code failure;
    sandbox::WallUser user{.name = std::string(name->get_string())};
    user.uid = uid->to_number<uint32_t>(failure);
    if (!failure) user.gid = gid->to_number<uint32_t>(failure);
    if (failure) return Damaged();
    image.wall_user = std::move(user);
  }
  return image;
}

}  // namespace paddock::registry
