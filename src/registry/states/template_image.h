// What a template keeps of an image's config: what can be honoured, and notes on what cannot.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "registry/entry/exec.h"
#include "sandbox/spec.h"
#include "store/trees/image_archive.h"

namespace paddock::registry {

struct TemplateImage {
  std::string user;                               // as the image has it; empty: it says none
  std::optional<sandbox::WallUser> wall_user;     // whom the process wall takes for that; none: its own
  std::vector<std::string> entrypoint, command;
  bool has_working_directory = false;             // it is a directory of the image's files
  std::vector<std::string> notes;                 // what of the config is not honoured, and what is done instead; a line each

  bool operator==(const TemplateImage&) const = default;
};

struct ImageSettings {
  Variables environment;
  std::string working_directory;   // absolute; empty: none that can be used
  TemplateImage image;
};

// Looks users and directories up in the image's own files, which may be hostile. Errors: those of the store.
Result<ImageSettings> SettingsOf(trees::Store& store, const trees::ImportedImage& imported);

// As members of a record. Reading: kIo for what is damaged; what a record of before lacks is empty.
boost::json::object JsonOf(const TemplateImage& image);
Result<TemplateImage> ReadTemplateImage(const boost::json::object& object);

}  // namespace paddock::registry
